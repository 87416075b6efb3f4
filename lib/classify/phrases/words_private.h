/* The parts of the reader of words. words.c reads what is plain; words_parts.c reads the rest. */
#ifndef RC_CLASSIFY_PHRASES_WORDS_PRIVATE_H
#define RC_CLASSIFY_PHRASES_WORDS_PRIVATE_H

#include "classify/phrases/words.h"

/* What a character is to the reader: ASCII stands for itself, as does what is folded to it. */
enum {
    GLYPH_LETTER = 0x80, /* a letter beyond ASCII */
    GLYPH_IDEOGRAPH,     /* a word of its own */
    GLYPH_FULL_STOP,     /* ends a sentence whatever follows */
    GLYPH_AT_MOST,       /* less than or equal */
    GLYPH_AT_LEAST,
    GLYPH_OTHER
};

typedef struct rc_word_glyph {
    unsigned code;
    unsigned len; /* bytes */
} rc_word_glyph;

/* The letters of one word, in lower case, with room for their hash to read whole numbers. */
typedef struct rc_word_letters {
    char bytes[RC_WORD_MAX + 1];
    unsigned len; /* more than RC_WORD_MAX: the rest was left out */
} rc_word_letters;

/* Where the words go. */
typedef struct rc_words_out {
    rc_words *w;
    rc_word *words;
    size_t count;
} rc_words_out;

/* The character at text[at]. Past the end there is an endless blank. */
rc_word_glyph rc_words_glyph(rc_str text, size_t at);

/* bytes: zeros behind the word. */
uint64_t rc_words_hash_bytes(const char bytes[RC_WORD_MAX + 1]);

/* Notes in the reader that an address begins at `from`, where a word ended at `to`. */
void rc_words_look_for_address(rc_words *w, size_t from, size_t to);

/* Each reads what its name says from the reader's place on, and moves it behind that. */
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
