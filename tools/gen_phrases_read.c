/* Parser of spec/phrases.txt: lines, phrases, words. It uses the library's word reader, so that
 * phrases and texts are split into words in the same way. Called by gen_phrases.c. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "classify/phrases/lexicon.h"
#include "classify/phrases/words.h"

#include "gen_phrases.h"

#define GAP_DEFAULT 4u
#define ITEMS_MAX 16u
#define ALTERNATIVES_MAX 160u
#define SEQUENCE_MAX 12u
#define EXPANSIONS_MAX 1024u
#define SETS_MAX 64u
#define ERRORS_MAX 50u

/* Consecutive words. */
struct sequence {
    unsigned count;
    uint16_t atoms[SEQUENCE_MAX];
};

/* One element of a phrase: a word, a group or a set. */
struct item {
    unsigned gap;
    bool is_optional;
    bool has_stop_word; /* One alternative is a stop word. */
    unsigned count;     /* Number of alternatives that have a word other than a stop word. 0: all
                         * words of the element are stop words, so the element matches no word. */
    struct sequence alternatives[ALTERNATIVES_MAX];
};

struct set {
    char name[32];
    struct item item;
};

struct reader {
    struct spec *spec;
    const char *path;
    const char *line; /* The current line without its line end. */
    size_t len;
    unsigned number;
    phrase_callback on_phrase;
    void *ctx;
    unsigned set_count;
    struct set sets[SETS_MAX];
    struct item items[ITEMS_MAX];
    unsigned item_count;
};

