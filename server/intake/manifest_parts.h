/*
 * manifest_parts.h - what the readers of manifests share; for manifest*.c only.
 *
 * Purpose: every container that a manifest starts becomes a unit; which of them serves is decided
 *          once all are known. A new kind of object is a row in manifest_kinds.c.
 * Ownership: units lie in the request's arena and borrow from the tree.
 */
#ifndef REGIME_MANIFEST_PARTS_H
#define REGIME_MANIFEST_PARTS_H

#include <stdbool.h>

#include "command_line.h"
#include "manifest.h"

struct cJSON;

#define UNITS_MAX 64
#define UNIT_ENV_MAX 256
#define UNIT_WORDS_MAX 1024
/* Of all expanded words of one container. */
#define UNIT_TEXT_MAX ((size_t)256 << 10)

/* A container that may serve. */
struct unit {
    const char *kind, *workload, *container;
    struct command_line line;
    const char *without_value; /* a variable that the command uses and nobody sets here, or NULL */
    double devices;            /* of one pod; NAN = not said */
    const char *resource;      /* "nvidia.com/gpu", NULL = not said */
    const char *bad_resource, *bad_count; /* of a count that is none, or of 0; NULL = all are */
    const char *slice;                    /* "1g.10gb" of a MIG resource, or NULL */
    const char *part, *part_from;   /* the part as written, and the label or field it is from */
    const char *part_other;         /* another one that the pod may run on, or NULL */
    double replicas;                /* copies; NAN = not said */
    double pods;                    /* of one copy */
    const char *model, *model_from; /* beside the command: an address, or NULL */
    const char *model_name;         /* what it is served as, or NULL */
    double tp, pp;                  /* stated outside the command; NAN = not said */
};

/* A reading under way. */
struct manifest {
    const struct intake *intake;
    const char *origin, *asked;
    const bool *kept;
    const struct cJSON *documents;
    struct unit *units;
    int n_units;
    bool too_many;
    const char *unread_kind, *unread_why; /* an object that cannot be read, and what would help */
};

/* A pod as a kind of object describes it. */
struct pod {
    const char *kind, *workload;
    const struct cJSON *spec;
    double replicas, pods;
    const struct command_env *env; /* set by the kind's controller */
    int n_env;
    double tp, pp; /* 0 = not said */
    const char *model, *model_from, *model_name;
};

/* Trees -----------------------------------------------------------------------------------------
 */

/* The member at a path of names ("spec/template/spec"); NULL when a step is missing. */
const struct cJSON *tree_at(const struct cJSON *node, const char *path);

/* The text of a scalar at a path, NULL when there is none or it is empty. */
const char *tree_text(const struct manifest *manifest, const struct cJSON *node, const char *path);

/* The number at a path, written as number or text; NAN when there is none. */
double tree_number(const struct manifest *manifest, const struct cJSON *node, const char *path);

/* A count of copies at a path: NAN when there is none, -1 when it is no whole number from 0. */
double tree_copies(const struct manifest *manifest, const struct cJSON *node, const char *path);

/* The object of that kind and name among the documents, or NULL. */
const struct cJSON *tree_object(const struct manifest *manifest, const char *kind,
                                const char *name);

/* Containers ------------------------------------------------------------------------------------
 */

/* A fresh unit, NULL when there are too many or memory ran out. */
struct unit *unit_add(struct manifest *manifest, const struct pod *pod, const char *container);

/* Every container of a pod's spec becomes a unit. */
void units_of_pod(struct manifest *manifest, const struct pod *pod);

/*
 * Fills in the command of a unit: `command` and `args` of the container, the arguments of `more`
 * behind them (NULL = none), both with the environment of each; $(NAME) is replaced as the kubelet
 * does.
 */
void unit_command(struct manifest *manifest, const struct pod *pod, const struct cJSON *container,
                  const struct cJSON *more, struct unit *unit);

/* Devices of a container's resources and the part that the pod's spec selects. */
void unit_devices(struct manifest *manifest, const struct cJSON *spec,
                  const struct cJSON *container, struct unit *unit);

/* KServe's Hugging Face server is vLLM with arguments of its own: a unit that starts it becomes the
 * vLLM command that it comes to. */
void unit_huggingface(const struct manifest *manifest, struct unit *unit);

/* Kinds -----------------------------------------------------------------------------------------
 */

/* Looks through all documents. */
void units_find(struct manifest *manifest);

/* Readers of kinds with a shape of their own. */
typedef void kind_read_fn(struct manifest *manifest, const struct cJSON *object);
kind_read_fn read_inference_service, read_llm_inference_service, read_serving_runtime,
    read_ray_service, read_compose;

#endif
