#include "backtest_route.h"

#include <string.h>

#include "backtest_keeper.h"
#include "backtest_view.h"
#include "body.h"
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

void backtest_handler(struct context *ctx)
{
    struct backtest_keeper *keeper = app_backtest(ctx->app);
    const struct backtest *backtest = backtest_hold(keeper, app_store(ctx->app), ctx->catalogue);

    if (backtest)
        answer(ctx, backtest);
    else
        problem_status(ctx, 503, "the store cannot be read at the moment; try again");
    backtest_let_go(keeper, backtest);
}
