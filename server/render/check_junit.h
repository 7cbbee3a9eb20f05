/*
 * check_junit.h - a verdict as JUnit XML, which build servers show as tests.
 *
 * Purpose: one test case per check; what fails is a failure with its cures, an unknown a failure or
 *          skipped as the pipeline asked.
 * Source:  github.com/testmoapp/junitxml, the common format; XML 1.0, section 2.2 (characters).
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_JUNIT_H
#define REGIME_CHECK_JUNIT_H

#include "check_report.h"

/* `suite` names the whole: "check", "compare". */
void check_junit_write(struct json_out *out, const struct check_report *report, const char *suite);

#endif
