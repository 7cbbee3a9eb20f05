/*
 * quantization_config of every method: bytes per weight by role, hand-computed.
 *
 * The model: hidden 256, 4 layers, 4 heads and 2 KV heads of 64, FFN 512. A layer's attention is
 * q 65,536 + k 32,768 + v 32,768 + o 65,536 = 196,608 weights, its FFN three times 131,072.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact_weights.h"
#include "hf_config.h"
#include "hf_pattern.h"
#include "hf_regex.h"

#define ARENA_MAX (16u << 20)
#define DENSE                                                                                      \
    "'model_type':'llama','hidden_size':256,'num_hidden_layers':4,'num_attention_heads':4,"        \
    "'num_key_value_heads':2,'intermediate_size':512,'vocab_size':1000"
#define MOE                                                                                        \
    "'model_type':'qwen3_moe','hidden_size':256,'num_hidden_layers':4,'num_attention_heads':4,"    \
    "'num_key_value_heads':2,'head_dim':64,'intermediate_size':512,'vocab_size':1000,"             \
    "'num_experts':8,'num_experts_per_tok':2,'moe_intermediate_size':128"

#define AWQ (0.5 + 2.5 / 128)
#define GPTQ (0.5 + 2.0 / 128)
#define NVFP4 0.5625
#define MXFP4 0.53125

static const struct recipe_row {
    const char *model, *quantization;
    const char *format;
    double attention, dense, expert, lm_head;
} ROWS[] = {
    {DENSE, "{'quant_method':'awq','bits':4,'group_size':128,'zero_point':true}", "awq", AWQ, AWQ,
     2, 2},
    {DENSE, "{'quant_method':'awq','bits':4,'group_size':64,'modules_to_not_convert':['mlp']}",
     "awq", 0.5 + 2.5 / 64, 2, 2, 2},
    {DENSE, "{'quant_method':'gptq','bits':4,'group_size':128,'sym':true,'lm_head':true}", "gptq",
     GPTQ, GPTQ, 2, GPTQ},
    {DENSE, "{'quant_method':'gptq','bits':4,'group_size':128,'sym':false,'desc_act':true}",
     "gptq_asym", AWQ, AWQ, 2, 2},
    {DENSE, "{'quant_method':'gptq','bits':8,'group_size':-1}", "gptq_int8", 1, 1, 2, 2},
    /* a third of the FFN left alone */
    {DENSE,
     "{'quant_method':'gptq','bits':4,'group_size':128,'dynamic':{'-:.*\\\\.down_proj$':{}}}",
     "gptq", GPTQ, (2 * GPTQ + 2) / 3, 2, 2},
    /* the output projection, a third of the attention, in 8 bits */
    {DENSE,
     "{'quant_method':'gptq','bits':4,'group_size':128,"
     "'dynamic':{'+:.*self_attn\\\\.o_proj':{'bits':8,'group_size':32}}}",
     "gptq", (2 * GPTQ + 1 + 2.0 / 32) / 3, GPTQ, 2, 2},
    {DENSE, "{'quant_method':'fp8','activation_scheme':'dynamic'}", "fp8", 1, 1, 2, 2},
    {DENSE, "{'quant_method':'fp8','weight_block_size':[128,128]}", "fp8_block", 1 + 4 / 16384.0,
     1 + 4 / 16384.0, 2, 2},
    /* one layer of four left alone */
    {DENSE, "{'quant_method':'fp8','modules_to_not_convert':['model.layers.0','lm_head']}", "fp8",
     1.25, 1.25, 2, 2},
    {DENSE,
     "{'quant_method':'fbgemm_fp8','modules_to_not_convert':["
     "'model.layers.0.self_attn.q_proj','model.layers.0.self_attn.k_proj',"
     "'model.layers.1.mlp.down_proj']}",
     "fp8", 1 + (65536 + 32768) / (4 * 196608.0), 1 + 1 / 12.0, 2, 2},
    {DENSE,
     "{'quant_method':'modelopt','quant_algo':'NVFP4','exclude_modules':"
     "['model.layers.3*','lm_head']}",
     "nvfp4", (3 * NVFP4 + 2) / 4, (3 * NVFP4 + 2) / 4, 2, 2},
    {DENSE,
     "{'quantization':{'quant_algo':'FP8','kv_cache_quant_algo':'FP8',"
     "'exclude_modules':['lm_head']},'producer':{'name':'modelopt'}}",
     "fp8", 1, 1, 2, 2},
    {DENSE,
     "{'quant_method':'modelopt','quant_algo':'MIXED_PRECISION','quantized_layers':{"
     "'model.layers.0.mlp.gate_proj':{'quant_algo':'NVFP4'},"
     "'model.layers.0.mlp.up_proj':{'quant_algo':'NVFP4'},"
     "'model.layers.1.self_attn.o_proj':{'quant_algo':'FP8'}}}",
     "nvfp4", 2 - 65536 / (4 * 196608.0), 2 - (2 - NVFP4) * 2 / 12, 2, 2},
    {DENSE,
     "{'quant_method':'compressed-tensors','config_groups':{'group_0':{'targets':['Linear'],"
     "'input_activations':null,'weights':{'num_bits':4,'type':'int','strategy':'group',"
     "'group_size':128,'symmetric':true}}},'ignore':['lm_head','re:.*self_attn.*']}",
     "int4_g128", 2, GPTQ, 2, 2},
    {DENSE,
     "{'quant_method':'compressed-tensors','config_groups':{'group_0':{'targets':['Linear'],"
     "'weights':{'num_bits':8,'type':'float','strategy':'channel'}},"
     "'group_1':{'targets':['re:.*mlp\\\\.(gate|up|down)_proj$'],'weights':{'num_bits':4,"
     "'type':'float','strategy':'tensor_group','group_size':16}}},'ignore':['lm_head'],"
     "'kv_cache_scheme':{'num_bits':8,'type':'float'}}",
     "nvfp4", 1, NVFP4, 2, 2},
    {DENSE,
     "{'quant_method':'bitsandbytes','load_in_4bit':true,'bnb_4bit_quant_type':'nf4',"
     "'bnb_4bit_use_double_quant':false}",
     "nf4_single", 0.5625, 0.5625, 2, 2},
    {DENSE, "{'quant_method':'bitsandbytes','load_in_4bit':true,'bnb_4bit_use_double_quant':true}",
     "nf4", 4.127 / 8, 4.127 / 8, 2, 2},
    {DENSE,
     "{'quant_method':'auto-round','bits':4,'group_size':128,'sym':true,"
     "'extra_config':{'model.layers.2.mlp.up_proj':{'bits':16}}}",
     "int4_g128", GPTQ, (11 * GPTQ + 2) / 12, 2, 2},
    {DENSE,
     "{'quant_method':'quark','global_quant_config':{'weight':{'dtype':'fp4','qscheme':"
     "'per_group','group_size':32}},'exclude':['lm_head','*self_attn*']}",
     "mxfp4", 2, MXFP4, 2, 2},
    {DENSE,
     "{'quant_method':'torchao','quant_type':'int4_weight_only',"
     "'quant_type_kwargs':{'group_size':32}}",
     "int4_tinygemm", 0.625, 0.625, 2, 2},
    /* names of a vision tower's modules are not the language model's */
    {DENSE,
     "{'quant_method':'fp8','ignored_layers':["
     "'model.vision_tower.encoder.layers.0.self_attn.q_proj','visual.blocks.0.attn.qkv']}",
     "fp8", 1, 1, 2, 2},
    {MOE,
     "{'quant_method':'mxfp4','modules_to_not_convert':['model.layers.*.self_attn',"
     "'model.layers.*.mlp.router','model.embed_tokens','lm_head']}",
     "mxfp4", 2, 2, MXFP4, 2},
    {MOE,
     "{'quant_method':'compressed-tensors','config_groups':{'group_0':{'targets':['Linear'],"
     "'weights':{'num_bits':4,'type':'int','strategy':'group','group_size':32}}},"
     "'ignore':['lm_head','re:.*self_attn.*','re:.*mlp.gate$']}",
     "int4", 2, 2, 0.5625, 2},
};

