/* yaml_tree: YAML 1.2 core schema (yaml.org/spec/1.2.2 chapters 2 and 10), YAML 1.1 merge keys
 * (yaml.org/type/merge.html), and what a hostile stream gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "compiler.h"
#include "yaml_tree.h"

#define ARENA_MAX ((size_t)32 << 20)

static int setup(void **state)
{
    *state = arena_new(ARENA_MAX);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    arena_free(*state);
    return 0;
}

static cJSON *read_text(struct arena *arena, const char *text, struct yaml_fault *ret_fault)
{
    *ret_fault = (struct yaml_fault){0};
    return yaml_tree_read(arena, text, strlen(text), ret_fault);
}

/* The stream, and the same as JSON worked out by hand from the specification. */
static const struct {
    const char *yaml, *json;
} READ[] = {
    {"", "[]"},
    {"# only a comment\n", "[]"},
    {"a: 1\nb: [x, 'y', \"z\"]\n", "[{\"a\":1,\"b\":[\"x\",\"y\",\"z\"]}]"},
    {"a: 1\n---\nb: 2\n---\n", "[{\"a\":1},{\"b\":2},null]"},
    {"a: '1'\nb: \"true\"\nc: yes\nd: ~\ne:\nf: False\n",
     "[{\"a\":\"1\",\"b\":\"true\",\"c\":\"yes\",\"d\":null,\"e\":null,\"f\":false}]"},
    {"a: 1.50\nb: -2e3\nc: v1.2\nd: 1.2.3\ne: 0x10\n",
     "[{\"a\":1.5,\"b\":-2000,\"c\":\"v1.2\",\"d\":\"1.2.3\",\"e\":\"0x10\"}]"},
    {"a: |\n  one\n  two\nb: >-\n  three\n  four\n",
     "[{\"a\":\"one\\ntwo\\n\",\"b\":\"three four\"}]"},
    {"a: &x {k: 1}\nb: *x\n", "[{\"a\":{\"k\":1},\"b\":{\"k\":1}}]"},
    {"base: &b {k: 1, l: 2}\nc:\n  <<: *b\n  k: 3\n",
     "[{\"base\":{\"k\":1,\"l\":2},\"c\":{\"k\":3,\"l\":2}}]"},
    {"p: &p {a: 1}\nq: &q {a: 2, b: 2}\nr: {<<: [*p, *q]}\n",
     "[{\"p\":{\"a\":1},\"q\":{\"a\":2,\"b\":2},\"r\":{\"a\":1,\"b\":2}}]"},
    {"a: !!str 5\nb: !custom text\nc: !!int '7'\nd: !tag [1]\n",
     "[{\"a\":\"5\",\"b\":\"text\",\"c\":7,\"d\":[1]}]"},
    {"{\"json\": [1, true, null, \"x\\u00e4\"]}", "[{\"json\":[1,true,null,\"x\xc3\xa4\"]}]"},
    {"a: &x 1\na2: &x 2\nb: *x\n", "[{\"a\":1,\"a2\":2,\"b\":2}]"},
};

static void test_read(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(READ); i++) {
        struct yaml_fault fault;
        cJSON *tree = read_text(*state, READ[i].yaml, &fault);
        cJSON *expected = cJSON_Parse(READ[i].json);
        assert_non_null(expected);
        if (!tree)
            fail_msg("%s: %s at %zu:%zu", READ[i].yaml, fault.what, fault.line, fault.column);
        if (!cJSON_Compare(tree, expected, 1))
            fail_msg("%s gives %s", READ[i].yaml, cJSON_PrintUnformatted(tree));
        cJSON_Delete(expected);
        cJSON_Delete(tree);
    }
}

/* The stream, what its fault says, and where. */
static const struct {
    const char *yaml, *says;
    size_t line, column;
} REFUSED[] = {
    {"a: b\n c: d\n", "mapping values are not allowed", 2, 3},
    {"a:\n\t- b\n", "cannot start any token", 2, 1},
    {"a: 1\nb: 2\na: 3\n", "\"a\" is there twice", 3, 1},
    {"a: *gone\n", "an alias without its anchor", 1, 4},
    {"a: &x [*x]\n", "an alias inside what it names", 1, 8},
    {"? [a]\n: b\n", "a key that is no plain text", 1, 3},
    {"a: \"\\0\"\n", "a NUL in a text", 1, 4},
    {"a: \x01\n", "control characters", 1, 4},
    {"a: 1\nb: \xff\n", "not UTF-8", 2, 4},
    {"{{- if .Values.x }}\na: 1\n{{- end }}\n", "helm template", 1, 2},
    {"a: {<<: 5}\n", "takes mappings", 1, 10},
    {"a: [1, 2\n", "did not find expected ',' or ']'", 2, 1},
};

