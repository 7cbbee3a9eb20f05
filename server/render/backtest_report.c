#include "backtest_report.h"

#include <string.h>

#include "backtest_view.h"
#include "capacity_view.h"

#define ARENA_MAX ((size_t)256 << 20)
#define REPORT_START ((size_t)1 << 16)
#define REPORT_MAX ((size_t)64 << 20)

typedef void write_fn(struct json_out *out, struct backtest_view *view);

typedef void write_memory_fn(struct json_out *out, const struct capacity_score *score);

static const struct {
    const char *name;
    write_fn *write;
    write_memory_fn *write_memory;
} FORMATS[] = {
    {"text", backtest_text_write, capacity_text_write},
    {"json", backtest_json_write, capacity_json_write},
    {"csv", backtest_csv_write, capacity_csv_write},
};

static bool print_memory(struct store *store, const struct catalogue *catalogue,
                         write_memory_fn *write, FILE *file)
{
    struct arena *arena = arena_new(ARENA_MAX);
    const struct capacity_score *score =
        arena != NULL ? capacity_score_new(store, catalogue, arena) : NULL;
    struct json_out out;
    bool done = score != NULL;
    if (done) {
        json_out_init(&out, arena, REPORT_START, REPORT_MAX);
        write(&out, score);
        done = json_out_ok(&out) && fwrite(out.text, 1, out.length, file) == out.length;
    }
    arena_free(arena);
    return done;
}

static bool print_set(const struct backtest *backtest, const struct catalogue *catalogue,
                      enum backtest_set set, write_fn *write, FILE *file)
{
    struct arena *arena = arena_new(ARENA_MAX);
    const struct backtest_query query = backtest_query_default(set, backtest->n + 1);
    struct backtest_view view = {0};
    struct json_out out;
    bool done = arena != NULL && backtest_view_make(backtest, catalogue, &query, arena, &view);
    if (done) {
        json_out_init(&out, arena, REPORT_START, REPORT_MAX);
        write(&out, &view);
        done = json_out_ok(&out) && fwrite(out.text, 1, out.length, file) == out.length;
    }
    backtest_view_done(&view);
    arena_free(arena);
    return done;
}

bool backtest_report(struct store *store, const struct catalogue *catalogue, const char *format,
                     const char *set, FILE *file)
{
    bool memory = set != NULL && strcmp(set, BACKTEST_MEMORY) == 0;
    enum backtest_set chosen = set != NULL && !memory ? backtest_set_parse(set) : SET_CALIBRATED;
    size_t at = 0;
    while (format != NULL && at < ARRAY_LEN(FORMATS) && strcmp(FORMATS[at].name, format) != 0)
        at++;
    if (at == ARRAY_LEN(FORMATS) || chosen == SET_COUNT) {
        fprintf(
            stderr,
            "regimed: --format is text, json or csv, --set calibrated, other, local or memory\n");
        return false;
    }
    struct backtest *backtest = memory ? NULL : backtest_new(store, catalogue);
    bool done = memory ? print_memory(store, catalogue, FORMATS[at].write_memory, file)
                       : backtest != NULL &&
                             print_set(backtest, catalogue, chosen, FORMATS[at].write, file);
    if (!done)
        fprintf(stderr, "regimed: the backtest cannot be made: no memory, or the store cannot be "
                        "read\n");
    backtest_free(backtest);
    return done;
}
