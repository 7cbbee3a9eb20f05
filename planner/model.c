#include "model.h"

#include <string.h>

#include "ffn.h"
#include "mixer.h"

#define KV_BYTES_PER_ELEMENT 2.0
#define CONV_BYTES_PER_ELEMENT 2.0

static bool fail(struct model_fault *ret_fault, const char *field, const char *need)
{
    ret_fault->field = field;
    ret_fault->need = need;
    return false;
}

/* Zeroes what derive functions add up. */
static void reset_mixer(struct mixer *mixer)
{
    const size_t first = offsetof(struct mixer, linears);
    memset((char *)mixer + first, 0, sizeof(*mixer) - first);
    mixer->tokens_per_entry = 1;
}

static bool derive_mixer(struct mixer *mixer, double hidden, struct model_fault *ret_fault)
{
    if (mixer->kind >= MIXER_KIND_COUNT) {
        return fail(ret_fault, "kind", "is not a known mixer kind");
    }
    const struct mixer_info *info = mixer_info(mixer->kind);
    for (const struct mixer_need *need = info->needs; need->field != NULL; need++) {
        double value;
        memcpy(&value, (const char *)mixer + need->offset, sizeof(value));
        if (!(value > 0)) {
            return fail(ret_fault, need->field, "must be positive for a mixer of this kind");
        }
    }
    reset_mixer(mixer);
    info->derive(mixer, hidden);
    return true;
}

/* The parameters of one layer. */
static void sum_layer(struct layer_group *group)
{
    double params = group->norm_params;
    double idle = 0;
    for (int i = 0; i < group->n_mixers; i++) {
        params += group->mixers[i].linear_params + group->mixers[i].small_params;
    }
    for (int i = 0; i < group->n_ffns; i++) {
        const struct ffn *ffn = &group->ffns[i];
        double expert = ffn->expert_params + ffn->expert_small_params;
        params += ffn->linear_params + ffn->small_params + ffn->n_experts * expert;
        idle += (ffn->n_experts - ffn->top_k) * expert;
    }
    group->layer_params = params;
    group->layer_params_active = params - idle;
}

static bool derive_group(struct layer_group *group, double hidden, struct model_fault *ret_fault)
{
    if (!(group->count > 0)) {
        return fail(ret_fault, "count", "must be positive");
    }
    if (!(group->invocations > 0)) {
        group->invocations = group->count;
    }
    for (int i = 0; i < group->n_mixers; i++) {
        ret_fault->mixer = i;
        if (!derive_mixer(&group->mixers[i], hidden, ret_fault)) {
            return false;
        }
    }
    ret_fault->mixer = -1;
    for (int i = 0; i < group->n_ffns; i++) {
        ret_fault->ffn = i;
        const char *missing = ffn_derive(&group->ffns[i], hidden);
        if (missing != NULL) {
            return fail(ret_fault, missing, "is missing or out of range for an FFN of this kind");
        }
    }
    ret_fault->ffn = -1;
    sum_layer(group);
    return true;
}

/* Adds one group to the sums by role. */
static void add_roles(double roles[ROLE_COUNT], const struct layer_group *group)
{
    roles[ROLE_NORM] += group->count * group->norm_params;
    for (int i = 0; i < group->n_mixers; i++) {
        roles[ROLE_ATTENTION] += group->count * group->mixers[i].linear_params;
        roles[ROLE_NORM] += group->count * group->mixers[i].small_params;
    }
    for (int i = 0; i < group->n_ffns; i++) {
        const struct ffn *ffn = &group->ffns[i];
        for (int j = 0; j < ffn->n_linears; j++) {
            roles[ffn->linears[j].role] += group->count * ffn->linears[j].k * ffn->linears[j].n;
        }
        roles[ROLE_EXPERT] += group->count * ffn->n_experts * ffn->expert_params;
        roles[ROLE_NORM] += group->count * ffn->n_experts * ffn->expert_small_params;
        roles[ROLE_NORM] += group->count * ffn->small_params;
    }
}

/* What one mixer of the group adds to the cache and the state, all its layers. */
static void add_cache(struct model *model, const struct layer_group *group,
                      const struct mixer *mixer)
{
    double layers = group->invocations;
    double entries = mixer->cached_per_token / mixer->tokens_per_entry;
    double grows = mixer->index_width + (mixer->store_limit_tokens > 0 ? 0 : entries);
    double windowed = (mixer->store_limit_tokens > 0 ? entries : 0) +
                      (mixer->window_side_tokens > 0 ? mixer->cached_per_token : 0);
    model->kv_bytes_per_token += layers * (grows + windowed) * KV_BYTES_PER_ELEMENT;
    model->kv_bytes_per_token_beyond_window += layers * grows * KV_BYTES_PER_ELEMENT;
    double window = mixer->store_limit_tokens > mixer->window_side_tokens
                        ? mixer->store_limit_tokens
                        : mixer->window_side_tokens;
    if (window > model->kv_window_tokens) {
        model->kv_window_tokens = window;
    }
    model->state_bytes_per_sequence +=
        layers * (mixer->state_elements * model->state_bytes_per_element +
                  mixer->conv_elements * CONV_BYTES_PER_ELEMENT);
    const struct mixer_info *info = mixer_info(mixer->kind);
    model->has_mla |= info->latent;
    model->has_state |= info->state;
    model->has_window |= window > 0;
    model->has_indexer |= mixer->index_heads > 0;
}

