#include "command_llama.h"

#include <math.h>
#include <string.h>

#define MICRO_BATCH 512.0
#define BATCH 2048.0
/* More than any model has. */
#define ALL_LAYERS 10000.0
#define SPLITS_MAX 64

/* Readers -------------------------------------------------------------------------------------- */

void read_threads(struct reading *reading, const struct flag *flag, const char *value)
{
    if (value[0] != '-')
        read_leaf(reading, flag, value);
}

void read_flash(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "auto") != 0)
        read_on(reading, flag, value);
}

/* "all", "auto" and -1 leave every layer where it fits: on the GPU. */
void read_gpu_layers(struct reading *reading, const struct flag *flag, const char *value)
{
    if (strcmp(value, "all") != 0 && strcmp(value, "auto") != 0 && value[0] != '-')
        read_leaf(reading, flag, value);
}

static void keep(struct reading *reading, enum flag_slot slot, double number)
{
    reading->slots[slot] = number;
    reading->slot_flags[slot] = reading->spelled;
}

/* Devices by name, or none. */
void read_devices(struct reading *reading, const struct flag *flag, const char *value)
{
    double n = 1;

    (void)flag;
    if (strcmp(value, "none") == 0) {
        leaf_number(reading, reading->spelled, "/deployment/gpu_layers", 0);
        return;
    }
    for (const char *at = value; *at; at++)
        n += *at == ',' || *at == '/';
    keep(reading, SLOT_SPLITS, n);
}

/* Shares of the devices; unequal ones cut the layers by themselves. */
void read_split(struct reading *reading, const struct flag *flag, const char *value)
{
    double n = 0, share;

    (void)flag;
    for (const char *at = value; *at;) {
        char digits[32];
        size_t length = strcspn(at, ",/");
        if (length >= sizeof(digits))
            break;
        memcpy(digits, at, length);
        digits[length] = '\0';
        if (!command_number(digits, &share)) {
            reading_fault(reading, reading->spelled, NULL, "expected shares as 3,1, got \"%s\"",
                          field_quote(reading->intake->arena, value));
            return;
        }
        n += share > 0;
        at += length + (at[length] != '\0');
    }
    keep(reading, SLOT_SPLITS, n);
    reading->texts[TEXT_SPLIT] = value;
}

/* A pattern without a layer's number that sends the experts to the host. */
void read_override(struct reading *reading, const struct flag *flag, const char *value)
{
    const char *to = strstr(value, "=CPU");
    bool all = to && strstr(value, "exps") && !memchr(value, '[', (size_t)(to - value)) &&
               strcspn(value, "0123456789") >= (size_t)(to - value) && !strchr(value, ',');

    if (all)
        keep(reading, SLOT_CPU_MOE, 1);
    else
        read_not_modelled(reading, flag, value);
}

void read_sampler(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)value;
    leaf_text(reading, reading->spelled, flag->pointer, "device");
}

void read_not_unified(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    (void)value;
    keep(reading, SLOT_UNIFIED, 0);
}

void read_projector(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    (void)value;
    keep(reading, SLOT_VISION, 1);
}

void read_no_projector(struct reading *reading, const struct flag *flag, const char *value)
{
    (void)flag;
    (void)value;
    keep(reading, SLOT_VISION, 0);
}

/* --gpt-oss-20b-default and its kin name a model. */
void read_default_model(struct reading *reading, const struct flag *flag, const char *value)
{
    static const struct flag_name MODELS[] = {
        {"--gpt-oss-20b-default", "gpt-oss-20b", false},
        {"--gpt-oss-120b-default", "gpt-oss-120b", false},
        {"--vision-gemma-4b-default", "gemma-3-4b-it", false},
        {"--vision-gemma-12b-default", "gemma-3-12b-it", false},
        {"--fim-qwen-30b-default", "Qwen3-Coder-30B-A3B-Instruct-Q8_0", false},
        {"--fim-qwen-14b-spec", "Qwen2.5-Coder-14B-Q8_0", false},
        {"--fim-qwen-7b-spec", "Qwen2.5-Coder-7B-Q8_0", false},
        {"--fim-qwen-7b-default", "Qwen2.5-Coder-7B-Q8_0", false},
        {"--fim-qwen-3b-default", "Qwen2.5-Coder-3B-Q8_0", false},
        {"--fim-qwen-1.5b-default", "Qwen2.5-Coder-1.5B-Q8_0", false},
        {NULL, NULL, false},
    };
    const struct flag_name *model = flag_name_find(MODELS, flag->name);

    (void)value;
    reading->texts[TEXT_MODEL] = model ? model->ours : flag->name;
    reading->text_flags[TEXT_MODEL] = reading->spelled;
}

void read_fork(struct reading *reading, const struct flag *flag, const char *value)
{
    leaf_text(reading, reading->spelled, flag->pointer, "ik_llama.cpp");
    read_not_modelled(reading, flag, value);
}

