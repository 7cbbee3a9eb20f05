/* observe_kit.h - texts read into observations, for the tests of server/observe. */
#ifndef REGIME_OBSERVE_KIT_H
#define REGIME_OBSERVE_KIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"
#include "observe.h"
#include "request_limits.h"

#define OBSERVE_TEXT_MAX MIB

/* A quantity that a text must give; NAN = it must not be observed. */
struct observe_row {
    const char *text;
    enum observed_id id;
    double value;
};

struct observe_kit {
    struct arena *arena;
    struct observed observed;
};

static inline int observe_kit_open(void **state)
{
    struct observe_kit *kit = calloc(1, sizeof(*kit));

    kit->arena = arena_new(REQUEST_ARENA_MAX);
    *state = kit;
    return kit->arena ? 0 : -1;
}

static inline int observe_kit_close(void **state)
{
    struct observe_kit *kit = *state;

    arena_free(kit->arena);
    free(kit);
    return 0;
}

/* A file of tests/golden, in the kit's arena. */
static inline char *observe_file(struct observe_kit *kit, const char *folder, const char *name)
{
    char path[512];
    char *text = arena_alloc(kit->arena, OBSERVE_TEXT_MAX);

    (void)snprintf(path, sizeof(path), TESTS_DIR "/golden/%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || !text)
        fail_msg("%s", path);
    size_t length = fread(text, 1, OBSERVE_TEXT_MAX - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

static inline void observe_begin(struct observe_kit *kit)
{
    arena_reset(kit->arena);
    observed_init(&kit->observed);
}

/* Reads scrapes whose times are not said; window_s may be NAN. */
static inline const struct observed *observe_texts(struct observe_kit *kit,
                                                   const char *const *texts, int n, double window_s)
{
    struct observe_scrape scrapes[OBSERVE_SCRAPES_MAX + 1];

    for (int i = 0; i < n; i++)
        scrapes[i] = (struct observe_scrape){texts[i], strlen(texts[i]), (double)NAN};
    assert_true(observe_scrapes(kit->arena, scrapes, n, window_s, &kit->observed));
    return &kit->observed;
}

static inline bool observe_noted(const struct observed *observed, const char *code)
{
    for (int i = 0; i < observed->n_notes; i++)
        if (strcmp(observed->notes[i].code, code) == 0)
            return true;
    return false;
}

static inline void observe_check(const struct observed *observed, const char *what,
                                 enum observed_id id, double value)
{
    double got = observed_value(observed, id);
    bool same = isnan(value) ? isnan(got) : fabs(got - value) <= 1e-4 * fabs(value) + 1e-12;

    if (!same)
        fail_msg("%s: %s is %.9g, want %.9g", what, observed_quantity(id)->name, got, value);
}

#endif
