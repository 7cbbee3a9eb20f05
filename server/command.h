/*
 * command.h - what regimed does besides serving: "regimed calibrate", "regimed backtest",
 * "regimed token add NAME"; words and flags.
 */
#ifndef REGIME_COMMAND_H
#define REGIME_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the arguments name a command (argv[1] is a word, no flag). */
bool command_is_named(int argc, char **argv);

/* Runs it; the exit status: 0, 1 = it failed, 2 = the arguments are wrong. Messages go to stderr.
 */
int command_run(int argc, char **argv);

/* Prints a line per command, for --help. */
void command_help(FILE *out);

#endif
