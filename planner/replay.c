#include "replay.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "load.h"
#include "surface.h"
#include "units.h"

/* Fewest prompt tokens that an engine gives a step however many rows decode. */
#define LEAST_BUDGET_TOKENS 256.0
/* Requests replayed of a longer run; its middle stands for what is left out. */
#define REQUESTS_MIN 640
#define WAVES_MIN 4
#define OPEN_LOOP_REQUESTS 600
/* The same of a brief replay. */
#define BRIEF_REQUESTS_MIN 32
#define BRIEF_WAVES 2
#define BRIEF_OPEN_LOOP_REQUESTS 150
#define EVENTS_MAX 200000
/* Prompts that one step completes at most. */
#define STEP_PROMPTS_MAX 64

/* Multiples of these modulo 1 fill the square evenly (the golden ratio, the plastic number). */
#define INPUT_STRIDE 0.6180339887498949
#define OUTPUT_STRIDE 0.7548776662466927

struct sequence {
    double finish_step, arrived_us, first_us, input, output;
    int number;
};

struct waiting {
    double arrived_us, input, output;
    int number;
};

/* Sums over requests of one part of the run. */
struct sums {
    double n, ttft_us, tpot_us, e2e_us, output;
};

enum wave { WAVE_FIRST, WAVE_MIDDLE, WAVE_LAST, WAVE_COUNT };

struct run {
    struct surface surface;
    const struct problem *problem;
    /* what is asked */
    int in_flight, requests;
    bool burst, open, priority, brief;
    double rate_us, chunk, capacity_tokens, most, reserve, gain, cached, stages;
    double look_steps;              /* decode steps between two looks at what has arrived */
    double hold_steps, hold_tokens; /* prompts wait so long for so many tokens to come together */
    /* where it stands */
    double time_us, step, rows, context, used_tokens, progress;
    double busy_us, waiting_us;
    struct sequence running[REPLAY_SEQUENCES_MAX];
    int n_running;
    struct waiting queue[REPLAY_SEQUENCES_MAX];
    int head, n_queue, n_seen; /* of the queue the engine has seen so many */
    double since_look, held_steps;
    int arrived, finished;
    double next_us;
    unsigned long long seed;
    struct sums sums[WAVE_COUNT];
};

static double fraction(double value)
{
    return value - floor(value);
}

static void draw_lengths(const struct run *run, int number, struct waiting *ret)
{
    const struct workload *load = &run->problem->load;
    double least = load->length_range_ratio, span = 1.0 - least;
    ret->number = number;
    ret->input = load->input_tokens;
    ret->output = load->output_tokens;
    if (span <= 0.0)
        return;
    ret->input *= least + span * fraction(0.5 + (number + 1) * INPUT_STRIDE);
    ret->output = fmax(
        floor(ret->output * (least + span * fraction(0.5 + (number + 1) * OUTPUT_STRIDE))), 1.0);
}

/* Tokens of a prompt that a prefill computes. */
static double fresh_tokens(const struct run *run, double input)
{
    return fmax(input - run->cached, 1.0);
}

static void arrive(struct run *run, double time_us)
{
    if (run->n_queue == REPLAY_SEQUENCES_MAX)
        return;
    struct waiting *last = &run->queue[(run->head + run->n_queue) % REPLAY_SEQUENCES_MAX];
    draw_lengths(run, run->arrived++, last);
    last->arrived_us = time_us;
    run->n_queue++;
}

/* The engine takes note of what has arrived. */
static void look(struct run *run)
{
    run->n_seen = run->n_queue;
    run->since_look = 0.0;
}

static double uniform(struct run *run)
{
    run->seed = run->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(run->seed >> 11) + 0.5) / 9007199254740992.0;
}

static void draw_arrival(struct run *run)
{
    run->next_us += -log(uniform(run)) / run->rate_us;
}

static void heap_push(struct run *run, struct sequence sequence)
{
    struct sequence *heap = run->running;
    int i = run->n_running++;
    while (i > 0 && heap[(i - 1) / 2].finish_step > sequence.finish_step) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = sequence;
}

