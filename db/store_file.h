/*
 * store_file.h - the store's file as the file system sees it.
 *
 * Purpose: notice that a file was removed, replaced or cut under an open store, and clear away what
 *          a killed creation left.
 * Threads: store_file_note() before others look; store_file_is_whole() on any.
 */
#ifndef REGIME_STORE_FILE_H
#define REGIME_STORE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

/* What stands between a store's path and the process id in the name of one that is being made. */
#define STORE_FRESH_INFIX ".new-"

/* The descriptor stays open as long as SQLite has the file: closing any descriptor of a file drops
 * all locks that the process holds on it (POSIX), and another process would take the store for
 * unused. */
struct store_file {
    int fd; /* -1 = none */
    dev_t device;
    ino_t inode;
    _Atomic long long bytes; /* the most that it had: a database file never shrinks by itself */
};

/* Takes note of the file at `path`; false when it cannot be looked at. */
bool store_file_note(struct store_file *file, const char *path);

/* Lets go of it, after SQLite has. */
void store_file_done(struct store_file *file);

/* Whether it is still there, the same, no shorter and a database; NULL, or why it is not. Costs
 * three system calls. */
const char *store_file_trouble(struct store_file *file, const char *path);

/* Removes PATH.new-PID of processes that are gone, with what SQLite puts beside. */
void store_file_clear_fresh(const char *path);

#endif