/* ---- errors ---- */

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *r, size_t column,
                                                       const char *format, ...)
{
    r->spec->errors++;
    if (r->spec->errors > ERRORS_MAX)
        return false;
    fprintf(stderr, "%s:%u:%zu: ", r->path, r->number, column + 1);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static void note(const struct reader *r, size_t column, const char *text)
{
    if (r->spec->shows_notes)
        fprintf(stderr, "%s:%u:%zu: note: %s\n", r->path, r->number, column + 1, text);
}

/* ---- words ---- */

/* Splits a word of the file into words as the reader does for texts, without stop words. */
static bool read_sequence(struct reader *r, size_t from, size_t to, bool is_whole,
                          struct sequence *ret)
{
    rc_words words;
    rc_word found[RC_WORDS_STEP * 4];
    rc_words_init(&words, rc_str_make(r->line + from, to - from), true);
    size_t count;
    bool has_any = false;
    while ((count = rc_words_read(&words, found, sizeof found / sizeof *found)) > 0) {
        for (size_t i = 0; i < count; i++) {
            if (!!(found[i].flags & RC_WORD_WHOLE) != is_whole)
                continue;
            has_any = true;
            bool is_number = found[i].kind == RC_WORD_NUMBER;
            if (found[i].hash == 0 && found[i].kind == RC_WORD_TEXT)
                return fail(r, from, "a word of more than %u letters", RC_WORD_MAX);
            unsigned atom = spec_atom(r->spec, found[i].hash, is_number);
            if (r->spec->atoms[atom].is_stop)
                continue;
            if (ret->count == SEQUENCE_MAX)
                return fail(r, from, "more than %u words in one place", SEQUENCE_MAX);
            ret->atoms[ret->count++] = (uint16_t)atom;
        }
    }
    if (!has_any && !is_whole)
        return fail(r, from, "not a word: %.*s", (int)(to - from), r->line + from);
    return true;
}

static bool add_alternative(struct reader *r, size_t column, struct item *item,
                            const struct sequence *sequence)
{
    if (sequence->count == 0) {
        item->has_stop_word = true;
        return true;
    }
    for (unsigned i = 0; i < item->count; i++) {
        if (memcmp(&item->alternatives[i], sequence, sizeof *sequence) == 0)
            return true;
    }
    if (item->count == ALTERNATIVES_MAX)
        return fail(r, column, "more than %u alternatives", ALTERNATIVES_MAX);
    item->alternatives[item->count++] = *sequence;
    return true;
}

static const struct set *find_set(struct reader *r, size_t from, size_t to)
{
    for (unsigned i = 0; i < r->set_count; i++) {
        const char *name = r->sets[i].name;
        if (strlen(name) == to - from && memcmp(name, r->line + from, to - from) == 0)
            return &r->sets[i];
    }
    fail(r, from, "no set of this name before: %.*s", (int)(to - from), r->line + from);
    return NULL;
}

/* Reads @set, #, #0 or a word. A word in mixed letter case is added both split and as a whole. */
static bool read_one(struct reader *r, size_t from, size_t to, struct item *item)
{
    struct sequence sequence = {0};
    const char *text = r->line + from;
    if (text[0] == '@') {
        const struct set *set = find_set(r, from, to);
        if (!set)
            return false;
        for (unsigned i = 0; i < set->item.count; i++) {
            if (!add_alternative(r, from, item, &set->item.alternatives[i]))
                return false;
        }
        return true;
    }
    if (text[0] == '#') {
        bool is_zero = to - from == 2 && text[1] == '0';
        if (to - from != 1 && !is_zero)
            return fail(r, from, "a number is # or #0");
        sequence.atoms[sequence.count++] = is_zero ? ATOM_ZERO : ATOM_NUMBER;
        return add_alternative(r, from, item, &sequence);
    }
    struct sequence whole = {0};
    return read_sequence(r, from, to, false, &sequence) &&
           read_sequence(r, from, to, true, &whole) && add_alternative(r, from, item, &sequence) &&
           (whole.count == 0 || add_alternative(r, from, item, &whole));
}

/* Reads one alternative of a group: consecutive words, or a set. */
static bool read_alternative(struct reader *r, size_t from, size_t to, struct item *item)
{
    while (from < to && r->line[from] == ' ')
        from++;
    while (to > from && r->line[to - 1] == ' ')
        to--;
    if (from == to)
        return fail(r, from, "an empty alternative");
    if (!memchr(r->line + from, ' ', to - from))
        return read_one(r, from, to, item);
    struct sequence sequence = {0};
    return read_sequence(r, from, to, false, &sequence) &&
           add_alternative(r, from, item, &sequence);
}

/* Reads a group: (a|b c|@set). */
static bool read_group(struct reader *r, size_t from, size_t to, struct item *item)
{
    size_t begin = from + 1;
    for (size_t i = begin; i < to; i++) {
        if (r->line[i] != '|' && i + 1 != to)
            continue;
        if (!read_alternative(r, begin, i, item))
            return false;
        begin = i + 1;
    }
    if (item->has_stop_word && item->count > 0)
        note(r, from, "a stop word in a group is left out: no text has it");
    return true;
}

/* ---- phrases ---- */

/* Returns the number of variants of an item. All single words together are one variant, each
 * sequence of words is one, and for an optional item its absence is one. */
static unsigned count_choices(const struct item *item)
{
    unsigned sequences = 0;
    for (unsigned i = 0; i < item->count; i++)
        sequences += item->alternatives[i].count > 1;
    return sequences + (sequences < item->count) + (item->is_optional || item->count == 0);
}

/* Appends one variant of the item to the phrase. Returns false if the phrase is too long. */
static bool append_choice(struct phrase *phrase, const struct item *item, unsigned choice,
                          unsigned *gap)
{
    *gap += item->gap;
    struct step single = {.gap = *gap};
    const struct sequence *sequence = NULL;
    for (unsigned i = 0; i < item->count; i++) {
        if (item->alternatives[i].count == 1)
            step_add(&single, item->alternatives[i].atoms[0]);
    }
    if (single.count > 0 && choice-- == 0) {
        if (phrase->count == PHRASE_MAX)
            return false;
        phrase->steps[phrase->count++] = single;
        *gap = 0;
        return true;
    }
    for (unsigned i = 0; i < item->count && !sequence; i++) {
        if (item->alternatives[i].count > 1 && choice-- == 0)
            sequence = &item->alternatives[i];
    }
    for (unsigned i = 0; sequence && i < sequence->count; i++) {
        if (phrase->count == PHRASE_MAX)
            return false;
        struct step *step = &phrase->steps[phrase->count++];
        *step = (struct step){.gap = *gap, .count = 1, .atoms = {sequence->atoms[i]}};
        *gap = 0;
    }
    return true;
}

/* Calls on_phrase for every combination of variants. */
static bool expand(struct reader *r, size_t column, bool is_at_begin, bool is_at_end,
                   bool *ret_is_new)
{
    unsigned choices[ITEMS_MAX] = {0};
    for (unsigned expansions = 0; expansions < EXPANSIONS_MAX; expansions++) {
        struct phrase phrase = {.is_at_begin = is_at_begin, .is_at_end = is_at_end};
        unsigned gap = 0;
        for (unsigned i = 0; i < r->item_count; i++) {
            if (!append_choice(&phrase, &r->items[i], choices[i], &gap))
                return fail(r, column, "a phrase of more than %u words", PHRASE_MAX);
        }
        if (phrase.count == 0)
            return fail(r, column, "stop words alone are no phrase");
        for (unsigned i = 0; i < phrase.count; i++) {
            if (phrase.steps[i].gap > RC_PHRASE_GAP_MAX)
                return fail(r, column, "a gap of more than %u words", RC_PHRASE_GAP_MAX);
        }
        *ret_is_new |= r->on_phrase(r->ctx, r->spec, r->spec->concept_count - 1, &phrase);

        unsigned turn = 0;
        while (turn < r->item_count && ++choices[turn] >= count_choices(&r->items[turn]))
            choices[turn++] = 0;
        if (turn == r->item_count)
            return true;
    }
    return fail(r, column, "more than %u readings", EXPANSIONS_MAX);
}

/* Swaps the items before `split` with those from `split` on; for phrases with <>, which match in
 * both orders. */
static void swap_sides(struct reader *r, unsigned split, unsigned gap)
{
    struct item *turned = calloc(ITEMS_MAX, sizeof *turned);
    if (!turned)
        abort();
    unsigned right = r->item_count - split;
    memcpy(turned, &r->items[split], right * sizeof *turned);
    memcpy(turned + right, r->items, split * sizeof *turned);
    turned[0].gap = 0;
    turned[right].gap = gap;
    memcpy(r->items, turned, r->item_count * sizeof *turned);
    free(turned);
}

/* Gives the end of the token at `at`: of a group its closing parenthesis, otherwise a blank or
 * ~. */
static size_t token_end(const struct reader *r, size_t at)
{
    size_t end = at;
    if (r->line[at] == '~' || (r->line[at] == '<' && at + 1 < r->len && r->line[at + 1] == '>')) {
        end += r->line[at] == '~' ? 1 : 2;
        while (end < r->len && r->line[end] >= '0' && r->line[end] <= '9')
            end++;
        return end;
    }
    bool is_group = r->line[at] == '(';
    while (end < r->len && (is_group || (r->line[end] != ' ' && r->line[end] != '~'))) {
        if (r->line[end++] == ')')
            is_group = false;
    }
    return end;
}

static unsigned read_gap(const struct reader *r, size_t from, size_t to)
{
    if (from == to)
        return GAP_DEFAULT;
    unsigned gap = 0;
    for (; from < to && gap <= RC_PHRASE_GAP_MAX; from++)
        gap = gap * 10 + (unsigned)(r->line[from] - '0');
    return gap;
}

/* Reads a word, group or set; a ? after it makes it optional. */
static bool read_item(struct reader *r, size_t from, size_t to, unsigned gap)
{
    if (r->item_count == ITEMS_MAX)
        return fail(r, from, "more than %u steps", ITEMS_MAX);
    struct item *item = &r->items[r->item_count++];
    memset(item, 0, sizeof *item);
    item->gap = gap;
    if (to - from > 1 && r->line[to - 1] == '?') {
        item->is_optional = true;
        to--;
    }
    if (r->line[from] != '(')
        return read_one(r, from, to, item);
    if (r->line[to - 1] != ')')
        return fail(r, from, "a group without its end");
    return read_group(r, from, to, item);
}

static bool read_phrase(struct reader *r, size_t at)
{
    bool is_at_begin = false;
    bool is_at_end = false;
    bool has_gap = false;
    unsigned gap = 0;
    unsigned split = 0;
    unsigned split_gap = 0;
    size_t column = at;
    r->item_count = 0;
    while (at < r->len) {
        if (r->line[at] == ' ') {
            at++;
            continue;
        }
        size_t end = token_end(r, at);
        char c = r->line[at];
        bool is_either = c == '<' && end - at > 1 && r->line[at + 1] == '>';
        if (is_at_end)
            return fail(r, at, "nothing can follow $");
        if (c == '^' && end - at == 1 && r->item_count == 0) {
            is_at_begin = true;
        } else if (c == '$' && end - at == 1) {
            is_at_end = true;
        } else if (c == '~' || is_either) {
            if (r->item_count == 0 || has_gap || (is_either && split))
                return fail(r, at, "%s cannot stand here", is_either ? "<>" : "~");
            has_gap = true;
            gap = read_gap(r, at + (is_either ? 2 : 1), end);
            if (is_either) {
                split = r->item_count;
                split_gap = gap;
            }
        } else {
            if (!read_item(r, at, end, gap))
                return false;
            has_gap = false;
            gap = 0;
        }
        at = end;
    }
    if (has_gap || r->item_count == 0)
        return fail(r, column, "a phrase ends with a word");
    if (split && (is_at_begin || is_at_end))
        return fail(r, column, "<> cannot stand with ^ or $");

    bool is_new = false;
    if (!expand(r, column, is_at_begin, is_at_end, &is_new))
        return false;
    if (split) {
        swap_sides(r, split, split_gap);
        if (!expand(r, column, false, false, &is_new))
            return false;
    }
    r->spec->phrase_count++;
    if (!is_new)
        note(r, column, "the concept has this phrase already");
    return true;
}

/* ---- lines ---- */

static size_t word_end(const struct reader *r, size_t at)
{
    while (at < r->len && r->line[at] != ' ')
        at++;
    return at;
}

static size_t skip_blanks(const struct reader *r, size_t at)
{
    while (at < r->len && r->line[at] == ' ')
        at++;
    return at;
}

static bool is_word(const struct reader *r, size_t from, size_t to, const char *word)
{
    return strlen(word) == to - from && memcmp(r->line + from, word, to - from) == 0;
}

static bool copy_word(struct reader *r, size_t from, size_t to, char *ret, size_t size)
{
    if (from == to)
        return fail(r, from, "a name is missing");
    if (to - from >= size)
        return fail(r, from, "a name of more than %zu bytes", size - 1);
    for (size_t i = from; i < to; i++) {
        char c = r->line[i];
        bool is_first_sign = i == from && c == '@';
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && !is_first_sign)
            return fail(r, i, "a name has small letters, digits and _");
    }
    memcpy(ret, r->line + from, to - from);
    ret[to - from] = '\0';
    return true;
}

