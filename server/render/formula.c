#include "formula.h"

#include <math.h>
#include <string.h>

#include "load.h"
#include "units.h"

/*
 * Letters of the figures:
 *   B sequences on a rank   L context    R rows through a GEMM   N new tokens   C chunks    c
 * cached V vocabulary            H hidden     T tp                    Y layers       I prompt    O
 * answer E experts  K top-k  M MoE layers  D distinct experts touched by Q tokens P parameters of
 * the class on a rank   W bytes of each   G weight bytes of one pass X bytes per sequence   Z bytes
 * per row   S bytes sent   J launches   A drafted tokens h the host constant of the class   i the
 * scheduler's constant per step k what is cached   l what is sent   r " on each device" where there
 * are several
 */
struct formula {
    const char *decode, *prefill;
    enum host_cost host; /* HOST_COST_COUNT: none */
};

#define DEVICE_ONLY .host = HOST_COST_COUNT

static const struct formula FORMULAS[CLASS_COUNT] = {
    [CLASS_DENSE_GEMM] =
        {"{nW} B x {nP} linear parameters{sr}, read once per step, + activations of {wR} rows; "
         "2 FLOP x {nP} x {wR} rows",
         "2 FLOP x {nP} linear parameters{sr} x {wN} tokens; {bG} of weights read in each of {wC} "
         "chunks",
         DEVICE_ONLY},
    [CLASS_LM_HEAD] =
        {"{wV} vocabulary x {wH} hidden x {nW} B{sr}, read once per step, + logits of {wR} rows; "
         "2 FLOP x {nP} x {wR} rows",
         "{wV} vocabulary x {wH} hidden{sr}, for the last token only", DEVICE_ONLY},
    [CLASS_MOE_EXPERT_GEMM] =
        {"{fD} of {wE} experts touched by {wQ} tokens, {wE} x (1 - (1 - {wK}/{wE})^{wQ}), in "
         "each of {wM} MoE layers; the floor counts {wK}; {bG} of expert weights{sr}",
         "{fD} of {wE} experts touched by the {wQ} tokens of a chunk in each of {wM} MoE layers; "
         "{bG} of expert weights{sr} in each of {wC} chunks",
         DEVICE_ONLY},
    [CLASS_MOE_GATING] =
        {"router and permutation of {wR} rows to {wK} of {wE} experts in {wM} layers",
         "router and permutation of {wN} rows to {wK} of {wE} experts in {wM} layers", DEVICE_ONLY},
    [CLASS_DECODE_ATTENTION] =
        {"{wB} sequences x {bX} of {sk}{sr}, read at a context of {wL} tokens", "", DEVICE_ONLY},
    [CLASS_PREFILL_ATTENTION] =
        {"",
         "per layer 2 FLOP x heads x (d_k + d_v) x (n c + n^2/2), n = {wN} new tokens after "
         "c = {wc} cached, each layer within its window",
         DEVICE_ONLY},
    [CLASS_SPARSE_INDEXER] =
        {"{wB} sequences x {bX} of index keys, read at a context of {wL} tokens; 2 FLOP x index "
         "heads x width per key and row",
         "2 FLOP x index heads x width x (n c + n^2/2), n = {wN} new tokens after c = {wc} cached",
         DEVICE_ONLY},
    [CLASS_KV_WRITE] = {"{wR} tokens x {bZ} of {sk}{sr}", "{wN} tokens x {bZ} of {sk}{sr}",
                        DEVICE_ONLY},
    [CLASS_STATE_UPDATE] = {"{wB} sequences x {bX} of recurrent state{sr}, read and written",
                            "{bX} of recurrent state{sr}, read and written in each of {wC} chunks",
                            DEVICE_ONLY},
    [CLASS_NORM_ELEMENTWISE] =
        {"norms, residuals and activations of {wR} rows x {wH} in {wY} layers, where they are "
         "not fused",
         "norms, residuals and activations of {wN} rows x {wH} in {wY} layers, where they are "
         "not fused",
         DEVICE_ONLY},
    [CLASS_COLLECTIVE] = {"{wJ} operations, {bS} sent by each device: {sl} of {wR} rows",
                          "{wJ} operations, {bS} sent by each device: {sl} of {wN} rows",
                          DEVICE_ONLY},
    [CLASS_KV_TRANSFER] = {"{bS} of {sk} over the link",
                           "{bS} of {sk} over the link, once per request", DEVICE_ONLY},
    [CLASS_SAMPLING] = {"passes over {wR} rows x {wV} logits in fp32",
                        "passes over one row of {wV} logits in fp32", DEVICE_ONLY},
    [CLASS_PROCESSORS_DEVICE] = {"further passes over {wR} rows x {wV} logits in fp32",
                                 "further passes over one row of {wV} logits in fp32", DEVICE_ONLY},
    [CLASS_SPECULATIVE_DRAFT] = {"{wA} drafted tokens for each of {wB} sequences", "", DEVICE_ONLY},
    [CLASS_PROCESSORS_HOST] =
        {"token lists of {wB} sequences, up to {wO} tokens x 8 B each, built and sent each step; "
         "log probabilities per row",
         "token lists of one sequence", HOST_PENALTY_NS_PER_ELEMENT},
    [CLASS_HOST_SAMPLING] =
        {"{wR} rows x {wV} vocabulary entries x {nh} ns, one after another, and their logits over "
         "the host link",
         "{wV} vocabulary entries x {nh} ns", HOST_SAMPLER_NS_PER_LOGIT},
    [CLASS_DETOKENIZATION] = {"{wB} tokens x {nh} us", "priming over {sp}: {nh} us per {su}",
                              HOST_DETOKENIZE_US_PER_TOKEN},
    [CLASS_STRUCTURED_OUTPUT] = {"{wB} rows x {nh} us of mask, and the reasoning predicate",
                                 "{nh} us of mask per row, and the reasoning predicate",
                                 HOST_MASK_US_PER_ROW},
    [CLASS_SCHEDULER] = {"{ni} us + {wB} sequences x {nh} us", "({ni} us + {nh} us) x {wC} chunks",
                         HOST_SCHEDULER_US_PER_SEQ},
    [CLASS_KERNEL_LAUNCH] = {"{sg}{nh} us", "{sg}{nh} us", HOST_ISSUE_US},
    [CLASS_SERVER_LOOP] = {"{wB} running sequences x {nh} us",
                           "one sequence x {nh} us x {wC} chunks", HOST_SERVER_LOOP_US_PER_SEQ},
    [CLASS_TOKENIZATION] = {"", "{wI} prompt tokens x {nh} us", HOST_TOKENIZE_US_PER_TOKEN},
};

