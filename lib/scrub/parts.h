/* Internal declarations of the scrubber. docs/internals/scrubber.md explains how the files work
 * together. In this folder "the marker" is RC_SCRUB_REDACTED, the text that replaces a secret. A
 * construct is a secret with the text that identifies it, such as a name, a separator and a value.
 * To keep a range means to leave it unchanged and uncut. */
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
    RC_SCRUB_LOOSE = 1u << 7,  /* ~ % : |, the remaining bytes that can be part of a token */

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

/* Returns the end of the run of bytes of these classes that begins at `at`. The run is cut after
 * `most` bytes. */
static inline size_t rc_scrub_run(rc_str text, size_t at, unsigned classes, size_t most)
{
    size_t stop = most < text.len - at ? at + most : text.len;
    while (at < stop && (rc_scrub_classes[(unsigned char)text.ptr[at]] & classes))
        at++;
    return at;
}

/* Both functions return whether `literal` stands at `at`. The nocase variant ignores case and
 * expects `literal` in lower case. */
bool rc_scrub_has(rc_str text, size_t at, rc_str literal);
bool rc_scrub_has_nocase(rc_str text, size_t at, rc_str literal);

/* --- Glyphs: characters after decoding escapes (glyph.c) --- */

enum {
    RC_GLYPH_END = 256, /* end of the text */
    RC_GLYPH_LETTER,    /* a character outside ASCII that is not punctuation */
    RC_GLYPH_STOP,      /* a punctuation character outside ASCII */
    RC_GLYPH_ELLIPSIS,  /* U+2026, which ends a cut text */
    RC_GLYPH_BROKEN,    /* U+FFFD, or an ill-formed byte or NUL, which the scrubber replaces with
                           U+FFFD */
};

/* A glyph is one character after decoding escapes. For example, \" and %22 and &quot; and \u0022
 * are all the glyph of a quote. */
typedef struct rc_glyph {
    int16_t ch;       /* an ASCII character, or an RC_GLYPH_ constant */
    bool is_percent;  /* The character was written as %XX. */
    uint32_t len;     /* Bytes in the text; 0 at the end. */
    uint32_t slashes; /* Number of backslashes before the character, which shows how often it was
                         escaped. */
} rc_glyph;

/* Reads a glyph that is escaped or not ASCII. Only rc_glyph_at calls this function. */
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

/* Returns the offset after the blanks at `at`. With `is_folded` line ends are skipped, too, if a
 * blank follows them. */
size_t rc_glyph_skip_blanks(rc_str text, size_t at, bool is_folded);

/* --- Edits --- */

typedef enum rc_scrub_replacement {
    RC_SCRUB_REPLACE_NONE,   /* Changes nothing, but the range must not be cut. */
    RC_SCRUB_REPLACE_SECRET, /* Replaces a secret. */
    RC_SCRUB_REPLACE_BROKEN, /* Replaces ill-formed bytes or NUL. */
} rc_scrub_replacement;

/* A change of the text, as offsets into the text. The scan continues at `to`. The text must not be
 * cut between `hold` and `release`, because the remaining part of the construct would be read
 * differently. */
typedef struct rc_scrub_edit {
    size_t hold; /* Start of the range that must not be cut. */
    size_t from; /* The bytes [from, to) are replaced. */
    size_t to;
    size_t release; /* End of the range that must not be cut. */
    rc_scrub_replacement replacement;
} rc_scrub_edit;

static inline rc_scrub_edit rc_scrub_mask(size_t hold, size_t from, size_t to, size_t release)
{
    return (rc_scrub_edit){hold, from, to, release, RC_SCRUB_REPLACE_SECRET};
}

/* Returns an edit that changes nothing but prevents a cut between `hold` and `release`. The scan
 * continues at `next`. */
static inline rc_scrub_edit rc_scrub_keep(size_t hold, size_t next, size_t release)
{
    return (rc_scrub_edit){hold, next, next, release, RC_SCRUB_REPLACE_NONE};
}

/* --- Token shapes (shapes.c) and PEM blocks (pem.c) --- */

/* Returns whether the word [from, to) contains a key, or the beginning of a key that continues
 * after the word. The word must not have further word bytes before or after it. Sets *ret_from and
 * *ret_to to the bounds of the key. */
