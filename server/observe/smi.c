/*
 * smi.c - what nvidia-smi, rocm-smi and amd-smi print, in their own forms.
 *
 * nvidia-smi: the box, --query-gpu as CSV, dmon and pmon, -q, topo -m
 * (https://docs.nvidia.com/deploy/nvidia-smi/); rocm-smi's table
 * (https://rocm.docs.amd.com/projects/rocm_smi_lib); amd-smi monitor
 * (https://rocm.docs.amd.com/projects/amdsmi). A column or a line of -q is a row of a table.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log_parts.h"
#include "observe.h"
#include "observe_line.h"
#include "units.h"

#define COLUMNS_MAX 48
#define CELL_MAX 128
#define PERCENT 0.01
#define MB_PER_KB 1e-3

/* Meanings of columns that are no column of a part's row. */
enum special {
    COLUMN_INDEX = OBSERVED_GPU_COLUMNS,
    COLUMN_NAME,
    COLUMN_UUID,
    COLUMN_REASONS,     /* bits in hexadecimal */
    COLUMN_POWER_CAP,   /* "Active" or "Not Active" */
    COLUMN_HW_SLOWDOWN, /* the same */
    COLUMN_SW_THERMAL,
    COLUMN_HW_THERMAL,
    COLUMN_POWER_BRAKE,
    COLUMN_POWER_VIOLATION, /* percent of the time */
    COLUMN_KNOWN,           /* of no meaning here */
};

struct column {
    const char *name;
    int meaning; /* enum observed_gpu_column or enum special */
    double scale;
};

#define GPU(COLUMN) OBS_GPU_ROW_##COLUMN

