/* Phrase scanner: finds the concepts (meanings) that a text expresses. Called by classify.c,
 * rules/quoted.c and, for the names of concepts, facts.c. */
#include "classify/phrases/phrases.h"

#include "classify/phrases/private.h"
#include "classify/phrases/words.h"

_Static_assert(RC_CONCEPT_COUNT <= RC_CONCEPTS_MAX, "more concepts than the set holds");
_Static_assert(RC_MARKER_END <= RC_MARKER_BASE + RC_MARKERS_MAX, "more markers than the set holds");

/* Amounts by which the position of the next word increases at the end of a sentence and at the end
 * of a text. Both amounts exceed RC_PHRASE_GAP_MAX, so that no phrase spans two sentences or two
 * texts. */
#define SENTENCE_STEP 64u
#define TEXT_STEP 1000u

_Static_assert(RC_PHRASE_GAP_MAX < SENTENCE_STEP, "a gap must not cross the end of a sentence");

/* Highest position at which the scan of a text may begin: within a text of the greatest length,
 * positions then do not overflow. */
#define POSITION_MAX (UINT32_MAX - TEXT_STEP - RC_PHRASE_TEXT_MAX * 2 * (SENTENCE_STEP + 1))

#define WORDS_AT_ONCE 64u

/* ---- names ---- */

static const rc_concept_row *row_of(unsigned concept)
{
    static const rc_concept_row NONE = {{NULL, 0}, {NULL, 0}, (rc_concept_kind)0};
    if (concept < RC_CONCEPT_COUNT)
        return &rc_concept_rows[concept];
    if (concept >= RC_MARKER_BASE && concept < RC_MARKER_END)
        return &rc_marker_rows[concept - RC_MARKER_BASE];
    return &NONE;
}

rc_str rc_concept_name(unsigned concept)
{
    return row_of(concept)->name;
}

rc_str rc_concept_text(unsigned concept)
{
    return row_of(concept)->text;
}

rc_concept_kind rc_concept_kind_of(unsigned concept)
{
    return row_of(concept)->kind;
}

static unsigned parse(rc_str name, unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++) {
        if (rc_str_eq(row_of(i)->name, name))
            return i;
    }
    return end;
}

unsigned rc_concept_parse(rc_str name)
{
    return parse(name, 0, RC_CONCEPT_COUNT);
}

unsigned rc_marker_parse(rc_str name)
{
    return parse(name, RC_MARKER_BASE, RC_MARKER_END);
}

/* ---- the scanner ---- */

/* State of one scan. Markers (names of providers) have separate positions, because an address
 * counts as one word for phrases and as several words for markers. */
typedef struct scanner {
    rc_phrase_scan *scan;
    uint32_t position;       /* Position of the latest word. */
    uint32_t first_position; /* Position of the first word of the text. */
    uint32_t negated_to;     /* Because of a negation, no phrase may begin up to this position. */
    uint32_t marker_drift;   /* Number that is added to `position` for markers, which have positions
                              * of their own. */
    const rc_word *last;     /* The latest word that is not a stop word. */
    unsigned flags;          /* RC_WORD_NEW_SENTENCE if a stop word that was skipped since the
                                latest word had this flag. */
    bool was_in_address;
} scanner;

static void complete(scanner *r, unsigned concept, uint32_t from, const rc_word *word)
{
    rc_phrase_scan *scan = r->scan;
    uint64_t bit = UINT64_C(1) << (concept % 64);
    if (scan->found.bits[concept / 64] & bit)
        return;
    scan->found.bits[concept / 64] |= bit;
    scan->spans[concept] = (rc_phrase_span){from, word->from + word->len, word->from};
}

static inline void reach(rc_phrase_scan *scan, unsigned step, uint32_t to, uint32_t from)
{
    scan->reach[step] = to;
    scan->from[step] = (uint16_t)from;
}

/* Advances the phrases that this word continues. The list of preceding steps ends with step 0,
 * which counts as reached at every position, so the loop ends there. */
static inline void move_on(scanner *r, const rc_lexeme *lexeme, const rc_word *word,
                           uint32_t position)
{
    rc_phrase_scan *scan = r->scan;
    for (const uint16_t *list = &rc_phrase_move_sources[lexeme->first_move];; list++) {
        size_t before = *list;
        while (scan->reach[before] < position)
            before = *++list;
        if (before == 0)
            return;
        const rc_phrase_move *m = &rc_phrase_moves[list - rc_phrase_move_sources];
        uint32_t from = scan->from[before];
        if (m->step)
            reach(scan, m->step, position + m->reach, from);
        if (m->concept != RC_CONCEPT_NONE)
            complete(r, m->concept, from, word);
    }
}

static void begin_special(scanner *r, const rc_phrase_move *m, unsigned count, const rc_word *word,
                          uint32_t position)
{
    bool is_negated = position <= r->negated_to;
    for (const rc_phrase_move *end = m + count; m < end; m++) {
        if (is_negated && !(m->reach & RC_MOVE_NEGATOR))
            continue;
        if ((m->reach & RC_MOVE_TEXT_BEGIN) && position != r->first_position)
            continue;
        if (m->step)
            reach(r->scan, m->step, position + (m->reach & RC_MOVE_REACH), word->from);
        if (m->concept != RC_CONCEPT_NONE)
            complete(r, m->concept, word->from, word);
    }
}

