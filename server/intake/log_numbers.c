/*
 * log_numbers.c - the numbers of engines' logs: a new line is a row here.
 *
 * Phrases are those of vllm/worker/worker.py, vllm/v1/worker/gpu_worker.py and gpu_model_runner.py,
 * vllm/v1/core/kv_cache_utils.py; sglang/srt/model_executor/model_runner.py and
 * mem_cache/memory_pool.py; tensorrt_llm/_torch/pyexecutor/_util.py and kvCacheManager.cpp;
 * llama.cpp src/llama-context.cpp, llama-kv-cache.cpp, llama-model.cpp;
 * text-generation-inference router/src/server.rs and launcher/src/main.rs.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "log_parts.h"

/* Which of several occurrences counts. */
enum log_take { TAKE_FIRST, TAKE_LAST, TAKE_MOST };

enum log_unit { COUNT, BYTES };

/* How far behind a phrase its number may stand. */
#define REACH 400

struct log_row {
    enum log_engine engine;
    const char *phrase;
    const char *name; /* the number stands behind this, behind the phrase; NULL = at once */
    enum log_slot slot;
    enum log_unit unit;
    enum log_take take;
    bool before; /* the number stands before the phrase, its unit begins the phrase */
    bool second; /* of "47.03/47.37 GiB" the second */
};

