/*
 * import_hardware.c - records of parts: memory, bandwidth, dense peaks, links.
 *
 * Makers state a link as the sum of both directions; a collective uses one. Memory is sold in units
 * of 2^30 bytes whatever the box says, and the driver keeps a little of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "hardware.h"
#include "import.h"
#include "sql.h"
#include "units.h"

#define DIRECTIONS 2

/* Host links as records name them, one direction in GB/s (PCI Express after its line code). */
static const struct host_link {
    const char *name;
    double gbps;
} HOST_LINKS[] = {
    {"gen3x16", 15.75}, {"gen4x8", 15.75}, {"gen4x16", 31.5}, {"gen5x8", 31.5},
    {"gen5x16", 63},    {"gen6x16", 126},  {"soc", 0},        {"NVLink-C2C 900", 450.0},
};

/* Of a part that shares its memory with the host nothing is copied: the link is its memory. */
static double host_gbps(struct import *import, const char *name, double memory_gbps)
{
    for (size_t i = 0; i < sizeof(HOST_LINKS) / sizeof(HOST_LINKS[0]); i++) {
        if (strcmp(HOST_LINKS[i].name, name) == 0) {
            return HOST_LINKS[i].gbps > 0 ? HOST_LINKS[i].gbps : memory_gbps;
        }
    }
    import_fault_at(import, "pcie", "host link '%s' is unknown", name);
    return 0;
}

/* Whether the only source of a field is recollection. */
static bool field_is_recalled(const cJSON *record, const char *field)
{
    const cJSON *source = NULL;
    bool recalled = false;
    cJSON_ArrayForEach(source, cJSON_GetObjectItemCaseSensitive(record, "sources"))
    {
        const cJSON *of = cJSON_GetObjectItemCaseSensitive(source, "field");
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(source, "kind");
        if (!of || !kind || !cJSON_IsString(of) || !cJSON_IsString(kind) ||
            !strstr(of->valuestring, field)) {
            continue;
        }
        if (strcmp(kind->valuestring, "recall") != 0) {
            return false;
        }
        recalled = true;
    }
    return recalled;
}

static void import_peaks(struct import *import, const cJSON *record, const char *id)
{
    const cJSON *peak = NULL;
    cJSON_ArrayForEach(peak, cJSON_GetObjectItemCaseSensitive(record, "peak_dense_tflops"))
    {
        if (dtype_parse(peak->string) == DTYPE_COUNT) {
            import_fault_at(import, "peak_dense_tflops",
                            "peak_dense_tflops: '%s' is no compute type", peak->string);
        } else if (!cJSON_IsNumber(peak) || !(peak->valuedouble > 0) || peak->valuedouble > 1e6) {
            import_fault_at(import, "peak_dense_tflops",
                            "peak_dense_tflops: '%s' is not between 0 and 1e6", peak->string);
        } else {
            import_check(import,
                         sql_run(import->db, "INSERT INTO hardware_peaks VALUES (?1, ?2, ?3)",
                                 "ttd", id, peak->string, peak->valuedouble),
                         "peak");
        }
    }
}

static bool kind_is_fabric(const char *kind)
{
    return strncmp(kind, "PCIe", 4) != 0 && strcmp(kind, "none") != 0;
}

static void import_part(struct import *import, const cJSON *record, const char *id)
{
    static const char *const LINK[] = {"kind", "gbps_per_gpu_total_bidir", "max_domain", NULL};
    const cJSON *link = cJSON_GetObjectItemCaseSensitive(record, "interconnect");
    double usable = field_number_or_nan(import, record, "memory_usable_gib", 1, 1e5);
    double nominal = field_number(import, record, "memory_gb", 1, 1e5);
    double bandwidth = field_number(import, record, "mem_bw_gbps", 1, 1e5);
    const char *class = field_text(import, record, "class");
    const char *pcie = field_text(import, record, "pcie");
    import_step(import, "interconnect");
    const char *kind = field_text(import, link, "kind");
    double both = field_number_or_nan(import, link, "gbps_per_gpu_total_bidir", 0, 1e5);
    double domain = field_number(import, link, "max_domain", 1, 1e6);
    field_known(import, link, LINK);
    import_step(import, NULL);
    bool assumed = strcmp(pcie, "soc") == 0 || field_is_recalled(record, "pcie");
    if (hardware_class_parse(class) == HW_CLASS_COUNT) {
        import_fault_at(import, "class", "class '%s' is unknown", class);
    }
    import_check(
        import,
        sql_run(import->db,
                "INSERT INTO hardware (id, name, vendor, class, arch, release, memory_bytes, "
                "memory_is_nominal, mem_bw_gbps, link_kind, link_is_fabric, link_gbps_one_way, "
                "link_domain, host_gbps_one_way, host_is_assumed, tdp_w, memory_type) VALUES (?1, "
                "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
                "ttttttdidtidddidt", id, field_text(import, record, "name"),
                field_text(import, record, "vendor"), class, field_text(import, record, "arch"),
                field_text_or_null(import, record, "release"),
                round((isnan(usable) ? nominal : usable) * BYTES_PER_GIB), isnan(usable), bandwidth,
                kind, kind_is_fabric(kind), both > 0 ? both / DIRECTIONS : (double)NAN, domain,
                host_gbps(import, pcie, bandwidth), assumed,
                field_number_or_nan(import, record, "tdp_w", 1, 1e5),
                field_text_or_null(import, record, "memory_type")),
        "hardware");
}

void import_hardware(struct import *import, const cJSON *record, const char *doc)
{
    static const char *const KNOWN[] = {"id",          "name",         "aliases",
                                        "vendor",      "class",        "arch",
                                        "release",     "memory_gb",    "memory_usable_gib",
                                        "memory_type", "mem_bw_gbps",  "peak_dense_tflops",
                                        "supports",    "interconnect", "pcie",
                                        "tdp_w",       "l2_cache_mb",  "sm_or_cu",
                                        "notes",       "sources",      "disputes",
                                        NULL};
    const char *id = field_text(import, record, "id");
    field_known(import, record, KNOWN);
    import_record(import, "hardware", id, field_text(import, record, "name"), record, doc);
    import_part(import, record, id);
    import_peaks(import, record, id);
}
