/* Constants of type rc_code_set, a bit set of error codes. The number of a code's bit is its row
 * number in spec/errors.def. */
#ifndef RC_POLICY_CODE_SET_H
#define RC_POLICY_CODE_SET_H

#include <recourse/policy.h>

enum {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    RC_CODE_INDEX_##ID,
#include "spec/errors.def"
    RC_CODE_INDEX_COUNT,
    RC_CODE_INDEX_NONE = 1 << 16 /* Result for a code that is not in the table; larger than any bit
                                    number. */
};

_Static_assert(RC_CODE_INDEX_COUNT <= sizeof(rc_code_set) * 8, "a set holds every code");

/* RC_CODE_SET(RATE_LIMITED, OVERLOADED) is the initializer of a set of one to eight codes;
 * RC_CODE_SET(NONE) is the empty set. */
#define RC_CODE_SET(...) RC_CODE_SET_OF(__VA_ARGS__, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
#define RC_CODE_SET_OF(A, B, C, D, E, F, G, H, ...)                                              \
    {                                                                                            \
        RC_CODE_SET_WORD(0, A, B, C, D, E, F, G, H), RC_CODE_SET_WORD(1, A, B, C, D, E, F, G, H) \
    }
#define RC_CODE_SET_WORD(word, A, B, C, D, E, F, G, H)                                           \
    (RC_CODE_BIT(word, A) | RC_CODE_BIT(word, B) | RC_CODE_BIT(word, C) | RC_CODE_BIT(word, D) | \
     RC_CODE_BIT(word, E) | RC_CODE_BIT(word, F) | RC_CODE_BIT(word, G) | RC_CODE_BIT(word, H))
#define RC_CODE_BIT(word, ID) \
    (RC_CODE_INDEX_##ID / 64 == (word) ? UINT64_C(1) << (RC_CODE_INDEX_##ID % 64) : 0)

/* Returns whether the set has a bit that belongs to no code. */
bool rc_code_set_has_unknown(const rc_code_set *set);

#endif
