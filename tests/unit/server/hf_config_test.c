/*
 * config.json files against the golden figures of the models they belong to, and what is refused.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../figures.h"
#include "../files.h"
#include "hf_config.h"
#include "hf_config_rows.h"

#define ARENA_MAX (16u << 20)
#define CONFIGS TESTS_DIR "/golden/hf-configs"
#define ENDING ".config.json"

struct reading {
    struct arena *arena;
    struct faults faults;
    struct model *model;
};

static struct reading read_config(const char *text)
{
    struct reading reading = {.arena = arena_new(ARENA_MAX)};
    assert_non_null(reading.arena);
    faults_init(&reading.faults, reading.arena);
    cJSON *config = cJSON_Parse(text);
    assert_non_null(config);
    if (!hf_config_model(config, reading.arena, &reading.faults, "/model/hf_config",
                         &reading.model)) {
        assert_null(reading.model);
        assert_true(reading.faults.n > 0);
    } else {
        assert_int_equal(reading.faults.n, 0);
    }
    cJSON_Delete(config);
    return reading;
}

/* Infinity is not JSON: a client must write a number, as here. */
static void replace_infinity(char *text)
{
    for (char *at = strstr(text, "Infinity"); at != NULL; at = strstr(at, "Infinity")) {
        for (int i = 0; i < 8; i++) {
            at[i] = "1e9     "[i];
        }
    }
}

/* The golden row of `id`: its seven figures. */
static void golden(const char *id, double want[7])
{
    char *text = read_file(TESTS_DIR "/golden/models.tsv");
    size_t length = strlen(id);
    const char *row = text;
    while (row != NULL && !(strncmp(row, id, length) == 0 && row[length] == '\t')) {
        row = strchr(row, '\n');
        row = row != NULL ? row + 1 : NULL;
    }
    if (row == NULL) {
        fail_msg("no golden row of %s", id);
    }
    assert_int_equal(sscanf(row + length, "%lf %lf %lf %lf %lf %lf %lf", &want[0], &want[1],
                            &want[2], &want[3], &want[4], &want[5], &want[6]),
                     7);
    free(text);
}

static void check_golden(const char *id, const char *text)
{
    struct reading reading = read_config(text);
    double want[7];
    golden(id, want);
    if (reading.model == NULL) {
        fail_msg("%s: %s %s", id, reading.faults.items[0].pointer, reading.faults.items[0].detail);
    }
    const double got[7] = {reading.model->params_total,
                           want[1],
                           reading.model->params_active,
                           reading.model->params_matmul_per_token,
                           reading.model->kv_bytes_per_token,
                           reading.model->kv_bytes_per_token_beyond_window,
                           reading.model->state_bytes_per_sequence};
    for (int i = 0; i < 7; i++) {
        if (fabs(got[i] - want[i]) > 0) {
            fail_msg("%s, column %d: %.0f, golden %.0f (%+.0f)", id, i + 2, got[i], want[i],
                     got[i] - want[i]);
        }
    }
    arena_free(reading.arena);
}

static void published_files_give_the_golden_figures(void **state)
{
    (void)state;
    DIR *folder = opendir(CONFIGS);
    assert_non_null(folder);
    int n = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length <= strlen(ENDING)) {
            continue;
        }
        char path[1024];
        char id[256];
        snprintf(path, sizeof(path), "%s/%s", CONFIGS, entry->d_name);
        snprintf(id, sizeof(id), "%.*s", (int)(length - strlen(ENDING)), entry->d_name);
        char *text = read_file(path);
        replace_infinity(text);
        check_golden(id, text);
        free(text);
        n++;
    }
    closedir(folder);
    assert_int_equal(n, 87);
}

/* Rows write ' for ". */
static char *quoted(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = calloc(size, 1);
    assert_non_null(copy);
    for (size_t i = 0; i < size; i++) {
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    }
    return copy;
}

static void further_architectures_give_the_golden_figures(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(CONFIG_ROWS); i++) {
        char *text = quoted(CONFIG_ROWS[i].config);
        check_golden(CONFIG_ROWS[i].id, text);
        free(text);
    }
}

static char *read_published(const char *id)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s%s", CONFIGS, id, ENDING);
    char *text = read_file(path);
    replace_infinity(text);
    return text;
}

/* MTP parameters: the published count less the main model (and less vision and stored scales where
 * it has them), as db/records/models give them. */
