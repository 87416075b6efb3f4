/* The table of the kinds of failure, and the detail text of a failure. Called by call.c, the
 * gateway's attempts, src/client and the doctor's probe. */
#include "net/client/failure.h"

#include "base/str.h"
#include "codec/datetime.h"

static const struct {
    rc_connection_fault connection;
    rc_transport transport;
    bool is_local;
    const char *text;
} kinds[] = {
#define ROW(ID, is_local, text) {RC_CONNECTION_NONE, RC_TRANSPORT_NONE, is_local, text},
    RC_UPSTREAM_KINDS(ROW)
#undef ROW
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    {RC_CONNECTION_##ID, RC_TRANSPORT_##TRANSPORT, false, text},
#include "spec/connection.def"
};

const char *rc_upstream_kind_text(rc_upstream_kind kind)
{
    return kinds[kind].text;
}

rc_connection_fault rc_upstream_kind_connection(rc_upstream_kind kind)
{
    return kinds[kind].connection;
}

rc_transport rc_upstream_kind_transport(rc_upstream_kind kind)
{
    return kinds[kind].transport;
}

bool rc_upstream_kind_is_local(rc_upstream_kind kind)
{
    return kinds[kind].is_local;
}

/* ---- the detail text ---- */

static void push_named(rc_buf *buf, const char *label, const char *value)
{
    if (value[0] == '\0')
        return;
    rc_buf_push(buf, rc_str_c(label));
    rc_buf_push(buf, rc_str_c(value));
}

static void push_day(rc_buf *buf, const char *label, int64_t unix_ms)
{
    char scratch[40];
    rc_buf text;
    if (unix_ms == 0)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_rfc3339_push(&text, unix_ms);
    rc_buf_push(buf, rc_str_c(label));
    rc_buf_push(buf, rc_buf_get(&text));
}

void rc_upstream_push_detail(rc_buf *buf, const rc_origin *origin, const char *text,
                             const rc_tls_facts *certificate)
{
    const rc_str host = rc_str_make(origin->host, origin->host_len);
    const bool is_v6 = rc_str_find_byte(host, ':', 0) != RC_STR_NPOS;
    rc_buf_push(buf, is_v6 ? RC_STR("[") : RC_STR(""));
    rc_buf_push(buf, host);
    rc_buf_push(buf, is_v6 ? RC_STR("]:") : RC_STR(":"));
    rc_buf_push_u64(buf, origin->port);
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push(buf, rc_str_c(text));
    if (certificate == NULL)
        return;
    push_named(buf, "; the certificate is for ", certificate->names);
    push_named(buf, "; its subject is ", certificate->subject);
    push_named(buf, "; its issuer is ", certificate->issuer);
    push_day(buf, "; it is valid from ", certificate->from_unix_ms);
    push_day(buf, "; it is valid until ", certificate->until_unix_ms);
}
