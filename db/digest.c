#include "digest.h"

#include <string.h>

#define ROUNDS 64
#define BLOCK_BYTES 64
#define LENGTH_AT 56

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
    return (x >> by) | (x << (32 - by));
}

static void schedule_fill(const unsigned char *block, uint32_t w[ROUNDS])
{
    for (size_t i = 0; i < 16; i++) {
        const unsigned char *b = block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
    }
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void digest_block(struct digest *digest, const unsigned char *block)
{
    uint32_t w[ROUNDS];
    uint32_t v[8];
    schedule_fill(block, w);
    memcpy(v, digest->state, sizeof(v));
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + K[i] + w[i];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) {
        digest->state[i] += v[i];
    }
}

void digest_init(struct digest *digest)
{
    static const uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(digest->state, START, sizeof(START));
    digest->length = 0;
}

void digest_add(struct digest *digest, const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    while (length > 0) {
        size_t at = (size_t)(digest->length % BLOCK_BYTES);
        size_t take = length < BLOCK_BYTES - at ? length : BLOCK_BYTES - at;
        memcpy(digest->block + at, from, take);
        digest->length += take;
        from += take;
        length -= take;
        if (at + take == BLOCK_BYTES) {
            digest_block(digest, digest->block);
        }
    }
}

static void digest_pad(struct digest *digest)
{
    static const unsigned char PAD[BLOCK_BYTES] = {0x80};
    uint64_t bits = digest->length * 8;
    size_t at = (size_t)(digest->length % BLOCK_BYTES);
    digest_add(digest, PAD, at < LENGTH_AT ? LENGTH_AT - at : BLOCK_BYTES + LENGTH_AT - at);
    unsigned char tail[8];
    for (int i = 0; i < 8; i++) {
        tail[i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    digest_add(digest, tail, sizeof(tail));
}

void digest_hex(struct digest *digest, char ret_hex[DIGEST_HEX_MAX])
{
    static const char HEX[] = "0123456789abcdef";
    digest_pad(digest);
    for (int i = 0; i < 64; i++) {
        ret_hex[i] = HEX[(digest->state[i / 8] >> (28 - 4 * (i % 8))) & 0xf];
    }
    ret_hex[64] = '\0';
}

void digest_text(const char *text, size_t length, char ret_hex[DIGEST_HEX_MAX])
{
    struct digest digest;
    digest_init(&digest);
    digest_add(&digest, text, length);
    digest_hex(&digest, ret_hex);
}
