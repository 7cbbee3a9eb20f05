#include "harness.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <curl/curl.h>

#define FLAGS_MAX 16
#define START_TIMEOUT_MS 30000
#define RAW_TIMEOUT_S 60
/* A store, what it exported, and the folders in that. */
#define FOLDER_LEVELS 3
#define RUN_TIMEOUT_S 120
#define LISTENING "listening on http"
#define HOST_AND_PORT "://127.0.0.1:"
#define HANDED_FD 3

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What the child gets besides its arguments. */
struct extras {
    int socket;   /* as systemd hands it over; -1 = none */
    int resource; /* RLIMIT_x of which it may have `most`, for good; -1 = as we have */
    rlim_t most;
};

static const struct extras NO_EXTRAS = {-1, -1, 0};

/* In the child: a socket where systemd would put it, and the variables that say so. */
static void hand_over(int socket)
{
    char pid[20];

    snprintf(pid, sizeof(pid), "%ld", (long)getpid());
    if (socket == HANDED_FD)
        fcntl(socket, F_SETFD, 0);
    else
        dup2(socket, HANDED_FD);
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
}

/* Forks the daemon's program; its outputs go to the pipe whose reading end is returned. */
static pid_t spawn(const char *const *argv, const struct extras *extras, int *ret_fd)
{
    int ends[2];

    /* execv() takes pointers it could write through, and does not */
    union {
        const char *const *ours;
        char *const *theirs;
    } arguments = {argv};

    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        const struct rlimit limit = {extras->most, extras->most};
        if (extras->resource >= 0)
            setrlimit(extras->resource, &limit);
        if (extras->socket >= 0)
            hand_over(extras->socket);
        execv(REGIMED, arguments.theirs);
        _exit(127);
    }
    close(ends[1]);
    *ret_fd = ends[0];
    return pid;
}

/* Reads the log until the daemon says where it listens (the last address it was given). */
static void wait_ready(struct daemon *daemon)
{
    double deadline = seconds_now() + START_TIMEOUT_MS / 1e3;
    size_t length = 0;

    while (!strstr(daemon->log, LISTENING) || daemon->log[length - 1] != '\n') {
        struct pollfd poller = {.fd = daemon->log_fd, .events = POLLIN};
        assert_true(seconds_now() < deadline);
        if (poll(&poller, 1, 100) <= 0)
            continue;
        ssize_t n = read(daemon->log_fd, daemon->log + length, sizeof(daemon->log) - 1 - length);
        if (n <= 0)
            fail_msg("the daemon ended: %s", daemon->log);
        length += (size_t)n;
        daemon->log[length] = '\0';
    }
    const char *scheme = strstr(daemon->log, LISTENING) + strlen(LISTENING);
    const char *port = strstr(scheme, HOST_AND_PORT);
    assert_non_null(port);
    daemon->port = (int)strtol(port + strlen(HOST_AND_PORT), NULL, 10);
    assert_true(daemon->port > 0);
    snprintf(daemon->url, sizeof(daemon->url), "http%s" HOST_AND_PORT "%d",
             *scheme == 's' ? "s" : "", daemon->port);
}

/* Starts on the daemon's folder; on a port of its own or, where there is one, on a socket. */
static void launch(struct daemon *daemon, const char *const *flags, const struct extras *extras)
{
    char db[100], values[FLAGS_MAX][200];
    const char *argv[FLAGS_MAX + 8] = {REGIMED, "--db", db};
    int n = 3;

    snprintf(db, sizeof(db), "%s/regime.db", daemon->folder);
    for (int i = 0; flags && flags[i]; i++) {
        const char *at = strchr(flags[i], '@');
        assert_true(i < FLAGS_MAX);
        if (at)
            snprintf(values[i], sizeof(values[i]), "%.*s%s%s", (int)(at - flags[i]), flags[i],
                     daemon->folder, at + 1);
        else
            snprintf(values[i], sizeof(values[i]), "%s", flags[i]);
        argv[n++] = values[i];
    }
    if (extras->socket < 0) {
        argv[n++] = "--listen";
        argv[n++] = "127.0.0.1:0";
    }
    argv[n] = NULL;
    daemon->pid = spawn(argv, extras, &daemon->log_fd);
    wait_ready(daemon);
}

