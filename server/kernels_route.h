/*
 * kernels_route.h - GET /v1/kernels: the table of kernel names, and what one name is.
 *
 * Purpose: shows which pattern stands for which class and budget, and why; ?name= asks for one
 *          kernel as a profile prints it.
 * Errors:  unknown arguments, classes and engines are faults.
 */
#ifndef REGIME_KERNELS_ROUTE_H
#define REGIME_KERNELS_ROUTE_H

#include "routes.h"

handler_fn kernels_handler;

/* The arguments beside those of every list, for the description of the API; a NULL name ends. */
struct kernels_argument {
    const char *name, *doc;
};

extern const struct kernels_argument KERNELS_ARGUMENTS[];

#endif
