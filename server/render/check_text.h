/*
 * check_text.h - a verdict for one screen of a build log.
 *
 * Purpose: at most CHECK_TEXT_LINES lines of 100 columns, ASCII alone, the verdict first: what
 *          fails with what would make it pass, what is unknown, what passes.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_TEXT_H
#define REGIME_CHECK_TEXT_H

#include "check_report.h"

#define CHECK_TEXT_LINES 40

void check_text_write(struct json_out *out, const struct check_report *report);

/* The checks alone, worst first: each a line or two, its cures below. */
void check_text_checks(struct json_out *out, const struct check_report *report);

/* "PASS", "FAIL", "UNKNOWN". */
const char *check_text_verdict(enum check_verdict verdict);

/* Cleans what was written since `from` to ASCII and cuts it to CHECK_TEXT_LINES lines, the last of
 * them saying what was left out. */
void check_text_finish(struct json_out *out, size_t from);

#endif
