#include "described.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DETAIL_MAX 1024

void described_init(struct described *ret_described, struct arena *arena)
{
    *ret_described = (struct described){.arena = arena};
    ret_described->last_flag = &ret_described->flags;
    ret_described->last_note = &ret_described->notes;
}

void described_copy(const struct described *described, struct described *ret_copy)
{
    described_init(ret_copy, described->arena);
    ret_copy->n_devices = described->n_devices;
    ret_copy->quantization = described->quantization;
    for (const struct described_flag *flag = described->flags; flag; flag = flag->next)
        described_ignore(ret_copy, flag->flag);
    for (const struct described_note *note = described->notes; note; note = note->next)
        described_note(ret_copy, note->id, note->pointer, "%s", note->detail);
}

void described_ignore(struct described *described, const char *flag)
{
    for (const struct described_flag *known = described->flags; known; known = known->next)
        if (strcmp(known->flag, flag) == 0)
            return;
    struct described_flag *added = arena_alloc(described->arena, sizeof(*added));
    if (!added)
        return;
    *added = (struct described_flag){.flag = flag};
    *described->last_flag = added;
    described->last_flag = &added->next;
}

void described_note(struct described *described, const char *id, const char *pointer,
                    const char *format, ...)
{
    char detail[DETAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(detail, sizeof(detail), format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    const char *kept = arena_copy(described->arena, detail, strlen(detail));
    struct described_note *added = arena_alloc(described->arena, sizeof(*added));
    if (!kept || !added)
        return;
    *added = (struct described_note){.id = id, .pointer = pointer, .detail = kept};
    *described->last_note = added;
    described->last_note = &added->next;
}
