/*
 * surface.h - the time of a step as a function of its rows, its context and its pieces of prompts.
 *
 * Purpose: what a replay asks thousands of times. A step is evaluated class by class at a few
 *          numbers of rows, when they are first needed; between two of them its time without
 *          attention is a straight line. Attention is linear in sequences and cached tokens, that
 * of a prompt in its pieces, new tokens and query-key pairs. Units:   microseconds, tokens, rows of
 * one rank; times of one pipeline stage. Ownership: plain data; borrows the prepared problem.
 */
#ifndef REGIME_SURFACE_H
#define REGIME_SURFACE_H

#include "step.h"

#define SURFACE_POINTS 28

struct surface {
    const struct prepared *prep;
    double context_tokens;
    double decode_us[SURFACE_POINTS], chunk_us[SURFACE_POINTS]; /* no attention; NAN = not yet */
    double chunk_launch_us[SURFACE_POINTS];
    double base_us, row_us, token_us; /* decode attention: of a step, a sequence, a token */
    double piece_us, new_us, pair_us; /* prefill attention: of a piece, a token, a pair */
    double launch_us, host_us, host_row_us, serial_us, serial_row_us;
};

/* A surface around that many sequences of the problem's lengths, prompts cut into chunks of
 * chunk_tokens. */
void surface_begin(const struct prepared *prep, double rows, double chunk_tokens,
                   struct surface *ret_surface);

/* One decode step of `rows` sequences with `context` cached tokens in all. */
double surface_decode(struct surface *surface, double rows, double context);

/* One step with `fresh` prompt tokens, whose attention takes prompt_us, beside those decodes. */
double surface_mixed(struct surface *surface, double rows, double context, double fresh,
                     double prompt_us);

/* Attention of `fresh` prompt tokens after `before` others of the same prompt. */
double surface_piece(const struct surface *surface, double fresh, double before);

/* Whether a class of a prefill is a request's, once, and no step's: text work, a transfer. */
bool surface_is_once(enum class_id id);

#endif
