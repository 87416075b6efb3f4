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
 * A step is a position in a phrase. For each step the scanner stores the latest word at which it
 * was reached. A word of the text advances every phrase that expects this word next. The latest
 * match of a step is enough, because a word that can continue an earlier match can also continue
 * the latest one. For a given table, the time of a scan is linear in the text's length; its memory
 * is fixed. */
#ifndef RC_CLASSIFY_PHRASES_PHRASES_H
#define RC_CLASSIFY_PHRASES_PHRASES_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "classify/phrases/lexicon.h"
#include "classify/phrases/table.h" /* generated file: RC_CONCEPT_*, RC_MARKER_*, RC_PHRASE_STEPS */

/* How precisely a concept describes a failure. */
typedef enum rc_concept_kind {
    RC_CONCEPT_DECISIVE = 1, /* States what happened: "rate limit exceeded". */
    RC_CONCEPT_WEAK = 2,     /* States in general terms what happened; a decisive concept has
                                precedence over it. */
    RC_CONCEPT_MODIFIER = 3, /* Describes a failure only together with another concept: time
                                windows, limits, advertising. */
    RC_CONCEPT_MARKER = 4,   /* Is the name of a provider. */
    RC_CONCEPT_GENERAL = 5 /* States what happened, in words that other programs use too: in a text
                                without any other sign of a call a second sign is necessary. */
} rc_concept_kind;

/* These three functions return the name, the description and the kind of a concept or marker.
 * Concepts are numbered from 0 to RC_CONCEPT_COUNT - 1, markers from RC_MARKER_BASE to
 * RC_MARKER_END - 1. For other numbers, name and description are empty and the kind is 0. The
 * returned texts have static storage duration. */
rc_str rc_concept_name(unsigned concept);
rc_str rc_concept_text(unsigned concept); /* description; empty for a marker */
rc_concept_kind rc_concept_kind_of(unsigned concept);

/* Returns the concept with this name; RC_CONCEPT_COUNT if no concept has this name. */
unsigned rc_concept_parse(rc_str name);

/* Returns the marker with this name; RC_MARKER_END if no marker has this name. */
unsigned rc_marker_parse(rc_str name);

typedef struct rc_concept_set {
    uint64_t bits[(RC_CONCEPTS_MAX + RC_MARKERS_MAX) / 64];
} rc_concept_set;

static inline bool rc_concept_set_has(const rc_concept_set *set, unsigned concept)
{
    return set->bits[concept / 64] >> (concept % 64) & 1;
}

/* Location of the first complete phrase of a concept in a text. */
typedef struct rc_phrase_span {
    uint32_t from; /* Byte offsets in the scanned text. */
    uint32_t to;
    uint32_t last_word; /* Byte offset of the phrase's last word, such as the number in "retry in
                           #". */
} rc_phrase_span;

typedef struct rc_phrase_scan {
    rc_concept_set found;                                   /* Concepts of the text that was scanned
                                                               latest. */
    rc_phrase_span spans[RC_CONCEPTS_MAX + RC_MARKERS_MAX]; /* Locations; valid for the concepts in
                                                               `found`. */
    /* Private. For each step of each phrase: the highest position at which the phrase's next word
     * may follow, and the byte offset of the phrase's first word. Positions increase from text to
     * text, so the arrays need no clearing between texts. */
    uint32_t position;
    uint32_t reach[RC_PHRASE_STEPS];
    uint16_t from[RC_PHRASE_STEPS];
} rc_phrase_scan;

void rc_phrase_scan_init(rc_phrase_scan *scan);

/* Finds every concept in the first RC_PHRASE_TEXT_MAX bytes of the text and stores the result in
 * `found` and `spans`. text: borrows during the call. */
#define RC_PHRASE_TEXT_MAX 8192u
void rc_phrase_scan_text(rc_phrase_scan *scan, rc_str text);

/* Finds the concepts of a typed (machine-readable) code such as "insufficient_quota", which is read
 * as one identifier without sentences and addresses. code: borrows during the call. */
void rc_phrase_scan_code(rc_phrase_scan *scan, rc_str code);

#endif
