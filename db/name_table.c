#include "name_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "name_key.h"

#define SLOTS_PER_NAME 2
#define NEAREST_MAX 8

/* FNV-1a, 32 bits. */
static uint32_t name_hash(const char *key)
{
    uint32_t hash = 2166136261U;
    for (; *key; key++) {
        hash = (hash ^ (unsigned char)*key) * 16777619U;
    }
    return hash;
}

static int compare_entries(const void *a, const void *b)
{
    const struct name_entry *x = a;
    const struct name_entry *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int entries_unique(struct name_entry *entries, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (kept == 0 || compare_entries(&entries[kept - 1], &entries[i]) != 0) {
            entries[kept++] = entries[i];
        }
    }
    return kept;
}

bool name_table_build(struct name_table *table, struct block *block, struct name_entry *entries,
                      int n)
{
    qsort(entries, (size_t)n, sizeof(*entries), compare_entries);
    table->entries = entries;
    table->n = entries_unique(entries, n);
    table->n_slots = (unsigned)table->n * SLOTS_PER_NAME + 1;
    table->slots = block_alloc(block, table->n_slots * sizeof(*table->slots));
    if (!table->slots) {
        return false;
    }
    for (int i = 0; i < table->n; i++) {
        if (i > 0 && strcmp(entries[i].key, entries[i - 1].key) == 0) {
            continue;
        }
        unsigned slot = name_hash(entries[i].key) % table->n_slots;
        while (table->slots[slot]) {
            slot = (slot + 1) % table->n_slots;
        }
        table->slots[slot] = i + 1;
    }
    return true;
}

int name_table_find(const struct name_table *table, const char *key,
                    const struct name_entry **ret_first)
{
    unsigned slot = name_hash(key) % table->n_slots;
    for (; table->slots[slot]; slot = (slot + 1) % table->n_slots) {
        int first = table->slots[slot] - 1;
        if (strcmp(table->entries[first].key, key) != 0) {
            continue;
        }
        int end = first + 1;
        while (end < table->n && strcmp(table->entries[end].key, key) == 0) {
            end++;
        }
        *ret_first = &table->entries[first];
        return end - first;
    }
    return 0;
}

void name_squeeze(char *key)
{
    char *to = key;
    for (; *key; key++) {
        if (*key != '-') {
            *to++ = *key;
        }
    }
    *to = '\0';
}

void name_dash(char *key)
{
    for (; *key; key++) {
        if (*key == '.') {
            *key = '-';
        }
    }
}

bool name_table_squeeze(const struct name_table *table, struct block *block,
                        struct name_table *ret_table)
{
    struct name_entry *entries = block_alloc(block, (size_t)table->n * sizeof(*entries));
    if (!entries) {
        return false;
    }
    for (int i = 0; i < table->n; i++) {
        char key[NAME_KEY_MAX];
        (void)name_key(table->entries[i].key, false, key);
        name_squeeze(key);
        entries[i] = (struct name_entry){block_text(block, key), table->entries[i].index};
        if (!entries[i].key) {
            return false;
        }
    }
    return name_table_build(ret_table, block, entries, table->n);
}

static int min3(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edit distance with swaps of neighbours, given up (limit + 1) once a whole row exceeds the limit.
 */
static int edit_distance(const char *a, const char *b, int limit)
{
    int rows[3][NAME_KEY_MAX];
    int n = (int)strlen(a);
    int m = (int)strlen(b);
    if (n - m > limit || m - n > limit || m >= NAME_KEY_MAX) {
        return limit + 1;
    }
    for (int j = 0; j <= m; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *row = rows[i % 3];
        const int *before = rows[(i + 2) % 3];
        const int *before2 = rows[(i + 1) % 3];
        row[0] = i;
        int least = i;
        for (int j = 1; j <= m; j++) {
            row[j] = min3(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before2[j - 2] + 1 < row[j]) {
                row[j] = before2[j - 2] + 1;
            }
            least = row[j] < least ? row[j] : least;
        }
        if (least > limit) {
            return limit + 1;
        }
    }
    return rows[n % 3][m];
}

/* Puts a record among the nearest, which stay sorted; a record is listed once, at its least
 * distance. */
static int nearest_insert(int *indexes, int *distances, int n, int max, int index, int distance)
{
    for (int i = 0; i < n; i++) {
        if (indexes[i] == index) {
            if (distances[i] <= distance) {
                return n;
            }
            n--;
            memmove(indexes + i, indexes + i + 1, (size_t)(n - i) * sizeof(*indexes));
            memmove(distances + i, distances + i + 1, (size_t)(n - i) * sizeof(*distances));
            break;
        }
    }
    int at = n;
    while (at > 0 && distances[at - 1] > distance) {
        at--;
    }
    if (at >= max) {
        return n;
    }
    int last = n < max ? n : max - 1;
    memmove(indexes + at + 1, indexes + at, (size_t)(last - at) * sizeof(*indexes));
    memmove(distances + at + 1, distances + at, (size_t)(last - at) * sizeof(*distances));
    indexes[at] = index;
    distances[at] = distance;
    return last + 1;
}

/* Every part of `key` begins some part of `name`, in order: "m4-max" in "m4-max-40c", "4090" in
 * "rtx-4090", "llama-70b" in "llama-3.1-70b". */
static bool is_abbreviation(const char *key, const char *name)
{
    while (*key) {
        size_t part = strcspn(key, "-");
        while (*name && strncmp(name, key, part) != 0) {
            name += strcspn(name, "-");
            name += strspn(name, "-");
        }
        if (!*name) {
            return false;
        }
        name += strcspn(name, "-");
        name += strspn(name, "-");
        key += part;
        key += strspn(key, "-");
    }
    return true;
}

int name_table_nearest(const struct name_table *table, const char *key, int *ret_indexes, int max)
{
    int distances[NEAREST_MAX];
    int limit = 1 + (int)strlen(key) / 3;
    int n = 0;
    max = max < NEAREST_MAX ? max : NEAREST_MAX;
    for (int i = 0; i < table->n; i++) {
        const char *name = table->entries[i].key;
        int distance = edit_distance(key, name, limit);
        if (*key && is_abbreviation(key, name)) {
            /* Before every slip of the pen; the shortest name first. */
            distance = (int)strlen(name) - NAME_KEY_MAX;
        }
        if (distance <= limit) {
            n = nearest_insert(ret_indexes, distances, n, max, table->entries[i].index, distance);
        }
    }
    return n;
}
