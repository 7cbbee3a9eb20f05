/*
 * command_find.c - which engine a command starts, behind wrappers, containers and inner shells.
 */
#include "command_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DEPTH_MAX 4
#define ENV_MAX SHELL_VARIABLES_MAX

/* Words ---------------------------------------------------------------------------------------- */

static const char *const CONTAINERS[] = {"docker", "podman", "nerdctl"};

/* Environment ---------------------------------------------------------------------------------- */

struct search {
    const struct intake *intake;
    const char *origin;
    struct command_env *env;
    int n_env, depth;
    const char *image;
    bool is_entry; /* the words are arguments of the image's own program, unless they start one */
    int n_devices;
    bool counts_no_others; /* one server is enough to know */
};

static void add_env(struct search *search, const char *name, size_t length, const char *value)
{
    char *copy = arena_copy(search->intake->arena, name, length);

    if (copy && search->n_env < ENV_MAX)
        search->env[search->n_env++] = (struct command_env){copy, value};
}

/* NAME=value as a word; a variable without a value is one of the caller's. */
static bool add_assignment(struct search *search, const char *word)
{
    size_t length = strcspn(word, "=");

    if (!word[length] || !length || isdigit((unsigned char)word[0]))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)word[i]) && word[i] != '_')
            return false;
    }
    add_env(search, word, length, word + length + 1);
    return true;
}

/* Entries of "0,1,2" or of a list of device names; 0 when it says nothing of a number. */
static int count_devices(const char *list)
{
    int n = *list != '\0';

    if (strcmp(list, "all") == 0 || strchr(list, WORD_UNKNOWN) || strcmp(list, "-1") == 0)
        return 0;
    for (; *list; list++)
        n += *list == ',' && list[1];
    return n;
}

static int visible_devices(const struct search *search)
{
    static const char *const NAMES[] = {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES",
                                        "ZE_AFFINITY_MASK",     "NVIDIA_VISIBLE_DEVICES"};

    for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
        const char *value = command_env_value(search->env, search->n_env, NAMES[i]);
        int n = value ? count_devices(value) : 0;
        if (n)
            return n;
    }
    return search->n_devices;
}

/* Containers ----------------------------------------------------------------------------------- */

/* Options of `docker run` that take no value. */
static const char *const DOCKER_SWITCHES[] = {
    "-d",
    "-i",
    "-t",
    "-P",
    "-it",
    "-ti",
    "-dit",
    "-itd",
    "-dt",
    "-di",
    "-q",
    "--detach",
    "--init",
    "--interactive",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--read-only",
    "--rm",
    "--sig-proxy",
    "--tty",
    "--disable-content-trust",
    "--replace",
    "--tls-verify",
    "--no-hosts",
};

static void read_gpus(struct search *search, const char *value)
{
    const char *list = strstr(value, "device=");
    double n;

    if (list) {
        list += strlen("device=");
        size_t length = strcspn(list, "\"'");
        const char *copy = arena_copy(search->intake->arena, list, length);
        search->n_devices = copy ? count_devices(copy) : 0;
    } else if (command_number(value, &n) && n > 0 && n < 1e6) {
        search->n_devices = (int)n;
    }
}

static bool is_option(const char *name, size_t length, const char *option)
{
    return strlen(option) == length && strncmp(option, name, length) == 0;
}

/* Takes one option of `docker run`; `joined` is its value behind '='. Words it took besides. */
static int docker_option(struct search *search, const char *name, size_t length, const char *joined,
                         const char *next, const char **entry)
{
    const char *value = joined ? joined : next;

    if (!joined && command_listed(name, DOCKER_SWITCHES, ARRAY_LEN(DOCKER_SWITCHES)))
        return 0;
    if (value && (is_option(name, length, "-e") || is_option(name, length, "--env")))
        add_assignment(search, value);
    else if (value && is_option(name, length, "--gpus"))
        read_gpus(search, value);
    else if (value && is_option(name, length, "--entrypoint"))
        *entry = value;
    /* -eNAME=value, -p8000:8000: a short option with its value behind it */
    if (!joined && length > 2 && name[0] == '-' && name[1] != '-' && strchr("evpwuhlm", name[1])) {
        if (name[1] == 'e')
            add_assignment(search, name + 2);
        return 0;
    }
    return joined ? 0 : 1;
}

