/*
 * gaps.c - two bounded hash tables of counters, and the thread that brings them to the file.
 *
 * Stated gaps are known to the records: a slot is claimed by exchanging its hash, once and for
 * ever, and its id is written before it is published, without a lock. What was asked comes from
 * anyone: a full table lets go of what was asked least. Every refused newcomer loosens the hold of
 * the weakest key in its place by one, every question tightens its key's (Misra and Gries 1982), so
 * that keys asked once go at the first, and a flood of new ones never outlives those asked again
 * and again. Those slots are guarded by a lock.
 *
 * Equal hashes are taken for equal keys: of 64 bits, among a few thousand ids of records. Only the
 * difference to what is written goes to the file, so that several processes may count into one
 * file, which keeps no more asked keys than a table has.
 */
#include "gaps.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gap_key.h"
#include "sql.h"

#define STATED_SLOTS 512u /* powers of 2 */
#define ASKED_SLOTS 4096u
#define SLOTS (STATED_SLOTS + ASKED_SLOTS)
#define STATED_MAX (STATED_SLOTS / 4 * 3)
#define PROBES_MAX 64u
/* Of the file, most asked first: the rest is room for new ones. */
#define LOADED_MAX (STATED_MAX + ASKED_SLOTS / 2)
#define FLUSH_SECONDS 5.0
#define NS_PER_S 1e9
#define WIDTH_UNITS 1e6 /* widths are summed in millionths */

#define SECONDS_PER_MINUTE 60

struct slot {
    _Atomic uint64_t hash; /* 0 = free */
    atomic_bool named;     /* its id can be read */
    _Atomic uint64_t asked;
    _Atomic int64_t first_s, last_s;
    _Atomic uint64_t shown; /* `asked` when its present minute began */
    _Atomic int64_t shown_minute;
    _Atomic uint64_t width_micro; /* the sum of the questions' widths, in millionths */
    uint64_t written; /* of `asked`, already in the file; guarded by the lock, and so: */
    uint64_t width_written;
    uint64_t unweighed; /* questions of the file without a width */
    uint64_t hold;      /* of an asked key: newcomers that it still resists */
    bool answered;      /* of an asked key: gaps->answers has the anchor's id */
};

/* A slot as it is to be written. */
struct due {
    unsigned slot;
    uint64_t hash, asked, more, width_micro, more_width;
    int64_t first_s, last_s;
    char id[GAP_ID_MAX];
};

struct gaps {
    struct slot slots[SLOTS];
    char ids[SLOTS][GAP_ID_MAX];     /* apart: pages of ids that nobody asked stay untouched */
    char answers[SLOTS][GAP_ID_MAX]; /* the same; guarded by the lock of the keys */
    atomic_uint stated;
    _Atomic uint64_t dropped;
    gap_answered_fn *answered; /* NULL = nothing is */
    void *answered_ctx;
    pthread_mutex_t keys; /* guards the slots of asked keys, and `written` of all */
    FILE *log;
    bool complained;
    sqlite3 *db; /* NULL = in memory alone */
    double flush_seconds;
    pthread_t thread;
    pthread_mutex_t lock; /* guards `stopping`, for the wait of the thread */
    pthread_cond_t wake;
    bool stopping, is_writing;
};

/* The place of a hash after i misses. */
static unsigned place_of(bool stated, uint64_t hash, unsigned i)
{
    unsigned at = (unsigned)hash + i;
    return stated ? at & (STATED_SLOTS - 1) : STATED_SLOTS + (at & (ASKED_SLOTS - 1));
}

/* The slot of a stated gap, claimed when there was none; NULL when the table is full. *ret_new: it
 * is this caller's to name. */
