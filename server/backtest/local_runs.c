#include "local_runs.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "local_step.h"
#include "step.h"

#define BATCH_MAX 32.0
#define GENERATED_USUAL 128.0
#define CHUNK_USUAL 512.0
#define CHUNK_MLX 2048.0
/* A source with many rows of a part weighs as the root of this many of them. */
#define ROWS_OF_FULL_WEIGHT 6.0
/* Sources before it ran kernels of old builds, where no build is stated. */
#define OLD_DATE "2024-09"

static const char SQL[] =
    "SELECT a.id, a.model_id, a.hardware_id, a.engine_id, a.engine_version, a.backend, "
    "a.weights_id, a.kv_cache_id, a.load_generator, json_extract(r.doc, "
    "'$.conditions.flash_attention'), s.date, a.concurrency, a.depth, a.input_tokens, "
    "a.output_tokens, a.micro_batch, a.threads, a.model_file_bytes, d.value, p.value FROM anchors "
    "a JOIN records r ON r.kind = 'anchor' AND r.id = a.id JOIN sources s ON s.id = a.source_id "
    "LEFT JOIN anchor_metrics d ON d.anchor_id = a.id AND d.metric = 'decode_tok_s' AND "
    "d.statistic = 'mean' LEFT JOIN anchor_metrics p ON p.anchor_id = a.id AND p.metric = "
    "'prefill_tok_s' AND p.statistic = 'mean' WHERE a.anchor_kind = 'speed' AND a.disputed IS NULL "
    "AND a.speculative = 0 AND a.n_devices = 1 AND a.model_id IS NOT NULL AND a.hardware_id IS NOT "
    "NULL AND a.engine_id IS NOT NULL AND a.weights_id IS NOT NULL AND a.backend IS NOT NULL ORDER "
    "BY a.id";

enum column {
    COLUMN_ID,
    COLUMN_MODEL,
    COLUMN_PART,
    COLUMN_ENGINE,
    COLUMN_VERSION,
    COLUMN_BACKEND,
    COLUMN_WEIGHTS,
    COLUMN_KV,
    COLUMN_GENERATOR,
    COLUMN_FLASH,
    COLUMN_DATE,
    COLUMN_CONCURRENCY,
    COLUMN_DEPTH,
    COLUMN_INPUT,
    COLUMN_OUTPUT,
    COLUMN_MICRO_BATCH,
    COLUMN_THREADS,
    COLUMN_FILE,
    COLUMN_DECODE,
    COLUMN_PREFILL
};

/* One reading of the store. */
struct reading {
    sqlite3_stmt *row;
    const struct library *known;
    struct library lib; /* the catalogue's, without constants: what is fitted is not looked up */
    struct local_runs *runs;
    int runs_max, texts_max;
    bool failed;
};

static const char *text(const struct reading *reading, enum column column)
{
    const char *value = (const char *)sqlite3_column_text(reading->row, (int)column);
    return value != NULL ? value : "";
}

static double number(const struct reading *reading, enum column column, double otherwise)
{
    if (sqlite3_column_type(reading->row, (int)column) == SQLITE_NULL)
        return otherwise;
    return sqlite3_column_double(reading->row, (int)column);
}

/* Room for one more element of an array that doubles. */
static bool grow(struct reading *reading, void *array, int n, int *max, size_t size)
{
    void **place = array;
    if (n < *max)
        return true;
    int room = *max > 0 ? 2 * *max : 256;
    void *grown = realloc(*place, (size_t)room * size);
    if (grown == NULL) {
        reading->failed = true;
        return false;
    }
    *place = grown;
    *max = room;
    return true;
}

static const char *keep_text(struct reading *reading, const char *value, size_t length)
{
    struct local_runs *runs = reading->runs;
    if (!grow(reading, &runs->texts, runs->n_texts, &reading->texts_max, sizeof(*runs->texts)))
        return "";
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        reading->failed = true;
        return "";
    }
    memcpy(copy, value, length);
    copy[length] = '\0';
    runs->texts[runs->n_texts++] = copy;
    return copy;
}

/* ---- the problem that a row is ---- */

static bool is_old(const struct reading *reading)
{
    const char *version = text(reading, COLUMN_VERSION);
    int numbers[3] = {0};
    if (version[0] == 'b' && version[1] >= '0' && version[1] <= '9' &&
        engine_version_parse(version, numbers))
        return numbers[0] <= LOCAL_OLD_BUILD;
    return strcmp(text(reading, COLUMN_DATE), OLD_DATE) < 0;
}

