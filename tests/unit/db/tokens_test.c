/* Tokens of a store: made, shown once, checked, expired, revoked, kept as a hash alone. */
#include "tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "compiler.h"
#include "scratch.h"
#include "sql.h"

struct place {
    struct scratch scratch;
    char path[SCRATCH_PATH_MAX];
    struct store *store;
};

static int open_place(void **state)
{
    static struct place place;
    char error[STORE_ERROR_MAX];
    place.scratch = scratch_new();
    scratch_path(&place.scratch, "tokens.db", place.path);
    *state = &place;
    return store_open(place.path, &place.store, error) ? 0 : -1;
}

static int close_place(void **state)
{
    const struct place *place = *state;
    store_close(place->store);
    scratch_remove(&place->scratch);
    return 0;
}

static struct token add(struct store *store, const char *name, unsigned scopes, int64_t expires_s,
                        char ret_text[TOKEN_TEXT_MAX])
{
    char error[STORE_ERROR_MAX] = "";
    struct token wanted = {.scopes = scopes, .expires_s = expires_s};
    struct token made;
    snprintf(wanted.name, sizeof(wanted.name), "%s", name);
    if (!token_add(store, &wanted, ret_text, &made, error)) {
        fail_msg("%s: %s", name, error);
    }
    return made;
}

static void a_token_is_random_and_good_for_its_scopes(void **state)
{
    const struct place *place = *state;
    char one[TOKEN_TEXT_MAX];
    char other[TOKEN_TEXT_MAX];
    struct token found;
    struct token made = add(place->store, "bench", TOKEN_CONTRIBUTE | TOKEN_READ, 0, one);
    (void)add(place->store, "other", TOKEN_READ, 0, other);
    assert_int_equal(strlen(one), 4 + 64);
    assert_int_equal(strncmp(one, "rgm_", 4), 0);
    assert_int_equal(strspn(one + 4, "0123456789abcdef"), 64);
    assert_string_not_equal(one, other);
    assert_int_equal(token_check(place->store, one, &found), TOKEN_GOOD);
    assert_string_equal(found.name, "bench");
    assert_string_equal(found.id, made.id);
    assert_int_equal(found.scopes, TOKEN_CONTRIBUTE | TOKEN_READ);
    assert_int_equal(token_check(place->store, other, &found), TOKEN_GOOD);
    assert_int_equal(found.scopes, TOKEN_READ);
}

/* What is near a token is none. */
static void what_is_no_token_is_unknown(void **state)
{
    const struct place *place = *state;
    char text[TOKEN_TEXT_MAX];
    char wrong[TOKEN_TEXT_MAX + 8];
    struct token found;
    (void)add(place->store, "near", TOKEN_READ, 0, text);
    memcpy(wrong, text, sizeof(text));
    wrong[40] = wrong[40] == 'a' ? 'b' : 'a';
    assert_int_equal(token_check(place->store, wrong, &found), TOKEN_UNKNOWN);
    snprintf(wrong, sizeof(wrong), "%s0", text);
    assert_int_equal(token_check(place->store, wrong, &found), TOKEN_UNKNOWN);
    assert_int_equal(token_check(place->store, "", &found), TOKEN_UNKNOWN);
    assert_int_equal(token_check(place->store, "rgm_", &found), TOKEN_UNKNOWN);
    assert_int_equal(token_check(place->store, "' OR 1=1 --", &found), TOKEN_UNKNOWN);
}

static void it_ends_when_it_expires_or_is_revoked(void **state)
{
    const struct place *place = *state;
    char text[TOKEN_TEXT_MAX];
    char error[STORE_ERROR_MAX];
    struct token found;
    (void)add(place->store, "old", TOKEN_READ, (int64_t)time(NULL) - 1, text);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_EXPIRED);
    struct token made = add(place->store, "short", TOKEN_READ, (int64_t)time(NULL) + 60, text);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_GOOD);
    assert_true(token_revoke(place->store, made.id, error));
    assert_int_equal(token_check(place->store, text, &found), TOKEN_REVOKED);
    assert_false(token_revoke(place->store, "short", error));
    assert_non_null(strstr(error, "no token in use"));
    /* its name may be used again, and the old text stays what it is */
    char again[TOKEN_TEXT_MAX];
    (void)add(place->store, "short", TOKEN_ADMIN, 0, again);
    assert_int_equal(token_check(place->store, again, &found), TOKEN_GOOD);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_REVOKED);
    assert_true(token_revoke(place->store, "short", error));
    assert_int_equal(token_check(place->store, again, &found), TOKEN_REVOKED);
}

static const struct {
    const char *name;
    unsigned scopes;
    const char *says;
} REFUSED[] = {
    {"", TOKEN_READ, "is no name"},
    {"two words", TOKEN_READ, "is no name"},
    {"line\nend", TOKEN_READ, "is no name"},
    {"plain", 0, "has no scope"},
    {"taken", TOKEN_READ, "is the name of a token in use"},
};

