#include "page.h"

#include <math.h>
#include <string.h>

#include "body.h"
#include "index.h"
#include "load.h"
#include "negotiate.h"
#include "page_style.h"
#include "phrase.h"
#include "plan.h"
#include "plan_request.h"
#include "problem.h"
#include "units.h"
#include "verdict.h"

static const char SECURITY_POLICY[] = "default-src 'none'; style-src 'unsafe-inline'; form-action "
                                      "'self'; base-uri 'none'; frame-ancestors 'none'";

/* What a page is made of. */
struct page {
    struct json_out *out;
    const struct context *ctx;
    const struct faults *faults;
    const struct plan *plan; /* NULL: nothing was asked, or it has faults */
    struct phrase phrase;    /* scratch */
};

/* Text ----------------------------------------------------------------------------------------- */

static void put(struct page *page, const char *html)
{
    out_text(page->out, html);
}

/* Text with the characters of markup replaced. */
static void put_text(struct page *page, const char *text)
{
    static const char SPECIAL[] = "<>&\"'";
    static const char *const ESCAPES[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};

    while (*text) {
        size_t plain = strcspn(text, SPECIAL);
        out_bytes(page->out, text, plain);
        text += plain;
        if (!*text)
            break;
        out_text(page->out, ESCAPES[strchr(SPECIAL, *text) - SPECIAL]);
        text++;
    }
}

static void put_phrase(struct page *page)
{
    put_text(page, phrase_text(&page->phrase));
}

/* Query text: everything but unreserved characters percent-encoded (RFC 3986). */
static void put_encoded(struct page *page, const char *text)
{
    static const char HEX[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = (byte >= '0' && byte <= '9') ||
                     ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || byte == '-' || byte == '.' ||
                     byte == '_' || byte == '~';
        char encoded[3] = {'%', HEX[byte >> 4], HEX[byte & 15]};
        if (plain)
            out_bytes(page->out, text, 1);
        else
            out_bytes(page->out, encoded, sizeof(encoded));
    }
}

/* Form ----------------------------------------------------------------------------------------- */

struct form_field {
    enum field_id id;
    const char *label;
    const char *list; /* id of a datalist, or NULL */
    bool wide;
};

static const struct form_field FORM[] = {
    {FIELD_ID_MODEL, "Model", "models", true},
    {FIELD_ID_HARDWARE, "Hardware", "parts", true},
    {FIELD_ID_CONCURRENCY, "Requests in flight", NULL, false},
    {FIELD_ID_INPUT_TOKENS, "Tokens in", NULL, false},
    {FIELD_ID_OUTPUT_TOKENS, "Tokens out", NULL, false},
    {FIELD_ID_TP, "Tensor parallel", NULL, false},
    {FIELD_ID_ENGINE, "Engine", "engines", false},
    {FIELD_ID_WEIGHTS, "Weights", "weights", false},
    {FIELD_ID_KV_CACHE, "KV cache", "kv", false},
    {FIELD_ID_SAMPLER, "Sampler", NULL, false},
};

static const struct form_field MORE[] = {
    {FIELD_ID_ENGINE_VERSION, "Engine version", NULL, false},
    {FIELD_ID_CACHED_PREFIX_TOKENS, "Cached prefix tokens", NULL, false},
    {FIELD_ID_REQUEST_RATE, "Requests per second", NULL, false},
    {FIELD_ID_DP, "Attention data parallel", NULL, false},
    {FIELD_ID_EP, "Expert parallel", NULL, false},
    {FIELD_ID_PP, "Pipeline stages", NULL, false},
    {FIELD_ID_MAX_NUM_SEQS, "Most sequences at once", NULL, false},
    {FIELD_ID_CHUNKED_PREFILL, "Prefill chunk, tokens", NULL, false},
    {FIELD_ID_CUDA_GRAPHS, "CUDA graphs", NULL, false},
};

static const char *asked(const struct page *page, enum field_id id)
{
    const char *value = request_argument(page->ctx->request, PLAN_FIELDS.rows[id].query);

    return value ? value : "";
}

