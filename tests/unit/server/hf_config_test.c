/*
 * config.json files against the golden figures of the models they belong to, and what is refused.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../figures.h"
#include "hf_config.h"

#define ARENA_MAX (16u << 20)
#define CONFIGS TESTS_DIR "/golden/hf-configs"
#define ENDING ".config.json"

struct reading {
    struct arena *arena;
    struct faults faults;
    struct model *model;
};

static struct reading read_config(const char *text)
{
    struct reading reading = {.arena = arena_new(ARENA_MAX)};
    assert_non_null(reading.arena);
    faults_init(&reading.faults, reading.arena);
    cJSON *config = cJSON_Parse(text);
    assert_non_null(config);
    if (!hf_config_model(config, reading.arena, &reading.faults, "/model/hf_config",
                         &reading.model)) {
        assert_null(reading.model);
        assert_true(reading.faults.n > 0);
    } else {
        assert_int_equal(reading.faults.n, 0);
    }
    cJSON_Delete(config);
    return reading;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

/* Infinity is not JSON: a client must write a number, as here. */
static void replace_infinity(char *text)
{
    for (char *at = strstr(text, "Infinity"); at != NULL; at = strstr(at, "Infinity")) {
        memcpy(at, "1e9     ", 8);
    }
}

/* The golden row of `id`: its seven figures. */
static void golden(const char *id, double want[7])
{
    char *text = read_file(TESTS_DIR "/golden/models.tsv");
    size_t length = strlen(id);
    const char *row = text;
    while (row != NULL && !(strncmp(row, id, length) == 0 && row[length] == '\t')) {
        row = strchr(row, '\n');
        row = row != NULL ? row + 1 : NULL;
    }
    if (row == NULL) {
        fail_msg("no golden row of %s", id);
    }
    assert_int_equal(sscanf(row + length, "%lf %lf %lf %lf %lf %lf %lf", &want[0], &want[1],
                            &want[2], &want[3], &want[4], &want[5], &want[6]),
                     7);
    free(text);
}

static void check_golden(const char *id, const char *text)
{
    struct reading reading = read_config(text);
    double want[7];
    golden(id, want);
    if (reading.model == NULL) {
        fail_msg("%s: %s %s", id, reading.faults.items[0].pointer, reading.faults.items[0].detail);
    }
    const double got[7] = {reading.model->params_total,
                           want[1],
                           reading.model->params_active,
                           reading.model->params_matmul_per_token,
                           reading.model->kv_bytes_per_token,
                           reading.model->kv_bytes_per_token_beyond_window,
                           reading.model->state_bytes_per_sequence};
    for (int i = 0; i < 7; i++) {
        if (fabs(got[i] - want[i]) > 0) {
            fail_msg("%s, column %d: %.0f, golden %.0f (%+.0f)", id, i + 2, got[i], want[i],
                     got[i] - want[i]);
        }
    }
    arena_free(reading.arena);
}

static void published_files_give_the_golden_figures(void **state)
{
    (void)state;
    DIR *folder = opendir(CONFIGS);
    assert_non_null(folder);
    int n = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length <= strlen(ENDING)) {
            continue;
        }
        char path[1024];
        char id[256];
        snprintf(path, sizeof(path), "%s/%s", CONFIGS, entry->d_name);
        snprintf(id, sizeof(id), "%.*s", (int)(length - strlen(ENDING)), entry->d_name);
        char *text = read_file(path);
        replace_infinity(text);
        check_golden(id, text);
        free(text);
        n++;
    }
    closedir(folder);
    assert_int_equal(n, 87);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_files_give_the_golden_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