static const struct log_row ROWS[] = {
    {LOG_VLLM, "Model loading took ", NULL, LOG_WEIGHTS, BYTES, TAKE_MOST, false, false},
    {LOG_VLLM, "Loading model weights took ", NULL, LOG_WEIGHTS, BYTES, TAKE_MOST, false, false},
    {LOG_VLLM, "model weights take ", NULL, LOG_WEIGHTS, BYTES, TAKE_MOST, false, false},
    {LOG_VLLM, "GiB for weight", NULL, LOG_WEIGHTS, BYTES, TAKE_MOST, true, false},
    {LOG_VLLM, "Available KV cache memory: ", NULL, LOG_KV, BYTES, TAKE_LAST, false, false},
    {LOG_VLLM, "memory reserved for KV Cache is ", NULL, LOG_KV, BYTES, TAKE_LAST, false, false},
    {LOG_VLLM, "available KV cache memory (", NULL, LOG_KV, BYTES, TAKE_LAST, false, false},
    {LOG_VLLM, "GPU KV cache size: ", NULL, LOG_TOKENS, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "# GPU blocks: ", NULL, LOG_BLOCKS, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "# CUDA blocks: ", NULL, LOG_BLOCKS, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "# cuda blocks: ", NULL, LOG_BLOCKS, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "# rocm blocks: ", NULL, LOG_BLOCKS, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "activation peak memory takes ", NULL, LOG_ACTIVATION, BYTES, TAKE_MOST, false,
     false},
    {LOG_VLLM, "GiB for peak activation", NULL, LOG_ACTIVATION, BYTES, TAKE_MOST, true, false},
    {LOG_VLLM, "non_torch_memory takes ", NULL, LOG_NON_TORCH, BYTES, TAKE_MOST, false, false},
    {LOG_VLLM, "GiB for non-torch memory", NULL, LOG_NON_TORCH, BYTES, TAKE_MOST, true, false},
    {LOG_VLLM, "Graph capturing finished in ", "took ", LOG_GRAPH, BYTES, TAKE_MOST, false, false},
    {LOG_VLLM, "GiB for CUDAGraph memory", NULL, LOG_GRAPH, BYTES, TAKE_MOST, true, false},
    {LOG_VLLM, "total_gpu_memory (", NULL, LOG_TOTAL, BYTES, TAKE_LAST, false, false},
    {LOG_VLLM, "Free memory on device (", NULL, LOG_TOTAL, BYTES, TAKE_LAST, false, true},
    {LOG_VLLM, "Maximum concurrency for ", NULL, LOG_LONGEST, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "Using max model len ", NULL, LOG_LONGEST, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "max seq len (", NULL, LOG_LONGEST, COUNT, TAKE_LAST, false, false},
    {LOG_VLLM, "enabled with max_num_batched_tokens=", NULL, LOG_CHUNK, COUNT, TAKE_LAST, false,
     false},
    {LOG_SGLANG, "max_mamba_cache_size: ", NULL, LOG_STATE_SLOTS, COUNT, TAKE_FIRST, false, false},
    {LOG_SGLANG, "Load weight end.", "mem usage=", LOG_WEIGHTS, BYTES, TAKE_FIRST, false, false},
    {LOG_SGLANG, "KV Cache is allocated.", "#tokens: ", LOG_TOKENS, COUNT, TAKE_FIRST, false,
     false},
    {LOG_SGLANG, "KV Cache is allocated.", " KV size: ", LOG_KV, BYTES, TAKE_FIRST, false, false},
    {LOG_SGLANG, "KV Cache is allocated.", " K size: ", LOG_K, BYTES, TAKE_FIRST, false, false},
    {LOG_SGLANG, "KV Cache is allocated.", " V size: ", LOG_V, BYTES, TAKE_FIRST, false, false},
    {LOG_SGLANG, "SWAKVPool mem usage: ", NULL, LOG_KV, BYTES, TAKE_FIRST, false, false},
    {LOG_SGLANG, "max_total_num_tokens=", NULL, LOG_TOKENS, COUNT, TAKE_LAST, false, false},
    {LOG_SGLANG, "max_total_num_tokens=", " chunked_prefill_size=", LOG_CHUNK, COUNT, TAKE_LAST,
     false, false},
    {LOG_SGLANG, "max_total_num_tokens=", " max_running_requests=", LOG_SEQUENCES, COUNT, TAKE_LAST,
     false, false},
    {LOG_SGLANG, "max_total_num_tokens=", " context_len=", LOG_LONGEST, COUNT, TAKE_LAST, false,
     false},
    {LOG_SGLANG, "graph end.", "mem usage=", LOG_GRAPH, BYTES, TAKE_FIRST, false, false},
    {LOG_TRTLLM, "GiB for max tokens in paged KV cache", NULL, LOG_KV, BYTES, TAKE_LAST, true,
     false},
    {LOG_TRTLLM, "for max tokens in paged KV cache (", NULL, LOG_TOKENS, COUNT, TAKE_LAST, false,
     false},
    {LOG_TRTLLM, "loading model weights (inside torch) in memory usage profiling: ", NULL,
     LOG_WEIGHTS, BYTES, TAKE_LAST, false, false},
    {LOG_TRTLLM, "allocated during inference (inside torch) in memory usage profiling: ", NULL,
     LOG_ACTIVATION, BYTES, TAKE_LAST, false, false},
    {LOG_TRTLLM, "device total memory ", NULL, LOG_TOTAL, BYTES, TAKE_LAST, false, false},
    {LOG_TRTLLM, "[I] max_seq_len=", NULL, LOG_LONGEST, COUNT, TAKE_LAST, false, false},
    {LOG_TRTLLM, "[I] max_seq_len=", "max_num_tokens=", LOG_CHUNK, COUNT, TAKE_LAST, false, false},
    {LOG_TRTLLM, "[I] max_seq_len=", "max_batch_size=", LOG_SEQUENCES, COUNT, TAKE_LAST, false,
     false},
    {LOG_LLAMA, "KV self size = ", NULL, LOG_KV, BYTES, TAKE_FIRST, false, false},
    {LOG_LLAMA, " cells, ", NULL, LOG_TOKENS, COUNT, TAKE_MOST, true, false},
    {LOG_LLAMA, "offloaded ", NULL, LOG_GPU_LAYERS, COUNT, TAKE_FIRST, false, false},
    {LOG_LLAMA, ": n_ctx = ", NULL, LOG_CONTEXT, COUNT, TAKE_FIRST, false, false},
    {LOG_LLAMA, ": n_batch = ", NULL, LOG_BATCH, COUNT, TAKE_FIRST, false, false},
    {LOG_LLAMA, ": n_ubatch = ", NULL, LOG_MICRO_BATCH, COUNT, TAKE_FIRST, false, false},
    {LOG_LLAMA, ": n_seq_max = ", NULL, LOG_SEQUENCES, COUNT, TAKE_FIRST, false, false},
    {LOG_TGI, "Setting max batch total tokens to ", NULL, LOG_TOKENS, COUNT, TAKE_LAST, false,
     false},
    {LOG_TGI, "KV-cache blocks: ", NULL, LOG_BLOCKS, COUNT, TAKE_LAST, false, false},
    {LOG_TGI, "KV-cache blocks: ", "size: ", LOG_BLOCK_SIZE, COUNT, TAKE_LAST, false, false},
};

