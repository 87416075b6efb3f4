/* TLS connections on OpenSSL without sockets. Called by dial.c, link.c and upstream.c. */
#include "net/tls/tls.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "net/tls/failure.h"

struct rc_tls {
    SSL_CTX *context;
    BIO_METHOD *method;
};

/* The functions of the BIO (OpenSSL's I/O interface). The BIO reads wire->input, writes into the
 * loop's sink and buffers nothing itself. */
static int bio_read(BIO *bio, char *bytes, int size)
{
    rc_tls_wire *wire = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (wire->input.len == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t len = wire->input.len < (size_t)size ? wire->input.len : (size_t)size;
    memcpy(bytes, wire->input.ptr, len);
    wire->input = rc_str_make(wire->input.ptr + len, wire->input.len - len);
    return (int)len;
}

static int bio_write(BIO *bio, const char *bytes, int size)
{
    rc_tls_sink *sink = ((rc_tls_wire *)BIO_get_data(bio))->sink;
    BIO_clear_retry_flags(bio);
    if (size < 0 || (size_t)size > RC_TLS_SINK_BYTES - sink->len) {
        BIO_set_retry_write(bio);
        return -1;
    }
    memcpy(sink->bytes + sink->len, bytes, (size_t)size);
    sink->len += (size_t)size;
    return size;
}

static long bio_ctrl(BIO *bio, int command, long number, void *ptr)
{
    (void)bio;
    (void)number;
    (void)ptr;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO_METHOD *new_method(void)
{
    int type = BIO_get_new_index();
    BIO_METHOD *method = type < 0 ? NULL : BIO_meth_new(type | BIO_TYPE_SOURCE_SINK, "rc_tls");
    if (method == NULL)
        return NULL;
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_ctrl(method, bio_ctrl);
    return method;
}

/* Empties the thread's error queue, because OpenSSL would attribute an old error to the next call.
 * The queue is usually empty; ERR_peek_error detects this in a tenth of the time of
 * ERR_clear_error. */
static void clear_errors(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

/* Stores a session that arrived in a ticket. The next connection to this origin resumes the
 * session. */
static int on_session(SSL *ssl, SSL_SESSION *session)
{
    rc_tls_wire *wire = SSL_get_app_data(ssl);
    SSL_SESSION_free(*wire->session);
    *wire->session = session;
    return 1;
}

/* Records the facts of a rejected certificate for messages. Does not change the result of the
 * verification. */
static int on_verify(int is_good, X509_STORE_CTX *store)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    const rc_tls_wire *wire = ssl == NULL ? NULL : SSL_get_app_data(ssl);
    const X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    if (is_good != 1 && wire != NULL && wire->failure != NULL && certificate != NULL) {
        wire->failure->has_certificate = true;
        rc_tls_facts_of(certificate, &wire->failure->certificate);
    }
    return is_good;
}

static bool add_pem(SSL_CTX *context, rc_str pem)
{
    bool is_added = false;
    X509 *certificate = NULL;
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    if (bio == NULL)
        return false;
    while ((certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        is_added = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1;
        X509_free(certificate);
        if (!is_added)
            break;
    }
    BIO_free(bio);
    ERR_clear_error();
    return is_added;
}

static const char *set_trust(SSL_CTX *context, const rc_tls_settings *settings)
{
    if (!settings->is_without_system && SSL_CTX_set_default_verify_paths(context) != 1)
        return "the system's trusted certificates cannot be read";
    if (settings->ca_file != NULL && SSL_CTX_load_verify_file(context, settings->ca_file) != 1)
        return "the file of trusted certificates cannot be read";
    if (settings->ca_pem.len > 0 && !add_pem(context, settings->ca_pem))
        return "the trusted certificates cannot be read";
    return NULL;
}

static const char *set_rules(SSL_CTX *context)
{
    static const unsigned char protocols[] = "\x08http/1.1";
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, on_verify);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, on_session);
    if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols) - 1) != 0)
        return "TLS cannot be set up";
    return NULL;
}

rc_tls *rc_tls_new(const rc_tls_settings *settings, const char **ret_why)
{
    const char *why = "there is no memory for TLS";
    rc_tls *tls = calloc(1, sizeof(*tls));
    if (tls != NULL) {
        tls->context = SSL_CTX_new(TLS_client_method());
        tls->method = new_method();
        if (tls->context != NULL && tls->method != NULL)
            why = set_rules(tls->context);
        if (why == NULL)
            why = set_trust(tls->context, settings);
    }
    ERR_clear_error();
    if (why == NULL)
        return tls;
    rc_tls_free(tls);
    *ret_why = why;
    return NULL;
}

