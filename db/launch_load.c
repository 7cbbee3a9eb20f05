#include "launch_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql.h"

static const char LAUNCHES_SQL[] =
    "SELECT id, load_generator, engine_id, version_min, version_max, engine_build, speculative, "
    "tp_min, tp_max, dp_min, dp_max, input_tokens_min, input_tokens_max, output_tokens_min, "
    "output_tokens_max, concurrency_min, concurrency_max FROM launches ORDER BY position, id";
static const char FLAGS_SQL[] =
    "SELECT flag, number, rule, text FROM launch_flags WHERE launch_id = ?1 ORDER BY flag";
static const char SUBJECTS_SQL[] =
    "SELECT name FROM launch_subjects WHERE launch_id = ?1 AND what = ?2 ORDER BY position";

#define FIRST_LIMIT 7

struct loading {
    sqlite3 *db;
    struct block *block;
    const struct library *lib;
    sqlite3_stmt *launches, *flags, *subjects;
};

static const char *text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static double number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(row, column);
}

static enum launch_drafts drafts_of(sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_NULL) {
        return DRAFTS_ANY;
    }
    return sqlite3_column_int(row, column) ? DRAFTS_YES : DRAFTS_NO;
}

static void read_flag(const struct loading *loading, sqlite3_stmt *row, struct launch *launch)
{
    enum launch_flag flag = launch_flag_parse(text(row, 0));
    struct launch_value value = {.stated = true, .number = sqlite3_column_double(row, 1)};
    if (flag == LAUNCH_FLAG_COUNT) {
        return;
    }
    value.rule = text(row, 2) ? launch_rule_parse(text(row, 2)) : RULE_NUMBER;
    value.text = block_text(loading->block, text(row, 3));
    value.kv =
        flag == LAUNCH_KV_CACHE && value.text ? library_kv_format(loading->lib, value.text) : NULL;
    value.stated = value.rule != LAUNCH_RULE_COUNT && (flag != LAUNCH_KV_CACHE || value.kv);
    launch->values[flag] = value;
}

static bool read_flags(const struct loading *loading, struct launch *launch)
{
    int rc = SQLITE_DONE;
    (void)sqlite3_reset(loading->flags);
    if (sqlite3_bind_text(loading->flags, 1, launch->id, -1, SQLITE_STATIC) != SQLITE_OK) {
        return false;
    }
    while ((rc = sqlite3_step(loading->flags)) == SQLITE_ROW) {
        read_flag(loading, loading->flags, launch);
    }
    return rc == SQLITE_DONE;
}

static int step_subjects(const struct loading *loading, const char *id, enum launch_subject subject)
{
    (void)sqlite3_reset(loading->subjects);
    (void)sqlite3_bind_text(loading->subjects, 1, id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(loading->subjects, 2, launch_subject_name(subject), -1, SQLITE_STATIC);
    return sqlite3_step(loading->subjects);
}

/* The names of one list, NULL behind the last; none at all stands for any. */
static bool read_subjects(const struct loading *loading, struct launch *launch,
                          enum launch_subject subject)
{
    size_t n = 0;
    int rc = step_subjects(loading, launch->id, subject);
    for (; rc == SQLITE_ROW; rc = sqlite3_step(loading->subjects)) {
        n++;
    }
    if (rc != SQLITE_DONE || n == 0) {
        return rc == SQLITE_DONE;
    }
    const char **names = block_alloc(loading->block, (n + 1) * sizeof(*names));
    rc = step_subjects(loading, launch->id, subject);
    for (size_t i = 0; names && i < n && rc == SQLITE_ROW; i++) {
        names[i] = block_text(loading->block, text(loading->subjects, 0));
        rc = sqlite3_step(loading->subjects);
    }
    launch->subjects[subject] = names;
    return names != NULL;
}

/* False when it cannot be read; a launch of an unknown engine has no id afterwards. */
static bool read_launch(const struct loading *loading, struct launch *launch)
{
    sqlite3_stmt *row = loading->launches;
    const char *engine = text(row, 2);
    bool good = true;
    launch->generator = text(row, 1) ? load_generator_parse(text(row, 1)) : LOAD_STEADY;
    launch->engine = engine ? library_engine(loading->lib, engine) : NULL;
    if (engine && !launch->engine) {
        return true;
    }
    launch->id = block_text(loading->block, text(row, 0));
    if (text(row, 3)) {
        (void)engine_version_parse(text(row, 3), launch->version_min);
    }
    if (text(row, 4)) {
        (void)engine_version_parse(text(row, 4), launch->version_max);
    }
    launch->build = block_text(loading->block, text(row, 5));
    launch->drafts = drafts_of(row, 6);
    for (int i = 0; i < LAUNCH_RANGE_COUNT; i++) {
        launch->min[i] = number(row, FIRST_LIMIT + 2 * i);
        launch->max[i] = number(row, FIRST_LIMIT + 2 * i + 1);
    }
    for (int i = 0; good && i < LAUNCH_SUBJECT_COUNT; i++) {
        good = read_subjects(loading, launch, (enum launch_subject)i);
    }
    launch->n_conditions = launch_conditions(launch);
    return good && launch->id && read_flags(loading, launch);
}

static bool prepare_all(struct loading *loading)
{
    return sqlite3_prepare_v2(loading->db, LAUNCHES_SQL, -1, &loading->launches, NULL) ==
               SQLITE_OK &&
           sqlite3_prepare_v2(loading->db, FLAGS_SQL, -1, &loading->flags, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(loading->db, SUBJECTS_SQL, -1, &loading->subjects, NULL) == SQLITE_OK;
}

bool launches_load(sqlite3 *db, struct block *block, struct library *lib)
{
    struct loading loading = {.db = db, .block = block, .lib = lib};
    long long max = sql_number(db, "SELECT count(*) FROM launches", -1);
    struct launch *launches =
        max < 0 ? NULL : block_alloc(block, ((size_t)max + 1) * sizeof(*launches));
    bool good = launches && prepare_all(&loading);
    int n = 0;
    int rc = good ? sqlite3_step(loading.launches) : SQLITE_DONE;
    for (; good && rc == SQLITE_ROW && n < max; rc = sqlite3_step(loading.launches)) {
        launches[n].position = n;
        good = read_launch(&loading, &launches[n]);
        n += launches[n].id != NULL;
    }
    (void)sqlite3_finalize(loading.launches);
    (void)sqlite3_finalize(loading.flags);
    (void)sqlite3_finalize(loading.subjects);
    if (!good || rc != SQLITE_DONE) {
        return false;
    }
    qsort(launches, (size_t)n, sizeof(*launches), launch_order);
    lib->launches = launches;
    lib->n_launches = n;
    return true;
}
