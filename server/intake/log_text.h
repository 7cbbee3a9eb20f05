/*
 * log_text.h - an engine's own log read into a plan request.
 *
 * Purpose: at its start an engine prints its settings and what its memory went to. The settings
 *          become leaves as a command's flags do (command_line.h), the memory lines become
 *          measured_memory, which goes before what would be computed.
 * Units:   engines print binary multiples whether they write GB or GiB; leaves are bytes.
 * Ownership: what is kept lies in the request's arena.
 * Errors:  faults under the origin ("/log"): a text without a line that is known, or settings that
 *          cannot be read. Doubts are notes.
 * Threads: tables are constant; a reading belongs to one request.
 */
#ifndef REGIME_LOG_TEXT_H
#define REGIME_LOG_TEXT_H

#include <stdbool.h>

#include "compiler.h"
#include "plan_request.h"

/* Longer logs are refused: the lines that count are at the start. */
#define LOG_TEXT_MAX ((size_t)1 << 20)

/* Whether a text is an engine's log: a phrase that only logs have is in it. */
bool log_looks_like(const char *text);

/* Sets the leaves that a log states, in a request that is not resolved yet. Leaves given before
 * stay as they are; for flags, those of `kept` as struct command_line has it. False, with faults,
 * when nothing in it is known. */
MUST_USE bool log_read(const struct intake *intake, const char *text, const char *origin,
                       const bool *kept, struct plan_request *request);

#endif
