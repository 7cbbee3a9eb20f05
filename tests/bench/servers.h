/*
 * servers.h - the servers that benchmarks load, on core 0, and what the kernel says of them.
 *
 * Ownership: processes end with server_end(), and with the benchmark whatever happens.
 */
#ifndef REGIME_SERVERS_H
#define REGIME_SERVERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "http_load.h"

/* A port of this machine that is free now; -1 when there is none. */
int server_free_port(void);

/* Starts a program on the first `cores` cores; "argv" ends with NULL. */
pid_t server_start(const char *const *argv, size_t cores);

/* The daemon with a thread per core on that port; `db` NULL: the embedded records. */
pid_t server_start_daemon(int port, const char *db, size_t cores);

/* Connects as soon as it listens; false when it does not within some seconds. */
bool server_wait(struct load *load, int port);

/* Resident memory, kB; 0 when the process is gone. */
long server_rss_kb(pid_t pid);

/* Prints it, and its peak, as the kernel does. */
void server_print_memory(pid_t pid);

/* Runs a program to its end; the start of what it prints. False when it fails. */
bool server_run(const char *const *argv, char *ret_output, size_t room);

/* Removes a folder with all that is in it. */
bool server_folder_remove(const char *folder);

/* Sends the signal and waits for the end. */
void server_end(pid_t pid, int signal);

#endif
