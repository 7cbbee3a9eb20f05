/*
 * command_line.c - the flags of a started engine, one after the other, and what is settled after
 * them.
 */
#include "command_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_parts.h"

const struct command_engine *const COMMAND_ENGINES[] = {
    &COMMAND_VLLM, &COMMAND_SGLANG, &COMMAND_LLAMA,  &COMMAND_TRTLLM,
    &COMMAND_TGI,  &COMMAND_MLX,    &COMMAND_OLLAMA, NULL,
};

#define FLAG_NAME_MAX 96

/* Looking flags up ----------------------------------------------------------------------------- */

static int compare_name(const void *key, const void *row)
{
    return strcmp(key, ((const struct flag *)row)->name);
}

static const struct flag *find_exact(const struct command_engine *engine, const char *name)
{
    return bsearch(name, engine->flags, (size_t)engine->n_flags, sizeof(*engine->flags),
                   compare_name);
}

/* A flag in the table's own spelling: dashes and underscores folded where the engine does so. */
static bool fold(const struct command_engine *engine, const char *name, size_t length,
                 char ret_name[FLAG_NAME_MAX])
{
    if (length >= FLAG_NAME_MAX)
        return false;
    memcpy(ret_name, name, length);
    ret_name[length] = '\0';
    for (size_t i = 2; name[0] == '-' && i < length; i++) {
        if (engine->folds_underscores && name[i] == '_')
            ret_name[i] = '-';
        else if (engine->folds_dashes && name[i] == '-')
            ret_name[i] = '_';
    }
    return true;
}

const struct flag *command_flag_find(const struct command_engine *engine, const char *name)
{
    char folded[FLAG_NAME_MAX];

    return fold(engine, name, strlen(name), folded) ? find_exact(engine, folded) : NULL;
}

/* The one flag that begins so; *ret_other is a second one that does something else, or NULL. */
static const struct flag *find_beginning(const struct command_engine *engine, const char *name,
                                         const struct flag **ret_other)
{
    size_t length = strlen(name);
    const struct flag *found = NULL;

    *ret_other = NULL;
    for (int i = 0; i < engine->n_flags; i++) {
        const struct flag *flag = &engine->flags[i];
        if (strncmp(flag->name, name, length) != 0)
            continue;
        if (!found)
            found = flag;
        else if (flag->read != found->read || flag->pointer != found->pointer ||
                 flag->slot != found->slot || !flag->read)
            *ret_other = flag;
    }
    return found;
}

/* Applying one flag ---------------------------------------------------------------------------- */

/* A flag of the line taken apart. */
struct written {
    const char *spelled; /* as written, without its value */
    const char *joined;  /* the value behind '=', or NULL */
    const char *tail;    /* "mode" of --compilation-config.mode, or NULL */
    const struct flag *flag;
    const struct flag *meant; /* what an unknown flag may have been, or NULL */
    bool negated;             /* --no-x of a switch */
};

struct cursor {
    const char *const *words;
    int n, at;
};

static bool is_flag_word(const char *word)
{
    double number;

    return word[0] == '-' && word[1] && !command_number(word, &number);
}

bool refuse_unknown_value(struct reading *reading, const char *flag, const char *value)
{
    const char *from = strchr(value, WORD_UNKNOWN);

    if (!from)
        return false;
    size_t length = strcspn(from + 1, "\001");
    const char *name = arena_copy(reading->intake->arena, from + 1, length);
    if (name && name[0] == '(')
        reading_fault(reading, flag, NULL, "what $%s prints is not known here", name);
    else
        reading_fault(reading, flag, NULL, "$%s is not set before the command", name ? name : "");
    return true;
}

/* Flags whose value may be unknown: it says nothing here, or other names may tell the model. */
static bool takes_unknown(const struct flag *flag)
{
    return flag->read == read_not_modelled || flag->read == read_name_hint ||
           flag->read == read_config_file ||
           (flag->read == read_kept_text && flag->slot == TEXT_MODEL);
}

static void apply_value(struct reading *reading, const struct flag *flag, const char *value)
{
    if (!flag->read)
        described_ignore(reading->described, reading->spelled);
    else if (takes_unknown(flag) || !refuse_unknown_value(reading, reading->spelled, value))
        flag->read(reading, flag, value);
}

/* The words of a flag that takes many, with blanks between; NULL when there is none. */
static const char *take_many(struct reading *reading, struct cursor *cursor)
{
    int first = cursor->at;
    size_t size = 0, at = 0;

    while (cursor->at < cursor->n && !is_flag_word(cursor->words[cursor->at]))
        size += strlen(cursor->words[cursor->at++]) + 1;
    char *value = size ? arena_alloc(reading->intake->arena, size) : NULL;
    for (int i = first; value && i < cursor->at; i++) {
        size_t length = strlen(cursor->words[i]);
        memcpy(value + at, cursor->words[i], length);
        at += length;
        value[at++] = i + 1 < cursor->at ? ' ' : '\0';
    }
    return value;
}