/* Embedding, head, positions, final norm and the stated extras. */
static void add_tables(struct model *model)
{
    double *roles = model->params_by_role;
    double width = model->embedding_dim > 0 ? model->embedding_dim : model->hidden;
    roles[ROLE_EMBEDDING] += model->vocab * width;
    if (model->embedding_dim > 0) {
        roles[ROLE_OTHER] += 2 * model->embedding_dim * model->hidden;
    }
    roles[ROLE_LM_HEAD] += model->tied_embedding ? 0 : model->vocab * width;
    roles[ROLE_NORM] += model->lm_head_bias ? model->vocab : 0;
    roles[ROLE_LOOKUP] += model->learned_positions * model->hidden;
    roles[ROLE_NORM] += model->final_norm_params;
    for (int i = 0; i < model->n_extras; i++) {
        roles[model->extras[i].read_per_step ? ROLE_OTHER : ROLE_LOOKUP] += model->extras[i].count;
    }
}

static bool derive_mtp(struct model *model, struct model_fault *ret_fault)
{
    model->mtp_layers = 0;
    model->mtp_params = 0;
    if (model->mtp == NULL) {
        return true;
    }
    ret_fault->group = MODEL_FAULT_IN_MTP;
    if (!derive_group(model->mtp, model->hidden, ret_fault)) {
        return false;
    }
    double projections = model->mtp_projections * model->hidden * model->hidden;
    model->mtp_layers = model->mtp->count;
    model->mtp_params = model->mtp_layers * (model->mtp->layer_params + projections) +
                        model->mtp_copies * model->vocab * model->hidden + model->mtp_extra_params;
    return true;
}

static void reset_sums(struct model *model)
{
    memset(model->params_by_role, 0, sizeof(model->params_by_role));
    model->n_layers = 0;
    model->kv_bytes_per_token = 0;
    model->kv_bytes_per_token_beyond_window = 0;
    model->kv_window_tokens = 0;
    model->state_bytes_per_sequence = 0;
    model->has_moe = false;
    model->has_mla = false;
    model->has_state = false;
    model->has_window = false;
    model->has_indexer = false;
}

static void sum_model(struct model *model)
{
    double idle = 0;
    double repeated = 0;
    for (int i = 0; i < model->n_groups; i++) {
        const struct layer_group *group = &model->groups[i];
        bool shared = group->invocations > group->count;
        model->n_layers += shared ? 0 : group->count;
        idle += group->count * (group->layer_params - group->layer_params_active);
        repeated += (group->invocations - group->count) * group->layer_params_active;
        add_roles(model->params_by_role, group);
        for (int j = 0; j < group->n_mixers; j++) {
            add_cache(model, group, &group->mixers[j]);
        }
        for (int j = 0; j < group->n_ffns; j++) {
            model->has_moe |= group->ffns[j].kind == FFN_MOE;
        }
    }
    add_tables(model);
    const double *roles = model->params_by_role;
    model->params_total = 0;
    for (int i = 0; i < ROLE_COUNT; i++) {
        model->params_total += roles[i];
    }
    model->params_active = model->params_total - idle;
    model->params_matmul_per_token = model->params_active + repeated - roles[ROLE_LOOKUP] -
                                     (model->tied_embedding ? 0 : roles[ROLE_EMBEDDING]);
    model->params_comparable = model->params_total + model->published_other_params +
                               (model->published_includes_mtp ? model->mtp_params : 0) +
                               (model->published_includes_vision ? model->vision_params : 0);
    model->params_by_role[ROLE_MTP] = model->mtp_params;
    model->params_by_role[ROLE_VISION] = model->vision_params;
}

bool model_derive(struct model *model, struct model_fault *ret_fault)
{
    *ret_fault = (struct model_fault){.group = -1, .mixer = -1, .ffn = -1};
    if (!(model->hidden > 0)) {
        return fail(ret_fault, "hidden", "must be positive");
    }
    if (!(model->vocab > 0)) {
        return fail(ret_fault, "vocab", "must be positive");
    }
    if (model->n_groups < 1 || model->n_groups > MODEL_GROUPS_MAX) {
        return fail(ret_fault, "groups", "must be 1 to 64 groups of layers");
    }
    for (int i = 0; i < model->n_groups; i++) {
        ret_fault->group = i;
        if (!derive_group(&model->groups[i], model->hidden, ret_fault)) {
            return false;
        }
    }
    ret_fault->group = -1;
    if (!derive_mtp(model, ret_fault)) {
        return false;
    }
    if (model->native_format && strcmp(model->native_format, "fp8_block") == 0) {
        model->fp8_block_scales = true;
    }
    reset_sums(model);
    sum_model(model);
    return true;
}
