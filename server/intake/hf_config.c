#include "hf_config.h"

#include <math.h>
#include <string.h>

#include "hf_read.h"
#include "mixer.h"

#define ARCHITECTURE_NAMES_MAX 256

/* The texts that may name the architecture, in the order in which they decide. */
static const char *type_of(const cJSON *config)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(config, "model_type");
    return type != NULL && cJSON_IsString(type) ? type->valuestring : NULL;
}

static const char *class_of(const cJSON *config)
{
    const cJSON *classes = cJSON_GetObjectItemCaseSensitive(config, "architectures");
    const cJSON *first = classes != NULL && cJSON_IsArray(classes) ? classes->child : NULL;
    return first != NULL && cJSON_IsString(first) ? first->valuestring : NULL;
}

static bool add_unknown(struct hf *hf, const char *field, const char *name)
{
    const char *names[ARCHITECTURE_NAMES_MAX];
    int n;
    hf_architecture_names(names, ARCHITECTURE_NAMES_MAX, &n);
    const char *pointer = arena_printf(hf->arena, "%s/%s", hf->root_pointer, field);
    if (name == NULL) {
        fault_add(hf->faults, pointer != NULL ? pointer : "", NULL,
                  "model_type or architectures must name the architecture");
        return false;
    }
    fault_add(hf->faults, pointer != NULL ? pointer : "", fault_nearest(name, names, n),
              "'%.60s' is not an architecture with a known geometry", name);
    return false;
}

/* The file's own type decides, then its text model's, then the class names. */
static bool find_architecture(struct hf *hf)
{
    const char *const candidates[] = {type_of(hf->root), type_of(hf->text), class_of(hf->root),
                                      class_of(hf->text)};
    for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
        hf->arch = candidates[i] != NULL ? hf_architecture_find(candidates[i]) : NULL;
        if (hf->arch != NULL) {
            return true;
        }
    }
    if (candidates[0] == NULL && candidates[2] != NULL) {
        return add_unknown(hf, "architectures/0", candidates[2]);
    }
    return add_unknown(hf, "model_type", candidates[0]);
}

static int list_length(const struct hf *hf, const char *const *names)
{
    const cJSON *list = hf_find(hf, names);
    if (list != NULL && cJSON_IsString(list)) {
        size_t length = strlen(list->valuestring);
        return length <= HF_LAYERS_MAX ? (int)length : 0;
    }
    return list != NULL && cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
}

/* The number of layers, or where it is not given the length of the list of their types. */
static void read_layer_count(struct hf *hf)
{
    const char *const *names = HF_LAYERS;
    int listed = list_length(hf, HF("layers_block_type", "hybrid_override_pattern", "layer_types"));
    if (hf_find(hf, names) == NULL && listed > 0 && listed <= HF_LAYERS_MAX) {
        hf->n_layers = listed;
        return;
    }
    hf->n_layers = (int)hf_required(hf, names, HF_LAYERS_MAX);
}

static void read_heads(struct hf *hf)
{
    struct hf_shape *shape = &hf->shape;
    if (hf_has(hf, HF_NO_ATTENTION)) {
        return;
    }
    shape->n_heads = hf_required(hf, HF_HEADS, HF_WIDTH_MAX);
    shape->n_kv_heads = hf_number(hf, HF_KV_HEADS, HF_WIDTH_MAX, shape->n_heads);
    shape->k_dim =
        hf_number(hf, HF_HEAD_DIM, HF_WIDTH_MAX, floor(hf->model->hidden / shape->n_heads));
    shape->v_dim = hf_number(hf, HF("v_head_dim"), HF_WIDTH_MAX, shape->k_dim);
    shape->window = hf_number(hf,
                              HF("sliding_window", "sliding_window_size",
                                 "sliding_window_attention_size", "attention_chunk_size"),
                              HF_TOKENS_MAX, 0);
    bool known = !hf_refused(hf, HF_HEADS);
    if (known && shape->n_kv_heads > shape->n_heads) {
        hf_fault(hf, HF_KV_HEADS, "must not exceed the number of attention heads");
    }
    if (known && !hf_refused(hf, HF_HIDDEN) && !(shape->k_dim >= 1)) {
        hf_fault(hf, HF_HEAD_DIM,
                 "must be at least 1: when absent, the hidden width over the attention heads");
    }
}

/* All shared experts together: stated, or as many as there are of one expert's width. */
static double shared_width(struct hf *hf)
{
    double number = hf_number(
        hf,
        HF("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"),
        HF_WIDTH_MAX, 0);
    double width =
        hf_number(hf,
                  HF("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
                     "shared_intermediate_size", "share_expert_dim"),
                  HF_WIDTH_MAX, number * hf->shape.expert_width);
    /* Llama 4 has one shared expert of the experts' width and does not say so. */
    return hf->arch->other == MIXER_CHUNKED ? hf->shape.expert_width : width;
}

