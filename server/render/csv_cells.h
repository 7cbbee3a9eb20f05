/*
 * csv_cells.h - cells of a line of CSV (RFC 4180), each behind its comma.
 *
 * Errors: the writer's.
 */
#ifndef REGIME_CSV_CELLS_H
#define REGIME_CSV_CELLS_H

#include "json_out.h"

/* A text, quoted where it must be; NULL is empty. */
void csv_text(struct json_out *out, const char *text);

/* A number; NAN is empty. */
void csv_number(struct json_out *out, double value);

#endif
