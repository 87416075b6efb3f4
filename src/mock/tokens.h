/* Tokens by a simple rule: a word, with the white space in front of it, cut after every fourth
 * character. The same rule counts what comes in, counts what goes out and cuts a stream into
 * events. */
#ifndef RC_MOCK_TOKENS_H
#define RC_MOCK_TOKENS_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* The token that begins at `at`; empty at the end. Views text. */
rc_str rc_mock_token(rc_str text, size_t at);

uint64_t rc_mock_token_count(rc_str text);

/* Appends text of `count` tokens that the seed decides, a word each. */
void rc_mock_push_words(rc_buf *buf, uint64_t seed, uint32_t count);

/* Appends `kilobytes` times 1024 bytes of such words, 256 tokens a kilobyte. */
void rc_mock_push_kilobytes(rc_buf *buf, uint64_t seed, uint32_t kilobytes);

/* A number that looks like chance and depends on nothing but the two. */
uint64_t rc_mock_mix(uint64_t seed, uint64_t value);

/* The same of bytes. */
uint64_t rc_mock_mix_text(uint64_t seed, rc_str text);

#endif
