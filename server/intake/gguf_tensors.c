#include "gguf_tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define ELEMENTS_MAX 9007199254740992.0 /* 2^53: sums stay exact */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), n = strlen(ending);
    return length >= n && strcmp(text + length - n, ending) == 0;
}

/* The first row whose word is in a name decides. */
static const struct name_row {
    const char *word;
    enum role role;
} NAMES[] = {
    {"nextn", ROLE_MTP},
    {"per_layer_token_embd", ROLE_LOOKUP},
    {"position_embd", ROLE_OTHER},
    {"token_types", ROLE_OTHER},
    {"_norm", ROLE_NORM},
    {"rope_f", ROLE_NORM},
    {"token_embd", ROLE_EMBEDDING},
    {"ffn_gate_inp", ROLE_ROUTER},
    {"exp_probs_b", ROLE_ROUTER},
    {"_exps", ROLE_EXPERT},
    {"_shexp", ROLE_SHARED_EXPERT},
    {"_chexp", ROLE_EXPERT},
    {"ffn_latent", ROLE_EXPERT},
    {"ffn_", ROLE_DENSE_FFN},
    {"attn", ROLE_ATTENTION},
    {"ssm_conv1d", ROLE_NORM},
    {"ssm_", ROLE_ATTENTION},
    {"shortconv", ROLE_ATTENTION},
    {"indexer", ROLE_ATTENTION},
    {"time_mix", ROLE_ATTENTION},
    {"per_layer", ROLE_OTHER},
};

enum role gguf_role(const char *name, int n_dims, double draft_layer)
{
    bool in_block = strncmp(name, "blk.", 4) == 0;
    if (strncmp(name, "v.", 2) == 0 || strncmp(name, "mm.", 3) == 0 || strncmp(name, "a.", 2) == 0)
        return ROLE_VISION;
    if (in_block && strtod(name + 4, NULL) >= draft_layer)
        return ROLE_MTP;
    if (strncmp(name, "output.", 7) == 0)
        return ROLE_LM_HEAD;
    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        bool matrix = NAMES[i].role == ROLE_ATTENTION || NAMES[i].role == ROLE_DENSE_FFN;
        if (!strstr(name, NAMES[i].word))
            continue;
        return matrix && (n_dims == 1 || ends_with(name, ".bias")) ? ROLE_NORM : NAMES[i].role;
    }
    return in_block && n_dims == 1 ? ROLE_NORM : ROLE_OTHER;
}

/* Tensors that tell about the model: the first whose name ends so. */
static const char *const WATCHED[GGUF_WATCHED_COUNT] = {
    [GGUF_TOKEN_EMBEDDING] = "token_embd.weight",
    [GGUF_OUTPUT] = "output.weight",
    [GGUF_FFN_UP] = "ffn_up.weight",
    [GGUF_FFN_UP_EXPERTS] = "ffn_up_exps.weight",
    [GGUF_FFN_UP_SHARED] = "ffn_up_shexp.weight",
    [GGUF_QUERY_BIAS] = "attn_q.bias",
};

static void watch(struct gguf_facts *facts, const struct gguf_tensor *tensor)
{
    for (int i = 0; i < GGUF_WATCHED_COUNT; i++) {
        bool whole = i == GGUF_OUTPUT || i == GGUF_TOKEN_EMBEDDING;
        bool named =
            whole ? strcmp(tensor->name, WATCHED[i]) == 0 : ends_with(tensor->name, WATCHED[i]);
        for (int j = 0; named && j < GGUF_DIMS_MAX && !(facts->shapes[i][GGUF_DIMS_MAX - 1] > 0);
             j++)
            facts->shapes[i][j] = (double)tensor->dims[j];
    }
}

static double metadata_number(const struct gguf_facts *facts, const char *ending)
{
    for (int i = 0; i < facts->n_kept; i++) {
        if (facts->kept[i].kind == GGUF_NUMBER && ends_with(facts->kept[i].key, ending))
            return facts->kept[i].number;
    }
    return 0;
}

void gguf_tally_begin(struct gguf_tally *tally, struct gguf_facts *facts, double alignment)
{
    double draft = metadata_number(facts, ".nextn_predict_layers");
    *tally = (struct gguf_tally){
        .facts = facts,
        .alignment = alignment,
        .draft_layer =
            draft > 0 ? metadata_number(facts, ".block_count") - draft : (double)INFINITY,
    };
}

static void add(struct gguf_sum *sum, double elements, double bytes)
{
    sum->tensors++;
    sum->elements += elements;
    sum->bytes += bytes;
}

/* Elements of the tensor; NAN when its shape cannot be. */
static double elements_of(const struct gguf_tensor *tensor, double block)
{
    double elements = 1;
    for (int i = 0; i < tensor->n_dims; i++) {
        if (tensor->dims[i] < 1)
            return (double)NAN;
        elements *= (double)tensor->dims[i];
    }
    bool whole_blocks = !(fmod((double)tensor->dims[0], block) > 0);
    return elements < ELEMENTS_MAX && whole_blocks ? elements : (double)NAN;
}

const char *gguf_tally_add(struct gguf_tally *tally, struct arena *arena,
                           const struct gguf_tensor *tensor)
{
    struct gguf_facts *facts = tally->facts;
    double block, block_bytes;
    const char *error;
    if (!gguf_type_block(tensor->type, &block, &block_bytes)) {
        error = arena_printf(arena, "tensor %s is of type %u, which is not one of ggml's",
                             tensor->name, (unsigned)tensor->type);
        return error ? error : "out of memory";
    }
    double elements = elements_of(tensor, block);
    if (!isfinite(elements)) {
        error = arena_printf(arena,
                             "tensor %s of %.0f x %.0f x %.0f x %.0f cannot be: expected rows of a "
                             "multiple of %.0f, at most 2^53 elements",
                             tensor->name, (double)tensor->dims[0], (double)tensor->dims[1],
                             (double)tensor->dims[2], (double)tensor->dims[3], block);
        return error ? error : "out of memory";
    }
    double start = ceil(tally->end / tally->alignment) * tally->alignment;
    if ((double)tensor->offset < start || (double)tensor->offset > start) {
        error = arena_printf(arena,
                             "tensor %s begins at byte %.0f of the data, where the tensors "
                             "before it end at %.0f",
                             tensor->name, (double)tensor->offset, start);
        return error ? error : "out of memory";
    }
    double bytes = elements / block * block_bytes;
    tally->end = start + bytes;
    add(&facts->types[tensor->type], elements, bytes);
    add(&facts->roles[gguf_role(tensor->name, tensor->n_dims, tally->draft_layer)], elements,
        bytes);
    watch(facts, tensor);
    return tally->end < ELEMENTS_MAX ? NULL : "the tensors together have more than 2^53 bytes";
}

void gguf_tally_end(const struct gguf_tally *tally, struct gguf_facts *facts)
{
    double start = ceil(facts->header_bytes / tally->alignment) * tally->alignment;
    facts->data_bytes = tally->end;
    facts->file_bytes = start + tally->end;
}
