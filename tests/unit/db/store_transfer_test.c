/* The catalogue out to files and back in: nothing is lost, the same records give the same bytes, a
 * fault changes nothing. */
#include "store_transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "import_files.h"
#include "record_diff.h"
#include "store_image.h"
#include "write_kit.h"

#define LINE_MAX_TEXT 1000
#define FILES_MAX 64

static void path_in(const struct bench *bench, const char *name, char ret_path[SCRATCH_PATH_MAX])
{
    snprintf(ret_path, SCRATCH_PATH_MAX, "%s/%s", bench->folder, name);
}

static const char *const ROOMS[] = {".",           "models",   "hardware", "formats", "engines",
                                    "calibration", "capacity", "prices",   "anchors", "fits"};

/* Calls `take` for every file of an exported folder; how many there are. */
static int each_file(const char *folder, void (*take)(const char *path, const char *other),
                     const char *other)
{
    static const char *const ENDINGS[] = {".json", ".csv"};
    int files = 0;
    for (size_t i = 0; i < 2 * ARRAY_LEN(ROOMS); i++) {
        char path[2 * SCRATCH_PATH_MAX], beside[2 * SCRATCH_PATH_MAX];
        char *paths[FILES_MAX];
        const char *room = ROOMS[i / 2];
        snprintf(path, sizeof(path), "%s/%s", folder, room);
        int n = import_files_list(path, ENDINGS[i % 2], paths, FILES_MAX);
        for (int j = 0; j < n; j++) {
            snprintf(beside, sizeof(beside), "%s/%s%s", other, room, strrchr(paths[j], '/'));
            take(paths[j], beside);
            free(paths[j]);
        }
        files += n;
    }
    return files;
}

static void compare_files(const char *path, const char *other)
{
    size_t length = 0, other_length = 0;
    char *text = import_file_read(path, &length);
    char *other_text = import_file_read(other, &other_length);
    assert_non_null(text);
    assert_non_null(other_text);
    assert_int_equal(length, other_length);
    assert_memory_equal(text, other_text, length);
    free(text);
    free(other_text);
}

static void remove_file(const char *path, const char *other)
{
    (void)other;
    assert_int_equal(unlink(path), 0);
}

static void remove_folder(const char *folder)
{
    (void)each_file(folder, remove_file, "");
    for (size_t i = ARRAY_LEN(ROOMS); i-- > 0;) {
        char path[2 * SCRATCH_PATH_MAX];
        snprintf(path, sizeof(path), "%s/%s", folder, i ? ROOMS[i] : "");
        assert_int_equal(rmdir(path), 0);
    }
}

/* Puts another memory into the record of the lab's card: two digits. */
static void edit_card(const char *folder, const char *memory)
{
    static const char MEMBER[] = "\"memory_gb\": ";
    char path[2 * SCRATCH_PATH_MAX];
    size_t length = 0;
    snprintf(path, sizeof(path), "%s/hardware/hardware.json", folder);
    char *text = import_file_read(path, &length);
    char *card = strstr(text, "\"lab-card\"");
    assert_non_null(card);
    char *member = strstr(card, MEMBER);
    assert_non_null(member);
    memcpy(member + sizeof(MEMBER) - 1, memory, 2);
    scratch_write(path, text, length);
    free(text);
}

