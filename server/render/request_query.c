#include "request_query.h"

#include <string.h>

void query_text_write(struct json_out *out, const char *text)
{
    static const char HEX[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = (byte >= '0' && byte <= '9') ||
                     ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '-' || byte == '.' ||
                     byte == '_' || byte == '~';
        char encoded[3] = {'%', HEX[byte >> 4], HEX[byte & 15]};
        if (plain)
            out_bytes(out, text, 1);
        else
            out_bytes(out, encoded, sizeof(encoded));
    }
}

/* The value of a leaf that a measured run states: names of records, numbers, texts. */
static void write_value(struct json_out *out, const struct field *field,
                        const struct plan_request *request)
{
    const void *place = (const char *)request + field->offset;
    const struct problem *problem = &request->problem;
    int name;

    switch (field->kind) {
    case FIELD_NUMBER:
    case FIELD_WHOLE:
        out_number(out, *(const double *)place / (field->scale != 0 ? field->scale : 1));
        break;
    case FIELD_BOOL:
        out_text(out, *(const bool *)place ? "true" : "false");
        break;
    case FIELD_NAME:
        memcpy(&name, place, sizeof(name));
        query_text_write(out, field_name_of(field->names, name));
        break;
    case FIELD_TEXT:
        query_text_write(out, *(const char *const *)place);
        break;
    case FIELD_MODEL:
        query_text_write(out, problem->model->id);
        break;
    case FIELD_HARDWARE:
        query_text_write(out, problem->hw->id);
        break;
    case FIELD_ENGINE:
        query_text_write(out, problem->dep.engine->id);
        break;
    case FIELD_WEIGHTS:
        query_text_write(out, problem->dep.weights->id);
        break;
    case FIELD_KV_CACHE:
        query_text_write(out, problem->dep.kv_cache->id);
        break;
    case FIELD_NAMES:
    case FIELD_TREE:
    case FIELD_UNUSED:
    case FIELD_KIND_COUNT:
        break;
    }
}

void request_query_write(struct json_out *out, const struct plan_request *request)
{
    const char *before = "?";

    out_text(out, "/v1/plan");
    for (int i = 0; i < FIELD_ID_COUNT; i++) {
        if (!request->given[i])
            continue;
        out_text(out, before);
        out_text(out, PLAN_FIELDS.rows[i].query);
        out_text(out, "=");
        write_value(out, &PLAN_FIELDS.rows[i], request);
        before = "&";
    }
}
