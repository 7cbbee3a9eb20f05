/*
 * config_fuzz - a model's config.json and a described part out of any bytes.
 *
 * The first byte chooses the reader, the rest is its text. Properties: no crash, a refusal says
 * why, an accepted model or part has figures that are finite and above zero, and the same text
 * twice is judged alike, fault by fault.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hf_config.h"
#include "inline_part.h"
#include "json_check.h"
#include "request_limits.h"
#include "store.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer hands no context to its targets: these live as long as the process. */
static struct store *store;
static const struct catalogue *catalogue;
static struct arena *arenas[2];

static void require(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char error[STORE_ERROR_MAX];
    (void)argc;
    (void)argv;
    require(store_open(NULL, &store, error));
    catalogue = store_catalogue(store);
    arenas[0] = arena_new(REQUEST_ARENA_MAX);
    arenas[1] = arena_new(REQUEST_ARENA_MAX);
    require(arenas[0] && arenas[1]);
    return 0;
}

static void read_model(const cJSON *tree, struct arena *arena, struct faults *faults)
{
    struct model *model = NULL;
    bool good = hf_config_model(tree, arena, faults, "/model/hf_config", &model);
    require(good == (faults->n == 0));
    if (good) {
        require(isfinite(model->params_total) && model->params_total > 0);
        require(isfinite(model->params_active) && model->params_active <= model->params_total);
    }
}

static void read_part(const cJSON *tree, struct arena *arena, struct faults *faults)
{
    const struct hardware *part = inline_part_read(catalogue, arena, faults, "/hardware", tree);
    require((part != NULL) == (faults->n == 0));
    if (part) {
        require(isfinite(part->memory_bytes) && part->memory_bytes > 0);
        require(isfinite(part->bw_bytes_us) && part->bw_bytes_us > 0);
    }
}

static void same_faults(const struct faults *a, const struct faults *b)
{
    require(a->n == b->n && a->dropped == b->dropped);
    for (int i = 0; i < a->n; i++) {
        require(a->items[i].detail[0] != '\0');
        require(strcmp(a->items[i].pointer, b->items[i].pointer) == 0);
        require(strcmp(a->items[i].detail, b->items[i].detail) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct faults faults[2];
    struct json_fault fault;
    if (size < 1 || size > BODY_MAX_BYTES)
        return -1;
    const char *text = (const char *)data + 1;
    if (!json_check(text, size - 1, JSON_NESTING_MAX, JSON_VALUES_MAX, &fault))
        return -1;
    cJSON *tree = cJSON_ParseWithLength(text, size - 1);
    require(tree != NULL);
    for (int i = 0; i < 2; i++) {
        arena_reset(arenas[i]);
        faults_init(&faults[i], arenas[i]);
        if (data[0] % 2)
            read_part(tree, arenas[i], &faults[i]);
        else
            read_model(tree, arenas[i], &faults[i]);
    }
    same_faults(&faults[0], &faults[1]);
    cJSON_Delete(tree);
    return 0;
}
