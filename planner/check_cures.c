/* The search for what makes failed checks pass: screen every change, verify the best. */
#include "check_cures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_apply.h"
#include "check_changes.h"
#include "check_memory.h"
#include "memory_changes.h"

#define CANDIDATES_MAX 72
/* Changes that are planned in full; the rest is screened by the closed cycle. */
#define VERIFIED_MAX CHECK_CURES_MAX
/* Of them for each check that does not pass. */
#define BEST_PER_CHECK 2
/* What a cure may cost before it comes behind the others. */
#define LEAST_OUTPUT_KEPT 0.75
#define MOST_TTFT_TIMES 3.0
#define MOST_DEVICES_TIMES 4.0
/* A figure must be worse by this share to count. */
#define WORSE 0.01

struct candidate {
    struct trial trial;
    const char *id, *title, *why;
    int order;        /* in the tables: the cheaper change first */
    unsigned passes;  /* bits of the checks that pass with it and did not before */
    unsigned fails;   /* bits of those that fail with it and were unknown before */
    unsigned worsens; /* bits of those that fail before and after, then by more */
    bool harms;       /* it makes much worse what nobody set a limit for */
    int memory_rank;  /* among the smallest changes of the memory, from 1; 0 = not of them */
    double given;     /* devices that it wants handed over; NAN = as many as now */
    double devices;
    enum check_verdict verdict;
    bool taken;
};

struct search {
    const struct plan *plan;
    const struct check_list *checks;
    const struct check_asked *asked;
    const struct check_tools *tools;
    unsigned wanted; /* bits of the checks that do not pass */
    struct core here;
    struct plan *scratch;
    struct candidate *candidates;
    int n;
};

static double devices_of(const struct deployment *dep)
{
    return dep->tp * dep->pp * dep->dp * fmax(dep->replicas, 1.0);
}

static double change(double before, double after)
{
    return (after - before) / before;
}

/* Whether a change is one to the deployment alone: no other model, part or traffic. */
static bool is_deployable(const struct candidate *candidate)
{
    const struct trial *trial = &candidate->trial;
    static const char DEPLOYMENT[] = "/deployment/";

    for (int i = 0; i < trial->n_changes; i++)
        if (strncmp(trial->changes[i].pointer, DEPLOYMENT, sizeof(DEPLOYMENT) - 1) != 0)
            return false;
    bool any = trial->n_changes > 0 || !isnan(candidate->given);
    return any && trial->scale.bandwidth == 1.0 && trial->scale.compute == 1.0;
}

static enum check_verdict verdict_before(const struct search *search, enum check_id id)
{
    const struct check *check = check_find(search->checks, id);
    return check != NULL ? check->verdict : CHECK_PASS;
}

bool check_is_worse(const struct check *before, enum check_verdict after, double predicted)
{
    static const unsigned AT_MOST = 1u << CHECK_MEMORY_FITS | 1u << CHECK_TTFT | 1u << CHECK_TPOT |
                                    1u << CHECK_TTFT_KEPT | 1u << CHECK_TPOT_KEPT;

    double more = (predicted - before->predicted) / before->predicted;
    double worse = AT_MOST & 1u << before->id ? more : -more;
    return before->verdict == CHECK_FAIL && after == CHECK_FAIL && worse > WORSE;
}

/* Checks that pass or fail with a candidate and did not; false when one fails that passed. */
static bool compare(const struct search *search, const struct check_list *after,
                    struct candidate *candidate)
{
    unsigned passes = 0, fails = 0, worsens = 0;
    for (int i = 0; i < after->n; i++) {
        enum check_id id = after->items[i].id;
        const struct check *now = check_find(search->checks, id);
        if (now != NULL && check_is_worse(now, after->items[i].verdict, after->items[i].predicted))
            worsens |= 1u << id;
        enum check_verdict before = verdict_before(search, id);
        if (after->items[i].verdict == CHECK_FAIL && before == CHECK_PASS)
            return false;
        if (after->items[i].verdict == CHECK_FAIL && before == CHECK_UNKNOWN)
            fails |= 1u << id;
        if (after->items[i].verdict == CHECK_PASS && before != CHECK_PASS)
            passes |= 1u << id;
    }
    candidate->passes = passes;
    candidate->fails = fails;
    candidate->worsens = worsens;
    return true;
}

