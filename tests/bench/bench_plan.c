/*
 * bench_plan - time of each stage of a plan, in process: thread CPU time per operation.
 *
 *   bench_plan                    best and median over batches, by stage and kind of question
 *   bench_plan --count STAGE N    runs one stage N times and little else, for callgrind
 *
 * Every operation of a batch works on another question, and every batch on other questions: nothing
 * can be remembered between them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_cures.h"
#include "compiler.h"
#include "cpu_clock.h"
#include "step.h"
#include "workbench.h"

#define BATCHES 60
#define NS_PER_US 1e3

struct stage {
    const char *id, *title;
    void (*run)(struct workbench *bench, struct question *question);
};

/* Parses into an empty arena, as the daemon does. */
static void run_parse(struct workbench *bench, struct question *question)
{
    arena_reset(question->request.arena);
    question_parse(bench, question);
}

static void run_prepare(struct workbench *bench, struct question *question)
{
    (void)bench;
    prepare(&question->plan_request.problem, NULL, &question->prepared);
}

static void run_step(struct workbench *bench, struct question *question)
{
    (void)bench;
    const struct workload *load = &question->plan_request.problem.load;
    step_decode(&question->prepared, load->concurrency, load->input_tokens, &question->plan.decode);
}

static void run_bare(struct workbench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_BARE, &question->plan);
}

static void run_summary(struct workbench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_SUMMARY, &question->plan);
}

static void run_full(struct workbench *bench, struct question *question)
{
    (void)bench;
    plan_compute(&question->plan_request.problem, PLAN_FULL, &question->plan);
}

static void check(struct question *question, struct check_list *ret_checks)
{
    static const struct check_asked ASKED = {.devices = (double)NAN};

    plan_compute(&question->plan_request.problem, PLAN_CHECK, &question->plan);
    check_plan(&question->plan, &ASKED, ret_checks);
}

static void run_check(struct workbench *bench, struct question *question)
{
    struct check_list checks;
    (void)bench;
    check(question, &checks);
}

static void run_check_cures(struct workbench *bench, struct question *question)
{
    static const struct check_asked ASKED = {.devices = (double)NAN};

    struct check_list checks;
    struct check_cure cures[CHECK_CURES_MAX];
    (void)bench;
    check(question, &checks);
    (void)check_cures_find(&question->plan, &checks, &ASKED, NULL, cures);
}

/* The whole request through routing, intake, planner and renderer, without a socket. */
static void handle(struct workbench *bench, struct question *question, const char *name,
                   const char *value)
{
    const struct argument argument = {name, value};
    struct reply reply = {0};

    arena_reset(question->request.arena);
    question->request.arguments = &argument;
    question->request.n_arguments = name ? 1 : 0;
    app_handle(bench->app, &question->request, &reply);
    if (reply.status != 200)
        bench_fail("a plan was refused", reply.body ? reply.body : "no body");
}

static void run_request_summary(struct workbench *bench, struct question *question)
{
    handle(bench, question, "view", "summary");
}

static void run_request_full(struct workbench *bench, struct question *question)
{
    handle(bench, question, NULL, NULL);
}

static void run_request_text(struct workbench *bench, struct question *question)
{
    handle(bench, question, "format", "text");
}

static void run_request_check(struct workbench *bench, struct question *question)
{
    question->request.raw_path = "/v1/check";
    question->request.segments[1] = "check";
    handle(bench, question, "gate", "0");
    question->request.raw_path = "/v1/plan";
    question->request.segments[1] = "plan";
}

/* In the order of a request: each stage leaves in the question what the next one needs. */
static const struct stage STAGES[] = {
    {"parse", "parse the body", run_parse},
    {"read", "read the fields, fill the defaults", question_read},
    {"prepare", "prepare the kernels", run_prepare},
    {"step", "one decode step, prepared", run_step},
    {"bare", "bare evaluation (PLAN_BARE)", run_bare},
    {"summary", "plan with cures (PLAN_SUMMARY)", run_summary},
    {"full", "plan with cures and moves (PLAN_FULL)", run_full},
    {"check", "verdict of all checks", run_check},
    {"check_cures", "verdict, and cures of what fails", run_check_cures},
    {"request_summary", "whole request, view=summary", run_request_summary},
    {"request_full", "whole request", run_request_full},
    {"request_text", "whole request, format=text", run_request_text},
    {"request_check", "whole request of a check", run_request_check},
};

/* Questions that no stage has seen, read and prepared. */
static void ask(struct workbench *bench, unsigned first, unsigned stride)
{
    workbench_ask(bench, first, stride);
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++)
        run_prepare(bench, &bench->questions[i]);
}

/* CPU time of one operation of that stage, over one batch of questions that are not timed. */
static double time_batch(struct workbench *bench, const struct stage *stage)
{
    double before = clock_thread_ns();
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++)
        stage->run(bench, &bench->questions[i]);
    return (clock_thread_ns() - before) / BATCH_QUESTIONS;
}

/* Questions of one kind, or of all kinds in turn when kind is question_kinds(). */
static void measure(struct workbench *bench, unsigned kind)
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

static void count(struct workbench *bench, const char *id, const char *times)
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
    bench_fail("no such stage", id);
}

int main(int argc, char **argv)
{
    static struct workbench bench;

    workbench_open(&bench);
    if (argc == 4 && strcmp(argv[1], "--count") == 0) {
        count(&bench, argv[2], argv[3]);
    } else {
        for (unsigned kind = 0; kind <= question_kinds(); kind++)
            measure(&bench, kind);
    }
    workbench_close(&bench);
    return 0;
}
