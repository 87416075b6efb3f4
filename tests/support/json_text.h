/* Converts JSON that is written with ' in place of " in C code. */
#ifndef TESTS_SUPPORT_JSON_TEXT_H
#define TESTS_SUPPORT_JSON_TEXT_H

#include <string.h>

#include "base/str.h"

#define JSON_TEXT_MAX 4096

/* Returns the JSON. The result views memory that the next call overwrites. */
static inline rc_str json_text(const char *text)
{
    static char scratch[JSON_TEXT_MAX];
    size_t len = strlen(text);
    assert_true(len < sizeof scratch);
    for (size_t i = 0; i < len; i++)
        scratch[i] = text[i] == '\'' ? '"' : text[i];
    return rc_str_make(scratch, len);
}

#endif
