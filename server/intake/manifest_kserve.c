/*
 * manifest_kserve.c - KServe's InferenceService, ServingRuntime and LLMInferenceService, and the
 * Ray Serve application of a RayService.
 *
 * Shapes: kserve.github.io (v1beta1, v1alpha1 API references); docs.ray.io, "Serving LLMs". A model
 * of an InferenceService runs in its runtime's first container: what the model says goes before the
 * runtime, its args follow the runtime's (kserve/pkg/controller/.../utils.go,
 * MergeRuntimeContainers).
 */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "command_words.h"
#include "manifest_parts.h"
#include "yaml_tree.h"

/* KServe's Hugging Face server -------------------------------------------------------------------
 */

#define HUGGINGFACE_SERVER "huggingfaceserver"

/* Its own arguments (kserve/python/huggingfaceserver/__main__.py); all others are vLLM's. Those
 * without a name of vLLM do nothing to a plan. */
static const struct {
    const char *name, *vllm;
} HUGGINGFACE[] = {
    {"--model_id", "--model"},
    {"--model-id", "--model"},
    {"--model_revision", "--revision"},
    {"--model_name", "--served-model-name"},
    {"--model-name", "--served-model-name"},
    {"--model_dir", NULL},
    {"--backend", NULL},
    {"--task", NULL},
    {"--http_port", NULL},
    {"--grpc_port", NULL},
    {"--workers", NULL},
    {"--max_length", "--max-model-len"},
};

/* The place of the word's flag among them, -1 for none; *ret_value is what stands behind '='. */
static int huggingface_flag(const char *word, const char **ret_value)
{
    size_t length = strcspn(word, "=");

    *ret_value = word[length] ? word + length + 1 : NULL;
    for (size_t i = 0; i < ARRAY_LEN(HUGGINGFACE); i++)
        if (strlen(HUGGINGFACE[i].name) == length &&
            strncmp(HUGGINGFACE[i].name, word, length) == 0)
            return (int)i;
    return -1;
}

/* Where the server's arguments begin; -1 when the unit starts something else. */
static int huggingface_arguments(const struct unit *unit)
{
    const struct command_line *line = &unit->line;

    for (int i = 0; i < line->argc; i++)
        if (strcmp(line->argv[i], HUGGINGFACE_SERVER) == 0)
            return i + 1;
    bool own = line->argc == 0 || line->argv[0][0] == '-';
    return own && line->image && strstr(line->image, "huggingface") &&
                   !strstr(line->image, "text-generation")
               ? 0
               : -1;
}

/* Takes the flag at line->argv[i] over; how many words that is. */
static int take_over(struct arena *arena, const struct command_line *line, int i,
                     const char **words, int *n)
{
    const char *value;
    int flag = huggingface_flag(line->argv[i], &value);
    bool apart = flag >= 0 && !value && i + 1 < line->argc;

    if (flag < 0) {
        words[(*n)++] = line->argv[i];
        return 1;
    }
    value = apart ? line->argv[i + 1] : value;
    if (HUGGINGFACE[flag].vllm && value) {
        const char *word = arena_printf(arena, "%s=%s", HUGGINGFACE[flag].vllm, value);
        if (word)
            words[(*n)++] = word;
    }
    return apart ? 2 : 1;
}

void unit_huggingface(const struct manifest *manifest, struct unit *unit)
{
    static const char *const SERVER[] = {"vllm", "serve"};
    const struct command_line *line = &unit->line;
    int i = huggingface_arguments(unit), n = ARRAY_LEN(SERVER);

    if (i < 0)
        return;
    const char **words = arena_alloc(manifest->intake->arena,
                                     ((size_t)line->argc + ARRAY_LEN(SERVER)) * sizeof(*words));
    if (!words)
        return;
    memcpy(words, SERVER, sizeof(SERVER));
    while (i < line->argc)
        i += take_over(manifest->intake->arena, line, i, words, &n);
    unit->line.argv = words;
    unit->line.argc = n;
    unit->line.image = NULL;
}

/* Services --------------------------------------------------------------------------------------
 */

#define RUNTIME_CONTAINER "kserve-container"

/* The runtime that the model names, of the namespace or of the cluster; NULL when not here. */
static const cJSON *runtime_of(const struct manifest *manifest, const cJSON *model)
{
    const char *name = tree_text(manifest, model, "runtime");
    const cJSON *runtime = name ? tree_object(manifest, "ServingRuntime", name) : NULL;

    return runtime || !name ? runtime : tree_object(manifest, "ClusterServingRuntime", name);
}

