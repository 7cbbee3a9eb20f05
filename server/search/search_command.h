/*
 * search_command.h - the command lines that start a deployment, in its engine's own flags.
 *
 * Purpose: what a result is launched with; the intake of commands reads it back to the same
 *          deployment, but for leaves that the engine has no flag for, which are named.
 * Ownership: texts lie in the arena.
 */
#ifndef REGIME_SEARCH_COMMAND_H
#define REGIME_SEARCH_COMMAND_H

#include "plan_request.h"

#define COMMANDS_MAX 2

struct launch_part {
    const char *role; /* "replica", "prefill" or "decode" */
    double count;     /* how many are started so */
    const char *command;
};

struct launch_commands {
    struct launch_part parts[COMMANDS_MAX];
    int n;                            /* 0: nothing is known to start this engine */
    const char *left[FIELD_ID_COUNT]; /* pointers of leaves that no flag states */
    int n_left;
};

/* Writes the commands of a resolved request. False when out of memory. */
MUST_USE bool search_commands(const struct intake *intake, const struct plan_request *request,
                              struct launch_commands *ret_commands);

#endif
