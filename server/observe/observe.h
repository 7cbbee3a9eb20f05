/*
 * observe.h - texts of a running deployment read into observations.
 *
 * Purpose: scrapes of /metrics, an engine's log and the output of nvidia-smi, rocm-smi or amd-smi,
 *          each as it stands on a screen: excerpts, cut lines, several engines, colours.
 * Units:   of planner/observed.h.
 * Ownership: what is kept lies in the arena; the texts themselves may go.
 * Errors:  false when the arena's memory ran out, with nothing read into `observed`. What was not
 *          understood is no error: it is counted in the reading, with names, and doubts are notes.
 * Threads: tables are constant; a reading belongs to one request.
 */
#ifndef REGIME_OBSERVE_H
#define REGIME_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "compiler.h"
#include "observed.h"

#define OBSERVE_SCRAPES_MAX 16

/* One scrape: its text and when it was made in seconds of any clock, NAN = not said. */
struct observe_scrape {
    const char *text;
    size_t length;
    double at_s;
};

/*
 * Reads n scrapes (at most OBSERVE_SCRAPES_MAX) in the order of their time. Those of one target
 * (the same engine and model) give differences, and rates where the time between them is known:
 * at_s, timestamps on samples, a line of unix seconds ("date +%s" above the scrape), or window_s
 * between the first and the last (NAN = not said). Those of different targets are added where they
 * are of one engine; scrapes of different engines are not mixed: the first engine's count, the
 * others are noted ("several_engines").
 */
MUST_USE bool observe_scrapes(struct arena *arena, const struct observe_scrape *scrapes, int n,
                              double window_s, struct observed *observed);

/* Reads an engine's log: the lines it prints while serving, its warnings and its settings as far
 * as they say something about what was observed (settings themselves: log_text.h). */
MUST_USE bool observe_log(struct arena *arena, const char *text, size_t length,
                          struct observed *observed);

/* Reads what nvidia-smi, rocm-smi or amd-smi printed, in any of their forms, several after each
 * other too. */
MUST_USE bool observe_smi(struct arena *arena, const char *text, size_t length,
                          struct observed *observed);

#endif
