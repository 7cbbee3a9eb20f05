#include "inline_part.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "units.h"

/* What an object may say; turned into a struct hardware afterwards. */
struct inline_part {
    const char *id, *name, *vendor, *arch, *link_kind, *pcie;
    enum hardware_class class;
    double memory_bytes, memory_gb, memory_usable_gib;
    double mem_bw_gbps, peak_tflops[DTYPE_COUNT];
    double link_gbps_total, link_domain, host_gbps, tdp_w;
};

enum part_row {
    PART_ID,
    PART_NAME,
    PART_VENDOR,
    PART_ARCH,
    PART_CLASS,
    PART_MEMORY_BYTES,
    PART_MEMORY_GB,
    PART_MEMORY_NOMINAL,
    PART_MEMORY_USABLE,
    PART_BANDWIDTH,
    PART_PCIE,
    PART_HOST_GBPS,
    PART_TDP,
    PART_UNUSED_FIRST,
    PART_UNUSED_LAST = PART_UNUSED_FIRST + 10,
    PART_PEAK_FIRST,
    PART_PEAK_LAST = PART_PEAK_FIRST + DTYPE_COUNT - 1,
    PART_LINK_KIND,
    PART_LINK_GBPS,
    PART_LINK_DOMAIN,
    PART_ROWS
};

enum part_section { SECTION_OF_PART, SECTION_OF_PEAKS, SECTION_OF_LINK, PART_SECTIONS };

#define X(ID, NAME) {NAME, ID},
static const struct field_name CLASSES[] = {HARDWARE_CLASS_LIST(X){NULL, 0}};
#undef X

#define ROOT(NAME, MEMBER)                                                                         \
    .section = SECTION_OF_PART, .name = NAME, .pointer = "/" NAME, .query = NAME,                  \
    .offset = offsetof(struct inline_part, MEMBER)
#define PEAK(INDEX, NAME)                                                                          \
    [PART_PEAK_FIRST + (INDEX)] = {.section = SECTION_OF_PEAKS,                                    \
                                   .name = NAME,                                                   \
                                   .pointer = "/peak_dense_tflops/" NAME,                          \
                                   .query = "peak_dense_tflops." NAME,                             \
                                   .kind = FIELD_NUMBER,                                           \
                                   .offset = offsetof(struct inline_part, peak_tflops) +           \
                                             (INDEX) * sizeof(double),                             \
                                   .min = 0.001,                                                   \
                                   .max = 1e6,                                                     \
                                   .unit = "TFLOPS"},
#define LINK(NAME, MEMBER)                                                                         \
    .section = SECTION_OF_LINK, .name = NAME, .pointer = "/interconnect/" NAME,                    \
    .query = "interconnect." NAME, .offset = offsetof(struct inline_part, MEMBER)
#define UNUSED(AT, NAME)                                                                           \
    [PART_UNUSED_FIRST + (AT)] = {.section = SECTION_OF_PART,                                      \
                                  .name = NAME,                                                    \
                                  .pointer = "/" NAME,                                             \
                                  .query = NAME,                                                   \
                                  .kind = FIELD_UNUSED,                                            \
                                  .doc = "kept by the record, not needed for a plan"}

