#include "servers.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu_clock.h"

#define START_TRIES 500

int server_free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int port = -1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    close(fd);
    return port;
}

pid_t server_start(const char *const *argv, size_t cores)
{
    union {
        const char *const *ours;
        char *const *theirs;
    } arguments = {argv};

    pid_t pid = fork();
    if (pid != 0)
        return pid;
    pin_to_cores(0, cores);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* it never outlives the benchmark */
    execvp(argv[0], arguments.theirs);
    _exit(127);
}

pid_t server_start_daemon(int port, const char *db, size_t cores)
{
    char listen[32], threads[24];
    snprintf(listen, sizeof listen, "127.0.0.1:%d", port);
    snprintf(threads, sizeof threads, "%zu", cores);
    const char *argv[] = {REGIMED,
                          "--threads",
                          threads,
                          "--listen",
                          listen,
                          db ? "--db" : NULL,
                          db,
                          db ? "--write-rate" : NULL,
                          db ? "0" : NULL,
                          NULL};
    return server_start(argv, cores);
}

bool server_wait(struct load *load, int port)
{
    const struct timespec pause = {.tv_nsec = 10000000L};
    for (int i = 0; i < START_TRIES; i++) {
        if (load_open(load, port))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* The line of /proc/PID/status that begins so; "" when there is none. */
static void status_line(pid_t pid, const char *begin, char ret_line[256])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "r");
    bool found = false;
    while (status && !found && fgets(ret_line, 256, status))
        found = strncmp(ret_line, begin, strlen(begin)) == 0;
    if (!found)
        ret_line[0] = '\0';
    if (status)
        fclose(status);
}

long server_rss_kb(pid_t pid)
{
    static const char NAME[] = "VmRSS:";
    char line[256];
    status_line(pid, NAME, line);
    return line[0] ? strtol(line + sizeof NAME - 1, NULL, 10) : 0;
}

void server_print_memory(pid_t pid)
{
    static const char *const LINES[] = {"VmHWM:", "VmRSS:"};
    char line[256];
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        status_line(pid, LINES[i], line);
        fputs(line, stdout);
    }
}

bool server_run(const char *const *argv, char *ret_output, size_t room)
{
    int ends[2], status = 1;
    size_t length = 0;
    ssize_t n;
    if (pipe(ends) != 0)
        return false;
    int out = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO); /* the child's from now on, ours again below */
    pid_t pid = server_start(argv, 1);
    dup2(out, STDOUT_FILENO);
    close(out);
    close(ends[1]);
    while ((n = read(ends[0], ret_output + length, room - 1 - length)) > 0)
        length += (size_t)n;
    ret_output[length] = '\0';
    close(ends[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

bool server_folder_remove(const char *folder)
{
    char nothing[8];
    return server_run((const char *[]){"rm", "-rf", folder, NULL}, nothing, sizeof nothing);
}

void server_end(pid_t pid, int signal)
{
    if (pid > 0) {
        kill(pid, signal);
        waitpid(pid, NULL, 0);
    }
}
