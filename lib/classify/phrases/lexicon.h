/* Format of the tables that gen_phrases writes: the phrases as sequences of steps, and the words
 * that lead from step to step.
 *
 *   hash of a stem ──► slot ──► lexeme ──► moves
 *
 * A step is a position in a phrase. Phrases with the same first words share the steps of these
 * words. A move belongs to a word and names the step that the word reaches, if the preceding step
 * was reached at most `reach` words before. */
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
 * gap, so that a phrase stays within one sentence. */
#define RC_PHRASE_GAP_MAX 60u

/* One move of a word. For every move that continues a phrase, rc_phrase_move_sources has the
 * preceding step. */
typedef struct rc_phrase_move {
    uint16_t step;   /* The step that is reached; 0 if the phrase ends with this word. */
    uint8_t reach;   /* Number of words within which the phrase's next word must follow, and
                        RC_MOVE_* flags. */
    uint8_t concept; /* The concept whose phrase ends with this word; RC_CONCEPT_NONE if no phrase
                        ends. */
} rc_phrase_move;

enum {
    RC_MOVE_REACH = 63,
    RC_MOVE_TEXT_BEGIN = 64, /* Flag: the word must be the text's first word. */
    RC_MOVE_NEGATOR = 128    /* Flag: the phrase itself begins with a negation. */
};

/* One word. Its moves are consecutive: later_count moves that continue phrases, then plain_count
 * and special_count moves that begin phrases. Of the moves that continue a phrase, those of later
 * steps come first, so that one occurrence of a word cannot reach two consecutive steps. They end
 * with a sentinel whose preceding step is 0. */
typedef struct rc_lexeme {
    uint64_t hash;         /* Hash of the word's stem; 0 if the slot is empty. */
    uint16_t first_move;   /* Index of the word's first move. */
    uint8_t later_count;   /* Moves that continue a phrase, plus the sentinel. */
    uint8_t plain_count;   /* Moves that begin a phrase and have neither flags nor a concept. */
    uint8_t special_count; /* Moves that begin a phrase and have flags or a concept. */
    uint8_t marker;        /* Index of this word in rc_marker_lexemes; 0 if no marker has this
                              word. */
    uint8_t negates;       /* Number of words after this one that cannot begin a phrase, because
                              this word negates them. */
    uint8_t is_stop;
} rc_lexeme;

_Static_assert(sizeof(rc_lexeme) == 16, "four lexemes a cache line");

/* A phrase that must end at the end of the text: the concept is found if the text's last word
 * reaches the step. */
typedef struct rc_phrase_end {
    uint16_t step;
    uint16_t concept;
} rc_phrase_end;

/* Perfect hash: with the seed of its bucket, each word has a slot of its own. */
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
