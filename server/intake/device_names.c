#include "device_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "device_tables.h"

#define NAME_MAX_BYTES 160
#define LINES_MAX 4000

/* Lower case, without blanks and quotes around; false when it is empty or too long. */
static bool tidy(const char *name, char ret_name[NAME_MAX_BYTES])
{
    size_t length;

    name += strspn(name, " \t\r\n\"'*");
    length = strlen(name);
    while (length && strchr(" \t\r\n\"',;", name[length - 1]))
        length--;
    if (length == 0 || length >= NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < length; i++)
        ret_name[i] = (char)tolower((unsigned char)name[i]);
    ret_name[length] = '\0';
    return true;
}

static int part_index(const struct catalogue *catalogue, const char *name)
{
    struct name_match match;

    catalogue_find_hardware(catalogue, name, &match);
    return match.index;
}

/* The count of a size in "xlarge:1 12xlarge:4"; 0 when it is not there. */
static int count_of_size(const char *sizes, const char *size)
{
    size_t length = strlen(size);

    while (*sizes) {
        size_t word = strcspn(sizes, ":");
        if (word == length && strncmp(sizes, size, length) == 0)
            return (int)strtol(sizes + word + 1, NULL, 10);
        sizes += strcspn(sizes, " ");
        sizes += strspn(sizes, " ");
    }
    return 0;
}

/* An instance type, or a family of them ("p5"). */
static const char *part_of_instance(const char *name, int *ret_devices)
{
    for (int i = 0; i < DEVICE_INSTANCES_COUNT; i++) {
        const struct device_instance *row = &DEVICE_INSTANCES[i];
        size_t length = strlen(row->family);
        if (strncmp(name, row->family, length) == 0) {
            *ret_devices = count_of_size(row->sizes, name + length);
            if (*ret_devices > 0)
                return row->part;
        }
        if (row->family[length - 1] == '.' && strlen(name) == length - 1 &&
            strncmp(name, row->family, length - 1) == 0) {
            *ret_devices = 0;
            return row->part;
        }
    }
    return NULL;
}

static const char *part_of_synonym(const char *name)
{
    for (int i = 0; i < DEVICE_SYNONYMS_COUNT; i++)
        if (strcmp(DEVICE_SYNONYMS[i].name, name) == 0)
            return DEVICE_SYNONYMS[i].part;
    return NULL;
}

/* Cuts what a device plugin writes behind a shared product; false for a slice of a part. */
static bool cut_share(char *name)
{
    static const char SHARED[] = "-shared";
    size_t length = strlen(name);

    if (strstr(name, "-mig-") || strstr(name, " mig "))
        return false;
    if (length > sizeof(SHARED) && strcmp(name + length - sizeof(SHARED) + 1, SHARED) == 0)
        name[length - sizeof(SHARED) + 1] = '\0';
    return true;
}

/* A count in front ("8x h100", "8 x h100", "8× h100"); the name behind it. */
static const char *cut_count(const char *name, int *ret_devices)
{
    static const char TIMES[] = "\xc3\x97";
    size_t digits = strspn(name, "0123456789");
    const char *at = name + digits;

    if (digits == 0 || digits > 4)
        return name;
    at += strspn(at, " ");
    size_t sign = at[0] == 'x' || at[0] == '*'             ? 1
                  : strncmp(at, TIMES, strlen(TIMES)) == 0 ? strlen(TIMES)
                                                           : 0;
    if (sign == 0 || !at[sign])
        return name;
    *ret_devices = (int)strtol(name, NULL, 10);
    at += sign;
    return at + strspn(at, " ");
}

/* A count behind ("h100:8", "h100 x8", "h100 (8)", "h100*8"), which is cut off. */
static void cut_count_behind(char *name, int *ret_devices)
{
    size_t end = strlen(name);
    size_t at;

    end -= end && name[end - 1] == ')';
    at = end;
    while (at > 0 && isdigit((unsigned char)name[at - 1]))
        at--;
    if (at == end || end - at > 4 || at < 2)
        return;
    int count = (int)strtol(name + at, NULL, 10);
    while (at > 1 && name[at - 1] == ' ')
        at--;
    char sign = name[at - 1];
    bool apart = sign != 'x' || name[at - 2] == ' ';
    if (!strchr("x:(*", sign) || !apart || count < 1)
        return;
    at--;
    while (at > 0 && name[at - 1] == ' ')
        at--;
    name[at] = '\0';
    *ret_devices = count;
}

