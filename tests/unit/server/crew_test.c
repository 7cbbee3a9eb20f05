#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "crew.h"

#define BLOCKS 500
#define BROKEN_BLOCK 77

static void *worker_new(void *ctx)
{
    (void)ctx;
    return malloc(1);
}

static bool write_number(void *ctx, void *worker, long block, struct json_out *out)
{
    const long *broken = ctx;
    (void)worker;
    out_number(out, (double)block);
    return block != *broken;
}

static struct crew *crew_of(long *broken, int threads)
{
    struct crew_work work = {NULL, worker_new, free, write_number, BLOCKS};
    work.ctx = broken;
    struct crew *crew = crew_new(&work, threads);
    assert_non_null(crew);
    return crew;
}

/* Whatever the number of threads, block k is the k-th one taken. */
static void blocks_come_in_order(void **state)
{
    (void)state;
    for (int threads = 0; threads < 4; threads++) {
        long broken = -1;
        struct crew *crew = crew_of(&broken, threads);
        size_t length = 0;
        bool is_broken = true;
        for (long i = 0; i < BLOCKS; i++) {
            const char *text = crew_take(crew, &length, &is_broken);
            char number[20];
            assert_non_null(text);
            assert_true(length < sizeof(number));
            memcpy(number, text, length);
            number[length] = '\0';
            assert_int_equal(strtol(number, NULL, 10), i);
        }
        assert_null(crew_take(crew, &length, &is_broken));
        assert_false(is_broken);
        crew_free(crew);
    }
}

static void a_broken_block_is_told_in_its_turn(void **state)
{
    long broken = BROKEN_BLOCK;
    struct crew *crew = crew_of(&broken, 2);
    size_t length = 0;
    bool is_broken = false;

    (void)state;
    for (long i = 0; i < BROKEN_BLOCK; i++)
        assert_non_null(crew_take(crew, &length, &is_broken));
    assert_null(crew_take(crew, &length, &is_broken));
    assert_true(is_broken);
    crew_free(crew);
}

/* A reader that leaves stops the threads. */
static void a_crew_ends_in_the_middle(void **state)
{
    (void)state;
    for (int taken = 0; taken < 20; taken++) {
        long broken = -1;
        struct crew *crew = crew_of(&broken, 3);
        size_t length = 0;
        bool is_broken = false;
        for (int i = 0; i < taken; i++)
            assert_non_null(crew_take(crew, &length, &is_broken));
        crew_free(crew);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_order),
        cmocka_unit_test(a_broken_block_is_told_in_its_turn),
        cmocka_unit_test(a_crew_ends_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
