/* The bytes of a model's weights as its files state them, beside its config.json. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../files.h"
#include "exact_weights.h"
#include "intake_kit.h"
#include "weight_files.h"

#define BODY_BYTES 300000

static struct reading reading;

/* A request with that model: a published config.json, and members beside it. */
static const struct model *read_model(struct kit *kit, const char *id, const char *beside)
{
    char path[256], *body = malloc(BODY_BYTES);
    snprintf(path, sizeof(path), "%s/golden/hf-configs/%s.config.json", TESTS_DIR, id);
    char *config = read_file(path);
    assert_non_null(body);
    snprintf(body, BODY_BYTES, "{\"hardware\":\"h100-sxm\",\"model\":{\"hf_config\":%s%s}}", config,
             beside);
    kit_read_json(kit, body, &reading);
    free(config);
    free(body);
    return reading.complete ? reading.request.problem.model : NULL;
}

static double all_bytes(const struct model *model)
{
    double sum = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        sum += model->params_by_role[role] * model->exact->bytes[role];
    return sum;
}

/* total_size of the published model.safetensors.index.json. Llama-3.1-8B: 8,030,261,248 weights of
 * 2 bytes. */
static void the_index_gives_the_whole(void **state)
{
    const struct model *model =
        read_model(*state, "llama-3.1-8b",
                   ",\"safetensors_index\":{\"metadata\":{\"total_size\":16060522496}}");
    assert_non_null(model);
    assert_true(fabs(all_bytes(model) - 16060522496.0) < 1);
    assert_true(fabs(model->exact->bytes[ROLE_DENSE_FFN] - 2) < 1e-9);
    assert_int_equal(model->exact->source, EXACT_TOTAL);
}

/* DeepSeek-V3's 685 billion weights with the MTP layer, in blocks of 8 bits; gpt-oss-20b. The
 * configuration alone comes within half a percent. */
static void quantised_files_are_met_without_their_index(void **state)
{
    static const struct {
        const char *id;
        double total;
    } ROWS[] = {{"deepseek-v3", 688586727753}, {"gpt-oss-20b", 13761264768}};

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char beside[120];
        const struct model *model = read_model(*state, ROWS[i].id, "");
        assert_non_null(model);
        double alone = all_bytes(model);
        if (!(fabs(alone / ROWS[i].total - 1) < 0.005))
            fail_msg("%s: %.0f bytes, published %.0f", ROWS[i].id, alone, ROWS[i].total);
        snprintf(beside, sizeof(beside),
                 ",\"safetensors_index\":{\"metadata\":{\"total_size\":%.0f}}", ROWS[i].total);
        model = read_model(*state, ROWS[i].id, beside);
        assert_non_null(model);
        assert_true(fabs(all_bytes(model) - ROWS[i].total) < 64);
        assert_true(model->exact->bytes[ROLE_NORM] >= 2); /* 16-bit tensors stay so */
    }
}

/* A file without the MTP layer: its bytes are the main model's alone. */
static void a_map_without_mtp_is_the_main_model(void **state)
{
    const struct model *model =
        read_model(*state, "deepseek-v3",
                   ",\"safetensors_index\":{\"metadata\":{\"total_size\":677000000000},"
                   "\"weight_map\":{\"model.layers.0.mlp.down_proj.weight\":\"a\"}}");
    assert_non_null(model);
    double mtp = model->params_by_role[ROLE_MTP] * model->exact->bytes[ROLE_MTP];
    assert_true(mtp > 1e10);
    assert_true(fabs(all_bytes(model) - mtp - 677e9) < 64);
}

/* One layer's tensors by hand: the attention's are 64 x 64 in F16, two of them; the FFN's
 * 128 x 64 in 8 bits, three with one scale of 4 bytes each; a head and an embedding of 100 x 64. */
