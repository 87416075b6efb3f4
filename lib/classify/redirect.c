/* Describes the target of a redirect in a report. Called by verdict_report.c. */
#include "classify/redirect.h"

#include "base/str.h"
#include "classify/echo.h"
#include "codec/url.h"
#include "report/message.h"

#define PATH_MAX_BYTES ((size_t)128)
#define TOKEN_MIN_BYTES ((size_t)16)
#define NOT_MODIFIED 304

#define ADVICE                                                                              \
    "Check base_url: it must be the address of the API itself. A redirect to a login page " \
    "comes from a proxy in between."

/* ---- target address ---- */

/* Returns the offset of the first byte of `text` that is one of `bytes`; the text's length if it
 * contains none of them. */
static size_t find_any(rc_str text, rc_str bytes)
{
    size_t at = 0;
    while (at < text.len && rc_str_find_byte(bytes, text.ptr[at], 0) == RC_STR_NPOS)
        at++;
    return at;
}

/* Appends scheme and authority without user name and password. Returns false if the host is not
 * valid. */
static bool push_authority(rc_buf *buf, rc_str scheme, rc_str authority)
{
    char scratch[RC_URL_HOST_MAX + 32];
    rc_buf text;
    rc_url url;
    for (size_t i = authority.len; i > 0; i--)
        if (authority.ptr[i - 1] == '@') {
            authority = rc_str_slice(authority, i, authority.len);
            break;
        }
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, scheme.len > 0 ? scheme : RC_STR("https:"));
    rc_buf_push(&text, RC_STR("//"));
    rc_buf_push(&text, authority);
    if (rc_buf_status(&text) != RC_OK || rc_url_parse(rc_buf_get(&text), &url) != RC_URL_FAULT_NONE)
        return false;
    rc_buf_push(buf, scheme);
    rc_buf_push(buf, RC_STR("//"));
    rc_buf_push(buf, authority);
    return true;
}

/* Returns whether a report may show this byte of a path. The bytes % and ; are not shown, because a
 * percent escape may hide a query, and a semicolon may begin a session id. */
static bool is_plain(char c)
{
    return rc_ascii_is_alnum(c) || rc_str_find_byte(RC_STR("-._~/:"), c, 0) != RC_STR_NPOS;
}

/* Returns the offset of a byte in the first run of letters and digits that may be an access token:
 * the run has a digit and at least TOKEN_MIN_BYTES bytes. Returns the path's length if no run may
 * be a token. */
static size_t find_token(rc_str path)
{
    size_t run = 0;
    bool has_digit = false;
    for (size_t i = 0; i < path.len; i++) {
        const bool is_in_run = rc_ascii_is_alnum(path.ptr[i]);
        run = is_in_run ? run + 1 : 0;
        has_digit = is_in_run && (has_digit || rc_ascii_is_digit(path.ptr[i]));
        if (run >= TOKEN_MIN_BYTES && has_digit)
            return i;
    }
    return path.len;
}

/* Appends the safe part of the path. The safe part ends before the first segment that contains an
 * @, which may follow a user name and password, or a token, which may grant access. */
static void push_path(rc_buf *buf, rc_str path)
{
    const size_t end = find_any(path, RC_STR("?#"));
    const size_t at = find_any(path, RC_STR("@?#"));
    const size_t token = find_token(rc_str_slice(path, 0, end));
    size_t limit = token < at ? token : at;
    size_t len = 0;
    while (limit < end && limit > 0 && path.ptr[limit - 1] != '/')
        limit--;
    while (len < limit && len < PATH_MAX_BYTES && is_plain(path.ptr[len]))
        len++;
    rc_buf_push(buf, rc_str_slice(path, 0, len));
    if (len < end)
        rc_buf_push(buf, RC_STR("…"));
}

bool rc_redirect_push(rc_buf *buf, rc_str location)
{
    static const rc_str SCHEMES[] = {RC_STR_INIT("https:"), RC_STR_INIT("http:")};
    rc_str scheme = {NULL, 0};
    location = rc_str_trim(location);
    for (size_t i = 0; i < 2 && scheme.len == 0; i++)
        if (rc_str_starts_with_nocase(location, SCHEMES[i]))
            scheme = SCHEMES[i];
    rc_str rest = rc_str_slice(location, scheme.len, location.len);
    if (!rc_str_starts_with(rest, RC_STR("/")))
        return false;
    if (rc_str_starts_with(rest, RC_STR("//"))) {
        const rc_str after_slashes = rc_str_slice(rest, 2, rest.len);
        const size_t end = find_any(after_slashes, RC_STR("/?#\\"));
        if (!push_authority(buf, scheme, rc_str_slice(after_slashes, 0, end)))
            return false;
        rest = rc_str_slice(after_slashes, end, after_slashes.len);
    } else if (scheme.len > 0) {
        return false;
    }
    push_path(buf, rest);
    return true;
}

/* ---- message and advice ---- */

static rc_str location_of(const rc_failure *failure)
{
    for (size_t i = 0; i < failure->header_count; i++)
        if (rc_str_eq_nocase(failure->headers[i].name, RC_STR("location")))
            return failure->headers[i].value;
    return rc_str_make(NULL, 0);
}

/* Sets a message such as "corp redirects to https://login.corp/sso instead of responding." */
void rc_redirect_describe(rc_builder *builder, const rc_failure *failure, const rc_verdict *verdict)
{
    char address[RC_REDIRECT_MAX];
    char memory[RC_ECHO_TEXT_MAX];
    char scratch[RC_REDIRECT_MAX + 1024];
    rc_buf to;
    rc_buf text;
    if (failure->status / 100 != 3 || failure->status == NOT_MODIFIED ||
        verdict->code != RC_CODE_ENDPOINT_NOT_FOUND)
        return;
    rc_buf_init_fixed(&to, address, sizeof address);
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (!rc_redirect_push(&to, location_of(failure)) || rc_buf_status(&to) != RC_OK)
        return;
    rc_message_push(&text, RC_STR("The provider redirects to "),
                    failure->provider_label.len > 0 ? failure->provider_label : verdict->provider,
                    RC_STR(""));
    rc_buf_push(&text, rc_echo_clean(rc_buf_get(&to), failure->request, failure->model, memory));
    rc_buf_push(&text, RC_STR(" instead of responding."));
    if (rc_buf_status(&text) != RC_OK)
        return;
    rc_builder_set_message(builder, rc_buf_get(&text));
    rc_builder_set_action(builder, RC_ACTION_CHECK_CONFIG, RC_STR(ADVICE));
}
