#include "name_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"

static const struct {
    const char *name, *words; /* words NULL = none is left */
    double memory_gb;
} ROWS[] = {
    {"NVIDIA H100 80GB HBM3", "100-h", 80},
    {"H100 SXM5 80 GB", "100-h-sxm", 80},
    {"hgx h100", "100-h-sxm", 0},
    {"A100-SXM4-40G", "100-a-sxm", 40},
    {"RTX 4090", "4090", 0},
    {"7900xtx", "7900-xtx", 0},
    {"Radeon RX 7900 XTX 24GiB", "7900-xtx", 24},
    {"A10G", "10-a-g", 0}, /* not ten GB of "a" */
    {"M4 Max (40-core GPU)", "4-40-c-m-max", 0},
    {"m4-max-40c", "4-40-c-m-max", 0},
    {"M4 Max 40 cores 128GB", "4-40-c-m-max", 128},
    {"Apple M4 Max", "4-m-max", 0},
    {"AMD Ryzen AI Max+ 395", "395-ai-max-ryzen", 0},
    {"Intel(R) Arc(TM) A770 Graphics", "770-a", 0},
    {"NVIDIA", NULL, 0},
    {"NVIDIA GPU 24GB", NULL, 24},
    {"", NULL, 0},
    {"()/+-", NULL, 0},
    {"a b c d e f g h i j k l m n o p q", NULL, 0}, /* more words than a name has */
};

static void a_part_is_its_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char words[NAME_KEY_MAX];
        double memory_gb = -1;
        bool any = name_words(ROWS[i].name, words, &memory_gb);
        if (any != (ROWS[i].words != NULL) || (any && strcmp(words, ROWS[i].words) != 0) ||
            memory_gb != ROWS[i].memory_gb) {
            fail_msg("%s: %s, %g GB", ROWS[i].name, any ? words : "none", memory_gb);
        }
    }
}

/* Long runs are cut, not overrun. */
static void long_names_have_no_words(void **state)
{
    char name[3000];
    char words[NAME_KEY_MAX];
    double memory_gb = 0;
    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_false(name_words(name, words, &memory_gb));
    for (size_t i = 0; i + 1 < sizeof(name); i += 2) {
        name[i] = '7';
    }
    assert_false(name_words(name, words, &memory_gb));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_its_words),
        cmocka_unit_test(long_names_have_no_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
