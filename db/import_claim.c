/*
 * import_claim.c - audited claims: what was said, what it comes to, and how that is computed anew.
 */
#include <math.h>
#include <string.h>

#include "claim_verdict.h"
#include "import.h"
#include "json_member.h"
#include "sql.h"

#define VALUE_MAX 1e30

/* A term is a number of a plan (by pointer, times a factor) or a number as it stands. */
static void check_term(struct import *import, const cJSON *term, int n_plans)
{
    static const char *const KNOWN[] = {"pointer", "plan", "times", "number", NULL};
    field_known(import, term, KNOWN);
    double number = field_number_or_nan(import, term, "number", -VALUE_MAX, VALUE_MAX);
    const char *pointer = field_text_or_null(import, term, "pointer");
    double plan = field_number_or_nan(import, term, "plan", 0, n_plans - 1);
    (void)field_number_or_nan(import, term, "times", -VALUE_MAX, VALUE_MAX);
    if (isnan(number) == (pointer == NULL)) {
        import_fault(import, "a term has a 'pointer' or a 'number'");
    }
    if (pointer && *pointer != '/') {
        import_fault(import, "'%s' is no JSON pointer", pointer);
    }
    if (!isnan(plan) && plan != floor(plan)) {
        import_fault(import, "'plan' must be whole");
    }
}

static void check_terms(struct import *import, const cJSON *live, const char *name, int n_plans)
{
    const cJSON *terms = json_member(live, name);
    const cJSON *term = NULL;
    if (!cJSON_IsArray(terms) || cJSON_GetArraySize(terms) == 0) {
        import_fault(import, "'%s' must be a list of terms", name);
    }
    cJSON_ArrayForEach(term, terms)
    {
        check_term(import, term, n_plans);
    }
}

/* scale x sum / over, from the bodies of plan requests. */
static void check_live(struct import *import, const cJSON *live)
{
    static const char *const KNOWN[] = {"label", "unit",   "plans",     "sum", "over",
                                        "scale", "expect", "tolerance", NULL};
    const cJSON *plans = json_member(live, "plans");
    const cJSON *plan = NULL;
    int n_plans = cJSON_GetArraySize(plans);
    field_known(import, live, KNOWN);
    (void)field_text(import, live, "label");
    (void)field_text(import, live, "unit");
    (void)field_number(import, live, "expect", -VALUE_MAX, VALUE_MAX);
    (void)field_number(import, live, "tolerance", 1e-12, 0.5);
    (void)field_number_or_nan(import, live, "scale", -VALUE_MAX, VALUE_MAX);
    if (!cJSON_IsArray(plans) || n_plans == 0) {
        import_fault(import, "'plans' must be a list of requests");
    }
    cJSON_ArrayForEach(plan, plans)
    {
        (void)field_text(import, plan, "model");
        (void)field_text(import, plan, "hardware");
    }
    check_terms(import, live, "sum", n_plans);
    if (json_member(live, "over")) {
        check_terms(import, live, "over", n_plans);
    }
}

/* An anchor backs or refutes the claim; a model or part is the basis of the recomputation. */
static void import_evidence(struct import *import, const char *id, const cJSON *record)
{
    static const char *const KNOWN[] = {"kind", "id", "bears", NULL};
    const cJSON *item = NULL;
    int position = 0;
    cJSON_ArrayForEach(item, json_member(record, "records"))
    {
        const char *bears = field_text(import, item, "bears");
        field_known(import, item, KNOWN);
        if (strcmp(bears, "backs") != 0 && strcmp(bears, "refutes") != 0 &&
            strcmp(bears, "basis") != 0) {
            import_fault(import, "'bears' must be backs, refutes or basis");
        }
        import_check(import,
                     sql_run(import->db, "INSERT INTO claim_records VALUES (?1, ?2, ?3, ?4)",
                             "titt", id, position++, field_text(import, item, "kind"),
                             field_text(import, item, "id")),
                     "claim_records");
    }
}

static void check_texts(struct import *import, const cJSON *record)
{
    const char *verdict = field_text(import, record, "verdict");
    (void)field_text(import, record, "where");
    (void)field_text(import, record, "claimed");
    (void)field_text(import, record, "derivation");
    (void)field_text_or_null(import, record, "recomputed");
    (void)field_number_or_nan(import, record, "claimed_value", -VALUE_MAX, VALUE_MAX);
    bool valued =
        !isnan(field_number_or_nan(import, record, "recomputed_value", -VALUE_MAX, VALUE_MAX));
    if (!claim_verdict_find(verdict)) {
        import_fault(import, "verdict '%s' is unknown", verdict);
    }
    if (valued && !field_text_or_null(import, record, "unit")) {
        import_fault(import, "a recomputed value needs its 'unit'");
    }
}

void import_claim(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",      "section",    "where",
                                        "claim",   "claimed",    "claimed_value",
                                        "verdict", "recomputed", "recomputed_value",
                                        "unit",    "derivation", "records",
                                        "live",    "notes",      "sources",
                                        NULL};
    const char *id = field_text(import, record, "id");
    const cJSON *live = NULL;
    field_known(import, record, KNOWN);
    check_texts(import, record);
    cJSON_ArrayForEach(live, json_member(record, "live"))
    {
        check_live(import, live);
    }
    import_record(import, "claim", id, field_text(import, record, "claim"), record, doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO claims (id, position, section, verdict, live) VALUES (?1, "
                         "?2, ?3, ?4, ?5)",
                         "titti", id, import->position, field_text(import, record, "section"),
                         field_text(import, record, "verdict"),
                         cJSON_GetArraySize(json_member(record, "live")) > 0),
                 "claim");
    import_evidence(import, id, record);
}
