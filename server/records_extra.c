#include "records_extra.h"

#include <sqlite3.h>
#include <string.h>

#include "store.h"
#include "units.h"

/* A number, or null where nobody stated it. */
static void put_known(struct json_out *out, const char *name, double value)
{
    if (value > 0) {
        json_put_number(out, name, value);
    } else {
        json_put_null(out, name);
    }
}

/* The first attention mixer of a model: the one whose heads people quote. */
static const struct mixer *quoted_mixer(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            if (model->groups[i].mixers[j].n_heads > 0) {
                return &model->groups[i].mixers[j];
            }
        }
    }
    return NULL;
}

static const struct ffn *quoted_ffn(const struct model *model, enum ffn_kind kind)
{
    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            if (model->groups[i].ffns[j].kind == kind) {
                return &model->groups[i].ffns[j];
            }
        }
    }
    return NULL;
}

static void put_shape(struct json_out *out, const struct model *model)
{
    const struct mixer *mixer = quoted_mixer(model);
    const struct ffn *dense = quoted_ffn(model, FFN_DENSE);
    json_put_number(out, "hidden_size", model->hidden);
    json_put_number(out, "n_layers", model->n_layers);
    put_known(out, "n_heads", mixer ? mixer->n_heads : 0);
    put_known(out, "n_kv_heads", mixer ? mixer->n_kv_heads : 0);
    put_known(out, "head_dim", mixer ? mixer->k_dim : 0);
    put_known(out, "intermediate_size", dense ? dense->width : 0);
    json_put_number(out, "vocab_size", model->vocab);
    put_known(out, "max_position_embeddings", model->max_positions);
}

static void put_moe(struct json_out *out, const struct model *model)
{
    const struct ffn *moe = quoted_ffn(model, FFN_MOE);
    json_key(out, "moe");
    if (!moe) {
        json_null(out);
        return;
    }
    json_begin_object(out);
    json_put_number(out, "n_experts", moe->n_experts);
    json_put_number(out, "top_k", moe->top_k);
    json_put_number(out, "expert_width", moe->expert_width);
    put_known(out, "shared_width", moe->shared_width);
    put_known(out, "latent", moe->latent);
    json_end_object(out);
}

/* The groups with the figures of one layer, as the importer wrote them. */
static void put_groups(struct context *ctx, struct json_out *out, const char *id)
{
    sqlite3_stmt *row = store_read(app_store(ctx->app),
                                   "SELECT doc FROM model_layer_groups WHERE model_id = ?1 ORDER "
                                   "BY position");
    json_key(out, "layer_groups");
    json_begin_array(out);
    if (row) {
        (void)sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
        while (sqlite3_step(row) == SQLITE_ROW) {
            const char *doc = (const char *)sqlite3_column_text(row, 0);
            json_raw(out, doc, (size_t)sqlite3_column_bytes(row, 0));
        }
    }
    store_done(row);
    json_end_array(out);
}

void record_model_extra(struct context *ctx, struct json_out *out, const char *kind, const char *id)
{
    const struct model *model = library_model(&ctx->catalogue->lib, id);
    (void)kind;
    if (!model) {
        return;
    }
    put_shape(out, model);
    put_moe(out, model);
    json_put_number(out, "params_total", model->params_total);
    put_known(out, "params_checkpoint", model->params_checkpoint);
    json_put_bool(out, "params_checkpoint_exact", model->params_checkpoint_exact);
    json_put_number(out, "params_comparable", model->params_comparable);
    json_put_number(out, "params_active", model->params_active);
    json_put_number(out, "params_matmul_per_token", model->params_matmul_per_token);
    json_put_number(out, "params_mtp", model->mtp_params);
    json_key(out, "params_by_role");
    json_begin_object(out);
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (model->params_by_role[i] > 0) {
            json_put_number(out, role_name((enum role)i), model->params_by_role[i]);
        }
    }
    json_end_object(out);
    json_put_number(out, "kv_bytes_per_token", model->kv_bytes_per_token);
    json_put_number(out, "kv_bytes_per_token_beyond_window",
                    model->kv_bytes_per_token_beyond_window);
    put_known(out, "kv_window_tokens", model->kv_window_tokens);
    json_put_number(out, "state_bytes_per_sequence", model->state_bytes_per_sequence);
    put_groups(ctx, out, id);
}

/* Flops per byte at which a multiply of that type leaves the memory roof. */
static void put_ridges(struct json_out *out, const struct hardware *part)
{
    enum dtype used = DTYPE_BF16;
    double peak = hardware_peak(part, DTYPE_BF16, &used);
    put_known(out, "ridge", peak / part->bw_bytes_us);
    json_put_text(out, "ridge_type", dtype_name(used));
    json_key(out, "ridge_by_type");
    json_begin_object(out);
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (part->peak_flops_us[i] > 0) {
            json_put_number(out, dtype_name((enum dtype)i),
                            part->peak_flops_us[i] / part->bw_bytes_us);
        }
    }
    json_end_object(out);
}

void record_hardware_extra(struct context *ctx, struct json_out *out, const char *kind,
                           const char *id)
{
    const struct hardware *part = library_hardware(&ctx->catalogue->lib, id);
    (void)kind;
    if (!part) {
        return;
    }
    json_put_number(out, "memory_bytes", part->memory_bytes);
    json_put_text(out, "memory_bytes_basis", part->memory_is_nominal ? "assumed" : "measured");
    put_ridges(out, part);
    json_put_bool(out, "link_is_fabric", part->link_is_fabric);
    put_known(out, "link_gbps_one_way", part->link_bytes_us / BYTES_PER_US_PER_GBPS);
    put_known(out, "host_gbps_one_way", part->host_bytes_us / BYTES_PER_US_PER_GBPS);
    json_put_text(out, "host_gbps_basis", part->host_bytes_us_assumed ? "assumed" : "published");
}

/* A row of texts and numbers as members, null for what the kind has not. */
static void put_columns(struct json_out *out, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        json_key(out, sqlite3_column_name(row, i));
        if (sqlite3_column_type(row, i) == SQLITE_TEXT) {
            json_text(out, (const char *)sqlite3_column_text(row, i));
        } else if (sqlite3_column_type(row, i) == SQLITE_NULL) {
            json_null(out);
        } else {
            json_number(out, sqlite3_column_double(row, i));
        }
    }
}

static void put_row(struct context *ctx, struct json_out *out, const char *sql, const char *id)
{
    sqlite3_stmt *row = store_read(app_store(ctx->app), sql);
    if (row && sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW) {
        put_columns(out, row);
    }
    store_done(row);
}

void record_calibration_extra(struct context *ctx, struct json_out *out, const char *kind,
                              const char *id)
{
    (void)kind;
    put_row(ctx, out,
            "SELECT c.type, c.hardware_id AS hardware, c.engine_id AS engine, c.status, c.reason, "
            "h.anchor_id AS anchor FROM calibrations c LEFT JOIN host_costs h ON h.calibration_id "
            "= c.id WHERE c.id = ?1",
            id);
}

void record_source_extra(struct context *ctx, struct json_out *out, const char *kind,
                         const char *id)
{
    (void)kind;
    put_row(ctx, out,
            "SELECT ?1 AS id, count(DISTINCT kind || record_id) AS records, count(*) AS fields "
            "FROM provenance WHERE source_id = ?1",
            id);
}
