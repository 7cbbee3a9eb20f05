/* Leaves that changes of memory set, by pointer. */
#include "check_apply.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct leaf {
    const char *pointer;
    size_t offset; /* of a number in struct deployment */
};

static const struct leaf NUMBERS[] = {
    {"/deployment/memory_utilization", offsetof(struct deployment, memory_utilization)},
    {"/deployment/chunked_prefill_tokens", offsetof(struct deployment, chunked_prefill_tokens)},
    {"/deployment/micro_batch_tokens", offsetof(struct deployment, micro_batch_tokens)},
    {"/deployment/max_num_seqs", offsetof(struct deployment, max_num_seqs)},
    {"/deployment/max_model_len", offsetof(struct deployment, max_model_len)},
    {"/deployment/cpu_offload_bytes", offsetof(struct deployment, cpu_offload_bytes)},
    {"/deployment/gpu_layers", offsetof(struct deployment, gpu_layers)},
    {"/deployment/cpu_moe_layers", offsetof(struct deployment, cpu_moe_layers)},
};

static const struct leaf SWITCHES[] = {
    {"/deployment/cuda_graphs", offsetof(struct deployment, cuda_graphs)},
    {"/deployment/text_only", offsetof(struct deployment, text_only)},
};

static const struct leaf *find(const struct leaf *leaves, size_t n, const char *pointer)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(leaves[i].pointer, pointer) == 0)
            return &leaves[i];
    return NULL;
}

static bool set_format(struct problem *problem, const struct cure_change *change)
{
    struct deployment *dep = &problem->dep;
    if (strcmp(change->pointer, "/deployment/kv_cache") == 0) {
        const struct kv_format *format = library_kv_format(problem->lib, change->text);
        if (format != NULL)
            dep->kv_cache = format;
        return format != NULL;
    }
    if (strcmp(change->pointer, "/deployment/weights") != 0)
        return false;
    const struct weight_format *format = library_weight_format(problem->lib, change->text);
    if (format == NULL)
        return false;
    dep->weights = format;
    dep->expert_weights = NULL;
    dep->checkpoint_bytes = NAN;
    return true;
}

static void note(struct trial *trial, const struct cure_change *change)
{
    if (trial->n_changes < CURE_CHANGES_MAX)
        trial->changes[trial->n_changes++] = *change;
}

/* Experts that are spread over all ranks stay so. */
static void set_tp(struct trial *trial, double tp)
{
    struct deployment *dep = &trial->problem.dep;
    bool spread = dep->ep > 1.0 && dep->ep == dep->tp * dep->dp;
    dep->tp = tp;
    if (!spread)
        return;
    dep->ep = tp * dep->dp;
    note(trial, &(const struct cure_change){.pointer = "/deployment/ep", .number = dep->ep});
}

static bool set(struct trial *trial, const struct cure_change *change)
{
    char *dep = (char *)&trial->problem.dep;
    const struct leaf *leaf;
    if (change->text != NULL)
        return set_format(&trial->problem, change);
    if (change->is_bool) {
        bool on = change->number != 0.0;
        leaf = find(SWITCHES, ARRAY_LEN(SWITCHES), change->pointer);
        if (leaf != NULL)
            memcpy(dep + leaf->offset, &on, sizeof(on));
        return leaf != NULL;
    }
    leaf = find(NUMBERS, ARRAY_LEN(NUMBERS), change->pointer);
    if (leaf != NULL)
        memcpy(dep + leaf->offset, &change->number, sizeof(change->number));
    /* A length that a change sets is one that the engine is told. */
    if (leaf != NULL && leaf->offset == offsetof(struct deployment, max_model_len))
        trial->problem.dep.longest_is_stated = true;
    return leaf != NULL;
}

bool check_apply_memory(const struct memory_change *change, struct trial *trial)
{
    for (int i = 0; i < change->n_changes; i++) {
        const struct cure_change *one = &change->changes[i];
        note(trial, one);
        if (strcmp(one->pointer, "/deployment/tp") == 0)
            set_tp(trial, one->number);
        else if (!set(trial, one))
            return false;
    }
    return change->n_changes > 0;
}

const char *check_apply_title(const struct memory_change *change)
{
    static const struct {
        const char *id, *title;
    } TITLES[] = {
        {"memory_share", "A larger share of the memory"},
        {"smaller_steps", "Fewer prompt tokens in a step"},
        {"fewer_sequences", "Fewer sequences at once"},
        {"no_graphs", "No captured graphs"},
        {"text_only", "Text alone"},
        {"shorter_max_model_len", "A shorter longest request"},
        {"smaller_kv", "A smaller KV format"},
        {"smaller_weights", "Weights of fewer bits"},
        {"offload", "Weights in host memory"},
        {"wider_tp", "More tensor parallelism"},
    };

    for (size_t i = 0; i < ARRAY_LEN(TITLES); i++)
        if (strcmp(TITLES[i].id, change->id) == 0)
            return TITLES[i].title;
    return "Less memory taken";
}
