/* Classes of bytes, and comparison with literals. Called by the finders of lib/scrub. */
#include "scrub/parts.h"

#include "base/str.h"

#define LOWER RC_SCRUB_LOWER
#define UPPER RC_SCRUB_UPPER
#define HEX RC_SCRUB_HEX

const uint16_t rc_scrub_classes[256] = {
    ['0' ... '9'] = RC_SCRUB_DIGIT | HEX,
    ['a' ... 'f'] = LOWER | HEX,
    ['g' ... 'z'] = LOWER,
    ['A' ... 'F'] = UPPER | HEX,
    ['G' ... 'Z'] = UPPER,
    ['-'] = RC_SCRUB_DASH,
    ['_'] = RC_SCRUB_DASH,
    ['+'] = RC_SCRUB_BASE64,
    ['/'] = RC_SCRUB_BASE64,
    ['='] = RC_SCRUB_BASE64,
    ['.'] = RC_SCRUB_DOT,
    ['~'] = RC_SCRUB_LOOSE,
    ['|'] = RC_SCRUB_LOOSE,
    ['%'] = RC_SCRUB_LOOSE,
    [':'] = RC_SCRUB_LOOSE,
};

bool rc_scrub_has(rc_str text, size_t at, rc_str literal)
{
    return literal.len <= text.len - at && memcmp(text.ptr + at, literal.ptr, literal.len) == 0;
}

bool rc_scrub_has_nocase(rc_str text, size_t at, rc_str literal)
{
    if (literal.len > text.len - at)
        return false;
    for (size_t i = 0; i < literal.len; i++) {
        if (rc_ascii_lower(text.ptr[at + i]) != rc_ascii_lower(literal.ptr[i]))
            return false;
    }
    return true;
}