/* Headers of dmon and pmon, of amd-smi monitor and of --query-gpu. */
static const struct column COLUMNS[] = {
    {"gpu", COLUMN_INDEX, 1},
    {"GPU", COLUMN_INDEX, 1},
    {"pwr", GPU(POWER_W), 1},
    {"gtemp", GPU(TEMPERATURE_C), 1},
    {"temp", GPU(TEMPERATURE_C), 1},
    {"mtemp", GPU(MEMORY_TEMPERATURE_C), 1},
    {"sm", GPU(UTILIZATION), PERCENT},
    {"mem", GPU(MEMORY_UTILIZATION), PERCENT},
    {"mclk", GPU(MEMORY_CLOCK_MHZ), 1},
    {"pclk", GPU(SM_CLOCK_MHZ), 1},
    {"fb", GPU(MEMORY_USED_BYTES), BYTES_PER_MIB},
    {"rxpci", GPU(PCIE_RX_MB_S), 1},
    {"txpci", GPU(PCIE_TX_MB_S), 1},
    {"pviol", COLUMN_POWER_VIOLATION, 1},
    {"POWER", GPU(POWER_W), 1},
    {"PWR_CAP", GPU(POWER_CAP_W), 1},
    {"GPU_T", GPU(TEMPERATURE_C), 1},
    {"GPU_TEMP", GPU(TEMPERATURE_C), 1},
    {"MEM_T", GPU(MEMORY_TEMPERATURE_C), 1},
    {"MEM_TEMP", GPU(MEMORY_TEMPERATURE_C), 1},
    {"GFX_CLK", GPU(SM_CLOCK_MHZ), 1},
    {"GFX_CLOCK", GPU(SM_CLOCK_MHZ), 1},
    {"GFX%", GPU(UTILIZATION), PERCENT},
    {"GFX_UTIL", GPU(UTILIZATION), PERCENT},
    {"MEM%", GPU(MEMORY_UTILIZATION), PERCENT},
    {"MEM_UTIL", GPU(MEMORY_UTILIZATION), PERCENT},
    {"MEM_CLOCK", GPU(MEMORY_CLOCK_MHZ), 1},
    {"VRAM_USED", GPU(MEMORY_USED_BYTES), BYTES_PER_MIB},
    {"VRAM_TOTAL", GPU(MEMORY_TOTAL_BYTES), BYTES_PER_MIB},
    {"index", COLUMN_INDEX, 1},
    {"name", COLUMN_NAME, 1},
    {"gpu_name", COLUMN_NAME, 1},
    {"uuid", COLUMN_UUID, 1},
    {"gpu_uuid", COLUMN_UUID, 1},
    {"utilization.gpu", GPU(UTILIZATION), PERCENT},
    {"utilization.memory", GPU(MEMORY_UTILIZATION), PERCENT},
    {"power.draw", GPU(POWER_W), 1},
    {"power.draw.average", GPU(POWER_W), 1},
    {"power.draw.instant", COLUMN_KNOWN, 1},
    {"power.limit", GPU(POWER_CAP_W), 1},
    {"enforced.power.limit", GPU(POWER_CAP_W), 1},
    {"power.default_limit", GPU(POWER_DEFAULT_W), 1},
    {"clocks.sm", GPU(SM_CLOCK_MHZ), 1},
    {"clocks.current.sm", GPU(SM_CLOCK_MHZ), 1},
    {"clocks.max.sm", GPU(SM_CLOCK_MAX_MHZ), 1},
    {"clocks.mem", GPU(MEMORY_CLOCK_MHZ), 1},
    {"clocks.current.memory", GPU(MEMORY_CLOCK_MHZ), 1},
    {"clocks.max.mem", GPU(MEMORY_CLOCK_MAX_MHZ), 1},
    {"clocks.max.memory", GPU(MEMORY_CLOCK_MAX_MHZ), 1},
    {"temperature.gpu", GPU(TEMPERATURE_C), 1},
    {"temperature.memory", GPU(MEMORY_TEMPERATURE_C), 1},
    {"memory.used", GPU(MEMORY_USED_BYTES), BYTES_PER_MIB},
    {"memory.total", GPU(MEMORY_TOTAL_BYTES), BYTES_PER_MIB},
    {"pcie.link.gen.current", GPU(PCIE_GEN), 1},
    {"pcie.link.gen.gpucurrent", GPU(PCIE_GEN), 1},
    {"pcie.link.gen.max", GPU(PCIE_GEN_MAX), 1},
    {"pcie.link.width.current", GPU(PCIE_WIDTH), 1},
    {"pcie.link.width.max", GPU(PCIE_WIDTH_MAX), 1},
    {"clocks_throttle_reasons.active", COLUMN_REASONS, 1},
    {"clocks_event_reasons.active", COLUMN_REASONS, 1},
    {"clocks_throttle_reasons.sw_power_cap", COLUMN_POWER_CAP, 1},
    {"clocks_event_reasons.sw_power_cap", COLUMN_POWER_CAP, 1},
    {"clocks_throttle_reasons.hw_slowdown", COLUMN_HW_SLOWDOWN, 1},
    {"clocks_event_reasons.hw_slowdown", COLUMN_HW_SLOWDOWN, 1},
    {"clocks_throttle_reasons.sw_thermal_slowdown", COLUMN_SW_THERMAL, 1},
    {"clocks_event_reasons.sw_thermal_slowdown", COLUMN_SW_THERMAL, 1},
    {"clocks_throttle_reasons.hw_thermal_slowdown", COLUMN_HW_THERMAL, 1},
    {"clocks_event_reasons.hw_thermal_slowdown", COLUMN_HW_THERMAL, 1},
    {"clocks_throttle_reasons.hw_power_brake_slowdown", COLUMN_POWER_BRAKE, 1},
    {"clocks_event_reasons.hw_power_brake_slowdown", COLUMN_POWER_BRAKE, 1},
};

