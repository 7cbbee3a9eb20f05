/*
 * free_figures.h - free names of figures read apart: what was measured, and of which run.
 *
 * Purpose: engineers write "tok_s_tp2", "prefill_tok_s_no_tp", "ttft_p50_ms_bare_c1". The known
 *          words of a name say what was measured and whether more is better; the rest names the
 *          run, and runs whose names differ are a comparison.
 * Ownership: texts live in the arena.
 * Errors:  figures past FIGURES_MAX are left out.
 * Threads: pure; tables are constant.
 */
#ifndef REGIME_FREE_FIGURES_H
#define REGIME_FREE_FIGURES_H

#include <stdbool.h>

#include "symptoms.h"
#include "words.h"

#define FREE_FIGURES_MAX 48
/* Words of a run's name that count. */
#define LABEL_WORDS_MAX 24

/* What a name says was measured. */
struct measure {
    const char *words; /* sequence of words, "tok_s" */
    enum metric_kind kind;
    int better; /* 1 more, -1 less, 0 neither */
};

/* A figure with a free name. */
struct free_figure {
    const char *name;   /* as given */
    double value, last; /* of a range or a course ("0.4 -> 9") both ends, else the same */
    bool rises;         /* written as a course that goes up */
    const struct measure *measure; /* NULL: the name says none */
    struct words label;            /* the words that are left: of which run it is */
    const char *run;               /* the run that it was given in; NULL = none */
    bool used;
};

struct free_figures {
    struct free_figure items[FREE_FIGURES_MAX];
    int n;
};

/* Reads a name and its value (a number, or a text with numbers) and adds it; `run` are the words of
 * the run that it was given in, or NULL. False when it has no number. */
bool figures_add(struct arena *arena, struct free_figures *figures, const char *name,
                 const char *run, double number, const char *text);

/* Compares all figures that measure one thing in runs that differ, and notes what follows. */
void figures_compare(struct arena *arena, struct free_figures *figures, struct symptoms *symptoms);

#endif