static const struct mtp_row {
    const char *id;
    double layers, params;
} MTP_ROWS[] = {
    {"deepseek-v3", 1, 684489845504.0 - 671026419200.0},
    {"deepseek-v3.2", 1, 685355329792.0 - 671877944064.0},
    {"deepseek-v4-flash", 1, 290944616402.0 - 284334567511.0},
    {"deepseek-v4-pro", 1, 1598839674782.0 - 1572999528803.0},
    {"glm-5", 1, 753864139008.0 - 743911218432.0},
    {"mimo-7b", 1, 7833409536.0 - 7622619136.0},
    {"mimo-v2-flash", 0, 0}, /* the file does not count its three MTP layers */
    {"nemotron-3-super-120b-a12b", 1, 123611012096.0 + 20992 - 120668707840.0},
    {"step-3.7-flash", 3, 199384301376.0 - 196956130368.0}, /* as in Step 3.5 Flash */
    {"llama-3.1-8b", 0, 0},
};

static void mtp_layers_are_those_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(MTP_ROWS); i++) {
        char *text = read_published(MTP_ROWS[i].id);
        struct reading reading = read_config(text);
        if (fabs(reading.model->mtp_params - MTP_ROWS[i].params) > 0) {
            fail_msg("%s: %.0f, published %.0f", MTP_ROWS[i].id, reading.model->mtp_params,
                     MTP_ROWS[i].params);
        }
        assert_figure(reading.model->mtp_layers, MTP_ROWS[i].layers);
        arena_free(reading.arena);
        free(text);
    }
}

static const struct format_row {
    const char *id; /* a published file, or */
    const char *quantization;
    const char *format;
    bool experts_only;
    const char *expert_format;
} FORMAT_ROWS[] = {
    {.id = "llama-3.1-8b", .format = "bf16"},
    {.id = "phi-2", .format = "fp16"},
    {.id = "deepseek-v3", .format = "fp8_block"},
    {.id = "minimax-m2", .format = "fp8_block"},
    {.id = "gpt-oss-20b", .format = "mxfp4", .experts_only = true},
    {.id = "kimi-k2.5", .format = "int4", .experts_only = true},
    {.id = "kimi-k3", .format = "mxfp4", .experts_only = true},
    {.id = "deepseek-v4-flash", .format = "fp8_block", .expert_format = "mxfp4"},
    {.id = "gemma-4-31b", .format = "nvfp4"},
    {.id = "qwen3.6-35b-a3b", .format = "fp8", .expert_format = "nvfp4"},
    {.quantization = "{'quant_method':'awq','bits':4,'group_size':128}", .format = "awq"},
    {.quantization = "{'quant_method':'gptq','bits':4,'group_size':128}", .format = "gptq"},
    {.quantization = "{'quant_method':'gptq','bits':8}", .format = "gptq_int8"},
    {.quantization = "{'quant_method':'bitsandbytes','load_in_4bit':true}", .format = "nf4"},
    {.quantization = "{'quant_method':'bitsandbytes','load_in_8bit':true}", .format = "llm_int8"},
    {.quantization = "{'quant_method':'modelopt','quant_algo':'NVFP4'}", .format = "nvfp4"},
    {.quantization = "{'quant_method':'modelopt','quant_algo':'FP8'}", .format = "fp8"},
    {.quantization = "{'quant_method':'fp8','activation_scheme':'static'}", .format = "fp8"},
    {.quantization = "{'quant_method':'compressed-tensors','config_groups':{'group_0':"
                     "{'weights':{'num_bits':8,'type':'int'}}}}",
     .format = "int8"},
    {.quantization = "null", .format = "bf16"},
};

#define SMALL                                                                                      \
    "'model_type':'llama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"         \
    "'intermediate_size':128,'vocab_size':100"

static void native_formats_are_understood(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FORMAT_ROWS); i++) {
        const struct format_row *row = &FORMAT_ROWS[i];
        char config[1024];
        char *text = NULL;
        if (row->id != NULL) {
            text = read_published(row->id);
        } else {
            snprintf(config, sizeof(config), "{" SMALL ",'quantization_config':%s}",
                     row->quantization);
            text = quoted(config);
        }
        struct reading reading = read_config(text);
        assert_non_null(reading.model);
        assert_string_equal(reading.model->native_format, row->format);
        assert_int_equal(reading.model->native_experts_only, row->experts_only);
        if (row->expert_format == NULL) {
            assert_null(reading.model->native_expert_format);
        } else {
            assert_string_equal(reading.model->native_expert_format, row->expert_format);
        }
        arena_free(reading.arena);
        free(text);
    }
}

