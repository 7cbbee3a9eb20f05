#include "hf_regex.h"

#include <string.h>

#define STEPS_MAX 256
#define DEPTH_MAX 12

enum op { OP_SET, OP_SPLIT, OP_JUMP, OP_START, OP_END, OP_AHEAD, OP_NOT_AHEAD, OP_MATCH };

/* Jumps are relative, so that a block of steps can move. */
struct step {
    enum op op;
    int to, other;         /* OP_SPLIT: both ways; OP_JUMP: `to`; look-ahead: `to` is behind it */
    unsigned char set[32]; /* OP_SET: a bit per byte */
};

struct hf_regex {
    int n;
    struct step steps[];
};

struct compiler {
    const char *at;
    int n, depth;
    bool failed;
    struct step steps[STEPS_MAX];
};

static void compile_alternatives(struct compiler *c);

static struct step *add(struct compiler *c, enum op op)
{
    if (c->n >= STEPS_MAX - 1) {
        c->failed = true;
        c->n = 0;
    }
    struct step *step = c->failed ? &c->steps[STEPS_MAX - 1] : &c->steps[c->n++];
    *step = (struct step){.op = op};
    return step;
}

/* Makes room for one step before `first`. */
static struct step *insert(struct compiler *c, int first, enum op op)
{
    (void)add(c, op);
    if (c->failed)
        return &c->steps[STEPS_MAX - 1];
    memmove(&c->steps[first + 1], &c->steps[first],
            (size_t)(c->n - 1 - first) * sizeof(struct step));
    c->steps[first] = (struct step){.op = op};
    return &c->steps[first];
}

static void set_add(struct step *step, unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last && i < 256; i++)
        step->set[i / 8] |= (unsigned char)(1u << i % 8);
}

static void set_invert(struct step *step)
{
    for (size_t i = 0; i < sizeof(step->set); i++)
        step->set[i] = (unsigned char)~step->set[i];
}

/* The class or character behind a backslash. */
static void add_escape(struct compiler *c, struct step *step, char letter)
{
    unsigned char code = (unsigned char)letter;
    bool word = letter == 'w' || letter == 'W';
    bool digit = letter == 'd' || letter == 'D';
    if (word || digit) {
        set_add(step, '0', '9');
        if (word) {
            set_add(step, 'a', 'z');
            set_add(step, 'A', 'Z');
            set_add(step, '_', '_');
        }
        if (letter == 'W' || letter == 'D')
            set_invert(step);
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '\0') {
        c->failed = true; /* \b, \1 and their like */
    } else {
        set_add(step, code, code);
    }
}

static void compile_class(struct compiler *c)
{
    struct step *step = add(c, OP_SET);
    bool inverted = *c->at == '^';
    c->at += inverted;
    bool first = true;
    while (*c->at && (*c->at != ']' || first)) {
        first = false;
        if (*c->at == '\\') {
            add_escape(c, step, c->at[1]);
            c->at += c->at[1] ? 2 : 1;
            continue;
        }
        unsigned low = (unsigned char)*c->at++, high = low;
        if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
            high = (unsigned char)c->at[1];
            c->at += 2;
        }
        set_add(step, low, high);
    }
    if (inverted)
        set_invert(step);
    c->failed |= *c->at != ']';
    c->at += *c->at == ']';
}

/* "(...)", "(?:...)", "(?=...)", "(?!...)" behind the opening bracket. */
static void compile_group(struct compiler *c)
{
    int first = c->n;
    bool ahead = strncmp(c->at, "?=", 2) == 0, not_ahead = strncmp(c->at, "?!", 2) == 0;
    bool plain = strncmp(c->at, "?:", 2) == 0;
    if (ahead || not_ahead || plain)
        c->at += 2;
    else if (*c->at == '?')
        c->failed = true;
    if (ahead || not_ahead)
        (void)add(c, ahead ? OP_AHEAD : OP_NOT_AHEAD);
    if (++c->depth > DEPTH_MAX)
        c->failed = true;
    if (!c->failed)
        compile_alternatives(c);
    c->depth--;
    if (ahead || not_ahead) {
        (void)add(c, OP_MATCH);
        c->steps[first].to = c->n - first;
    }
    c->failed |= *c->at != ')';
    c->at += *c->at == ')';
}

static void compile_atom(struct compiler *c)
{
    char letter = *c->at++;
    struct step *step;
    switch (letter) {
    case '(':
        compile_group(c);
        return;
    case '[':
        compile_class(c);
        return;
    case '^':
        (void)add(c, OP_START);
        return;
    case '$':
        (void)add(c, OP_END);
        return;
    case '.':
        set_add(add(c, OP_SET), 1, 255);
        return;
    case '\\':
        step = add(c, OP_SET);
        add_escape(c, step, *c->at);
        c->at += *c->at != '\0';
        return;
    case '*':
    case '+':
    case '?':
    case '{':
        c->failed = true;
        return;
    default:
        step = add(c, OP_SET);
        set_add(step, (unsigned char)letter, (unsigned char)letter);
        return;
    }
}

