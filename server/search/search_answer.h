/*
 * search_answer.h - what a search found, ready to be written.
 *
 * Purpose: the kept candidates planned as /v1/plan plans them, ranked anew by those figures.
 * Ownership: an answer lies in the arena it was begun with and borrows from space and run.
 * Threads: one thread at a time.
 */
#ifndef REGIME_SEARCH_ANSWER_H
#define REGIME_SEARCH_ANSWER_H

#include "json_out.h"
#include "search_command.h"
#include "search_work.h"

/* A deployment of the answer. */
struct search_item {
    struct search_point point;
    struct plan_request request;
    struct plan plan;
    struct check_list checks;
    struct launch_commands commands;
};

/* One of the front, without its plan. */
struct front_item {
    struct search_point point;
    struct plan_request request;
};

#define SEARCH_FRONT_MAX 40

struct search_answer {
    const struct space *space;
    const struct search_found *found;
    struct arena *arena, *scratch;
    struct search_pool ranked; /* by figures of full plans */
    struct search_front *front;
    long *indexes; /* candidates that are still to be planned in full */
    int n_indexes, done;
    struct search_item *items; /* best first */
    int n_items;
    struct front_item *pareto; /* fastest per user first */
    int n_pareto;
    struct search_item *nearest; /* when nothing is feasible; NULL = there is none either */
};

/* Begins an answer of what was found; `scratch` is an arena that each step empties. NULL when out
 * of memory. */
struct search_answer *search_answer_begin(const struct space *space,
                                          const struct search_found *found, struct arena *arena,
                                          struct arena *scratch);

/* Plans one more candidate; false when all are done and the answer is complete. */
bool search_answer_step(struct search_answer *answer);

/* What an objective is judged by: "pass", "unknown", "fail"; NULL without objectives. */
const char *search_slo_verdict(const struct search_item *item);

/* The reply as JSON; as a report for a terminal; its items as a table. */
void search_json_write(struct json_out *out, const struct search_answer *answer);
void search_text_write(struct json_out *out, const struct search_answer *answer);
void search_csv_write(struct json_out *out, const struct search_answer *answer);

#endif
