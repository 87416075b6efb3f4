/* Declarations of the tables that gen_phrases writes; lexicon.h defines their format. */
#ifndef RC_CLASSIFY_PHRASES_PRIVATE_H
#define RC_CLASSIFY_PHRASES_PRIVATE_H

#include "classify/phrases/phrases.h"

typedef struct rc_concept_row {
    rc_str name;
    rc_str text;
    rc_concept_kind kind;
} rc_concept_row;

extern const rc_concept_row rc_concept_rows[RC_CONCEPT_COUNT];
extern const rc_concept_row rc_marker_rows[RC_MARKER_END - RC_MARKER_BASE];
extern const rc_phrase_move rc_phrase_moves[];
/* The preceding step of each move in rc_phrase_moves, at the same index. */
extern const uint16_t rc_phrase_move_sources[];
extern const rc_phrase_end rc_phrase_ends[RC_PHRASE_ENDS];
extern const rc_lexeme rc_marker_lexemes[];
extern const rc_lexeme rc_lexicon_unlisted[2]; /* Lexemes of words and numbers that the lexicon does
                                                  not list; index: an rc_word_kind. */

extern const uint16_t rc_lexicon_seeds[RC_LEXICON_BUCKETS];
extern const rc_lexeme rc_lexicon[RC_LEXICON_SLOTS];

#endif
