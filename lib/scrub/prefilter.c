/* Prefilter: finds the few positions of a text that the scanner has to examine. Called by scan.c
 * and scrub.c. */
#include "scrub/parts.h"

#include <string.h>

#include "base/str.h"
#include "base/vec16.h"

/* The number of bytes that are examined at once, without branches that depend on single bytes: such
 * branches would be mispredicted at nearly every word. */
#define WINDOW 64u

#define LONG_CLASSES (RC_SCRUB_WORD | RC_SCRUB_BASE64)

_Static_assert(RC_SCRUB_LONG_WORD == 16, "long_runs() counts to sixteen");

/* Returns a mask of the bytes of class RC_SCRUB_WORD. */
static rc_vec16 word_lanes(rc_vec16 bytes)
{
    rc_vec16 folded = bytes | 0x20;
    return rc_vec16_in_range(folded, 'a', 'z') | rc_vec16_in_range(bytes, '0', '9') |
           (rc_vec16)(bytes == '-') | (rc_vec16)(bytes == '_');
}

/* Returns a mask of the bytes at which an escape, an escape sequence or an ill-formed byte may
 * begin. */
static rc_vec16 special_lanes(rc_vec16 bytes)
{
    return (rc_vec16)(bytes == '\\') | (rc_vec16)(bytes == '%') | (rc_vec16)(bytes == 0x1B) |
           (rc_vec16)(bytes == 0) | rc_vec16_high(bytes);
}

/* Returns one bit for each position at which RC_SCRUB_LONG_WORD set bits in a row begin. `more` is
 * the number of set bits that follow after the window. */
static uint64_t long_runs(uint64_t bits, size_t more)
{
    uint64_t runs = bits & bits >> 1;
    runs &= runs >> 2;
    runs &= runs >> 4;
    runs &= runs >> 8;
    /* The run at the end of the window counts if the bits after the window make it long enough. */
    unsigned inside = bits == UINT64_MAX ? WINDOW : (unsigned)__builtin_clzll(~bits);
    size_t least = RC_SCRUB_LONG_WORD - more;
    if (inside > 0 && least <= inside) {
        uint64_t part = UINT64_MAX << (WINDOW - inside);
        runs |= least > 1 ? part & UINT64_MAX >> (least - 1) : part;
    }
    return runs;
}

static bool ends_in(rc_str text, size_t to, rc_str literal)
{
    return to >= literal.len && rc_scrub_has_nocase(text, to - literal.len, literal);
}

/* Returns whether a filler word of skip_filler() (member.c) may stand at `at`, judged by its first
 * two letters. */
static bool may_be_filler(rc_str text, size_t at)
{
    static const char SECOND[256] = {['g'] = 'i', ['i'] = 's', ['p'] = 'r', ['r'] = 'e',
                                     ['s'] = 'u', ['u'] = 's', ['v'] = 'a', ['w'] = 'a'};
    unsigned char first = (unsigned char)rc_ascii_lower(text.ptr[at]);
    return at + 1 < text.len && SECOND[first] && SECOND[first] == rc_ascii_lower(text.ptr[at + 1]);
}

bool rc_scrub_may_go_on_after_blank(rc_str text, size_t to)
{
    char last = rc_ascii_lower(text.ptr[to - 1]);
    bool is_scheme = (last == 'r' && ends_in(text, to, RC_STR("bearer"))) ||
                     (last == 'c' && ends_in(text, to, RC_STR("basic")));
    if (is_scheme || (last == 'n' && ends_in(text, to, RC_STR("-----begin"))))
        return true;
    char next = to + 1 < text.len ? text.ptr[to + 1] : '\0';
    if (rc_ascii_is_alpha(next))
        return last != 'r' && may_be_filler(text, to + 1) && rc_scrub_may_be_name(text, to);
    return !rc_ascii_is_digit(next) && next != '(' && next != '.' && rc_scrub_may_be_name(text, to);
}