/* The fault of a field, NULL when it has none. */
static const struct fault *fault_of(const struct page *page, enum field_id id)
{
    for (int i = 0; i < page->faults->n; i++) {
        if (strcmp(page->faults->items[i].pointer + 1, PLAN_FIELDS.rows[id].query) == 0)
            return &page->faults->items[i];
    }
    return NULL;
}

static void put_option(struct page *page, const char *value, const char *chosen)
{
    put(page, "<option value=\"");
    put_text(page, value);
    put(page, strcmp(value, chosen) == 0 ? "\" selected>" : "\">");
    put_text(page, value[0] ? value : "default");
    put(page, "</option>");
}

static void put_select(struct page *page, const struct field *field, const char *chosen)
{
    put(page, "<select id=\"");
    put(page, field->query);
    put(page, "\" name=\"");
    put(page, field->query);
    put(page, "\">");
    put_option(page, "", chosen);
    if (field->kind == FIELD_BOOL) {
        put_option(page, "true", chosen);
        put_option(page, "false", chosen);
    }
    for (const struct field_name *name = field->names; name && name->name; name++)
        put_option(page, name->name, chosen);
    put(page, "</select>");
}

static void put_input(struct page *page, const struct form_field *row, const struct field *field,
                      const char *value)
{
    bool number = field->kind == FIELD_NUMBER || field->kind == FIELD_WHOLE;

    put(page, "<input id=\"");
    put(page, field->query);
    put(page, "\" name=\"");
    put(page, field->query);
    put(page, "\" value=\"");
    put_text(page, value);
    put(page, number ? "\" inputmode=\"decimal\" autocomplete=\"off\""
                     : "\" autocomplete=\"off\" spellcheck=\"false\"");
    if (row->list) {
        put(page, " list=\"");
        put(page, row->list);
        put(page, "\"");
    }
    if (field->fallback == DEFAULT_REQUIRED)
        put(page, " required");
    if (field->fallback == DEFAULT_VALUE && number) {
        put(page, " placeholder=\"");
        phrase_begin(&page->phrase);
        phrase_plain(&page->phrase, field->value, 9);
        put_phrase(page);
        put(page, "\"");
    }
    if (fault_of(page, row->id)) {
        put(page, " aria-invalid=\"true\" aria-describedby=\"e-");
        put(page, field->query);
        put(page, "\"");
    }
    put(page, ">");
}

static void put_field(struct page *page, const struct form_field *row)
{
    const struct field *field = &PLAN_FIELDS.rows[row->id];
    const struct fault *fault = fault_of(page, row->id);

    put(page, row->wide ? "<div class=\"w\"><label for=\"" : "<div><label for=\"");
    put(page, field->query);
    put(page, "\">");
    put(page, row->label);
    put(page, "</label>");
    if (field->kind == FIELD_NAME || field->kind == FIELD_BOOL)
        put_select(page, field, asked(page, row->id));
    else
        put_input(page, row, field, asked(page, row->id));
    if (fault) {
        put(page, "<span class=\"e\" id=\"e-");
        put(page, field->query);
        put(page, "\">");
        put_text(page, fault->detail);
        put(page, "</span>");
    }
    put(page, "</div>\n");
}

static void put_datalist(struct page *page, const char *id, const char *const *names, int n)
{
    put(page, "<datalist id=\"");
    put(page, id);
    put(page, "\">");
    for (int i = 0; i < n; i++) {
        put(page, "<option value=\"");
        put_text(page, names[i]);
        put(page, "\">");
    }
    put(page, "</datalist>\n");
}

