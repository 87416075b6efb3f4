/* Checks the addresses of providers, of the gateway and of the admin server. Called by load.c, the
 * section readers and litellm/account.c. */
#include "base/str.h"
#include "codec/origin.h"
#include "config/reader.h"

#define VARIABLE_MAX 200u

static bool is_loopback(rc_str host)
{
    if (rc_str_eq_nocase(host, RC_STR("localhost")) || rc_str_eq(host, RC_STR("[::1]")))
        return true;
    /* An address in 127.0.0.0/8 consists of digits and dots. 127.example.com is a host name that
     * may belong to anyone. */
    if (!rc_str_starts_with(host, RC_STR("127.")))
        return false;
    for (size_t i = 0; i < host.len; i++)
        if (!rc_ascii_is_digit(host.ptr[i]) && host.ptr[i] != '.')
            return false;
    return true;
}

static bool is_port(rc_str text)
{
    uint32_t port = 0;
    if (text.len == 0 || text.len > 5)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return false;
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    return port <= 65535;
}

/* Splits "host", "host:port" or "[::1]:port". *ret_port is empty if there is no port. Returns false
 * if nothing follows the colon or the bracket is not closed. */
static bool split_host(rc_str authority, rc_str *ret_host, rc_str *ret_port)
{
    size_t end = 0;
    if (authority.len > 0 && authority.ptr[0] == '[') {
        end = rc_str_find_byte(authority, ']', 0);
        if (end == RC_STR_NPOS)
            return false;
        end++;
    } else {
        end = rc_str_find_byte(authority, ':', 0);
        if (end == RC_STR_NPOS)
            end = authority.len;
    }
    *ret_host = rc_str_slice(authority, 0, end);
    *ret_port = rc_str_slice(authority, end + 1, authority.len);
    return end == authority.len || (authority.ptr[end] == ':' && ret_port->len > 0);
}

static bool has_odd_byte(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] >= 0x7F)
            return true;
    return false;
}

const char *rc_config_url_check(rc_str url, bool is_insecure)
{
    rc_origin origin;
    if (has_odd_byte(url))
        return "an address has no spaces and no letters beyond ASCII";
    /* An equals sign, as in "/key=x", shows a query whose question mark is missing. */
    if (rc_str_find_byte(url, '=', 0) != RC_STR_NPOS)
        return rc_url_fault_text(RC_URL_FAULT_QUERY);
    /* A host name that leads to a private address is detected when the gateway resolves the
     * name. */
    const char *wrong = rc_origin_parse(url, (rc_origin_options){.insecure = true}, &origin);
    if (wrong == NULL && !origin.is_https && !origin.is_loopback && !is_insecure)
        return "plain http:// to another machine sends keys unencrypted; use https://, or set "
               "insecure: true";
    return wrong;
}

bool rc_config_is_variable(rc_str text)
{
    static const rc_str prefix = RC_STR_INIT("env:");
    if (!rc_str_starts_with(text, prefix) || text.len == prefix.len || text.len > VARIABLE_MAX)
        return false;
    for (size_t i = prefix.len; i < text.len; i++)
        if (!rc_ascii_is_alnum(text.ptr[i]) && text.ptr[i] != '_')
            return false;
    return true;
}

const char *rc_config_listen_check(rc_str listen)
{
    rc_str host;
    rc_str port;
    if (has_odd_byte(listen) || !split_host(listen, &host, &port) || !is_port(port))
        return "an address and a port are expected, as in 127.0.0.1:8787 or [::1]:8787";
    return NULL;
}

bool rc_config_listen_is_same(rc_str a, rc_str b)
{
    return rc_str_eq_nocase(a, b) && !rc_str_ends_with(a, RC_STR(":0"));
}

const char *rc_config_admin_check(rc_str listen, bool has_token)
{
    rc_str host;
    rc_str port;
    if (has_odd_byte(listen) || !split_host(listen, &host, &port) || !is_port(port))
        return "an address and a port are expected, as in 127.0.0.1:8789, or off";
    if (!has_token && !is_loopback(host))
        return "other machines can reach this address, and admin.token is missing; add token: "
               "env:NAME or file:PATH, or listen at 127.0.0.1";
    return NULL;
}
