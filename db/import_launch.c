/*
 * import_launch.c - records of launches: flags that runs are started with.
 */
#include <math.h>
#include <string.h>

#include "deployment.h"
#include "import.h"
#include "launch.h"
#include "sql.h"

#define RANGE_MAX 1e8
#define NAME_TEXT_MAX 40
#define SUBJECTS_MAX 100

/* Ranges of a launch as the table's columns: min and max of each. */
#define LIMITS (2 * LAUNCH_RANGE_COUNT)

static void check_version(struct import *import, const char *text)
{
    int version[3];
    if (text && !engine_version_parse(text, version)) {
        import_fault(import, "'%s' is no version", text);
    }
}

static void check_generator(struct import *import, const char *name)
{
    if (name && (!*name || load_generator_parse(name) == LOAD_GENERATOR_COUNT)) {
        import_fault(import, "'%s' is no load generator", name);
    }
}

/* "tp_min" to the number; NAN when it is open. */
static void read_limits(struct import *import, const cJSON *when, double ret_limits[LIMITS])
{
    static const char *const ENDS[] = {"min", "max"};
    char name[NAME_TEXT_MAX];
    for (int i = 0; i < LIMITS; i++) {
        (void)text_print(name, sizeof(name), "%s_%s", launch_range_name((enum launch_range)(i / 2)),
                         ENDS[i % 2]);
        ret_limits[i] = field_number_or_nan(import, when, name, 1, RANGE_MAX);
    }
    for (int i = 0; i < LIMITS; i += 2) {
        if (ret_limits[i] > ret_limits[i + 1]) {
            import_fault(import, "no %s is %g to %g", launch_range_name((enum launch_range)(i / 2)),
                         ret_limits[i], ret_limits[i + 1]);
        }
    }
}

static void import_subjects(struct import *import, const cJSON *when, const char *id,
                            enum launch_subject subject)
{
    const char *what = launch_subject_name(subject);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(when, what);
    const cJSON *name = NULL;
    int position = 0;
    if (!list || cJSON_IsNull(list)) {
        return;
    }
    cJSON_ArrayForEach(name, list)
    {
        if (!cJSON_IsString(name)) {
            import_fault(import, "'%s' holds something that is not a text", what);
            continue;
        }
        import_check(import,
                     sql_run(import->db, "INSERT INTO launch_subjects VALUES (?1, ?2, ?3, ?4)",
                             "ttit", id, what, position++, name->valuestring),
                     "launch subjects");
    }
    if (!cJSON_IsArray(list) || position == 0 || position > SUBJECTS_MAX) {
        import_fault(import, "'%s' must be a list of 1 to %d names", what, SUBJECTS_MAX);
    }
}

/* What a flag holds besides a number. */
struct flag_text {
    const char *rule, *text;
};

static struct flag_text read_flag_text(struct import *import, enum launch_flag flag,
                                       const char *text)
{
    if (flag == LAUNCH_KV_CACHE) {
        return (struct flag_text){NULL, text};
    }
    if (flag == LAUNCH_SPECULATIVE_METHOD) {
        if (!speculative_method_known(text)) {
            import_fault(import, "'%s' is no way to draft", text);
        }
        return (struct flag_text){NULL, text};
    }
    if (!*text || launch_rule_parse(text) == LAUNCH_RULE_COUNT) {
        import_fault(import, "'%s' follows no rule '%s'", launch_flag_name(flag), text);
    }
    return (struct flag_text){text, NULL};
}

static void import_flag(struct import *import, const char *id, const cJSON *item)
{
    enum launch_flag flag = launch_flag_parse(item->string);
    struct flag_text texts = {NULL, NULL};
    double number = NAN;
    if (flag == LAUNCH_FLAG_COUNT) {
        import_fault(import, "'%s' is no flag", item->string);
        return;
    }
    if (cJSON_IsString(item)) {
        texts = read_flag_text(import, flag, item->valuestring);
    } else if (cJSON_IsBool(item) && launch_flag_is_switch(flag)) {
        number = cJSON_IsTrue(item) ? 1.0 : 0.0;
    } else if (cJSON_IsNumber(item) && item->valuedouble >= 0.0 &&
               item->valuedouble <= launch_flag_max(flag) && !launch_flag_is_switch(flag)) {
        number = item->valuedouble;
    } else {
        import_fault(import, "flag '%s' must be a number of 0 to %g, a rule or a name",
                     item->string, launch_flag_max(flag));
    }
    import_check(import,
                 sql_run(import->db, "INSERT INTO launch_flags VALUES (?1, ?2, ?3, ?4, ?5)",
                         "ttdtt", id, item->string, number, texts.rule, texts.text),
                 "launch flags");
}

/* NAN (any), 0 or 1. */
static double read_drafts(struct import *import, const cJSON *when)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(when, "speculative");
    return !item || cJSON_IsNull(item) ? (double)NAN
                                       : (double)field_bool(import, when, "speculative");
}

static void import_when(struct import *import, const cJSON *when, const char *id)
{
    static const char *const KNOWN[] = {"load_generator",
                                        "engine",
                                        "version_min",
                                        "version_max",
                                        "engine_build",
                                        "speculative",
                                        "models",
                                        "hardware",
                                        "archs",
                                        "weights",
                                        "tp_min",
                                        "tp_max",
                                        "dp_min",
                                        "dp_max",
                                        "input_tokens_min",
                                        "input_tokens_max",
                                        "output_tokens_min",
                                        "output_tokens_max",
                                        "concurrency_min",
                                        "concurrency_max",
                                        NULL};
    double limits[LIMITS];
    const char *generator = field_text_or_null(import, when, "load_generator");
    const char *from = field_text_or_null(import, when, "version_min");
    const char *to = field_text_or_null(import, when, "version_max");
    field_known(import, when, KNOWN);
    check_generator(import, generator);
    check_version(import, from);
    check_version(import, to);
    read_limits(import, when, limits);
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO launches (id, position, load_generator, engine_id, version_min, "
                "version_max, engine_build, speculative, tp_min, tp_max, dp_min, dp_max, "
                "input_tokens_min, input_tokens_max, output_tokens_min, output_tokens_max, "
                "concurrency_min, concurrency_max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, CAST(?8 AS "
                "INTEGER), ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
                "titttttddddddddddd", id, import->position, generator,
                field_text_or_null(import, when, "engine"), from, to,
                field_text_or_null(import, when, "engine_build"), read_drafts(import, when),
                limits[0], limits[1], limits[2], limits[3], limits[4], limits[5], limits[6],
                limits[7], limits[8], limits[9]),
        "launch");
    for (int i = 0; i < LAUNCH_SUBJECT_COUNT; i++) {
        import_subjects(import, when, id, (enum launch_subject)i);
    }
}

void import_launch(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",    "title",   "when",     "flags",
                                        "notes", "sources", "disputes", NULL};
    const char *id = field_text(import, record, "id");
    const cJSON *flags = cJSON_GetObjectItemCaseSensitive(record, "flags");
    const cJSON *when = cJSON_GetObjectItemCaseSensitive(record, "when");
    const cJSON *flag = NULL;
    field_known(import, record, KNOWN);
    import_record(import, "launch", id, field_text(import, record, "title"), record, doc);
    if (!cJSON_IsObject(when)) {
        import_fault(import, "'when' must be an object");
        return;
    }
    import_when(import, when, id);
    cJSON_ArrayForEach(flag, flags)
    {
        import_flag(import, id, flag);
    }
    if (!cJSON_IsObject(flags) || !flags->child) {
        import_fault(import, "'flags' says nothing");
    }
}
