/* The snapshot: how names are understood, what the tables hold, and what a look-up costs. */
#include "catalogue.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "catalogue_data.h"
#include "compiler.h"
#include "sql.h"
#include "store.h"
#include "units.h"
#include "write_kit.h"

#define LINE_MAX_BYTES 1024

static struct store *store_of(void **state)
{
    return *state;
}

static int open_store(void **state)
{
    char error[STORE_ERROR_MAX];
    struct store *store = NULL;
    if (!store_open(NULL, &store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    *state = store;
    return 0;
}

static int close_store(void **state)
{
    store_close(*state);
    return 0;
}

static const struct model_row {
    const char *name, *id, *format; /* id NULL = unknown */
} MODELS[] = {
    {"llama-3.1-8b", "llama-3.1-8b", NULL},
    {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", NULL},
    {"META LLAMA/llama_3.1 8b", "llama-3.1-8b", NULL},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8", "llama-3.1-8b", "fp8"},
    {"nvidia/Llama-3.1-8B-Instruct-NVFP4", "llama-3.1-8b", "nvfp4"},
    {"Llama-3.1-8B-Instruct-AWQ", "llama-3.1-8b", "awq"},
    {"Qwen2.5-7B-Instruct-GPTQ-Int4", "qwen2.5-7b", "gptq"},
    {"Qwen2.5-7B-Instruct-GPTQ-Int8", "qwen2.5-7b", "gptq_int8"},
    {"Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1-8b", "int4"},
    {"Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama-3.1-8b", "q4_k_m"},
    {"/models/Qwen3-32B-bf16", "qwen3-32b", "bf16"},
    {"qwen3-32b-instruct-chat-hf", "qwen3-32b", NULL},
    {"llama3.1:8b", "llama-3.1-8b", NULL},
    {"google/gemma-3-27b-it", "gemma-3-27b", NULL},
    {"openai/gpt-oss-120b", "gpt-oss-120b", NULL},
    {"no-such-model", NULL, NULL},
    {"-fp8", NULL, NULL},
    {"", NULL, NULL},
    {"/", NULL, NULL},
};

static void models_are_found(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    for (size_t i = 0; i < ARRAY_LEN(MODELS); i++) {
        struct name_match match;
        catalogue_find_model(cat, MODELS[i].name, &match);
        const char *id = match.index >= 0 ? cat->lib.models[match.index].id : NULL;
        if (!id || !MODELS[i].id ? id != MODELS[i].id : strcmp(id, MODELS[i].id) != 0) {
            fail_msg("%s: %s", MODELS[i].name, id ? id : "not found");
        }
        if (MODELS[i].format) {
            assert_non_null(match.stripped_format);
            assert_string_equal(match.stripped_format, MODELS[i].format);
        } else {
            assert_null(match.stripped_format);
        }
        assert_null(match.ambiguous[0]);
    }
    store_release(store_of(state), cat);
}

/* A name longer than any record's is unknown, not a crash. */
static void long_names_are_unknown(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    char name[5000];
    struct name_match match;
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    catalogue_find_model(cat, name, &match);
    assert_int_equal(match.index, -1);
    catalogue_find_hardware(cat, name, &match);
    assert_int_equal(match.index, -1);
    assert_int_equal(catalogue_find_weight_format(cat, name), -1);
    store_release(store_of(state), cat);
}

static void ambiguous_names_list_what_they_mean(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    struct name_match match;
    catalogue_find_hardware(cat, "V100", &match);
    assert_int_equal(match.index, -1);
    assert_string_equal(match.ambiguous[0], "v100-sxm-16gb");
    assert_string_equal(match.ambiguous[1], "v100-sxm-32gb");
    assert_null(match.ambiguous[2]);
    catalogue_find_hardware(cat, "M4 Max", &match); /* bins of 410 and 546 GB/s */
    assert_int_equal(match.index, -1);
    assert_string_equal(match.ambiguous[0], "m4-max-32c");
    assert_string_equal(match.ambiguous[1], "m4-max-40c");
    catalogue_find_hardware(cat, "A100 SXM", &match);
    assert_string_equal(match.ambiguous[0], "a100-sxm-40gb");
    assert_string_equal(match.ambiguous[1], "a100-sxm-80gb");
    assert_null(match.ambiguous[2]);
    catalogue_find_hardware(cat, "gfx1100", &match);
    assert_non_null(match.ambiguous[2]);
    catalogue_find_model(cat, "mistralai/Mistral-7B-Instruct-AWQ", &match);
    assert_int_equal(match.index, -1);
    assert_string_equal(match.ambiguous[0], "mistral-7b-v0.1");
    assert_string_equal(match.ambiguous[1], "mistral-7b-v0.3");
    store_release(store_of(state), cat);
}

static void slips_are_answered_with_the_nearest(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    struct name_match match;
    catalogue_find_model(cat, "lama-3.1-8b", &match);
    assert_string_equal(match.nearest[0], "llama-3.1-8b");
    catalogue_find_hardware(cat, "h10-sxm", &match);
    assert_string_equal(match.nearest[0], "h100-sxm");
    catalogue_find_model(cat, "zzzzzzzzzzzzzzzzzzzz", &match);
    assert_null(match.nearest[0]);
    store_release(store_of(state), cat);
}

static const struct part_row {
    const char *name, *id;
} PARTS[] = {
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"nvidia h200", "h200-sxm"},
    {"NVIDIA GeForce RTX 4090", "rtx-4090"},
    {"AMD Instinct MI300X", "mi300x"},
    {"Apple M4 Pro", "m4-pro"},
    {"h100_sxm", "h100-sxm"},
};

static void parts_are_found(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    for (size_t i = 0; i < ARRAY_LEN(PARTS); i++) {
        struct name_match match;
        catalogue_find_hardware(cat, PARTS[i].name, &match);
        if (match.index < 0) {
            fail_msg("%s is not found", PARTS[i].name);
        }
        assert_string_equal(cat->lib.hardware[match.index].id, PARTS[i].id);
    }
    store_release(store_of(state), cat);
}

/* What a name means: an id, "ambiguous" or "unresolved". */
static const char *meaning_of(const struct catalogue *cat, const char *name, bool model)
{
    struct name_match match;
    if (model) {
        catalogue_find_model(cat, name, &match);
    } else {
        catalogue_find_hardware(cat, name, &match);
    }
    if (match.index < 0) {
        return match.ambiguous[0] ? "ambiguous" : "unresolved";
    }
    return model ? cat->lib.models[match.index].id : cat->lib.hardware[match.index].id;
}

/* Every name that the public measurements use for a model or a part, and what it means. */
static void check_names(const struct catalogue *cat, const char *path, bool models)
{
    char line[LINE_MAX_BYTES];
    FILE *file = fopen(path, "r");
    int n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *tab = strchr(line, '\t');
        if (line[0] == '#' || !tab) {
            continue;
        }
        *tab = '\0';
        const char *id = meaning_of(cat, line, models);
        size_t length = strcspn(tab + 1, ":\n");
        if (strlen(id) != length || strncmp(tab + 1, id, length) != 0) {
            fail_msg("%s: %s, expected %s", line, id, tab + 1);
        }
        n++;
    }
    fclose(file);
    assert_true(n > 300);
}

static void every_known_name_resolves_as_frozen(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    check_names(cat, TESTS_DIR "/golden/names-models.tsv", true);
    check_names(cat, TESTS_DIR "/golden/names-hardware.tsv", false);
    store_release(store_of(state), cat);
}

/* The format names that people write; the bytes are elements and bytes of a block. */
static const struct format_row {
    const char *name, *id;
    double linear, head;
} FORMATS[] = {
    {"bf16", "bf16", 2, 2},
    {"f16", "fp16", 2, 2},
    {"FP16", "fp16", 2, 2},
    {"fp8", "fp8", 1, 2},
    {"fp8_block", "fp8_block", 1 + 4.0 / (128 * 128), 2},
    {"nvfp4", "nvfp4", 9.0 / 16, 2},
    {"mxfp4", "mxfp4", 17.0 / 32, 2},
    {"int4", "int4", 18.0 / 32, 2},
    {"awq", "awq", 66.5 / 128, 2},
    {"gptq", "gptq", 66.0 / 128, 2},
    {"int8", "int8", 1, 2},
    {"nf4", "nf4", 0.5 + 1.0 / 64 + 4.0 / (64 * 256), 2},
    {"Q8_0", "q8_0", 34.0 / 32, 34.0 / 32},
    {"q6_k", "q6_k", 210.0 / 256, 210.0 / 256},
    {"Q4_0", "q4_0", 18.0 / 32, 210.0 / 256},
    /* half of the layers give a third of the FFN (down) 210/256, the rest 144/256 */
    {"q4_k_m", "q4_k_m", (5 * 144.0 / 256 + 210.0 / 256) / 6, 210.0 / 256},
    {"q5_k_m", "q5_k_m", (5 * 176.0 / 256 + 210.0 / 256) / 6, 210.0 / 256},
};

static void formats_are_found_in_any_case(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
        int index = catalogue_find_weight_format(cat, FORMATS[i].name);
        if (index < 0) {
            fail_msg("%s is not found", FORMATS[i].name);
        }
        const struct weight_format *format = &cat->lib.weight_formats[index];
        assert_string_equal(format->id, FORMATS[i].id);
        assert_true(fabs(format->bytes[ROLE_DENSE_FFN] - FORMATS[i].linear) < 1e-9);
        assert_true(fabs(format->bytes[ROLE_LM_HEAD] - FORMATS[i].head) < 1e-9);
    }
    assert_int_equal(catalogue_find_weight_format(cat, "fp7"), -1);
    assert_true(catalogue_find_kv_format(cat, "FP8_E4M3") >= 0);
    assert_true(catalogue_find_kv_format(cat, "q8_0") >= 0);
    assert_int_equal(catalogue_find_engine(cat, "trtllm"),
                     catalogue_find_engine(cat, "TensorRT-LLM"));
    assert_true(catalogue_find_engine(cat, "llama-server") >= 0);
    store_release(store_of(state), cat);
}

