/* Finds the role of a JSON member by its name. Called by json.c and text.c. */
#include "classify/unwrap/member.h"

#include <string.h>

#include "base/str.h"

#define NAME_MAX_LEN 32u

/* Writes a name in lower case and without separators into `out` and returns its length; 0 if the
 * name is longer than all listed names. */
static size_t normalise(rc_str name, char out[NAME_MAX_LEN])
{
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '_' || c == '-' || c == ' ' || c == '$')
            continue;
        if (len == NAME_MAX_LEN)
            return 0;
        out[len++] = rc_ascii_lower(c);
    }
    return len;
}

/* The function is inlined by force, because the compiler does not inline it by itself into a chain
 * of a hundred comparisons. */
static inline __attribute__((always_inline)) bool is_same(rc_str a, rc_str b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, b.len) == 0;
}

rc_member_role rc_member_role_of(rc_str name)
{
    char key[NAME_MAX_LEN];
    size_t len = normalise(name, key);
    if (len < 3)
        return RC_MEMBER_OTHER;
    const rc_str word = {key, len};
#define RC_MEMBER(text, ROLE)        \
    if (is_same(word, RC_STR(text))) \
        return RC_MEMBER_##ROLE;
#include "spec/members.def"
    return RC_MEMBER_OTHER;
}
