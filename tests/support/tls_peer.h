/* Certificates that are created at run time, and TLS server contexts that use them. */
#ifndef TESTS_SUPPORT_TLS_PEER_H
#define TESTS_SUPPORT_TLS_PEER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <recourse/str.h>

typedef struct identity {
    EVP_PKEY *key;
    X509 *certificate;
} identity;

typedef struct identity_options {
    const char *name;
    const char *names;      /* subject alternative names, such as "DNS:localhost,IP:127.0.0.1" */
    const identity *issuer; /* issuer of the certificate; NULL: self-signed. */
    long from_s;            /* Start and end of the validity in seconds, relative to now. */
    long until_s;
    bool is_ca;
} identity_options;

static inline void identity_extend(X509 *certificate, X509 *issuer, int id, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, id, value);
    if (extension == NULL)
        abort();
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

static inline identity identity_make(identity_options of)
{
    static long serial = 1;
    identity made = {.key = EVP_EC_gen("P-256"), .certificate = X509_new()};
    X509 *issuer = of.issuer != NULL ? of.issuer->certificate : made.certificate;
    X509_NAME *name = X509_get_subject_name(made.certificate);
    X509_set_version(made.certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.certificate), serial++);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)of.name, -1, -1, 0);
    X509_set_issuer_name(made.certificate, X509_get_subject_name(issuer));
    X509_gmtime_adj(X509_getm_notBefore(made.certificate), of.from_s);
    X509_gmtime_adj(X509_getm_notAfter(made.certificate), of.until_s);
    X509_set_pubkey(made.certificate, made.key);
    identity_extend(made.certificate, issuer, NID_basic_constraints,
                    of.is_ca ? "critical,CA:TRUE" : "CA:FALSE");
    if (of.names != NULL)
        identity_extend(made.certificate, issuer, NID_subject_alt_name, of.names);
    if (X509_sign(made.certificate, of.issuer != NULL ? of.issuer->key : made.key, EVP_sha256()) ==
        0)
        abort();
    return made;
}

static inline void identity_free(identity *made)
{
    EVP_PKEY_free(made->key);
    X509_free(made->certificate);
}

/* Returns the certificate as PEM text in `buf`, which must be large enough. */
static inline rc_str identity_pem(const identity *made, char *buf, size_t size)
{
    BIO *bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, made->certificate);
    int len = BIO_read(bio, buf, (int)size);
    BIO_free(bio);
    if (len <= 0)
        abort();
    return rc_str_make(buf, (size_t)len);
}

/* Creates a TLS server context. max_version 0: the newest version. */
static inline SSL_CTX *tls_server_new(const identity *shown, int max_version)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    /* security level 0 allows the old versions */
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, max_version);
    SSL_CTX_use_certificate(context, shown->certificate);
    SSL_CTX_use_PrivateKey(context, shown->key);
    SSL_CTX_set_session_id_context(context, (const unsigned char *)"t", 1);
    return context;
}

#endif
