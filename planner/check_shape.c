/*
 * check_shape.c - what must divide, and where engines pad, copy or cut unevenly instead.
 *
 * Sources: vLLM: model_executor/layers/{linear,vocab_parallel_embedding}.py (divide(), padding to
 *          64), layers/fused_moe/config.py (intermediate_size % tp_size), expert_map_manager.py
 *          (uneven experts), quantization/{fp8,awq,gptq_marlin,moe_wna16,mxfp4}.py (groups and
 *          blocks), distributed/utils.py (uneven and stated stages), config/model.py and
 *          config/parallel.py (decode context parallel); SGLang: the same layers, expert parallel
 *          needs num_experts % ep_size == 0; TensorRT-LLM: pad_vocab_size(vocab, tp),
 *          moe_ep_size divides the experts; TGI: uneven shards of the embedding.
 */
#include "check_shape.h"

#include <math.h>
#include <string.h>

#include "memory_engine.h"
#include "parallel.h"

static bool divides(double part, double whole)
{
    return part > 0.0 && fmod(whole, part) == 0.0;
}

/* What every check of a shape says: `whole` is cut `part` ways. */
static void set_shape(struct check *check, bool passes, double part, double whole,
                      const char *detail)
{
    check->verdict = passes ? CHECK_PASS : CHECK_FAIL;
    check->limit = whole;
    check->predicted = part;
    check->basis = BASIS_DERIVED;
    check->detail = detail;
    check->figure[0] = part;
    check->figure[1] = whole;
}

/* The n-th mixer of a model, counted over its groups; NULL past the last one. */
static const struct mixer *mixer_at(const struct model *model, int n)
{
    for (int i = 0; i < model->n_groups; i++) {
        if (n < model->groups[i].n_mixers)
            return &model->groups[i].mixers[n];
        n -= model->groups[i].n_mixers;
    }
    return NULL;
}

/* The same of its feed-forward blocks. */
static const struct ffn *ffn_at(const struct model *model, int n)
{
    for (int i = 0; i < model->n_groups; i++) {
        if (n < model->groups[i].n_ffns)
            return &model->groups[i].ffns[n];
        n -= model->groups[i].n_ffns;
    }
    return NULL;
}

/* Heads ---------------------------------------------------------------------------------------- */

struct head_count {
    double n;
    const char *what;
};

/* What tensor parallel ranks share of a mixer, by heads; at most two counts. */
static int head_counts(const struct mixer *mixer, struct head_count ret_counts[2])
{
    switch (mixer->kind) {
    case MIXER_GATED_DELTA:
        ret_counts[0] = (struct head_count){mixer->k_heads, "key heads of the delta net"};
        ret_counts[1] = (struct head_count){mixer->v_heads, "value heads of the delta net"};
        return 2;
    case MIXER_MAMBA1:
        ret_counts[0] = (struct head_count){mixer->inner_dim, "channels of the state space"};
        return 1;
    case MIXER_MAMBA2:
        ret_counts[0] = (struct head_count){mixer->n_heads, "heads of the state space"};
        return 1;
    case MIXER_SHORT_CONV:
        return 0;
    case MIXER_FULL:
    case MIXER_WINDOW:
    case MIXER_CHUNKED:
    case MIXER_MLA:
    case MIXER_SWA_LATENT:
    case MIXER_CSA:
    case MIXER_HCA:
    case MIXER_CROSS:
    case MIXER_KDA:
    case MIXER_LIGHTNING:
    case MIXER_KIND_COUNT:
        break;
    }
    ret_counts[0] = (struct head_count){mixer->n_heads, "attention heads"};
    return 1;
}

/* Says what a mixer's heads come to, unless another's said so before; false when they do not
 * divide. */
