/*
 * attribute_reply.h - an attribution as JSON, as a report for a terminal and as a table.
 *
 * Errors: the writer's.
 */
#ifndef REGIME_ATTRIBUTE_REPLY_H
#define REGIME_ATTRIBUTE_REPLY_H

#include "attribution_budget.h"
#include "json_out.h"

/* What a reply is made of. */
struct attribute_reply {
    const struct attribution *attribution;
    const struct attribution_budget *budget;
    const struct run *run;
    bool ascii;
};

void attribute_json_write(struct json_out *out, const struct attribute_reply *reply);
void attribute_text_write(struct json_out *out, const struct attribute_reply *reply);
/* A line per class. */
void attribute_csv_write(struct json_out *out, const struct attribute_reply *reply);

/* The class with the largest share; NULL where there are no shares. */
const char *attribute_dominant(const struct attribution *attribution);

/* The parts of the host's share, as the replies name them. */
const char *host_part_name(enum host_part part);

#endif
