/*
 * profile_lines.h - the formats that come as lines: what each makes of one.
 *
 * Purpose: a reader is a function of a line and of what it keeps between lines; the table of
 *          profile_formats.h names one for each format.
 * Errors:  lines that mean nothing are passed over; rows that end too early are counted.
 */
#ifndef REGIME_PROFILE_LINES_H
#define REGIME_PROFILE_LINES_H

#include "profile.h"
#include "profile_cells.h"

#define SECTION_MAX 160
#define TREE_DEPTH_MAX 64

enum column_role {
    COLUMN_NAME,
    COLUMN_TIME,
    COLUMN_PERCENT,
    COLUMN_LAUNCHES,
    COLUMN_AVERAGE,
    COLUMN_STAGE,
    COLUMN_CPU_TIME,
    COLUMN_CPU_PERCENT,
    COLUMN_WALL,
    COLUMN_BUSY,
    COLUMN_COUNT
};

/* What the rows of a table are. */
enum table_rows { ROWS_OF_KERNELS, ROWS_OF_CALLS, ROWS_OF_ARMS, ROWS_OF_NOTHING };

struct table_columns {
    int at[COLUMN_COUNT]; /* -1: the table has none */
    enum cell_unit unit[COLUMN_COUNT];
    int n;
    bool names_calls;         /* the column of names is headed "API" */
    bool is_step;             /* times are of one step: "time_per_step" */
    enum profile_stage stage; /* that a head names: "time_per_prefill" */
};

struct lines_state {
    struct profile *profile;
    /* tables */
    bool in_table;
    enum cell_style style;
    struct table_columns columns;
    enum table_rows rows;
    int kernel_tables;
    char section[SECTION_MAX];
    /* trees: the row that waits until the next one tells whether it has children */
    int waiting, waiting_depth;
    double waiting_us, waiting_percent, waiting_launches;
    /* ggml */
    double n_experts;
    bool has_nodes;
};

typedef void line_fn(struct lines_state *state, struct slice line);

/* Tables with a head: bars, commas, tabs or blanks between the columns. */
line_fn table_line;
/* The layers of a model with their kernels below them. */
line_fn tree_line;
/* ggml's operators: the Vulkan logger and the print of nodes. */
line_fn ggml_line;
/* Timings of llama.cpp's programs. */
line_fn timings_line;

/* The columns of a head; false when the line heads no table of times. */
bool table_head(const struct cells *cells, struct table_columns *ret_columns);

/* After the last line. */
void lines_end(struct lines_state *state);
void tree_end(struct lines_state *state);
void ggml_end(struct lines_state *state);
void timings_end(struct lines_state *state);

#endif