static void put_datalists(struct page *page)
{
    const struct catalogue *catalogue = page->ctx->catalogue;
    const char *const *names;
    int n = 0;

    names = catalogue_model_ids(catalogue, &n);
    put_datalist(page, "models", names, n);
    names = catalogue_hardware_ids(catalogue, &n);
    put_datalist(page, "parts", names, n);
    put(page, "<datalist id=\"engines\">");
    for (int i = 0; i < catalogue->lib.n_engines; i++)
        put_option(page, catalogue->lib.engines[i].id, "");
    put(page, "</datalist><datalist id=\"weights\">");
    for (int i = 0; i < catalogue->lib.n_weight_formats; i++)
        put_option(page, catalogue->lib.weight_formats[i].id, "");
    put(page, "</datalist><datalist id=\"kv\">");
    for (int i = 0; i < catalogue->lib.n_kv_formats; i++)
        put_option(page, catalogue->lib.kv_formats[i].id, "");
    put(page, "</datalist>\n");
}

static void put_form(struct page *page)
{
    bool open = false;

    put(page, "<form method=\"get\" action=\"/\"><div class=\"f\">\n");
    for (size_t i = 0; i < ARRAY_LEN(FORM); i++)
        put_field(page, &FORM[i]);
    for (size_t i = 0; i < ARRAY_LEN(MORE); i++)
        open = open || asked(page, MORE[i].id)[0];
    put(page, open ? "</div><details open><summary>More</summary><div class=\"f\">\n"
                   : "</div><details><summary>More</summary><div class=\"f\">\n");
    for (size_t i = 0; i < ARRAY_LEN(MORE); i++)
        put_field(page, &MORE[i]);
    put(page, "</div></details><button>Plan</button>\n");
    put_datalists(page);
    put(page, "</form>\n");
}

/* Nothing asked yet ---------------------------------------------------------------------------- */

struct example {
    const char *query, *text;
};

static const struct example EXAMPLES[] = {
    {"model=llama-3.1-8b&amp;hardware=h100-sxm", "Llama 3.1 8B for one user on an H100"},
    {"model=llama-3.1-8b&amp;hardware=h200-sxm&amp;concurrency=256&amp;output_tokens=1024",
     "the same for 256 users on an H200"},
    {"model=qwen2.5-7b&amp;hardware=rtx-5090&amp;concurrency=32&amp;weights=f16",
     "Qwen 2.5 7B behind llama-server with 32 slots on an RTX 5090"},
    {"model=deepseek-v3&amp;hardware=h200-sxm&amp;tp=8&amp;ep=8&amp;concurrency=64",
     "DeepSeek V3 on eight H200"},
};

static void put_examples(struct page *page)
{
    put(page, "<h3>For example</h3><ul>\n");
    for (size_t i = 0; i < ARRAY_LEN(EXAMPLES); i++) {
        put(page, "<li><a href=\"/?");
        put(page, EXAMPLES[i].query);
        put(page, "\">");
        put(page, EXAMPLES[i].text);
        put(page, "</a></li>\n");
    }
    put(page, "</ul>\n");
}

static void put_faults(struct page *page)
{
    put(page, "<div class=\"v b\" role=\"alert\"><h2>This cannot be planned yet</h2><ul>\n");
    for (int i = 0; i < page->faults->n; i++) {
        const struct fault *fault = &page->faults->items[i];
        put(page, "<li><code>");
        put_text(page, fault->pointer[0] ? fault->pointer + 1 : "");
        put(page, "</code>: ");
        put_text(page, fault->detail);
        if (fault->suggestion) {
            put(page, " (perhaps <code>");
            put_text(page, fault->suggestion);
            put(page, "</code>)");
        }
        put(page, "</li>\n");
    }
    put(page, "</ul></div>\n");
}

/* Result --------------------------------------------------------------------------------------- */

static void put_verdict(struct page *page)
{
    const struct plan *plan = page->plan;

    put(page, plan->regime == REGIME_CAPACITY ? "<section class=\"v b\"><p class=\"m\"><code>"
                                              : "<section class=\"v\"><p class=\"m\"><code>");
    put(page, regime_name(plan->regime));
    put(page, "</code></p><h2>");
    put_text(page, regime_info(plan->regime)->title);
    put(page, "</h2><p>");
    verdict_because(plan, &page->phrase);
    if (page->phrase.text[0] >= 'a' && page->phrase.text[0] <= 'z')
        page->phrase.text[0] = (char)(page->phrase.text[0] - 'a' + 'A');
    phrase_add(&page->phrase, ".");
    put_phrase(page);
    put(page, "</p><p class=\"m\">");
    put_text(page, regime_info(plan->regime)->meaning);
    put(page, "</p></section>\n");
}

