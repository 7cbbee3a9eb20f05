#include "gguf.h"

#include <math.h>
#include <string.h>

#include "compiler.h"
#include "gguf_tensors.h"

/* Far above any published file; what is beyond them is damage or malice. */
#define VALUES_MAX 65536
#define TENSORS_MAX 1000000
#define TEXT_MAX ((uint64_t)1 << 30)
#define ITEMS_MAX ((uint64_t)1 << 28)
#define KEY_MAX 65535
#define NAME_MAX_BYTES 1024
#define EXACT_MAX 9007199254740992.0 /* 2^53 */

/* Bytes of a text that are kept; ggml's own names have 63. */
#define KEPT_BYTES 127

#define ALIGNMENT_DEFAULT 32
#define HEAD_BYTES 24 /* magic, version, two counts */
/* Least bytes of a value (length, a letter, kind, a byte) and of a tensor's row (length, a letter,
 * one dimension, type, offset); their usual ones for a guess. */
#define VALUE_BYTES_MIN 14.0
#define ROW_BYTES_MIN 33.0
#define ROW_BYTES_USUAL 72.0

enum state {
    READ_HEAD,
    READ_KEY_LENGTH,
    READ_KEY,
    READ_KIND,
    READ_SCALAR,
    READ_TEXT_LENGTH,
    READ_TEXT,
    READ_LIST_HEAD,
    READ_LIST_ITEM,
    READ_LIST_TEXT,
    READ_NAME_LENGTH,
    READ_NAME,
    READ_N_DIMS,
    READ_ROW,
    READ_DONE,
    READ_STATES
};

/* Kinds of a metadata value, by number. */
enum { KIND_BOOL = 7, KIND_TEXT = 8, KIND_LIST = 9, KINDS = 13 };

static const unsigned char KIND_BYTES[KINDS] = {
    [0] = 1, [1] = 1, [2] = 2,  [3] = 2,  [4] = 4,  [5] = 4,
    [6] = 4, [7] = 1, [10] = 8, [11] = 8, [12] = 8,
};

struct gguf_reader {
    struct arena *arena;
    struct gguf_facts facts;
    enum state state;
    uint64_t offset; /* bytes taken */
    uint64_t skip;   /* to be passed over before the next step */
    uint64_t rest;   /* of a text, behind what is kept */
    size_t want, got;
    unsigned char bytes[KEPT_BYTES + 1];
    uint64_t values_left, tensors_left;
    char key[KEPT_BYTES + 1];
    uint32_t kind;  /* of the value, or of a list's items */
    uint64_t items; /* of the list */
    uint64_t items_left, items_begin;
    double *list; /* where items are kept; NULL: passed over */
    uint32_t n_dims;
    struct gguf_value kept[GGUF_VALUES_MAX];
    struct gguf_tally tally;
};

static void go(struct gguf_reader *reader, enum state state, size_t want)
{
    reader->state = state;
    reader->want = want;
    reader->got = 0;
}

static void refuse(struct gguf_reader *reader, const char *text)
{
    reader->facts.error = text ? text : "out of memory";
}

#define REFUSE(READER, ...) refuse(READER, arena_printf((READER)->arena, __VA_ARGS__))

/* ---- little-endian numbers */

