#include "admin_route.h"

#include <string.h>

#include "backup_folder.h"
#include "body.h"
#include "problem.h"
#include "query_switch.h"

void admin_backup_handler(struct context *ctx)
{
    struct json_out out;
    struct faults faults;
    struct backup_made made;
    char error[STORE_ERROR_MAX];
    long keep = 0;
    const char *folder = app_backup_folder(ctx->app, &keep);

    faults_init(&faults, ctx->request->arena);
    query_refuse_others(ctx->request, &faults, NULL, 0, "unknown argument of a POST here");
    if (faults.n) {
        problem_faults(ctx, &faults);
        return;
    }
    if (!folder) {
        problem_status(ctx, 409,
                       "this daemon has no folder for backups: start it with --backup-dir FOLDER");
        return;
    }
    if (!backup_folder_add(folder, keep, store_path(app_store(ctx->app)), &made, error)) {
        const char *detail = arena_copy(ctx->request->arena, error, strlen(error));
        problem_status(ctx, 503, detail ? detail : "the backup failed");
        return;
    }
    reply_begin(ctx, &out);
    json_begin_object(&out);
    json_put_text(&out, "file", made.name);
    json_put_number(&out, "bytes", (double)made.state.bytes);
    json_put_number(&out, "schema_version", made.state.version);
    json_put_number(&out, "seconds", made.seconds);
    json_put_number(&out, "removed", made.removed);
    json_end_object(&out);
    reply_write(ctx, 201, &out);
}