static char *quoted(const char *text)
{
    char *copy = calloc(strlen(text) + 1, 1);
    assert_non_null(copy);
    for (size_t i = 0; text[i]; i++)
        copy[i] = (char)(text[i] == '\'' ? '"' : text[i]);
    return copy;
}

static struct model *read_model(struct arena *arena, const struct recipe_row *row)
{
    static struct faults faults;
    char text[4096];
    struct model *model = NULL;
    snprintf(text, sizeof(text), "{%s,'quantization_config':%s}", row->model, row->quantization);
    char *config = quoted(text);
    cJSON *tree = cJSON_Parse(config);
    assert_non_null(tree);
    faults_init(&faults, arena);
    if (!hf_config_model(tree, arena, &faults, "", &model))
        fail_msg("%s: %s", row->quantization, faults.items[0].detail);
    cJSON_Delete(tree);
    free(config);
    return model;
}

static void check(const struct recipe_row *row, const struct model *model, enum role role,
                  double want)
{
    double got = model->exact->bytes[role];
    if (model->params_by_role[role] > 0 && !(fabs(got - want) < 1e-9))
        fail_msg("%s: %s has %.9f bytes per weight, not %.9f", row->quantization, role_name(role),
                 got, want);
}

static void methods_give_the_bytes_of_each_role(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        const struct recipe_row *row = &ROWS[i];
        struct arena *arena = arena_new(ARENA_MAX);
        const struct model *model = read_model(arena, row);
        assert_string_equal(model->native_format, row->format);
        assert_non_null(model->exact);
        check(row, model, ROLE_ATTENTION, row->attention);
        check(row, model, ROLE_DENSE_FFN, row->dense);
        check(row, model, ROLE_EXPERT, row->expert);
        check(row, model, ROLE_LM_HEAD, row->lm_head);
        check(row, model, ROLE_EMBEDDING, 2);
        check(row, model, ROLE_ROUTER, 2);
        check(row, model, ROLE_NORM, 2);
        arena_free(arena);
    }
}

