/*
 * gguf_sample.h - GGUF headers made by hand for tests.
 *
 * The large one is Llama-3.1-8B as llama-quantize makes Q4_K_M of it: q4_K throughout, q6_K for the
 * head and, in half of the layers, for the values and the down projection.
 */
#ifndef REGIME_GGUF_SAMPLE_H
#define REGIME_GGUF_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GGUF_SAMPLE_MAX ((size_t)4 << 20)

enum { GGUF_F32 = 0, GGUF_Q4_K = 12, GGUF_Q6_K = 14 };

enum { GGUF_U32 = 4, GGUF_BOOL = 7, GGUF_STRING = 8, GGUF_ARRAY = 9 };

struct gguf_sample {
    unsigned char *bytes; /* free() it */
    size_t length;
    uint64_t data; /* bytes of the tensors so far */
};

static inline void gguf_put(struct gguf_sample *sample, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sample->bytes[sample->length++] = (unsigned char)(value >> 8 * i);
}

static inline void gguf_put_text(struct gguf_sample *sample, const char *text)
{
    size_t length = strlen(text);
    gguf_put(sample, length, 8);
    memcpy(sample->bytes + sample->length, text, length);
    sample->length += length;
}

static inline void gguf_begin(struct gguf_sample *sample, uint64_t tensors, uint64_t values)
{
    sample->bytes = malloc(GGUF_SAMPLE_MAX);
    sample->length = 0;
    sample->data = 0;
    if (!sample->bytes)
        abort();
    memcpy(sample->bytes, "GGUF", 4);
    sample->length = 4;
    gguf_put(sample, 3, 4);
    gguf_put(sample, tensors, 8);
    gguf_put(sample, values, 8);
}

static inline void gguf_put_name(struct gguf_sample *sample, const char *key, const char *text)
{
    gguf_put_text(sample, key);
    gguf_put(sample, GGUF_STRING, 4);
    gguf_put_text(sample, text);
}

static inline void gguf_put_u32(struct gguf_sample *sample, const char *key, uint32_t value)
{
    gguf_put_text(sample, key);
    gguf_put(sample, GGUF_U32, 4);
    gguf_put(sample, value, 4);
}

/* A vocabulary of `n` short words. */
static inline void gguf_put_words(struct gguf_sample *sample, const char *key, uint64_t n)
{
    gguf_put_text(sample, key);
    gguf_put(sample, GGUF_ARRAY, 4);
    gguf_put(sample, GGUF_STRING, 4);
    gguf_put(sample, n, 8);
    for (uint64_t i = 0; i < n; i++)
        gguf_put_text(sample, "token");
}

static inline void gguf_put_tensor(struct gguf_sample *sample, const char *name, uint32_t type,
                                   uint64_t columns, uint64_t rows)
{
    uint64_t elements = columns * rows;
    uint64_t bytes = elements * 4;
    if (type == GGUF_Q4_K)
        bytes = elements / 256 * 144;
    if (type == GGUF_Q6_K)
        bytes = elements / 256 * 210;
    sample->data = (sample->data + 31) / 32 * 32;
    gguf_put_text(sample, name);
    gguf_put(sample, rows > 1 ? 2 : 1, 4);
    gguf_put(sample, columns, 8);
    if (rows > 1)
        gguf_put(sample, rows, 8);
    gguf_put(sample, type, 4);
    gguf_put(sample, sample->data, 8);
    sample->data += bytes;
}

static inline void gguf_put_layer(struct gguf_sample *sample, int layer)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t columns, rows;
    } TENSORS[] = {
        {"attn_norm.weight", GGUF_F32, 4096, 1},       {"attn_q.weight", GGUF_Q4_K, 4096, 4096},
        {"attn_k.weight", GGUF_Q4_K, 4096, 1024},      {"attn_v.weight", GGUF_Q6_K, 4096, 1024},
        {"attn_output.weight", GGUF_Q4_K, 4096, 4096}, {"ffn_norm.weight", GGUF_F32, 4096, 1},
        {"ffn_gate.weight", GGUF_Q4_K, 4096, 14336},   {"ffn_up.weight", GGUF_Q4_K, 4096, 14336},
        {"ffn_down.weight", GGUF_Q6_K, 14336, 4096},
    };

    bool more = layer < 4 || layer >= 28 || (layer - 4) % 3 == 2;
    for (size_t i = 0; i < sizeof(TENSORS) / sizeof(TENSORS[0]); i++) {
        char name[64];
        uint32_t type = TENSORS[i].type == GGUF_Q6_K && !more ? GGUF_Q4_K : TENSORS[i].type;
        snprintf(name, sizeof(name), "blk.%d.%s", layer, TENSORS[i].name);
        gguf_put_tensor(sample, name, type, TENSORS[i].columns, TENSORS[i].rows);
    }
}

/* Llama-3.1-8B in Q4_K_M, with a vocabulary of `words` texts (128,256 in the published file). */
static inline void gguf_llama(struct gguf_sample *sample, uint64_t words)
{
    gguf_begin(sample, 3 + 1 + 32 * 9, 12);
    gguf_put_name(sample, "general.architecture", "llama");
    gguf_put_name(sample, "general.name", "Meta Llama 3.1 8B Instruct");
    gguf_put_u32(sample, "general.file_type", 15);
    gguf_put_u32(sample, "llama.block_count", 32);
    gguf_put_u32(sample, "llama.context_length", 131072);
    gguf_put_u32(sample, "llama.embedding_length", 4096);
    gguf_put_u32(sample, "llama.feed_forward_length", 14336);
    gguf_put_u32(sample, "llama.attention.head_count", 32);
    gguf_put_u32(sample, "llama.attention.head_count_kv", 8);
    gguf_put_u32(sample, "llama.rope.dimension_count", 128);
    gguf_put_words(sample, "tokenizer.ggml.tokens", words);
    gguf_put_name(sample, "tokenizer.chat_template",
                  "{%- for message in messages %}{{ message.role }}: {{ message.content }}"
                  "{%- endfor %} a template is longer than what of a text is kept: it is passed");
    gguf_put_tensor(sample, "rope_freqs.weight", GGUF_F32, 64, 1);
    gguf_put_tensor(sample, "token_embd.weight", GGUF_Q4_K, 4096, 128256);
    for (int i = 0; i < 32; i++)
        gguf_put_layer(sample, i);
    gguf_put_tensor(sample, "output_norm.weight", GGUF_F32, 4096, 1);
    gguf_put_tensor(sample, "output.weight", GGUF_Q6_K, 4096, 128256);
}

#endif
