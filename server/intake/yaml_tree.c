#include "yaml_tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "number.h"
#include "utf8.h"

#define WORD_MAX 64

/* A mapping or list that is being filled. */
struct level {
    cJSON *node;
    cJSON *key;         /* an unattached string: the key whose value comes next */
    int keys;           /* of a mapping */
    const char *anchor; /* the name under which it can be copied once it is complete */
    bool merges;        /* it has the key "<<" */
};

struct anchor {
    const char *name;
    const cJSON *node; /* in the tree; NULL while it is being filled */
};

struct reading {
    struct arena *arena;
    yaml_parser_t parser;
    struct yaml_fault fault;
    struct level levels[YAML_DEPTH_MAX + 1]; /* [0] is the list of documents */
    int depth;
    struct anchor anchors[YAML_ANCHORS_MAX];
    int n_anchors;
    int nodes;
    size_t text;
};

static bool refuse(struct reading *reading, const yaml_mark_t *mark, const char *what)
{
    reading->fault = (struct yaml_fault){what, mark->line + 1, mark->column + 1};
    return false;
}

/* Counts a node and its text. */
static bool charge(struct reading *reading, const yaml_mark_t *mark, size_t text)
{
    reading->nodes++;
    reading->text += text;
    if (reading->nodes > YAML_NODES_MAX)
        return refuse(reading, mark, "more nodes than one request may have, aliases counted");
    if (reading->text > YAML_TEXT_MAX)
        return refuse(reading, mark, "more text than one request may have, aliases counted");
    return true;
}

/* Scalars -------------------------------------------------------------------------------------- */

