/*
 * workbench.h - questions taken through intake, ready to be timed in process.
 *
 * Ownership: a workbench owns its store, its application and the arenas of its questions.
 * Errors:  a question that the product refuses ends the program with the reason.
 */
#ifndef REGIME_WORKBENCH_H
#define REGIME_WORKBENCH_H

#include "app.h"
#include "plan.h"
#include "plan_request.h"
#include "prepare.h"
#include "questions.h"
#include "store.h"

#define BATCH_QUESTIONS 64

/* One question at every stage, so that a stage can be timed without those before it. */
struct question {
    struct request request; /* its body and its arena, which the stages allocate from */
    char body[QUESTION_MAX];
    struct cJSON *tree;
    struct plan_request plan_request;
    struct prepared prepared;
    struct plan plan;
};

struct workbench {
    struct store *store;
    struct app *app;
    const struct catalogue *catalogue;
    struct question questions[BATCH_QUESTIONS];
};

/* Opens the embedded store. */
void workbench_open(struct workbench *bench);
void workbench_close(struct workbench *bench);

/* Takes the questions number first, first + stride, ...; empties their arenas, parses and reads
 * them. */
void workbench_ask(struct workbench *bench, unsigned first, unsigned stride);

/* The two stages of reading: the body to a tree, the tree to a complete request. */
void question_parse(struct workbench *bench, struct question *question);
void question_read(struct workbench *bench, struct question *question);

/* Ends the program. */
void bench_fail(const char *what, const char *detail);

#endif
