/* What the files of the scrubber share. docs/internals/scrubber.md explains how they work together.
 */
#ifndef RC_SCRUB_PARTS_H
#define RC_SCRUB_PARTS_H

#include <stdint.h>

#include <recourse/str.h>

#include "scrub/scrub.h"

/* --- Bytes (scrub_class.c) --- */

enum {
    RC_SCRUB_DIGIT = 1u << 0,
    RC_SCRUB_UPPER = 1u << 1,
    RC_SCRUB_LOWER = 1u << 2,
    RC_SCRUB_HEX = 1u << 3,
    RC_SCRUB_DASH = 1u << 4,   /* - and _ */
    RC_SCRUB_BASE64 = 1u << 5, /* + / = */
    RC_SCRUB_DOT = 1u << 6,    /* . */
    RC_SCRUB_LOOSE = 1u << 7,  /* ~ % : |: what tokens hold beside the above */

    RC_SCRUB_ALPHA = RC_SCRUB_UPPER | RC_SCRUB_LOWER,
    RC_SCRUB_ALNUM = RC_SCRUB_ALPHA | RC_SCRUB_DIGIT,
    RC_SCRUB_WORD = RC_SCRUB_ALNUM | RC_SCRUB_DASH,
    RC_SCRUB_TOKEN = RC_SCRUB_WORD | RC_SCRUB_BASE64 | RC_SCRUB_DOT | RC_SCRUB_LOOSE,
};

extern const uint16_t rc_scrub_classes[256];

static inline unsigned rc_scrub_class(rc_str text, size_t at)
{
    return at < text.len ? rc_scrub_classes[(unsigned char)text.ptr[at]] : 0;
}

static inline bool rc_scrub_is(rc_str text, size_t at, unsigned classes)
{
    return (rc_scrub_class(text, at) & classes) != 0;
}

/* Where the run of these classes that begins at `at` ends; looks at `most` bytes at most. */
static inline size_t rc_scrub_run(rc_str text, size_t at, unsigned classes, size_t most)
{
    size_t stop = most < text.len - at ? at + most : text.len;
    while (at < stop && (rc_scrub_classes[(unsigned char)text.ptr[at]] & classes))
        at++;
    return at;
}

/* Does this literal stand at `at`? Without case: the literal is in lower case. */
bool rc_scrub_has(rc_str text, size_t at, rc_str literal);
bool rc_scrub_has_nocase(rc_str text, size_t at, rc_str literal);

/* --- Punctuation in disguise (scrub_glyph.c) --- */

enum {
    RC_GLYPH_END = 256, /* of the text */
    RC_GLYPH_LETTER,    /* not ASCII, no punctuation */
    RC_GLYPH_STOP,      /* not ASCII, punctuation */
    RC_GLYPH_ELLIPSIS,  /* U+2026: where a text was cut */
    RC_GLYPH_BROKEN,    /* U+FFFD, or what the scrubber makes of ill-formed bytes and NUL */
};

/* One character as a person means it: \" and %22 and &quot; and \u0022 are all a quote. */
typedef struct rc_glyph {
    int16_t ch;       /* ASCII, or RC_GLYPH_... */
    bool is_percent;  /* %XX */
    uint32_t len;     /* bytes; 0 at the end */
    uint32_t slashes; /* backslashes in front of it: how deep it is quoted */
} rc_glyph;

/* What does not begin with an ASCII character that stands for itself. */
rc_glyph rc_glyph_disguised(rc_str text, size_t at);

static inline rc_glyph rc_glyph_at(rc_str text, size_t at)
{
    if (at >= text.len)
        return (rc_glyph){.ch = RC_GLYPH_END};
    char c = text.ptr[at];
    if (c <= 0 || c == '\\' || c == '%' || c == '&')
        return rc_glyph_disguised(text, at);
    return (rc_glyph){.ch = c, .len = 1};
}

static inline bool rc_glyph_is_quote(rc_glyph glyph)
{
    return glyph.ch == '"' || glyph.ch == '\'' || glyph.ch == '`';
}

static inline bool rc_glyph_is_blank(rc_glyph glyph)
{
    return glyph.ch == ' ' || glyph.ch == '\t';
}

static inline bool rc_glyph_is_newline(rc_glyph glyph)
{
    return glyph.ch == '\n' || glyph.ch == '\r';
}

/* Behind the blanks at `at`; with is_folded also behind line ends that a blank follows. */
size_t rc_glyph_skip_blanks(rc_str text, size_t at, bool is_folded);

/* --- Edits --- */

typedef enum rc_scrub_replacement {
    RC_SCRUB_REPLACE_NONE,   /* nothing changes; the stretch must stay whole */
    RC_SCRUB_REPLACE_SECRET, /* a secret */
    RC_SCRUB_REPLACE_BROKEN, /* ill-formed bytes or NUL */
} rc_scrub_replacement;

