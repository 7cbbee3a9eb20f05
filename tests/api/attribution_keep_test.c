/* A profile that is kept: a measurement with its shares, once, and what keeps one from being kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_look.h"
#include "writes_kit.h"

#define DECODE                                                                                     \
    "/v1/attributions?model=qwen3-4b&hardware=h100&engine=sglang&weights=bf16&batch=1&context="    \
    "128&phase=decode&steps=5&source.url=https%3A%2F%2Fexample.org%2Fprofile"

/* A table of a step's kernels, as CSV: 8 + 1 + 1 ms of five steps. */
static const char TABLE[] = "kernel,time,count\nnvjet_tst_64x8_64x16_4x1_v_bz_TNT,8ms,500\n"
                            "flash_fwd_kernel,1ms,180\n"
                            "\"void vllm::rms_norm_kernel<float>(float *)\",1ms,360\n";

static void a_profile_becomes_an_anchor_once(void **state)
{
    struct http_reply reply, again;
    cJSON *tree = world_post(*state, DECODE, "Idempotency-Key: p1", TABLE, 201, &reply);
    const cJSON *shares = member(tree, "shares");

    assert_string_equal(text_of(tree, "kind"), "attribution");
    assert_int_equal(cJSON_GetArraySize(shares), 3);
    assert_string_equal(text_of(cJSON_GetArrayItem(shares, 0), "label"), "dense_gemm");
    assert_true(member(cJSON_GetArrayItem(shares, 0), "share")->valuedouble == 0.8);
    /* 8 ms of five steps */
    assert_true(member(cJSON_GetArrayItem(shares, 0), "ms")->valuedouble == 1.6);
    assert_true(member(member(tree, "conditions"), "depth")->valuedouble == 128);
    cJSON_Delete(world_post(*state, DECODE, "Idempotency-Key: p1", TABLE, 201, &again));
    assert_string_equal(reply_value(&again, "Idempotent-Replayed"), "true");
    reply_done(&again);
    /* the same key for another profile */
    assert_int_equal(
        world_post_status(*state, DECODE, "Idempotency-Key: p1",
                          "kernel,time,count\nnvjet_tst_64x8_64x16_4x1_v_bz_TNT,9ms,500\n"),
        409);
    cJSON_Delete(tree);
    reply_done(&reply);
}

static void what_is_not_known_is_not_kept(void **state)
{
    struct http_reply reply;
    cJSON *tree = world_post(*state, "/v1/attributions?model=qwen3-4b", NULL, TABLE, 422, &reply);
    const cJSON *fault = NULL;
    char pointers[400] = "";
    size_t n = 0;

    cJSON_ArrayForEach(fault, member(tree, "errors"))
    {
        n += (size_t)snprintf(pointers + n, sizeof(pointers) - n, "%s ", text_of(fault, "pointer"));
    }
    assert_string_equal(pointers, "?phase ?batch ?context ?hardware ?engine ?weights ");
    cJSON_Delete(tree);
    reply_done(&reply);
    assert_int_equal(
        world_post_status(*state, DECODE, NULL,
                          "kernel,pct\nno_such_kernel_ever,60%\nflash_fwd_kernel,40%\n"),
        422);
    /* what a terminal would obey */
    cJSON_Delete(world_post(*state, DECODE "&title=%1b%5b2J", NULL, TABLE, 422, &reply));
    assert_non_null(strstr(reply.body, "\"?title\""));
    reply_done(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_becomes_an_anchor_once),
        cmocka_unit_test(what_is_not_known_is_not_kept),
    };
    return cmocka_run_group_tests(tests, world_setup, world_teardown);
}
