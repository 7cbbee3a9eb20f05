/*
 * command_line.h - a command line that starts an engine, read into a plan request.
 *
 * Purpose: people have `vllm serve ...`, `docker run ...`, `llama-server ...`. The text is cut into
 *          words as a shell does, wrappers and assignments are taken off, the engine is told from
 *          what is left, and each flag sets a leaf of the request by that engine's table. The other
 *          way round, a leaf is written as the flag that sets it.
 * Units:   of the leaves that are set.
 * Ownership: words and texts lie in the request's arena or in the input.
 * Errors:  all faults of a command are added under its origin ("/command") and name the flag; an
 *          unknown flag brings the engine's nearest one. Flags without an effect on a plan and
 *          doubts are added to `described`.
 * Threads: tables are constant; a reading belongs to one request.
 */
#ifndef REGIME_COMMAND_LINE_H
#define REGIME_COMMAND_LINE_H

#include <stdbool.h>

#include "compiler.h"
#include "plan_request.h"

struct described;
struct cJSON;

/* A variable of the environment. */
struct command_env {
    const char *name, *value;
};

/* What is started, and how. */
struct command_line {
    int argc;
    const char *const *argv; /* may be empty when `image` starts its own program */
    int n_env;
    const struct command_env *env;
    const char *image;  /* of the container ("vllm/vllm-openai:v0.10.1"); NULL = none */
    int n_devices;      /* that the engine sees; 0 = not said */
    const char *origin; /* pointer prefix of its faults, "/command" */
    const bool *kept;   /* by field: leaves that stay as they are; NULL = all given before */
};

/*
 * Sets the leaves that a command states, in a request that is not resolved yet. Leaves that were
 * given before the call, or those of `kept`, stay as they are; a command that says otherwise is a
 * note. The argv may
 * begin with wrappers (env, sudo, bash -c, python -m, torchrun, docker run ...) or, with an image,
 * with the arguments of its entry point. False, with faults, when it cannot be read.
 */
MUST_USE bool command_apply(const struct intake *intake, const struct command_line *line,
                            struct plan_request *request, struct described *described);

/*
 * The same for a shell text: quotes, escapes, continued lines, comments, $NAME and ${NAME:-default}
 * of assignments before it, `a && b` and `a; b` (the one that starts an engine is read),
 * redirections and a trailing & dropped.
 */
MUST_USE bool command_read(const struct intake *intake, const char *text, const char *origin,
                           struct plan_request *request, struct described *described);

/* Whether such a container image or such words start an engine that is known here: what finds the
 * serving container among others. */
bool command_serves(const struct intake *intake, const struct command_line *line);

/*
 * The flag by which the deployment's engine is told a leaf: of vLLM, ("/deployment/kv_cache",
 * "fp8") is "--kv-cache-dtype fp8", a false switch its negative form; of Ollama,
 * ("/deployment/max_num_seqs", "4") is "OLLAMA_NUM_PARALLEL=4". `value` is the leaf's value as JSON
 * prints it, without quotes. NULL when the engine has no flag for it, or the value needs none.
 * From the arena.
 */
const char *command_flag_for(struct arena *arena, const struct deployment *dep, const char *pointer,
                             const char *value);

#endif
