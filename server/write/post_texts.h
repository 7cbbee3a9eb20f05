/*
 * post_texts.h - texts of a posted record that are shown to others as they are.
 *
 * Purpose: names, titles and notes stand in the reports of terminals, in lists and in logs of those
 *          who read them: a control character in one (an escape sequence, a line that feigns
 *          another) reaches no store.
 * Errors:  faults, at the member.
 */
#ifndef REGIME_POST_TEXTS_H
#define REGIME_POST_TEXTS_H

#include <cjson/cJSON.h>

#include "fault.h"

/* Longest text of a record, and longest of those that stand in one line, in bytes. */
#define POST_TEXT_MAX 8000
#define POST_LINE_MAX 1000

/* A fault for every text of the tree with a control character, of more than POST_TEXT_MAX bytes,
 * or, where it stands in one line (a title, a name, a url), with a line's end or of more than
 * POST_LINE_MAX bytes. */
void post_check_texts(const cJSON *body, struct faults *faults);

#endif