bool rc_scrub_find_shape(rc_str text, size_t from, size_t to, size_t *ret_from, size_t *ret_to);

/* Returns the end of the key at `at` if its prefix consists of more than one word, as in ya29., or
 * 0 if there is no such key. */
size_t rc_scrub_split_shape_end(rc_str text, size_t at);

/* Returns whether the word [from, to) begins a private key block. If so, writes the edit. */
bool rc_scrub_find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* Returns the offset after the private key block that begins at `at`, or `at` if there is none. */
size_t rc_scrub_skip_block(rc_str text, size_t at);

/* --- Names of secrets (names.c) --- */

typedef enum rc_scrub_kind { /* The kinds of secrets, which spec/secrets.def explains. */
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

/* Tables of the last two letters of words that can begin a construct (names.c). Each pair of
 * letters has a bit. The bit is set for its first letter in the first table, for its second letter
 * in the second table, and in the third table for each byte that may follow a word with this pair.
 */
extern const uint32_t rc_scrub_letters_before[256];
extern const uint32_t rc_scrub_last_letters[256];
extern const uint32_t rc_scrub_bytes_behind[256];

/* Returns whether a construct may begin with a word, judged by the word's last two bytes and the
 * byte after the word. `last` points to the word's last byte. The bytes before and after *last must
 * be readable. */
static inline bool rc_scrub_may_begin_construct(const char *last)
{
    return (rc_scrub_letters_before[(unsigned char)last[-1]] &
            rc_scrub_last_letters[(unsigned char)last[0]] &
            rc_scrub_bytes_behind[(unsigned char)last[1]]) != 0;
}

/* Returns whether the word that ends at `to` may be the name of a secret, judged by its last
 * letters. The function returns true for some other words, too, but never false for a name. */
bool rc_scrub_may_be_name(rc_str text, size_t to);

/* Returns the kind of secret that the value of a name is. With `is_exact` the whole name has to be
 * in the table, not just its end. */
rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact);

/* --- Values (value.c) --- */

typedef enum rc_scrub_need { /* How secret a value must look to be masked. */
    RC_SCRUB_NEED_NOTHING,
    RC_SCRUB_NEED_LITTLE, /* at least one digit, or at least six characters */
    RC_SCRUB_NEED_RANDOM, /* at least eight characters with letters and digits, or sixteen letters
                             or digits in a row */
    RC_SCRUB_NEED_LONG,   /* at least sixteen characters with letters and digits */
} rc_scrub_need;

typedef struct rc_scrub_style {
    bool is_text;      /* Free text, which may contain commas and brackets. */
    bool is_listed;    /* Element of a list in [ ]. */
    bool is_parameter; /* Parameter of a URL, which ends where the URL's fragment begins. */
    bool is_percent;   /* The separator was percent-encoded, so that the end of the value is
                          percent-encoded as well. */
    bool is_element;   /* Content of an XML element, which ends at the next tag. */
} rc_scrub_style;

typedef enum rc_scrub_after {
    RC_SCRUB_AFTER_NAME = 1,
    RC_SCRUB_AFTER_SCHEME = 2,
    RC_SCRUB_AFTER_BOTH = 3,
} rc_scrub_after;

/* Returns whether the value at `at` looks at least as secret as `need` requires. */
bool rc_scrub_looks_secret(rc_str text, size_t at, rc_scrub_need need);

/* Returns whether the text at `at` is not a secret but a word of the table, a reference to an
 * environment variable, a placeholder, or dots or asterisks. If so, sets *ret_to to the end of this
 * text. */
bool rc_scrub_is_plain(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to);

/* These functions return the end of a value that begins at `at`: rc_scrub_quoted_end the offset of
 * its closing quote, rc_scrub_bare_end that of its delimiter, rc_scrub_line_end that of the end of
 * its line. */
size_t rc_scrub_quoted_end(rc_str text, size_t at, rc_glyph open);
size_t rc_scrub_bare_end(rc_str text, size_t at, rc_scrub_style style);
size_t rc_scrub_line_end(rc_str text, size_t at, rc_scrub_style style);

/* Returns the end of the indented lines that continue the value that ends at `at`, or `at` if there
 * are none. Each line must be one token and look at least as secret as `need` requires. */
size_t rc_scrub_folded_end(rc_str text, size_t at, rc_scrub_need need);

