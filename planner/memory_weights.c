/*
 * memory_weights.c - weights of one rank of one pipeline stage.
 *
 * Matrices divide over the tensor-parallel ranks, projections of KV heads over min(tp, n_kv);
 * norms, biases, latents' down-projections and routers are whole on each. The first stage holds the
 * embedding, the last the head and the draft. Rotary tables (positions x rotary width, sine and
 * cosine) are registered buffers of every rank: Llama-3.1-8B is 14.9575 GiB of parameters and 32
 * MiB of table, and vLLM prints 14.9888 (github.com/vllm-project/vllm/issues/10517).
 */
#include <math.h>

#include "exact_weights.h"
#include "memory_engine.h"
#include "units.h"

#define VOCABULARY_PAD 64.0
/* --max-lora-rank of vLLM where nobody sets it. */
#define LORA_RANK 16.0
/* Rotary tables are at most this wide: wider heads rotate a part. */
#define ROTARY_WIDTH_MAX 128.0
/* Attention with an output gate rotates a quarter of its 256 (partial_rotary_factor of Qwen3-Next
 * and Qwen3.5). */
#define GATED_ROTARY_SHARE 0.25
#define SINGLE_BYTES 4.0
/* Multimodal rotary embeddings hold four times the positions (M-RoPE of Qwen2-VL and later). */
#define MROPE_POSITIONS 4.0
/* An MXFP4 weight: 4 bits and 8 bits of scale for 32. */
#define MXFP4_SCALE_BYTES (1.0 / 32.0)
#define MXFP4_BYTES (0.5 + MXFP4_SCALE_BYTES)
/* How far off recipes of one name are: matrices left in 16 bits, padding, scales. */
#define PLAIN_SPREAD 0.003
#define QUANTISED_LOW 0.97
#define QUANTISED_HIGH 1.06
/* EAGLE-3 heads: a vocabulary of 32,000 and three hidden states joined (arXiv:2503.01840); EAGLE:
 * two (arXiv:2401.15077). */
#define EAGLE3_VOCABULARY 32000.0
/* A draft model of an unknown size over its target, as pairs are published: 1B for 70B to 8B for
 * 27B. */
#define DRAFT_SHARE 0.1
#define DRAFT_SHARE_LOW 0.015
#define DRAFT_SHARE_HIGH 0.3

static double matrices_bytes(const struct problem *problem, const struct linear *linears, int n,
                             double n_kv_heads)
{
    double bytes = 0.0;
    for (int i = 0; i < n; i++)
        bytes += linear_rank_elements(&linears[i], n_kv_heads, problem->dep.tp) *
                 linear_bytes(problem->model, &problem->dep, &linears[i]);
    return bytes;
}

/* Engines absorb a latent's up-projection into the queries: from a quantised checkpoint they keep a
 * second, 16-bit copy of it. */
static double absorbed_bytes(const struct problem *problem, const struct mixer *mixer)
{
    double stored = role_bytes(problem->model, &problem->dep, ROLE_ATTENTION);
    if (mixer->kind != MIXER_MLA || stored >= ACTIVATION_BYTES ||
        role_format(&problem->dep, ROLE_ATTENTION)->gguf)
        return 0.0;
    return mixer->n_heads / problem->dep.tp * (mixer->nope_dim + mixer->v_dim) *
           mixer->kv_lora_rank * ACTIVATION_BYTES;
}

static double padding(double width, double pad)
{
    return pad > 0.0 ? ceil(width / pad) * pad / width : 1.0;
}

/* Bytes of an MXFP4 weight of an expert on the rank: kernels pad the model's width and the
 * expert's own, each to a multiple of its own, and some keep the scales as they were read beside
 * those that they laid out anew. */
static double mxfp4_bytes(const struct memory_case *mc, const struct ffn *ffn, double expert_tp)
{
    double in = ffn->latent > 0.0 ? ffn->latent : mc->problem->model->hidden;
    double padded =
        padding(in, memory_case_value(mc, RULE_EXPERT_PAD)) *
        padding(ffn->expert_width / expert_tp, memory_case_value(mc, RULE_EXPERT_PAD_INNER));
    return MXFP4_BYTES * padded +
           MXFP4_SCALE_BYTES * memory_case_value(mc, RULE_EXPERT_SCALE_COPIES);
}

static double ffn_bytes(const struct memory_case *mc, const struct ffn *ffn)
{
    const struct problem *problem = mc->problem;
    struct ranks ranks = ranks_of(&problem->dep);
    double bytes = matrices_bytes(problem, ffn->linears, ffn->n_linears, 0.0);
    if (ffn->kind != FFN_MOE)
        return bytes;
    double stored = role_bytes(problem->model, &problem->dep, ROLE_EXPERT);
    if (stored == MXFP4_BYTES && !role_format(&problem->dep, ROLE_EXPERT)->gguf)
        stored = mxfp4_bytes(mc, ffn, ranks.expert_tp);
    return bytes + ceil(ffn->n_experts / ranks.ep) * ffn->expert_params * stored / ranks.expert_tp;
}

