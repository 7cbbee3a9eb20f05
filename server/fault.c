#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DETAIL_MAX 512
/* Longer words are no typing slips of a name. */
#define WORD_MAX 80

void faults_init(struct faults *faults, struct arena *arena)
{
    faults->arena = arena;
    faults->n = 0;
    faults->dropped = 0;
}

void fault_add(struct faults *faults, const char *pointer, const char *suggestion,
               const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list arguments;

    if (faults_full(faults)) {
        faults->dropped++;
        return;
    }
    va_start(arguments, format);
    int length = vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    if (length < 0)
        length = 0;
    if ((size_t)length >= sizeof(detail))
        length = (int)sizeof(detail) - 1;

    const char *kept = arena_copy(faults->arena, detail, (size_t)length);
    const char *where = arena_copy(faults->arena, pointer, strlen(pointer));
    faults->items[faults->n++] = (struct fault){
        .pointer = where ? where : "",
        .detail = kept ? kept : "a fault, and no memory left to describe it",
        .suggestion = suggestion ? arena_copy(faults->arena, suggestion, strlen(suggestion)) : NULL,
    };
}

/* ASCII only: names are ASCII, and the locale plays no part. */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int min3(int a, int b, int c)
{
    int least = a < b ? a : b;

    return least < c ? least : c;
}

/*
 * Optimal string alignment distance: insertion, deletion, substitution and the transposition of two
 * neighbours cost 1 each. Both words are at most WORD_MAX long. Gives up with `enough` once it can
 * be no less: no cell falls below the least of the two rows above it.
 */
static int distance(const char *a, int a_length, const char *b, int b_length, int enough)
{
    int rows[3][WORD_MAX + 1];
    int least_above = 0;

    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        int least = i;
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int cost = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]) && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
            least = row[j] < least ? row[j] : least;
        }
        if (least >= enough && least_above >= enough)
            return enough;
        least_above = least;
    }
    return rows[a_length % 3][b_length];
}

const char *fault_nearest(const char *word, const char *const *candidates, int n)
{
    size_t length = strlen(word);

    if (length > WORD_MAX)
        return NULL;
    int best = 2 + (int)length / 4;
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        size_t other = strlen(candidates[i]);
        size_t apart = other > length ? other - length : length - other;
        if (other > WORD_MAX || apart >= (size_t)best)
            continue;
        int d = distance(word, (int)length, candidates[i], (int)other, best);
        if (d < best) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