static void test_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(REFUSED); i++) {
        struct yaml_fault fault;
        cJSON *tree = read_text(*state, REFUSED[i].yaml, &fault);
        if (tree)
            fail_msg("%s is read", REFUSED[i].yaml);
        if (!strstr(fault.what, REFUSED[i].says) || fault.line != REFUSED[i].line ||
            fault.column != REFUSED[i].column)
            fail_msg("%s: %s at %zu:%zu", REFUSED[i].yaml, fault.what, fault.line, fault.column);
    }
}

/* A million bytes of one pattern: refused or read, and at once. */
static void test_long_patterns(void **state)
{
    static const char *const PATTERNS[] = {
        "[",   "- ",   "? ",    "{a: ", "a",          "- a\n",  "[a,",     "a: ",  "\"",
        "&a ", "#",    "---\n", "'\n",  "%TAG ! x\n", "!a ",    "{",       "a,",   "%A\n",
        "[\n", "- - ", "x: [",  "\n",   "- &a x\n",   "- *a\n", "&a [*a,", "\xc3", "a:\n b\n",
    };

    enum { SIZE = 1 << 20 };

    char *text = malloc(SIZE + 1);

    assert_non_null(text);
    for (size_t i = 0; i < ARRAY_LEN(PATTERNS); i++) {
        struct yaml_fault fault = {0};
        size_t length = strlen(PATTERNS[i]), used = 0;
        for (; used + length <= SIZE; used += length)
            memcpy(text + used, PATTERNS[i], length);
        text[used] = '\0';
        arena_reset(*state);

        cJSON *tree = yaml_tree_read(*state, text, used, &fault);
        assert_true(tree || (fault.what && fault.line > 0 && fault.column > 0));
        cJSON_Delete(tree);
    }
    free(text);
}

/* "Billion laughs": nine levels of nine aliases each would be 9^9 nodes. */
static void test_alias_bomb(void **state)
{
    struct yaml_fault fault;
    char text[2048] = "a0: &a0 lol\n";
    size_t used = strlen(text);

    for (int i = 1; i < 10; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "a%d: &a%d [", i, i);
        for (int j = 0; j < 9; j++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "*a%d,", i - 1);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "]\n");
    }
    assert_null(read_text(*state, text, &fault));
    assert_non_null(strstr(fault.what, "aliases counted"));
}

/* One long text copied again and again. */
static void test_alias_text(void **state)
{
    struct yaml_fault fault;
    size_t size = 100000 + 6 * 1000;
    char *text = malloc(size);

    assert_non_null(text);
    memset(text, 'x', size);
    memcpy(text, "- &a ", 5);
    for (size_t at = 100000; at < size; at += 6)
        memcpy(text + at, "\n- *a ", 6);
    text[size - 1] = '\0';
    assert_null(yaml_tree_read(*state, text, size - 1, &fault));
    assert_non_null(strstr(fault.what, "more text"));
    free(text);
}

static void test_depth(void **state)
{
    struct yaml_fault fault;
    char text[2 * YAML_DEPTH_MAX + 3] = "";

    memset(text, '[', YAML_DEPTH_MAX);
    memset(text + YAML_DEPTH_MAX, ']', YAML_DEPTH_MAX);
    cJSON *tree = read_text(*state, text, &fault);
    assert_non_null(tree);
    cJSON_Delete(tree);
    memset(text, '[', YAML_DEPTH_MAX + 1);
    memset(text + YAML_DEPTH_MAX + 1, ']', YAML_DEPTH_MAX + 1);
    assert_null(read_text(*state, text, &fault));
    assert_string_equal(fault.what, "nests too deeply");
}

static void test_text(void **state)
{
    struct yaml_fault fault;
    cJSON *tree = read_text(*state, "[0.10, true, null, word, [], 8192]", &fault);
    cJSON *json = cJSON_Parse("[8192, 0.5, false]");
    static const char *const EXPECTED[] = {"0.10", "true", "", "word", NULL, "8192"};
    static const char *const OF_JSON[] = {"8192", "0.5", "false"};

    for (int i = 0; i < (int)ARRAY_LEN(EXPECTED); i++) {
        const char *text = yaml_text(*state, cJSON_GetArrayItem(tree->child, i));
        assert_true(text ? strcmp(text, EXPECTED[i]) == 0 : !EXPECTED[i]);
    }
    for (int i = 0; i < (int)ARRAY_LEN(OF_JSON); i++)
        assert_string_equal(yaml_text(*state, cJSON_GetArrayItem(json, i)), OF_JSON[i]);
    assert_null(yaml_text(*state, NULL));
    cJSON_Delete(json);
    cJSON_Delete(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_long_patterns),
        cmocka_unit_test(test_alias_bomb), cmocka_unit_test(test_alias_text),
        cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