static const struct field ROWS[PART_ROWS] = {
    [PART_ID] = {ROOT("id", id), .kind = FIELD_TEXT, .doc = "a name of your own"},
    [PART_NAME] = {ROOT("name", name), .kind = FIELD_TEXT, .doc = "for people"},
    [PART_VENDOR] = {ROOT("vendor", vendor), .kind = FIELD_TEXT},
    [PART_ARCH] = {ROOT("arch", arch), .kind = FIELD_TEXT},
    [PART_CLASS] = {ROOT("class", class), .kind = FIELD_NAME, .names = CLASSES,
                    .doc = "decides the default engine; datacenter when absent"},
    [PART_MEMORY_BYTES] = {ROOT("memory_bytes", memory_bytes), .kind = FIELD_NUMBER, .min = 1e6,
                           .max = 1.1e15, .unit = "bytes", /* 1e6 GiB are 1.07e15 bytes */
                           .doc = "device memory, what the driver reports"},
    [PART_MEMORY_GB] = {ROOT("memory_gb", memory_gb), .kind = FIELD_NUMBER, .min = 0.001,
                        .max = 1e6, .unit = "GB", .doc = "device memory, nominal"},
    [PART_MEMORY_NOMINAL] = {ROOT("memory_bytes_nominal_gb", memory_gb), .kind = FIELD_NUMBER,
                             .min = 0.001, .max = 1e6, .unit = "GB",
                             .doc = "the same under its name in a record"},
    [PART_MEMORY_USABLE] = {ROOT("memory_usable_gib", memory_usable_gib), .kind = FIELD_NUMBER,
                            .min = 0.001, .max = 1e6, .unit = "GiB",
                            .doc = "device memory, what the driver reports"},
    [PART_BANDWIDTH] = {ROOT("mem_bw_gbps", mem_bw_gbps), .kind = FIELD_NUMBER, .min = 0.1,
                        .max = ASKED_GBPS_MAX, .unit = "GB/s", .doc = "memory bandwidth"},
    [PART_PCIE] = {ROOT("pcie", pcie), .kind = FIELD_TEXT,
                   .doc = "link to the host: gen4x16, gen5x16, NVLink-C2C 900, soc"},
    [PART_HOST_GBPS] = {ROOT("host_gbps", host_gbps), .kind = FIELD_NUMBER, .min = 0.1, .max = 1e5,
                        .unit = "GB/s", .doc = "link to the host, one direction"},
    [PART_TDP] = {ROOT("tdp_w", tdp_w), .kind = FIELD_NUMBER, .min = 0, .max = 1e5, .unit = "W"},
    UNUSED(0, "memory_type"),
    UNUSED(1, "supports"),
    UNUSED(2, "l2_cache_mb"),
    UNUSED(3, "sm_or_cu"),
    UNUSED(4, "release"),
    UNUSED(5, "aliases"),
    UNUSED(6, "sources"),
    UNUSED(7, "disputes"),
    UNUSED(8, "notes"),
    UNUSED(9, "provenance"),
    UNUSED(10, "revision"),
#define X(ID, NAME) PEAK(ID, NAME)
    DTYPE_LIST(X)
#undef X
        [PART_LINK_KIND] = {LINK("kind", link_kind), .kind = FIELD_TEXT,
                            .doc = "NVLink, xGMI, PCIe, none"},
    [PART_LINK_GBPS] = {LINK("gbps_per_gpu_total_bidir", link_gbps_total), .kind = FIELD_NUMBER,
                        .min = 0, .max = 1e6, .unit = "GB/s",
                        .doc = "of one device, both directions together"},
    [PART_LINK_DOMAIN] = {LINK("max_domain", link_domain), .kind = FIELD_WHOLE, .min = 1,
                          .max = 1e5, .unit = "devices", .doc = "devices that the link joins"},
};

static const struct field_section SECTIONS[PART_SECTIONS] = {
    [SECTION_OF_PART] = {"", "", -1, PART_ID, PART_UNUSED_LAST + 1, .doc = "a part"},
    [SECTION_OF_PEAKS] = {"peak_dense_tflops", "/peak_dense_tflops", SECTION_OF_PART,
                          PART_PEAK_FIRST, DTYPE_COUNT, .doc = "dense peaks by compute type"},
    [SECTION_OF_LINK] = {"interconnect", "/interconnect", SECTION_OF_PART, PART_LINK_KIND, 3,
                         .doc = "links between devices"},
};

_Static_assert(PART_ROWS <= FIELDS_MAX, "the walkers have room for every row");

const struct field_table PART_FIELDS = {
    .rows = ROWS, .n = PART_ROWS, .sections = SECTIONS, .n_sections = PART_SECTIONS};

/* A whole number of digits alone, from 1 to max; 0 for anything else. */
static double digits_value(const char *text, double max)
{
    if (!text[0] || text[strspn(text, "0123456789")])
        return 0;
    double value = strtod(text, NULL);
    return value <= max ? value : 0;
}

#define C2C_GBPS_MAX 1e5
#define LANES_MAX 32

double host_link_bytes_us(const char *pcie)
{
    /* One lane, one direction, after encoding (PCI-SIG base specifications 3.0 to 6.0), in GB/s. */
    static const double LANE_GBPS[] = {[3] = 0.985, [4] = 1.969, [5] = 3.938, [6] = 7.875};
    static const char C2C[] = "NVLink-C2C ";

    if (!pcie)
        return 0;
    if (strncmp(pcie, C2C, sizeof(C2C) - 1) == 0)
        return digits_value(pcie + sizeof(C2C) - 1, C2C_GBPS_MAX) / 2 * BYTES_PER_US_PER_GBPS;
    if (strncmp(pcie, "gen", 3) != 0 || pcie[3] < '3' || pcie[3] > '6' || pcie[4] != 'x')
        return 0;
    return LANE_GBPS[pcie[3] - '0'] * digits_value(pcie + 5, LANES_MAX) * BYTES_PER_US_PER_GBPS;
}

/* Texts of records that name no speed. */
static bool is_known_link(const char *pcie)
{
    return strcmp(pcie, "soc") == 0 || host_link_bytes_us(pcie) > 0;
}

static bool is_fabric(const char *kind)
{
    return kind && strncmp(kind, "PCIe", 4) != 0 && strncmp(kind, "pcie", 4) != 0 &&
           strcmp(kind, "none") != 0;
}

