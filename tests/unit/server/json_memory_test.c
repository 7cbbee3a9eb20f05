#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "json_memory.h"

static const char TEXT[] = "{\"a\":[1,2.5,\"text\",{\"b\":null}],\"c\":true}";

static void trees_live_in_the_arena_of_the_moment(void **state)
{
    struct arena *arena = arena_new(1 << 16);

    (void)state;
    json_memory_install();
    cJSON *outside = cJSON_Parse(TEXT);
    assert_non_null(outside);
    json_memory_enter(arena);
    cJSON *inside = cJSON_Parse(TEXT);
    assert_non_null(inside);
    assert_true(arena_owns(arena, inside));
    assert_true(arena_owns(arena, inside->child));
    assert_false(arena_owns(arena, outside));
    /* both may be deleted here: one goes back to malloc, the other stays until the reset */
    cJSON_Delete(outside);
    char *printed = cJSON_PrintUnformatted(inside);
    assert_string_equal(printed, TEXT);
    cJSON_free(printed);
    cJSON_Delete(inside);
    json_memory_leave();
    cJSON *after = cJSON_Parse(TEXT);
    assert_false(arena_owns(arena, after));
    cJSON_Delete(after);
    arena_free(arena);
}

static void a_full_arena_fails_the_parse(void **state)
{
    struct arena *arena = arena_new(300);

    (void)state;
    json_memory_install();
    json_memory_enter(arena);
    assert_null(cJSON_Parse(TEXT));
    json_memory_leave();
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_live_in_the_arena_of_the_moment),
        cmocka_unit_test(a_full_arena_fails_the_parse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
