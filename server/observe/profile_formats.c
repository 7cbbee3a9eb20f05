#include "profile_formats.h"

#include <string.h>

static bool begins_json(struct slice head)
{
    struct slice text = slice_trimmed(head);

    while (text.length > 0 && strchr("\r\n \t", *text.text)) {
        text.text++;
        text.length--;
    }
    return text.length > 0 && (*text.text == '{' || *text.text == '[') &&
           !slice_holds(text, "\"predicted_ms\"") &&
           !(*text.text == '[' && text.length > 1 && text.text[1] != '{' && text.text[1] != '\n' &&
             text.text[1] != ' ' && text.text[1] != '\r');
}

static bool has_timings(struct slice head)
{
    return slice_holds(head, "eval time =") || slice_holds(head, "eval time  =") ||
           slice_holds(head, "\"predicted_ms\"");
}

static bool has_vulkan(struct slice head)
{
    return slice_holds(head, "Vulkan Timings") ||
           (slice_holds(head, "MUL_MAT") && slice_holds(head, " x ") && slice_holds(head, "s\n"));
}

static bool has_nodes(struct slice head)
{
    return slice_holds(head, "=== GRAPH ===") || slice_holds(head, "perf_total_per_op_us") ||
           (slice_holds(head, "MUL_MAT") && slice_holds(head, "wall ="));
}

static bool is_tree(struct slice head)
{
    return slice_holds(head, "cuda_time_us") && slice_holds(head, "|-");
}

static bool is_torch(struct slice head)
{
    return slice_holds(head, "Self CPU") && slice_holds(head, "# of Calls");
}

static bool is_nsys(struct slice head)
{
    return slice_holds(head, "Total Time") &&
           (slice_holds(head, "Instances") || slice_holds(head, "Calls") ||
            slice_holds(head, "Count"));
}

static bool is_nsys_box(struct slice head)
{
    return is_nsys(head) && slice_holds(head, "+---") && slice_holds(head, "| Time");
}

static bool is_nsys_csv(struct slice head)
{
    return is_nsys(head) && slice_holds(head, ",Total Time");
}

static bool is_rocprof(struct slice head)
{
    return slice_holds(head, "TotalDurationNs");
}

static bool is_triage(struct slice head)
{
    return slice_holds(head, "gpu_time_ms") && slice_holds(head, "share_pct");
}

/* The first line with bars, or with commas. */
static bool has_head(struct slice head, enum cell_style style)
{
    const char *at = head.text, *end = at + head.length;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct slice line = slice_trimmed((struct slice){at, (size_t)((stop ? stop : end) - at)});
        struct table_columns columns;
        struct cells cells;
        cells_cut(line, cell_style_of(line), CELLS_MAX, &cells);
        if (cells.n > 1 && cell_style_of(line) == style && table_head(&cells, &columns))
            return true;
        if (!stop)
            return false;
        at = stop + 1;
    }
    return false;
}

static bool has_arms(struct slice head)
{
    return (slice_holds(head, "wall_ms") || slice_holds(head, "wall_us") ||
            slice_holds(head, "wall (ms)")) &&
           slice_holds(head, "kernel") && slice_holds(head, "time");
}

static bool is_markdown(struct slice head)
{
    return has_head(head, CELLS_BARS);
}

static bool is_csv(struct slice head)
{
    return has_head(head, CELLS_COMMAS) || has_head(head, CELLS_SEMICOLONS) ||
           has_head(head, CELLS_TABS);
}

static bool is_columns(struct slice head)
{
    return has_head(head, CELLS_BLANKS);
}

const struct profile_format PROFILE_FORMATS[] = {
    {"llamacpp_timings", "timings that llama.cpp's programs print", has_timings, timings_line,
     timings_end},
    {"chrome_trace", "Chrome trace of PyTorch's profiler (Kineto), CUDA or ROCm", begins_json, NULL,
     NULL},
    {"ggml_nodes", "ggml's print of a graph's nodes", has_nodes, ggml_line, ggml_end},
    {"ggml_vulkan_perf", "GGML_VK_PERF_LOGGER", has_vulkan, ggml_line, ggml_end},
    {"vllm_layerwise", "vLLM's layerwise profile", is_tree, tree_line, tree_end},
    {"torch_key_averages", "torch.profiler key_averages().table()", is_torch, table_line, NULL},
    {"nsys_csv", "nsys stats --format csv", is_nsys_csv, table_line, NULL},
    {"nsys_box", "nsys stats --format table", is_nsys_box, table_line, NULL},
    {"nsys_text", "nsys stats, columns", is_nsys, table_line, NULL},
    {"rocprofv3_csv", "rocprofv3 kernel_stats.csv", is_rocprof, table_line, NULL},
    {"sglang_kernel_table", "kernel table of SGLang's triage", is_triage, table_line, NULL},
    {"wall_and_kernel_time", "wall time beside kernel time, a row for each run", has_arms,
     table_line, NULL},
    {"table_markdown", "a table with bars: a name beside a time or a share", is_markdown,
     table_line, NULL},
    {"table_csv", "CSV: a name beside a time or a share", is_csv, table_line, NULL},
    {"table_columns", "columns: a name beside a time or a share", is_columns, table_line, NULL},
};

const int N_PROFILE_FORMATS = (int)ARRAY_LEN(PROFILE_FORMATS);

const struct profile_format *profile_format_of(struct slice head)
{
    for (int i = 0; i < N_PROFILE_FORMATS; i++)
        if (PROFILE_FORMATS[i].sniff(head))
            return &PROFILE_FORMATS[i];
    return NULL;
}