/* Lines of -q: the heading that they stand under and what they say. */
static const struct {
    const char *section, *key;
    int meaning;
    double scale;
} LINES[] = {
    {NULL, "Product Name", COLUMN_NAME, 1},
    {NULL, "GPU UUID", COLUMN_UUID, 1},
    {"Utilization", "Gpu", GPU(UTILIZATION), PERCENT},
    {"Utilization", "GPU", GPU(UTILIZATION), PERCENT},
    {"Utilization", "Memory", GPU(MEMORY_UTILIZATION), PERCENT},
    {"FB Memory Usage", "Total", GPU(MEMORY_TOTAL_BYTES), BYTES_PER_MIB},
    {"FB Memory Usage", "Used", GPU(MEMORY_USED_BYTES), BYTES_PER_MIB},
    {"Temperature", "GPU Current Temp", GPU(TEMPERATURE_C), 1},
    {"Temperature", "Memory Current Temp", GPU(MEMORY_TEMPERATURE_C), 1},
    {"Power Readings", "Power Draw", GPU(POWER_W), 1},
    {"GPU Power Readings", "Power Draw", GPU(POWER_W), 1},
    {"GPU Power Readings", "Average Power Draw", GPU(POWER_W), 1},
    {"Power Readings", "Enforced Power Limit", GPU(POWER_CAP_W), 1},
    {"Power Readings", "Default Power Limit", GPU(POWER_DEFAULT_W), 1},
    {"GPU Power Readings", "Current Power Limit", GPU(POWER_CAP_W), 1},
    {"GPU Power Readings", "Default Power Limit", GPU(POWER_DEFAULT_W), 1},
    {"Clocks", "SM", GPU(SM_CLOCK_MHZ), 1},
    {"Clocks", "Memory", GPU(MEMORY_CLOCK_MHZ), 1},
    {"Max Clocks", "SM", GPU(SM_CLOCK_MAX_MHZ), 1},
    {"Max Clocks", "Memory", GPU(MEMORY_CLOCK_MAX_MHZ), 1},
    {"PCIe Generation", "Max", GPU(PCIE_GEN_MAX), 1},
    {"PCIe Generation", "Current", GPU(PCIE_GEN), 1},
    {"Link Width", "Max", GPU(PCIE_WIDTH_MAX), 1},
    {"Link Width", "Current", GPU(PCIE_WIDTH), 1},
    {NULL, "Tx Throughput", GPU(PCIE_TX_MB_S), MB_PER_KB},
    {NULL, "Rx Throughput", GPU(PCIE_RX_MB_S), MB_PER_KB},
    {NULL, "SW Power Cap", COLUMN_POWER_CAP, 1},
    {NULL, "HW Slowdown", COLUMN_HW_SLOWDOWN, 1},
    {NULL, "SW Thermal Slowdown", COLUMN_SW_THERMAL, 1},
    {NULL, "HW Thermal Slowdown", COLUMN_HW_THERMAL, 1},
    {NULL, "HW Power Brake Slowdown", COLUMN_POWER_BRAKE, 1},
};

static const struct {
    int meaning;
    unsigned bit;
} REASONS[] = {
    {COLUMN_POWER_CAP, THROTTLE_POWER_CAP},     {COLUMN_HW_SLOWDOWN, THROTTLE_HW_SLOWDOWN},
    {COLUMN_SW_THERMAL, THROTTLE_SW_THERMAL},   {COLUMN_HW_THERMAL, THROTTLE_HW_THERMAL},
    {COLUMN_POWER_BRAKE, THROTTLE_POWER_BRAKE},
};

enum table { NO_TABLE, BY_BLANKS, BY_COMMAS };

struct smi {
    struct arena *arena;
    struct observed *observed;
    struct observed_reading reading;
    enum table table;
    const struct column *columns[COLUMNS_MAX]; /* NULL = not known */
    int n_columns;
    struct observed_gpu *box;   /* whose second line is to come */
    struct observed_gpu *block; /* of -q */
    int n_blocks;
    char section[CELL_MAX];
    int topo_parts, topo_columns; /* columns of topo -m that are parts, and all that are links */
    unsigned long numa[OBSERVED_GPUS_MAX];
    int n_numa;
    char line[OBSERVE_LINE_MAX];
    char cells[COLUMNS_MAX][CELL_MAX];
    int n_cells;
};

