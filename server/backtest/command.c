#include "command.h"

#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "fault.h"
#include "store.h"

#define EXIT_USAGE 2

/* What stands behind a command: flags with a value, all of them optional. */
struct options {
    const char *db, *out;
};

typedef bool command_fn(const struct catalogue *catalogue, const struct options *options);

static bool run_calibrate(const struct catalogue *catalogue, const struct options *options)
{
    return calibrate(catalogue, options->out, stdout);
}

static const struct command {
    const char *name;
    command_fn *run;
    const char *flags, *help;
} COMMANDS[] = {
    {"calibrate", run_calibrate, "[--db FILE] [--out FOLDER]",
     "fits the engines' constants to the measured runs of the store, cross-validates them and\n"
     "prints the errors; writes engine-constants.json, intervals.json and predictions.csv into\n"
     "FOLDER (db/records/calibration of a checkout carries them into the next build)"},
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

/* Takes "--flag value" or "--flag=value"; NULL, with a message, for what is none. */
static const char **place_of(struct options *options, const char *argument, size_t length)
{
    if (length == 4 && strncmp(argument, "--db", length) == 0)
        return &options->db;
    if (length == 5 && strncmp(argument, "--out", length) == 0)
        return &options->out;
    fprintf(stderr, "regimed: unknown flag %s\n", argument);
    return NULL;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 2; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t length = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const char **place = place_of(options, argv[i], length);
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

int command_run(int argc, char **argv)
{
    const struct command *command = find(argv[1]);
    struct options options = {0};
    char error[STORE_ERROR_MAX];
    struct store *store;

    if (command == NULL) {
        fprintf(stderr, "regimed: no command is called %s; see --help\n", argv[1]);
        return EXIT_USAGE;
    }
    if (!read_options(argc, argv, &options))
        return EXIT_USAGE;
    if (!store_open(options.db, &store, error)) {
        fprintf(stderr, "regimed: %s\n", error);
        return EXIT_FAILURE;
    }
    const struct catalogue *catalogue = store_catalogue(store);
    bool done = command->run(catalogue, &options);
    store_release(store, catalogue);
    store_close(store);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

void command_help(FILE *out)
{
    fputs("\ncommands:\n", out);
    for (size_t i = 0; i < ARRAY_LEN(COMMANDS); i++) {
        fprintf(out, "  regimed %s %s\n      ", COMMANDS[i].name, COMMANDS[i].flags);
        for (const char *at = COMMANDS[i].help; *at != '\0'; at++)
            fputs(*at == '\n' ? "\n      " : (char[]){*at, '\0'}, out);
        fputs("\n", out);
    }
}
