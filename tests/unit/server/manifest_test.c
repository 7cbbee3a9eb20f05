/* manifest: the manifests of tests/golden/manifests, each with what it says in comments
 * (remarks.h). Expected leaves are read off each manifest by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "json_memory.h"
#include "manifest.h"
#include "remarks.h"

#define MANIFESTS_MIN 30

static void read_manifest(struct kit *kit, const char *text, struct reading *ret_reading)
{
    const struct intake intake = {kit->catalogue, kit->arena, &ret_reading->faults, ""};

    arena_reset(kit->arena);
    memset(ret_reading, 0, sizeof(*ret_reading));
    faults_init(&ret_reading->faults, kit->arena);
    remark_set_beside(&intake, text, &ret_reading->request);
    const struct manifest_source source = {"/manifest", remark(kit->arena, text, "container", 0),
                                           "/container", NULL};
    json_memory_enter(kit->arena);
    ret_reading->complete =
        manifest_read(&intake, text, strlen(text), &source, &ret_reading->request) &&
        plan_request_resolve(&intake, &ret_reading->request);
    json_memory_leave();
}

static void test_manifests(void **state)
{
    json_memory_install();
    int n = remark_check_folder(*state, TESTS_DIR "/golden/manifests", read_manifest);

    assert_true(n >= MANIFESTS_MIN);
}

static const struct {
    const char *text;
    bool manifest;
} LOOKS[] = {
    {"apiVersion: v1\nkind: Pod\n", true},
    {"# Source: x\n---\nkind: Deployment\n", true},
    {"{\"apiVersion\": \"v1\"}", true},
    {"{\n  \"kind\": \"List\"\n}", true},
    {"version: '3'\nservices:\n  a: {}\n", true},
    {"- apiVersion: v1\n", true},
    {"vllm serve x --kind: y", false},
    {"INFO 01-01 kind: Pod", false},
    {"docker run x\n  kind: Pod\n", false},
    {"", false},
};

static void test_looks(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(LOOKS); i++)
        if (manifest_looks_like(LOOKS[i].text) != LOOKS[i].manifest)
            fail_msg("\"%s\"", LOOKS[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manifests),
        cmocka_unit_test(test_looks),
    };

    return cmocka_run_group_tests(tests, kit_setup, kit_teardown);
}
