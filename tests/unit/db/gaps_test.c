/* Keys, counting from many threads, the full table, and what survives a restart. */
#include "gaps.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sql.h"
#include "store.h"

#define N_THREADS 4
#define N_KEYS 50
#define ASKS_PER_THREAD 20000
#define TOO_MANY_KEYS 6000
#define SNAPSHOT_MAX 4096
#define PATH_MAX_TEXT 200
#define WAITS_MAX 500
#define WIDTH 0.5

static void wait_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000L};
    nanosleep(&pause, NULL);
}

static struct gap_key key_of(const char *model, const char *part, double input_tokens)
{
    return (struct gap_key){.model_id = model,
                            .hardware_id = part,
                            .engine_id = "vllm",
                            .metric = "ttft_ms",
                            .input_tokens = input_tokens,
                            .concurrency = NAN};
}

static void ids_name_their_range(void **state)
{
    static const struct {
        struct gap_key key;
        const char *id;
    } ROWS[] = {
        {{"llama-3.1-8b", "h100-sxm", "vllm", "ttft_ms", 32768, 1},
         "llama-3.1-8b~h100-sxm~vllm~ttft_ms~in-32768~conc-1"},
        {{"llama-3.1-8b", "h100-sxm", "vllm", "ttft_ms", 65535, 7},
         "llama-3.1-8b~h100-sxm~vllm~ttft_ms~in-32768~conc-4"},
        {{"llama-3.1-8b", NULL, "", "tpot_ms", NAN, 0},
         "llama-3.1-8b~any~any~tpot_ms~in-any~conc-1"},
        {{NULL, NULL, NULL, NULL, 1e300, NAN}, "any~any~any~any~in-67108864~conc-any"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        char id[GAP_ID_MAX];
        char again[GAP_ID_MAX];
        char memory[GAP_ID_MAX];
        struct gap_key parsed;
        assert_true(gap_key_id(&ROWS[i].key, id));
        assert_string_equal(id, ROWS[i].id);
        assert_true(gap_key_parse(id, memory, &parsed));
        assert_true(gap_key_id(&parsed, again));
        assert_string_equal(again, id);
    }
}

static void other_texts_are_no_key(void **state)
{
    static const char *const TEXTS[] = {
        "",
        "~",
        "rag-ttft-with-retrieval",
        "a~b~c~d~in-1",
        "a~b~c~d~in-3~conc-1",
        "a~b~c~d~in-1~conc-1~e",
        "a~b~c~d~conc-1~in-1",
        "a~b~c~d~in-x~conc-1",
        "~b~c~d~in-1~conc-1",
        "a~b~c~d~in-nan~conc-1",
        "a~b~c~d~in--1~conc-1",
        "a~b~c~d~in-01~conc-1",
    };
    char long_text[2 * GAP_ID_MAX];
    char memory[GAP_ID_MAX];
    struct gap_key key;
    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++) {
        assert_false(gap_key_parse(TEXTS[i], memory, &key));
    }
    memset(long_text, 'a', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    assert_false(gap_key_parse(long_text, memory, &key));
    assert_false(gap_key_id(&(struct gap_key){.model_id = long_text}, memory));
    assert_string_equal(memory, "");
}

static void counts_keys_and_stated_gaps(void **state)
{
    struct gaps *gaps = gaps_open(&(struct gaps_options){0});
    struct gap_key near = key_of("llama-3.1-8b", "h100-sxm", 40000);
    struct gap_key same_range = key_of("llama-3.1-8b", "h100-sxm", 33000);
    struct gap_key far = key_of("llama-3.1-8b", "h100-sxm", 70000);
    struct gap_count count;
    (void)state;
    assert_non_null(gaps);
    gaps_ask(gaps, &near, WIDTH);
    gaps_ask(gaps, &same_range, WIDTH);
    gaps_ask(gaps, &far, WIDTH);
    gaps_ask_stated(gaps, "rag-ttft", WIDTH);
    gaps_ask(NULL, &near, WIDTH);
    gaps_ask_stated(NULL, "rag-ttft", WIDTH);
    assert_true(gaps_count(gaps, "llama-3.1-8b~h100-sxm~vllm~ttft_ms~in-32768~conc-any", &count));
    assert_int_equal(count.asked, 2);
    assert_true(count.first_asked_s > 0 && count.last_asked_s >= count.first_asked_s);
    assert_true(gaps_count(gaps, "rag-ttft", &count));
    assert_int_equal(count.asked, 1);
    assert_false(gaps_count(gaps, "never-asked", &count));
    assert_int_equal(count.asked, 0);
    assert_int_equal(gaps_snapshot(gaps, NULL, 0), 3);
    gaps_close(gaps);
    gaps_close(NULL);
}

static void widths_are_held_in_bounds(void **state)
{
    static const double WIDTHS[] = {0.25, 1e9, NAN, -1, INFINITY};
    struct gaps *gaps = gaps_open(&(struct gaps_options){0});
    struct gap_count count;
    (void)state;
    for (size_t i = 0; i < sizeof(WIDTHS) / sizeof(WIDTHS[0]); i++) {
        gaps_ask_stated(gaps, "rag-ttft", WIDTHS[i]);
    }
    assert_true(gaps_count(gaps, "rag-ttft", &count));
    assert_int_equal(count.asked, 5);
    assert_true(fabs(count.width_sum - (0.25 + 2 * GAP_WIDTH_MAX)) < 1e-9);
    gaps_close(gaps);
}

static void *ask_all_keys(void *argument)
{
    static const char *const PARTS[] = {"h100-sxm", "h200-sxm", "b200-sxm", "mi300x", "gaudi3"};
    for (int i = 0; i < ASKS_PER_THREAD; i++) {
        int which = i % N_KEYS;
        struct gap_key key = key_of("llama-3.1-8b", PARTS[which % 5], ldexp(1, which / 5));
        gaps_ask(argument, &key, WIDTH);
    }
    return NULL;
}

static void many_threads_lose_nothing(void **state)
{
    struct gaps *gaps = gaps_open(&(struct gaps_options){0});
    static struct gap_count counts[SNAPSHOT_MAX];
    pthread_t threads[N_THREADS];
    uint64_t sum = 0;
    (void)state;
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all_keys, gaps), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    size_t n = gaps_snapshot(gaps, counts, SNAPSHOT_MAX);
    assert_int_equal(n, N_KEYS);
    for (size_t i = 0; i < n; i++) {
        sum += counts[i].asked;
    }
    assert_int_equal(sum, N_THREADS * ASKS_PER_THREAD);
    assert_int_equal(gaps_dropped(gaps), 0);
    gaps_close(gaps);
}

