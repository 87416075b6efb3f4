#include "net/tls_facts.h"

#include <string.h>
#include <time.h>

#include <openssl/x509.h>

#include "codec/datetime.h"

static void copy(char *room, size_t size, const char *text)
{
    const size_t len = strnlen(text, size - 1);
    memcpy(room, text, len);
    room[len] = '\0';
}

static int64_t unix_ms_of(const ASN1_TIME *time)
{
    struct tm tm;
    int64_t unix_ms = 0;
    if (time == NULL || ASN1_TIME_to_tm(time, &tm) != 1)
        return 0;
    const rc_civil civil = {
        .year = tm.tm_year + 1900,
        .month = tm.tm_mon + 1,
        .day = tm.tm_mday,
        .hour = tm.tm_hour,
        .minute = tm.tm_min,
        .second = tm.tm_sec,
    };
    return rc_civil_to_unix_ms(&civil, &unix_ms) == RC_OK ? unix_ms : 0;
}

/* The organization, or else the common name. */
static void read_issuer(const X509 *certificate, rc_tls_facts *facts)
{
    X509_NAME *name = X509_get_issuer_name(certificate);
    char text[sizeof facts->issuer];
    int len = X509_NAME_get_text_by_NID(name, NID_organizationName, text, sizeof text);
    if (len <= 0)
        len = X509_NAME_get_text_by_NID(name, NID_commonName, text, sizeof text);
    copy(facts->issuer, sizeof facts->issuer, len > 0 ? text : "");
}

bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts)
{
    const X509 *certificate = SSL_get0_peer_certificate(ssl);
    if (certificate == NULL)
        return false;
    *ret_facts = (rc_tls_facts){.until_unix_ms = unix_ms_of(X509_get0_notAfter(certificate))};
    copy(ret_facts->version, sizeof ret_facts->version, SSL_get_version(ssl));
    read_issuer(certificate, ret_facts);
    return true;
}
