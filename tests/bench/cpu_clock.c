#include "cpu_clock.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static double nanoseconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return NAN;
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double clock_thread_ns(void)
{
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

double clock_process_ns(pid_t pid)
{
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) != 0)
        return NAN;
    return nanoseconds(clock);
}

double clock_wall_ns(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

static int order(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, order);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

bool pin_to_core(size_t core)
{
    return pin_to_cores(core, 1);
}

bool pin_to_cores(size_t first, size_t n)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t core = first; core < first + n; core++)
        CPU_SET(core, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}
