/* Records written one by one: new, replaced against a revision, refused whole, sent again, and the
 * trail, snapshot and gaps after them. */
#include "store_write.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "anchor_index.h"
#include "sql.h"
#include "write_kit.h"

static void a_new_record_is_written_with_its_trail(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    char who[100];
    bench_write(bench, &(struct write){.kind = "hardware", .why = "we bought one"}, PART("48"),
                &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
    assert_string_equal(out.kind, "hardware");
    assert_string_equal(out.id, "lab-card");
    assert_int_equal(out.revision, 1);
    assert_int_equal(
        bench_number(bench, "SELECT memory_bytes / (1 << 30) FROM hardware WHERE id = 'lab-card'"),
        48);
    bench_text(bench,
               "SELECT action || ' ' || author || ' ' || why || ' ' || revision FROM revisions "
               "WHERE kind = 'hardware' AND record_id = 'lab-card'",
               who);
    assert_string_equal(who, "add tester we bought one 1");
    /* the source it names is a record too */
    assert_int_equal(bench_number(bench, "SELECT count(*) FROM revisions WHERE kind = 'source' AND "
                                         "author = 'tester'"),
                     1);
    const struct catalogue *catalogue = store_catalogue(bench->store);
    struct name_match part;
    catalogue_find_hardware(catalogue, "Lab card", &part);
    assert_true(part.index >= 0);
    store_release(bench->store, catalogue);
}

static void a_record_is_replaced_by_who_saw_its_revision(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    char before[8000];
    bench_write(bench, &(struct write){.kind = "hardware"}, PART("48"), &out);
    bench_write(bench, &(struct write){.kind = "hardware"}, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_EXISTS);
    assert_int_equal(out.revision, 1);
    bench_write(bench, &(struct write){.kind = "hardware", .revision = 2}, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_STALE);
    bench_write(bench, &(struct write){.kind = "hardware", .revision = 1}, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    assert_int_equal(out.revision, 2);
    assert_int_equal(
        bench_number(bench, "SELECT memory_bytes / (1 << 30) FROM hardware WHERE id = 'lab-card'"),
        64);
    /* what it said before is kept, word by word */
    bench_text(bench,
               "SELECT previous_doc FROM revisions WHERE record_id = 'lab-card' AND action = "
               "'edit'",
               before);
    assert_string_equal(before, PART("48"));
    /* a record of the bundle that is replaced is one of the bundle no more */
    bench_text(bench, "SELECT doc FROM records WHERE kind = 'hardware' AND id = 'l4'", before);
    bench_write(bench, &(struct write){.kind = "hardware", .revision = 1}, before, &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    assert_int_equal(bench_number(bench, "SELECT bundled FROM records WHERE kind = 'hardware' AND "
                                         "id = 'l4'"),
                     0);
}

/* What is refused for its faults, one of the pointers, and a word of its text. */
static const struct {
    const char *kind, *record, *pointer, *word;
} FAULTY[] = {
    {"hardware", "{\"id\":\"x y\"}", "/id", "other than letters"},
    {"hardware", "{\"id\":\"x\",\"name\":3}", "/name", "text"},
    {"hardware", PART("-1"), "/memory_gb", ""},
    {"model", "{\"id\":\"m\",\"groups\":[]}", "/sources", "needs a source"},
    {"source", "{\"title\":\"t\",\"url\":\"nowhere\"}", "/url", ""},
    {"anchor", "{\"id\":\"a\",\"unknown\":1}", "/unknown", ""},
    /* 16.06 GB of weights in 5 ms are 3.2 TB/s; the L4's data sheet says 0.3 */
    {"anchor", ANCHOR("too-fast", "6", "5"), "/metrics", "faster than the part can be"},
};

static void what_is_refused_leaves_nothing(void **state)
{
    static const char COUNT[] = "SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM "
                                "provenance) + (SELECT count(*) FROM revisions) + (SELECT count(*) "
                                "FROM anchors) + (SELECT count(*) FROM aliases)";
    struct bench *bench = *state;
    long long before = bench_number(bench, COUNT);
    const struct catalogue *catalogue = store_catalogue(bench->store);
    for (size_t i = 0; i < ARRAY_LEN(FAULTY); i++) {
        struct write_outcome out;
        bench_write(bench, &(struct write){.kind = FAULTY[i].kind}, FAULTY[i].record, &out);
        if (out.verdict != WRITE_FAULTY || !bench_fault(bench, FAULTY[i].pointer, FAULTY[i].word)) {
            fail_msg("%s: verdict %d, %s", FAULTY[i].record, (int)out.verdict, bench->faults);
        }
    }
    assert_true(bench_number(bench, COUNT) == before);
    const struct catalogue *after = store_catalogue(bench->store);
    assert_ptr_equal(catalogue, after);
    store_release(bench->store, after);
    store_release(bench->store, catalogue);
}

static void a_key_leads_to_what_it_led_to(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    struct write write = {.kind = "hardware", .token_id = "t1", .key = "k", .request = "aa"};
    snprintf(write.request, sizeof(write.request), "%064d", 1);
    bench_write(bench, &write, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
    bench_write(bench, &write, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_REPLAYED);
    assert_string_equal(out.id, "lab-card");
    assert_int_equal(out.revision, 1);
    snprintf(write.request, sizeof(write.request), "%064d", 2);
    bench_write(bench, &write, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_KEY_REUSED);
    /* another token's key is another key */
    write.token_id = "t2";
    bench_write(bench, &write, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_EXISTS);
    /* a key is forgotten after its day */
    bench_run(bench, "UPDATE idempotency SET expires_s = 1");
    write.token_id = "t1";
    write.revision = 1;
    bench_write(bench, &write, PART("64"), &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    assert_int_equal(bench_number(bench, "SELECT count(*) FROM idempotency"), 1);
}

static void an_anchor_is_found_at_once_and_once_only(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    bench_write(bench, &(struct write){.kind = "anchor"}, ANCHOR("mine", "6", "88.5"), &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
    const struct catalogue *catalogue = store_catalogue(bench->store);
    assert_true(anchor_find(&catalogue->anchors, "mine") >= 0);
    store_release(bench->store, catalogue);
    assert_int_equal(bench_number(bench,
                                  "SELECT count(*) FROM anchor_search WHERE anchor_search MATCH "
                                  "'unheardof'"),
                     1);
    /* the same measurement under another name */
    bench_write(bench, &(struct write){.kind = "anchor"}, ANCHOR("yours", "6", "88.5"), &out);
    assert_int_equal(out.verdict, WRITE_EXISTS);
    assert_string_equal(out.id, "mine");
}

static void a_named_gap_is_closed_or_nothing_is_written(void **state)
{
    static const char *const WRONG[] = {"databricks-figures", "no-such-gap", NULL};
    static const char *const RIGHT[] = {"databricks-figures", NULL};
    static const char STATUS[] = "SELECT status || ' ' || coalesce(answered_by, '-') FROM gaps "
                                 "WHERE id = 'databricks-figures'";
    struct bench *bench = *state;
    struct write_outcome out;
    char text[200];
    bench_write(bench, &(struct write){.kind = "anchor", .answers = WRONG},
                ANCHOR("mine", "6", "88.5"), &out);
    assert_int_equal(out.verdict, WRITE_FAULTY);
    assert_true(bench_fault(bench, "/answers", "no-such-gap"));
    bench_text(bench, STATUS, text);
    assert_string_equal(text, "no record -");
    bench_write(bench, &(struct write){.kind = "anchor", .answers = RIGHT},
                ANCHOR("mine", "6", "88.5"), &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
    bench_text(bench, STATUS, text);
    assert_string_equal(text, "answered mine");
    assert_int_equal(bench_number(bench, "SELECT revision FROM records WHERE kind = 'gap' AND id = "
                                         "'databricks-figures'"),
                     2);
}

static void the_embedded_records_are_read_only(void **state)
{
    struct bench memory = {.store = NULL};
    struct write_outcome out;
    char error[STORE_ERROR_MAX];
    (void)state;
    assert_true(store_open(NULL, &memory.store, error));
    bench_write(&memory, &(struct write){.kind = "hardware"}, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_REFUSED);
    assert_non_null(strstr(out.error, "--db FILE"));
    store_close(memory.store);
}

/* What goes into a file that has its name no more is lost with the process. */
static void a_file_that_is_gone_takes_no_writes(void **state)
{
    struct bench *bench = *state;
    char aside[SCRATCH_PATH_MAX + 8];
    struct write_outcome out;
    snprintf(aside, sizeof(aside), "%s.aside", bench->path);
    assert_int_equal(rename(bench->path, aside), 0);
    bench_write(bench, &(struct write){.kind = "hardware"}, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_FAILED);
    assert_non_null(strstr(out.error, "was removed"));
    scratch_write(bench->path, "another", 7);
    bench_write(bench, &(struct write){.kind = "hardware"}, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_FAILED);
    assert_non_null(strstr(out.error, "was replaced by another"));
    assert_int_equal(rename(aside, bench->path), 0);
    bench_write(bench, &(struct write){.kind = "hardware"}, PART("48"), &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
}

#define WRITERS 2
#define TURNS 3

static atomic_bool ended;

/* Writes without a break, as a client does that floods a daemon. */
static void *write_on(void *store)
{
    const struct timespec long_write = {.tv_nsec = 20000000};
    char error[STORE_ERROR_MAX];
    while (!atomic_load(&ended)) {
        sqlite3 *db = store_writer_lock(store, error);
        assert_non_null(db);
        assert_true(sql_exec(db, "BEGIN IMMEDIATE"));
        nanosleep(&long_write, NULL);
        assert_true(sql_exec(db, "COMMIT"));
        store_writer_unlock(store);
    }
    return NULL;
}

/* Who wants to revoke the token of the one that floods must come in. */
static void another_process_comes_between_writes(void **state)
{
    struct bench *bench = *state;
    pthread_t writers[WRITERS];
    struct store *other = NULL;
    char error[STORE_ERROR_MAX];
    assert_true(store_open(bench->path, &other, error));
    atomic_store(&ended, false);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, write_on, bench->store), 0);
    }
    for (int i = 0; i < TURNS; i++) {
        sqlite3 *db = store_writer_lock(other, error);
        assert_non_null(db);
        bool came_in = sql_exec(db, "BEGIN IMMEDIATE");
        assert_true(came_in);
        assert_true(sql_exec(db, "COMMIT"));
        store_writer_unlock(other);
    }
    atomic_store(&ended, true);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], NULL);
    }
    store_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(a_new_record_is_written_with_its_trail),
        bench_test(a_record_is_replaced_by_who_saw_its_revision),
        bench_test(what_is_refused_leaves_nothing),
        bench_test(a_key_leads_to_what_it_led_to),
        bench_test(an_anchor_is_found_at_once_and_once_only),
        bench_test(a_named_gap_is_closed_or_nothing_is_written),
        cmocka_unit_test(the_embedded_records_are_read_only),
        bench_test(a_file_that_is_gone_takes_no_writes),
        bench_test(another_process_comes_between_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
