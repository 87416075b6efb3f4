/* Body shape: recognises the kind of a response body by the first bytes of the body. Called by
 * lib/exchange/response_shape.c and response_judge.c. */
#include "dialect/body_shape.h"

#include "base/str.h"

static const rc_str fields[] = {
    RC_STR_INIT("data"),
    RC_STR_INIT("event"),
    RC_STR_INIT("id"),
    RC_STR_INIT("retry"),
};

/* Returns whether the byte is white space or part of a byte order mark, which may precede a JSON
 * body or an event. */
static bool is_blank(char c)
{
    return rc_ascii_is_space(c) || c == '\xef' || c == '\xbb' || c == '\xbf';
}

static bool begins_field(rc_str prefix)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (rc_str_starts_with(fields[i], prefix))
            return true;
    return false;
}

static bool is_field(rc_str prefix)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (rc_str_eq(fields[i], prefix))
            return true;
    return false;
}

static rc_body_kind first_kind(char c)
{
    switch (c) {
    case '{':
        return RC_BODY_OBJECT;
    case '[':
        return RC_BODY_ARRAY;
    case ':':
        return RC_BODY_EVENTS;
    default:
        return RC_BODY_UNDECIDED;
    }
}

/* Adds one byte of a possible SSE field name, and returns the kind of the body, UNDECIDED if it is
 * not known yet. A field name ends at a colon or at the end of the line. */
static rc_body_kind prefix_kind(rc_body_shape *shape, char c)
{
    const rc_str prefix = rc_str_make(shape->prefix, shape->prefix_len);
    if (c == ':' || c == '\r' || c == '\n')
        return is_field(prefix) ? RC_BODY_EVENTS : RC_BODY_OTHER;
    if (shape->prefix_len == RC_BODY_PREFIX_MAX)
        return RC_BODY_OTHER;
    shape->prefix[shape->prefix_len++] = c;
    return begins_field(rc_str_make(shape->prefix, shape->prefix_len)) ? RC_BODY_UNDECIDED
                                                                       : RC_BODY_OTHER;
}

rc_body_kind rc_body_shape_step(rc_body_shape *shape, rc_str piece)
{
    for (size_t i = 0; i < piece.len && shape->kind == RC_BODY_UNDECIDED; i++) {
        const char c = piece.ptr[i];
        if (shape->prefix_len == 0 && is_blank(c))
            continue;
        if (shape->prefix_len == 0)
            shape->kind = first_kind(c);
        if (shape->kind == RC_BODY_UNDECIDED)
            shape->kind = prefix_kind(shape, c);
    }
    return shape->kind;
}

rc_body_kind rc_body_kind_of(rc_str body)
{
    rc_body_shape shape = {.kind = RC_BODY_UNDECIDED};
    return rc_body_shape_step(&shape, body);
}

rc_str rc_body_skip_blank(rc_str body)
{
    size_t from = 0;
    while (from < body.len && is_blank(body.ptr[from]))
        from++;
    return rc_str_slice(body, from, body.len);
}
