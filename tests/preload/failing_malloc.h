/*
 * failing_malloc.h - what a test and the preloaded library share.
 */
#ifndef REGIME_FAILING_MALLOC_H
#define REGIME_FAILING_MALLOC_H

#include <stdatomic.h>

struct allocations {
    atomic_long good;   /* that are still good before the one that fails; below 0: all are */
    atomic_int all;     /* not one alone fails, but all from there on */
    atomic_long seen;   /* how many there were */
    atomic_long failed; /* how many of them failed */
};

#endif
