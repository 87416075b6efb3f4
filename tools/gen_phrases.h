/* Data of gen_phrases: spec/phrases.txt after parsing. */
#ifndef GEN_PHRASES_H
#define GEN_PHRASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ATOMS_MAX 4096u
#define SET_MAX 512u /* Maximum number of words that one step accepts. */
#define PHRASE_MAX 12u

/* Numbers of atoms that are no specific word; 0 is unused. */
enum {
    ATOM_NUMBER = 1, /* Stands for any number; has no hash. */
    ATOM_ZERO = 2
};

/* One word of the lexicon. */
struct atom {
    uint64_t hash;
    bool is_number; /* A specific number. */
    bool is_stop;
    uint8_t negates;
};

/* One step of a phrase: the words that it accepts, as sorted atom numbers. */
struct step {
    unsigned gap; /* Maximum number of words between the preceding step and this one. */
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
    char kind[16]; /* Empty for a marker. */
    unsigned line;
};

struct spec {
    struct atom atoms[ATOMS_MAX];
    unsigned atom_count;
    struct concept concepts[256];
    unsigned concept_count;
    unsigned marker_count;
    unsigned phrase_count; /* Phrases as written, before expansion. */
    unsigned errors;
    bool shows_notes; /* Print notes about valid but suspicious phrases. */
};

/* Called for each phrase; a phrase with alternatives of several words gives several calls. Returns
 * false if the phrase existed already. */
typedef bool (*phrase_callback)(void *ctx, const struct spec *spec, unsigned concept,
                                const struct phrase *phrase);

/* Parses the NUL-terminated text. Errors are printed with `path` and counted in spec->errors. */
void spec_read(struct spec *spec, const char *path, const char *text, phrase_callback on_phrase,
               void *ctx);

/* Initialises the spec with the words that are always in the lexicon: stop words and negators. */
void spec_init(struct spec *spec);

/* Gives the number of the word's atom; adds the atom if it is new. */
unsigned spec_atom(struct spec *spec, uint64_t hash, bool is_number);

/* Adds a word to a step. Returns false if the step has it already. */
bool step_add(struct step *step, unsigned atom);

bool step_has_negator(const struct spec *spec, const struct step *step);

#endif
