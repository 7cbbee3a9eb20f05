/*
 * command_reverse.c - a leaf as the flag that sets it.
 */
#include "command_parts.h"

#include <math.h>
#include <string.h>

#define GIB_BYTES 1073741824.0

/* Flags of trtllm-bench that trtllm-serve has not; a served checkpoint brings its format:
 * https://nvidia.github.io/TensorRT-LLM/commands/trtllm-serve/trtllm-serve.html */
static bool is_of_a_benchmark(const struct command_engine *engine, const struct flag *flag)
{
    return engine == &COMMAND_TRTLLM && strcmp(flag->name, "--quantization") == 0;
}

/* The row to write a leaf with: of several the one with the longest name, which says most. */
static const struct flag *row_of(const struct command_engine *engine, const char *pointer)
{
    const struct flag *best = NULL;

    for (int i = 0; i < engine->n_flags; i++) {
        const struct flag *flag = &engine->flags[i];
        bool writable = flag->name[0] == '-' || engine == &COMMAND_OLLAMA;
        if (!writable || !flag->pointer || strcmp(flag->pointer, pointer) != 0 ||
            (flag->read == read_kept_on && flag->slot == SLOT_DP_ATTENTION) ||
            is_of_a_benchmark(engine, flag))
            continue;
        if (!best || (flag->name[1] == '-' && strlen(flag->name) > strlen(best->name)))
            best = flag;
    }
    return best;
}

/* Ways of drafting as SGLang spells them; a draft head and MTP are one algorithm to it:
 * https://docs.sglang.ai/advanced_features/speculative_decoding.html */
static const struct flag_name SGLANG_DRAFTS[] = {
    {"EAGLE", "eagle", false}, {"EAGLE3", "eagle3", false},          {"NEXTN", "mtp", false},
    {"NGRAM", "ngram", false}, {"STANDALONE", "draft_model", false}, {NULL, NULL, false},
};

/* The engine's word for our value; NULL when no flag makes it so. */
static const char *their_word(const struct command_engine *engine, const struct flag *flag,
                              const char *value)
{
    bool drafts = flag->slot == TEXT_SPEC_METHOD && flag->read == read_kept_text;
    bool weights = strcmp(flag->pointer, "/deployment/weights") == 0;
    const struct flag_name *name = drafts    ? SGLANG_DRAFTS
                                   : weights ? engine->weight_names
                                             : engine->kv_names;

    for (; name && name->theirs; name++) {
        if (name->ours && !name->offline && strcmp(name->ours, value) == 0)
            return name->theirs;
    }
    return drafts || weights || engine->kv_names ? NULL : value;
}

static const char *write_switch(struct arena *arena, const struct flag *flag, bool on)
{
    if (on)
        return flag->name;
    return flag->arity == ARITY_SWITCH ? arena_printf(arena, "--no-%s", flag->name + 2) : NULL;
}

/* A context is written for all slots where each has its own. */
static const char *write_context(struct arena *arena, const struct deployment *dep,
                                 const struct flag *flag, double number)
{
    double slots = dep->kv_unified || !(dep->max_num_seqs >= 1) ? 1 : dep->max_num_seqs;

    return arena_printf(arena, "%s %.9g", flag->name, number * slots);
}

/* Leaves that several flags make; `ranks` are DP ranks that the engine counts within its TP. */
static const char *write_shared(struct arena *arena, const struct deployment *dep,
                                const struct command_engine *engine, const struct flag *flag,
                                double number)
{
    bool within = engine == &COMMAND_SGLANG || engine == &COMMAND_TRTLLM;
    double ranks = within && dep->dp > 1 ? dep->dp : 1;

    switch (flag->slot) {
    case SLOT_EP:
        if (number != dep->tp * dep->dp && engine == &COMMAND_VLLM)
            return NULL;
        break;
    case SLOT_EXPERT_PARALLEL:
        return number > 1 ? flag->name : write_switch(arena, flag, false);
    case SLOT_CONTEXT:
        return write_context(arena, dep, flag, number);
    case SLOT_KV_BLOCKS:
        number = dep->block_size > 0 ? floor(number / dep->block_size) : number;
        break;
    case SLOT_CPU_MOE:
        return arena_printf(arena, "--n-cpu-moe %.9g", number);
    case SLOT_CONSERVATIVENESS:
        return arena_printf(arena, "%s %.3g", flag->name, number / 0.7);
    case SLOT_TP:
    case SLOT_SLOTS:
    case SLOT_CHUNK:
        number = number == 0 ? -1 : number * ranks;
        break;
    case SLOT_DP:
        return arena_printf(arena, within ? "%s %.9g --enable-dp-attention" : "%s %.9g", flag->name,
                            number);
    default:
        break;
    }
    return arena_printf(arena, "%s %.9g", flag->name, number);
}