/* A number as JSON writes it, or with a leading '+' or '.': the core schema's without hex. */
static bool read_number(const char *word, size_t length, double *ret_value)
{
    static const char STARTS[] = "+-.0123456789";

    if (length == 0 || length > WORD_MAX || !strchr(STARTS, word[0]) ||
        word[strspn(word, "+-.0123456789eE")] != '\0')
        return false;
    char *end = NULL;
    double value = strtod(word, &end);
    if (end == word || *end || !isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* The node of a plain word, its source text kept beside a number or truth value. */
static cJSON *plain_node(const char *word, size_t length)
{
    static const char *const NULLS[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const TRUTHS[] = {"true", "True", "TRUE", NULL};
    static const char *const FALSES[] = {"false", "False", "FALSE", NULL};
    double number = 0;

    if (is_one_of(word, NULLS))
        return cJSON_CreateNull();
    cJSON *node = cJSON_CreateString(word);
    if (!node)
        return NULL;
    if (is_one_of(word, TRUTHS)) {
        node->type = cJSON_True;
    } else if (is_one_of(word, FALSES)) {
        node->type = cJSON_False;
    } else if (read_number(word, length, &number)) {
        node->type = cJSON_Number;
        (void)cJSON_SetNumberHelper(node, number);
    }
    return node;
}

static cJSON *scalar_node(const yaml_event_t *event)
{
    const char *word = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

    if (tag ? strcmp(tag, YAML_STR_TAG) == 0 || strncmp(tag, "tag:yaml.org", 12) != 0 : !plain)
        return cJSON_CreateString(word);
    return plain_node(word, event->data.scalar.length);
}

/* Anchors -------------------------------------------------------------------------------------- */

static struct anchor *find_anchor(struct reading *reading, const char *name)
{
    for (int i = 0; i < reading->n_anchors; i++)
        if (strcmp(reading->anchors[i].name, name) == 0)
            return &reading->anchors[i];
    return NULL;
}

/* Notes what an anchor names; a later anchor of the same name takes its place. */
static bool set_anchor(struct reading *reading, const yaml_mark_t *mark, const char *name,
                       const cJSON *node)
{
    struct anchor *anchor = find_anchor(reading, name);

    if (!anchor) {
        if (reading->n_anchors == YAML_ANCHORS_MAX)
            return refuse(reading, mark, "more anchors than one request may have");
        anchor = &reading->anchors[reading->n_anchors++];
        anchor->name = name;
    }
    anchor->node = node;
    return true;
}

/* Counts a copy of the node, as deep as it goes. The tree is no deeper than YAML_DEPTH_MAX. */
static bool charge_copy(struct reading *reading, const yaml_mark_t *mark, const cJSON *node,
                        int depth)
{
    size_t text = (node->valuestring ? strlen(node->valuestring) : 0) +
                  (node->string ? strlen(node->string) : 0);

    if (depth > YAML_DEPTH_MAX)
        return refuse(reading, mark, "nests too deeply, aliases counted");
    if (!charge(reading, mark, text))
        return false;
    for (const cJSON *child = node->child; child; child = child->next)
        if (!charge_copy(reading, mark, child, depth + 1))
            return false;
    return true;
}

/* A copy of the node with no name; NULL when it is refused or memory ran out. */
static cJSON *copy_node(struct reading *reading, const yaml_mark_t *mark, const cJSON *node)
{
    if (!charge_copy(reading, mark, node, reading->depth))
        return NULL;
    cJSON *copy = cJSON_Duplicate(node, 1);
    if (copy && copy->string && !(copy->type & cJSON_StringIsConst)) {
        cJSON_free(copy->string);
        copy->string = NULL;
    }
    return copy;
}

/* The tree --------------------------------------------------------------------------------------
 */

/* Hangs a complete or empty node below the current level, under the key that waits. */
static bool attach(struct reading *reading, const yaml_mark_t *mark, cJSON *node)
{
    struct level *level = &reading->levels[reading->depth];
    bool hung;

    if (!node)
        return reading->fault.what ? false : refuse(reading, mark, "out of memory");
    if (!cJSON_IsObject(level->node)) {
        hung = cJSON_AddItemToArray(level->node, node);
    } else {
        hung = cJSON_AddItemToObject(level->node, level->key->valuestring, node);
        cJSON_Delete(level->key);
        level->key = NULL;
    }
    if (!hung) {
        cJSON_Delete(node);
        return refuse(reading, mark, "out of memory");
    }
    return true;
}

/* Whether the next node is a key of the current mapping. */
static bool awaits_key(const struct reading *reading)
{
    const struct level *level = &reading->levels[reading->depth];

    return cJSON_IsObject(level->node) && !level->key;
}

static bool take_key(struct reading *reading, const yaml_event_t *event)
{
    struct level *level = &reading->levels[reading->depth];
    const char *name = (const char *)event->data.scalar.value;

    if (++level->keys > YAML_KEYS_MAX)
        return refuse(reading, &event->start_mark, "more keys than one mapping may have");
    if (cJSON_GetObjectItemCaseSensitive(level->node, name)) {
        const char *what = arena_printf(reading->arena, "the key \"%.60s\" is there twice", name);
        return refuse(reading, &event->start_mark, what ? what : "a key is there twice");
    }
    level->merges = level->merges || strcmp(name, "<<") == 0;
    level->key = cJSON_CreateString(name);
    return level->key ? true : refuse(reading, &event->start_mark, "out of memory");
}

static bool take_scalar(struct reading *reading, const yaml_event_t *event)
{
    const char *word = (const char *)event->data.scalar.value;
    const char *anchor = (const char *)event->data.scalar.anchor;

    if (strlen(word) != event->data.scalar.length)
        return refuse(reading, &event->start_mark, "a NUL in a text");
    if (!charge(reading, &event->start_mark, event->data.scalar.length))
        return false;
    if (awaits_key(reading))
        return take_key(reading, event);
    cJSON *node = scalar_node(event);
    if (!attach(reading, &event->start_mark, node))
        return false;
    const char *name = anchor ? arena_copy(reading->arena, anchor, strlen(anchor)) : NULL;
    return !name || set_anchor(reading, &event->start_mark, name, node);
}

static bool take_alias(struct reading *reading, const yaml_event_t *event)
{
    const struct anchor *anchor = find_anchor(reading, (const char *)event->data.alias.anchor);

    if (!anchor)
        return refuse(reading, &event->start_mark, "an alias without its anchor");
    if (!anchor->node)
        return refuse(reading, &event->start_mark, "an alias inside what it names");
    if (awaits_key(reading))
        return refuse(reading, &event->start_mark, "an alias as a key");
    return attach(reading, &event->start_mark,
                  copy_node(reading, &event->start_mark, anchor->node));
}

/* Opens a mapping or list. */
static bool take_start(struct reading *reading, const yaml_event_t *event, bool mapping)
{
    const char *anchor = mapping ? (const char *)event->data.mapping_start.anchor
                                 : (const char *)event->data.sequence_start.anchor;

    if (awaits_key(reading))
        return refuse(reading, &event->start_mark, "a key that is no plain text");
    if (reading->depth == YAML_DEPTH_MAX)
        return refuse(reading, &event->start_mark, "nests too deeply");
    if (!charge(reading, &event->start_mark, 0))
        return false;
    cJSON *node = mapping ? cJSON_CreateObject() : cJSON_CreateArray();
    if (!attach(reading, &event->start_mark, node))
        return false;
    const char *name = anchor ? arena_copy(reading->arena, anchor, strlen(anchor)) : NULL;
    reading->levels[++reading->depth] = (struct level){.node = node, .anchor = name};
    return !name || set_anchor(reading, &event->start_mark, name, NULL);
}

/* Copies the members of `from` that `into` lacks. */
static bool merge_from(struct reading *reading, const yaml_mark_t *mark, struct level *into,
                       const cJSON *from)
{
    if (!cJSON_IsObject(from))
        return refuse(reading, mark, "a merge key (\"<<\") takes mappings");
    for (const cJSON *member = from->child; member; member = member->next) {
        if (cJSON_GetObjectItemCaseSensitive(into->node, member->string))
            continue;
        if (++into->keys > YAML_KEYS_MAX)
            return refuse(reading, mark, "more keys than one mapping may have");
        cJSON *copy = copy_node(reading, mark, member);
        if (!copy || !cJSON_AddItemToObject(into->node, member->string, copy)) {
            cJSON_Delete(copy);
            return reading->fault.what ? false : refuse(reading, mark, "out of memory");
        }
    }
    return true;
}

/* The key "<<" of a complete mapping: what it names fills in what the mapping does not say. */
static bool merge(struct reading *reading, const yaml_mark_t *mark, struct level *level)
{
    cJSON *named = cJSON_DetachItemFromObjectCaseSensitive(level->node, "<<");
    bool done = true;

    if (!named)
        return true;
    if (!cJSON_IsArray(named))
        done = merge_from(reading, mark, level, named);
    else
        for (const cJSON *one = named->child; done && one; one = one->next)
            done = merge_from(reading, mark, level, one);
    cJSON_Delete(named);
    return done;
}

/* Closes a mapping or list. */
static bool take_end(struct reading *reading, const yaml_event_t *event)
{
    struct level *level = &reading->levels[reading->depth];

    if (level->merges && !merge(reading, &event->start_mark, level))
        return false;
    reading->depth--;
    return !level->anchor || set_anchor(reading, &event->start_mark, level->anchor, level->node);
}

static bool take_event(struct reading *reading, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(reading, event);
    case YAML_ALIAS_EVENT:
        return take_alias(reading, event);
    case YAML_MAPPING_START_EVENT:
        return take_start(reading, event, true);
    case YAML_SEQUENCE_START_EVENT:
        return take_start(reading, event, false);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return take_end(reading, event);
    case YAML_DOCUMENT_START_EVENT:
        reading->n_anchors = 0;
        return true;
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_NO_EVENT:
        return true;
    }
    return true;
}

/* Faults of the parser --------------------------------------------------------------------------
 */

/* Line and column of a byte: a fault of the encoding has no mark. */
static yaml_mark_t mark_of(const char *text, size_t length, size_t offset)
{
    yaml_mark_t mark = {.index = offset};

    for (size_t i = 0; i < offset && i < length; i++) {
        mark.column = text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += text[i] == '\n';
    }
    return mark;
}

static void refuse_syntax(struct reading *reading, const char *text, size_t length)
{
    const yaml_parser_t *parser = &reading->parser;
    yaml_mark_t mark = parser->problem_mark;
    const char *what = parser->problem ? parser->problem : "out of memory";

    if (parser->error == YAML_READER_ERROR)
        mark = mark_of(text, length, parser->problem_offset);
    (void)refuse(reading, &mark, what);
}

/* Directives of one document are compared with each other: many of them cost their square. */
static bool has_many_directives(const char *text, size_t length, struct yaml_fault *ret_fault)
{
    const char *end = text + length, *at = text;
    int n = 0;

    for (size_t line = 1; at < end; line++) {
        if (*at == '%' && ++n > YAML_DIRECTIVES_MAX) {
            *ret_fault = (struct yaml_fault){"more directives than one request may have", line, 1};
            return true;
        }
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return false;
}

/* Templates that nobody rendered are sent often enough. */
static const char *with_hint(struct reading *reading, const char *text)
{
    const char *what = reading->fault.what;
    const char *more =
        strstr(text, "{{")
            ? arena_printf(reading->arena,
                           "%s (a template? send what \"helm template\" prints of it)", what)
            : NULL;

    return more ? more : what;
}

/* Drives the parser to the end of the stream or the first fault. */
static bool read_stream(struct reading *reading, const char *text, size_t length)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reading->parser, &event)) {
            refuse_syntax(reading, text, length);
            return false;
        }
        bool taken = take_event(reading, &event);
        bool end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (!taken || end)
            return taken;
    }
}

