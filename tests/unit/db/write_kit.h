/*
 * write_kit.h - a store in a file of its own that a test writes to; include after cmocka.h.
 */
#ifndef REGIME_WRITE_KIT_H
#define REGIME_WRITE_KIT_H

#include <sqlite3.h>

#include "scratch.h"
#include "store_write.h"

/* A part that no bundled record knows. */
#define PART(GB)                                                                                   \
    "{\"id\":\"lab-card\",\"name\":\"Lab card\",\"vendor\":\"Lab\",\"class\":\"datacenter\","      \
    "\"arch\":\"lab\",\"memory_gb\":" GB ",\"mem_bw_gbps\":900,\"peak_dense_tflops\":"             \
    "{\"bf16\":120},\"interconnect\":{\"kind\":\"none\",\"max_domain\":1},\"pcie\":\"gen4x16\","   \
    "\"sources\":[{\"field\":\"*\",\"title\":\"the data sheet of the lab card\",\"kind\":"         \
    "\"datasheet\"}]}"

/* A run of Llama 3.1 8B on an L4. */
#define ANCHOR(ID, CONCURRENCY, TPOT_MS)                                                           \
    "{\"id\":\"" ID "\",\"kind\":\"serving\",\"title\":\"an unheardof run\",\"model\":"            \
    "\"meta-llama/Llama-3.1-8B-Instruct\",\"model_id\":\"llama-3.1-8b\",\"hardware\":"             \
    "\"NVIDIA L4\",\"hardware_id\":\"l4\",\"engine\":\"vllm\",\"weights\":\"bf16\","               \
    "\"conditions\":{\"n_devices\":1,\"tp\":1,\"concurrency\":" CONCURRENCY                        \
    ",\"input_tokens\":5000,\"output_tokens\":128},\"metrics\":{\"tpot_ms.mean\":" TPOT_MS         \
    "},\"sources\":[{\"field\":\"*\",\"title\":\"a run of ours\",\"kind\":\"measurement\"}]}"

struct bench {
    char folder[64], path[SCRATCH_PATH_MAX];
    struct store *store;
    char faults[4000]; /* "/pointer text" a line, of the last write */
};

/* A bench of its own for every test, in *state. */
int bench_make(void **state);
int bench_drop(void **state);
#define bench_test(function) cmocka_unit_test_setup_teardown(function, bench_make, bench_drop)

/* Writes the record, of the author "tester". */
void bench_write(struct bench *bench, const struct write *write, const char *record,
                 struct write_outcome *ret_outcome);
/* Whether the last write was refused for the pointer with the word. */
bool bench_fault(const struct bench *bench, const char *pointer, const char *word);

/* The first column of a query's first row; a test fails without one. */
long long bench_number(struct bench *bench, const char *sql);
void bench_text_of(struct bench *bench, const char *sql, char *ret_text, size_t size);
#define bench_text(bench, sql, text) bench_text_of(bench, sql, text, sizeof(text))
/* Leaves of the bundle some of every kind: all measurements, fits and prices only take longer. */
extern const char MOST_CUT[];

/* A database, or the embedded records, in memory for a test to change; sqlite3_close() it. */
sqlite3 *memory_copy(sqlite3 *from);
sqlite3 *bundle_copy(void);

/* Changes the file behind the store's back. */
void bench_run(struct bench *bench, const char *sql);

#endif
