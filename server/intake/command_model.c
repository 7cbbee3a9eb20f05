/*
 * command_model.c - the model, its weight format and its drafts out of what a command says of them.
 */
#include "command_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "texts.h"

#define NAME_MAX_LENGTH 512
#define PARENTS_MAX 4
/* Other names that are looked up: each that is unknown costs a search for the nearest one. */
#define NAMES_MAX 4

/* Names ---------------------------------------------------------------------------------------- */

/* A name under trial. */
struct trial {
    const struct reading *reading;
    struct name_match match; /* of the first name that was tried, then of the one that is known */
    bool tried;
};

static bool try_name(struct trial *trial, const char *name)
{
    struct name_match match;

    if (!name || !*name)
        return false;
    catalogue_find_model(trial->reading->intake->catalogue, name, &match);
    if (!trial->tried || match.index >= 0 || (match.ambiguous[0] && !trial->match.ambiguous[0]))
        trial->match = match;
    trial->tried = true;
    return match.index >= 0;
}

/* "org/name" of a cache directory "models--org--name". */
static const char *cache_name(struct arena *arena, const char *path)
{
    static const char MARK[] = "models--";
    const char *at = strstr(path, MARK);

    if (!at)
        return NULL;
    at += strlen(MARK);
    char *name = arena_copy(arena, at, strcspn(at, "/"));
    char *dashes = name ? strstr(name, "--") : NULL;
    if (dashes) {
        *dashes = '/';
        memmove(dashes + 1, dashes + 2, strlen(dashes + 2) + 1);
    }
    return name;
}

/* Takes "-00001-of-00003" and ".gguf" off a file's name, in place. */
static void strip_file(char *name)
{
    size_t length = strlen(name);

    if (length > 5 && strcasecmp(name + length - 5, ".gguf") == 0)
        name[length -= 5] = '\0';
    char *part = length > 15 ? name + length - 15 : NULL;
    if (part && part[0] == '-' && strncmp(part + 6, "-of-", 4) == 0 &&
        strspn(part + 1, "0123456789") == 5)
        *part = '\0';
}

/* The weight format at the end of a file's name, "ggml-model-q4_k_m"; NULL when there is none. */
static const char *file_format(const struct catalogue *catalogue, const char *name)
{
    for (const char *at = name; *at; at++) {
        if ((at == name || strchr("-._", at[-1])) &&
            catalogue_find_weight_format(catalogue, at) >= 0)
            return at;
    }
    return NULL;
}