static double layer_bytes(const struct memory_case *mc, const struct layer_group *group)
{
    double bytes = 0.0;
    for (int i = 0; i < group->n_mixers; i++)
        bytes += matrices_bytes(mc->problem, group->mixers[i].linears, group->mixers[i].n_linears,
                                group->mixers[i].n_kv_heads) +
                 absorbed_bytes(mc->problem, &group->mixers[i]);
    for (int i = 0; i < group->n_ffns; i++)
        bytes += ffn_bytes(mc, &group->ffns[i]);
    return bytes;
}

/* All layers of the model on one rank. */
static double layers_bytes(const struct memory_case *mc)
{
    static const enum role COPIED[] = {ROLE_NORM, ROLE_OTHER, ROLE_LOOKUP};
    const struct model *model = mc->problem->model;
    double bytes = 0.0;
    for (int i = 0; i < model->n_groups; i++)
        bytes += model->groups[i].count * layer_bytes(mc, &model->groups[i]);
    for (size_t i = 0; i < ARRAY_LEN(COPIED); i++)
        bytes += model->params_by_role[COPIED[i]] * role_bytes(model, &mc->problem->dep, COPIED[i]);
    return bytes;
}

static double padded_vocabulary(const struct model *model)
{
    return ceil(model->vocab / VOCABULARY_PAD) * VOCABULARY_PAD / model->vocab;
}

/* Engines that trtllm-build made before 1.0 hold a tied matrix twice: --use_embedding_sharing is
 * off by default (github.com/NVIDIA/TensorRT-LLM, commands/build.py). */
static bool ties_apart(const struct deployment *dep)
{
    return dep->engine->memory_rule == MEMORY_TRTLLM && dep->version[0] < 1;
}

/* The embedding and the head of the stage; a tied matrix lies on the first and on the last. */
static double ends_bytes(const struct memory_case *mc)
{
    const struct model *model = mc->problem->model;
    const struct deployment *dep = &mc->problem->dep;
    double table = model->params_by_role[ROLE_EMBEDDING] *
                   role_bytes(model, dep, model->tied_embedding ? ROLE_LM_HEAD : ROLE_EMBEDDING) /
                   dep->tp;
    double head = model->params_by_role[ROLE_LM_HEAD] * role_bytes(model, dep, ROLE_LM_HEAD) /
                  head_shards(dep);
    double bytes = mc->stage.first ? table : 0.0;
    if (mc->stage.last)
        bytes += model->tied_embedding && (!mc->stage.first || ties_apart(dep)) ? table : head;
    return bytes * padded_vocabulary(model);
}

/* The same without pipeline stages. */
static double whole_bytes(const struct memory_case *mc)
{
    struct memory_case whole = *mc;
    whole.stage =
        (struct memory_stage){.layers = mc->problem->model->n_layers, .first = true, .last = true};
    return layers_bytes(&whole) + ends_bytes(&whole);
}

static void weights_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct problem *problem = mc->problem;
    bool quantised = role_format(&problem->dep, ROLE_DENSE_FFN)->is_quantized;
    double bytes = layers_bytes(mc) * mc->layer_share + ends_bytes(mc);
    double scale = mc->weights_scale;
    const struct exact_weights *file = exact_weights_of(problem->model, &problem->dep);
    bool stated = problem->dep.checkpoint_bytes > 0.0;
    bool exact = stated || (file != NULL && file->source != EXACT_RECIPE);
    if (stated)
        scale *= problem->dep.checkpoint_bytes / (whole_bytes(mc) * problem->dep.tp);
    struct memory_term *term =
        memory_term_set(plan, TERM_WEIGHTS, bytes * scale, BASIS_DERIVED, true);
    if (exact || !quantised) {
        term->low = term->bytes * (1.0 - PLAIN_SPREAD);
        term->high = term->bytes * (1.0 + PLAIN_SPREAD);
        return;
    }
    term->low = term->bytes * QUANTISED_LOW;
    term->high = term->bytes * QUANTISED_HIGH;
}

static double rotary_width(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++)
        for (int j = 0; j < model->groups[i].n_mixers; j++) {
            const struct mixer *mixer = &model->groups[i].mixers[j];
            if (mixer->n_heads <= 0.0 || mixer->state_elements > 0.0)
                continue;
            if (mixer->rope_dim > 0.0)
                return mixer->rope_dim;
            return mixer->output_gate ? mixer->k_dim * GATED_ROTARY_SHARE
                                      : fmin(mixer->k_dim, ROTARY_WIDTH_MAX);
        }
    return 0.0;
}

/* vLLM and TGI hold the tables in the type of the model; SGLang and TensorRT-LLM in 32 bits
 * (github.com/sgl-project/sglang, layers/rotary_embedding.py; github.com/NVIDIA/TensorRT-LLM,
 * functional.py, RopeEmbeddingUtils). */
static double rope_element_bytes(const struct model *model, const struct deployment *dep)
{
    bool single =
        dep->engine->memory_rule == MEMORY_SGLANG || dep->engine->memory_rule == MEMORY_TRTLLM;
    return single ? SINGLE_BYTES : role_bytes(model, dep, ROLE_NORM);
}

