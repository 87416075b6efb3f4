/* rc_str: a view of bytes, passed by value. The view does not own the bytes, and they need no final
 * NUL. */
#ifndef RECOURSE_STR_H
#define RECOURSE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct rc_str {
    const char *ptr; /* may be NULL if `len` is 0 */
    size_t len;
} rc_str;

static inline rc_str rc_str_make(const char *ptr, size_t len)
{
    rc_str s;
    s.ptr = ptr;
    s.len = len;
    return s;
}

/* A view of a string literal, usable at run time in C and C++. */
#define RC_STR(literal) rc_str_make("" literal, sizeof(literal) - 1)

/* A constant initialiser for a view of a string literal: static const rc_str x =
 * RC_STR_INIT("..."); */
#define RC_STR_INIT(literal)            \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }

/* Returns a view of a NUL-terminated string. If `text` is NULL, the view is empty. */
static inline rc_str rc_str_c(const char *text)
{
    return rc_str_make(text, text ? strlen(text) : 0);
}

static inline bool rc_str_is_empty(rc_str s)
{
    return s.len == 0;
}

static inline bool rc_str_eq(rc_str a, rc_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

#endif
