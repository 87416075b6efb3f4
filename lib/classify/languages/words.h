/* Words and concepts of spec/languages.txt, as gen_languages writes them, and the folding of
 * letters that the words and the texts share. */
#ifndef RC_CLASSIFY_LANGUAGES_WORDS_H
#define RC_CLASSIFY_LANGUAGES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

/* Properties of a word. */
enum {
    RC_LANGUAGE_INSIDE = 1,  /* may stand inside a word of the text, as in a German compound */
    RC_LANGUAGE_WHOLE = 2,   /* is a whole word, without any ending */
    RC_LANGUAGE_ENGLISH = 4, /* is an English word too */
};

typedef struct rc_language_word {
    const char *bytes; /* folded */
    uint8_t len;
    uint8_t role;
    uint8_t flags;
} rc_language_word;

/* A set of roles. */
typedef struct rc_roles {
    uint64_t bits[2];
} rc_roles;

/* A concept that a sentence expresses if it has all roles of `all` and none of `none`. */
typedef struct rc_language_sense {
    uint16_t concept;
    rc_roles all;
    rc_roles none;
} rc_language_sense;

#define RC_LANGUAGE_BUCKETS 1024u

/* Returns the bucket in which the words that begin with these bytes are listed. len: at least 2. */
static inline unsigned rc_language_bucket(const char *bytes, size_t len)
{
    const unsigned first = (unsigned char)bytes[0];
    const unsigned second = (unsigned char)bytes[1];
    const unsigned third = first >= 0xE0 && len > 2 ? (unsigned char)bytes[2] : 0;
    return (first * 31 + second * 7 + third * 89) % RC_LANGUAGE_BUCKETS;
}

/* The words of bucket B are those from rc_language_buckets[B] to rc_language_buckets[B + 1], the
 * longest first. */
extern const rc_language_word rc_language_words[];
extern const uint16_t rc_language_buckets[RC_LANGUAGE_BUCKETS + 1];
extern const rc_language_sense rc_language_senses[];
extern const size_t rc_language_sense_count;

/* The most bytes of one folded character. */
#define RC_FOLD_MAX 4u

/* Reads the character at text[*at], moves *at after it, and writes its folded form to `ret`:
 * letters in lower case and without accents, digits, other letters as they are, a blank for signs
 * and white space, a line feed for the end of a sentence. Returns the number of bytes; 0 for a
 * character that is dropped, such as a combining accent. */
size_t rc_language_fold(rc_str text, size_t *at, char ret[RC_FOLD_MAX]);

#endif
