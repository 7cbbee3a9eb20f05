/*
 * embedded.h - what the binary carries: the migrations, and the database of bundled records.
 *
 * Purpose: one place that names the symbols which the build makes from migrations/ and db/records/.
 */
#ifndef REGIME_EMBEDDED_H
#define REGIME_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

struct migration {
    int number;
    const char *name; /* "0001_records" */
    const char *sql;
    size_t length;
};

/* In ascending order of number, from 1, without holes. */
extern const struct migration MIGRATIONS[];
extern const int N_MIGRATIONS;

/* The database that regime_records wrote, in journal mode DELETE. */
extern const unsigned char EMBEDDED_DATABASE[];
extern const uint64_t EMBEDDED_DATABASE_BYTES;

#endif