/* What became of a line. */
enum outcome { NOT_MINE, USED, IGNORED };

static enum outcome recognized(struct smi *smi, const char *format, enum outcome outcome)
{
    if (!smi->reading.format)
        smi->reading.format = format;
    return outcome;
}

/* Cells -----------------------------------------------------------------------------------------
 */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* text[0..length) without blanks around it, as the next cell. */
static void add_cell(struct smi *smi, const char *text, size_t length)
{
    while (length && *text == ' ') {
        text++;
        length--;
    }
    while (length && text[length - 1] == ' ')
        length--;
    if (smi->n_cells == COLUMNS_MAX)
        return;
    if (length >= CELL_MAX)
        length = CELL_MAX - 1;
    memcpy(smi->cells[smi->n_cells], text, length);
    smi->cells[smi->n_cells++][length] = '\0';
}

static void split_at(struct smi *smi, const char *text, char separator)
{
    smi->n_cells = 0;
    for (;;) {
        const char *end = strchr(text, separator);
        add_cell(smi, text, end ? (size_t)(end - text) : strlen(text));
        if (!end)
            return;
        text = end + 1;
    }
}

/* Words between blanks; a unit that stands alone belongs to the number before it, "/" to nothing.
 */
static void split_words(struct smi *smi, const char *text)
{
    static const char *const UNITS[] = {"W", "°C", "%", "MHz", "MB", "GB", "MiB", "GiB", "mV", "/"};

    smi->n_cells = 0;
    for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
        size_t length = strcspn(text, " ");
        bool unit = false;
        for (size_t i = 0; i < ARRAY_LEN(UNITS) && smi->n_cells; i++)
            unit = unit || (strlen(UNITS[i]) == length && strncmp(text, UNITS[i], length) == 0);
        if (!unit)
            add_cell(smi, text, length);
        text += length;
    }
}

static double cell_number(const char *cell)
{
    const char *end;

    return log_number_at(cell, &end);
}

/* Tables with a header --------------------------------------------------------------------------
 */

/* The column of a header's cell; a unit in brackets aside. */
static const struct column *column_of(const char *cell)
{
    size_t length = strcspn(cell, "[");

    while (length && cell[length - 1] == ' ')
        length--;
    for (size_t i = 0; i < ARRAY_LEN(COLUMNS); i++)
        if (strlen(COLUMNS[i].name) == length && strncmp(COLUMNS[i].name, cell, length) == 0)
            return &COLUMNS[i];
    return NULL;
}

/* Takes the cells from `from` on as a header when at least two of them are known. */
static bool take_header(struct smi *smi, int from, enum table table)
{
    const struct column *columns[COLUMNS_MAX] = {NULL};
    int known = 0;

    for (int i = from; i < smi->n_cells; i++) {
        columns[i - from] = column_of(smi->cells[i]);
        known += columns[i - from] != NULL;
    }
    if (known < 2)
        return false;
    memcpy(smi->columns, columns, sizeof(columns));
    smi->n_columns = smi->n_cells - from;
    smi->table = table;
    smi->box = smi->block = NULL;
    return true;
}

/* What was asked for, where the command stands above a table without a header. */
static enum outcome read_query(struct smi *smi)
{
    const char *at = strstr(smi->line, "--query-gpu=");

    if (!at)
        return NOT_MINE;
    at += strlen("--query-gpu=");
    at += strspn(at, "'\"");
    smi->line[(at - smi->line) + (ptrdiff_t)strcspn(at, " '\"")] = '\0';
    split_at(smi, at, ',');
    (void)take_header(smi, 0, BY_COMMAS);
    return IGNORED;
}

static enum outcome read_header(struct smi *smi)
{
    const char *text = skip_blanks(smi->line);

