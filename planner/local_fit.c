#include "local_fit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

/* Names ---------------------------------------------------------------------------------------- */

#define X(ID, NAME) [ID] = (NAME),

static const char *const BACKENDS[] = {BACKEND_LIST(X)};
static const char *const FAMILIES[] = {LOCAL_FAMILY_LIST(X)};
static const char *const FORMATS[] = {LOCAL_FORMAT_LIST(X)};
static const char *const CONSTANTS[] = {LOCAL_CONSTANT_LIST(X)};
static const char *const TIERS[] = {LOCAL_TIER_LIST(X)};

#undef X

static int parse(const char *const *names, int n, const char *name)
{
    for (int i = 0; name != NULL && i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return n;
}

const char *backend_name(enum backend backend)
{
    return BACKENDS[backend];
}

enum backend backend_parse(const char *name)
{
    return (enum backend)parse(BACKENDS, BACKEND_COUNT, name);
}

const char *local_family_name(enum local_family family)
{
    return FAMILIES[family];
}

enum local_family local_family_parse(const char *name)
{
    return (enum local_family)parse(FAMILIES, LOCAL_FAMILY_COUNT, name);
}

const char *local_format_name(enum local_format format)
{
    return FORMATS[format];
}

enum local_format local_format_parse(const char *name)
{
    return (enum local_format)parse(FORMATS, LOCAL_FORMAT_COUNT, name);
}

const char *local_constant_name(enum local_constant constant)
{
    return CONSTANTS[constant];
}

enum local_constant local_constant_parse(const char *name)
{
    return (enum local_constant)parse(CONSTANTS, LOCAL_CONSTANT_COUNT, name);
}

const char *local_tier_name(enum local_tier tier)
{
    return TIERS[tier];
}

/* Families ------------------------------------------------------------------------------------- */

#define ANY_CLASS HW_CLASS_COUNT

/* The first row that fits names the family. `id` and `arch` are what the part's begin with. GA102
 * chips sold to datacenters (A10, A40) are the consumer chips: their rows stand first. */
static const struct family_row {
    const char *vendor, *arch, *id;
    enum hardware_class class;
    enum local_family family;
} FAMILY_ROWS[] = {
    {"nvidia", "pascal", "", ANY_CLASS, FAMILY_PASCAL},
    {"nvidia", "volta", "", ANY_CLASS, FAMILY_VOLTA},
    {"nvidia", "turing", "gtx-16", ANY_CLASS, FAMILY_TURING_NT},
    {"nvidia", "turing", "", ANY_CLASS, FAMILY_TURING},
    {"nvidia", "ampere", "a100", HW_DATACENTER, FAMILY_AMPERE_DC},
    {"nvidia", "ampere", "a30", HW_DATACENTER, FAMILY_AMPERE_DC},
    {"nvidia", "ampere", "", HW_SOC, FAMILY_JETSON},
    {"nvidia", "ampere", "", ANY_CLASS, FAMILY_AMPERE_C},
    {"nvidia", "ada", "", ANY_CLASS, FAMILY_ADA},
    {"nvidia", "hopper", "", ANY_CLASS, FAMILY_HOPPER},
    {"nvidia", "blackwell", "dgx-spark", HW_SOC, FAMILY_GB10},
    {"nvidia", "blackwell", "", HW_DATACENTER, FAMILY_BLACKWELL_DC},
    {"nvidia", "blackwell", "", HW_WORKSTATION, FAMILY_BLACKWELL_C},
    {"nvidia", "blackwell", "", HW_CONSUMER, FAMILY_BLACKWELL_C},
    {"amd", "gcn", "", ANY_CLASS, FAMILY_GCN},
    {"amd", "cdna", "", ANY_CLASS, FAMILY_CDNA},
    {"amd", "rdna2", "", ANY_CLASS, FAMILY_RDNA2},
    {"amd", "rdna3.5", "", ANY_CLASS, FAMILY_RDNA3_5},
    {"amd", "rdna3", "", ANY_CLASS, FAMILY_RDNA3},
    {"amd", "rdna4", "", ANY_CLASS, FAMILY_RDNA4},
    {"intel", "xe-hpg", "", ANY_CLASS, FAMILY_XE},
    {"intel", "xe2", "", ANY_CLASS, FAMILY_XE2},
    {"apple", "", "m1", ANY_CLASS, FAMILY_M1},
    {"apple", "", "m2", ANY_CLASS, FAMILY_M2},
    {"apple", "", "m3", ANY_CLASS, FAMILY_M3},
    {"apple", "", "m4", ANY_CLASS, FAMILY_M4},
    {"apple", "", "m5", ANY_CLASS, FAMILY_M5},
};

/* Cores are parts of their own: the record of a chip with a GPU has the GPU's peak. */
static const struct family_row CORE_ROWS[] = {
    {"nvidia", "", "", HW_CPU, FAMILY_ARM},
    {"", "arm", "", HW_CPU, FAMILY_ARM},
    {"", "", "", HW_CPU, FAMILY_X86},
};

static bool begins(const char *text, const char *start)
{
    return *start == '\0' || (text != NULL && strncmp(text, start, strlen(start)) == 0);
}

static enum local_family find_family(const struct family_row *rows, size_t n,
                                     const struct hardware *hw)
{
    for (size_t i = 0; i < n; i++) {
        const struct family_row *row = &rows[i];
        if (begins(hw->vendor, row->vendor) && begins(hw->arch, row->arch) &&
            begins(hw->id, row->id) && (row->class == ANY_CLASS || row->class == hw->class))
            return row->family;
    }
    return LOCAL_FAMILY_COUNT;
}

enum local_family local_family_of(const struct hardware *hw, enum backend backend)
{
    if (backend == BACKEND_CPU)
        return find_family(CORE_ROWS, ARRAY_LEN(CORE_ROWS), hw);
    return find_family(FAMILY_ROWS, ARRAY_LEN(FAMILY_ROWS), hw);
}

static const struct {
    const char *vendor;
    enum backend backend;
} BACKEND_ROWS[] = {
    {"nvidia", BACKEND_CUDA},
    {"amd", BACKEND_HIP},
    {"apple", BACKEND_METAL},
    {"intel", BACKEND_VULKAN},
};

enum backend backend_default(const struct hardware *hw)
{
    if (hw->class == HW_CPU)
        return BACKEND_CPU;
    for (size_t i = 0; hw->vendor != NULL && i < ARRAY_LEN(BACKEND_ROWS); i++)
        if (strcmp(hw->vendor, BACKEND_ROWS[i].vendor) == 0)
            return BACKEND_ROWS[i].backend;
    return BACKEND_COUNT;
}

/* Formats -------------------------------------------------------------------------------------- */

/* Mixes by tensor and layer are unpacked as what they are named after. */
#define MIXED "ud_"

/* What the id of a format begins with; the first row that fits names the class. */
static const struct {
    const char *start;
    enum local_format format;
} FORMAT_ROWS[] = {
    {"bf16", LOCAL_F16},    {"fp16", LOCAL_F16},       {"fp32", LOCAL_F16},
    {"q8", LOCAL_Q8},       {"fp8", LOCAL_Q8},         {"mxfp8", LOCAL_Q8},
    {"int8", LOCAL_Q8},     {"llm_int8", LOCAL_Q8},    {"gptq_int8", LOCAL_Q8},
    {"q4_0", LOCAL_Q4_0},   {"q4_1", LOCAL_Q4_0},      {"q5_0", LOCAL_Q4_0},
    {"q5_1", LOCAL_Q4_0},   {"q4_k", LOCAL_K456},      {"q5_k", LOCAL_K456},
    {"q6_k", LOCAL_K456},   {"q2_k", LOCAL_K23},       {"q3_k", LOCAL_K23},
    {"iq4", LOCAL_IQ4},     {"iq", LOCAL_IQ123},       {"tq", LOCAL_IQ123},
    {"q1_0", LOCAL_IQ123},  {"bitnet", LOCAL_IQ123},   {"mxfp4", LOCAL_FP4},
    {"nvfp4", LOCAL_FP4},   {"gguf_nvfp4", LOCAL_FP4}, {"int4", LOCAL_INT4},
    {"awq", LOCAL_INT4},    {"gptq", LOCAL_INT4},      {"nf4", LOCAL_INT4},
    {"mlx_q8", LOCAL_MLX8}, {"mlx_mxfp8", LOCAL_MLX8}, {"mlx", LOCAL_MLX4},
    {"ik_iq4", LOCAL_IQ4},  {"ik_iq5", LOCAL_IQ4},     {"ik_iq6", LOCAL_IQ4},
    {"ik_iq", LOCAL_IQ123}, {"ik_q8", LOCAL_Q8},       {"ik_q", LOCAL_Q4_0},
};

enum local_format local_format_of(const char *format_id)
{
    if (begins(format_id, MIXED))
        format_id += strlen(MIXED);
    for (size_t i = 0; i < ARRAY_LEN(FORMAT_ROWS); i++)
        if (begins(format_id, FORMAT_ROWS[i].start))
            return FORMAT_ROWS[i].format;
    return LOCAL_OTHER;
}

/* Order ---------------------------------------------------------------------------------------- */

/* A scope in one number, coarse fields first: 8 bits of constant, 6 of back end, 10 of engine, 8 of
 * family and of format, 20 of part. */
static uint64_t scope_key(enum local_constant constant, const struct local_scope *scope)
{
    uint64_t key = (uint64_t)constant;
    key = key << 6 | (uint64_t)(scope->backend + 1);
    key = key << 10 | (uint64_t)(scope->engine + 1);
    key = key << 8 | (uint64_t)(scope->family + 1);
    key = key << 8 | (uint64_t)(scope->format + 1);
    return key << 20 | (uint64_t)(scope->part + 1);
}

static int compare_keys(const void *a, const void *b)
{
    const struct local_fit *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

void local_fits_sort(struct local_fit *fits, int n)
{
    for (int i = 0; i < n; i++)
        fits[i].key = scope_key(fits[i].constant, &fits[i].scope);
    if (n > 0)
        qsort(fits, (size_t)n, sizeof(*fits), compare_keys);
}

bool local_constant_by_format(enum local_constant constant)
{
    return constant == LOCAL_F_W || constant == LOCAL_UNPACK || constant == LOCAL_ROW_MULT ||
           constant == LOCAL_E || constant == LOCAL_ALU;
}

const struct local_fit *local_fit_find(const struct local_fit *fits, int n,
                                       enum local_constant constant,
                                       const struct local_scope *scope)
{
    uint64_t wanted = scope_key(constant, scope);
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (fits[middle].key < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && fits[low].key == wanted ? &fits[low] : NULL;
}
