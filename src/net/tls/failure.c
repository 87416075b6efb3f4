/* Maps OpenSSL errors to upstream failure kinds. Called by tls.c. */
#include "net/tls/failure.h"

#include <stddef.h>

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

typedef struct kind_of_code {
    long code;
    rc_upstream_kind kind;
} kind_of_code;

static const kind_of_code verdicts[] = {
    {X509_V_ERR_CERT_HAS_EXPIRED, RC_UPSTREAM_TLS_EXPIRED},
    {X509_V_ERR_CERT_NOT_YET_VALID, RC_UPSTREAM_TLS_NOT_YET_VALID},
    {X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, RC_UPSTREAM_TLS_SELF_SIGNED},
    {X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, RC_UPSTREAM_TLS_UNTRUSTED},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, RC_UPSTREAM_TLS_UNTRUSTED},
    {X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, RC_UPSTREAM_TLS_UNTRUSTED},
    {X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, RC_UPSTREAM_TLS_UNTRUSTED},
    {X509_V_ERR_CERT_UNTRUSTED, RC_UPSTREAM_TLS_UNTRUSTED},
    {X509_V_ERR_HOSTNAME_MISMATCH, RC_UPSTREAM_TLS_WRONG_HOST},
    {X509_V_ERR_IP_ADDRESS_MISMATCH, RC_UPSTREAM_TLS_WRONG_HOST},
    {X509_V_ERR_CERT_REVOKED, RC_UPSTREAM_TLS_REVOKED},
};

static const kind_of_code reasons[] = {
    {SSL_R_UNSUPPORTED_PROTOCOL, RC_UPSTREAM_TLS_VERSION},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, RC_UPSTREAM_TLS_VERSION},
    {SSL_R_WRONG_SSL_VERSION, RC_UPSTREAM_TLS_VERSION},
    {SSL_R_VERSION_TOO_LOW, RC_UPSTREAM_TLS_VERSION},
    {SSL_R_WRONG_VERSION_NUMBER, RC_UPSTREAM_TLS_NOT_SPOKEN},
    {SSL_R_HTTP_REQUEST, RC_UPSTREAM_TLS_NOT_SPOKEN},
    {SSL_R_PACKET_LENGTH_TOO_LONG, RC_UPSTREAM_TLS_NOT_SPOKEN},
    {SSL_R_RECORD_LENGTH_MISMATCH, RC_UPSTREAM_TLS_NOT_SPOKEN},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE, RC_UPSTREAM_TLS_REFUSED},
    {SSL_R_TLSV1_UNRECOGNIZED_NAME, RC_UPSTREAM_TLS_REFUSED},
    {SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY, RC_UPSTREAM_TLS_REFUSED},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, RC_UPSTREAM_TLS_CLIENT_CERTIFICATE},
    {SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, RC_UPSTREAM_TLS_REFUSED},
    {SSL_R_NO_PROTOCOLS_AVAILABLE, RC_UPSTREAM_TLS_VERSION},
};

static rc_upstream_kind find(const kind_of_code *rows, size_t count, long code)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].code == code)
            return rows[i].kind;
    return RC_UPSTREAM_NONE;
}

/* Returns whether the server requires a client certificate. Before TLS 1.3, such a server rejects
 * the handshake without a reason. */
static bool is_client_certificate_required(SSL *ssl)
{
    const unsigned char *types = NULL;
    return SSL_get0_certificate_types(ssl, &types) > 0;
}

rc_upstream_kind rc_tls_failure_kind(SSL *ssl, const char **ret_text)
{
    unsigned long error = ERR_peek_last_error();
    int reason = ERR_GET_REASON(error);
    const char *text = ERR_reason_error_string(error);
    if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        long verdict = SSL_get_verify_result(ssl);
        rc_upstream_kind kind = find(verdicts, sizeof(verdicts) / sizeof(verdicts[0]), verdict);
        *ret_text = X509_verify_cert_error_string(verdict);
        return kind == RC_UPSTREAM_NONE ? RC_UPSTREAM_TLS_CERTIFICATE : kind;
    }
    if (text != NULL)
        *ret_text = text;
    rc_upstream_kind kind = find(reasons, sizeof(reasons) / sizeof(reasons[0]), reason);
    if (kind == RC_UPSTREAM_TLS_REFUSED && is_client_certificate_required(ssl))
        return RC_UPSTREAM_TLS_CLIENT_CERTIFICATE;
    if (kind != RC_UPSTREAM_NONE)
        return kind;
    return reason > SSL_AD_REASON_OFFSET ? RC_UPSTREAM_TLS_ALERT : RC_UPSTREAM_TLS_BROKEN;
}
