#include "kept_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena *arena;

/* What is kept under a key, "" for nothing. */
static const char *kept_text(struct kept_texts *kept, const char *revision, const char *key)
{
    struct json_out out;
    arena_reset(arena);
    json_out_init(&out, arena, 64, 4096);
    bool found = kept_texts_write(kept, revision, key, &out);
    assert_int_equal(found, out.length > 0);
    out_bytes(&out, "", 1);
    return out.text;
}

static void a_text_is_kept_for_its_revision(void **state)
{
    struct kept_texts *kept = kept_texts_new();
    (void)state;
    assert_string_equal(kept_text(kept, "r1", "b"), "");
    kept_texts_put(kept, "r1", "b", ",\"x\":1 and more", 6);
    kept_texts_put(kept, "r1", "c", ",3", 2);
    kept_texts_put(kept, "r1", "a", ",2", 2);
    assert_string_equal(kept_text(kept, "r1", "b"), ",\"x\":1");
    assert_string_equal(kept_text(kept, "r1", "a"), ",2");
    assert_string_equal(kept_text(kept, "r1", "c"), ",3");
    assert_string_equal(kept_text(kept, "r1", "d"), "");
    assert_string_equal(kept_text(kept, "r2", "b"), "");
    kept_texts_put(kept, "r1", "b", ",9", 2); /* the first one stays */
    assert_string_equal(kept_text(kept, "r1", "b"), ",\"x\":1");
    kept_texts_put(kept, "r2", "b", ",5", 2);
    assert_string_equal(kept_text(kept, "r2", "b"), ",5");
    assert_string_equal(kept_text(kept, "r1", "a"), "");
    assert_string_equal(kept_text(kept, "r2", "a"), "");
    kept_texts_free(kept);
}

static void only_so_many_are_kept(void **state)
{
    struct kept_texts *kept = kept_texts_new();
    char key[16];
    (void)state;
    for (int i = 0; i <= KEPT_TEXTS_MAX; i++) {
        (void)snprintf(key, sizeof(key), "k%d", i);
        kept_texts_put(kept, "r", key, ",", 1);
    }
    assert_string_equal(kept_text(kept, "r", "k0"), ",");
    assert_string_equal(kept_text(kept, "r", key), "");
    kept_texts_free(kept);
}

static void without_a_store_of_texts_nothing_is_kept(void **state)
{
    (void)state;
    kept_texts_put(NULL, "r", "k", ",", 1);
    assert_string_equal(kept_text(NULL, "r", "k"), "");
    kept_texts_free(NULL);
}

static int setup(void **state)
{
    (void)state;
    arena = arena_new(1 << 16);
    return arena ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_kept_for_its_revision),
        cmocka_unit_test(only_so_many_are_kept),
        cmocka_unit_test(without_a_store_of_texts_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
