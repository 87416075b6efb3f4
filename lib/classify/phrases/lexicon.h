/* The form of the tables that gen_phrases writes: every phrase as steps, and the words that
 * take them.
 *
 *   hash of a stem ──► slot ──► lexeme ──► moves
 *
 * Phrases that begin alike share their first steps. A move is what a word does to one step: where
 * the step before it was reached not too many words ago, the step is reached. */
#ifndef RC_CLASSIFY_PHRASES_LEXICON_H
#define RC_CLASSIFY_PHRASES_LEXICON_H

#include <stdint.h>

#include "classify/facts.h"

/* Concepts are numbered from 0, markers from here. */
#define RC_MARKER_BASE RC_CONCEPTS_MAX
#define RC_MARKERS_MAX 64u

/* In place of a concept: the step completes nothing. */
#define RC_CONCEPT_NONE 255u

/* No gap is longer than this; the end of a sentence is. */
#define RC_PHRASE_GAP_MAX 60u

/* What a word does to one step of a phrase. Beside it stands, for all but a phrase's first step,
 * the step before it. */
typedef struct rc_phrase_move {
    uint16_t step;   /* 0: nothing follows it */
    uint8_t reach;   /* how far behind this word the next one may stand, and RC_MOVE_* */
    uint8_t concept; /* what is complete with it */
} rc_phrase_move;

enum {
    RC_MOVE_REACH = 63,
    RC_MOVE_TEXT_BEGIN = 64, /* only as the first word of the text */
    RC_MOVE_NEGATOR = 128    /* the phrase begins with a negation itself */
};

/* The moves of a word stand together, in this order; the later steps of a phrase go first, so that
 * a word cannot follow itself. */
typedef struct rc_lexeme {
    uint64_t hash;       /* 0: no word */
    uint16_t first_move; /* index of the first */
    uint8_t
        later_count; /* how many go on with a phrase; the last is none, and the step before it 0 */
    uint8_t plain_count;   /* how many begin one, without flags or a concept */
    uint8_t special_count; /* how many begin one, with them */
    uint8_t
        marker; /* the same word in the phrases of markers: index in rc_marker_lexemes; 0: none */
    uint8_t negates; /* how many words behind it cannot begin a phrase */
    uint8_t is_stop;
} rc_lexeme;

_Static_assert(sizeof(rc_lexeme) == 16, "four lexemes a cache line");

/* A concept that is complete when a step is the last of the text. */
typedef struct rc_phrase_end {
    uint16_t step;
    uint16_t concept;
} rc_phrase_end;

/* A perfect hash: each word has a slot of its own, found by the seed of its bucket. */
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
