/* Internal declarations of the scrubber. docs/internals/scrubber.md explains how the files work
 * together. In this folder "the marker" is RC_SCRUB_REDACTED, the text that replaces a secret. A
 * construct is a secret together with the text that identifies it as a secret, such as a name and a
 * separator. An edit that keeps a range leaves the range unchanged and prevents a cut inside it. */
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
    RC_SCRUB_DASH = 1u << 4,   /* the bytes - and _ */
    RC_SCRUB_BASE64 = 1u << 5, /* the bytes + / = */
    RC_SCRUB_DOT = 1u << 6,    /* the byte . */
    RC_SCRUB_LOOSE = 1u << 7,  /* the bytes ~ % : | which can also be part of a token */

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

/* Returns the end of the run of bytes of these classes that begins at `at`, at most `most` bytes
 * after `at`. */
static inline size_t rc_scrub_run(rc_str text, size_t at, unsigned classes, size_t most)
{
    size_t stop = most < text.len - at ? at + most : text.len;
    while (at < stop && (rc_scrub_classes[(unsigned char)text.ptr[at]] & classes))
        at++;
    return at;
}

/* Both functions return whether the text has `literal` at `at`. The nocase variant ignores letter
 * case and requires `literal` in lower case. */
bool rc_scrub_has(rc_str text, size_t at, rc_str literal);
bool rc_scrub_has_nocase(rc_str text, size_t at, rc_str literal);

/* --- Glyphs: characters after decoding escapes (glyph.c) --- */

enum {
    RC_GLYPH_END = 256, /* end of the text */
    RC_GLYPH_LETTER,    /* a character outside ASCII that is not punctuation */
    RC_GLYPH_STOP,      /* a punctuation character outside ASCII */
    RC_GLYPH_ELLIPSIS,  /* U+2026, which ends a cut text */
    RC_GLYPH_BROKEN,    /* U+FFFD, or an ill-formed byte or NUL, both of which the scrubber replaces
                           by U+FFFD */
};

/* A glyph is one character after decoding escapes. For example, \" and %22 and &quot; and \u0022
 * are all the glyph of a quote. */
