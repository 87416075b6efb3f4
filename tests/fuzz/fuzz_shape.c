/* Any bytes, cut into two pieces anywhere: the same kind as in one, which a second, slower look at
 * the text agrees with, and never more of a word than there is room for. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "codec/shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static bool is_front(unsigned char c)
{
    return memchr(" \t\n\v\f\r\xef\xbb\xbf", c, 9) != NULL;
}

static bool is_field(rc_str text, rc_str name)
{
    return rc_str_starts_with(text, name) && text.len > name.len &&
           memchr(":\r\n", text.ptr[name.len], 3) != NULL;
}

static bool may_become(rc_str text, rc_str name)
{
    return rc_str_starts_with(name, text);
}

static rc_shape_kind look(rc_str text)
{
    size_t at = 0;
    while (at < text.len && is_front((unsigned char)text.ptr[at]))
        at++;
    text = rc_str_slice(text, at, text.len);
    if (text.len == 0)
        return RC_SHAPE_OPEN;
    if (text.ptr[0] == '{')
        return RC_SHAPE_OBJECT;
    if (text.ptr[0] == '[')
        return RC_SHAPE_ARRAY;
    if (text.ptr[0] == ':' || is_field(text, RC_STR("data")) || is_field(text, RC_STR("event")) ||
        is_field(text, RC_STR("id")) || is_field(text, RC_STR("retry")))
        return RC_SHAPE_EVENTS;
    return may_become(text, RC_STR("data")) || may_become(text, RC_STR("event")) ||
                   may_become(text, RC_STR("id")) || may_become(text, RC_STR("retry"))
               ? RC_SHAPE_OPEN
               : RC_SHAPE_OTHER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_str text = rc_str_make((const char *)data, size);
    const rc_shape_kind kind = rc_shape_of(text);
    check(kind == look(text));
    for (size_t cut = 0; cut <= size && cut <= 64; cut++) {
        rc_shape shape = {.kind = RC_SHAPE_OPEN};
        const rc_shape_kind before = rc_shape_step(&shape, rc_str_slice(text, 0, cut));
        check(before == RC_SHAPE_OPEN || before == kind);
        check(shape.word_len <= RC_SHAPE_WORD_MAX);
        check(rc_shape_step(&shape, rc_str_slice(text, cut, size)) == kind);
    }
    return 0;
}
