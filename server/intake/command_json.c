/*
 * command_json.c - flags whose value is JSON: --speculative-config, --compilation-config and so on.
 */
#include "command_parts.h"

#include <string.h>

#include <cjson/cJSON.h>

/* Members that change what is computed, not how it is stored or read. */
void read_hf_overrides(struct reading *reading, const struct flag *flag, const char *value)
{
    static const char *const SHAPES[] = {
        "num_hidden_layers", "hidden_size",         "num_experts",    "num_attention_heads",
        "vocab_size",        "num_key_value_heads", "sliding_window", "num_experts_per_tok"};
    cJSON *tree = command_json(reading, value);
    const cJSON *member;

    (void)flag;
    if (!tree)
        return;
    described_ignore(reading->described, reading->spelled);
    cJSON_ArrayForEach(member, tree)
    {
        for (size_t i = 0; member->string && i < ARRAY_LEN(SHAPES); i++) {
            if (strcmp(member->string, SHAPES[i]) == 0)
                reading_note(reading, "model_overridden",
                             "%s changes %s, but the model's record is planned: give the changed "
                             "config.json as \"model\"",
                             reading->spelled, SHAPES[i]);
        }
    }
    cJSON_Delete(tree);
}

/* A model that may see no picture, video or sound loads no encoder. */
static void set_text_only(struct reading *reading, double most)
{
    if (most == 0)
        leaf_bool(reading, reading->spelled, "/deployment/text_only", true);
    else
        described_ignore(reading->described, reading->spelled);
}

/* {"image": 2, "video": {"count": 1}}, or image=2,video=1 as older versions have it. */
void read_mm_limits(struct reading *reading, const struct flag *flag, const char *value)
{
    double most = 0, number;
    const cJSON *member;

    (void)flag;
    if (value[0] != '{') {
        for (const char *at = strchr(value, '='); at; at = strchr(at + 1, '='))
            most += at[1] != '0' ? 1 : 0;
        set_text_only(reading, strchr(value, '=') ? most : 1);
        return;
    }
    cJSON *tree = command_json(reading, value);
    if (!tree)
        return;
    cJSON_ArrayForEach(member, tree)
    {
        const cJSON *count =
            cJSON_IsObject(member) ? cJSON_GetObjectItemCaseSensitive(member, "count") : member;
        number = count && cJSON_IsNumber(count) ? count->valuedouble : 1;
        most = most > number ? most : number;
    }
    set_text_only(reading, tree->child ? most : 1);
    cJSON_Delete(tree);
}

/* Without compilation there are no graphs; a list of sizes says the largest. */
static void read_compilation_tree(struct reading *reading, const cJSON *tree)
{
    const cJSON *sizes = cJSON_GetObjectItemCaseSensitive(tree, "cudagraph_capture_sizes");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(tree, "max_cudagraph_capture_size");
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(tree, "cudagraph_mode");
    const cJSON *size;
    double largest = -1;

    cJSON_ArrayForEach(size, sizes)
    {
        if (cJSON_IsNumber(size) && size->valuedouble > largest)
            largest = size->valuedouble;
    }
    if (most && cJSON_IsNumber(most))
        largest = most->valuedouble;
    if (largest >= 0)
        leaf_number(reading, reading->spelled, "/deployment/graph_max_batch", largest);
    if (mode && cJSON_IsString(mode))
        leaf_bool(reading, reading->spelled, "/deployment/cuda_graphs",
                  strcmp(mode->valuestring, "NONE") != 0 && strcmp(mode->valuestring, "none") != 0);
}

void read_compilation(struct reading *reading, const struct flag *flag, const char *value)
{
    double level;

    (void)flag;
    described_ignore(reading->described, reading->spelled);
    if (command_number(value, &level)) {
        if (level == 0)
            leaf_bool(reading, reading->spelled, "/deployment/cuda_graphs", false);
        return;
    }
    cJSON *tree = command_json(reading, value);
    if (tree)
        read_compilation_tree(reading, tree);
    cJSON_Delete(tree);
}

static void keep_member(struct reading *reading, const cJSON *tree, const char *name,
                        enum flag_text text)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(tree, name);

    if (!member || !cJSON_IsString(member))
        return;
    reading->texts[text] =
        arena_copy(reading->intake->arena, member->valuestring, strlen(member->valuestring));
    reading->text_flags[text] = reading->spelled;
}

void read_speculative(struct reading *reading, const struct flag *flag, const char *value)
{
    cJSON *tree = command_json(reading, value);

    (void)flag;
    if (!tree)
        return;
    const cJSON *tokens = cJSON_GetObjectItemCaseSensitive(tree, "num_speculative_tokens");
    keep_member(reading, tree, "method", TEXT_SPEC_METHOD);
    keep_member(reading, tree, "model", TEXT_SPEC_MODEL);
    if (tokens && cJSON_IsNumber(tokens)) {
        reading->slots[SLOT_SPEC_TOKENS] = tokens->valuedouble;
        reading->slot_flags[SLOT_SPEC_TOKENS] = reading->spelled;
    }
    cJSON_Delete(tree);
}

/* Where KV goes: to host memory, to another server. */
void read_kv_transfer(struct reading *reading, const struct flag *flag, const char *value)
{
    cJSON *tree = command_json(reading, value);

    (void)flag;
    if (!tree)
        return;
    const cJSON *role = cJSON_GetObjectItemCaseSensitive(tree, "kv_role");
    const cJSON *connector = cJSON_GetObjectItemCaseSensitive(tree, "kv_connector");
    const char *name = connector && cJSON_IsString(connector) ? connector->valuestring : "";
    bool split = role && cJSON_IsString(role) && strcmp(role->valuestring, "kv_both") != 0;
    described_ignore(reading->described, reading->spelled);
    if (strstr(name, "LMCache") || strstr(name, "Offloading"))
        leaf_text(reading, reading->spelled, "/deployment/kv_tier/kind", "host");
    else if (split || strstr(name, "Nixl") || strstr(name, "Mooncake"))
        reading_note(reading, "disaggregated",
                     "this server is one half of a prefill and decode pair: the plan is of a "
                     "server that does both; give \"disaggregation\" for the pair");
    cJSON_Delete(tree);
}
