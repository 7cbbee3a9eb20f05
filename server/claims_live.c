#include "claims_live.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_member.h"
#include "json_text.h"
#include "number.h"
#include "plan_json.h"
#include "plan_request.h"

#define PLANS_MAX 4
#define PLAN_ARENA_MAX ((size_t)4 << 20)
#define REPLY_START ((size_t)48 << 10)
#define REPLY_MAX ((size_t)1 << 20)
#define SEGMENT_MAX 64

/* The replies that the terms of one entry point into. */
struct replies {
    struct json_span texts[PLANS_MAX];
    int n;
};

/* Computes a plan and writes its reply; an empty text when the request has faults. */
static struct json_span plan_reply(const struct catalogue *catalogue, struct arena *arena,
                                   const cJSON *body)
{
    const struct json_span nothing = {"", 0};
    struct plan_request *request = arena_alloc(arena, sizeof(*request));
    struct plan *plan = arena_alloc_raw(arena, sizeof(*plan));
    struct faults faults;
    struct json_out out;
    const struct intake intake = {catalogue, arena, &faults, ""};
    faults_init(&faults, arena);
    if (!request || !plan) {
        return nothing;
    }
    plan_request_read_json(&intake, body, request);
    if (!plan_request_resolve(&intake, request)) {
        return nothing;
    }
    plan_compute(&request->problem, PLAN_BARE, plan);
    json_out_init(&out, arena, REPLY_START, REPLY_MAX);
    plan_json_full(&out, request, plan, NULL);
    return json_out_ok(&out) ? (struct json_span){out.text, out.length} : nothing;
}

static bool span_member(struct json_span object, const char *wanted, struct json_span *ret_value)
{
    struct json_walk walk = json_walk_start(object.text, object.length);
    struct json_span name;
    while (json_walk_member(&walk, &name, ret_value)) {
        if (json_span_is(name, wanted)) {
            return true;
        }
    }
    return false;
}

/* Whether the element is the object of that class. */
static bool is_of_class(struct json_span element, const char *class)
{
    struct json_span value;
    size_t length = strlen(class);
    return element.length && element.text[0] == '{' && span_member(element, "class", &value) &&
           value.length == length + 2 && memcmp(value.text + 1, class, length) == 0;
}

static bool span_element(struct json_span array, const char *wanted, struct json_span *ret_value)
{
    struct json_walk walk = json_walk_start(array.text, array.length);
    char *end = NULL;
    unsigned long index = strtoul(wanted, &end, 10);
    bool by_index = end != wanted && !*end;
    for (unsigned long i = 0; json_walk_element(&walk, ret_value); i++) {
        if (by_index ? i == index : is_of_class(*ret_value, wanted)) {
            return true;
        }
    }
    return false;
}

/* The number that the pointer leads to; NAN when there is none. */
static double number_at(struct json_span at, const char *pointer)
{
    while (*pointer == '/') {
        char segment[SEGMENT_MAX];
        size_t length = strcspn(++pointer, "/");
        struct json_span next;
        if (length >= sizeof(segment) || at.length == 0) {
            return NAN;
        }
        memcpy(segment, pointer, length);
        segment[length] = '\0';
        bool found =
            at.text[0] == '[' ? span_element(at, segment, &next) : span_member(at, segment, &next);
        if (!found) {
            return NAN;
        }
        at = next;
        pointer += length;
    }
    char *end = NULL;
    if (at.length == 0) {
        return NAN;
    }
    double value = strtod(at.text, &end);
    if (end == at.text) {
        return NAN;
    }
    return value;
}

static double number_of(const cJSON *object, const char *name, double fallback)
{
    const cJSON *item = json_member(object, name);
    return item && cJSON_IsNumber(item) ? item->valuedouble : fallback;
}

