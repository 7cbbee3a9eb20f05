/*
 * import_explain.c - classes, regimes and cures as records: the planner's tables are the truth.
 */
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "plan.h"
#include "sql.h"

static void put_text(cJSON *object, const char *name, const char *text)
{
    cJSON *value = text ? cJSON_CreateString(text) : cJSON_CreateNull();
    if (value && !cJSON_AddItemToObject(object, name, value)) {
        cJSON_Delete(value);
    }
}

static void put_list(cJSON *object, const char *name, const char *const *texts, size_t max)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; list && i < max && texts[i]; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
    }
    if (list && !cJSON_AddItemToObject(object, name, list)) {
        cJSON_Delete(list);
    }
}

/* The one source of an explanation. */
static void put_source(cJSON *object, const char *field, const char *title)
{
    cJSON *list = cJSON_AddArrayToObject(object, "sources");
    cJSON *source = cJSON_CreateObject();
    if (!list || !source) {
        cJSON_Delete(source);
        return;
    }
    put_text(source, "field", field);
    put_text(source, "title", title);
    put_text(source, "kind", "derived");
    cJSON_AddItemToArray(list, source);
}

/* Writes the record, with its source apart from its text, and lets go of its object. */
static void import_object(struct import *import, const char *kind, const char *id,
                          const char *title, cJSON *object, const char *field, const char *source)
{
    char *doc = cJSON_PrintUnformatted(object);
    put_source(object, field, source);
    import->record = id;
    if (doc) {
        import_record(import, kind, id, title, object, doc);
    } else {
        import_fault(import, "out of memory");
    }
    free(doc);
    cJSON_Delete(object);
}

static void import_class(struct import *import, int position, const struct class_info *info)
{
    const char *id = class_name(info->id);
    cJSON *object = cJSON_CreateObject();
    put_text(object, "id", id);
    put_text(object, "title", info->title);
    put_text(object, "pass", pass_name(info->pass));
    put_text(object, "bound", bound_name(info->bound));
    put_text(object, "bytes_formula", info->bytes_formula);
    put_text(object, "flops_formula", info->flops_formula);
    put_text(object, "time_formula", info->time_formula);
    put_text(object, "source", info->source);
    put_text(object, "cures", info->cures);
    import_object(import, "class", id, info->title, object, "formulas", info->source);
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO classes (id, position, pass, bound) VALUES (?1, ?2, ?3, ?4)",
                         "titt", id, position, pass_name(info->pass), bound_name(info->bound)),
                 "class");
}

static void import_regime(struct import *import, int position, const struct regime_info *info)
{
    const char *id = regime_name(info->id);
    const char *letter = regime_seed_letter(info->id);
    const char *seed = letter && *letter ? letter : NULL;
    cJSON *object = cJSON_CreateObject();
    put_text(object, "id", id);
    put_text(object, "title", info->title);
    put_text(object, "seed_regime", seed);
    put_text(object, "largest_part", info->largest_part);
    put_text(object, "meaning", info->meaning);
    put_list(object, "signs", info->signs, sizeof(info->signs) / sizeof(info->signs[0]));
    import_object(import, "regime", id, info->title, object, "id",
                  "rule of the planner: the largest part of the critical path names the regime");
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO regimes (id, position, seed_letter) VALUES (?1, ?2, ?3)",
                         "tit", id, position, seed),
                 "regime");
    for (int i = 0; i < (int)(sizeof(info->signs) / sizeof(info->signs[0])) && info->signs[i];
         i++) {
        import_check(import,
                     sql_run(import->db, "INSERT INTO regime_signs VALUES (?1, ?2, ?3)", "tit", id,
                             i, info->signs[i]),
                     "sign");
    }
}

static void import_cure(struct import *import, int position, const struct cure_info *info)
{
    const size_t max = sizeof(info->anchors) / sizeof(info->anchors[0]);
    cJSON *object = cJSON_CreateObject();
    put_text(object, "id", info->id);
    put_text(object, "title", info->title);
    put_text(object, "pointer", info->pointer);
    put_text(object, "why", info->why);
    put_text(object, "when_not", info->when_not);
    cJSON_AddBoolToObject(object, "control", info->control);
    put_list(object, "evidence", info->anchors, max);
    put_text(object, "evidence_status", info->anchors[0] ? "measured" : "no record");
    import_object(import, "cure", info->id, info->title, object, "effect",
                  "counterfactual of the planner: the change is applied and planned again");
    import_check(import,
                 sql_run(import->db,
                         "INSERT INTO cures (id, position, pointer, control) VALUES (?1, ?2, ?3, "
                         "?4)",
                         "titi", info->id, position, info->pointer, info->control),
                 "cure");
    for (int i = 0; i < (int)max && info->anchors[i]; i++) {
        import_check(import,
                     sql_run(import->db, "INSERT INTO cure_evidence VALUES (?1, ?2, ?3)", "tit",
                             info->id, i, info->anchors[i]),
                     "evidence");
    }
}

void import_explanations(struct import *import)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        import_class(import, i, class_info((enum class_id)i));
    }
    for (int i = 0; i < REGIME_COUNT; i++) {
        import_regime(import, i, regime_info((enum regime_id)i));
    }
    const struct cure_info *cure = cure_info(0);
    for (int i = 0; cure; cure = cure_info(++i)) {
        import_cure(import, i, cure);
    }
    import->record = NULL;
}
