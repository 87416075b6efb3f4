/* Finding words in a text as people write them: letter case and runs of white space do not
 * matter. */
#ifndef RC_CLASSIFY_TEXT_FIND_H
#define RC_CLASSIFY_TEXT_FIND_H

#include <recourse/str.h>

#include "base/str.h"

/* Where the words first stand, and the offset behind them; RC_STR_NPOS: nowhere. words: lower
 * case, one blank between two. ret_end: may be NULL. */
size_t rc_text_find(rc_str text, rc_str words, size_t *ret_end);

static inline bool rc_text_has(rc_str text, rc_str words)
{
    return rc_text_find(text, words, NULL) != RC_STR_NPOS;
}

#endif
