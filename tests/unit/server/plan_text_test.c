#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "golden.h"
#include "plan_sample.h"
#include "plan_text.h"
#include "text_layout.h"

static void write_report(struct arena *arena, const struct sample *sample, bool ascii,
                         struct json_out *ret_out)
{
    json_out_init(ret_out, arena, 8192, 1 << 20);
    plan_text_write(ret_out, &sample->request, &sample->plan, NULL, ascii);
    assert_true(json_out_ok(ret_out));
}

static void the_report_reads_as_reviewed(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;
    struct json_out out;

    (void)state;
    sample_fill(&sample);
    write_report(arena, &sample, false, &out);
    assert_golden("plans/report.txt", out.text, out.length);
    write_report(arena, &sample, true, &out);
    assert_golden("plans/report_ascii.txt", out.text, out.length);
    for (size_t i = 0; i < out.length; i++)
        assert_in_range((unsigned char)out.text[i], '\n', '~');
    arena_free(arena);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;
    struct json_out out;
    char copy[TEXT_COLUMNS * 4 + 1];

    (void)state;
    sample_fill(&sample);
    /* the widest that can come: every class, sums of any size */
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct class_cost *cost = &sample.plan.decode.classes[i];
        *cost = (struct class_cost){.present = true,
                                    .bytes = 999.4e9,
                                    .flops = 999.4e12,
                                    .floor_us = 999400,
                                    .time_us = 999400,
                                    .share = 1.0 / CLASS_COUNT,
                                    .basis = BASIS_CALIBRATED};
    }
    write_report(arena, &sample, false, &out);
    for (const char *line = out.text; line < out.text + out.length;) {
        size_t length = strcspn(line, "\n");
        assert_true(length < sizeof(copy));
        memcpy(copy, line, length);
        copy[length] = '\0';
        if (text_columns(copy) > TEXT_COLUMNS)
            fail_msg("%d columns: %s", text_columns(copy), copy);
        line += length + 1;
    }
    arena_free(arena);
}

/* What does not fit says what would. */
static void what_makes_memory_fit(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;
    struct json_out out;

    (void)state;
    sample_fill(&sample);
    sample.plan.memory.fits = false;
    sample.plan.memory.verdict = MEMORY_DOES_NOT_FIT;
    sample.plan.memory.short_by_bytes = 68e9;
    sample.plan.n_memory_changes = 2;
    sample.plan.memory_changes[0] =
        (struct memory_change){.why = "Fewer bits.",
                               .changes = {{.pointer = "/deployment/weights", .text = "awq"},
                                           {.pointer = "/deployment/cuda_graphs", .is_bool = true}},
                               .n_changes = 2,
                               .verdict = MEMORY_FITS,
                               .kv_token_capacity = 106736};
    sample.plan.memory_changes[1] =
        (struct memory_change){.why = "More devices.",
                               .changes = {{.pointer = "/deployment/tp", .number = 2}},
                               .n_changes = 1,
                               .verdict = MEMORY_MAY_FIT,
                               .kv_token_capacity = 9000};
    write_report(arena, &sample, false, &out);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "short by 68 GB; the smallest changes that make it fit:"));
    assert_non_null(strstr(
        out.text, "  > weights awq, cuda_graphs false: fits, 106,736 KV tokens. Fewer bits."));
    assert_non_null(strstr(out.text, "  > tp 2: may fit, 9,000 KV tokens. More devices."));
    sample.plan.n_memory_changes = 0;
    sample.plan.memory.verdict = MEMORY_MAY_FIT;
    write_report(arena, &sample, false, &out);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "MAY NOT FIT"));
    assert_non_null(strstr(out.text, "short by 68 GB; no one or two flags make it fit"));

    sample_fill(&sample);
    sample.plan.memory.verdict = MEMORY_MAY_FIT;
    sample.plan.n_memory_changes = 1;
    sample.plan.memory_changes[0] = (struct memory_change){
        .why = "Other.",
        .changes = {{.pointer = "/deployment/text_only", .is_bool = true, .number = 1}},
        .n_changes = 1,
        .verdict = MEMORY_FITS};
    write_report(arena, &sample, false, &out);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "fits, but not over its range"));
    assert_non_null(strstr(out.text, "text_only true: fits"));
    arena_free(arena);
}