/* The last part of a path, behind a slash of either kind. */
static char *last_part(char *path)
{
    char *name = path;

    for (char *at = path; *at; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    return name;
}

static void strip_slashes(char *path)
{
    for (size_t length = strlen(path); length > 0 && strchr("/\\", path[length - 1]); length--)
        path[length - 1] = '\0';
}

/*
 * Tries the last part of a path and then the directories it lies in; *ret_name is what is known,
 * *ret_format the weight format of a file whose directory tells the model.
 */
static bool try_path(struct trial *trial, const char *text, const char **ret_name,
                     const char **ret_format)
{
    const struct intake *intake = trial->reading->intake;
    char *path = arena_copy(intake->arena, text, strlen(text));

    *ret_format = NULL;
    for (int i = 0; path && i <= PARENTS_MAX; i++) {
        strip_slashes(path);
        char *name = last_part(path);
        strip_file(name);
        if (try_name(trial, name)) {
            *ret_name = name;
            return true;
        }
        if (i == 0)
            *ret_format = file_format(intake->catalogue, name);
        if (name == path)
            break;
        path = arena_copy(intake->arena, path, (size_t)(name - path));
    }
    return false;
}

/* Cuts "repo:quant" at a colon behind the last slash, in place; NULL when there is none. */
static const char *cut_quant(char *text)
{
    char *slash = strrchr(text, '/');
    char *colon = strchr(slash ? slash : text, ':');

    /* no scheme of an address, no drive of a path */
    if (!colon || strncmp(colon, "://", 3) == 0 || colon[1] == '\\')
        return NULL;
    *colon = '\0';
    return colon + 1;
}

/* "gguf" at the end of a repository's name says how it is stored, not what it is. */
static void strip_gguf(char *name)
{
    size_t length = strlen(name);

    if (length > 5 && strcasecmp(name + length - 4, "gguf") == 0 && strchr("-_", name[length - 5]))
        name[length - 5] = '\0';
}

/* The name by which the catalogue knows the text, NULL when it does not. */
static const char *known_name(struct trial *trial, const char *text, const char **ret_format)
{
    struct arena *arena = trial->reading->intake->arena;
    const char *name = NULL;
    char *plain = arena_copy(arena, text, strlen(text));

    *ret_format = NULL;
    if (!plain || strlen(text) > NAME_MAX_LENGTH)
        return NULL;
    const char *cached = cache_name(arena, text);
    if (try_name(trial, cached))
        return cached;
    if (text[0] != '/' && text[0] != '.' && !strstr(text, "://") && try_name(trial, text))
        return text;
    const char *quant = cut_quant(plain);
    if (try_path(trial, plain, &name, ret_format)) {
        *ret_format = quant ? quant : *ret_format;
        return name;
    }
    strip_gguf(plain);
    if (try_path(trial, plain, &name, ret_format)) {
        *ret_format = quant ? quant : NULL;
        return name;
    }
    return NULL;
}

/* The model ------------------------------------------------------------------------------------ */

/* A format beside the name: of the quantisation asked, or of the file's name. */
static void set_format(struct reading *reading, const char *flag, const char *format)
{
    const struct catalogue *catalogue = reading->intake->catalogue;
    const char *plain = strncasecmp(format, "UD-", 3) == 0 ? format + 3 : format;

    if (catalogue_find_weight_format(catalogue, format) >= 0)
        leaf_text(reading, flag, "/deployment/weights", format);
    else if (catalogue_find_weight_format(catalogue, plain) >= 0)
        leaf_text(reading, flag, "/deployment/weights", plain);
    else if (strcmp(format, "latest") != 0)
        reading_note(reading, "weights_unknown",
                     "%s: no weight format is called \"%s\"; give \"weights\" in the deployment",
                     flag, field_quote(reading->intake->arena, format));
}

static void refuse_model(struct reading *reading, const char *flag, const char *text,
                         const struct name_match *match)
{
    const char *quoted = field_quote(reading->intake->arena, text);

    if (refuse_unknown_value(reading, flag, text))
        return;
    if (match->ambiguous[0])
        reading_fault(reading, flag, match->ambiguous[0], "\"%s\" means %s or %s: give %s", quoted,
                      match->ambiguous[0], match->ambiguous[1] ? match->ambiguous[1] : "another",
                      texts_way_to_give(reading->intake, FIELD_ID_MODEL));
    else
        reading_fault(
            reading, flag, match->nearest[0],
            "no model is called \"%s\": give %s, by a name, or in JSON as {\"hf_config\": its "
            "config.json}",
            quoted, texts_way_to_give(reading->intake, FIELD_ID_MODEL));
}

/* Another name of the command that tells the model: what it is served as, its tokenizer. */
static bool settle_by_names(struct reading *reading, struct trial *trial)
{
    const char *names = reading->texts[TEXT_NAMES];
    const char *format;

    for (int i = 0; names && *names && i < NAMES_MAX; i++) {
        size_t length = strcspn(names, " \n");
        const char *name = arena_copy(reading->intake->arena, names, length);
        const char *known = name && *name ? known_name(trial, name, &format) : NULL;
        if (known) {
            reading_note(reading, "model_by_other_name",
                         "the model's own path tells nothing; it is taken to be \"%s\", another "
                         "name in the command",
                         field_quote(reading->intake->arena, name));
            return leaf_text(reading, reading->text_flags[TEXT_NAMES], "/model", known);
        }
        names += length;
        names += strspn(names, " \n");
    }
    return false;
}

/* The model was given beside the command: its name in the command matters where it says the same,
 * or something else. */
static void compare_model(struct reading *reading, const char *known, const char *format)
{
    const char *flag = reading->text_flags[TEXT_MODEL];
    struct plan_request *request = reading->request;
    struct name_match match;

    catalogue_find_model(reading->intake->catalogue, known, &match);
    leaf_text(reading, flag, "/model", known);
    if (match.index < 0 ||
        request->problem.model != &reading->intake->catalogue->lib.models[match.index])
        return;
    if (request->problem.max_positions <= 0)
        request->problem.max_positions = match.max_positions;
    if (format || request->name_format)
        return;
    request->name_format = match.stripped_format;
}

/* The weight format of the file that is named, of the model's name where that tells none. */
static const char *chosen_format(const struct reading *reading, const char *format)
{
    const char *file = reading->texts[TEXT_MODEL_FILE];
    char *name = file ? arena_copy(reading->intake->arena, file, strlen(file)) : NULL;

    if (!name)
        return format;
    strip_file(name);
    const char *found = file_format(reading->intake->catalogue, name);
    return found ? found : format;
}

void command_settle_model(struct reading *reading)
{
    const char *text = reading->texts[TEXT_MODEL], *flag = reading->text_flags[TEXT_MODEL];
    bool beside = reading->before[FIELD_ID_MODEL], given = reading->request->given[FIELD_ID_MODEL];
    struct trial trial = {.reading = reading};
    const char *format = NULL;

    if (!text && !given)
        reading_fault(reading, field_quote(reading->intake->arena, reading->found->program), NULL,
                      "the command names no model: give %s",
                      texts_way_to_give(reading->intake, FIELD_ID_MODEL));
    if (!text)
        return;
    const char *known = known_name(&trial, text, &format);
    if (beside && known)
        compare_model(reading, known, format);
    else if (known)
        leaf_text(reading, flag, "/model", known);
    else if (!given && !settle_by_names(reading, &trial))
        refuse_model(reading, flag, text, &trial.match);
    format = chosen_format(reading, format);
    if (format)
        set_format(reading, flag, format);
}

/* Weights -------------------------------------------------------------------------------------- */

static bool is_unquantised(const char *format)
{
    static const char *const PLAIN[] = {"bf16", "fp16", "fp32"};

    for (size_t i = 0; format && i < ARRAY_LEN(PLAIN); i++) {
        if (strcmp(format, PLAIN[i]) == 0)
            return true;
    }
    return !format;
}

/* What the checkpoint is by its name, else the model's own format. */
static const char *checkpoint_format(const struct reading *reading)
{
    const struct plan_request *request = reading->request;

    if (request->name_format)
        return request->name_format;
    return request->problem.model ? request->problem.model->native_format : NULL;
}

static void refuse_quantization(struct reading *reading, const char *value)
{
    const char *candidates[64];
    int n = 0;

    for (const struct flag_name *name = reading->engine->weight_names;
         name->theirs && n < (int)ARRAY_LEN(candidates); name++)
        candidates[n++] = name->theirs;
    reading_fault(reading, reading->text_flags[TEXT_QUANTIZATION],
                  fault_nearest(value, candidates, n), "no quantisation of %s is called \"%s\"",
                  reading->engine->label, field_quote(reading->intake->arena, value));
}

static void settle_quantization(struct reading *reading, const char *value)
{
    const char *flag = reading->text_flags[TEXT_QUANTIZATION];
    const char *own = checkpoint_format(reading);
    char *word = arena_copy(reading->intake->arena, value, strlen(value));

    for (char *c = word; c && *c; c++)
        *c = (char)(*c == '-' ? '_' : tolower((unsigned char)*c));
    const struct flag_name *name =
        word ? flag_name_find(reading->engine->weight_names, word) : NULL;
    if (!name) {
        refuse_quantization(reading, value);
        return;
    }
    bool kept = !is_unquantised(own) &&
                (name->offline || !name->ours || strncmp(own, name->ours, strlen(name->ours)) == 0);
    if (kept || leaf_is_given(reading, "/deployment/weights"))
        return;
    if (name->ours)
        leaf_text(reading, flag, "/deployment/weights", name->ours);
    else
        reading_note(reading, "weights_unknown",
                     "%s %s does not say the weight format: the checkpoint's own is planned; give "
                     "\"weights\" in the deployment when it is another",
                     flag, field_quote(reading->intake->arena, value));
}

/* A type for weights that are not quantised, and for KV that is left to "auto". */
static void settle_dtype(struct reading *reading, const char *value)
{
    static const struct flag_name TYPES[] = {
        {"half", "fp16", false},     {"float16", "fp16", false}, {"fp16", "fp16", false},
        {"bfloat16", "bf16", false}, {"bf16", "bf16", false},    {"float", "fp32", false},
        {"float32", "fp32", false},  {"auto", NULL, false},      {NULL, NULL, false},
    };
    const char *flag = reading->text_flags[TEXT_DTYPE];
    const struct flag_name *type = flag_name_find(TYPES, value);

    if (!type) {
        reading_fault(reading, flag, NULL,
                      "expected auto, half, float16, bfloat16, float or "
                      "float32, got \"%s\"",
                      field_quote(reading->intake->arena, value));
        return;
    }
    if (!type->ours)
        return;
    if (!leaf_is_given(reading, "/deployment/kv_cache") && reading->request->problem.model)
        leaf_text(reading, flag, "/deployment/kv_cache", type->ours);
    if (!reading->request->problem.model)
        return;
    if (leaf_is_given(reading, "/deployment/weights") ||
        !is_unquantised(checkpoint_format(reading)))
        leaf_text(reading, flag, "/deployment/dtype", type->ours);
    else
        leaf_text(reading, flag, "/deployment/weights", type->ours);
}

void command_settle_weights(struct reading *reading)
{
    const char *quantization = reading->texts[TEXT_QUANTIZATION];
    const char *load = reading->texts[TEXT_LOAD_FORMAT];

    reading->described->quantization = quantization;
    if (quantization && strcasecmp(quantization, "none") != 0)
        settle_quantization(reading, quantization);
    else if (load && strcmp(load, "bitsandbytes") == 0 &&
             is_unquantised(checkpoint_format(reading)))
        leaf_text(reading, reading->text_flags[TEXT_LOAD_FORMAT], "/deployment/weights", "nf4");
    if (reading->texts[TEXT_DTYPE])
        settle_dtype(reading, reading->texts[TEXT_DTYPE]);
}

/* Drafts --------------------------------------------------------------------------------------- */

struct draft_word {
    const char *part, *method;
};

/* What the engines call a method, or what a draft model's name shows, by a part of it. */
static const struct draft_word DRAFT_WORDS[] = {
    {"eagle3", "eagle3"},
    {"eagle-3", "eagle3"},
    {"eagle", "eagle"},
    {"medusa", "medusa"},
    {"mtp", "mtp"},
    {"nextn", "mtp"},
    {"ngram", "ngram"},
    {"suffix", "ngram"},
    {"lookup", "ngram"},
    {"none", "none"},
    {"draft", "draft_model"},
    {"standalone", "draft_model"},
    {"dflash", "draft_model"},
    {"dspark", "draft_model"},
    {"speculator", "draft_model"},
};

static const char *draft_method(const char *text)
{
    char word[96];
    size_t length = strlen(text);

    if (length >= sizeof(word))
        return NULL;
    for (size_t i = 0; i <= length; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    for (size_t i = 0; i < ARRAY_LEN(DRAFT_WORDS); i++) {
        if (strstr(word, DRAFT_WORDS[i].part))
            return DRAFT_WORDS[i].method;
    }
    return NULL;
}

void command_settle_drafts(struct reading *reading)
{
    const char *method = reading->texts[TEXT_SPEC_METHOD], *model = reading->texts[TEXT_SPEC_MODEL];
    const char *flag = reading->text_flags[method ? TEXT_SPEC_METHOD : TEXT_SPEC_MODEL];
    const char *ours = method ? draft_method(method) : NULL;
    struct name_match match;

    if (!method && !model)
        return;
    if (method && !ours) {
        reading_fault(reading, flag, NULL, "no way of drafting is called \"%s\"",
                      field_quote(reading->intake->arena, method));
        return;
    }
    if (!method)
        ours = draft_method(model);
    if (!ours || (strcmp(ours, "draft_model") == 0 && method && !model))
        ours = "draft_model";
    leaf_text(reading, flag, "/deployment/speculative/method", ours);
    slot_to_leaf(reading, SLOT_SPEC_TOKENS, "/deployment/speculative/tokens");
    if (strcmp(ours, "draft_model") != 0)
        return;
    if (model)
        catalogue_find_model(reading->intake->catalogue, model, &match);
    if (!model || match.index < 0)
        reading_note(reading, "draft_model_unknown",
                     "the draft model's weights and KV are not part of the plan: its size is not "
                     "known");
}

void command_settle_loras(struct reading *reading, double loras, double rank)
{
    bool on = slot_or(reading, SLOT_LORA, 0) != 0;
    const char *flag = reading->slot_flags[SLOT_LORA];

    if (!on)
        return;
    leaf_number(reading, flag, "/deployment/max_loras", slot_or(reading, SLOT_LORAS, loras));
    leaf_number(reading, flag, "/deployment/max_lora_rank", slot_or(reading, SLOT_LORA_RANK, rank));
}
