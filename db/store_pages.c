/* madvise() is no part of POSIX: posix_madvise() keeps the pages. */
#define _DEFAULT_SOURCE

#include "store_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "embedded.h"

void embedded_pages_drop(void)
{
    long page = sysconf(_SC_PAGESIZE);
    uintptr_t mask = page > 0 ? (uintptr_t)page - 1 : 0;
    /* Whole pages of the database alone; they are constant, so that nothing is lost. */
    uintptr_t from = ((uintptr_t)EMBEDDED_DATABASE + mask) & ~mask;
    uintptr_t to = ((uintptr_t)EMBEDDED_DATABASE + EMBEDDED_DATABASE_BYTES) & ~mask;
    if (mask > 0 && to > from) {
        (void)madvise((void *)from, to - from, MADV_DONTNEED);
    }
}
