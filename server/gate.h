/*
 * gate.h - a verdict as a status that a pipeline acts on.
 *
 * Purpose: ?gate=1 turns a verdict into 200 or 409 for `curl --fail-with-body`; ?unknown= says what
 *          an unknown is; ?file= names the file that annotations point at.
 * Errors:  faults.
 * Threads: pure.
 */
#ifndef REGIME_GATE_H
#define REGIME_GATE_H

#include "app.h"
#include "checks.h"
#include "fault.h"

/* The most characters of ?file=. */
#define GATE_FILE_MAX 255
/* Worse by this share is no regression unless ?tolerance= says otherwise. */
#define GATE_TOLERANCE 0.05

struct gate {
    bool on;            /* the status tells the verdict */
    bool unknown_fails; /* what an unknown counts as */
    const char *file;   /* that annotations point at; NULL = none was named */
    double tolerance;   /* of a comparison */
};

/* Names of the arguments that gate_read() reads, and how many. */
#define GATE_ARGUMENTS "gate", "unknown", "file"

/* Reads them; `compares` reads ?tolerance= too. */
void gate_read(const struct request *request, struct faults *faults, bool compares,
               struct gate *ret_gate);

/* 200 where the gate is off or open, else 409. */
int gate_status(const struct gate *gate, enum check_verdict verdict);

#endif
