/*
 * phrase.h - figures as people read them, and sentences with figures in them.
 *
 * Purpose: a bounded text, numbers in readable units ("16.1 GB", "4.88 ms", "53,248"), and
 * templates whose holes are figures: formulas of classes, reasons of regimes, warnings. Units:
 * bytes, microseconds, shares of 1 in; the unit that reads best out. 1 GB = 1e9 bytes. Ownership: a
 * phrase is plain data on the stack. Errors:  what does not fit is cut between characters. Threads:
 * pure; no locale, no printf.
 */
#ifndef REGIME_PHRASE_H
#define REGIME_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#define PHRASE_MAX 640

struct phrase {
    size_t length;
    char text[PHRASE_MAX];
};

/* Empties it. */
void phrase_begin(struct phrase *phrase);
/* The text with a NUL behind it, valid until the next call on it. */
const char *phrase_text(struct phrase *phrase);

void phrase_add(struct phrase *phrase, const char *text);
void phrase_add_n(struct phrase *phrase, const char *text, size_t length);

/* To `digits` significant digits: 6.98e9, 295, 0.012; NAN is "no record". */
void phrase_number(struct phrase *phrase, double value, int digits);
/* The same without zeros at its end: 0.7. */
void phrase_plain(struct phrase *phrase, double value, int digits);
/* Rounded to a whole number with thousands set apart: 53,248. */
void phrase_whole(struct phrase *phrase, double value);
/* With that many decimals: 163.3. */
void phrase_fixed(struct phrase *phrase, double value, int decimals);
/* "16.1 GB", "131 kB". */
void phrase_bytes(struct phrase *phrase, double bytes);
/* "4.88 ms", "25.0 us", "1.20 s". */
void phrase_time(struct phrase *phrase, double us);
/* "13.9 GFLOP". */
void phrase_flops(struct phrase *phrase, double flops);
/* "87 %"; below ten percent with one decimal. */
void phrase_percent(struct phrase *phrase, double share);
/* "+71 %", "-4.2 %". */
void phrase_change(struct phrase *phrase, double change);
/* "0.19.1" */
void phrase_version(struct phrase *phrase, const int version[3]);

/* Figures by letter, for templates. */
#define FIGURES 64

struct figures {
    double number[FIGURES];
    const char *text[FIGURES];
};

/* Sets the figure of a letter ('A' to 'z'). */
void figure_set(struct figures *figures, char letter, double value);
void figure_name(struct figures *figures, char letter, const char *text);

/*
 * Adds the template; each hole is "{" kind letter "}". Kinds: n = 3 significant digits, w = whole,
 * f = one decimal, b = bytes, t = time, p = percent, s = text.
 */
void phrase_fill(struct phrase *phrase, const char *template, const struct figures *figures);

#endif
