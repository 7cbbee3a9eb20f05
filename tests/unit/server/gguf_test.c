/* Headers of GGUF files: what they add up to, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../gguf_sample.h"
#include "gguf.h"
#include "gguf_tensors.h"

#define ARENA_MAX (4u << 20)
#define MIB 1048576.0

static struct arena *arena;

/* Reads the bytes in pieces of `step`. */
static const struct gguf_facts *read_pieces(const struct gguf_sample *sample, size_t step)
{
    arena_reset(arena);
    struct gguf_reader *reader = gguf_open(arena);
    assert_non_null(reader);
    for (size_t at = 0; at < sample->length; at += step) {
        size_t left = sample->length - at;
        gguf_feed(reader, sample->bytes + at, left < step ? left : step);
    }
    return gguf_close(reader);
}

/* llama.cpp prints of this file: "CUDA0 model buffer size = 4403.49 MiB" and, for the embedding,
 * "CPU_Mapped model buffer size = 281.81 MiB". The head is 4,096 x 128,256 weights of 210/256 B. */
static void the_table_gives_the_bytes_that_engines_print(void **state)
{
    struct gguf_sample sample;
    (void)state;
    gguf_llama(&sample, 1000);
    const struct gguf_facts *facts = read_pieces(&sample, 4096);
    assert_null(facts->error);
    assert_true(facts->complete);
    double embedding = facts->roles[ROLE_EMBEDDING].bytes;
    assert_true(fabs(embedding / MIB - 281.81) < 0.005);
    assert_true(fabs((facts->data_bytes - embedding) / MIB - 4403.49) < 0.005);
    assert_true(fabs(facts->roles[ROLE_LM_HEAD].bytes - 430940160.0) < 1);
    assert_true(fabs(facts->types[GGUF_F32].tensors - 66) < 0.5);
    assert_true(fabs(facts->types[GGUF_Q6_K].tensors - 33) < 0.5);
    assert_true(fabs(facts->header_bytes - (double)sample.length) < 0.5);
    assert_true(fabs(facts->tensors - 292) < 0.5);
    double elements = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        elements += facts->roles[role].elements;
    assert_true(fabs(elements - 8030261248.0 - 64) < 0.5); /* and 64 factors of the rotation */
    free(sample.bytes);
}

/* However the bytes come, they say the same. */
static void pieces_do_not_matter(void **state)
{
    static const size_t STEPS[] = {1, 3, 7, 64, 1000, 100000};
    struct gguf_sample sample;
    (void)state;
    gguf_llama(&sample, 50);
    double whole = read_pieces(&sample, sample.length)->data_bytes;
    for (size_t i = 0; i < sizeof(STEPS) / sizeof(STEPS[0]); i++) {
        const struct gguf_facts *facts = read_pieces(&sample, STEPS[i]);
        assert_null(facts->error);
        assert_true(fabs(facts->data_bytes - whole) < 0.5);
        assert_string_equal(gguf_find(facts, "general.name")->text, "Meta Llama 3.1 8B Instruct");
        assert_null(gguf_find(facts, "tokenizer.ggml.tokens"));
    }
    free(sample.bytes);
}

/* A header that is cut off anywhere says what it needs; never less than it does, and no more than
 * the file has. */
static void what_is_cut_off_says_what_it_needs(void **state)
{
    struct gguf_sample sample;
    (void)state;
    gguf_llama(&sample, 2000);
    size_t length = sample.length;
    for (size_t cut = 0; cut < length; cut += 97) {
        double least = 0;
        sample.length = cut;
        const struct gguf_facts *facts = read_pieces(&sample, 1 << 16);
        assert_false(facts->complete);
        assert_non_null(facts->error);
        const char *need = strstr(facts->error, "at least ");
        assert_non_null(need);
        least = strtod(need + 9, NULL);
        if (!(least > (double)cut && least <= (double)length))
            fail_msg("%zu of %zu: %s", cut, length, facts->error);
    }
    free(sample.bytes);
}

/* A small sound file, and what is done to it. */
static const struct damage_row {
    const char *what;
    size_t at; /* in the 24 bytes of the head, or behind them */
    uint64_t value;
    size_t n;
    const char *error;
} DAMAGES[] = {
    {"magic", 0, 0x46554748, 4, "does not begin with \"GGUF\""},
    {"version 1", 4, 1, 4, "versions 2 and 3"},
    {"big-endian", 4, 0x03000000, 4, "big-endian"},
    {"tensors", 8, UINT64_MAX, 8, "tensors and"},
    {"values", 16, (uint64_t)1 << 40, 8, "at most 1000000 and 65536"},
    {"length of a key", 24, UINT64_MAX, 8, "a key at byte 24 has"},
    {"no key", 24, 0, 8, "a key at byte 24 has 0 bytes"},
    {"kind", 52, 99, 4, "a value of kind 99"},
    {"length of a text", 56, (uint64_t)1 << 62, 8, "general.architecture at byte 56"},
};

