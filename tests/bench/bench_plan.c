/*
 * bench_plan - time of each stage of a plan, in process: thread CPU time per operation.
 *
 *   bench_plan                    best and median over batches, by stage and kind of question
 *   bench_plan --count STAGE N    runs one stage N times and little else, for callgrind
 *
 * Every operation of a batch works on another question, and every batch on other questions: nothing
 * can be remembered between them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "body.h"
#include "compiler.h"
#include "cpu_clock.h"
#include "json_memory.h"
#include "limits.h"
#include "plan.h"
#include "plan_request.h"
#include "prepare.h"
#include "questions.h"
#include "routes.h"
#include "step.h"
#include "store.h"

#define BATCHES 60
#define BATCH_QUESTIONS 64
#define NS_PER_US 1e3

/* One question at every stage, so that a stage can be timed without those before it. */
struct question {
    struct request request; /* its body and its arena, which the stages allocate from */
    char body[QUESTION_MAX];
    struct cJSON *tree;
    struct plan_request plan_request;
    struct prepared prepared;
    struct plan plan;
};

struct bench {
    struct app *app;
    const struct catalogue *catalogue;
    struct question questions[BATCH_QUESTIONS];
};

struct stage {
    const char *id, *title;
    void (*run)(struct bench *bench, struct question *question);
};

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "bench_plan: %s: %s\n", what, detail);
    exit(1);
}

static void run_parse(struct bench *bench, struct question *question)
{
    struct reply reply = {0};
    struct context ctx = {.app = bench->app,
                          .catalogue = bench->catalogue,
                          .request = &question->request,
                          .reply = &reply,
                          .format = "application/json"};
    question->tree = body_json(&ctx);
    if (!question->tree)
        fail("a body was refused", question->body);
}

static void run_read(struct bench *bench, struct question *question)
{
    struct faults faults;
    const struct intake intake = {.catalogue = bench->catalogue,
                                  .arena = question->request.arena,
                                  .faults = &faults,
                                  .base = ""};
    faults_init(&faults, intake.arena);
    question->plan_request = (struct plan_request){0};
    plan_request_read_json(&intake, question->tree, &question->plan_request);
    if (!plan_request_resolve(&intake, &question->plan_request))
        fail("a question has a fault", faults.items[0].detail);
}

static void run_prepare(struct bench *bench, struct question *question)
{
    (void)bench;
    prepare(&question->plan_request.problem, NULL, &question->prepared);
}

static void run_step(struct bench *bench, struct question *question)
{
    (void)bench;
    const struct workload *load = &question->plan_request.problem.load;
    step_decode(&question->prepared, load->concurrency, load->input_tokens, &question->plan.decode);
}

static void run_bare(struct bench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_BARE, &question->plan);
}

static void run_summary(struct bench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_SUMMARY, &question->plan);
}

static void run_full(struct bench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_FULL, &question->plan);
}

/* The whole request through routing, intake, planner and renderer, without a socket. */
static void handle(struct bench *bench, struct question *question, const char *name,
                   const char *value)
{
    const struct argument argument = {name, value};
    struct reply reply = {0};

    question->request.arguments = &argument;
    question->request.n_arguments = name ? 1 : 0;
    app_handle(bench->app, &question->request, &reply);
    if (reply.status != 200)
        fail("a plan was refused", reply.body ? reply.body : "no body");
}

static void run_request_summary(struct bench *bench, struct question *question)
{
    handle(bench, question, "view", "summary");
}

static void run_request_full(struct bench *bench, struct question *question)
{
    handle(bench, question, NULL, NULL);
}

static void run_request_text(struct bench *bench, struct question *question)
{
    handle(bench, question, "format", "text");
}

