/*
 * import_anchor.c - checks one measurement and writes its rows.
 */
#include "import_anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "name_key.h"
#include "sql.h"

#define ID_TEXT_MAX DRAFT_NAME_MAX
#define CLASSES_TEXT_MAX 400
#define NUMBER_DIGITS 10 /* 40 bits of the id's digest */
#define SHARE_SUM_MAX 1.005

#define X(ID, NAME) [ID] = NAME,
static const char *const TEXT_NAMES[] = {DRAFT_TEXT_LIST(X)};
#undef X

/* Texts that have few values. */
static const struct closed_text {
    enum anchor_text text;
    const char *values[12];
} CLOSED[] = {
    {TEXT_PREFIX_CACHING, {"on", "off", NULL}},
    {TEXT_FLASH_ATTENTION, {"on", "off", NULL}},
    {TEXT_SAMPLER, {"host", "device", NULL}},
    {TEXT_PHASE, {"decode", "prefill", "mixed", "layer", NULL}},
};

void draft_init(struct anchor_draft *draft)
{
    *draft = (struct anchor_draft){.n_metrics = 0};
    for (int i = 0; i < CONDITION_COUNT; i++) {
        draft->numbers[i] = NAN;
    }
}

enum draft_text draft_text_parse(const char *name)
{
    int i = 0;
    while (i < DRAFT_TEXT_COUNT && strcmp(TEXT_NAMES[i], name) != 0) {
        i++;
    }
    return (enum draft_text)i;
}

bool draft_metric_parse(struct import *import, const char *name, struct draft_metric *ret_metric)
{
    char metric[ID_TEXT_MAX];
    const char *dot = strrchr(name, '.');
    (void)text_print(metric, sizeof(metric), "%.*s", dot ? (int)(dot - name) : 0, name);
    ret_metric->metric = metric_parse(metric);
    ret_metric->statistic = dot ? statistic_parse(dot + 1) : STATISTIC_COUNT;
    if (ret_metric->metric == ANCHOR_METRIC_COUNT || ret_metric->statistic == STATISTIC_COUNT) {
        import_fault_at(import, name, "'%s' is no metric.statistic", name);
        return false;
    }
    return true;
}

void draft_metric_add(struct import *import, struct anchor_draft *draft, struct draft_metric metric)
{
    const char *name = metric_info(metric.metric)->name;
    if (!isfinite(metric.value) || metric.value < 0.0) {
        import_fault_at(import, name, "%s is %g", name, metric.value);
        return;
    }
    for (int i = 0; i < draft->n_metrics; i++) {
        if (draft->metrics[i].metric == metric.metric &&
            draft->metrics[i].statistic == metric.statistic) {
            import_fault_at(import, name, "%s.%s stands twice", name,
                            statistic_name(metric.statistic));
            return;
        }
    }
    if (draft->n_metrics == DRAFT_METRICS_MAX) {
        import_fault(import, "has more than %d metrics", DRAFT_METRICS_MAX);
        return;
    }
    draft->metrics[draft->n_metrics++] = metric;
}

void draft_number_set(struct import *import, struct anchor_draft *draft,
                      enum anchor_condition condition, double value)
{
    const struct condition_info *info = condition_info(condition);
    if (!(value >= 0.0 && value <= info->max)) {
        import_fault_at(import, info->name, "%s is %g, outside 0 to %g", info->name, value,
                        info->max);
        return;
    }
    if (condition <= CONDITION_EXPERT_TP && (value < 1.0 || value != floor(value))) {
        import_fault_at(import, info->name, "%s is %g: devices and ranks are counted from 1",
                        info->name, value);
        return;
    }
    draft->numbers[condition] = value;
}

/* ---- checks ---- */

static bool has_number(const struct anchor_draft *draft, enum anchor_condition condition)
{
    return !isnan(draft->numbers[condition]);
}

