/*
 * manifest_devices.c - how many devices a container asks for, and of which part.
 *
 * Resource names are those of the makers' device plugins; labels those of NVIDIA's and AMD's node
 * labellers, of the clouds and of Karpenter.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "device_names.h"
#include "manifest_parts.h"
#include "yaml_tree.h"

/* Extended resources that are whole devices. */
static const char *const RESOURCES[] = {
    "nvidia.com/gpu",         "amd.com/gpu",
    "habana.ai/gaudi",        "google.com/tpu",
    "aws.amazon.com/neuron",  "aws.amazon.com/neurondevice",
    "gpu.intel.com/i915",     "gpu.intel.com/xe",
    "huawei.com/Ascend910",   "nvidia.com/pgpu",
    "huawei.com/Ascend910B4", "huawei.com/Ascend910B",
    "cambricon.com/mlu",      "nvidia.com/gpu.shared",
};

#define MIG_RESOURCE "nvidia.com/mig-"
#define COUNT_DIGITS_MAX 4

/* Labels whose value names a part or an instance type; the first that speaks counts. */
static const char *const LABELS[] = {
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "cloud.google.com/gke-accelerator",
    "cloud.google.com/gke-tpu-accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.k8s.aws/instance-accelerator-name",
    "eks.amazonaws.com/instance-gpu-name",
    "k8s.amazonaws.com/accelerator",
    "karpenter.azure.com/sku-gpu-name",
    "gpu.nvidia.com/model",
    "gpu.nvidia.com/class",
    "skypilot.co/accelerator",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
    "karpenter.azure.com/sku-name",
    "cloud.google.com/machine-type",
    "karpenter.k8s.aws/instance-family",
    "eks.amazonaws.com/instance-family",
    "amd.com/gpu.device-id",
};

/* Words that a label of one's own has when it tells the part. */
static const char *const HINTS[] = {"gpu", "accelerator", "instance", "device", "product", "card"};

/* Counts ----------------------------------------------------------------------------------------
 */

static void take_resource(const struct manifest *manifest, const cJSON *entry, struct unit *unit)
{
    const char *text = yaml_text(manifest->intake->arena, entry);
    bool slice = strncmp(entry->string, MIG_RESOURCE, strlen(MIG_RESOURCE)) == 0, known = slice;
    double count = 0;

    for (size_t i = 0; i < ARRAY_LEN(RESOURCES); i++)
        known = known || strcmp(RESOURCES[i], entry->string) == 0;
    if (!known || !text)
        return;
    size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < digits && i < COUNT_DIGITS_MAX; i++)
        count = count * 10 + (double)(text[i] - '0');
    if (count < 1 || text[digits] || digits > COUNT_DIGITS_MAX) {
        unit->bad_resource = entry->string;
        unit->bad_count = text;
        return;
    }
    unit->slice = slice ? entry->string + strlen(MIG_RESOURCE) : unit->slice;
    unit->devices = count;
    unit->resource = entry->string;
}

static void read_resources(const struct manifest *manifest, const cJSON *container,
                           struct unit *unit)
{
    static const char *const PATHS[] = {"resources/requests", "resources/limits"};

    for (size_t i = 0; i < ARRAY_LEN(PATHS); i++) {
        const cJSON *list = tree_at(container, PATHS[i]);
        for (const cJSON *one = list ? list->child : NULL; one; one = one->next)
            if (one->string)
                take_resource(manifest, one, unit);
    }
    /* Dynamo's shape: resources: {limits: {gpu: "4"}}. */
    double gpu = tree_number(manifest, container, "resources/limits/gpu");
    if (isnan(unit->devices) && gpu >= 1) {
        unit->devices = gpu;
        unit->resource = "resources.limits.gpu";
    }
}

/* Parts -----------------------------------------------------------------------------------------
 */

/* How much a label tells: its place in LABELS, then labels of one's own, then all others. */
static int rank_of(const char *label)
{
    for (size_t i = 0; i < ARRAY_LEN(LABELS); i++)
        if (strcmp(LABELS[i], label) == 0)
            return (int)i;
    for (size_t i = 0; i < ARRAY_LEN(HINTS); i++)
        if (strstr(label, HINTS[i]))
            return (int)ARRAY_LEN(LABELS);
    return (int)ARRAY_LEN(LABELS) + 1;
}