static void remove_in(const char *folder, const char *name)
{
    char path[2 * SCRATCH_PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void write_some(struct bench *bench)
{
    bench_run(bench, MOST_CUT);

    static const struct {
        const char *kind, *record;
    } WRITES[] = {
        {"hardware", PART("48")},
        {"anchor", ANCHOR("mine", "6", "88.5")},
        {"source", "{\"title\":\"a talk that nothing cites\",\"kind\":\"talk\"}"},
        {"dispute",
         "{\"kind\":\"anchor\",\"id\":\"mine\",\"field\":\"metrics\",\"value\":\"?\","
         "\"source\":{\"title\":\"again\"},\"why\":\"not repeatable\",\"flag\":\"odd\"}"},
    };

    for (size_t i = 0; i < ARRAY_LEN(WRITES); i++) {
        struct write_outcome out;
        bench_write(bench, &(struct write){.kind = WRITES[i].kind}, WRITES[i].record, &out);
        assert_true(out.verdict == WRITE_ADDED || out.verdict == WRITE_CHANGED);
    }
}

static void note_difference(void *ctx, const char *kind, const char *id, const cJSON *a,
                            const cJSON *b)
{
    int *n = ctx;
    (*n)++;
    print_message("%s %s%s%s\n", kind, id, a ? "" : " added", b ? "" : " removed");
}

/* A store that was written to, its catalogue as files, and a store made of those. */
static struct exported {
    struct bench *bench;
    char first[SCRATCH_PATH_MAX], again[SCRATCH_PATH_MAX], made[SCRATCH_PATH_MAX];
    struct export_count out;
} exported;

static int export_and_import(void **state)
{
    void *bench = NULL;
    char error[STORE_ERROR_MAX] = "";
    struct import_count in;
    bench_make(&bench);
    exported.bench = bench;
    path_in(bench, "first", exported.first);
    path_in(bench, "again", exported.again);
    path_in(bench, "made.db", exported.made);
    write_some(bench);
    if (!store_export(exported.bench->path, exported.first, &exported.out, error) ||
        !store_import(exported.made, exported.first, stderr, &in, error)) {
        fail_msg("%s", error);
    }
    assert_true(in.made);
    *state = &exported;
    return 0;
}

static int remove_all(void **state)
{
    void *bench = exported.bench;
    (void)state;
    remove_folder(exported.first);
    return bench_drop(&bench);
}

/* Out, in to a new file, out again: the bytes are the same, and so are the stores. */
static void there_and_back_again(void **state)
{
    const struct exported *places = *state;
    char error[STORE_ERROR_MAX] = "";
    struct export_count again, none;
    int n = 0;
    if (!store_export(places->made, places->again, &again, error)) {
        fail_msg("%s", error);
    }
    assert_int_equal(places->out.records, again.records);
    assert_int_equal(places->out.files, again.files);
    assert_int_equal(each_file(places->first, compare_files, places->again), again.files);
    sqlite3 *a = store_image_open(places->bench->path, NULL, error);
    sqlite3 *b = store_image_open(places->made, NULL, error);
    assert_true(record_diff(a, b, note_difference, &n));
    assert_int_equal(n, 0);
    sqlite3_close(a);
    sqlite3_close(b);
    /* a folder that is not empty stays as it is, and nothing is left beside it */
    assert_false(store_export(places->made, places->first, &none, error));
    assert_non_null(strstr(error, "not an empty folder"));
    assert_int_equal(each_file(places->first, compare_files, places->again), again.files);
    remove_folder(places->again);
}

/* A store of somebody else's may hold any id. */
static void no_file_is_made_outside_of_the_folder(void **state)
{
    static const char RENAME[] = "PRAGMA foreign_keys=OFF; UPDATE records SET id = '%s' WHERE kind "
                                 "= 'engine' AND id = '%s'";
    const struct exported *places = *state;
    char sql[200], outside[SCRATCH_PATH_MAX], error[STORE_ERROR_MAX] = "";
    struct export_count count;
    snprintf(sql, sizeof(sql), RENAME, "../../outside", "mlx");
    bench_run(places->bench, sql);
    assert_false(store_export(places->bench->path, places->again, &count, error));
    assert_non_null(strstr(error, "cannot be the name of a file"));
    path_in(places->bench, "outside.json", outside);
    assert_int_equal(access(outside, F_OK), -1);
    snprintf(sql, sizeof(sql), RENAME, "mlx", "../../outside");
    bench_run(places->bench, sql);
}

/* Ends what the tests before it look at. */
static void a_folder_is_brought_into_a_store_that_is_there(void **state)
{
    const struct exported *places = *state;
    struct bench *bench = places->bench;
    char error[STORE_ERROR_MAX] = "", line[LINE_MAX_TEXT];
    struct import_count in;
    edit_card(places->first, "64");
    remove_in(places->first, "sources.json");
    remove_in(places->first, "disputes.json");
    assert_true(store_import(places->made, places->first, stderr, &in, error));
    assert_false(in.made);
    assert_int_equal(in.changed, 1);
    assert_int_equal(in.added, 0);
    assert_true(in.kept >= 1); /* the source that the folder has no more */
    /* a fault names itself and changes nothing */
    edit_card(places->first, "-1");
    FILE *log = tmpfile();
    assert_false(store_import(places->made, places->first, log, &in, error));
    rewind(log);
    assert_non_null(fgets(line, sizeof(line), log));
    assert_non_null(strstr(line, "hardware.json: lab-card: 'memory_gb' is -1"));
    (void)fclose(log);
    store_close(bench->store);
    assert_true(store_open(places->made, &bench->store, error));
    assert_int_equal(bench_number(bench, "SELECT memory_bytes / (1 << 30) FROM hardware WHERE id = "
                                         "'lab-card'"),
                     64);
    bench_text(bench,
               "SELECT group_concat(action || ' ' || author || ' ' || revision, ', ') FROM "
               "revisions WHERE kind = 'hardware' AND record_id = 'lab-card'",
               line);
    assert_string_equal(line, "import bundle 1, edit import 2");
}

static void what_is_no_catalogue_is_refused(void **state)
{
    const struct bench *bench = ((const struct exported *)*state)->bench;
    char path[SCRATCH_PATH_MAX], error[STORE_ERROR_MAX] = "";
    struct import_count in;
    FILE *log = tmpfile();
    path_in(bench, "nothing", path);
    assert_null(store_image_open(path, NULL, error));
    assert_non_null(strstr(error, "no such file or folder"));
    scratch_write(path, "text", 4);
    assert_null(store_image_open(path, NULL, error));
    assert_false(store_import("/tmp", bench->path, log, &in, error));
    assert_false(store_import(path, bench->folder, log, &in, error));
    assert_non_null(strstr(error, "without faults"));
    (void)fclose(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back_again),
        cmocka_unit_test(what_is_no_catalogue_is_refused),
        cmocka_unit_test(no_file_is_made_outside_of_the_folder),
        cmocka_unit_test(a_folder_is_brought_into_a_store_that_is_there),
    };
    return cmocka_run_group_tests(tests, export_and_import, remove_all);
}