/* Bits per weight of whole files: llama.cpp tools/quantize/README.md (Llama-3.1-8B), and public
 * llama-bench reports (the others). */
static const struct file_row {
    const char *model, *format;
    double bits_per_weight;
} FILES[] = {
    {"llama-3.1-8b", "iq1_s", 2.0042},    {"llama-3.1-8b", "iq1_m", 2.146},
    {"llama-3.1-8b", "iq2_xxs", 2.3824},  {"llama-3.1-8b", "iq2_xs", 2.5882},
    {"llama-3.1-8b", "iq2_s", 2.7403},    {"llama-3.1-8b", "iq2_m", 2.9294},
    {"llama-3.1-8b", "iq3_xxs", 3.2548},  {"llama-3.1-8b", "iq3_xs", 3.4977},
    {"llama-3.1-8b", "iq3_s", 3.6606},    {"llama-3.1-8b", "iq3_m", 3.7628},
    {"llama-3.1-8b", "iq4_xs", 4.4597},   {"llama-3.1-8b", "iq4_nl", 4.6818},
    {"llama-3.1-8b", "q2_k_s", 2.9697},   {"llama-3.1-8b", "q2_k", 3.1593},
    {"llama-3.1-8b", "q3_k_s", 3.6429},   {"llama-3.1-8b", "q3_k_m", 3.996},
    {"llama-3.1-8b", "q3_k_l", 4.2979},   {"llama-3.1-8b", "q4_k_s", 4.6672},
    {"llama-3.1-8b", "q4_k_m", 4.8944},   {"llama-3.1-8b", "q5_k_s", 5.5704},
    {"llama-3.1-8b", "q5_k_m", 5.7036},   {"llama-3.1-8b", "q6_k", 6.5633},
    {"llama-3.1-8b", "q8_0", 8.5008},     {"llama-3.1-8b", "f16", 16.0005},
    {"llama-3-70b", "q4_k_m", 4.8216},    {"llama-3-70b", "q8_0", 8.5023},
    {"gpt-oss-20b", "mxfp4_moe", 4.6298}, {"gpt-oss-120b", "mxfp4_moe", 4.3394},
    {"qwen3-30b-a3b", "q8_0", 8.5112},    {"qwen2.5-7b", "q8_0", 8.4998},
    {"llama-2-7b", "q4_0", 4.5371},       {"llama-2-7b", "q8_0", 8.5007},
    {"llama-3.2-3b", "q4_k_m", 5.0041},   {"qwen2.5-14b", "q4_k_m", 4.8678},
};

