/*
 * catalogue_build.c - a snapshot out of the rows of a store.
 *
 * Every kind is one query and one function that fills one element; indexes between tables (a fit's
 * part and engine) are resolved by id once the tables they point to are there.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anchor_load.h"
#include "catalogue_data.h"
#include "launch_load.h"
#include "local_load.h"
#include "memory_load.h"
#include "model_record.h"
#include "price_load.h"
#include "sql.h"
#include "units.h"

struct builder {
    sqlite3 *db;
    struct catalogue_data *data;
    char *error;
    bool failed;
};

static void fail(struct builder *builder, const char *what, const char *why)
{
    if (!builder->failed) {
        (void)text_print(builder->error, STORE_ERROR_MAX, "the store cannot be read: %s: %s", what,
                         why);
    }
    builder->failed = true;
}

/* A query over one kind of row. */
struct reading {
    struct builder *builder;
    sqlite3_stmt *row;
    const char *what;
};

static struct reading read_start(struct builder *builder, const char *what, const char *sql)
{
    struct reading reading = {builder, NULL, what};
    if (!builder->failed &&
        sqlite3_prepare_v2(builder->db, sql, -1, &reading.row, NULL) != SQLITE_OK) {
        fail(builder, what, sqlite3_errmsg(builder->db));
    }
    return reading;
}

static bool read_next(struct reading *reading)
{
    if (reading->builder->failed) {
        return false;
    }
    int rc = sqlite3_step(reading->row);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        fail(reading->builder, reading->what, sqlite3_errmsg(reading->builder->db));
    }
    return rc == SQLITE_ROW;
}

/* Until the next row. */
static const char *column_raw(const struct reading *reading, int column)
{
    return (const char *)sqlite3_column_text(reading->row, column);
}

static const char *column_text(struct reading *reading, int column)
{
    return block_text(&reading->builder->data->block, column_raw(reading, column));
}

static double column_double(struct reading *reading, int column)
{
    return sqlite3_column_double(reading->row, column);
}

static bool column_bool(struct reading *reading, int column)
{
    return sqlite3_column_int(reading->row, column) != 0;
}

/* Room for all rows of a table. */
static void *read_array(struct builder *builder, const char *count_sql, size_t size, int *ret_n)
{
    long long n = sql_number(builder->db, count_sql, -1);
    void *array = n >= 0 ? block_alloc(&builder->data->block, (size_t)n * size + 1) : NULL;
    if (!array) {
        fail(builder, count_sql, n < 0 ? sqlite3_errmsg(builder->db) : "out of memory");
    }
    *ret_n = array ? (int)n : 0;
    return array;
}

/* ---- models ---- */

static void *model_alloc(void *ctx, size_t size)
{
    return block_alloc(ctx, size);
}

static void read_model(struct builder *builder, struct reading *reading, struct model *model)
{
    char error[STORE_ERROR_MAX];
    cJSON *record = cJSON_Parse(column_raw(reading, 1));
    if (!record) {
        fail(builder, "model", "a record is not JSON");
    } else if (!model_record_parse(record, model_alloc, &builder->data->block, model, error)) {
        fail(builder, column_raw(reading, 0), error);
    }
    cJSON_Delete(record);
}

static void read_models(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct model *models =
        read_array(builder, "SELECT count(*) FROM models", sizeof(*models), &max);
    struct reading reading = read_start(
        builder, "models", "SELECT id, doc FROM records WHERE kind = 'model' ORDER BY id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        read_model(builder, &reading, &models[n]);
    }
    sqlite3_finalize(reading.row);
    lib->models = models;
    lib->n_models = n;
}

/* ---- hardware ---- */

static void read_part(struct reading *reading, int index, struct hardware *part)
{
    part->index = index;
    part->id = column_text(reading, 0);
    part->name = column_text(reading, 1);
    part->vendor = column_text(reading, 2);
    part->class = hardware_class_parse(column_raw(reading, 3));
    part->arch = column_text(reading, 4);
    part->memory_bytes = column_double(reading, 5);
    part->memory_is_nominal = column_bool(reading, 6);
    part->bw_bytes_us = column_double(reading, 7) * BYTES_PER_US_PER_GBPS;
    part->link_kind = column_text(reading, 8);
    part->link_is_fabric = column_bool(reading, 9);
    part->link_bytes_us = column_double(reading, 10) * BYTES_PER_US_PER_GBPS;
    part->link_domain = column_double(reading, 11);
    part->host_bytes_us = column_double(reading, 12) * BYTES_PER_US_PER_GBPS;
    part->host_bytes_us_assumed = column_bool(reading, 13);
    part->tdp_w = column_double(reading, 14);
    part->memory_type = column_text(reading, 15);
}