static void add_estimate(struct phrase *phrase, double value, bool milliseconds)
{
    if (milliseconds)
        phrase_time(phrase, value * US_PER_MS);
    else
        phrase_number(phrase, value, 3);
}

static void put_tile(struct page *page, const char *title, const struct estimate *estimate,
                     bool milliseconds)
{
    put(page, "<div><dt>");
    put(page, title);
    put(page, "</dt><dd>");
    phrase_begin(&page->phrase);
    add_estimate(&page->phrase, estimate->expected, milliseconds);
    put_phrase(page);
    put(page, "<small>");
    if (!isnan(estimate->expected)) {
        put(page, basis_name(estimate->basis));
        put(page, ", ");
    }
    phrase_begin(&page->phrase);
    phrase_add(&page->phrase, milliseconds ? "no less than " : "no more than ");
    add_estimate(&page->phrase, estimate->floor, milliseconds);
    put_phrase(page);
    put(page, "</small></dd></div>\n");
}

static void put_memory_tile(struct page *page)
{
    const struct memory_plan *memory = &page->plan->memory;
    const struct workload *load = &page->plan->problem.load;
    struct phrase *phrase = &page->phrase;

    put(page, "<div><dt>Sequences that memory holds</dt><dd>");
    phrase_begin(phrase);
    if (memory->fits)
        phrase_number(phrase, memory->max_concurrency, 3);
    else
        phrase_add(phrase, "does not fit");
    put_phrase(page);
    put(page, "<small>");
    phrase_begin(phrase);
    phrase_whole(phrase, memory->kv_token_capacity);
    phrase_add(phrase, " KV tokens, ");
    phrase_whole(phrase, load->input_tokens + load->output_tokens);
    phrase_add(phrase, " each; ");
    phrase_add(phrase, basis_name(memory->basis));
    put_phrase(page);
    put(page, "</small></dd></div>\n");
}

static void put_tiles(struct page *page)
{
    const struct plan *plan = page->plan;

    put(page, "<dl>\n");
    put_tile(page, "First token", &plan->ttft_ms, true);
    put_tile(page, "Each token", &plan->tpot_ms, true);
    put_tile(page, "Tokens/s per user", &plan->per_user_tok_s, false);
    put_tile(page, "Tokens/s in all", &plan->output_tok_s, false);
    put_memory_tile(page);
    put(page, "</dl>\n");
}

static void put_cell(struct page *page)
{
    put(page, "<td>");
    put_phrase(page);
    put(page, "</td>");
}

static void put_class(struct page *page, enum class_id id, const struct class_cost *cost)
{
    struct phrase *phrase = &page->phrase;

    put(page, "<tr><td title=\"");
    put_text(page, class_info(id)->title);
    put(page, "\"><code>");
    put(page, class_name(id));
    put(page, "</code></td><td class=\"r ");
    put(page, pass_name(class_info(id)->pass));
    put(page, "\"><i style=\"width:");
    phrase_begin(phrase);
    phrase_fixed(phrase, fmin(fmax(cost->share, 0), 1) * 100, 1);
    put_phrase(page);
    put(page, "%\"></i></td>");
    phrase_begin(phrase);
    phrase_percent(phrase, cost->share);
    put_cell(page);
    phrase_begin(phrase);
    phrase_time(phrase, cost->basis == BASIS_NO_RECORD ? (double)NAN : cost->time_us);
    put_cell(page);
    phrase_begin(phrase);
    phrase_time(phrase, cost->floor_us);
    put_cell(page);
    phrase_begin(phrase);
    phrase_bytes(phrase, cost->bytes + cost->link_bytes + cost->host_bytes);
    put_cell(page);
    phrase_begin(phrase);
    phrase_flops(phrase, cost->flops);
    put_cell(page);
    put(page, "<td class=\"l\">");
    put(page, basis_name(cost->basis));
    put(page, "</td></tr>\n");
}

