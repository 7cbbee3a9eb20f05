#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "json_read.h"

#define NESTING 8
#define VALUES 100
#define RANDOM_NUMBERS 300000

static int make_arena(void **state)
{
    *state = arena_new(1 << 20);
    return *state ? 0 : -1;
}

static int drop_arena(void **state)
{
    arena_free(*state);
    return 0;
}

/* Reads with this file's limits into an arena that is empty again. */
static struct cJSON *read_text(struct arena *arena, const char *text, size_t length,
                               struct json_fault *fault)
{
    static const struct json_limits LIMITS = {NESTING, VALUES};

    arena_reset(arena);
    return json_read(text, length, LIMITS, arena, fault);
}

/* RFC 8259; most of them are what lenient parsers take. */
static const char *const GOOD[] = {
    "{}",
    "[]",
    "0",
    "-0",
    "1.5e-3",
    "\"x\"",
    "null",
    "true",
    "false",
    " \t\r\n[1 , 2]\n",
    "{\"a\":{\"b\":[1,{\"c\":null}]}}",
    "\"\\u00e9\\n\\\\ \\ud83d\\ude00\"",
    "\"caf\xc3\xa9\"",
    "[[[[[[[[]]]]]]]]",
    "1e308",
    "-1E+308",
    "1e-999",
    "{\"a\":1,\"a\":2}", /* a name twice is for the reader of the tree to refuse */
};

static const struct {
    const char *text;
    size_t offset;
} BAD[] = {
    {"", 0},
    {"   ", 3},
    {"{} x", 3},
    {"{}{}", 2},
    {"truefalse", 4},
    {"[1,]", 3},
    {"[1 2]", 3},
    {"[", 1},
    {"{\"a\"}", 4},
    {"{\"a\":}", 5},
    {"{\"a\":1,}", 7},
    {"{a:1}", 1},
    {"{'a':1}", 1},
    {"[1}", 2},
    {"{\"a\":1]", 6},
    {"]", 0},
    {"01", 1},
    {"1.", 2},
    {".5", 0},
    {"+1", 0},
    {"-", 1},
    {"1e", 2},
    {"0x10", 1},
    {"1-2", 1},
    {"NaN", 0},
    {"Infinity", 0},
    {"1e400", 5},
    {"-1e400", 6},
    {"nul", 0},
    {"\"a", 2},
    {"\"a\tb\"", 2},
    {"\"a\nb\"", 2},
    {"\"\\x\"", 2},
    {"\"\\u12\"", 5},
    {"\"\\u0000\"", 7},
    {"\"\\ud800\"", 7},
    {"\"\\ud800\\n\"", 8},
    {"\"\\udc00\"", 7},
    {"\"\\ud800\\ud800\"", 13},
    {"\"\xff\"", 1},
    {"\"\xc0\xaf\"", 1},
    {"\xef\xbb\xbf{}", 0},
    {"[1] // comment", 4},
    {"[[[[[[[[[]]]]]]]]]", 8},
};

/* The tree is the one that cJSON makes, down to its links. */
static void assert_same_tree(const cJSON *ours, const cJSON *theirs)
{
    const cJSON *last = NULL;

    assert_int_equal(ours->type, theirs->type);
    assert_int_equal(ours->valueint, theirs->valueint);
    assert_memory_equal(&ours->valuedouble, &theirs->valuedouble, sizeof(double));
    assert_true(!ours->string == !theirs->string && !ours->valuestring == !theirs->valuestring);
    if (ours->string)
        assert_string_equal(ours->string, theirs->string);
    if (ours->valuestring)
        assert_string_equal(ours->valuestring, theirs->valuestring);
    const cJSON *a = ours->child, *b = theirs->child;
    for (; a && b; last = a, a = a->next, b = b->next) {
        if (last)
            assert_ptr_equal(a->prev, last);
        assert_same_tree(a, b);
    }
    assert_true(!a && !b);
    if (last)
        assert_ptr_equal(ours->child->prev, last);
}

static void good_json_is_the_tree_that_cjson_makes(void **state)
{
    struct json_fault fault;

    for (size_t i = 0; i < ARRAY_LEN(GOOD); i++) {
        cJSON *ours = read_text(*state, GOOD[i], strlen(GOOD[i]), &fault);
        cJSON *theirs = cJSON_ParseWithOpts(GOOD[i], NULL, 1);
        if (!ours)
            fail_msg("%s: %s at %zu", GOOD[i], fault.what, fault.offset);
        assert_non_null(theirs);
        assert_same_tree(ours, theirs);
        cJSON_Delete(theirs);
    }
}

