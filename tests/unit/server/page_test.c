#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "app.h"
#include "json_out.h"
#include "store.h"

#define PAGE_MAX_BYTES 40000

struct world {
    struct store *store;
    struct app *app;
    struct arena *arena;
};

static int setup(void **state)
{
    static struct world world;
    struct app_options options = {0};
    char error[STORE_ERROR_MAX] = "";

    if (!store_open(NULL, &world.store, error)) {
        print_error("%s\n", error);
        return -1;
    }
    options.store = world.store;
    world.app = app_new(&options);
    world.arena = arena_new((size_t)64 << 20);
    *state = &world;
    return world.app && world.arena ? 0 : -1;
}

static int teardown(void **state)
{
    struct world *world = *state;

    arena_free(world->arena);
    app_free(world->app);
    store_close(world->store);
    return 0;
}

/* GET of a path and decoded arguments "name=value"; NULL ends. */
static struct reply get(struct world *world, const char *path, const char *accept,
                        const char *const *pairs)
{
    static struct argument arguments[ARGUMENTS_MAX];
    struct request request = {
        .method = METHOD_GET, .raw_path = path, .accept = accept, .peer = "test"};
    struct reply reply;

    memset(&reply, 0, sizeof(reply));
    arena_reset(world->arena);
    for (; *pairs; pairs++) {
        const char *equals = strchr(*pairs, '=');
        arguments[request.n_arguments++] = (struct argument){
            arena_copy(world->arena, *pairs, (size_t)(equals - *pairs)), equals + 1};
    }
    request.arguments = arguments;
    if (strcmp(path, "/plain") == 0) {
        request.segments[0] = "plain";
        request.n_segments = 1;
    }
    if (strcmp(path, "/v1/plan") == 0) {
        request.segments[0] = "v1";
        request.segments[1] = "plan";
        request.n_segments = 2;
    }
    request.arena = world->arena;
    app_handle(world->app, &request, &reply);
    return reply;
}

static struct reply get_page(struct world *world, const char *const *pairs)
{
    return get(world, "/plain", "text/html,application/xhtml+xml,*/*;q=0.8", pairs);
}

static int count(const char *text, const char *word)
{
    int n = 0;

    while ((text = strstr(text, word)) != NULL) {
        n++;
        text += strlen(word);
    }
    return n;
}

static const char *body_of(struct world *world, const struct reply *reply)
{
    return arena_copy(world->arena, reply->body, reply->body_length);
}

