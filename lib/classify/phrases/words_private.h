/* Declarations that the files of the word reader share. words.c reads words of ASCII letters in one
 * case; words_special.c reads all other text. */
#ifndef RC_CLASSIFY_PHRASES_WORDS_PRIVATE_H
#define RC_CLASSIFY_PHRASES_WORDS_PRIVATE_H

#include "classify/phrases/words.h"

/* Character classes of the reader. The class of an ASCII character is the character itself. A
 * full-width form of an ASCII character has the class of that character. */
enum {
    GLYPH_LETTER = 0x80, /* A letter that is not ASCII. */
    GLYPH_IDEOGRAPH,     /* A character that is a word of its own, as in Chinese. */
    GLYPH_FULL_STOP,     /* A full stop that ends a sentence whatever character follows. */
    GLYPH_AT_MOST,       /* The character ≤. */
    GLYPH_AT_LEAST,
    GLYPH_OTHER
};

typedef struct rc_word_glyph {
    unsigned code;
    unsigned len; /* Length of the character in bytes. */
} rc_word_glyph;

/* The letters of one word, in lower case, padded with zeros so that the hash can read 8 bytes at a
 * time. */
typedef struct rc_word_letters {
    char bytes[RC_WORD_MAX + 1];
    unsigned len; /* Length of the word; if it exceeds RC_WORD_MAX, `bytes` has only the beginning
                     of the word. */
} rc_word_letters;

/* The output of one call of rc_words_read. */
typedef struct rc_words_out {
    rc_words *w;
    rc_word *words;
    size_t count;
} rc_words_out;

/* Returns the character at text[at]; at the end of the text, a blank of length 0. */
rc_word_glyph rc_words_glyph(rc_str text, size_t at);

/* Returns the hash of a word; `bytes` must be padded with zeros. */
uint64_t rc_words_hash_bytes(const char bytes[RC_WORD_MAX + 1]);

/* Checks whether an address begins with the word from `from` to `to`. If an address does, stores
 * its end in the reader. */
void rc_words_look_for_address(rc_words *w, size_t from, size_t to);

/* rc_words_read_word, _number, _ideograph and _sign read a word, a number, an ideograph or a sign
 * at the reader's offset, and move the offset after it. */
void rc_words_read_word(rc_words_out *o);
void rc_words_read_number(rc_words_out *o);
void rc_words_read_ideograph(rc_words_out *o, rc_word_glyph g);
void rc_words_read_sign(rc_words_out *o, rc_word_glyph g);

static inline bool is_digit(unsigned code)
{
    return code >= '0' && code <= '9';
}

static inline bool is_upper(unsigned code)
{
    return code >= 'A' && code <= 'Z';
}

static inline bool is_lower(unsigned code)
{
    return (code >= 'a' && code <= 'z') || code == GLYPH_LETTER;
}

static inline bool is_alpha(unsigned code)
{
    return is_upper(code) || is_lower(code);
}

static inline bool is_blank(unsigned code)
{
    return code == ' ' || (code >= '\t' && code <= '\r');
}

#endif