/* Returns whether the candidate word that ends at `to` must be examined. If the byte after the word
 * has a case in the switch, the word can only be a name; otherwise it can also be a scheme or the
 * first part of a key. */
static bool is_worth_a_look(rc_str text, size_t to)
{
    switch (text.ptr[to]) {
    case ' ':
        return rc_scrub_may_go_on_after_blank(text, to);
    case ':':
    case '=':
    case '"':
    case '\'':
    case '>':
        return rc_scrub_may_be_name(text, to);
    default:
        return true;
    }
}

/* Returns one bit for the last byte of each word that may be a name, a scheme or the first part of
 * a split key. The decision depends on the word's last two bytes and the byte after the word. */
static uint64_t candidate_ends(rc_str text, size_t from, uint64_t ends)
{
    uint64_t candidate = 0;
    for (; ends; ends &= ends - 1) {
        unsigned i = (unsigned)__builtin_ctzll(ends);
        size_t to = from + i + 1;
        bool is_candidate =
            rc_scrub_may_begin_construct(text.ptr + to - 1) && is_worth_a_look(text, to);
        candidate |= (uint64_t)is_candidate << i;
    }
    return candidate;
}

void rc_scrub_prefilter_load(rc_scrub_prefilter *prefilter, rc_str text, size_t from)
{
    size_t len = text.len > from + WINDOW ? WINDOW : text.len - from;
    *prefilter = (rc_scrub_prefilter){.from = from, .to = from};
    if (len == 0)
        return;
    uint64_t words = 0;
    uint64_t candidates = 0;
    uint64_t colons = 0;
    uint64_t slashes = 0;
    uint64_t pluses = 0;
    uint64_t dashes = 0;
    for (size_t i = 0; i < len; i += RC_VEC16_BYTES) {
        rc_vec16 bytes = rc_vec16_load_some(text.ptr + from + i, len - i);
        words |= (uint64_t)rc_vec16_bits(word_lanes(bytes)) << i;
        candidates |= (uint64_t)rc_vec16_bits(special_lanes(bytes)) << i;
        colons |= (uint64_t)rc_vec16_bits((rc_vec16)(bytes == ':')) << i;
        slashes |= (uint64_t)rc_vec16_bits((rc_vec16)(bytes == '/')) << i;
        pluses |= (uint64_t)rc_vec16_bits((rc_vec16)(bytes == '+')) << i;
        dashes |= (uint64_t)rc_vec16_bits((rc_vec16)(bytes == '-')) << i;
    }
    if (len < WINDOW) /* clears the bits after the end of the text */
        candidates &= (UINT64_C(1) << len) - 1;
    size_t to = from + len;
    bool is_cut = rc_scrub_is(text, to, RC_SCRUB_WORD);
    size_t more = rc_scrub_run(text, to, LONG_CLASSES, RC_SCRUB_LONG_WORD) - to;

    /* One bit for the last byte of each word. The first and the last byte of the text are left out,
     * because a name has more than one letter and is followed by another byte. */
    uint64_t ends = words & ~(words >> 1);
    if (from == 0)
        ends &= ~UINT64_C(1);
    if (to == text.len)
        ends &= ~(UINT64_C(1) << (len - 1));
    else if (is_cut)
        ends &= UINT64_MAX >> 1;
    uint64_t starts = words & ~(words << 1);
    if (from > 0 && rc_scrub_is(text, from - 1, RC_SCRUB_WORD))
        starts &= ~UINT64_C(1);

    /* Adds each colon before a slash or an escaped slash. The byte after the window is not known,
     * so it may be a slash. */
    candidates |= colons & ((slashes | candidates) >> 1 | UINT64_C(1) << (WINDOW - 1));
    candidates |= starts & dashes & (dashes >> 1 | UINT64_C(1) << (WINDOW - 1)); /* --option */
    candidates |= starts & long_runs(words | slashes | pluses, len == WINDOW ? more : 0);
    candidates |= candidate_ends(text, from, ends);
    prefilter->to = to;
    prefilter->candidates = candidates;
}
