/*
 * hf_recipe.c - a quantisation's list of modules applied to a model: bytes per weight by role.
 *
 * The matrices of each layer go by the names that the transformers library gives its modules; what
 * the list leaves alone keeps its 16 bits. Where a layer differs from the others its weights count
 * with their number, so that the bytes of a role are exact over the model.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact_weights.h"
#include "hf_read.h"
#include "hf_regex.h"
#include "mixer.h"

/* What all matches of one configuration may take, some tenths of a second: a published one takes
 * milliseconds. */
#define VISITS_MAX 20000000
#define NAME_MAX_BYTES 128
/* Matrices of a mixer up to this many columns stay in 16 bits unless a list names them: see
 * linear_bytes(). */
#define NARROW_COLUMNS 192
/* Less than this share of a role quantised counts as none. */
#define COVERED_SHARE 0.01
#define MXFP4_BYTES 0.53125

/* Which columns of a matrix a module makes. */
enum piece { PIECE_WHOLE, PIECE_HALF, PIECE_Q, PIECE_K, PIECE_V };

/* The modules behind a matrix of the planner; '|' between names of the same one. */
static const struct part {
    const char *what;
    enum piece piece;
    const char *leaves;
} PARTS[] = {
    {"qkv", PIECE_Q, "q_proj|qkv_proj|query_key_value|c_attn|Wqkv|W_pack|wqkv|in_proj_qkv"},
    {"qkv", PIECE_K, "k_proj|qkv_proj|query_key_value|c_attn|Wqkv|W_pack|wqkv|in_proj_qkv"},
    {"qkv", PIECE_V, "v_proj|qkv_proj|query_key_value|c_attn|Wqkv|W_pack|wqkv|in_proj_qkv"},
    {"o", PIECE_WHOLE, "o_proj|dense|out_proj|c_proj|wo"},
    {"q", PIECE_WHOLE, "q_proj"},
    {"q_a_kv_a", PIECE_WHOLE, "q_a_proj|kv_a_proj_with_mqa|fused_qkv_a_proj"},
    {"q_a_kv", PIECE_WHOLE, "q_a_proj|wq_a|kv_proj|wkv"},
    {"q_b", PIECE_WHOLE, "q_b_proj|wq_b"},
    {"kv_a", PIECE_WHOLE, "kv_a_proj_with_mqa"},
    {"kv_b", PIECE_WHOLE, "kv_b_proj"},
    {"o_a", PIECE_WHOLE, "wo_a|o_a_proj"},
    {"o_b", PIECE_WHOLE, "wo_b|o_b_proj"},
    {"index_q", PIECE_WHOLE, "indexer.wq_b"},
    {"index_k_weights", PIECE_WHOLE, "indexer.wk"},
    {"in_qkvz", PIECE_WHOLE, "in_proj_qkvz|in_proj_qkv|in_proj_z"},
    {"in_ba", PIECE_WHOLE, "in_proj_ba|in_proj_b|in_proj_a"},
    {"in", PIECE_WHOLE, "in_proj"},
    {"x", PIECE_WHOLE, "x_proj"},
    {"dt", PIECE_WHOLE, "dt_proj"},
    {"out", PIECE_WHOLE, "out_proj|o_proj"},
    {"gate", PIECE_WHOLE, "g_proj|output_gate"},
    {"decay_a", PIECE_WHOLE, "f_a_proj"},
    {"decay_b", PIECE_WHOLE, "f_b_proj"},
    {"beta", PIECE_WHOLE, "b_proj"},
    {"gate_a", PIECE_WHOLE, "g_a_proj"},
    {"gate_b", PIECE_WHOLE, "g_b_proj"},
    {"gate_up", PIECE_HALF, "gate_proj|gate_up_proj|w1"},
    {"gate_up", PIECE_HALF, "up_proj|gate_up_proj|w3"},
    {"up", PIECE_WHOLE, "up_proj|c_fc|fc1|fc_in|dense_h_to_4h"},
    {"down", PIECE_WHOLE, "down_proj|w2|c_proj|fc2|fc_out|dense_4h_to_h"},
};