static void small_file(struct gguf_sample *sample)
{
    gguf_begin(sample, 2, 2);
    gguf_put_name(sample, "general.architecture", "llama");
    gguf_put_u32(sample, "llama.block_count", 1);
    gguf_put_tensor(sample, "token_embd.weight", GGUF_Q4_K, 256, 4);
    gguf_put_tensor(sample, "blk.0.attn_q.bias", GGUF_F32, 256, 1);
}

static void damage_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DAMAGES) / sizeof(DAMAGES[0]); i++) {
        const struct damage_row *row = &DAMAGES[i];
        struct gguf_sample sample;
        small_file(&sample);
        for (size_t j = 0; j < row->n; j++)
            sample.bytes[row->at + j] = (unsigned char)(row->value >> 8 * j);
        const struct gguf_facts *facts = read_pieces(&sample, 5);
        if (!facts->error || !strstr(facts->error, row->error))
            fail_msg("%s: %s", row->what, facts->error ? facts->error : "no error");
        free(sample.bytes);
    }
}

/* One row of the tensor table after another, each wrong in its own way. */
static void impossible_tensors_are_named(void **state)
{
    static const struct {
        struct gguf_tensor tensor;
        const char *error;
    } ROWS[] = {
        {{"a", 1, {256, 1, 1, 1}, 5, 0}, "of type 5, which is not one"},
        {{"a", 1, {256, 1, 1, 1}, UINT32_MAX, 0}, "of type 4294967295"},
        {{"a", 2, {100, 4, 1, 1}, GGUF_Q4_K, 0}, "rows of a multiple of 256"},
        {{"a", 2, {0, 4, 1, 1}, GGUF_F32, 0}, "cannot be"},
        {{"a", 2, {UINT64_MAX, UINT64_MAX, 1, 1}, GGUF_F32, 0}, "cannot be"},
        {{"a", 4, {1u << 31, 1u << 31, 1u << 31, 1u << 31}, GGUF_F32, 0}, "cannot be"},
        {{"a", 1, {256, 1, 1, 1}, GGUF_F32, 64}, "begins at byte 64"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        struct gguf_facts facts = {.complete = false};
        struct gguf_tally tally;
        arena_reset(arena);
        gguf_tally_begin(&tally, &facts, 32);
        const char *error = gguf_tally_add(&tally, arena, &ROWS[i].tensor);
        if (!error || !strstr(error, ROWS[i].error))
            fail_msg("row %zu: %s", i, error ? error : "no error");
    }
}

/* Numbers of every kind, and lists of them. */
static void values_are_read_by_their_kind(void **state)
{
    static const struct {
        uint32_t kind;
        size_t n;
        uint64_t bits;
        double value;
    } ROWS[] = {
        {0, 1, 200, 200},
        {1, 1, 0xfe, -2},
        {2, 2, 65535, 65535},
        {3, 2, 0x8000, -32768},
        {4, 4, 4294967295u, 4294967295.0},
        {5, 4, 0xffffffff, -1},
        {6, 4, 0x3fc00000, 1.5}, /* IEEE 754: 1.5 */
        {6, 4, 0xc1200000, -10},
        {7, 1, 1, 1},
        {10, 8, (uint64_t)1 << 40, 1099511627776.0},
        {11, 8, UINT64_MAX, -1},
        {12, 8, 0x3ff8000000000000, 1.5},
    };
    struct gguf_sample sample;
    char key[16];
    size_t n = sizeof(ROWS) / sizeof(ROWS[0]);
    (void)state;
    gguf_begin(&sample, 0, n + 1);
    for (size_t i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "x.%zu", i);
        gguf_put_text(&sample, key);
        gguf_put(&sample, ROWS[i].kind, 4);
        gguf_put(&sample, ROWS[i].bits, ROWS[i].n);
    }
    gguf_put_text(&sample, "x.list");
    gguf_put(&sample, GGUF_ARRAY, 4);
    gguf_put(&sample, GGUF_BOOL, 4);
    gguf_put(&sample, 3, 8);
    gguf_put(&sample, 0x010001, 3);
    const struct gguf_facts *facts = read_pieces(&sample, 11);
    assert_null(facts->error);
    for (size_t i = 0; i < n; i++) {
        snprintf(key, sizeof(key), "x.%zu", i);
        assert_true(fabs(gguf_find(facts, key)->number - ROWS[i].value) < 1e-12);
    }
    const struct gguf_value *list = gguf_find(facts, "x.list");
    assert_int_equal(list->n, 3);
    assert_true(list->list[0] > 0 && !(list->list[1] > 0) && list->list[2] > 0);
    free(sample.bytes);
}