static const char *take_switch(struct cursor *cursor, const struct written *written)
{
    bool on = true;

    if (written->joined)
        command_truth(written->joined, &on);
    else if (written->flag->arity == ARITY_SWITCH && cursor->at < cursor->n &&
             strlen(cursor->words[cursor->at]) > 3 && command_truth(cursor->words[cursor->at], &on))
        cursor->at++;
    return on != written->negated ? "true" : "false";
}

/* The value of a flag out of the words behind it; NULL after a fault. */
static const char *take_value(struct reading *reading, struct cursor *cursor,
                              const struct written *written)
{
    const struct flag *flag = written->flag;
    bool more = cursor->at < cursor->n;
    const char *value = NULL;

    if (flag->arity == ARITY_NONE || flag->arity == ARITY_SWITCH)
        return take_switch(cursor, written);
    if (written->joined)
        return written->joined;
    if (flag->arity == ARITY_MANY) {
        value = take_many(reading, cursor);
    } else if (more && !is_flag_word(cursor->words[cursor->at])) {
        value = cursor->words[cursor->at++];
        if (flag->arity == ARITY_TWO && cursor->at < cursor->n)
            cursor->at++;
    }
    if (!value && (flag->arity == ARITY_MAYBE || (flag->arity == ARITY_MANY && !flag->read)))
        return "true";
    if (!value)
        reading_fault(reading, reading->spelled, NULL, "its value is missing");
    return value;
}

/* The nearest flag's row; NULL when none is near. */
static const struct flag *refuse_flag(struct reading *reading, const char *name)
{
    const struct command_engine *engine = reading->engine;
    struct faults *faults = reading->intake->faults;

    if (faults_full(faults)) {
        faults->dropped++;
        return NULL;
    }
    const char **candidates =
        arena_alloc_raw(reading->intake->arena, (size_t)engine->n_flags * sizeof(*candidates));
    int n = 0;
    for (int i = 0; candidates && i < engine->n_flags; i++)
        if (engine->flags[i].name[0] == '-')
            candidates[n++] = engine->flags[i].name;
    const char *nearest = candidates ? fault_nearest(name, candidates, n) : NULL;
    fault_add(faults, reading->origin, nearest, "%s is not a flag of %s",
              field_quote(reading->intake->arena, name), engine->label);
    return nearest ? find_exact(engine, nearest) : NULL;
}

/* Words that belong to a flag that is unknown: as many as the one that was meant takes. */
static void skip_values(struct cursor *cursor, const struct flag *meant)
{
    enum flag_arity arity = meant ? meant->arity : ARITY_MAYBE;
    int most = arity == ARITY_NONE || arity == ARITY_SWITCH ? 0
               : arity == ARITY_MANY                        ? cursor->n
               : arity == ARITY_TWO                         ? 2
                                                            : 1;

    while (most-- > 0 && cursor->at < cursor->n && !is_flag_word(cursor->words[cursor->at]))
        cursor->at++;
}

/* --no-x of a switch whose own row is --x. */
static const struct flag *find_negated(const struct command_engine *engine, const char *name)
{
    char positive[FLAG_NAME_MAX] = "--";

    if (strncmp(name, "--no-", 5) != 0)
        return NULL;
    memcpy(positive + 2, name + 5, strlen(name + 5) + 1);
    const struct flag *flag = find_exact(engine, positive);
    return flag && flag->arity == ARITY_SWITCH ? flag : NULL;
}

/* Finds the row of a flag word; false, with a fault, when it means none. */
static bool find_flag(struct reading *reading, const char *word, struct written *ret_written)
{
    const struct command_engine *engine = reading->engine;
    struct arena *arena = reading->intake->arena;
    size_t length = strcspn(word, "=");
    const struct flag *other = NULL;
    char name[FLAG_NAME_MAX];

    *ret_written = (struct written){.joined = word[length] ? word + length + 1 : NULL};
    ret_written->spelled = word[length] ? arena_copy(arena, word, length) : word;
    if (!ret_written->spelled || !fold(engine, word, length, name)) {
        ret_written->meant = refuse_flag(reading, field_quote(arena, word));
        return false;
    }
    ret_written->flag = find_exact(engine, name);
    if (!ret_written->flag) {
        ret_written->flag = find_negated(engine, name);
        ret_written->negated = ret_written->flag != NULL;
    }
    char *dot = ret_written->flag ? NULL : strchr(name, '.');
    if (dot) {
        *dot = '\0';
        ret_written->tail = ret_written->spelled + (dot - name) + 1;
        ret_written->flag = find_exact(engine, name);
    }
    if (!ret_written->flag && !dot && engine->abbreviates && strncmp(name, "--", 2) == 0)
        ret_written->flag = find_beginning(engine, name, &other);
    if (other) {
        reading_fault(reading, ret_written->spelled, NULL, "may be %s or %s",
                      ret_written->flag->name, other->name);
        ret_written->meant = ret_written->flag;
        return false;
    }
    if (!ret_written->flag)
        ret_written->meant = refuse_flag(reading, ret_written->spelled);
    return ret_written->flag != NULL;
}

