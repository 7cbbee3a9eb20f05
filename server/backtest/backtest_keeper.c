#include "backtest_keeper.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A backtest with its users; those of older snapshots wait in a list until nobody reads them. */
struct kept {
    struct kept *next;
    struct backtest *backtest;
    int users;
    char revision[sizeof(((struct catalogue *)NULL)->revision)];
};

struct backtest_keeper {
    pthread_mutex_t lock;
    struct kept *newest;
};

struct backtest_keeper *backtest_keeper_new(void)
{
    struct backtest_keeper *keeper = calloc(1, sizeof(*keeper));
    if (keeper != NULL && pthread_mutex_init(&keeper->lock, NULL) != 0) {
        free(keeper);
        return NULL;
    }
    return keeper;
}

static void drop(struct kept *kept)
{
    backtest_free(kept->backtest);
    free(kept);
}

void backtest_keeper_free(struct backtest_keeper *keeper)
{
    if (keeper == NULL)
        return;
    while (keeper->newest != NULL) {
        struct kept *kept = keeper->newest;
        keeper->newest = kept->next;
        drop(kept);
    }
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

/* Frees what nobody reads; the newest stays. */
static void drop_unused(struct backtest_keeper *keeper)
{
    struct kept **at = keeper->newest != NULL ? &keeper->newest->next : NULL;
    while (at != NULL && *at != NULL) {
        struct kept *kept = *at;
        if (kept->users > 0) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        drop(kept);
    }
}

static struct kept *find(const struct backtest_keeper *keeper, const char *revision)
{
    struct kept *kept = keeper->newest;
    while (kept != NULL && strcmp(kept->revision, revision) != 0)
        kept = kept->next;
    return kept;
}

static struct kept *make(struct backtest_keeper *keeper, struct store *store,
                         const struct catalogue *catalogue)
{
    struct kept *kept = calloc(1, sizeof(*kept));
    if (kept == NULL)
        return NULL;
    kept->backtest = backtest_new(store, catalogue);
    if (kept->backtest == NULL) {
        free(kept);
        return NULL;
    }
    memcpy(kept->revision, catalogue->revision, sizeof(kept->revision));
    kept->next = keeper->newest;
    keeper->newest = kept;
    return kept;
}

const struct backtest *backtest_hold(struct backtest_keeper *keeper, struct store *store,
                                     const struct catalogue *catalogue)
{
    if (keeper == NULL)
        return NULL;
    pthread_mutex_lock(&keeper->lock);
    struct kept *kept = find(keeper, catalogue->revision);
    if (kept == NULL)
        kept = make(keeper, store, catalogue);
    const struct backtest *backtest = NULL;
    if (kept != NULL) {
        kept->users++;
        backtest = kept->backtest;
    }
    drop_unused(keeper);
    pthread_mutex_unlock(&keeper->lock);
    return backtest;
}

void backtest_let_go(struct backtest_keeper *keeper, const struct backtest *backtest)
{
    if (keeper == NULL || backtest == NULL)
        return;
    pthread_mutex_lock(&keeper->lock);
    for (struct kept *kept = keeper->newest; kept != NULL; kept = kept->next)
        if (kept->backtest == backtest)
            kept->users--;
    drop_unused(keeper);
    pthread_mutex_unlock(&keeper->lock);
}
