#include "command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backtest.h"
#include "backtest_report.h"
#include "calibrate.h"
#include "calibrate_local.h"
#include "calibrate_posted.h"
#include "fault.h"
#include "kernel_tables.h"
#include "store.h"
#include "store_command.h"
#include "token_command.h"
#include "transfer_command.h"

#define EXIT_USAGE 2
#define WORDS_MAX 2

/* What stands behind a command: words, and flags with a value, all of them optional. */
struct options {
    const char *words[WORDS_MAX];
    int n_words;
    const char *db, *out, *format, *set, *tables, *scope, *expires;
    /* NULL for a command that opens no store */
    struct store *store;
    const struct catalogue *catalogue;
};

typedef int command_fn(const struct options *options);

static int status_of(bool done)
{
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_calibrate(const struct options *options)
{
    bool done = calibrate(options->catalogue, options->out, stdout);
    return status_of(done && posted_runs_print(options->store, options->catalogue, stdout));
}

static int run_backtest(const struct options *options)
{
    return status_of(
        backtest_report(options->store, options->catalogue, options->format, options->set, stdout));
}

static int run_fit_local(const struct options *options)
{
    return status_of(calibrate_local(options->store, options->out, stdout));
}

static int run_fit_kernels(const struct options *options)
{
    return status_of(kernel_tables_fit(
        options->tables != NULL ? options->tables : "db/records/kernels", options->out, stdout));
}

static int run_token(const struct options *options)
{
    return status_of(token_command(options->store, options->words[0], options->words[1],
                                   options->scope, options->expires, stdout));
}

/* What these do with a file they do without opening it as a store: nothing is made or migrated. */
static int run_backup(const struct options *options)
{
    return status_of(backup_command(options->db, options->words[0], stdout));
}

static int run_restore(const struct options *options)
{
    return status_of(restore_command(options->db, options->words[0], stdout));
}

static int run_verify(const struct options *options)
{
    return status_of(verify_command(options->words[0], stdout));
}

static int run_export(const struct options *options)
{
    return status_of(export_command(options->db, options->words[0], stdout));
}

static int run_import(const struct options *options)
{
    return status_of(import_command(options->db, options->words[0], stdout));
}

static int run_diff(const struct options *options)
{
    if (options->n_words < 2) {
        fprintf(stderr, "regimed: diff compares two: a store's file or a folder each\n");
        return EXIT_USAGE;
    }
    return diff_command(options->words[0], options->words[1], options->format, stdout);
}

/* What a command needs in front of it. */
enum store_need { NO_STORE, OPEN_STORE, OPEN_STORE_OF_DB, PATH_OF_DB };

static const struct command {
    const char *name;
    command_fn *run;
    enum store_need need; /* ..._OF_DB: --db must be given */
    int n_words;          /* at most; the first is needed */
    const char *own;      /* its flags, each between blanks */
    const char *flags, *help;
} COMMANDS[] = {
    {"calibrate", run_calibrate, OPEN_STORE, 0, " --db --out ", "[--db FILE] [--out FOLDER]",
     "fits the engines' constants to the measured runs of the store (the embedded records\n"
     "without --db), cross-validates them and prints the errors, and which constants and "
     "intervals\n"
     "moved against those kept in the store, with the errors of both on its runs; with --out it\n"
     "writes engine-constants.json, intervals.json and predictions.csv into FOLDER, without it no\n"
     "file (db/records/calibration of a checkout carries them into the next build, that of an\n"
     "exported catalogue back into a store: see import)"},
    {"backtest", run_backtest, OPEN_STORE, 0, " --db --format --set --memory ",
     "[--db FILE] [--format text|json|csv] [--set calibrated|other|local|memory] [--memory]",
     "prints predicted against measured over the runs of the store: errors by engine, part, model\n"
     "and load, the rows farthest off with what is known of them; json and csv have every row\n"
     "of the set. Without flags it is text, of the set calibrated and of the embedded records.\n"
     "calibrated: runs that the constants were fitted on; other: runs of other sources; local:\n"
     "speed tests of local engines; memory (--memory): KV tokens, weights and failed starts "
     "against\n"
     "what engines printed"},
    {"fit-local", run_fit_local, OPEN_STORE, 0, " --db --out ", "[--db FILE] [--out FOLDER]",
     "fits the constants of llama.cpp, ik_llama.cpp and MLX to the measured speeds of the store\n"
     "(the embedded records without --db) and prints the errors with each source left out; with\n"
     "--out it writes local.csv into FOLDER, without it no file (db/records/calibration of a\n"
     "checkout carries it into the next build)"},
    {"fit-kernels", run_fit_kernels, NO_STORE, 0, " --tables --out ",
     "[--tables FOLDER] [--out FOLDER]",
     "fits the measured kernels of a checkout (--tables, db/records/kernels by default) and\n"
     "prints the errors, also with each matrix left out; with --out it writes gemm-shapes.csv\n"
     "into FOLDER, without it no file (db/records/fits carries it into the next build)"},
    {"token", run_token, OPEN_STORE_OF_DB, 2, " --db --scope --expires ",
     "add NAME --scope SCOPES [--expires 90d] --db FILE\n"
     "  regimed token list --db FILE\n"
     "  regimed token revoke NAME|ID --db FILE",
     "tokens of a store, also of one that is being served: they hold at once. add prints the\n"
     "token alone, once; the file keeps its keyed hash. Scopes, a comma between: contribute\n"
     "(writes), read (of a daemon with --read-tokens-required), admin (both). A token lasts\n"
     "for ever without --expires (a number with m, h, d or w)"},
    {"backup", run_backup, PATH_OF_DB, 1, " --db ", "FILE --db DB",
     "copies a store into a new file as of one moment, also while a daemon reads and writes it,\n"
     "and verifies the copy; overwrites nothing. A plain copy of a served file misses its log"},
    {"restore", run_restore, PATH_OF_DB, 1, " --db ", "FILE --db DB",
     "puts a backup in the place of a store that no daemon has open, verified first; what was\n"
     "there is kept as DB.replaced-N"},
    {"verify", run_verify, NO_STORE, 1, "", "DB",
     "whether a file is a store of this program and whole: schema, every page, every reference;\n"
     "changes nothing, also beside a daemon"},
    {"export", run_export, NO_STORE, 1, " --db ", "FOLDER [--db FILE]",
     "writes the whole catalogue of the store (the embedded records without --db) into a new\n"
     "folder, as the files that db/records of a checkout consists of; the same records give the\n"
     "same bytes. Tokens, counters and the trail of revisions stay behind (backup has them)"},
    {"import", run_import, PATH_OF_DB, 1, " --db ", "FOLDER --db FILE",
     "checks such a folder and brings its records into the store, all or none, every fault named.\n"
     "A file that is not there is made of them; in one that is there they replace those of the\n"
     "same id (the text before stays in the revisions), and what the folder lacks is kept"},
    {"diff", run_diff, NO_STORE, 2, " --format ", "STORE_A STORE_B [--format text|json]",
     "what B, a store's file or a folder of records, has added, removed and changed against A,\n"
     "field by field; reads alone. Exit status 0: the same, 1: different, 2: trouble"},
};

bool command_is_named(int argc, char **argv)
{
    return argc > 1 && argv[1][0] != '-';
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(COMMANDS); i++)
        if (strcmp(COMMANDS[i].name, name) == 0)
            return &COMMANDS[i];
    return NULL;
}

