/*
 * negotiate.h - media types: which one a reply gets, which ones a body may have.
 */
#ifndef REGIME_NEGOTIATE_H
#define REGIME_NEGOTIATE_H

#include <stdbool.h>

#include "compiler.h"
#include "routes.h"

#define MEDIA_JSON "application/json"
#define MEDIA_TEXT "text/plain"
/* YAML (RFC 9512) and the names it had before. */
#define MEDIA_YAML "application/yaml"
#define MEDIA_X_YAML "application/x-yaml"
#define MEDIA_TEXT_YAML "text/yaml"
#define MEDIA_TEXT_X_YAML "text/x-yaml"
#define MEDIA_CSV "text/csv"
#define MEDIA_HTML "text/html"
#define MEDIA_NDJSON "application/x-ndjson"
/* Whatever the bytes are: the reply says which. */
#define MEDIA_ANY "*/*"
#define MEDIA_BINARY "application/octet-stream"
#define MEDIA_GZIP "application/gzip"
#define MEDIA_X_GZIP "application/x-gzip"
#define MEDIA_MARKDOWN "text/markdown"
/* What curl says of --data-binary when nothing else is said. */
#define MEDIA_FORM "application/x-www-form-urlencoded"
/* What build servers read: JUnit under its three names, GitHub's workflow commands, GitLab's Code
 * Quality report. */
#define MEDIA_JUNIT "application/junit+xml"
#define MEDIA_XML "application/xml"
#define MEDIA_TEXT_XML "text/xml"
#define MEDIA_GITHUB "text/x.github-workflow-commands"
#define MEDIA_GITLAB "application/x.gitlab-code-quality+json"

/*
 * The one of `available` (best first, NULL ends) that an Accept header likes most (RFC 9110 section
 * 12.5.1: the most specific range decides a type's q, a q of 0 excludes it, the order of
 * `available` breaks ties). NULL accept or one without any readable range takes the first. NULL
 * when none fits.
 */
const char *negotiate_accept(const char *accept, const char *const *available);

/* The media type of a ?format= value (json, text, csv, html, ndjson, junit, github, gitlab), NULL
 * when the word is unknown. */
const char *negotiate_format(const char *word);

/* The n-th word of ?format= (from 0); NULL past the end. */
const char *negotiate_word(size_t n);

/* Content-Type of a reply in that media type: text types carry their charset. */
const char *content_type_of(const char *media_type);

/* Whether a Content-Type means JSON: application/json or application/x+json, any parameters. */
bool is_json_type(const char *content_type);

/* Whether a Content-Type is one of `taken` (NULL ends; a NULL list is JSON alone). */
bool is_taken_type(const char *content_type, const char *const *taken);

/* Answers 406 with what is available. */
void refuse_format(struct context *ctx, const char *const *available);

/* Answers 415 with what the route takes, the line of curl that works, and Accept. */
void refuse_media_type(struct context *ctx);

#endif