static double chunk_of(const struct reading *reading, double prompt)
{
    double stated = number(reading, COLUMN_MICRO_BATCH, 0.0);
    if (stated > 0.0)
        return stated;
    if (strcmp(text(reading, COLUMN_GENERATOR), "llama-sweep-bench") == 0)
        return fmax(prompt, CHUNK_USUAL);
    return strcmp(text(reading, COLUMN_ENGINE), "mlx") == 0 ? CHUNK_MLX : CHUNK_USUAL;
}

/* False when the row is not of a known engine, back end and format, or may be offloaded. */
static bool make_problem(const struct reading *reading, double prompt, struct problem *ret_problem)
{
    const struct library *lib = &reading->lib;
    const char *kv = text(reading, COLUMN_KV);
    struct problem problem = {.lib = lib,
                              .model = library_model(lib, text(reading, COLUMN_MODEL)),
                              .hw = library_hardware(lib, text(reading, COLUMN_PART))};
    problem.dep =
        (struct deployment){.engine = library_engine(lib, text(reading, COLUMN_ENGINE)),
                            .weights = library_weight_format(lib, text(reading, COLUMN_WEIGHTS)),
                            .kv_cache = library_kv_format(lib, *kv != '\0' ? kv : "fp16"),
                            .backend = backend_parse(text(reading, COLUMN_BACKEND)),
                            .tp = 1.0,
                            .pp = 1.0,
                            .dp = 1.0,
                            .ep = 1.0,
                            .chunked_prefill_tokens = chunk_of(reading, prompt),
                            .flash_attention = strcmp(text(reading, COLUMN_FLASH), "off") != 0,
                            .host_cpu_factor = 1.0,
                            .cpu_threads = number(reading, COLUMN_THREADS, (double)NAN),
                            .gpu_layers = (double)NAN,
                            .cpu_moe_layers = (double)NAN};
    problem.load.load_generator = LOAD_ENGINE_BENCH;
    *ret_problem = problem;
    if (!problem.model || !problem.hw || !problem.dep.engine || !problem.dep.weights ||
        !problem.dep.kv_cache || problem.dep.backend == BACKEND_COUNT ||
        !local_is_engine(problem.dep.engine))
        return false;
    double bytes = number(reading, COLUMN_FILE, rank_weight_bytes(problem.model, &problem.dep));
    return problem.dep.backend == BACKEND_CPU || bytes <= RESIDENT_SHARE * problem.hw->memory_bytes;
}

/* ---- amounts ---- */

static void decode_amounts(const struct prepared *prep, const struct step *step,
                           struct local_run *run)
{
    const struct class_cost *classes = step->classes;
    const struct problem *problem = prep->problem;
    double bw = problem->hw->bw_bytes_us, peak = local_peak(problem->hw);
    double rest = classes[CLASS_DENSE_GEMM].weight_bytes + classes[CLASS_LM_HEAD].weight_bytes;
    double experts = 0.0;
    for (int i = 0; i < prep->n_moes; i++)
        experts += prep->moes[i].count * prep->moes[i].fewest * prep->moes[i].expert_bytes;
    double cache = classes[CLASS_DECODE_ATTENTION].bytes + classes[CLASS_SPARSE_INDEXER].bytes +
                   classes[CLASS_STATE_UPDATE].bytes;
    double flops = classes[CLASS_DENSE_GEMM].flops + classes[CLASS_LM_HEAD].flops +
                   classes[CLASS_MOE_EXPERT_GEMM].flops;
    double threads = problem->dep.backend == BACKEND_CPU && problem->dep.cpu_threads > 0.0
                         ? fmax(LOCAL_THREADS / problem->dep.cpu_threads, 1.0)
                         : 1.0;
    double *amounts = run->amounts;
    amounts[AMOUNT_WEIGHTS] = (rest + classes[CLASS_MOE_EXPERT_GEMM].weight_bytes) / bw;
    amounts[AMOUNT_KV] = cache / bw;
    amounts[AMOUNT_LAYERS] = prep->layers;
    amounts[AMOUNT_MOE_LAYERS] = prep->moe_layers;
    amounts[AMOUNT_UNPACK] = flops / run->batch / peak * threads;
    amounts[AMOUNT_ROWS] = (fmin(run->batch, DECODE_ROWS_MAX) - 1.0) * (rest + experts) / bw;
    amounts[AMOUNT_STEP] = 1.0;
    run->least_us = (rest + experts + classes[CLASS_DECODE_ATTENTION].bytes) / bw;
}

