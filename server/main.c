/*
 * main.c - the daemon's life: settings, store, sockets, signals, and the way down.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "command.h"
#include "config.h"
#include "healthcheck.h"
#include "http.h"
#include "listener.h"
#include "log.h"
#include "metrics.h"
#include "store.h"

#define EXIT_USAGE 2
#define DRAIN_POLL_MS 20
#define NS_PER_MS 1000000L
#define MS_PER_SECOND 1000L
/* Descriptors besides connections: the store, sockets, epoll. */
#define SPARE_DESCRIPTORS 64

extern char **environ;

struct server {
    struct store *store;
    struct app *app;
    struct listener listeners[LISTEN_MAX];
    int n_listeners;
    struct http *http;
};

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS;
}

static bool fail(const char *what)
{
    fprintf(stderr, "regimed: %s\n", what);
    return false;
}

/* The signals that end the daemon; every thread inherits the mask, main waits for them. */
static void block_signals(sigset_t *ret_signals)
{
    sigset_t blocked;

    sigemptyset(ret_signals);
    sigaddset(ret_signals, SIGTERM);
    sigaddset(ret_signals, SIGINT);
    blocked = *ret_signals;
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

/* Raises the limit of descriptors to what the connections need, as far as the system lets. */
static void raise_descriptor_limit(const struct config *config)
{
    struct rlimit limit;
    rlim_t want = (rlim_t)(config->max_connections * config->n_listen + SPARE_DESCRIPTORS);

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= want)
        return;
    limit.rlim_cur = want < limit.rlim_max ? want : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Whether every address could be listened on, before anything is opened. */
static bool addresses_ok(const struct config *config)
{
    char error[LISTENER_ERROR_MAX];

    for (int i = 0; i < config->n_listen; i++)
        if (!listener_check(config->listen[i], error))
            return fail(error);
    return true;
}

/* A start that fails. */
static bool refuse(const struct config *config, const char *why)
{
    log_say((enum log_format)config->log_format, LOG_LEVEL_ERROR, "%s", why);
    return false;
}

static bool open_listeners(struct server *server, const struct config *config)
{
    char error[LISTENER_ERROR_MAX];

    for (int i = 0; i < config->n_listen; i++) {
        if (!listener_open(config->listen[i], &server->listeners[i], error))
            return refuse(config, error);
        server->n_listeners++;
    }
    return true;
}

static unsigned thread_count(const struct config *config)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (config->threads > 0)
        return (unsigned)config->threads;
    return cores > 1 ? (unsigned)cores : 1;
}

static bool start(struct server *server, const struct config *config)
{
    char store_error[STORE_ERROR_MAX], http_error[HTTP_ERROR_MAX];

    if (!open_listeners(server, config))
        return false;
    if (!store_open(config->db, &server->store, store_error))
        return refuse(config, store_error);
    server->app = app_new(
        &(struct app_options){.store = server->store,
                              .rules = {.read_closed = config->read_tokens_required,
                                        .writes_per_minute = (double)config->write_rate,
                                        .failures_per_minute = (double)config->auth_failure_rate}});
    if (!server->app)
        return refuse(config, "no memory");
    raise_descriptor_limit(config);
    server->http = http_start(
        &(struct http_options){
            .app = server->app,
            .listeners = server->listeners,
            .n_listeners = server->n_listeners,
            .threads = thread_count(config),
            .max_connections = (unsigned)config->max_connections,
            .max_connections_per_ip = (unsigned)config->max_connections_per_ip,
            .idle_timeout_s = (unsigned)config->idle_timeout_s,
            .request_timeout_s = (unsigned)config->request_timeout_s,
            .access_log = config->access_log,
            .log_format = (enum log_format)config->log_format,
        },
        http_error);
    return server->http || refuse(config, http_error);
}

static void announce(const struct server *server, const struct config *config, long begin_ms)
{
    const struct catalogue *catalogue = store_catalogue(server->store);

    for (int i = 0; i < server->n_listeners; i++)
        log_say((enum log_format)config->log_format, LOG_LEVEL_INFO,
                "%s listening on %s (%s, ready in %ld ms)", REGIME_VERSION,
                server->listeners[i].shown, catalogue->records_text, now_ms() - begin_ms);
    store_release(server->store, catalogue);
}

/* Waits until nothing is under way, the deadline passes or a second signal comes. */
static void drain(struct server *server, const struct config *config, const sigset_t *signals)
{
    long deadline_ms = now_ms() + config->drain_timeout_s * MS_PER_SECOND;
    struct timespec pause = {.tv_nsec = DRAIN_POLL_MS * NS_PER_MS};

    app_drain(server->app);
    http_quiesce(server->http);
    for (int i = 0; i < server->n_listeners; i++)
        listener_close(&server->listeners[i]);
    while (metrics_in_flight_now(app_metrics(server->app)) > 0 && now_ms() < deadline_ms)
        if (sigtimedwait(signals, NULL, &pause) > 0)
            return;
}

static void stop(struct server *server)
{
    http_stop(server->http);
    app_free(server->app);
    if (server->store)
        store_close(server->store);
    for (int i = 0; i < server->n_listeners; i++)
        listener_close(&server->listeners[i]);
}

static int serve(const struct config *config, long begin_ms)
{
    enum log_format format = (enum log_format)config->log_format;
    struct server server = {0};
    sigset_t signals;
    int signal = 0;

    block_signals(&signals);
    if (!start(&server, config)) {
        stop(&server);
        return EXIT_FAILURE;
    }
    announce(&server, config, begin_ms);
    while (sigwait(&signals, &signal) != 0) {
    }
    log_say(format, LOG_LEVEL_INFO, "stopping on %s", signal == SIGINT ? "SIGINT" : "SIGTERM");
    drain(&server, config, &signals);
    stop(&server);
    log_say(format, LOG_LEVEL_INFO, "stopped");
    return EXIT_SUCCESS;
}

static int check(const char *target)
{
    char error[LISTENER_ERROR_MAX];

    return healthcheck(target, error) || fail(error) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    long begin_ms = now_ms();
    struct config config;
    char error[CONFIG_ERROR_MAX];

    if (command_is_named(argc, argv))
        return command_run(argc, argv);
    if (!config_read(argc, (const char *const *)argv, (const char *const *)environ, &config,
                     error)) {
        fail(error);
        return EXIT_USAGE;
    }
    if (config.help) {
        config_help(stdout);
        command_help(stdout);
        return EXIT_SUCCESS;
    }
    if (config.version) {
        puts("regimed " REGIME_VERSION);
        return EXIT_SUCCESS;
    }
    if (config.healthcheck)
        return check(config.healthcheck);
    return addresses_ok(&config) ? serve(&config, begin_ms) : EXIT_USAGE;
}