static struct slot *stated_claim(struct gaps *gaps, uint64_t hash, bool *ret_new)
{
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct slot *slot = &gaps->slots[place_of(true, hash, i)];
        uint64_t found = atomic_load_explicit(&slot->hash, memory_order_acquire);
        if (found == 0) {
            if (atomic_load_explicit(&gaps->stated, memory_order_relaxed) >= STATED_MAX) {
                return NULL;
            }
            if (atomic_compare_exchange_strong(&slot->hash, &found, hash)) {
                atomic_fetch_add_explicit(&gaps->stated, 1, memory_order_relaxed);
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

static unsigned slot_find(const struct gaps *gaps, bool stated, uint64_t hash)
{
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        unsigned place = place_of(stated, hash, i);
        uint64_t found = atomic_load_explicit(&gaps->slots[place].hash, memory_order_acquire);
        if (found == 0 || found == hash) {
            return found ? place : SLOTS;
        }
    }
    return SLOTS;
}

static bool is_weaker(const struct slot *one, const struct slot *other)
{
    return one->hold != other->hold ? one->hold < other->hold
                                    : atomic_load(&one->last_s) < atomic_load(&other->last_s);
}

/* The slot of an asked key: its own, a free one, or that of the weakest key once nothing holds it;
 * NULL when every key there still holds. The lock is held. */
static struct slot *asked_claim(struct gaps *gaps, uint64_t hash)
{
    struct slot *weakest = NULL;
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct slot *slot = &gaps->slots[place_of(false, hash, i)];
        uint64_t found = atomic_load(&slot->hash);
        if (found == 0 || found == hash) {
            return slot;
        }
        weakest = !weakest || is_weaker(slot, weakest) ? slot : weakest;
    }
    weakest->hold -= weakest->hold > 0;
    return weakest->hold == 0 ? weakest : NULL;
}

static uint64_t width_in_micro(double width)
{
    return width > 0 ? (uint64_t)(fmin(width, GAP_WIDTH_MAX) * WIDTH_UNITS + 0.5) : 0;
}

static void slot_count(struct slot *slot, double width)
{
    int64_t now_s = (int64_t)time(NULL);
    atomic_fetch_add_explicit(&slot->width_micro, width_in_micro(width), memory_order_relaxed);
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

/* What answers a key: the id of an anchor, "" = nothing. The lock is held. */
static void slot_answer(struct gaps *gaps, struct slot *slot, const char *by)
{
    slot->answered = *by != '\0';
    if (slot->answered) {
        (void)text_print(gaps->answers[slot - gaps->slots], GAP_ID_MAX, "%s", by);
    }
}

/* Gives the slot to an asked key; what another one had there is let go. The lock is held. */
static void slot_begin(struct gaps *gaps, struct slot *slot, uint64_t hash, const char *id,
                       const char *answered_by)
{
    atomic_fetch_add_explicit(&gaps->dropped, atomic_load(&slot->asked), memory_order_relaxed);
    atomic_store(&slot->hash, hash);
    atomic_store(&slot->asked, 0);
    atomic_store(&slot->first_s, 0);
    atomic_store(&slot->last_s, 0);
    atomic_store(&slot->shown, 0);
    atomic_store(&slot->shown_minute, 0);
    atomic_store(&slot->width_micro, 0);
    slot->written = 0;
    slot->width_written = 0;
    slot->unweighed = 0;
    slot->hold = 0;
    slot_answer(gaps, slot, answered_by);
    slot_name(gaps, slot, id);
}

/* Counts a key that has a slot; false when it has none. */
static bool count_known(struct gaps *gaps, uint64_t hash, double width)
{
    pthread_mutex_lock(&gaps->keys);
    unsigned place = slot_find(gaps, false, hash);
    if (place < SLOTS) {
        slot_count(&gaps->slots[place], width);
        gaps->slots[place].hold++;
    }
    pthread_mutex_unlock(&gaps->keys);
    return place < SLOTS;
}

/* The id of what answers the key, "" = nothing. */
static void find_answer(const struct gaps *gaps, const struct gap_key *key, char ret_by[GAP_ID_MAX])
{
    if (!gaps->answered || !gaps->answered(gaps->answered_ctx, key, ret_by)) {
        ret_by[0] = '\0';
    }
}

void gaps_ask(struct gaps *gaps, const struct gap_key *key, double width)
{
    char id[GAP_ID_MAX];
    if (!gaps || !gap_key_id(key, id)) {
        return;
    }
    uint64_t hash = gap_key_hash(key);
    if (count_known(gaps, hash, width)) {
        return;
    }
    char answered_by[GAP_ID_MAX];
    find_answer(gaps, key, answered_by);
    pthread_mutex_lock(&gaps->keys);
    struct slot *slot = asked_claim(gaps, hash);
    if (slot) {
        if (atomic_load(&slot->hash) != hash) {
            slot_begin(gaps, slot, hash, id, answered_by);
        }
        slot_count(slot, width);
        slot->hold++;
    }
    pthread_mutex_unlock(&gaps->keys);
    if (!slot) {
        drop(gaps);
    }
}

void gaps_ask_stated(struct gaps *gaps, const char *gap_id, double width)
{
    bool is_new = false;
    if (!gaps) {
        return;
    }
    struct slot *slot = stated_claim(gaps, gap_id_hash(gap_id), &is_new);
    if (!slot) {
        drop(gaps);
        return;
    }
    slot_count(slot, width);
    if (is_new) {
        slot_name(gaps, slot, gap_id);
    }
}

static void count_read(const struct gaps *gaps, unsigned place, struct gap_count *ret_count)
{
    const struct slot *slot = &gaps->slots[place];
    memcpy(ret_count->id, gaps->ids[place], GAP_ID_MAX);
    ret_count->asked = atomic_load_explicit(&slot->asked, memory_order_relaxed);
    ret_count->first_asked_s = atomic_load_explicit(&slot->first_s, memory_order_relaxed);
    ret_count->last_asked_s = atomic_load_explicit(&slot->last_s, memory_order_relaxed);
    ret_count->width_sum =
        (double)atomic_load_explicit(&slot->width_micro, memory_order_relaxed) / WIDTH_UNITS;
    ret_count->unweighed = slot->unweighed;
    ret_count->asked_before = atomic_load_explicit(&slot->shown, memory_order_relaxed);
    ret_count->answered = place >= STATED_SLOTS && slot->answered;
    ret_count->answered_by[0] = '\0';
    if (ret_count->answered) {
        memcpy(ret_count->answered_by, gaps->answers[place], GAP_ID_MAX);
    }
}

static bool slot_is_named(const struct slot *slot)
{
    return atomic_load_explicit(&slot->named, memory_order_acquire);
}

static bool count_find(const struct gaps *gaps, const char *id, uint64_t hash,
                       struct gap_count *ret_count)
{
    unsigned place = slot_find(gaps, gap_id_is_stated(id), hash);
    if (place == SLOTS || !slot_is_named(&gaps->slots[place]) ||
        strcmp(gaps->ids[place], id) != 0) {
        return false;
    }
    count_read(gaps, place, ret_count);
    return true;
}

bool gaps_count(struct gaps *gaps, const char *id, struct gap_count *ret_count)
{
    uint64_t hash = gap_id_hash(id);
    *ret_count = (struct gap_count){.asked = 0};
    if (!gaps || !hash) {
        return false;
    }
    if (gap_id_is_stated(id)) {
        return count_find(gaps, id, hash, ret_count);
    }
    pthread_mutex_lock(&gaps->keys);
    bool found = count_find(gaps, id, hash, ret_count);
    pthread_mutex_unlock(&gaps->keys);
    return found;
}

size_t gaps_snapshot(struct gaps *gaps, struct gap_count *ret_counts, size_t max)
{
    size_t n = 0;
    if (!gaps) {
        return 0;
    }
    pthread_mutex_lock(&gaps->keys);
    for (unsigned i = 0; i < SLOTS; i++) {
        if (!slot_is_named(&gaps->slots[i])) {
            continue;
        }
        if (n < max) {
            count_read(gaps, i, &ret_counts[n]);
        }
        n++;
    }
    pthread_mutex_unlock(&gaps->keys);
    return n;
}

/* The id of an asked key in the slot that nothing answers; "" = there is none. */
static void open_id(struct gaps *gaps, unsigned place, char ret_id[GAP_ID_MAX])
{
    const struct slot *slot = &gaps->slots[place];
    pthread_mutex_lock(&gaps->keys);
    bool open = slot_is_named(slot) && !slot->answered;
    ret_id[0] = '\0';
    if (open) {
        memcpy(ret_id, gaps->ids[place], GAP_ID_MAX);
    }
    pthread_mutex_unlock(&gaps->keys);
}

size_t gaps_recheck(struct gaps *gaps, gap_answered_fn *answered, void *ctx)
{
    size_t n = 0;
    for (unsigned i = STATED_SLOTS; gaps && i < SLOTS; i++) {
        char id[GAP_ID_MAX];
        char memory[GAP_ID_MAX];
        char by[GAP_ID_MAX];
        struct gap_key key;
        open_id(gaps, i, id);
        if (!*id || !gap_key_parse(id, memory, &key) || !answered(ctx, &key, by)) {
            continue;
        }
        pthread_mutex_lock(&gaps->keys);
        if (strcmp(gaps->ids[i], id) == 0) {
            slot_answer(gaps, &gaps->slots[i], by);
            n++;
        }
        pthread_mutex_unlock(&gaps->keys);
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

static bool write_due(sqlite3_stmt *upsert, const struct due *due)
{
    bool done = sqlite3_bind_text(upsert, 1, due->id, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 2, (sqlite3_int64)due->more) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 3, due->first_s) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 4, due->last_s) == SQLITE_OK &&
                sqlite3_bind_int64(upsert, 5, (sqlite3_int64)due->more_width) == SQLITE_OK &&
                sqlite3_step(upsert) == SQLITE_DONE;
    sqlite3_reset(upsert);
    sqlite3_clear_bindings(upsert);
    return done;
}

/* Whether the slot holds what the file does not; *ret_due says what. The lock is held. */
static bool slot_is_due(const struct gaps *gaps, unsigned place, struct due *ret_due)
{
    const struct slot *slot = &gaps->slots[place];
    uint64_t asked = slot_is_named(slot) ? atomic_load(&slot->asked) : slot->written;
    if (asked == slot->written) {
        return false;
    }
    uint64_t width_micro = atomic_load(&slot->width_micro);
    *ret_due = (struct due){.slot = place,
                            .hash = atomic_load(&slot->hash),
                            .asked = asked,
                            .more = asked - slot->written,
                            .width_micro = width_micro,
                            .more_width = width_micro - slot->width_written,
                            .first_s = atomic_load(&slot->first_s),
                            .last_s = atomic_load(&slot->last_s)};
    memcpy(ret_due->id, gaps->ids[place], GAP_ID_MAX);
    return true;
}

/* What is to be written, to be freed; NULL when there is nothing, or no memory. */
static struct due *collect_due(struct gaps *gaps, int *ret_n)
{
    struct due one;
    int most = 0;
    int n = 0;
    pthread_mutex_lock(&gaps->keys);
    for (unsigned i = 0; i < SLOTS; i++) {
        most += slot_is_due(gaps, i, &one);
    }
    struct due *list = most ? malloc((size_t)most * sizeof(*list)) : NULL;
    for (unsigned i = 0; list && i < SLOTS && n < most; i++) {
        n += slot_is_due(gaps, i, &list[n]);
    }
    pthread_mutex_unlock(&gaps->keys);
    *ret_n = n;
    return list;
}

/* Slots that another key has taken meanwhile have nothing in the file yet. */
static void mark_written(struct gaps *gaps, const struct due *list, int n)
{
    pthread_mutex_lock(&gaps->keys);
    for (int i = 0; i < n; i++) {
        struct slot *slot = &gaps->slots[list[i].slot];
        if (atomic_load(&slot->hash) == list[i].hash) {
            slot->written = list[i].asked;
            slot->width_written = list[i].width_micro;
        }
    }
    pthread_mutex_unlock(&gaps->keys);
}

static bool write_list(struct gaps *gaps, const struct due *list, int n)
{
    static const char UPSERT[] =
        "INSERT INTO gap_counters (gap_id, asked, first_asked_s, last_asked_s, width_micro) VALUES "
        "(?1, ?2, ?3, ?4, ?5) ON CONFLICT (gap_id) DO UPDATE SET asked = asked + excluded.asked, "
        "first_asked_s = min(first_asked_s, excluded.first_asked_s), last_asked_s = "
        "max(last_asked_s, excluded.last_asked_s), width_micro = width_micro + "
        "excluded.width_micro";
    sqlite3_stmt *upsert = NULL;
    bool done = sqlite3_prepare_v2(gaps->db, UPSERT, -1, &upsert, NULL) == SQLITE_OK;
    for (int i = 0; done && i < n; i++) {
        done = write_due(upsert, &list[i]);
    }
    sqlite3_finalize(upsert);
    return done;
}

/* The file keeps as many asked keys as a table has, those asked most and last. */
static bool trim(struct gaps *gaps)
{
    static const char TRIM[] =
        "DELETE FROM gap_counters WHERE gap_id IN (SELECT gap_id FROM gap_counters WHERE "
        "instr(gap_id, '~') ORDER BY asked DESC, last_asked_s DESC, gap_id LIMIT -1 OFFSET "
        "?1)";
    if (sql_number(gaps->db, "SELECT count(*) FROM gap_counters", 0) <= (long long)ASKED_SLOTS) {
        return true;
    }
    return sql_run(gaps->db, TRIM, "i", (int)ASKED_SLOTS);
}

/* One transaction: everything that was counted since the last one, or nothing. */
static void flush(struct gaps *gaps)
{
    int n = 0;
    struct due *list = collect_due(gaps, &n);
    if (!list) {
        return;
    }
    bool done = sql_exec(gaps->db, "BEGIN IMMEDIATE") && write_list(gaps, list, n) && trim(gaps) &&
                sql_exec(gaps->db, "COMMIT");
    if (done) {
        gaps->complained = false;
        mark_written(gaps, list, n);
    } else {
        complain(gaps);
        sql_rollback(gaps->db);
    }
    free(list);
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

/* A new slot for an id of the file; NULL for what is no id, or where there is no room. */
static struct slot *slot_load(struct gaps *gaps, const char *id)
{
    char memory[GAP_ID_MAX];
    struct gap_key key;
    bool is_new = false;
    uint64_t hash = gap_id_hash(id);
    if (!hash) {
        return NULL;
    }
    if (gap_id_is_stated(id)) {
        struct slot *slot = stated_claim(gaps, hash, &is_new);
        if (slot && is_new) {
            slot_name(gaps, slot, id);
        }
        return is_new ? slot : NULL;
    }
    struct slot *slot = asked_claim(gaps, hash);
    if (!slot || atomic_load(&slot->hash) != 0 || !gap_key_parse(id, memory, &key)) {
        return NULL;
    }
    char answered_by[GAP_ID_MAX];
    find_answer(gaps, &key, answered_by);
    slot_begin(gaps, slot, hash, id, answered_by);
    return slot;
}

/* A row of the file becomes a slot that needs no writing. */
static void load_row(struct gaps *gaps, sqlite3_stmt *row)
{
    const char *id = (const char *)sqlite3_column_text(row, 0);
    struct slot *slot = id ? slot_load(gaps, id) : NULL;
    if (!slot) {
        return;
    }
    slot->written = (uint64_t)sqlite3_column_int64(row, 1);
    slot->hold = slot->written;
    atomic_store(&slot->asked, slot->written);
    atomic_store(&slot->first_s, sqlite3_column_int64(row, 2));
    atomic_store(&slot->last_s, sqlite3_column_int64(row, 3));
    slot->width_written = (uint64_t)sqlite3_column_int64(row, 4);
    atomic_store(&slot->width_micro, slot->width_written);
    slot->unweighed = (uint64_t)sqlite3_column_int64(row, 5);
}

static bool load(struct gaps *gaps)
{
    static const char ROWS[] =
        "SELECT gap_id, asked, first_asked_s, last_asked_s, width_micro, unweighed FROM "
        "gap_counters ORDER BY asked DESC, last_asked_s DESC, gap_id LIMIT ?1";
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
    if (pthread_mutex_init(&gaps->keys, NULL) != 0) {
        free(gaps);
        return NULL;
    }
    gaps->log = options->log;
    gaps->answered = options->answered;
    gaps->answered_ctx = options->answered_ctx;
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
    pthread_mutex_destroy(&gaps->keys);
    free(gaps);
}