static void prefill_amounts(const struct prepared *prep, const struct step *step,
                            struct local_run *run)
{
    const struct class_cost *classes = step->classes;
    const struct problem *problem = prep->problem;
    const struct class_cost *experts = &classes[CLASS_MOE_EXPERT_GEMM];
    double bw = problem->hw->bw_bytes_us, peak = local_peak(problem->hw);
    double alu = local_alu(problem->hw);
    double flops = classes[CLASS_DENSE_GEMM].flops + classes[CLASS_LM_HEAD].flops + experts->flops;
    double dense = 0.0, expert_params = 0.0, expert_bytes = 0.0;
    for (int i = 0; i < prep->n_gemms; i++)
        dense += prep->gemms[i].count * prep->gemms[i].row_flops / 2.0;
    for (int i = 0; i < prep->n_moes; i++) {
        expert_params += prep->moes[i].count * prep->moes[i].row_flops / 2.0;
        expert_bytes += prep->moes[i].count * prep->moes[i].expert_bytes;
    }
    double touched = dense * step->chunks;
    if (expert_bytes > 0.0)
        touched += experts->weight_bytes * expert_params / expert_bytes;
    bool packed = run->scope.format != LOCAL_F16;
    double *amounts = run->amounts;
    amounts[AMOUNT_FLOPS] = flops / peak;
    amounts[AMOUNT_ALU] = packed && alu > 0.0 ? flops / alu : 0.0;
    amounts[AMOUNT_PAD] = LOCAL_TILE_ROWS * touched / peak;
    amounts[AMOUNT_READ] = (classes[CLASS_DENSE_GEMM].weight_bytes +
                            classes[CLASS_LM_HEAD].weight_bytes + experts->weight_bytes) /
                           bw;
    amounts[AMOUNT_ATTENTION] =
        (classes[CLASS_PREFILL_ATTENTION].flops + classes[CLASS_SPARSE_INDEXER].flops) / peak;
    amounts[AMOUNT_KV_READS] =
        local_pair_bytes(prep, run->context, run->context + step->tokens) / bw;
    amounts[AMOUNT_CHUNK_LAYERS] = prep->layers * step->chunks;
    amounts[AMOUNT_HYBRID] = run->is_hybrid ? step->tokens * prep->layers / 1e3 : 0.0;
    amounts[AMOUNT_PROMPT] = 1e3;
    run->least_us = 0.0;
}

/* ---- rows ---- */

static enum local_kind kind_of(const struct model *model)
{
    if (model->has_mla)
        return KIND_MLA;
    if (model->has_state)
        return KIND_HYBRID;
    return model->has_moe ? KIND_MOE : KIND_DENSE;
}

static struct local_run *add_run(struct reading *reading, const struct problem *problem,
                                 enum phase phase)
{
    struct local_runs *runs = reading->runs;
    struct local_run run = {.phase = phase, .batch = number(reading, COLUMN_CONCURRENCY, 1.0)};
    if (!local_scope_of(problem, &run.scope) || run.scope.family == LOCAL_FAMILY_COUNT ||
        !grow(reading, &runs->items, runs->n, &reading->runs_max, sizeof(*runs->items)))
        return NULL;
    const char *id = text(reading, COLUMN_ID);
    run.id = keep_text(reading, id, strlen(id));
    run.kind = kind_of(problem->model);
    run.is_moe = problem->model->has_moe;
    run.is_mla = problem->model->has_mla;
    run.is_hybrid = problem->model->has_state;
    run.without_fa = !problem->dep.flash_attention;
    run.is_old = is_old(reading);
    run.problem = *problem;
    run.problem.lib = reading->known;
    run.problem.dep.version[0] = run.is_old ? LOCAL_OLD_BUILD : 0;
    runs->items[runs->n] = run;
    return &runs->items[runs->n++];
}

