/*
 * compare_text.h - two plans side by side for one screen of a build log.
 *
 * Purpose: the verdict first, what changed, the figures before and after, the classes that moved,
 *          the checks; ASCII alone, at most CHECK_TEXT_LINES lines.
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_COMPARE_TEXT_H
#define REGIME_COMPARE_TEXT_H

#include "compare_json.h"

void compare_text_write(struct json_out *out, const struct compare_report *report);

#endif
