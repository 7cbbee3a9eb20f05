/*
 * http.c - libmicrohttpd 0.9.75 and its traps.
 *
 * An exchange is one request and its reply. It begins with the request line (the library's URI
 * callback, the only place where the target is seen as it was sent), is fed by the access handler
 * and ends in the completion callback, which also sees aborted ones. Exchanges are kept per thread:
 * a request takes no lock and, with its arena's first chunk, calls malloc() not once.
 *
 * The library takes a reply only in the first call of the access handler (headers) and in the last
 * (body complete), and closes the connection after one in the first. So short bodies are read and
 * judged at the end; long, chunked and announced ones (Expect) are judged by their headers.
 */
#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "deadlines.h"
#include "exchange.h"
#include "http_headers.h"
#include "later.h"
#include "metrics.h"
#include "reply_stream.h"
#include "request_limits.h"
#include "routes.h"
#include "tls_files.h"
#include "trace.h"
#include "uri.h"

#define DAEMONS_MAX 8
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_US 1000
#define CHUNKED_START_BYTES (4 * KIB)
/* What is read and dropped of a chunked body over its limit before the connection is cut. */
#define DROPPED_MAX_BYTES (4 * MIB)

/* What TLS is spoken. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
/* Connections beyond the limit that are still accepted, to be told that they are too many. */
#define CROWD_SHARE 8
#define CROWD_MIN 16

struct http {
    struct app *app;
    struct metrics *metrics;
    uint64_t request_timeout_ns, head_timeout_ns;
    int max_connections;
    bool access_log, wants_peers;
    enum log_format log_format;
    atomic_bool closing; /* replies end their connection */
    atomic_int connections;
    struct deadlines *deadlines;
    pthread_key_t spares;         /* exchanges of each thread */
    pthread_t starter;            /* the thread whose messages are kept */
    char message[HTTP_ERROR_MAX]; /* the library's last one */
    struct MHD_Daemon *daemons[DAEMONS_MAX];
    int n_daemons;
    struct later *later;  /* answers requests that write */
    atomic_bool stopping; /* writes that wait are not begun any more */
};

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* What a connection has open. The library ends a request whose headers it cannot parse without
 * telling (300 cookies will do): then the end of the connection gives the exchange back. */
struct connection_state {
    struct exchange *open;
    struct deadline deadline;
    bool crowded; /* beyond the limit */
};

static struct connection_state *state_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

/* A reply has so long until it, or its next piece, is taken. */
static void give_reply_time(const struct exchange *exchange)
{
    if (exchange->deadline)
        deadline_move(exchange->deadline, now_ns() + REPLY_TIMEOUT_S * NS_PER_S);
}

/*
 * Sees the target before the library decodes it. The query is cut off in the library's own buffer
 * once it is copied: the library's parser of arguments would hang the connection at about 420 of
 * them, and its work is done here anyway.
 */
static void *on_request_line(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct http *http = cls;
    struct exchange *exchange = exchange_take(http->spares);
    char *query = strchr(target, '?');

    struct connection_state *state = state_of(connection);

    if (state) {
        state->open = exchange;
        deadline_move(&state->deadline, now_ns() + http->request_timeout_ns);
    }
    if (exchange) {
        struct arena *arena = exchange->arena;
        *exchange = (struct exchange){.http = http,
                                      .arena = arena,
                                      .begin_ns = now_ns(),
                                      .deadline = state ? &state->deadline : NULL};
        exchange->request =
            (struct request){.arena = arena, .peer = "", .crowded = state && state->crowded};
        char *copy = arena_copy(arena, target, strlen(target));
        if (copy)
            uri_parse(copy, &exchange->request);
    }
    if (query && query[1])
        query[1] = '\0';
    return exchange;
}

static enum method method_of(const char *name)
{
    static const struct {
        const char *name;
        enum method method;
    } METHODS[] = {{"GET", METHOD_GET},
                   {"POST", METHOD_POST},
                   {"HEAD", METHOD_HEAD},
                   {"OPTIONS", METHOD_OPTIONS}};

