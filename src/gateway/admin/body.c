/* Parses the body of an admin request for an action. Called by paths.c. */
#include "base/str.h"
#include "gateway/admin/core.h"
#include "json/reader.h"

#define DEPTH_MAX 2
#define REASON_MAX 256
#define USD_PLACES 6
#define USD_MAX_MICRO UINT64_C(1000000000000)

/* Copies the operator's reason into the arena, without JSON escapes. */
static bool read_reason(const rc_admin_request *request, const rc_json_token *token,
                        rc_str *ret_text)
{
    char *scratch = rc_arena_get_unset(request->arena, REASON_MAX);
    rc_buf text;
    if (token->type != RC_JSON_STRING || scratch == NULL)
        return false;
    rc_buf_init_fixed(&text, scratch, REASON_MAX);
    if (rc_json_unescape(token->raw, &text) != RC_OK)
        return false;
    *ret_text = rc_buf_get(&text);
    return true;
}

/* Parses an exact amount in dollars, such as 5 or 0.25, without exponent or sign. */
static bool read_usd(const rc_json_token *token, uint64_t *ret_micro)
{
    uint64_t micro = 0;
    size_t places = 0;
    bool is_behind_point = false;
    if (token->type != RC_JSON_NUMBER)
        return false;
    for (size_t i = 0; i < token->raw.len; i++) {
        const char c = token->raw.ptr[i];
        if (c == '.' && !is_behind_point) {
            is_behind_point = true;
            continue;
        }
        if (!rc_ascii_is_digit(c) || places == USD_PLACES || micro > USD_MAX_MICRO)
            return false;
        places += is_behind_point ? 1 : 0;
        micro = micro * 10 + (uint64_t)(c - '0');
    }
    for (; places < USD_PLACES && micro <= USD_MAX_MICRO; places++)
        micro *= 10;
    *ret_micro = micro;
    return micro > 0 && micro <= USD_MAX_MICRO;
}

static bool read_member(const rc_admin_request *request, rc_json_reader *reader,
                        const rc_json_token *key, bool has_usd, rc_admin_body *body)
{
    const rc_json_token value = rc_json_reader_next(reader);
    if (rc_json_raw_eq(key->raw, key->has_escapes, RC_STR("reason")))
        return body->reason.ptr == NULL && read_reason(request, &value, &body->reason);
    if (has_usd && rc_json_raw_eq(key->raw, key->has_escapes, RC_STR("usd")))
        return body->usd_micro == 0 && read_usd(&value, &body->usd_micro);
    return false;
}

bool rc_admin_body_read(const rc_admin_request *request, bool has_usd, rc_admin_body *ret_body)
{
    const rc_json_limits limits = {RC_ADMIN_BODY_MAX, DEPTH_MAX, false};
    rc_json_reader reader;
    *ret_body = (rc_admin_body){.usd_micro = 0};
    if (rc_str_trim(request->body).len == 0)
        return !has_usd;
    rc_json_reader_init(&reader, request->body, &limits);
    if (rc_json_reader_next(&reader).type != RC_JSON_OBJECT_BEGIN)
        return false;
    rc_json_token key = rc_json_reader_next(&reader);
    for (; key.type == RC_JSON_KEY; key = rc_json_reader_next(&reader))
        if (!read_member(request, &reader, &key, has_usd, ret_body))
            return false;
    return key.type == RC_JSON_OBJECT_END && rc_json_reader_next(&reader).type == RC_JSON_END &&
           (!has_usd || ret_body->usd_micro > 0);
}