static const struct ffn *first_moe(const struct model *model)
{
    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_ffns; j++) {
            if (model->groups[i].ffns[j].kind == FFN_MOE)
                return &model->groups[i].ffns[j];
        }
    }
    return NULL;
}

static double moe_layers(const struct model *model)
{
    double layers = 0;

    for (int i = 0; i < model->n_groups; i++) {
        for (int j = 0; j < model->groups[i].n_ffns; j++)
            layers += model->groups[i].ffns[j].kind == FFN_MOE ? model->groups[i].invocations : 0;
    }
    return layers;
}

double formula_experts_touched(const struct model *model, double tokens)
{
    const struct ffn *moe = first_moe(model);

    return moe ? moe->n_experts * (1 - pow(1 - moe->top_k / moe->n_experts, tokens)) : 0;
}

static void set_moe(const struct model *model, double tokens, struct figures *figures)
{
    const struct ffn *moe = model->has_moe ? first_moe(model) : NULL;

    if (!moe)
        return;
    figure_set(figures, 'E', moe->n_experts);
    figure_set(figures, 'K', moe->top_k);
    figure_set(figures, 'M', moe_layers(model));
    figure_set(figures, 'Q', tokens);
    figure_set(figures, 'D', formula_experts_touched(model, tokens));
}

static const char *collective_name(const struct deployment *dep)
{
    if (dep->tp > 1)
        return "all-reduces";
    return dep->dp > 1 ? "expert dispatch and combine" : "stage boundaries";
}

