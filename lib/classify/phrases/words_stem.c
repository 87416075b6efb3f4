/* Stemmer, and the lists of stop words and negators. Called by words.c. */
#include "classify/phrases/words.h"

const char *const rc_words_stopwords[] = {
    "the",       "a",     "an",  "this", "that",  "these", "those", "your", "our",
    "my",        "their", "its", "it",   "you",   "we",    "i",     "is",   "are",
    "was",       "were",  "be",  "been", "being", "has",   "have",  "had",  "will",
    "would",     "of",    "to",  "for",  "in",    "on",    "by",    "with", "please",
    "currently", "and",   "as",  "so",   "also",  "just",  "now",   "us",   NULL};

const char *const rc_words_negators[] = {"not",    "no",   "never",   "without", "non",
                                         "isnt",   "nor",  "neither", "arent",   "wasnt",
                                         "doesnt", "dont", "didnt",   NULL};

const char *const rc_words_negators_cjk[] = {"\xE6\x9C\xAA", "\xE4\xB8\x8D", "\xE6\xB2\xA1",
                                             "\xE6\x97\xA0", "\xE9\x9D\x9E", NULL};

/* Minimum number of letters of a stem. */
#define STEM_MIN 3u

static bool is_vowel(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

static bool has_vowel(const char *word, unsigned len)
{
    for (unsigned i = 0; i < len; i++) {
        if (is_vowel(word[i]))
            return true;
    }
    return false;
}

/* Returns the length of the word without a plural ending, as in "exceeds", "boxes" and "processes".
 * "access", "status" and "analysis" have no plural ending. */
static unsigned cut_plural(const char *word, unsigned len)
{
    char before = word[len - 2];
    if (before == 's' || before == 'u' || before == 'i')
        return len;
    if (before != 'e' || len < STEM_MIN + 2)
        return len - 1;
    char hiss = word[len - 3];
    bool is_hiss = hiss == 's' || hiss == 'x' ||
                   (hiss == 'h' && (word[len - 4] == 'c' || word[len - 4] == 's'));
    return is_hiss ? len - 2 : len - 1;
}

/* Returns the length of the word without the ending ed or ing. "exceed" and "need" do not have this
 * ending; "used" becomes "use". */
static unsigned cut_participle(const char *word, unsigned len)
{
    if (word[len - 1] == 'd' && word[len - 2] == 'e' && word[len - 3] != 'e') {
        if (len == STEM_MIN + 1)
            return len - 1;
        if (len >= STEM_MIN + 2 && has_vowel(word, len - 2))
            return len - 2;
    }
    if (word[len - 1] == 'g' && len >= STEM_MIN + 3 && word[len - 2] == 'n' &&
        word[len - 3] == 'i' && has_vowel(word, len - 3))
        return len - 3;
    return len;
}

/* Returns whether the word is "not" or "non". "note" and "none" must not be shortened to these
 * words, which are negations. */
static bool is_negation(const char *word, unsigned len)
{
    return len == 3 && word[0] == 'n' && word[1] == 'o' && (word[2] == 't' || word[2] == 'n');
}

/* Completes the stem: removes a final e and one of two equal final consonants. `is_cut`: more than
 * a plural s was removed before. */
static rc_stem end_stem(const char *word, unsigned len, bool is_cut)
{
    char last = word[len - 1];
    if (last == 'e' && len > STEM_MIN) {
        len--;
        is_cut = true;
        last = word[len - 1];
    }
    if (is_cut && is_negation(word, len))
        return (rc_stem){len + 1, 'e'};
    if (is_cut && last == 's' && word[len - 2] == 'i')
        return (rc_stem){len, 'z'};
    bool is_doubled = len > STEM_MIN && last == word[len - 2];
    if (is_doubled && last != 'l' && last != 's' && !is_vowel(last))
        len--;
    return (rc_stem){len, last};
}

rc_stem rc_word_stem(const char *word, unsigned len)
{
    char last = word[len - 1];
    if (len <= STEM_MIN)
        return (rc_stem){len, last};
    bool is_ie = len >= STEM_MIN + 2 && word[len - 2] == 'e' && word[len - 3] == 'i';
    if (is_ie && (last == 's' || last == 'd'))
        return (rc_stem){len - 2, 'y'}; /* "retries" and "retried" become "retry". */

    unsigned singular = last == 's' ? cut_plural(word, len) : len;
    unsigned cut = singular > STEM_MIN ? cut_participle(word, singular) : singular;
    bool is_plural_alone = cut == singular && cut + 1 >= len;
    return end_stem(word, cut, !is_plural_alone);
}