static void bad_json_is_refused_where_it_is_bad(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
        struct json_fault fault = {0};
        if (read_text(*state, BAD[i].text, strlen(BAD[i].text), &fault))
            fail_msg("\"%s\" passes", BAD[i].text);
        assert_non_null(fault.what);
        assert_false(fault.no_memory);
        if (fault.offset != BAD[i].offset)
            fail_msg("\"%s\": %s at %zu, expected %zu", BAD[i].text, fault.what, fault.offset,
                     BAD[i].offset);
    }
}

static void a_nul_inside_the_text_is_refused(void **state)
{
    struct json_fault fault;

    assert_null(read_text(*state, "{}\0", 3, &fault));
    assert_null(read_text(*state, "\"a\0b\"", 5, &fault));
    assert_null(read_text(*state, "\0{}", 3, &fault));
}

static void lines_and_columns_are_counted(void **state)
{
    static const char TEXT[] = "{\n  \"a\": 1,\n  \"b\" 2\n}";
    struct json_fault fault;

    assert_null(read_text(*state, TEXT, sizeof(TEXT) - 1, &fault));
    assert_int_equal(fault.line, 3);
    assert_int_equal(fault.column, 7);
}

static void values_and_memory_are_bounded(void **state)
{
    struct json_fault fault;
    struct arena *small = arena_new(200);

    /* an array of two is three values */
    assert_non_null(json_read("[1,2]", 5, (struct json_limits){NESTING, 3}, *state, &fault));
    assert_null(json_read("[1,2]", 5, (struct json_limits){NESTING, 2}, *state, &fault));
    assert_string_equal(fault.what, "too many values");
    assert_non_null(small);
    assert_null(read_text(small, "[1,2,3,4,5]", 11, &fault));
    assert_true(fault.no_memory);
    arena_free(small);
}

/* Long numbers: 400 digits are beyond a double, 400 decimals are not, 1001 characters are refused.
 */
static void long_numbers_stay_within_a_double(void **state)
{
    struct json_fault fault;
    char text[1200];

    memset(text, '9', sizeof(text));
    assert_non_null(read_text(*state, text, 300, &fault));
    assert_null(read_text(*state, text, 400, &fault));
    text[1] = '.';
    assert_non_null(read_text(*state, text, 400, &fault));
    assert_null(read_text(*state, text, 1001, &fault));
}

/* Every number is the double that the C library reads, to the last bit. */
static void numbers_are_correctly_rounded(void **state)
{
    struct json_fault fault;
    unsigned seed = 7;

    for (int i = 0; i < RANDOM_NUMBERS; i++) {
        char text[400];
        seed = seed * 1103515245u + 12345u;
        double value = ((double)seed - 2e9) * (double)(1u << (seed >> 8 & 31)) / 65536;
        int length = i % 2 ? snprintf(text, sizeof(text), "%.*g", 1 + i % 17, value)
                           : snprintf(text, sizeof(text), "%.*f", i % 20, value);
        const cJSON *read = read_text(*state, text, (size_t)length, &fault);
        double expected = strtod(text, NULL);
        assert_non_null(read);
        if (memcmp(&read->valuedouble, &expected, sizeof(expected)) != 0)
            fail_msg("%s is read as %.17g", text, read->valuedouble);
    }
}

/* Whatever is cut off or changed in one byte must not read past the end (for the sanitizers). */
static void no_input_reads_past_its_end(void **state)
{
    static const char TEXT[] = "{\"k\":[1.5e3,\"\\ud83d\\ude00\xc3\xa9\",true,null,{}]}";
    struct json_fault fault;

    for (size_t cut = 0; cut < sizeof(TEXT); cut++)
        for (int byte = 0; byte < 256; byte += 5) {
            char *copy = malloc(cut + 1);
            assert_non_null(copy);
            memcpy(copy, TEXT, cut);
            copy[cut] = (char)byte;
            assert_true(read_text(*state, copy, cut + 1, &fault) || fault.offset <= cut + 1);
            free(copy);
        }
}

int main(void)
{
#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, make_arena, drop_arena)
    const struct CMUnitTest tests[] = {
        WITH_ARENA(good_json_is_the_tree_that_cjson_makes),
        WITH_ARENA(bad_json_is_refused_where_it_is_bad),
        WITH_ARENA(a_nul_inside_the_text_is_refused),
        WITH_ARENA(lines_and_columns_are_counted),
        WITH_ARENA(values_and_memory_are_bounded),
        WITH_ARENA(long_numbers_stay_within_a_double),
        WITH_ARENA(numbers_are_correctly_rounded),
        WITH_ARENA(no_input_reads_past_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
