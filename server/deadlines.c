#include "deadlines.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define LOOK_MS 250
#define NS_PER_MS 1000000L
#define NS_PER_S 1000000000L

struct deadlines {
    pthread_mutex_t lock; /* guards the list and `stopping` */
    pthread_cond_t wake;
    bool stopping;
    struct deadline *first;
    pthread_t thread;
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* A socket that is shut down stays open: the library still has to close it. The lock is held. */
static void cut_late(const struct deadlines *deadlines)
{
    uint64_t now = now_ns();

    for (struct deadline *one = deadlines->first; one; one = one->next)
        if (atomic_load_explicit(&one->at_ns, memory_order_relaxed) < now)
            (void)shutdown(one->fd, SHUT_RDWR);
}

static void *look(void *argument)
{
    struct deadlines *deadlines = argument;

    pthread_mutex_lock(&deadlines->lock);
    while (!deadlines->stopping) {
        uint64_t until = now_ns() + LOOK_MS * NS_PER_MS;
        struct timespec at = {.tv_sec = (time_t)(until / NS_PER_S),
                              .tv_nsec = (long)(until % NS_PER_S)};
        pthread_cond_timedwait(&deadlines->wake, &deadlines->lock, &at);
        cut_late(deadlines);
    }
    pthread_mutex_unlock(&deadlines->lock);
    return NULL;
}

/* A condition that waits by the clock that nobody sets. */
static bool wake_init(pthread_cond_t *wake)
{
    pthread_condattr_t attributes;

    if (pthread_condattr_init(&attributes))
        return false;
    bool done = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) &&
                !pthread_cond_init(wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return done;
}

struct deadlines *deadlines_new(void)
{
    struct deadlines *deadlines = calloc(1, sizeof(*deadlines));

    if (!deadlines)
        return NULL;
    if (pthread_mutex_init(&deadlines->lock, NULL)) {
        free(deadlines);
        return NULL;
    }
    if (!wake_init(&deadlines->wake)) {
        pthread_mutex_destroy(&deadlines->lock);
        free(deadlines);
        return NULL;
    }
    if (!pthread_create(&deadlines->thread, NULL, look, deadlines))
        return deadlines;
    pthread_cond_destroy(&deadlines->wake);
    pthread_mutex_destroy(&deadlines->lock);
    free(deadlines);
    return NULL;
}

void deadlines_free(struct deadlines *deadlines)
{
    if (!deadlines)
        return;
    pthread_mutex_lock(&deadlines->lock);
    deadlines->stopping = true;
    pthread_cond_signal(&deadlines->wake);
    pthread_mutex_unlock(&deadlines->lock);
    pthread_join(deadlines->thread, NULL);
    pthread_cond_destroy(&deadlines->wake);
    pthread_mutex_destroy(&deadlines->lock);
    free(deadlines);
}

void deadline_begin(struct deadlines *deadlines, struct deadline *deadline, int fd, uint64_t at_ns)
{
    deadline->fd = fd;
    deadline_move(deadline, at_ns);
    pthread_mutex_lock(&deadlines->lock);
    deadline->previous = NULL;
    deadline->next = deadlines->first;
    if (deadlines->first)
        deadlines->first->previous = deadline;
    deadlines->first = deadline;
    pthread_mutex_unlock(&deadlines->lock);
}

void deadline_end(struct deadlines *deadlines, struct deadline *deadline)
{
    pthread_mutex_lock(&deadlines->lock);
    if (deadline->previous)
        deadline->previous->next = deadline->next;
    else
        deadlines->first = deadline->next;
    if (deadline->next)
        deadline->next->previous = deadline->previous;
    pthread_mutex_unlock(&deadlines->lock);
}
