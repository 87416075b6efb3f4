#include "base/json_find.h"

static rc_json_member *member_of(rc_json_member *members, size_t count, const rc_json_token *key)
{
    for (size_t i = 0; i < count; i++) {
        if (rc_json_raw_eq(key->raw, key->has_escapes, members[i].key))
            return &members[i];
    }
    return NULL;
}

/* Reads the value behind the key of a wanted member. What was found before stays when the value is
 * damaged. */
static void read_member(rc_json_reader *reader, rc_json_member *member, size_t *missing)
{
    rc_json_token value = rc_json_reader_next(reader);
    size_t end = rc_json_reader_skip(reader);
    if (reader->fault.status != RC_OK)
        return;
    *missing -= !member->is_found;
    member->value = value;
    member->value_end = end;
    member->is_found = true;
}

rc_status rc_json_find(rc_str text, rc_json_member *members, size_t count, bool stop_early)
{
    for (size_t i = 0; i < count; i++)
        members[i].is_found = false;

    rc_json_limits limits = {.max_bytes = text.len, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    rc_json_token token = rc_json_reader_next(&reader);
    if (token.type == RC_JSON_ERROR)
        return reader.fault.status;
    if (token.type != RC_JSON_OBJECT_BEGIN)
        return RC_E_TYPE;

    size_t missing = count;
    for (;;) {
        if (stop_early && missing == 0)
            return RC_OK;
        token = rc_json_reader_next(&reader);
        if (token.type == RC_JSON_END)
            return RC_OK;
        if (token.type == RC_JSON_ERROR)
            return reader.fault.status;
        if (token.type != RC_JSON_KEY)
            continue; /* the object's end; the text's end or a fault comes next */
        rc_json_member *member = member_of(members, count, &token);
        if (member)
            read_member(&reader, member, &missing);
        else
            rc_json_reader_skip(&reader);
    }
}

rc_status rc_json_splice(rc_str text, size_t from, size_t to, rc_str replacement, rc_buf *buf)
{
    if (from > to || to > text.len)
        return RC_E_ARGUMENT;
    size_t kept = text.len - (to - from);
    if (replacement.len > SIZE_MAX - kept)
        return RC_E_TOO_LARGE;
    /* All of it or nothing. */
    if (rc_buf_reserve(buf, kept + replacement.len) != RC_OK)
        return rc_buf_status(buf);
    rc_buf_push(buf, rc_str_make(text.ptr, from));
    rc_buf_push(buf, replacement);
    return rc_buf_push(buf, rc_str_make(text.ptr ? text.ptr + to : NULL, text.len - to));
}
