/* memory_text.c - the memory part of a plan's report for a terminal. */
#include <math.h>

#include "memory.h"
#include "memory_json.h"
#include "phrase.h"
#include "request_json.h"
#include "text_layout.h"

#define BAR_COLUMNS 60
#define TITLE_COLUMNS 17
#define BYTES_COLUMNS 10
/* The far ends of a range that rounds to nothing are not shown. */
#define RANGE_SHOWN 0.005
#define CHANGES_SHOWN 6

struct bar_part {
    const char *title, *block, *ascii;
    double bytes;
};

struct writing {
    struct json_out *out;
    const struct plan_request *request;
    const struct plan *plan;
    bool ascii;
    struct phrase phrase;
};

static void write_bar(struct writing *writing, const struct bar_part *parts, int n)
{
    double sum = 0, total = writing->plan->memory.total_bytes;
    int drawn = 0;

    out_text(writing->out, "  [");
    for (int i = 0; i < n; i++) {
        sum += parts[i].bytes;
        int until = total > 0 ? (int)lround(fmin(sum / total, 1) * BAR_COLUMNS) : 0;
        text_repeat(writing->out, writing->ascii ? parts[i].ascii : parts[i].block, until - drawn);
        drawn = until > drawn ? until : drawn;
    }
    text_repeat(writing->out, writing->ascii ? "." : " ", BAR_COLUMNS - drawn);
    phrase_begin(&writing->phrase);
    phrase_add(&writing->phrase, "] ");
    phrase_bytes(&writing->phrase, total);
    out_text(writing->out, phrase_text(&writing->phrase));
    out_text(writing->out, "\n");
}

static void write_legend(struct writing *writing, const struct bar_part *parts, int n)
{
    struct phrase *phrase = &writing->phrase;

    phrase_begin(phrase);
    for (int i = 0; i < n; i++) {
        phrase_add(phrase, i ? ", " : "  ");
        phrase_add(phrase, writing->ascii ? parts[i].ascii : parts[i].block);
        phrase_add(phrase, " ");
        phrase_add(phrase, parts[i].title);
        phrase_add(phrase, " ");
        phrase_bytes(phrase, parts[i].bytes);
    }
    text_wrap(writing->out, phrase_text(phrase), 0, 4);
}

static void bytes_cell(struct writing *writing, double bytes)
{
    phrase_begin(&writing->phrase);
    if (bytes < 0)
        phrase_add(&writing->phrase, "-");
    phrase_bytes(&writing->phrase, fabs(bytes));
    text_cell(writing->out, phrase_text(&writing->phrase), BYTES_COLUMNS, true);
}

/* "weights  16.1 GB  16.0 GB to 16.2 GB  derived  formula", the rest of a long one below. */
static void write_row(struct writing *writing, const char *title, const double range[3],
                      const char *behind)
{
    struct phrase *phrase = &writing->phrase;
    bool ranged = fabs(range[2] - range[0]) > RANGE_SHOWN * fabs(range[1]);

    out_text(writing->out, "  ");
    text_cell(writing->out, title, TITLE_COLUMNS, false);
    bytes_cell(writing, range[1]);
    phrase_begin(phrase);
    if (ranged) {
        phrase_bytes(phrase, fmax(range[0], 0));
        phrase_add(phrase, " to ");
        phrase_bytes(phrase, range[2]);
        phrase_add(phrase, "; ");
    }
    phrase_add(phrase, behind);
    out_text(writing->out, "  ");
    text_wrap(writing->out, phrase_text(phrase), TITLE_COLUMNS + BYTES_COLUMNS + 4,
              TITLE_COLUMNS + BYTES_COLUMNS + 4);
}

static void write_terms(struct writing *writing)
{
    const struct memory_plan *memory = &writing->plan->memory;
    const struct deployment *dep = &writing->plan->problem.dep;
    struct phrase behind;

    for (int i = 0; i < MEMORY_TERM_COUNT; i++) {
        const struct memory_term *term = &memory->terms[i];
        const char *formula = memory_term_formula(dep, (enum memory_term_id)i);
        const double range[] = {term->low, term->bytes, term->high};
        if (term->bytes == 0 && term->high == 0)
            continue;
        phrase_begin(&behind);
        phrase_add(&behind, basis_name(term->basis));
        if (!term->in_budget)
            phrase_add(&behind, ", beside the pool");
        phrase_add(&behind, formula ? ": " : "");
        phrase_add(&behind, formula ? formula : "");
        write_row(writing, memory_term_name((enum memory_term_id)i), range, phrase_text(&behind));
    }
    const double pool[] = {memory->kv_bytes_low, memory->kv_bytes, memory->kv_bytes_high};
    write_row(writing, "KV pool", pool, memory_pool_formula(dep));
}

