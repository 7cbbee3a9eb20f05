#include "check_report.h"

#include <math.h>
#include <string.h>

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

const char *check_change_flag(struct arena *arena, const struct check_report *report,
                              const struct cure_change *change)
{
    const char *value = value_text(arena, change);

    (void)report;
    return value ? arena_printf(arena, "%s=%s", change->pointer, value) : NULL;
}

const char *check_cure_flags(struct arena *arena, const struct check_report *report,
                             const struct check_cure *cure)
{
    const char *flags = "";

    for (int i = 0; flags && i < cure->n_changes; i++) {
        const char *flag = check_change_flag(arena, report, &cure->changes[i]);
        flags = flag ? arena_printf(arena, "%s%s%s", flags, i ? " " : "", flag) : NULL;
    }
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

void check_cure_effect(const struct check_cure *cure, struct phrase *phrase)
{
    bool any = false;

    phrase_begin(phrase);
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
        phrase_add(phrase, "no other effect");
}

bool check_cure_passes(const struct check_cure *cure, enum check_id id)
{
    return cure->applies[id] ? cure->after[id] == CHECK_PASS : true;
}

/* Whether a figure lies nearer to its limit than before. */
static bool reaches_further(const struct check_cure *cure, const struct check *check)
{
    if (!cure->applies[check->id])
        return false;
    double before = fabs(check->predicted - check->limit);
    return fabs(cure->predicted[check->id] - check->limit) < before;
}

const struct check_cure *check_cure_for(const struct check_report *report,
                                        const struct check *check, int n)
{
    int found = 0;

    for (int i = 0; i < report->n_cures; i++)
        if (check_cure_passes(&report->cures[i], check->id) && found++ == n)
            return &report->cures[i];
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