/* A change of the text, as offsets into it. The scan goes on at `to`. */
typedef struct rc_scrub_edit {
    size_t hold; /* the text must not be cut behind this offset ... */
    size_t from; /* [from, to) is replaced */
    size_t to;
    size_t release; /* ... and before this one, for the rest would then be read differently */
    rc_scrub_replacement replacement;
} rc_scrub_edit;

static inline rc_scrub_edit rc_scrub_mask(size_t hold, size_t from, size_t to, size_t release)
{
    return (rc_scrub_edit){hold, from, to, release, RC_SCRUB_REPLACE_SECRET};
}

/* Leaves the text as it is, whole from hold to release; the scan goes on at `next`. */
static inline rc_scrub_edit rc_scrub_keep(size_t hold, size_t next, size_t release)
{
    return (rc_scrub_edit){hold, next, next, release, RC_SCRUB_REPLACE_NONE};
}

/* --- Token shapes (scrub_shapes.c) and PEM blocks (scrub_pem.c) --- */

/* The word [from, to), which is as long as it can be: does it hold a key, or begin one that goes on
 * behind it? Sets the key's own bounds. */
bool rc_scrub_find_shape(rc_str text, size_t from, size_t to, size_t *ret_from, size_t *ret_to);

/* The end of the key at `at` whose prefix is more than one word, or 0. */
size_t rc_scrub_split_shape_end(rc_str text, size_t at);

/* Does the word [from, to) begin a private key block? */
bool rc_scrub_find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* Behind the private key block that begins at `at`, or `at`. */
size_t rc_scrub_skip_block(rc_str text, size_t at);

/* --- Names (scrub_names.c) --- */

typedef enum rc_scrub_kind { /* see spec/secrets.def */
    RC_SCRUB_KIND_NONE,
    RC_SCRUB_KIND_AUTH,
    RC_SCRUB_KIND_COOKIE,
    RC_SCRUB_KIND_TEXT,
    RC_SCRUB_KIND_KEY,
    RC_SCRUB_KIND_TOKEN,
    RC_SCRUB_KIND_ERROR, /* the name of an error, such as invalid_api_key */
    RC_SCRUB_KIND_HINT,
    RC_SCRUB_KIND_PARAM,
    RC_SCRUB_KIND_GRANT,
} rc_scrub_kind;

/* How the first words of a construct end: a bit for each pair of last letters, in both tables and,
 * for the bytes that make it one, in the third. See scrub_names.c. */
extern const uint32_t rc_scrub_letters_before[256];
extern const uint32_t rc_scrub_last_letters[256];
extern const uint32_t rc_scrub_bytes_behind[256];

/* The last byte of a word, with one before and one behind it: may a construct begin with the word?
 */
static inline bool rc_scrub_may_begin_construct(const char *last)
{
    return (rc_scrub_letters_before[(unsigned char)last[-1]] &
            rc_scrub_last_letters[(unsigned char)last[0]] &
            rc_scrub_bytes_behind[(unsigned char)last[1]]) != 0;
}

/* May the word that ends at `to` have a kind below? Looks at its last letters alone, and is wrong
 * only where it says yes. */
bool rc_scrub_may_be_name(rc_str text, size_t to);

/* is_exact: the whole name has to stand in the table, not just its end. */
rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact);

/* --- Values (scrub_value.c) --- */

typedef enum rc_scrub_need { /* what a value has to look like to be masked */
    RC_SCRUB_NEED_NOTHING,
    RC_SCRUB_NEED_LITTLE, /* a digit, or six characters */
    RC_SCRUB_NEED_RANDOM, /* eight characters with letters and digits, or sixteen in a row */
    RC_SCRUB_NEED_LONG,   /* sixteen characters with letters and digits */
} rc_scrub_need;

typedef struct rc_scrub_style {
    bool is_text;      /* free text: commas and brackets belong to it */
    bool is_listed;    /* inside [ ] */
    bool is_parameter; /* of a URL: ends at its fragment */
    bool is_percent;   /* the separator was percent-encoded, so the end is too */
    bool is_element;   /* of XML: ends at the next tag */
} rc_scrub_style;

typedef enum rc_scrub_after {
    RC_SCRUB_AFTER_NAME = 1,
    RC_SCRUB_AFTER_SCHEME = 2,
    RC_SCRUB_AFTER_BOTH = 3,
} rc_scrub_after;

bool rc_scrub_looks_secret(rc_str text, size_t at, rc_scrub_need need);

/* Does something stand here that is no secret: a word of the table, a reference to an environment
 * variable, dots or stars? Sets its end. */
bool rc_scrub_is_plain(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to);

/* Where a value that begins at `at` ends: the offset of its closing quote, of what delimits it, of
 * the end of its line. */
