/*
 * manifest_kinds.c - where each kind of object keeps its pods.
 *
 * Paths are those of the API references of Kubernetes (kubernetes.io/docs/reference),
 * LeaderWorkerSet (lws.sigs.k8s.io) and Argo Rollouts. An object of any other kind is searched for
 * pod specs.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "manifest_parts.h"

/* Objects inside objects of unknown kinds: JobSet, RayCluster, PodCliqueSet nest so deep. */
#define SEARCH_DEPTH_MAX 12

struct kind_row {
    const char *kind;
    const char *pod;      /* path of the pod's spec */
    const char *replicas; /* path of a number, NULL = one */
    kind_read_fn *read;   /* instead of the paths */
    const char *unread;   /* why it cannot be read, and what can */
};

static kind_read_fn read_leader_worker_set, read_nothing;

static const struct kind_row KINDS[] = {
    {"Pod", .pod = "spec"},
    {"Deployment", .pod = "spec/template/spec", .replicas = "spec/replicas"},
    {"StatefulSet", .pod = "spec/template/spec", .replicas = "spec/replicas"},
    {"ReplicaSet", .pod = "spec/template/spec", .replicas = "spec/replicas"},
    {"ReplicationController", .pod = "spec/template/spec", .replicas = "spec/replicas"},
    {"Rollout", .pod = "spec/template/spec", .replicas = "spec/replicas"},
    {"DaemonSet", .pod = "spec/template/spec"},
    {"Job", .pod = "spec/template/spec", .replicas = "spec/parallelism"},
    {"CronJob", .pod = "spec/jobTemplate/spec/template/spec"},
    {"LeaderWorkerSet", .read = read_leader_worker_set},
    {"InferenceService", .read = read_inference_service},
    {"LLMInferenceService", .read = read_llm_inference_service},
    {"ServingRuntime", .read = read_serving_runtime},
    {"ClusterServingRuntime", .read = read_serving_runtime},
    {"RayService", .read = read_ray_service},
    {"CustomResourceDefinition", .read = read_nothing},
    {"HelmRelease", .unread = "it names a chart: send what \"helm template\" prints of it"},
    {"HelmChart", .unread = "it names a chart: send what \"helm template\" prints of it"},
    {"Application", .unread = "it names a source: send what \"argocd app manifests\" prints of it"},
    {"Kustomization", .unread = "it names files: send what \"kubectl kustomize\" prints of it"},
    {"NIMService", .unread = "a NIM chooses engine and flags by itself: send its engine's command"},
    {"ModelService", .unread = "a controller makes its pods: send what \"helm template\" or "
                               "\"kubectl get pod -o yaml\" prints of it"},
    {"Workspace", .unread = "a controller makes its pods: send what \"kubectl get pod -o yaml\" "
                            "prints of it"},
};

static void read_nothing(struct manifest *manifest, const struct cJSON *object)
{
    (void)manifest;
    (void)object;
}

/* A group of pods whose first one serves; the workers bring devices. `spec` holds the group, `base`
 * the kind, the name and the copies. */
static void read_group(struct manifest *manifest, const struct pod *base, const cJSON *spec)
{
    const cJSON *group = tree_at(spec, "leaderWorkerTemplate");
    const cJSON *worker = tree_at(group, "workerTemplate/spec");
    const cJSON *leader = tree_at(group, "leaderTemplate/spec");
    double size = tree_number(manifest, group, "size");
    double replicas = tree_copies(manifest, spec, "replicas");
    const char *text = tree_text(manifest, group, "size");
    const struct command_env env[] = {{"LWS_GROUP_SIZE", text ? text : "1"},
                                      {"LWS_LEADER_ADDRESS", "leader"},
                                      {"LWS_WORKER_INDEX", "0"}};
    struct pod pod = *base;
    int first = manifest->n_units;

    pod.spec = leader ? leader : worker;
    pod.replicas = isnan(replicas) ? base->replicas : replicas;
    pod.pods = size >= 1 ? size : 1;
    pod.env = env;
    pod.n_env = ARRAY_LEN(env);
    units_of_pod(manifest, &pod);
    /* A leader may ask for no device of its own; then every worker's count. */
    const cJSON *containers = leader ? tree_at(worker, "containers") : NULL;
    for (int i = first; containers && i < manifest->n_units; i++) {
        struct unit *unit = &manifest->units[i];
        if (isnan(unit->devices) && pod.pods > 1) {
            unit_devices(manifest, worker, containers->child, unit);
            unit->pods = pod.pods - 1;
        }
    }
}

