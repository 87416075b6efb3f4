/* Internal declarations of the scrubber. docs/internals/scrubber.md explains how the files work
 * together. "The marker" is RC_SCRUB_REDACTED, the replacement of a secret. */
#ifndef RC_SCRUB_PARTS_H
#define RC_SCRUB_PARTS_H

#include <stdint.h>

#include <recourse/str.h>

#include "scrub/scrub.h"

/* --- Byte classes (class.c) --- */

enum {
    RC_SCRUB_DIGIT = 1u << 0,
    RC_SCRUB_UPPER = 1u << 1,
    RC_SCRUB_LOWER = 1u << 2,
    RC_SCRUB_HEX = 1u << 3,
    RC_SCRUB_DASH = 1u << 4,   /* - and _ */
    RC_SCRUB_BASE64 = 1u << 5, /* + / = */
    RC_SCRUB_DOT = 1u << 6,    /* . */
    RC_SCRUB_LOOSE = 1u << 7,  /* ~ % : | are the remaining token bytes */

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

/* Returns the end of the run of these classes that begins at `at`; reads at most `most` bytes. */
static inline size_t rc_scrub_run(rc_str text, size_t at, unsigned classes, size_t most)
{
    size_t stop = most < text.len - at ? at + most : text.len;
    while (at < stop && (rc_scrub_classes[(unsigned char)text.ptr[at]] & classes))
        at++;
    return at;
}

/* Whether this literal stands at `at`. The nocase variant expects the literal in lower case. */
bool rc_scrub_has(rc_str text, size_t at, rc_str literal);
bool rc_scrub_has_nocase(rc_str text, size_t at, rc_str literal);

/* --- Glyphs: characters after decoding escapes (glyph.c) --- */

enum {
    RC_GLYPH_END = 256, /* end of the text */
    RC_GLYPH_LETTER,    /* not ASCII and not punctuation */
    RC_GLYPH_STOP,      /* punctuation outside ASCII */
    RC_GLYPH_ELLIPSIS,  /* U+2026, which ends a cut text */
    RC_GLYPH_BROKEN,    /* U+FFFD, or an ill-formed byte or NUL, which the scrubber replaces with
                           it */
};

/* One character after decoding escapes: \" and %22 and &quot; and \u0022 are all a quote. */
typedef struct rc_glyph {
    int16_t ch;       /* ASCII, or RC_GLYPH_... */
    bool is_percent;  /* The character was written as %XX. */
    uint32_t len;     /* Bytes in the text; 0 at the end. */
    uint32_t slashes; /* Number of backslashes before it, i.e. its quoting depth. */
} rc_glyph;

/* Reads a glyph that is escaped or not ASCII. */
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

/* Returns the offset after the blanks at `at`; is_folded: also after line ends that are followed by
 * a blank. */
size_t rc_glyph_skip_blanks(rc_str text, size_t at, bool is_folded);

/* --- Edits --- */

typedef enum rc_scrub_replacement {
    RC_SCRUB_REPLACE_NONE,   /* Changes nothing, but the range must not be cut. */
    RC_SCRUB_REPLACE_SECRET, /* Replaces a secret. */
    RC_SCRUB_REPLACE_BROKEN, /* Replaces ill-formed bytes or NUL. */
} rc_scrub_replacement;

/* A change of the text, as offsets into it. The scan continues at `to`. The text must not be cut
 * between `hold` and `release`, because the rest would then be read differently. */
typedef struct rc_scrub_edit {
    size_t hold; /* Start of the range that must not be cut. */
    size_t from; /* [from, to) is replaced. */
    size_t to;
    size_t release; /* End of the range that must not be cut. */
    rc_scrub_replacement replacement;
} rc_scrub_edit;

static inline rc_scrub_edit rc_scrub_mask(size_t hold, size_t from, size_t to, size_t release)
{
    return (rc_scrub_edit){hold, from, to, release, RC_SCRUB_REPLACE_SECRET};
}

/* An edit that leaves the text unchanged but uncut from hold to release; the scan continues at
 * `next`. */
static inline rc_scrub_edit rc_scrub_keep(size_t hold, size_t next, size_t release)
{
    return (rc_scrub_edit){hold, next, next, release, RC_SCRUB_REPLACE_NONE};
}

/* --- Token shapes (shapes.c) and PEM blocks (pem.c) --- */

/* Whether the maximal word [from, to) contains a key, or the beginning of one that continues after
 * it. Sets the bounds of the key. */
bool rc_scrub_find_shape(rc_str text, size_t from, size_t to, size_t *ret_from, size_t *ret_to);

/* Returns the end of the key at `at` whose prefix is more than one word, or 0. */
size_t rc_scrub_split_shape_end(rc_str text, size_t at);

/* Whether the word [from, to) begins a private key block. Writes the edit if so. */
bool rc_scrub_find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* Returns the offset after the private key block that begins at `at`, or `at` if there is none. */
size_t rc_scrub_skip_block(rc_str text, size_t at);

/* --- Names of secrets (names.c) --- */

typedef enum rc_scrub_kind { /* See spec/secrets.def. */
    RC_SCRUB_KIND_NONE,
    RC_SCRUB_KIND_AUTH,
    RC_SCRUB_KIND_COOKIE,
    RC_SCRUB_KIND_TEXT,
    RC_SCRUB_KIND_KEY,
    RC_SCRUB_KIND_TOKEN,
    RC_SCRUB_KIND_ERROR, /* The name of an error, such as invalid_api_key. */
    RC_SCRUB_KIND_HINT,
    RC_SCRUB_KIND_PARAM,
    RC_SCRUB_KIND_GRANT,
} rc_scrub_kind;

/* Last two letters of words that can begin a construct. Each pair of letters has a bit in the first
 * two tables; the third table has the bits of the pairs that a byte may follow. See names.c. */
extern const uint32_t rc_scrub_letters_before[256];
extern const uint32_t rc_scrub_last_letters[256];
extern const uint32_t rc_scrub_bytes_behind[256];

/* Whether a construct may begin with a word, judged by its last two bytes and the byte after it.
 * last: the word's last byte; the bytes before and after it must be readable. */
static inline bool rc_scrub_may_begin_construct(const char *last)
{
    return (rc_scrub_letters_before[(unsigned char)last[-1]] &
            rc_scrub_last_letters[(unsigned char)last[0]] &
            rc_scrub_bytes_behind[(unsigned char)last[1]]) != 0;
}

/* Whether the word that ends at `to` may be the name of a secret, judged by its last letters. Can
 * give false positives, but no false negatives. */
bool rc_scrub_may_be_name(rc_str text, size_t to);

/* Returns the kind of secret that a name announces. is_exact: the whole name has to be in the
 * table, not just its end. */
rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact);

