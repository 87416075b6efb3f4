/* Reads Content-Encoding. Called by src/gateway/exchange/attempt_response.c and
 * src/client/client_call.c. */
#include "http/coding.h"

#include "base/str.h"

/* Returns the coding with this name. "none" and "utf-8" are not codings, but some servers send them
 * for an uncompressed body. */
static rc_coding coding_named(rc_str name)
{
    if (name.len == 0 || rc_str_eq_nocase(name, RC_STR("identity")) ||
        rc_str_eq_nocase(name, RC_STR("none")) || rc_str_eq_nocase(name, RC_STR("utf-8")))
        return RC_CODING_NONE;
    if (rc_str_eq_nocase(name, RC_STR("gzip")) || rc_str_eq_nocase(name, RC_STR("x-gzip")))
        return RC_CODING_GZIP;
    return rc_str_eq_nocase(name, RC_STR("deflate")) ? RC_CODING_DEFLATE : RC_CODING_OTHER;
}

/* Adds the codings in `list` to `coding` and returns the result. Two codings give RC_CODING_OTHER,
 * because the body is compressed twice. */
static rc_coding add(rc_coding coding, rc_str list)
{
    for (size_t at = 0; at < list.len;) {
        size_t end = rc_str_find_byte(list, ',', at);
        end = end == RC_STR_NPOS ? list.len : end;
        const rc_coding next = coding_named(rc_str_trim(rc_str_slice(list, at, end)));
        if (next != RC_CODING_NONE)
            coding = coding == RC_CODING_NONE ? next : RC_CODING_OTHER;
        at = end + 1;
    }
    return coding;
}

rc_coding rc_coding_of(const rc_http1 *reader, const char *head)
{
    rc_coding coding = RC_CODING_NONE;
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (rc_http1_is_name(rc_http1_name(reader, head, i), RC_STR("content-encoding")))
            coding = add(coding, rc_http1_value(reader, head, i));
    return coding;
}