static double term_value(const struct replies *replies, const cJSON *term)
{
    const cJSON *pointer = json_member(term, "pointer");
    int plan = (int)number_of(term, "plan", 0);
    if (!pointer || !cJSON_IsString(pointer)) {
        return number_of(term, "number", NAN);
    }
    if (plan < 0 || plan >= replies->n) {
        return NAN;
    }
    return number_at(replies->texts[plan], pointer->valuestring) * number_of(term, "times", 1);
}

static double terms_value(const struct replies *replies, const cJSON *terms)
{
    const cJSON *term = NULL;
    double sum = 0;
    cJSON_ArrayForEach(term, terms)
    {
        sum += term_value(replies, term);
    }
    return sum;
}

double claim_live_value(const struct catalogue *catalogue, const cJSON *live)
{
    struct arena *arena = arena_new(PLAN_ARENA_MAX);
    struct replies replies = {.n = 0};
    const cJSON *over = json_member(live, "over");
    const cJSON *body = NULL;
    if (!arena) {
        return NAN;
    }
    cJSON_ArrayForEach(body, json_member(live, "plans"))
    {
        if (replies.n < PLANS_MAX) {
            replies.texts[replies.n++] = plan_reply(catalogue, arena, body);
        }
    }
    double value = number_of(live, "scale", 1) * terms_value(&replies, json_member(live, "sum")) /
                   (over ? terms_value(&replies, over) : 1);
    arena_free(arena);
    return value;
}

bool claim_live_agrees(const cJSON *live, double value)
{
    double expect = number_of(live, "expect", NAN);
    return fabs(value - expect) <= number_of(live, "tolerance", 0) * fabs(expect);
}

/* ---- the link ---- */

static void put_escaped(struct json_out *out, const char *text)
{
    static const char GOOD[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~,";
    static const char HEX[] = "0123456789ABCDEF";
    for (; *text; text++) {
        char escaped[3] = {'%', HEX[(unsigned char)*text >> 4], HEX[(unsigned char)*text & 0xf]};
        bool good = strchr(GOOD, *text) != NULL;
        out_bytes(out, good ? text : escaped, good ? 1 : sizeof(escaped));
    }
}

static void put_value(struct json_out *out, const cJSON *value)
{
    const cJSON *item = NULL;
    if (cJSON_IsString(value)) {
        put_escaped(out, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        out_number(out, value->valuedouble);
    } else if (cJSON_IsBool(value)) {
        out_text(out, cJSON_IsTrue(value) ? "true" : "false");
    }
    cJSON_ArrayForEach(item, value)
    {
        out_text(out, item == value->child ? "" : ",");
        put_escaped(out, cJSON_IsString(item) ? item->valuestring : "");
    }
}

/* The members of `object`, those of objects inside a section under "object.member". */
static void put_leaves(struct json_out *out, const cJSON *object, const char *prefix, bool *first)
{
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object)
    {
        if (cJSON_IsObject(item)) {
            put_leaves(out, item, item->string, first);
            continue;
        }
        out_text(out, *first ? "?" : "&");
        *first = false;
        if (*prefix) {
            out_text(out, prefix);
            out_text(out, ".");
        }
        out_text(out, item->string);
        out_text(out, "=");
        put_value(out, item);
    }
}

const char *claim_plan_link(struct arena *arena, const cJSON *body)
{
    static const char *const SECTIONS[] = {"deployment", "workload", "slo"};
    struct json_out out;
    bool first = true;
    json_out_init(&out, arena, 512, 8192);
    out_text(&out, "/v1/plan");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, body)
    {
        bool section = false;
        for (size_t i = 0; i < ARRAY_LEN(SECTIONS); i++) {
            section = section || strcmp(item->string, SECTIONS[i]) == 0;
        }
        if (section) {
            put_leaves(&out, item, "", &first);
        } else if (cJSON_IsObject(item)) {
            return NULL;
        } else {
            out_text(&out, first ? "?" : "&");
            first = false;
            out_text(&out, item->string);
            out_text(&out, "=");
            put_value(&out, item);
        }
    }
    out_bytes(&out, "", 1);
    return json_out_ok(&out) ? out.text : NULL;
}