static bool search_words(struct search *search, const char *const *words, int n,
                         struct command_found *ret_found);

/* words[0..n) stand behind `docker run`. */
static bool search_container(struct search *search, const char *const *words, int n,
                             struct command_found *ret_found)
{
    const char *entry = NULL;
    int i = 0;

    while (i < n && words[i][0] == '-') {
        const char *word = words[i++];
        /* a short option holds its '=' in its value */
        size_t length = word[1] == '-' ? strcspn(word, "=") : strlen(word);
        const char *joined = word[length] ? word + length + 1 : NULL;
        i += docker_option(search, word, length, joined, i < n ? words[i] : NULL, &entry);
    }
    if (i >= n)
        return false;
    search->image = words[i++];
    search->is_entry = true;
    int rest = n - i;
    const char **inner =
        arena_alloc_raw(search->intake->arena, (size_t)(rest + 1) * sizeof(*inner));
    if (!inner)
        return false;
    int first = entry && *entry ? 1 : 0;
    if (first)
        inner[0] = entry;
    for (int j = 0; j < rest; j++)
        inner[first + j] = words[i + j];
    return search_words(search, inner, first + rest, ret_found);
}

/* Shells --------------------------------------------------------------------------------------- */

/* The text behind `-c` of a shell at words[i]; NULL when it is run otherwise. */
static const char *shell_text(const char *const *words, int n, int i)
{
    if (!command_is_shell(words[i]))
        return NULL;
    for (i++; i + 1 < n && words[i][0] == '-'; i++) {
        if (words[i][1] != '-' && strchr(words[i], 'c'))
            return words[i + 1];
    }
    return NULL;
}

static bool found_settings(struct search *search, const char *program,
                           struct command_found *ret_found)
{
    *ret_found = (struct command_found){.engine = &COMMAND_OLLAMA,
                                        .program = program,
                                        .env = search->env,
                                        .n_env = search->n_env,
                                        .image = search->image,
                                        .n_devices = visible_devices(search)};
    return true;
}

/* Settings without a command: OLLAMA_NUM_PARALLEL=4. */
static bool search_settings(struct search *search, const struct shell *shell,
                            struct command_found *ret_found)
{
    bool ollama = false;

    for (int i = 0; i < shell->n_env; i++) {
        ollama = ollama || strncmp(shell->env[i].name, "OLLAMA_", 7) == 0;
        add_env(search, shell->env[i].name, strlen(shell->env[i].name), shell->env[i].value);
    }
    return ollama && found_settings(search, "ollama", ret_found);
}

/* The next line of a Modelfile: its first word, and the rest without the blanks around it. */
static const char *file_line(const char *at, const char **ret_word, size_t *ret_length,
                             const char **ret_rest, size_t *ret_rest_length)
{
    size_t line = strcspn(at, "\n");
    const char *end = at + line;

    at += strspn(at, " \t\r");
    *ret_word = at;
    *ret_length = at < end ? strcspn(at, " \t\r\n") : 0;
    at = at < end ? at + *ret_length : end;
    while (at < end && strchr(" \t\"", *at))
        at++;
    *ret_rest = at;
    *ret_rest_length = (size_t)(end - at);
    while (*ret_rest_length && strchr(" \t\r\"", at[*ret_rest_length - 1]))
        (*ret_rest_length)--;
    return *end ? end + 1 : end;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return length == strlen(name) && strncasecmp(word, name, length) == 0;
}

/* FROM and PARAMETER of a Modelfile become variables of those names. */
static bool search_modelfile(struct search *search, const char *text,
                             struct command_found *ret_found)
{
    const char *word, *rest;
    size_t length, rest_length;

    while (*text) {
        text = file_line(text, &word, &length, &rest, &rest_length);
        const char *value = arena_copy(search->intake->arena, rest, rest_length);
        if (!value)
            return false;
        if (is_word(word, length, "FROM")) {
            add_env(search, "FROM", 4, value);
        } else if (is_word(word, length, "PARAMETER")) {
            size_t name = strcspn(value, " \t");
            add_env(search, value, name, value + name + strspn(value + name, " \t"));
        }
    }
    return found_settings(search, "Modelfile", ret_found);
}

