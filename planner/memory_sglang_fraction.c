#include <math.h>
#include <stddef.h>
#include <string.h>

#include "memory_sglang.h"
#include "units.h"

#define MIB_PER_GIB 1024.0
#define GRAPH_RANKS 4.0

/* The first version of each way to reckon. */
static const int BY_PART[3] = {0, 4, 7}, BY_CHUNK[3] = {0, 5, 4}, PREFILL_GRAPHS[3] = {0, 5, 12};

/* ---- to 0.4.6: by ranks */

static double by_ranks(double ranks)
{
    static const struct {
        double ranks, fraction;
    } ROWS[] = {{16, 0.79}, {8, 0.81}, {4, 0.85}, {2, 0.87}, {0, 0.88}};

    size_t i = 0;
    while (ranks < ROWS[i].ranks)
        i++;
    return ROWS[i].fraction;
}

/* ---- to 0.5.3: by the size of the part, GiB */

static double reserve_by_part(const struct deployment *dep, double ranks, double total_gib)
{
    static const struct {
        double below_gib, reserve_gib, each_gib;
    } ROWS[] = {{35, 2.8, 0.1}, {90, 9.5, 0.5}, {160, 12, 0.5}, {INFINITY, 32, 0}};

    size_t i = 0;
    while (total_gib >= ROWS[i].below_gib)
        i++;
    double reserve = ROWS[i].reserve_gib + ROWS[i].each_gib * ranks;
    if (dep->spec_method == SPEC_DRAFT_MODEL)
        reserve += 6.0;
    else if (dep->spec_method != SPEC_NONE)
        reserve += 2.0;
    return (reserve + (dep->dp > 1.0 ? 4.0 : 0.0)) * MIB_PER_GIB;
}

/* ---- from 0.5.4: by chunk and graphs, MiB */

static double graph_batch(const struct deployment *dep, double ranks, double total_gib)
{
    static const struct {
        double below_gib, few, many, few_before, many_before;
    } ROWS[] = {{20, 8, 8, 8, 8},
                {35, 48, 160, 24, 80},
                {60, 32, 160, 32, 160},
                {160, 256, 512, 256, 512},
                {INFINITY, 512, 512, 512, 512}};

    bool before = engine_version_compare(dep->version, PREFILL_GRAPHS) < 0;
    size_t i = 0;
    if (!dep->cuda_graphs)
        return 0.0;
    if (dep->graph_max_batch > 0.0)
        return dep->graph_max_batch;
    while (total_gib >= ROWS[i].below_gib)
        i++;
    if (ranks < GRAPH_RANKS)
        return before ? ROWS[i].few_before : ROWS[i].few;
    return before ? ROWS[i].many_before : ROWS[i].many;
}

/* Sizes of captured prompts up to the chunk: every 4 to 32, 16 to 256, 32 to 512, 64 to 1,024, 256
 * to 4,096, 512 beyond. */
static double prefill_graphs(double chunk)
{
    static const struct {
        double from, to, step;
    } ROWS[] = {{0, 32, 4},      {32, 256, 16},     {256, 512, 32},
                {512, 1024, 64}, {1024, 4096, 256}, {4096, INFINITY, 512}};

    double sizes = 0.0;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]) && chunk > ROWS[i].from; i++)
        sizes += floor((fmin(chunk, ROWS[i].to) - ROWS[i].from) / ROWS[i].step);
    return sizes;
}

static double reserve_by_chunk(const struct deployment *dep, const struct model *model,
                               const struct hardware *hw, double ranks, double total_gib)
{
    double chunk = dep->chunked_prefill_tokens > 0.0 ? dep->chunked_prefill_tokens : 16384.0;
    double batch = graph_batch(dep, ranks, total_gib);
    double reserve = 512.0 + 1.5 * fmax(chunk, 2048.0) + 128.0 * ranks + 2.0 * batch;
    bool captures = engine_version_compare(dep->version, PREFILL_GRAPHS) >= 0 && dep->cuda_graphs &&
                    hw->vendor != NULL && strcmp(hw->vendor, "nvidia") == 0;
    if (dep->dp > 1.0)
        reserve += batch * dep->dp * (batch > 300.0 ? 4.5 : 3.0);
    if (captures)
        reserve += model->has_mla ? 1536.0 : 8.0 * prefill_graphs(chunk);
    return total_gib > 60.0 ? fmax(reserve, 10.0 * MIB_PER_GIB) : reserve;
}

/* Models with a vision tower leave more, by its size over that of ViT-L/14. */
static double vision_factor(const struct deployment *dep, const struct model *model)
{
    const double vit_l = 12.0 * 24.0 * 1024.0 * 1024.0;
    if (model->vision_params <= 0.0 || dep->text_only)
        return 1.0;
    double size = 1.0 - 0.1 * (model->vision_params / vit_l - 1.0);
    return 0.95 * fmax(0.8, fmin(1.05, size));
}

double memory_sglang_fraction(const struct deployment *dep, const struct model *model,
                              const struct hardware *hw)
{
    /* With attention data parallel the engine's tensor-parallel group is all of its devices. */
    double ranks = dep->tp * dep->pp * dep->dp;
    double total = hw->memory_bytes / BYTES_PER_MIB;
    double total_gib = total / MIB_PER_GIB;
    if (engine_version_compare(dep->version, BY_PART) < 0)
        return by_ranks(dep->tp * dep->dp);
    double reserve = engine_version_compare(dep->version, BY_CHUNK) < 0
                         ? reserve_by_part(dep, ranks, total_gib)
                         : reserve_by_chunk(dep, model, hw, ranks, total_gib);
    double fraction = round((total - reserve) / total * 1000.0) / 1000.0;
    return fmax(fraction * vision_factor(dep, model), 0.01);
}