/* The name between the last brackets, as lspci writes it: "GH100 [H100 SXM5 80GB] (rev a1)". */
static bool cut_brackets(char *name)
{
    char *open = strrchr(name, '[');
    char *close = open ? strchr(open, ']') : NULL;

    if (!close || close == open + 1)
        return false;
    *close = '\0';
    memmove(name, open + 1, strlen(open + 1) + 1);
    return true;
}

/* By a name of these tables, else of the catalogue. */
static int index_of(const struct catalogue *catalogue, const char *name)
{
    const char *part = part_of_synonym(name);

    return part_index(catalogue, part ? part : name);
}

bool device_name_find(const struct catalogue *catalogue, const char *name,
                      struct device_found *ret_found)
{
    char tidied[NAME_MAX_BYTES];
    int devices = 0;

    if (!tidy(name, tidied) || !cut_share(tidied))
        return false;
    const char *part = part_of_instance(tidied, &devices);
    int index = part ? part_index(catalogue, part) : index_of(catalogue, tidied);
    if (index < 0 && cut_brackets(tidied))
        index = index_of(catalogue, tidied);
    if (index < 0) {
        cut_count_behind(tidied, &devices);
        const char *bare = cut_count(tidied, &devices);
        index = devices > 0 ? index_of(catalogue, bare) : -1;
    }
    if (index < 0)
        return false;
    *ret_found = (struct device_found){index, devices};
    return true;
}

/* Lines of tools --------------------------------------------------------------------------------
 */

/* A text being looked through. */
struct listing {
    const struct catalogue *catalogue;
    struct arena *arena;
    struct device_text *found;
    int first;       /* index of the part that the first name is */
    bool lines_only; /* names without what a tool prints around them do not count */
    char name[NAME_MAX_BYTES];
};

/* Whether the name stands for a part or for several of them. */
static bool is_part(const struct listing *listing, const char *name, int *ret_index)
{
    struct device_found found;
    struct name_match match;

    if (device_name_find(listing->catalogue, name, &found)) {
        *ret_index = found.index;
        return true;
    }
    catalogue_find_hardware(listing->catalogue, name, &match);
    *ret_index = -1;
    return match.ambiguous[0] != NULL;
}

static void keep(struct listing *listing, const char *name, int n)
{
    struct device_text *found = listing->found;
    int index = -1;

    if (!is_part(listing, name, &index))
        return;
    const char *kept = arena_copy(listing->arena, name, strlen(name));
    if (!found->name) {
        found->name = kept;
        listing->first = index;
    } else if (index != listing->first || (index < 0 && kept && strcmp(kept, found->name) != 0)) {
        found->other = found->other ? found->other : kept;
        return;
    }
    found->n_devices += n;
}

/* Takes text[0..length) without blanks around; false when it is empty or long. */
static bool take_name(struct listing *listing, const char *text, size_t length)
{
    while (length && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (length == 0 || length >= sizeof(listing->name))
        return false;
    memcpy(listing->name, text, length);
    listing->name[length] = '\0';
    return true;
}

/* The number of a device and the colon behind it, after a word: "GPU 0: ", "Device 1: ". */
static const char *behind_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits && text[digits] == ':' ? text + digits + 1 : NULL;
}

/* A row of nvidia-smi's table: "|   0  NVIDIA L4                      On  | 00000000:00:03.0". The
 * name ends before two blanks or the word for persistence mode. */
static bool take_row(struct listing *listing, const char *line)
{
    const char *at = line + 1 + strspn(line + 1, " ");
    size_t digits = strspn(at, "0123456789");

    if (line[0] != '|' || digits == 0 || at[digits] != ' ' || at[digits + 1] != ' ')
        return false;
    at += digits + strspn(at + digits, " ");
    size_t length = strcspn(at, "|");
    const char *stop = strstr(at, "  ");
    if (stop && (size_t)(stop - at) < length)
        length = (size_t)(stop - at);
    while (length && at[length - 1] == ' ')
        length--;
    static const char *const MODES[] = {" On", " Off", " N/A", "..."};
    for (size_t i = 0; i < ARRAY_LEN(MODES); i++) {
        size_t mode = strlen(MODES[i]);
        if (length > mode && strncmp(at + length - mode, MODES[i], mode) == 0)
            length -= mode;
    }
    return take_name(listing, at, length);
}

/* A row of rocm-smi's table, which has a device id in place of a name: "0  2  0x74a1,  8554". */
static bool take_id(struct listing *listing, const char *line)
{
    if (line[0] < '0' || line[0] > '9')
        return false;
    for (const char *at = strstr(line, "0x"); at; at = strstr(at + 2, "0x")) {
        size_t digits = strspn(at + 2, "0123456789abcdefABCDEF");
        char id[8];
        if (digits != 4)
            continue;
        memcpy(id, at + 2, digits);
        id[digits] = '\0';
        if (part_of_synonym(id))
            return take_name(listing, id, digits);
    }
    return false;
}

