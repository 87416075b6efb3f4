/* Readable facts of certificates. Called by tls.c and the doctor's probe. */
#include "net/tls/facts.h"

#include <arpa/inet.h>
#include <string.h>
#include <time.h>

#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "codec/datetime.h"

/* Appends text to the string in `buf`, as far as it fits. */
static void append(char *buf, size_t size, const char *text, size_t len)
{
    size_t at = strlen(buf);
    for (size_t i = 0; i < len && at + 1 < size; i++)
        buf[at++] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    buf[at] = '\0';
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

/* Reads the attribute `first` of a name. If the name lacks it, reads the attribute `second`. */
static void read_name(const X509_NAME *name, int first, int second, char *buf, size_t size)
{
    char text[128];
    int len = X509_NAME_get_text_by_NID((X509_NAME *)(uintptr_t)name, first, text, sizeof text);
    if (len <= 0)
        len = X509_NAME_get_text_by_NID((X509_NAME *)(uintptr_t)name, second, text, sizeof text);
    if (len > 0)
        append(buf, size, text, strnlen(text, sizeof text));
}

static void append_host(char *buf, size_t size, const char *text, size_t len)
{
    /* A truncated host name would be misleading, so a name that does not fit is left out. */
    if (strlen(buf) + len + 3 > size)
        return;
    if (buf[0] != '\0')
        append(buf, size, ", ", 2);
    append(buf, size, text, len);
}

static void append_general(char *buf, size_t size, const GENERAL_NAME *name)
{
    char address[INET6_ADDRSTRLEN];
    int type = 0;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
    if (type != GEN_DNS && type != GEN_IPADD)
        return;
    const unsigned char *bytes = ASN1_STRING_get0_data(value);
    const size_t len = (size_t)ASN1_STRING_length(value);
    if (type == GEN_DNS)
        append_host(buf, size, (const char *)bytes, len);
    else if ((len == 4 || len == 16) &&
             inet_ntop(len == 4 ? AF_INET : AF_INET6, bytes, address, sizeof address) != NULL)
        append_host(buf, size, address, strlen(address));
}

static void read_hosts(const X509 *certificate, rc_tls_facts *facts)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++)
        append_general(facts->names, sizeof facts->names, sk_GENERAL_NAME_value(names, i));
    GENERAL_NAMES_free(names);
}

void rc_tls_facts_of(const X509 *certificate, rc_tls_facts *ret_facts)
{
    *ret_facts = (rc_tls_facts){
        .from_unix_ms = unix_ms_of(X509_get0_notBefore(certificate)),
        .until_unix_ms = unix_ms_of(X509_get0_notAfter(certificate)),
    };
    read_name(X509_get_subject_name(certificate), NID_commonName, NID_organizationName,
              ret_facts->subject, sizeof ret_facts->subject);
    read_name(X509_get_issuer_name(certificate), NID_organizationName, NID_commonName,
              ret_facts->issuer, sizeof ret_facts->issuer);
    read_hosts(certificate, ret_facts);
}

bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts)
{
    const X509 *certificate = SSL_get0_peer_certificate(ssl);
    if (certificate == NULL)
        return false;
    rc_tls_facts_of(certificate, ret_facts);
    const char *version = SSL_get_version(ssl);
    append(ret_facts->version, sizeof ret_facts->version, version, strlen(version));
    return true;
}