void daemon_start(struct daemon *daemon, const char *const *flags)
{
    char folder[] = "/tmp/regime-api-XXXXXX";

    assert_non_null(mkdtemp(folder));
    daemon_start_in(daemon, folder, flags, -1);
}

void daemon_start_in(struct daemon *daemon, const char *folder, const char *const *flags,
                     int socket)
{
    memset(daemon, 0, sizeof(*daemon));
    snprintf(daemon->folder, sizeof(daemon->folder), "%s", folder);
    launch(daemon, flags, &(struct extras){socket, -1, 0});
}

void daemon_start_limited(struct daemon *daemon, int resource, rlim_t most)
{
    memset(daemon, 0, sizeof(*daemon));
    snprintf(daemon->folder, sizeof(daemon->folder), "/tmp/regime-api-XXXXXX");
    assert_non_null(mkdtemp(daemon->folder));
    launch(daemon, NULL, &(struct extras){-1, resource, most});
}

/* Waits for the end and keeps the folder. */
static int await_end(struct daemon *daemon)
{
    int status = 0;

    assert_int_equal(waitpid(daemon->pid, &status, 0), daemon->pid);
    close(daemon->log_fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int daemon_again(struct daemon *daemon, const char *const *flags)
{
    int status = await_end(daemon);

    memset(daemon->log, 0, sizeof(daemon->log));
    launch(daemon, flags, &NO_EXTRAS);
    return status;
}

static void remove_tree(const char *path, int levels)
{
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, NULL, NULL);

    for (int i = 0; i < n; i++) {
        char below[400];
        snprintf(below, sizeof(below), "%.120s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && unlink(below) != 0 && levels > 1)
            remove_tree(below, levels - 1);
        free(entries[i]);
    }
    free(entries);
    rmdir(path);
}

void daemon_remove_folder(const struct daemon *daemon)
{
    remove_tree(daemon->folder, FOLDER_LEVELS);
}

int daemon_wait(struct daemon *daemon)
{
    int status = await_end(daemon);

    daemon_remove_folder(daemon);
    return status;
}

int daemon_stop(struct daemon *daemon)
{
    kill(daemon->pid, SIGTERM);
    return daemon_wait(daemon);
}

int daemon_setup(void **state)
{
    static struct daemon daemon;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    daemon_start(&daemon, NULL);
    *state = &daemon;
    return 0;
}

int daemon_teardown(void **state)
{
    return daemon_stop(*state);
}

int run_program(const char *const *arguments, char *ret_output, size_t size)
{
    const char *argv[FLAGS_MAX + 2] = {REGIMED};
    size_t length = 0;
    int fd, status = 0;

    for (int i = 0; arguments[i]; i++)
        argv[i + 1] = arguments[i];
    pid_t pid = spawn(argv, &NO_EXTRAS, &fd);
    bool ended = false;
    double deadline = seconds_now() + RUN_TIMEOUT_S;
    while (!ended && seconds_now() < deadline)
        length += raw_read(fd, 100, ret_output + length, size - length, &ended);
    if (!ended)
        kill(pid, SIGKILL);
    close(fd);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A text that grows as curl delivers. */
struct text {
    char *bytes;
    size_t length;
};

static size_t collect(char *data, size_t size, size_t n, void *cls)
{
    struct text *text = cls;
    char *bytes = realloc(text->bytes, text->length + size * n + 1);

    if (!bytes)
        return 0;
    memcpy(bytes + text->length, data, size * n);
    text->bytes = bytes;
    text->length += size * n;
    bytes[text->length] = '\0';
    return size * n;
}

void http_request(const struct daemon *daemon, const char *method, const char *target,
                  const char *const *headers, const char *body, struct http_reply *ret_reply)
{
    struct text reply = {0}, head = {0};
    struct curl_slist *list = NULL;
    char url[8192];
    CURL *curl = curl_easy_init();

    assert_non_null(curl);
    snprintf(url, sizeof(url), "%s%s", daemon->url, target);
    for (int i = 0; headers && headers[i]; i++)
        list = curl_slist_append(list, headers[i]);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L); /* of a test's own certificate */
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
    if (body) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    }
    curl_easy_setopt(curl, CURLOPT_NOBODY, (long)(strcmp(method, "HEAD") == 0));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
    CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK)
        fail_msg("%s %.200s: %s", method, target, curl_easy_strerror(code));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &ret_reply->status);
    curl_slist_free_all(list);
    curl_easy_cleanup(curl);
    ret_reply->body = reply.bytes ? reply.bytes : calloc(1, 1);
    ret_reply->body_length = reply.length;
    ret_reply->headers = head.bytes ? head.bytes : calloc(1, 1);
}

