#include "page.h"

#include <string.h>

#include "assets.h"
#include "body.h"
#include "nearness.h"
#include "negotiate.h"
#include "page_parts.h"
#include "page_style.h"
#include "problem.h"
#include "request_query.h"

static const char SECURITY_POLICY[] = "default-src 'none'; style-src 'unsafe-inline'; form-action "
                                      "'self'; base-uri 'none'; frame-ancestors 'none'";

/* Text ----------------------------------------------------------------------------------------- */

void page_put(struct page *page, const char *html)
{
    out_text(page->out, html);
}

/* Text with the characters of markup replaced. */
void page_text(struct page *page, const char *text)
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

void page_phrase(struct page *page)
{
    page_text(page, phrase_text(&page->phrase));
}

void page_encoded(struct page *page, const char *text)
{
    query_text_write(page->out, text);
}

/* Form ----------------------------------------------------------------------------------------- */

struct form_field {
    enum field_id id;
    const char *label;
    const char *list;        /* id of a datalist, or NULL */
    const char *placeholder; /* what its default is; NULL = the number in the table */
    bool wide;
};

static const struct form_field FORM[] = {
    {FIELD_ID_MODEL, "Model", "models", "id, alias or Hugging Face name", true},
    {FIELD_ID_HARDWARE, "Hardware", "parts", "id or alias", true},
    {FIELD_ID_CONCURRENCY, "Requests in flight", NULL, NULL, false},
    {FIELD_ID_INPUT_TOKENS, "Tokens in", NULL, NULL, false},
    {FIELD_ID_OUTPUT_TOKENS, "Tokens out", NULL, NULL, false},
    {FIELD_ID_TP, "Tensor parallel", NULL, NULL, false},
    {FIELD_ID_ENGINE, "Engine", "engines", "by the part", false},
    {FIELD_ID_WEIGHTS, "Weights", "weights", "the checkpoint's", false},
    {FIELD_ID_KV_CACHE, "KV cache", "kv", "by the engine", false},
    {FIELD_ID_SAMPLER, "Sampler", NULL, NULL, false},
};