/* A benchmark takes lists and ranges; one plan is of their first value. */
static bool first_number(struct reading *reading, const char *value, double *ret_number)
{
    size_t length = strcspn(value, ",-+*");
    char digits[32];

    if (length < sizeof(digits)) {
        memcpy(digits, value, length);
        digits[length] = '\0';
    }
    if (!length || length >= sizeof(digits) || !command_number(digits, ret_number)) {
        reading_fault(reading, reading->spelled, NULL, "expected a number, got \"%s\"",
                      field_quote(reading->intake->arena, value));
        return false;
    }
    if (value[length])
        reading_note(reading, "first_of_list", "%s %s: the first value is planned",
                     reading->spelled, field_quote(reading->intake->arena, value));
    return true;
}

void read_first(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;

    if (first_number(reading, value, &number) && number > 0)
        leaf_number(reading, reading->spelled, flag->pointer, number);
}

void read_kept_first(struct reading *reading, const struct flag *flag, const char *value)
{
    double number;

    if (first_number(reading, value, &number))
        keep(reading, (enum flag_slot)flag->slot, number);
}

/* Settling ------------------------------------------------------------------------------------- */

/*
 * --ctx-size is shared out: to each of -np slots its part, or, where slots share one context (the
 * default when their number is left to the program), all of it to whoever needs it.
 */
static void set_context(struct reading *reading)
{
    double slots = slot_or(reading, SLOT_SLOTS, -1), cells = slot_or(reading, SLOT_CONTEXT, 0);
    bool counted = slots > 0;
    bool unified = slot_or(reading, SLOT_UNIFIED, counted ? 0 : 1) != 0;
    const char *flag = reading->slot_flags[SLOT_CONTEXT];

    if (counted)
        leaf_number(reading, reading->slot_flags[SLOT_SLOTS], "/deployment/max_num_seqs", slots);
    if (slot_said(reading, SLOT_UNIFIED))
        leaf_bool(reading, reading->slot_flags[SLOT_UNIFIED], "/deployment/kv_unified", unified);
    if (cells <= 0)
        return;
    leaf_number(reading, flag, "/deployment/max_model_len",
                unified ? cells : fmax(floor(cells / slots), 1));
    if (unified)
        leaf_bool(reading, flag, "/deployment/kv_unified", true);
}

/* A pass holds at most the smaller of --batch-size and --ubatch-size. */
static void set_batch(struct reading *reading)
{
    enum flag_slot said = slot_said(reading, SLOT_MICRO_BATCH) ? SLOT_MICRO_BATCH : SLOT_BATCH;
    double tokens =
        fmin(slot_or(reading, SLOT_MICRO_BATCH, MICRO_BATCH), slot_or(reading, SLOT_BATCH, BATCH));

    if (!slot_said(reading, said))
        return;
    leaf_number(reading, reading->slot_flags[said], "/deployment/micro_batch_tokens", tokens);
    leaf_number(reading, reading->slot_flags[said], "/deployment/chunked_prefill_tokens", tokens);
}

/* One type stands for both halves: the wider, said where they differ. */
static void set_cache_type(struct reading *reading)
{
    const struct catalogue *catalogue = reading->intake->catalogue;
    const char *key = reading->texts[TEXT_CACHE_K], *value = reading->texts[TEXT_CACHE_V];
    const struct model *model = reading->request->problem.model;
    const char *flag = reading->text_flags[key ? TEXT_CACHE_K : TEXT_CACHE_V];
    bool one = model && model->has_mla; /* latent values are part of the keys */

    if (!key && !value)
        return;
    key = key ? key : "f16";
    value = value ? value : "f16";
    if (one && !reading->texts[TEXT_CACHE_V])
        value = key;
    int k = catalogue_find_kv_format(catalogue, key),
        v = catalogue_find_kv_format(catalogue, value);
    if (k < 0 || v < 0) {
        leaf_text(reading, flag, "/deployment/kv_cache", k < 0 ? key : value);
        return;
    }
    const struct kv_format *formats = catalogue->lib.kv_formats;
    bool wider = formats[k].bytes_per_element >= formats[v].bytes_per_element;
    if (k != v)
        reading_note(reading, "cache_types_differ",
                     "keys in %s and values in %s: both are planned in %s, the wider", key, value,
                     wider ? key : value);
    leaf_text(reading, flag, "/deployment/kv_cache", wider ? key : value);
}

/* Layers of each device by unequal shares: the cut nearest to them. */
static void set_shares(struct reading *reading, const char *shares, double layers)
{
    struct arena *arena = reading->intake->arena;
    double share[SPLITS_MAX], total = 0, past = 0, laid = 0;
    const char *list = "";
    bool equal = true;
    int n = 0;

    while (*shares && n < SPLITS_MAX) {
        char digits[32];
        size_t length = strcspn(shares, ",/");
        memcpy(digits, shares, length);
        digits[length] = '\0';
        if (!command_number(digits, &share[n]))
            return;
        shares += length + (shares[length] != '\0');
        total += share[n];
        equal = equal && share[n] == share[0];
        n += share[n] > 0;
    }
    if (equal || !(total > 0))
        return;
    for (int i = 0; list && i < n; i++) {
        past += share[i];
        double end = floor(layers * past / total + 0.5);
        list = arena_printf(arena, "%s%s%.9g", list, i ? "," : "", end - laid);
        laid = end;
    }
    if (list)
        leaf_text(reading, "--tensor-split", "/deployment/pp_layers", list);
}

