/*
 * profile_fuzz - a profile out of any bytes, plain or gzip.
 *
 * The first byte is the size of the pieces. Properties: no crash, bounded memory, one error or
 * shares between 0 and 1 that add up to 1, and in pieces the same as whole.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "attribution.h"
#include "profile_stream.h"

#define ARENA_MAX ((size_t)32 << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
static struct arena *arenas[2];

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    arenas[0] = arena_new(ARENA_MAX);
    arenas[1] = arena_new(ARENA_MAX);
    require(arenas[0] && arenas[1]);
    return 0;
}

static struct profile *read_pieces(struct arena *arena, const uint8_t *data, size_t size,
                                   size_t step)
{
    arena_reset(arena);
    struct profile_stream *stream = profile_stream_open(arena);
    require(stream != NULL);
    for (size_t at = 0; at < size; at += step)
        profile_stream_feed(stream, (const char *)data + at, size - at < step ? size - at : step);
    return profile_stream_close(stream);
}

static void check(struct arena *arena, struct profile *profile)
{
    const struct attribution_asked asked = {RUN_UNKNOWN, NAN, NAN, NAN};
    const struct attribution *attribution = attribution_new(arena, profile, &asked);
    double sum = 0;

    require(attribution != NULL);
    for (int i = 0; i < attribution->n_shares; i++) {
        require(attribution->shares[i].share >= 0 && attribution->shares[i].share <= 1 + 1e-9);
        sum += attribution->shares[i].share;
    }
    sum += attribution->unclassified_share;
    require(attribution->n_names == 0 || fabs(sum - 1) < 1e-6);
    require(isnan(attribution->busy_us) || attribution->busy_us <= attribution->span_us + 1e-3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return -1;
    struct profile *whole = read_pieces(arenas[0], data + 1, size - 1, size);
    struct profile *parts = read_pieces(arenas[1], data + 1, size - 1, (size_t)data[0] + 1);
    require((whole->error == NULL) == (parts->error == NULL));
    if (whole->error) {
        require(whole->error[0] != '\0' && strcmp(whole->error, parts->error) == 0);
        return 0;
    }
    require(whole->n_names == parts->n_names && whole->n_spans == parts->n_spans);
    check(arenas[0], whole);
    return 0;
}