/* Reads a set: words @name = word word. */
static bool read_set(struct reader *r, size_t at)
{
    if (r->set_count == SETS_MAX)
        return fail(r, at, "more than %u sets", SETS_MAX);
    struct set *set = &r->sets[r->set_count];
    memset(set, 0, sizeof *set);
    size_t end = word_end(r, at);
    if (at == end || r->line[at] != '@')
        return fail(r, at, "a set is named @name");
    if (!copy_word(r, at, end, set->name, sizeof set->name))
        return false;
    at = skip_blanks(r, end);
    end = word_end(r, at);
    if (!is_word(r, at, end, "="))
        return fail(r, at, "= is missing");
    for (at = skip_blanks(r, end); at < r->len; at = skip_blanks(r, end)) {
        end = word_end(r, at);
        if (!read_one(r, at, end, &set->item))
            return false;
    }
    if (set->item.count == 0)
        return fail(r, at, "a set without words");
    r->set_count++;
    return true;
}

static bool read_text(struct reader *r, size_t at, char *ret, size_t size)
{
    if (at + 2 > r->len || r->line[at] != '"' || r->line[r->len - 1] != '"')
        return fail(r, at, "a text in \"quotes\" is missing");
    size_t len = r->len - at - 2;
    if (len >= size || memchr(r->line + at + 1, '"', len) || memchr(r->line + at + 1, '\\', len))
        return fail(r, at, "a text is at most %zu bytes, without \" and \\", size - 1);
    memcpy(ret, r->line + at + 1, len);
    ret[len] = '\0';
    return true;
}

