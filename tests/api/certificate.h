/*
 * certificate.h - certificates that sign themselves, for 127.0.0.1.
 */
#ifndef REGIME_CERTIFICATE_H
#define REGIME_CERTIFICATE_H

/* Writes one, and its key, to two files, each at once as a whole. */
void certificate_write(const char *cert_path, const char *key_path);

#endif