static bool say_heads(const struct mixer *mixer, double tp, bool *any, struct check *check)
{
    struct head_count counts[2];
    int n = head_counts(mixer, counts);
    for (int k = 0; k < n; k++) {
        bool fits = divides(tp, counts[k].n);
        if (*any && fits)
            continue;
        *any = true;
        check->name[0] = counts[k].what;
        set_shape(check, fits, tp, counts[k].n,
                  fits ? "tp {wA} divides the {wB} {ss}"
                       : "tp {wA} does not divide the {wB} {ss}: the engine refuses to start");
        if (!fits)
            return false;
    }
    return true;
}

bool check_heads(const struct problem *problem, struct check *check)
{
    const struct mixer *mixer;
    bool any = false, fits = true;
    for (int i = 0; fits && (mixer = mixer_at(problem->model, i)) != NULL; i++)
        fits = say_heads(mixer, problem->dep.tp, &any, check);
    return any;
}

/* The sentence about `heads` KV heads on tp ranks. */
static const char *kv_heads_text(double tp, double heads, bool latent)
{
    if (latent)
        return "one latent serves all heads: it is whole on each of the {wA} ranks, and dp divides "
               "it where tp cannot";
    if (divides(tp, heads))
        return "tp {wA} divides the {wB} KV heads";
    if (divides(heads, tp))
        return "tp {wA} is a multiple of the {wB} KV heads: each is copied evenly, and a device's "
               "cache stops shrinking at tp {wB}";
    return "tp {wA} neither divides the {wB} KV heads nor is a multiple of them: the engine "
           "refuses "
           "to start";
}

bool check_kv_heads(const struct problem *problem, struct check *check)
{
    const struct mixer *mixer;
    double tp = problem->dep.tp;
    bool any = false, fits = true;
    for (int i = 0; fits && (mixer = mixer_at(problem->model, i)) != NULL; i++) {
        double heads = mixer->n_kv_heads;
        bool latent = mixer->kv_replicated && mixer->cached_per_token > 0.0;
        if (!latent && heads <= 0.0)
            continue;
        fits = latent || divides(tp, heads) || divides(heads, tp);
        if (!any || !fits)
            set_shape(check, fits, tp, latent ? 1.0 : heads, kv_heads_text(tp, heads, latent));
        any = true;
    }
    return any;
}

/* Vocabulary ----------------------------------------------------------------------------------- */

/* Rows that vLLM and SGLang pad an embedding to. */
#define VOCABULARY_MULTIPLE 64.0

bool check_vocabulary(const struct problem *problem, struct check *check)
{
    double tp = problem->dep.tp, vocab = problem->model->vocab, padded = vocab;
    bool any_padding = false;
    switch (problem->dep.engine->memory_rule) {
    case MEMORY_VLLM:
    case MEMORY_SGLANG:
        padded = ceil(vocab / VOCABULARY_MULTIPLE) * VOCABULARY_MULTIPLE;
        break;
    case MEMORY_TRTLLM:
    case MEMORY_TGI:
        any_padding = true;
        padded = ceil(vocab / tp) * tp;
        break;
    case MEMORY_LLAMACPP:
    case MEMORY_RULE_COUNT:
        return false;
    }
    bool fits = any_padding || divides(tp, padded);
    const char *detail = "tp {wA} divides the {wB} rows of the vocabulary";
    if (!fits)
        detail = "tp {wA} does not divide the {wB} rows of the vocabulary, {wC} with the engine's "
                 "padding to 64: it refuses to start";
    else if (padded > vocab)
        detail = "the engine pads the {wB} rows of the vocabulary to {wC}, which tp {wA} divides";
    set_shape(check, fits, tp, vocab, detail);
    check->figure[2] = padded;
    return true;
}

/* Widths --------------------------------------------------------------------------------------- */

