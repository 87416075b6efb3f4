/* The access checks of the admin interface. Called by core.c, paths.c and web.c. */
#include "base/str.h"
#include "codec/url.h"
#include "gateway/admin/core.h"
#include "gateway/request/credential_header.h"
#include "gateway/request/origin_guard.h"

static void refuse(const rc_admin_request *request, rc_admin_reply *reply, rc_code code, int status,
                   const char *message, rc_user_action action, const char *next)
{
    const rc_admin_problem problem = {code, status, rc_str_c(message), action, rc_str_c(next)};
    rc_admin_reply_problem(request->core, reply, &problem);
}

bool rc_admin_request_header(const rc_admin_request *request, rc_str name, rc_str *ret_value)
{
    const rc_http1 *reader = request->reader;
    bool is_found = false;
    *ret_value = rc_str_make(NULL, 0);
    for (uint32_t i = 0; i < reader->field_count; i++) {
        if (!rc_http1_is_name(rc_http1_name(reader, request->head, i), name))
            continue;
        if (is_found)
            return false;
        is_found = true;
        *ret_value = rc_http1_value(reader, request->head, i);
    }
    return true;
}

/* ---- check 1: the peer's address ---- */

static bool is_loopback(rc_str peer)
{
    uint8_t ip[16];
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    static const uint8_t one[16] = {[15] = 1};
    if (rc_url_parse_ipv4(peer, ip))
        return ip[0] == 127;
    if (!rc_url_parse_ipv6(peer, ip))
        return false;
    return memcmp(ip, one, sizeof(one)) == 0 ||
           (memcmp(ip, mapped, sizeof(mapped)) == 0 && ip[12] == 127);
}

/* ---- check 2: the Host header ---- */

/* Whether the server listens at all addresses of the machine. Such a server accepts every IP
 * address as Host if a token is set. */
static bool listens_everywhere(rc_str host)
{
    return host.len == 0 || rc_str_eq(host, RC_STR("0.0.0.0")) || rc_str_eq(host, RC_STR("[::]"));
}

static bool is_own_host(const rc_admin_core *core, rc_str host)
{
    const rc_str own = rc_str_make(core->host, core->host_len);
    if (rc_host_is_local(host))
        return true;
    if (listens_everywhere(own))
        return core->token_len > 0 && rc_host_is_address(host);
    return rc_str_eq_nocase(host, own);
}

bool rc_admin_check_caller(const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_str host;
    /* On a Unix socket the permissions of its file decide who can connect. */
    if (request->peer.len == 0)
        return true;
    if (request->core->token_len == 0 && !is_loopback(request->peer)) {
        refuse(
            request, reply, RC_CODE_PERMISSION_DENIED, 403,
            "Without a token, only this machine can use the admin interface.",
            RC_ACTION_CHECK_CONFIG,
            "Set admin.token in the configuration, and send the token as Authorization: Bearer.");
        return false;
    }
    if (rc_host_split(rc_http1_host(request->reader, request->head), &host) &&
        is_own_host(request->core, host))
        return true;
    refuse(request, reply, RC_CODE_SHAPE_INVALID, 421,
           "The Host header names another host than the admin interface.", RC_ACTION_FIX_REQUEST,
           "Use localhost, 127.0.0.1, [::1] or the host of admin.listen.");
    return false;
}

/* ---- check 3: the token ---- */

bool rc_admin_check_token(const rc_admin_request *request, rc_admin_reply *reply)
{
    const rc_admin_core *core = request->core;
    rc_str value;
    if (core->token_len == 0)
        return true;
    if (rc_admin_request_header(request, RC_STR("authorization"), &value) &&
        rc_secret_eq(rc_bearer_token(value),
                     rc_secret_make(rc_str_make(core->token, core->token_len))))
        return true;
    reply->field_count = 0;
    rc_admin_reply_field(reply, "WWW-Authenticate", RC_STR("Bearer realm=\"recourse\""));
    refuse(request, reply, RC_CODE_AUTH_FAILED, 401, "The admin token is missing or wrong.",
           RC_ACTION_CHECK_CREDENTIALS,
           "Send the token of admin.token as Authorization: Bearer TOKEN.");
    return false;
}

/* ---- check 5: pages of other sites ---- */

/* Whether the origin is "http://HOST" or "https://HOST", where HOST is the request's Host
 * header. */
static bool is_own_origin(const rc_admin_request *request, rc_str origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    const rc_str host = rc_http1_host(request->reader, request->head);
    if (host.len == 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const rc_str scheme = rc_str_c(schemes[i]);
        if (rc_str_starts_with(origin, scheme) &&
            rc_str_eq_nocase(rc_str_slice(origin, scheme.len, origin.len), host))
            return true;
    }
    return false;
}

static bool is_same_site(const rc_admin_request *request)
{
    rc_str site;
    rc_str origin;
    if (!rc_admin_request_header(request, RC_STR("sec-fetch-site"), &site) ||
        !rc_admin_request_header(request, RC_STR("origin"), &origin))
        return false;
    /* "same-site" is rejected, because it includes servers on other ports of this machine. */
    if (site.len > 0 && !rc_str_eq(site, RC_STR("same-origin")) && !rc_str_eq(site, RC_STR("none")))
        return false;
    return origin.len == 0 || is_own_origin(request, origin);
}

static bool is_json(rc_str type)
{
    const rc_str name = rc_str_trim(rc_str_slice(type, 0, rc_str_find_byte(type, ';', 0)));
    return rc_str_eq_nocase(name, RC_STR("application/json"));
}

bool rc_admin_check_site(const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_str type;
    rc_str admin_header;
    if (request->route->access == RC_ADMIN_OPEN)
        return true;
    /* Requests that only read are checked, too. A page of another site cannot read the responses,
     * but it could send many requests. */
    if (!is_same_site(request)) {
        refuse(request, reply, RC_CODE_PERMISSION_DENIED, 403,
               "The request comes from a web page of another site.", RC_ACTION_FIX_REQUEST,
               "Use the dashboard, the recourse command or curl.");
        return false;
    }
    if (request->route->access != RC_ADMIN_CHANGE)
        return true;
    const bool is_read =
        rc_admin_request_header(request, RC_STR("content-type"), &type) &&
        rc_admin_request_header(request, RC_STR("x-recourse-admin"), &admin_header);
    if (is_read && (is_json(type) || rc_str_eq(admin_header, RC_STR("1"))))
        return true;
    refuse(request, reply, RC_CODE_SHAPE_INVALID, 415,
           "A request that changes something must have a header that HTML forms cannot send.",
           RC_ACTION_FIX_REQUEST,
           "Add the header Content-Type: application/json, or x-recourse-admin: 1.");
    return false;
}
