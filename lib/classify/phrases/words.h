/* Words: splits a text into the words that phrases consist of. A word is represented by the hash of
 * its stem and by its position.
 *
 *   "Rate_limit exceeded for GPT-4, 10/min."  ──►  rat limit exceed gpt [4] 10 per min
 *
 * - Letters form words, in lower case. An identifier is split at _ - . : and where the letter case
 *   changes. A word that was split at its letter case is also returned whole ("OpenAI" is open,
 *   ai and openai). A Chinese, Japanese or Korean character is a word.
 * - Digits form a number, which may contain commas and one point. Digits directly after a letter,
 *   _ or - are part of a name and not a number.
 * - The signs > >= < <= are words. % is the word "percent", and a slash that means "per" is the
 *   word "per".
 * - "doesn't" is split into does and not, "cannot" into can and not. 's and similar endings are
 *   dropped.
 * - The words of a web or mail address are flagged as such.
 *
 * Stop words ("the", "a") are read like other words; the lexicon marks them.
 * docs/internals/phrases.md has the complete description. */
#ifndef RC_CLASSIFY_PHRASES_WORDS_H
#define RC_CLASSIFY_PHRASES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

/* Longest word in bytes. A longer word has the hash 0, which no lexicon entry has. */
#define RC_WORD_MAX 23u

typedef enum rc_word_kind {
    RC_WORD_TEXT = 0,
    RC_WORD_NUMBER = 1 /* A number. Zero in any notation (0, 00, 0.0) has the hash of the word
                          "#0". */
} rc_word_kind;

enum {
    RC_WORD_NEW_SENTENCE = 1, /* A sentence ended before this word. */
    RC_WORD_IN_ADDRESS = 2,
    /* This word is the whole of a word that was split ("OpenAI" after "open" and "ai"). The whole
     * word has the position of its last part. */
    RC_WORD_WHOLE = 4
};

typedef struct rc_word {
    uint64_t hash; /* Hash of the word's stem, or of a number's digits. */
    uint32_t from; /* Byte offset of the word in the text. */
    uint16_t len;  /* Length of the word in bytes. */
    uint8_t kind;  /* An rc_word_kind. */
    uint8_t flags;
} rc_word;

typedef struct rc_words {
    rc_str text;        /* The text to read, borrowed. The other members are private. */
    size_t at;          /* Offset of the next byte to read. */
    size_t letters_to;  /* Offset of the end of the latest word of letters. */
    size_t address_to;  /* Offset of the end of the latest address. */
    size_t searched_to; /* The text was searched for addresses up to this offset. */
    size_t whole_from;  /* Offset of the start of the word that is being split. */
    bool is_code;
    bool is_splitting; /* The reader is inside a word that is split where its letter case
                          changes. */
    bool is_new_sentence;
} rc_words;

/* Initialises a reader. `is_code`: the text is one identifier, without sentences and addresses.
 * text: borrows until the reader is no longer used. */
void rc_words_init(rc_words *words, rc_str text, bool is_code);

/* Reads up to `max` words into `ret` and returns their number, which is 0 at the end of the text.
 * `max` must be at least RC_WORDS_STEP. */
#define RC_WORDS_STEP 4u
size_t rc_words_read(rc_words *words, rc_word *ret, size_t max);

/* Returns the hash of the stem of one word in lower case. The word is not split. */
uint64_t rc_word_hash(rc_str word);

/* Returns the stem of a word in lower case: the first `len` bytes of the word, with the last of
 * these bytes replaced by `last`. The endings s, ed, ing, e and a doubled consonant are removed by
 * spelling alone, without regard to the meaning of the word. */
typedef struct rc_stem {
    unsigned len;
    char last;
} rc_stem;
rc_stem rc_word_stem(const char *word, unsigned len);

/* Returns whether a word whose last two letters are `before` and `last` (lower case) may have a
 * stem that is shorter than the word. The test has no branches, because a branch predictor cannot
 * predict the endings of words. */
static inline bool rc_stem_may_cut(char last, char before)
{
    const uint32_t ends = 1u << ('s' & 31) | 1u << ('e' & 31) | 1u << ('d' & 31) | 1u << ('g' & 31);
    return (ends >> (last & 31) & 1u) | (uint32_t)(last == before);
}

/* Returns the length of the address that begins at text[at]; 0 if no address begins there.
 * *ret_searched_to: no other address begins between `at` and this offset. */
size_t rc_words_address_len(rc_str text, size_t at, size_t *ret_searched_to);

/* Lists of words that the generator gen_phrases marks in the lexicon; each list ends with NULL. */
extern const char *const rc_words_stopwords[];    /* Words without a meaning of their own; the
                                                     scanner skips them. */
extern const char *const rc_words_negators[];     /* Words that negate a phrase that begins directly
                                                     after them. */
extern const char *const rc_words_negators_cjk[]; /* Chinese words that negate a phrase directly
                                                     after them. */

#endif