static uint64_t number_at(const unsigned char *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static double float_of(const unsigned char *bytes, size_t n)
{
    if (n == sizeof(double)) {
        uint64_t bits = number_at(bytes, n);
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    uint32_t bits = (uint32_t)number_at(bytes, n);
    uint32_t exponent = bits >> 23 & 0xff;
    double mantissa = bits & 0x7fffff;
    double size =
        exponent == 0 ? ldexp(mantissa, -149) : ldexp(mantissa + 0x800000, (int)exponent - 150);
    if (exponent == 0xff)
        size = (double)NAN;
    return bits >> 31 ? -size : size;
}

static double scalar_of(uint32_t kind, const unsigned char *bytes)
{
    size_t n = KIND_BYTES[kind];
    uint64_t value = number_at(bytes, n);
    bool is_signed = kind == 1 || kind == 3 || kind == 5 || kind == 11;
    if (kind == 6 || kind == 12)
        return float_of(bytes, n);
    if (is_signed && value >> (8 * n - 1) & 1) {
        uint64_t all = n == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * n) - 1;
        return -(double)(all - value + 1);
    }
    return (double)value;
}

/* ---- metadata */

/* Keys that say nothing of the geometry: a vocabulary, a model card, how it was quantised. */
static bool is_kept(const char *key)
{
    static const char *const PASSED[] = {"tokenizer.", "general.", "quantize.", "imatrix."};
    static const char *const TAKEN[] = {"general.architecture", "general.name", "general.file_type",
                                        "general.alignment"};
    for (size_t i = 0; i < ARRAY_LEN(TAKEN); i++) {
        if (strcmp(key, TAKEN[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(PASSED); i++) {
        if (strncmp(key, PASSED[i], strlen(PASSED[i])) == 0)
            return false;
    }
    return true;
}

/* Room for the value of the current key; NULL: it is not kept, or an error is known. */
static struct gguf_value *keep(struct gguf_reader *reader)
{
    if (!is_kept(reader->key) || reader->facts.n_kept == GGUF_VALUES_MAX)
        return NULL;
    const char *key = arena_copy(reader->arena, reader->key, strlen(reader->key));
    if (!key) {
        refuse(reader, NULL);
        return NULL;
    }
    struct gguf_value *value = &reader->kept[reader->facts.n_kept++];
    *value = (struct gguf_value){.key = key};
    return value;
}

static void next_tensor(struct gguf_reader *reader)
{
    if (reader->tensors_left > 0) {
        reader->tensors_left--;
        go(reader, READ_NAME_LENGTH, 8);
        return;
    }
    go(reader, READ_DONE, 0);
}

/* The rows of tensors count from blocks and layers that the metadata names. */
static void begin_tensors(struct gguf_reader *reader)
{
    reader->facts.kept = reader->kept;
    const struct gguf_value *alignment = gguf_find(&reader->facts, "general.alignment");
    double step = alignment ? alignment->number : ALIGNMENT_DEFAULT;
    bool good = step >= 8 && step <= 1 << 20 && !(fmod(step, 8) > 0);
    if (!good) {
        REFUSE(reader, "general.alignment is %.9g: expected a multiple of 8 up to 1048576", step);
        return;
    }
    gguf_tally_begin(&reader->tally, &reader->facts, step);
    next_tensor(reader);
}

static void next_value(struct gguf_reader *reader)
{
    if (reader->values_left == 0) {
        begin_tensors(reader);
        return;
    }
    reader->values_left--;
    go(reader, READ_KEY_LENGTH, 8);
}

static void step_head(struct gguf_reader *reader)
{
    const unsigned char *bytes = reader->bytes;
    uint64_t version = number_at(bytes + 4, 4);
    uint64_t tensors = number_at(bytes + 8, 8), values = number_at(bytes + 16, 8);
    if (memcmp(bytes, "GGUF", 4) != 0) {
        REFUSE(reader, "not a GGUF file: it does not begin with \"GGUF\"");
    } else if (version > 0xffff) {
        REFUSE(reader, "a big-endian GGUF file: little-endian ones are read");
    } else if (version < 2 || version > 3) {
        REFUSE(reader, "GGUF version %u: versions 2 and 3 are read", (unsigned)version);
    } else if (tensors > TENSORS_MAX || values > VALUES_MAX) {
        REFUSE(reader, "the file claims %.0f tensors and %.0f values: at most %d and %d are read",
               (double)tensors, (double)values, TENSORS_MAX, VALUES_MAX);
    } else {
        reader->facts.version = (int)version;
        reader->facts.tensors = (double)tensors;
        reader->facts.values = (double)values;
        reader->values_left = values;
        reader->tensors_left = tensors;
        next_value(reader);
    }
}

/* Goes on to a text of the length just read; what is beyond the kept bytes is passed over. */
static void go_text(struct gguf_reader *reader, enum state state, uint64_t max, const char *what)
{
    uint64_t length = number_at(reader->bytes, 8);
    if (length > max || (length == 0 && state != READ_TEXT)) {
        REFUSE(reader, "%s at byte %.0f has %.0f bytes: expected %d to %.0f", what,
               (double)reader->offset - 8, (double)length, state != READ_TEXT, (double)max);
        return;
    }
    size_t kept = length < KEPT_BYTES ? (size_t)length : KEPT_BYTES;
    reader->rest = length - kept;
    go(reader, state, kept);
}

/* The text just read, in ASCII; its rest is passed over. */
static void copy_text(struct gguf_reader *reader, char text[KEPT_BYTES + 1])
{
    for (size_t i = 0; i < reader->want; i++) {
        unsigned char byte = reader->bytes[i];
        text[i] = (char)(byte < ' ' || byte > '~' ? '?' : byte);
    }
    text[reader->want] = '\0';
    reader->skip = reader->rest;
}

static void step_kind(struct gguf_reader *reader)
{
    reader->kind = (uint32_t)number_at(reader->bytes, 4);
    if (reader->kind >= KINDS)
        REFUSE(reader, "%s has a value of kind %u: kinds 0 to %d are known", reader->key,
               (unsigned)reader->kind, KINDS - 1);
    else if (reader->kind == KIND_TEXT)
        go(reader, READ_TEXT_LENGTH, 8);
    else if (reader->kind == KIND_LIST)
        go(reader, READ_LIST_HEAD, 12);
    else
        go(reader, READ_SCALAR, KIND_BYTES[reader->kind]);
}

static void step_scalar(struct gguf_reader *reader)
{
    struct gguf_value *value = keep(reader);
    if (value)
        value->number = scalar_of(reader->kind, reader->bytes);
    next_value(reader);
}

static void step_text(struct gguf_reader *reader)
{
    struct gguf_value *value = keep(reader);
    char text[KEPT_BYTES + 1];
    copy_text(reader, text);
    if (value) {
        value->kind = GGUF_TEXT;
        value->text = arena_copy(reader->arena, text, strlen(text));
        if (!value->text)
            refuse(reader, NULL);
    }
    next_value(reader);
}

static void next_item(struct gguf_reader *reader)
{
    if (reader->items_left == 0) {
        next_value(reader);
        return;
    }
    reader->items_left--;
    if (reader->kind == KIND_TEXT)
        go(reader, READ_LIST_TEXT, 8);
    else
        go(reader, READ_LIST_ITEM, KIND_BYTES[reader->kind]);
}

/* Where the items of a list that is kept go. */
static double *list_room(struct gguf_reader *reader)
{
    if (reader->kind == KIND_TEXT || reader->items > GGUF_LIST_MAX || reader->items == 0)
        return NULL;
    struct gguf_value *value = keep(reader);
    if (!value)
        return NULL;
    double *list = arena_alloc(reader->arena, (size_t)reader->items * sizeof(*list));
    if (!list)
        refuse(reader, NULL);
    value->kind = GGUF_LIST;
    value->list = list;
    value->n = list ? (int)reader->items : 0;
    return list;
}

static void step_list_head(struct gguf_reader *reader)
{
    reader->kind = (uint32_t)number_at(reader->bytes, 4);
    reader->items = number_at(reader->bytes + 4, 8);
    if (reader->kind >= KINDS || reader->kind == KIND_LIST || reader->items > ITEMS_MAX) {
        REFUSE(reader,
               "%s is a list of %.0f values of kind %u: expected at most %.0f of a kind "
               "from 0 to %d, no lists",
               reader->key, (double)reader->items, (unsigned)reader->kind, (double)ITEMS_MAX,
               KINDS - 1);
        return;
    }
    reader->items_left = reader->items;
    reader->items_begin = reader->offset;
    reader->list = list_room(reader);
    if (reader->kind != KIND_TEXT && !reader->list) {
        reader->skip = reader->items * KIND_BYTES[reader->kind];
        reader->items_left = 0;
    }
    next_item(reader);
}

static void step_list_item(struct gguf_reader *reader)
{
    uint64_t at = reader->items - reader->items_left - 1;
    reader->list[at] = scalar_of(reader->kind, reader->bytes);
    next_item(reader);
}

static void step_list_text(struct gguf_reader *reader)
{
    uint64_t length = number_at(reader->bytes, 8);
    if (length > TEXT_MAX) {
        REFUSE(reader, "a text in %s at byte %.0f has %.0f bytes: expected at most %.0f",
               reader->key, (double)reader->offset - 8, (double)length, (double)TEXT_MAX);
        return;
    }
    reader->skip = length;
    next_item(reader);
}

/* ---- the table of tensors */

static void step_n_dims(struct gguf_reader *reader)
{
    reader->n_dims = (uint32_t)number_at(reader->bytes, 4);
    if (reader->n_dims < 1 || reader->n_dims > GGUF_DIMS_MAX)
        REFUSE(reader, "tensor %s has %u dimensions: expected 1 to %d", reader->key,
               (unsigned)reader->n_dims, GGUF_DIMS_MAX);
    else
        go(reader, READ_ROW, 8 * (size_t)reader->n_dims + 12);
}

static void step_row(struct gguf_reader *reader)
{
    struct gguf_tensor tensor = {.name = reader->key, .n_dims = (int)reader->n_dims};
    const unsigned char *at = reader->bytes;
    for (uint32_t i = 0; i < GGUF_DIMS_MAX; i++, at += 8)
        tensor.dims[i] = i < reader->n_dims ? number_at(at, 8) : 1;
    at = reader->bytes + 8 * (size_t)reader->n_dims;
    tensor.type = (uint32_t)number_at(at, 4);
    tensor.offset = number_at(at + 4, 8);
    const char *error = gguf_tally_add(&reader->tally, reader->arena, &tensor);
    if (error)
        refuse(reader, error);
    else
        next_tensor(reader);
}

/* ---- steps */

typedef void step_fn(struct gguf_reader *reader);

static void step_key_length(struct gguf_reader *reader)
{
    go_text(reader, READ_KEY, KEY_MAX, "a key");
}

static void step_key(struct gguf_reader *reader)
{
    copy_text(reader, reader->key);
    go(reader, READ_KIND, 4);
}

static void step_text_length(struct gguf_reader *reader)
{
    go_text(reader, READ_TEXT, TEXT_MAX, reader->key);
}

static void step_name_length(struct gguf_reader *reader)
{
    go_text(reader, READ_NAME, NAME_MAX_BYTES, "the name of a tensor");
}

static void step_name(struct gguf_reader *reader)
{
    copy_text(reader, reader->key);
    go(reader, READ_N_DIMS, 4);
}

static step_fn *const STEPS[READ_STATES] = {
    [READ_HEAD] = step_head,
    [READ_KEY_LENGTH] = step_key_length,
    [READ_KEY] = step_key,
    [READ_KIND] = step_kind,
    [READ_SCALAR] = step_scalar,
    [READ_TEXT_LENGTH] = step_text_length,
    [READ_TEXT] = step_text,
    [READ_LIST_HEAD] = step_list_head,
    [READ_LIST_ITEM] = step_list_item,
    [READ_LIST_TEXT] = step_list_text,
    [READ_NAME_LENGTH] = step_name_length,
    [READ_NAME] = step_name,
    [READ_N_DIMS] = step_n_dims,
    [READ_ROW] = step_row,
};

/* ---- reading */

struct gguf_reader *gguf_open(struct arena *arena)
{
    struct gguf_reader *reader = arena_alloc(arena, sizeof(*reader));
    if (!reader)
        return NULL;
    reader->arena = arena;
    go(reader, READ_HEAD, HEAD_BYTES);
    return reader;
}

/* The header's end: behind it the data begin at the next multiple of the alignment. */
static void finish(struct gguf_reader *reader)
{
    struct gguf_facts *facts = &reader->facts;
    facts->complete = true;
    facts->header_bytes = (double)reader->offset;
    gguf_tally_end(&reader->tally, facts);
}

/* Bytes of the piece that the current step takes. */
static size_t take(struct gguf_reader *reader, const unsigned char *piece, size_t size)
{
    if (reader->skip > 0) {
        size_t passed = reader->skip < size ? (size_t)reader->skip : size;
        reader->skip -= passed;
        return passed;
    }
    size_t wanted = reader->want - reader->got;
    size_t taken = wanted < size ? wanted : size;
    memcpy(reader->bytes + reader->got, piece, taken);
    reader->got += taken;
    return taken;
}

void gguf_feed(struct gguf_reader *reader, const void *piece, size_t size)
{
    const unsigned char *at = piece;
    const struct gguf_facts *facts = &reader->facts;
    while (!facts->error && !facts->complete) {
        size_t taken = take(reader, at, size);
        at += taken;
        size -= taken;
        reader->offset += taken;
        if (reader->skip > 0 || reader->got < reader->want) {
            if (size == 0)
                return;
        } else if (reader->state == READ_DONE) {
            finish(reader);
        } else {
            STEPS[reader->state](reader);
        }
    }
}

/* Bytes that are missing at least, by the least that every value and row takes; and by what was
 * seen so far and rows of the usual size. */
static void missing(const struct gguf_reader *reader, double *ret_least, double *ret_usual)
{
    double pending = (double)(reader->skip + (reader->want - reader->got));
    double items = (double)reader->items_left,
           each = reader->kind < KINDS ? KIND_BYTES[reader->kind] : 0;
    bool in_list = reader->state == READ_LIST_ITEM || reader->state == READ_LIST_TEXT;
    bool texts = reader->state == READ_LIST_TEXT;
    double done = (double)(reader->items - reader->items_left);
    double seen = done > 1 ? (double)(reader->offset - reader->items_begin) / done : 16;
    double rows = (double)reader->tensors_left, values = (double)reader->values_left;
    double rest = in_list ? items * (texts ? 8 : each) : 0;
    *ret_least = pending + rest + rows * ROW_BYTES_MIN + values * VALUE_BYTES_MIN;
    *ret_usual = pending + (texts ? items * fmax(seen, 8) : rest) + rows * ROW_BYTES_USUAL +
                 values * 2 * VALUE_BYTES_MIN;
}

#define MIB_BYTES 1048576.0

static void refuse_cut(struct gguf_reader *reader)
{
    double least, usual, got = (double)reader->offset;
    missing(reader, &least, &usual);
    REFUSE(reader,
           "the header goes on behind the %.0f bytes sent (in %s): it needs at least %.0f bytes, "
           "about %.0f: send the first %.0f MiB of the file",
           got, reader->key[0] ? reader->key : "its first 24 bytes", got + least, got + usual,
           fmax(ceil((got + 1.25 * usual) / MIB_BYTES), 1));
}

const struct gguf_facts *gguf_close(struct gguf_reader *reader)
{
    reader->facts.kept = reader->kept;
    if (!reader->facts.complete && !reader->facts.error)
        refuse_cut(reader);
    return &reader->facts;
}

const struct gguf_value *gguf_find(const struct gguf_facts *facts, const char *key)
{
    for (int i = 0; i < facts->n_kept; i++) {
        if (strcmp(facts->kept[i].key, key) == 0)
            return &facts->kept[i];
    }
    return NULL;
}