bool check_width(const struct problem *problem, struct check *check)
{
    const struct ffn *ffn;
    double tp = problem->dep.tp;
    bool any = false, fits = true;
    for (int i = 0; fits && (ffn = ffn_at(problem->model, i)) != NULL; i++) {
        bool dense = ffn->kind == FFN_DENSE;
        double width = dense ? ffn->width : ffn->shared_width;
        if (width <= 0.0)
            continue;
        fits = divides(tp, width);
        if (any && fits)
            continue;
        any = true;
        check->name[0] = dense ? "intermediate width" : "width of the shared experts";
        check->figure[2] = width / tp;
        set_shape(check, fits, tp, width,
                  fits ? "tp {wA} cuts the {ss} of {wB} into {wC}"
                       : "tp {wA} does not divide the {ss} of {wB}: the engine refuses to start");
    }
    return any;
}

static const struct ffn *first_moe(const struct model *model)
{
    const struct ffn *ffn;
    for (int i = 0; (ffn = ffn_at(model, i)) != NULL; i++)
        if (ffn->kind == FFN_MOE)
            return ffn;
    return NULL;
}

static bool is_format(const struct weight_format *format, const char *id)
{
    return format != NULL && strcmp(format->id, id) == 0;
}

bool check_expert_width(const struct problem *problem, struct check *check)
{
    const struct ffn *moe = first_moe(problem->model);
    if (moe == NULL)
        return false;
    double ways = ranks_of(&problem->dep).expert_tp;
    bool padded = is_format(role_format(&problem->dep, ROLE_EXPERT), "mxfp4");
    bool fits = padded || divides(ways, moe->expert_width);
    const char *detail = "an expert's width of {wB} is cut {wA} ways into {wC}";
    if (!fits)
        detail = "an expert's width of {wB} is cut {wA} ways, which does not divide it: the "
                 "engine refuses to start; expert parallelism keeps experts whole";
    else if (ways == 1.0)
        detail = "every expert is whole on its device: its width of {wB} is not cut";
    else if (padded)
        detail = "an expert's width of {wB} is cut {wA} ways; mxfp4 kernels pad the parts";
    check->figure[2] = moe->expert_width / ways;
    set_shape(check, fits, ways, moe->expert_width, detail);
    return true;
}

/* Groups and blocks of a format ---------------------------------------------------------------- */

/*
 * Weights that share a scale: `in` of them along a matrix's input, `out` along its output; 1 = any.
 * An expert's own block where engines split its groups (moe_wna16 halves them down to 32).
 */
struct block_rule {
    const char *format;
    double in, out, expert_in, expert_out;
};

static const struct block_rule BLOCKS[] = {
    {"fp8_block", 128, 128, 128, 128},
    {"awq", 128, 1, 32, 1},
    {"gptq", 128, 1, 32, 1},
    {"gptq_asym", 128, 1, 32, 1},
    {"gptq_g32", 32, 1, 32, 1},
    {"gptq_int8", 128, 1, 32, 1},
    {"int4", 32, 1, 32, 1},
    {"int4_g128", 128, 1, 32, 1},
    {"nvfp4", 16, 1, 16, 1},
    {"mxfp8", 32, 1, 32, 1},
    {"mxfp6", 32, 1, 32, 1},
};

static const struct block_rule *block_rule(const struct weight_format *format)
{
    for (size_t i = 0; i < ARRAY_LEN(BLOCKS); i++)
        if (is_format(format, BLOCKS[i].format))
            return &BLOCKS[i];
    return NULL;
}

/* A width that a rank gets, the block it must be a multiple of, and whose it is. */
struct cut {
    double width, block;
    const char *what;
};

/* The first width that its block does not divide wins, else the narrowest in blocks. */
static void offer(struct cut *worst, double width, double block, const char *what)
{
    if (width <= 0.0 || (worst->what != NULL && !divides(worst->block, worst->width)))
        return;
    bool narrower = worst->what == NULL || width / block < worst->width / worst->block;
    if (narrower || !divides(block, width))
        *worst = (struct cut){width, block, what};
}