    for (size_t i = 0; i < ARRAY_LEN(METHODS); i++)
        if (strcmp(METHODS[i].name, name) == 0)
            return METHODS[i].method;
    return METHOD_OTHER;
}

static void find_peer(struct exchange *exchange, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    const void *bytes = NULL;

    if (address && address->sa_family == AF_INET)
        bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
    if (address && address->sa_family == AF_INET6)
        bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (bytes && inet_ntop(address->sa_family, bytes, exchange->peer, sizeof(exchange->peer)))
        exchange->request.peer = exchange->peer;
    else
        exchange->request.peer = "unix";
}

/* One line when the exchange ends. */
static void log_access(const struct exchange *exchange, bool aborted)
{
    const struct reply *reply = &exchange->reply;

    log_write_request(exchange->http->log_format,
                      &(struct log_request){
                          .request = &exchange->request,
                          .reply = reply,
                          .duration_us = (now_ns() - exchange->begin_ns) / NS_PER_US,
                          .reply_bytes = reply->stream ? exchange->streamed : reply->body_length,
                          .aborted = aborted,
                      });
}

/* Who has no id of its own gets one: it comes back with the reply and stands in the log. */
static void name_request(struct exchange *exchange)
{
    struct request *request = &exchange->request;

    if (!request_id_ok(request->request_id) && random_id(exchange->own_id, TRACE_ID_LENGTH))
        request->request_id = exchange->own_id;
}

/* A piece of a reply that is made while it is sent; who takes it has time to take it. */
static ssize_t on_stream(void *cls, uint64_t position, char *buffer, size_t size)
{
    struct exchange *exchange = cls;
    struct reply_stream *stream = exchange->reply.stream;
    long n = stream->read(stream, buffer, size);

    (void)position;
    give_reply_time(exchange);
    if (n == STREAM_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (n == STREAM_BROKEN)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    exchange->streamed += (uint64_t)n;
    return (ssize_t)n;
}

static struct MHD_Response *response_of(struct exchange *exchange)
{
    const struct reply *reply = &exchange->reply;

    /* the library takes a pointer it could write through, and does not */
    union {
        const char *ours;
        void *theirs;
    } body = {reply->body};

    if (reply->stream)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CONNECTION_MEMORY_BYTES,
                                                 on_stream, exchange, NULL);
    return MHD_create_response_from_buffer(reply->body_length, body.theirs, MHD_RESPMEM_PERSISTENT);
}

/* Hands the reply to the library; what it is sent from stays until the exchange ends. */
static enum MHD_Result send_reply(struct exchange *exchange, struct MHD_Connection *connection)
{
    const struct reply *reply = &exchange->reply;
    struct MHD_Response *response = response_of(exchange);

    if (!response)
        return MHD_NO;
    give_reply_time(exchange);
    bool good = true;
    if (reply->content_type)
        good = MHD_add_response_header(response, "Content-Type", reply->content_type) == MHD_YES;
    for (int i = 0; i < reply->n_headers; i++)
        good = MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value) ==
                   MHD_YES &&
               good;
    if (reply->close || atomic_load_explicit(&exchange->http->closing, memory_order_relaxed))
        good = MHD_add_response_header(response, "Connection", "close") == MHD_YES && good;
    enum MHD_Result result =
        good ? MHD_queue_response(connection, (unsigned)reply->status, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

/* The reply is made, and the connection goes on with it. */
static void answer_waiting(struct exchange *exchange, const char *refusal)
{
    struct MHD_Connection *connection = exchange->waiting;

    if (refusal) {
        exchange->request.refusal_status = 503;
        exchange->request.refusal = refusal;
    }
    app_handle(exchange->http->app, &exchange->request, &exchange->reply);
    exchange->answered = true;
    MHD_resume_connection(connection);
}

/* On the thread of writes. */
static void answer_later(void *job)
{
    struct exchange *exchange = job;

    answer_waiting(exchange, atomic_load(&exchange->http->stopping)
                                 ? "stopping: nothing was written; try again"
                                 : NULL);
}

/*
 * Leaves a write to its own thread; the library calls again when the connection is resumed. It is
 * suspended before it is queued: the other thread may resume it at once. The library does not look
 * at a suspended connection, so a client that leaves is noticed when its reply is sent.
 */
static enum MHD_Result answer_suspended(struct exchange *exchange,
                                        struct MHD_Connection *connection)
{
    exchange->waiting = connection;
    MHD_suspend_connection(connection);
    if (later_push(exchange->http->later, exchange))
        return MHD_YES;
    answer_waiting(exchange, "as many writes as may wait are waiting; try again");
    return MHD_YES;
}

static enum MHD_Result answer(struct exchange *exchange, struct MHD_Connection *connection)
{
    give_reply_time(exchange); /* a write may have to wait for others */
    if (app_writes(&exchange->request))
        return answer_suspended(exchange, connection);
    app_handle(exchange->http->app, &exchange->request, &exchange->reply);
    return send_reply(exchange, connection);
}

static enum MHD_Result on_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                 size_t name_length, const char *value, size_t value_length)
{
    (void)kind;
    (void)value_length;
    header_take(cls, name, name_length, value ? value : "");
    return MHD_YES;
}