/* --- Values (value.c) --- */

typedef enum rc_scrub_need { /* What a value must look like to be masked. */
    RC_SCRUB_NEED_NOTHING,
    RC_SCRUB_NEED_LITTLE, /* a digit, or six characters */
    RC_SCRUB_NEED_RANDOM, /* eight characters with letters and digits, or sixteen in a row */
    RC_SCRUB_NEED_LONG,   /* sixteen characters with letters and digits */
} rc_scrub_need;

typedef struct rc_scrub_style {
    bool is_text;      /* Free text, which may contain commas and brackets. */
    bool is_listed;    /* Element of a list in [ ]. */
    bool is_parameter; /* Parameter of a URL, which ends at the fragment. */
    bool is_percent;   /* The separator was percent-encoded, so the end is as well. */
    bool is_element;   /* Content of an XML element, which ends at the next tag. */
} rc_scrub_style;

typedef enum rc_scrub_after {
    RC_SCRUB_AFTER_NAME = 1,
    RC_SCRUB_AFTER_SCHEME = 2,
    RC_SCRUB_AFTER_BOTH = 3,
} rc_scrub_after;

/* Whether the value at `at` looks as secret as `need` demands. */
bool rc_scrub_looks_secret(rc_str text, size_t at, rc_scrub_need need);

/* Whether the text at `at` is not a secret: a word of the table, a reference to an environment
 * variable, dots or asterisks. Sets its end. */
bool rc_scrub_is_plain(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to);

/* Return the end of a value that begins at `at`: the offset of its closing quote, of its delimiter,
 * of the end of its line. */
size_t rc_scrub_quoted_end(rc_str text, size_t at, rc_glyph open);
size_t rc_scrub_bare_end(rc_str text, size_t at, rc_scrub_style style);
size_t rc_scrub_line_end(rc_str text, size_t at, rc_scrub_style style);

