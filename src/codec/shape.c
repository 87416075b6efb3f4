#include "codec/shape.h"

#include "base/str.h"

static const rc_str fields[] = {
    RC_STR_INIT("data"),
    RC_STR_INIT("event"),
    RC_STR_INIT("id"),
    RC_STR_INIT("retry"),
};

/* A byte order mark is three bytes that nothing else begins with. */
static bool is_blank(char c)
{
    return rc_ascii_is_space(c) || c == '\xef' || c == '\xbb' || c == '\xbf';
}

static bool begins_field(rc_str word)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (rc_str_starts_with(fields[i], word))
            return true;
    return false;
}

static bool is_field(rc_str word)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (rc_str_eq(fields[i], word))
            return true;
    return false;
}

static rc_shape_kind first_kind(char c)
{
    switch (c) {
    case '{':
        return RC_SHAPE_OBJECT;
    case '[':
        return RC_SHAPE_ARRAY;
    case ':':
        return RC_SHAPE_EVENTS;
    default:
        return RC_SHAPE_OPEN;
    }
}

/* A field goes up to its colon, or has none and is a line. */
static rc_shape_kind word_kind(rc_shape *shape, char c)
{
    const rc_str word = rc_str_make(shape->word, shape->word_len);
    if (c == ':' || c == '\r' || c == '\n')
        return is_field(word) ? RC_SHAPE_EVENTS : RC_SHAPE_OTHER;
    if (shape->word_len == RC_SHAPE_WORD_MAX)
        return RC_SHAPE_OTHER;
    shape->word[shape->word_len++] = c;
    return begins_field(rc_str_make(shape->word, shape->word_len)) ? RC_SHAPE_OPEN : RC_SHAPE_OTHER;
}

rc_shape_kind rc_shape_step(rc_shape *shape, rc_str piece)
{
    for (size_t i = 0; i < piece.len && shape->kind == RC_SHAPE_OPEN; i++) {
        const char c = piece.ptr[i];
        if (shape->word_len == 0 && is_blank(c))
            continue;
        if (shape->word_len == 0)
            shape->kind = first_kind(c);
        if (shape->kind == RC_SHAPE_OPEN)
            shape->kind = word_kind(shape, c);
    }
    return shape->kind;
}

rc_shape_kind rc_shape_of(rc_str body)
{
    rc_shape shape = {.kind = RC_SHAPE_OPEN};
    return rc_shape_step(&shape, body);
}

rc_str rc_shape_text(rc_str body)
{
    size_t from = 0;
    while (from < body.len && is_blank(body.ptr[from]))
        from++;
    return rc_str_slice(body, from, body.len);
}
