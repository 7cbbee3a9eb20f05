#include "sweep_stream.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "csv_cells.h"
#include "negotiate.h"
#include "plan_json.h"
#include "request_limits.h"

/* Points of a block: half a millisecond of one core or so. */
#define BLOCK_PLAIN 128
#define BLOCK_DEEP 4
/* Values that one piece of a kept column holds. */
#define PIECE_VALUES 1024
#define PIECE_MAX (MIB)
/* Reasons that are kept word by word; one more stands for all others. */
#define REASONS_MAX 200
#define OTHER_REASON "these leaves do not go together (see the point's own plan)"
#define PROGRESS_STEPS 100
/* Texts of all columns together are names of classes, regimes, cures and their like. */
#define NAMES_MAX 256

enum shape { SHAPE_COLUMNS, SHAPE_CSV, SHAPE_LINES };

/* What comes next of a columnar reply. */
enum stage { STAGE_HEAD, STAGE_AXES, STAGE_LIVE, STAGE_KEPT, STAGE_REASONS, STAGE_FOOT, STAGE_END };

struct stream {
    struct reply_stream base;
    const struct grid *grid;
    struct sweep_options options;
    enum shape shape;
    long block_points;
    struct crew *crew;
    struct arena *arena; /* of the pieces that are made while reading */
    struct stream_piece piece;
    bool broken;
    long lines; /* points sent */
    /* columnar */
    enum stage stage;
    int axis;          /* of STAGE_AXES */
    int first, n_kept; /* the pass: column `first` is sent live, n_kept behind it are kept */
    int kept;          /* of STAGE_KEPT */
    long at;           /* point within the column that is being sent */
    unsigned char *packed;
    size_t packed_at[GRID_COLUMNS_MAX]; /* where in it each kept column begins */
    const char *names[NAMES_MAX];       /* texts of packed cells, by number; [0] = none */
    atomic_int n_names;
    unsigned char *why; /* [point]: a reason, counted from 1 */
    pthread_mutex_t mutex;
    char *reasons[REASONS_MAX + 1]; /* [0] = none */
    int n_reasons;
};

/* A thread's cells beside the grid's worker. */
struct own {
    struct stream *stream;
    struct grid_worker *worker;
    union cell cells[GRID_COLUMNS_MAX];
};

/* Cells ---------------------------------------------------------------------------------------- */

static void write_json_cell(struct json_out *out, enum cell_kind kind, const union cell *cell)
{
    if (kind == CELL_TEXT)
        json_text(out, cell->text);
    else if (kind == CELL_NUMBER)
        json_number(out, cell->number);
    else if (isnan(cell->number))
        json_null(out);
    else
        json_bool(out, cell->number != 0);
}

static void write_csv_cell(struct json_out *out, enum cell_kind kind, const union cell *cell)
{
    if (kind == CELL_TEXT)
        csv_text(out, cell->text);
    else if (kind == CELL_NUMBER || isnan(cell->number))
        csv_number(out, cell->number);
    else
        csv_text(out, cell->number != 0 ? "true" : "false");
}

static void write_csv_row(struct json_out *out, const struct grid *grid, long point,
                          const union cell *cells, const char *why)
{
    for (int i = 0; i < grid->n_axes; i++) {
        const char *text = grid->axes[i].values[grid_index(grid, point, i)].csv_text;
        out_text(out, i ? text : text + 1);
    }
    for (int i = 0; i < grid->n_columns; i++)
        write_csv_cell(out, column_kind(&grid->columns[i]), &cells[i]);
    csv_text(out, why);
    out_bytes(out, "\n", 1);
}

static void write_line(struct json_out *out, const struct grid *grid, long point,
                       const union cell *cells, const char *why)
{
    json_begin_object(out);
    for (int i = 0; i < grid->n_axes; i++) {
        const char *text = grid->axes[i].values[grid_index(grid, point, i)].json_text;
        json_key(out, grid->axes[i].pointer);
        json_raw(out, text, strlen(text));
    }
    for (int i = 0; i < grid->n_columns; i++) {
        json_key(out, grid->columns[i].name);
        write_json_cell(out, column_kind(&grid->columns[i]), &cells[i]);
    }
    json_put_text(out, "why", why);
    json_end_object(out);
    out_bytes(out, "\n", 1);
}

