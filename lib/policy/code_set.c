/* Sets of error codes, used by policies to name the failures that they retry. Called by policy.c,
 * check.c, call_decide.c and the configuration loader. */
#include "policy/code_set.h"

#include <recourse/taxonomy.h>

/* Returns the code's row number in the taxonomy; RC_CODE_INDEX_NONE if the table lacks it. */
static unsigned index_of(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    return info != NULL ? (unsigned)(info - rc_code_at(0)) : RC_CODE_INDEX_NONE;
}

void rc_code_set_add(rc_code_set *set, rc_code code)
{
    const unsigned index = index_of(code);
    if (index != RC_CODE_INDEX_NONE)
        set->bits[index / 64] |= UINT64_C(1) << (index % 64);
}

bool rc_code_set_has(const rc_code_set *set, rc_code code)
{
    const unsigned index = index_of(code);
    return index != RC_CODE_INDEX_NONE && (set->bits[index / 64] >> (index % 64) & 1) != 0;
}

bool rc_code_set_is_empty(const rc_code_set *set)
{
    return (set->bits[0] | set->bits[1]) == 0;
}

bool rc_code_set_has_unknown(const rc_code_set *set)
{
    for (unsigned index = RC_CODE_INDEX_COUNT; index < sizeof set->bits * 8; index++)
        if ((set->bits[index / 64] >> (index % 64) & 1) != 0)
            return true;
    return false;
}
