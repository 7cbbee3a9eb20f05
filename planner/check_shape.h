/*
 * check_shape.h - the checks that the layout alone decides.
 *
 * Purpose: what tensor, pipeline, expert and context parallelism must divide, and which formats an
 * engine runs on a part. Each function fills verdict, figures and sentence of a check and returns
 *          false where the check does not apply.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_SHAPE_H
#define REGIME_CHECK_SHAPE_H

#include "checks.h"

bool check_heads(const struct problem *problem, struct check *check);
bool check_kv_heads(const struct problem *problem, struct check *check);
bool check_vocabulary(const struct problem *problem, struct check *check);
bool check_width(const struct problem *problem, struct check *check);
bool check_expert_width(const struct problem *problem, struct check *check);
bool check_blocks(const struct problem *problem, struct check *check);
bool check_layers(const struct problem *problem, struct check *check);
bool check_experts(const struct problem *problem, struct check *check);
bool check_context(const struct problem *problem, struct check *check);

/* check_format.c */
bool check_format(const struct problem *problem, struct check *check);

#endif