static inline void begin(scanner *r, const rc_lexeme *lexeme, const rc_word *word,
                         uint32_t position)
{
    rc_phrase_scan *scan = r->scan;
    const rc_phrase_move *m = &rc_phrase_moves[lexeme->first_move + lexeme->later_count];
    const rc_phrase_move *special = m + lexeme->plain_count;
    uint32_t from = word->from;
    if (lexeme->special_count)
        begin_special(r, special, lexeme->special_count, word, position);
    if (position <= r->negated_to)
        return;
    for (; m < special; m++)
        reach(scan, m->step, position + m->reach, from);
}

static const rc_lexeme *lexeme_of(const rc_word *word)
{
    uint32_t seed = rc_lexicon_seeds[rc_lexicon_bucket(word->hash)];
    const rc_lexeme *lexeme = &rc_lexicon[rc_lexicon_slot(word->hash, seed, RC_LEXICON_SLOTS)];
    const rc_lexeme *other = &rc_lexicon_unlisted[word->kind];
    return lexeme->hash == word->hash ? lexeme : other;
}

/* Sets the position of a word that begins a sentence, belongs to an address, or is the whole of a
 * word that was split. For phrases, consecutive words of one address share one position. For
 * markers, each of these words has its own position. */
static void set_position(scanner *r, unsigned flags)
{
    bool is_in_address = flags & RC_WORD_IN_ADDRESS;
    if (flags & RC_WORD_WHOLE)
        return;
    if ((flags & RC_WORD_NEW_SENTENCE) && r->position >= r->first_position)
        r->position += SENTENCE_STEP;
    if (is_in_address && r->was_in_address)
        r->marker_drift++;
    else
        r->position++;
    r->was_in_address = is_in_address;
}

/* Advances the markers (names of providers), which are also found inside addresses and after a
 * negation. */
static void step_markers(scanner *r, const rc_lexeme *lexeme, const rc_word *word)
{
    uint32_t negated_to = r->negated_to;
    r->negated_to = 0;
    uint32_t position = r->position + r->marker_drift;
    move_on(r, lexeme, word, position);
    begin(r, lexeme, word, position);
    r->negated_to = negated_to;
}

static void step_words(scanner *r, const rc_word *words, size_t count)
{
    for (const rc_word *word = words; word < words + count; word++) {
        const rc_lexeme *lexeme = lexeme_of(word);
        unsigned flags = word->flags | r->flags;
        if (lexeme->is_stop && !(flags & RC_WORD_IN_ADDRESS)) {
            r->flags = flags & RC_WORD_NEW_SENTENCE;
            continue;
        }
        r->flags = 0;
        if (flags || r->was_in_address)
            set_position(r, flags);
        else
            r->position++;
        r->last = word;
        if (lexeme->marker)
            step_markers(r, &rc_marker_lexemes[lexeme->marker], word);
        if (flags & RC_WORD_IN_ADDRESS)
            continue;
        move_on(r, lexeme, word, r->position);
        begin(r, lexeme, word, r->position);
        if (lexeme->negates && r->negated_to < r->position + lexeme->negates)
            r->negated_to = r->position + lexeme->negates;
    }
}

static void step_end(scanner *r)
{
    for (unsigned i = 0; i < RC_PHRASE_ENDS; i++) {
        unsigned step = rc_phrase_ends[i].step;
        if (r->scan->reach[step] == r->position + 1)
            complete(r, rc_phrase_ends[i].concept, r->scan->from[step], r->last);
    }
}

void rc_phrase_scan_init(rc_phrase_scan *scan)
{
    /* The other members are written before they are read, so they need no initial value. */
    memset(scan->reach, 0, sizeof scan->reach);
    scan->found = (rc_concept_set){{0}};
    scan->position = 0;
    scan->reach[0] = UINT32_MAX;
}

static void scan_text(rc_phrase_scan *scan, rc_str text, bool is_code)
{
    if (scan->position > POSITION_MAX)
        rc_phrase_scan_init(scan);
    scan->found = (rc_concept_set){0};
    uint32_t position = scan->position + TEXT_STEP;
    scanner r = {.scan = scan, .position = position, .first_position = position + 1};
    if (text.len > RC_PHRASE_TEXT_MAX)
        text.len = RC_PHRASE_TEXT_MAX;

    rc_words reader;
    rc_words_init(&reader, text, is_code);
    rc_word words[WORDS_AT_ONCE];
    rc_word last = {0};
    size_t count;
    while ((count = rc_words_read(&reader, words, WORDS_AT_ONCE)) > 0) {
        r.last = &last;
        step_words(&r, words, count);
        last = *r.last;
    }
    r.last = &last;
    step_end(&r);
    scan->position = r.position + r.marker_drift;
}

void rc_phrase_scan_text(rc_phrase_scan *scan, rc_str text)
{
    scan_text(scan, text, false);
}

void rc_phrase_scan_code(rc_phrase_scan *scan, rc_str code)
{
    scan_text(scan, code, true);
}