static const struct form_field MORE[] = {
    {FIELD_ID_ENGINE_VERSION, "Engine version", NULL, NULL, false},
    {FIELD_ID_CACHED_PREFIX_TOKENS, "Cached prefix tokens", NULL, NULL, false},
    {FIELD_ID_REQUEST_RATE, "Requests per second", NULL, NULL, false},
    {FIELD_ID_DP, "Attention data parallel", NULL, NULL, false},
    {FIELD_ID_EP, "Expert parallel", NULL, NULL, false},
    {FIELD_ID_PP, "Pipeline stages", NULL, NULL, false},
    {FIELD_ID_MAX_NUM_SEQS, "Most sequences at once", NULL, NULL, false},
    {FIELD_ID_CHUNKED_PREFILL, "Prefill chunk, tokens", NULL, NULL, false},
    {FIELD_ID_CUDA_GRAPHS, "CUDA graphs", NULL, NULL, false},
    {FIELD_ID_MAX_MODEL_LEN, "Longest request, tokens", NULL, "the model's own", false},
    {FIELD_ID_SLO_TTFT, "First token within, ms", NULL, "no objective", false},
    {FIELD_ID_SLO_TPOT, "A token within, ms", NULL, "no objective", false},
    {FIELD_ID_SLO_OUTPUT_TOK_S, "Tokens per second, at least", NULL, "no objective", false},
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

static void put_suggestion(struct page *page, const struct fault *fault)
{
    if (!fault->suggestion)
        return;
    page_put(page, " (perhaps <code>");
    page_text(page, fault->suggestion);
    page_put(page, "</code>)");
}

static void put_option(struct page *page, const char *value, const char *chosen)
{
    page_put(page, "<option value=\"");
    page_text(page, value);
    page_put(page, strcmp(value, chosen) == 0 ? "\" selected>" : "\">");
    page_text(page, value[0] ? value : "default");
    page_put(page, "</option>");
}

static void put_select(struct page *page, const struct field *field, const char *chosen)
{
    page_put(page, "<select id=\"");
    page_put(page, field->query);
    page_put(page, "\" name=\"");
    page_put(page, field->query);
    page_put(page, "\">");
    put_option(page, "", chosen);
    if (field->kind == FIELD_BOOL) {
        put_option(page, "true", chosen);
        put_option(page, "false", chosen);
    }
    for (const struct field_name *name = field->names; name && name->name; name++)
        put_option(page, name->name, chosen);
    page_put(page, "</select>");
}

static void put_input(struct page *page, const struct form_field *row, const struct field *field,
                      const char *value)
{
    bool number = field->kind == FIELD_NUMBER || field->kind == FIELD_WHOLE;

    page_put(page, "<input id=\"");
    page_put(page, field->query);
    page_put(page, "\" name=\"");
    page_put(page, field->query);
    page_put(page, "\" value=\"");
    page_text(page, value);
    page_put(page, number ? "\" inputmode=\"decimal\" autocomplete=\"off\""
                          : "\" autocomplete=\"off\" spellcheck=\"false\"");
    if (row->list) {
        page_put(page, " list=\"");
        page_put(page, row->list);
        page_put(page, "\"");
    }
    if (field->fallback == DEFAULT_REQUIRED)
        page_put(page, " required");
    page_put(page, " placeholder=\"");
    if (row->placeholder)
        page_put(page, row->placeholder);
    else if (field->fallback == DEFAULT_VALUE && number)
        out_number(page->out, field->value);
    page_put(page, "\"");
    if (fault_of(page, row->id)) {
        page_put(page, " aria-invalid=\"true\" aria-describedby=\"e-");
        page_put(page, field->query);
        page_put(page, "\"");
    }
    page_put(page, ">");
}

static void put_field(struct page *page, const struct form_field *row)
{
    const struct field *field = &PLAN_FIELDS.rows[row->id];
    const struct fault *fault = fault_of(page, row->id);

    page_put(page, row->wide ? "<div class=\"w\"><label for=\"" : "<div><label for=\"");
    page_put(page, field->query);
    page_put(page, "\">");
    page_put(page, row->label);
    page_put(page, "</label>");
    if (field->kind == FIELD_NAME || field->kind == FIELD_BOOL)
        put_select(page, field, asked(page, row->id));
    else
        put_input(page, row, field, asked(page, row->id));
    if (fault) {
        page_put(page, "<span class=\"e\" id=\"e-");
        page_put(page, field->query);
        page_put(page, "\">");
        page_text(page, fault->detail);
        put_suggestion(page, fault);
        page_put(page, "</span>");
    }
    page_put(page, "</div>\n");
}

static void put_datalist(struct page *page, const char *id, const char *const *names, int n)
{
    page_put(page, "<datalist id=\"");
    page_put(page, id);
    page_put(page, "\">");
    for (int i = 0; i < n; i++) {
        page_put(page, "<option value=\"");
        page_text(page, names[i]);
        page_put(page, "\">");
    }
    page_put(page, "</datalist>\n");
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
    page_put(page, "<datalist id=\"engines\">");
    for (int i = 0; i < catalogue->lib.n_engines; i++)
        put_option(page, catalogue->lib.engines[i].id, "");
    page_put(page, "</datalist><datalist id=\"weights\">");
    for (int i = 0; i < catalogue->lib.n_weight_formats; i++)
        put_option(page, catalogue->lib.weight_formats[i].id, "");
    page_put(page, "</datalist><datalist id=\"kv\">");
    for (int i = 0; i < catalogue->lib.n_kv_formats; i++)
        put_option(page, catalogue->lib.kv_formats[i].id, "");
    page_put(page, "</datalist>\n");
}

static void put_form(struct page *page)
{
    bool open = false;

    page_put(page, "<form method=\"get\" action=\"/\"><div class=\"f\">\n");
    for (size_t i = 0; i < ARRAY_LEN(FORM); i++)
        put_field(page, &FORM[i]);
    for (size_t i = 0; i < ARRAY_LEN(MORE); i++)
        open = open || asked(page, MORE[i].id)[0];
    page_put(page, open ? "</div><details open><summary>More</summary><div class=\"f\">\n"
                        : "</div><details><summary>More</summary><div class=\"f\">\n");
    for (size_t i = 0; i < ARRAY_LEN(MORE); i++)
        put_field(page, &MORE[i]);
    page_put(page, "</div></details><button>Plan</button>\n");
    put_datalists(page);
    page_put(page, "</form>\n");
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
    page_put(page, "<h3>For example</h3><ul>\n");
    for (size_t i = 0; i < ARRAY_LEN(EXAMPLES); i++) {
        page_put(page, "<li><a href=\"/?");
        page_put(page, EXAMPLES[i].query);
        page_put(page, "\">");
        page_put(page, EXAMPLES[i].text);
        page_put(page, "</a></li>\n");
    }
    page_put(page, "</ul>\n");
}

static void put_faults(struct page *page)
{
    page_put(page, "<div class=\"v b\" role=\"alert\"><h2>This cannot be planned yet</h2><ul>\n");
    for (int i = 0; i < page->faults->n; i++) {
        const struct fault *fault = &page->faults->items[i];
        page_put(page, "<li><code>");
        page_text(page, fault->pointer[0] ? fault->pointer + 1 : "");
        page_put(page, "</code>: ");
        page_text(page, fault->detail);
        put_suggestion(page, fault);
        page_put(page, "</li>\n");
    }
    page_put(page, "</ul></div>\n");
}

/* The whole ------------------------------------------------------------------------------------ */

static void put_page(struct page *page)
{
    page_put(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><title>Regime: what dominates an LLM "
        "serving step"
        "</title><style>");
    page_put(page, PAGE_STYLE);
    page_put(page,
             "</style></head><body><header><h1><a href=\"/\">Regime</a></h1><p>A model, a part "
             "and a load in; the cost "
             "that dominates, why, and what would help.</p></header>\n<main>\n");
    put_form(page);
    if (page->plan)
        page_plan(page);
    else if (page->faults->n)
        put_faults(page);
    else
        put_examples(page);
    page_put(page,
             "</main><footer>Every figure says whether it is measured, calibrated, derived or "
             "assumed; where nobody "
             "measured it says <em>no record</em>. <a href=\"/backtest\">Predicted "
             "against measured</a> shows how far off it is. <a href=\"/v1\">The API</a> gives all "
             "of this "
             "as JSON; <a href=\"/docs\">the reference</a> explains it.");
    page_put(page, N_ASSETS ? " <a href=\"/\">The pages with charts</a> need JavaScript."
                            : " The pages with charts are not in this program: it was built "
                              "without Node.js.");
    page_put(page, "</footer></body></html>\n");
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
    struct page page = {.out = &out, .ctx = ctx, .faults = &faults, .request = &request};
    const struct intake intake = {ctx->catalogue, arena, &faults, "?"};

    faults_init(&faults, arena);
    if (is_asked(ctx->request)) {
        plan_request_read_query(&intake, ctx->request->arguments, ctx->request->n_arguments, OWN,
                                (int)ARRAY_LEN(OWN), &request);
        struct plan *plan = arena_alloc_raw(arena, sizeof(*plan));
        if (plan && plan_request_resolve(&intake, &request)) {
            nearness_find(ctx->catalogue, &request.problem, NULL, NULL, &request.problem.near);
            plan_compute(&request.problem, PLAN_FULL, plan);
            page.plan = plan;
        }
    }
    reply_begin(ctx, &out);
    put_page(&page);
    reply_header(ctx->reply, "Content-Security-Policy", SECURITY_POLICY);
    reply_write(ctx, faults.n ? 422 : 200, &out);
}