static void read_ffn_shape(struct hf *hf)
{
    struct hf_shape *shape = &hf->shape;
    shape->width = hf_number(hf, HF_DENSE_WIDTH, HF_WIDTH_MAX,
                             hf_has(hf, HF_PLAIN_MLP) ? 4 * hf->model->hidden : 0);
    shape->n_experts = hf_number(hf,
                                 HF("num_experts", "n_routed_experts", "num_local_experts",
                                    "ffn_config/moe_num_experts", "moe_num_experts"),
                                 HF_WIDTH_MAX, 0);
    if (!(shape->n_experts > 0)) {
        return;
    }
    shape->top_k = hf_required(hf, HF_TOP_K, HF_WIDTH_MAX);
    shape->expert_width = hf_required(hf,
                                      HF("moe_intermediate_size", "expert_ffn_hidden_size",
                                         "ffn_config/ffn_hidden_size", "intermediate_size"),
                                      HF_WIDTH_MAX);
    shape->shared_width = shared_width(hf);
    if (shape->top_k > shape->n_experts) {
        hf_fault(hf, HF_TOP_K, "must not exceed the number of experts");
    }
}

static void read_model(struct hf *hf)
{
    struct model *model = hf->model;
    const cJSON *tied = cJSON_GetObjectItemCaseSensitive(hf->root, "tie_word_embeddings");
    bool fallback = cJSON_IsBool(tied) ? cJSON_IsTrue(tied) != 0 : hf_has(hf, HF_TIED);
    model->hidden = hf_required(hf, HF_HIDDEN, HF_WIDTH_MAX);
    model->vocab = hf_required(hf, HF("vocab_size", "padded_vocab_size"), HF_TOKENS_MAX);
    model->tied_embedding = hf_flag(hf, HF("tie_word_embeddings"), fallback);
    model->lm_head_bias = hf_flag(hf, HF("lm_head_bias"), hf_has(hf, HF_LM_HEAD_BIAS));
    model->max_positions =
        hf_number(hf, HF("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"),
                  HF_TOKENS_MAX, 0);
    bool final_norm = hf_flag(hf, HF("do_layer_norm_before"), true);
    double norm = model->hidden * (hf_has(hf, HF_NORM_BIAS) ? 2 : 1);
    model->final_norm_params = final_norm ? norm : 0;
    double embedded = hf_number(hf, HF("word_embed_proj_dim"), HF_WIDTH_MAX, model->hidden);
    model->embedding_dim = embedded < model->hidden ? embedded : 0;
    if (hf_has(hf, HF_POSITIONS)) {
        model->learned_positions = model->max_positions;
    } else if (hf_has(hf, HF_POSITIONS_2)) {
        model->learned_positions = model->max_positions + 2;
    }
    /* Recurrent states are float32 unless the file says another type. */
    const char *state = hf_text(hf, HF("mamba_ssm_dtype", "mamba_ssm_cache_dtype"));
    model->state_bytes_per_element = state == NULL || strcmp(state, "float32") == 0 ? 4 : 2;
    hf_read_format(hf);
}

static bool same_plan(const struct hf_layer *a, const struct hf_layer *b)
{
    bool same_numbers = !(a->width < b->width) && !(a->width > b->width) &&
                        !(a->n_kv_heads < b->n_kv_heads) && !(a->n_kv_heads > b->n_kv_heads);
    return same_numbers && a->mixer == b->mixer && a->side == b->side && a->ffn == b->ffn &&
           a->norms == b->norms && a->has_indexer == b->has_indexer &&
           a->borrows_kv == b->borrows_kv && a->sinks == b->sinks;
}

static const char *group_label(struct hf *hf, const struct layer_group *group)
{
    const char *mixer = group->n_mixers > 0 ? mixer_info(group->mixers[0].kind)->title : "";
    const char *side = group->n_mixers > 1 ? mixer_info(group->mixers[1].kind)->title : "";
    const char *ffn = "";
    if (group->n_ffns > 0) {
        ffn = group->ffns[0].kind == FFN_MOE ? "MoE" : "dense FFN";
    }
    return arena_printf(hf->arena, "%s%s%s%s%s%s", mixer, side[0] != '\0' ? " + " : "", side,
                        mixer[0] != '\0' && ffn[0] != '\0' ? ", " : "", ffn,
                        group->n_ffns > 1 ? " + MoE" : "");
}

static void make_group(struct hf *hf, const struct hf_layer *layer, struct layer_group *group)
{
    const unsigned char kinds[] = {layer->mixer, layer->side};
    group->count = 1;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (kinds[i] != MIXER_KIND_COUNT) {
            hf_fill_mixer(hf, layer, (enum mixer_kind)kinds[i], &group->mixers[group->n_mixers++]);
        }
    }
    if ((layer->ffn & HF_FFN_DENSE) != 0) {
        double width = layer->width > 0 ? layer->width : hf->shape.width;
        if (!(width >= 1)) {
            hf_fault(hf, HF("intermediate_size"), "is required for this architecture");
        }
        hf_fill_dense(hf, width, &group->ffns[group->n_ffns++]);
    }
    if ((layer->ffn & HF_FFN_MOE) != 0) {
        hf_fill_moe(hf, &group->ffns[group->n_ffns++]);
    }
    group->norm_params = layer->norms * hf->model->hidden * (hf_has(hf, HF_NORM_BIAS) ? 2 : 1);
    group->label = group_label(hf, group);
}