static void a_full_table_counts_what_it_drops(void **state)
{
    struct gaps *gaps = gaps_open(&(struct gaps_options){0});
    static struct gap_count counts[SNAPSHOT_MAX];
    (void)state;
    for (int i = 0; i < TOO_MANY_KEYS; i++) {
        char model[32];
        assert_true(text_print(model, sizeof(model), "model-%d", i));
        struct gap_key key = key_of(model, "h100-sxm", NAN);
        gaps_ask(gaps, &key, WIDTH);
    }
    size_t n = gaps_snapshot(gaps, counts, SNAPSHOT_MAX);
    assert_true(n <= SNAPSHOT_MAX && n > SNAPSHOT_MAX / 2);
    assert_int_equal(n + gaps_dropped(gaps), TOO_MANY_KEYS);
    gaps_close(gaps);
}

/* A flood of keys, each asked twice, pushes out neither what is asked again and again nor stated
 * gaps; and what comes behind it finds room. */
static void a_flood_takes_no_room_of_others(void **state)
{
    struct gaps *gaps = gaps_open(&(struct gaps_options){0});
    struct gap_key wanted = key_of("llama-3.1-8b", "gaudi3", 1024);
    struct gap_key late = key_of("qwen3-8b", "gaudi3", 2048);
    struct gap_count count;
    (void)state;
    for (int i = 0; i < 500; i++) {
        gaps_ask(gaps, &wanted, WIDTH);
    }
    for (int i = 0; i < 5 * TOO_MANY_KEYS; i++) {
        char model[32];
        assert_true(text_print(model, sizeof(model), "model-%d", i));
        struct gap_key key = key_of(model, "h100-sxm", NAN);
        gaps_ask(gaps, &key, WIDTH);
        gaps_ask(gaps, &key, WIDTH);
    }
    gaps_ask_stated(gaps, "rag-ttft", WIDTH);
    assert_true(gaps_count(gaps, "rag-ttft", &count));
    assert_true(gaps_count(gaps, "llama-3.1-8b~gaudi3~vllm~ttft_ms~in-1024~conc-any", &count));
    assert_int_equal(count.asked, 500);
    for (int i = 0; i < 10; i++) {
        gaps_ask(gaps, &late, WIDTH);
    }
    assert_true(gaps_count(gaps, "qwen3-8b~gaudi3~vllm~ttft_ms~in-2048~conc-any", &count));
    assert_true(count.asked >= 1);
    assert_true(gaps_snapshot(gaps, NULL, 0) <= SNAPSHOT_MAX + 1);
    gaps_close(gaps);
}

