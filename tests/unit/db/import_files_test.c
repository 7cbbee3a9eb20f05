/* Files that are read whole, and what is said of those that are not. */
#include "import_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler.h"
#include "scratch.h"

static void make_text(const char *path)
{
    scratch_write(path, "text", 4);
}

static void make_nothing(const char *path)
{
    (void)path;
}

static void make_pipe(const char *path)
{
    assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_long(const char *path)
{
    scratch_write(path, "text", 4);
    assert_int_equal(truncate(path, (16 << 20) + 1), 0);
}

static void what_is_not_read_is_named(void **state)
{
    static const struct {
        void (*make)(const char *path);
        const char *trouble; /* NULL: it is read */
    } ROWS[] = {
        {make_text, NULL},
        {make_nothing, "is not there"},
        {make_pipe, "is no regular file"},
        {make_folder, "is no regular file"},
        {make_long, "is longer than 16 MiB"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        struct scratch scratch = scratch_new();
        char path[SCRATCH_PATH_MAX];
        size_t length = 0;
        scratch_path(&scratch, "file", path);
        ROWS[i].make(path);
        char *text = import_file_read(path, &length);
        if (ROWS[i].trouble) {
            assert_null(text);
            assert_string_equal(import_file_trouble(path), ROWS[i].trouble);
        } else {
            assert_int_equal(length, 4);
            assert_string_equal(text, "text");
        }
        free(text);
        (void)rmdir(path);
        scratch_remove(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_read_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
