#include "check_report.h"

#include <math.h>
#include <string.h>

#include "command_line.h"
#include "verdict.h"

void check_sentence(const struct check *check, struct phrase *phrase)
{
    struct figures figures;

    memset(&figures, 0, sizeof(figures));
    for (int i = 0; i < CHECK_FIGURES; i++)
        figure_set(&figures, (char)('A' + i), check->figure[i]);
    figure_name(&figures, 's', check->name[0]);
    figure_name(&figures, 't', check->name[1]);
    phrase_begin(phrase);
    phrase_fill(phrase, check->detail, &figures);
}

/* The value as JSON prints it, without quotes. */
static const char *value_text(struct arena *arena, const struct cure_change *change)
{
    struct json_out value;

    if (change->text)
        return change->text;
    if (change->is_bool)
        return change->number != 0 ? "true" : "false";
    json_out_init(&value, arena, 32, 64);
    out_number(&value, change->number);
    out_bytes(&value, "", 1);
    return json_out_ok(&value) ? value.text : NULL;
}

/* What people do where the engine has no flag for it. */
static const char *describe(struct arena *arena, const char *pointer, const char *value)
{
    if (strcmp(pointer, "/deployment/weights") == 0)
        return arena_printf(arena, "a checkpoint in %s (%s=%s)", value, pointer, value);
    if (strcmp(pointer, "/deployment/replicas") == 0)
        return arena_printf(arena, "%s replicas (%s=%s)", value, pointer, value);
    if (strcmp(pointer, "/deployment/tp") == 0)
        return arena_printf(arena, "%s devices for the engine to see (%s=%s)", value, pointer,
                            value);
    return arena_printf(arena, "%s=%s", pointer, value);
}

static const char *change_flag(struct arena *arena, const struct check_cure *cure,
                               const struct cure_change *change)
{
    const char *value = value_text(arena, change);
    if (!value)
        return NULL;
    /* The checkpoint stays: its own method is told (vLLM and SGLang spell it alike). */
    if (strcmp(cure->id, "checkpoint_format") == 0)
        return arena_printf(arena, "--quantization %s", value);
    const char *flag = command_flag_for(arena, &cure->dep, change->pointer, value);

    return flag ? flag : describe(arena, change->pointer, value);
}

/* Weights that are not quantised change their type by a flag of the engine's; NULL when it is
 * another checkpoint that is needed. */
static const char *dtype_flag(struct arena *arena, const struct check_report *report,
                              const struct cure_change *change)
{
    static const char *const PLAIN[] = {"bf16", "fp16", "fp32"};
    const struct deployment *dep = &report->plan->problem.dep;
    bool was = false, becomes = false;

    if (strcmp(change->pointer, "/deployment/weights") != 0)
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(PLAIN); i++) {
        was = was || strcmp(PLAIN[i], dep->weights->id) == 0;
        becomes = becomes || strcmp(PLAIN[i], change->text) == 0;
    }
    return was && becomes ? command_flag_for(arena, dep, "/deployment/dtype", change->text) : NULL;
}

/* Leaves that an engine is told together with another: their flag follows it. */
static const struct follower {
    const char *pointer;
    size_t offset; /* in struct deployment */
} FOLLOWERS[] = {
    {"/deployment/tp", offsetof(struct deployment, tp)},
    {"/deployment/max_model_len", offsetof(struct deployment, max_model_len)},
    {"/deployment/max_num_seqs", offsetof(struct deployment, max_num_seqs)},
    {"/deployment/chunked_prefill_tokens", offsetof(struct deployment, chunked_prefill_tokens)},
};

static bool changes_leaf(const struct check_cure *cure, const char *pointer)
{
    for (int i = 0; i < cure->n_changes; i++)
        if (strcmp(cure->changes[i].pointer, pointer) == 0)
            return true;
    return false;
}

/* The flag of an unchanged leaf that reads otherwise with the cure; NULL when it stays. */
static const char *follow(struct arena *arena, const struct check_report *report,
                          const struct check_cure *cure, const struct follower *follower)
{
    struct cure_change leaf = {.pointer = follower->pointer};

    if (changes_leaf(cure, follower->pointer))
        return NULL;
    memcpy(&leaf.number, (const char *)&cure->dep + follower->offset, sizeof(leaf.number));
    const char *value = value_text(arena, &leaf);
    if (!value)
        return NULL;
    const char *before = command_flag_for(arena, &report->plan->problem.dep, leaf.pointer, value);
    const char *after = command_flag_for(arena, &cure->dep, leaf.pointer, value);
    return before && after && strcmp(before, after) != 0 ? after : NULL;
}

/* Whether nobody has to be told that change: an expectation, or part of another change's flag. */
static bool is_silent(struct arena *arena, const struct check_cure *cure, int change)
{
    static const char METHOD[] = "/deployment/speculative/method";

    if (strcmp(cure->changes[change].pointer, "/deployment/speculative/acceptance") == 0)
        return true;
    if (strcmp(cure->changes[change].pointer, "/deployment/speculative/tokens") != 0)
        return false;
    for (int i = 0; i < cure->n_changes; i++) {
        if (strcmp(cure->changes[i].pointer, METHOD) != 0)
            continue;
        const char *flag = change_flag(arena, cure, &cure->changes[i]);
        return flag && strstr(flag, "num_speculative_tokens");
    }
    return false;
}