/* Returns the edit that masks [value, end). If these bytes already are the marker, the edit leaves
 * them unchanged. */
rc_scrub_edit rc_scrub_mask_value(rc_str text, size_t hold, size_t value, size_t end,
                                  size_t release);

/* --- Members: name, separator, value (member.c, auth.c) --- */

/* A slot is the place of a value that has to be examined. */
typedef struct rc_scrub_slot {
    size_t hold; /* Offset of the name. */
    size_t at;   /* Offset of the value, including its quote. */
    rc_scrub_kind kind;
    rc_scrub_need need;
    rc_scrub_style style;
    bool is_flowing;  /* The value is after a colon in prose, where ordinary words may follow. */
    bool is_assigned; /* The value is after "=", where no prose follows. */
} rc_scrub_slot;

/* Returns whether the word [from, to) is the name of a secret and a value follows. If so, writes
 * the edit and *ret_slot. If the value is a list, rc_scrub_find_element uses *ret_slot to find
 * further elements. */
bool rc_scrub_find_member(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit,
                          rc_scrub_slot *ret_slot);

/* Finds the next element of a list of values. slot->at is the end of the previous element. */
bool rc_scrub_find_element(rc_str text, rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Returns whether the value that begins at `from` (after the quote `open`, if any) is a word in
 * place of a secret, such as "missing" or "invalid". Sets *ret_release to the offset before which
 * the text must not be cut. (plain.c) */
bool rc_scrub_is_plain_value(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                             size_t *ret_release);

/* Returns whether the value after <name> ends in a closing tag. If it does not, <name> is a
 * placeholder such as <api-key> and not an XML element. The search ends at a marker, because the
 * marker may have replaced text with tags. */
bool rc_scrub_is_element(rc_str text, rc_str name, size_t value_at);

/* Returns the end of the words that begin at `at`. The words end before the next member, or where
 * an unquoted value ends. */
size_t rc_scrub_phrase_end(rc_str text, size_t at, rc_scrub_style style);

/* Examines the value of an Authorization header. Returns true and writes the edit if it has
 * credentials or must not be cut. */
bool rc_scrub_find_auth(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Returns whether the word [from, to) is Bearer or Basic and credentials follow. If so, writes the
 * edit. */
bool rc_scrub_find_scheme(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* --- URLs (url.c) --- */

/* Returns whether the colon at `colon` (encoded or not) is followed by // and a userinfo (user name
 * and password). *no_at_before is the offset up to which earlier calls found no @, so that the
 * search takes linear time for all colons together. */
bool rc_scrub_find_userinfo(rc_str text, size_t colon, size_t *no_at_before,
                            rc_scrub_edit *ret_edit);

/* --- Prefilter (prefilter.c) --- */

/* Minimum length of a key, prefix included. The keys of RC_SECRET_SPLIT_SHAPE, which consist of
 * several words, may begin with a shorter word. */
#define RC_SCRUB_LONG_WORD 16u

/* The candidates in a window of the text, one bit per byte. Candidates are the first byte of
 * encoded characters, escape sequences, ill-formed bytes, :// and long words, and the last byte of
 * words that may begin a construct. The scanner examines candidates only. */
typedef struct rc_scrub_prefilter {
    size_t from;
    size_t to;
    uint64_t candidates;
} rc_scrub_prefilter;

/* Computes the candidates of the window that begins at `from`. */
void rc_scrub_prefilter_load(rc_scrub_prefilter *prefilter, rc_str text, size_t from);

/* Returns whether the candidate word that ends at `to`, before a blank, may begin a construct such
 * as "name = ...", "key provided: ...", "Bearer ..." or "-----BEGIN ...". Most words before a blank
 * are ordinary words. */
bool rc_scrub_may_go_on_after_blank(rc_str text, size_t to);

/* Returns the offset of the first candidate at or after `at`. If there is none before `stop`,
 * returns an offset at or after `stop`. */
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
    size_t stop; /* Words that begin at this offset or later are ignored. */
    size_t no_at_before;
    rc_scrub_prefilter prefilter;
    rc_scrub_slot list; /* If list.style.is_listed: the previous element of a list. */
} rc_scrub_scan;

/* Starts a scan at the beginning of text. text: the scan views it. */
void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text);

/* Finds the next edit. Returns false if there is none before scan->stop. */
bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit);

#endif