/* Slower than any link between devices: a slip of units. */
#define LINK_GBPS_MIN 0.1

/* Nothing stated: a gen4 x16 slot, marked as assumed. */
#define ASSUMED_HOST_LINK "gen4x16"

/* What the driver reports where it is stated, else the nominal size. */
static double memory_bytes_of(const struct inline_part *part, const bool *given)
{
    if (given[PART_MEMORY_BYTES])
        return part->memory_bytes;
    return given[PART_MEMORY_USABLE] ? part->memory_usable_gib * BYTES_PER_GIB
                                     : part->memory_gb * BYTES_PER_GB;
}

static const char *or_text(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void fill(struct hardware *hw, const struct inline_part *part, const bool *given)
{
    double link = given[PART_HOST_GBPS] ? part->host_gbps * BYTES_PER_US_PER_GBPS
                                        : host_link_bytes_us(part->pcie);

    *hw = (struct hardware){
        .id = or_text(part->id, "inline"),
        .name = or_text(part->name, or_text(part->id, "inline part")),
        .vendor = or_text(part->vendor, ""),
        .arch = or_text(part->arch, ""),
        .class = given[PART_CLASS] ? part->class : HW_DATACENTER,
        .index = -1,
        .memory_bytes = memory_bytes_of(part, given),
        .memory_is_nominal = !given[PART_MEMORY_BYTES] && !given[PART_MEMORY_USABLE],
        .bw_bytes_us = part->mem_bw_gbps * BYTES_PER_US_PER_GBPS,
        .link_is_fabric = is_fabric(part->link_kind),
        .link_kind = or_text(part->link_kind, "none"),
        .link_bytes_us = part->link_gbps_total / 2 * BYTES_PER_US_PER_GBPS,
        .link_domain = given[PART_LINK_DOMAIN] ? part->link_domain : 1,
        .host_bytes_us = link > 0 ? link : host_link_bytes_us(ASSUMED_HOST_LINK),
        .host_bytes_us_assumed = link <= 0,
        .tdp_w = part->tdp_w,
    };
    for (int i = 0; i < DTYPE_COUNT; i++)
        hw->peak_flops_us[i] = part->peak_tflops[i] * FLOPS_PER_US_PER_TFLOPS;
}

/* The fault of a missing row, unless the input has something for it that is refused already. */
static void require(const struct field_reader *reader, bool present, enum part_row row)
{
    const struct field *field = &ROWS[row];

    if (!present && !field_is_refused(reader, (int)row))
        fault_add(reader->faults, field_fault_pointer(reader, field, NULL), NULL, "required: %s",
                  field->doc);
}

/* A link is none at all, or of a speed that links have. */
static void refuse_odd_links(const struct field_reader *reader, const struct inline_part *part)
{
    const struct field *pcie = &ROWS[PART_PCIE], *link = &ROWS[PART_LINK_GBPS];

    if (reader->given[PART_PCIE] && !is_known_link(part->pcie))
        fault_add(
            reader->faults, field_fault_pointer(reader, pcie, NULL), NULL,
            "expected gen3x1 to gen6x32, \"NVLink-C2C\" and 1 to %.9g GB/s (both directions), "
            "or soc, got \"%s\"",
            C2C_GBPS_MAX, field_quote(reader->arena, part->pcie));
    if (part->link_gbps_total > 0 && part->link_gbps_total < LINK_GBPS_MIN)
        fault_add(reader->faults, field_fault_pointer(reader, link, NULL), NULL,
                  "expected 0 for none, or a number from %.9g to %.9g GB/s", LINK_GBPS_MIN,
                  link->max);
}

const struct hardware *inline_part_read(const struct catalogue *catalogue, struct arena *arena,
                                        struct faults *faults, const char *pointer,
                                        const cJSON *object)
{
    struct inline_part part = {0};
    bool given[PART_ROWS] = {false};
    struct field_reader reader = {
        .table = &PART_FIELDS,
        .catalogue = catalogue,
        .arena = arena,
        .faults = faults,
        .base = pointer,
        .target = &part,
        .given = given,
    };
    int before = faults->n;

    field_read_json(&reader, object);
    require(&reader,
            given[PART_MEMORY_BYTES] || given[PART_MEMORY_GB] || given[PART_MEMORY_NOMINAL] ||
                given[PART_MEMORY_USABLE],
            PART_MEMORY_GB);
    require(&reader, given[PART_BANDWIDTH], PART_BANDWIDTH);
    refuse_odd_links(&reader, &part);
    if (faults->n != before)
        return NULL;
    struct hardware *hw = arena_alloc(arena, sizeof(*hw));
    if (hw)
        fill(hw, &part, given);
    return hw;
}