/* Where the modules of a role lie in a layer. */
static const char *container_of(const struct hf *hf, enum role role, const struct mixer *mixer)
{
    bool nemotron = strcmp(hf->arch->type, "nemotron_h") == 0;
    switch (role) {
    case ROLE_DENSE_FFN:
        return nemotron ? "mixer" : "mlp|feed_forward";
    case ROLE_SHARED_EXPERT:
        return nemotron ? "mixer.shared_experts"
                        : "mlp.shared_expert|mlp.shared_experts|feed_forward.shared_expert|"
                          "block_sparse_moe.shared_experts|share_expert|mlp.shared_mlp";
    case ROLE_EXPERT:
        return nemotron ? "mixer.experts.0|mixer.experts"
                        : "mlp.experts.0|mlp.experts|block_sparse_moe.experts.0|experts|"
                          "block_sparse_moe.experts|feed_forward.experts.0|feed_forward.experts";
    case ROLE_ATTENTION:
        break;
    case ROLE_ROUTER:
    case ROLE_NORM:
    case ROLE_EMBEDDING:
    case ROLE_LM_HEAD:
    case ROLE_OTHER:
    case ROLE_LOOKUP:
    case ROLE_MTP:
    case ROLE_VISION:
    case ROLE_COUNT:
        return "";
    }
    if (nemotron) {
        return "mixer";
    }
    if (mixer == NULL) {
        return "";
    }
    switch (mixer->kind) {
    case MIXER_GATED_DELTA:
        return "linear_attn";
    case MIXER_MAMBA1:
    case MIXER_MAMBA2:
        return "mamba|mixer";
    case MIXER_SHORT_CONV:
        return "conv";
    case MIXER_CROSS:
        return "cross_attn";
    case MIXER_FULL:
    case MIXER_WINDOW:
    case MIXER_CHUNKED:
    case MIXER_MLA:
    case MIXER_SWA_LATENT:
    case MIXER_CSA:
    case MIXER_HCA:
    case MIXER_KDA:
    case MIXER_LIGHTNING:
    case MIXER_KIND_COUNT:
        break;
    }
    return "self_attn|attn|attention";
}

/* One application. */
struct tally {
    struct hf *hf;
    long visits;
    bool too_much;
    double bytes[ROLE_COUNT], elements[ROLE_COUNT], quantised[ROLE_COUNT];
    bool latent;                       /* counting a projection to or from the experts' own width */
    double by_group[2][HF_GROUPS_MAX]; /* elements beside the experts, and of them */
};

static bool any_matches(struct tally *tally, const struct hf_pattern *patterns, int n,
                        const char *name, int layer)
{
    for (int i = 0; i < n; i++) {
        if (patterns[i].layer >= 0 && patterns[i].layer != layer) {
            continue;
        }
        long before = tally->visits;
        bool matches = hf_pattern_matches(&patterns[i], name, &tally->visits);
        if (tally->visits > VISITS_MAX || tally->visits - before > HF_REGEX_VISITS_MAX) {
            tally->too_much = true;
            return false;
        }
        if (matches) {
            return true;
        }
    }
    return false;
}

#define PLAIN (-1)
#define UNNAMED (-2)

/* The group that names this module, PLAIN when it is ignored, UNNAMED when no list has it. */
static int module_group(struct tally *tally, const char *name, int layer)
{
    const struct hf_recipe *recipe = tally->hf->recipe;
    if (any_matches(tally, recipe->ignored, recipe->n_ignored, name, layer)) {
        return PLAIN;
    }
    for (int g = 0; g < recipe->n_groups; g++) {
        const struct hf_group *group = &recipe->groups[g];
        if (any_matches(tally, group->targets, group->n_targets, name, layer)) {
            return g;
        }
    }
    return UNNAMED;
}

/* The next name of a list with '|' between; false at its end. */
static bool next_name(const char **list, const char **ret_name, int *ret_length)
{
    if (**list == '\0') {
        return false;
    }
    *ret_name = *list;
    size_t length = strcspn(*list, "|");
    *ret_length = (int)length;
    *list += length + ((*list)[length] == '|');
    return true;
}

/* The first of a module's possible names that a list has decides. */
static int find_group(struct tally *tally, int layer, const char *containers, const char *leaves)
{
    const char *container, *leaf;
    int container_length, leaf_length;
    while (next_name(&containers, &container, &container_length)) {
        const char *rest = leaves;
        while (next_name(&rest, &leaf, &leaf_length)) {
            char name[NAME_MAX_BYTES];
            int length = snprintf(name, sizeof(name), "layers.%d.%.*s.%.*s", layer,
                                  container_length, container, leaf_length, leaf);
            int group = length > 0 && (size_t)length < sizeof(name)
                            ? module_group(tally, name, layer)
                            : UNNAMED;
            if (group != UNNAMED) {
                return group;
            }
        }
    }
    return UNNAMED;
}

static int rest_group(const struct hf_recipe *recipe)
{
    for (int g = 0; g < recipe->n_groups; g++) {
        if (recipe->groups[g].every_linear) {
            return g;
        }
    }
    return PLAIN;
}