/* A reason's number; equal texts share one. */
static unsigned char keep_reason(struct stream *stream, const char *why)
{
    int found = 0;

    pthread_mutex_lock(&stream->mutex);
    for (int i = 1; i <= stream->n_reasons && !found; i++)
        if (strcmp(stream->reasons[i], why) == 0)
            found = i;
    if (!found && stream->n_reasons < REASONS_MAX) {
        char *copy = strdup(why);
        if (copy) {
            stream->reasons[++stream->n_reasons] = copy;
            found = stream->n_reasons;
        }
    }
    pthread_mutex_unlock(&stream->mutex);
    return (unsigned char)(found ? found : REASONS_MAX + 1);
}

/* Kept cells ----------------------------------------------------------------------------------- */

/* Bytes of a kept cell: a number, else the number of a text, or a truth. */
static size_t packed_width(const struct column *column)
{
    return column_kind(column) == CELL_NUMBER ? sizeof(double) : 1;
}

/* The place of a text in the names, 0 when it is new. */
static int name_place(const struct stream *stream, const char *text)
{
    int n = atomic_load_explicit(&stream->n_names, memory_order_acquire);

    while (n > 0 && stream->names[n] != text)
        n--;
    return n;
}

static unsigned char keep_name(struct stream *stream, const char *text)
{
    if (!text)
        return 0;
    int place = name_place(stream, text);
    if (place)
        return (unsigned char)place;
    pthread_mutex_lock(&stream->mutex);
    place = name_place(stream, text);
    if (!place && stream->n_names < NAMES_MAX - 1) {
        place = stream->n_names + 1;
        stream->names[place] = text;
        atomic_store_explicit(&stream->n_names, place, memory_order_release);
    }
    pthread_mutex_unlock(&stream->mutex);
    assert(place > 0);
    return (unsigned char)place;
}

static void pack(struct stream *stream, int kept, long point, const union cell *cell)
{
    const struct column *column = &stream->grid->columns[stream->first + 1 + kept];
    size_t width = packed_width(column);
    unsigned char *place = stream->packed + stream->packed_at[kept] + (size_t)point * width;

    if (column_kind(column) == CELL_NUMBER)
        memcpy(place, &cell->number, width);
    else if (column_kind(column) == CELL_TEXT)
        *place = keep_name(stream, cell->text);
    else
        *place = isnan(cell->number) ? 2 : cell->number != 0;
}

static union cell unpack(const struct stream *stream, int kept, long point)
{
    const struct column *column = &stream->grid->columns[stream->first + 1 + kept];
    size_t width = packed_width(column);
    const unsigned char *place = stream->packed + stream->packed_at[kept] + (size_t)point * width;
    union cell cell;

    if (column_kind(column) == CELL_NUMBER)
        memcpy(&cell.number, place, width);
    else if (column_kind(column) == CELL_TEXT)
        cell.text = stream->names[*place];
    else
        cell.number = *place == 2 ? (double)NAN : *place;
    return cell;
}

/* One point of a columnar pass: the live column's value as text, the others into their places. */
static void keep_point(struct json_out *out, struct stream *stream, long point,
                       const union cell *cells, const char *why)
{
    const struct grid *grid = stream->grid;

    if (point > 0)
        out_bytes(out, ",", 1);
    out->needs_comma[0] = false;
    write_json_cell(out, column_kind(&grid->columns[stream->first]), &cells[stream->first]);
    for (int i = 0; i < stream->n_kept; i++)
        pack(stream, i, point, &cells[stream->first + 1 + i]);
    if (why && stream->first == 0)
        stream->why[point] = keep_reason(stream, why);
}

/* The crew's work ------------------------------------------------------------------------------ */

static void own_free(void *worker)
{
    struct own *own = worker;

    if (!own)
        return;
    grid_worker_free(own->worker);
    free(own);
}

static void *own_new(void *ctx)
{
    struct stream *stream = ctx;
    struct own *own = calloc(1, sizeof(*own));

    if (!own)
        return NULL;
    own->stream = stream;
    own->worker = grid_worker_new(stream->grid);
    if (own->worker)
        return own;
    own_free(own);
    return NULL;
}