/* Room for a body of `capacity` bytes and its NUL. */
static bool reserve_body(struct exchange *exchange, size_t capacity)
{
    exchange->body = arena_alloc_raw(exchange->arena, capacity + 1);
    exchange->capacity = capacity;
    return exchange->body;
}

/* A long, chunked or announced body: its headers decide before it is read. */
static enum MHD_Result admit_body(struct exchange *exchange, struct MHD_Connection *connection,
                                  size_t announced)
{
    size_t limit = app_admit(exchange->http->app, &exchange->request, announced, &exchange->reply);

    if (!limit) {
        exchange->reply.close = true;
        return send_reply(exchange, connection);
    }
    exchange->limit = limit;
    exchange->sink = app_body_sink(exchange->http->app, &exchange->request);
    if (exchange->sink) {
        exchange->request.sunk = exchange->sink->open(exchange->arena);
        return exchange->request.sunk ? MHD_YES : MHD_NO;
    }
    return reserve_body(exchange, announced == BODY_UNKNOWN ? CHUNKED_START_BYTES : announced)
               ? MHD_YES
               : MHD_NO;
}

/* The first call: method and headers. */
static enum MHD_Result begin(struct exchange *exchange, struct MHD_Connection *connection,
                             const char *method)
{
    struct request *request = &exchange->request;
    struct header_state state = {.request = request};
    size_t length;

    exchange->headers_seen = true;
    metrics_in_flight(exchange->http->metrics, 1);
    request->method = method_of(method);
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, on_header, &state);
    enum framing framing = header_framing(&state, &length);
    if (exchange->http->wants_peers || request->authorization)
        find_peer(exchange, connection);
    if (exchange->http->access_log)
        name_request(exchange);
    if (request->refusal)
        return answer(exchange, connection);
    if (framing == FRAMING_NONE)
        return MHD_YES;
    if (framing == FRAMING_CHUNKED)
        return admit_body(exchange, connection, BODY_UNKNOWN);
    if (length > DISCARD_MAX_BYTES || (state.expect && length))
        return admit_body(exchange, connection, length);
    exchange->limit = length;
    return reserve_body(exchange, length) ? MHD_YES : MHD_NO;
}

/* Makes room for `more` bytes of a chunked body, up to its limit. */
static bool grow_body(struct exchange *exchange, size_t more)
{
    size_t capacity = exchange->capacity;

    while (capacity - exchange->length < more)
        capacity *= 2;
    if (!arena_extend(exchange->arena, exchange->body, exchange->capacity + 1, capacity + 1)) {
        char *body = arena_alloc_raw(exchange->arena, capacity + 1);
        if (!body)
            return false;
        memcpy(body, exchange->body, exchange->length);
        exchange->body = body;
    }
    exchange->capacity = capacity;
    return true;
}

