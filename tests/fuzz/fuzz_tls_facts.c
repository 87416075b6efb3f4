/* Any bytes as a certificate: the description of it is printable, limited, and one line. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/x509.h>

#include "net/client/failure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_text(const char *text, size_t size)
{
    const size_t len = strnlen(text, size);
    check(len < size);
    for (size_t i = 0; i < len; i++)
        check(text[i] >= ' ' && text[i] <= '~');
}

static void check_detail(const rc_tls_facts *facts)
{
    const rc_origin origin = {.host = "x.test", .host_len = 6, .port = 443};
    char room[RC_UPSTREAM_DETAIL_BYTES];
    rc_buf detail;
    rc_buf_init_fixed(&detail, room, sizeof room);
    rc_upstream_push_detail(&detail, &origin, "certificate verify failed", facts);
    check(rc_buf_status(&detail) == RC_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned char *at = data;
    rc_tls_facts facts;
    X509 *certificate = d2i_X509(NULL, &at, (long)size);
    if (certificate != NULL) {
        rc_tls_facts_of(certificate, &facts);
        check(facts.version[0] == '\0');
        check_text(facts.names, sizeof facts.names);
        check_text(facts.subject, sizeof facts.subject);
        check_text(facts.issuer, sizeof facts.issuer);
        check_detail(&facts);
    }
    X509_free(certificate);
    ERR_clear_error();
    return 0;
}