/* Reads a heading: concept NAME KIND "text", or marker NAME. */
static bool read_concept(struct reader *r, size_t at, bool is_marker)
{
    struct spec *spec = r->spec;
    struct concept *c = &spec->concepts[spec->concept_count];
    *c = (struct concept){.line = r->number};
    size_t end = word_end(r, at);
    if (!copy_word(r, at, end, c->name, sizeof c->name))
        return false;
    for (unsigned i = 0; i < spec->concept_count; i++) {
        if (!spec->concepts[i].kind[0] == is_marker && strcmp(spec->concepts[i].name, c->name) == 0)
            return fail(r, at, "%s was there in line %u", c->name, spec->concepts[i].line);
    }
    unsigned max = is_marker ? RC_MARKERS_MAX : RC_CONCEPTS_MAX;
    unsigned before = is_marker ? spec->marker_count : spec->concept_count - spec->marker_count;
    if (before == max)
        return fail(r, at, "more than %u of them", max);
    at = skip_blanks(r, end);
    if (is_marker) {
        if (at != r->len)
            return fail(r, at, "nothing follows a marker's name");
        spec->marker_count++;
        spec->concept_count++;
        return true;
    }
    end = word_end(r, at);
    if (!is_word(r, at, end, "decisive") && !is_word(r, at, end, "general") &&
        !is_word(r, at, end, "weak") && !is_word(r, at, end, "modifier"))
        return fail(r, at, "a concept is decisive, general, weak or modifier");
    if (!copy_word(r, at, end, c->kind, sizeof c->kind) ||
        !read_text(r, skip_blanks(r, end), c->text, sizeof c->text))
        return false;
    spec->concept_count++;
    return true;
}

