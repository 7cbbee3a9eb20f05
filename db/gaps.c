/*
 * gaps.c - a bounded hash table of counters, and the thread that brings it to the file.
 *
 * A slot is claimed by exchanging its hash, once and for ever; its id is written before it is
 * published. Equal hashes are taken for equal keys: of 64 bits, among a few thousand ids of
 * records. Only the difference to what is written goes to the file, so that several processes may
 * count into one file.
 */
#include "gaps.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sql.h"

#define SLOTS 4096u /* a power of 2 */
#define USED_MAX (SLOTS / 4 * 3)
#define PROBES_MAX 64u
#define LOADED_MAX (SLOTS / 2) /* of the file, most asked first: the rest is room for new ones */
#define FLUSH_SECONDS 5.0
#define NS_PER_S 1e9
#define RANGE_EXPONENT_MAX 40
#define SEPARATOR '~'
#define ANY "any"

/* FNV-1a, 64 bits, by Fowler, Noll and Vo: offset basis and prime. */
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

#define SECONDS_PER_MINUTE 60

struct slot {
    _Atomic uint64_t hash; /* 0 = free */
    atomic_bool named;     /* its id can be read */
    _Atomic uint64_t asked;
    _Atomic int64_t first_s, last_s;
    _Atomic uint64_t shown; /* `asked` when its present minute began */
    _Atomic int64_t shown_minute;
    uint64_t written; /* of `asked`, already in the file; the writing thread's, and so: */
    uint64_t pending; /* what `written` becomes when the transaction is through */
};

struct gaps {
    struct slot slots[SLOTS];
    char ids[SLOTS][GAP_ID_MAX]; /* apart: pages of ids that nobody asked stay untouched */
    atomic_uint used;
    _Atomic uint64_t dropped;
    FILE *log;
    bool complained;
    sqlite3 *db; /* NULL = in memory alone */
    double flush_seconds;
    pthread_t thread;
    pthread_mutex_t lock; /* guards `stopping`, for the wait of the thread */
    pthread_cond_t wake;
    bool stopping, is_writing;
};

static const char *text_or_any(const char *text)
{
    return text && *text ? text : ANY;
}

/* The exponent of the range that holds `value`; -1 = any. */
static int range_exponent(double value)
{
    if (isnan(value)) {
        return -1;
    }
    if (value < 2) {
        return 0;
    }
    int exponent = ilogb(value);
    return exponent < RANGE_EXPONENT_MAX ? exponent : RANGE_EXPONENT_MAX;
}

static void range_text(const char *name, double value, char *to, size_t max)
{
    int exponent = range_exponent(value);
    if (exponent < 0) {
        (void)text_print(to, max, "%s-" ANY, name);
    } else {
        (void)text_print(to, max, "%s-%.0f", name, ldexp(1, exponent));
    }
}

bool gap_key_id(const struct gap_key *key, char ret_id[GAP_ID_MAX])
{
    char input[32];
    char concurrency[32];
    range_text("in", key->input_tokens, input, sizeof(input));
    range_text("conc", key->concurrency, concurrency, sizeof(concurrency));
    bool fits = text_print(ret_id, GAP_ID_MAX, "%s~%s~%s~%s~%s~%s", text_or_any(key->model_id),
                           text_or_any(key->hardware_id), text_or_any(key->engine_id),
                           text_or_any(key->metric), input, concurrency);
    if (!fits) {
        ret_id[0] = '\0';
    }
    return fits;
}

static bool range_parse(const char *text, const char *name, double *ret_value)
{
    size_t length = strlen(name);
    char *end = NULL;
    if (strncmp(text, name, length) != 0 || text[length] != '-') {
        return false;
    }
    const char *number = text + length + 1;
    if (strcmp(number, ANY) == 0) {
        *ret_value = NAN;
        return true;
    }
    double value = strtod(number, &end);
    *ret_value = value;
    return end != number && *end == '\0' && value >= 1;
}

bool gap_key_parse(const char *id, char memory[GAP_ID_MAX], struct gap_key *ret_key)
{
    enum { N_PARTS = 6 };

    const char *parts[N_PARTS] = {NULL};
    int n = 0;
    if (!text_print(memory, GAP_ID_MAX, "%s", id)) {
        return false;
    }
    for (char *at = memory; at && n < N_PARTS; n++) {
        char *separator = strchr(at, SEPARATOR);
        if (separator) {
            *separator++ = '\0';
        }
        parts[n] = strcmp(at, ANY) == 0 ? NULL : at;
        at = separator;
    }
    struct gap_key key = {
        .model_id = parts[0], .hardware_id = parts[1], .engine_id = parts[2], .metric = parts[3]};
    char round_trip[GAP_ID_MAX];
    if (n < N_PARTS || !range_parse(parts[4] ? parts[4] : "", "in", &key.input_tokens) ||
        !range_parse(parts[5] ? parts[5] : "", "conc", &key.concurrency) ||
        !gap_key_id(&key, round_trip) || strcmp(round_trip, id) != 0) {
        return false;
    }
    *ret_key = key;
    return true;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * FNV_PRIME;
    }
    return (hash ^ SEPARATOR) * FNV_PRIME;
}

