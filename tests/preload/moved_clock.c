/*
 * moved_clock.c - a library to preload: the clock of the day shows what a test says.
 *
 * REGIME_CLOCK names a file that the test shares: how many seconds it is off, an atomic long.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "shared_file.h"

#define NS_PER_US 1000

static atomic_long *off_s;

__attribute__((constructor)) static void begin(void)
{
    off_s = shared_file("REGIME_CLOCK", sizeof(*off_s));
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    long rc = syscall(SYS_clock_gettime, clock, ret_time);

    if (rc == 0 && clock == CLOCK_REALTIME && off_s)
        ret_time->tv_sec += atomic_load(off_s);
    return (int)rc;
}

time_t time(time_t *ret_time)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (ret_time)
        *ret_time = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict ret_time, void *restrict zone)
{
    struct timespec now = {0};

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *ret_time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / NS_PER_US};
    return 0;
}
