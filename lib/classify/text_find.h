/* Text search that ignores letter case and treats a run of white space as one blank. */
#ifndef RC_CLASSIFY_TEXT_FIND_H
#define RC_CLASSIFY_TEXT_FIND_H

#include <recourse/str.h>

#include "base/str.h"

/* Returns the offset of the first match of the words, RC_STR_NPOS if the text does not contain the
 * words. `words` is in lower case with one blank between two words. text, words: borrows during the
 * call. *ret_end is the offset after the match; `ret_end` may be NULL. */
size_t rc_text_find(rc_str text, rc_str words, size_t *ret_end);

static inline bool rc_text_has(rc_str text, rc_str words)
{
    return rc_text_find(text, words, NULL) != RC_STR_NPOS;
}

#endif
