/*
 * ffn.h - the matrices of a feed-forward network, dense or mixture of experts.
 */
#ifndef REGIME_FFN_H
#define REGIME_FFN_H

#include "compiler.h"
#include "model.h"

/* Computes the derived fields of `ffn`. Returns the name of a missing field, or NULL when it went.
 */
MUST_USE const char *ffn_derive(struct ffn *ffn, double hidden);

#endif
