/* The parts of gen_phrases: spec/phrases.txt as the reader understands it. */
#ifndef GEN_PHRASES_H
#define GEN_PHRASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ATOMS_MAX 4096u
#define SET_MAX 512u /* words that can stand in one place */
#define PHRASE_MAX 12u

/* Atoms that are no certain word. 0 is none. */
enum {
    ATOM_NUMBER = 1, /* any number; it has no hash */
    ATOM_ZERO = 2
};

/* One word of the lexicon. */
struct atom {
    uint64_t hash;
    bool is_number; /* that number, and no other */
    bool is_stop;
    uint8_t negates;
};

/* One place of a phrase: the words that can stand there. Their numbers are sorted. */
struct step {
    unsigned gap; /* how many words may stand before it */
    unsigned count;
    uint16_t atoms[SET_MAX];
};

struct phrase {
    unsigned count;
    bool is_at_begin;
    bool is_at_end;
    struct step steps[PHRASE_MAX];
};

struct concept {
    char name[48];
    char text[160];
    char kind[16]; /* the empty string: a marker */
    unsigned line;
};

struct spec {
    struct atom atoms[ATOMS_MAX];
    unsigned atom_count;
    struct concept concepts[256];
    unsigned concept_count;
    unsigned marker_count;
    unsigned phrase_count; /* as written */
    unsigned errors;
    bool shows_notes; /* of what works and is hardly meant */
};

/* Given each phrase as it is read; alternatives of several words make several of one. False when
 * the phrase was there before. */
typedef bool (*phrase_callback)(void *ctx, const struct spec *spec, unsigned concept,
                                const struct phrase *phrase);

/* Reads the text, NUL-terminated. Errors are printed, with `path`, and counted. */
void spec_read(struct spec *spec, const char *path, const char *text, phrase_callback on_phrase,
               void *ctx);

/* Gives the spec the words that are in the lexicon whether a phrase has them or not. */
void spec_init(struct spec *spec);

/* The number of the word's atom, which is made when it is new. */
unsigned spec_atom(struct spec *spec, uint64_t hash, bool is_number);

/* Adds the word; false when it is there. */
bool step_add(struct step *step, unsigned atom);

bool step_has_negator(const struct spec *spec, const struct step *step);

#endif
