/*
 * import_anchor_doc.c - a measurement as the text that the API shows.
 */
#include <math.h>
#include <string.h>

#include "import_anchor.h"
#include "sql.h"

#define NAME_TEXT_MAX 200

static void put_text(cJSON *object, const char *name, const char *text)
{
    if (text) {
        cJSON_AddStringToObject(object, name, text);
    } else {
        cJSON_AddNullToObject(object, name);
    }
}

/* A name as it was found, its id beside it. */
static void put_name(cJSON *object, const char *name, const char *found, const char *id)
{
    char id_name[NAME_TEXT_MAX];
    (void)text_print(id_name, sizeof(id_name), "%s_id", name);
    put_text(object, name, found ? found : id);
    put_text(object, id_name, id);
}

static cJSON *conditions_doc(const struct anchor_draft *draft)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < CONDITION_COUNT; i++) {
        if (!isnan(draft->numbers[i])) {
            cJSON_AddNumberToObject(object, condition_info((enum anchor_condition)i)->name,
                                    draft->numbers[i]);
        }
    }
    for (int i = 0; i < ANCHOR_TEXT_COUNT; i++) {
        if (draft->conditions[i]) {
            cJSON_AddStringToObject(object, anchor_text_name((enum anchor_text)i),
                                    draft->conditions[i]);
        }
    }
    return object;
}

static cJSON *metrics_doc(const struct anchor_draft *draft)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < draft->n_metrics; i++) {
        const struct draft_metric *metric = &draft->metrics[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "metric", metric_info(metric->metric)->name);
        cJSON_AddStringToObject(row, "statistic", statistic_name(metric->statistic));
        cJSON_AddNumberToObject(row, "value", metric->value);
        cJSON_AddStringToObject(row, "unit", metric_info(metric->metric)->unit);
        cJSON_AddItemToArray(array, row);
    }
    return array;
}

static cJSON *shares_doc(const struct anchor_draft *draft)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < draft->n_shares; i++) {
        const struct draft_share *share = &draft->shares[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "label", share->label);
        cJSON_AddItemToObject(row, "classes",
                              cJSON_CreateStringArray(share->classes, share->n_classes));
        cJSON_AddNumberToObject(row, "share", share->share);
        if (!isnan(share->ms)) {
            cJSON_AddNumberToObject(row, "ms", share->ms);
        }
        cJSON_AddItemToArray(array, row);
    }
    return array;
}

/* The record as the API shows it, less what stands in columns: title, notes, sources, revision. */
char *draft_doc(const struct anchor_draft *draft, const struct draft_names *names)
{
    const char *const *texts = draft->texts;
    cJSON *doc = cJSON_CreateObject();
    put_text(doc, "kind", texts[DRAFT_KIND]);
    put_name(doc, "model", texts[DRAFT_MODEL], texts[DRAFT_MODEL_ID]);
    put_name(doc, "hardware", texts[DRAFT_HARDWARE], texts[DRAFT_HARDWARE_ID]);
    put_name(doc, "engine", texts[DRAFT_ENGINE], names->engine);
    put_text(doc, "engine_version", texts[DRAFT_ENGINE_VERSION]);
    if (texts[DRAFT_BACKEND]) {
        put_text(doc, "backend", texts[DRAFT_BACKEND]);
    }
    put_name(doc, "weights", texts[DRAFT_WEIGHTS], names->weights);
    put_name(doc, "kv_cache", texts[DRAFT_KV_CACHE], names->kv_cache);
    if (texts[DRAFT_MEASURED]) {
        put_text(doc, "measured_on", texts[DRAFT_MEASURED]);
    }
    cJSON_AddItemToObject(doc, "conditions", conditions_doc(draft));
    cJSON_AddItemToObject(doc, "metrics", metrics_doc(draft));
    if (draft->n_shares > 0) {
        cJSON_AddItemToObject(doc, "shares", shares_doc(draft));
    }
    put_text(doc, "disputed", texts[DRAFT_DISPUTED]);
    put_text(doc, "flag", texts[DRAFT_FLAG]);
    char *text = cJSON_PrintUnformatted(doc);
    cJSON_Delete(doc);
    return text;
}

/* Adds ", 1024 in" to a title. */
static void title_add(char *title, const char *before, double value, const char *after)
{
    size_t used = strlen(title);
    if (value > 0.0) {
        (void)text_print(title + used, DRAFT_TITLE_MAX - used, ", %s%.10g%s", before, value, after);
    }
}

void draft_title(const struct anchor_draft *draft, char ret_title[DRAFT_TITLE_MAX])
{
    const char *const *texts = draft->texts;
    const double *numbers = draft->numbers;
    char devices[NAME_TEXT_MAX] = "";
    if (numbers[CONDITION_N_DEVICES] > 1.0) {
        (void)text_print(devices, sizeof(devices), "%.10g x ", numbers[CONDITION_N_DEVICES]);
    }
    (void)text_print(ret_title, DRAFT_TITLE_MAX, "%s on %s%s, %s%s%s",
                     texts[DRAFT_MODEL] ? texts[DRAFT_MODEL] : "no model", devices,
                     texts[DRAFT_HARDWARE] ? texts[DRAFT_HARDWARE] : "an unstated part",
                     texts[DRAFT_ENGINE] ? texts[DRAFT_ENGINE] : "an unstated engine",
                     texts[DRAFT_ENGINE_VERSION] ? " " : "",
                     texts[DRAFT_ENGINE_VERSION] ? texts[DRAFT_ENGINE_VERSION] : "");
    title_add(ret_title, "", numbers[CONDITION_INPUT_TOKENS], " in");
    title_add(ret_title, "", numbers[CONDITION_OUTPUT_TOKENS], " out");
    title_add(ret_title, "depth ", numbers[CONDITION_DEPTH], "");
    title_add(ret_title, "concurrency ", numbers[CONDITION_CONCURRENCY], "");
}