/* Removes a comment: # as the first byte of a line, or after two blanks that follow other text. */
static void cut_comment(struct reader *r)
{
    size_t first = skip_blanks(r, 0);
    for (size_t i = 0; i < r->len; i++) {
        if (r->line[i] == '#' &&
            (i == 0 || (i >= first + 3 && r->line[i - 1] == ' ' && r->line[i - 2] == ' ')))
            r->len = i;
    }
    while (r->len > 0 && r->line[r->len - 1] == ' ')
        r->len--;
}

static bool read_line(struct reader *r)
{
    cut_comment(r);
    if (r->len == 0)
        return true;
    const char *bad = memchr(r->line, '\t', r->len);
    if (bad)
        return fail(r, (size_t)(bad - r->line), "a tab; blanks indent");
    if (r->line[0] == ' ') {
        if (r->spec->concept_count == 0)
            return fail(r, 0, "a phrase before the first concept");
        return read_phrase(r, skip_blanks(r, 0));
    }
    size_t end = word_end(r, 0);
    size_t next = skip_blanks(r, end);
    if (is_word(r, 0, end, "words"))
        return read_set(r, next);
    if (is_word(r, 0, end, "concept"))
        return read_concept(r, next, false);
    if (is_word(r, 0, end, "marker"))
        return read_concept(r, next, true);
    return fail(r, 0, "a line begins with words, concept, marker or a blank");
}

void spec_read(struct spec *spec, const char *path, const char *text, phrase_callback on_phrase,
               void *ctx)
{
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->spec = spec;
    r->path = path;
    r->on_phrase = on_phrase;
    r->ctx = ctx;
    spec_init(spec);
    while (*text != '\0') {
        r->number++;
        r->line = text;
        r->len = strcspn(text, "\n");
        text += r->len + (text[r->len] == '\n');
        read_line(r);
    }
    free(r);
}
