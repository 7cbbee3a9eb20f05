/*
 * command_config.c - a configuration file that the same text writes by a here-document.
 *
 * `cat > extra.yaml <<EOF` before the server is how documents show it. Of YAML, mappings by
 * indentation and in braces, with plain values, are read, which is what these files are.
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

static const char *skip_blank(const char *text)
{
    return text + strspn(text, " \t\r\n,");
}

/* The end of a plain or quoted word or of a list in a mapping in braces. */
static const char *flow_end(const char *text, const char *stops)
{
    if (*text == '"' || *text == '\'') {
        const char *close = strchr(text + 1, *text);
        return close ? close + 1 : text + strlen(text);
    }
    if (*text == '[') {
        const char *close = strchr(text, ']');
        return close ? close + 1 : text + strlen(text);
    }
    return text + strcspn(text, stops);
}

static const char *apply_flow(struct reading *reading, const char *text, struct path *path);

/* The value of a key, a mapping or a word: what stands behind it. */
static const char *apply_flow_value(struct reading *reading, const char *key, const char *text,
                                    struct path *path)
{
    struct arena *arena = reading->intake->arena;

    if (*text == '{' && path->depth < DEPTH_MAX) {
        path->keys[path->depth++] = key;
        text = apply_flow(reading, text + 1, path);
        path->depth--;
        return text;
    }
    const char *end = flow_end(text, ",}\n");
    const char *name = dotted(arena, path, key);
    const char *value = trimmed(arena, text, (size_t)(end - text));
    if (name && value)
        apply_entry(reading, name, value);
    return end;
}

/* A mapping in braces, `text` behind the first: what stands behind its last one. */
static const char *apply_flow(struct reading *reading, const char *text, struct path *path)
{
    for (text = skip_blank(text); *text && *text != '}'; text = skip_blank(text)) {
        const char *end = flow_end(text, ":,}");
        const char *key = trimmed(reading->intake->arena, text, (size_t)(end - text));
        end += strspn(end, " \t");
        if (key && *end == ':')
            text = apply_flow_value(reading, key, end + 1 + strspn(end + 1, " \t\r\n"), path);
        else /* a key without a value, or what is none */
            text = *end && *end != '}' ? end + 1 : end;
    }
    return *text == '}' ? text + 1 : text;
}

/* The value of a line's entry: where the next line begins. */
static const char *apply_value(struct reading *reading, const struct entry *entry, const char *line,
                               const char *next, struct path *path)
{
    const char *name = dotted(reading->intake->arena, path, entry->key);

    if (entry->value[0] == '{' && strchr(line, '{')) {
        const char *value = strchr(line, '{');
        const char *behind = apply_flow_value(reading, entry->key, value, path);
        return behind > next ? behind + strcspn(behind, "\n") : next;
    }
    if (entry->value[0] && name) {
        apply_entry(reading, name, entry->value);
    } else if (path->depth < DEPTH_MAX) {
        path->keys[path->depth] = entry->key;
        path->indents[path->depth++] = entry->indent;
    }
    return next;
}

static void apply_file(struct reading *reading, const char *text)
{
    struct path path = {.depth = 0};
    struct entry entry;

    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *line = text;
        text += length + (text[length] == '\n');
        if (!read_entry(reading->intake->arena, line, length, &entry))
            continue;
        while (path.depth && entry.indent <= path.indents[path.depth - 1])
            path.depth--;
        text = apply_value(reading, &entry, line, text, &path);
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