struct cJSON *yaml_tree_read(struct arena *arena, const char *text, size_t length,
                             struct yaml_fault *ret_fault)
{
    size_t bad = utf8_check(text, length);
    struct reading *reading = arena_alloc(arena, sizeof(*reading));

    *ret_fault = (struct yaml_fault){"out of memory", 1, 1};
    if (bad < length) {
        yaml_mark_t mark = mark_of(text, length, bad);
        *ret_fault = (struct yaml_fault){"not UTF-8", mark.line + 1, mark.column + 1};
        return NULL;
    }
    if (!reading || has_many_directives(text, length, ret_fault) ||
        !yaml_parser_initialize(&reading->parser))
        return NULL;
    reading->arena = arena;
    reading->levels[0].node = cJSON_CreateArray();
    yaml_parser_set_encoding(&reading->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading->parser, (const unsigned char *)text, length);
    bool read = reading->levels[0].node && read_stream(reading, text, length);
    yaml_parser_delete(&reading->parser);
    if (read)
        return reading->levels[0].node;
    for (int i = 0; i <= reading->depth; i++)
        cJSON_Delete(reading->levels[i].key);
    cJSON_Delete(reading->levels[0].node);
    if (reading->fault.what) {
        reading->fault.what = with_hint(reading, text);
        *ret_fault = reading->fault;
    }
    return NULL;
}

const char *yaml_text(struct arena *arena, const struct cJSON *node)
{
    char number[NUMBER_TEXT_MAX];

    if (!node || cJSON_IsArray(node) || cJSON_IsObject(node))
        return NULL;
    if (node->valuestring)
        return node->valuestring;
    if (cJSON_IsNull(node))
        return "";
    if (cJSON_IsBool(node))
        return cJSON_IsTrue(node) ? "true" : "false";
    size_t length = cJSON_IsNumber(node) ? number_write(node->valuedouble, number) : 0;
    return arena_copy(arena, number, length);
}
