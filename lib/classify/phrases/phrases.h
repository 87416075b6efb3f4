/* Phrases: what words mean, in one pass over the text however many phrases there are.
 *
 *   text ──► words ──► stems ──► lexicon ──► steps of phrases ──► concepts
 *
 * spec/phrases.txt lists concepts and, for each, the phrases that mean it. A phrase is a
 * sequence of words with gaps. Words are compared by their stems in lower case, so that one
 * phrase covers "exceeds", "exceeded" and "Exceeding"; identifiers are words too:
 * "rate_limit_exceeded", "RateLimitExceeded" and "rate-limit-exceeded" read alike. A Chinese
 * character is a word.
 *
 * For each step of each phrase the scanner keeps where its last match ended; a word advances the
 * steps that it can be. This is exact: the latest match of a step is the one from which most can
 * follow. Time is linear in the text for a given table; memory is fixed. */
#ifndef RC_CLASSIFY_PHRASES_PHRASES_H
#define RC_CLASSIFY_PHRASES_PHRASES_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "classify/phrases/lexicon.h"
#include "classify/phrases/table.h" /* generated: RC_CONCEPT_*, RC_MARKER_*, RC_PHRASE_STEPS */

/* How much a concept decides. */
typedef enum rc_concept_kind {
    RC_CONCEPT_DECISIVE = 1, /* says what happened */
    RC_CONCEPT_WEAK = 2,     /* says it in general terms; anything more exact goes first */
    RC_CONCEPT_MODIFIER = 3, /* says nothing alone: windows, limits, bait */
    RC_CONCEPT_MARKER = 4    /* names a provider */
} rc_concept_kind;

/* Concepts are numbered from 0 to RC_CONCEPT_COUNT - 1, markers from RC_MARKER_BASE to
 * RC_MARKER_END - 1. Other numbers have the empty name, the empty text and the kind 0. */
rc_str rc_concept_name(unsigned concept);
rc_str rc_concept_text(unsigned concept); /* a marker has none */
rc_concept_kind rc_concept_kind_of(unsigned concept);

/* The concept of a name; RC_CONCEPT_COUNT when there is none. */
unsigned rc_concept_parse(rc_str name);

/* The marker of a name; RC_MARKER_END when there is none. */
unsigned rc_marker_parse(rc_str name);

typedef struct rc_concept_set {
    uint64_t bits[(RC_CONCEPTS_MAX + RC_MARKERS_MAX) / 64];
} rc_concept_set;

static inline bool rc_concept_set_has(const rc_concept_set *set, unsigned concept)
{
    return set->bits[concept / 64] >> (concept % 64) & 1;
}

/* Where a concept was found: the first phrase that was complete. */
typedef struct rc_phrase_span {
    uint32_t from; /* byte offsets in the text that was scanned */
    uint32_t to;
    uint32_t last_word; /* where the phrase's last word begins: of "retry in #" the number */
} rc_phrase_span;

typedef struct rc_phrase_scan {
    rc_concept_set found;                                   /* of the last text */
    rc_phrase_span spans[RC_CONCEPTS_MAX + RC_MARKERS_MAX]; /* valid where found has the bit */
    /* Private. For each step of each phrase, where the words up to it were last found: the last
     * position at which the next step can be, and the byte offset of the phrase's first word.
     * Positions grow from text to text, so that nothing has to be cleared. */
    uint32_t position;
    uint32_t reach[RC_PHRASE_STEPS];
    uint16_t from[RC_PHRASE_STEPS];
} rc_phrase_scan;

void rc_phrase_scan_init(rc_phrase_scan *scan);

/* Looks for every concept in the first RC_PHRASE_TEXT_MAX bytes of text; `found` and `places` are
 * those of this text. text: borrows. */
#define RC_PHRASE_TEXT_MAX 8192u
void rc_phrase_scan_text(rc_phrase_scan *scan, rc_str text);

/* The same for a typed code ("insufficient_quota"): one identifier, no sentences, no addresses. */
void rc_phrase_scan_code(rc_phrase_scan *scan, rc_str code);

#endif
