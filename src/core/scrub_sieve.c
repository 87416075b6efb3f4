#include "core/scrub_parts.h"

#include <string.h>

/* A window is looked at as a whole, without a branch for each byte: branches that follow the shape
 * of the words would be mispredicted at nearly every word. */
#define WINDOW 64u

_Static_assert(RC_SCRUB_LONG_WORD == 16, "long_words() counts to sixteen");

typedef uint8_t lanes __attribute__((vector_size(16))); /* 0x00 or 0xFF where it is an answer */

/* A bit for each lane. */
static uint64_t bits_of(lanes answer)
{
#ifdef __SSE2__
    typedef char signed_lanes __attribute__((vector_size(16)));
    return (uint16_t)__builtin_ia32_pmovmskb128((signed_lanes)answer);
#else
    uint64_t bits = 0;
    for (unsigned i = 0; i < sizeof answer; i++)
        bits |= (uint64_t)(answer[i] & 1u) << i;
    return bits;
#endif
}

static lanes in_range(lanes bytes, uint8_t first, uint8_t last)
{
    return (lanes)((lanes)(bytes - first) <= (uint8_t)(last - first));
}

/* The bytes of RC_SCRUB_WORD. */
static lanes word_lanes(lanes bytes)
{
    lanes folded = bytes | 0x20;
    return in_range(folded, 'a', 'z') | in_range(bytes, '0', '9') | (lanes)(bytes == '-') |
           (lanes)(bytes == '_');
}

/* Where a disguise, an escape sequence or an ill-formed byte may begin. */
static lanes special_lanes(lanes bytes)
{
    return (lanes)(bytes == '\\') | (lanes)(bytes == '%') | (lanes)(bytes == 0x1B) |
           (lanes)(bytes == 0) | (lanes)(bytes >= 0x80);
}

/* Where RC_SCRUB_LONG_WORD set bits follow each other. */
static uint64_t long_words(uint64_t words)
{
    words &= words >> 1;
    words &= words >> 2;
    words &= words >> 4;
    return words & words >> 8;
}

/* The part of a word that the window cuts, when it is long: `more` bytes of it follow. All of the
 * part and not just its first byte, for the scan may enter it behind an escape. */
static uint64_t cut_long_word(uint64_t words, size_t more)
{
    unsigned inside = words == UINT64_MAX ? WINDOW : (unsigned)__builtin_clzll(~words);
    if (inside == 0 || inside + more < RC_SCRUB_LONG_WORD)
        return 0;
    return UINT64_MAX << (WINDOW - inside);
}

/* The last bytes of words that may be names, schemes or split prefixes, as their last two bytes and
 * the one behind them tell. */
static uint64_t telling_ends(rc_str text, size_t from, uint64_t ends)
{
    uint64_t telling = 0;
    for (; ends; ends &= ends - 1) {
        unsigned i = (unsigned)__builtin_ctzll(ends);
        telling |= (uint64_t)rc_scrub_is_telling(text.ptr + from + i) << i;
    }
    return telling;
}

void rc_scrub_sieve_load(rc_scrub_sieve *sieve, rc_str text, size_t from)
{
    uint8_t window[WINDOW] = {0};
    size_t len = text.len - from < WINDOW ? text.len - from : WINDOW;
    memcpy(window, text.ptr + from, len);
    uint64_t words = 0;
    uint64_t marks = 0;
    uint64_t colons = 0;
    uint64_t slashes = 0;
    for (unsigned i = 0; i < WINDOW; i += sizeof(lanes)) {
        lanes bytes;
        memcpy(&bytes, window + i, sizeof bytes);
        words |= bits_of(word_lanes(bytes)) << i;
        marks |= bits_of(special_lanes(bytes)) << i;
        colons |= bits_of((lanes)(bytes == ':')) << i;
        slashes |= bits_of((lanes)(bytes == '/')) << i;
    }
    size_t to = from + len;
    size_t more = rc_scrub_run(text, to, RC_SCRUB_WORD, RC_SCRUB_LONG_WORD) - to;

    /* A name has more than one letter, and something behind it. */
    uint64_t ends = words & ~(words >> 1);
    if (from == 0)
        ends &= ~UINT64_C(1);
    if (to == text.len)
        ends &= ~(UINT64_C(1) << (len - 1));
    else if (more > 0)
        ends &= UINT64_MAX >> 1;

    /* ://, in disguise or not; what follows the last byte is not known here */
    marks |= colons & ((slashes | marks) >> 1 | UINT64_C(1) << (WINDOW - 1));
    marks |= long_words(words) | telling_ends(text, from, ends);
    if (len == WINDOW)
        marks |= cut_long_word(words, more);
    sieve->from = from;
    sieve->to = to;
    sieve->marks = marks;
}