static void put_step(struct page *page, const char *title, const struct step *step)
{
    struct phrase *phrase = &page->phrase;

    put(page, "<h3>");
    phrase_begin(phrase);
    phrase_add(phrase, title);
    phrase_add(phrase, ", ");
    phrase_time(phrase, step->expected_us);
    phrase_add(phrase, "; floor ");
    phrase_time(phrase, step->floor_us);
    put_phrase(page);
    put(page, "</h3><div class=\"s\"><table><thead><tr><th scope=\"col\">class</th><th "
              "scope=\"col\" class=\"l\">share of "
              "the step</th><th></th><th scope=\"col\">expected</th><th "
              "scope=\"col\">floor</th><th scope=\"col\">bytes"
              "</th><th scope=\"col\">work</th><th scope=\"col\" "
              "class=\"l\">basis</th></tr></thead><tbody>\n");
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (step->classes[i].present)
            put_class(page, (enum class_id)i, &step->classes[i]);
    }
    put(page, "</tbody></table></div>\n");
}

static void put_change_cell(struct page *page, double change)
{
    phrase_begin(&page->phrase);
    if (!isnan(change))
        phrase_change(&page->phrase, change);
    put_cell(page);
}

static void put_cure(struct page *page, const struct cure_result *result)
{
    const struct cure_info *info = cure_info(result->cure);

    put(page, "<tr><td class=\"t\"><strong>");
    put_text(page, info->title);
    put(page, "</strong><br><small>");
    put_text(page, result->why ? result->why : info->why);
    put(page, "</small></td>");
    put_change_cell(page, result->tpot);
    put_change_cell(page, result->ttft);
    put_change_cell(page, result->output_tok_s);
    put_change_cell(page, result->memory);
    put(page, info->anchors[0] ? "<td class=\"l\">measured</td></tr>\n"
                               : "<td class=\"l\">no record</td></tr>\n");
}

static void put_cures(struct page *page, bool cures, const char *title)
{
    const struct plan *plan = page->plan;
    bool any = false;

    for (int i = 0; i < plan->n_results; i++)
        any = any || plan->results[i].is_cure == cures;
    if (!any)
        return;
    put(page, "<h3>");
    put(page, title);
    put(page, "</h3><div class=\"s\"><table><thead><tr><th scope=\"col\">change</th><th "
              "scope=\"col\">each token</th>"
              "<th scope=\"col\">first token</th><th scope=\"col\">tokens/s</th><th "
              "scope=\"col\">memory</th>"
              "<th scope=\"col\" class=\"l\">evidence</th></tr></thead><tbody>\n");
    for (int i = 0; i < plan->n_results; i++) {
        if (plan->results[i].is_cure == cures)
            put_cure(page, &plan->results[i]);
    }
    put(page, "</tbody></table></div>\n");
}

static void put_move(struct page *page, const struct move *move)
{
    struct phrase *phrase = &page->phrase;

    put(page, "<li>");
    phrase_begin(phrase);
    phrase_add(phrase, move->axis);
    phrase_add(phrase, " ");
    if (move->from_text)
        phrase_add(phrase, move->from_text);
    else
        phrase_plain(phrase, move->from, 4);
    phrase_add(phrase, " to ");
    if (move->to_text)
        phrase_add(phrase, move->to_text);
    else
        phrase_plain(phrase, move->at, 4);
    phrase_add(phrase, ": ");
    phrase_add(phrase, regime_info(move->to_regime)->title);
    put_phrase(page);
    put(page, "</li>\n");
}

static void put_moves(struct page *page)
{
    put(page, "<h3>Where it moves</h3><ul>\n");
    for (int i = 0; i < page->plan->n_moves; i++) {
        if (page->plan->moves[i].to_text || isfinite(page->plan->moves[i].at))
            put_move(page, &page->plan->moves[i]);
    }
    put(page, "</ul>\n");
}

