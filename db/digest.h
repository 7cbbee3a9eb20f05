/*
 * digest.h - SHA-256 of a text, as 64 hexadecimal digits.
 *
 * Purpose: tell a changed migration or record from an unchanged one (FIPS 180-4).
 */
#ifndef REGIME_DIGEST_H
#define REGIME_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_HEX_MAX 65

struct digest {
    uint32_t state[8];
    uint64_t length;
    unsigned char block[64];
};

void digest_init(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t length);

/* Ends the digest and writes it with a NUL behind. */
void digest_hex(struct digest *digest, char ret_hex[DIGEST_HEX_MAX]);

/* All three in one call. */
void digest_text(const char *text, size_t length, char ret_hex[DIGEST_HEX_MAX]);

#endif