static void count(struct tally *tally, enum role role, int group, double elements)
{
    const struct hf_recipe *recipe = tally->hf->recipe;
    double each = group >= 0 ? recipe->groups[group].bytes : recipe->plain_bytes;
    tally->elements[role] += elements;
    tally->bytes[role] += elements * each;
    if (group >= 0 && !tally->latent) {
        tally->quantised[role] += elements;
        tally->by_group[role == ROLE_EXPERT][group] += elements;
    }
}

static double piece_share(const struct linear *linear, enum piece piece)
{
    switch (piece) {
    case PIECE_WHOLE:
        return 1;
    case PIECE_HALF:
        return 0.5;
    case PIECE_Q:
        return (linear->n - linear->n_kv) / linear->n;
    case PIECE_K:
    case PIECE_V:
        return linear->n_kv / 2 / linear->n;
    }
    return 0;
}

/* The group of a matrix's module; narrow ones that no list names stay as they were. */
static int matrix_group(struct tally *tally, const struct linear *linear, int layer,
                        const char *containers, const char *leaves)
{
    int group = find_group(tally, layer, containers, leaves);
    bool narrow = linear->role == ROLE_ATTENTION && linear->n <= NARROW_COLUMNS;
    if (group != UNNAMED) {
        return group;
    }
    return narrow ? PLAIN : rest_group(tally->hf->recipe);
}

static void count_matrix(struct tally *tally, const struct linear *linear,
                         const struct mixer *mixer, int layer, double layers)
{
    const char *containers = container_of(tally->hf, linear->role, mixer);
    double elements = layers * linear->k * linear->n, counted = 0;
    bool state = mixer != NULL && mixer_info(mixer->kind)->state;
    for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
        const struct part *part = &PARTS[i];
        double share = piece_share(linear, state ? PIECE_WHOLE : part->piece);
        if (strcmp(part->what, linear->what) != 0 || !(share > 0) || !(counted < elements)) {
            continue;
        }
        count(tally, linear->role, matrix_group(tally, linear, layer, containers, part->leaves),
              share * elements);
        counted += share * elements;
    }
    if (!(counted > 0)) { /* a module without a name of its own here: those around it decide */
        count(tally, linear->role, matrix_group(tally, linear, layer, containers, linear->what),
              elements);
    }
}

static void count_ffn(struct tally *tally, const struct ffn *ffn, int layer, double layers)
{
    bool alone = tally->hf->recipe->experts_alone;
    for (int i = 0; i < ffn->n_linears; i++) {
        const struct linear *linear = &ffn->linears[i];
        if (linear->role == ROLE_ROUTER || alone) {
            count(tally, linear->role, PLAIN, layers * linear->k * linear->n);
        } else {
            tally->latent = strncmp(linear->what, "latent", 6) == 0;
            count_matrix(tally, linear, NULL, layer, layers);
            tally->latent = false;
        }
    }
    if (ffn->kind != FFN_MOE) {
        return;
    }
    const struct linear down = {.k = ffn->n_experts * ffn->expert_params / ffn->matrices,
                                .n = 1,
                                .role = ROLE_EXPERT,
                                .what = "down"};
    struct linear up = down;
    up.what = "gate_up";
    up.k = down.k * (ffn->matrices - 1);
    count_matrix(tally, &up, NULL, layer, layers);
    count_matrix(tally, &down, NULL, layer, layers);
}

static void count_layer(struct tally *tally, const struct layer_group *group, int layer,
                        double layers)
{
    bool alone = tally->hf->recipe->experts_alone;
    for (int i = 0; i < group->n_mixers; i++) {
        const struct mixer *mixer = &group->mixers[i];
        for (int j = 0; j < mixer->n_linears; j++) {
            const struct linear *linear = &mixer->linears[j];
            if (alone) {
                count(tally, linear->role, PLAIN, layers * linear->k * linear->n);
            } else {
                count_matrix(tally, linear, mixer, layer, layers);
            }
        }
    }
    for (int i = 0; i < group->n_ffns; i++) {
        count_ffn(tally, &group->ffns[i], layer, layers);
    }
}

static void count_layers(struct tally *tally)
{
    const struct hf *hf = tally->hf;
    for (int i = 0; i < hf->n_layers && !tally->too_much; i++) {
        int g = hf->group_of[i];
        if (hf->recipe->by_layer) {
            count_layer(tally, &hf->model->groups[g], i, 1);
            continue;
        }
        bool first = true;
        for (int j = 0; j < i && first; j++) {
            first = hf->group_of[j] != g;
        }
        if (first) {
            count_layer(tally, &hf->model->groups[g], i, hf->model->groups[g].count);
        }
    }
}

/* The head keeps its 16 bits unless a list or a flag names it. */
static void count_ends(struct tally *tally)
{
    const struct hf_recipe *recipe = tally->hf->recipe;
    int head = module_group(tally, "lm_head", -1);
    if (head == UNNAMED && recipe->head) {
        head = rest_group(recipe);
    }
    count(tally, ROLE_LM_HEAD, head >= 0 ? head : PLAIN, 1);
}

