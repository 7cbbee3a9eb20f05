/*
 * mixer.h - the table of mixer kinds: what each caches, multiplies and keeps.
 *
 * Purpose: one row per kind; model_derive() walks it, a new kind is a new row.
 * Units:   elements and parameters of one layer.
 * Threads: pure functions over constant tables.
 */
#ifndef REGIME_MIXER_H
#define REGIME_MIXER_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

/* A given field of struct mixer that a kind cannot do without: it must be positive. */
struct mixer_need {
    const char *field;
    size_t offset;
};

#define MIXER_NEED(FIELD) #FIELD, offsetof(struct mixer, FIELD)

struct mixer_info {
    const char *title;                                  /* for people: "sliding window" */
    void (*derive)(struct mixer *mixer, double hidden); /* fills the derived fields */
    const struct mixer_need *needs;                     /* a NULL field ends */
    bool windowed;                                      /* keeps window_tokens of the context */
    bool latent;                                        /* multi-head latent attention */
    bool state;                                         /* keeps a state per sequence */
};

const struct mixer_info *mixer_info(enum mixer_kind kind);

/* Appends one weight matrix to `mixer` and counts it. */
struct linear *mixer_add_linear(struct mixer *mixer, const char *what, double k, double n,
                                enum shard shard);

/* The derive functions of the rows: attention in mixer_attention.c, latents in mixer_latent.c,
 * recurrent kinds in mixer_state.c. */
void mixer_attention_derive(struct mixer *mixer, double hidden);
void mixer_cross_derive(struct mixer *mixer, double hidden);
void mixer_mla_derive(struct mixer *mixer, double hidden);
void mixer_swa_latent_derive(struct mixer *mixer, double hidden);
void mixer_csa_derive(struct mixer *mixer, double hidden);
void mixer_hca_derive(struct mixer *mixer, double hidden);
void mixer_gated_delta_derive(struct mixer *mixer, double hidden);
void mixer_kda_derive(struct mixer *mixer, double hidden);
void mixer_lightning_derive(struct mixer *mixer, double hidden);
void mixer_mamba1_derive(struct mixer *mixer, double hidden);
void mixer_mamba2_derive(struct mixer *mixer, double hidden);
void mixer_short_conv_derive(struct mixer *mixer, double hidden);

#endif