/* Words that mark a log of an engine and hold no number of use. */
static const struct {
    enum log_engine engine;
    const char *phrase;
} MARKS[] = {
    {LOG_VLLM, "non-default args: {"},   {LOG_VLLM, "vLLM API server version "},
    {LOG_VLLM, "LLM engine (v"},         {LOG_SGLANG, "server_args=ServerArgs("},
    {LOG_TRTLLM, "[TensorRT-LLM]"},      {LOG_TRTLLM, "[TRT-LLM]"},
    {LOG_LLAMA, "llama_model_loader: "}, {LOG_LLAMA, "llama_context: "},
    {LOG_LLAMA, "load_tensors: "},       {LOG_LLAMA, "llama_kv_cache"},
    {LOG_LLAMA, " buffer size = "},      {LOG_TGI, "text_generation_launcher: "},
    {LOG_TGI, "text_generation_router"},
};

static const char *const OUT_OF_MEMORY[] = {
    "CUDA out of memory",
    "HIP out of memory",
    "cudaMalloc failed: out of memory",
    "No available memory for the cache blocks",
    "larger than the available KV cache memory",
    "larger than the maximum number of tokens that can be stored in KV cache",
    "Not enough memory. Please try to increase --mem-fraction-static",
    "Not enough memory to handle",
    "failed to allocate buffer for kv cache",
    "unable to allocate",
};

/* Numbers ---------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    double bytes;
} UNITS[] = {
    {"GiB", 1073741824.0}, {"GB", 1073741824.0}, {"MiB", 1048576.0},       {"MB", 1048576.0},
    {"KiB", 1024.0},       {"KB", 1024.0},       {"TiB", 1099511627776.0},
};

static bool is_unit(const char *text, double *ret_bytes)
{
    text += *text == ' ';
    for (size_t i = 0; i < ARRAY_LEN(UNITS); i++) {
        if (strncasecmp(text, UNITS[i].name, strlen(UNITS[i].name)) != 0)
            continue;
        *ret_bytes = UNITS[i].bytes;
        return true;
    }
    return false;
}

double log_number_at(const char *text, const char **ret_end)
{
    char digits[32];
    size_t n = 0;

    text += strspn(text, " ");
    for (; n + 1 < sizeof(digits) && *text; text++) {
        bool thousands = *text == ',' && n && isdigit((unsigned char)text[1]) &&
                         isdigit((unsigned char)text[2]) && isdigit((unsigned char)text[3]);
        if (thousands)
            continue;
        if (!isdigit((unsigned char)*text) && *text != '.' && !(n == 0 && *text == '-'))
            break;
        digits[n++] = *text;
    }
    digits[n] = '\0';
    *ret_end = text;
    char *end;
    double number = strtod(digits, &end);
    return end == digits || !isfinite(number) ? (double)NAN : number;
}

/* Where the number begins whose last character stands before `at`. */
static const char *number_before(const char *text, const char *at)
{
    while (at > text && at[-1] == ' ')
        at--;
    while (at > text && (isdigit((unsigned char)at[-1]) || strchr(".,-", at[-1])))
        at--;
    return at;
}