static const char *write_text(struct arena *arena, const struct command_engine *engine,
                              const struct flag *flag, const char *value)
{
    const char *word = value;

    if (strcmp(value, "null") == 0)
        return NULL;
    bool drafts = engine == &COMMAND_SGLANG && flag->slot == TEXT_SPEC_METHOD;
    if (strcmp(flag->pointer, "/deployment/dtype") == 0 && strcmp(value, "fp16") == 0)
        word = engine == &COMMAND_TGI ? "float16" : "half";
    else if (drafts || flag->read == read_kv_name ||
             strcmp(flag->pointer, "/deployment/weights") == 0)
        word = their_word(engine, flag, value);
    if (!word)
        return NULL;
    if (flag->slot == TEXT_CACHE_K && flag->read == read_kept_text)
        return arena_printf(arena, "--cache-type-k %s --cache-type-v %s", word, word);
    return arena_printf(arena, "%s %s", flag->name, word);
}

static const char *write_flag(struct arena *arena, const struct deployment *dep,
                              const struct command_engine *engine, const struct flag *flag,
                              const char *value)
{
    bool on;
    double number;

    if ((flag->read == read_on || flag->read == read_off || flag->read == read_kept_on) &&
        command_truth(value, &on) && flag->slot != SLOT_EXPERT_PARALLEL &&
        flag->slot != SLOT_CPU_MOE)
        return write_switch(arena, flag, flag->read == read_off ? !on : on);
    if (!command_number(value, &number))
        return write_text(arena, engine, flag, value);
    if (flag->read == read_gib)
        return arena_printf(arena, "%s %.9g", flag->name, ceil(number / GIB_BYTES));
    if (flag->slot && flag->read != read_kept_text)
        return write_shared(arena, dep, engine, flag, number);
    return arena_printf(arena, "%s %s", flag->name, value);
}

/* Speculation is one JSON value of vLLM. */
static const char *write_drafts(struct arena *arena, const struct deployment *dep,
                                const char *pointer, const char *value)
{
    if (strcmp(pointer, "/deployment/speculative/method") == 0)
        return arena_printf(arena,
                            "--speculative-config '{\"method\": \"%s\", "
                            "\"num_speculative_tokens\": %.9g}'",
                            value, dep->spec_tokens > 0 ? dep->spec_tokens : 3);
    return arena_printf(arena, "--speculative-config.num_speculative_tokens=%s", value);
}

/* Layers of llama-server lie on its devices in equal shares: "--tensor-split 1,1". */
static const char *write_stages(struct arena *arena, const char *value)
{
    double stages;
    const char *text = "--tensor-split 1";

    if (!command_number(value, &stages) || !(stages > 1))
        return NULL;
    for (int i = 1; text && i < (int)stages; i++)
        text = arena_printf(arena, "%s,1", text);
    return text;
}

/* Attention DP of TensorRT-LLM is on all its ranks or on none. */
static const char *write_attention_dp(const struct deployment *dep, const char *value)
{
    double ranks;

    return command_number(value, &ranks) && ranks > 1 && dep->tp == 1 ? "--enable_attention_dp"
                                                                      : NULL;
}

/* A leaf that an engine has no flag with a value for. */
static const char *write_special(struct arena *arena, const struct deployment *dep,
                                 const struct command_engine *engine, const char *pointer,
                                 const char *value)
{
    static const char DRAFTS[] = "/deployment/speculative/";

    if (engine == &COMMAND_VLLM && strncmp(pointer, DRAFTS, sizeof(DRAFTS) - 1) == 0)
        return write_drafts(arena, dep, pointer, value);
    if (engine == &COMMAND_LLAMA && strcmp(pointer, "/deployment/pp") == 0)
        return write_stages(arena, value);
    if (engine == &COMMAND_TRTLLM && strcmp(pointer, "/deployment/dp") == 0)
        return write_attention_dp(dep, value);
    return NULL;
}

const char *command_flag_for(struct arena *arena, const struct deployment *dep, const char *pointer,
                             const char *value)
{
    const struct command_engine *engine = NULL;

    for (int i = 0; COMMAND_ENGINES[i]; i++) {
        if (strcmp(COMMAND_ENGINES[i]->id, dep->engine->id) == 0)
            engine = COMMAND_ENGINES[i];
    }
    if (!engine && strcmp(dep->engine->id, "ik_llama.cpp") == 0)
        engine = &COMMAND_LLAMA;
    if (!engine)
        return NULL;
    const char *special = write_special(arena, dep, engine, pointer, value);
    const struct flag *flag = row_of(engine, pointer);
    if (special || !flag || (engine == &COMMAND_TRTLLM && strcmp(pointer, "/deployment/dp") == 0))
        return special;
    const char *text = write_flag(arena, dep, engine, flag, value);
    char *blank = engine == &COMMAND_OLLAMA && text ? strchr(text, ' ') : NULL;
    if (blank) {
        char *setting = arena_copy(arena, text, strlen(text));
        if (setting)
            setting[blank - text] = '=';
        return setting;
    }
    return text;
}
