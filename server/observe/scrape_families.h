/*
 * scrape_families.h - what each metric family of serving engines and exporters means.
 *
 * Purpose: one row turns a family, or those of its series whose label says so, into a quantity. A
 *          new name is a new row.
 * Units:   `scale` brings a family's unit to the quantity's.
 * Threads: constant.
 */
#ifndef REGIME_SCRAPE_FAMILIES_H
#define REGIME_SCRAPE_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "observed.h"
#include "scrape_text.h"

/* Who writes families under a prefix; bits, as engines copied each other's names. */
enum scrape_group {
    BY_VLLM = 0x1,
    BY_SGLANG = 0x2,
    BY_TGI = 0x4,
    BY_LLAMA = 0x8,
    BY_TRTLLM = 0x10, /* trtllm-serve, with or without a prefix */
    BY_TRITON_TRTLLM = 0x20,
    BY_TRITON = 0x40,
    BY_LMDEPLOY = 0x80,
    BY_DYNAMO = 0x100,
    BY_DCGM = 0x200,
    BY_NVIDIA_SMI = 0x400,
    BY_AMD = 0x800,
    BY_PROCESS = 0x1000, /* what client libraries say of their process */
    BY_NODE = 0x2000,
};

/* A prefix of names, who uses it, and the engine of the catalogue that this tells. */
struct scrape_prefix {
    const char *prefix;
    enum scrape_group group;
    const char *engine; /* NULL = tells none */
    const char *source; /* where the names are written down */
};

enum scrape_kind {
    IS_GAUGE,
    IS_COUNTER,
    IS_LATENCY,    /* a histogram: all statistics of the latency */
    IS_MEAN,       /* a histogram whose mean is the quantity */
    IS_SUM,        /* the sum of a histogram */
    IS_COUNT,      /* the count of a histogram */
    IS_PART_SUM,   /* a counter that is a latency's sum */
    IS_PART_COUNT, /* a counter that is a latency's count */
    IS_GPU,        /* a column of a part's row */
    IS_POSITION,   /* a counter by draft position */
    IS_CONFIG,     /* settings in labels (cache_config_info) */
    IS_ADAPTERS,   /* adapters in labels (lora_requests_info) */
    IS_THROTTLE,   /* bits of reasons, or one of them */
    IS_START,      /* when the process began, unix seconds */
    IS_TIME,       /* when the scrape was made, unix seconds */
};

/* How several series come to one value. */
enum scrape_combine {
    ADD,
    MOST,
    LEAST,
    AVERAGE,
};

/* Quantities that only lead to others; ids behind the last observed one. */
enum scrape_extra {
    EXTRA_KV_BLOCKS_USED = OBSERVED_COUNT,
    EXTRA_KV_FRACTION, /* as said, where used and max say it too */
    EXTRA_EXTERNAL_QUERIES,
    EXTRA_EXTERNAL_HITS,
    EXTRA_MULTIMODAL_QUERIES,
    EXTRA_MULTIMODAL_HITS,
    EXTRA_GRAPH_STEPS,
    EXTRA_EAGER_STEPS,
    EXTRA_ENGINE_FLOPS,
    EXTRA_ENGINE_READ_BYTES,
    EXTRA_CPU_IDLE,
    EXTRA_CPU_ALL,
    EXTRA_KV_USED, /* tokens of running requests, free ones, and those that only the cache holds */
    EXTRA_KV_AVAILABLE,
    EXTRA_KV_EVICTABLE,
    EXTRA_BLOCKS_REUSED,
    EXTRA_BLOCKS_MISSED,
    SCRAPE_SLOTS,
};

struct scrape_family {
    unsigned groups;  /* bits of enum scrape_group */
    const char *name; /* without prefix and without _total */
    enum scrape_kind kind;
    int target; /* enum observed_id, enum scrape_extra or enum observed_gpu_column */
    enum scrape_combine combine;
    double scale;
    const char *label; /* the row holds for series with this label; NULL = for all */
    const char *match; /* "a|b": its value has one of these words; "!a": none of them; "^4": begins
                          so; NULL = the label is there, "-" = it is not */
};

/* The prefix of a name and, in *ret_rest, what follows; NULL when none is known. */
const struct scrape_prefix *scrape_prefix_of(struct scrape_word name, struct scrape_word *ret_rest);

/*
 * The first row at or behind *at of a family's name without its prefix; NULL behind the last. *at
 * becomes the index to go on from. With `part`, a series of a histogram ("_bucket", "_sum",
 * "_count") matches rows of histograms and `name` has no such ending.
 */
const struct scrape_family *scrape_family_next(enum scrape_group group, struct scrape_word name,
                                               bool part, size_t *at);

/* Whether a family is known and of no meaning here. */
bool scrape_family_known(enum scrape_group group, struct scrape_word name);

/* The row of an index, NULL behind the last; the index of a row. */
const struct scrape_family *scrape_family_at(size_t index);
size_t scrape_family_index(const struct scrape_family *family);

/* Whether the row holds for the labels of the reader's sample. */
bool scrape_family_holds(const struct scrape_family *family, const struct scrape_reader *reader);

/* The rank of a family as a sign of version, -1 when it is none. Higher is newer. */
int scrape_version_rank(enum scrape_group group, struct scrape_word name);
const char *scrape_version_text(int rank);

#endif