/* One faulty input, the fault that must be among those found. */
static const struct fault_row {
    const char *config, *pointer, *detail, *suggestion;
} FAULT_ROWS[] = {
    {"[]", "", "must be the object", NULL},
    {"{}", "/model_type", "must name the architecture", NULL},
    {"{'model_type':'lama'}", "/model_type", "'lama' is not an architecture", "llama"},
    {"{'model_type':'t5'}", "/model_type", "'t5' is not an architecture", NULL},
    {"{'architectures':['LamaForCausalLM']}", "/architectures/0", "not an architecture",
     "LlamaForCausalLM"},
    {"{'model_type':7}", "/model_type", "must name", NULL},
    {"{'model_type':'llama'}", "/hidden_size", "is required", NULL},
    {"{'model_type':'llama'}", "/num_hidden_layers", "is required", NULL},
    {"{'model_type':'llama'}", "/num_attention_heads", "is required", NULL},
    {"{'model_type':'llama'}", "/vocab_size", "is required", NULL},
    {"{" SMALL ",'hidden_size':64,'num_key_value_heads':8}", "/num_key_value_heads",
     "must not exceed", NULL},
    {"{'model_type':'llama','hidden_size':-5}", "/hidden_size", "must be a whole number from 0",
     NULL},
    {"{'model_type':'llama','hidden_size':1e400}", "/hidden_size", "must be a whole number", NULL},
    {"{'model_type':'llama','hidden_size':0}", "/hidden_size", "at least 1", NULL},
    {"{'model_type':'llama','hidden_size':10.5}", "/hidden_size", "whole number", NULL},
    {"{'model_type':'llama','hidden_size':'64'}", "/hidden_size", "must be a whole number", NULL},
    {"{'model_type':'llama','num_hidden_layers':10001}", "/num_hidden_layers", "from 0 to 10000",
     NULL},
    {"{" SMALL ",'attention_bias':1}", "/attention_bias", "must be true or false", NULL},
    {"{" SMALL ",'layer_types':['full_attention']}", "/layer_types", "fewer entries", NULL},
    {"{" SMALL ",'layer_types':['full_attention','x']}", "/layer_types", "not known", NULL},
    {"{" SMALL ",'quantization_config':{'quant_method':'magic'}}",
     "/quantization_config/quant_method", "'magic' is not a quantisation", NULL},
    {"{'model_type':'llama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100}",
     "/intermediate_size", "is required", NULL},
    {"{'model_type':'llama','hidden_size':2,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100,'intermediate_size':8}",
     "/head_dim", "the hidden width over the attention heads", NULL},
    {"{'model_type':'qwen3_vl','text_config':{'hidden_size':8}}", "/text_config/vocab_size",
     "is required", NULL},
    {"{'model_type':'mixtral','num_local_experts':8,'num_experts_per_tok':9,'hidden_size':64,"
     "'num_hidden_layers':2,'num_attention_heads':4,'intermediate_size':128,'vocab_size':100}",
     "/num_experts_per_tok", "must not exceed", NULL},
    {"{'model_type':'mllama','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'intermediate_size':128,'vocab_size':100,'cross_attention_layers':[2]}",
     "/cross_attention_layers", "does not have", NULL},
    {"{'model_type':'nemotron_h','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,"
     "'vocab_size':100,'hybrid_override_pattern':'MX'}",
     "/hybrid_override_pattern", "not known", NULL},
};