/* {"a": {"b": value}} of the tail "a.b". */
static const char *wrap_tail(struct arena *arena, const char *tail, const char *value)
{
    double number;
    bool bare = command_number(value, &number) || strchr("{[", value[0]) ||
                strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    const char *text = arena_printf(arena, bare ? "%s" : "\"%s\"", value);

    for (int depth = 0; text && tail && depth < 8; depth++) {
        const char *dot = strrchr(tail, '.');
        const char *key = dot ? dot + 1 : tail;
        text = arena_printf(arena, "{\"%s\": %s}", key, text);
        tail = dot ? arena_copy(arena, tail, (size_t)(dot - tail)) : NULL;
    }
    return text ? text : "{}";
}

/* Short options with the value right behind them: -O3. */
static bool apply_attached(struct reading *reading, const char *word)
{
    const struct flag *flag;
    char name[3] = "";

    if (word[1] == '-' || !word[1] || !word[2])
        return false;
    memcpy(name, word, 2);
    flag = find_exact(reading->engine, name);
    if (!flag || flag->arity != ARITY_ONE)
        return false;
    const char *value = word + 2 + (word[2] == '=');
    if (word[2] == '.') {
        const char *equals = strchr(word, '=');
        if (!equals)
            return false;
        const char *tail =
            arena_copy(reading->intake->arena, word + 3, (size_t)(equals - word - 3));
        value = wrap_tail(reading->intake->arena, tail, equals + 1);
    }
    reading->spelled = flag->name;
    apply_value(reading, flag, value);
    return true;
}

static void apply_flag(struct reading *reading, struct cursor *cursor, const char *word)
{
    struct written written;
    double number;

    if (!find_exact(reading->engine, word) && apply_attached(reading, word))
        return;
    if (!find_flag(reading, word, &written)) {
        if (!written.joined)
            skip_values(cursor, written.meant);
        return;
    }
    reading->spelled = written.spelled;
    if (written.joined && !reading->engine->joins_values)
        reading_note(reading, "flag_value_joined",
                     "%s does not understand %s=value: write %s value", reading->engine->label,
                     written.spelled, written.spelled);
    if (written.tail &&
        (written.flag->arity != ARITY_ONE || command_number(written.tail, &number))) {
        (void)refuse_flag(reading, written.spelled);
        return;
    }
    const char *value = take_value(reading, cursor, &written);
    if (value && written.tail)
        value = wrap_tail(reading->intake->arena, written.tail, value);
    if (value)
        apply_value(reading, written.flag, value);
}

/* A dash as a word processor writes it, in UTF-8; *ret_rest is what is behind it. */
static bool is_typeset_dash(const char *word, const char **ret_rest)
{
    static const char *const DASHES[] = {"\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92"};

    for (size_t i = 0; i < ARRAY_LEN(DASHES); i++) {
        size_t length = strlen(DASHES[i]);
        if (strncmp(word, DASHES[i], length) == 0) {
            *ret_rest = word + length + strspn(word + length, "-");
            return true;
        }
    }
    return false;
}

static void refuse_dash(struct reading *reading, struct cursor *cursor, const char *word,
                        const char *rest)
{
    const char *meant = arena_printf(reading->intake->arena, rest[1] ? "--%s" : "-%s", rest);

    reading_fault(reading, field_quote(reading->intake->arena, word), meant,
                  "begins with a dash that is no hyphen");
    skip_values(cursor, NULL);
}

static void apply_words(struct reading *reading, const char *const *words, int n)
{
    struct cursor cursor = {words, n, 0};
    const char *rest;

    while (cursor.at < cursor.n) {
        const char *word = cursor.words[cursor.at++];
        if (strcmp(word, "--") == 0)
            continue;
        if (is_typeset_dash(word, &rest)) {
            refuse_dash(reading, &cursor, word, rest);
        } else if (is_flag_word(word)) {
            if (!refuse_unknown_value(reading, "a flag", word))
                apply_flag(reading, &cursor, word);
        } else if (reading->engine->positional) {
            reading->spelled = word;
            reading->engine->positional(reading, reading->n_positional++, word);
        } else if (!refuse_unknown_value(reading, "a word", word)) {
            reading_fault(reading, field_quote(reading->intake->arena, word), NULL,
                          "a word that is neither a flag nor the value of one");
        }
    }
}