/* MTP layers are quantised as the others unless a list names them; what joins the streams and the
 * copies of the embedding are not. */
static void count_mtp(struct tally *tally)
{
    const struct model *model = tally->hf->model;
    const struct hf_recipe *recipe = tally->hf->recipe;
    if (model->mtp == NULL) {
        return;
    }
    int group = module_group(tally, "mtp.layers.0.mlp.down_proj", -1);
    if (group == UNNAMED) {
        group = find_group(tally, tally->hf->n_layers, "mlp|mlp.experts.0", "down_proj");
    }
    if (group == UNNAMED && !recipe->experts_alone) {
        group = rest_group(recipe);
    }
    double layers = model->mtp_layers * (model->mtp->layer_params - model->mtp->norm_params);
    tally->elements[ROLE_MTP] = model->mtp_params;
    tally->bytes[ROLE_MTP] =
        model->mtp_params * recipe->plain_bytes +
        (group >= 0 ? layers * (recipe->groups[group].bytes - recipe->plain_bytes) : 0);
}

/* The format with the most weights beside the experts (0) or among them (1); -1 = none. */
static int main_group(const struct tally *tally, int experts)
{
    const double *elements = tally->by_group[experts];
    int best = -1;
    for (int g = 0; g < tally->hf->recipe->n_groups; g++) {
        if (elements[g] > 0 && (best < 0 || elements[g] > elements[best])) {
            best = g;
        }
    }
    return best;
}

static bool covers(const struct tally *tally, enum role role)
{
    return tally->quantised[role] > COVERED_SHARE * tally->elements[role];
}

/* Which of the formats is the model's, and which its experts'. */
static void settle_formats(struct tally *tally)
{
    struct model *model = tally->hf->model;
    const struct hf_recipe *recipe = tally->hf->recipe;
    int rest = main_group(tally, 0), experts = main_group(tally, 1);
    if (experts >= 0 && !covers(tally, ROLE_ATTENTION) && !covers(tally, ROLE_SHARED_EXPERT)) {
        model->native_experts_only = true;
        model->native_format = recipe->groups[experts].format;
        return;
    }
    if (rest >= 0) {
        model->native_format = recipe->groups[rest].format;
    }
    bool apart = experts >= 0 && rest >= 0 &&
                 strcmp(recipe->groups[experts].format, recipe->groups[rest].format) != 0;
    if (apart) {
        model->native_expert_format = recipe->groups[experts].format;
    }
    model->fp8_block_scales = strcmp(model->native_format, "fp8_block") == 0;
}

static void refuse_unread(struct hf *hf, const struct hf_pattern *patterns, int n)
{
    for (int i = 0; i < n; i++) {
        if (patterns[i].kind == HF_PATTERN_UNREAD) {
            fault_add(hf->faults, hf->root_pointer, NULL,
                      "quantization_config names modules by '%.60s', an expression that is not "
                      "understood",
                      patterns[i].text);
            return;
        }
    }
}

static void refuse_all_unread(struct hf *hf)
{
    refuse_unread(hf, hf->recipe->ignored, hf->recipe->n_ignored);
    for (int g = 0; g < hf->recipe->n_groups; g++) {
        refuse_unread(hf, hf->recipe->groups[g].targets, hf->recipe->groups[g].n_targets);
    }
}

void hf_apply_recipe(struct hf *hf)
{
    if (hf->recipe == NULL || hf->recipe->n_groups == 0) {
        return;
    }
    refuse_all_unread(hf);
    struct tally *tally = hf_alloc(hf, sizeof(*tally));
    struct exact_weights *exact = hf_alloc(hf, sizeof(*exact));
    if (tally == NULL || exact == NULL) {
        return;
    }
    tally->hf = hf;
    count_layers(tally);
    count_ends(tally);
    count_mtp(tally);
    if (tally->too_much) {
        fault_add(hf->faults, hf->root_pointer, NULL,
                  "quantization_config names modules in more ways than can be followed");
        return;
    }
    settle_formats(tally);
    for (int role = 0; role < ROLE_COUNT; role++) {
        exact->bytes[role] = tally->elements[role] > 0 ? tally->bytes[role] / tally->elements[role]
                                                       : hf->recipe->plain_bytes;
    }
    if (hf->model->native_expert_format != NULL &&
        strcmp(hf->model->native_expert_format, "mxfp4") == 0) {
        exact->bytes[ROLE_EXPERT] = MXFP4_BYTES;
    }
    exact->format = hf->model->native_format;
    exact->source = EXACT_RECIPE;
    hf->model->exact = exact;
}
