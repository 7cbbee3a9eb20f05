#include "moves.h"

#include <math.h>

#include "asked.h"
#include "units.h"

#define DOUBLINGS 6
#define PRECISION 1.01

/* A point on an axis: applied to copies of the problem and of its compiled form. */
typedef bool axis_fn(double value, struct problem *problem, struct prepared *prep);

struct axis {
    const char *name;
    double (*now)(const struct problem *problem);
    axis_fn *apply;
    bool compiles;  /* changes the compiled form: each point starts from a fresh copy */
    bool whole;     /* integers only */
    bool doublings; /* powers of two times the present value only (shapes) */
    double least, most;
};

static double now_concurrency(const struct problem *problem)
{
    return problem->load.concurrency;
}

static bool apply_concurrency(double value, struct problem *problem, struct prepared *prep)
{
    (void)prep;
    problem->load.concurrency = value;
    problem->load.request_rate = NAN;
    return true;
}

static double now_context(const struct problem *problem)
{
    return problem->load.input_tokens;
}

static bool apply_context(double value, struct problem *problem, struct prepared *prep)
{
    (void)prep;
    problem->load.input_tokens = value;
    problem->load.cached_prefix_tokens = fmin(problem->load.cached_prefix_tokens, value);
    return true;
}

static double now_output(const struct problem *problem)
{
    return problem->load.output_tokens;
}

static bool apply_output(double value, struct problem *problem, struct prepared *prep)
{
    (void)prep;
    problem->load.output_tokens = value;
    return true;
}

static double now_model(const struct problem *problem)
{
    return problem->model->params_total / 1e9;
}

static void scale_gemm(struct gemm_op *op, double factor)
{
    op->weight_bytes *= factor;
    op->row_flops *= factor;
}

static bool apply_model(double value, struct problem *problem, struct prepared *prep)
{
    double factor = value / now_model(problem);
    prep->scale.model = factor;
    for (int i = 0; i < prep->n_gemms; i++)
        scale_gemm(&prep->gemms[i], factor);
    for (int i = 0; i < prep->n_moes; i++) {
        prep->moes[i].expert_bytes *= factor;
        prep->moes[i].row_flops *= factor;
    }
    return true;
}

static double now_bandwidth(const struct problem *problem)
{
    return problem->hw->bw_bytes_us / BYTES_PER_US_PER_GBPS;
}

static bool apply_bandwidth(double value, struct problem *problem, struct prepared *prep)
{
    double factor = value / now_bandwidth(problem);
    for (int i = 0; i < prep->n_roofs; i++) {
        prep->roofs[i].us_per_byte /= factor;
        prep->roofs[i].fit_us_per_byte /= factor;
    }
    local_scale_bandwidth(&prep->local, factor);
    return true;
}

static double now_tp(const struct problem *problem)
{
    return problem->dep.tp;
}

static bool apply_tp(double value, struct problem *problem, struct prepared *prep)
{
    double devices = value * problem->dep.pp * problem->dep.dp;
    if (devices > fmax(problem->hw->link_domain, 1.0) * problem->dep.pp ||
        problem->dep.ep > value * problem->dep.dp)
        return false;
    for (int i = 0; i < problem->model->n_groups; i++)
        for (int j = 0; j < problem->model->groups[i].n_mixers; j++)
            if (fmod(problem->model->groups[i].mixers[j].n_heads, value) != 0.0)
                return false;
    problem->dep.tp = value;
    prepare(problem, NULL, prep);
    return true;
}

static const struct axis AXES[] = {
    {"concurrency", now_concurrency, apply_concurrency, false, true, false, 1.0,
     ASKED_CONCURRENCY_MAX},
    {"context", now_context, apply_context, false, true, false, 1.0, ASKED_TOKENS_MAX},
    {"output_tokens", now_output, apply_output, false, true, false, 1.0, ASKED_TOKENS_MAX},
    {"model_size", now_model, apply_model, true, false, false, 0.0, INFINITY},
    {"bandwidth", now_bandwidth, apply_bandwidth, true, false, false, 0.0, ASKED_GBPS_MAX},
    {"tp", now_tp, apply_tp, true, true, true, 1.0, ASKED_RANKS_MAX},
};

