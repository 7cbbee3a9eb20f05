/*
 * manifest.h - a deployment's manifest read into a plan request.
 *
 * Purpose: Kubernetes objects (one, a stream of documents, a List), KServe, Ray Serve and compose
 *          files say which container serves, by what command, with how many devices of which part.
 *          The serving container's command is read as any command (command_line.h); devices, part,
 *          replicas and model of the manifest become leaves besides.
 * Ownership: what is kept lies in the request's arena or borrows from the tree.
 * Errors:  faults below the origin ("/manifest"). Where several containers serve, the one with the
 *          most devices is planned and a note names the others, unless one is asked for.
 * Threads: tables are constant; a reading belongs to one request.
 */
#ifndef REGIME_MANIFEST_H
#define REGIME_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "plan_request.h"

struct cJSON;

/* Whether a text is a manifest and no command line or log: it has a line "apiVersion:", "kind:" or
 * "services:" at its outermost level, or is an object with such a member. */
bool manifest_looks_like(const char *text);

/* Whether a JSON object is a manifest: an apiVersion or kind, or services of compose. */
bool manifest_is_object(const struct cJSON *object);

/* What a fault of YAML's syntax adds for a text that is a template; "" for others. */
const char *manifest_template_hint(const char *text);

/* Where a manifest comes from and which of its containers is meant. */
struct manifest_source {
    const char *origin;    /* pointer prefix of faults, "/manifest" */
    const char *container; /* "name", "workload" or "workload/name"; NULL = see above */
    const char *asked;     /* pointer of the container's name, "/container" */
    const bool *kept;      /* as struct command_line has it */
};

/*
 * Sets the leaves that the manifest states, in a request that is not resolved yet. `documents` is
 * an array of objects or one object. Leaves given before stay as they are. False, with faults, when
 * no command could be read.
 */
MUST_USE bool manifest_apply(const struct intake *intake, const struct cJSON *documents,
                             const struct manifest_source *source, struct plan_request *request);

/* The same for a YAML or JSON text with a NUL at text[length]. */
MUST_USE bool manifest_read(const struct intake *intake, const char *text, size_t length,
                            const struct manifest_source *source, struct plan_request *request);

#endif
