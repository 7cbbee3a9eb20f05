/*
 * Query-key pairs of causal attention: the closed form against a sum over positions.
 *
 * The planner takes positions as continuous: token p meets p earlier ones, so that n tokens make
 * n^2/2 pairs. A sum over the middles of the positions, p + 1/2, is that integral exactly where the
 * reach is linear, and misses it by at most half a token at each corner.
 */
#include "check.h"
#include "sample_rig.h"

/* Keys that the token at `position` attends to, written from the definitions. */
static double keys_at(const struct mixer *mixer, double position)
{
    double window = mixer->window_tokens, ratio, side;
    switch (mixer->kind) {
    case MIXER_WINDOW:
    case MIXER_SWA_LATENT:
        return fmin(position, window);
    case MIXER_CHUNKED:
        return fmod(position, window);
    case MIXER_CSA:
    case MIXER_HCA:
        ratio = mixer->compress_tokens;
        side = fmin(position, window);
        if (mixer->kind == MIXER_CSA)
            return fmin(position / ratio, mixer->topk_tokens) + side;
        return position / ratio + side;
    case MIXER_CROSS:
        return mixer->image_tokens;
    case MIXER_MLA:
        return mixer->topk_tokens > 0 ? fmin(position, mixer->topk_tokens) : position;
    case MIXER_FULL:
    case MIXER_GATED_DELTA:
    case MIXER_KDA:
    case MIXER_LIGHTNING:
    case MIXER_MAMBA1:
    case MIXER_MAMBA2:
    case MIXER_SHORT_CONV:
    case MIXER_KIND_COUNT:
        break;
    }
    return position;
}

static const struct {
    int shape, group;
} MIXERS[] = {
    {SHAPE_MIXTRAL, 0}, {SHAPE_MISTRAL, 0}, {SHAPE_SCOUT, 0}, {SHAPE_GPT_OSS, 0}, {SHAPE_V32, 0},
    {SHAPE_V4, 0},      {SHAPE_V4, 1},      {SHAPE_V4, 2},    {SHAPE_MLLAMA, 1},
};

static const double RANGES[][2] = {
    {0, 1},       {0, 100},      {0, 128},      {0, 4096},      {0, 20000},     {64, 65},
    {100, 2000},  {4000, 4200},  {8000, 8400},  {8192, 16384},  {5000, 30000},  {16000, 16001},
    {2047, 2049}, {2048, 10000}, {1000, 16500}, {40000, 41000}, {16384, 16400}, {0, 32768},
};

static void against_a_sum(void **state)
{
    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(MIXERS); i++)
        for (size_t j = 0; j < ARRAY_LEN(RANGES); j++) {
            const struct mixer *mixer = &rig->groups[MIXERS[i].shape][MIXERS[i].group].mixers[0];
            double sum = 0;
            int from = (int)RANGES[j][0], to = (int)RANGES[j][1];
            for (int position = from; position < to; position++)
                sum += keys_at(mixer, position + 0.5);
            double pairs = mixer_pairs(mixer, RANGES[j][0], RANGES[j][1]);
            if (fabs(pairs - sum) > 1e-9 * sum + 1)
                print_error("%s %g..%g\n", mixer_kind_name(mixer->kind), RANGES[j][0],
                            RANGES[j][1]);
            assert_true(fabs(pairs - sum) <= 1e-9 * sum + 1);
        }
}

/* Trap: causal attention is half of the square, and all of a cached prefix: n c + n^2/2. */
static void full_attention(void **state)
{
    const struct rig *rig = *state;
    const struct mixer *full = &rig->groups[SHAPE_MIXTRAL][0].mixers[0];
    assert_near(mixer_pairs(full, 0, 32768), 32768.0 * 32768 / 2, 0);
    assert_near(mixer_pairs(full, 6144, 8192), 2048.0 * 6144 + 2048.0 * 2048 / 2, 0);
}

/* Pieces of a prompt add up, wherever it is cut: a chunked prefill does the same work. */
static void pieces_add_up(void **state)
{
    static const double CUTS[] = {1, 127, 128, 129, 2048, 4095, 4097, 8192, 9000, 20000};
    const struct rig *rig = *state;
    for (size_t i = 0; i < ARRAY_LEN(MIXERS); i++) {
        const struct mixer *mixer = &rig->groups[MIXERS[i].shape][MIXERS[i].group].mixers[0];
        double whole = mixer_pairs(mixer, 0, 30000);
        for (size_t j = 0; j < ARRAY_LEN(CUTS); j++)
            assert_near(mixer_pairs(mixer, 0, CUTS[j]) + mixer_pairs(mixer, CUTS[j], 30000), whole,
                        1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_sum),
        cmocka_unit_test(full_attention),
        cmocka_unit_test(pieces_add_up),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
