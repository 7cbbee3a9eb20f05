/*
 * assets.h - the files of the pages, carried inside the program.
 *
 * Purpose: the table of them. It is written when the pages are bundled (web/build.mjs); a build
 *          without Node has an empty one.
 * Ownership: static.
 * Threads: constant.
 */
#ifndef REGIME_ASSETS_H
#define REGIME_ASSETS_H

#include <stddef.h>

struct asset {
    const char *name;       /* "app-5f2c.js"; "index.html" is the page around them */
    const char *media_type; /* with its charset */
    const char *bytes;
    size_t length;
    const char *gzip;
    size_t gzip_length;
};

extern const struct asset ASSETS[];
extern const size_t N_ASSETS;

/* Changes with any of them; "" when there are none. */
extern const char ASSETS_VERSION[];

/* The file of that name, NULL when there is none. */
const struct asset *asset_find(const char *name);

#endif
