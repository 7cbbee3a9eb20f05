#include "memory_json.h"

#include "memory.h"
#include "request_json.h"

const enum field_id MEMORY_FIELDS[] = {
    FIELD_ID_ENGINE,
    FIELD_ID_ENGINE_VERSION,
    FIELD_ID_WEIGHTS,
    FIELD_ID_KV_CACHE,
    FIELD_ID_TP,
    FIELD_ID_PP,
    FIELD_ID_DP,
    FIELD_ID_EP,
    FIELD_ID_MEMORY_UTILIZATION,
    FIELD_ID_MAX_MODEL_LEN,
    FIELD_ID_MAX_NUM_SEQS,
    FIELD_ID_CHUNKED_PREFILL,
    FIELD_ID_BLOCK_SIZE,
    FIELD_ID_CUDA_GRAPHS,
    FIELD_ID_PREFIX_CACHING,
    FIELD_ID_ASYNC_SCHEDULING,
    FIELD_ID_GRAPH_MAX_BATCH,
    FIELD_ID_MICRO_BATCH,
    FIELD_ID_KV_UNIFIED,
    FIELD_ID_SWA_FULL,
    FIELD_ID_SWA_FULL_RATIO,
    FIELD_ID_STATE_DTYPE,
    FIELD_ID_STATE_CACHE_MODE,
    FIELD_ID_MAX_STATE_SLOTS,
    FIELD_ID_STATE_MEMORY_RATIO,
    FIELD_ID_DCP,
    FIELD_ID_TEXT_ONLY,
};

const int N_MEMORY_FIELDS = (int)ARRAY_LEN(MEMORY_FIELDS);

static void write_device(struct json_out *out, const struct memory_plan *memory)
{
    json_key(out, "per_device");
    json_begin_object(out);
    json_put_number(out, "total_bytes", memory->total_bytes);
    json_put_number(out, "usable_bytes", memory->usable_bytes);
    json_put_number(out, "weights_bytes", memory->weights_bytes);
    json_put_number(out, "kv_bytes", memory->kv_bytes);
    json_put_number(out, "kv_bytes_low", memory->kv_bytes_low);
    json_put_number(out, "kv_bytes_high", memory->kv_bytes_high);
    json_put_number(out, "activation_bytes", memory->activation_bytes);
    json_put_number(out, "overhead_bytes", memory->overhead_bytes);
    json_end_object(out);
}

static void write_term(struct json_out *out, const struct deployment *dep, enum memory_term_id id,
                       const struct memory_term *term)
{
    json_begin_object(out);
    json_put_text(out, "term", memory_term_name(id));
    json_put_text(out, "title", memory_term_title(id));
    json_put_number(out, "bytes", term->bytes);
    json_put_number(out, "low_bytes", term->low);
    json_put_number(out, "high_bytes", term->high);
    json_put_bool(out, "in_budget", term->in_budget);
    json_put_text(out, "formula", memory_term_formula(dep, id));
    json_put_text(out, "basis", basis_name(term->basis));
    json_put_text(out, "rule", term->rule ? term->rule->id : NULL);
    json_end_object(out);
}

static void write_terms(struct json_out *out, const struct plan *plan)
{
    json_key(out, "terms");
    json_begin_array(out);
    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        const struct memory_term *term = &plan->memory.terms[i];
        if (term->bytes != 0 || term->high != 0)
            write_term(out, &plan->problem.dep, (enum memory_term_id)i, term);
    }
    json_end_array(out);
}

static void write_group(struct json_out *out, const struct kv_group *group)
{
    json_begin_object(out);
    json_put_text(out, "kind", kv_kind_name(group->kind));
    json_put_number(out, "layers", group->layers);
    json_put_number(out, "tables", group->shares);
    json_put_number(out, "bytes_per_token", group->bytes_per_token);
    json_put_number(out, "state_bytes", group->state_bytes);
    json_put_number(out, "window_tokens", group->window_tokens);
    json_put_number(out, "block_tokens", group->block_tokens);
    json_put_number(out, "page_bytes", group->page_bytes);
    json_end_object(out);
}

