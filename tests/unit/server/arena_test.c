#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"

static void memory_is_zeroed_and_aligned_again_after_a_reset(void **state)
{
    struct arena *arena = arena_new(1 << 20);

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t size = 1; size < 300; size += 7) {
            unsigned char *memory = arena_alloc(arena, size);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 16, 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[i], 0);
            memset(memory, 0xa5, size);
        }
        arena_reset(arena);
    }
    arena_free(arena);
}

static void the_maximum_holds_over_chunks(void **state)
{
    struct arena *arena = arena_new(300 * 1000);
    size_t got = 0;

    (void)state;
    assert_null(arena_alloc(arena, 300 * 1000 + 1));
    assert_null(arena_alloc(arena, SIZE_MAX));
    assert_null(arena_copy(arena, "", SIZE_MAX));
    while (arena_alloc(arena, 1000))
        got += 1000;
    assert_in_range(got, 290 * 1000, 300 * 1000);
    arena_reset(arena);
    assert_non_null(arena_alloc(arena, 200 * 1000));
    arena_free(arena);
}

static void a_small_maximum_is_reached_exactly(void **state)
{
    struct arena *arena = arena_new(64);

    (void)state;
    assert_non_null(arena_alloc(arena, 64));
    assert_null(arena_alloc(arena, 1));
    arena_free(arena);
    arena_free(NULL);
}

static void only_the_newest_allocation_grows_in_place(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    char *older = arena_alloc(arena, 10);
    char *newest = arena_alloc(arena, 10);

    (void)state;
    assert_false(arena_extend(arena, older, 10, 20));
    assert_true(arena_extend(arena, newest, 10, 5000));
    memset(newest, 'x', 5000);
    char *next = arena_alloc(arena, 1);
    assert_true(next >= newest + 5000);
    assert_false(arena_extend(arena, newest, 5000, 6000));
    assert_false(arena_extend(arena, next, 1, 1 << 19));
    assert_false(arena_extend(arena, next, 1, SIZE_MAX));
    arena_free(arena);
}

static void the_newest_allocation_can_be_taken_back(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    char *kept = arena_alloc(arena, 10);
    char *gone = arena_alloc(arena, 10);

    (void)state;
    arena_release(arena, kept);
    arena_release(arena, gone);
    arena_release(arena, gone);
    arena_release(arena, NULL);
    assert_ptr_equal(arena_alloc(arena, 10), gone);
    arena_free(arena);
}

static void an_arena_knows_its_memory(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    char *small = arena_alloc(arena, 10), *large = arena_alloc(arena, 500000);
    char outside;

    (void)state;
    assert_true(arena_owns(arena, small));
    assert_true(arena_owns(arena, large + 499999));
    assert_false(arena_owns(arena, &outside));
    assert_false(arena_owns(arena, NULL));
    arena_free(arena);
}

static void text_is_copied_and_printed(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    char long_text[1000];

    (void)state;
    assert_string_equal(arena_copy(arena, "abcdef", 3), "abc");
    assert_string_equal(arena_copy(arena, NULL, 0), "");
    assert_string_equal(arena_printf(arena, "%s-%d", "tp", 4), "tp-4");
    memset(long_text, 'y', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    assert_string_equal(arena_printf(arena, "%s", long_text), long_text);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned_again_after_a_reset),
        cmocka_unit_test(the_maximum_holds_over_chunks),
        cmocka_unit_test(a_small_maximum_is_reached_exactly),
        cmocka_unit_test(only_the_newest_allocation_grows_in_place),
        cmocka_unit_test(the_newest_allocation_can_be_taken_back),
        cmocka_unit_test(an_arena_knows_its_memory),
        cmocka_unit_test(text_is_copied_and_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
