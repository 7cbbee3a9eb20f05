#include "later.h"

#include <pthread.h>
#include <stdlib.h>

struct later {
    later_fn *run;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    void *jobs[LATER_JOBS_MAX]; /* a ring */
    unsigned first, n;
    bool stopping;
};

/* The next job, NULL at the end. Waits for one. */
static void *next_job(struct later *later)
{
    void *job = NULL;

    pthread_mutex_lock(&later->lock);
    while (later->n == 0 && !later->stopping)
        pthread_cond_wait(&later->wake, &later->lock);
    if (later->n > 0) {
        job = later->jobs[later->first];
        later->first = (later->first + 1) % LATER_JOBS_MAX;
        later->n--;
    }
    pthread_mutex_unlock(&later->lock);
    return job;
}

static void *work(void *argument)
{
    struct later *later = argument;

    for (void *job = next_job(later); job; job = next_job(later))
        later->run(job);
    return NULL;
}

struct later *later_new(later_fn *run)
{
    struct later *later = calloc(1, sizeof(*later));

    if (!later)
        return NULL;
    later->run = run;
    pthread_mutex_init(&later->lock, NULL);
    pthread_cond_init(&later->wake, NULL);
    if (pthread_create(&later->thread, NULL, work, later) == 0)
        return later;
    pthread_cond_destroy(&later->wake);
    pthread_mutex_destroy(&later->lock);
    free(later);
    return NULL;
}

void later_stop(struct later *later)
{
    if (!later)
        return;
    pthread_mutex_lock(&later->lock);
    bool first = !later->stopping;
    later->stopping = true;
    pthread_cond_signal(&later->wake);
    pthread_mutex_unlock(&later->lock);
    if (first)
        pthread_join(later->thread, NULL);
}

void later_free(struct later *later)
{
    if (!later)
        return;
    later_stop(later);
    pthread_cond_destroy(&later->wake);
    pthread_mutex_destroy(&later->lock);
    free(later);
}

bool later_push(struct later *later, void *job)
{
    pthread_mutex_lock(&later->lock);
    bool room = later->n < LATER_JOBS_MAX && !later->stopping;
    if (room) {
        later->jobs[(later->first + later->n) % LATER_JOBS_MAX] = job;
        later->n++;
        pthread_cond_signal(&later->wake);
    }
    pthread_mutex_unlock(&later->lock);
    return room;
}