/* How long a body may take that has come so far; the connection's deadline goes along. */
static uint64_t body_time_ns(const struct exchange *exchange)
{
    uint64_t time_ns = exchange->http->request_timeout_ns;

    if (!exchange->sink)
        return time_ns;
    time_ns += exchange->length / SUNK_BYTES_PER_S * NS_PER_S;
    if (exchange->deadline)
        deadline_move(exchange->deadline, exchange->begin_ns + time_ns);
    return time_ns;
}

/*
 * A piece of the body. No reply can be queued here: what is over the limit is dropped and refused
 * at the end, and who sends for too long or far too much loses the connection.
 */
static enum MHD_Result take_piece(struct exchange *exchange, const char *piece, size_t size)
{
    if (now_ns() - exchange->begin_ns > body_time_ns(exchange))
        return MHD_NO;
    if (exchange->dropped || size > exchange->limit - exchange->length) {
        exchange->dropped += size;
        return exchange->dropped <= DROPPED_MAX_BYTES ? MHD_YES : MHD_NO;
    }
    if (exchange->sink) {
        exchange->sink->feed(exchange->request.sunk, piece, size);
        exchange->length += size;
        return MHD_YES;
    }
    if (size > exchange->capacity - exchange->length && !grow_body(exchange, size))
        return MHD_NO;
    memcpy(exchange->body + exchange->length, piece, size);
    exchange->length += size;
    return MHD_YES;
}

/* The last call: the body is complete. */
static enum MHD_Result complete(struct exchange *exchange, struct MHD_Connection *connection)
{
    struct request *request = &exchange->request;

    if (exchange->dropped) {
        request->refusal_status = 413;
        request->refusal = arena_printf(
            exchange->arena, "the body is longer than the %zu bytes that this path takes",
            exchange->limit);
    }
    if (exchange->sink) {
        request->body = "";
    } else if (exchange->body) {
        exchange->body[exchange->length] = '\0';
        request->body = exchange->body;
        request->body_length = exchange->length;
    }
    return answer(exchange, connection);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **state)
{
    struct exchange *exchange = *state;

    (void)cls;
    (void)url;
    (void)version;
    if (!exchange || !exchange->request.raw_path)
        return MHD_NO; /* no memory */
    if (exchange->answered) {
        exchange->answered = false;
        return send_reply(exchange, connection);
    }
    if (!exchange->headers_seen)
        return begin(exchange, connection, method);
    if (!*upload_size)
        return complete(exchange, connection);
    size_t size = *upload_size;
    *upload_size = 0;
    return take_piece(exchange, upload, size);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct http *http = cls;
    struct exchange *exchange = *state;
    struct connection_state *connected = state_of(connection);

    *state = NULL;
    if (connected) {
        connected->open = NULL;
        deadline_move(&connected->deadline, now_ns() + http->head_timeout_ns);
    }
    if (!exchange)
        return;
    if (exchange->headers_seen)
        metrics_in_flight(http->metrics, -1);
    if (exchange->headers_seen && http->access_log)
        log_access(exchange, code != MHD_REQUEST_TERMINATED_COMPLETED_OK);
    exchange_give(http->spares, exchange);
}

static void *connection_begin(struct http *http, struct MHD_Connection *connection)
{
    struct connection_state *state = calloc(1, sizeof(*state));
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (!state || !info) {
        free(state);
        return NULL;
    }
    state->crowded = atomic_load(&http->connections) > http->max_connections;
    deadline_begin(http->deadlines, &state->deadline, info->connect_fd,
                   now_ns() + http->head_timeout_ns);
    return state;
}

static void connection_end(struct http *http, struct connection_state *state)
{
    deadline_end(http->deadlines, &state->deadline);
    if (state->open)
        exchange_give(http->spares, state->open);
    free(state);
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http *http = cls;
    int more = code == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1;

    atomic_fetch_add(&http->connections, more);
    metrics_connection(http->metrics, more);
    if (more > 0) {
        *socket_context = connection_begin(http, connection);
    } else if (*socket_context) {
        connection_end(http, *socket_context);
        *socket_context = NULL;
    }
}

