#include "crew.h"

#include <pthread.h>
#include <stdlib.h>

#include "request_limits.h"

#define SLOTS 8
#define THREADS_MAX 16
#define TEXT_START (16 * KIB)

enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_READY, SLOT_BROKEN };

/* Where block k lies: slot k % SLOTS. */
struct slot {
    enum slot_state state;
    struct arena *arena;
    const char *text;
    size_t length;
};

struct crew {
    struct crew_work work;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stop;
    long claimed, taken; /* blocks */
    bool holds;          /* the taker still reads the slot of block `taken` - 1 */
    struct slot slots[SLOTS];
    void *own; /* the taker's worker */
    pthread_t threads[THREADS_MAX];
    int n_threads;
};

static bool claimable(const struct crew *crew)
{
    return crew->claimed < crew->work.n_blocks &&
           crew->claimed < crew->taken - (crew->holds ? 1 : 0) + SLOTS;
}

/* Computes the next block; the mutex is held before and after. */
static void compute(struct crew *crew, void *worker)
{
    long block = crew->claimed++;
    struct slot *slot = &crew->slots[block % SLOTS];
    struct json_out out;

    slot->state = SLOT_CLAIMED;
    pthread_mutex_unlock(&crew->mutex);
    arena_reset(slot->arena);
    json_out_init(&out, slot->arena, TEXT_START, SWEEP_ARENA_MAX);
    bool good = crew->work.block(crew->work.ctx, worker, block, &out) && json_out_ok(&out);
    pthread_mutex_lock(&crew->mutex);
    slot->text = out.text;
    slot->length = out.length;
    slot->state = good ? SLOT_READY : SLOT_BROKEN;
    pthread_cond_broadcast(&crew->changed);
}

static void *run(void *argument)
{
    struct crew *crew = argument;
    void *worker = crew->work.worker_new(crew->work.ctx);

    pthread_mutex_lock(&crew->mutex);
    while (worker && !crew->stop && crew->claimed < crew->work.n_blocks) {
        if (claimable(crew))
            compute(crew, worker);
        else
            pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
    crew->work.worker_free(worker);
    return NULL;
}

struct crew *crew_new(const struct crew_work *work, int threads)
{
    struct crew *crew = calloc(1, sizeof(*crew));
    bool good = crew != NULL;

    if (!crew)
        return NULL;
    crew->work = *work;
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->changed, NULL);
    crew->own = work->worker_new(work->ctx);
    for (int i = 0; i < SLOTS; i++) {
        crew->slots[i].arena = arena_new(SWEEP_ARENA_MAX);
        good = good && crew->slots[i].arena;
    }
    if (!good || !crew->own) {
        crew_free(crew);
        return NULL;
    }
    /* a thread that cannot be had is one fewer: the taker computes what is missing */
    for (int i = 0; i < threads && i < THREADS_MAX; i++)
        if (pthread_create(&crew->threads[crew->n_threads], NULL, run, crew) == 0)
            crew->n_threads++;
    return crew;
}

const char *crew_take(struct crew *crew, size_t *ret_length, bool *ret_broken)
{
    const char *text = NULL;

    *ret_broken = false;
    pthread_mutex_lock(&crew->mutex);
    if (crew->holds) {
        crew->slots[(crew->taken - 1) % SLOTS].state = SLOT_FREE;
        crew->holds = false;
        pthread_cond_broadcast(&crew->changed);
    }
    if (crew->taken < crew->work.n_blocks) {
        struct slot *slot = &crew->slots[crew->taken % SLOTS];
        while (slot->state != SLOT_READY && slot->state != SLOT_BROKEN) {
            if (claimable(crew))
                compute(crew, crew->own);
            else
                pthread_cond_wait(&crew->changed, &crew->mutex);
        }
        *ret_broken = slot->state == SLOT_BROKEN;
        *ret_length = slot->length;
        text = *ret_broken ? NULL : slot->text;
        crew->taken++;
        crew->holds = true;
    }
    pthread_mutex_unlock(&crew->mutex);
    return text;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->mutex);
    crew->stop = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
    for (int i = 0; i < crew->n_threads; i++)
        pthread_join(crew->threads[i], NULL);
    crew->work.worker_free(crew->own);
    for (int i = 0; i < SLOTS; i++)
        arena_free(crew->slots[i].arena);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->mutex);
    free(crew);
}
