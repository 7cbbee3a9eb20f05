/*
 * deploy/pipelines against the live daemon: the shell parts are taken out of the files and run as a
 * build server runs them, with a deployment that may roll out, one that may not, and no daemon.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <yaml.h>

#include "harness.h"

#define PIPELINES SOURCE_DIR "/deploy/pipelines/"
#define TEXT_MAX 20000
#define SETTINGS_MAX 12
#define NOBODY "http://127.0.0.1:1"

struct world {
    struct daemon daemon;
    char folder[100]; /* where scripts run: serving/llama.yaml lies in it */
};

/* Files ---------------------------------------------------------------------------------------- */

static void read_file(const char *path, char ret_text[TEXT_MAX])
{
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s cannot be read", path);
    size_t length = fread(ret_text, 1, TEXT_MAX - 1, file);
    ret_text[length] = '\0';
    fclose(file);
}

static void in_folder(const struct world *world, const char *name, char ret_path[200])
{
    int length = snprintf(ret_path, 200, "%s/%s", world->folder, name);
    assert_true(length > 0 && length < 200);
}

static void write_file(const struct world *world, const char *name, const char *text)
{
    char path[200];
    in_folder(world, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void read_made(const struct world *world, const char *name, char ret_text[TEXT_MAX])
{
    char path[200];
    in_folder(world, name, path);
    read_file(path, ret_text);
}

/* The example's manifest, with as many ranks. */
static void write_manifest(const struct world *world, char ranks)
{
    char text[TEXT_MAX];
    read_file(PIPELINES "example/llama.yaml", text);
    char *size = strstr(text, "parallel-size=4");
    assert_non_null(size);
    size[strlen("parallel-size=")] = ranks;
    write_file(world, "serving/llama.yaml", text);
}

static int setup(void **state)
{
    static struct world world;
    char path[120];
    daemon_start(&world.daemon, NULL);
    snprintf(world.folder, sizeof(world.folder), "%s/checkout", world.daemon.folder);
    snprintf(path, sizeof(path), "%s/serving", world.folder);
    *state = &world;
    return mkdir(world.folder, 0700) || mkdir(path, 0700);
}

static int teardown(void **state)
{
    static const char *const FOLDERS[] = {"checkout/serving", "checkout"};

    struct world *world = *state;
    for (size_t i = 0; i < 2; i++) {
        struct daemon inner = {.pid = 0};
        snprintf(inner.folder, sizeof(inner.folder), "%.40s/%s", world->daemon.folder, FOLDERS[i]);
        daemon_remove_folder(&inner);
    }
    return daemon_stop(&world->daemon);
}

/* Scripts -------------------------------------------------------------------------------------- */

/* Variables of a script, "NAME=value". */
struct settings {
    char texts[SETTINGS_MAX][300];
    int n;
};

static void set(struct settings *settings, const char *name, const char *value)
{
    assert_true(settings->n < SETTINGS_MAX);
    int length =
        snprintf(settings->texts[settings->n++], sizeof(settings->texts[0]), "%s=%s", name, value);
    assert_true(length > 0 && length < (int)sizeof(settings->texts[0]));
}

/* The child: the script with its variables, both outputs into the file "output". */
static void become(const struct world *world, const struct settings *settings,
                   const char *const *words)
{
    char *arguments[8] = {NULL}, *env[SETTINGS_MAX + 2] = {NULL};
    char path[200] = "PATH=/usr/local/bin:/usr/bin:/bin";
    if (chdir(world->folder) != 0)
        _exit(98);
    int fd = open("output", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
        _exit(98);
    for (int i = 0; words[i]; i++)
        arguments[i] = strdup(words[i]);
    for (int i = 0; i < settings->n; i++)
        env[i] = strdup(settings->texts[i]);
    env[settings->n] = path;
    execve(arguments[0], arguments, env);
    _exit(99);
}

/* Runs a program; its exit status, and what it said. */
static int run(const struct world *world, const struct settings *settings, const char *const *words,
               char ret_output[TEXT_MAX])
{
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        become(world, settings, words);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    read_made(world, "output", ret_output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_shell(const struct world *world, const struct settings *settings, const char *shell,
                     const char *script, char ret_output[TEXT_MAX])
{
    const char *const words[] = {shell, "-e", "-c", script, NULL};
    return run(world, settings, words, ret_output);
}

/* YAML ----------------------------------------------------------------------------------------- */

struct stream {
    yaml_parser_t parser;
    yaml_document_t document;
    FILE *file;
};

static void next_document(struct stream *stream)
{
    if (!yaml_parser_load(&stream->parser, &stream->document))
        fail_msg("line %zu: %s", stream->parser.problem_mark.line + 1, stream->parser.problem);
    assert_non_null(yaml_document_get_root_node(&stream->document));
}

static void open_stream(struct stream *stream, const char *path)
{
    stream->file = fopen(path, "r");
    assert_non_null(stream->file);
    assert_true(yaml_parser_initialize(&stream->parser));
    yaml_parser_set_input_file(&stream->parser, stream->file);
    next_document(stream);
}

static void close_stream(struct stream *stream)
{
    yaml_document_delete(&stream->document);
    yaml_parser_delete(&stream->parser);
    fclose(stream->file);
}

static const char *text_of(const yaml_node_t *node)
{
    assert_true(node && node->type == YAML_SCALAR_NODE);
    return (const char *)node->data.scalar.value;
}

static yaml_node_t *member(struct stream *stream, const yaml_node_t *map, const char *name)
{
    assert_true(map && map->type == YAML_MAPPING_NODE);
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *key = yaml_document_get_node(&stream->document, pair->key);
        if (strcmp(text_of(key), name) == 0)
            return yaml_document_get_node(&stream->document, pair->value);
    }
    return NULL;
}

/* The node at a path of names, "jobs/regime/steps". */
static yaml_node_t *at(struct stream *stream, const char *path)
{
    yaml_node_t *node = yaml_document_get_root_node(&stream->document);
    char name[50];
    while (*path) {
        size_t length = strcspn(path, "/");
        snprintf(name, sizeof(name), "%.*s", (int)length, path);
        node = member(stream, node, name);
        if (!node)
            fail_msg("no %s", path);
        path += length + (path[length] == '/');
    }
    return node;
}

static yaml_node_t *item(struct stream *stream, const yaml_node_t *list, int n)
{
    assert_true(list && list->type == YAML_SEQUENCE_NODE);
    yaml_node_item_t *items = list->data.sequence.items.start;
    return items + n < list->data.sequence.items.top
               ? yaml_document_get_node(&stream->document, items[n])
               : NULL;
}

/* Plain variables of a mapping; those that the build server fills in are left out. */
static void set_all(struct stream *stream, const yaml_node_t *map, struct settings *settings)
{
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top;
         pair++) {
        const char *name = text_of(yaml_document_get_node(&stream->document, pair->key));
        const char *value = text_of(yaml_document_get_node(&stream->document, pair->value));
        if (!strstr(value, "${{"))
            set(settings, name, value);
    }
}

/* The pipelines -------------------------------------------------------------------------------- */

/* Each is run with a manifest of so many ranks at an address. */
static const struct trial {
    char ranks;
    bool nobody; /* no daemon answers */
    bool opens;  /* the gate */
} TRIALS[] = {{'4', false, true}, {'3', false, false}, {'4', true, false}};

#define N_TRIALS (sizeof(TRIALS) / sizeof(TRIALS[0]))

static const char *address(const struct world *world, const struct trial *trial)
{
    return trial->nobody ? NOBODY : world->daemon.url;
}

static void github_actions(void **state)
{
    const struct world *world = *state;
    struct settings settings = {.n = 0};
    struct stream stream;
    char output[TEXT_MAX];
    open_stream(&stream, PIPELINES "github-actions.yml");
    set_all(&stream, at(&stream, "jobs/regime/env"), &settings);
    set(&settings, "GITHUB_STEP_SUMMARY", "summary.md");
    const yaml_node_t *steps = at(&stream, "jobs/regime/steps");
    const char *gate = text_of(member(&stream, item(&stream, steps, 1), "run"));
    const char *summary = text_of(member(&stream, item(&stream, steps, 2), "run"));
    assert_string_equal(text_of(member(&stream, item(&stream, steps, 2), "if")), "always()");
    for (size_t i = 0; i < N_TRIALS; i++) {
        struct settings with = settings;
        set(&with, "REGIME_URL", address(world, &TRIALS[i]));
        write_manifest(world, TRIALS[i].ranks);
        int status = run_shell(world, &with, "/bin/bash", gate, output);
        assert_int_equal(status, TRIALS[i].opens ? 0 : 1);
        if (TRIALS[i].nobody)
            continue;
        assert_non_null(strstr(output, TRIALS[i].opens
                                           ? "::notice file=serving/llama.yaml,line=1,title=regime "
                                             "pass::"
                                           : "::error file=serving/llama.yaml,line=1,title=regime "
                                             "tp_divides_heads fail::"));
        write_file(world, "summary.md", "");
        assert_int_equal(run_shell(world, &with, "/bin/bash", summary, output), 0);
        read_made(world, "summary.md", output);
        assert_non_null(strstr(output, TRIALS[i].opens ? "```\nPASS llama" : "```\nFAIL llama"));
    }
    close_stream(&stream);
}

static void gitlab_ci(void **state)
{
    const struct world *world = *state;
    struct settings settings = {.n = 0};
    struct stream stream;
    char output[TEXT_MAX], script[TEXT_MAX] = "";
    open_stream(&stream, PIPELINES "gitlab-ci.yml");
    set_all(&stream, at(&stream, "serving-gate/variables"), &settings);
    const yaml_node_t *lines = at(&stream, "serving-gate/script"), *line;
    for (int i = 0; (line = item(&stream, lines, i)) != NULL; i++)
        snprintf(script + strlen(script), sizeof(script) - strlen(script), "%s\n", text_of(line));
    for (size_t i = 0; i < N_TRIALS; i++) {
        struct settings with = settings;
        set(&with, "REGIME_URL", address(world, &TRIALS[i]));
        write_manifest(world, TRIALS[i].ranks);
        int status = run_shell(world, &with, "/bin/sh", script, output);
        assert_int_equal(status == 0, TRIALS[i].opens);
        if (TRIALS[i].nobody)
            continue;
        assert_non_null(strstr(output, TRIALS[i].opens ? "PASS llama" : "FAIL llama"));
        read_made(world, text_of(at(&stream, "serving-gate/artifacts/reports/junit")), output);
        assert_non_null(strstr(output, "<testsuites name=\"regime\""));
        read_made(world, text_of(at(&stream, "serving-gate/artifacts/reports/codequality")),
                  output);
        assert_int_equal(strcmp(output, "[]\n") == 0, TRIALS[i].opens);
    }
    close_stream(&stream);
}

/* The text between two marks behind `from`, into ret_text; where it ends. */
static const char *between(const char *from, const char *begin, const char *end,
                           char ret_text[TEXT_MAX])
{
    const char *first = from ? strstr(from, begin) : NULL;
    const char *last = first ? strstr(first + strlen(begin), end) : NULL;
    if (!last)
        fail_msg("no %s ... %s", begin, end);
    first += strlen(begin);
    snprintf(ret_text, TEXT_MAX, "%.*s", (int)(last - first), first);
    return last;
}

static void jenkins(void **state)
{
    static const char *const NAMES[] = {"MANIFEST", "LOAD"};

    const struct world *world = *state;
    struct settings settings = {.n = 0};
    char file[TEXT_MAX], text[TEXT_MAX], script[TEXT_MAX], output[TEXT_MAX];
    read_file(PIPELINES "Jenkinsfile", file);
    for (size_t i = 0; i < 2; i++) {
        char begin[40];
        snprintf(begin, sizeof(begin), "%s = '", NAMES[i]);
        (void)between(file, begin, "'", text);
        set(&settings, NAMES[i], text);
    }
    const char *behind = between(file, "sh '''", "'''", script);
    (void)between(behind, "junit '", "'", text);
    /* Groovy's ''' keeps a backslash before a line's end out of the script: the lines join */
    for (size_t i = 0; i < N_TRIALS; i++) {
        struct settings with = settings;
        set(&with, "REGIME_URL", address(world, &TRIALS[i]));
        write_manifest(world, TRIALS[i].ranks);
        int status = run_shell(world, &with, "/bin/sh", script, output);
        assert_int_equal(status == 0, TRIALS[i].opens);
        if (TRIALS[i].nobody)
            continue;
        assert_non_null(strstr(output, TRIALS[i].opens ? "PASS llama" : "FAIL llama"));
        read_made(world, text, output);
        assert_non_null(strstr(output, "<testsuites name=\"regime\""));
    }
}

/* The hook's container, its ConfigMap as a file. */
static void argo_cd(void **state)
{
    const struct world *world = *state;
    struct settings settings = {.n = 0};
    struct stream stream;
    char output[TEXT_MAX], command[TEXT_MAX];
    open_stream(&stream, PIPELINES "argocd-presync.yaml");
    snprintf(command, sizeof(command), "%s", text_of(at(&stream, "data/command")));
    yaml_document_delete(&stream.document);
    next_document(&stream);
    assert_string_equal(
        text_of(member(&stream, at(&stream, "metadata/annotations"), "argocd.argoproj.io/hook")),
        "PreSync");
    const yaml_node_t *container = item(&stream, at(&stream, "spec/template/spec/containers"), 0);
    const yaml_node_t *env = member(&stream, container, "env"), *one;
    for (int i = 0; (one = item(&stream, env, i)) != NULL; i++)
        if (strcmp(text_of(member(&stream, one, "name")), "QUERY") == 0)
            set(&settings, "QUERY", text_of(member(&stream, one, "value")));
    set(&settings, "DEPLOYMENT", "command");
    const char *script = text_of(item(&stream, member(&stream, container, "args"), 0));
    for (size_t i = 0; i < N_TRIALS; i++) {
        struct settings with = settings;
        set(&with, "REGIME_URL", address(world, &TRIALS[i]));
        char *size = strstr(command, "parallel-size ");
        assert_non_null(size);
        size[strlen("parallel-size ")] = TRIALS[i].ranks;
        write_file(world, "command", command);
        int status = run_shell(world, &with, "/bin/sh", script, output);
        assert_int_equal(status == 0, TRIALS[i].opens);
        if (!TRIALS[i].nobody)
            assert_non_null(strstr(output, TRIALS[i].opens ? "PASS llama" : "FAIL llama"));
    }
    close_stream(&stream);
}

/* The shell script ----------------------------------------------------------------------------- */

#define FITS "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}"
#define FP8                                                                                        \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":{\"weights\":\"fp8\"}}"
#define HALF_KNOWN                                                                                 \
    "{\"model\":\"llama-3.1-8b\",\"hardware\":{\"memory_gb\":80,\"mem_bw_gbps\":"                  \
    "3000},\"slo\":{\"tpot_ms\":1000}}"

static void shell_script(void **state)
{
    static const struct {
        const char *first, *second, *name, *value; /* a variable */
        int status;
        const char *says;
    } ROWS[] = {
        {"fits.json", NULL, "REGIME_FORMAT", "text", 0, "PASS llama-3.1-8b"},
        {"fits.json", NULL, "REGIME_FORMAT", "junit", 0, "<testsuites"},
        {"fits.json", NULL, "REGIME_FORMAT", "github", 0, "::notice "},
        {"fits.json", NULL, "REGIME_FORMAT", "json", 0, "{\"verdict\":\"pass\""},
        {"fits.json", NULL, "REGIME_FORMAT", "png", 2, "\"status\":406"},
        {"faulty.json", NULL, "REGIME_FORMAT", "text", 2, "\"status\":422"},
        {"unknown.json", NULL, "REGIME_UNKNOWN", "fail", 1, "UNKNOWN llama-3.1-8b"},
        {"unknown.json", NULL, "REGIME_UNKNOWN", "pass", 0, "UNKNOWN llama-3.1-8b"},
        {"serving/llama.yaml", NULL, "REGIME_QUERY", "concurrency=8", 0, "PASS llama-3.1-70b"},
        {"serving/llama.yaml", NULL, "REGIME_QUERY", "tpot_ms=1", 1, "FAIL llama-3.1-70b"},
        {"serving/llama.yaml", NULL, "REGIME_QUERY", "no_such=1", 2, "no_such"},
        {"command", NULL, "REGIME_QUERY", "hardware=h100-sxm", 0, "PASS llama-3.1-8b"},
        {"fits.json", "fp8.json", "REGIME_FORMAT", "text", 0, "PASS"},
        {"fp8.json", "fits.json", "REGIME_FORMAT", "text", 1, "FAIL"},
        {"fp8.json", "fits.json", "REGIME_TOLERANCE", "5", 0, "PASS"},
        {"no such file.json", NULL, "REGIME_FORMAT", "text", 2, "cannot be read"},
        {"fits.json", NULL, "REGIME_URL", NOBODY, 3, "curl: (7)"},
    };

    const struct world *world = *state;
    char output[TEXT_MAX];
    write_manifest(world, '4');
    write_file(world, "fits.json", FITS);
    write_file(world, "fp8.json", FP8);
    write_file(world, "unknown.json", HALF_KNOWN);
    write_file(world, "faulty.json", "{\"model\":\"llama-3.1-8b\"}");
    write_file(world, "command", "vllm serve meta-llama/Llama-3.1-8B-Instruct\n");
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        const char *const words[] = {PIPELINES "regime-gate.sh", ROWS[i].first, ROWS[i].second,
                                     NULL};
        struct settings settings = {.n = 0};
        set(&settings, ROWS[i].name, ROWS[i].value);
        set(&settings, strcmp(ROWS[i].name, "REGIME_URL") != 0 ? "REGIME_URL" : "UNUSED",
            world->daemon.url);
        int status = run(world, &settings, words, output);
        if (status != ROWS[i].status || !strstr(output, ROWS[i].says))
            fail_msg("row %zu: %d: %.300s", i, status, output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(github_actions), cmocka_unit_test(gitlab_ci),    cmocka_unit_test(jenkins),
        cmocka_unit_test(argo_cd),        cmocka_unit_test(shell_script),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