void http_get(const struct daemon *daemon, const char *target, struct http_reply *ret_reply)
{
    http_request(daemon, "GET", target, NULL, NULL, ret_reply);
}

void reply_done(struct http_reply *reply)
{
    free(reply->body);
    free(reply->headers);
    memset(reply, 0, sizeof(*reply));
}

const char *reply_value(const struct http_reply *reply, const char *name)
{
    static char value[1000];
    size_t length = strlen(name);

    for (const char *line = reply->headers; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        line += length + 1;
        line += strspn(line, " ");
        snprintf(value, sizeof(value), "%.*s", (int)strcspn(line, "\r\n"), line);
        return value;
    }
    return NULL;
}

void assert_problem(const struct http_reply *reply, long status)
{
    if (reply->status != status)
        fail_msg("status %ld, expected %ld: %s", reply->status, status, reply->body);
    assert_string_equal(reply_value(reply, "Content-Type"), "application/problem+json");
    cJSON *problem = cJSON_Parse(reply->body);
    assert_non_null(problem);
    const char *const texts[] = {"type", "title", "detail"};
    for (size_t i = 0; i < 3; i++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(problem, texts[i]);
        assert_true(cJSON_IsString(text) && text->valuestring[0]);
    }
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(problem, "status")->valueint, status);
    assert_int_equal(reply->body[reply->body_length - 1], '\n');
    cJSON_Delete(problem);
}

int raw_connect(const struct daemon *daemon)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)daemon->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* The peer may close at any time: what it no longer takes is not sent. */
void raw_send(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        bytes += n;
        length -= (size_t)n;
    }
}

/* strcasestr() is no POSIX. */
static const char *find_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return text;
    return NULL;
}

size_t raw_read(int fd, int timeout_ms, char *ret_bytes, size_t size, bool *ret_closed)
{
    size_t length = 0;

    *ret_closed = false;
    while (length < size - 1) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        if (poll(&poller, 1, timeout_ms) <= 0)
            break;
        ssize_t n = read(fd, ret_bytes + length, size - 1 - length);
        if (n <= 0) {
            *ret_closed = true;
            break;
        }
        length += (size_t)n;
    }
    ret_bytes[length] = '\0';
    return length;
}

/* Whether the text holds a whole reply: its header and as many bytes as that announces. */
static bool is_whole(const char *text, size_t length)
{
    const char *end = strstr(text, "\r\n\r\n"),
               *announced = find_ignoring_case(text, "\r\nContent-Length: ");

    if (!end)
        return false;
    size_t body = announced && announced < end ? (size_t)strtol(announced + 18, NULL, 10) : 0;
    return length >= (size_t)(end + 4 - text) + body;
}

bool raw_exchange(const struct daemon *daemon, const char *bytes, char *ret_text, size_t size)
{
    int fd = raw_connect(daemon);
    double deadline = seconds_now() + RAW_TIMEOUT_S;
    size_t length = 0;
    bool closed = false;

    ret_text[0] = '\0';
    raw_send(fd, bytes, strlen(bytes));
    while (!closed && !is_whole(ret_text, length) && seconds_now() < deadline)
        length += raw_read(fd, 10, ret_text + length, size - length, &closed);
    if (!closed)
        raw_read(fd, 100, ret_text + length, size - length, &closed);
    close(fd);
    return closed;
}

bool raw_answered(int fd, int timeout_ms)
{
    char text[2000] = "";
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    return poll(&poller, 1, timeout_ms) > 0 && read(fd, text, sizeof(text) - 1) > 0 &&
           raw_status(text) == 200;
}

int raw_status(const char *text)
{
    return strncmp(text, "HTTP/1.", 7) == 0 && strlen(text) > 12 ? (int)strtol(text + 9, NULL, 10)
                                                                 : 0;
}
