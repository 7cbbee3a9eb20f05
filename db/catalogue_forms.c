/*
 * catalogue_forms.c - further tables of the same names, by other forms of their keys.
 */
#include "catalogue_data.h"
#include "name_key.h"
#include "name_words.h"

/* Writes another form of a name's key; false when it has none. */
typedef bool name_form_fn(const char *key, char ret_form[NAME_KEY_MAX]);

static bool words_form(const char *key, char ret_form[NAME_KEY_MAX])
{
    double memory_gb = 0;
    return name_words(key, ret_form, &memory_gb);
}

static bool dashed_form(const char *key, char ret_form[NAME_KEY_MAX])
{
    bool known = name_key(key, false, ret_form);
    name_dash(ret_form);
    return known;
}

/* A table of the same records by another form of their names; false when out of memory. */
static bool form_build(struct block *block, const struct name_table *table, name_form_fn *form,
                       struct name_table *ret_table)
{
    struct name_entry *entries = block_alloc(block, (size_t)table->n * sizeof(*entries) + 1);
    int n = 0;
    for (int i = 0; entries && i < table->n; i++) {
        char text[NAME_KEY_MAX];
        if (form(table->entries[i].key, text)) {
            entries[n++] = (struct name_entry){block_text(block, text), table->entries[i].index};
        }
    }
    return !block->failed && entries && name_table_build(ret_table, block, entries, n);
}

bool catalogue_forms_build(struct catalogue_data *data)
{
    return form_build(&data->block, &data->names[NAMES_MODEL], dashed_form, &data->dashed) &&
           form_build(&data->block, &data->names[NAMES_HARDWARE], words_form, &data->words);
}
