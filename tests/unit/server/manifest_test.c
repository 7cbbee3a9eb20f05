/*
 * manifest: the manifests of tests/golden/manifests, each with what it says in comments:
 *
 *   # beside: hardware=l40s          a leaf that is given beside it
 *   # container: decode              the container that is asked for
 *   # expect: /deployment/tp 2       a leaf of the request
 *   # note: container_chosen text    a note, and what its detail holds
 *   # fault: /manifest text          the first fault, and what its detail holds
 *
 * Expected leaves are read off each manifest by hand.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "../files.h"
#include "intake_kit.h"
#include "manifest.h"
#include "yaml_tree.h"

#define FOLDER TESTS_DIR "/golden/manifests"
#define MANIFESTS_MIN 30

/* The text behind "# word: " of the n-th such line, up to its end; NULL when there are fewer. */
static const char *remark(struct arena *arena, const char *text, const char *word, int n)
{
    const char *mark = arena_printf(arena, "# %s: ", word);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, mark, strlen(mark)) == 0 && n-- == 0)
            return arena_copy(arena, line + strlen(mark), strcspn(line + strlen(mark), "\n"));
    }
    return NULL;
}

/* Cuts "head rest" at its first blank; the rest may be empty. */
static const char *cut(struct arena *arena, const char *text, const char **ret_rest)
{
    size_t length = strcspn(text, " ");

    *ret_rest = text + length + (text[length] == ' ');
    return arena_copy(arena, text, length);
}

static void set_beside(const struct intake *intake, const char *text, struct plan_request *request)
{
    for (int i = 0;; i++) {
        const char *leaf = remark(intake->arena, text, "beside", i);
        if (!leaf)
            return;
        size_t name = strcspn(leaf, "=");
        const char *pointer = arena_printf(intake->arena, "/%.*s", (int)name, leaf);
        cJSON *value = cJSON_CreateString(leaf + name + 1);
        assert_true(field_set_by_pointer(intake, request, pointer, value));
        cJSON_Delete(value);
    }
}

static void read_manifest(struct kit *kit, const char *text, struct reading *ret_reading)
{
    const struct intake intake = {kit->catalogue, kit->arena, &ret_reading->faults, ""};

    arena_reset(kit->arena);
    memset(ret_reading, 0, sizeof(*ret_reading));
    faults_init(&ret_reading->faults, kit->arena);
    set_beside(&intake, text, &ret_reading->request);
    const struct manifest_source source = {"/manifest", remark(kit->arena, text, "container", 0)};
    ret_reading->complete =
        manifest_read(&intake, text, strlen(text), &source, &ret_reading->request) &&
        plan_request_resolve(&intake, &ret_reading->request);
}

static bool note_is_there(const struct described *described, const char *id, const char *detail)
{
    for (const struct described_note *note = described->notes; note; note = note->next)
        if (strcmp(note->id, id) == 0 && strstr(note->detail, detail))
            return true;
    return false;
}

static int check_leaf(struct kit *kit, const char *file, const cJSON *shown, const char *expected)
{
    const char *value;
    const char *pointer = cut(kit->arena, expected, &value);
    const cJSON *node = shown;

    for (const char *step = pointer; node && *step;) {
        size_t length = strcspn(step + 1, "/");
        node = cJSON_GetObjectItemCaseSensitive(node, arena_copy(kit->arena, step + 1, length));
        step += length + 1;
    }
    const char *text = yaml_text(kit->arena, node);
    if (text && strcmp(text, value) == 0)
        return 0;
    print_error("%s: %s is %s, not %s\n", file, pointer, text ? text : "absent", value);
    return 1;
}

static int check_manifest(struct kit *kit, const char *file, const char *text)
{
    struct reading reading;
    const char *line, *detail;
    int wrong = 0;

    read_manifest(kit, text, &reading);
    const char *fault = remark(kit->arena, text, "fault", 0);
    const struct fault *first = reading.faults.n ? &reading.faults.items[0] : NULL;
    if (fault) {
        const char *pointer = cut(kit->arena, fault, &detail);
        wrong += !first || strcmp(first->pointer, pointer) != 0 || !strstr(first->detail, detail);
    } else {
        wrong += !reading.complete;
    }
    if (wrong)
        print_error("%s: fault %s: %s\n", file, first ? first->pointer : "none",
                    first ? first->detail : "");
    for (int i = 0; (line = remark(kit->arena, text, "note", i)); i++) {
        const char *id = cut(kit->arena, line, &detail);
        if (!note_is_there(&reading.request.described, id, detail)) {
            print_error("%s: no note %s\n", file, line);
            wrong++;
        }
    }
    if (!reading.complete)
        return wrong;
    cJSON *shown = cJSON_Parse(kit_request_text(kit, &reading));
    for (int i = 0; (line = remark(kit->arena, text, "expect", i)); i++)
        wrong += check_leaf(kit, file, shown, line);
    cJSON_Delete(shown);
    return wrong;
}

static void test_manifests(void **state)
{
    DIR *folder = opendir(FOLDER);
    int n = 0, wrong = 0;

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        assert_true(snprintf(path, sizeof(path), FOLDER "/%s", entry->d_name) < (int)sizeof(path));
        char *text = read_file(path);
        wrong += check_manifest(*state, entry->d_name, text);
        free(text);
        n++;
    }
    closedir(folder);
    assert_true(n >= MANIFESTS_MIN);
    assert_int_equal(wrong, 0);
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