size_t rc_scrub_quoted_end(rc_str text, size_t at, rc_glyph open);
size_t rc_scrub_bare_end(rc_str text, size_t at, rc_scrub_style style);
size_t rc_scrub_line_end(rc_str text, size_t at, rc_scrub_style style);

/* Behind the indented lines that go on with the value that ends at `at`, or `at`. Each has to be
 * one token and to look as secret as needed. */
size_t rc_scrub_folded_end(rc_str text, size_t at, rc_scrub_need need);

/* The edit that masks [value, end), or keeps it where it is the mark already. */
rc_scrub_edit rc_scrub_mask_value(rc_str text, size_t hold, size_t value, size_t end,
                                  size_t release);

/* --- Members: a name, a separator, a value (scrub_member.c, scrub_auth.c) --- */

/* A value to look at. */
typedef struct rc_scrub_slot {
    size_t hold; /* where the name begins */
    size_t at;   /* where the value begins, perhaps with a quote */
    rc_scrub_kind kind;
    rc_scrub_need need;
    rc_scrub_style style;
    bool is_flowing;  /* a colon in prose: what follows may be ordinary words of any language */
    bool is_assigned; /* behind a =: what follows is no prose */
} rc_scrub_slot;

/* Is the word [from, to) the name of a secret that follows? *ret_slot is written whenever there is
 * an edit, so that the other elements of a list can be found. */
bool rc_scrub_find_member(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit,
                          rc_scrub_slot *ret_slot);

/* The next element of a list. slot->at is where the one before it ended. */
bool rc_scrub_find_element(rc_str text, rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Is the value that begins at `from`, behind the quote `open` if there is one, no secret but a word
 * that stands for its absence? Sets before which offset the text must not be cut. (scrub_plain.c)
 */
bool rc_scrub_is_plain_value(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                             size_t *ret_release);

/* Does the value behind <name> end in a closing tag? <api-key> is a placeholder otherwise. A mark
 * in it stands for text that may have held tags. */
bool rc_scrub_is_element(rc_str text, rc_str name, size_t value_at);

/* Where the words end that begin at `at`: before the next member, or as a bare value ends. */
size_t rc_scrub_phrase_end(rc_str text, size_t at, rc_scrub_style style);

/* The value of an Authorization header. */
bool rc_scrub_find_auth(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Is the word [from, to) Bearer or Basic, and do credentials follow? */
bool rc_scrub_find_scheme(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* --- URLs (scrub_url.c) --- */

/* The colon at `colon` (disguised or not): do // and a userinfo follow? *no_at_before remembers how
 * far no @ was found, so that the search stays linear over all colons. */
bool rc_scrub_find_userinfo(rc_str text, size_t colon, size_t *no_at_before,
                            rc_scrub_edit *ret_edit);

/* --- The sieve (scrub_sieve.c) --- */

/* No key shape is shorter, but for those whose prefix is more than one word. */
#define RC_SCRUB_LONG_WORD 16u

/* Marks for a part of the text, a bit each: where disguises, escape sequences, ill-formed bytes and
 * :// may begin, the last bytes of words that may begin a construct, and where long words begin.
 * All else the scanner passes over. */
typedef struct rc_scrub_prefilter {
    size_t from;
    size_t to;
    uint64_t candidates;
} rc_scrub_prefilter;

void rc_scrub_prefilter_load(rc_scrub_prefilter *prefilter, rc_str text, size_t from);

/* Most words before a blank are just words. May the telling one that ends at `to`, before a blank,
 * be more: "name = ...", "key provided: ...", "Bearer ...", "-----BEGIN ..."? */
bool rc_scrub_may_go_on_after_blank(rc_str text, size_t to);

/* The first mark at or behind `at`, or an offset at or behind `stop`. */
static inline size_t rc_scrub_prefilter_next(rc_scrub_prefilter *prefilter, rc_str text, size_t at,
                                             size_t stop)
{
    while (at < stop) {
        if (at < prefilter->from || at >= prefilter->to)
            rc_scrub_prefilter_load(prefilter, text, at);
        uint64_t candidates = prefilter->candidates >> (at - prefilter->from);
        size_t next = candidates ? at + (size_t)__builtin_ctzll(candidates) : prefilter->to;
        if (next < prefilter->to)
            return next;
        at = prefilter->to;
    }
    return at;
}

/* --- The scanner (scrub_scan.c) --- */

typedef struct rc_scrub_scan {
    rc_str text;
    size_t at;
    size_t stop; /* words that begin here or later are not looked at */
    size_t no_at_before;
    rc_scrub_prefilter prefilter;
    rc_scrub_slot list; /* if it is listed: the element of a list that came before */
} rc_scrub_scan;

void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text);

/* The next edit. False: none before scan->stop. */
bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit);

#endif
