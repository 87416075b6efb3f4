/* Format of the tables that gen_phrases writes: the phrases as steps, and the words that advance
 * them.
 *
 *   hash of a stem ──► slot ──► lexeme ──► moves
 *
 * Phrases with the same first words share the steps of these words. A move belongs to a word and
 * says which step the word reaches: the step is reached if its predecessor was reached at most
 * `reach` words before. */
#ifndef RC_CLASSIFY_PHRASES_LEXICON_H
#define RC_CLASSIFY_PHRASES_LEXICON_H

#include <stdint.h>

#include "classify/facts.h"

/* Concepts are numbered from 0, markers from this number. */
#define RC_MARKER_BASE RC_CONCEPTS_MAX
#define RC_MARKERS_MAX 64u

/* Value of `concept` for a step that completes no concept. */
#define RC_CONCEPT_NONE 255u

/* Longest gap between two words of a phrase, in words. The end of a sentence counts as more. */
#define RC_PHRASE_GAP_MAX 60u

/* One move of a word. For every move but a phrase's first, rc_phrase_move_sources has the preceding
 * step. */
typedef struct rc_phrase_move {
    uint16_t step;   /* The step that is reached; 0: the phrase ends here. */
    uint8_t reach;   /* Words within which the next word must follow, and RC_MOVE_* flags. */
    uint8_t concept; /* The concept that is complete; RC_CONCEPT_NONE: none. */
} rc_phrase_move;

enum {
    RC_MOVE_REACH = 63,
    RC_MOVE_TEXT_BEGIN = 64, /* Only as the text's first word. */
    RC_MOVE_NEGATOR = 128    /* The phrase itself begins with a negation. */
};

/* One word. Its moves are consecutive, in the order of the three counts. Moves of later steps come
 * first, so that one occurrence of a word cannot fill two consecutive steps; they end with a
 * sentinel whose preceding step is 0. */
typedef struct rc_lexeme {
    uint64_t hash;         /* 0: empty slot. */
    uint16_t first_move;   /* Index of the word's first move. */
    uint8_t later_count;   /* Moves that continue a phrase, plus a sentinel. */
    uint8_t plain_count;   /* Moves that begin a phrase, without flags and concept. */
    uint8_t special_count; /* Moves that begin a phrase, with flags or a concept. */
    uint8_t marker;        /* Index of the same word in rc_marker_lexemes; 0: none. */
    uint8_t negates;       /* Number of following words that cannot begin a phrase. */
    uint8_t is_stop;
} rc_lexeme;

_Static_assert(sizeof(rc_lexeme) == 16, "four lexemes a cache line");

/* A concept that is complete if the step is reached by the text's last word. */
typedef struct rc_phrase_end {
    uint16_t step;
    uint16_t concept;
} rc_phrase_end;

/* Perfect hash: the seed of a word's bucket gives the word a slot of its own. */
#define RC_LEXICON_BUCKETS 256u

static inline uint32_t rc_lexicon_bucket(uint64_t hash)
{
    return (uint32_t)(hash >> 32) % RC_LEXICON_BUCKETS;
}

/* slots: a power of two. */
static inline uint32_t rc_lexicon_slot(uint64_t hash, uint32_t seed, uint32_t slots)
{
    return ((uint32_t)hash + seed * ((uint32_t)(hash >> 40) | 1u)) & (slots - 1);
}

#endif
