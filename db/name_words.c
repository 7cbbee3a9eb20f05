#include "name_words.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define WORDS_MAX 16
#define DIGITS "0123456789"

/* What a name may have and lack: makers, families, memory types, generations that one part is of,
 * words for a part as such. */
static const char *const DROPPED[] = {
    "nvidia", "geforce",    "tesla",    "amd",       "radeon", "instinct", "intel", "apple",
    "google", "aws",        "huawei",   "ascend",    "jetson", "rtx",      "rx",    "arc",
    "tpu",    "gpu",        "gpus",     "graphics",  "card",   "edition",  "r",     "tm",
    "hopper", "generation", "oam",      "blackwell", "ampere", "tensor",   "vf",    "accelerator",
    "hbm2",   "hbm2e",      "lovelace", "hbm3",      "hbm3e",
};

/* Words of the same meaning; boards of eight modules hold the socketed part. */
static const struct {
    const char *from, *to;
} SYNONYMS[] = {{"sxm2", "sxm"}, {"sxm3", "sxm"}, {"sxm4", "sxm"}, {"sxm5", "sxm"},
                {"sxm6", "sxm"}, {"hgx", "sxm"},  {"dgx", "sxm"}};

struct words {
    char text[NAME_KEY_MAX * 2]; /* the words, each with its NUL */
    size_t used;
    const char *items[WORDS_MAX];
    int n;
    double memory_gb;
    bool after_number; /* the last run was one */
    bool too_many;
};

static bool is_size_unit(const char *word)
{
    return strcmp(word, "g") == 0 || strcmp(word, "gb") == 0 || strcmp(word, "gib") == 0;
}

static void word_push(struct words *words, const char *from, size_t length)
{
    if (words->n == WORDS_MAX || words->used + length + 1 > sizeof(words->text)) {
        words->too_many = true;
        return;
    }
    char *word = words->text + words->used;
    memcpy(word, from, length);
    word[length] = '\0';
    words->used += length + 1;
    words->items[words->n++] = word;
}

static bool is_core_unit(const char *word)
{
    return strcmp(word, "core") == 0 || strcmp(word, "cores") == 0;
}

/* Takes "80gb", "80 gb" for a size and "40core", "40 cores" for "40" and "c"; false for others. */
static bool take_quantity(struct words *words, const char *run)
{
    size_t digits = strspn(run, DIGITS);
    bool apart = digits == 0 && words->after_number;
    const char *number = apart ? words->items[words->n - 1] : run;
    const char *unit = run + digits;
    if (digits == 0 && !apart) {
        return false;
    }
    if (is_size_unit(unit) && words->memory_gb == 0.0) {
        words->memory_gb = strtod(number, NULL);
        words->n -= apart;
        return true;
    }
    if (is_core_unit(unit)) {
        if (!apart) {
            word_push(words, run, digits);
        }
        word_push(words, "c", 1);
        return true;
    }
    return false;
}

/* Letters and digits apart. */
static void split_run(struct words *words, const char *run)
{
    while (*run) {
        size_t digits = strspn(run, DIGITS);
        size_t length = digits ? digits : strcspn(run, DIGITS);
        word_push(words, run, length);
        run += length;
    }
}

/* A run of letters and digits, lower case. */
static void run_add(struct words *words, const char *run)
{
    for (size_t i = 0; i < ARRAY_LEN(DROPPED); i++) {
        if (strcmp(run, DROPPED[i]) == 0) {
            return;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(SYNONYMS); i++) {
        run = strcmp(run, SYNONYMS[i].from) == 0 ? SYNONYMS[i].to : run;
    }
    bool taken = take_quantity(words, run);
    if (!taken) {
        split_run(words, run);
    }
    words->after_number = !taken && words->n > 0 && run[strspn(run, DIGITS)] == '\0';
}

static int compare_words(const void *a, const void *b)
{
    const char *const *x = a;
    const char *const *y = b;
    return strcmp(*x, *y);
}

static bool words_join(struct words *words, char ret_words[NAME_KEY_MAX])
{
    size_t used = 0;
    qsort(words->items, (size_t)words->n, sizeof(words->items[0]), compare_words);
    for (int i = 0; i < words->n; i++) {
        size_t length = strlen(words->items[i]);
        if (used + length + 2 > NAME_KEY_MAX) {
            return false;
        }
        if (i > 0) {
            ret_words[used++] = '-';
        }
        memcpy(ret_words + used, words->items[i], length);
        used += length;
    }
    ret_words[used] = '\0';
    return used > 0;
}

bool name_words(const char *name, char ret_words[NAME_KEY_MAX], double *ret_memory_gb)
{
    struct words words = {.n = 0};
    while (*name && !words.too_many) {
        char run[NAME_KEY_MAX];
        size_t length = 0;
        while (isalnum((unsigned char)name[length]) && length + 1 < sizeof(run)) {
            run[length] = (char)tolower((unsigned char)name[length]);
            length++;
        }
        run[length] = '\0';
        if (length > 0) {
            run_add(&words, run);
        }
        name += length ? length : 1;
    }
    *ret_memory_gb = words.memory_gb;
    return !words.too_many && words_join(&words, ret_words);
}