/* In the order of a request: each stage leaves in the question what the next one needs. */
static const struct stage STAGES[] = {
    {"parse", "parse the body", run_parse},
    {"read", "read the fields, fill the defaults", run_read},
    {"prepare", "prepare the kernels", run_prepare},
    {"step", "one decode step, prepared", run_step},
    {"bare", "bare evaluation (PLAN_BARE)", run_bare},
    {"summary", "plan with cures (PLAN_SUMMARY)", run_summary},
    {"full", "plan with cures and moves (PLAN_FULL)", run_full},
    {"request_summary", "whole request, view=summary", run_request_summary},
    {"request_full", "whole request", run_request_full},
    {"request_text", "whole request, format=text", run_request_text},
};

/* Takes new questions, `first` and those behind it, `stride` apart; empties their arenas. */
static void ask(struct bench *bench, unsigned first, unsigned stride)
{
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++) {
        struct question *question = &bench->questions[i];
        struct arena *arena = question->request.arena;
        arena_reset(arena);
        question->request = (struct request){.method = METHOD_POST,
                                             .raw_path = "/v1/plan",
                                             .segments = {"v1", "plan"},
                                             .n_segments = 2,
                                             .content_type = "application/json",
                                             .body = question->body,
                                             .peer = "127.0.0.1",
                                             .arena = arena};
        question->request.body_length = question_write(first + i * stride, question->body);
        run_parse(bench, question);
        run_read(bench, question);
        run_prepare(bench, question);
    }
}

/* CPU time of one operation of that stage, over one batch of questions that are not timed. */
static double time_batch(struct bench *bench, const struct stage *stage)
{
    double before = clock_thread_ns();
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++)
        stage->run(bench, &bench->questions[i]);
    return (clock_thread_ns() - before) / BATCH_QUESTIONS;
}

/* Questions of one kind, or of all kinds in turn when kind is question_kinds(). */
static void measure(struct bench *bench, unsigned kind)
{
    bool mix = kind == question_kinds();
    unsigned stride = mix ? 1 : question_kinds(), next = mix ? 0 : kind;
    double ns[ARRAY_LEN(STAGES)][BATCHES];

    for (int batch = 0; batch < BATCHES; batch++) {
        for (size_t i = 0; i < ARRAY_LEN(STAGES); i++) {
            ask(bench, next, stride);
            next += BATCH_QUESTIONS * stride;
            ns[i][batch] = time_batch(bench, &STAGES[i]);
        }
    }
    printf("\n%s\n%-40s %10s %10s\n", mix ? "all kinds in turn" : question_kind(kind),
           "CPU time per operation", "best us", "median us");
    for (size_t i = 0; i < ARRAY_LEN(STAGES); i++) {
        double middle = median(ns[i], BATCHES);
        printf("%-40s %10.2f %10.2f\n", STAGES[i].title, ns[i][0] / NS_PER_US, middle / NS_PER_US);
    }
}

static void count(struct bench *bench, const char *id, const char *times)
{
    unsigned long n = strtoul(times, NULL, 10);
    for (size_t i = 0; i < ARRAY_LEN(STAGES); i++) {
        if (strcmp(STAGES[i].id, id) != 0)
            continue;
        ask(bench, 0, 1);
        for (unsigned long j = 0; j < n; j++)
            STAGES[i].run(bench, &bench->questions[j % BATCH_QUESTIONS]);
        return;
    }
    fail("no such stage", id);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct store *store = NULL;
    char error[STORE_ERROR_MAX];

    json_memory_install();
    if (!store_open(NULL, &store, error))
        fail("the store does not open", error);
    bench.catalogue = store_catalogue(store);
    bench.app = app_new(&(struct app_options){.store = store});
    if (!bench.app)
        fail("app_new", "out of memory");
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++) {
        bench.questions[i].request.arena = arena_new(REQUEST_ARENA_MAX);
        if (!bench.questions[i].request.arena)
            fail("arena_new", "out of memory");
    }
    if (argc == 4 && strcmp(argv[1], "--count") == 0) {
        count(&bench, argv[2], argv[3]);
    } else {
        for (unsigned kind = 0; kind <= question_kinds(); kind++)
            measure(&bench, kind);
    }
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++)
        arena_free(bench.questions[i].request.arena);
    app_free(bench.app);
    store_release(store, bench.catalogue);
    store_close(store);
    return 0;
}
