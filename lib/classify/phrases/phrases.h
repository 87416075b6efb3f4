/* Phrases: finds the concepts (meanings such as "quota exhausted") that a text expresses. One pass
 * over the text finds any number of phrases.
 *
 *   text ──► words ──► stems ──► lexicon ──► steps of phrases ──► concepts
 *
 * spec/phrases.txt lists the concepts and the phrases of each. A phrase is a sequence of words with
 * gaps. Words are compared by their stems in lower case, so that one phrase covers "exceeds",
 * "exceeded" and "Exceeding". Identifiers are split into words: "rate_limit_exceeded",
 * "RateLimitExceeded" and "rate-limit-exceeded" are equal. A Chinese character is a word.
 *
 * A step is a position in a phrase. For each step the scanner stores where it was reached last.
 * Each word of the text advances every phrase whose next word it is. The last match of a step is
 * enough, because a word that continues an earlier match also continues the last one. Time is
 * linear in the text's length for a given table; memory is fixed. */
#ifndef RC_CLASSIFY_PHRASES_PHRASES_H
#define RC_CLASSIFY_PHRASES_PHRASES_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "classify/phrases/lexicon.h"
#include "classify/phrases/table.h" /* generated: RC_CONCEPT_*, RC_MARKER_*, RC_PHRASE_STEPS */

/* Specificity of a concept. */
typedef enum rc_concept_kind {
    RC_CONCEPT_DECISIVE = 1, /* Says what happened: "rate limit exceeded". */
    RC_CONCEPT_WEAK = 2,     /* Says in general terms what happened; a more specific concept takes
                                precedence. */
    RC_CONCEPT_MODIFIER = 3, /* Says nothing about a failure without another concept: time windows,
                                limits, advertising. */
    RC_CONCEPT_MARKER = 4    /* Names a provider. */
} rc_concept_kind;

/* Name, description and kind of a concept or marker. Concepts are numbered from 0 to
 * RC_CONCEPT_COUNT - 1, markers from RC_MARKER_BASE to RC_MARKER_END - 1. For other numbers, name
 * and text are empty and the kind is 0. Name and text are static. */
rc_str rc_concept_name(unsigned concept);
rc_str rc_concept_text(unsigned concept); /* Empty for a marker. */
rc_concept_kind rc_concept_kind_of(unsigned concept);

/* Returns the concept with this name; RC_CONCEPT_COUNT if there is none. */
unsigned rc_concept_parse(rc_str name);

/* Returns the marker with this name; RC_MARKER_END if there is none. */
unsigned rc_marker_parse(rc_str name);

typedef struct rc_concept_set {
    uint64_t bits[(RC_CONCEPTS_MAX + RC_MARKERS_MAX) / 64];
} rc_concept_set;

static inline bool rc_concept_set_has(const rc_concept_set *set, unsigned concept)
{
    return set->bits[concept / 64] >> (concept % 64) & 1;
}

/* Location of the first complete phrase of a concept. */
typedef struct rc_phrase_span {
    uint32_t from; /* Byte offsets in the scanned text. */
    uint32_t to;
    uint32_t last_word; /* Start of the phrase's last word: the number in "retry in #". */
} rc_phrase_span;

typedef struct rc_phrase_scan {
    rc_concept_set found;                                   /* Concepts of the text that was scanned
                                                               last. */
    rc_phrase_span spans[RC_CONCEPTS_MAX + RC_MARKERS_MAX]; /* Valid for the concepts in `found`. */
    /* Private. For each step of each phrase: the last position at which the next step may follow,
     * and the byte offset of the phrase's first word. Positions increase from text to text, so that
     * the arrays need not be cleared. */
    uint32_t position;
    uint32_t reach[RC_PHRASE_STEPS];
    uint16_t from[RC_PHRASE_STEPS];
} rc_phrase_scan;

void rc_phrase_scan_init(rc_phrase_scan *scan);

/* Finds every concept in the first RC_PHRASE_TEXT_MAX bytes of the text and stores the result in
 * `found` and `spans`. text: borrows during the call. */
#define RC_PHRASE_TEXT_MAX 8192u
void rc_phrase_scan_text(rc_phrase_scan *scan, rc_str text);

/* Finds the concepts of a typed (machine-readable) code such as "insufficient_quota", which is one
 * identifier without sentences and addresses. code: borrows during the call. */
void rc_phrase_scan_code(rc_phrase_scan *scan, rc_str code);

#endif
