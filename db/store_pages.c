/*
 * store_pages.c - built with _DEFAULT_SOURCE: madvise() is no part of POSIX, and posix_madvise()
 * keeps the pages.
 */
#include "store_pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "embedded.h"

void embedded_pages_drop(void)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t size = page > 0 ? (size_t)page : 1;
    /* Whole pages of the database alone; they are constant, so that nothing is lost. */
    size_t before = (size - (uintptr_t)EMBEDDED_DATABASE % size) % size;
    size_t length = (size_t)EMBEDDED_DATABASE_BYTES;

    union {
        const unsigned char *constant;
        void *pages; /* madvise() takes what it does not write to */
    } from = {EMBEDDED_DATABASE + before};

    if (length > before + size) {
        (void)madvise(from.pages, (length - before) / size * size, MADV_DONTNEED);
    }
}