/* Everything that is wrong is said at once, each at the name that the file uses, each once. */
static const struct {
    const char *config, *pointers;
} ALL_FAULTS[] = {
    {"{'model_type':'llama'}", "/hidden_size /vocab_size /num_hidden_layers /num_attention_heads"},
    {"{'model_type':'gpt2','n_embd':-1,'n_layer':2,'n_head':'x','vocab_size':0.5}",
     "/n_embd /vocab_size /n_head"},
    {"{'model_type':'deepseek_v3','hidden_size':64,'vocab_size':0,'num_hidden_layers':2,"
     "'num_attention_heads':4,'intermediate_size':8,'moe_intermediate_size':8,"
     "'n_routed_experts':4,'num_experts_per_tok':5,'q_lora_rank':-1}",
     "/vocab_size /num_experts_per_tok /q_lora_rank /kv_lora_rank /qk_nope_head_dim "
     "/qk_rope_head_dim /v_head_dim"},
    {"{'model_type':'jamba','hidden_size':64,'vocab_size':9,'num_hidden_layers':2,"
     "'num_attention_heads':4,'num_key_value_heads':8,'intermediate_size':8,'num_experts':4,"
     "'num_experts_per_tok':2,'expert_layer_period':0}",
     "/num_key_value_heads /expert_layer_period /attn_layer_period"},
    {"{'model_type':'qwen3_vl','text_config':{'n_embd':8,'n_head':16,'n_layer':1,"
     "'intermediate_size':1e300}}",
     "/text_config/vocab_size /text_config/head_dim /text_config/intermediate_size"},
    {"{'model_type':'nemotron-nas','hidden_size':64,'vocab_size':100,'num_hidden_layers':1,"
     "'block_configs':[{'attention':{'n_heads_in_group':4},'ffn':{'intermediate_size':8}}]}",
     "/num_attention_heads"},
};

static void faults_come_in_one_round(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ALL_FAULTS); i++) {
        char *text = quoted(ALL_FAULTS[i].config);
        struct reading reading = read_config(text);
        char pointers[1024] = "";
        size_t length = 0;
        for (int j = 0; j < reading.faults.n; j++) {
            length += (size_t)snprintf(
                pointers + length, sizeof(pointers) - length, "%s%s", j > 0 ? " " : "",
                reading.faults.items[j].pointer + strlen("/model/hf_config"));
        }
        if (strcmp(pointers, ALL_FAULTS[i].pointers) != 0) {
            fail_msg("%s\n  faults at %s\n  expected %s", text, pointers, ALL_FAULTS[i].pointers);
        }
        arena_free(reading.arena);
        free(text);
    }
}

static bool found(const struct faults *faults, const struct fault_row *row)
{
    char pointer[256];
    snprintf(pointer, sizeof(pointer), "/model/hf_config%s", row->pointer);
    for (int i = 0; i < faults->n; i++) {
        const struct fault *fault = &faults->items[i];
        bool same_suggestion =
            row->suggestion == NULL
                ? fault->suggestion == NULL
                : fault->suggestion != NULL && strcmp(fault->suggestion, row->suggestion) == 0;
        if (strcmp(fault->pointer, pointer) == 0 && strstr(fault->detail, row->detail) != NULL &&
            same_suggestion) {
            return true;
        }
    }
    return false;
}

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(FAULT_ROWS); i++) {
        char *text = quoted(FAULT_ROWS[i].config);
        struct reading reading = read_config(text);
        assert_null(reading.model);
        if (!found(&reading.faults, &FAULT_ROWS[i])) {
            fail_msg("%s: first fault %s %s", text, reading.faults.items[0].pointer,
                     reading.faults.items[0].detail);
        }
        arena_free(reading.arena);
        free(text);
    }
}

/* 65 layers of 65 widths are more shapes than a model may have. */
static void too_many_shapes_are_refused(void **state)
{
    (void)state;
    char *text = calloc(1, 16384);
    assert_non_null(text);
    int n = snprintf(text, 16384,
                     "{\"model_type\":\"nemotron-nas\",\"hidden_size\":64,\"vocab_size\":100,"
                     "\"num_attention_heads\":4,\"num_hidden_layers\":65,\"block_configs\":[");
    for (int i = 0; i < 65; i++) {
        n += snprintf(text + n, (size_t)(16384 - n),
                      "%s{\"attention\":{\"n_heads_in_group\":4},"
                      "\"ffn\":{\"intermediate_size\":%d}}",
                      i > 0 ? "," : "", i + 1);
    }
    snprintf(text + n, (size_t)(16384 - n), "]}");
    struct reading reading = read_config(text);
    assert_null(reading.model);
    assert_non_null(strstr(reading.faults.items[0].detail, "more than 64 different shapes"));
    arena_free(reading.arena);
    free(text);
}