static bool names_a_model(void *ctx, const struct gap_key *key, char ret_by[GAP_ID_MAX])
{
    (void)ctx;
    snprintf(ret_by, GAP_ID_MAX, "run-of-%s", key->model_id ? key->model_id : "");
    return key->model_id != NULL;
}

/* A measurement that comes later closes what it answers, and nothing else. */
static void a_later_answer_closes_a_key(void **state)
{
    struct gap_key known = key_of("qwen3-8b", "h100-sxm", NAN);
    struct gap_key other = key_of(NULL, "h100-sxm", NAN);
    char id[GAP_ID_MAX];
    struct gaps *gaps = gaps_open(&(struct gaps_options){.path = NULL});
    struct gap_count count;
    (void)state;
    gaps_ask(gaps, &known, WIDTH);
    gaps_ask(gaps, &other, WIDTH);
    assert_true(gap_key_id(&known, id) && gaps_count(gaps, id, &count));
    assert_false(count.answered);
    assert_string_equal(count.answered_by, "");
    assert_int_equal(gaps_recheck(gaps, names_a_model, NULL), 1);
    assert_int_equal(gaps_recheck(gaps, names_a_model, NULL), 0);
    assert_true(gaps_count(gaps, id, &count));
    assert_true(count.answered);
    assert_string_equal(count.answered_by, "run-of-qwen3-8b");
    assert_true(gap_key_id(&other, id) && gaps_count(gaps, id, &count));
    assert_false(count.answered);
    gaps_close(gaps);
}

static void keys_are_answered_when_they_begin(void **state)
{
    struct gap_key known = key_of("qwen3-8b", "h100-sxm", NAN);
    struct gap_key unknown = key_of(NULL, "h100-sxm", NAN);
    struct gaps *gaps = gaps_open(&(struct gaps_options){.answered = names_a_model});
    struct gap_count count;
    (void)state;
    gaps_ask(gaps, &known, WIDTH);
    gaps_ask(gaps, &unknown, WIDTH);
    assert_true(gaps_count(gaps, "qwen3-8b~h100-sxm~vllm~ttft_ms~in-any~conc-any", &count));
    assert_true(count.answered);
    assert_true(gaps_count(gaps, "any~h100-sxm~vllm~ttft_ms~in-any~conc-any", &count));
    assert_false(count.answered);
    gaps_close(gaps);
}

/* A fresh store in a folder of its own. */
static int make_store(void **state)
{
    char *folder = strdup("/tmp/gaps-test-XXXXXX");
    char path[PATH_MAX_TEXT];
    char error[STORE_ERROR_MAX];
    struct store *store = NULL;
    assert_non_null(folder);
    assert_non_null(mkdtemp(folder));
    assert_true(text_print(path, sizeof(path), "%s/regime.db", folder));
    assert_true(store_open(path, &store, error));
    store_close(store);
    *state = folder;
    return 0;
}

static int remove_store(void **state)
{
    static const char *const NAMES[] = {"regime.db", "regime.db-wal", "regime.db-shm"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        char path[PATH_MAX_TEXT];
        assert_true(text_print(path, sizeof(path), "%s/%s", (char *)*state, NAMES[i]));
        (void)unlink(path);
    }
    assert_int_equal(rmdir(*state), 0);
    free(*state);
    return 0;
}