void rc_tls_free(rc_tls *tls)
{
    if (tls == NULL)
        return;
    SSL_CTX_free(tls->context);
    BIO_meth_free(tls->method);
    free(tls);
}

/* Sets the host for SNI and for the verification. SNI is sent only for a name. An IP address is
 * compared with the addresses in the certificate. */
static bool set_host(SSL *ssl, const rc_origin *origin)
{
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (origin->is_literal)
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), origin->host) == 1;
    return SSL_set_tlsext_host_name(ssl, origin->host) == 1 &&
           SSL_set1_host(ssl, origin->host) == 1;
}

bool rc_tls_wire_init(rc_tls_wire *wire, const rc_tls *tls, const rc_origin *origin,
                      rc_tls_sink *sink, SSL_SESSION **session)
{
    BIO *bio = BIO_new(tls->method);
    SSL *ssl = SSL_new(tls->context);
    if (bio == NULL || ssl == NULL || !set_host(ssl, origin)) {
        BIO_free(bio);
        SSL_free(ssl);
        ERR_clear_error();
        return false;
    }
    *wire = (rc_tls_wire){.ssl = ssl, .sink = sink, .session = session};
    BIO_set_data(bio, wire);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, wire);
    SSL_set_connect_state(ssl);
    if (*session != NULL)
        SSL_set_session(ssl, *session);
    return true;
}

void rc_tls_wire_done(rc_tls_wire *wire)
{
    if (wire->ssl == NULL)
        return;
    /* Without this call OpenSSL would discard the session of a connection that was cut, so that it
     * could not be resumed. */
    SSL_set_shutdown(wire->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(wire->ssl);
    wire->ssl = NULL;
}

rc_tls_event rc_tls_wire_handshake(rc_tls_wire *wire, rc_tls_failure *ret_failure)
{
    clear_errors();
    ret_failure->has_certificate = false;
    wire->failure = ret_failure;
    int result = SSL_do_handshake(wire->ssl);
    wire->failure = NULL;
    if (result == 1)
        return RC_TLS_DONE;
    if (SSL_get_error(wire->ssl, result) == SSL_ERROR_WANT_READ)
        return RC_TLS_MORE;
    ret_failure->text = NULL;
    ret_failure->kind = rc_tls_failure_kind(wire->ssl, &ret_failure->text);
    clear_errors();
    return RC_TLS_FAILED;
}

bool rc_tls_wire_was_resumed(const rc_tls_wire *wire)
{
    return SSL_session_reused(wire->ssl) == 1;
}

rc_tls_event rc_tls_wire_read(rc_tls_wire *wire, char *bytes, size_t size, size_t *ret_len,
                              rc_upstream_kind *ret_kind, const char **ret_text)
{
    /* Without input and buffered data SSL_read cannot return anything, so the call is skipped. */
    if (wire->input.len == 0 && SSL_has_pending(wire->ssl) == 0)
        return RC_TLS_MORE;
    clear_errors();
    int result = SSL_read_ex(wire->ssl, bytes, size, ret_len);
    if (result == 1)
        return RC_TLS_DONE;
    switch (SSL_get_error(wire->ssl, result)) {
    case SSL_ERROR_WANT_READ:
        return RC_TLS_MORE;
    case SSL_ERROR_ZERO_RETURN:
        return RC_TLS_CLOSED;
    default:
        *ret_kind = rc_tls_failure_kind(wire->ssl, ret_text);
        clear_errors();
        return RC_TLS_FAILED;
    }
}

size_t rc_tls_wire_write(rc_tls_wire *wire, rc_str bytes)
{
    size_t used = 0;
    clear_errors();
    size_t len = bytes.len < RC_TLS_PLAIN_BYTES ? bytes.len : RC_TLS_PLAIN_BYTES;
    if (SSL_write_ex(wire->ssl, bytes.ptr, len, &used) == 1)
        return used;
    clear_errors();
    return 0;
}

void rc_tls_wire_end(rc_tls_wire *wire)
{
    clear_errors();
    SSL_shutdown(wire->ssl);
    clear_errors();
}
