#include "diagnose_words.h"

#include <math.h>
#include <string.h>

/* Signs whose text needs figures, for where words alone said so. */
static const char *const PLAIN[SIGN_COUNT] = {
    [SIGN_GPU_UNDERUSED] = "the GPU is said to be underused",
    [SIGN_GPU_BUSY] = "the GPU is said to be busy",
    [SIGN_CPU_SATURATED] = "a host core is said to be saturated",
    [SIGN_CPU_IDLE] = "the host is said to be idle",
    [SIGN_POWER_LOW] = "the GPU draws little power",
    [SIGN_KV_FULL] = "the KV cache is said to be full",
    [SIGN_KV_FREE] = "the KV cache is said to have room",
    [SIGN_WAITING] = "requests are said to wait",
    [SIGN_RUNNING_AT_CAP] = "as many run as max_num_seqs admits",
    [SIGN_RUNNING_BELOW_ASKED] = "fewer sequences run than were asked for",
    [SIGN_TTFT_HUGE] = "time to first token is very long",
    [SIGN_PREFIX_MISSES] = "the prefix cache hits little",
    [SIGN_PREFIX_HITS] = "the prefix cache hits well",
    [SIGN_TOO_LARGE] = "the model is said not to fit",
    [SIGN_LARGE_STEP] = "a step may hold many tokens",
    [SIGN_OFF_STRIDE] = "a size is no multiple of the captured batch sizes",
    [SIGN_BATCH_PAST_GRAPHS] = "the batch is beyond the captured sizes",
    [SIGN_LATENT_MODEL] = "the cache is one latent, whole on each tensor-parallel rank",
    [SIGN_NO_FABRIC] = "the devices are joined by PCIe alone",
    [SIGN_FABRIC] = "the devices are joined by a fabric",
    [SIGN_GRAPHS_PARTLY] = "not all steps run as captured graphs",
};

void diagnose_sign_words(enum sign_id id, const struct sign *sign, struct phrase *phrase)
{
    struct figures figures = {0};

    if (PLAIN[id] && isnan(sign->a) && !sign->text) {
        phrase_add(phrase, PLAIN[id]);
        return;
    }
    figure_set(&figures, 'A', sign->a);
    figure_set(&figures, 'B', sign->b);
    figure_name(&figures, 'S', sign->text ? sign->text : "");
    phrase_fill(phrase, sign_text(id), &figures);
}

static void add_run(struct phrase *phrase, const char *name, const char *run)
{
    if (!run)
        return;
    phrase_add(phrase, name ? " of \"" : "\"");
    size_t length = strlen(run);
    while (length > 0 && strchr(" .", run[length - 1]))
        length--;
    phrase_add_n(phrase, run, length);
    phrase_add(phrase, "\"");
}

static void comparison_words(const char *topic, const struct difference *difference,
                             const char *how, struct phrase *phrase)
{
    if (isnan(difference->with)) {
        phrase_add(phrase, topic);
        phrase_add(phrase, " is said to be ");
        phrase_add(phrase, how);
        return;
    }
    phrase_add(phrase, "with more of ");
    phrase_add(phrase, topic);
    phrase_add(phrase, ", ");
    phrase_add(phrase, difference->metric ? difference->metric : "the figure");
    add_run(phrase, difference->metric, difference->name_with);
    phrase_add(phrase, " is ");
    phrase_plain(phrase, difference->with, 5);
    if (isnan(difference->without))
        return;
    phrase_add(phrase, " against ");
    phrase_plain(phrase, difference->without, 5);
    phrase_add(phrase, ", ");
    phrase_change(phrase, difference->ratio - 1.0);
    phrase_add(phrase, " in speed");
}

static void condition_words(const struct condition *when, const struct symptoms *symptoms,
                            struct phrase *phrase)
{
    bool of_topic = when->kind != WHEN_SIGN && when->kind != WHEN_TOLD && when->kind != WHEN_ABSENT;
    enum topic_id id = of_topic ? (enum topic_id)when->subject : TOPIC_LORA;
    const struct topic *topic = &symptoms->topics[id];
    const char *name = topic_name(id);

    switch (when->kind) {
    case WHEN_SIGN:
        diagnose_sign_words((enum sign_id)when->subject, &symptoms->signs[when->subject], phrase);
        break;
    case WHEN_USES:
        phrase_add(phrase, name);
        phrase_add(phrase, topic->origin == ORIGIN_WORDS ? " is spoken of" : " is in play");
        break;
    case WHEN_WORSE:
        comparison_words(name, &topic->worse, "slower", phrase);
        break;
    case WHEN_BETTER:
        comparison_words(name, &topic->better, "faster", phrase);
        break;
    case WHEN_SAME:
        comparison_words(name, &topic->same, "as fast", phrase);
        break;
    case WHEN_TOLD:
        phrase_add(phrase, "the words of the report fit it");
        break;
    case WHEN_END:
    case WHEN_ABSENT:
        break;
    }
}

void diagnose_finding_words(const struct finding *finding, const struct symptoms *symptoms,
                            struct phrase *phrase)
{
    const struct rule *rule = finding->rule;
    bool first = true;

    for (int i = 0; i < RULE_CONDITIONS && rule->when[i].kind != WHEN_END; i++) {
        if (rule->when[i].kind == WHEN_ABSENT)
            continue;
        if (!first)
            phrase_add(phrase, "; ");
        condition_words(&rule->when[i], symptoms, phrase);
        first = false;
    }
    phrase_add(phrase, ": ");
    phrase_add(phrase, rule->because);
}

static enum origin condition_origin(const struct condition *when, const struct symptoms *symptoms)
{
    switch (when->kind) {
    case WHEN_SIGN:
        return symptoms->signs[when->subject].origin;
    case WHEN_USES:
        return symptoms->topics[when->subject].origin;
    case WHEN_WORSE:
        return symptoms->topics[when->subject].worse.origin;
    case WHEN_BETTER:
        return symptoms->topics[when->subject].better.origin;
    case WHEN_SAME:
        return symptoms->topics[when->subject].same.origin;
    case WHEN_TOLD:
        return ORIGIN_WORDS;
    case WHEN_END:
    case WHEN_ABSENT:
        break;
    }
    return ORIGIN_COUNT;
}

enum basis diagnose_basis(const struct ranked_cause *cause, const struct symptoms *symptoms)
{
    enum origin least = ORIGIN_COUNT;

    for (int i = 0; cause->n_for > 0 && i < RULE_CONDITIONS; i++) {
        enum origin origin = condition_origin(&cause->for_it[0].rule->when[i], symptoms);
        if (origin < least)
            least = origin;
    }
    if (least == ORIGIN_PLAN)
        return BASIS_DERIVED;
    return least >= ORIGIN_LOG && least != ORIGIN_COUNT ? BASIS_MEASURED : BASIS_ASSUMED;
}