static void the_first_visit_shows_the_form_and_examples(void **state)
{
    struct world *world = *state;
    struct reply reply = get_page(world, (const char *const[]){NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.content_type, "text/html; charset=utf-8");
    assert_true(reply.body_length < PAGE_MAX_BYTES);
    assert_non_null(strstr(body, "<option value=\"llama-3.1-8b\">"));
    assert_non_null(strstr(body, "<option value=\"h100-sxm\">"));
    assert_non_null(strstr(body, "href=\"/?model=llama-3.1-8b&amp;hardware=h100-sxm\""));
    assert_null(strstr(body, "role=\"alert\""));
}

static void a_page_is_complete_in_itself(void **state)
{
    struct world *world = *state;
    struct reply reply =
        get_page(world, (const char *const[]){"model=llama-3.1-8b", "hardware=h100-sxm", NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 200);
    assert_true(reply.body_length < PAGE_MAX_BYTES);
    assert_null(strstr(body, "http://"));
    assert_null(strstr(body, "https://"));
    assert_null(strstr(body, "<script"));
    assert_null(strstr(body, "src="));
    /* every control has its label, every table its column heads */
    assert_int_equal(count(body, "<label for="), count(body, "<input ") + count(body, "<select "));
    assert_int_equal(count(body, "<table>"), count(body, "<thead>"));
    assert_int_equal(count(body, "<div"), count(body, "</div>"));
    assert_int_equal(count(body, "<tr>"), count(body, "</tr>"));
    assert_int_equal(count(body, "<td"), count(body, "</td>"));
    assert_non_null(strstr(body, "prefers-color-scheme:dark"));
    assert_non_null(strstr(body, "name=\"viewport\""));
}

static void a_plan_says_its_verdict_classes_and_cures(void **state)
{
    struct world *world = *state;
    struct reply reply =
        get_page(world, (const char *const[]){"model=llama-3.1-8b", "hardware=h100-sxm",
                                              "tp=", "concurrency=1", NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(body, "<code>weight_bandwidth</code>"));
    assert_non_null(strstr(body, "<code>dense_gemm</code>"));
    assert_non_null(strstr(body, "What would help"));
    assert_non_null(strstr(body, "value=\"llama-3.1-8b\" autocomplete"));
    assert_non_null(strstr(
        body,
        "/v1/plan?model=llama-3.1-8b&amp;hardware=h100-sxm&amp;concurrency=1&amp;format=json"));
}

static void faults_stand_beside_their_fields(void **state)
{
    struct world *world = *state;
    struct reply reply =
        get_page(world, (const char *const[]){"model=lama-3.1-8b", "hardware=h100-sxm", "tp=x",
                                              "tpp=1", NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 422);
    assert_non_null(strstr(body, "role=\"alert\""));
    assert_non_null(strstr(body, "aria-invalid=\"true\" aria-describedby=\"e-model\""));
    assert_non_null(
        strstr(body, "id=\"e-tp\">expected a whole number from 1 to 1024, got &quot;x&quot;"));
    assert_non_null(strstr(body, "perhaps <code>llama-3.1-8b</code>"));
    assert_non_null(strstr(body, "<code>tpp</code>"));
}

static void what_was_sent_is_shown_as_text(void **state)
{
    struct world *world = *state;
    struct reply reply =
        get_page(world, (const char *const[]){"model=\"><script>alert('1')</script>&",
                                              "hardware=h100-sxm", "<b>=1", NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 422);
    assert_null(strstr(body, "<script"));
    assert_null(strstr(body, "<b>"));
    assert_non_null(
        strstr(body, "value=\"&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;\""));
}

static void links_keep_names_of_any_shape(void **state)
{
    struct world *world = *state;
    struct reply reply =
        get_page(world, (const char *const[]){"model=meta-llama/Llama-3.1-8B-Instruct",
                                              "hardware=NVIDIA H100 80GB HBM3", NULL});
    const char *body = body_of(world, &reply);

    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(
        body,
        "model=meta-llama%2FLlama-3.1-8B-Instruct&amp;hardware=NVIDIA%20H100%2080GB%20HBM3&amp;"));
}

/* The route of plans, without a socket --------------------------------------------------------- */

static struct reply post(struct world *world, const char *body, const char *const *pairs)
{
    static struct argument arguments[8];
    struct request request = {.method = METHOD_POST,
                              .raw_path = "/v1/plan",
                              .n_segments = 2,
                              .content_type = "application/json",
                              .peer = "test"};
    struct reply reply;

    memset(&reply, 0, sizeof(reply));
    arena_reset(world->arena);
    request.segments[0] = "v1";
    request.segments[1] = "plan";
    request.arena = world->arena;
    request.body_length = strlen(body);
    request.body = arena_copy(world->arena, body, request.body_length);
    for (; *pairs; pairs++) {
        const char *equals = strchr(*pairs, '=');
        arguments[request.n_arguments++] = (struct argument){
            arena_copy(world->arena, *pairs, (size_t)(equals - *pairs)), equals + 1};
    }
    request.arguments = arguments;
    app_handle(world->app, &request, &reply);
    return reply;
}

static void a_body_and_a_query_give_the_same_plan(void **state)
{
    struct world *world = *state;
    struct reply posted = post(
        world,
        "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"workload\":{\"concurrency\":8}}",
        (const char *const[]){NULL});
    assert_int_equal(posted.status, 200);
    char *first = strdup(body_of(world, &posted));
    struct reply asked = get(
        world, "/v1/plan", NULL,
        (const char *const[]){"model=llama-3.1-8b", "hardware=h100-sxm", "concurrency=8", NULL});
    assert_int_equal(asked.status, 200);
    assert_string_equal(body_of(world, &asked), first);
    free(first);
}

static void views_and_formats_are_chosen_by_the_query(void **state)
{
    static const char BODY[] = "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\"}";
    struct world *world = *state;
    struct reply reply = post(world, BODY, (const char *const[]){"view=summary", NULL});

    assert_int_equal(reply.status, 200);
    assert_memory_equal(reply.body, "{\"regime\":{\"id\":", 16);
    reply = post(world, BODY, (const char *const[]){"format=text", NULL});
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.content_type, "text/plain; charset=utf-8");
    assert_memory_equal(reply.body, "llama-3.1-8b on 1 x h100-sxm", 28);
    reply = post(world, BODY, (const char *const[]){"view=sumary", "tp=2", NULL});
    assert_int_equal(reply.status, 422);
    const char *body = body_of(world, &reply);
    assert_non_null(strstr(body, "\"pointer\":\"?view\""));
    assert_non_null(strstr(body, "\"pointer\":\"?tp\""));
}

/* No shape of body does harm: each is refused or planned. */
static void hostile_bodies_get_an_answer(void **state)
{
    struct world *world = *state;
    struct json_out body;
    const char *const nothing[] = {NULL};

    struct arena *arena = arena_new(8 << 20);
    json_out_init(&body, arena, 1024, 4 << 20);
    for (int i = 0; i < 1000; i++)
        out_text(&body, "[");
    out_bytes(&body, "", 1);
    assert_int_equal(post(world, body.text, nothing).status, 400);

    json_out_init(&body, arena, 1024, 4 << 20);
    out_text(&body, "{\"model\":\"llama-3.1-8b\",\"hardware\":\"h100-sxm\",\"deployment\":"
                    "{\"logit_processors\":[\"x\"");
    for (int i = 0; i < 20000; i++)
        out_text(&body, ",\"x\"");
    out_text(&body, "]}}");
    out_bytes(&body, "", 1);
    assert_int_equal(post(world, body.text, nothing).status, 422);

    json_out_init(&body, arena, 1024, 4 << 20);
    out_text(&body, "{\"model\":\"");
    for (int i = 0; i < 100000; i++)
        out_text(&body, "a");
    out_text(&body, "\",\"hardware\":\"\xf0\x9f\x90\x8d\"}");
    out_bytes(&body, "", 1);
    assert_int_equal(post(world, body.text, nothing).status, 422);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_visit_shows_the_form_and_examples),
        cmocka_unit_test(a_page_is_complete_in_itself),
        cmocka_unit_test(a_plan_says_its_verdict_classes_and_cures),
        cmocka_unit_test(faults_stand_beside_their_fields),
        cmocka_unit_test(what_was_sent_is_shown_as_text),
        cmocka_unit_test(links_keep_names_of_any_shape),
        cmocka_unit_test(a_body_and_a_query_give_the_same_plan),
        cmocka_unit_test(views_and_formats_are_chosen_by_the_query),
        cmocka_unit_test(hostile_bodies_get_an_answer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