/* The container of that name, else the first. */
static const cJSON *container_of(const struct manifest *manifest, const cJSON *spec,
                                 const char *name)
{
    const cJSON *containers = tree_at(spec, "containers");

    if (!cJSON_IsArray(containers))
        return NULL;
    for (const cJSON *one = containers->child; one; one = one->next) {
        const char *its = tree_text(manifest, one, "name");
        if (its && strcmp(its, name) == 0)
            return one;
    }
    return containers->child;
}

static const char *lower_of(struct arena *arena, const char *text)
{
    char *copy = text ? arena_copy(arena, text, strlen(text)) : NULL;

    for (char *at = copy; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return copy;
}

/* The image that runs a model of that format where the runtime is not in the stream: KServe's own
 * Hugging Face server where a format is named so, else whatever engine the runtime's name has. */
static void own_runtime(const struct manifest *manifest, const cJSON *model, struct unit *unit)
{
    const char *format = tree_text(manifest, model, "modelFormat/name");
    const char *runtime = tree_text(manifest, model, "runtime");

    if (!unit->line.image)
        unit->line.image = lower_of(manifest->intake->arena, runtime ? runtime : format);
    unit_huggingface(manifest, unit);
}

/* A model with its format and runtime: what runs is the runtime's container. */
static void read_predictor_model(struct manifest *manifest, const cJSON *predictor, struct pod *pod)
{
    const cJSON *model = tree_at(predictor, "model");
    const cJSON *runtime = runtime_of(manifest, model);
    const cJSON *container = container_of(manifest, tree_at(runtime, "spec"), RUNTIME_CONTAINER);

    pod->model = tree_text(manifest, model, "storageUri");
    pod->model_from = "storageUri";
    if (!pod->model)
        pod->model = tree_text(manifest, model, "storage/path");
    struct unit *unit = unit_add(manifest, pod, RUNTIME_CONTAINER);
    if (!unit)
        return;
    unit_command(manifest, pod, container, model, unit);
    own_runtime(manifest, model, unit);
    unit_devices(manifest, tree_at(runtime, "spec"), container, unit);
    unit_devices(manifest, predictor, model, unit);
}

void read_inference_service(struct manifest *manifest, const struct cJSON *object)
{
    const cJSON *predictor = tree_at(object, "spec/predictor");
    const cJSON *workers = tree_at(predictor, "workerSpec");
    double pipeline = tree_number(manifest, workers, "pipelineParallelSize");
    struct pod pod = {
        .kind = "InferenceService",
        .workload = tree_text(manifest, object, "metadata/name"),
        .spec = predictor,
        .replicas = tree_copies(manifest, predictor, "minReplicas"),
        .pods = pipeline >= 1 ? pipeline : 1,
        .pp = pipeline >= 1 ? pipeline : 0,
    };
    double tensor = tree_number(manifest, workers, "tensorParallelSize");

    if (pod.replicas == 0) /* down to none when idle */
        pod.replicas = NAN;
    pod.tp = tensor >= 1 ? tensor : 0;
    if (tree_at(predictor, "model"))
        read_predictor_model(manifest, predictor, &pod);
    else
        units_of_pod(manifest, &pod);
}

/* A runtime alone serves nothing; with a command that names its model it may be asked about. */
void read_serving_runtime(struct manifest *manifest, const struct cJSON *object)
{
    const struct pod pod = {
        .kind = "ServingRuntime",
        .workload = tree_text(manifest, object, "metadata/name"),
        .spec = tree_at(object, "spec"),
        .replicas = NAN,
        .pods = 1,
    };

    units_of_pod(manifest, &pod);
}

/* LLMInferenceService ---------------------------------------------------------------------------
 *
 * The controller's templates (kserve config/llmisvcconfig) start the engine as
 * `vllm serve /mnt/models --tensor-parallel-size ... ${VLLM_ADDITIONAL_ARGS}` in the container
 * "main", unless the container brings its own command. */

#define MAIN_CONTAINER "main"
#define TEMPLATE_WORDS_MAX 16

/* The words that the template starts with for each runtime. */
static const struct template
{
    const char *runtime, *more;        /* variable with further arguments */
    const char *tp, *pp, *dp, *spread; /* flags of the layout; spread = experts over all */
    const char *words[4];
}

TEMPLATES[] = {
    {"vllm",
     "VLLM_ADDITIONAL_ARGS",
     "--tensor-parallel-size",
     "--pipeline-parallel-size",
     "--data-parallel-size",
     "--enable-expert-parallel",
     {"vllm", "serve", "/mnt/models", NULL}},
    {"sglang",
     "SGLANG_ADDITIONAL_ARGS",
     "--tp-size",
     "--pp-size",
     "--dp-size",
     NULL,
     {"sglang.launch_server", "--model-path", "/mnt/models", NULL}},
};

/* Words of a variable's value, as the template's shell cuts it. */
static int words_of_variable(const struct manifest *manifest, const struct command_line *line,
                             const char *name, const char **words)
{
    const char *value = command_env_value(line->env, line->n_env, name);
    struct shell *shell = value ? arena_alloc(manifest->intake->arena, sizeof(*shell)) : NULL;
    int n = 0;

    if (!shell || !shell_read(manifest->intake, value, manifest->origin, NULL, 0, shell))
        return 0;
    for (int i = 0; i < shell->n_commands; i++)
        for (int j = 0; j < shell->commands[i].n_words && n < UNIT_WORDS_MAX; j++)
            words[n++] = shell->commands[i].words[j];
    return n;
}

/* The flags of the layout; their number. */
static int words_of_layout(const struct manifest *manifest, const struct template *template,
                           const cJSON *layout, const char **words)
{
    const char *const flags[] = {template->tp, template->pp, template->dp};
    static const char *const NAMES[] = {"tensor", "pipeline", "data"};
    int n = 0;

    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        const char *size = tree_text(manifest, layout, NAMES[i]);
        if (!size)
            continue;
        words[n++] = flags[i];
        words[n++] = size;
    }
    const char *expert = tree_text(manifest, layout, "expert");
    if (expert && strcmp(expert, "true") == 0 && template->spread)
        words[n++] = template->spread;
    return n;
}