static void names_tell_the_role(void **state)
{
    static const struct {
        const char *name;
        int n_dims;
        enum role role;
    } ROWS[] = {
        {"blk.0.attn_q.weight", 2, ROLE_ATTENTION},
        {"blk.0.attn_q.bias", 1, ROLE_NORM},
        {"blk.0.attn_norm.weight", 1, ROLE_NORM},
        {"blk.0.attn_kv_a_mqa.weight", 2, ROLE_ATTENTION},
        {"blk.0.ffn_down.weight", 2, ROLE_DENSE_FFN},
        {"blk.0.ffn_down_exps.weight", 3, ROLE_EXPERT},
        {"blk.0.ffn_down_shexp.weight", 2, ROLE_SHARED_EXPERT},
        {"blk.0.ffn_gate_inp.weight", 2, ROLE_ROUTER},
        {"blk.0.ffn_gate_inp_shexp.weight", 1, ROLE_ROUTER},
        {"blk.0.exp_probs_b.bias", 1, ROLE_ROUTER},
        {"blk.0.ssm_in.weight", 2, ROLE_ATTENTION},
        {"blk.0.ssm_a", 1, ROLE_NORM},
        {"blk.0.layer_output_scale.weight", 1, ROLE_NORM},
        {"blk.10.attn_q.weight", 2, ROLE_MTP}, /* of ten layers and one for drafts */
        {"blk.10.nextn.eh_proj.weight", 2, ROLE_MTP},
        {"token_embd.weight", 2, ROLE_EMBEDDING},
        {"output.weight", 2, ROLE_LM_HEAD},
        {"output_norm.weight", 1, ROLE_NORM},
        {"per_layer_token_embd.weight", 2, ROLE_LOOKUP},
        {"v.blk.0.attn_q.weight", 2, ROLE_VISION},
        {"mm.0.weight", 2, ROLE_VISION},
        {"something", 2, ROLE_OTHER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (gguf_role(ROWS[i].name, ROWS[i].n_dims, 10) != ROWS[i].role)
            fail_msg("%s", ROWS[i].name);
    }
}

/* Sizes as ggml-common.h lays blocks out, by hand: q4_K 256 x 4 bits + 12 + 2 x 2; q6_K 256 x 6
 * bits + 16 + 2; iq4_xs 256 x 4 bits + 2 + 2 + 4; mxfp4 32 x 4 bits + 1; nvfp4 64 x 4 bits + 4. */
static void blocks_have_the_bytes_of_ggml(void **state)
{
    static const struct {
        const char *name;
        double elements, bytes;
    } ROWS[] = {
        {"q4_K", 256, 128 + 12 + 4}, {"q6_K", 256, 192 + 16 + 2},     {"q8_0", 32, 32 + 2},
        {"q4_0", 32, 16 + 2},        {"q3_K", 256, 64 + 32 + 12 + 2}, {"iq4_xs", 256, 128 + 8},
        {"mxfp4", 32, 16 + 1},       {"nvfp4", 64, 32 + 4},           {"bf16", 1, 2},
        {"q5_K", 256, 160 + 12 + 4}, {"q2_K", 256, 64 + 16 + 4},      {"q1_0", 128, 16 + 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        uint32_t type = 0;
        double elements = 0, bytes = 0;
        while (type < GGUF_TYPES_MAX &&
               (!gguf_type_name(type) || strcmp(gguf_type_name(type), ROWS[i].name) != 0))
            type++;
        assert_true(gguf_type_block(type, &elements, &bytes));
        if (fabs(elements - ROWS[i].elements) > 0 || fabs(bytes - ROWS[i].bytes) > 0)
            fail_msg("%s: %.0f bytes of %.0f", ROWS[i].name, bytes, elements);
    }
    double unused;
    assert_false(gguf_type_block(4, &unused, &unused));
}

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(ARENA_MAX);
    return arena ? 0 : -1;
}

static int free_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_gives_the_bytes_that_engines_print),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(what_is_cut_off_says_what_it_needs),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(impossible_tensors_are_named),
        cmocka_unit_test(values_are_read_by_their_kind),
        cmocka_unit_test(names_tell_the_role),
        cmocka_unit_test(blocks_have_the_bytes_of_ggml),
    };
    return cmocka_run_group_tests(tests, make_arena, free_arena);
}
