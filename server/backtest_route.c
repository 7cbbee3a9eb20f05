#include "backtest_route.h"

#include <string.h>

#include "backtest_keeper.h"
#include "backtest_view.h"
#include "body.h"
#include "capacity_view.h"
#include "negotiate.h"
#include "problem.h"
#include "records_query.h"

static void answer(struct context *ctx, const struct backtest *backtest)
{
    struct backtest_query query;
    struct backtest_view view;
    struct faults faults;
    struct json_out out;

    faults_init(&faults, ctx->request->arena);
    if (!backtest_query_read(ctx, backtest, LIST_LIMIT_DEFAULT, &faults, &query)) {
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    if (!backtest_view_make(backtest, ctx->catalogue, &query, ctx->request->arena, &view))
        out.failed = true;
    else if (strcmp(ctx->format, MEDIA_TEXT) == 0)
        backtest_text_write(&out, &view);
    else if (strcmp(ctx->format, MEDIA_CSV) == 0)
        backtest_csv_write(&out, &view);
    else
        backtest_json_write(&out, &view);
    backtest_view_done(&view);
    reply_write(ctx, 200, &out);
}

/* The set of engine logs is a list of its own, without arguments besides. */
static void memory_answer(struct context *ctx)
{
    struct faults faults;
    struct json_out out;
    faults_init(&faults, ctx->request->arena);
    for (int i = 0; i < ctx->request->n_arguments; i++) {
        const char *name = ctx->request->arguments[i].name;
        if (list_is_repeated(ctx->request, i) ||
            (strcmp(name, "set") != 0 && strcmp(name, "format") != 0))
            fault_add(&faults, "?set", NULL,
                      "the set memory takes format alone; /v1/capacity filters the logs");
    }
    if (faults.n > 0) {
        problem_faults(ctx, &faults);
        return;
    }
    const struct capacity_score *score =
        capacity_score_new(app_store(ctx->app), ctx->catalogue, ctx->request->arena);
    if (score == NULL) {
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
        return;
    }
    reply_begin(ctx, &out);
    if (strcmp(ctx->format, MEDIA_TEXT) == 0)
        capacity_text_write(&out, score);
    else if (strcmp(ctx->format, MEDIA_CSV) == 0)
        capacity_csv_write(&out, score);
    else
        capacity_json_write(&out, score);
    reply_write(ctx, 200, &out);
}

static bool asks_for_memory(const struct request *request)
{
    for (int i = 0; i < request->n_arguments; i++)
        if (strcmp(request->arguments[i].name, "set") == 0)
            return strcmp(request->arguments[i].value, BACKTEST_MEMORY) == 0;
    return false;
}

void backtest_handler(struct context *ctx)
{
    if (asks_for_memory(ctx->request)) {
        memory_answer(ctx);
        return;
    }
    struct backtest_keeper *keeper = app_backtest(ctx->app);
    const struct backtest *backtest = backtest_hold(keeper, app_store(ctx->app), ctx->catalogue);

    if (backtest)
        answer(ctx, backtest);
    else
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
    backtest_let_go(keeper, backtest);
}