/* The pool's messages are about clients that went away; those of the starting thread say why it
 * failed. */
__attribute__((format(printf, 2, 0))) static void on_message(void *cls, const char *format,
                                                             va_list arguments)
{
    struct http *http = cls;

    if (!pthread_equal(http->starter, pthread_self()))
        return;
    vsnprintf(http->message, sizeof(http->message), format, arguments);
    http->message[strcspn(http->message, "\r\n")] = '\0';
}

/* How many connections are accepted: those of the limit, and some to be told that they are too
 * many. */
static unsigned accepted_connections(const struct http_options *options)
{
    unsigned crowd = options->max_connections / CROWD_SHARE;

    return options->max_connections + (crowd < CROWD_MIN ? CROWD_MIN : crowd);
}

static struct MHD_Daemon *start_daemon(struct http *http, const struct http_options *options,
                                       const struct listener *listener)
{
    char priorities[] = TLS_PRIORITIES;
    const struct tls_files *tls = listener->local ? NULL : options->tls;
    const struct MHD_OptionItem secure[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, tls ? tls->cert : NULL},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, tls ? tls->key : NULL},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    const struct MHD_OptionItem items[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_message, http},
        {MHD_OPTION_LISTEN_SOCKET, listener->fd, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_request_line, http},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, http},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, http},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)accepted_connections(options), NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, (intptr_t)options->max_connections_per_ip, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)options->idle_timeout_s, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)CONNECTION_MEMORY_BYTES, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        /* a pool of one is refused by the library: the ending item comes early */
        {options->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
         (intptr_t)options->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME;

    return MHD_start_daemon(tls ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, on_request, http,
                            MHD_OPTION_ARRAY, items, tls ? MHD_OPTION_ARRAY : MHD_OPTION_END,
                            secure, MHD_OPTION_END);
}

struct http *http_start(const struct http_options *options, char ret_error[HTTP_ERROR_MAX])
{
    struct http *http = calloc(1, sizeof(*http));

    snprintf(ret_error, HTTP_ERROR_MAX, "no memory");
    if (!http)
        return NULL;
    if (!exchanges_init(&http->spares)) {
        free(http);
        return NULL;
    }
    http->app = options->app;
    http->metrics = app_metrics(options->app);
    http->request_timeout_ns = options->request_timeout_s * NS_PER_S;
    http->head_timeout_ns = http->request_timeout_ns + options->idle_timeout_s * NS_PER_S;
    http->max_connections = (int)options->max_connections;
    http->access_log = options->access_log;
    http->log_format = options->log_format;
    http->wants_peers = options->access_log || options->wants_peers;
    http->starter = pthread_self();
    http->later = later_new(answer_later);
    http->deadlines = deadlines_new();
    if (!http->later || !http->deadlines) {
        http_stop(http);
        return NULL;
    }
    for (int i = 0; i < options->n_listeners && i < DAEMONS_MAX; i++) {
        struct MHD_Daemon *daemon = start_daemon(http, options, &options->listeners[i]);
        if (!daemon) {
            snprintf(ret_error, HTTP_ERROR_MAX, "%s", http->message);
            http_stop(http);
            return NULL;
        }
        http->daemons[http->n_daemons++] = daemon;
    }
    return http;
}

int http_connections(const struct http *http)
{
    return atomic_load(&http->connections);
}

void http_quiesce(struct http *http)
{
    atomic_store(&http->closing, true);
    for (int i = 0; i < http->n_daemons; i++)
        MHD_quiesce_daemon(http->daemons[i]);
}

void http_stop(struct http *http)
{
    if (!http)
        return;
    http_quiesce(http); /* or the library closes the listeners' descriptors */
    atomic_store(&http->stopping, true);
    later_stop(http->later); /* the library must not stop with suspended connections */
    for (int i = 0; i < http->n_daemons; i++)
        MHD_stop_daemon(http->daemons[i]);
    later_free(http->later); /* until now connections could push */
    deadlines_free(http->deadlines);
    exchanges_done(http->spares);
    free(http);
}
