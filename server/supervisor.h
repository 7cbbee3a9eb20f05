/*
 * supervisor.h - what systemd hands to a service and wants to hear of it, without its library.
 *
 * Purpose: sockets that were opened before the start (sd_listen_fds(3)), and the messages of
 *          sd_notify(3): one datagram each to $NOTIFY_SOCKET.
 * Units:   microseconds of CLOCK_MONOTONIC.
 * Errors:  none: who is not supervised is told nothing.
 * Threads: one.
 */
#ifndef REGIME_SUPERVISOR_H
#define REGIME_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

/* The first descriptor that is handed over. */
#define SUPERVISOR_FIRST_FD 3

/* How many sockets this process was handed over, and not another: 0 to LISTEN_FDS. */
int supervisor_sockets(const char *const *environment);

struct supervisor {
    const char *socket;    /* $NOTIFY_SOCKET; NULL = none */
    uint64_t watchdog_us;  /* how often it wants to hear; 0 = not at all */
    uint64_t next_ping_us; /* when it does next */
};

/* Reads what the environment says. */
void supervisor_init(struct supervisor *ret_supervisor, const char *const *environment);

/* READY=1 with a line for systemctl, RELOADING=1 with the time, STOPPING=1. */
void supervisor_ready(const struct supervisor *supervisor, const char *status);
void supervisor_reloading(const struct supervisor *supervisor);
void supervisor_stopping(const struct supervisor *supervisor);

/* Pings the watchdog when half of its time is over. */
void supervisor_ping(struct supervisor *supervisor);

#endif