typedef struct rc_glyph {
    int16_t ch;       /* an ASCII character, or an RC_GLYPH_ constant */
    bool is_percent;  /* The character was written as %XX. */
    uint32_t len;     /* Length in the text in bytes; 0 at the end of the text. */
    uint32_t slashes; /* Number of backslashes before the character; each level of escaping adds
                         some. */
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

/* Returns the offset after the blanks at `at`. If `is_folded` is true, a line end that a blank
 * follows is skipped, too. */
size_t rc_glyph_skip_blanks(rc_str text, size_t at, bool is_folded);

/* --- Edits --- */

typedef enum rc_scrub_replacement {
    RC_SCRUB_REPLACE_NONE,   /* Changes no text, but prevents a cut of the range. */
    RC_SCRUB_REPLACE_SECRET, /* Replaces a secret by the marker. */
    RC_SCRUB_REPLACE_BROKEN, /* Replaces ill-formed bytes or NUL by U+FFFD. */
} rc_scrub_replacement;

/* A change of the text, as offsets into the text. The scan continues at `to`. The text must not be
 * cut between `hold` and `release`, because a part of the construct would be read differently from
 * the whole. */
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

/* Returns an edit that changes no text and only prevents a cut between `hold` and `release`. The
 * scan continues at `next`. */
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
 * 0 if no such key begins there. */
size_t rc_scrub_split_shape_end(rc_str text, size_t at);

/* Returns whether the word [from, to) begins a private key block. If the word begins such a block,
 * the function writes the edit. */
bool rc_scrub_find_block(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* Returns the offset after the private key block that begins at `at`, or `at` if no block begins
 * there. */
size_t rc_scrub_skip_block(rc_str text, size_t at);

/* --- Names of secrets (names.c) --- */

typedef enum rc_scrub_kind { /* The kinds of secrets; spec/secrets.def explains them. */
    RC_SCRUB_KIND_NONE,
    RC_SCRUB_KIND_AUTH,
    RC_SCRUB_KIND_COOKIE,
    RC_SCRUB_KIND_TEXT,
    RC_SCRUB_KIND_KEY,
    RC_SCRUB_KIND_TOKEN,
    RC_SCRUB_KIND_ERROR, /* Not a secret but the name of an error, such as invalid_api_key. */
    RC_SCRUB_KIND_HINT,
    RC_SCRUB_KIND_PARAM,
    RC_SCRUB_KIND_GRANT,
} rc_scrub_kind;

/* Tables of the last two letters of words that can begin a construct (names.c). Each pair of
 * letters has a bit. In the first table the bit is set for the first letter of the pair, in the
 * second table for the second letter, and in the third table for each byte that may follow a word
 * that ends with the pair. */
extern const uint32_t rc_scrub_letters_before[256];
extern const uint32_t rc_scrub_last_letters[256];
extern const uint32_t rc_scrub_bytes_behind[256];

/* Returns whether a word may be the beginning of a construct. The test uses the last two bytes of
 * the word and the byte after it. `last` points to the word's last byte. The bytes before and after
 * *last must be readable. */
static inline bool rc_scrub_may_begin_construct(const char *last)
{
    return (rc_scrub_letters_before[(unsigned char)last[-1]] &
            rc_scrub_last_letters[(unsigned char)last[0]] &
            rc_scrub_bytes_behind[(unsigned char)last[1]]) != 0;
}

/* Returns whether the word that ends at `to` may be the name of a secret, by comparing its last
 * letters. The result is true for every name of a secret, and also for some other words. */
bool rc_scrub_may_be_name(rc_str text, size_t to);

/* Returns the kind of secret that a value with this name is. If `is_exact` is true, the whole name
 * must be in the table, not just its end. */
rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact);

/* --- Values (value.c) --- */

typedef enum rc_scrub_need { /* How random a value must look to be masked. */
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
    bool is_percent;   /* The separator was percent-encoded, so the end of the value is
                          percent-encoded, too. */
    bool is_element;   /* Content of an XML element, which ends at the next tag. */
} rc_scrub_style;

typedef enum rc_scrub_after {
    RC_SCRUB_AFTER_NAME = 1,
    RC_SCRUB_AFTER_SCHEME = 2,
    RC_SCRUB_AFTER_BOTH = 3,
} rc_scrub_after;

/* Returns whether the value at `at` looks at least as random as `need` requires. */
bool rc_scrub_looks_secret(rc_str text, size_t at, rc_scrub_need need);

/* Returns whether the text at `at` is not a secret but a word of the table of ordinary words, a
 * reference to an environment variable, a placeholder, or dots or asterisks. If the result is true,
 * *ret_to is the end of this text. */
bool rc_scrub_is_plain(rc_str text, size_t at, rc_scrub_after after, size_t *ret_to);

/* These functions return the end of a value that begins at `at`: rc_scrub_quoted_end returns the
 * offset of its closing quote, rc_scrub_bare_end the offset of its delimiter, rc_scrub_line_end the
 * offset of the end of its line. */
size_t rc_scrub_quoted_end(rc_str text, size_t at, rc_glyph open);
size_t rc_scrub_bare_end(rc_str text, size_t at, rc_scrub_style style);
size_t rc_scrub_line_end(rc_str text, size_t at, rc_scrub_style style);

/* Returns the end of the indented lines that continue the value that ends at `at`, or `at` if no
 * such line follows. Each line must be one token and look at least as random as `need` requires. */
size_t rc_scrub_folded_end(rc_str text, size_t at, rc_scrub_need need);

/* Returns the edit that masks [value, end). If these bytes already are the marker, the edit leaves
 * them unchanged. */
rc_scrub_edit rc_scrub_mask_value(rc_str text, size_t hold, size_t value, size_t end,
                                  size_t release);

/* --- Members: name, separator, value (member.c, auth.c) --- */

/* A slot is the position of a value that has to be examined. */
typedef struct rc_scrub_slot {
    size_t hold; /* Offset of the name before the value. */
    size_t at;   /* Offset of the value, including its opening quote. */
    rc_scrub_kind kind;
    rc_scrub_need need;
    rc_scrub_style style;
    bool is_flowing;  /* The value follows a colon in prose, where ordinary words are possible. */
    bool is_assigned; /* The value follows "=", where no prose is possible. */
} rc_scrub_slot;

/* Returns whether the word [from, to) is the name of a secret and a value follows. If the result is
 * true, the edit and *ret_slot are written. If the value is a list, rc_scrub_find_element uses
 * *ret_slot to find further elements. */
bool rc_scrub_find_member(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit,
                          rc_scrub_slot *ret_slot);

/* Finds the next element of a list of values. slot->at is the end of the previous element. */
bool rc_scrub_find_element(rc_str text, rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Returns whether the value that begins at `from` (after its opening quote `open`, if it has one)
 * is a word in place of a secret, such as "missing" or "invalid". Sets *ret_release to the offset
 * before which the text must not be cut. (plain.c) */
bool rc_scrub_is_plain_value(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                             size_t *ret_release);

/* Returns whether the value after <name> ends in a closing tag. If not, <name> is a placeholder
 * such as <api-key> and not an XML element. The search ends at a marker, because the marker may
 * have replaced text with tags. */
bool rc_scrub_is_element(rc_str text, rc_str name, size_t value_at);

/* Returns the end of the words that begin at `at`. The words end before the next member, or where
 * an unquoted value ends. */
size_t rc_scrub_phrase_end(rc_str text, size_t at, rc_scrub_style style);

/* Examines the value of an Authorization header. Returns true and writes the edit if the value
 * contains credentials or must not be cut. */
bool rc_scrub_find_auth(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit);

/* Returns whether the word [from, to) is Bearer or Basic and credentials follow. If the result is
 * true, the edit is written. */
bool rc_scrub_find_scheme(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit);

/* --- URLs (url.c) --- */

/* Returns whether // and a userinfo (user name and password) follow the colon at `colon`,
 * percent-encoded or not. *no_at_before is the offset up to which earlier calls found no @; this
 * makes the time for all colons of a text linear. */
bool rc_scrub_find_userinfo(rc_str text, size_t colon, size_t *no_at_before,
                            rc_scrub_edit *ret_edit);

/* --- Prefilter (prefilter.c) --- */

/* Minimum length of a secret key, including its prefix. A key of RC_SECRET_SPLIT_SHAPE consists of
 * several words, and its first word may be shorter than this length. */
#define RC_SCRUB_LONG_WORD 16u

/* The candidates in a window of the text, one bit per byte. Candidates are the first byte of
 * encoded characters, escape sequences, ill-formed bytes, :// and long words, and the last byte of
 * words that may begin a construct. The scanner examines only the candidates. */
typedef struct rc_scrub_prefilter {
    size_t from;
    size_t to;
    uint64_t candidates;
} rc_scrub_prefilter;

/* Computes the candidates of the window that begins at `from`. */
void rc_scrub_prefilter_load(rc_scrub_prefilter *prefilter, rc_str text, size_t from);

/* Returns whether the candidate word that ends at `to` and is followed by a blank may be the
 * beginning of a construct such as "name = ...", "key provided: ...", "Bearer ..." or "-----BEGIN
 * ...". Most words before a blank are ordinary words. */
bool rc_scrub_may_go_on_after_blank(rc_str text, size_t to);

/* Returns the offset of the first candidate at or after `at`. If the text has no candidate before
 * `stop`, returns an offset at or after `stop`. */
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
    size_t stop; /* Words that begin at or after this offset are ignored. */
    size_t no_at_before;
    rc_scrub_prefilter prefilter;
    rc_scrub_slot list; /* The previous element of a list, if list.style.is_listed is true. */
} rc_scrub_scan;

/* Begins a scan at the start of text. text: views until the scan ends. */
void rc_scrub_scan_init(rc_scrub_scan *scan, rc_str text);

/* Finds the next edit. Returns false if the text has no edit before scan->stop. */
bool rc_scrub_scan_next(rc_scrub_scan *scan, rc_scrub_edit *ret_edit);

#endif
