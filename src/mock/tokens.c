/* Tokenizer and pseudo-random text of the mock provider. Called by response.c, stats.c,
 * request_body.c and the dialects. */
#include "mock/tokens.h"

#include "base/str.h"

#define TOKEN_CHARS 4
#define KILOBYTE_WORDS 256

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

rc_str rc_mock_token(rc_str text, size_t at)
{
    size_t end = at;
    int chars = 0;
    while (end < text.len && rc_ascii_is_space(text.ptr[end]))
        end++;
    while (end < text.len && !rc_ascii_is_space(text.ptr[end])) {
        if (!is_continuation(text.ptr[end]) && chars++ == TOKEN_CHARS)
            break;
        end++;
    }
    return rc_str_slice(text, at, end);
}

uint64_t rc_mock_token_count(rc_str text)
{
    uint64_t count = 0;
    for (size_t at = 0; at < text.len; count++)
        at += rc_mock_token(text, at).len;
    return count;
}

uint64_t rc_mock_mix(uint64_t seed, uint64_t value)
{
    uint64_t z = seed + (value + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint64_t rc_mock_mix_text(uint64_t seed, rc_str text)
{
    uint64_t hash = seed ^ UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001B3);
    return rc_mock_mix(hash, text.len);
}

/* Words of at most four letters, so that each word is one token. */
static const char words[32][5] = {
    "the",  "sun",  "is",  "up",   "and", "a",    "cat",  "sits", "on",   "warm", "red",
    "roof", "tile", "it",  "can",  "see", "far",  "out",  "to",   "sea",  "ship", "go",
    "by",   "with", "all", "sail", "set", "wind", "from", "west", "calm", "day",
};

void rc_mock_push_words(rc_buf *buf, uint64_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            rc_buf_push_byte(buf, ' ');
        rc_buf_push(buf, rc_str_c(words[rc_mock_mix(seed, i) % 32]));
    }
}

void rc_mock_push_kilobytes(rc_buf *buf, uint64_t seed, uint32_t kilobytes)
{
    static const char three[8][5] = {" sun", " cat", " red", " can",
                                     " see", " far", " sea", " day"};
    for (uint64_t i = 0; i < (uint64_t)kilobytes * KILOBYTE_WORDS; i++)
        rc_buf_push(buf, rc_str_make(three[rc_mock_mix(seed, i) % 8], 4));
}
