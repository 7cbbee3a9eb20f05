#include "surface.h"

#include <math.h>

#include "load.h"

/* Points are 1, 2, 4, 8, 16, 32 rows; from there on there are two to a doubling. */
#define GRID_DENSE 5
#define GRID_DENSE_ROWS 32.0

static double grid_rows(int i)
{
    if (i <= GRID_DENSE)
        return ldexp(1.0, i);
    int half = i - GRID_DENSE;
    return GRID_DENSE_ROWS * ldexp(half % 2 ? 1.5 : 1.0, half / 2);
}

/* The last grid point at or below that many rows, such that one follows it. */
static int grid_below(double rows)
{
    int exponent;
    double mantissa = frexp(rows, &exponent); /* rows = mantissa 2^exponent, mantissa in [.5, 1) */
    int i = exponent - 1;
    if (i >= GRID_DENSE)
        i = GRID_DENSE + 2 * (i - GRID_DENSE) + (mantissa >= 0.75 ? 1 : 0);
    return i < 0 ? 0 : i > SURFACE_POINTS - 2 ? SURFACE_POINTS - 2 : i;
}

static bool is_attention(int class)
{
    return class == CLASS_DECODE_ATTENTION || class == CLASS_PREFILL_ATTENTION ||
           class == CLASS_STATE_UPDATE || class == CLASS_SPARSE_INDEXER;
}

bool surface_is_once(enum class_id id)
{
    return id == CLASS_KV_TRANSFER || id == CLASS_TOKENIZATION || id == CLASS_DETOKENIZATION;
}

struct split {
    double linear_us, attention_us, host_us, launch_us, serial_us;
};

/* A step's time by what it scales with; what a prompt costs once is left out. */
static struct split split_step(const struct step *step, enum phase phase)
{
    struct split split = {0};
    for (int i = 0; i < CLASS_COUNT; i++) {
        const struct class_cost *cost = &step->classes[i];
        if (!cost->present || (phase == PHASE_PREFILL && surface_is_once((enum class_id)i)))
            continue;
        if (i == CLASS_KERNEL_LAUNCH)
            split.launch_us += cost->time_us;
        else if (CLASSES[i].info.pass == PASS_HOST)
            split.host_us += cost->time_us - cost->serial_us;
        else if (is_attention(i))
            split.attention_us += cost->time_us;
        else
            split.linear_us += cost->time_us;
        split.serial_us += cost->serial_us;
    }
    return split;
}

static struct split decode_split(const struct surface *surface, double rows, double context)
{
    struct step step;
    step_decode(surface->prep, rows, context, &step);
    return split_step(&step, PHASE_DECODE);
}

static struct split prefill_split(const struct surface *surface, double tokens)
{
    struct step step;
    step_prefill(surface->prep, tokens, 0.0, &step);
    return split_step(&step, PHASE_PREFILL);
}