/* Whether the command takes the flag: " --out " names it between blanks. */
static bool takes(const struct command *command, const char *flag)
{
    const char *at = strstr(command->own, flag);
    return at != NULL && at > command->own && at[-1] == ' ' && at[strlen(flag)] == ' ';
}

/* Takes "--flag value" or "--flag=value"; NULL, with a message, for what is none. */
static const char **place_of(const struct command *command, struct options *options,
                             const char *argument, size_t length)
{
    const struct {
        const char *name;
        const char **place;
    } known[] = {{"--db", &options->db},          {"--out", &options->out},
                 {"--format", &options->format},  {"--set", &options->set},
                 {"--tables", &options->tables},  {"--scope", &options->scope},
                 {"--expires", &options->expires}};

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strlen(known[i].name) == length && strncmp(argument, known[i].name, length) == 0 &&
            takes(command, known[i].name))
            return known[i].place;
    fprintf(stderr, "regimed: %s %s\n", *argument == '-' ? "unknown flag" : "unexpected word",
            argument);
    return NULL;
}

static bool take_word(const struct command *command, struct options *options, const char *argument)
{
    if (*argument == '-' || options->n_words == command->n_words)
        return false;
    options->words[options->n_words++] = argument;
    return true;
}

static bool read_options(const struct command *command, int argc, char **argv,
                         struct options *options)
{
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--memory") == 0 && takes(command, "--memory")) {
            options->set = BACKTEST_MEMORY;
            continue;
        }
        if (take_word(command, options, argv[i]))
            continue;
        const char *equals = strchr(argv[i], '=');
        size_t length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const char **place = place_of(command, options, argv[i], length);
        if (place == NULL)
            return false;
        if (equals == NULL && i + 1 == argc) {
            fprintf(stderr, "regimed: %s needs a value\n", argv[i]);
            return false;
        }
        *place = equals != NULL ? equals + 1 : argv[++i];
    }
    return true;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static void print_command(FILE *out, const struct command *command)
{
    fprintf(out, "  regimed %s %s\n      ", command->name, command->flags);
    for (const char *at = command->help; *at != '\0'; at++)
        fputs(*at == '\n' ? "\n      " : (char[]){*at, '\0'}, out);
    fputs("\n", out);
}

