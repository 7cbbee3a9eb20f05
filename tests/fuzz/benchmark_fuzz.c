/*
 * benchmark_fuzz - the runs in any text that is to be the result file of a load generator.
 *
 * Properties: no crash, what is no file is refused with a reason, every run has a figure above
 * zero, and the text that is made of the file stays what it is when it is made again.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "json_check.h"
#include "json_memory.h"
#include "request_limits.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: it lives as long as the process. */
static struct arena *arena;

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    arena = arena_new(REQUEST_ARENA_MAX);
    require(arena != NULL);
    json_memory_install();
    return 0;
}

static void check_runs(const cJSON *file)
{
    struct faults faults;
    struct benchmark benchmark;

    faults_init(&faults, arena);
    bool good = benchmark_read(arena, file, "", &faults, &benchmark);
    require(good == (faults.n == 0));
    require(good == (benchmark.n > 0) || faults.n > 0);
    for (int i = 0; i < benchmark.n; i++) {
        const cJSON *figure = benchmark_at(benchmark.runs[i], "metrics")->child;
        require(figure && isfinite(figure->valuedouble) && figure->valuedouble > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_fault fault;
    size_t length = 0, again = 0;

    if (size > MIB)
        return 0;
    arena_reset(arena);
    const char *text = benchmark_text(arena, (const char *)data, size, &length);
    require(text && text[length] == '\0');
    if (!json_check(text, length, JSON_NESTING_MAX, JSON_VALUES_MAX, &fault))
        return 0;
    const char *same = benchmark_text(arena, text, length, &again);
    require(same && again == length && memcmp(same, text, length) == 0);
    json_memory_enter(arena);
    cJSON *file = cJSON_ParseWithLengthOpts(text, length + 1, NULL, 1);
    if (file)
        check_runs(file);
    json_memory_leave();
    return 0;
}