void surface_begin(const struct prepared *prep, double rows, double chunk_tokens,
                   struct surface *ret_surface)
{
    struct surface *surface = ret_surface;
    const struct workload *load = &prep->problem->load;
    double input = load_new_tokens(prep->problem), chunk = chunk_tokens;
    *surface = (struct surface){.prep = prep};
    surface->context_tokens = load_mean_input(load) + load_mean_output(load) / 2.0;
    for (int i = 0; i < SURFACE_POINTS; i++)
        surface->decode_us[i] = surface->chunk_us[i] = NAN;
    double context = surface->context_tokens, many = fmax(rows, 2.0);
    struct split one = decode_split(surface, 1.0, context);
    struct split all = decode_split(surface, many, context);
    struct split longer = decode_split(surface, many, context * 1.1);
    surface->token_us =
        fmax((longer.attention_us - all.attention_us) / (many * context * 0.1), 0.0);
    surface->row_us = fmax(
        (all.attention_us - one.attention_us) / (many - 1.0) - surface->token_us * context, 0.0);
    surface->base_us = fmax(one.attention_us - surface->row_us - surface->token_us * context, 0.0);
    surface->launch_us = one.launch_us;
    surface->host_row_us = (all.host_us - one.host_us) / (many - 1.0);
    surface->host_us = one.host_us - surface->host_row_us;
    surface->serial_row_us = (all.serial_us - one.serial_us) / (many - 1.0);
    surface->serial_us = one.serial_us - surface->serial_row_us;
    /* attention of a whole prompt = pieces x piece + n x new + n^2/2 x pair */
    double half = fmax(input / 2.0, 1.0), whole = half * 2.0;
    surface->piece_us = prefill_split(surface, 1.0).attention_us;
    double at_half =
        prefill_split(surface, half).attention_us - ceil(half / chunk) * surface->piece_us;
    double at_whole =
        prefill_split(surface, whole).attention_us - ceil(whole / chunk) * surface->piece_us;
    surface->pair_us = fmax((at_whole - 2.0 * at_half) / (half * half), 0.0);
    surface->new_us = fmax((at_whole - surface->pair_us * whole * whole / 2.0) / whole, 0.0);
}

static double on_line(int i, const double *values, double rows)
{
    double low = grid_rows(i), high = grid_rows(i + 1);
    return values[i] + (values[i + 1] - values[i]) * (rows - low) / (high - low);
}

/* Time of a decode step, attention apart. */
static double decode_linear(struct surface *surface, double rows)
{
    int i = grid_below(rows);
    for (int j = i; j <= i + 1; j++)
        if (isnan(surface->decode_us[j]))
            surface->decode_us[j] =
                decode_split(surface, grid_rows(j), surface->context_tokens).linear_us;
    return on_line(i, surface->decode_us, rows);
}

/* The same of a step with prompt tokens; its launches beside it. */
static double chunk_linear(struct surface *surface, double rows, double *ret_launch_us)
{
    int i = grid_below(rows);
    for (int j = i; j <= i + 1; j++) {
        if (!isnan(surface->chunk_us[j]))
            continue;
        struct step step;
        step_prefill(surface->prep, grid_rows(j), 0.0, &step);
        struct split split = split_step(&step, PHASE_PREFILL);
        surface->chunk_us[j] = split.linear_us;
        surface->chunk_launch_us[j] = split.launch_us;
    }
    *ret_launch_us = on_line(i, surface->chunk_launch_us, rows);
    return on_line(i, surface->chunk_us, rows);
}

/* Device and host of a step, one after the other as far as nothing overlaps. */
static double critical_path(const struct surface *surface, double device_us, double launch_us,
                            double rows)
{
    double host = surface->host_us + rows * surface->host_row_us;
    double serial = surface->serial_us + rows * surface->serial_row_us;
    if (surface->prep->problem->dep.async_scheduling)
        return fmax(device_us, host + launch_us) + serial;
    return fmax(device_us, launch_us) + host + serial;
}

static double decode_attention(const struct surface *surface, double rows, double context)
{
    return surface->base_us + rows * surface->row_us + context * surface->token_us;
}

double surface_decode(struct surface *surface, double rows, double context)
{
    double device = decode_linear(surface, rows) + decode_attention(surface, rows, context);
    return critical_path(surface, device, surface->launch_us, rows);
}

double surface_mixed(struct surface *surface, double rows, double context, double fresh,
                     double prompt_us)
{
    const struct prepared *prep = surface->prep;
    double launch_us;
    double device =
        chunk_linear(surface, fmax(rows * prep->spec_rows + fresh, 1.0), &launch_us) + prompt_us;
    if (rows > 0.0)
        device += prep->prefill_factor * decode_attention(surface, rows, context);
    return critical_path(surface, device, launch_us, rows);
}

double surface_piece(const struct surface *surface, double fresh, double before)
{
    return surface->piece_us + fresh * surface->new_us +
           (fresh * fresh / 2.0 + fresh * before) * surface->pair_us;
}