/* Whether the store's file is there, or the command may make it: one with a slip in its name would
 * take the place of the one that was meant. */
static bool store_is_there(const struct command *command, const struct options *options)
{
    bool makes = command->need == OPEN_STORE_OF_DB && strcmp(options->words[0], "add") == 0;

    if (!options->db || access(options->db, F_OK) == 0 || errno != ENOENT)
        return true;
    fprintf(stderr, "regimed: %s: %s\n", options->db,
            makes ? "is made, of the embedded records" : "there is no such file");
    return makes;
}

static int run_on_store(const struct command *command, struct options *options)
{
    char error[STORE_ERROR_MAX];
    if (!store_is_there(command, options))
        return EXIT_FAILURE;
    if (!store_open(options->db, &options->store, error)) {
        fprintf(stderr, "regimed: %s\n", error);
        return EXIT_FAILURE;
    }
    options->catalogue = store_catalogue(options->store);
    int status = command->run(options);
    store_release(options->store, options->catalogue);
    store_close(options->store);
    return status;
}

int command_run(int argc, char **argv)
{
    const struct command *command = find(argv[1]);
    struct options options = {0};

    if (command == NULL) {
        fprintf(stderr, "regimed: no command is called %s; see --help\n", argv[1]);
        return EXIT_USAGE;
    }
    if (asks_for_help(argc, argv)) {
        print_command(stdout, command);
        return EXIT_SUCCESS;
    }
    if (!read_options(command, argc, argv, &options))
        return EXIT_USAGE;
    bool needs_db = command->need == OPEN_STORE_OF_DB || command->need == PATH_OF_DB;
    if ((command->n_words > 0 && options.n_words == 0) || (needs_db && options.db == NULL)) {
        print_command(stderr, command);
        return EXIT_USAGE;
    }
    bool opens = command->need == OPEN_STORE || command->need == OPEN_STORE_OF_DB;
    return opens ? run_on_store(command, &options) : command->run(&options);
}

void command_help(FILE *out)
{
    fputs("\ncommands:\n", out);
    for (size_t i = 0; i < ARRAY_LEN(COMMANDS); i++)
        print_command(out, &COMMANDS[i]);
}