/* Plans the trial at that depth into the scratch plan, and holds the checks against it. */
static void evaluate(const struct search *search, struct candidate *candidate,
                     enum plan_depth depth, struct check_list *ret_checks)
{
    struct trial *trial = &candidate->trial;
    if (search->tools != NULL && search->tools->nearness != NULL)
        search->tools->nearness(search->tools->ctx, &trial->problem, &trial->problem.near);
    struct check_asked asked = *search->asked;
    /* Devices that suffice now may be more with a change: its effect says so. */
    if (!(search->wanted & 1u << CHECK_DEVICES))
        asked.devices = NAN;
    if (!isnan(candidate->given))
        asked.devices = candidate->given;
    /* A format that is changed is told the engine. */
    for (int i = 0; asked.quantization != NULL && i < trial->n_changes; i++)
        if (strcmp(trial->changes[i].pointer, "/deployment/weights") == 0)
            asked.quantization = trial->changes[i].text;
    plan_compute(&trial->problem, depth, search->scratch);
    check_plan(search->scratch, &asked, ret_checks);
}

/* Rates of arrivals need the saturation rate, which a bare plan leaves out. */
static enum plan_depth screening_depth(const struct problem *problem)
{
    return isnan(problem->load.request_rate) ? PLAN_BARE : PLAN_CHECK;
}

static bool same_changes(const struct trial *a, const struct trial *b)
{
    bool same = a->n_changes == b->n_changes;
    for (int i = 0; same && i < a->n_changes; i++) {
        const struct cure_change *left = &a->changes[i], *right = &b->changes[i];
        bool texts = left->text != NULL && right->text != NULL;
        same = strcmp(left->pointer, right->pointer) == 0 && left->number == right->number &&
               (texts ? strcmp(left->text, right->text) == 0 : left->text == right->text);
    }
    return same;
}

/* The same change may stand in both tables, or come out of two variants. */
static bool is_known(const struct search *search, const struct trial *trial)
{
    for (int i = 0; i < search->n && trial->n_changes > 0; i++)
        if (same_changes(&search->candidates[i].trial, trial))
            return true;
    return false;
}

/* Whether the scratch plan gives up much of what was: a quarter of the output, or three times the
 * time to first token, or more than four times the devices. Nobody's first wish, though it may pass
 * every limit that was set. */
static bool is_harmful(const struct search *search)
{
    const struct plan *before = search->plan, *after = search->scratch;
    return after->output_tok_s.expected < LEAST_OUTPUT_KEPT * before->output_tok_s.expected ||
           after->ttft_ms.expected > MOST_TTFT_TIMES * before->ttft_ms.expected ||
           devices_of(&after->problem.dep) > MOST_DEVICES_TIMES * devices_of(&before->problem.dep);
}

static void screen(struct search *search, const struct candidate *candidate)
{
    struct check_list after;
    if (search->n == CANDIDATES_MAX || !is_deployable(candidate) ||
        is_known(search, &candidate->trial))
        return;
    struct candidate *kept = &search->candidates[search->n];
    *kept = *candidate;
    evaluate(search, kept, screening_depth(&search->plan->problem), &after);
    if (!compare(search, &after, kept))
        return;
    kept->verdict = after.verdict;
    kept->harms = is_harmful(search);
    kept->devices = devices_of(&kept->trial.problem.dep);
    kept->order = search->n++;
}

static struct candidate start(const struct search *search)
{
    return (struct candidate){.trial = {.problem = search->plan->problem,
                                        .scale = {1.0, 1.0, 1.0},
                                        .here = &search->here},
                              .given = NAN};
}

