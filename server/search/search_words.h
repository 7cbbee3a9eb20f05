/*
 * search_words.h - what a search's answer says in words.
 */
#ifndef REGIME_SEARCH_WORDS_H
#define REGIME_SEARCH_WORDS_H

#include "phrase.h"
#include "search_answer.h"

/* Replaces the phrase by why an item ranks behind the one before it, with the figures. */
void search_lost_by(const struct search_answer *answer, int item, struct phrase *phrase);

/* Replaces the phrase by how the shown price came about. */
void search_price_words(const struct part_price *price, struct phrase *phrase);

/* Replaces the phrase by what stands in the way of the nearest candidate. */
void search_binding_words(const struct search_item *nearest, struct phrase *phrase);

/* Replaces the phrase by a deployment in short: "llama-3.1-70b on 4 x h100-sxm: vllm, fp8, tp 4".
 */
void search_deployment_words(const struct plan_request *request, struct phrase *phrase);

#endif
