/* rc_languages: reads error messages that are neither English nor covered by a phrase. Words have
 * roles (limit, exceeded, key, invalid ...), and the roles of one sentence together express a
 * concept, in whatever order its words stand.
 *
 *   text ──► fold.c: letters without case and accents ──► words with their roles ──► concepts
 *
 * spec/languages.txt lists the words of nine languages and the combinations of roles. Everything is
 * pure and allocates nothing; the time is linear in the text's length. */
#ifndef RC_CLASSIFY_LANGUAGES_LANGUAGES_H
#define RC_CLASSIFY_LANGUAGES_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

#include "classify/phrases/phrases.h"

/* Number of bytes of a text that are read. */
#define RC_LANGUAGE_TEXT_MAX 4096u

/* What a text says. */
typedef struct rc_language_reading {
    rc_concept_set says;
    rc_str sentence;   /* a sentence with a concept, for the trace; empty without one */
    int64_t wait_ms;   /* the wait that the text asks for; -1: none */
    rc_str wait_text;  /* the words of the wait */
    unsigned coverage; /* share of the text that words with roles cover, in per cent */
    unsigned words;    /* number of different words about models: model, token, prompt ... */
    unsigned nouns;    /* number of different words about calls: request, server ... */
    bool has_voice;    /* the text addresses its reader: "please", "your", "try again" */
    bool has_language; /* a word is one that English does not have */
} rc_language_reading;

/* Returns whether the text has letters that English does not use: accents, Cyrillic, kana, Hangul.
 * Chinese characters alone do not count, because spec/phrases.txt has Chinese phrases. */
bool rc_language_has_letters(rc_str text);

/* Reads the text. text: borrows; the views in the result point into it. */
rc_language_reading rc_language_read(rc_str text);

#endif