/* A text whose first line that is no comment begins with FROM. */
static bool is_modelfile(const char *text)
{
    const char *word, *rest;
    size_t length, rest_length;

    while (*text) {
        text = file_line(text, &word, &length, &rest, &rest_length);
        if (length && word[0] != '#')
            return is_word(word, length, "FROM") && rest_length > 0;
    }
    return false;
}

/* A server of Ollama without a model serves what the text runs or fetches besides. */
static void take_run(const struct shell *shell, struct command_found *found)
{
    static const char *const VERBS[] = {"run", "pull"};

    for (size_t i = 0; i < ARRAY_LEN(VERBS); i++) {
        for (int j = 0; j < shell->n_commands; j++) {
            const struct shell_command *command = &shell->commands[j];
            bool runs = found->engine == &COMMAND_OLLAMA && found->n_args == 0 &&
                        command->n_words > 2 &&
                        strcmp(command_base_name(command->words[0]), "ollama") == 0 &&
                        strcmp(command->words[1], VERBS[i]) == 0;
            if (!runs)
                continue;
            found->args = command->words + 2;
            found->n_args = command->n_words - 2;
        }
    }
}

/* Whether a command of the text from the first-th on starts a server too. Ollama's own commands
 * speak to one server. */
static bool starts_another(const struct search *search, const struct shell *shell, int first)
{
    struct search aside = *search;
    struct command_found found = {.engine = NULL};
    struct faults unread;
    const struct intake quiet = {search->intake->catalogue, search->intake->arena, &unread,
                                 search->intake->base};

    if (search->counts_no_others)
        return false;
    faults_init(&unread, search->intake->arena);
    aside.intake = &quiet;
    aside.counts_no_others = true;
    aside.env = arena_alloc_raw(search->intake->arena, ENV_MAX * sizeof(*aside.env));
    for (int i = first; aside.env && i < shell->n_commands; i++) {
        aside.n_env = 0;
        if (search_words(&aside, shell->commands[i].words, shell->commands[i].n_words, &found) &&
            !found.refused && found.engine != &COMMAND_OLLAMA)
            return true;
    }
    return false;
}

static bool search_text(struct search *search, const char *text, struct command_found *ret_found)
{
    struct shell *shell = arena_alloc_raw(search->intake->arena, sizeof(*shell));
    struct command_found refused = {.engine = NULL};
    int n_env = search->n_env;

    if (is_modelfile(text))
        return search_modelfile(search, text, ret_found);
    if (!shell || search->depth == DEPTH_MAX ||
        !shell_read(search->intake, text, search->origin, search->env, n_env, shell))
        return false;
    search->depth++;
    for (int i = 0; i < shell->n_commands; i++) {
        const struct shell_command *command = &shell->commands[i];
        search->is_entry = false;
        search->n_env = 0;
        for (int j = 0; j < command->n_env; j++)
            search->env[search->n_env++] = command->env[j];
        if (!search_words(search, command->words, command->n_words, ret_found))
            continue;
        if (!ret_found->text)
            ret_found->text = shell;
        take_run(shell, ret_found);
        if (!ret_found->refused) {
            ret_found->others |= starts_another(search, shell, i + 1);
            return true;
        }
        refused = *ret_found;
    }
    search->depth--;
    search->n_env = n_env;
    *ret_found = refused;
    return refused.refused || search_settings(search, shell, ret_found);
}

/* Words ---------------------------------------------------------------------------------------- */

static void found_at(struct search *search, const struct command_starter *starter,
                     const char *const *words, int n, int i, struct command_found *ret_found)
{
    int first = i + 1 + starter->drops_verb;

    *ret_found = (struct command_found){.engine = starter->engine,
                                        .program = words[i],
                                        .args = words + first,
                                        .n_args = n - first,
                                        .env = search->env,
                                        .n_env = search->n_env,
                                        .image = search->image,
                                        .n_devices = visible_devices(search),
                                        .refused = starter->refused};
}

/* The arguments of an image's own entry point. */
static bool search_image(struct search *search, const char *const *words, int n,
                         struct command_found *ret_found)
{
    const struct command_engine *engine =
        search->image && search->is_entry ? command_image_engine(search->image) : NULL;

