/*
 * shared_file.h - what a preloaded library and the test that started the program both see.
 */
#ifndef REGIME_SHARED_FILE_H
#define REGIME_SHARED_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The bytes of the file that a variable names; NULL where there is none. */
static inline void *shared_file(const char *variable, size_t size)
{
    const char *path = getenv(variable);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    if (fd < 0)
        return NULL;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return memory != MAP_FAILED ? memory : NULL;
}

#endif