static struct sequence heap_pop(struct run *run)
{
    struct sequence *heap = run->running, top = heap[0], last = heap[--run->n_running];
    int i = 0, n = run->n_running;
    for (int child = 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && heap[child + 1].finish_step < heap[child].finish_step)
            child++;
        if (last.finish_step <= heap[child].finish_step)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

static double need(const struct run *run, double input, double output)
{
    return input + run->reserve * output;
}

/* Decode steps that a sequence of that many output tokens still needs after its first. */
static double steps_after_first(const struct run *run, double output)
{
    return fmax(ceil((output - 1.0) / run->gain), 0.0);
}

static enum wave wave_of(const struct run *run, int number)
{
    if (!run->burst)
        return WAVE_MIDDLE;
    if (number < run->in_flight)
        return WAVE_FIRST;
    return number >= run->requests - run->in_flight ? WAVE_LAST : WAVE_MIDDLE;
}

static void finish(struct run *run, const struct sequence *done)
{
    run->rows -= 1.0;
    run->context -= done->input + done->output;
    run->used_tokens -= need(run, done->input, done->output);
    if (done->number >= 0 && done->number < run->requests) {
        struct sums *sums = &run->sums[wave_of(run, done->number)];
        sums->n += 1.0;
        sums->ttft_us += done->first_us - done->arrived_us;
        sums->e2e_us += run->time_us - done->arrived_us;
        sums->output += done->output;
        sums->tpot_us += (run->time_us - done->first_us) / fmax(done->output - 1.0, 1.0);
        run->finished++;
    }
    if (!run->open && (!run->burst || run->arrived < run->requests))
        arrive(run, run->time_us);
}

static void begin_decode(struct run *run, const struct waiting *done)
{
    heap_push(run, (struct sequence){
                       .finish_step = run->step + steps_after_first(run, done->output),
                       .arrived_us = done->arrived_us,
                       .first_us = run->time_us,
                       .input = done->input,
                       .output = done->output,
                       .number = done->number,
                   });
    run->rows += 1.0;
    run->context += done->input + 1.0;
}

static bool can_admit(const struct run *run, const struct waiting *next, int beside)
{
    if (run->rows + beside >= run->most)
        return false;
    bool alone = run->rows == 0.0 && beside == 0;
    return alone || run->used_tokens + need(run, next->input, next->output) <= run->capacity_tokens;
}

static bool admit(struct run *run, const struct waiting *next, int beside)
{
    if (!can_admit(run, next, beside))
        return false;
    run->used_tokens += need(run, next->input, next->output);
    return true;
}

static void advance(struct run *run, double us, double steps)
{
    run->time_us += us;
    run->step += steps;
    run->context += run->rows * run->gain * steps;
    run->busy_us += run->rows * us;
    run->waiting_us += run->n_queue * us;
}

/* Whole chunks of the one prompt under way that nothing else interrupts: how many. */
static double quiet_chunks(const struct run *run, double budget, double left)
{
    double chunks = floor(left / budget) - (fmod(left, budget) > 0.0 ? 0.0 : 1.0);
    if (!run->priority && run->n_running > 0)
        chunks = fmin(chunks, run->running[0].finish_step - run->step - 1.0);
    return fmax(chunks, 0.0);
}

/* Prefills them at once; false when there are not two of them. */
static bool prefill_quietly(struct run *run, double budget, double left, double before)
{
    double chunks = left > budget ? quiet_chunks(run, budget, left) : 0.0;
    if (chunks < 2.0)
        return false;
    double rows = run->priority ? 0.0 : run->rows;
    double middle = (chunks - 1.0) / 2.0;
    double prompt = surface_piece(&run->surface, budget, before + budget * middle);
    double context = run->context + rows * run->gain * middle;
    double us = surface_mixed(&run->surface, rows, context, budget, prompt) * run->stages * chunks;
    advance(run, us, run->priority ? 0.0 : chunks);
    run->progress += chunks * budget;
    return true;
}

/* One step that carries prompt tokens. */
static void prefill_step(struct run *run)
{
    double rows = run->priority ? 0.0 : run->rows;
    double budget = fmax(run->chunk - rows * run->surface.prep->spec_rows,
                         fmin(LEAST_BUDGET_TOKENS, run->chunk));
    struct waiting done[STEP_PROMPTS_MAX];
    int n_done = 0;
    double fresh = 0.0, prompt = 0.0;
    while (run->n_seen > 0 && budget > 0.0 && n_done < (int)ARRAY_LEN(done)) {
        struct waiting *next = &run->queue[run->head];
        if (run->progress == 0.0 && !admit(run, next, n_done))
            break;
        double left = fresh_tokens(run, next->input) - run->progress;
        double before = run->progress + fmin(run->cached, next->input - 1.0);
        if (fresh == 0.0 && prefill_quietly(run, budget, left, before))
            return;
        double piece = fmin(left, budget);
        prompt += surface_piece(&run->surface, piece, before);
        fresh += piece;
        budget -= piece;
        if (piece < left) {
            run->progress += piece;
            break;
        }
        run->progress = 0.0;
        done[n_done++] = *next;
        run->head = (run->head + 1) % REPLAY_SEQUENCES_MAX;
        run->n_queue--;
        run->n_seen--;
    }
    double us = surface_mixed(&run->surface, rows, run->context, fresh, prompt) * run->stages;
    advance(run, us, run->priority ? 0.0 : 1.0);
    for (int i = 0; i < n_done; i++)
        begin_decode(run, &done[i]);
    run->held_steps = 0.0;
    look(run);
}

static double decode_step(struct run *run, double context)
{
    return surface_decode(&run->surface, run->rows, context) * run->stages;
}

/* Decode steps up to the next event. */
static void decode_steps(struct run *run)
{
    double steps = fmax(run->running[0].finish_step - run->step, 0.0);
    if (steps <= 0.0)
        return;
    if (run->open) {
        double one = decode_step(run, run->context);
        double until = ceil((run->next_us - run->time_us) / one);
        steps = fmin(steps, fmax(until, 1.0));
    }
    if (run->n_queue > run->n_seen)
        steps = fmin(steps, fmax(run->look_steps - run->since_look, 1.0));
    if (run->n_seen > 0 && run->hold_steps > run->held_steps)
        steps = fmin(steps, run->hold_steps - run->held_steps);
    double context = run->context + run->rows * run->gain * (steps - 1.0) / 2.0;
    advance(run, decode_step(run, context) * steps, steps);
    if (run->n_seen > 0)
        run->held_steps += steps;
    run->since_look += steps;
    if (run->since_look >= run->look_steps) {
        run->n_seen = run->n_queue;
        run->since_look = fmod(run->since_look, run->look_steps);
    }
}

/* Whether prompts that could be admitted wait for more to come. */
static bool is_held(const struct run *run)
{
    if (run->held_steps >= run->hold_steps || run->rows == 0.0)
        return false;
    double tokens = run->n_seen * fresh_tokens(run, load_mean_input(&run->problem->load));
    return tokens + run->rows < run->hold_tokens;
}

static void take_arrivals(struct run *run)
{
    while (run->open && run->next_us <= run->time_us && run->n_queue < REPLAY_SEQUENCES_MAX) {
        arrive(run, run->next_us);
        draw_arrival(run);
    }
}

/* Everything between two events; false when nothing can happen any more. */
static bool play_event(struct run *run)
{
    take_arrivals(run);
    if (run->look_steps <= 1.0 || run->n_running == 0)
        look(run);
    bool prompt = run->progress > 0.0 ||
                  (run->n_seen > 0 && !is_held(run) && can_admit(run, &run->queue[run->head], 0));
    if (prompt) {
        prefill_step(run);
    } else if (run->n_running > 0) {
        decode_steps(run);
    } else if (run->open) {
        run->time_us = fmax(run->time_us, run->next_us);
        return true;
    } else {
        return false;
    }
    while (run->n_running > 0 && run->running[0].finish_step <= run->step) {
        struct sequence done = heap_pop(run);
        finish(run, &done);
    }
    if (run->rows == 0.0)
        run->context = 0.0;
    return true;
}

/* The steady state between a run's ends: sequences spread evenly over their lives. */
static void begin_steady(struct run *run)
{
    int n = (int)fmin(run->in_flight, run->most);
    for (int i = 0; i < n; i++) {
        struct waiting drawn;
        draw_lengths(run, -2 - i, &drawn);
        double share = (i + 0.5) / n;
        if (i > 0 && run->used_tokens + need(run, drawn.input, drawn.output) > run->capacity_tokens)
            break;
        double steps = steps_after_first(run, drawn.output);
        heap_push(run, (struct sequence){.finish_step = floor(steps * share) + 1.0,
                                         .input = drawn.input,
                                         .output = drawn.output,
                                         .number = -1});
        run->rows += 1.0;
        run->context += drawn.input + drawn.output * (1.0 - share);
        run->used_tokens += need(run, drawn.input, drawn.output);
    }
    /* who already queues has not waited from the start: not counted */
    run->arrived = run->open ? 0 : run->n_running - run->in_flight;
    for (int i = run->n_running; i < run->in_flight && !run->open; i++)
        arrive(run, 0.0);
}

/* Of a steady state. */
static int choose_steady(const struct run *run)
{
    int n = run->in_flight;
    bool varied = run->problem->load.length_range_ratio < 1.0;
    if (n == 1 && !varied)
        return 1;
    return run->brief ? n + 2 : 2 * n + (varied ? 24 : 6);
}

/* How many requests are replayed. */
static int choose_requests(const struct run *run, double stated)
{
    int n = run->in_flight;
    if (run->open)
        return run->brief ? BRIEF_OPEN_LOOP_REQUESTS : OPEN_LOOP_REQUESTS;
    if (!run->burst)
        return choose_steady(run);
    int least = run->brief ? BRIEF_REQUESTS_MIN : REQUESTS_MIN;
    int waves = (run->brief ? BRIEF_WAVES : WAVES_MIN) * n;
    int enough = waves > least ? waves : least;
    if (n == 1)
        enough = run->problem->load.length_range_ratio < 1.0 ? 16 : 2;
    return stated < enough ? (int)fmax(stated, 1.0) : enough;
}

static bool begin(const struct prepared *prep, const struct core *core, double rate_us, bool brief,
                  struct run *run)
{
    const struct problem *problem = prep->problem;
    const struct deployment *dep = &problem->dep;
    const struct workload *load = &problem->load;
    double ranks = dep->dp * dep->pp;
    memset(run, 0, offsetof(struct run, running));
    run->n_running = run->head = run->n_queue = run->n_seen = run->arrived = run->finished = 0;
    run->since_look = run->held_steps = 0.0;
    memset(&run->next_us, 0, sizeof(*run) - offsetof(struct run, next_us));
    run->problem = problem;
    run->brief = brief;
    run->open = !isnan(rate_us) && rate_us > 0.0;
    run->burst = !run->open && !isnan(load->requests);
    double in_flight = fmax(round(core->cycle.concurrency / ranks), 1.0);
    double most = brief ? REPLAY_BRIEF_SEQUENCES_MAX : REPLAY_SEQUENCES_MAX;
    if (in_flight > most || !(core->memory.kv_bytes > 0.0))
        return false;
    run->in_flight = (int)in_flight;
    run->priority = dep->prefill_priority;
    run->rate_us = run->open ? rate_us / ranks : 0.0;
    run->stages = dep->pp;
    run->gain = prep->spec_gain;
    run->cached = fmax(load_mean_input(load) - load_new_tokens(problem), 0.0);
    run->chunk = dep->chunked_prefill_tokens > 0.0 ? dep->chunked_prefill_tokens : 1e18;
    run->most = fmax(floor(dep->max_num_seqs / dep->pp), 1.0);
    run->most = fmin(run->most, REPLAY_SEQUENCES_MAX);
    run->look_steps = fmax(dep->receive_interval, 1.0);
    run->hold_steps = dep->batch_wait_steps;
    run->hold_tokens = dep->batch_wait_share * run->chunk;
    run->reserve = dep->reserve_output_share;
    double tokens = need(run, load->input_tokens, load->output_tokens);
    double bytes =
        rank_kv_bytes(problem->model, dep, tokens) + rank_state_bytes(problem->model, dep);
    run->capacity_tokens =
        bytes > 0.0 ? core->memory.kv_bytes / bytes * tokens / dep->pp : (double)INFINITY;
    run->seed = 0x9e3779b97f4a7c15ULL;
    run->requests = choose_requests(run, run->burst ? load->requests / ranks : 0.0);
    if (run->burst && run->requests < run->in_flight)
        run->in_flight = run->requests;
    surface_begin(prep, run->in_flight, run->chunk, &run->surface);
    return true;
}

/* Means of the whole run from its parts: a run that was cut short keeps its ends and repeats its
 * middle. */
static void collect(const struct run *run, double concurrency, struct replay *replay)
{
    double stated =
        run->burst ? run->problem->load.requests / (run->problem->dep.dp * run->problem->dep.pp)
                   : run->requests;
    double left_out = fmax(stated - run->requests, 0.0);
    double middle = run->sums[WAVE_MIDDLE].n;
    double weights[WAVE_COUNT] = {1.0, middle > 0.0 ? 1.0 + left_out / middle : 1.0, 1.0};
    struct sums total = {0};
    for (int i = 0; i < WAVE_COUNT; i++) {
        total.n += weights[i] * run->sums[i].n;
        total.ttft_us += weights[i] * run->sums[i].ttft_us;
        total.tpot_us += weights[i] * run->sums[i].tpot_us;
        total.e2e_us += weights[i] * run->sums[i].e2e_us;
        total.output += weights[i] * run->sums[i].output;
    }
    replay->requests = total.n;
    replay->ttft_us = total.ttft_us / total.n;
    replay->tpot_us = total.tpot_us / total.n;
    replay->e2e_us = total.e2e_us / total.n;
    replay->output_tokens = total.output / total.n;
    double ranks = run->problem->dep.dp * run->problem->dep.pp;
    /* Where the ranks do not share what is in flight evenly, each stands for its part of it. */
    double share = concurrency / run->in_flight;
    if (run->open)
        replay->requests_us = run->finished / run->time_us * ranks;
    else if (run->burst && left_out == 0.0)
        replay->requests_us = run->requests / run->time_us * share;
    else
        replay->requests_us = run->in_flight / replay->e2e_us * share;
    replay->running = run->busy_us / run->time_us;
    replay->waiting = run->waiting_us / run->time_us;
}

double replay_client_wait(const struct prepared *prep, double step_us)
{
    return host_value(prep, HOST_FIRST_TOKEN_STEPS) * step_us +
           host_value(prep, HOST_FIRST_TOKEN_US);
}

/* What lies before and behind the engine's loop in a request's time to its first token. */
static void add_client_side(const struct prepared *prep, const struct core *core, bool open,
                            struct replay *replay)
{
    const struct step *prefill = &core->prefill;
    double wait = replay_client_wait(prep, core->decode.time_us);
    for (int i = 0; i < CLASS_COUNT; i++)
        if (surface_is_once((enum class_id)i) && prefill->classes[i].present)
            wait += prefill->classes[i].time_us;
    /* Who waits sends the next request later. */
    if (!open)
        replay->requests_us *= replay->e2e_us / (replay->e2e_us + wait);
    replay->ttft_us += wait;
    replay->e2e_us += wait;
}

void replay_run(const struct prepared *prep, const struct core *core, double rate_us, bool brief,
                struct replay *ret_replay)
{
    struct run run;
    *ret_replay = (struct replay){0};
    if (!begin(prep, core, rate_us, brief, &run))
        return;
    if (run.open)
        draw_arrival(&run);
    if (run.burst)
        for (int i = 0; i < run.in_flight; i++)
            arrive(&run, 0.0);
    else if (run.in_flight > 1 || run.open)
        begin_steady(&run);
    else
        arrive(&run, 0.0);
    for (int events = 0; run.finished < run.requests; events++)
        if (events == EVENTS_MAX || !play_event(&run))
            return;
    collect(&run, core->cycle.concurrency, ret_replay);
    add_client_side(prep, core, run.open, ret_replay);
    ret_replay->done = true;
}