static void rope_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    double positions = fmax(problem_positions(mc->problem), 0.0);
    if (model->vision_params > 0.0)
        positions *= MROPE_POSITIONS;
    if (model->learned_positions > 0.0)
        return;
    memory_term_set(plan, TERM_ROPE,
                    positions * rotary_width(model) * rope_element_bytes(model, &mc->problem->dep),
                    BASIS_DERIVED, true);
}

/* One layer of the target's attention beside a dense FFN, the projection that joins the hidden
 * states, and the head of EAGLE-3. */
static double eagle_bytes(const struct model *model, bool third)
{
    double h = model->hidden;
    double attention = 4.0 * h * h;
    double ffn = 3.0 * h * fmax(memory_widest_ffn(model), 2.0 * h);
    double join = (third ? 3.0 : 2.0) * h * h;
    return (attention + ffn + join + (third ? EAGLE3_VOCABULARY * h : 0.0)) * ACTIVATION_BYTES;
}

static void draft_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    const struct deployment *dep = &mc->problem->dep;
    double own = model->mtp_params - model->mtp_copies * model->vocab * model->hidden;
    struct memory_term *term = NULL;
    if (!mc->stage.last)
        return;
    switch (dep->spec_method) {
    case SPEC_MTP:
        memory_term_set(plan, TERM_DRAFT, own * role_bytes(model, dep, ROLE_MTP) / dep->tp,
                        BASIS_DERIVED, true);
        break;
    case SPEC_EAGLE:
    case SPEC_EAGLE3:
    case SPEC_MEDUSA:
        term = memory_term_set(plan, TERM_DRAFT,
                               eagle_bytes(model, dep->spec_method == SPEC_EAGLE3) / dep->tp,
                               BASIS_ASSUMED, true);
        term->low = term->bytes / 2.0;
        term->high = term->bytes * 2.0;
        break;
    case SPEC_DRAFT_MODEL:
        term = memory_term_set(plan, TERM_DRAFT, plan->terms[TERM_WEIGHTS].bytes * DRAFT_SHARE,
                               BASIS_ASSUMED, true);
        term->low = term->bytes * (DRAFT_SHARE_LOW / DRAFT_SHARE);
        term->high = term->bytes * (DRAFT_SHARE_HIGH / DRAFT_SHARE);
        break;
    case SPEC_NONE:
    case SPEC_NGRAM:
        break;
    }
}

/* in + out of each matrix, `in` once per projection that a packed one joins. */
static double adapter_width(const struct linear *linears, int n, double n_kv_heads, double tp)
{
    double width = 0.0;
    for (int i = 0; i < n; i++) {
        const struct linear *linear = &linears[i];
        double packed = 1.0;
        if (linear->n_kv > 0.0)
            packed = 3.0;
        else if (n_kv_heads <= 0.0 && linear->shard == SHARD_COLUMNS)
            packed = 2.0;
        width += packed * linear_rank_k(linear, tp) + linear_rank_n(linear, n_kv_heads, tp);
    }
    return width;
}

/* Adapters of every slot, allocated up front: r (in + out) elements of each target matrix. */
static void lora_term(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    const struct deployment *dep = &mc->problem->dep;
    double rank = dep->max_lora_rank > 0.0 ? dep->max_lora_rank : LORA_RANK;
    double width = 0.0;
    if (!(dep->max_loras > 0.0))
        return;
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++)
            width +=
                group->count * adapter_width(group->mixers[j].linears, group->mixers[j].n_linears,
                                             fmax(group->mixers[j].n_kv_heads, 1.0), dep->tp);
        for (int j = 0; j < group->n_ffns; j++)
            width += group->count *
                     adapter_width(group->ffns[j].linears, group->ffns[j].n_linears, 0.0, dep->tp);
    }
    memory_term_set(plan, TERM_LORA,
                    dep->max_loras * rank * width * mc->layer_share * ACTIVATION_BYTES,
                    dep->max_lora_rank > 0.0 ? BASIS_DERIVED : BASIS_ASSUMED, true);
}

void memory_weight_terms(const struct memory_case *mc, struct memory_plan *plan)
{
    const struct model *model = mc->problem->model;
    const struct deployment *dep = &mc->problem->dep;
    weights_term(mc, plan);
    rope_term(mc, plan);
    draft_term(mc, plan);
    if (model->vision_params > 0.0 && !dep->text_only && mc->stage.first)
        memory_term_set(plan, TERM_VISION,
                        model->vision_params * role_bytes(model, dep, ROLE_VISION) / dep->tp,
                        BASIS_DERIVED, true);
    lora_term(mc, plan);
    if (dep->cpu_offload_bytes > 0.0)
        memory_term_set(plan, TERM_OFFLOADED,
                        -fmin(dep->cpu_offload_bytes, plan->terms[TERM_WEIGHTS].bytes),
                        BASIS_DERIVED, true);
}
