#include "certificate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#define DAY_S 86400
#define SERIAL_BYTES 8

static void write_whole(const char *path, const gnutls_datum_t *text)
{
    char fresh[300];

    snprintf(fresh, sizeof(fresh), "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
    fclose(file);
    assert_int_equal(rename(fresh, path), 0);
}

static void describe(gnutls_x509_crt_t cert, gnutls_x509_privkey_t key)
{
    static const unsigned char LOOPBACK[] = {127, 0, 0, 1};
    unsigned char serial[SERIAL_BYTES];
    time_t now = time(NULL);

    gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));
    serial[0] &= 0x7f;
    gnutls_x509_crt_set_version(cert, 3);
    gnutls_x509_crt_set_serial(cert, serial, sizeof(serial));
    gnutls_x509_crt_set_activation_time(cert, now - DAY_S);
    gnutls_x509_crt_set_expiration_time(cert, now + DAY_S);
    gnutls_x509_crt_set_dn(cert, "CN=regime test", NULL);
    gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_IPADDRESS, LOOPBACK, sizeof(LOOPBACK),
                                         GNUTLS_FSAN_SET);
    gnutls_x509_crt_set_basic_constraints(cert, 1, -1);
    gnutls_x509_crt_set_key(cert, key);
}

void certificate_write(const char *cert_path, const char *key_path)
{
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t cert;
    gnutls_datum_t cert_text, key_text;

    assert_int_equal(gnutls_x509_privkey_init(&key), 0);
    assert_int_equal(gnutls_x509_privkey_generate(
                         key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                     0);
    assert_int_equal(gnutls_x509_crt_init(&cert), 0);
    describe(cert, key);
    assert_int_equal(gnutls_x509_crt_sign2(cert, cert, key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(cert, GNUTLS_X509_FMT_PEM, &cert_text), 0);
    assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &key_text), 0);
    write_whole(key_path, &key_text);
    write_whole(cert_path, &cert_text);
    gnutls_free(cert_text.data);
    gnutls_free(key_text.data);
    gnutls_x509_crt_deinit(cert);
    gnutls_x509_privkey_deinit(key);
}