void formula_step(const struct plan *plan, enum phase phase, struct figures *ret_figures)
{
    const struct problem *problem = &plan->problem;
    const struct deployment *dep = &problem->dep;
    const struct step *step = phase == PHASE_DECODE ? &plan->decode : &plan->prefill;
    double new_tokens = load_new_tokens(problem);
    double chunks = fmax(step->chunks, 1);
    bool full = dep->priming == PRIMING_FULL;

    memset(ret_figures, 0, sizeof(*ret_figures));
    figure_set(ret_figures, 'B', step->batch);
    figure_set(ret_figures, 'L', step->context_tokens);
    figure_set(ret_figures, 'R', step->tokens);
    figure_set(ret_figures, 'N', new_tokens);
    figure_set(ret_figures, 'C', chunks);
    figure_set(ret_figures, 'c', problem->load.input_tokens - new_tokens);
    figure_set(ret_figures, 'V', problem->model->vocab);
    figure_set(ret_figures, 'H', problem->model->hidden);
    figure_set(ret_figures, 'T', dep->tp);
    figure_set(ret_figures, 'Y', problem->model->n_layers);
    figure_set(ret_figures, 'I', problem->load.input_tokens);
    figure_set(ret_figures, 'O', problem->load.output_tokens);
    figure_set(ret_figures, 'A', dep->spec_tokens);
    figure_set(ret_figures, 'i', dep->engine->host[HOST_SCHEDULER_US].value * dep->host_cpu_factor);
    figure_name(ret_figures, 'k', problem->model->has_mla ? "latents" : "K and V");
    figure_name(ret_figures, 'l', collective_name(dep));
    figure_name(ret_figures, 'r', dep->tp * dep->pp * dep->dp > 1 ? " on each device" : "");
    figure_name(ret_figures, 'p', full ? "the whole prompt" : "the prompt's tail");
    figure_name(ret_figures, 'u', full ? "token" : "request");
    set_moe(problem->model, phase == PHASE_DECODE ? step->tokens * dep->dp : new_tokens / chunks,
            ret_figures);
}

/* The constant that a host class rests on. */
static enum host_cost host_constant_of(const struct plan *plan, enum phase phase, enum class_id id)
{
    const struct deployment *dep = &plan->problem.dep;

    if (id == CLASS_DETOKENIZATION && phase == PHASE_PREFILL)
        return dep->priming == PRIMING_FULL ? HOST_PRIMING_US_PER_TOKEN : HOST_PRIMING_BOUNDED_US;
    if (id == CLASS_KERNEL_LAUNCH && phase == PHASE_DECODE && dep->cuda_graphs)
        return HOST_GRAPH_LAUNCH_US;
    return FORMULAS[id].host;
}

static void set_class(const struct plan *plan, enum phase phase, enum class_id id,
                      struct figures *figures)
{
    const struct deployment *dep = &plan->problem.dep;
    const struct step *step = phase == PHASE_DECODE ? &plan->decode : &plan->prefill;
    const struct class_cost *cost = &step->classes[id];
    double rows = phase == PHASE_DECODE ? step->tokens : load_new_tokens(&plan->problem);
    double passes = phase == PHASE_DECODE ? 1 : fmax(step->chunks, 1);
    double parameters = rows > 0 ? cost->flops / (FLOPS_PER_MULTIPLY_ADD * rows) : 0;
    enum host_cost host = host_constant_of(plan, phase, id);

    figure_set(figures, 'P', parameters);
    figure_set(figures, 'W', parameters > 0 ? cost->weight_bytes / passes / parameters : 0);
    figure_set(figures, 'G', cost->weight_bytes / passes);
    figure_set(figures, 'X', cost->bytes / (phase == PHASE_DECODE ? fmax(step->batch, 1) : passes));
    figure_set(figures, 'Z', rows > 0 ? cost->bytes / rows : 0);
    figure_set(figures, 'S', cost->link_bytes);
    figure_set(figures, 'J', cost->launches);
    if (host != HOST_COST_COUNT)
        figure_set(figures, 'h', dep->engine->host[host].value * dep->host_cpu_factor);
    figure_name(figures, 'g',
                host == HOST_GRAPH_LAUNCH_US ? "one launch of the captured step, "
                                             : "kernels issued one by one, each ");
}

void formula_class(const struct plan *plan, enum phase phase, enum class_id id,
                   struct figures *figures, struct phrase *phrase)
{
    const struct formula *formula = &FORMULAS[id];

    phrase_begin(phrase);
    set_class(plan, phase, id, figures);
    phrase_fill(phrase, phase == PHASE_DECODE ? formula->decode : formula->prefill, figures);
}