static void revision_of(const char *path, char ret_revision[17])
{
    struct store *store = NULL;
    char error[STORE_ERROR_MAX];
    assert_true(store_open(path, &store, error));
    const struct catalogue *catalogue = store_catalogue(store);
    memcpy(ret_revision, catalogue->revision, 17);
    store_release(store, catalogue);
    store_close(store);
}

static void restarts_keep_the_counters(void **state)
{
    static const char ID[] = "llama-3.1-8b~h100-sxm~vllm~ttft_ms~in-32768~conc-any";
    struct gap_key key = key_of("llama-3.1-8b", "h100-sxm", 32768);
    struct gap_count before;
    struct gap_count after;
    char path[PATH_MAX_TEXT];
    char first_revision[17];
    char last_revision[17];
    assert_true(text_print(path, sizeof(path), "%s/regime.db", (char *)*state));
    revision_of(path, first_revision);
    struct gaps_options options = {.path = path, .log = stderr, .flush_seconds = 0.01};
    struct gaps *gaps = gaps_open(&options);
    struct gaps *other_process = gaps_open(&options);
    gaps_ask(gaps, &key, WIDTH);
    gaps_ask(other_process, &key, WIDTH);
    gaps_ask(other_process, &key, WIDTH);
    gaps_ask_stated(other_process, "rag-ttft", WIDTH);
    wait_ms(50);
    gaps_ask(gaps, &key, WIDTH);
    assert_true(gaps_count(gaps, ID, &before));
    gaps_close(gaps);
    gaps_close(other_process);
    gaps = gaps_open(&options);
    assert_true(gaps_count(gaps, ID, &after));
    assert_int_equal(after.asked, 4);
    assert_int_equal(after.first_asked_s, before.first_asked_s);
    /* four questions of half a unit each, of two processes */
    assert_true(fabs(after.width_sum - 4 * WIDTH) < 1e-9);
    assert_int_equal(after.unweighed, 0);
    assert_true(gaps_count(gaps, "rag-ttft", &after));
    assert_int_equal(after.asked, 1);
    assert_true(fabs(after.width_sum - WIDTH) < 1e-9);
    gaps_close(gaps);
    revision_of(path, last_revision);
    assert_string_equal(first_revision, last_revision);
}

/* The file too keeps no more asked keys than the table has, and what it loads may be answered. */
static void the_file_is_bounded(void **state)
{
    char path[PATH_MAX_TEXT];
    assert_true(text_print(path, sizeof(path), "%s/regime.db", (char *)*state));
    sqlite3 *db = sql_open(path, SQLITE_OPEN_READWRITE);
    assert_true(sql_exec(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                             "i < 9000) INSERT INTO gap_counters (gap_id, asked, first_asked_s, "
                             "last_asked_s) SELECT 'm' || i || "
                             "'~any~any~any~in-any~conc-any', 1 + i % 3, 1, i FROM n"));
    assert_true(sql_exec(db, "INSERT INTO gap_counters VALUES ('rag-ttft', 7, 1, 2, 3500000, 4)"));
    struct gaps_options options = {
        .path = path, .log = stderr, .flush_seconds = 0.01, .answered = names_a_model};
    struct gaps *gaps = gaps_open(&options);
    struct gap_key key = key_of("qwen3-8b", "h100-sxm", 1024);
    struct gap_count count;
    gaps_ask(gaps, &key, WIDTH);
    gaps_close(gaps);
    assert_int_equal(
        sql_number(db, "SELECT count(*) FROM gap_counters WHERE instr(gap_id, '~')", -1), 4096);
    assert_int_equal(sql_number(db, "SELECT asked FROM gap_counters WHERE gap_id = 'rag-ttft'", -1),
                     7);
    assert_int_equal(sql_number(db, "SELECT min(asked) FROM gap_counters", -1), 2);
    sqlite3_close(db);
    gaps = gaps_open(&options);
    assert_true(gaps_count(gaps, "m8999~any~any~any~in-any~conc-any", &count));
    assert_int_equal(count.asked, 3);
    assert_true(count.answered);
    /* 3.5 units over three questions, four were counted before widths were */
    assert_true(gaps_count(gaps, "rag-ttft", &count));
    assert_true(fabs(count.width_sum - 3.5) < 1e-9);
    assert_int_equal(count.unweighed, 4);
    gaps_close(gaps);
}