static void whole_files_weigh_what_was_measured(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    for (size_t i = 0; i < ARRAY_LEN(FILES); i++) {
        const struct model *model = library_model(&cat->lib, FILES[i].model);
        int index = catalogue_find_weight_format(cat, FILES[i].format);
        assert_non_null(model);
        assert_true(index >= 0);
        const struct weight_format *format = &cat->lib.weight_formats[index];
        double bytes = 0;
        double params = 0;
        for (int role = 0; role < ROLE_COUNT; role++) {
            /* A tied matrix is stored once, in the head's type. */
            bool tied = role == ROLE_EMBEDDING && model->tied_embedding;
            bytes += model->params_by_role[role] * format->bytes[tied ? ROLE_LM_HEAD : role];
            params += model->params_by_role[role];
        }
        double error = bytes * 8 / params / FILES[i].bits_per_weight - 1;
        if (fabs(error) > 0.015) {
            fail_msg("%s %s: %+.2f %%", FILES[i].model, FILES[i].format, 100 * error);
        }
    }
    store_release(store_of(state), cat);
}

/* Figures of parts, engines and fits that come from somewhere else than the importer. */
static void the_library_holds_published_figures(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    const struct library *lib = &cat->lib;
    const struct hardware *h100 = library_hardware(lib, "h100-sxm");
    enum dtype used;
    assert_true(lib->n_models >= 267);
    assert_int_equal(lib->n_hardware, 158);
    assert_int_equal(lib->n_op_fits, 621 + 132 + 92 + 33);
    assert_true(fabs(hardware_peak(h100, DTYPE_BF16, &used) / h100->bw_bytes_us - 295.4) < 0.05);
    assert_true(fabs(h100->link_bytes_us - 450e3) < 1e-6);
    assert_true(fabs(h100->memory_bytes - 79.19 * BYTES_PER_GIB) < 1);
    const struct engine *llama = library_engine(lib, "llama.cpp");
    assert_true(llama->defaults[0].sampler_on_host);
    assert_true(fabs(llama->host[HOST_SAMPLER_NS_PER_LOGIT].value - 2.84) < 1e-9);
    assert_string_equal(llama->host[HOST_SAMPLER_NS_PER_LOGIT].anchor,
                        "llamacpp-27050-32slot-host-sampling");
    for (int i = 0; i < lib->n_engines; i++) {
        for (int j = 0; j < HOST_COST_COUNT; j++) {
            assert_non_null(lib->engines[i].host[j].basis);
        }
        assert_true(lib->engines[i].n_defaults > 0);
    }
    for (int i = 1; i < lib->n_op_fits; i++) {
        assert_true(fit_order(&lib->op_fits[i - 1], &lib->op_fits[i]) < 0);
    }
    for (int i = 1; i < lib->n_comm_fits; i++) {
        assert_true(comm_order(&lib->comm_fits[i - 1], &lib->comm_fits[i]) < 0);
    }
    store_release(store_of(state), cat);
}