static void headers_give_bytes_by_role(void **state)
{
    static const char CONFIG[] =
        "{\"hardware\":\"h100-sxm\",\"model\":{\"hf_config\":{\"model_type\":\"llama\","
        "\"hidden_size\":64,\"num_hidden_layers\":1,\"num_attention_heads\":1,\"vocab_size\":100,"
        "\"intermediate_size\":128,\"quantization_config\":{\"quant_method\":\"fp8\"}},"
        "\"safetensors_headers\":[{\"__metadata__\":{\"format\":\"pt\"},"
        "\"model.embed_tokens.weight\":{\"dtype\":\"F16\",\"shape\":[100,64],"
        "\"data_offsets\":[0,12800]},"
        "\"lm_head.weight\":{\"dtype\":\"F32\",\"shape\":[100,64],\"data_offsets\":[0,25600]}},"
        "{\"model.layers.0.self_attn.qkv_proj.weight\":{\"dtype\":\"F16\",\"shape\":[192,64],"
        "\"data_offsets\":[0,24576]},"
        "\"model.layers.0.self_attn.o_proj.weight\":{\"dtype\":\"F16\",\"shape\":[64,64],"
        "\"data_offsets\":[0,8192]},"
        "\"model.layers.0.mlp.down_proj.weight\":{\"dtype\":\"F8_E4M3\",\"shape\":[64,384],"
        "\"data_offsets\":[0,24576]},"
        "\"model.layers.0.mlp.down_proj.weight_scale\":{\"dtype\":\"F32\",\"shape\":[3],"
        "\"data_offsets\":[0,12]},"
        "\"model.norm.weight\":{\"dtype\":\"F16\",\"shape\":[192],\"data_offsets\":[0,384]}}]}}";
    kit_read_json(*state, CONFIG, &reading);
    assert_true(reading.complete);
    const struct exact_weights *exact = reading.request.problem.model->exact;
    assert_int_equal(exact->source, EXACT_TENSORS);
    assert_true(fabs(exact->bytes[ROLE_ATTENTION] - 2) < 1e-12);
    assert_true(fabs(exact->bytes[ROLE_DENSE_FFN] - (1 + 12 / 24576.0)) < 1e-12);
    assert_true(fabs(exact->bytes[ROLE_EMBEDDING] - 2) < 1e-12);
    assert_true(fabs(exact->bytes[ROLE_LM_HEAD] - 4) < 1e-12);
    assert_string_equal(exact->format, "fp8");
}

/* The same configuration and a checkpoint of another format; modelopt's file beside it. */
static void a_checkpoint_has_a_format_of_its_own(void **state)
{
    const struct model *model = read_model(
        *state, "llama-3.1-8b", ",\"checkpoint\":{\"format\":\"Q4_K_M\",\"bytes\":4912734208}");
    assert_non_null(model);
    assert_string_equal(model->native_format, "q4_k_m");
    assert_string_equal(reading.request.problem.dep.weights->id, "q4_k_m");
    assert_true(fabs(all_bytes(model) - 4912734208.0) < 8);
    model = read_model(*state, "llama-3.1-8b",
                       ",\"hf_quant_config\":{\"producer\":{\"name\":\"modelopt\"},"
                       "\"quantization\":{\"quant_algo\":\"FP8\",\"kv_cache_quant_algo\":\"FP8\","
                       "\"exclude_modules\":[\"lm_head\"]}}");
    assert_non_null(model);
    assert_string_equal(model->native_format, "fp8");
    assert_true(fabs(model->exact->bytes[ROLE_DENSE_FFN] - 1) < 1e-12);
}

/* A tower whose shape is not read is said to be left out; a file's bytes have it. */
static void a_tower_is_not_left_out_in_silence(void **state)
{
    const struct model *model = read_model(*state, "qwen3-vl-8b", "");
    assert_non_null(model);
    const struct described_note *note = reading.request.described.notes;
    assert_non_null(note);
    assert_string_equal(note->id, "tower_not_counted");
    assert_non_null(strstr(note->detail, "vision_config"));
    /* 8.767e9 weights of two bytes: the model card's 9B of text and pictures */
    model = read_model(*state, "qwen3-vl-8b",
                       ",\"safetensors_index\":{\"metadata\":{\"total_size\":17534247392}}");
    assert_non_null(model);
    assert_null(reading.request.described.notes);
}

