/*
 * benchmark_parts.h - what the readers of benchmark files share; for benchmark*.c only.
 */
#ifndef REGIME_BENCHMARK_PARTS_H
#define REGIME_BENCHMARK_PARTS_H

#include <cjson/cJSON.h>

#include "arena.h"
#include "benchmark.h"

/* A file that is being read. */
struct benchmark_reader {
    struct arena *arena;
    struct benchmark *to;
    const char *why; /* why a run was left out; NULL */
};

/* A figure of a tool: where it stands, what it is here, and by what it is multiplied. */
struct benchmark_figure {
    const char *from; /* members with '/' between; "%s" of a statistic's path is this */
    const char *metric;
    double scale;
};

/* Where a tool puts a statistic of a figure. */
struct benchmark_statistic {
    const char *path; /* "mean_%s", "%s/percentiles/p99" */
    const char *statistic;
};

/* The readers, one for each way to write a file. */
void benchmark_read_flat(struct benchmark_reader *reader, const cJSON *file);
void benchmark_read_guidellm(struct benchmark_reader *reader, const cJSON *file);
void benchmark_read_aiperf(struct benchmark_reader *reader, const cJSON *file);
void benchmark_read_llama(struct benchmark_reader *reader, const cJSON *file);

/* The number, or NAN; a text that is a number counts. */
double benchmark_number(const cJSON *object, const char *path);

/* The text, or NULL; "" counts as none. */
const char *benchmark_text_at(const cJSON *object, const char *path);

/* The text, or the number, at the first of n paths that has one: versions of a tool move what they
 * say. A list counts as its first entry, an entry with a name as its name. */
const char *benchmark_text_of(const cJSON *file, const char *const *paths, size_t n);
double benchmark_number_of(const cJSON *file, const char *const *paths, size_t n);

/* A new run with empty conditions and metrics, NULL when there are too many. */
cJSON *benchmark_run_new(struct benchmark_reader *reader);

/* Puts the members when they say something: a text that is not NULL, a number above 0. */
void benchmark_put_text(cJSON *run, const char *name, const char *text);
void benchmark_put_condition(cJSON *run, const char *name, double value);
void benchmark_put_profile(cJSON *run, const char *profile);

/* "2025-05-30" out of "20250530-204006" or an ISO date; nothing when it is neither. */
void benchmark_put_date(struct benchmark_reader *reader, cJSON *run, const char *date);

/* Every statistic of every figure that is there and above 0; returns how many. */
int benchmark_put_figures(struct benchmark_reader *reader, cJSON *run, const cJSON *from,
                          const struct benchmark_figure *figures, size_t n_figures,
                          const struct benchmark_statistic *statistics, size_t n_statistics);

/* How requests came: `in_flight` at most, `rate` per second or, where it is no number above 0, as
 * fast as they go. */
void benchmark_put_load(struct benchmark_reader *reader, cJSON *run, double in_flight, double rate,
                        double requests);

/* What failed, and the runs in which nothing finished; true when the run is worth its figures. */
bool benchmark_finish(struct benchmark_reader *reader, cJSON *run, double completed, double failed);

#endif
