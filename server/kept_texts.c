#include "kept_texts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define REVISION_MAX 64

struct kept_text {
    char *key, *text;
    size_t length;
};

struct kept_texts {
    pthread_mutex_t lock;
    char revision[REVISION_MAX];
    struct kept_text items[KEPT_TEXTS_MAX]; /* in ascending order of their keys */
    int n;
};

struct kept_texts *kept_texts_new(void)
{
    struct kept_texts *kept = calloc(1, sizeof(*kept));
    if (kept && pthread_mutex_init(&kept->lock, NULL) != 0) {
        free(kept);
        return NULL;
    }
    return kept;
}

static void drop_all(struct kept_texts *kept)
{
    for (int i = 0; i < kept->n; i++) {
        free(kept->items[i].key);
        free(kept->items[i].text);
    }
    kept->n = 0;
}

void kept_texts_free(struct kept_texts *kept)
{
    if (!kept) {
        return;
    }
    drop_all(kept);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

/* Place of the first key that is not below `key`. */
static int lower_bound(const struct kept_texts *kept, const char *key)
{
    int low = 0;
    int high = kept->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(kept->items[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const struct kept_texts *kept, int at, const char *key)
{
    return at < kept->n && strcmp(kept->items[at].key, key) == 0;
}

bool kept_texts_write(struct kept_texts *kept, const char *revision, const char *key,
                      struct json_out *out)
{
    if (!kept) {
        return false;
    }
    pthread_mutex_lock(&kept->lock);
    int at = lower_bound(kept, key);
    bool found = strcmp(kept->revision, revision) == 0 && is_at(kept, at, key);
    if (found) {
        out_bytes(out, kept->items[at].text, kept->items[at].length);
    }
    pthread_mutex_unlock(&kept->lock);
    return found;
}

/* Takes the item in; it stays the caller's when there is no room or it is there already. */
static bool insert(struct kept_texts *kept, const struct kept_text *item)
{
    int at = lower_bound(kept, item->key);
    if (kept->n == KEPT_TEXTS_MAX || is_at(kept, at, item->key)) {
        return false;
    }
    memmove(&kept->items[at + 1], &kept->items[at],
            (size_t)(kept->n - at) * sizeof(kept->items[0]));
    kept->items[at] = *item;
    kept->n++;
    return true;
}

void kept_texts_put(struct kept_texts *kept, const char *revision, const char *key,
                    const char *text, size_t length)
{
    if (!kept || strlen(revision) >= REVISION_MAX) {
        return;
    }
    struct kept_text item = {strdup(key), malloc(length + 1), length};
    bool taken = false;
    if (item.key && item.text) {
        memcpy(item.text, text, length);
        pthread_mutex_lock(&kept->lock);
        if (strcmp(kept->revision, revision) != 0) {
            drop_all(kept);
            memcpy(kept->revision, revision, strlen(revision) + 1);
        }
        taken = insert(kept, &item);
        pthread_mutex_unlock(&kept->lock);
    }
    if (!taken) {
        free(item.key);
        free(item.text);
    }
}
