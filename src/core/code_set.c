#include "core/code_set.h"

#include <recourse/taxonomy.h>

/* RC_CODE_PLACE_NONE for what is not in the table. */
static unsigned place_of(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    return info != NULL ? (unsigned)(info - rc_code_at(0)) : RC_CODE_PLACE_NONE;
}

void rc_code_set_add(rc_code_set *set, rc_code code)
{
    const unsigned place = place_of(code);
    if (place != RC_CODE_PLACE_NONE)
        set->bits[place / 64] |= UINT64_C(1) << (place % 64);
}

bool rc_code_set_has(const rc_code_set *set, rc_code code)
{
    const unsigned place = place_of(code);
    return place != RC_CODE_PLACE_NONE && (set->bits[place / 64] >> (place % 64) & 1) != 0;
}

bool rc_code_set_is_empty(const rc_code_set *set)
{
    return (set->bits[0] | set->bits[1]) == 0;
}

bool rc_code_set_is_alien(const rc_code_set *set)
{
    for (unsigned place = RC_CODE_PLACE_COUNT; place < sizeof set->bits * 8; place++)
        if ((set->bits[place / 64] >> (place % 64) & 1) != 0)
            return true;
    return false;
}
