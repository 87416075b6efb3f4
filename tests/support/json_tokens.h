/* The tokens of a JSON text as one line, for easy comparison:
 *
 *   {"a":[1,"b\n",null]}   gives   { k(a) [ n(1) s(b\n)~ null ] } .
 *
 * ~ marks has_escapes; . is the end, ! an error. */
#ifndef TESTS_SUPPORT_JSON_TOKENS_H
#define TESTS_SUPPORT_JSON_TOKENS_H

#include <stdlib.h>
#include <string.h>

#include "json/reader.h"

#define JSON_TOKENS_MAX 8192

typedef struct json_tokens {
    char line[JSON_TOKENS_MAX]; /* the tokens as text; cut if they do not fit */
    size_t len;
    size_t count; /* number of tokens, without END or ERROR */
    rc_json_type last;
    rc_json_fault fault;
} json_tokens;

static inline void json_tokens_put(json_tokens *t, rc_str text)
{
    size_t scratch = sizeof t->line - 1 - t->len;
    size_t n = text.len < scratch ? text.len : scratch;
    memcpy(t->line + t->len, text.ptr, n);
    t->len += n;
    t->line[t->len] = '\0';
}

static inline void json_tokens_put_token(json_tokens *t, const rc_json_token *token)
{
    static const char *const OPEN[] = {
        [RC_JSON_OBJECT_BEGIN] = "{", [RC_JSON_OBJECT_END] = "}", [RC_JSON_ARRAY_BEGIN] = "[",
        [RC_JSON_ARRAY_END] = "]",    [RC_JSON_KEY] = "k(",       [RC_JSON_STRING] = "s(",
        [RC_JSON_NUMBER] = "n(",      [RC_JSON_TRUE] = "true",    [RC_JSON_FALSE] = "false",
        [RC_JSON_NULL] = "null",      [RC_JSON_END] = ".",        [RC_JSON_ERROR] = "!",
    };
    if (t->len > 0)
        json_tokens_put(t, RC_STR(" "));
    json_tokens_put(t, rc_str_c(OPEN[token->type]));
    if (token->type == RC_JSON_KEY || token->type == RC_JSON_STRING ||
        token->type == RC_JSON_NUMBER) {
        json_tokens_put(t, token->raw);
        json_tokens_put(t, token->has_escapes ? RC_STR(")~") : RC_STR(")"));
    }
}

static inline rc_json_limits json_limits(bool is_tolerant)
{
    return (rc_json_limits){
        .max_bytes = (size_t)1 << 30, .max_depth = RC_JSON_DEPTH_MAX, .is_tolerant = is_tolerant};
}

/* Reads the whole text. The caller frees the result. */
static inline json_tokens *json_tokens_read(rc_str text, const rc_json_limits *limits)
{
    json_tokens *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, limits);
    for (;;) {
        rc_json_token token = rc_json_reader_next(&reader);
        json_tokens_put_token(t, &token);
        if (token.type == RC_JSON_END || token.type == RC_JSON_ERROR) {
            t->last = token.type;
            t->fault = reader.fault;
            return t;
        }
        t->count++;
    }
}

/* Returns a copy of exactly len bytes on the heap, so that a sanitizer detects a read outside. */
static inline char *json_exact_copy(const char *bytes, size_t len)
{
    char *copy = malloc(len ? len : 1);
    if (!copy)
        abort();
    if (len)
        memcpy(copy, bytes, len);
    return copy;
}

/* Returns a pseudo-random number below `below`; the same seed gives the same sequence. */
static inline uint32_t json_random(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

#endif