    if (strchr(text, '|') || strchr(text, ':'))
        return NOT_MINE;
    if (*text == '#') {
        split_words(smi, text + 1);
        /* "# Idx W C %": units of the header above. */
        if (smi->n_cells && strcmp(smi->cells[0], "Idx") == 0)
            return IGNORED;
        return take_header(smi, 0, BY_BLANKS) ? recognized(smi, "nvidia-smi dmon or pmon", IGNORED)
                                              : NOT_MINE;
    }
    if (strchr(text, ',')) {
        split_at(smi, text, ',');
        return take_header(smi, 0, BY_COMMAS) ? recognized(smi, "nvidia-smi --query-gpu", IGNORED)
                                              : NOT_MINE;
    }
    split_words(smi, text);
    if (smi->n_cells < 3 || strcmp(smi->cells[0], "GPU") != 0 ||
        strcmp(smi->cells[1], "POWER") != 0)
        return NOT_MINE;
    return take_header(smi, 0, BY_BLANKS) ? recognized(smi, "amd-smi monitor", IGNORED) : NOT_MINE;
}

static void put_reason(struct observed_gpu *gpu, int meaning, const char *cell)
{
    gpu->throttle_known = true;
    if (meaning == COLUMN_REASONS)
        gpu->throttle |= (unsigned)(strtoull(cell, NULL, 16) & 0xffff);
    else if (meaning == COLUMN_POWER_VIOLATION && cell_number(cell) > 0)
        gpu->throttle |= THROTTLE_POWER_CAP;
    for (size_t i = 0; i < ARRAY_LEN(REASONS); i++)
        if (REASONS[i].meaning == meaning && strcmp(cell, "Active") == 0)
            gpu->throttle |= REASONS[i].bit;
}

static void put_cell(struct smi *smi, struct observed_gpu *gpu, int meaning, double scale,
                     const char *cell)
{
    double number = meaning < OBSERVED_GPU_COLUMNS ? cell_number(cell) : (double)NAN;

    if (number >= 0)
        observed_gpu_add(gpu, (enum observed_gpu_column)meaning, number * scale);
    else if (meaning == COLUMN_NAME && !gpu->name)
        gpu->name = observe_keep(smi->arena, cell, CELL_MAX);
    else if (meaning == COLUMN_UUID && !gpu->uuid)
        gpu->uuid = observe_keep(smi->arena, cell, CELL_MAX);
    else if (meaning >= COLUMN_REASONS && meaning <= COLUMN_POWER_VIOLATION && *cell &&
             !strchr("-[", *cell) && strcmp(cell, "N/A") != 0)
        put_reason(gpu, meaning, cell);
}

/* The row's cell of a meaning; NULL when there is none. */
static const char *cell_of(const struct smi *smi, int meaning)
{
    for (int i = 0; i < smi->n_columns && i < smi->n_cells; i++)
        if (smi->columns[i] && smi->columns[i]->meaning == meaning)
            return smi->cells[i];
    return NULL;
}

static struct observed_gpu *row_of(struct smi *smi)
{
    const char *index = cell_of(smi, COLUMN_INDEX), *uuid = cell_of(smi, COLUMN_UUID);
    double number = index ? cell_number(index) : (double)NAN;

    if (index && !(number >= 0 && number < OBSERVED_GPUS_MAX))
        return NULL;
    return observed_gpu_row(smi->observed, index ? (int)number : -1,
                            uuid ? observe_keep(smi->arena, uuid, CELL_MAX) : NULL);
}

static enum outcome read_row(struct smi *smi)
{
    if (smi->table == NO_TABLE || strchr(smi->line, '|'))
        return NOT_MINE;
    if (smi->table == BY_COMMAS)
        split_at(smi, smi->line, ',');
    else
        split_words(smi, smi->line);
    if (smi->n_cells < 2 || smi->n_cells < smi->n_columns - 1)
        return NOT_MINE;
    /* A command's name at the end of pmon's rows may have words of its own. */
    struct observed_gpu *gpu = row_of(smi);
    if (!gpu)
        return NOT_MINE;
    for (int i = 0; i < smi->n_columns && i < smi->n_cells; i++)
        if (smi->columns[i])
            put_cell(smi, gpu, smi->columns[i]->meaning, smi->columns[i]->scale, smi->cells[i]);
    return recognized(smi, "nvidia-smi --query-gpu", USED);
}