static void compile_repeat(struct compiler *c, int first)
{
    char mark = *c->at;
    if (mark == '{')
        c->failed = true;
    if (c->failed || !(mark == '*' || mark == '+' || mark == '?'))
        return;
    c->at++;
    c->at += *c->at == '?'; /* a lazy one matches the same texts */
    int length = c->n - first;
    if (mark == '+') {
        struct step *again = add(c, OP_SPLIT);
        again->to = -length;
        again->other = 1;
        return;
    }
    struct step *skip = insert(c, first, OP_SPLIT);
    skip->to = 1;
    skip->other = length + (mark == '*' ? 2 : 1);
    if (mark == '*')
        add(c, OP_JUMP)->to = -(length + 1);
}

static void compile_sequence(struct compiler *c)
{
    while (*c->at && *c->at != '|' && *c->at != ')' && !c->failed) {
        int first = c->n;
        compile_atom(c);
        compile_repeat(c, first);
    }
}

static void compile_alternatives(struct compiler *c)
{
    int first = c->n;
    compile_sequence(c);
    while (*c->at == '|' && !c->failed) {
        c->at++;
        struct step *split = insert(c, first, OP_SPLIT);
        split->to = 1;
        split->other = c->n - first + 1;
        int jump = c->n;
        (void)add(c, OP_JUMP);
        compile_sequence(c);
        c->steps[jump].to = c->n - jump;
    }
}

const struct hf_regex *hf_regex_compile(struct arena *arena, const char *pattern)
{
    struct compiler *c = arena_alloc(arena, sizeof(*c));
    if (!c)
        return NULL;
    c->at = pattern;
    compile_alternatives(c);
    (void)add(c, OP_MATCH);
    if (c->failed || *c->at) {
        arena_release(arena, c);
        return NULL;
    }
    struct hf_regex *regex =
        arena_alloc(arena, sizeof(*regex) + (size_t)c->n * sizeof(struct step));
    if (regex) {
        regex->n = c->n;
        memcpy(regex->steps, c->steps, (size_t)c->n * sizeof(struct step));
    }
    return regex;
}

/* The steps that are waiting for the next character: `waiting` lists those of `seen` that take one.
 */
struct paths {
    int n;
    bool matched;
    bool seen[STEPS_MAX];
    short waiting[STEPS_MAX];
};

/* One match: its text, and what it may still cost. */
struct match {
    const struct hf_regex *regex;
    const char *text;
    long visits;
};

static void clear(const struct hf_regex *regex, struct paths *paths)
{
    paths->n = 0;
    paths->matched = false;
    memset(paths->seen, 0, (size_t)regex->n);
}

static bool run(struct match *match, int first, const char *at, int depth);

/* Follows everything that takes no character. */
static void follow(struct match *match, struct paths *paths, int first, const char *at, int depth)
{
    int stack[2 * STEPS_MAX], n = 0;
    stack[n++] = first;
    while (n > 0 && match->visits < HF_REGEX_VISITS_MAX) {
        int i = stack[--n];
        if (paths->seen[i])
            continue;
        paths->seen[i] = true;
        match->visits++;
        const struct step *step = &match->regex->steps[i];
        switch (step->op) {
        case OP_SET:
            paths->waiting[paths->n++] = (short)i;
            break;
        case OP_SPLIT:
            stack[n++] = i + step->to;
            stack[n++] = i + step->other;
            break;
        case OP_JUMP:
            stack[n++] = i + step->to;
            break;
        case OP_START:
        case OP_END:
            if (step->op == OP_START ? at == match->text : !*at)
                stack[n++] = i + 1;
            break;
        case OP_AHEAD:
        case OP_NOT_AHEAD:
            if (run(match, i + 1, at, depth + 1) == (step->op == OP_AHEAD))
                stack[n++] = i + step->to;
            break;
        case OP_MATCH:
            paths->matched = true;
            break;
        }
    }
}

/* Whether the steps from `first` on reach their end somewhere behind `at`. */
static bool run(struct match *match, int first, const char *at, int depth)
{
    const struct hf_regex *regex = match->regex;
    struct paths both[2];
    struct paths *now = &both[0], *next = &both[1];
    if (depth > DEPTH_MAX)
        return false;
    clear(regex, now);
    follow(match, now, first, at, depth);
    for (; !now->matched && now->n > 0 && *at; at++) {
        unsigned char code = (unsigned char)*at;
        clear(regex, next);
        match->visits += now->n;
        for (int i = 0; i < now->n; i++) {
            int step = now->waiting[i];
            if (regex->steps[step].set[code / 8] >> code % 8 & 1)
                follow(match, next, step + 1, at + 1, depth);
        }
        struct paths *spent = now;
        now = next;
        next = spent;
    }
    return now->matched;
}

bool hf_regex_matches(const struct hf_regex *regex, const char *text, long *visits)
{
    struct match match = {regex, text, 0};
    bool matched = run(&match, 0, text, 0);
    *visits += match.visits;
    return matched && match.visits < HF_REGEX_VISITS_MAX;
}
