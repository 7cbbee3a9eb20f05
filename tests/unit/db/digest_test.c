/* SHA-256 of the examples of FIPS 180-2, appendix B, and of the empty text. */
#include "digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler.h"

static const struct row {
    const char *text, *hex;
} ROWS[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void examples_of_the_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
        char hex[DIGEST_HEX_MAX];
        digest_text(ROWS[i].text, strlen(ROWS[i].text), hex);
        assert_string_equal(hex, ROWS[i].hex);
    }
}

/* One million times "a", in pieces that do not divide the block. */
static void a_million_letters(void **state)
{
    char piece[1000];
    char hex[DIGEST_HEX_MAX];
    struct digest digest;
    (void)state;
    memset(piece, 'a', sizeof(piece));
    digest_init(&digest);
    for (int i = 0; i < 1000; i++) {
        digest_add(&digest, piece, 333);
        digest_add(&digest, piece, 667);
    }
    digest_hex(&digest, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard),
        cmocka_unit_test(a_million_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
