/*
 * query_switch.h - words of a query that are read by a route itself.
 *
 * Purpose: one way to read true or false, and one of a list of words; a repeat is a fault, and so
 * is an argument that nobody reads: what was meant by it would not be done. Errors:  faults.
 */
#ifndef REGIME_QUERY_SWITCH_H
#define REGIME_QUERY_SWITCH_H

#include "app.h"
#include "fault.h"

/* Reads ?name=: true, 1, yes, on and their opposites; false where it is absent or empty. */
bool query_switch(const struct request *request, struct faults *faults, const char *name);

/* Reads ?name= as one of n words: its place; 0 where it is absent or empty. */
int query_word(const struct request *request, struct faults *faults, const char *name,
               const char *const *words, int n);

/* The text of ?name=; NULL where it is absent or empty. */
const char *query_text(const struct request *request, struct faults *faults, const char *name);

/* A fault for every argument that is none of the n known ones; ?format= is known everywhere. */
void query_refuse_others(const struct request *request, struct faults *faults,
                         const char *const *known, int n, const char *detail);

#endif