/* The command that the template comes to for a container without one. */
static void template_command(const struct manifest *manifest, const cJSON *spec, struct unit *unit)
{
    const char *runtime = tree_text(manifest, spec, "runtime");
    struct command_line *line = &unit->line;
    bool other = runtime && strcmp(runtime, TEMPLATES[1].runtime) == 0;
    const struct template *template = &TEMPLATES[other ? 1 : 0];
    const char **words =
        arena_alloc(manifest->intake->arena,
                    (TEMPLATE_WORDS_MAX + (size_t)line->argc + UNIT_WORDS_MAX) * sizeof(*words));
    int n = 0;

    if (!words || (line->argc && line->argv[0][0] != '-'))
        return;
    for (; template->words[n]; n++)
        words[n] = template->words[n];
    n += words_of_layout(manifest, template, tree_at(spec, "parallelism"), words + n);
    for (int i = 0; i < line->argc; i++)
        words[n++] = line->argv[i];
    n += words_of_variable(manifest, line, template->more, words + n);
    line->argv = words;
    line->argc = n;
    line->origin = manifest->origin;
}

/* One pool of pods: the service itself or its prefill. */
static void read_pool(struct manifest *manifest, const cJSON *spec, struct pod *pod)
{
    const cJSON *layout = tree_at(spec, "parallelism");
    double local = tree_number(manifest, layout, "dataLocal");
    double data = tree_number(manifest, layout, "data");
    double pipeline = tree_number(manifest, layout, "pipeline");
    int first = manifest->n_units;

    pod->spec = tree_at(spec, "template");
    pod->replicas = tree_copies(manifest, spec, "replicas");
    pod->pods = local >= 1 && data > local ? data / local : 1;
    if (tree_at(spec, "worker") && pod->pods <= 1 && pipeline > 1)
        pod->pods = pipeline;
    if (cJSON_IsArray(tree_at(pod->spec, "containers")))
        units_of_pod(manifest, pod);
    else
        (void)unit_add(manifest, pod, MAIN_CONTAINER);
    for (int i = first; i < manifest->n_units; i++)
        if (strcmp(manifest->units[i].container, MAIN_CONTAINER) == 0)
            template_command(manifest, spec, &manifest->units[i]);
}