/* Of a finished hash: its low bits, which choose the slot, take the high ones in; 0 is no hash. */
static uint64_t hash_end(uint64_t hash)
{
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

static uint64_t hash_of_key(const struct gap_key *key)
{
    uint64_t hash = hash_text(FNV_BASIS, text_or_any(key->model_id));
    hash = hash_text(hash, text_or_any(key->hardware_id));
    hash = hash_text(hash, text_or_any(key->engine_id));
    hash = hash_text(hash, text_or_any(key->metric));
    hash = (hash ^ (unsigned char)range_exponent(key->input_tokens)) * FNV_PRIME;
    hash = (hash ^ (unsigned char)range_exponent(key->concurrency)) * FNV_PRIME;
    return hash_end(hash);
}

static uint64_t hash_of_id(const char *id)
{
    char memory[GAP_ID_MAX];
    struct gap_key key;
    return gap_key_parse(id, memory, &key) ? hash_of_key(&key) : hash_end(hash_text(FNV_BASIS, id));
}

/* The slot of that hash, claimed when there was none; NULL when the table is full. *ret_new: it is
 * this caller's to name. */
static struct slot *slot_claim(struct gaps *gaps, uint64_t hash, bool *ret_new)
{
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct slot *slot = &gaps->slots[(hash + i) & (SLOTS - 1)];
        uint64_t found = atomic_load_explicit(&slot->hash, memory_order_acquire);
        if (found == 0) {
            if (atomic_load_explicit(&gaps->used, memory_order_relaxed) >= USED_MAX) {
                return NULL;
            }
            if (atomic_compare_exchange_strong(&slot->hash, &found, hash)) {
                atomic_fetch_add_explicit(&gaps->used, 1, memory_order_relaxed);
                *ret_new = true;
                return slot;
            }
        }
        if (found == hash) {
            return slot;
        }
    }
    return NULL;
}

static const struct slot *slot_find(const struct gaps *gaps, uint64_t hash)
{
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        const struct slot *slot = &gaps->slots[(hash + i) & (SLOTS - 1)];
        uint64_t found = atomic_load_explicit(&slot->hash, memory_order_acquire);
        if (found == 0 || found == hash) {
            return found ? slot : NULL;
        }
    }
    return NULL;
}

static void slot_count(struct slot *slot)
{
    int64_t now_s = (int64_t)time(NULL);
    int64_t never = 0;
    uint64_t before = atomic_fetch_add_explicit(&slot->asked, 1, memory_order_relaxed);
    if (atomic_load_explicit(&slot->shown_minute, memory_order_relaxed) !=
        now_s / SECONDS_PER_MINUTE) {
        atomic_store_explicit(&slot->shown, before, memory_order_relaxed);
        atomic_store_explicit(&slot->shown_minute, now_s / SECONDS_PER_MINUTE,
                              memory_order_relaxed);
    }
    if (atomic_load_explicit(&slot->last_s, memory_order_relaxed) != now_s) {
        atomic_store_explicit(&slot->last_s, now_s, memory_order_relaxed);
    }
    if (atomic_load_explicit(&slot->first_s, memory_order_relaxed) == 0) {
        atomic_compare_exchange_strong(&slot->first_s, &never, now_s);
    }
}

static void drop(struct gaps *gaps)
{
    atomic_fetch_add_explicit(&gaps->dropped, 1, memory_order_relaxed);
}

/* Writes the id of a new slot and shows it. */
static void slot_name(struct gaps *gaps, struct slot *slot, const char *id)
{
    (void)text_print(gaps->ids[slot - gaps->slots], GAP_ID_MAX, "%s", id);
    atomic_store_explicit(&slot->named, true, memory_order_release);
}

void gaps_ask(struct gaps *gaps, const struct gap_key *key)
{
    bool is_new = false;
    char id[GAP_ID_MAX];
    if (!gaps) {
        return;
    }
    struct slot *slot = slot_claim(gaps, hash_of_key(key), &is_new);
    if (!slot) {
        drop(gaps);
        return;
    }
    slot_count(slot);
    if (is_new && gap_key_id(key, id)) {
        slot_name(gaps, slot, id);
    }
}