static void read_decode(struct reading *reading)
{
    struct problem problem;
    double rate = number(reading, COLUMN_DECODE, 0.0);
    double batch = number(reading, COLUMN_CONCURRENCY, 1.0);
    if (!(rate > 0.0) || batch > BATCH_MAX || !make_problem(reading, 0.0, &problem))
        return;
    struct local_run *run = add_run(reading, &problem, PHASE_DECODE);
    if (run == NULL)
        return;
    double generated = number(reading, COLUMN_OUTPUT, 0.0);
    run->context =
        number(reading, COLUMN_DEPTH, 0.0) + (generated > 0.0 ? generated : GENERATED_USUAL) / 2.0;
    run->measured_us = batch / rate * 1e6;
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_decode(&prep, batch, run->context, &step);
    decode_amounts(&prep, &step, run);
}

static void read_prefill(struct reading *reading)
{
    struct problem problem;
    double rate = number(reading, COLUMN_PREFILL, 0.0);
    double prompt = number(reading, COLUMN_INPUT, 0.0);
    double depth = number(reading, COLUMN_DEPTH, 0.0);
    if (!(rate > 0.0) || !(prompt > 0.0) || number(reading, COLUMN_CONCURRENCY, 1.0) != 1.0 ||
        !make_problem(reading, prompt, &problem))
        return;
    struct local_run *run = add_run(reading, &problem, PHASE_PREFILL);
    if (run == NULL)
        return;
    /* Where decode follows the prompt, the depth told is the prompt's own. */
    bool follows = number(reading, COLUMN_DECODE, 0.0) > 0.0 && depth == prompt &&
                   strcmp(text(reading, COLUMN_GENERATOR), "llama-sweep-bench") != 0;
    run->context = follows ? 0.0 : depth;
    run->tokens = prompt;
    run->measured_us = prompt / rate * 1e6;
    struct prepared prep;
    struct step step;
    prepare(&problem, NULL, &prep);
    step_prefill(&prep, prompt, run->context, &step);
    prefill_amounts(&prep, &step, run);
}

/* ---- sources ---- */

/* Rows of one source have ids that differ in their last number. */
static size_t source_length(const char *id)
{
    const char *dash = strrchr(id, '-');
    return dash != NULL ? (size_t)(dash - id) : strlen(id);
}

static void number_sources(struct local_runs *runs)
{
    for (int i = 0; i < runs->n; i++) {
        size_t length = source_length(runs->items[i].id);
        runs->items[i].source = runs->n_sources;
        for (int j = 0; j < i; j++)
            if (source_length(runs->items[j].id) == length &&
                memcmp(runs->items[j].id, runs->items[i].id, length) == 0) {
                runs->items[i].source = runs->items[j].source;
                break;
            }
        if (runs->items[i].source == runs->n_sources)
            runs->n_sources++;
    }
}

static void weigh(struct local_runs *runs)
{
    for (int i = 0; i < runs->n; i++) {
        struct local_run *run = &runs->items[i];
        int n = 0;
        for (int j = 0; j < runs->n; j++)
            n += runs->items[j].source == run->source && runs->items[j].phase == run->phase &&
                 runs->items[j].scope.part == run->scope.part;
        run->weight = sqrt(ROWS_OF_FULL_WEIGHT / n);
    }
}

bool local_runs_read(struct store *store, const struct catalogue *catalogue,
                     struct local_runs *ret_runs)
{
    memset(ret_runs, 0, sizeof(*ret_runs));
    struct reading reading = {.known = &catalogue->lib, .lib = catalogue->lib, .runs = ret_runs};
    reading.lib.n_local_fits = 0;
    reading.row = store_read(store, SQL);
    int rc = reading.row != NULL ? SQLITE_ROW : SQLITE_ERROR;
    while (rc == SQLITE_ROW && !reading.failed) {
        rc = sqlite3_step(reading.row);
        if (rc != SQLITE_ROW)
            break;
        read_decode(&reading);
        read_prefill(&reading);
    }
    store_done(reading.row);
    if (reading.failed || rc != SQLITE_DONE) {
        local_runs_free(ret_runs);
        return false;
    }
    number_sources(ret_runs);
    weigh(ret_runs);
    return true;
}

void local_runs_free(struct local_runs *runs)
{
    for (int i = 0; i < runs->n_texts; i++)
        free(runs->texts[i]);
    free(runs->texts);
    free(runs->items);
    memset(runs, 0, sizeof(*runs));
}