static void a_locked_file_is_tried_again(void **state)
{
    struct gap_key key = key_of("qwen3-8b", "h100-sxm", 1024);
    struct gap_count count;
    char path[PATH_MAX_TEXT];
    FILE *log = tmpfile();
    assert_non_null(log);
    assert_true(text_print(path, sizeof(path), "%s/regime.db", (char *)*state));
    struct gaps_options options = {.path = path, .log = log, .flush_seconds = 0.01};
    sqlite3 *locker = sql_open(path, SQLITE_OPEN_READWRITE);
    struct gaps *gaps = gaps_open(&options);
    assert_true(sql_exec(locker, "BEGIN IMMEDIATE"));
    gaps_ask(gaps, &key, WIDTH);
    wait_ms(30); /* the writer waits for the lock meanwhile */
    assert_true(sql_exec(locker, "ROLLBACK"));
    sqlite3_close(locker);
    gaps_close(gaps);
    gaps = gaps_open(&options);
    assert_true(gaps_count(gaps, "qwen3-8b~h100-sxm~vllm~ttft_ms~in-1024~conc-any", &count));
    gaps_close(gaps);
    assert_int_equal(ftell(log), 0);
    (void)fclose(log);
}

static int lines_of(FILE *log)
{
    int n = 0;
    rewind(log);
    for (int c = fgetc(log); c != EOF; c = fgetc(log)) {
        n += c == '\n';
    }
    return n;
}

static void an_unwritable_file_is_said_once(void **state)
{
    struct gap_key key = key_of("llama-3.1-8b", "h100-sxm", 32768);
    struct gap_count count;
    FILE *log = tmpfile();
    char path[PATH_MAX_TEXT];
    assert_non_null(log);
    assert_true(text_print(path, sizeof(path), "%s/regime.db", (char *)*state));
    struct gaps_options options = {.path = path, .log = log, .flush_seconds = 0.01};
    sqlite3 *other = sql_open(path, SQLITE_OPEN_READWRITE);
    struct gaps *gaps = gaps_open(&options);
    assert_true(sql_exec(other, "ALTER TABLE gap_counters RENAME TO elsewhere"));
    gaps_ask(gaps, &key, WIDTH);
    for (int i = 0; i < WAITS_MAX && lines_of(log) == 0; i++) {
        wait_ms(10);
    }
    gaps_ask(gaps, &key, WIDTH);
    wait_ms(50);
    assert_true(gaps_count(gaps, "llama-3.1-8b~h100-sxm~vllm~ttft_ms~in-32768~conc-any", &count));
    assert_int_equal(count.asked, 2);
    assert_int_equal(lines_of(log), 1);
    assert_true(sql_exec(other, "ALTER TABLE elsewhere RENAME TO gap_counters"));
    sqlite3_close(other);
    gaps_close(gaps);
    gaps = gaps_open(&(struct gaps_options){.path = "/nonexistent/regime.db", .log = log});
    gaps_ask(gaps, &key, WIDTH);
    assert_int_equal(gaps_snapshot(gaps, NULL, 0), 1);
    gaps_close(gaps);
    assert_int_equal(lines_of(log), 2);
    (void)fclose(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_name_their_range),
        cmocka_unit_test(other_texts_are_no_key),
        cmocka_unit_test(counts_keys_and_stated_gaps),
        cmocka_unit_test(widths_are_held_in_bounds),
        cmocka_unit_test(many_threads_lose_nothing),
        cmocka_unit_test(a_full_table_counts_what_it_drops),
        cmocka_unit_test(a_flood_takes_no_room_of_others),
        cmocka_unit_test(keys_are_answered_when_they_begin),
        cmocka_unit_test(a_later_answer_closes_a_key),
        cmocka_unit_test_setup_teardown(the_file_is_bounded, make_store, remove_store),
        cmocka_unit_test_setup_teardown(restarts_keep_the_counters, make_store, remove_store),
        cmocka_unit_test_setup_teardown(a_locked_file_is_tried_again, make_store, remove_store),
        cmocka_unit_test_setup_teardown(an_unwritable_file_is_said_once, make_store, remove_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
