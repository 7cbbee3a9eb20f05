/*
 * failing_malloc.c - a library to preload: allocations that fail when a test says so.
 *
 * REGIME_ALLOCATIONS names a file that the test shares (failing_malloc.h): how many allocations are
 * still good before one fails, or all from then on.
 */
#include "failing_malloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "shared_file.h"

/* glibc's own, under the names that it keeps for this. */
extern void *own_malloc(size_t size) __asm__("__libc_malloc");
extern void *own_calloc(size_t n, size_t size) __asm__("__libc_calloc");
extern void *own_realloc(void *old, size_t size) __asm__("__libc_realloc");

static struct allocations *shared;

__attribute__((constructor)) static void begin(void)
{
    shared = shared_file("REGIME_ALLOCATIONS", sizeof(*shared));
}

static bool fails(void)
{
    if (!shared)
        return false;
    atomic_fetch_add(&shared->seen, 1);
    long left = atomic_load(&shared->good);
    if (left < 0)
        return false;
    left = atomic_fetch_sub(&shared->good, 1);
    if (left > 0)
        return false;
    if (left == 0 || atomic_load(&shared->all)) {
        if (atomic_load(&shared->all))
            atomic_store(&shared->good, 0);
        atomic_fetch_add(&shared->failed, 1);
        errno = ENOMEM;
        return true;
    }
    return false;
}

void *malloc(size_t size)
{
    return fails() ? NULL : own_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : own_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : own_realloc(old, size);
}
