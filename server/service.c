#include "service.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "http.h"
#include "listener.h"
#include "log.h"
#include "metrics.h"
#include "store.h"
#include "supervisor.h"
#include "tls_files.h"

#define EXIT_USAGE 2
#define DRAIN_POLL_MS 20
/* How long clients that keep a connection may still use it once the daemon stops. */
#define LINGER_MS 1000
#define TICK_MS 500
#define NS_PER_MS 1000000L
#define MS_PER_SECOND 1000L
/* Descriptors besides connections: the store, sockets, epoll. */
#define SPARE_DESCRIPTORS 128
#define GENERATIONS_MAX 4

struct server {
    struct store *store;
    struct app *app;
    struct listener listeners[LISTEN_MAX];
    int n_listeners;
    struct http *http;
    struct http *old[GENERATIONS_MAX]; /* generations whose connections are ending */
    int n_old;
    struct config config;
    struct tls_files tls; /* of the present generation; empty = plain */
    struct supervisor supervisor;
    struct service_sources sources;
};

long service_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS;
}

static enum log_format format_of(const struct config *config)
{
    return (enum log_format)config->log_format;
}

static bool refuse(const struct config *config, const char *why)
{
    log_say(format_of(config), LOG_LEVEL_ERROR, "%s", why);
    return false;
}

static void say(const struct server *server, const char *what)
{
    log_say(format_of(&server->config), LOG_LEVEL_INFO, "%s", what);
}

