#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>

#include "body.h"
#include "json_memory.h"
#include "request_limits.h"
#include "routes.h"

void bench_fail(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s\n", what, detail);
    _Exit(1);
}

void workbench_open(struct workbench *bench)
{
    char error[STORE_ERROR_MAX];

    json_memory_install();
    if (!store_open(NULL, &bench->store, error))
        bench_fail("the store does not open", error);
    bench->catalogue = store_catalogue(bench->store);
    bench->app = app_new(&(struct app_options){.store = bench->store});
    if (!bench->app)
        bench_fail("app_new", "out of memory");
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++) {
        bench->questions[i].request.arena = arena_new(REQUEST_ARENA_MAX);
        if (!bench->questions[i].request.arena)
            bench_fail("arena_new", "out of memory");
    }
}

void workbench_close(struct workbench *bench)
{
    for (unsigned i = 0; i < BATCH_QUESTIONS; i++)
        arena_free(bench->questions[i].request.arena);
    app_free(bench->app);
    store_release(bench->store, bench->catalogue);
    store_close(bench->store);
}

void question_parse(struct workbench *bench, struct question *question)
{
    struct reply reply = {0};
    struct context ctx = {.app = bench->app,
                          .catalogue = bench->catalogue,
                          .request = &question->request,
                          .reply = &reply,
                          .format = "application/json"};
    question->tree = body_json(&ctx);
    if (!question->tree)
        bench_fail("a body was refused", question->body);
}

void question_read(struct workbench *bench, struct question *question)
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
        bench_fail("a question has a fault", faults.items[0].detail);
}

void workbench_ask(struct workbench *bench, unsigned first, unsigned stride)
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
        question_parse(bench, question);
        question_read(bench, question);
    }
}