/* Python's re.match: from the start, not necessarily to the end. */
static const struct regex_row {
    const char *pattern, *text;
    bool matches;
} REGEXES[] = {
    {".*self_attn.*", "model.layers.0.self_attn.q_proj", true},
    {".*mlp\\.gate$", "model.layers.0.mlp.gate", true},
    {".*mlp\\.gate$", "model.layers.0.mlp.gate_proj", false},
    {".*mlp\\.(gate|up)_proj", "model.layers.0.mlp.up_proj", true},
    {".*mlp\\.(gate|up)_proj", "model.layers.0.mlp.down_proj", false},
    {"layers", "model.layers.0", false},
    {"^model\\.layers\\.[0-3]\\.", "model.layers.3.mlp", true},
    {"^model\\.layers\\.[0-3]\\.", "model.layers.31.mlp", false},
    {"model\\.layers\\.\\d+\\.mlp", "model.layers.31.mlp", true},
    {"^(?!.*experts).*$", "model.layers.0.mlp.experts.0", false},
    {"^(?!.*experts).*$", "model.layers.0.self_attn", true},
    {"a(?=b)b", "ab", true},
    {"(a|b)*c?d+", "ababdd", true},
    {"(?:ab){0}", "", false},
    {"(a*)*(a*)*(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
};

static void expressions_match_as_in_python(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(REGEXES); i++) {
        struct arena *arena = arena_new(ARENA_MAX);
        const struct hf_regex *regex = hf_regex_compile(arena, REGEXES[i].pattern);
        long visits = 0;
        bool matches = regex != NULL && hf_regex_matches(regex, REGEXES[i].text, &visits);
        if (matches != REGEXES[i].matches)
            fail_msg("'%s' on '%s'", REGEXES[i].pattern, REGEXES[i].text);
        arena_free(arena);
    }
}