void gaps_ask_stated(struct gaps *gaps, const char *gap_id)
{
    bool is_new = false;
    if (!gaps) {
        return;
    }
    struct slot *slot = slot_claim(gaps, hash_end(hash_text(FNV_BASIS, gap_id)), &is_new);
    if (!slot) {
        drop(gaps);
        return;
    }
    slot_count(slot);
    if (is_new) {
        slot_name(gaps, slot, gap_id);
    }
}

static void count_read(const struct gaps *gaps, const struct slot *slot,
                       struct gap_count *ret_count)
{
    memcpy(ret_count->id, gaps->ids[slot - gaps->slots], GAP_ID_MAX);
    ret_count->asked = atomic_load_explicit(&slot->asked, memory_order_relaxed);
    ret_count->first_asked_s = atomic_load_explicit(&slot->first_s, memory_order_relaxed);
    ret_count->last_asked_s = atomic_load_explicit(&slot->last_s, memory_order_relaxed);
    ret_count->asked_before = atomic_load_explicit(&slot->shown, memory_order_relaxed);
}

static bool slot_is_named(const struct slot *slot)
{
    return atomic_load_explicit(&slot->named, memory_order_acquire);
}

bool gaps_count(const struct gaps *gaps, const char *id, struct gap_count *ret_count)
{
    const struct slot *slot = gaps ? slot_find(gaps, hash_of_id(id)) : NULL;
    *ret_count = (struct gap_count){.asked = 0};
    if (!slot || !slot_is_named(slot) || strcmp(gaps->ids[slot - gaps->slots], id) != 0) {
        return false;
    }
    count_read(gaps, slot, ret_count);
    return true;
}

size_t gaps_snapshot(const struct gaps *gaps, struct gap_count *ret_counts, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; gaps && i < SLOTS; i++) {
        if (!slot_is_named(&gaps->slots[i])) {
            continue;
        }
        if (n < max) {
            count_read(gaps, &gaps->slots[i], &ret_counts[n]);
        }
        n++;
    }
    return n;
}

uint64_t gaps_dropped(const struct gaps *gaps)
{
    return gaps ? atomic_load_explicit(&gaps->dropped, memory_order_relaxed) : 0;
}

/* Says once that the file does not take the counters, and again only after it did. */
static void complain(struct gaps *gaps)
{
    if (gaps->log && !gaps->complained) {
        (void)fprintf(gaps->log, "gap counters stay in memory for now: %s\n",
                      gaps->db ? sqlite3_errmsg(gaps->db) : "the file cannot be opened");
    }
    gaps->complained = true;
}

static bool write_slot(struct gaps *gaps, sqlite3_stmt *upsert, const struct slot *slot)
{
    sqlite3_int64 more = (sqlite3_int64)(slot->pending - slot->written);
    bool done = sqlite3_bind_text(upsert, 1, gaps->ids[slot - gaps->slots], -1, SQLITE_STATIC) ==
                    SQLITE_OK &&
                sqlite3_bind_int64(upsert, 2, more) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 3, atomic_load(&slot->first_s)) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 4, atomic_load(&slot->last_s)) == SQLITE_OK &&
                sqlite3_step(upsert) == SQLITE_DONE;
    sqlite3_reset(upsert);
    sqlite3_clear_bindings(upsert);
    return done;
}

/* Notes what each slot stands at; true when there is something to write. */
static bool slots_note(struct gaps *gaps)
{
    bool any = false;
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = &gaps->slots[i];
        slot->pending = slot_is_named(slot) ? atomic_load(&slot->asked) : slot->written;
        any = any || slot->pending != slot->written;
    }
    return any;
}

static bool write_slots(struct gaps *gaps, sqlite3_stmt *upsert)
{
    for (size_t i = 0; i < SLOTS; i++) {
        const struct slot *slot = &gaps->slots[i];
        if (slot->pending != slot->written && !write_slot(gaps, upsert, slot)) {
            return false;
        }
    }
    return true;
}

