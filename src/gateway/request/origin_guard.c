/* Checks Host and Origin of a request. Called by exchange_request.c, health_endpoints.c and
 * src/gateway/admin/guard.c. */
#include "gateway/request/origin_guard.h"

#include "base/str.h"
#include "codec/url.h"

bool rc_host_split(rc_str value, rc_str *ret_host)
{
    size_t end = value.len > 0 && value.ptr[0] == '[' ? rc_str_find_byte(value, ']', 0) : 0;
    if (end == RC_STR_NPOS)
        return false;
    end = rc_str_find_byte(value, ':', end);
    *ret_host = rc_str_slice(value, 0, end);
    const rc_str port =
        end == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(value, end + 1, value.len);
    for (size_t i = 0; i < port.len; i++)
        if (!rc_ascii_is_digit(port.ptr[i]))
            return false;
    return ret_host->len > 0 && port.len <= 5 && (end == RC_STR_NPOS || port.len > 0);
}

bool rc_host_is_address(rc_str host)
{
    uint8_t ip[16];
    if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
        return rc_url_parse_ipv6(rc_str_slice(host, 1, host.len - 1), ip);
    return rc_url_parse_ipv4(host, ip);
}

bool rc_host_is_local(rc_str host)
{
    static const rc_str names[] = {RC_STR_INIT("localhost"), RC_STR_INIT("127.0.0.1"),
                                   RC_STR_INIT("[::1]")};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (rc_str_eq_nocase(host, names[i]))
            return true;
    return false;
}

/* ---- web pages ---- */

/* Whether only browsers send the header. */
static bool is_browser_header(rc_str name, rc_str value)
{
    const rc_str fetch = RC_STR("sec-fetch-");
    switch (name.len) {
    case 6:
        return rc_http1_is_name(name, RC_STR("origin"));
    case 10:
        return rc_http1_is_name(name, RC_STR("user-agent")) &&
               rc_str_starts_with_nocase(value, RC_STR("Mozilla/"));
    default:
        return name.len > fetch.len && (name.ptr[0] | 0x20) == 's' &&
               rc_http1_is_same(name.ptr, fetch.ptr, fetch.len);
    }
}

static bool is_from_browser(const rc_http1 *reader, const char *head)
{
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (is_browser_header(rc_http1_name(reader, head, i), rc_http1_value(reader, head, i)))
            return true;
    return false;
}

/* Whether the web page is from another machine. Pages that this machine serves are trusted in the
 * same way as its programs. */
static bool is_other_origin(rc_str origin)
{
    static const rc_str scheme = RC_STR_INIT("http://");
    rc_str host;
    return !rc_str_starts_with(origin, scheme) ||
           !rc_host_split(rc_str_slice(origin, scheme.len, origin.len), &host) ||
           !rc_host_is_local(host);
}

static bool is_own_name(const rc_http1 *reader, const char *head, rc_str listen)
{
    rc_str host;
    rc_str own;
    if (!rc_host_split(rc_http1_host(reader, head), &host))
        return false;
    return rc_host_is_local(host) || rc_host_is_address(host) ||
           (rc_host_split(listen, &own) && rc_str_eq_nocase(host, own));
}

rc_origin_verdict rc_origin_guard_check(const rc_http1 *reader, const char *head, rc_str listen)
{
    if (!is_from_browser(reader, head))
        return RC_ORIGIN_ALLOWED;
    const rc_str origin = rc_http1_find(reader, head, RC_STR("origin"));
    if (rc_str_eq(rc_http1_find(reader, head, RC_STR("sec-fetch-site")), RC_STR("cross-site")) ||
        (origin.len > 0 && is_other_origin(origin)))
        return RC_ORIGIN_CROSS_SITE;
    return is_own_name(reader, head, listen) ? RC_ORIGIN_ALLOWED : RC_ORIGIN_REBOUND;
}