/* Variables that the engine's table knows; all others are nobody's business. */
static void apply_env(struct reading *reading)
{
    const struct command_found *found = reading->found;

    for (int i = 0; i < found->n_env; i++) {
        const struct flag *flag = find_exact(reading->engine, found->env[i].name);
        if (!flag || found->env[i].name[0] == '-')
            continue;
        reading->spelled = flag->name;
        if (flag->read && !refuse_unknown_value(reading, flag->name, found->env[i].value))
            flag->read(reading, flag, found->env[i].value);
    }
}

/* The engine ----------------------------------------------------------------------------------- */

static void set_engine(struct reading *reading)
{
    const struct command_found *found = reading->found;
    const char *version = NULL;

    leaf_text(reading, found->program, "/deployment/engine", reading->engine->id);
    if (found->image && command_image_engine(found->image) == reading->engine)
        version = command_image_version(reading->intake->arena, found->image);
    if (version)
        leaf_text(reading, found->image, "/deployment/engine_version", version);
}

static double leaf_double(const struct reading *reading, enum field_id id, double otherwise)
{
    double number;

    if (!reading->request->given[id])
        return otherwise;
    memcpy(&number, (const char *)reading->request + PLAN_FIELDS.rows[id].offset, sizeof(number));
    return number;
}

/* Ranks that the command needs against devices that it hands over. */
static void check_devices(struct reading *reading)
{
    double ranks = leaf_double(reading, FIELD_ID_TP, 1) * leaf_double(reading, FIELD_ID_PP, 1) *
                   leaf_double(reading, FIELD_ID_DP, 1);

    reading->described->n_devices = reading->found->n_devices;
    if (reading->found->n_devices > 0 && ranks > reading->found->n_devices)
        reading_note(reading, "too_few_devices",
                     "tp x pp x dp are %.9g ranks, but the command hands over %d devices", ranks,
                     reading->found->n_devices);
}

static struct reading *reading_new(const struct intake *intake, const struct command_line *line,
                                   const struct command_found *found, struct plan_request *request,
                                   struct described *described)
{
    struct reading *reading = arena_alloc(intake->arena, sizeof(*reading));

    if (!reading)
        return NULL;
    reading->intake = intake;
    reading->origin = line->origin;
    reading->found = found;
    reading->engine = found->engine;
    reading->request = request;
    reading->described = described;
    reading->scratch = arena_alloc_raw(intake->arena, sizeof(*reading->scratch));
    reading->leaf_faults = arena_alloc_raw(intake->arena, sizeof(*reading->leaf_faults));
    reading->spelled = found->program;
    memcpy(reading->before, line->kept ? line->kept : request->given, sizeof(reading->before));
    for (int i = 0; i < SLOT_COUNT; i++)
        reading->slots[i] = NAN;
    if (!reading->scratch || !reading->leaf_faults)
        return NULL;
    faults_init(reading->leaf_faults, intake->arena);
    return reading;
}

bool command_apply(const struct intake *intake, const struct command_line *line,
                   struct plan_request *request, struct described *described)
{
    int faults = intake->faults->n;
    struct command_found found;

    if (!command_find(intake, line, &found)) {
        if (intake->faults->n == faults)
            fault_add(intake->faults, line->origin, NULL,
                      "no engine is started here: vllm serve, python -m sglang.launch_server, "
                      "llama-server, trtllm-serve, text-generation-launcher, mlx_lm.server and "
                      "ollama are understood, also inside docker run");
        return false;
    }
    if (found.refused) {
        fault_add(intake->faults, line->origin, NULL, "%s: %s",
                  field_quote(intake->arena, found.program), found.refused);
        return false;
    }
    struct reading *reading = reading_new(intake, line, &found, request, described);
    if (!reading) {
        fault_add(intake->faults, line->origin, NULL, "out of memory");
        return false;
    }
    if (found.others)
        reading_note(reading, "several_servers",
                     "the text starts several servers: the first is planned");
    set_engine(reading);
    apply_env(reading);
    apply_words(reading, found.args, found.n_args);
    command_settle_model(reading);
    reading->engine->finish(reading);
    check_devices(reading);
    if (reading->not_modelled)
        reading_note(reading, "flags_not_modelled",
                     "these flags may change memory or speed, and are not modelled: %s",
                     reading->not_modelled);
    return intake->faults->n == faults;
}

bool command_read(const struct intake *intake, const char *text, const char *origin,
                  struct plan_request *request, struct described *described)
{
    const char *const argv[] = {"sh", "-c", text};
    const struct command_line line = {.argc = 3, .argv = argv, .origin = origin};

    return command_apply(intake, &line, request, described);
}
