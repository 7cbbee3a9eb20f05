#include "query_switch.h"

#include <string.h>

#include "field.h"

static const char *fault_place(const struct request *request, const char *name)
{
    const char *place = arena_printf(request->arena, "?%s", name);

    return place ? place : "?";
}

const char *query_text(const struct request *request, struct faults *faults, const char *name)
{
    const char *value = NULL;
    int n = 0;

    for (int i = 0; i < request->n_arguments; i++) {
        if (strcmp(request->arguments[i].name, name) != 0)
            continue;
        if (n++ == 0)
            value = request->arguments[i].value;
    }
    if (n > 1)
        fault_add(faults, fault_place(request, name), NULL, "given twice");
    return value && value[0] ? value : NULL;
}

void query_refuse_others(const struct request *request, struct faults *faults,
                         const char *const *known, int n, const char *detail)
{
    for (int i = 0; i < request->n_arguments; i++) {
        const char *name = request->arguments[i].name;
        bool is_known = strcmp(name, "format") == 0;
        for (int k = 0; k < n && !is_known; k++)
            is_known = strcmp(name, known[k]) == 0;
        if (!is_known)
            fault_add(faults, fault_place(request, field_quote(request->arena, name)),
                      fault_nearest(name, known, n), "%s", detail);
    }
}

bool query_switch(const struct request *request, struct faults *faults, const char *name)
{
    static const char *const WORDS[] = {"false", "0", "no", "off", "true", "1", "yes", "on"};
    const char *word = query_text(request, faults, name);

    if (!word)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++)
        if (strcmp(WORDS[i], word) == 0)
            return i >= ARRAY_LEN(WORDS) / 2;
    fault_add(faults, fault_place(request, name), NULL, "expected true or false, got \"%s\"",
              field_quote(request->arena, word));
    return false;
}

int query_word(const struct request *request, struct faults *faults, const char *name,
               const char *const *words, int n)
{
    const char *word = query_text(request, faults, name), *list = words[0];

    if (!word)
        return 0;
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    for (int i = 1; i < n && list; i++)
        list = arena_printf(request->arena, "%s%s%s", list, i + 1 < n ? ", " : " or ", words[i]);
    fault_add(faults, fault_place(request, name), fault_nearest(word, words, n), "expected %s",
              list ? list : words[0]);
    return 0;
}
