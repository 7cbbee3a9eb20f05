/*
 * memory_sglang.h - the memory fraction that SGLang starts with when none is given.
 *
 * Purpose: mem_fraction_static = (T - reserve) / T, rounded to three digits; the reserve is by
 *          version: a share by ranks, then by the size of the part, then by chunk and graphs.
 * Source:  github.com/sgl-project/sglang, python/sglang/srt/server_args.py (pull request 10975).
 */
#ifndef REGIME_MEMORY_SGLANG_H
#define REGIME_MEMORY_SGLANG_H

#include "deployment.h"

/* Of a deployment whose version, ranks and chunk are settled; other fields count where stated. */
double memory_sglang_fraction(const struct deployment *dep, const struct model *model,
                              const struct hardware *hw);

#endif