/* The smallest changes with which the memory fits, as the plan lists them. */
static void screen_memory(struct search *search)
{
    const struct plan *plan = search->plan;
    struct memory_change found[MEMORY_CHANGES_MAX];
    const struct memory_change *changes = plan->memory_changes;
    int n = plan->n_memory_changes;
    if (!(search->wanted & 1u << CHECK_MEMORY_FITS))
        return;
    if (n == 0) {
        n = memory_changes_find(&plan->problem, &plan->memory, found);
        changes = found;
    }
    for (int i = 0; i < n; i++) {
        struct candidate candidate = start(search);
        if (!check_apply_memory(&changes[i], &candidate.trial))
            continue;
        candidate.id = changes[i].id;
        candidate.title = check_apply_title(&changes[i]);
        candidate.why = changes[i].why;
        candidate.memory_rank = i + 1;
        screen(search, &candidate);
    }
}

/* The devices that the layout takes, where fewer are handed over: nothing else changes. */
static void screen_devices(struct search *search)
{
    const struct check *check = check_find(search->checks, CHECK_DEVICES);
    if (check == NULL || check->verdict == CHECK_PASS)
        return;
    struct candidate candidate = start(search);
    candidate.id = "devices_of_layout";
    candidate.title = "The devices that the layout takes";
    candidate.why = "Every rank has a device of its own, and none stays idle.";
    candidate.given = check->predicted;
    screen(search, &candidate);
}

static void screen_changes(struct search *search)
{
    for (int i = 0; i < N_CHANGES; i++) {
        const struct change_row *row = &CHANGES[i];
        for (int j = 0; (row->checks & search->wanted) && j < row->variants; j++) {
            const struct change_asked asked = {search->plan, search->checks, search->asked, j};
            struct candidate candidate = start(search);
            if (!row->apply(&asked, &candidate.trial))
                continue;
            candidate.id = row->id;
            candidate.title = row->title;
            candidate.why = row->why;
            screen(search, &candidate);
        }
    }
}

/* Checks that the cures of a plan are for: speed and memory, not shapes. */
static bool wants_cures(const struct search *search)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if ((search->wanted & 1u << i) && !check_info((enum check_id)i)->is_shape &&
            i != CHECK_REQUEST_LENGTH)
            return true;
    return false;
}

static void screen_cures(struct search *search)
{
    for (int i = 0; i < N_CURES && wants_cures(search); i++) {
        struct candidate candidate = start(search);
        if (CURES[i].info.control || !CURES[i].apply(&candidate.trial))
            continue;
        candidate.id = CURES[i].info.id;
        candidate.title = CURES[i].info.title;
        candidate.why = CURES[i].info.why;
        screen(search, &candidate);
    }
}

/* Where one change is too little: cures together, each of one leaf. */
static const struct combination {
    const char *cures[CURE_CHANGES_MAX]; /* NULL past the last */
    const char *id, *title, *why;
} COMBINATIONS[] = {
    {{"fp8_weights", "fp8_kv"},
     "fp8_weights_and_kv",
     "Weights and KV of 8 bits",
     "Smaller weights leave more to the pool, and each token in it takes half."},
    {{"int4_weights", "fp8_kv"},
     "int4_weights_fp8_kv",
     "Weights of 4 bits, KV of 8",
     "Smaller weights leave more to the pool, and each token in it takes half."},
    {{"fp8_kv", "tensor_parallel"},
     "fp8_kv_and_tp",
     "KV of 8 bits on twice the ranks",
     "Each device holds less of the weights, and each token takes half."},
    {{"fp8_weights", "tensor_parallel"},
     "fp8_weights_and_tp",
     "Weights of 8 bits on twice the ranks",
     "Each device holds and reads a quarter of the weights' bytes."},
    {{"fp8_weights", "fp8_kv", "tensor_parallel"},
     "fp8_and_tp",
     "8 bits on twice the ranks",
     "Each device holds a quarter of the weights' bytes, and each token takes half."},
};

