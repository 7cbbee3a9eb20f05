/* The engines' tables of flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command_parts.h"

/* Rows are looked up by halves, which needs them sorted. */
static void tables_are_sorted(void **state)
{
    (void)state;
    for (int i = 0; COMMAND_ENGINES[i]; i++) {
        const struct command_engine *engine = COMMAND_ENGINES[i];
        for (int k = 1; k < engine->n_flags; k++)
            if (strcmp(engine->flags[k - 1].name, engine->flags[k].name) >= 0)
                fail_msg("%s: %s before %s", engine->label, engine->flags[k - 1].name,
                         engine->flags[k].name);
    }
}

/* A flag that sets a leaf names one that there is, and by a reader. */
static void leaves_of_flags_exist(void **state)
{
    (void)state;
    for (int i = 0; COMMAND_ENGINES[i]; i++) {
        for (int k = 0; k < COMMAND_ENGINES[i]->n_flags; k++) {
            const struct flag *flag = &COMMAND_ENGINES[i]->flags[k];
            if (!flag->pointer)
                continue;
            if (!flag->read || field_by_pointer(&PLAN_FIELDS, flag->pointer) < 0)
                fail_msg("%s %s: %s", COMMAND_ENGINES[i]->label, flag->name, flag->pointer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_sorted),
        cmocka_unit_test(leaves_of_flags_exist),
    };

    return cmocka_run_group_tests_name("command_tables", tests, NULL, NULL);
}
