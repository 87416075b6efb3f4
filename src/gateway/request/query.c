/* Finds query parameters of a request and removes credentials from the query. Called by
 * client_request.c, outbound.c and src/gateway/admin/route.c. */
#include "gateway/request/query.h"

#include "base/buf_add.h"
#include "base/str.h"
#include "gateway/request/model.h"

typedef struct parameter {
    rc_str whole;
    rc_str name;
    rc_str value;
} parameter;

/* Reads the next parameter and moves *rest behind it. Returns false at the end of the query. */
static bool next(rc_str *rest, parameter *ret)
{
    if (rest->len == 0)
        return false;
    size_t end = rc_str_find_byte(*rest, '&', 0);
    ret->whole = rc_str_slice(*rest, 0, end);
    size_t equals = rc_str_find_byte(ret->whole, '=', 0);
    ret->name = rc_str_slice(ret->whole, 0, equals);
    ret->value = rc_str_make(NULL, 0);
    if (equals != RC_STR_NPOS)
        ret->value = rc_str_slice(ret->whole, equals + 1, ret->whole.len);
    *rest = rc_str_slice(*rest, end == RC_STR_NPOS ? rest->len : end + 1, rest->len);
    return true;
}

/* Whether a parameter name as written in the query means `name`. The escapes of the name are
 * decoded first, because the provider reads "%6bey" as "key". */
static bool is_name(rc_str written, rc_str name)
{
    char memory[16];
    rc_buf buf;
    if (rc_str_find_byte(written, '%', 0) == RC_STR_NPOS)
        return rc_str_eq_nocase(written, name);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    return rc_percent_decode(written, &buf) && rc_buf_status(&buf) == RC_OK &&
           rc_str_eq_nocase(rc_buf_get(&buf), name);
}

static bool is_credential(rc_str written)
{
    return is_name(written, RC_STR("key")) || is_name(written, RC_STR("api_key")) ||
           is_name(written, RC_STR("api-key")) || is_name(written, RC_STR("access_token"));
}

bool rc_query_find(rc_str query, rc_str name, rc_str *ret_value)
{
    parameter found;
    while (next(&query, &found)) {
        if (!is_name(found.name, name))
            continue;
        *ret_value = found.value;
        return true;
    }
    return false;
}

void rc_query_push(rc_buf *buf, rc_str query)
{
    parameter found;
    char before = '?';
    while (next(&query, &found)) {
        if (is_credential(found.name))
            continue;
        rc_buf_add_byte(buf, before);
        rc_buf_add(buf, found.whole);
        before = '&';
    }
}