/* The box ---------------------------------------------------------------------------------------
 */

/* "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |" */
static enum outcome read_box_first(struct smi *smi)
{
    const char *cell = smi->cells[1], *name;
    size_t digits = strspn(cell, "0123456789");

    if (digits == 0 || digits > 3 || cell[digits] != ' ' || !strchr(smi->cells[2], ':') ||
        !strchr(smi->cells[2], '.'))
        return NOT_MINE;
    name = skip_blanks(cell + digits);
    const char *end = strstr(name, "  ");
    size_t length = end ? (size_t)(end - name) : strlen(name);
    smi->box = observed_gpu_row(smi->observed, (int)strtol(cell, NULL, 10), NULL);
    if (smi->box && !smi->box->name)
        smi->box->name = observe_keep(smi->arena, name, length);
    return recognized(smi, "nvidia-smi", USED);
}

/* "| N/A   34C    P0             119W / 700W |   74519MiB /  81559MiB |     98%      Default |" */
static enum outcome read_box_second(struct smi *smi)
{
    const char *power = strstr(smi->cells[1], "W /");
    const char *memory = strchr(smi->cells[2], '/');
    const char *temperature = smi->cells[1] + strcspn(smi->cells[1], " ");
    const char *percent = strchr(smi->cells[3], '%');

    if (!smi->box || !memory || !strstr(smi->cells[2], "MiB"))
        return NOT_MINE;
    observed_gpu_add(smi->box, GPU(TEMPERATURE_C), cell_number(skip_blanks(temperature)));
    if (power) {
        const char *from = power;
        while (from > smi->cells[1] && (isdigit((unsigned char)from[-1]) || from[-1] == '.'))
            from--;
        observed_gpu_add(smi->box, GPU(POWER_W), cell_number(from));
        observed_gpu_add(smi->box, GPU(POWER_CAP_W), cell_number(power + 3));
    }
    observed_gpu_add(smi->box, GPU(MEMORY_USED_BYTES), cell_number(smi->cells[2]) * BYTES_PER_MIB);
    observed_gpu_add(smi->box, GPU(MEMORY_TOTAL_BYTES), cell_number(memory + 1) * BYTES_PER_MIB);
    if (percent)
        observed_gpu_add(smi->box, GPU(UTILIZATION), cell_number(smi->cells[3]) * PERCENT);
    smi->box = NULL;
    return USED;
}

static enum outcome read_box(struct smi *smi)
{
    const char *text = skip_blanks(smi->line);

    if (*text == '+' && strstr(text, "--"))
        return IGNORED;
    if (*text != '|')
        return NOT_MINE;
    split_at(smi, text, '|');
    if (smi->n_cells < 5)
        return IGNORED;
    enum outcome outcome = read_box_first(smi);
    if (outcome == NOT_MINE)
        outcome = read_box_second(smi);
    return outcome == NOT_MINE ? IGNORED : outcome;
}

/* -q --------------------------------------------------------------------------------------------
 */

static void put_line(struct smi *smi, const char *key, const char *value, bool *ret_used)
{
    for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
        if (strcmp(LINES[i].key, key) != 0 ||
            (LINES[i].section && strcmp(LINES[i].section, smi->section) != 0))
            continue;
        put_cell(smi, smi->block, LINES[i].meaning, LINES[i].scale, value);
        *ret_used = true;
    }
}

static enum outcome read_block(struct smi *smi)
{
    const char *text = skip_blanks(smi->line), *colon = strstr(text, " : ");
    bool used = false;