void read_llm_inference_service(struct manifest *manifest, const struct cJSON *object)
{
    const cJSON *spec = tree_at(object, "spec");
    const cJSON *prefill = tree_at(spec, "prefill");
    const char *name = tree_text(manifest, object, "metadata/name");
    struct pod pod = {
        .kind = "LLMInferenceService",
        .workload = name,
        .model = tree_text(manifest, spec, "model/uri"),
        .model_from = "spec.model.uri",
        .model_name = tree_text(manifest, spec, "model/name"),
    };

    read_pool(manifest, spec, &pod);
    if (!prefill)
        return;
    pod.workload =
        arena_printf(manifest->intake->arena, "%s/prefill", pod.workload ? pod.workload : "");
    read_pool(manifest, prefill, &pod);
}

/* Ray Serve -------------------------------------------------------------------------------------
 */

#define RAY_WORDS_MAX 256

/* "tensor_parallel_size": 4 as "--tensor-parallel-size=4"; false switches stay out. */
static const char *flag_of_setting(struct arena *arena, const cJSON *setting)
{
    const char *value = yaml_text(arena, setting);
    char name[80];
    size_t length = 0;

    for (; setting->string[length] && length + 1 < sizeof(name); length++)
        name[length] = (char)(setting->string[length] == '_' ? '-' : setting->string[length]);
    name[length] = '\0';
    if (cJSON_IsTrue(setting))
        return arena_printf(arena, "--%s", name);
    if (cJSON_IsFalse(setting))
        return arena_printf(arena, "--no-%s", name);
    if (cJSON_IsObject(setting) || cJSON_IsArray(setting)) {
        const char *json = cJSON_PrintUnformatted(setting);
        return json ? arena_printf(arena, "--%s=%s", name, json) : NULL;
    }
    return value && value[0] ? arena_printf(arena, "--%s=%s", name, value) : NULL;
}

/* One entry of llm_configs as the command it comes to: vllm serve MODEL --key=value ... */
static void read_llm_config(struct manifest *manifest, const struct pod *pod, const cJSON *config)
{
    struct arena *arena = manifest->intake->arena;
    const cJSON *settings = tree_at(config, "engine_kwargs");
    const char *id = tree_text(manifest, config, "model_loading_config/model_id");
    const char *source = tree_text(manifest, config, "model_loading_config/model_source");
    struct unit *unit = unit_add(manifest, pod, id);
    const char **words = arena_alloc(arena, RAY_WORDS_MAX * sizeof(*words));
    int n = 0;

    if (!unit || !words)
        return;
    words[n++] = "vllm";
    words[n++] = "serve";
    words[n++] = source ? source : id ? id : "";
    for (const cJSON *one = settings ? settings->child : NULL; one; one = one->next) {
        const char *word = flag_of_setting(arena, one);
        if (word && n < RAY_WORDS_MAX)
            words[n++] = word;
    }
    unit->line = (struct command_line){.argc = n, .argv = words, .origin = manifest->origin};
    unit->part = tree_text(manifest, config, "accelerator_type");
    unit->part_from = "accelerator_type";
    unit->replicas =
        tree_number(manifest, config, "deployment_config/autoscaling_config/min_replicas");
    if (isnan(unit->replicas))
        unit->replicas = tree_number(manifest, config, "deployment_config/num_replicas");
    if (!(unit->replicas >= 1))
        unit->replicas = NAN;
}

/* The serve configuration is YAML inside the object. */
void read_ray_service(struct manifest *manifest, const struct cJSON *object)
{
    static const char WHY[] = "only Ray Serve LLM applications whose llm_configs stand in "
                              "serveConfigV2 can be read: send the engine's command";
    const cJSON *text = tree_at(object, "spec/serveConfigV2");
    const struct pod pod = {
        .kind = "RayService",
        .workload = tree_text(manifest, object, "metadata/name"),
        .replicas = NAN,
        .pods = 1,
    };
    struct yaml_fault fault;
    int before = manifest->n_units;
    const cJSON *serve = cJSON_IsString(text)
                             ? yaml_tree_read(manifest->intake->arena, text->valuestring,
                                              strlen(text->valuestring), &fault)
                             : NULL;
    const cJSON *applications = tree_at(serve ? serve->child : NULL, "applications");

    for (const cJSON *one = applications ? applications->child : NULL; one; one = one->next) {
        const cJSON *configs = tree_at(one, "args/llm_configs");
        for (const cJSON *config = configs ? configs->child : NULL; config; config = config->next)
            read_llm_config(manifest, &pod, config);
    }
    if (manifest->n_units > before)
        return;
    manifest->unread_kind = "RayService";
    manifest->unread_why = WHY;
}
