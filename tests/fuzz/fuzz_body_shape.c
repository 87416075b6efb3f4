/* Any bytes, split anywhere into two pieces: the kind is the same as in one piece and as found by
 * a second, slower reader, and no word exceeds its buffer. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "dialect/body_shape.h"

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

static rc_body_kind look(rc_str text)
{
    size_t at = 0;
    while (at < text.len && is_front((unsigned char)text.ptr[at]))
        at++;
    text = rc_str_slice(text, at, text.len);
    if (text.len == 0)
        return RC_BODY_UNDECIDED;
    if (text.ptr[0] == '{')
        return RC_BODY_OBJECT;
    if (text.ptr[0] == '[')
        return RC_BODY_ARRAY;
    if (text.ptr[0] == ':' || is_field(text, RC_STR("data")) || is_field(text, RC_STR("event")) ||
        is_field(text, RC_STR("id")) || is_field(text, RC_STR("retry")))
        return RC_BODY_EVENTS;
    return may_become(text, RC_STR("data")) || may_become(text, RC_STR("event")) ||
                   may_become(text, RC_STR("id")) || may_become(text, RC_STR("retry"))
               ? RC_BODY_UNDECIDED
               : RC_BODY_OTHER;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_str text = rc_str_make((const char *)data, size);
    const rc_body_kind kind = rc_body_kind_of(text);
    check(kind == look(text));
    for (size_t cut = 0; cut <= size && cut <= 64; cut++) {
        rc_body_shape shape = {.kind = RC_BODY_UNDECIDED};
        const rc_body_kind before = rc_body_shape_step(&shape, rc_str_slice(text, 0, cut));
        check(before == RC_BODY_UNDECIDED || before == kind);
        check(shape.prefix_len <= RC_BODY_PREFIX_MAX);
        check(rc_body_shape_step(&shape, rc_str_slice(text, cut, size)) == kind);
    }
    return 0;
}
