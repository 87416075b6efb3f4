/* The words of spec/phrases.txt by number, and sets of them. Called by gen_phrases.c and
 * gen_phrases_read.c. */
#include <stdlib.h>
#include <string.h>

#include "classify/phrases/words.h"

#include "gen_phrases.h"

unsigned spec_atom(struct spec *spec, uint64_t hash, bool is_number)
{
    for (unsigned i = ATOM_ZERO; i < spec->atom_count; i++) {
        if (spec->atoms[i].hash == hash)
            return i;
    }
    if (spec->atom_count == ATOMS_MAX) {
        fputs("gen_phrases: too many words\n", stderr);
        exit(1);
    }
    spec->atoms[spec->atom_count] = (struct atom){.hash = hash, .is_number = is_number};
    return spec->atom_count++;
}

bool step_add(struct step *step, unsigned atom)
{
    unsigned at = 0;
    while (at < step->count && step->atoms[at] < atom)
        at++;
    if (at < step->count && step->atoms[at] == atom)
        return false;
    if (step->count == SET_MAX) {
        fputs("gen_phrases: too many words in one place\n", stderr);
        exit(1);
    }
    memmove(&step->atoms[at + 1], &step->atoms[at], (step->count - at) * sizeof *step->atoms);
    step->atoms[at] = (uint16_t)atom;
    step->count++;
    return true;
}

bool step_has_negator(const struct spec *spec, const struct step *step)
{
    for (unsigned i = 0; i < step->count; i++) {
        if (spec->atoms[step->atoms[i]].negates)
            return true;
    }
    return false;
}

static struct atom *known_word(struct spec *spec, const char *word)
{
    return &spec->atoms[spec_atom(spec, rc_word_hash(rc_str_c(word)), false)];
}

/* Adds the words that are always in the lexicon: stop words and negators. */
void spec_init(struct spec *spec)
{
    spec->atom_count = ATOM_ZERO;
    spec_atom(spec, rc_word_hash(RC_STR("#0")), true);
    for (size_t i = 0; rc_words_stopwords[i]; i++)
        known_word(spec, rc_words_stopwords[i])->is_stop = true;
    for (size_t i = 0; rc_words_negators[i]; i++)
        known_word(spec, rc_words_negators[i])->negates = 1;
    for (size_t i = 0; rc_words_negators_cjk[i]; i++)
        known_word(spec, rc_words_negators_cjk[i])->negates = 1;
}