static void write_layout(struct json_out *out, const struct kv_layout *layout)
{
    json_key(out, "layout");
    json_begin_object(out);
    json_put_text(out, "unit", layout->unit);
    json_put_number(out, "unit_bytes", layout->unit_bytes);
    json_put_number(out, "units", layout->units);
    json_key(out, "groups");
    json_begin_array(out);
    for (int i = 0; i < layout->n_groups; i++)
        write_group(out, &layout->groups[i]);
    json_end_array(out);
    json_end_object(out);
}

static void write_change(struct json_out *out, const struct memory_change *change)
{
    json_begin_object(out);
    json_put_text(out, "id", change->id);
    json_key(out, "change");
    json_begin_object(out);
    for (int i = 0; i < change->n_changes; i++) {
        const struct cure_change *leaf = &change->changes[i];
        json_key(out, leaf->pointer);
        if (leaf->text)
            json_text(out, leaf->text);
        else if (leaf->is_bool)
            json_bool(out, leaf->number != 0);
        else
            json_number(out, leaf->number);
    }
    json_end_object(out);
    json_put_text(out, "why", change->why);
    json_put_bool(out, "fits", change->fits);
    json_put_text(out, "verdict", memory_verdict_name(change->verdict));
    json_put_number(out, "kv_bytes", change->kv_bytes);
    json_put_number(out, "kv_token_capacity", change->kv_token_capacity);
    json_put_number(out, "max_concurrency", change->max_concurrency);
    json_put_number(out, "devices", change->devices);
    json_end_object(out);
}

static void write_changes(struct json_out *out, const struct plan *plan)
{
    json_key(out, "changes");
    json_begin_array(out);
    for (int i = 0; i < plan->n_memory_changes; i++)
        write_change(out, &plan->memory_changes[i]);
    json_end_array(out);
}

static void write_assumed(struct json_out *out, const struct plan_request *request)
{
    json_key(out, "assumed");
    json_begin_object(out);
    for (int i = 0; i < N_MEMORY_FIELDS; i++) {
        if (!request->assumed[MEMORY_FIELDS[i]])
            continue;
        json_key(out, PLAN_FIELDS.rows[MEMORY_FIELDS[i]].pointer);
        request_json_leaf(out, request, MEMORY_FIELDS[i]);
    }
    json_end_object(out);
}

void memory_json_write(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan)
{
    const struct memory_plan *memory = &plan->memory;

    json_key(out, "memory");
    json_begin_object(out);
    json_put_bool(out, "fits", memory->fits);
    json_put_text(out, "verdict", memory_verdict_name(memory->verdict));
    json_put_number(out, "short_by_bytes", memory->short_by_bytes);
    write_device(out, memory);
    json_put_text(out, "pool_formula", memory_pool_formula(&plan->problem.dep));
    write_terms(out, plan);
    write_layout(out, &memory->layout);
    json_put_number(out, "kv_bytes_per_token", memory->kv_bytes_per_token);
    json_put_number(out, "kv_bytes_per_token_beyond_window",
                    memory->kv_bytes_per_token_beyond_window);
    json_put_number(out, "state_bytes_per_sequence", memory->state_bytes_per_sequence);
    json_put_number(out, "kv_token_capacity", memory->kv_token_capacity);
    json_put_number(out, "max_concurrency", memory->max_concurrency);
    json_put_number(out, "max_concurrency_at_max_model_len",
                    memory->max_concurrency_at_max_model_len);
    json_put_number(out, "longest_context_tokens", memory->longest_context);
    json_put_number(out, "held_sequences", memory->held_sequences);
    write_changes(out, plan);
    write_assumed(out, request);
    json_put_text(out, "basis", basis_name(memory->basis));
    json_end_object(out);
}
