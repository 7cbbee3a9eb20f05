/*
 * import_anchor_json.c - a study with its rows: what a paper, an issue or a post measured.
 *
 * A record may have "rows": each becomes an anchor of its own, "<id>-row-<row>", that says what
 * differs from its study and takes everything else from it; a null takes a condition away.
 */
#include <math.h>
#include <string.h>

#include "import_anchor.h"
#include "json_member.h"
#include "sql.h"

static const char *const TEXTS[] = {"kind",     "title",       "model",    "model_id",
                                    "hardware", "hardware_id", "engine",   "engine_version",
                                    "backend",  "weights",     "kv_cache", "measured",
                                    "disputed", "flag",        "notes"};

/* Sets the texts that the object has; a null clears one. */
static void take_texts(struct import *import, const cJSON *object, struct anchor_draft *draft)
{
    for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
        if (json_member(object, TEXTS[i])) {
            draft->texts[draft_text_parse(TEXTS[i])] = field_text_or_null(import, object, TEXTS[i]);
        }
    }
}

static void take_condition(struct import *import, const cJSON *item, struct anchor_draft *draft)
{
    enum anchor_condition number = condition_parse(item->string);
    enum anchor_text text = anchor_text_parse(item->string);
    if (number < CONDITION_COUNT && cJSON_IsNumber(item)) {
        draft_number_set(import, draft, number, item->valuedouble);
    } else if (number < CONDITION_COUNT && cJSON_IsNull(item)) {
        draft->numbers[number] = NAN;
    } else if (text < ANCHOR_TEXT_COUNT && (cJSON_IsString(item) || cJSON_IsNull(item))) {
        draft->conditions[text] = cJSON_IsString(item) ? item->valuestring : NULL;
    } else {
        import_fault_at(import, item->string, "'%s' is no condition, or not of its type",
                        item->string);
    }
}

static void take_metrics(struct import *import, const cJSON *object, struct anchor_draft *draft)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, json_member(object, "metrics"))
    {
        struct draft_metric metric;
        if (draft_metric_parse(import, item->string, &metric)) {
            metric.value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
            draft_metric_add(import, draft, metric);
        }
    }
}

static void take_share(struct import *import, const cJSON *item, struct anchor_draft *draft)
{
    static const char *const KNOWN[] = {"label", "classes", "share", "ms", NULL};
    const cJSON *class = NULL;
    if (draft->n_shares == DRAFT_SHARES_MAX) {
        import_fault(import, "has more than %d shares", DRAFT_SHARES_MAX);
        return;
    }
    struct draft_share *share = &draft->shares[draft->n_shares++];
    field_known(import, item, KNOWN);
    *share = (struct draft_share){.label = field_text(import, item, "label"),
                                  .share = field_number(import, item, "share", 0, 1),
                                  .ms = field_number_or_nan(import, item, "ms", 0, 1e9)};
    cJSON_ArrayForEach(class, json_member(item, "classes"))
    {
        if (!cJSON_IsString(class) || share->n_classes == DRAFT_CLASSES_MAX) {
            import_fault(import, "the classes of '%s' are not a short list of names", share->label);
            return;
        }
        share->classes[share->n_classes++] = class->valuestring;
    }
}

/* Conditions, metrics and shares of a record or a row. */
static void take_measured(struct import *import, const cJSON *object, struct anchor_draft *draft)
{
    const cJSON *item = NULL;
    import_step(import, "conditions");
    cJSON_ArrayForEach(item, json_member(object, "conditions"))
    {
        take_condition(import, item, draft);
    }
    import_step(import, NULL);
    import_step(import, "metrics");
    take_metrics(import, object, draft);
    import_step(import, NULL);
    cJSON_ArrayForEach(item, json_member(object, "shares"))
    {
        take_share(import, item, draft);
    }
}

static void import_row(struct import *import, const cJSON *row, const struct anchor_draft *study)
{
    static const char *const KNOWN[] = {
        "row",    "kind",           "title",   "model",   "model_id", "hardware",   "hardware_id",
        "engine", "engine_version", "backend", "weights", "kv_cache", "conditions", "metrics",
        "shares", "disputed",       "flag",    "notes",   NULL};
    struct anchor_draft draft = *study;
    char id[DRAFT_NAME_MAX];
    double number = field_number(import, row, "row", 1, 1e6);
    (void)text_print(id, sizeof(id), "%s-row-%.0f", study->texts[DRAFT_ID], number);
    import->record = id;
    field_known(import, row, KNOWN);
    draft.texts[DRAFT_ID] = id;
    draft.texts[DRAFT_TITLE] = NULL;
    draft.texts[DRAFT_NOTES] = NULL;
    draft.n_metrics = 0;
    draft.n_shares = 0;
    take_texts(import, row, &draft);
    take_measured(import, row, &draft);
    import_anchor_draft(import, &draft);
}

void import_anchor_json(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {
        "id",          "kind",       "title",          "model",   "model_id", "hardware",
        "hardware_id", "engine",     "engine_version", "backend", "weights",  "kv_cache",
        "measured",    "conditions", "metrics",        "shares",  "rows",     "disputed",
        "flag",        "notes",      "sources",        NULL};
    const cJSON *row = NULL;
    struct anchor_draft draft;
    (void)doc;
    field_known(import, record, KNOWN);
    draft_init(&draft);
    draft.texts[DRAFT_ID] = field_text(import, record, "id");
    draft.sources = record;
    take_texts(import, record, &draft);
    take_measured(import, record, &draft);
    import_anchor_draft(import, &draft);
    cJSON_ArrayForEach(row, json_member(record, "rows"))
    {
        import_row(import, row, &draft);
        import->record = draft.texts[DRAFT_ID];
    }
}