    if (strncmp(smi->line, "GPU 0", 5) == 0 && strchr(smi->line, ':') && !colon) {
        smi->block = observed_gpu_row(smi->observed, smi->n_blocks++, NULL);
        smi->table = NO_TABLE;
        return recognized(smi, "nvidia-smi -q", USED);
    }
    if (!smi->block)
        return strstr(text, "NVSMI LOG") || colon ? IGNORED : NOT_MINE;
    if (!colon) {
        smi->n_cells = 0;
        add_cell(smi, text, strlen(text));
        memcpy(smi->section, smi->cells[0], CELL_MAX);
        return IGNORED;
    }
    smi->n_cells = 0;
    add_cell(smi, text, (size_t)(colon - text));
    add_cell(smi, colon + 3, strlen(colon + 3));
    put_line(smi, smi->cells[0], smi->cells[1], &used);
    return used ? USED : IGNORED;
}

/* topo -m ---------------------------------------------------------------------------------------
 */

static bool is_part(const char *cell, const char *kind)
{
    size_t length = strlen(kind);

    return strncmp(cell, kind, length) == 0 && isdigit((unsigned char)cell[length]);
}

static enum observed_link link_of(const char *cell)
{
    if (strncmp(cell, "NV", 2) == 0 && isdigit((unsigned char)cell[2]))
        return LINK_NVLINK;
    for (int link = LINK_PIX; link < LINK_COUNT; link++)
        if (strcmp(cell, observed_link_name((enum observed_link)link)) == 0)
            return (enum observed_link)link;
    return LINK_UNKNOWN;
}

static void put_link(struct smi *smi, const char *cell)
{
    struct observed *observed = smi->observed;
    enum observed_link link = link_of(cell);

    if (link == LINK_UNKNOWN)
        return;
    if (observed->link_best == LINK_UNKNOWN || link < observed->link_best)
        observed->link_best = link;
    if (link > observed->link_worst)
        observed->link_worst = link;
    if (link == LINK_NVLINK)
        observed->link_nvlinks = (int)strtol(cell + 2, NULL, 10);
}

static void put_numa(struct smi *smi, const char *cell)
{
    char *end;
    unsigned long node = strtoul(cell, &end, 10);
    int i = 0;

    if (end == cell || *end != '\0')
        return;
    while (i < smi->n_numa && smi->numa[i] != node)
        i++;
    if (i == smi->n_numa && i < OBSERVED_GPUS_MAX)
        smi->numa[smi->n_numa++] = node;
    smi->observed->numa_nodes = smi->n_numa;
}

static enum outcome read_topo(struct smi *smi)
{
    int parts = 0, links = 0;

    if (smi->topo_parts &&
        (strstr(smi->line, "Legend") || strstr(smi->line, "  = ") || strstr(smi->line, "NIC")))
        return IGNORED;
    if (strchr(smi->line, '|') || strchr(smi->line, ':') || !strstr(smi->line, "GPU"))
        return NOT_MINE;
    split_words(smi, smi->line);
    for (int i = 0; i < smi->n_cells; i++) {
        bool part = is_part(smi->cells[i], "GPU");
        parts += part;
        links += part || is_part(smi->cells[i], "NIC") || is_part(smi->cells[i], "mlx5_");
    }
    if (strstr(smi->line, "CPU Affinity") || (parts > 1 && links == smi->n_cells)) {
        smi->topo_parts = parts;
        smi->topo_columns = links;
        return recognized(smi, "nvidia-smi topo -m", IGNORED);
    }
    if (smi->topo_parts == 0 || !is_part(smi->cells[0], "GPU"))
        return NOT_MINE;
    for (int i = 1; i <= smi->topo_parts && i < smi->n_cells; i++)
        put_link(smi, smi->cells[i]);
    if (smi->topo_columns + 2 < smi->n_cells)
        put_numa(smi, smi->cells[smi->topo_columns + 2]);
    return USED;
}

/* rocm-smi --------------------------------------------------------------------------------------
 */

static bool ends_with(const char *cell, const char *ending)
{
    size_t a = strlen(cell), b = strlen(ending);

    return a > b && isdigit((unsigned char)cell[0]) && strcmp(cell + a - b, ending) == 0;
}