static bool write_block(void *ctx, void *worker, long block, struct json_out *out)
{
    struct stream *stream = ctx;
    struct own *own = worker;
    const struct grid *grid = stream->grid;
    long from = block * stream->block_points, to = from + stream->block_points;

    grid_worker_reset(own->worker);
    for (long point = from; point < to && point < grid->n_points; point++) {
        const char *why = grid_point(own->worker, point, own->cells);
        if (stream->shape == SHAPE_CSV)
            write_csv_row(out, grid, point, own->cells, why);
        else if (stream->shape == SHAPE_LINES)
            write_line(out, grid, point, own->cells, why);
        else
            keep_point(out, stream, point, own->cells, why);
        out->needs_comma[0] = false;
    }
    return json_out_ok(out);
}

static bool start_crew(struct stream *stream)
{
    long blocks = (stream->grid->n_points + stream->block_points - 1) / stream->block_points;
    const struct crew_work work = {stream, own_new, own_free, write_block, blocks};

    crew_free(stream->crew);
    stream->crew = crew_new(&work, stream->options.threads);
    return stream->crew;
}

/* Pieces --------------------------------------------------------------------------------------- */

static void begin_piece(struct stream *stream, struct json_out *out)
{
    arena_reset(stream->arena);
    json_out_init(out, stream->arena, 16 * KIB, PIECE_MAX);
}

static void end_piece(struct stream *stream, const struct json_out *out)
{
    stream->broken = stream->broken || !json_out_ok(out);
    stream->piece.text = out->text;
    stream->piece.length = out->length;
}

/* The next block's text; false behind the last one. */
static bool next_block(struct stream *stream)
{
    bool broken;

    stream->piece.text = crew_take(stream->crew, &stream->piece.length, &broken);
    stream->broken = stream->broken || broken;
    return stream->piece.text;
}

static void write_csv_head(struct json_out *out, const struct grid *grid)
{
    for (int i = 0; i < grid->n_axes; i++) {
        if (i)
            out_bytes(out, ",", 1);
        out_text(out, grid->axes[i].pointer);
    }
    for (int i = 0; i < grid->n_columns; i++)
        csv_text(out, grid->columns[i].name);
    csv_text(out, "why");
    out_bytes(out, "\n", 1);
}

/* Behind which block a line of progress stands: a hundred of them in all. */
static bool progress_due(const struct stream *stream, long before)
{
    long n = stream->grid->n_points;

    return stream->options.progress &&
           stream->lines * PROGRESS_STEPS / n != before * PROGRESS_STEPS / n;
}

static bool next_row_piece(struct stream *stream)
{
    struct json_out out;

    if (stream->stage == STAGE_HEAD) {
        begin_piece(stream, &out);
        if (stream->shape == SHAPE_CSV)
            write_csv_head(&out, stream->grid);
        end_piece(stream, &out);
        stream->stage = STAGE_LIVE;
        stream->at = -1;
        return true;
    }
    if (stream->at >= 0) {
        begin_piece(stream, &out);
        json_begin_object(&out);
        json_key(&out, "progress");
        json_begin_object(&out);
        json_put_number(&out, "points", (double)stream->lines);
        json_put_number(&out, "of", (double)stream->grid->n_points);
        json_end_object(&out);
        json_end_object(&out);
        out_bytes(&out, "\n", 1);
        end_piece(stream, &out);
        stream->at = -1;
        return true;
    }
    long before = stream->lines;
    if (!next_block(stream))
        return false;
    stream->lines += stream->block_points;
    if (stream->lines > stream->grid->n_points)
        stream->lines = stream->grid->n_points;
    if (progress_due(stream, before))
        stream->at = 0;
    return true;
}

static void write_axes(struct json_out *out, const struct grid *grid)
{
    json_key(out, "axes");
    json_begin_object(out);
    for (int i = 0; i < grid->n_axes; i++) {
        json_key(out, grid->axes[i].pointer);
        json_begin_array(out);
        for (int k = 0; k < grid->axes[i].n; k++)
            json_raw(out, grid->axes[i].values[k].json_text,
                     strlen(grid->axes[i].values[k].json_text));
        json_end_array(out);
    }
    json_end_object(out);
}