/* The first `word` that begins within REACH; NULL when there is none. */
static const char *within_reach(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 0; i < REACH && text[i]; i++)
        if (text[i] == word[0] && strncmp(text + i, word, length) == 0)
            return text + i;
    return NULL;
}

/* The number of a row whose phrase stands at `at`; NAN when it is not there. */
static double read_row(const struct log_row *row, const char *text, const char *at)
{
    const char *from = at + strlen(row->phrase), *end;
    double bytes = 1;

    if (row->before) {
        from = number_before(text, at);
    } else if (row->name) {
        const char *name = within_reach(from, row->name);
        const char *again = within_reach(from, row->phrase);
        if (!name || (again && again < name))
            return (double)NAN;
        from = name + strlen(row->name);
    }
    double number = log_number_at(from, &end);
    if (row->second)
        number = *end == '/' ? log_number_at(end + 1, &end) : (double)NAN;
    if (row->unit == BYTES && !is_unit(end, &bytes))
        return (double)NAN;
    number = round(number * bytes);
    return number < 0 ? 0 : number;
}

static void take(const struct log_row *row, double number, double *place)
{
    if (isnan(*place) || row->take == TAKE_LAST || (row->take == TAKE_MOST && number > *place))
        *place = number;
}

/* Reads a row's numbers into *place, if there is a place; how many there are. */
static int read_all(const struct log_row *row, const char *flat, double *place)
{
    int n = 0;

    for (const char *at = strstr(flat, row->phrase); at; at = strstr(at + 1, row->phrase)) {
        double number = read_row(row, flat, at);
        if (isnan(number))
            continue;
        n++;
        if (place)
            take(row, number, place);
    }
    return n;
}

/* The engine whose phrases the text has most kinds of; LOG_ENGINE_COUNT = none. */
static enum log_engine engine_of(const char *flat)
{
    int kinds[LOG_ENGINE_COUNT] = {0};
    int best = 0;

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        kinds[ROWS[i].engine] += read_all(&ROWS[i], flat, NULL) > 0;
    for (size_t i = 0; i < ARRAY_LEN(MARKS); i++)
        kinds[MARKS[i].engine] += strstr(flat, MARKS[i].phrase) != NULL;
    for (int i = 1; i < LOG_ENGINE_COUNT; i++)
        best = kinds[i] > kinds[best] ? i : best;
    return kinds[best] ? (enum log_engine)best : LOG_ENGINE_COUNT;
}

void log_numbers_read(const char *flat, struct log_facts *facts)
{
    facts->engine = engine_of(flat);
    for (size_t i = 0; i < LOG_SLOT_COUNT; i++)
        facts->numbers[i] = NAN;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
        if (ROWS[i].engine == facts->engine)
            (void)read_all(&ROWS[i], flat, &facts->numbers[ROWS[i].slot]);
    for (size_t i = 0; i < ARRAY_LEN(OUT_OF_MEMORY) && !facts->out_of_memory; i++)
        if (strstr(flat, OUT_OF_MEMORY[i]))
            facts->out_of_memory = OUT_OF_MEMORY[i];
}

bool log_has_phrase(const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(MARKS); i++)
        if (strstr(text, MARKS[i].phrase))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const char *at = strstr(text, ROWS[i].phrase);
        if (at && !isnan(read_row(&ROWS[i], text, at)))
            return true;
    }
    return false;
}

/* Buffers of llama.cpp --------------------------------------------------------------------------
 */

#define DEVICES_MAX 32
#define DEVICE_NAME_MAX 24

enum buffer { BUFFER_WEIGHTS, BUFFER_KV, BUFFER_COMPUTE, BUFFER_KINDS };

struct device {
    char name[DEVICE_NAME_MAX];
    double bytes[BUFFER_KINDS];
};