/* The signals that main waits for; every thread inherits the mask. */
static void block_signals(sigset_t *ret_signals)
{
    sigset_t blocked;

    sigemptyset(ret_signals);
    sigaddset(ret_signals, SIGTERM);
    sigaddset(ret_signals, SIGINT);
    sigaddset(ret_signals, SIGHUP);
    blocked = *ret_signals;
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

/* Raises the limit of descriptors to what the connections need, as far as the system lets. */
static void raise_descriptor_limit(const struct config *config)
{
    struct rlimit limit;
    rlim_t want = (rlim_t)(config->max_connections * 2 + SPARE_DESCRIPTORS);

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= want)
        return;
    limit.rlim_cur = want < limit.rlim_max ? want : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the start ---- */

/* Whether every address could be listened on, before anything is opened. */
static bool addresses_ok(const struct config *config)
{
    char error[LISTENER_ERROR_MAX];

    for (int i = 0; i < config->n_listen; i++)
        if (!listener_check(config->listen[i], error)) {
            fprintf(stderr, "regimed: %s\n", error);
            return false;
        }
    return true;
}

/* Sockets that were handed over, in place of the default address. */
static bool adopt_listeners(struct server *server, int n)
{
    char error[LISTENER_ERROR_MAX];

    for (int i = 0; i < n && server->n_listeners < LISTEN_MAX; i++) {
        if (!listener_adopt(SUPERVISOR_FIRST_FD + i, &server->listeners[server->n_listeners],
                            error))
            return refuse(&server->config, error);
        server->n_listeners++;
    }
    return true;
}

static bool open_listeners(struct server *server)
{
    const struct config *config = &server->config;
    char error[LISTENER_ERROR_MAX];
    int handed = supervisor_sockets(server->sources.environment);

    if (handed > 0 && !adopt_listeners(server, handed))
        return false;
    for (int i = 0; i < config->n_listen && (!handed || config->listen_given); i++) {
        if (server->n_listeners == LISTEN_MAX)
            return refuse(config, "more addresses than can be listened on");
        if (!listener_open(config->listen[i], &server->listeners[server->n_listeners], error))
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

static struct app_rules rules_of(const struct config *config)
{
    return (struct app_rules){.auth = {.read_closed = config->read_tokens_required,
                                       .writes_per_minute = (double)config->write_rate,
                                       .failures_per_minute = (double)config->auth_failure_rate,
                                       .requests_per_second = (double)config->request_rate},
                              .cors_origin = config->cors_origin};
}

/* Says what a request for a backup would be answered, while somebody looks. */
static void note_backup_folder(const struct config *config)
{
    if (config->backup_dir && access(config->backup_dir, W_OK | X_OK) != 0)
        log_say(format_of(config), LOG_LEVEL_ERROR, "%.200s: %s: POST /v1/admin/backup will fail",
                config->backup_dir,
                errno == ENOENT ? "there is no such folder" : "no file can be made in it");
}

/* The certificate of the settings; none is an empty one. */
static bool read_tls(const struct config *config, struct tls_files *ret_tls)
{
    char error[TLS_ERROR_MAX];

    *ret_tls = (struct tls_files){0};
    return !config->tls_cert || tls_files_read(config->tls_cert, config->tls_key, ret_tls, error) ||
           refuse(config, error);
}

/* Connections under these settings; NULL and a message. */
static struct http *start_http(struct server *server, const struct config *config,
                               const struct tls_files *tls)
{
    char error[HTTP_ERROR_MAX];

    raise_descriptor_limit(config);
    struct http *http = http_start(
        &(struct http_options){
            .app = server->app,
            .listeners = server->listeners,
            .n_listeners = server->n_listeners,
            .threads = thread_count(config),
            .max_connections = (unsigned)config->max_connections,
            .max_connections_per_ip = (unsigned)config->max_connections_per_ip,
            .idle_timeout_s = (unsigned)config->idle_timeout_s,
            .request_timeout_s = (unsigned)config->request_timeout_s,
            .tls = tls->cert ? tls : NULL,
            .wants_peers = config->request_rate > 0,
            .access_log = config->access_log,
            .log_format = format_of(config),
        },
        error);
    if (!http)
        (void)refuse(config, error);
    return http;
}

static bool start(struct server *server)
{
    char error[STORE_ERROR_MAX];

    if (!read_tls(&server->config, &server->tls) || !open_listeners(server))
        return false;
    if (!store_open(server->config.db, &server->store, error))
        return refuse(&server->config, error);
    server->app = app_new(&(struct app_options){.store = server->store,
                                                .rules = rules_of(&server->config),
                                                .backup_folder = server->config.backup_dir,
                                                .backups_kept = server->config.backup_keep});
    if (!server->app)
        return refuse(&server->config, "no memory");
    note_backup_folder(&server->config);
    server->http = start_http(server, &server->config, &server->tls);
    return server->http;
}

static void announce(const struct server *server)
{
    static const char PLAIN[] = "http:";
    const struct catalogue *catalogue = store_catalogue(server->store);
    size_t scheme = sizeof(PLAIN) - 1;

    for (int i = 0; i < server->n_listeners; i++) {
        const char *shown = server->listeners[i].shown;
        bool secure = server->tls.cert && strncmp(shown, PLAIN, scheme) == 0;
        log_say(format_of(&server->config), LOG_LEVEL_INFO,
                "%s listening on %s%s (%s, ready in %ld ms)", REGIME_VERSION,
                secure ? "https:" : "", secure ? shown + scheme : shown, catalogue->records_text,
                service_now_ms() - server->sources.begin_ms);
    }
    supervisor_ready(&server->supervisor, catalogue->records_text);
    store_release(server->store, catalogue);
}

/* ---- other settings ---- */

/* Ends the generations without connections, and the oldest where there are too many. */
static void sweep_old(struct server *server, int most)
{
    int kept = 0, n = server->n_old;

    for (int i = 0; i < n; i++) {
        bool must_go = n - i + kept > most;
        if (must_go || http_connections(server->old[i]) == 0)
            http_stop(server->old[i]);
        else
            server->old[kept++] = server->old[i];
    }
    server->n_old = kept;
}

/* A new generation under these settings; the present one accepts nothing more. */
static bool renew(struct server *server, const struct config *config)
{
    struct tls_files tls;
    const struct app_rules rules = rules_of(config);

    if (!read_tls(config, &tls))
        return false;
    struct http *http = start_http(server, config, &tls);
    if (!http || !app_set_rules(server->app, &rules)) {
        http_stop(http);
        tls_files_done(&tls);
        return false;
    }
    http_quiesce(server->http);
    sweep_old(server, GENERATIONS_MAX - 1);
    server->old[server->n_old++] = server->http;
    server->http = http;
    tls_files_done(&server->tls);
    server->tls = tls;
    return true;
}

static bool same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* Says which of the new settings wait for a restart. */
static void note_fixed(const struct config *old, const struct config *now)
{
    bool same = old->n_listen == now->n_listen;

    for (int i = 0; same && i < now->n_listen; i++)
        same = same_text(old->listen[i], now->listen[i]);
    if (!same || !same_text(old->db, now->db) || !same_text(old->backup_dir, now->backup_dir) ||
        old->backup_keep != now->backup_keep)
        (void)refuse(now, "another listen, db or backup-... holds after a restart");
}

static void reload(struct server *server)
{
    const struct service_sources *from = &server->sources;
    struct config config;
    char error[CONFIG_ERROR_MAX];

    supervisor_reloading(&server->supervisor);
    bool good = config_read(from->argc, from->argv, from->environment, &config, error);
    if (!good) {
        (void)refuse(&server->config, error);
    } else if (renew(server, &config)) {
        note_fixed(&server->config, &config);
        config_done(&server->config);
        server->config = config;
    } else {
        config_done(&config);
        good = false;
    }
    say(server, good ? "the settings were read again" : "the settings stay as they were");
    supervisor_ready(&server->supervisor, "serving");
}

/* Takes another certificate up; one that is refused is not read again until it changes. */
static void watch_tls(struct server *server)
{
    const struct config *config = &server->config;

    if (!server->tls.cert || !tls_files_changed(&server->tls, config->tls_cert, config->tls_key))
        return;
    bool good = renew(server, config);
    if (!good)
        tls_files_seen(&server->tls, config->tls_cert, config->tls_key);
    say(server, good ? "the certificate was read again" : "the certificate stays as it was");
}

/* ---- the end ---- */

static int open_connections(const struct server *server)
{
    int n = http_connections(server->http);

    for (int i = 0; i < server->n_old; i++)
        n += http_connections(server->old[i]);
    return n;
}

/* Waits until every connection has ended, or nothing is under way and clients had time to hear of
 * the end; at most until the deadline or a second signal. */
static void drain(struct server *server, const sigset_t *signals)
{
    long begin_ms = service_now_ms();
    long deadline_ms = begin_ms + server->config.drain_timeout_s * MS_PER_SECOND;
    struct timespec pause = {.tv_nsec = DRAIN_POLL_MS * NS_PER_MS};

    supervisor_stopping(&server->supervisor);
    app_drain(server->app);
    http_quiesce(server->http);
    for (int i = 0; i < server->n_listeners; i++)
        listener_refuse(&server->listeners[i]);
    while (open_connections(server) > 0 && service_now_ms() < deadline_ms) {
        bool idle = metrics_in_flight_now(app_metrics(server->app)) == 0;
        if ((idle && service_now_ms() - begin_ms >= LINGER_MS) ||
            sigtimedwait(signals, NULL, &pause) > 0)
            return;
    }
}

static void stop(struct server *server)
{
    http_stop(server->http);
    sweep_old(server, 0);
    app_free(server->app);
    if (server->store)
        store_close(server->store);
    for (int i = 0; i < server->n_listeners; i++)
        listener_close(&server->listeners[i]);
    tls_files_done(&server->tls);
    config_done(&server->config);
}

/* The signal that ends the daemon; in between it reloads and looks after itself. */
static int wait_for_end(struct server *server, const sigset_t *signals)
{
    for (;;) {
        struct timespec tick = {.tv_nsec = TICK_MS * NS_PER_MS};
        int signal = sigtimedwait(signals, NULL, &tick);
        if (signal == SIGTERM || signal == SIGINT)
            return signal;
        if (signal == SIGHUP)
            reload(server);
        watch_tls(server);
        sweep_old(server, GENERATIONS_MAX);
        supervisor_ping(&server->supervisor);
    }
}

int service_run(struct config *config, const struct service_sources *sources)
{
    struct server server = {.config = *config, .sources = *sources};
    sigset_t signals;

    if (!addresses_ok(config)) {
        config_done(config);
        return EXIT_USAGE;
    }
    block_signals(&signals);
    supervisor_init(&server.supervisor, sources->environment);
    if (!start(&server)) {
        stop(&server);
        return EXIT_FAILURE;
    }
    announce(&server);
    int signal = wait_for_end(&server, &signals);
    enum log_format format = format_of(&server.config);
    log_say(format, LOG_LEVEL_INFO, "stopping on %s", signal == SIGINT ? "SIGINT" : "SIGTERM");
    drain(&server, &signals);
    stop(&server);
    log_say(format, LOG_LEVEL_INFO, "stopped");
    return EXIT_SUCCESS;
}