static void names_tell_the_role(void **state)
{
    static const struct {
        const char *name;
        enum role role;
    } ROWS[] = {
        {"model.layers.3.self_attn.q_proj.qweight", ROLE_ATTENTION},
        {"model.layers.3.mlp.experts.17.down_proj.weight", ROLE_EXPERT},
        {"model.layers.3.mlp.gate.weight", ROLE_ROUTER},
        {"model.layers.3.mlp.gate_proj.weight", ROLE_DENSE_FFN},
        {"model.layers.3.mlp.shared_experts.up_proj.weight", ROLE_SHARED_EXPERT},
        {"model.layers.3.mlp.shared_expert_gate.weight", ROLE_ROUTER},
        {"model.layers.4.mlp.gate.weight", ROLE_MTP}, /* of a model of four layers */
        {"mtp.layers.0.self_attn.q_proj.weight", ROLE_MTP},
        {"model.visual.blocks.11.mlp.linear_fc1.weight", ROLE_VISION},
        {"visual.layers.30.attn.qkv.weight", ROLE_VISION},
        {"transformer.h.0.ln_1.weight", ROLE_NORM},
        {"backbone.layers.2.mixer.in_proj.weight", ROLE_ATTENTION},
        {"backbone.layers.2.mixer.up_proj.weight", ROLE_DENSE_FFN},
        {"output.weight", ROLE_LM_HEAD},
        {"something.else", ROLE_OTHER},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        if (weight_files_role(ROWS[i].name, 4) != ROWS[i].role)
            fail_msg("%s", ROWS[i].name);
    }
}

static void contradictions_are_faults(void **state)
{
    static const struct {
        const char *beside, *pointer, *detail;
    } ROWS[] = {
        {",\"safetensors_index\":{\"metadata\":{}}", "/model/safetensors_index/metadata/total_size",
         "must be the bytes"},
        {",\"safetensors_index\":{\"metadata\":{\"total_size\":1e9}}",
         "/model/safetensors_index/metadata/total_size", "not the same model"},
        {",\"safetensors_index\":{\"metadata\":{\"total_size\":16060522496},\"weight_map\":[]}",
         "/model/safetensors_index/weight_map", "must be an object"},
        {",\"safetensors_headers\":[{\"a\":{\"dtype\":\"F16\",\"shape\":[2,2],"
         "\"data_offsets\":[0,7]}}]",
         "/model/safetensors_headers/0", "tensor 'a' needs"},
        {",\"safetensors_headers\":[7]", "/model/safetensors_headers/0", "must be the JSON header"},
        {",\"safetensors_headers\":{}", "/model/safetensors_headers", "not the same model"},
        {",\"checkpoint\":{\"format\":\"q9\"}", "/model/checkpoint/format", "weight format"},
        {",\"checkpoint\":{\"bytes\":-1}", "/model/checkpoint/bytes", "must be the bytes"},
        {",\"checkpoint\":{\"bytes_by_role\":{\"atention\":1}}",
         "/model/checkpoint/bytes_by_role/atention", "one of the roles"},
        {",\"checkpoint\":{\"bytes_by_role\":7}", "/model/checkpoint/bytes_by_role", "must be an"},
        {",\"checkpoint\":7", "/model/checkpoint", "must be an object"},
        {",\"safetensor_index\":{}", "/model/safetensor_index", "is not part of a model"},
    };

    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        assert_null(read_model(*state, "llama-3.1-8b", ROWS[i].beside));
        const struct fault *fault = &reading.faults.items[0];
        if (strcmp(fault->pointer, ROWS[i].pointer) != 0 || !strstr(fault->detail, ROWS[i].detail))
            fail_msg("%s: %s: %s", ROWS[i].beside, fault->pointer, fault->detail);
    }
    kit_read_json(*state, "{\"hardware\":\"h100-sxm\",\"model\":{\"checkpoint\":{}}}", &reading);
    assert_string_equal(reading.faults.items[0].pointer, "/model/hf_config");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_gives_the_whole),
        cmocka_unit_test(quantised_files_are_met_without_their_index),
        cmocka_unit_test(a_map_without_mtp_is_the_main_model),
        cmocka_unit_test(headers_give_bytes_by_role),
        cmocka_unit_test(a_checkpoint_has_a_format_of_its_own),
        cmocka_unit_test(a_tower_is_not_left_out_in_silence),
        cmocka_unit_test(names_tell_the_role),
        cmocka_unit_test(contradictions_are_faults),
    };
    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