/* An arena that is full is a fault, not a crash. */
static void a_full_arena_is_a_fault(void **state)
{
    (void)state;
    char *text = read_published("deepseek-v3");
    cJSON *config = cJSON_Parse(text);
    for (size_t size = 512; size < 400000; size *= 2) {
        struct arena *arena = arena_new(size);
        struct faults faults;
        struct model *model = NULL;
        assert_non_null(arena);
        faults_init(&faults, arena);
        bool went = hf_config_model(config, arena, &faults, "", &model);
        assert_true(went ? model != NULL : faults.n > 0);
        arena_free(arena);
    }
    cJSON_Delete(config);
    free(text);
}

/* What a value is replaced with: each is wrong for most fields and absurd for some. */
static const char *const ABSURD[] = {"null",  "-1",    "0",  "0.5",   "3",    "1e7", "1e15",
                                     "1e308", "\"x\"", "[]", "[1,2]", "[[]]", "{}",  "true"};

static void try_absurd(struct arena *arena, const cJSON *config, cJSON *object, const char *name,
                       const char *value)
{
    cJSON *kept = cJSON_DetachItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, cJSON_Parse(value));
    arena_reset(arena);
    struct faults faults;
    struct model *model = NULL;
    faults_init(&faults, arena);
    if (hf_config_model(config, arena, &faults, "", &model)) {
        assert_true(isfinite(model->params_total) && model->params_total > 0);
        assert_true(isfinite(model->kv_bytes_per_token) && model->kv_bytes_per_token >= 0);
        assert_true(isfinite(model->state_bytes_per_sequence));
        assert_true(model->params_active <= model->params_total);
    } else if (faults.n == 0) {
        fail_msg("%s = %s is refused without a fault", name, value);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    cJSON_AddItemToObject(object, name, kept);
}

/* A member meets every fifth value, the next one the five beside them: *turn counts. */
#define STRIDE 5

static void try_object(struct arena *arena, const cJSON *config, cJSON *object, size_t *turn)
{
    /* Replacing moves a member to the end: names are taken first. */
    const char *names[256];
    int n = 0;
    for (const cJSON *item = object->child; item != NULL && n < 256; item = item->next) {
        names[n++] = item->string;
    }
    for (int i = 0; i < n; i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s", names[i]);
        for (size_t a = (*turn)++ % STRIDE; a < ARRAY_LEN(ABSURD); a += STRIDE) {
            try_absurd(arena, config, object, name, ABSURD[a]);
        }
        cJSON *inner = cJSON_GetObjectItemCaseSensitive(object, name);
        names[i] = inner->string;
        if (cJSON_IsObject(inner)) {
            try_object(arena, config, inner, turn);
        }
    }
}

static void no_absurd_value_crashes_or_passes_silently(void **state)
{
    (void)state;
    const char *const ids[] = {
        "llama-3.1-8b",
        "deepseek-v3.2",
        "deepseek-v4-flash",
        "gemma-4-26b-a4b",
        "kimi-k3",
        "mimo-v2-flash",
        "minimax-m1",
        "minimax-m3",
        "falcon-h1-34b",
        "hunyuan-a13b",
        "dbrx-132b",
        "qwen3.5-35b-a3b",
        "step-3.7-flash",
        "llama-4-scout",
        "nemotron-h-56b",
        "llama-3.2-90b-vision",
        "gpt-oss-20b",
        "exaone-4.0-32b",
        "nemotron-3-super-120b-a12b",
        "llama-3.3-nemotron-super-49b",
    };
    struct arena *arena = arena_new(ARENA_MAX);
    size_t turn = 0;
    assert_non_null(arena);
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        char *text = read_published(ids[i]);
        cJSON *config = cJSON_Parse(text);
        assert_non_null(config);
        try_object(arena, config, config, &turn);
        cJSON_Delete(config);
        free(text);
    }
    for (size_t i = 0; i < ARRAY_LEN(CONFIG_ROWS); i++) {
        char *text = quoted(CONFIG_ROWS[i].config);
        cJSON *config = cJSON_Parse(text);
        assert_non_null(config);
        try_object(arena, config, config, &turn);
        cJSON_Delete(config);
        free(text);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files_give_the_golden_figures),
        cmocka_unit_test(further_architectures_give_the_golden_figures),
        cmocka_unit_test(mtp_layers_are_those_published),
        cmocka_unit_test(native_formats_are_understood),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(faults_come_in_one_round),
        cmocka_unit_test(too_many_shapes_are_refused),
        cmocka_unit_test(a_full_arena_is_a_fault),
        cmocka_unit_test(no_absurd_value_crashes_or_passes_silently),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