/* vLLM's fp8_block GEMM on H100 was measured host-bound: SGLang's stands in. */
static void a_rejected_fit_is_never_chosen(void **state)
{
    static const enum fit_dtype TYPES[] = {FIT_FP8_BLOCK};
    const struct catalogue *cat = store_catalogue(store_of(state));
    const struct library *lib = &cat->lib;
    const struct engine *vllm = library_engine(lib, "vllm");
    enum fit_match match = FIT_NONE;
    const struct fit_query query = {FIT_GEMM, TYPES, 1, true};
    const struct op_fit *fit =
        library_op_fit(lib, library_hardware(lib, "h100-sxm"), vllm, vllm->latest, &query, &match);
    assert_non_null(fit);
    assert_int_equal(match, FIT_OTHER_ENGINE);
    assert_int_equal(fit->status, FIT_USED);
    assert_int_not_equal(fit->engine, vllm->index);
    store_release(store_of(state), cat);
}

/* A plan does about 200 look-ups and has 200 us for everything. */
static void look_ups_are_fast(void **state)
{
    static const enum fit_dtype TYPES[] = {FIT_FP8_BLOCK, FIT_FP8, FIT_BF16};
    const struct catalogue *cat = store_catalogue(store_of(state));
    const struct library *lib = &cat->lib;
    const struct hardware *part = library_hardware(lib, "h100-sxm");
    const struct engine *engine = library_engine(lib, "vllm");
    struct timespec start;
    struct timespec stop;
    double found = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (int i = 0; i < 100000; i++) {
        enum fit_match match;
        const struct fit_query query = {(enum fit_op)(i % FIT_OP_COUNT), TYPES, 3, true};
        const struct op_fit *fit =
            library_op_fit(lib, part, engine, engine->latest, &query, &match);
        found += fit ? fit->q : 0;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &stop);
    double us =
        (double)(stop.tv_sec - start.tv_sec) * 1e6 + (double)(stop.tv_nsec - start.tv_nsec) / 1e3;
    print_message("fit look-up: %.3f us\n", us / 1e5);
    assert_true(found > 0);
    assert_true(us / 1e5 < 5); /* generous: sanitizers and busy machines run this too */
    store_release(store_of(state), cat);
}

