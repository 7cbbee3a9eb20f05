/* Disputes: beside the record, never in it; a flag ends the use of an anchor as evidence. */
#include "store_dispute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "anchor_index.h"
#include "write_kit.h"

#define DISPUTE(KIND, ID, FIELD, VALUE)                                                            \
    "{\"kind\":\"" KIND "\",\"id\":\"" ID "\",\"field\":\"" FIELD "\",\"value\":" VALUE            \
    ",\"source\":{\"title\":\"the label\",\"url\":\"https://example.org/l\"},\"why\":\"it says "   \
    "so\"}"

static void both_values_and_their_sources_are_kept(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    char text[2000], doc[8000], after[8000];
    bench_text(bench, "SELECT doc FROM records WHERE kind = 'hardware' AND id = 'l40s'", doc);
    bench_write(bench, &(struct write){.kind = "dispute"},
                DISPUTE("hardware", "l40s", "tdp_w", "300"), &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    assert_string_equal(out.kind, "hardware");
    assert_string_equal(out.id, "l40s");
    assert_int_equal(out.revision, 2);
    /* NVIDIA's data sheet of the L40S says 350 W */
    bench_text(bench,
               "SELECT field || '|' || value_a || '|' || value_b || '|' || source_b || '|' || "
               "why FROM disputes WHERE record_id = 'l40s' ORDER BY position DESC LIMIT 1",
               text);
    assert_string_equal(text, "tdp_w|350|300|the label, https://example.org/l|it says so");
    bench_text(bench, "SELECT doc FROM records WHERE kind = 'hardware' AND id = 'l40s'", after);
    assert_string_equal(doc, after);
    assert_int_equal(bench_number(bench, "SELECT tdp_w FROM hardware WHERE id = 'l40s'"), 350);
    assert_int_equal(bench_number(bench, "SELECT count(*) FROM revisions WHERE record_id = 'l40s' "
                                         "AND author = 'tester' AND action = 'edit'"),
                     1);
}

static void a_field_that_is_not_stated_may_be_disputed(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    char text[200];
    bench_write(bench, &(struct write){.kind = "dispute"},
                DISPUTE("hardware", "l40s", "colour", "{\"r\":1}"), &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    bench_text(bench,
               "SELECT value_a || '|' || value_b FROM disputes WHERE record_id = 'l40s' AND field "
               "= 'colour'",
               text);
    assert_string_equal(text, "not stated|{\"r\":1}");
}

static void a_flagged_anchor_is_no_evidence(void **state)
{
    struct bench *bench = *state;
    struct write_outcome out;
    char text[200];
    bench_write(bench, &(struct write){.kind = "anchor"}, ANCHOR("mine", "6", "88.5"), &out);
    assert_int_equal(out.verdict, WRITE_ADDED);
    bench_write(bench, &(struct write){.kind = "dispute"},
                "{\"kind\":\"anchor\",\"id\":\"mine\",\"field\":\"metrics\",\"value\":\"?\","
                "\"source\":{\"title\":\"a second run\"},\"why\":\"not repeatable\",\"flag\":"
                "\"odd\"}",
                &out);
    assert_int_equal(out.verdict, WRITE_CHANGED);
    bench_text(bench,
               "SELECT disputed || '|' || flag || '|' || json_extract(doc, '$.flag') FROM anchors "
               "JOIN records USING (kind, id) WHERE id = 'mine'",
               text);
    assert_string_equal(text, "not repeatable|odd|odd");
    const struct catalogue *catalogue = store_catalogue(bench->store);
    int anchor = anchor_find(&catalogue->anchors, "mine");
    assert_true(anchor >= 0);
    assert_int_equal(catalogue->anchors.doubts[anchor], DOUBT_ODD);
    store_release(bench->store, catalogue);
}

/* What is refused, the verdict, a pointer and a word. */
static const struct {
    const char *record;
    int revision;
    enum write_verdict verdict;
    const char *pointer, *word;
} REFUSED[] = {
    {DISPUTE("hardware", "nix", "tdp_w", "1"), 0, WRITE_MISSING, NULL, NULL},
    {DISPUTE("nix", "l40s", "tdp_w", "1"), 0, WRITE_MISSING, NULL, NULL},
    {DISPUTE("hardware", "l40s", "tdp_w", "1"), 9, WRITE_STALE, NULL, NULL},
    {"{}", 0, WRITE_FAULTY, "/value", "missing"},
    {"{}", 0, WRITE_FAULTY, "/source", "missing"},
    {"{\"kind\":\"hardware\",\"id\":\"l40s\",\"flag\":\"odd\"}", 0, WRITE_FAULTY, "/flag",
     "only an anchor"},
    {"{\"kind\":\"anchor\",\"id\":\"x\",\"flag\":\"strange\"}", 0, WRITE_FAULTY, "/flag",
     "is none of"},
    {"{\"kind\":\"anchor\",\"id\":\"x\",\"source\":{\"titel\":\"t\"}}", 0, WRITE_FAULTY,
     "/source/titel", ""},
};

static void what_is_wrong_is_named(void **state)
{
    struct bench *bench = *state;
    long long before = bench_number(bench, "SELECT count(*) FROM disputes");
    for (size_t i = 0; i < ARRAY_LEN(REFUSED); i++) {
        struct write_outcome out;
        bench_write(bench, &(struct write){.kind = "dispute", .revision = REFUSED[i].revision},
                    REFUSED[i].record, &out);
        if (out.verdict != REFUSED[i].verdict ||
            (REFUSED[i].pointer && !bench_fault(bench, REFUSED[i].pointer, REFUSED[i].word))) {
            fail_msg("%s: verdict %d, %s", REFUSED[i].record, (int)out.verdict, bench->faults);
        }
    }
    assert_true(bench_number(bench, "SELECT count(*) FROM disputes") == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(both_values_and_their_sources_are_kept),
        bench_test(a_field_that_is_not_stated_may_be_disputed),
        bench_test(a_flagged_anchor_is_no_evidence),
        bench_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