static void write_warnings(struct json_out *out, const struct grid *grid)
{
    json_key(out, "warnings");
    json_begin_array(out);
    if (!grid->replays) {
        json_begin_object(out);
        json_put_text(out, "id", "not_replayed");
        json_put_text(out, "pointer", "/replay");
        json_put_text(out, "detail",
                      "times under load are those of the closed cycle; a plan replays the load, "
                      "which moves TTFT most where a burst or a queue is");
        json_end_object(out);
    }
    plan_json_notes(out, &grid->base.described);
    json_end_array(out);
}

/* Everything up to the first column. */
static void write_head(struct stream *stream, struct json_out *out)
{
    const struct grid *grid = stream->grid;

    json_begin_object(out);
    json_put_number(out, "points", (double)grid->n_points);
    json_put_bool(out, "replayed", grid->replays);
    write_axes(out, grid);
    write_warnings(out, grid);
    json_key(out, "columns");
    json_begin_object(out);
    stream->stage = STAGE_AXES;
}

/* The name of a column in the middle of a reply. */
static void begin_column(struct json_out *out, const char *name, bool first)
{
    if (!first)
        out_bytes(out, ",", 1);
    json_text(out, name);
    out_bytes(out, ":[", 2);
    out->needs_comma[0] = false;
}

/* Up to PIECE_VALUES values of an axis. */
static void write_axis_values(struct stream *stream, struct json_out *out)
{
    const struct grid *grid = stream->grid;
    const struct axis *axis = &grid->axes[stream->axis];
    long to = stream->at + PIECE_VALUES;

    if (stream->at == 0)
        begin_column(out, axis->pointer, stream->axis == 0);
    for (; stream->at < to && stream->at < grid->n_points; stream->at++) {
        if (stream->at > 0)
            out_bytes(out, ",", 1);
        out_text(out, axis->values[grid_index(grid, stream->at, stream->axis)].json_text);
    }
    if (stream->at < grid->n_points)
        return;
    out_bytes(out, "]", 1);
    stream->at = 0;
    if (++stream->axis == grid->n_axes)
        stream->stage = STAGE_LIVE;
}

/* Starts a pass: its first column is sent as it is computed, as many as may be kept follow. */
static bool start_pass(struct stream *stream, struct json_out *out)
{
    const struct grid *grid = stream->grid;
    size_t used = 0;

    stream->n_kept = 0;
    for (int i = stream->first + 1; i < grid->n_columns; i++) {
        size_t bytes = packed_width(&grid->columns[i]) * (size_t)grid->n_points;
        if (used + bytes > stream->options.kept_bytes_max)
            break;
        stream->packed_at[stream->n_kept++] = used;
        used += bytes;
    }
    begin_column(out, grid->columns[stream->first].name, false);
    return start_crew(stream);
}

/* The end of a live column. */
static void end_live(struct stream *stream, struct json_out *out)
{
    out_bytes(out, "]", 1);
    stream->at = 0;
    stream->kept = 0;
    stream->stage = STAGE_KEPT;
}

static void write_kept(struct stream *stream, struct json_out *out)
{
    const struct grid *grid = stream->grid;
    long to = stream->at + PIECE_VALUES;

    if (stream->kept == stream->n_kept) {
        stream->first += 1 + stream->n_kept;
        stream->at = 0;
        stream->stage = stream->first < grid->n_columns ? STAGE_LIVE : STAGE_REASONS;
        return;
    }
    const struct column *column = &grid->columns[stream->first + 1 + stream->kept];
    if (stream->at == 0)
        begin_column(out, column->name, false);
    for (; stream->at < to && stream->at < grid->n_points; stream->at++) {
        out->needs_comma[0] = stream->at > 0;
        const union cell cell = unpack(stream, stream->kept, stream->at);
        write_json_cell(out, column_kind(column), &cell);
    }
    if (stream->at < grid->n_points)
        return;
    out_bytes(out, "]", 1);
    stream->at = 0;
    stream->kept++;
}