static void read_peaks(struct builder *builder, struct hardware *parts, int n)
{
    struct reading reading = read_start(
        builder, "hardware_peaks",
        "SELECT hardware_id, dtype, tflops FROM hardware_peaks ORDER BY hardware_id, dtype");
    int at = 0;
    while (read_next(&reading)) {
        const char *id = column_raw(&reading, 0);
        enum dtype dtype = dtype_parse(column_raw(&reading, 1));
        while (at < n && strcmp(parts[at].id, id) < 0) {
            at++;
        }
        if (at < n && strcmp(parts[at].id, id) == 0 && dtype != DTYPE_COUNT) {
            parts[at].peak_flops_us[dtype] = column_double(&reading, 2) * FLOPS_PER_US_PER_TFLOPS;
        }
    }
    sqlite3_finalize(reading.row);
}

static void read_hardware(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct hardware *parts =
        read_array(builder, "SELECT count(*) FROM hardware", sizeof(*parts), &max);
    struct reading reading = read_start(
        builder, "hardware",
        "SELECT id, name, vendor, class, arch, memory_bytes, memory_is_nominal, mem_bw_gbps, "
        "link_kind, link_is_fabric, link_gbps_one_way, link_domain, host_gbps_one_way, "
        "host_is_assumed, tdp_w, memory_type FROM hardware ORDER BY id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        read_part(&reading, n, &parts[n]);
    }
    sqlite3_finalize(reading.row);
    read_peaks(builder, parts, n);
    lib->hardware = parts;
    lib->n_hardware = n;
}

/* ---- formats ---- */