static void suggestions_have_every_id(void **state)
{
    const struct catalogue *cat = store_catalogue(store_of(state));
    int n = 0;
    const char *const *ids = catalogue_model_ids(cat, &n);
    assert_int_equal(n, cat->lib.n_models);
    assert_non_null(ids[n - 1]);
    (void)catalogue_hardware_ids(cat, &n);
    assert_int_equal(n, 158);
    (void)catalogue_weight_format_names(cat, &n);
    assert_true(n > cat->lib.n_weight_formats);
    (void)catalogue_kv_format_names(cat, &n);
    assert_true(n > cat->lib.n_kv_formats);
    (void)catalogue_engine_names(cat, &n);
    assert_true(n > cat->lib.n_engines);
    store_release(store_of(state), cat);
}

/* A file that was changed behind the store's back may lack what others refer to. */
static void rows_that_refer_to_none_are_refused(void **state)
{
    static const struct {
        const char *sql, *says;
    } ROWS[] = {
        {"DELETE FROM hardware WHERE id = (SELECT hardware_id FROM calibrations WHERE type = "
         "'op_fit' LIMIT 1)",
         "is a fit of no part that is there"},
        {"DELETE FROM op_fits; DELETE FROM hardware WHERE id = (SELECT hardware_id FROM "
         "calibrations WHERE type = 'collective_fit' AND status = 'used' LIMIT 1)",
         "is a fit of no part that is there"},
        {"DELETE FROM op_fits; UPDATE calibrations SET hardware_id = NULL",
         "is a fit of no part that is there"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char error[STORE_ERROR_MAX] = "";
        sqlite3 *db = bundle_copy();
        assert_true(sql_exec(db, "PRAGMA foreign_keys=OFF"));
        assert_true(sql_exec(db, ROWS[i].sql));
        assert_null(catalogue_build(db, error));
        if (!strstr(error, ROWS[i].says)) {
            fail_msg("row %zu: %s", i, error);
        }
        sqlite3_close(db);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_found),
        cmocka_unit_test(long_names_are_unknown),
        cmocka_unit_test(ambiguous_names_list_what_they_mean),
        cmocka_unit_test(slips_are_answered_with_the_nearest),
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(every_known_name_resolves_as_frozen),
        cmocka_unit_test(formats_are_found_in_any_case),
        cmocka_unit_test(whole_files_weigh_what_was_measured),
        cmocka_unit_test(the_library_holds_published_figures),
        cmocka_unit_test(a_rejected_fit_is_never_chosen),
        cmocka_unit_test(look_ups_are_fast),
        cmocka_unit_test(suggestions_have_every_id),
        cmocka_unit_test(rows_that_refer_to_none_are_refused),
    };
    return cmocka_run_group_tests(tests, open_store, close_store);
}
