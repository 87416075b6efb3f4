/* A simple tokenizer: a token is a word with the white space before it, split after every fourth
 * character. The same rule counts input, counts output and splits a stream into events. */
#ifndef RC_MOCK_TOKENS_H
#define RC_MOCK_TOKENS_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Returns the token that begins at the offset `at`, or the empty string at the end. The result
 * views (points into) text. */
rc_str rc_mock_token(rc_str text, size_t at);

/* Returns the number of tokens in text. */
uint64_t rc_mock_token_count(rc_str text);

/* Appends `count` pseudo-random words of one token each, determined by the seed. */
void rc_mock_push_words(rc_buf *buf, uint64_t seed, uint32_t count);

/* Appends `kilobytes` times 1024 bytes of pseudo-random words, 256 tokens per kilobyte. */
void rc_mock_push_kilobytes(rc_buf *buf, uint64_t seed, uint32_t kilobytes);

/* Returns a pseudo-random number that depends only on seed and value. */
uint64_t rc_mock_mix(uint64_t seed, uint64_t value);

/* Returns a pseudo-random number that depends only on the seed and a text. */
uint64_t rc_mock_mix_text(uint64_t seed, rc_str text);

#endif
