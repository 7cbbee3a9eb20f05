/*
 * harness.h - starts the real daemon on a free port and talks to it, over libcurl or raw sockets.
 *
 * Ownership: a reply's texts live until reply_done(); a daemon until daemon_stop().
 * Errors:  what should not fail in a test fails the test.
 */
#ifndef REGIME_HARNESS_H
#define REGIME_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Sanitizers want no library in front of their own: nothing is preloaded under them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* A plan that every store can make. */
#define PLAN_BODY "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}"

struct daemon {
    pid_t pid;
    int port;        /* 0 for a unix socket */
    char folder[64]; /* its own temporary folder */
    char url[64];    /* "http://127.0.0.1:PORT", or https */
    char log[4000];  /* what it wrote to stderr until it was ready */
    int log_fd;
};

/*
 * Starts the daemon on 127.0.0.1 with a store in a new folder; `flags` (NULL ends, may be NULL) are
 * added. "@" at the start of a flag's value is replaced by the folder.
 */
void daemon_start(struct daemon *daemon, const char *const *flags);
/* The same in a folder that is there, on a listening socket that it is handed (-1: a port of its
 * own), as systemd starts it. */
void daemon_start_in(struct daemon *daemon, const char *folder, const char *const *flags,
                     int socket);
/* The same in a new folder, with so much of a resource (RLIMIT_x) and no way to more. */
void daemon_start_limited(struct daemon *daemon, int resource, rlim_t most);
/* SIGTERM, waits, removes the folder; the exit status. */
int daemon_stop(struct daemon *daemon);
/* Waits for the end of one that was told to stop or killed, and starts it on the same folder; the
 * first one's exit status, or minus the signal. */
int daemon_again(struct daemon *daemon, const char *const *flags);
/* A group's setup and teardown: one daemon for all its tests, in *state. */
int daemon_setup(void **state);
int daemon_teardown(void **state);
/* Waits for the end; the exit status, or minus the signal. */
int daemon_wait(struct daemon *daemon);
void daemon_remove_folder(const struct daemon *daemon);

/* Runs the daemon's program to its end; exit status, and its two outputs in ret_output. */
int run_program(const char *const *arguments, char *ret_output, size_t size);

struct http_reply {
    long status;
    char *body, *headers; /* NUL-terminated; headers as received */
    size_t body_length;
};

/* A request by libcurl; headers (NULL ends, may be NULL) as "Name: value"; body NULL = none. */
void http_request(const struct daemon *daemon, const char *method, const char *target,
                  const char *const *headers, const char *body, struct http_reply *ret_reply);
void http_get(const struct daemon *daemon, const char *target, struct http_reply *ret_reply);
void reply_done(struct http_reply *reply);

/* The value of a reply's header into a static buffer; NULL when it is absent. */
const char *reply_value(const struct http_reply *reply, const char *name);

/* Fails the test unless the reply is a problem document of that status. */
void assert_problem(const struct http_reply *reply, long status);

int raw_connect(const struct daemon *daemon);
void raw_send(int fd, const char *bytes, size_t length);
/* Reads until the peer closes or nothing came for timeout_ms; the length; *ret_closed tells which.
 */
size_t raw_read(int fd, int timeout_ms, char *ret_bytes, size_t size, bool *ret_closed);
/* Whether a reply of 200 begins to come within that time. */
bool raw_answered(int fd, int timeout_ms);
/* Connects, sends, reads one reply within 4 s, closes; whether the daemon had closed the
 * connection. */
bool raw_exchange(const struct daemon *daemon, const char *bytes, char *ret_text, size_t size);
/* The status in a raw reply's first line; 0 when there is none. */
int raw_status(const char *text);

double seconds_now(void);

#endif
