/* Search for lower-case words in a text. Called by unwrap/text.c and some provider extractors. */
#include "classify/text_find.h"

/* Returns the offset after the words if the text has them at `at`; otherwise 0. */
static size_t words_end(rc_str text, rc_str words, size_t at)
{
    for (size_t i = 0; i < words.len; i++) {
        if (words.ptr[i] != ' ') {
            if (at >= text.len || rc_ascii_lower(text.ptr[at]) != words.ptr[i])
                return 0;
            at++;
            continue;
        }
        size_t from = at;
        while (at < text.len && rc_ascii_is_space(text.ptr[at]))
            at++;
        if (at == from)
            return 0;
    }
    return at;
}

size_t rc_text_find(rc_str text, rc_str words, size_t *ret_end)
{
    for (size_t at = 0; at < text.len; at++) {
        if (rc_ascii_lower(text.ptr[at]) != words.ptr[0])
            continue;
        size_t end = words_end(text, words, at);
        if (end == 0)
            continue;
        if (ret_end != NULL)
            *ret_end = end;
        return at;
    }
    return RC_STR_NPOS;
}
