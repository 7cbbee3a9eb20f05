/*
 * shell.h - the pages with charts: the document around them and its files.
 *
 * Purpose: they are one application in the browser, so that every page's path answers with the same
 *          document; its files carry a hash in their names and never change. Scripts and styles
 *          come from this host alone.
 * Errors:  in a program that was built without the pages, 404 says so and names the plain page.
 */
#ifndef REGIME_SHELL_H
#define REGIME_SHELL_H

#include "routes.h"

/* GET /: the application; without it the plain page; the index where JSON or text is asked for. */
void front_handler(struct context *ctx);

/* The other pages. */
void shell_handler(struct context *ctx);

/* A path that is none, outside the API: who likes HTML more than JSON gets the application, which
 * says so, as a 404. False, and no reply, for everybody else and in a program without the pages. */
bool shell_no_such_page(struct context *ctx);

/* GET /assets/{id}. */
void asset_handler(struct context *ctx);

#endif
