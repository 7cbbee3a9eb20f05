/*
 * command_config.c - a configuration file that the same text writes by a here-document.
 *
 * `cat > extra.yaml <<EOF` before the server is how documents show it. Of YAML, mappings by
 * indentation with plain values are read, which is what these files are.
 */
#include "command_parts.h"

#include <string.h>

#define DEPTH_MAX 8

/* A line of the file. */
struct entry {
    size_t indent;
    const char *key, *value;
};

/* Keys above the one under way. */
struct path {
    const char *keys[DEPTH_MAX];
    size_t indents[DEPTH_MAX];
    int depth;
};

static const char *trimmed(struct arena *arena, const char *text, size_t length)
{
    while (length && strchr(" \t\r\"'", text[length - 1]))
        length--;
    while (length && strchr(" \t\"'", *text)) {
        text++;
        length--;
    }
    return arena_copy(arena, text, length);
}

/* The entry of a line; false for a comment, a list's element, an empty line. */
static bool read_entry(struct arena *arena, const char *line, size_t length,
                       struct entry *ret_entry)
{
    size_t indent = 0;

    while (indent < length && line[indent] == ' ')
        indent++;
    for (size_t i = indent; i + 1 < length; i++) {
        if (line[i] == ' ' && line[i + 1] == '#')
            length = i;
    }
    const char *colon = length > indent ? memchr(line + indent, ':', length - indent) : NULL;
    if (!colon || line[indent] == '#' || line[indent] == '-')
        return false;
    ret_entry->indent = indent;
    ret_entry->key = trimmed(arena, line + indent, (size_t)(colon - line) - indent);
    ret_entry->value = trimmed(arena, colon + 1, length - (size_t)(colon + 1 - line));
    return ret_entry->key && ret_entry->value && ret_entry->key[0];
}

static const char *dotted(struct arena *arena, const struct path *path, const char *key)
{
    const char *name = key;

    for (int i = path->depth - 1; name && i >= 0; i--)
        name = arena_printf(arena, "%s.%s", path->keys[i], name);
    return name;
}

/* A key is a row of its own, or a flag without its dashes. */
static void apply_entry(struct reading *reading, const char *name, const char *value)
{
    struct arena *arena = reading->intake->arena;
    const struct flag *flag = command_flag_find(reading->engine, name);
    const char *dashed = flag ? NULL : arena_printf(arena, "--%s", name);

    if (!flag && dashed)
        flag = command_flag_find(reading->engine, dashed);
    reading->spelled = name;
    if (!flag) {
        reading_note(reading, "config_key_unknown", "%s: this key of the file is not known here",
                     field_quote(arena, name));
        return;
    }
    if (!flag->read)
        described_ignore(reading->described, name);
    else if (flag->read != read_config_file && !strchr(value, WORD_UNKNOWN) && value[0] != '{')
        flag->read(reading, flag, value[0] ? value : "true");
}

static void apply_file(struct reading *reading, const char *text)
{
    struct arena *arena = reading->intake->arena;
    struct path path = {.depth = 0};
    struct entry entry;

    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *line = text;
        text += length + (text[length] == '\n');
        if (!read_entry(arena, line, length, &entry))
            continue;
        while (path.depth && entry.indent <= path.indents[path.depth - 1])
            path.depth--;
        const char *name = dotted(arena, &path, entry.key);
        if (!name)
            return;
        if (entry.value[0]) {
            apply_entry(reading, name, entry.value);
        } else if (path.depth < DEPTH_MAX) {
            path.keys[path.depth] = entry.key;
            path.indents[path.depth++] = entry.indent;
        }
    }
}

/* The file's last component: it may be written in one directory's words and read in another's. */
static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void read_config_file(struct reading *reading, const struct flag *flag, const char *value)
{
    const struct shell *shell = reading->found->text;

    (void)flag;
    described_ignore(reading->described, reading->spelled);
    for (int i = 0; shell && i < shell->n_files; i++) {
        if (strcmp(file_name(shell->files[i].name), file_name(value)) == 0) {
            apply_file(reading, shell->files[i].text);
            return;
        }
    }
    const char *name =
        strchr(value, WORD_UNKNOWN) ? "" : field_quote(reading->intake->arena, value);
    reading_note(reading, "config_file_unread",
                 "%s names a file that is not part of the request%s%s%s: what it sets is not "
                 "planned; give those values as fields of the deployment",
                 reading->spelled, *name ? " (" : "", name, *name ? ")" : "");
}