static void write_reasons(struct stream *stream, struct json_out *out)
{
    const struct grid *grid = stream->grid;
    long to = stream->at + PIECE_VALUES;

    if (stream->at == 0)
        begin_column(out, "why", false);
    for (; stream->at < to && stream->at < grid->n_points; stream->at++) {
        out->needs_comma[0] = stream->at > 0;
        unsigned why = stream->why[stream->at];
        json_text(out, why > REASONS_MAX ? OTHER_REASON : stream->reasons[why]);
    }
    if (stream->at < grid->n_points)
        return;
    out_bytes(out, "]", 1);
    stream->stage = STAGE_FOOT;
}

/* The live column: at 0 its name, then block after block. */
static bool next_live_piece(struct stream *stream)
{
    struct json_out out;

    if (stream->at > 0 && next_block(stream))
        return true;
    begin_piece(stream, &out);
    if (stream->at == 0) {
        stream->broken = !start_pass(stream, &out);
        stream->at = 1;
    } else {
        end_live(stream, &out);
    }
    end_piece(stream, &out);
    return true;
}

static void write_foot(struct stream *stream, struct json_out *out)
{
    out_text(out, "}}\n");
    stream->stage = STAGE_END;
}

static bool next_column_piece(struct stream *stream)
{
    static void (*const WRITERS[])(struct stream *, struct json_out *) = {
        [STAGE_HEAD] = write_head, [STAGE_AXES] = write_axis_values,
        [STAGE_KEPT] = write_kept, [STAGE_REASONS] = write_reasons,
        [STAGE_FOOT] = write_foot,
    };
    struct json_out out;

    if (stream->stage == STAGE_LIVE)
        return next_live_piece(stream);
    if (stream->stage == STAGE_END)
        return false;
    begin_piece(stream, &out);
    WRITERS[stream->stage](stream, &out);
    end_piece(stream, &out);
    return true;
}

/* The stream ----------------------------------------------------------------------------------- */

static long stream_read(struct reply_stream *base, char *buffer, size_t size)
{
    struct stream *stream = (struct stream *)(void *)base;

    while (stream->piece.at == stream->piece.length && !stream->broken) {
        stream->piece.at = stream->piece.length = 0;
        bool more =
            stream->shape == SHAPE_COLUMNS ? next_column_piece(stream) : next_row_piece(stream);
        if (!more && !stream->broken)
            return STREAM_END;
    }
    if (stream->broken)
        return STREAM_BROKEN;
    return stream_piece_take(&stream->piece, buffer, size);
}

static void stream_free(struct stream *stream)
{
    crew_free(stream->crew);
    arena_free(stream->arena);
    for (int i = 1; i <= stream->n_reasons; i++)
        free(stream->reasons[i]);
    pthread_mutex_destroy(&stream->mutex);
    free(stream->packed);
    free(stream->why);
    free(stream);
}

static void stream_end(struct reply_stream *base)
{
    stream_free((struct stream *)(void *)base);
}

static enum shape shape_of(const char *format)
{
    if (strcmp(format, MEDIA_CSV) == 0)
        return SHAPE_CSV;
    return strcmp(format, MEDIA_NDJSON) == 0 ? SHAPE_LINES : SHAPE_COLUMNS;
}

struct reply_stream *sweep_stream_new(const struct grid *grid, const struct sweep_options *options)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    pthread_mutex_init(&stream->mutex, NULL);
    stream->base = (struct reply_stream){.read = stream_read, .end = stream_end};
    stream->grid = grid;
    stream->options = *options;
    stream->shape = shape_of(options->format);
    stream->block_points = grid->depth == PLAN_BARE ? BLOCK_PLAIN : BLOCK_DEEP;
    stream->arena = arena_new(4 * PIECE_MAX);
    bool good = stream->arena;
    if (stream->shape == SHAPE_COLUMNS) {
        size_t points = (size_t)grid->n_points, all = 0;
        for (int i = 1; i < grid->n_columns; i++)
            all += packed_width(&grid->columns[i]) * points;
        stream->packed =
            malloc((all < options->kept_bytes_max ? all : options->kept_bytes_max) + 1);
        stream->why = calloc(points, 1);
        good = good && stream->packed && stream->why;
    } else {
        good = good && start_crew(stream);
    }
    if (good)
        return &stream->base;
    stream_free(stream);
    return NULL;
}
