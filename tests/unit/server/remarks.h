/*
 * remarks.h - files of texts that say in comments what is read from them; include after cmocka.h.
 *
 *   # beside: hardware=l40s          a leaf that is given beside it
 *   # container: decode              the container that is asked for
 *   # expect: /deployment/tp 2       a leaf of the request
 *   # note: container_chosen text    a note, and what its detail holds
 *   # fault: /manifest text          the first fault, and what its detail holds
 */
#ifndef REGIME_REMARKS_H
#define REGIME_REMARKS_H

#include <dirent.h>
#include <string.h>

#include "../files.h"
#include "intake_kit.h"
#include "yaml_tree.h"

/* The text behind "# word: " of the n-th such line, up to its end; NULL when there are fewer. */
static inline const char *remark(struct arena *arena, const char *text, const char *word, int n)
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
static inline const char *remark_cut(struct arena *arena, const char *text, const char **ret_rest)
{
    size_t length = strcspn(text, " ");

    *ret_rest = text + length + (text[length] == ' ');
    return arena_copy(arena, text, length);
}

static inline void remark_set_beside(const struct intake *intake, const char *text,
                                     struct plan_request *request)
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

static inline bool remark_has_note(const struct described *described, const char *id,
                                   const char *detail)
{
    for (const struct described_note *note = described->notes; note; note = note->next)
        if (strcmp(note->id, id) == 0 && strstr(note->detail, detail))
            return true;
    return false;
}

static inline int remark_check_leaf(struct kit *kit, const char *file, const cJSON *shown,
                                    const char *expected)
{
    const char *value;
    const char *pointer = remark_cut(kit->arena, expected, &value);
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

/* Reads one file's text; described in the test. */
typedef void remark_read_fn(struct kit *kit, const char *text, struct reading *ret_reading);

static inline int remark_check(struct kit *kit, const char *file, const char *text,
                               remark_read_fn *read)
{
    struct reading reading;
    const char *line, *detail;
    int wrong = 0;

    read(kit, text, &reading);
    const char *fault = remark(kit->arena, text, "fault", 0);
    const struct fault *first = reading.faults.n ? &reading.faults.items[0] : NULL;
    if (fault) {
        const char *pointer = remark_cut(kit->arena, fault, &detail);
        wrong += !first || strcmp(first->pointer, pointer) != 0 || !strstr(first->detail, detail);
    } else {
        wrong += !reading.complete;
    }
    if (wrong)
        print_error("%s: fault %s: %s\n", file, first ? first->pointer : "none",
                    first ? first->detail : "");
    for (int i = 0; (line = remark(kit->arena, text, "note", i)); i++) {
        const char *id = remark_cut(kit->arena, line, &detail);
        if (!remark_has_note(&reading.request.described, id, detail)) {
            print_error("%s: no note %s\n", file, line);
            wrong++;
        }
    }
    if (!reading.complete)
        return wrong;
    cJSON *shown = cJSON_Parse(kit_request_text(kit, &reading));
    for (int i = 0; (line = remark(kit->arena, text, "expect", i)); i++)
        wrong += remark_check_leaf(kit, file, shown, line);
    cJSON_Delete(shown);
    return wrong;
}

/* A text that ends anywhere is read or refused, and a refusal says why. */
static inline int remark_check_cut(struct kit *kit, const char *file, char *text,
                                   remark_read_fn *read)
{
    enum { STEP = 41 };

    size_t first = 0;
    int wrong = 0;

    /* behind the remarks */
    for (const char *at = text; (at = strstr(at, "# ")); at += strcspn(at, "\n"))
        first = (size_t)(at - text) + strcspn(at, "\n");
    for (size_t end = strlen(text); end > first; end -= end > STEP ? STEP : end) {
        struct reading reading;
        text[end] = '\0';
        read(kit, text, &reading);
        if (!reading.complete && reading.faults.n == 0) {
            print_error("%s: cut at %zu, refused without a fault\n", file, end);
            wrong++;
        }
    }
    return wrong;
}

/* Checks every file of a folder; their number, or the test fails. */
static inline int remark_check_folder(struct kit *kit, const char *path, remark_read_fn *read)
{
    DIR *folder = opendir(path);
    int n = 0, wrong = 0;

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char file[512];
        if (entry->d_name[0] == '.')
            continue;
        assert_true(snprintf(file, sizeof(file), "%s/%s", path, entry->d_name) < (int)sizeof(file));
        char *text = read_file(file);
        wrong += remark_check(kit, entry->d_name, text, read);
        wrong += remark_check_cut(kit, entry->d_name, text, read);
        free(text);
        n++;
    }
    closedir(folder);
    assert_int_equal(wrong, 0);
    return n;
}

#endif
