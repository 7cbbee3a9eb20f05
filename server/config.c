#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "fault.h"

#define VARIABLE_MAX 64

enum setting_kind { SETTING_TEXT, SETTING_LISTEN, SETTING_WHOLE, SETTING_SWITCH, SETTING_CHOICE };

/* A new setting is a row here and a member of struct config. */
static const struct setting {
    const char *name;
    enum setting_kind kind;
    size_t offset;
    const char *fallback; /* as it would be given; NULL = none */
    long min, max;
    const char *value, *help; /* value: what stands behind the flag in --help */
} SETTINGS[] = {

#define AT(FIELD) offsetof(struct config, FIELD)
    {"listen", SETTING_LISTEN, AT(listen), NULL, 0, 0, "ADDRESS",
     "HOST:PORT, :PORT (every address), [IPV6]:PORT or unix:PATH; port 0 takes a free one; may be\n"
     "repeated (default 127.0.0.1:8080)"},
    {"db", SETTING_TEXT, AT(db), NULL, 0, 0, "FILE",
     "the store; made from the embedded records when it does not exist (default: the embedded\n"
     "records, in memory)"},
    {"config", SETTING_TEXT, AT(config), NULL, 0, 0, "FILE",
     "settings, a line \"name = value\" each, which flags and environment overrule; SIGHUP reads "
     "it\n"
     "again: all but listen, db and backups change without a restart and without a lost request"},
    {"tls-cert", SETTING_TEXT, AT(tls_cert), NULL, 0, 0, "FILE",
     "a certificate and its chain in PEM: addresses that are no unix sockets speak TLS 1.2 and "
     "1.3\n"
     "alone. It is read again when it changes and on SIGHUP"},
    {"tls-key", SETTING_TEXT, AT(tls_key), NULL, 0, 0, "FILE", "its private key in PEM"},
    {"threads", SETTING_WHOLE, AT(threads), "0", 0, 256, "N",
     "threads per address; 0 = one per core"},
    {"max-connections", SETTING_WHOLE, AT(max_connections), "4096", 8, 1000000, "N",
     "open connections in all; requests on further ones are answered with 503, many more wait"},
    {"max-connections-per-ip", SETTING_WHOLE, AT(max_connections_per_ip), "1024", 0, 1000000, "N",
     "open connections per client; 0 = no limit, right behind a proxy"},
    {"idle-timeout", SETTING_WHOLE, AT(idle_timeout_s), "30", 1, 86400, "SECONDS",
     "closes a connection without traffic"},
    {"request-timeout", SETTING_WHOLE, AT(request_timeout_s), "15", 1, 86400, "SECONDS",
     "closes a connection whose request is not complete so long after its first line"},
    {"drain-timeout", SETTING_WHOLE, AT(drain_timeout_s), "10", 0, 3600, "SECONDS",
     "how long a stop waits for requests under way"},
    {"read-tokens-required", SETTING_SWITCH, AT(read_tokens_required), NULL, 0, 0, NULL,
     "reading takes a token of scope read as well, of everything but /healthz, /readyz and\n"
     "/metrics; needs --db (writing always takes one)"},
    {"write-rate", SETTING_WHOLE, AT(write_rate), "600", 0, 1000000, "N",
     "writes a minute of one token, and of one address; 0 = no limit"},
    {"auth-failure-rate", SETTING_WHOLE, AT(auth_failure_rate), "60", 0, 1000000, "N",
     "tokens that are none a minute from one address before it has to wait; 0 = no limit"},
    {"request-rate", SETTING_WHOLE, AT(request_rate), "0", 0, 1000000, "N",
     "requests a second of one address, of everything but /healthz, /readyz and /metrics; 0 = no\n"
     "limit, right behind a proxy"},
    {"cors-origin", SETTING_TEXT, AT(cors_origin), "*", 0, 0, "ORIGINS",
     "pages of other origins that browsers let read replies: *, none, or a list such as\n"
     "https://a.example,https://b.example"},
    {"backup-dir", SETTING_TEXT, AT(backup_dir), NULL, 0, 0, "FOLDER",
     "where POST /v1/admin/backup (a token of scope admin) puts copies of the store; needs --db"},
    {"backup-keep", SETTING_WHOLE, AT(backup_keep), "14", 0, 100000, "N",
     "so many of those copies stay, the oldest go; 0 = all stay"},
    {"access-log", SETTING_SWITCH, AT(access_log), NULL, 0, 0, NULL,
     "a line per request on stderr; a request without X-Request-Id gets one"},
    {"log-format", SETTING_CHOICE, AT(log_format), "text", 0, 0, "text|json",
     "how that and the daemon's own messages are written; json: an object per line, with the "
     "trace\n"
     "of a W3C traceparent"},
    {"healthcheck", SETTING_TEXT, AT(healthcheck), NULL, 0, 0, "ADDRESS",
     "asks a running daemon (an address as above, or a URL), exits with 0 or 1"},
    {"version", SETTING_SWITCH, AT(version), NULL, 0, 0, NULL, "prints the version"},
    {"help", SETTING_SWITCH, AT(help), NULL, 0, 0, NULL, "prints this"},
#undef AT
};

