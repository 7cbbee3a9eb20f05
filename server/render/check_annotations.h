/*
 * check_annotations.h - a verdict as GitHub and GitLab show it beside a change.
 *
 * Purpose: workflow commands (::error, ::warning, ::notice) for GitHub Actions, a Code Quality
 *          report for GitLab: one entry per check that does not pass.
 * Source:  docs.github.com/actions (workflow commands: % CR LF are escaped in a message, : and , in
 *          a property besides), docs.gitlab.com/ci/testing/code_quality (report format).
 * Errors:  the writer's.
 * Threads: pure.
 */
#ifndef REGIME_CHECK_ANNOTATIONS_H
#define REGIME_CHECK_ANNOTATIONS_H

#include "check_report.h"

void check_github_write(struct json_out *out, const struct check_report *report);
void check_gitlab_write(struct json_out *out, const struct check_report *report);

#endif
