/* Recognises responses that come neither from a gateway nor from a provider. Called by `recourse
 * call`. */
#include "dialect/foreign.h"

#include "base/str.h"
#include "base/utf8.h"
#include "json/find.h"

const char *rc_foreign_text(rc_foreign kind)
{
    static const char *const texts[] = {
#define TEXT(ID, text) text,
        RC_FOREIGN_KINDS(TEXT)
#undef TEXT
    };
    return texts[kind];
}

static bool is_page(rc_str type)
{
    return rc_str_starts_with_nocase(type, RC_STR("text/html")) ||
           rc_str_starts_with_nocase(type, RC_STR("application/xhtml"));
}

/* Returns whether a proxy in front of a gateway may send this status. The result is false for 501
 * and 505, because a server that sends them does not support POST. */
static bool is_of_proxy(int status)
{
    switch (status) {
    case 401:
    case 403:
    case 407:
    case 408:
    case 413:
    case 429:
        return true;
    default:
        return status >= 500 && status != 501 && status != 505;
    }
}

static bool is_json(rc_str body)
{
    const rc_str text = rc_str_trim(rc_utf8_without_bom(body));
    return text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

/* Returns whether the body looks like a provider's error. For 404 and 405 the object must have a
 * member that only providers use, because web frameworks respond to an unknown path with
 * {"detail":"Not Found"}. For other statuses, the member "detail" describes an invalid request. */
static bool is_error_of_provider(int status, rc_str body)
{
    rc_json_member members[] = {
        {.key = RC_STR("error")}, {.key = RC_STR("message")}, {.key = RC_STR("object")}};
    if (!is_json(body))
        return false;
    if (status != 404 && status != 405)
        return true;
    const rc_status scanned =
        rc_json_find(rc_str_trim(rc_utf8_without_bom(body)), members, 3, false);
    return scanned == RC_E_TYPE || members[0].is_found || members[1].is_found ||
           members[2].is_found;
}

rc_foreign rc_foreign_of_error(int status, rc_str type, rc_str body)
{
    if (is_of_proxy(status) || is_error_of_provider(status, body))
        return RC_FOREIGN_NONE;
    if (status / 100 == 3)
        return RC_FOREIGN_REDIRECT;
    return is_page(type) ? RC_FOREIGN_PAGE : RC_FOREIGN_NO_ERROR;
}

rc_foreign rc_foreign_of_response(rc_str type)
{
    return is_page(type) ? RC_FOREIGN_PAGE : RC_FOREIGN_NO_RESPONSE;
}