struct probe {
    const struct problem *problem;
    const struct prepared *prep; /* of that problem */
    const struct axis *axis;
    struct prepared work; /* the copy that points are applied to */
    enum regime_id from;
    enum regime_id regime; /* at the last point that differed */
    enum class_id class;
};

/* True when the regime at `value` differs from the one planned; *ret_valid tells shapes that exist.
 */
static bool differs(struct probe *probe, double value, bool *ret_valid)
{
    struct problem problem = *probe->problem;
    enum regime_id regime = probe->from;
    if (probe->axis->compiles)
        probe->work = *probe->prep;
    *ret_valid = probe->axis->apply(value, &problem, &probe->work);
    if (*ret_valid) {
        struct core core;
        probe->work.problem = &problem;
        core_evaluate(&probe->work, &core);
        regime = core.regime;
        probe->class = regime == probe->from ? probe->class : core.dominant.class;
    }
    /* The point's own problem ends here. */
    probe->work.problem = probe->problem;
    if (regime == probe->from)
        return false;
    probe->regime = regime;
    return true;
}

static double bisect(struct probe *probe, double same, double other)
{
    bool valid;
    for (int i = 0; i < 64; i++) {
        double least = fmin(same, other), most = fmax(same, other);
        if (most / least < PRECISION || (probe->axis->whole && most - least <= 1.0))
            break;
        double middle = sqrt(same * other);
        if (probe->axis->whole)
            middle = fmax(floor(middle), least + 1.0);
        if (differs(probe, middle, &valid))
            other = middle;
        else
            same = middle;
    }
    return other;
}

/* The value that many doublings away; NAN where the axis ends. */
static double doubled(const struct probe *probe, double now, bool upward, int doublings,
                      double last)
{
    double value = upward ? now * exp2(doublings) : now / exp2(doublings);
    if (probe->axis->whole)
        value = floor(value);
    if (!probe->axis->doublings)
        value = fmin(value, probe->axis->most);
    bool inside = value >= probe->axis->least && value <= probe->axis->most;
    return inside && (upward ? value > last : value < last) ? value : (double)NAN;
}

static struct move search(struct probe *probe, double now, bool upward)
{
    struct move move = {.axis = probe->axis->name, .from = now, .at = NAN, .upward = upward};
    double last = now;
    for (int i = 1; i <= DOUBLINGS; i++) {
        double value = doubled(probe, now, upward, i, last);
        if (isnan(value))
            break;
        bool valid;
        bool changed = differs(probe, value, &valid);
        if (changed) {
            move.at = probe->axis->doublings ? value : bisect(probe, last, value);
            move.to_regime = probe->regime;
            move.to_class = probe->class;
            return move;
        }
        if (!valid)
            break;
        last = value;
    }
    return move;
}

/* The sampler has two places: the other one. */
static struct move move_sampler(const struct problem *problem, const struct core *here)
{
    struct problem other = *problem;
    bool host = problem->dep.sampler == SAMPLER_HOST;
    struct move move = {.axis = "sampler", .from = NAN, .at = NAN, .upward = !host};
    move.from_text = host ? "host" : "device";
    other.dep.sampler = host ? SAMPLER_DEVICE : SAMPLER_HOST;
    struct core core;
    core_compute(&other, NULL, &core);
    if (core.regime == here->regime)
        return move;
    move.to_text = host ? "device" : "host";
    move.to_regime = core.regime;
    move.to_class = core.dominant.class;
    return move;
}

int moves_find(const struct problem *problem, const struct prepared *prep, const struct core *here,
               struct move *ret_moves)
{
    int n = 0;
    struct problem from = *problem;
    struct prepared own = *prep;
    own.prefills = NULL; /* those of another part or model are not of this deployment */
    /* An open loop has in flight what Little's law says, not what a closed loop was asked for. */
    if (!isnan(problem->load.request_rate))
        from.load.concurrency = fmax(round(here->cycle.concurrency * load_replicas(problem)), 1.0);
    for (size_t i = 0; i < ARRAY_LEN(AXES); i++) {
        struct probe probe = {
            .problem = &from, .prep = &own, .axis = &AXES[i], .work = own, .from = here->regime};
        double now = AXES[i].now(&from);
        ret_moves[n++] = search(&probe, now, true);
        ret_moves[n++] = search(&probe, now, false);
    }
    ret_moves[n++] = move_sampler(problem, here);
    return n;
}
