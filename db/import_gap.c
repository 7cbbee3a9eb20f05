/*
 * import_gap.c - stated gaps: questions that nobody's measurement answers yet.
 */
#include <math.h>
#include <string.h>

#include "import.h"
#include "json_member.h"
#include "plan.h"
#include "sql.h"

#define TOKENS_MAX 1e9

static bool is_class(const char *name)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (strcmp(class_name((enum class_id)i), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_cure(const char *name)
{
    const struct cure_info *cure = cure_info(0);
    for (int i = 0; cure; cure = cure_info(++i)) {
        if (strcmp(cure->id, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_names(struct import *import, const cJSON *touches, const char *list,
                        bool (*is_known)(const char *))
{
    const cJSON *name = NULL;
    cJSON_ArrayForEach(name, json_member(touches, list))
    {
        if (!cJSON_IsString(name) || !is_known(name->valuestring)) {
            import_fault(import, "'%s' names '%s', which is none", list,
                         cJSON_IsString(name) ? name->valuestring : "?");
        }
    }
}

/* What of a plan makes it meet the gap. */
static void check_touches(struct import *import, const cJSON *record)
{
    static const char *const KNOWN[] = {"classes", "cures", "input_tokens_min", "no_fit", NULL};
    const cJSON *touches = json_member(record, "touches");
    if (!touches) {
        return;
    }
    field_known(import, touches, KNOWN);
    check_names(import, touches, "classes", is_class);
    check_names(import, touches, "cures", is_cure);
    (void)field_number_or_nan(import, touches, "input_tokens_min", 1, TOKENS_MAX);
    if (json_member(touches, "no_fit")) {
        (void)field_bool(import, touches, "no_fit");
    }
}

static void check_answer(struct import *import, const cJSON *record)
{
    static const char *const KNOWN[] = {"metric", "conditions", NULL};
    const cJSON *answer = json_member(record, "answer");
    field_known(import, answer, KNOWN);
    (void)field_text(import, answer, "metric");
    (void)field_text(import, answer, "conditions");
}

void import_gap(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",        "question", "why",         "status",
                                        "answer",    "touches",  "answered_by", "subjects",
                                        "opened_on", "notes",    "sources",     NULL};
    const char *id = field_text(import, record, "id");
    const char *question = field_text(import, record, "question");
    const char *subjects = field_text_or_null(import, record, "subjects");
    field_known(import, record, KNOWN);
    (void)field_text(import, record, "why");
    check_answer(import, record);
    check_touches(import, record);
    if (strchr(id, '~')) {
        import_fault(import, "'~' stands in the ids of asked questions only");
    }
    if (subjects && strcmp(subjects, "hardware without kernel fit") != 0 &&
        strcmp(subjects, "engines without anchor") != 0) {
        import_fault(import, "subjects '%s' are unknown", subjects);
    }
    import_record(import, "gap", id, question, record, doc);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO gaps (id, question, status, opened_on) VALUES (?1, ?2, ?3, "
                         "?4)",
                         "tttt", id, question, field_text(import, record, "status"),
                         field_text(import, record, "opened_on")),
                 "gap");
}
