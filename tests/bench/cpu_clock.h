/*
 * cpu_clock.h - CPU time of this thread and of a process, time on the wall, and medians.
 *
 * Units: nanoseconds.
 */
#ifndef REGIME_CPU_CLOCK_H
#define REGIME_CPU_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* CPU time (user and system) that the calling thread has used. */
double clock_thread_ns(void);

/* CPU time (user and system) that a process has used, all threads; NAN when it is gone. */
double clock_process_ns(pid_t pid);

/* Time that passes, from some moment on. */
double clock_wall_ns(void);

/* Sorts the values; returns the middle one. */
double median(double *values, size_t n);

/* Pins the calling process to one core; false where there is no such core. */
bool pin_to_core(size_t core);

/* Pins it to n cores from `first` on; false where there is none of them. */
bool pin_to_cores(size_t first, size_t n);

#endif