/* What does not fit, what has no record, and a plan of nothing at all must read as well. */
static void odd_plans_are_written_whole(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;
    struct json_out out;

    (void)state;
    sample_fill(&sample);
    sample.plan.memory.fits = false;
    sample.plan.regime = REGIME_CAPACITY;
    sample.plan.memory.kv_bytes = -5e9;
    sample.plan.memory.weights_bytes = 141e9;
    write_report(arena, &sample, false, &out);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "the model does not fit"));
    assert_non_null(strstr(out.text, "DOES NOT FIT"));

    sample_fill(&sample);
    memset(&sample.plan.decode, 0, sizeof(sample.plan.decode));
    memset(&sample.plan.memory, 0, sizeof(sample.plan.memory));
    sample.plan.n_moves = sample.plan.n_results = sample.plan.n_warnings = 0;
    write_report(arena, &sample, false, &out);
    out_bytes(&out, "", 1);
    assert_non_null(strstr(out.text, "nowhere within 1/64 to 64 times"));
    assert_non_null(strstr(out.text, "no ridge: the part states no peak"));
    arena_free(arena);
}

/* Names that came with a request, as hostile as they come. */
static void a_report_commands_no_terminal(void **state)
{
    struct arena *arena = arena_new(4 << 20);
    static struct sample sample;
    struct json_out out;

    (void)state;
    sample_fill(&sample);
    sample.model.id = "m\x1b]0;owned\x07\x7f";
    /* "tfel" turned round by U+202E, whose bytes no literal of ours may hold */
    static char id[64];
    static const char TURN[] = {'\xe2', '\x80', '\xae', '\0'};
    int length = snprintf(id, sizeof(id), "h\r\nMEMORY of one device: forged%stfel\u2028", TURN);
    assert_true(length > 0 && length < (int)sizeof(id));
    sample.hw.id = id;
    sample.request.engine_version = "1.0\xc2\x9b"
                                    "31m\xff\u00e9";
    for (int ascii = 0; ascii < 2; ascii++) {
        write_report(arena, &sample, ascii, &out);
        out_bytes(&out, "", 1);
        for (const char *at = out.text; *at; at++)
            assert_true(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 0x7f));
        assert_non_null(strstr(out.text, "m?]0;owned?? on"));
        assert_non_null(strstr(out.text, "h MEMORY of one device: forged?tfel?"));
        assert_non_null(strstr(out.text, ascii ? "1.0?31m??" : "1.0?31m?\u00e9"));
        assert_null(strstr(out.text, "\nMEMORY of one device: forged"));
        assert_null(strstr(out.text, TURN));
        assert_null(strstr(out.text, "\xc2\x9b"));
    }
    arena_free(arena);
}

static void paragraphs_break_at_blanks(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct json_out out;
    char text[240];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[60] = text[110] = ' ';
    text[239] = '\0';
    json_out_init(&out, arena, 1024, 1 << 16);
    text_wrap(&out, text, 0, 2);
    /* 60, then 49 behind an indent of 2, then a word of 128 that nothing can break */
    assert_int_equal(strcspn(out.text, "\n"), 60);
    assert_memory_equal(out.text + 61, "  x", 3);
    assert_int_equal(out.length, 60 + 1 + 2 + 49 + 1 + 2 + 128 + 1);
    arena_free(arena);
}

struct bar_row {
    double share;
    bool ascii;
    const char *bar;
};

/* eight columns; an eighth of one is the smallest step */
static const struct bar_row BARS[] = {
    {0, true, "........"},
    {0.5, true, "####...."},
    {1, true, "########"},
    {7, true, "########"},
    {-1, true, "........"},
    {1.0 / 64, false, "\u258f       "},
    {0.5, false, "\u2588\u2588\u2588\u2588    "},
};

static void bars_are_as_long_as_their_share(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct json_out out;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(BARS); i++) {
        json_out_init(&out, arena, 256, 4096);
        text_bar(&out, BARS[i].share, 8, BARS[i].ascii);
        out_bytes(&out, "", 1);
        assert_string_equal(out.text, BARS[i].bar);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_reads_as_reviewed),
        cmocka_unit_test(no_line_is_wider_than_the_terminal),
        cmocka_unit_test(what_makes_memory_fit),
        cmocka_unit_test(odd_plans_are_written_whole),
        cmocka_unit_test(a_report_commands_no_terminal),
        cmocka_unit_test(paragraphs_break_at_blanks),
        cmocka_unit_test(bars_are_as_long_as_their_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