static void offer_mixer(const struct problem *problem, const struct mixer *mixer, struct cut *worst)
{
    const struct block_rule *rule = block_rule(role_format(&problem->dep, ROLE_ATTENTION));
    double tp = problem->dep.tp;
    if (rule == NULL || problem->model->native_experts_only)
        return;
    for (int i = 0; i < mixer->n_linears; i++) {
        const struct linear *linear = &mixer->linears[i];
        if (linear->shard == SHARD_ROWS)
            offer(worst, linear->k / tp, rule->in, "input of an attention projection");
    }
    if (mixer->kv_replicated || mixer->n_kv_heads <= 0.0 || mixer->k_dim <= 0.0)
        return;
    offer(worst, mixer->n_heads * mixer->k_dim / tp, rule->out, "output of the query projection");
    offer(worst, mixer->n_kv_heads * mixer->k_dim / fmin(tp, mixer->n_kv_heads), rule->out,
          "output of the key projection");
}

static void offer_ffn(const struct problem *problem, const struct ffn *ffn, struct cut *worst)
{
    const struct deployment *dep = &problem->dep;
    const struct block_rule *rest = block_rule(role_format(dep, ROLE_DENSE_FFN));
    const struct block_rule *experts = block_rule(role_format(dep, ROLE_EXPERT));
    double width = ffn->kind == FFN_DENSE ? ffn->width : ffn->shared_width;
    if (rest != NULL && !problem->model->native_experts_only)
        offer(worst, width / dep->tp, fmax(rest->in, rest->out),
              ffn->kind == FFN_DENSE ? "intermediate width" : "width of the shared experts");
    if (experts != NULL && ffn->kind == FFN_MOE)
        offer(worst, ffn->expert_width / ranks_of(dep).expert_tp,
              fmax(experts->expert_in, experts->expert_out), "width of an expert");
}

bool check_blocks(const struct problem *problem, struct check *check)
{
    const struct model *model = problem->model;
    struct cut worst = {.what = NULL};
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        for (int j = 0; j < group->n_mixers; j++)
            offer_mixer(problem, &group->mixers[j], &worst);
        for (int j = 0; j < group->n_ffns; j++)
            offer_ffn(problem, &group->ffns[j], &worst);
    }
    if (worst.what == NULL)
        return false;
    bool fits = divides(worst.block, worst.width);
    set_shape(check, fits, worst.width, worst.block,
              fits ? "a rank's {ss} of {wA} is a multiple of the {st} block of {wB}"
                   : "a rank's {ss} of {nA} is no multiple of the {st} block of {wB}: the engine "
                     "refuses the weights");
    check->name[0] = worst.what;
    check->name[1] = problem->dep.weights->id;
    return true;
}

/* Stages and experts --------------------------------------------------------------------------- */

/* Stages as stated ("20,20,21,19"): one number for each, all layers together. */
static void judge_stages(const struct problem *problem, struct check *check)
{
    double stated[MEMORY_DEVICES_MAX], sum = 0.0, most = 0.0;
    double pp = problem->dep.pp, layers = problem->model->n_layers;
    int n = memory_list(problem->dep.pp_layers, stated, MEMORY_DEVICES_MAX);
    for (int i = 0; i < n; i++) {
        sum += stated[i];
        most = fmax(most, stated[i]);
    }
    const char *detail =
        "pp_layers gives all {wB} layers to pp {wA} stages, the longest holds {wC}";
    if (n != pp)
        detail = "pp_layers states {wD} stages and pp is {wA}: the engine refuses to start";
    else if (sum != layers)
        detail = "pp_layers states {wE} layers in all and the model has {wB}: the engine refuses "
                 "to start";
    set_shape(check, n == pp && sum == layers, pp, layers, detail);
    check->figure[2] = most;
    check->figure[3] = n;
    check->figure[4] = sum;
}