/* Layers are laid out over all devices that are seen, one behind the other, unless rows are cut. */
static void set_devices(struct reading *reading)
{
    const char *mode = reading->texts[TEXT_SPLIT_MODE], *shares = reading->texts[TEXT_SPLIT];
    const struct model *model = reading->request->problem.model;
    double n = slot_or(reading, SLOT_SPLITS, reading->found->n_devices);
    const char *flag = slot_said(reading, SLOT_SPLITS) ? reading->slot_flags[SLOT_SPLITS]
                                                       : reading->found->program;
    bool rows = mode && (strcmp(mode, "row") == 0 || strcmp(mode, "tensor") == 0);

    if (n <= 1 || (mode && strcmp(mode, "none") == 0))
        return;
    leaf_number(reading, flag, rows ? "/deployment/tp" : "/deployment/pp", n);
    if (shares && !rows && model)
        set_shares(reading, shares, model->n_layers);
}

/* The encoder is a file of its own: without it a model is served as one of text. */
static void set_encoder(struct reading *reading)
{
    const struct model *model = reading->request->problem.model;
    const char *flag = reading->text_flags[TEXT_MODEL];
    bool fetched = flag && (strncmp(flag, "-hf", 3) == 0 || strncmp(flag, "--hf", 4) == 0);

    if (!model || !(model->vision_params > 0))
        return;
    bool loaded = slot_or(reading, SLOT_VISION, fetched) != 0;
    leaf_bool(reading,
              slot_said(reading, SLOT_VISION) ? reading->slot_flags[SLOT_VISION] : "--mmproj",
              "/deployment/text_only", !loaded);
}

/* The back end that an image was built for stands in its tag. */
static void set_backend(struct reading *reading)
{
    static const struct flag_name BACKENDS[] = {
        {"cuda", "cuda", false},     {"rocm", "hip", false},   {"musa", "cuda", false},
        {"vulkan", "vulkan", false}, {"intel", "sycl", false}, {NULL, NULL, false},
    };
    const char *image = reading->found->image;
    const char *backend = "cpu";

    if (!image || command_image_engine(image) != &COMMAND_LLAMA || !strstr(image, ":"))
        return;
    for (const struct flag_name *name = BACKENDS; name->theirs; name++) {
        if (strstr(strrchr(image, ':'), name->theirs))
            backend = name->ours;
    }
    leaf_text(reading, image, "/deployment/backend", backend);
}

/* What a repository gives when no file is named, where the model's own weights are no file of it.
 */
static void set_weights(struct reading *reading)
{
    const struct plan_request *request = reading->request;
    const char *flag = reading->text_flags[TEXT_MODEL];
    const char *own = request->problem.model ? request->problem.model->native_format : NULL;
    bool plain = !own || strcmp(own, "bf16") == 0 || strcmp(own, "fp16") == 0;

    if (!flag || request->name_format || !plain || leaf_is_given(reading, "/deployment/weights"))
        return;
    if (strncmp(flag, "-hf", 3) == 0 || strcmp(flag, "--hf-repo") == 0)
        leaf_text(reading, flag, "/deployment/weights", "q4_k_m");
    else
        reading_note(reading, "weights_unknown",
                     "the file's name does not tell its weight format: %s is planned; give "
                     "\"weights\" in the deployment",
                     own ? own : "bf16");
}

void llama_finish(struct reading *reading)
{
    const struct model *model = reading->request->problem.model;

    set_context(reading);
    set_batch(reading);
    set_cache_type(reading);
    if (slot_or(reading, SLOT_CPU_MOE, 0) != 0)
        leaf_number(reading, reading->slot_flags[SLOT_CPU_MOE], "/deployment/cpu_moe_layers",
                    model ? model->n_layers : ALL_LAYERS);
    set_devices(reading);
    set_encoder(reading);
    set_backend(reading);
    set_weights(reading);
    command_settle_drafts(reading);
}

void llama_bench_finish(struct reading *reading)
{
    double depth = slot_or(reading, SLOT_CONTEXT, 0);

    if (depth > 0)
        leaf_number(reading, reading->slot_flags[SLOT_CONTEXT], "/workload/input_tokens", depth);
    reading->slots[SLOT_CONTEXT] = NAN;
    if (!leaf_is_given(reading, "/workload/load_generator"))
        leaf_text(reading, reading->found->program, "/workload/load_generator", "engine_bench");
    llama_finish(reading);
}