    if (!engine)
        return false;
    if (n > 0 && strcmp(words[0], "serve") == 0 && engine != &COMMAND_TRTLLM) {
        words++;
        n--;
    }
    *ret_found = (struct command_found){.engine = engine,
                                        .program = search->image,
                                        .args = words,
                                        .n_args = n,
                                        .env = search->env,
                                        .n_env = search->n_env,
                                        .image = search->image,
                                        .n_devices = visible_devices(search)};
    return true;
}

/* Words that a shell's user has in front of a command: a prompt, a notebook's mark. */
static const char *without_prompt(const char *word)
{
    return word[0] == '!' && word[1] ? word + 1 : word;
}

/* What is started at words[i] itself: 1 found, 0 nothing, -1 what is there starts no engine. */
static int search_at(struct search *search, const char *const *words, int n, int i,
                     struct command_found *ret_found)
{
    const char *text = shell_text(words, n, i);
    const struct command_starter *starter = command_starter(words, n, i);

    if (starter) {
        found_at(search, starter, words, n, i, ret_found);
        return 1;
    }
    if (text)
        return search_text(search, text, ret_found) ? 1 : -1;
    if (command_listed(command_base_name(words[i]), CONTAINERS, ARRAY_LEN(CONTAINERS)) &&
        i + 1 < n && (strcmp(words[i + 1], "run") == 0 || strcmp(words[i + 1], "create") == 0))
        return search_container(search, words + i + 2, n - i - 2, ret_found) ? 1 : -1;
    return 0;
}

/* Whether a word is a whole command of an engine: ssh HOST 'vllm serve ...'. */
static bool is_command(const char *word)
{
    static const char *const ENGINES[] = {"vllm",   "sglang",          "llama", "trtllm",
                                          "mlx_lm", "text-generation", "ollama"};

    if (!strchr(word, ' '))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(ENGINES); i++) {
        if (strstr(word, ENGINES[i]))
            return true;
    }
    return false;
}

/* What stands behind a program that starts others: 1 found, 0 nothing, -1 it starts no engine. */
static int search_wrapped(struct search *search, const char *const *words, int n,
                          struct command_found *ret_found)
{
    for (int i = 1; i < n; i++) {
        int found = search_at(search, words, n, i, ret_found);
        if (found)
            return found;
        if (is_command(words[i]) && search_text(search, words[i], ret_found))
            return 1;
        add_assignment(search, words[i]);
    }
    return 0;
}

static bool search_words(struct search *search, const char *const *words, int n,
                         struct command_found *ret_found)
{
    int i = 0;

    while (i < n && (strcmp(words[i], "$") == 0 || add_assignment(search, words[i])))
        i++;
    const char **own = arena_alloc_raw(search->intake->arena, (size_t)(n - i + 1) * sizeof(*own));
    if (!own)
        return false;
    for (int j = i; j < n; j++)
        own[j - i] = j == i ? without_prompt(words[j]) : words[j];
    n -= i;
    int found = n > 0 ? search_at(search, own, n, 0, ret_found) : 0;
    if (!found && n > 0 && command_wraps(own[0]))
        found = search_wrapped(search, own, n, ret_found);
    return found ? found > 0 : search_image(search, own, n, ret_found);
}

bool command_find(const struct intake *intake, const struct command_line *line,
                  struct command_found *ret_found)
{
    struct search search = {.intake = intake,
                            .origin = line->origin,
                            .image = line->image,
                            .is_entry = true,
                            .n_devices = line->n_devices};

    *ret_found = (struct command_found){.engine = NULL};
    search.env = arena_alloc_raw(intake->arena, ENV_MAX * sizeof(*search.env));
    if (!search.env)
        return false;
    for (int i = 0; i < line->n_env && i < ENV_MAX; i++)
        search.env[search.n_env++] = line->env[i];
    return search_words(&search, line->argv, line->argc, ret_found);
}

bool command_serves(const struct intake *intake, const struct command_line *line)
{
    struct command_found found;
    struct faults unread;

    faults_init(&unread, intake->arena);
    const struct intake aside = {intake->catalogue, intake->arena, &unread, intake->base};
    return command_find(&aside, line, &found) && !found.refused;
}