static void write_held(struct writing *writing)
{
    const struct memory_plan *memory = &writing->plan->memory;
    const struct workload *load = &writing->plan->problem.load;
    struct phrase *phrase = &writing->phrase;

    phrase_begin(phrase);
    phrase_add(phrase, "  ");
    phrase_whole(phrase, memory->kv_token_capacity);
    phrase_add(phrase, " KV tokens at ");
    phrase_bytes(phrase, memory->kv_bytes_per_token);
    phrase_add(phrase, " each: ");
    phrase_fixed(phrase, memory->max_concurrency, 1);
    phrase_add(phrase, " sequences of ");
    phrase_whole(phrase, load->input_tokens + load->output_tokens);
    phrase_add(phrase, " tokens at their end, ");
    phrase_whole(phrase, memory->held_sequences);
    phrase_add(phrase, " as admitted, ");
    phrase_fixed(phrase, memory->max_concurrency_at_max_model_len, 2);
    phrase_add(phrase, " of max_model_len (");
    phrase_add(phrase, basis_name(memory->basis));
    phrase_add(phrase, "); longest context: ");
    phrase_whole(phrase, memory->longest_context);
    text_wrap(writing->out, phrase_text(phrase), 0, 4);
}

static void write_change(struct writing *writing, const struct memory_change *change)
{
    struct phrase *phrase = &writing->phrase;

    phrase_begin(phrase);
    phrase_add(phrase, "  > ");
    for (int i = 0; i < change->n_changes; i++) {
        const struct cure_change *leaf = &change->changes[i];
        phrase_add(phrase, i ? ", " : "");
        phrase_add(phrase, leaf->pointer + sizeof("/deployment"));
        phrase_add(phrase, " ");
        if (leaf->text)
            phrase_add(phrase, leaf->text);
        else if (leaf->is_bool)
            phrase_add(phrase, leaf->number != 0 ? "true" : "false");
        else
            phrase_plain(phrase, leaf->number, 9);
    }
    phrase_add(phrase, change->verdict == MEMORY_FITS ? ": fits, " : ": may fit, ");
    phrase_whole(phrase, change->kv_token_capacity);
    phrase_add(phrase, " KV tokens. ");
    phrase_add(phrase, change->why);
    text_wrap(writing->out, phrase_text(phrase), 0, 4);
}

static void write_changes(struct writing *writing)
{
    const struct plan *plan = writing->plan;
    struct phrase *phrase = &writing->phrase;

    if (plan->memory.short_by_bytes > 0) {
        phrase_begin(phrase);
        phrase_add(phrase, "  short by ");
        phrase_bytes(phrase, plan->memory.short_by_bytes);
        phrase_add(phrase, plan->n_memory_changes ? "; the smallest changes that make it fit:"
                                                  : "; no one or two flags make it fit");
        text_wrap(writing->out, phrase_text(phrase), 0, 4);
    } else if (plan->n_memory_changes) {
        out_text(writing->out, "  it may not start; changes with which it does:\n");
    }
    for (int i = 0; i < plan->n_memory_changes && i < CHANGES_SHOWN; i++)
        write_change(writing, &plan->memory_changes[i]);
}

static void write_assumed(struct writing *writing)
{
    struct json_out values;
    int shown = 0;

    json_out_init(&values, writing->out->arena, 512, 4096);
    for (int i = 0; i < N_MEMORY_FIELDS; i++) {
        if (!writing->request->assumed[MEMORY_FIELDS[i]])
            continue;
        out_text(&values, shown++ ? ", " : "  assumed: ");
        request_text_leaf(&values, writing->request, MEMORY_FIELDS[i]);
    }
    out_bytes(&values, "", 1);
    if (shown && json_out_ok(&values))
        text_wrap(writing->out, values.text, 0, 4);
}

static const char *title_of(const struct memory_plan *memory)
{
    if (!memory->fits)
        return memory->verdict == MEMORY_MAY_FIT ? "MEMORY of one device: MAY NOT FIT"
                                                 : "MEMORY of one device: DOES NOT FIT";
    return memory->verdict == MEMORY_MAY_FIT ? "MEMORY of one device: fits, but not over its range"
                                             : "MEMORY of one device";
}

void memory_text_write(struct json_out *out, const struct plan_request *request,
                       const struct plan *plan, bool ascii)
{
    struct writing writing = {.out = out, .request = request, .plan = plan, .ascii = ascii};
    const struct memory_plan *memory = &plan->memory;
    const struct bar_part parts[] = {
        {"weights", "\u2588", "#", memory->weights_bytes},
        {"activations", "\u2593", "+", memory->activation_bytes},
        {"overhead", "\u2592", "-", memory->overhead_bytes},
        {"KV pool", "\u2591", "=", fmax(memory->kv_bytes, 0)},
    };

    out_text(out, "\n");
    out_text(out, title_of(memory));
    out_text(out, "\n");
    write_bar(&writing, parts, (int)ARRAY_LEN(parts));
    write_legend(&writing, parts, (int)ARRAY_LEN(parts));
    write_terms(&writing);
    write_held(&writing);
    write_changes(&writing);
    write_assumed(&writing);
}