/* What has no place in a file of settings. */
static const char *const NOT_IN_FILE[] = {"config", "healthcheck", "version", "help"};

/* Where a value came from, for the message: "--threads" or "REGIME_THREADS". */
struct source {
    const char *name;
    bool replaces_list; /* the first address of a source drops those of the ones before */
};

static bool set_whole(const struct setting *setting, const char *text, const struct source *source,
                      long *place, char error[CONFIG_ERROR_MAX])
{
    char *end;
    long value = strtol(text, &end, 10);

    if (*text && !*end && value >= setting->min && value <= setting->max) {
        *place = value;
        return true;
    }
    snprintf(error, CONFIG_ERROR_MAX, "%s takes a whole number from %ld to %ld, not \"%.40s\"",
             source->name, setting->min, setting->max, text);
    return false;
}

static bool add_listen(struct config *config, const char *text, const struct source *source,
                       char error[CONFIG_ERROR_MAX])
{
    if (source->replaces_list)
        config->n_listen = 0;
    if (config->n_listen == LISTEN_MAX) {
        snprintf(error, CONFIG_ERROR_MAX, "more than %d addresses to listen on", LISTEN_MAX);
        return false;
    }
    config->listen[config->n_listen++] = text;
    return true;
}

static bool set_switch(const char *text, const struct source *source, bool *place,
                       char error[CONFIG_ERROR_MAX])
{
    static const char *const WORDS[] = {"0", "no", "false", "1", "yes", "true"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (strcmp(text, WORDS[i]) == 0) {
            *place = i >= ARRAY_LEN(WORDS) / 2;
            return true;
        }
    snprintf(error, CONFIG_ERROR_MAX, "%s is 1 or 0, not \"%.40s\"", source->name, text);
    return false;
}

/* The place of the text among the words of the setting's value, "a|b". */
static bool set_choice(const struct setting *setting, const char *text, const struct source *source,
                       int *place, char error[CONFIG_ERROR_MAX])
{
    const char *word = setting->value;
    size_t length = strlen(text);

    for (int i = 0;; i++) {
        size_t word_length = strcspn(word, "|");
        if (length == word_length && memcmp(word, text, length) == 0) {
            *place = i;
            return true;
        }
        if (!word[word_length])
            break;
        word += word_length + 1;
    }
    snprintf(error, CONFIG_ERROR_MAX, "%s takes %s, not \"%.40s\"", source->name, setting->value,
             text);
    return false;
}

static bool set(const struct setting *setting, const char *text, const struct source *source,
                struct config *config, char error[CONFIG_ERROR_MAX])
{
    void *place = (char *)config + setting->offset;

    switch (setting->kind) {
    case SETTING_TEXT:
        if (!*text) {
            snprintf(error, CONFIG_ERROR_MAX, "%s is empty", source->name);
            return false;
        }
        *(const char **)place = text;
        return true;
    case SETTING_LISTEN:
        return add_listen(config, text, source, error);
    case SETTING_WHOLE:
        return set_whole(setting, text, source, place, error);
    case SETTING_SWITCH:
        return set_switch(text, source, place, error);
    case SETTING_CHOICE:
        return set_choice(setting, text, source, place, error);
    }
    return false;
}

/* "max-connections" as "REGIME_MAX_CONNECTIONS". */
static void variable_name(const struct setting *setting, char ret_name[VARIABLE_MAX])
{
    size_t at = (size_t)snprintf(ret_name, VARIABLE_MAX, "REGIME_%s", setting->name);

    for (size_t i = strlen("REGIME_"); i < at; i++) {
        char c = ret_name[i];
        if (c == '-')
            ret_name[i] = '_';
        else if (c >= 'a' && c <= 'z')
            ret_name[i] = (char)(c - 'a' + 'A');
    }
}

static bool read_environment(const char *const *environment, struct config *config,
                             char error[CONFIG_ERROR_MAX])
{
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
        char name[VARIABLE_MAX];
        variable_name(&SETTINGS[i], name);
        const char *value = environment_find(environment, name);
        struct source source = {.name = name, .replaces_list = true};
        if (value && !set(&SETTINGS[i], value, &source, config, error))
            return false;
    }
    return true;
}