/* Four look-aheads inside one another try 60^4 places; two are nothing. */
static void a_match_has_a_bound(void **state)
{
    static const char TEXT[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    struct arena *arena = arena_new(ARENA_MAX);
    const struct hf_regex *two = hf_regex_compile(arena, "(?=.*(?=.*#))");
    const struct hf_regex *four = hf_regex_compile(arena, "(?=.*(?=.*(?=.*(?=.*#))))");
    long visits = 0;

    (void)state;
    assert_non_null(two);
    assert_non_null(four);
    assert_false(hf_regex_matches(two, TEXT, &visits));
    assert_true(visits < HF_REGEX_VISITS_MAX);
    visits = 0;
    assert_false(hf_regex_matches(four, TEXT, &visits));
    assert_in_range(visits, HF_REGEX_VISITS_MAX, HF_REGEX_VISITS_MAX + 100000);
    static struct faults faults;
    struct model *model = NULL;
    char *config = quoted("{" DENSE ",'quantization_config':{'quant_method':'gptq',"
                          "'bits':4,'group_size':128,'dynamic':{"
                          "'-:(?=.*(?=.*(?=.*(?=.*#1))))':{}}}}");
    cJSON *tree = cJSON_Parse(config);
    faults_init(&faults, arena);
    assert_false(hf_config_model(tree, arena, &faults, "", &model));
    cJSON_Delete(tree);
    free(config);
    arena_free(arena);
}

/* A width of the wrong kind is no default's. */
static void members_of_a_wrong_kind_are_refused(void **state)
{
    static const struct {
        const char *quantization, *pointer; /* NULL = it is read */
    } KINDS[] = {
        {"'quant_method':'gptq','bits':'8','group_size':128", "/quantization_config/bits"},
        {"'quant_method':'gptq','bits':3.7,'group_size':128", "/quantization_config/bits"},
        {"'quant_method':'gptq','bits':4,'group_size':'32'", "/quantization_config/group_size"},
        {"'quant_method':'gptq','bits':4,'group_size':-7", "/quantization_config/group_size"},
        {"'quant_method':'gptq','bits':4,'group_size':0.001", "/quantization_config/group_size"},
        {"'quant_method':'gptq','bits':4,'group_size':1e-300", "/quantization_config/group_size"},
        {"'quant_method':'bitsandbytes','load_in_8bit':'true'",
         "/quantization_config/load_in_8bit"},
        {"'quant_method':'compressed-tensors','config_groups':[]",
         "/quantization_config/config_groups"},
        {"'quant_method':'compressed-tensors','config_groups':{'group_0':{'targets':['Linear'],"
         "'weights':{'num_bits':'4','type':'int'}}}",
         "/quantization_config/config_groups/group_0/weights/num_bits"},
        {"'quant_method':'fp8','ignored_layers':'lm_head'", "/quantization_config/ignored_layers"},
        {"'quant_method':'gptq','bits':4,'group_size':-1", NULL},
        {"'quant_method':'fp8','ignored_layers':null", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
        static struct faults faults;
        struct arena *arena = arena_new(ARENA_MAX);
        struct model *model = NULL;
        char text[600];
        snprintf(text, sizeof(text), "{" DENSE ",'quantization_config':{%s}}",
                 KINDS[i].quantization);
        char *config = quoted(text);
        cJSON *tree = cJSON_Parse(config);
        assert_non_null(tree);
        faults_init(&faults, arena);
        bool read = hf_config_model(tree, arena, &faults, "", &model);
        if (read != (KINDS[i].pointer == NULL))
            fail_msg("%s is %sread", KINDS[i].quantization, read ? "" : "not ");
        if (!read) {
            assert_int_equal(faults.n, 1);
            assert_string_equal(faults.items[0].pointer, KINDS[i].pointer);
        }
        cJSON_Delete(tree);
        free(config);
        arena_free(arena);
    }
}

static void what_is_not_understood_is_said(void **state)
{
    static const char *const UNREAD[] = {"a{2}", "(a)\\1", "(?<=a)b", "(a", "a)", "[a", "*a"};
    (void)state;
    struct arena *arena = arena_new(ARENA_MAX);
    for (size_t i = 0; i < ARRAY_LEN(UNREAD); i++)
        assert_null(hf_regex_compile(arena, UNREAD[i]));
    static struct faults faults;
    struct model *model = NULL;
    char *config = quoted("{" DENSE ",'quantization_config':{'quant_method':'fp8',"
                          "'ignored_layers':['re:(?<=x)y']}}");
    cJSON *tree = cJSON_Parse(config);
    faults_init(&faults, arena);
    assert_false(hf_config_model(tree, arena, &faults, "", &model));
    assert_non_null(strstr(faults.items[0].detail, "(?<=x)y"));
    cJSON_Delete(tree);
    free(config);
    arena_free(arena);
}

/* A list of thousands of expressions costs no more than it may. */
static void long_lists_end(void **state)
{
    (void)state;
    struct arena *arena = arena_new(ARENA_MAX);
    cJSON *tree = cJSON_CreateObject();
    static const char *const NAMES[] = {"hidden_size", "num_attention_heads", "intermediate_size",
                                        "vocab_size", "num_hidden_layers"};
    static const double VALUES[] = {64, 4, 128, 100, 10000};
    static struct faults faults;
    struct model *model = NULL;
    cJSON_AddStringToObject(tree, "model_type", "llama");
    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++)
        cJSON_AddNumberToObject(tree, NAMES[i], VALUES[i]);
    cJSON *quant = cJSON_AddObjectToObject(tree, "quantization_config");
    cJSON_AddStringToObject(quant, "quant_method", "fp8");
    cJSON *list = cJSON_AddArrayToObject(quant, "ignored_layers");
    for (int i = 0; i < 4000; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString("re:(.*)*(.*)*(.*)*(.*)*1x"));
    faults_init(&faults, arena);
    assert_false(hf_config_model(tree, arena, &faults, "", &model));
    assert_true(faults.n > 0);
    cJSON_Delete(tree);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_give_the_bytes_of_each_role),
        cmocka_unit_test(expressions_match_as_in_python),
        cmocka_unit_test(a_match_has_a_bound),
        cmocka_unit_test(members_of_a_wrong_kind_are_refused),
        cmocka_unit_test(what_is_not_understood_is_said),
        cmocka_unit_test(long_lists_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
