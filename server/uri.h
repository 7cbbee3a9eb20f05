/*
 * uri.h - a request target taken apart.
 *
 * Purpose: path segments and query arguments, each decoded by itself, out of the target as sent:
 *          "%2F" stays inside its segment, "?flag" has the value "", "+" in the query is a space.
 */
#ifndef REGIME_URI_H
#define REGIME_URI_H

#include "app.h"

/*
 * Fills raw_path, segments, n_segments, arguments and n_arguments of a request out of `target`
 * (origin form, absolute form or "*") into the request's arena; texts are cut out of `target`,
 * which must be writable and live as long. A path of more than SEGMENTS_MAX segments has n_segments
 * -1. What cannot be read sets refusal and refusal_status: 400, 414 for more than ARGUMENTS_MAX
 * arguments.
 */
void uri_parse(char *target, struct request *request);

#endif