/* Returns the end of the indented lines that continue the value ending at `at`, or `at`. Each line
 * must be one token and look as secret as `need` demands. */
size_t rc_scrub_folded_end(rc_str text, size_t at, rc_scrub_need need);

/* Returns the edit that masks [value, end), or keeps it if it is the marker already. */
rc_scrub_edit rc_scrub_mask_value(rc_str text, size_t hold, size_t value, size_t end,
                                  size_t release);

/* --- Members: name, separator, value (member.c, auth.c) --- */

/* A value to be examined. */
typedef struct rc_scrub_slot {
    size_t hold; /* Offset of the name. */
    size_t at;   /* Offset of the value, including its quote. */
    rc_scrub_kind kind;
    rc_scrub_need need;
    rc_scrub_style style;
    bool is_flowing;  /* After a colon in prose, where ordinary words may follow. */
    bool is_assigned; /* After "=", where no prose follows. */
} rc_scrub_slot;

/* Whether the word [from, to) is the name of a secret that follows. If so, writes the edit, and
 * *ret_slot so that further elements of a list can be found. */
bool rc_scrub_find_member(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit,
                          rc_scrub_slot *ret_slot);

/* Finds the next element of a list. slot->at is the end of the previous one. */
bool rc_scrub_find_element(rc_str text, rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Whether the value that begins at `from` (after the quote `open`, if any) is a word that stands
 * for an absent secret. Sets the offset before which the text must not be cut. (plain.c) */
bool rc_scrub_is_plain_value(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                             size_t *ret_release);

/* Whether the value after <name> ends in a closing tag; otherwise <api-key> is a placeholder. The
 * marker counts as text that may have contained tags. */
bool rc_scrub_is_element(rc_str text, rc_str name, size_t value_at);

/* Returns the end of the words that begin at `at`: before the next member, or where a bare value
 * ends. */
size_t rc_scrub_phrase_end(rc_str text, size_t at, rc_scrub_style style);

/* Examines the value of an Authorization header. */
bool rc_scrub_find_auth(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Whether the word [from, to) is Bearer or Basic and credentials follow. Writes the edit if so. */
bool rc_scrub_find_scheme(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* --- URLs (url.c) --- */

/* Whether the colon at `colon` (encoded or not) is followed by // and a userinfo. *no_at_before
 * stores up to where no @ was found, so that the search is linear over all colons. */
bool rc_scrub_find_userinfo(rc_str text, size_t colon, size_t *no_at_before,
                            rc_scrub_edit *ret_edit);

/* --- Prefilter (prefilter.c) --- */

/* A key has at least this length, prefix included. The keys of RC_SECRET_SPLIT_SHAPE, which consist
 * of several words, may begin with a shorter word. */
#define RC_SCRUB_LONG_WORD 16u

/* Candidates in a window of the text, one bit a byte: the start of encoded characters, escape
 * sequences, ill-formed bytes, :// and long words, and the last byte of words that may begin a
 * construct. The scanner skips everything else. */
typedef struct rc_scrub_prefilter {
    size_t from;
    size_t to;
    uint64_t candidates;
} rc_scrub_prefilter;

/* Computes the candidates of the window that begins at `from`. */
void rc_scrub_prefilter_load(rc_scrub_prefilter *prefilter, rc_str text, size_t from);

/* Whether the candidate word that ends at `to`, before a blank, may begin a construct:
 * "name = ...", "key provided: ...", "Bearer ...", "-----BEGIN ...". Most words before a blank are
 * ordinary. */
bool rc_scrub_may_go_on_after_blank(rc_str text, size_t to);

/* Returns the first candidate at or after `at`, or an offset at or after `stop`. */
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

/* --- Scanner (scan.c) --- */

typedef struct rc_scrub_scan {
    rc_str text;
    size_t at;
    size_t stop; /* Words that begin here or later are ignored. */
    size_t no_at_before;
    rc_scrub_prefilter prefilter;
    rc_scrub_slot list; /* If is_listed: the previous element of a list. */
} rc_scrub_scan;

/* Starts at the beginning of text. text: views. */
void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text);

/* Finds the next edit. False: there is none before scan->stop. */
bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit);

#endif