bool check_layers(const struct problem *problem, struct check *check)
{
    double pp = problem->dep.pp, layers = problem->model->n_layers;
    if (problem->dep.pp_layers != NULL) {
        judge_stages(problem, check);
        return true;
    }
    const char *detail = "pp {wA} divides the {wB} layers";
    if (pp > layers)
        detail = "pp {wA} is more stages than the {wB} layers: a stage would be empty";
    else if (!divides(pp, layers))
        detail = "pp {wA} does not divide the {wB} layers: the stages are uneven, the longest "
                 "holds {wC} and decides memory and time";
    set_shape(check, pp <= layers, pp, layers, detail);
    check->figure[2] = ceil(layers / pp);
    return true;
}

/* vLLM spreads experts over every rank or over none, and unevenly where they do not divide. */
static bool check_experts_vllm(const struct deployment *dep, double experts, struct check *check)
{
    double all = dep->tp * dep->dp;
    bool launchable = dep->ep == 1.0 || dep->ep == all;
    const char *detail = "ep {wA} divides the {wB} experts";
    if (!launchable)
        detail = "vLLM spreads experts over all {wC} ranks (tp x dp) or none: ep {wA} cannot be "
                 "launched";
    else if (dep->ep > experts)
        detail = "ep {wA} is more ranks than the {wB} experts: some would hold none";
    else if (!divides(dep->ep, experts))
        detail = "ep {wA} does not divide the {wB} experts: the ranks are uneven, the busiest "
                 "decides; load balancing of experts is refused";
    set_shape(check, launchable && dep->ep <= experts, dep->ep, experts, detail);
    check->figure[2] = all;
    return true;
}

bool check_experts(const struct problem *problem, struct check *check)
{
    const struct ffn *moe = first_moe(problem->model);
    const struct deployment *dep = &problem->dep;
    if (moe == NULL)
        return false;
    if (dep->engine->memory_rule == MEMORY_VLLM)
        return check_experts_vllm(dep, moe->n_experts, check);
    bool fits = divides(dep->ep, moe->n_experts) && divides(dep->ep, dep->tp * dep->dp);
    const char *detail = "ep {wA} divides the {wB} experts";
    if (!divides(dep->ep, moe->n_experts))
        detail = "ep {wA} does not divide the {wB} experts: the engine refuses to start";
    else if (!fits)
        detail = "ep {wA} does not divide the {wC} ranks (tp x dp)";
    set_shape(check, fits, dep->ep, moe->n_experts, detail);
    check->figure[2] = dep->tp * dep->dp;
    return true;
}

/* Decode context parallel ---------------------------------------------------------------------- */

/* KV heads that ranks keep copies of; 0 where a rank keeps a latent whole, or nothing. */
static double copied_heads(const struct model *model)
{
    const struct mixer *mixer;
    double heads = 0.0;
    for (int i = 0; (mixer = mixer_at(model, i)) != NULL; i++)
        if (!mixer->kv_replicated)
            heads = fmax(heads, mixer->n_kv_heads);
    return heads;
}

/* vLLM cuts a context over ranks that would keep the same heads: dcp is at most the copies. */
bool check_context(const struct problem *problem, struct check *check)
{
    const struct deployment *dep = &problem->dep;
    double heads = copied_heads(problem->model);
    double copies = heads > 0.0 ? floor(dep->tp / heads) : dep->tp;
    if (!(dep->dcp > 1.0) || dep->engine->memory_rule != MEMORY_VLLM)
        return false;
    const char *detail = "dcp {wA} divides tp {wB}";
    if (!divides(dep->dcp, dep->tp))
        detail = "dcp {wA} does not divide tp {wB}: the engine refuses to start";
    else if (dep->dcp > copies)
        detail =
            "dcp {wA} shares a context among ranks that hold the same KV heads: tp {wB} is not "
            "{wA} times the {wC} heads, and the engine refuses to start";
    set_shape(check, divides(dep->dcp, dep->tp) && dep->dcp <= copies, dep->dcp, dep->tp, detail);
    check->figure[2] = heads;
    return true;
}