/* The name on a line by the table of how tools begin and end it. */
static bool take_by_pattern(struct listing *listing, const char *line)
{
    for (int i = 0; i < DEVICE_LINES_COUNT; i++) {
        const struct device_line *row = &DEVICE_LINES[i];
        const char *at = strstr(line, row->begin);
        if (!at)
            continue;
        at += strlen(row->begin);
        if (row->numbered)
            at = behind_number(at);
        at = at && row->behind ? strchr(at, row->behind) : at;
        if (!at)
            continue;
        at += row->behind ? 1 : 0;
        at += strspn(at, " \t");
        size_t length = strcspn(at, row->stops);
        if (take_name(listing, at, length))
            return true;
    }
    return false;
}

/* A row of values: the first field that names a part. */
static bool take_field(struct listing *listing, const char *line)
{
    while (*line) {
        size_t length = strcspn(line, ",\t");
        int index;
        if (take_name(listing, line, length) && is_part(listing, listing->name, &index))
            return true;
        line += length;
        line += strspn(line, ",\t");
    }
    return false;
}

static void read_line(struct listing *listing, const char *line)
{
    struct device_found found;

    if (take_row(listing, line) || take_by_pattern(listing, line) ||
        (!listing->lines_only && (take_field(listing, line) || take_id(listing, line)))) {
        bool counted =
            device_name_find(listing->catalogue, listing->name, &found) && found.n_devices > 0;
        keep(listing, listing->name, counted ? found.n_devices : 1);
    }
}

static void read_lines(struct listing *listing, const char *text)
{
    for (int i = 0; *text && i < LINES_MAX; i++) {
        char line[512];
        size_t length = strcspn(text, "\n");
        size_t kept = length < sizeof(line) ? length : sizeof(line) - 1;
        memcpy(line, text, kept);
        line[kept] = '\0';
        read_line(listing, line);
        text += length + (text[length] == '\n');
    }
}

void device_text_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                      struct device_text *ret_text)
{
    struct listing listing = {.catalogue = catalogue, .arena = arena, .found = ret_text};

    *ret_text = (struct device_text){0};
    read_lines(&listing, text);
}

void device_log_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                     struct device_text *ret_text)
{
    struct listing listing = {
        .catalogue = catalogue, .arena = arena, .found = ret_text, .lines_only = true};

    *ret_text = (struct device_text){0};
    read_lines(&listing, text);
}

/* Whatever was written --------------------------------------------------------------------------
 */

/* "3g.40gb" or "1g.5gb+me" of "MIG 3g.40gb" or "-MIG-1g.5gb+me"; NULL when the text has none. */
static const char *slice_of(struct arena *arena, const char *text)
{
    for (; *text; text++) {
        if (strncasecmp(text, "mig", 3) != 0 || (text[3] != '-' && text[3] != ' '))
            continue;
        const char *name = text + 4;
        size_t share = strspn(name, "0123456789");
        if (share == 0 || strncasecmp(name + share, "g.", 2) != 0)
            continue;
        size_t memory = strspn(name + share + 2, "0123456789");
        if (memory && strncasecmp(name + share + 2 + memory, "gb", 2) == 0)
            return arena_copy(arena, name, share + memory + 4);
    }
    return NULL;
}

static void read_output(const struct catalogue *catalogue, struct arena *arena, const char *text,
                        struct device_asked *asked)
{
    struct device_text output;
    struct device_found found;

    device_text_read(catalogue, arena, text, &output);
    if (!output.name)
        return;
    asked->name = output.name;
    asked->other = output.other;
    asked->n_devices = output.n_devices;
    if (device_name_find(catalogue, output.name, &found))
        asked->match = (struct name_match){.index = found.index};
    else
        catalogue_find_hardware(catalogue, output.name, &asked->match);
}

void device_read(const struct catalogue *catalogue, struct arena *arena, const char *text,
                 struct device_asked *ret_asked)
{
    struct device_asked asked = {.match.index = -1, .name = text};
    struct device_found found;

    asked.slice = slice_of(arena, text);
    if (!asked.slice) {
        catalogue_find_hardware(catalogue, text, &asked.match);
        if (asked.match.index < 0 && device_name_find(catalogue, text, &found)) {
            asked.match = (struct name_match){.index = found.index};
            asked.n_devices = found.n_devices;
        }
        if (asked.match.index < 0 && !asked.match.ambiguous[0])
            read_output(catalogue, arena, text, &asked);
    }
    *ret_asked = asked;
}