/* Host memory: "CPU", "CPU_Mapped", "CUDA_Host", "CPU_REPACK", "AMX". */
static bool is_host(const char *name)
{
    return strncmp(name, "CPU", 3) == 0 || strcmp(name, "AMX") == 0 || strstr(name, "Host") ||
           strncmp(name, "BLAS", 4) == 0;
}

/* The device whose name ends before `at`; NULL when there are too many or it is no name. */
static struct device *device_before(struct device devices[DEVICES_MAX], int *n, const char *flat,
                                    const char *at)
{
    const char *from = at;

    while (from > flat && from[-1] != ' ')
        from--;
    size_t length = (size_t)(at - from);
    if (length == 0 || length >= DEVICE_NAME_MAX || memchr(from, ':', length))
        return NULL;
    for (int i = 0; i < *n; i++)
        if (strlen(devices[i].name) == length && strncmp(devices[i].name, from, length) == 0)
            return &devices[i];
    if (*n == DEVICES_MAX)
        return NULL;
    struct device *added = &devices[(*n)++];
    *added = (struct device){.name = ""};
    memcpy(added->name, from, length);
    return added;
}

struct devices {
    struct device items[DEVICES_MAX];
    int n;
};

static const struct {
    const char *phrase;
    enum buffer kind;
} BUFFERS[] = {
    {" model buffer size = ", BUFFER_WEIGHTS}, {" KV buffer size = ", BUFFER_KV},
    {" RS buffer size = ", BUFFER_KV},         {" compute buffer size = ", BUFFER_COMPUTE},
    {"llm_load_tensors: ", BUFFER_WEIGHTS}, /* before 2025: "llm_load_tensors: CUDA0 buffer size" */
};

/* Adds the buffer that is named at `at`. */
static void add_buffer(struct devices *devices, const char *flat, const char *at, const char *size,
                       enum buffer kind)
{
    const char *end;
    double unit, number = log_number_at(size, &end);
    struct device *device = device_before(devices->items, &devices->n, flat, at);

    if (device && !isnan(number) && is_unit(end, &unit))
        device->bytes[kind] += round(number * unit);
}

static void read_buffers(struct devices *devices, const char *flat)
{
    static const char SIZE[] = " buffer size = ";

    for (size_t i = 0; i < ARRAY_LEN(BUFFERS); i++) {
        size_t length = strlen(BUFFERS[i].phrase);
        bool ahead = BUFFERS[i].phrase[0] != ' ';
        for (const char *at = strstr(flat, BUFFERS[i].phrase); at;
             at = strstr(at + 1, BUFFERS[i].phrase)) {
            const char *name_end = ahead ? at + length + strcspn(at + length, " ") : at;
            if (!ahead)
                add_buffer(devices, flat, at, at + length, BUFFERS[i].kind);
            else if (strncmp(name_end, SIZE, strlen(SIZE)) == 0)
                add_buffer(devices, flat, name_end, name_end + strlen(SIZE), BUFFERS[i].kind);
        }
    }
}

void log_buffers_read(const char *flat, struct log_facts *facts)
{
    static const enum log_slot SLOTS[BUFFER_KINDS] = {LOG_WEIGHTS, LOG_KV, LOG_ACTIVATION};
    struct devices devices = {.n = 0};
    bool accelerated = false;

    read_buffers(&devices, flat);
    for (int i = 0; i < devices.n; i++)
        accelerated = accelerated || (!is_host(devices.items[i].name) &&
                                      devices.items[i].bytes[BUFFER_WEIGHTS] > 0);
    for (int kind = 0; kind < BUFFER_KINDS; kind++) {
        double most = 0;
        for (int i = 0; i < devices.n; i++) {
            const struct device *device = &devices.items[i];
            if ((!accelerated || !is_host(device->name)) && device->bytes[kind] > most)
                most = device->bytes[kind];
        }
        if (most > 0)
            facts->numbers[SLOTS[kind]] = most;
    }
}
