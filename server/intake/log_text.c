#include "log_text.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "command_line.h"
#include "device_names.h"
#include "log_parts.h"

/* Of vLLM's pages where the log does not say. */
#define PAGE_TOKENS 16

static const char *const ENGINE_IDS[LOG_ENGINE_COUNT] = {
    [LOG_VLLM] = "vllm",       [LOG_SGLANG] = "sglang", [LOG_TRTLLM] = "tensorrt-llm",
    [LOG_LLAMA] = "llama.cpp", [LOG_TGI] = "tgi",
};

/* Where the numbers go that no flag says. */
static const struct {
    enum log_slot slot;
    const char *pointer;
} LEAVES[] = {
    {LOG_TOTAL, "/deployment/measured_memory/total_bytes"},
    {LOG_WEIGHTS, "/deployment/measured_memory/weights_bytes"},
    {LOG_ACTIVATION, "/deployment/measured_memory/activation_bytes"},
    {LOG_NON_TORCH, "/deployment/measured_memory/non_torch_bytes"},
    {LOG_GRAPH, "/deployment/measured_memory/graph_bytes"},
    {LOG_KV, "/deployment/measured_memory/kv_bytes"},
    {LOG_TOKENS, "/deployment/measured_memory/kv_tokens"},
    {LOG_LONGEST, "/deployment/max_model_len"},
    {LOG_SEQUENCES, "/deployment/max_num_seqs"},
    {LOG_CHUNK, "/deployment/chunked_prefill_tokens"},
    {LOG_STATE_SLOTS, "/deployment/max_state_slots"},
};

/* Sets a leaf that nobody gave; what does not suit (a chunk of -1) is left out. */
static void set_leaf(const struct intake *intake, struct plan_request *request, const char *pointer,
                     const cJSON *value)
{
    struct faults aside;

    if (plan_request_gives(request, pointer))
        return;
    faults_init(&aside, intake->arena);
    const struct intake quiet = {intake->catalogue, intake->arena, &aside, intake->base};
    if (!field_set_by_pointer(&quiet, request, pointer, value))
        return;
}

static void set_text(const struct intake *intake, struct plan_request *request, const char *pointer,
                     const char *text)
{
    char *copy = text ? arena_copy(intake->arena, text, strlen(text)) : NULL;
    const cJSON value = {.type = cJSON_String, .valuestring = copy};

    if (copy)
        set_leaf(intake, request, pointer, &value);
}

/* Facts that follow from others. */
static void settle(struct log_facts *facts)
{
    double *numbers = facts->numbers;
    double page = facts->engine == LOG_VLLM ? PAGE_TOKENS : 1;

    if (isnan(numbers[LOG_KV]))
        numbers[LOG_KV] = numbers[LOG_K] + numbers[LOG_V];
    if (isnan(numbers[LOG_TOKENS]))
        numbers[LOG_TOKENS] =
            numbers[LOG_BLOCKS] * (isnan(numbers[LOG_BLOCK_SIZE]) ? page : numbers[LOG_BLOCK_SIZE]);
    if (numbers[LOG_KV] <= 0 || numbers[LOG_TOKENS] <= 0) {
        numbers[LOG_KV] = numbers[LOG_TOKENS] = NAN;
        if (!facts->out_of_memory)
            facts->out_of_memory = "no memory was left for the KV cache";
    }
    /* Said by flags of llama.cpp, whose context is that of all slots. */
    if (facts->engine == LOG_LLAMA)
        numbers[LOG_SEQUENCES] = NAN;
}

/* The part whose name the engine prints. */
static void apply_device(const struct intake *intake, const char *text, const char *origin,
                         struct plan_request *request)
{
    struct device_found found;
    struct device_text device;

    device_log_read(intake->catalogue, intake->arena, text, &device);
    if (!device.name || device.other || !device_name_find(intake->catalogue, device.name, &found))
        return;
    const struct hardware *part = &intake->catalogue->lib.hardware[found.index];
    if (!plan_request_gives(request, "/hardware"))
        set_text(intake, request, "/hardware", part->id);
    else if (request->problem.hw && request->problem.hw->index != found.index)
        described_note(&request->described, "hardware_differs", origin,
                       "the log is of %s; planned on the part given beside it, %s", part->id,
                       request->problem.hw->id);
}

/* Whether the engine given is the log's. */
static bool engine_agrees(const struct log_facts *facts, const char *origin,
                          struct plan_request *request)
{
    const struct engine *engine = request->problem.dep.engine;
    const char *id = ENGINE_IDS[facts->engine];
    bool ollama = engine && strcmp(engine->id, "ollama") == 0 && facts->engine == LOG_LLAMA;

    if (!plan_request_gives(request, "/deployment/engine") || !engine ||
        strcmp(engine->id, id) == 0 || ollama)
        return true;
    described_note(&request->described, "log_of_another_engine", origin,
                   "the log is of %s, the deployment of %s: the log is left out", id, engine->id);
    return false;
}

static bool apply_facts(const struct intake *intake, const char *origin, const bool *kept,
                        struct log_facts *facts, struct plan_request *request)
{
    bool good = true;

    set_text(intake, request, "/deployment/engine", ENGINE_IDS[facts->engine]);
    set_text(intake, request, "/deployment/engine_version", facts->version);
    set_text(intake, request, "/deployment/weights", facts->weights);
    if (facts->n_words) {
        const struct command_line line = {
            .argc = facts->n_words, .argv = facts->words, .origin = origin, .kept = kept};
        good = command_apply(intake, &line, request, &request->described);
    }
    settle(facts);
    for (size_t i = 0; i < ARRAY_LEN(LEAVES); i++) {
        double number = facts->numbers[LEAVES[i].slot];
        const cJSON value = {.type = cJSON_Number, .valuedouble = number};
        if (!isnan(number))
            set_leaf(intake, request, LEAVES[i].pointer, &value);
    }
    if (facts->out_of_memory) {
        static const cJSON TRUTH = {.type = cJSON_True};
        set_leaf(intake, request, "/deployment/measured_memory/out_of_memory", &TRUTH);
        described_note(&request->described, "log_out_of_memory", origin,
                       "the log says that the engine ran out of memory: \"%s\"",
                       facts->out_of_memory);
    }
    return good;
}

bool log_looks_like(const char *text)
{
    return log_has_phrase(text);
}

bool log_read(const struct intake *intake, const char *text, const char *origin, const bool *kept,
              struct plan_request *request)
{
    struct log_facts *facts = arena_alloc(intake->arena, sizeof(*facts));
    const char *flat = strlen(text) <= LOG_TEXT_MAX ? log_flatten(intake->arena, text) : NULL;

    if (!flat || !facts) {
        fault_add(intake->faults, origin, NULL, "a log has at most %zu bytes: its start will do",
                  LOG_TEXT_MAX);
        return false;
    }
    if (!request->described.arena)
        described_init(&request->described, intake->arena);
    log_numbers_read(flat, facts);
    if (facts->engine == LOG_LLAMA)
        log_buffers_read(flat, facts);
    log_settings_read(intake->arena, flat, facts);
    if (facts->engine == LOG_ENGINE_COUNT) {
        fault_add(intake->faults, origin, NULL,
                  "no line of vLLM, SGLang, TensorRT-LLM, llama.cpp or TGI about settings or "
                  "memory: the first lines of a log have them");
        return false;
    }
    apply_device(intake, text, origin, request);
    return !engine_agrees(facts, origin, request) ||
           apply_facts(intake, origin, kept, facts, request);
}