/* The cells of a unit: of two the first is one column and the second another; -1 = none. */
static void put_unit(struct smi *smi, struct observed_gpu *gpu, const char *unit, int first,
                     int second)
{
    int n = 0;

    for (int i = 1; i < smi->n_cells; i++) {
        if (!ends_with(smi->cells[i], unit))
            continue;
        int meaning = n == 0 ? first : second;
        if (meaning >= 0 && n < 2)
            observed_gpu_add(gpu, (enum observed_gpu_column)meaning, cell_number(smi->cells[i]));
        n++;
    }
}

/* "0 2 0x74a1, 28851 42.0°C 135.0W NPS1, SPX, 0 132Mhz 900Mhz 0% auto 750.0W 0% 0%": units tell the
 * columns, of two with the same unit the order does. */
static enum outcome read_rocm(struct smi *smi)
{
    struct observed_gpu *gpu = NULL;

    if (!strstr(smi->line, "Mhz") || !isdigit((unsigned char)*skip_blanks(smi->line)))
        return NOT_MINE;
    split_words(smi, smi->line);
    double index = cell_number(smi->cells[0]);
    if (smi->n_cells > 5 && index >= 0 && index < OBSERVED_GPUS_MAX)
        gpu = observed_gpu_row(smi->observed, (int)index, NULL);
    if (!gpu)
        return NOT_MINE;
    put_unit(smi, gpu, "Mhz", GPU(SM_CLOCK_MHZ), GPU(MEMORY_CLOCK_MHZ));
    put_unit(smi, gpu, "W", GPU(POWER_W), GPU(POWER_CAP_W));
    put_unit(smi, gpu, "°C", GPU(TEMPERATURE_C), -1);
    put_unit(smi, gpu, "c", GPU(TEMPERATURE_C), -1);
    const char *last = smi->cells[smi->n_cells - 1];
    if (ends_with(last, "%"))
        observed_gpu_add(gpu, GPU(UTILIZATION), cell_number(last) * PERCENT);
    return recognized(smi, "rocm-smi", USED);
}

/* Lines -----------------------------------------------------------------------------------------
 */

static enum outcome read_line(struct smi *smi)
{
    static enum outcome (*const READERS[])(struct smi *) = {
        read_query, read_box, read_topo, read_header, read_row, read_rocm, read_block,
    };
    enum outcome outcome = NOT_MINE;

    for (size_t i = 0; i < ARRAY_LEN(READERS) && outcome == NOT_MINE; i++)
        outcome = READERS[i](smi);
    return outcome;
}

static void settle(struct smi *smi)
{
    struct observed *observed = smi->observed;

    observed_gpu_summarize(observed, FROM_SMI);
    if (observed->n_gpus == 0 && observed->link_worst == LINK_UNKNOWN && smi->reading.lines)
        observed_note(observed, "smi_not_understood",
                      "no table of nvidia-smi, rocm-smi or amd-smi: a CSV needs its header, or the "
                      "command above it");
    if (observed->n_readings < OBSERVED_READINGS_MAX)
        observed->readings[observed->n_readings++] = smi->reading;
}

bool observe_smi(struct arena *arena, const char *text, size_t length, struct observed *observed)
{
    struct smi *smi = arena_alloc(arena, sizeof(*smi));
    struct observed *own = arena_alloc(arena, sizeof(*own));
    const char *end = text + length;

    if (!smi || !own)
        return false;
    observed_init(own);
    smi->arena = arena;
    smi->observed = own;
    smi->reading.from = FROM_SMI;
    while (observe_line_next(&text, end, smi->line)) {
        enum outcome outcome = read_line(smi);
        smi->reading.lines++;
        smi->reading.used += outcome == USED;
        smi->reading.ignored += outcome == IGNORED;
        if (outcome == NOT_MINE)
            observe_not_understood(arena, &smi->reading, smi->line);
    }
    settle(smi);
    observed_merge(observed, own);
    return true;
}