/* One transaction: everything that was counted since the last one, or nothing. */
static void flush(struct gaps *gaps)
{
    static const char UPSERT[] =
        "INSERT INTO gap_counters VALUES (?1, ?2, ?3, ?4) ON CONFLICT (gap_id) DO UPDATE SET "
        "asked = asked + excluded.asked, first_asked_s = min(first_asked_s, "
        "excluded.first_asked_s), last_asked_s = max(last_asked_s, excluded.last_asked_s)";
    sqlite3_stmt *upsert = NULL;
    if (!slots_note(gaps)) {
        return;
    }
    bool done = sql_exec(gaps->db, "BEGIN IMMEDIATE") &&
                sqlite3_prepare_v2(gaps->db, UPSERT, -1, &upsert, NULL) == SQLITE_OK &&
                write_slots(gaps, upsert) && sql_exec(gaps->db, "COMMIT");
    if (!done) {
        complain(gaps);
    }
    sqlite3_finalize(upsert);
    if (!done) {
        sql_rollback(gaps->db);
        return;
    }
    gaps->complained = false;
    for (size_t i = 0; i < SLOTS; i++) {
        gaps->slots[i].written = gaps->slots[i].pending;
    }
}

/* Waits for the next write or for the end; true at the end. */
static bool wait_for_end(struct gaps *gaps)
{
    struct timespec until;
    double seconds = gaps->flush_seconds;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - floor(seconds)) * NS_PER_S);
    if (until.tv_nsec >= (long)NS_PER_S) {
        until.tv_nsec -= (long)NS_PER_S;
        until.tv_sec++;
    }
    pthread_mutex_lock(&gaps->lock);
    int rc = 0;
    while (!gaps->stopping && rc == 0) {
        rc = pthread_cond_timedwait(&gaps->wake, &gaps->lock, &until);
    }
    bool end = gaps->stopping;
    pthread_mutex_unlock(&gaps->lock);
    return end;
}

static void *write_now_and_then(void *argument)
{
    struct gaps *gaps = argument;
    bool end = false;
    while (!end) {
        end = wait_for_end(gaps);
        flush(gaps);
    }
    return NULL;
}

/* A row of the file becomes a slot that needs no writing. */
static void load_row(struct gaps *gaps, sqlite3_stmt *row)
{
    bool is_new = false;
    const char *id = (const char *)sqlite3_column_text(row, 0);
    struct slot *slot = id ? slot_claim(gaps, hash_of_id(id), &is_new) : NULL;
    if (!slot || !is_new) {
        return;
    }
    slot->written = (uint64_t)sqlite3_column_int64(row, 1);
    atomic_store(&slot->asked, slot->written);
    atomic_store(&slot->first_s, sqlite3_column_int64(row, 2));
    atomic_store(&slot->last_s, sqlite3_column_int64(row, 3));
    slot_name(gaps, slot, id);
}

static bool load(struct gaps *gaps)
{
    static const char ROWS[] = "SELECT gap_id, asked, first_asked_s, last_asked_s FROM "
                               "gap_counters ORDER BY asked DESC, gap_id LIMIT ?1";
    sqlite3_stmt *row = NULL;
    bool done = sqlite3_prepare_v2(gaps->db, ROWS, -1, &row, NULL) == SQLITE_OK &&
                sqlite3_bind_int64(row, 1, LOADED_MAX) == SQLITE_OK;
    int rc = SQLITE_DONE;
    while (done && (rc = sqlite3_step(row)) == SQLITE_ROW) {
        load_row(gaps, row);
    }
    sqlite3_finalize(row);
    return done && rc == SQLITE_DONE;
}

/* The connection and the thread; without them the counters stay in memory. */
static void start_writing(struct gaps *gaps, const char *path)
{
    pthread_condattr_t monotonic;
    gaps->db = sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX);
    if (!gaps->db || !load(gaps)) {
        complain(gaps);
        sqlite3_close(gaps->db);
        gaps->db = NULL;
        return;
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&gaps->lock, NULL);
    pthread_cond_init(&gaps->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    gaps->is_writing = pthread_create(&gaps->thread, NULL, write_now_and_then, gaps) == 0;
}

struct gaps *gaps_open(const struct gaps_options *options)
{
    struct gaps *gaps = calloc(1, sizeof(*gaps));
    if (!gaps) {
        return NULL;
    }
    gaps->log = options->log;
    gaps->flush_seconds = options->flush_seconds > 0 ? options->flush_seconds : FLUSH_SECONDS;
    if (options->path) {
        start_writing(gaps, options->path);
    }
    return gaps;
}

void gaps_close(struct gaps *gaps)
{
    if (!gaps) {
        return;
    }
    if (gaps->is_writing) {
        pthread_mutex_lock(&gaps->lock);
        gaps->stopping = true;
        pthread_cond_signal(&gaps->wake);
        pthread_mutex_unlock(&gaps->lock);
        pthread_join(gaps->thread, NULL);
    }
    if (gaps->db) {
        pthread_cond_destroy(&gaps->wake);
        pthread_mutex_destroy(&gaps->lock);
        sqlite3_close(gaps->db);
    }
    free(gaps);
}