static const struct cure_row *cure_named(const char *id)
{
    for (int i = 0; i < N_CURES; i++)
        if (strcmp(CURES[i].info.id, id) == 0)
            return &CURES[i];
    return NULL;
}

static bool combine(const struct combination *combination, struct trial *trial)
{
    for (int i = 0; i < CURE_CHANGES_MAX && combination->cures[i] != NULL; i++) {
        const struct cure_row *row = cure_named(combination->cures[i]);
        if (row == NULL || !row->apply(trial) || trial->n_changes != i + 1)
            return false;
    }
    return true;
}

static void screen_combinations(struct search *search)
{
    for (size_t i = 0; i < ARRAY_LEN(COMBINATIONS) && wants_cures(search); i++) {
        struct candidate candidate = start(search);
        if (!combine(&COMBINATIONS[i], &candidate.trial))
            continue;
        candidate.id = COMBINATIONS[i].id;
        candidate.title = COMBINATIONS[i].title;
        candidate.why = COMBINATIONS[i].why;
        screen(search, &candidate);
    }
}

static int bits(unsigned set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

static int verdict_rank(enum check_verdict verdict)
{
    return verdict == CHECK_PASS ? 0 : verdict == CHECK_UNKNOWN ? 1 : 2;
}

/* Better candidates first. */
static int order(const void *a, const void *b)
{
    const struct candidate *left = *(const struct candidate *const *)a;
    const struct candidate *right = *(const struct candidate *const *)b;
    int by_verdict = verdict_rank(left->verdict) - verdict_rank(right->verdict);
    if (by_verdict)
        return by_verdict;
    int by_ruin = (left->worsens != 0) + left->harms - ((right->worsens != 0) + right->harms);
    if (by_ruin)
        return by_ruin;
    int by_passes =
        bits(right->passes) - bits(right->fails) - bits(left->passes) + bits(left->fails);
    if (by_passes)
        return by_passes;
    if (left->devices != right->devices)
        return left->devices < right->devices ? -1 : 1;
    return left->order - right->order;
}

/* Marks the best for one check; returns how many are marked then. */
static int choose_for(struct candidate *const *sorted, int n, unsigned check, int taken)
{
    int found = 0;
    for (int j = 0; j < n && found < BEST_PER_CHECK; j++) {
        if (!(sorted[j]->passes & check))
            continue;
        found++;
        if (!sorted[j]->taken && taken < VERIFIED_MAX) {
            sorted[j]->taken = true;
            taken++;
        }
    }
    return taken;
}

/* Marks the smallest changes of the memory that pass its check; returns how many. */
static int choose_memory(struct search *search)
{
    int taken = 0;
    for (int i = 0; i < search->n && taken < BEST_PER_CHECK; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (!candidate->memory_rank || candidate->harms || candidate->worsens ||
            !(candidate->passes & 1u << CHECK_MEMORY_FITS))
            continue;
        candidate->taken = true;
        taken++;
    }
    return taken;
}

/* Marks the best for each check that does not pass, then the best of all. */
static void choose(struct candidate *const *sorted, int n, unsigned wanted, int taken)
{
    for (int i = 0; i < CHECK_COUNT; i++)
        if (wanted & 1u << i)
            taken = choose_for(sorted, n, 1u << i, taken);
    for (int j = 0; j < n && taken < VERIFIED_MAX; j++) {
        if (sorted[j]->taken || !sorted[j]->passes)
            continue;
        sorted[j]->taken = true;
        taken++;
    }
    /* Nothing passes anything: the best stands for what comes nearest. */
    if (!taken && n > 0)
        sorted[0]->taken = true;
}

/* Plans a candidate in full; false when it fails what passed before after all. */
static bool verify(const struct search *search, struct candidate *candidate,
                   struct check_cure *ret_cure)
{
    const struct plan *before = search->plan, *after = search->scratch;
    struct check_list checks;
    evaluate(search, candidate, PLAN_CHECK, &checks);
    if (!compare(search, &checks, candidate))
        return false;
    *ret_cure = (struct check_cure){
        .id = candidate->id,
        .title = candidate->title,
        .why = candidate->why,
        .n_changes = candidate->trial.n_changes,
        .dep = candidate->trial.problem.dep,
        .tpot = change(before->tpot_ms.expected, after->tpot_ms.expected),
        .ttft = change(before->ttft_ms.expected, after->ttft_ms.expected),
        .output_tok_s = change(before->output_tok_s.expected, after->output_tok_s.expected),
        .memory = change(check_used_bytes(before), check_used_bytes(after)),
        .devices = change(devices_of(&before->problem.dep), devices_of(&after->problem.dep)),
        .memory_rank = candidate->memory_rank,
        .harms = candidate->harms,
        .worsens = candidate->worsens,
        .given = candidate->given,
        .verdict = checks.verdict,
        .fails = candidate->fails,
        .regime_after = after->regime,
        .basis = candidate->trial.hypothetical ? BASIS_ASSUMED : BASIS_DERIVED,
    };
    if (!isnan(candidate->given))
        ret_cure->devices = change(search->asked->devices, candidate->given);
    /* A trial may have made its own. */
    ret_cure->dep.kv_cache = before->problem.dep.kv_cache;
    memcpy(ret_cure->changes, candidate->trial.changes, sizeof(ret_cure->changes));
    for (int i = 0; i < checks.n; i++) {
        enum check_id id = checks.items[i].id;
        ret_cure->applies[id] = true;
        ret_cure->after[id] = checks.items[i].verdict;
        ret_cure->predicted[id] = checks.items[i].predicted;
    }
    candidate->verdict = checks.verdict;
    return true;
}

/* Keeps the order but for what the plan in full found out. */
static void sort_verified(struct check_cure *cures, int n)
{
    for (int i = 1; i < n; i++) {
        const struct check_cure cure = cures[i];
        int at = i;
        for (; at > 0 && verdict_rank(cures[at - 1].verdict) > verdict_rank(cure.verdict); at--)
            cures[at] = cures[at - 1];
        cures[at] = cure;
    }
}

static int settle(struct search *search, struct check_cure *ret_cures)
{
    struct candidate *sorted[CANDIDATES_MAX];
    int found = 0;
    for (int i = 0; i < search->n; i++)
        sorted[i] = &search->candidates[i];
    qsort(sorted, (size_t)search->n, sizeof(struct candidate *), order);
    choose(sorted, search->n, search->wanted, choose_memory(search));
    for (int i = 0; i < search->n; i++)
        if (sorted[i]->taken)
            found += verify(search, sorted[i], &ret_cures[found]) ? 1 : 0;
    sort_verified(ret_cures, found);
    return found;
}

int check_cures_find(const struct plan *plan, const struct check_list *checks,
                     const struct check_asked *asked, const struct check_tools *tools,
                     struct check_cure *ret_cures)
{
    struct candidate candidates[CANDIDATES_MAX];
    struct plan scratch;
    struct search search = {.plan = plan,
                            .checks = checks,
                            .asked = asked,
                            .tools = tools,
                            .scratch = &scratch,
                            .candidates = candidates};
    for (int i = 0; i < checks->n; i++)
        if (checks->items[i].verdict != CHECK_PASS)
            search.wanted |= 1u << checks->items[i].id;
    if (search.wanted == 0)
        return 0;
    /* What the table of cures looks at of the present state. */
    search.here.memory = plan->memory;
    search.here.regime = plan->regime;
    search.here.dominant = plan->dominant;
    screen_memory(&search);
    screen_devices(&search);
    screen_changes(&search);
    screen_cures(&search);
    screen_combinations(&search);
    return settle(&search, ret_cures);
}