/* Layers of one plan become one group. */
static void make_groups(struct hf *hf)
{
    struct model *model = hf->model;
    int first[MODEL_GROUPS_MAX] = {0}; /* the layer that each group began with */
    model->groups = hf_alloc(hf, MODEL_GROUPS_MAX * sizeof(*model->groups));
    for (int i = 0; model->groups != NULL && i < hf->n_layers; i++) {
        int g = 0;
        while (g < model->n_groups && !same_plan(&hf->layers[first[g]], &hf->layers[i])) {
            g++;
        }
        hf->group_of[i] = g;
        if (g < model->n_groups) {
            model->groups[g].count++;
            continue;
        }
        if (g == MODEL_GROUPS_MAX) {
            hf_fault(hf, HF_LAYERS, "has layers of more than 64 different shapes");
            return;
        }
        first[g] = i;
        make_group(hf, &hf->layers[i], &model->groups[model->n_groups++]);
    }
}

/* MTP layers: a decoder layer with five norms and two projections that join two streams. */
static void make_mtp(struct hf *hf)
{
    struct model *model = hf->model;
    double count = hf_has(hf, HF_MTP)
                       ? hf_number(hf, HF("num_nextn_predict_layers", "mtp_num_hidden_layers"),
                                   HF_LAYERS_MAX, 0)
                       : 0;
    if (!(count > 0)) {
        return;
    }
    bool dense = hf_has(hf, HF_MTP_DENSE) || !(hf->shape.n_experts > 0);
    const struct hf_layer layer = {.mixer = (unsigned char)hf->arch->mtp_mixer,
                                   .side = MIXER_KIND_COUNT,
                                   .ffn = dense ? HF_FFN_DENSE : HF_FFN_MOE,
                                   .norms = 5,
                                   .has_indexer = hf->arch->mtp_mixer == MIXER_MLA &&
                                                  hf_find(hf, HF("index_topk")) != NULL};
    model->mtp = hf_alloc(hf, sizeof(*model->mtp));
    if (model->mtp != NULL) {
        make_group(hf, &layer, model->mtp);
        model->mtp->count = count;
        model->mtp_projections = 2;
        model->mtp_copies = count * hf->arch->mtp_copies;
    }
}

static bool derive(struct hf *hf)
{
    struct model_fault fault;
    if (model_derive(hf->model, &fault)) {
        return true;
    }
    fault_add(hf->faults, hf->text_pointer, NULL, "gives a layer whose %s %s", fault.field,
              fault.need);
    return false;
}

static bool read_all(struct hf *hf)
{
    if (!find_architecture(hf)) {
        return false;
    }
    read_model(hf);
    read_layer_count(hf);
    read_heads(hf);
    read_ffn_shape(hf);
    hf->layers = hf_alloc(hf, (size_t)hf->n_layers * sizeof(*hf->layers));
    /* Reading goes on behind a fault, with placeholders, so that every fault is named at once; only
     * lists with an entry per layer make no sense without their number. */
    if (hf->layers == NULL || hf_refused(hf, HF_LAYERS)) {
        return false;
    }
    hf_plan_layers(hf);
    /* a plan may make two layers of one */
    hf->group_of = hf_alloc(hf, (size_t)hf->n_layers * sizeof(*hf->group_of));
    if (hf->group_of == NULL) {
        return false;
    }
    make_groups(hf);
    make_mtp(hf);
    if (hf->arch->finish != NULL && !hf_failed(hf)) {
        hf->arch->finish(hf);
    }
    if (hf_failed(hf) || !derive(hf)) {
        return false;
    }
    hf_apply_recipe(hf);
    return !hf_failed(hf);
}

bool hf_config_model(const cJSON *config, struct arena *arena, struct faults *faults,
                     const char *pointer, struct model **ret_model)
{
    struct hf hf = {.root = config,
                    .text = config,
                    .root_pointer = pointer,
                    .text_pointer = pointer,
                    .arena = arena,
                    .faults = faults,
                    .first_fault = faults->n + faults->dropped};
    if (!cJSON_IsObject(config)) {
        fault_add(faults, pointer, NULL, "must be the object of a config.json");
        return false;
    }
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(config, "text_config");
    if (text != NULL && cJSON_IsObject(text)) {
        hf.text = text;
        hf.text_pointer = arena_printf(arena, "%s/text_config", pointer);
    }
    hf.model = hf_alloc(&hf, sizeof(*hf.model));
    if (hf.model == NULL || hf.text_pointer == NULL) {
        return false;
    }
    const char *name = class_of(config) != NULL ? class_of(config) : type_of(config);
    hf.model->id = "hf_config";
    hf.model->name = name != NULL ? arena_copy(arena, name, strlen(name)) : "";
    if (!read_all(&hf)) {
        return false;
    }
    *ret_model = hf.model;
    return true;
}
