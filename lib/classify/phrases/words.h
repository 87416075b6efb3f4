/* Words: a text as the phrases see it. Each word is the hash of its stem, and where it stands.
 *
 *   "Rate_limit exceeded for GPT-4, 10/min."  ──►  rat limit exceed gpt [4] 10 per min
 *
 * - Letters make words, in lower case; identifiers are several: at _ - . : and where the letter
 *   case changes. A word that was taken apart by its letter case is there as a whole as well
 *   ("OpenAI" is open, ai and openai). A Chinese, Japanese or Korean character is a word.
 * - Digits make a number, with commas and one point inside. With a letter, _ or - directly before
 *   them they are a part of a name, and no number.
 * - > >= < <= are words, % is "percent", a / that means it is "per".
 * - "doesn't" is does and not, "cannot" is can and not; 's and its like are not there.
 * - An address (of the web or of mail) is words that are marked as such.
 *
 * Stop words are words here; the lexicon tells them. docs/internals/phrases.md has the whole of
 * it. */
#ifndef RC_CLASSIFY_PHRASES_WORDS_H
#define RC_CLASSIFY_PHRASES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

/* A longer word has the hash 0 and is known to nobody. */
#define RC_WORD_MAX 23u

typedef enum rc_word_kind {
    RC_WORD_TEXT = 0,
    RC_WORD_NUMBER = 1 /* the hash of every zero is that of the word "#0" */
} rc_word_kind;

enum {
    RC_WORD_NEW_SENTENCE = 1, /* a sentence ended between the word before and this one */
    RC_WORD_IN_ADDRESS = 2,
    RC_WORD_WHOLE = 4 /* another reading of the words before it, at the place of the last of them */
};

typedef struct rc_word {
    uint64_t hash; /* of the stem; of a number's digits */
    uint32_t from; /* byte offset in the text */
    uint16_t len;  /* bytes */
    uint8_t kind;  /* rc_word_kind */
    uint8_t flags;
} rc_word;

typedef struct rc_words {
    rc_str text;        /* borrows */
    size_t at;          /* private, as the rest */
    size_t letters_to;  /* where the last word of letters ended */
    size_t address_to;  /* what is before this is an address */
    size_t searched_to; /* up to here it is known that no address begins */
    size_t whole_from;  /* where the word that is being taken apart begins */
    bool is_code;
    bool is_splitting; /* a word is being taken apart */
    bool is_new_sentence;
} rc_words;

/* is_code: the text is one identifier; it has neither sentences nor addresses. text: borrows. */
void rc_words_init(rc_words *words, rc_str text, bool is_code);

/* The next words, at most max (at least RC_WORDS_STEP) of them; 0 at the end. */
#define RC_WORDS_STEP 4u
size_t rc_words_read(rc_words *words, rc_word *ret, size_t max);

/* The hash of one word in lower case that is not taken apart: its stem's. */
uint64_t rc_word_hash(rc_str word);

/* The stem of a word in lower case: its first `len` bytes, the last of them replaced by `last`.
 * Light and blind to meaning: plural s, ed, ing, final e, a doubled consonant. */
typedef struct rc_stem {
    unsigned len;
    char last;
} rc_stem;
rc_stem rc_word_stem(const char *word, unsigned len);

/* Can a word that ends with these two small letters be longer than its stem? One test, since what
 * a word ends with cannot be foreseen. */
static inline bool rc_stem_may_cut(char last, char before)
{
    const uint32_t ends = 1u << ('s' & 31) | 1u << ('e' & 31) | 1u << ('d' & 31) | 1u << ('g' & 31);
    return (ends >> (last & 31) & 1u) | (uint32_t)(last == before);
}

/* The length of the address that begins at text[at], or 0. *ret_searched_to: up to here there is
 * none. */
size_t rc_words_address_len(rc_str text, size_t at, size_t *ret_searched_to);

/* What the lexicon marks: NULL-terminated. */
extern const char *const rc_words_stopwords[];    /* carry no meaning and take no place */
extern const char *const rc_words_negators[];     /* turn what begins directly behind them */
extern const char *const rc_words_negators_cjk[]; /* the same in Chinese */

#endif
