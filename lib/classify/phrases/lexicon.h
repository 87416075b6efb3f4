/* Format of the phrase tables that the generator gen_phrases writes: phrases are sequences of
 * steps, and each word of a phrase leads to the next step.
 *
 *   hash of a stem ──► slot ──► lexeme ──► moves
 *
 * A step is a position in a phrase. Phrases with the same first words share the steps of these
 * words. A move belongs to a word and names the step that the word leads to. The move is possible
 * if the preceding step was reached at most `reach` words before. */
#ifndef RC_CLASSIFY_PHRASES_LEXICON_H
#define RC_CLASSIFY_PHRASES_LEXICON_H

#include <stdint.h>

#include "classify/facts.h"

/* Concepts (meanings that phrases express) are numbered from 0, markers (names of providers) from
 * RC_MARKER_BASE. */
#define RC_MARKER_BASE RC_CONCEPTS_MAX
#define RC_MARKERS_MAX 64u

/* Value of rc_phrase_move.concept for a move that completes no phrase. */
#define RC_CONCEPT_NONE 255u

/* Longest gap between two words of a phrase, in words. The end of a sentence counts as a longer
 * gap, so that no phrase spans two sentences. */
#define RC_PHRASE_GAP_MAX 60u

/* A move: a word leads from one step of a phrase to the next. rc_phrase_move_sources contains the
 * preceding step of every move that continues a phrase. */
typedef struct rc_phrase_move {
    uint16_t step;   /* The step that the word leads to; 0 if the phrase ends with this word. */
    uint8_t reach;   /* Number of words within which the phrase's next word must follow, combined
                        with RC_MOVE_* flags. */
    uint8_t concept; /* The concept whose phrase ends with this word; RC_CONCEPT_NONE if no phrase
                        ends. */
} rc_phrase_move;

enum {
    RC_MOVE_REACH = 63,
    RC_MOVE_TEXT_BEGIN = 64, /* Flag: the word must be the first word of the text. */
    RC_MOVE_NEGATOR = 128    /* Flag: the phrase itself begins with a negation, so a negation in the
                                text does not exclude it. */
};

/* One word. Its moves are consecutive: later_count moves that continue phrases, then plain_count
 * and special_count moves that begin phrases. Among the moves that continue a phrase, moves to
 * later steps come first, so that one occurrence of a word cannot lead over two consecutive steps.
 * These moves end with a sentinel whose preceding step is 0. */
typedef struct rc_lexeme {
    uint64_t hash;         /* Hash of the word's stem; 0 if the slot is empty. */
    uint16_t first_move;   /* Index of the word's first move. */
    uint8_t later_count;   /* Number of moves that continue a phrase, including the sentinel. */
    uint8_t plain_count;   /* Number of moves that begin a phrase and have neither flags nor a
                              concept. */
    uint8_t special_count; /* Number of moves that begin a phrase and have flags or a concept. */
    uint8_t marker;        /* Index of this word in rc_marker_lexemes; 0 if no marker (name of a
                              provider) contains it. */
    uint8_t negates;       /* Number of words after this negating word that cannot begin a phrase; 0
                              if this word does not negate. */
    uint8_t is_stop;
} rc_lexeme;

_Static_assert(sizeof(rc_lexeme) == 16, "four lexemes a cache line");

/* A phrase that must end at the end of the text: its concept is found if the last word of the text
 * leads to the step. */
typedef struct rc_phrase_end {
    uint16_t step;
    uint16_t concept;
} rc_phrase_end;

/* Perfect hash table: the seeds of the buckets are chosen so that no two words have the same
 * slot. */
#define RC_LEXICON_BUCKETS 256u

static inline uint32_t rc_lexicon_bucket(uint64_t hash)
{
    return (uint32_t)(hash >> 32) % RC_LEXICON_BUCKETS;
}

/* `slots`, the number of slots, must be a power of two. */
static inline uint32_t rc_lexicon_slot(uint64_t hash, uint32_t seed, uint32_t slots)
{
    return ((uint32_t)hash + seed * ((uint32_t)(hash >> 40) | 1u)) & (slots - 1);
}

#endif
