/*
 * phrases.h - what people say of a slow deployment, as signs and topics.
 *
 * Purpose: a table of patterns of words. Words are weaker evidence than figures, so what they set
 *          is less sure.
 * Ownership: texts live in the arena.
 * Threads: pure; tables are constant.
 */
#ifndef REGIME_PHRASES_H
#define REGIME_PHRASES_H

#include "symptoms.h"
#include "words.h"

/* What a text is. */
enum phrase_channel {
    CHANNEL_STATEMENT = 1 << 0, /* what somebody saw: a title, a symptom, what changed */
    CHANNEL_SETUP = 1 << 1      /* what is deployed: model, part, engine, flags, features */
};

/* Sets the signs and topics that a text speaks of, and comparisons that a sentence draws ("LoRA is
 * 40 % slower"). True when it says anything. */
bool phrases_read(struct arena *arena, const char *text, enum phrase_channel channel,
                  struct symptoms *symptoms);

/* How much of a topic the words of one run's name say: 1 = has it, -1 = has it not, 0 = nothing;
 * *ret_amount is its number ("tp4" is 4), NAN without one. */
int phrases_topic(const struct words *words, enum topic_id topic, double *ret_amount);

#endif
