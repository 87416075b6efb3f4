/* A reference parser of chunked bodies, in one pass, strictly by RFC 9112, section 7.1. The parser
 * reads only complete input and does not use llhttp. */
#ifndef TESTS_SUPPORT_CHUNK_ORACLE_H
#define TESTS_SUPPORT_CHUNK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <recourse/str.h>

typedef enum chunk_verdict {
    CHUNKS_MORE, /* The text is valid so far, but incomplete. */
    CHUNKS_WHOLE,
    CHUNKS_BAD
} chunk_verdict;

typedef struct chunk_oracle {
    rc_str text;
    size_t at;
    uint64_t body_len;
    uint64_t body_hash;
    bool has_extension;
    bool has_trailer;
} chunk_oracle;

static inline uint64_t chunk_hash(uint64_t hash, rc_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline chunk_verdict chunk_literal(chunk_oracle *o, const char *text)
{
    for (size_t i = 0; text[i] != '\0'; i++, o->at++) {
        if (o->at == o->text.len)
            return CHUNKS_MORE;
        if (o->text.ptr[o->at] != text[i])
            return CHUNKS_BAD;
    }
    return CHUNKS_WHOLE;
}

static inline int chunk_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline chunk_verdict chunk_size_of(chunk_oracle *o, uint64_t *ret_size)
{
    uint64_t size = 0;
    size_t from = o->at;
    for (; o->at < o->text.len && chunk_digit(o->text.ptr[o->at]) >= 0; o->at++) {
        if (size >> 60 != 0)
            return CHUNKS_BAD;
        size = size * 16 + (uint64_t)chunk_digit(o->text.ptr[o->at]);
    }
    if (o->at == o->text.len)
        return CHUNKS_MORE;
    *ret_size = size;
    return o->at > from ? CHUNKS_WHOLE : CHUNKS_BAD;
}

/* Reads text without control characters up to the CR. */
static inline chunk_verdict chunk_text(chunk_oracle *o)
{
    for (; o->at < o->text.len && o->text.ptr[o->at] != '\r'; o->at++) {
        unsigned char c = (unsigned char)o->text.ptr[o->at];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return CHUNKS_BAD;
    }
    return o->at < o->text.len ? CHUNKS_WHOLE : CHUNKS_MORE;
}

static inline chunk_verdict chunk_line_end(chunk_oracle *o)
{
    const size_t from = o->at;
    while (o->at < o->text.len && (o->text.ptr[o->at] == ' ' || o->text.ptr[o->at] == '\t'))
        o->at++;
    o->has_extension = o->has_extension || o->at > from;
    if (o->at == o->text.len)
        return CHUNKS_MORE;
    if (o->at > from && o->text.ptr[o->at] != ';')
        return CHUNKS_BAD;
    if (o->text.ptr[o->at] == ';') {
        o->has_extension = true;
        chunk_verdict verdict = chunk_text(o);
        if (verdict != CHUNKS_WHOLE)
            return verdict;
    }
    return chunk_literal(o, "\r\n");
}

static inline bool chunk_is_token(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static inline chunk_verdict chunk_trailer_line(chunk_oracle *o)
{
    size_t from = o->at;
    o->has_trailer = true;
    while (o->at < o->text.len && chunk_is_token(o->text.ptr[o->at]))
        o->at++;
    if (o->at == o->text.len)
        return CHUNKS_MORE;
    if (o->at == from || o->text.ptr[o->at] != ':')
        return CHUNKS_BAD;
    chunk_verdict verdict = chunk_text(o);
    return verdict == CHUNKS_WHOLE ? chunk_literal(o, "\r\n") : verdict;
}

static inline chunk_verdict chunk_trailer(chunk_oracle *o)
{
    chunk_verdict verdict = CHUNKS_WHOLE;
    while (verdict == CHUNKS_WHOLE && o->at < o->text.len && o->text.ptr[o->at] != '\r')
        verdict = chunk_trailer_line(o);
    return verdict == CHUNKS_WHOLE ? chunk_literal(o, "\r\n") : verdict;
}

static inline chunk_verdict chunk_data(chunk_oracle *o, uint64_t size)
{
    size_t left = o->text.len - o->at;
    size_t len = size < left ? (size_t)size : left;
    o->body_hash = chunk_hash(o->body_hash, rc_str_make(o->text.ptr + o->at, len));
    o->body_len += len;
    o->at += len;
    return len < size ? CHUNKS_MORE : chunk_literal(o, "\r\n");
}

/* Returns the verdict on the whole text. If the body is complete, o->at is the offset of its
 * end. */
static inline chunk_verdict chunk_oracle_read(chunk_oracle *o, rc_str text)
{
    uint64_t size = 1;
    chunk_verdict verdict = CHUNKS_WHOLE;
    *o = (chunk_oracle){.text = text, .body_hash = UINT64_C(0xcbf29ce484222325)};
    while (verdict == CHUNKS_WHOLE && size > 0) {
        verdict = chunk_size_of(o, &size);
        if (verdict == CHUNKS_WHOLE)
            verdict = chunk_line_end(o);
        if (verdict == CHUNKS_WHOLE && size > 0)
            verdict = chunk_data(o, size);
    }
    return verdict == CHUNKS_WHOLE ? chunk_trailer(o) : verdict;
}

#endif