static const struct setting *find_setting(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++)
        if (strlen(SETTINGS[i].name) == length && memcmp(SETTINGS[i].name, name, length) == 0)
            return &SETTINGS[i];
    return NULL;
}

static void say_unknown(const char *argument, char error[CONFIG_ERROR_MAX])
{
    const char *names[ARRAY_LEN(SETTINGS)];
    char word[VARIABLE_MAX];

    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++)
        names[i] = SETTINGS[i].name;
    const char *start = argument + strspn(argument, "-");
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(start, "="), start);
    const char *nearest = fault_nearest(word, names, ARRAY_LEN(SETTINGS));
    snprintf(error, CONFIG_ERROR_MAX, "unknown argument \"%.60s\"%s%s%s", argument,
             nearest ? "; did you mean --" : "", nearest ? nearest : "",
             nearest ? "?" : " (see --help)");
}

/* A setting that a file may hold; NULL for other names. */
static const struct setting *find_in_file(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(NOT_IN_FILE); i++)
        if (strcmp(NOT_IN_FILE[i], name) == 0)
            return NULL;
    return find_setting(name, strlen(name));
}

/* The file's settings; its text is cut up and stays. */
static bool read_file(char *text, const char *path, struct config *config,
                      char error[CONFIG_ERROR_MAX])
{
    struct config_line line = {0};
    char *at = text;

    while (config_file_next(&at, &line)) {
        char place[CONFIG_ERROR_MAX / 2], why[CONFIG_ERROR_MAX];
        const struct setting *setting = find_in_file(line.name);
        snprintf(place, sizeof(place), "%.60s:%d: %.40s", path, line.number, line.name);
        struct source source = {.name = place};
        if (setting && line.value) {
            if (!set(setting, line.value, &source, config, error))
                return false;
            continue;
        }
        say_unknown(line.name, why);
        snprintf(error, CONFIG_ERROR_MAX, "%.90s:%d: %.180s", path, line.number,
                 line.value ? why : "a line is \"name = value\"");
        return false;
    }
    return true;
}

/* Reads the flag at *at and moves behind it and its value. */
static bool read_flag(const char *const **at, bool *listen_given, struct config *config,
                      char error[CONFIG_ERROR_MAX])
{
    const char *argument = *(*at)++;
    const char *name = argument + 2;
    size_t length = strncmp(argument, "--", 2) == 0 ? strcspn(name, "=") : 0;
    const struct setting *setting = length ? find_setting(name, length) : NULL;

    if (!setting) {
        say_unknown(argument, error);
        return false;
    }
    char shown[VARIABLE_MAX];
    snprintf(shown, sizeof(shown), "--%s", setting->name);
    struct source source = {.name = shown, .replaces_list = !*listen_given};
    *listen_given = *listen_given || setting->kind == SETTING_LISTEN;
    if (name[length] == '=')
        return set(setting, name + length + 1, &source, config, error);
    if (setting->kind == SETTING_SWITCH)
        return set(setting, "1", &source, config, error);
    if (!**at) {
        snprintf(error, CONFIG_ERROR_MAX, "%s needs a value: %s", shown, setting->value);
        return false;
    }
    return set(setting, *(*at)++, &source, config, error);
}