const char *check_cure_flag(struct arena *arena, const struct check_report *report,
                            const struct check_cure *cure, int n)
{
    for (int i = 0; i < cure->n_changes; i++) {
        if (is_silent(arena, cure, i))
            continue;
        if (n-- > 0)
            continue;
        const char *dtype = dtype_flag(arena, report, &cure->changes[i]);
        return dtype ? dtype : change_flag(arena, cure, &cure->changes[i]);
    }
    if (!isnan(cure->given) && n-- == 0)
        return arena_printf(arena,
                            "%.0f devices handed to the engine (--gpus, CUDA_VISIBLE_DEVICES, the "
                            "limit of the container, or the count in /hardware)",
                            cure->given);
    for (size_t i = 0; i < ARRAY_LEN(FOLLOWERS); i++) {
        const char *flag = follow(arena, report, cure, &FOLLOWERS[i]);
        if (flag && n-- == 0)
            return flag;
    }
    return NULL;
}

const char *check_cure_flags(struct arena *arena, const struct check_report *report,
                             const struct check_cure *cure)
{
    const char *flags = NULL, *flag;

    for (int i = 0; (flag = check_cure_flag(arena, report, cure, i)) != NULL; i++)
        flags =
            flags ? arena_printf(arena, flag[0] == '-' ? "%s %s" : "%s, %s", flags, flag) : flag;
    return flags;
}

struct effect_row {
    const char *title;
    size_t offset; /* in struct check_cure */
};

static const struct effect_row EFFECTS[] = {
    {"devices ", offsetof(struct check_cure, devices)},
    {"TPOT ", offsetof(struct check_cure, tpot)},
    {"TTFT ", offsetof(struct check_cure, ttft)},
    {"tok/s ", offsetof(struct check_cure, output_tok_s)},
    {"memory ", offsetof(struct check_cure, memory)},
};

/* Changes below are not worth a word. */
#define EFFECT_SHOWN 0.005

/* Leaves whose cost is in no figure of a plan. */
static bool costs_unseen(const struct check_cure *cure)
{
    return changes_leaf(cure, "/deployment/max_model_len") ||
           changes_leaf(cure, "/deployment/memory_utilization");
}

/* The cure's reason as a part of a sentence: its first letter small, without the full stop. */
static bool say_why(const struct check_cure *cure, struct phrase *phrase)
{
    size_t length = strlen(cure->why);
    bool word = length > 1 && cure->why[1] >= 'a' && cure->why[1] <= 'z';
    char first = cure->why[0];

    if (length == 0)
        return false;
    if (word && first >= 'A' && first <= 'Z')
        first = (char)(first - 'A' + 'a');
    phrase_add_n(phrase, &first, 1);
    phrase_add_n(phrase, cure->why + 1, length - 1 - (cure->why[length - 1] == '.'));
    return true;
}

void check_cure_effect(const struct check_cure *cure, struct phrase *phrase)
{
    bool any = false;

    phrase_begin(phrase);
    /* A flag of memory costs what no figure shows: longer requests, room for others. */
    if (cure->memory_rank || costs_unseen(cure))
        any = say_why(cure, phrase);
    for (size_t i = 0; i < ARRAY_LEN(EFFECTS); i++) {
        double effect;
        memcpy(&effect, (const char *)cure + EFFECTS[i].offset, sizeof(effect));
        if (isnan(effect) || fabs(effect) < EFFECT_SHOWN)
            continue;
        phrase_add(phrase, any ? ", " : "");
        phrase_add(phrase, EFFECTS[i].title);
        phrase_change(phrase, effect);
        any = true;
    }
    if (!any)
        (void)say_why(cure, phrase);
    any = false;
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (!(cure->fails & 1u << i))
            continue;
        phrase_add(phrase, any ? ", " : "; then fails: ");
        phrase_add(phrase, check_name((enum check_id)i));
        any = true;
    }
}

bool check_cure_passes(const struct check_cure *cure, enum check_id id)
{
    return cure->applies[id] ? cure->after[id] == CHECK_PASS : true;
}

/* A cure that is not enough is worth a word where it takes twice the devices at most. */
#define DEVICES_TRIED 1.0

/* Whether a figure lies nearer to its limit than before. */
static bool reaches_further(const struct check_cure *cure, const struct check *check)
{
    if (!cure->applies[check->id] || cure->devices > DEVICES_TRIED)
        return false;
    double before = fabs(check->predicted - check->limit);
    return fabs(cure->predicted[check->id] - check->limit) < before;
}

/* 1 to MEMORY_CHANGES_MAX are the ranks of the smallest changes of a memory. */
enum { GROUP_OTHERS = MEMORY_CHANGES_MAX + 1, GROUP_RUINOUS, GROUPS };

/* For whether it fits: the flags of memory, then all others; last what ruins something else. */
static int group_of(const struct check_cure *cure, enum check_id id)
{
    if (cure->harms || cure->worsens)
        return GROUP_RUINOUS;
    return id == CHECK_MEMORY_FITS && cure->memory_rank ? cure->memory_rank : GROUP_OTHERS;
}

const struct check_cure *check_cure_for(const struct check_report *report,
                                        const struct check *check, int n)
{
    int found = 0;

    for (int group = 1; group < GROUPS; group++)
        for (int i = 0; i < report->n_cures; i++) {
            const struct check_cure *cure = &report->cures[i];
            if (check_cure_passes(cure, check->id) && group_of(cure, check->id) == group &&
                found++ == n)
                return cure;
        }
    for (int i = 0; i < report->n_cures && !found && n == 0; i++)
        if (reaches_further(&report->cures[i], check))
            return &report->cures[i];
    return NULL;
}

int check_count(const struct check_list *checks, enum check_verdict verdict)
{
    int n = 0;

    for (int i = 0; i < checks->n; i++)
        n += checks->items[i].verdict == verdict;
    return n;
}