static void put_warnings(struct page *page)
{
    const struct plan *plan = page->plan;

    if (!plan->n_warnings)
        return;
    put(page, "<h3>Warnings</h3><ul>\n");
    for (int i = 0; i < plan->n_warnings; i++) {
        put(page, "<li>");
        verdict_warning(&plan->warnings[i], &page->phrase);
        put_phrase(page);
        put(page, "</li>\n");
    }
    put(page, "</ul>\n");
}

/* A link to the same plan in another format. */
static void put_format_link(struct page *page, const char *format, const char *text)
{
    const struct request *request = page->ctx->request;

    put(page, "<a href=\"/v1/plan?");
    for (int i = 0; i < request->n_arguments; i++) {
        if (!request->arguments[i].value || !request->arguments[i].value[0])
            continue;
        put_encoded(page, request->arguments[i].name);
        put(page, "=");
        put_encoded(page, request->arguments[i].value);
        put(page, "&amp;");
    }
    put(page, "format=");
    put(page, format);
    put(page, "\">");
    put(page, text);
    put(page, "</a>");
}

static void put_plan(struct page *page)
{
    put_verdict(page);
    put_tiles(page);
    put_warnings(page);
    put_step(page, "A decode step", &page->plan->decode);
    put_step(page, "A prefill", &page->plan->prefill);
    put_cures(page, true, "What would help");
    put_cures(page, false, "What would not");
    put_moves(page);
    put(page, "<p>The same plan with every formula and source: ");
    put_format_link(page, "json", "as JSON");
    put(page, ", ");
    put_format_link(page, "text", "as a report in text");
    put(page, ".</p>\n");
}

/* The whole ------------------------------------------------------------------------------------ */

static void put_page(struct page *page)
{
    put(page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><title>Regime: what dominates an LLM "
        "serving step"
        "</title><style>");
    put(page, PAGE_STYLE);
    put(page, "</style></head><body><header><h1><a href=\"/\">Regime</a></h1><p>A model, a part "
              "and a load in; the cost "
              "that dominates, why, and what would help out.</p></header>\n<main>\n");
    put_form(page);
    if (page->plan)
        put_plan(page);
    else if (page->faults->n)
        put_faults(page);
    else
        put_examples(page);
    put(page, "</main><footer>Every figure says whether it is measured, calibrated, derived or "
              "assumed; where nobody "
              "measured it says <em>no record</em>. <a href=\"/v1\">The API</a> gives all of this "
              "as JSON.</footer>"
              "</body></html>\n");
}

static bool is_asked(const struct request *request)
{
    for (int i = 0; i < request->n_arguments; i++) {
        if (strcmp(request->arguments[i].name, "format") != 0)
            return true;
    }
    return false;
}

void page_handler(struct context *ctx)
{
    static const char *const OWN[] = {"format"};
    struct arena *arena = ctx->request->arena;
    struct plan_request request = {0};
    struct faults faults;
    struct json_out out;
    struct page page = {.out = &out, .ctx = ctx, .faults = &faults};
    const struct intake intake = {ctx->catalogue, arena, &faults, "?"};

    if (strcmp(ctx->format, MEDIA_HTML) != 0) {
        index_handler(ctx);
        return;
    }
    faults_init(&faults, arena);
    if (is_asked(ctx->request)) {
        plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, OWN,
                                (int)ARRAY_LEN(OWN), &request);
        struct plan *plan = arena_alloc_raw(arena, sizeof(*plan));
        if (plan && plan_request_resolve(&intake, &request)) {
            plan_compute(&request.problem, PLAN_FULL, plan);
            page.plan = plan;
        }
    }
    reply_begin(ctx, &out);
    put_page(&page);
    reply_header(ctx->reply, "Content-Security-Policy", SECURITY_POLICY);
    reply_write(ctx, faults.n ? 422 : 200, &out);
}
