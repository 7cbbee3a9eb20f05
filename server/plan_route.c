#include "plan_route.h"

#include <string.h>

#include "body.h"
#include "negotiate.h"
#include "plan_body.h"
#include "plan_json.h"
#include "plan_text.h"
#include "problem.h"

/* Arguments of the route itself; all others are leaves of the request. */
static const char *const OWN[] = {"view", "format", "ascii"};
static const char *const VIEWS[] = {"full", "summary"};

/* What the query says about the reply. */
struct wanted {
    bool summary, ascii;
};

/* The route's own arguments say one thing each; those of a plan are counted where they are read. */
static void refuse_repeats(const struct request *request, struct faults *faults)
{
    for (int i = 0; i < request->n_arguments; i++) {
        const char *name = request->arguments[i].name;
        bool own = strcmp(name, "view") == 0 || strcmp(name, "ascii") == 0;
        bool again = false;
        for (int j = 0; own && j < i; j++)
            again = again || strcmp(request->arguments[j].name, name) == 0;
        if (again)
            fault_add(faults, name[0] == 'v' ? "?view" : "?ascii", NULL, "given twice");
    }
}

/* The words that a field of a plan takes for true and false. */
static bool read_switch(const char *word, bool *ret_on)
{
    static const char *const WORDS[] = {"false", "0", "no", "off", "true", "1", "yes", "on"};

    for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
        if (strcmp(WORDS[i], word) == 0) {
            *ret_on = i >= ARRAY_LEN(WORDS) / 2;
            return true;
        }
    }
    return false;
}

static void read_wanted(const struct request *request, struct faults *faults,
                        struct wanted *ret_wanted)
{
    const char *view = request_argument(request, "view");
    const char *ascii = request_argument(request, "ascii");

    ret_wanted->summary = view && strcmp(view, "summary") == 0;
    ret_wanted->ascii = false;
    refuse_repeats(request, faults);
    if (ascii && ascii[0] && !read_switch(ascii, &ret_wanted->ascii))
        fault_add(faults, "?ascii", NULL, "expected true or false, got \"%s\"",
                  field_quote(request->arena, ascii));
    if (view && view[0] && !ret_wanted->summary && strcmp(view, "full") != 0)
        fault_add(faults, "?view", fault_nearest(view, VIEWS, (int)ARRAY_LEN(VIEWS)),
                  "expected full or summary");
}

void plan_handler(struct context *ctx)
{
    struct arena *arena = ctx->request->arena;
    struct plan_request request = {0};
    struct wanted wanted;
    struct faults faults;
    struct json_out out;

    faults_init(&faults, arena);
    read_wanted(ctx->request, &faults, &wanted);
    if (!plan_body_read(ctx, &faults, OWN, (int)ARRAY_LEN(OWN), &request))
        return;
    struct plan *plan = arena_alloc_raw(arena, sizeof(*plan));
    if (!plan) {
        problem_status(ctx, 413, "the request needs more memory than one request may use");
        return;
    }
    bool text = strcmp(ctx->format, MEDIA_TEXT) == 0;
    bool summary = wanted.summary && !text;
    struct plan_evidence evidence;
    plan_compute(&request.problem, summary ? PLAN_SUMMARY : PLAN_FULL, plan);
    plan_evidence_find(ctx, plan, summary, &evidence);
    reply_begin(ctx, &out);
    if (text)
        plan_text_write(&out, &request, plan, &evidence, wanted.ascii);
    else if (summary)
        plan_json_summary(&out, &request, plan);
    else
        plan_json_full(&out, &request, plan, &evidence);
    reply_write(ctx, 200, &out);
}