/* Whether a value that means a part does so wherever it stands: "m1" and "i7" are names of pools.
 */
static bool speaks_for_itself(const struct manifest *manifest, const char *value,
                              const struct device_found *found)
{
    const struct hardware *part = &manifest->intake->catalogue->lib.hardware[found->index];

    return strlen(value) > 1 && strcasecmp(part->vendor ? part->vendor : "", "apple") != 0 &&
           part->class != HW_CPU;
}

/* The best label so far. */
struct choice {
    const struct manifest *manifest;
    int rank;
    const char *label, *value, *other;
};

/* A label of one's own counts only when its value names a part for sure. */
static void offer(struct choice *choice, const char *label, const char *value, const char *other)
{
    int rank = label && value && value[0] ? rank_of(label) : choice->rank;
    struct device_found found;

    if (rank >= choice->rank)
        return;
    bool known = device_name_find(choice->manifest->intake->catalogue, value, &found);
    if (rank > (int)ARRAY_LEN(LABELS) && known)
        known = speaks_for_itself(choice->manifest, value, &found);
    /* A machine that is not in the table, "gpu: true": nothing is said of a part. */
    if (!known && (rank >= (int)ARRAY_LEN(LABELS) || strstr(label, "instance") ||
                   strstr(label, "machine") || strstr(label, "device-id")))
        return;
    choice->rank = rank;
    choice->label = label;
    choice->value = value;
    choice->other = other;
}

static void offer_expressions(struct choice *choice, const cJSON *expressions)
{
    struct arena *arena = choice->manifest->intake->arena;

    if (!cJSON_IsArray(expressions))
        return;
    for (const cJSON *one = expressions->child; one; one = one->next) {
        const char *how = tree_text(choice->manifest, one, "operator");
        const cJSON *values = tree_at(one, "values");
        if (cJSON_IsArray(values) && values->child && how && strcmp(how, "In") == 0)
            offer(choice, tree_text(choice->manifest, one, "key"), yaml_text(arena, values->child),
                  yaml_text(arena, values->child->next));
    }
}

static void offer_affinity(struct choice *choice, const cJSON *affinity)
{
    static const char REQUIRED[] = "requiredDuringSchedulingIgnoredDuringExecution";
    static const char PREFERRED[] = "preferredDuringSchedulingIgnoredDuringExecution";
    const cJSON *terms = tree_at(tree_at(affinity, REQUIRED), "nodeSelectorTerms");
    const cJSON *wishes = tree_at(affinity, PREFERRED);

    for (const cJSON *term = terms ? terms->child : NULL; term; term = term->next)
        offer_expressions(choice, tree_at(term, "matchExpressions"));
    for (const cJSON *wish = wishes ? wishes->child : NULL; wish; wish = wish->next)
        offer_expressions(choice, tree_at(wish, "preference/matchExpressions"));
}

void unit_devices(struct manifest *manifest, const struct cJSON *spec,
                  const struct cJSON *container, struct unit *unit)
{
    const cJSON *selector = tree_at(spec, "nodeSelector");
    const cJSON *tolerations = tree_at(spec, "tolerations");
    struct choice choice = {manifest, (int)ARRAY_LEN(LABELS) + 2, NULL, NULL, NULL};

    read_resources(manifest, container, unit);
    for (const cJSON *one = selector ? selector->child : NULL; one; one = one->next)
        offer(&choice, one->string, yaml_text(manifest->intake->arena, one), NULL);
    offer_affinity(&choice, tree_at(spec, "affinity/nodeAffinity"));
    for (const cJSON *one = tolerations ? tolerations->child : NULL; one; one = one->next)
        offer(&choice, tree_text(manifest, one, "key"), tree_text(manifest, one, "value"), NULL);
    if (choice.value) {
        unit->part = choice.value;
        unit->part_from = choice.label;
        unit->part_other = choice.other;
    }
}