/* Every source in its order; `file` may be NULL. */
static bool read_sources(int argc, const char *const *argv, const char *const *environment,
                         char *file, struct config *config, char error[CONFIG_ERROR_MAX])
{
    const char *path = config->config;
    struct source defaults = {.name = "a default"};

    *config = (struct config){.file_text = file};
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++)
        if (SETTINGS[i].fallback &&
            !set(&SETTINGS[i], SETTINGS[i].fallback, &defaults, config, error))
            return false;
    if (file && !read_file(file, path, config, error))
        return false;
    if (!read_environment(environment, config, error))
        return false;
    bool listen_given = false;
    for (const char *const *at = argv + (argc > 0); *at;)
        if (!read_flag(&at, &listen_given, config, error))
            return false;
    return true;
}

/* What settings say of each other. */
static bool is_consistent(const struct config *config, char error[CONFIG_ERROR_MAX])
{
    const struct {
        bool wrong;
        const char *says;
    } rules[] = {
        {config->read_tokens_required && !config->db,
         "--read-tokens-required needs --db FILE: embedded records have no tokens"},
        {config->backup_dir && !config->db,
         "--backup-dir needs --db FILE: embedded records need no backup"},
        {!config->tls_cert != !config->tls_key, "--tls-cert and --tls-key need each other"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (rules[i].wrong) {
            snprintf(error, CONFIG_ERROR_MAX, "%s", rules[i].says);
            return false;
        }
    return true;
}

bool config_read(int argc, const char *const *argv, const char *const *environment,
                 struct config *ret_config, char ret_error[CONFIG_ERROR_MAX])
{
    struct config config = {0};
    bool good = read_sources(argc, argv, environment, NULL, &config, ret_error);

    if (good && config.config && !config.help && !config.version && !config.healthcheck) {
        char *file = config_file_text(config.config, ret_error);
        good = file && read_sources(argc, argv, environment, file, &config, ret_error);
    }
    if (!good || !is_consistent(&config, ret_error)) {
        config_done(&config);
        return false;
    }
    config.listen_given = config.n_listen > 0;
    if (!config.listen_given)
        config.listen[config.n_listen++] = "127.0.0.1:8080";
    *ret_config = config;
    return true;
}

void config_done(struct config *config)
{
    free(config->file_text);
    config->file_text = NULL;
}

void config_help(FILE *out)
{
    fputs("regimed - plans LLM serving over HTTP\n\n"
          "  regimed [--listen 127.0.0.1:8080] [--db regime.db]\n\n",
          out);
    for (size_t i = 0; i < ARRAY_LEN(SETTINGS); i++) {
        const struct setting *setting = &SETTINGS[i];
        fprintf(out, "  --%s%s%s\n", setting->name, setting->value ? " " : "",
                setting->value ? setting->value : "");
        for (const char *line = setting->help; *line;) {
            int length = (int)strcspn(line, "\n");
            fprintf(out, "        %.*s%s", length, line, line[length] ? "\n" : "");
            line += length + (line[length] != '\0');
        }
        if (setting->fallback)
            fprintf(out, " (default %s)", setting->fallback);
        fputc('\n', out);
    }
    fputs(
        "\nEvery setting is also an environment variable: --idle-timeout is REGIME_IDLE_TIMEOUT.\n"
        "SIGTERM and SIGINT stop it after the requests under way, a second one at once. SIGHUP "
        "reads\n"
        "--config and the certificate again. Sockets that systemd hands over (LISTEN_FDS) are "
        "served\n"
        "in place of the default address.\n",
        out);
}