static void read_leader_worker_set(struct manifest *manifest, const struct cJSON *object)
{
    const struct pod base = {
        .kind = "LeaderWorkerSet",
        .workload = tree_text(manifest, object, "metadata/name"),
        .replicas = NAN,
    };

    read_group(manifest, &base, tree_at(object, "spec"));
}

/* What stands below `node`, which may be one of several roles with a name of its own. */
static struct pod pod_below(const struct manifest *manifest, const struct pod *pod,
                            const cJSON *node)
{
    const char *role = cJSON_IsObject(node) ? tree_text(manifest, node, "name") : NULL;
    double replicas = tree_copies(manifest, node, "replicas");
    struct pod below = *pod;

    if (role && pod->workload)
        below.workload = arena_printf(manifest->intake->arena, "%s/%s", pod->workload, role);
    if (!isnan(replicas))
        below.replicas = replicas;
    return below;
}

/* Pods, groups and main containers anywhere below. */
static void search(struct manifest *manifest, const struct pod *pod, const cJSON *node, int depth)
{
    if (depth == 0 || !node)
        return;
    struct pod below = pod_below(manifest, pod, node);
    const cJSON *main_container = tree_at(node, "mainContainer");
    if (cJSON_IsArray(tree_at(node, "containers"))) {
        below.spec = node;
        units_of_pod(manifest, &below);
    } else if (cJSON_IsObject(tree_at(node, "leaderWorkerTemplate"))) {
        read_group(manifest, &below, node);
    } else if (cJSON_IsObject(main_container)) {
        struct unit *unit = unit_add(manifest, &below, "mainContainer");
        if (unit) {
            unit_command(manifest, &below, main_container, NULL, unit);
            unit_devices(manifest, node, main_container, unit);
        }
    } else {
        for (const cJSON *child = node->child; child; child = child->next)
            if (cJSON_IsObject(child) || cJSON_IsArray(child))
                search(manifest, &below, child, depth - 1);
    }
}

static void read_by_row(struct manifest *manifest, const struct kind_row *row, const cJSON *object)
{
    const struct pod pod = {
        .kind = row->kind,
        .workload = tree_text(manifest, object, "metadata/name"),
        .spec = tree_at(object, row->pod),
        .replicas = row->replicas ? tree_copies(manifest, object, row->replicas) : (double)NAN,
        .pods = 1,
    };

    units_of_pod(manifest, &pod);
}

static const struct kind_row *row_of(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
        if (strcmp(KINDS[i].kind, kind) == 0)
            return &KINDS[i];
    return NULL;
}

static void read_object(struct manifest *manifest, const cJSON *object)
{
    const char *kind = tree_text(manifest, object, "kind");
    const struct kind_row *row = kind ? row_of(kind) : NULL;

    if (!kind && cJSON_IsObject(tree_at(object, "services"))) {
        read_compose(manifest, object);
        return;
    }
    if (row && row->unread) {
        manifest->unread_kind = row->kind;
        manifest->unread_why = row->unread;
        return;
    }
    if (row && row->read) {
        row->read(manifest, object);
        return;
    }
    if (row) {
        read_by_row(manifest, row, object);
        return;
    }
    const struct pod pod = {.kind = kind ? kind : "object",
                            .workload = tree_text(manifest, object, "metadata/name"),
                            .replicas = NAN,
                            .pods = 1};
    search(manifest, &pod, object, SEARCH_DEPTH_MAX);
}

/* A document, or the items of a List. */
static void read_document(struct manifest *manifest, const cJSON *document)
{
    const char *kind = tree_text(manifest, document, "kind");
    const cJSON *items = tree_at(document, "items");
    size_t length = kind ? strlen(kind) : 0;

    if (!cJSON_IsArray(items) || length < 4 || strcmp(kind + length - 4, "List") != 0) {
        read_object(manifest, document);
        return;
    }
    for (const cJSON *item = items->child; item; item = item->next)
        read_object(manifest, item);
}

void units_find(struct manifest *manifest)
{
    const cJSON *documents = manifest->documents;

    if (cJSON_IsObject(documents)) {
        read_document(manifest, documents);
        return;
    }
    for (const cJSON *document = documents->child; document; document = document->next)
        read_document(manifest, document);
}