/* The kernel types that stand for a format, up to `max`; FIT_DTYPE_COUNT ends the list. */
static void read_format_fits(struct builder *builder, const char *kind, const char *id,
                             const char *use, enum fit_dtype *ret_types, int max)
{
    struct reading reading = read_start(builder, "format_fits",
                                        "SELECT dtype FROM format_fits WHERE kind = ?1 AND "
                                        "format_id = ?2 AND use = ?3 ORDER BY position");
    for (int i = 0; i < max; i++) {
        ret_types[i] = FIT_DTYPE_COUNT;
    }
    if (builder->failed) {
        return;
    }
    (void)sqlite3_bind_text(reading.row, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(reading.row, 2, id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(reading.row, 3, use, -1, SQLITE_STATIC);
    for (int i = 0; i < max && read_next(&reading); i++) {
        ret_types[i] = fit_dtype_parse(column_raw(&reading, 0));
    }
    sqlite3_finalize(reading.row);
}

static void read_roles(struct builder *builder, struct weight_format *format)
{
    struct reading reading =
        read_start(builder, "weight_format_roles",
                   "SELECT role, bytes_per_weight FROM weight_format_roles WHERE format_id = ?1");
    if (builder->failed) {
        return;
    }
    (void)sqlite3_bind_text(reading.row, 1, format->id, -1, SQLITE_STATIC);
    while (read_next(&reading)) {
        enum role role = role_parse(column_raw(&reading, 0));
        if (role != ROLE_COUNT) {
            format->bytes[role] = column_double(&reading, 1);
        }
    }
    sqlite3_finalize(reading.row);
}

static void read_weight_formats(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct weight_format *formats = read_array(
        builder, "SELECT count(*) FROM weight_formats WHERE deployable", sizeof(*formats), &max);
    struct reading reading =
        read_start(builder, "weight_formats",
                   "SELECT id, title, multiply, weight_only, activation_bytes, quantized, gguf, "
                   "moe_rest_bytes FROM weight_formats WHERE deployable ORDER BY position, id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        struct weight_format *format = &formats[n];
        format->index = n;
        format->id = column_text(&reading, 0);
        format->title = column_text(&reading, 1);
        format->compute = dtype_parse(column_raw(&reading, 2));
        format->weight_only = column_bool(&reading, 3);
        format->activation_bytes = column_double(&reading, 4);
        format->is_quantized = column_bool(&reading, 5);
        format->gguf = column_bool(&reading, 6);
        format->moe_rest_bytes = column_double(&reading, 7);
        read_roles(builder, format);
        read_format_fits(builder, "weight_format", format->id, "gemm", format->gemm_fits,
                         (int)ARRAY_LEN(format->gemm_fits));
        read_format_fits(builder, "weight_format", format->id, "moe", format->moe_fits,
                         (int)ARRAY_LEN(format->moe_fits));
    }
    sqlite3_finalize(reading.row);
    lib->weight_formats = formats;
    lib->n_weight_formats = n;
}

static void read_kv_formats(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct kv_format *formats =
        read_array(builder, "SELECT count(*) FROM kv_formats", sizeof(*formats), &max);
    struct reading reading =
        read_start(builder, "kv_formats",
                   "SELECT id, title, bytes_per_element, compute, head_scale_bytes FROM kv_formats "
                   "ORDER BY position, id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        struct kv_format *format = &formats[n];
        format->index = n;
        format->id = column_text(&reading, 0);
        format->title = column_text(&reading, 1);
        format->bytes_per_element = column_double(&reading, 2);
        format->compute = dtype_parse(column_raw(&reading, 3));
        format->head_scale_bytes = column_double(&reading, 4);
        read_format_fits(builder, "kv_format", format->id, "kv", format->fits,
                         (int)ARRAY_LEN(format->fits));
    }
    sqlite3_finalize(reading.row);
    lib->kv_formats = formats;
    lib->n_kv_formats = n;
}

/* ---- engines ---- */

static void read_version(struct reading *reading, int column, int ret_version[3])
{
    const char *text = (const char *)sqlite3_column_text(reading->row, column);
    if (text) {
        (void)engine_version_parse(text, ret_version);
    }
}

static void read_defaults(struct builder *builder, struct engine *engine)
{
    struct reading reading = read_start(
        builder, "engine_defaults",
        "SELECT version_min, version_max, min_memory_bytes, excluded_arch, "
        "chunked_prefill_tokens, max_num_seqs, memory_utilization, block_size, stream_interval, "
        "reserve_output_share, async_scheduling, cuda_graphs, prefix_caching, sampler_on_host, "
        "prefill_priority FROM engine_defaults WHERE engine_id = ?1 ORDER BY position");
    if (builder->failed) {
        return;
    }
    (void)sqlite3_bind_text(reading.row, 1, engine->id, -1, SQLITE_STATIC);
    while (engine->n_defaults < ENGINE_DEFAULTS_MAX && read_next(&reading)) {
        struct engine_defaults *row = &engine->defaults[engine->n_defaults++];
        read_version(&reading, 0, row->version_min);
        read_version(&reading, 1, row->version_max);
        row->min_memory_bytes = column_double(&reading, 2);
        row->excluded_arch = column_text(&reading, 3);
        row->chunked_prefill_tokens = column_double(&reading, 4);
        row->max_num_seqs = column_double(&reading, 5);
        row->memory_utilization = column_double(&reading, 6);
        row->block_size = column_double(&reading, 7);
        row->stream_interval = column_double(&reading, 8);
        row->reserve_output_share = column_double(&reading, 9);
        row->async_scheduling = column_bool(&reading, 10);
        row->cuda_graphs = column_bool(&reading, 11);
        row->prefix_caching = column_bool(&reading, 12);
        row->sampler_on_host = column_bool(&reading, 13);
        row->prefill_priority = column_bool(&reading, 14);
    }
    sqlite3_finalize(reading.row);
}

static void read_host_costs(struct builder *builder, struct engine *engine)
{
    struct reading reading =
        read_start(builder, "host_costs",
                   "SELECT c.op, h.value, h.basis, h.anchor_id FROM calibrations c JOIN host_costs "
                   "h ON h.calibration_id = c.id WHERE c.engine_id = ?1");
    if (builder->failed) {
        return;
    }
    (void)sqlite3_bind_text(reading.row, 1, engine->id, -1, SQLITE_STATIC);
    while (read_next(&reading)) {
        enum host_cost cost = host_cost_parse(column_raw(&reading, 0));
        if (cost != HOST_COST_COUNT) {
            engine->host[cost] = (struct host_constant){
                column_double(&reading, 1), column_text(&reading, 2), column_text(&reading, 3)};
        }
    }
    sqlite3_finalize(reading.row);
}

static void read_engines(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct engine *engines =
        read_array(builder, "SELECT count(*) FROM engines", sizeof(*engines), &max);
    struct reading reading =
        read_start(builder, "engines",
                   "SELECT id, title, memory_rule, latest, python_control_plane, static_slots, "
                   "moe_fit_balanced FROM engines ORDER BY position, id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        struct engine *engine = &engines[n];
        engine->index = n;
        engine->id = column_text(&reading, 0);
        engine->title = column_text(&reading, 1);
        engine->memory_rule = memory_rule_parse(column_raw(&reading, 2));
        engine->latest_text = column_text(&reading, 3);
        read_version(&reading, 3, engine->latest);
        engine->python_control_plane = column_bool(&reading, 4);
        engine->static_slots = column_bool(&reading, 5);
        engine->moe_fit_balanced = column_bool(&reading, 6);
        read_defaults(builder, engine);
        read_host_costs(builder, engine);
    }
    sqlite3_finalize(reading.row);
    lib->engines = engines;
    lib->n_engines = n;
}

/* ---- fits ---- */

static int engine_index(const struct library *lib, const char *id)
{
    const struct engine *engine = id ? library_engine(lib, id) : NULL;
    return engine ? engine->index : -1;
}

/* The part of a fit, (id, part, ...); NULL, and nothing more is read, when it is not there. */
static const struct hardware *fitted_part(const struct library *lib, struct reading *reading)
{
    const char *id = column_raw(reading, 1);
    const struct hardware *part = id ? library_hardware(lib, id) : NULL;
    if (!part) {
        fail(reading->builder, column_raw(reading, 0), "is a fit of no part that is there");
    }
    return part;
}

/* A fit counts in shares of the peak it was made with: the product stays. */
static void read_op_fit(const struct library *lib, struct reading *reading, struct op_fit *fit)
{
    const struct hardware *part = fitted_part(lib, reading);
    if (!part) {
        return;
    }
    double bw = column_double(reading, 11) * BYTES_PER_US_PER_GBPS;
    double peak = column_double(reading, 12) * FLOPS_PER_US_PER_TFLOPS;
    fit->record = column_text(reading, 0);
    fit->hardware = part->index;
    fit->engine = engine_index(lib, column_raw(reading, 2));
    read_version(reading, 3, fit->version);
    fit->op = fit_op_parse(column_raw(reading, 4));
    fit->dtype = fit_dtype_parse(column_raw(reading, 5));
    fit->e_m = column_double(reading, 6) * bw / part->bw_bytes_us;
    fit->e_c = column_double(reading, 7);
    if (part->peak_flops_us[DTYPE_BF16] > 0) {
        fit->e_c *= peak / part->peak_flops_us[DTYPE_BF16];
    }
    fit->t0_us = column_double(reading, 8);
    fit->q = column_double(reading, 9);
    fit->median_abs_err = column_double(reading, 10);
    fit->n = column_double(reading, 13);
    fit->p90_abs_err = column_double(reading, 14);
    fit->form = fit_form_parse(column_raw(reading, 15));
    fit->pad_columns = column_double(reading, 16);
    fit->ep_gamma = column_double(reading, 17);
    fit->us_per_token_of_longest = column_double(reading, 18);
    fit->us_per_token_head = column_double(reading, 19);
    fit_judge(fit);
}

static void read_op_fits(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct op_fit *fits = read_array(builder, "SELECT count(*) FROM op_fits", sizeof(*fits), &max);
    struct reading reading = read_start(
        builder, "op_fits",
        "SELECT c.id, c.hardware_id, c.engine_id, c.engine_version, c.op, c.dtype, f.e_m, f.e_c, "
        "f.t0_us, f.q, f.median_abs_err, f.fit_bw_gbps, f.fit_peak_bf16_tflops, f.n, "
        "f.p90_abs_err, f.form, f.pad_columns, f.ep_gamma, f.us_per_token_of_longest, "
        "f.us_per_token_head FROM op_fits f JOIN calibrations c ON c.id = f.calibration_id "
        "ORDER BY c.id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        fits[n].id = n + 1;
        read_op_fit(lib, &reading, &fits[n]);
    }
    sqlite3_finalize(reading.row);
    if (fits) {
        qsort(fits, (size_t)n, sizeof(*fits), fit_order);
    }
    lib->op_fits = fits;
    lib->n_op_fits = n;
}

static void read_comm_fits(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct comm_fit *fits =
        read_array(builder, "SELECT count(*) FROM collective_fits", sizeof(*fits), &max);
    struct reading reading = read_start(
        builder, "collective_fits",
        "SELECT c.id, c.hardware_id, c.engine_id, c.engine_version, f.devices, f.graph, "
        "f.vendor_library, f.bus_gbps, f.t0_us, f.q, f.n, f.median_abs_err, f.max_bytes, c.op FROM "
        "collective_fits f JOIN calibrations c ON c.id = f.calibration_id WHERE c.status = 'used' "
        "ORDER BY c.id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        struct comm_fit *fit = &fits[n];
        const struct hardware *part = fitted_part(lib, &reading);
        fit->id = n + 1;
        fit->record = column_text(&reading, 0);
        fit->hardware = part ? part->index : -1;
        fit->engine = column_bool(&reading, 6) ? -1 : engine_index(lib, column_raw(&reading, 2));
        read_version(&reading, 3, fit->version);
        fit->devices = column_double(&reading, 4);
        fit->graph = column_bool(&reading, 5);
        fit->bus_bytes_us = column_double(&reading, 7) * BYTES_PER_US_PER_GBPS;
        fit->t0_us = column_double(&reading, 8);
        fit->q = column_double(&reading, 9);
        fit->n = column_double(&reading, 10);
        fit->median_abs_err = column_double(&reading, 11);
        fit->max_bytes = column_double(&reading, 12);
        fit->op = comm_op_parse(column_raw(&reading, 13));
    }
    sqlite3_finalize(reading.row);
    if (fits) {
        qsort(fits, (size_t)n, sizeof(*fits), comm_order);
    }
    lib->comm_fits = fits;
    lib->n_comm_fits = n;
}

static void read_intervals(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    int max = 0;
    struct interval *intervals =
        read_array(builder, "SELECT count(*) FROM intervals", sizeof(*intervals), &max);
    struct reading reading = read_start(
        builder, "intervals",
        "SELECT c.id, c.engine_id, i.metric, i.tier, i.low, i.high, i.n FROM intervals i JOIN "
        "calibrations c ON c.id = i.calibration_id ORDER BY c.id");
    int n = 0;
    for (; n < max && read_next(&reading); n++) {
        struct interval *interval = &intervals[n];
        interval->record = column_text(&reading, 0);
        interval->engine = engine_index(lib, column_raw(&reading, 1));
        interval->metric = interval_metric_parse(column_raw(&reading, 2));
        interval->tier = interval_tier_parse(column_raw(&reading, 3));
        interval->low = column_double(&reading, 4);
        interval->high = column_double(&reading, 5);
        interval->n = column_double(&reading, 6);
    }
    sqlite3_finalize(reading.row);
    lib->intervals = intervals;
    lib->n_intervals = n;
}

/* The parts that stand for each part, once the fits are there. */
static void read_neighbours(struct builder *builder)
{
    struct library *lib = &builder->data->shown.lib;
    struct neighbours *near =
        block_alloc(&builder->data->block, ((size_t)lib->n_hardware + 1) * sizeof(*near));
    for (int i = 0; near && i < lib->n_hardware; i++) {
        near[i] = library_neighbours(lib, i);
    }
    lib->neighbours = near;
}

/* ---- names ---- */

static const struct name_source {
    const char *kind;
    bool all_names; /* suggestions offer aliases too, not ids alone */
} NAME_SOURCES[NAMES_COUNT] = {
    [NAMES_MODEL] = {"model", false},          [NAMES_HARDWARE] = {"hardware", false},
    [NAMES_WEIGHTS] = {"weight_format", true}, [NAMES_KV] = {"kv_format", true},
    [NAMES_ENGINE] = {"engine", true},
};

/* The index of a record in its library table, -1 when the table leaves it out. */
static int record_index(const struct library *lib, enum name_kind kind, const char *id)
{
    switch (kind) {
    case NAMES_MODEL: {
        const struct model *model = library_model(lib, id);
        return model ? (int)(model - lib->models) : -1;
    }
    case NAMES_HARDWARE: {
        const struct hardware *part = library_hardware(lib, id);
        return part ? part->index : -1;
    }
    case NAMES_WEIGHTS: {
        const struct weight_format *format = library_weight_format(lib, id);
        return format ? format->index : -1;
    }
    case NAMES_KV: {
        const struct kv_format *format = library_kv_format(lib, id);
        return format ? format->index : -1;
    }
    case NAMES_ENGINE:
        return engine_index(lib, id);
    case NAMES_COUNT:
        break;
    }
    return -1;
}

static void read_names(struct builder *builder, enum name_kind kind)
{
    struct catalogue_data *data = builder->data;
    struct name_list *ids = &data->ids[kind];
    const char *text = NAME_SOURCES[kind].kind;
    char count[80];
    int max = 0;
    (void)text_print(count, sizeof(count), "SELECT count(*) FROM aliases WHERE kind = '%s'", text);
    struct name_entry *entries = read_array(builder, count, sizeof(*entries), &max);
    struct reading reading = read_start(
        builder, "aliases",
        "SELECT key, alias, record_id FROM aliases WHERE kind = ?1 ORDER BY alias <> record_id, "
        "record_id, key");
    if (builder->failed) {
        return;
    }
    ids->items = block_alloc(&data->block, (size_t)max * sizeof(*ids->items));
    (void)sqlite3_bind_text(reading.row, 1, text, -1, SQLITE_STATIC);
    int n = 0;
    while (ids->items && n < max && read_next(&reading)) {
        const char *id = column_raw(&reading, 2);
        int index = record_index(&data->shown.lib, kind, id);
        const char *alias = column_raw(&reading, 1);
        if (index < 0) {
            continue;
        }
        if (NAME_SOURCES[kind].all_names || strcmp(alias, id) == 0) {
            ids->items[ids->n++] = column_text(&reading, 1);
        }
        entries[n++] = (struct name_entry){column_text(&reading, 0), index};
    }
    sqlite3_finalize(reading.row);
    if (data->block.failed || !name_table_build(&data->names[kind], &data->block, entries, n) ||
        !name_table_squeeze(&data->names[kind], &data->block, &data->squeezed[kind])) {
        fail(builder, "names", "out of memory");
    }
}

static void read_anchors(struct builder *builder)
{
    struct catalogue_data *data = builder->data;
    const char *why = NULL;
    if (!builder->failed && !anchor_index_build(builder->db, &data->shown.lib, &data->block,
                                                &data->shown.anchors, &why)) {
        fail(builder, "anchors", why);
    }
}

struct catalogue_data *catalogue_build(sqlite3 *db, char ret_error[STORE_ERROR_MAX])
{
    struct catalogue_data *data = calloc(1, sizeof(*data));
    struct builder builder = {db, data, ret_error, false};
    if (!data) {
        (void)text_print(ret_error, STORE_ERROR_MAX, "out of memory");
        return NULL;
    }
    read_models(&builder);
    read_hardware(&builder);
    read_weight_formats(&builder);
    read_kv_formats(&builder);
    read_engines(&builder);
    read_op_fits(&builder);
    read_comm_fits(&builder);
    read_intervals(&builder);
    read_neighbours(&builder);
    if (!builder.failed && !launches_load(db, &data->block, &data->shown.lib)) {
        fail(&builder, "launches", sqlite3_errmsg(db));
    }
    if (!builder.failed && !memory_rules_load(db, &data->block, &data->shown.lib)) {
        fail(&builder, "memory_rules", sqlite3_errmsg(db));
    }
    if (!builder.failed && !local_fits_load(db, &data->block, &data->shown.lib)) {
        fail(&builder, "local_fits", sqlite3_errmsg(db));
    }
    data->shown.prices = builder.failed ? NULL : prices_load(db, &data->block, &data->shown.lib);
    if (!builder.failed && !data->shown.prices) {
        fail(&builder, "prices", sqlite3_errmsg(db));
    }
    for (int i = 0; i < NAMES_COUNT; i++) {
        read_names(&builder, (enum name_kind)i);
    }
    if (!builder.failed && !catalogue_forms_build(data)) {
        fail(&builder, "names", "out of memory");
    }
    read_anchors(&builder);
    catalogue_revision_read(db, data);
    if (data->block.failed) {
        fail(&builder, "catalogue", "out of memory");
    }
    if (builder.failed) {
        catalogue_free(data);
        return NULL;
    }
    return data;
}

void catalogue_free(struct catalogue_data *data)
{
    if (data) {
        block_free(&data->block);
        free(data);
    }
}
