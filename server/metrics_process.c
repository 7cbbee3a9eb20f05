#include "metrics_process.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define STAT_MAX 1024
/* proc(5), /proc/PID/stat: fields counted from 1, starttime in clock ticks after boot. */
#define STAT_START_TIME 22
#define STAT_VIRTUAL_BYTES 23
#define STAT_RESIDENT_PAGES 24

static void write_gauge(struct json_out *out, const char *name, const char *type, const char *help,
                        double value)
{
    out_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s ", name, help, name, type, name);
    out_number(out, value);
    out_text(out, "\n");
}

/* Reads a small file of /proc with a NUL at its end; false when it cannot be read. */
static bool read_small(const char *path, char *ret_text, size_t size)
{
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    size_t n = fread(ret_text, 1, size - 1, file);
    fclose(file);
    ret_text[n] = '\0';
    return n > 0;
}

/* A field of /proc/self/stat; the name in field 2 may hold spaces, so counting starts behind it. */
static bool stat_field(const char *stat, int field, uint64_t *ret_value)
{
    const char *at = strrchr(stat, ')');
    char *end = NULL;

    for (int i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    if (!at)
        return false;
    *ret_value = strtoull(at, &end, 10);
    return end != at;
}

static void write_memory(struct json_out *out)
{
    char stat[STAT_MAX];
    uint64_t value;

    if (!read_small("/proc/self/stat", stat, sizeof(stat)))
        return;
    if (stat_field(stat, STAT_RESIDENT_PAGES, &value))
        write_gauge(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
                    (double)value * (double)sysconf(_SC_PAGESIZE));
    if (stat_field(stat, STAT_VIRTUAL_BYTES, &value))
        write_gauge(out, "process_virtual_memory_bytes", "gauge", "Virtual memory.", (double)value);

    struct timespec now, up;
    if (stat_field(stat, STAT_START_TIME, &value) && !clock_gettime(CLOCK_REALTIME, &now) &&
        !clock_gettime(CLOCK_BOOTTIME, &up)) {
        int64_t since_boot_s = (int64_t)value / sysconf(_SC_CLK_TCK);
        write_gauge(out, "process_start_time_seconds", "gauge", "Start of the process, Unix time.",
                    (double)(now.tv_sec - up.tv_sec + since_boot_s));
    }
}

/* Entries of a folder; the stream is this call's own, so readdir() is safe beside other threads. */
static int count_entries(DIR *folder)
{
    int n = 0;

    for (;;) {
        const struct dirent *entry = readdir(folder); // NOLINT(concurrency-mt-unsafe)
        if (!entry)
            return n;
        n += entry->d_name[0] != '.';
    }
}

static void write_descriptors(struct json_out *out)
{
    DIR *folder = opendir("/proc/self/fd");
    struct rlimit limit;

    if (folder) {
        int n = count_entries(folder) - 1; /* without the folder's own */
        closedir(folder);
        write_gauge(out, "process_open_fds", "gauge", "Open descriptors.", n);
    }
    if (!getrlimit(RLIMIT_NOFILE, &limit))
        write_gauge(out, "process_max_fds", "gauge", "Limit of open descriptors.",
                    (double)limit.rlim_cur);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void metrics_write_process(struct json_out *out)
{
    struct rusage usage;

    if (!getrusage(RUSAGE_SELF, &usage))
        write_gauge(out, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
                    seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    write_memory(out);
    write_descriptors(out);
}
