#include "gguf_route.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "body.h"
#include "gguf.h"
#include "gguf_model.h"
#include "inline_model.h"
#include "problem.h"
#include "query_switch.h"
#include "request_limits.h"

#define DIFFERENCE_WARNED 0.01

static void *open_reader(struct arena *arena)
{
    return gguf_open(arena);
}

static void feed_reader(void *state, const char *piece, size_t size)
{
    gguf_feed(state, piece, size);
}

const struct body_sink GGUF_SINK = {open_reader, feed_reader};

/* The header, from what the sink took or from a body that came whole; NULL when out of memory. */
static const struct gguf_facts *read_header(const struct request *request)
{
    struct gguf_reader *reader = request->sunk;
    if (!reader) {
        reader = gguf_open(request->arena);
        if (reader)
            gguf_feed(reader, request->body, request->body_length);
    }
    return reader ? gguf_close(reader) : NULL;
}

static void refuse(struct context *ctx, const char *detail)
{
    struct faults faults;
    faults_init(&faults, ctx->request->arena);
    fault_add(&faults, "", NULL, "%s", detail);
    problem_faults(ctx, &faults);
}

static void put_sum(struct json_out *out, const struct gguf_sum *sum)
{
    json_put_number(out, "tensors", sum->tensors);
    json_put_number(out, "elements", sum->elements);
    json_put_number(out, "bytes", sum->bytes);
    json_put_number(out, "bits_per_weight", 8 * sum->bytes / sum->elements);
    json_end_object(out);
}

static void put_sums(struct json_out *out, const struct gguf_facts *facts)
{
    json_key(out, "by_type");
    json_begin_array(out);
    for (uint32_t type = 0; type < GGUF_TYPES_MAX; type++) {
        if (facts->types[type].tensors > 0) {
            json_begin_object(out);
            json_put_text(out, "type", gguf_type_name(type));
            put_sum(out, &facts->types[type]);
        }
    }
    json_end_array(out);
    json_key(out, "by_role");
    json_begin_array(out);
    for (int role = 0; role < ROLE_COUNT; role++) {
        if (facts->roles[role].tensors > 0) {
            json_begin_object(out);
            json_put_text(out, "role", role_name((enum role)role));
            put_sum(out, &facts->roles[role]);
        }
    }
    json_end_array(out);
}

static double all_elements(const struct gguf_facts *facts)
{
    double sum = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        sum += role == ROLE_VISION || role == ROLE_MTP ? 0 : facts->roles[role].elements;
    return sum;
}

static const char *text_of(const struct gguf_facts *facts, const char *key)
{
    const struct gguf_value *value = gguf_find(facts, key);
    return value && value->kind == GGUF_TEXT ? value->text : NULL;
}

static void put_warnings(struct json_out *out, const struct gguf_facts *facts,
                         const struct model *model)
{
    double elements = all_elements(facts);
    bool part = gguf_model_is_part(facts);
    json_key(out, "warnings");
    json_begin_array(out);
    if (part)
        json_text(out, "one of several files that make the model: its tensors are not all, so the "
                       "weights' bytes are those of their format");
    if (!part && fabs(elements / model->params_total - 1) > DIFFERENCE_WARNED)
        json_text(out, arena_printf(out->arena,
                                    "the tensors have %.0f elements, the geometry of the metadata "
                                    "%.0f: the bytes are the file's",
                                    elements, model->params_total));
    json_end_array(out);
}

static void write_reply(struct json_out *out, const struct gguf_facts *facts,
                        const struct json_out *object, const struct model *model)
{
    json_begin_object(out);
    json_put_text(out, "architecture", text_of(facts, "general.architecture"));
    json_put_text(out, "name", text_of(facts, "general.name"));
    json_put_number(out, "gguf_version", facts->version);
    json_put_text(out, "weights", model->native_format);
    json_put_number(out, "tensors", facts->tensors);
    json_put_number(out, "params_total", all_elements(facts));
    json_put_number(out, "weights_bytes", facts->data_bytes);
    json_put_number(out, "header_bytes", facts->header_bytes);
    json_put_number(out, "file_bytes", facts->file_bytes);
    put_sums(out, facts);
    json_key(out, "model");
    json_raw(out, object->text, object->length);
    put_warnings(out, facts, model);
    json_end_object(out);
}

/* The route has no arguments of its own. */
static bool arguments_ok(struct context *ctx)
{
    struct faults faults;
    faults_init(&faults, ctx->request->arena);
    query_refuse_others(ctx->request, &faults, NULL, 0, "is not an argument of this path");
    if (faults.n > 0)
        problem_faults(ctx, &faults);
    return faults.n == 0;
}

void gguf_handler(struct context *ctx)
{
    struct arena *arena = ctx->request->arena;
    const struct gguf_facts *facts = read_header(ctx->request);
    struct faults faults;
    struct json_out object, out;
    if (!arguments_ok(ctx))
        return;
    if (!facts || facts->error) {
        refuse(ctx, facts ? facts->error : "out of memory");
        return;
    }
    faults_init(&faults, arena);
    json_out_init(&object, arena, 4 * KIB, REPLY_MAX_BYTES);
    bool known = gguf_model_write(&object, ctx->catalogue, facts, &faults);
    cJSON *tree =
        known && json_out_ok(&object) ? cJSON_ParseWithLength(object.text, object.length) : NULL;
    const struct model *model =
        tree ? inline_model_read(ctx->catalogue, arena, &faults, "/model", tree) : NULL;
    if (!model) {
        if (faults.n == 0)
            fault_add(&faults, "", NULL, "the header needs more memory than one request may use");
        problem_faults(ctx, &faults);
        return;
    }
    reply_begin(ctx, &out);
    write_reply(&out, facts, &object, model);
    reply_write(ctx, 200, &out);
}
