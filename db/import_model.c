/*
 * import_model.c - model records: the geometry's reader checks them, the rows hold its results.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "model_record.h"
#include "sql.h"

#define CHUNKS_MAX 4096

/* Allocations of one record, freed together. */
struct chunks {
    void *items[CHUNKS_MAX];
    int n;
};

static void *chunk_alloc(void *ctx, size_t size)
{
    struct chunks *chunks = ctx;
    void *chunk = chunks->n < CHUNKS_MAX ? calloc(1, size ? size : 1) : NULL;
    if (chunk) {
        chunks->items[chunks->n++] = chunk;
    }
    return chunk;
}

static void chunks_free(struct chunks *chunks)
{
    for (int i = 0; i < chunks->n; i++) {
        free(chunks->items[i]);
    }
    free(chunks);
}

static void import_groups(struct import *import, const char *id, const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        cJSON *json = model_group_to_json(group);
        char *doc = json ? cJSON_PrintUnformatted(json) : NULL;
        import_check(import,
                     doc && sql_run(import->db,
                                    "INSERT INTO model_layer_groups VALUES (?1, ?2, ?3, ?4, ?5, "
                                    "?6)",
                                    "titddt", id, i, group->label ? group->label : "", group->count,
                                    group->invocations, doc),
                     "layer group");
        cJSON_Delete(json);
        free(doc);
    }
    for (int i = 0; i < model->n_extras; i++) {
        const struct model_extra *extra = &model->extras[i];
        import_check(import,
                     sql_run(import->db, "INSERT INTO model_extras VALUES (?1, ?2, ?3, ?4, ?5)",
                             "titdi", id, i, extra->what, extra->count, extra->read_per_step),
                     "extra");
    }
}

static double number_or_nan(double value)
{
    return value > 0 ? value : (double)NAN;
}

static void import_derived(struct import *import, const cJSON *record, const char *id,
                           const struct model *model)
{
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO models (id, name, family, hf_repo, release, native_format, hidden, "
                "vocab, n_layers, max_positions, params_total, params_checkpoint, params_active, "
                "kv_bytes_per_token, kv_bytes_per_token_beyond_window, state_bytes_per_sequence, "
                "has_moe, has_mla, has_state, has_window) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
                "ttttttddddddddddiiii", id, model->name, field_text(import, record, "family"),
                field_text_or_null(import, record, "hf_repo"),
                field_text_or_null(import, record, "release"),
                model->native_format ? model->native_format : "bf16", model->hidden, model->vocab,
                model->n_layers, number_or_nan(model->max_positions), model->params_total,
                number_or_nan(model->params_checkpoint), model->params_active,
                model->kv_bytes_per_token, model->kv_bytes_per_token_beyond_window,
                model->state_bytes_per_sequence, model->has_moe, model->has_mla, model->has_state,
                model->has_window),
        "model");
}

/* One fault per "/pointer text", "; " between. */
static void import_faults(struct import *import, const char *text)
{
    while (*text) {
        const char *next = strstr(text, "; /");
        int length = next ? (int)(next - text) : (int)strlen(text);
        size_t pointer = text[0] == '/' ? strcspn(text, " ,") : 0;
        char member[STORE_ERROR_MAX];
        (void)text_print(member, sizeof(member), "%.*s", pointer ? (int)pointer - 1 : 0, text + 1);
        if (pointer && (int)pointer < length) {
            import_fault_at(import, member, "%.*s", length, text);
        } else {
            import_fault(import, "%.*s", length, text);
        }
        text += length;
        text += *text ? 2 : 0;
    }
}

void import_model(struct import *import, const cJSON *record, const char *doc)
{
    struct chunks *chunks = calloc(1, sizeof(*chunks));
    struct model model;
    char error[STORE_ERROR_MAX];
    if (!chunks) {
        import_fault(import, "out of memory");
        return;
    }
    if (!model_record_parse(record, chunk_alloc, chunks, &model, error)) {
        import_faults(import, error);
    } else {
        const char *id = field_text(import, record, "id");
        import_record(import, "model", id, field_text(import, record, "name"), record, doc);
        import_derived(import, record, id, &model);
        import_groups(import, id, &model);
    }
    chunks_free(chunks);
}