static void wrong_wishes_are_refused(void **state)
{
    const struct place *place = *state;
    char text[TOKEN_TEXT_MAX];
    (void)add(place->store, "taken", TOKEN_READ, 0, text);
    for (size_t i = 0; i < ARRAY_LEN(REFUSED); i++) {
        char error[STORE_ERROR_MAX] = "";
        struct token wanted = {.scopes = REFUSED[i].scopes};
        struct token made;
        snprintf(wanted.name, sizeof(wanted.name), "%s", REFUSED[i].name);
        assert_false(token_add(place->store, &wanted, text, &made, error));
        if (!strstr(error, REFUSED[i].says)) {
            fail_msg("'%s': %s", REFUSED[i].name, error);
        }
    }
}

/* Another process that has the file open: what one does holds for the other at once. */
static void it_holds_at_once_for_every_process(void **state)
{
    const struct place *place = *state;
    struct store *other = NULL;
    char text[TOKEN_TEXT_MAX];
    char error[STORE_ERROR_MAX];
    struct token found;
    assert_true(store_open(place->path, &other, error));
    (void)add(other, "far", TOKEN_READ, 0, text);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_GOOD);
    assert_true(token_revoke(other, "far", error));
    assert_int_equal(token_check(place->store, text, &found), TOKEN_REVOKED);
    store_close(other);
}

static void count_names(void *ctx, const struct token *token)
{
    int *n = ctx;
    *n += strcmp(token->name, "seen") == 0;
    if (strcmp(token->name, "seen") == 0) {
        assert_true(token->last_used_s > 0);
    }
}

/* The file has no byte of the token's text; its use is noted once. */
static void the_file_holds_no_token(void **state)
{
    const struct place *place = *state;
    char text[TOKEN_TEXT_MAX];
    struct token found;
    int n = 0;
    (void)add(place->store, "seen", TOKEN_READ, 0, text);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_GOOD);
    assert_int_equal(found.last_used_s, 0);
    assert_int_equal(token_check(place->store, text, &found), TOKEN_GOOD);
    assert_true(found.last_used_s > 0);
    assert_true(tokens_each(place->store, count_names, &n));
    assert_int_equal(n, 1);
    char where[200];
    snprintf(where, sizeof(where),
             "SELECT count(*) FROM tokens WHERE instr(hex(hash), upper('%.20s')) OR "
             "instr(id || name || scopes, '%.20s')",
             text + 4, text + 4);
    struct sqlite3_stmt *row = store_read(place->store, where);
    assert_non_null(row);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(row, 0), 0);
    store_done(row);
}

static const struct {
    const char *text;
    unsigned scopes;
} SCOPES[] = {
    {"read", TOKEN_READ},
    {"contribute", TOKEN_CONTRIBUTE},
    {"admin", TOKEN_ADMIN},
    {"read,contribute", TOKEN_READ | TOKEN_CONTRIBUTE},
    {"contribute, read", TOKEN_READ | TOKEN_CONTRIBUTE},
    {"read contribute admin", TOKEN_READ | TOKEN_CONTRIBUTE | TOKEN_ADMIN},
    {"", 0},
    {"write", 0},
    {"read,writ", 0},
    {"rea", 0},
};

static void scopes_are_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(SCOPES); i++) {
        char text[TOKEN_SCOPES_MAX];
        assert_int_equal(token_scopes_parse(SCOPES[i].text), SCOPES[i].scopes);
        token_scopes_text(SCOPES[i].scopes, text);
        assert_int_equal(token_scopes_parse(text), SCOPES[i].scopes);
    }
}

static void embedded_records_take_none(void **state)
{
    struct store *store = NULL;
    struct token wanted = {.name = "x", .scopes = TOKEN_READ};
    struct token made;
    char text[TOKEN_TEXT_MAX] = "rgm_";
    char error[STORE_ERROR_MAX];
    (void)state;
    assert_true(store_open(NULL, &store, error));
    assert_false(token_add(store, &wanted, text, &made, error));
    assert_non_null(strstr(error, "--db"));
    memset(text + 4, 'a', 64);
    text[68] = '\0';
    assert_int_equal(token_check(store, text, &made), TOKEN_UNKNOWN);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_random_and_good_for_its_scopes),
        cmocka_unit_test(what_is_no_token_is_unknown),
        cmocka_unit_test(it_ends_when_it_expires_or_is_revoked),
        cmocka_unit_test(wrong_wishes_are_refused),
        cmocka_unit_test(it_holds_at_once_for_every_process),
        cmocka_unit_test(the_file_holds_no_token),
        cmocka_unit_test(scopes_are_words),
        cmocka_unit_test(embedded_records_take_none),
    };
    return cmocka_run_group_tests(tests, open_place, close_place);
}