static bool is_met(const struct anchor_draft *draft, enum anchor_needs needs)
{
    const char *const *texts = draft->conditions;
    switch (needs) {
    case NEEDS_LOAD:
        return has_number(draft, CONDITION_CONCURRENCY) || has_number(draft, CONDITION_BATCH) ||
               has_number(draft, CONDITION_REQUEST_RATE) || texts[TEXT_LOAD_PROFILE] ||
               texts[TEXT_TEST];
    case NEEDS_LENGTH:
        return has_number(draft, CONDITION_INPUT_TOKENS) || has_number(draft, CONDITION_DEPTH) ||
               texts[TEXT_DATASET] || texts[TEXT_TEST];
    case NEEDS_COMPONENT:
        return texts[TEXT_COMPONENT] || texts[TEXT_TEST] || texts[TEXT_PHASE];
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

/* What a figure needs to be said of it, and how. */
static const char *needs_text(enum anchor_needs needs)
{
    if (needs == NEEDS_LOAD) {
        return "its load: concurrency, batch, request_rate or load_profile";
    }
    return needs == NEEDS_LENGTH ? "the length of the prompt: input_tokens, depth or dataset"
                                 : "what it is of: component, test or phase";
}

static void check_metrics(struct import *import, const struct anchor_draft *draft,
                          enum anchor_kind kind)
{
    if (draft->n_metrics == 0 && draft->n_shares == 0 && kind != ANCHOR_STUDY &&
        kind != ANCHOR_STATEMENT) {
        import_fault_at(import, "metrics", "measures nothing");
    }
    for (int i = 0; i < draft->n_metrics; i++) {
        const struct metric_info *info = metric_info(draft->metrics[i].metric);
        if (kind != ANCHOR_STUDY && !is_met(draft, info->needs)) {
            import_fault_at(import, "metrics", "%s says nothing without %s", info->name,
                            needs_text(info->needs));
        }
    }
}

static void check_closed(struct import *import, const struct anchor_draft *draft)
{
    const char *load = draft->conditions[TEXT_LOAD_PROFILE];
    if (load && load_profile_parse(load) == LOAD_PROFILE_COUNT) {
        import_fault_at(import, "conditions/load_profile", "load_profile is '%s'", load);
    }
    for (size_t i = 0; i < ARRAY_LEN(CLOSED); i++) {
        const char *value = draft->conditions[CLOSED[i].text];
        const char *const *known = CLOSED[i].values;
        while (value && *known && strcmp(*known, value) != 0) {
            known++;
        }
        if (value && !*known) {
            char member[DRAFT_NAME_MAX];
            (void)text_print(member, sizeof(member), "conditions/%s",
                             anchor_text_name(CLOSED[i].text));
            import_fault_at(import, member, "%s is '%s'", anchor_text_name(CLOSED[i].text), value);
        }
    }
}

/* What is disputed says so twice: a sentence for people, a word for programs. */
static void check_flag(struct import *import, const struct anchor_draft *draft)
{
    const char *flag = draft->texts[DRAFT_FLAG];
    if (flag && (anchor_doubt_parse(flag) == ANCHOR_DOUBT_COUNT || !*flag)) {
        import_fault(import, "flag is '%s'", flag);
    }
    if (!flag != !draft->texts[DRAFT_DISPUTED]) {
        import_fault(import, "'disputed' and 'flag' stand together or not at all");
    }
}

static bool is_class(const char *name)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (strcmp(class_name((enum class_id)i), name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_shares(struct import *import, const struct anchor_draft *draft)
{
    double sum = 0.0;
    for (int i = 0; i < draft->n_shares; i++) {
        const struct draft_share *share = &draft->shares[i];
        if (!(share->share >= 0.0 && share->share <= 1.0)) {
            import_fault(import, "the share of '%s' is %g", share->label, share->share);
        }
        sum += share->share;
        for (int j = 0; j < share->n_classes; j++) {
            if (!is_class(share->classes[j])) {
                import_fault(import, "'%s' is no cost class", share->classes[j]);
            }
        }
    }
    if (sum > SHARE_SUM_MAX) {
        import_fault(import, "its shares add up to %g", sum);
    }
}

static bool is_id(const char *id)
{
    static const char KNOWN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(id);
    return length > 0 && length < ID_TEXT_MAX && strspn(id, KNOWN) == length;
}

/* ---- names of other records ---- */

/* Whether a record has that id; copies nothing. */
static bool record_exists(struct import *import, const char *kind, const char *id)
{
    sqlite3_stmt *statement = NULL;
    bool exists =
        sqlite3_prepare_v2(import->db, "SELECT 1 FROM records WHERE kind = ?1 AND id = ?2", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(statement, 2, id, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return exists;
}

static void check_record(struct import *import, const char *kind, const char *id)
{
    if (id && !record_exists(import, kind, id)) {
        char member[DRAFT_NAME_MAX];
        (void)text_print(member, sizeof(member), "%s_id", kind);
        import_fault_at(import, member, "%s '%s' is not in the catalogue", kind, id);
    }
}

/* The record that a name means, NULL (and an empty buffer) when it is no alias of exactly one. */
static const char *resolve(struct import *import, const char *kind, const char *name,
                           char ret_id[ID_TEXT_MAX])
{
    char key[NAME_KEY_MAX];
    sqlite3_stmt *statement = NULL;
    ret_id[0] = '\0';
    if (!name || !name_key(name, false, key)) {
        return NULL;
    }
    if (sqlite3_prepare_v2(import->db, "SELECT record_id FROM aliases WHERE kind = ?1 AND key = ?2",
                           -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, kind, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        (void)text_print(ret_id, ID_TEXT_MAX, "%s",
                         (const char *)sqlite3_column_text(statement, 0));
        if (sqlite3_step(statement) == SQLITE_ROW) {
            ret_id[0] = '\0';
        }
    }
    sqlite3_finalize(statement);
    return *ret_id ? ret_id : NULL;
}

/* ---- rows ---- */

static int bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return text ? sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC)
                : sqlite3_bind_null(statement, at);
}

/* The row number of an id: stays the same whatever else is imported. */
static sqlite3_int64 number_of(const char *id)
{
    char hex[DIGEST_HEX_MAX];
    digest_text(id, strlen(id), hex);
    hex[NUMBER_DIGITS] = '\0';
    return strtoll(hex, NULL, 16);
}

static bool is_on(const struct anchor_draft *draft, enum anchor_text text, const char *value)
{
    return draft->conditions[text] && strcmp(draft->conditions[text], value) == 0;
}

static bool is_speculative(const struct anchor_draft *draft)
{
    return draft->conditions[TEXT_SPECULATIVE] && !is_on(draft, TEXT_SPECULATIVE, "none");
}

#define X(ID, NAME, MAX) ", " NAME
static const char ANCHOR_COLUMNS[] = "INSERT INTO anchors (number, id, anchor_kind, model_id, "
                                     "hardware_id, engine_id, engine_version, backend, weights_id, "
                                     "kv_cache_id, disputed, load_profile, speculative, "
                                     "prefix_cached, flag, load_generator, "
                                     "gemm_quant, moe_quant, measured_on, "
                                     "source_id" ANCHOR_CONDITION_LIST(X) ")";
#undef X
#define X(ID, NAME, MAX) ", ?"
static const char ANCHOR_VALUES[] =
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
    "?19, (SELECT source_id FROM provenance WHERE kind = 'anchor' AND record_id = ?2 AND position "
    "= 0)" ANCHOR_CONDITION_LIST(X) ")";
#undef X

#define FIRST_NUMBER 20

static void write_anchor(struct import *import, const struct anchor_draft *draft,
                         const struct draft_names *names)
{
    const char *const *texts = draft->texts;
    char sql[sizeof(ANCHOR_COLUMNS) + sizeof(ANCHOR_VALUES)];
    sqlite3_stmt *row = NULL;
    const char *before[] = {texts[DRAFT_ID],
                            texts[DRAFT_KIND],
                            texts[DRAFT_MODEL_ID],
                            texts[DRAFT_HARDWARE_ID],
                            names->engine,
                            texts[DRAFT_ENGINE_VERSION],
                            texts[DRAFT_BACKEND],
                            names->weights,
                            names->kv_cache,
                            texts[DRAFT_DISPUTED],
                            draft->conditions[TEXT_LOAD_PROFILE]};
    const char *behind[] = {texts[DRAFT_FLAG], draft->conditions[TEXT_LOAD_GENERATOR],
                            draft->conditions[TEXT_GEMM_QUANT], draft->conditions[TEXT_MOE_QUANT],
                            texts[DRAFT_MEASURED]};
    (void)text_print(sql, sizeof(sql), "%s%s", ANCHOR_COLUMNS, ANCHOR_VALUES);
    bool good = sqlite3_prepare_v2(import->db, sql, -1, &row, NULL) == SQLITE_OK &&
                sqlite3_bind_int64(row, 1, number_of(texts[DRAFT_ID])) == SQLITE_OK;
    int at = 2;
    for (size_t i = 0; good && i < ARRAY_LEN(before); i++) {
        good = bind_text(row, at++, before[i]) == SQLITE_OK;
    }
    good = good && sqlite3_bind_int(row, at++, is_speculative(draft)) == SQLITE_OK &&
           sqlite3_bind_int(row, at++, is_on(draft, TEXT_PREFIX_CACHING, "on")) == SQLITE_OK;
    for (size_t i = 0; good && i < ARRAY_LEN(behind); i++) {
        good = bind_text(row, at++, behind[i]) == SQLITE_OK;
    }
    for (int i = 0; good && i < CONDITION_COUNT; i++) {
        good = isnan(draft->numbers[i])
                   ? sqlite3_bind_null(row, FIRST_NUMBER + i) == SQLITE_OK
                   : sqlite3_bind_double(row, FIRST_NUMBER + i, draft->numbers[i]) == SQLITE_OK;
    }
    import_check(import, good && sqlite3_step(row) == SQLITE_DONE, "anchor");
    sqlite3_finalize(row);
}

static void write_metrics(struct import *import, const struct anchor_draft *draft)
{
    for (int i = 0; i < draft->n_metrics; i++) {
        const struct draft_metric *metric = &draft->metrics[i];
        import_check(import,
                     sql_run(import->db, "INSERT INTO anchor_metrics VALUES (?1, ?2, ?3, ?4)",
                             "tttd", draft->texts[DRAFT_ID], metric_info(metric->metric)->name,
                             statistic_name(metric->statistic), metric->value),
                     "metric");
    }
}

static void write_shares(struct import *import, const struct anchor_draft *draft)
{
    for (int i = 0; i < draft->n_shares; i++) {
        const struct draft_share *share = &draft->shares[i];
        char classes[CLASSES_TEXT_MAX] = "";
        for (int j = 0; j < share->n_classes; j++) {
            size_t used = strlen(classes);
            (void)text_print(classes + used, sizeof(classes) - used, "%s%s", j > 0 ? "+" : "",
                             share->classes[j]);
        }
        import_check(import,
                     sql_run(import->db, "INSERT INTO anchor_shares VALUES (?1, ?2, ?3, ?4, ?5)",
                             "tittd", draft->texts[DRAFT_ID], i, share->label, classes,
                             share->share),
                     "share");
    }
}

/* Further ids of the same measurement, space between. */
static void write_also(struct import *import, const struct anchor_draft *draft)
{
    const char *at = draft->texts[DRAFT_ALSO];
    while (at && *at) {
        char id[ID_TEXT_MAX];
        size_t length = strcspn(at, " ");
        if (length > 0) {
            (void)text_print(id, sizeof(id), "%.*s", (int)length, at);
            import_alias(import, "anchor", draft->texts[DRAFT_ID], id);
        }
        at += length + strspn(at + length, " ");
    }
}

void import_anchor_draft(struct import *import, const struct anchor_draft *draft)
{
    const char *const *texts = draft->texts;
    struct draft_names names;
    char title[DRAFT_TITLE_MAX];
    import->record = texts[DRAFT_ID];
    if (!texts[DRAFT_ID] || !is_id(texts[DRAFT_ID])) {
        import_fault(import, "'id' is missing or holds other than letters, digits and . _ -");
        return;
    }
    enum anchor_kind kind = anchor_kind_parse(texts[DRAFT_KIND] ? texts[DRAFT_KIND] : "");
    if (kind == ANCHOR_KIND_COUNT) {
        import_fault(import, "'kind' is '%s'", texts[DRAFT_KIND] ? texts[DRAFT_KIND] : "");
        return;
    }
    check_record(import, "model", texts[DRAFT_MODEL_ID]);
    check_record(import, "hardware", texts[DRAFT_HARDWARE_ID]);
    check_metrics(import, draft, kind);
    check_closed(import, draft);
    check_flag(import, draft);
    check_shares(import, draft);
    names.engine = resolve(import, "engine", texts[DRAFT_ENGINE], names.engine_id);
    names.weights = resolve(import, "weight_format", texts[DRAFT_WEIGHTS], names.weights_id);
    names.kv_cache = resolve(import, "kv_format", texts[DRAFT_KV_CACHE], names.kv_cache_id);
    draft_title(draft, title);
    char *doc = draft_doc(draft, &names);
    if (!doc) {
        import_fault(import, "out of memory");
        return;
    }
    import_record_row(import, "anchor", texts[DRAFT_ID],
                      texts[DRAFT_TITLE] ? texts[DRAFT_TITLE] : title, texts[DRAFT_NOTES], doc);
    import_record_sources(import, "anchor", texts[DRAFT_ID], draft->sources);
    write_anchor(import, draft, &names);
    write_metrics(import, draft);
    write_shares(import, draft);
    write_also(import, draft);
    free(doc);
}
