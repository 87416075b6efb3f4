/* Word reader for the text that words.c does not read: mixed letter case, apostrophes, letters
 * beyond ASCII, numbers, signs. Called by words.c. */
#include "base/str.h"
#include "classify/phrases/words_private.h"

/* ---- emitting ---- */

static uint64_t hash_of(const rc_word_letters *l)
{
    return rc_word_hash(rc_str_make(l->bytes, l->len));
}

static void emit(rc_words_out *o, uint64_t hash, size_t from, size_t to, rc_word_kind kind,
                 unsigned flags)
{
    rc_words *w = o->w;
    if (w->is_new_sentence && !(flags & RC_WORD_WHOLE)) {
        flags |= w->is_code ? 0 : RC_WORD_NEW_SENTENCE;
        w->is_new_sentence = false;
    }
    if (from < w->address_to)
        flags |= RC_WORD_IN_ADDRESS;
    o->words[o->count++] = (rc_word){.hash = hash,
                                     .from = (uint32_t)from,
                                     .len = (uint16_t)(to - from),
                                     .kind = (uint8_t)kind,
                                     .flags = (uint8_t)flags};
}

/* Adds the word `word` to the output for the text from `from` to `to`, which has another spelling
 * (% for "percent"). */
static void emit_as(rc_words_out *o, const char *word, size_t from, size_t to)
{
    emit(o, rc_word_hash(rc_str_c(word)), from, to, RC_WORD_TEXT, 0);
}

/* ---- words of letters ---- */

static void push_letter(rc_word_letters *l, rc_str text, size_t at, rc_word_glyph g)
{
    if (g.code < 0x80) {
        if (l->len < RC_WORD_MAX)
            l->bytes[l->len] = rc_ascii_lower((char)g.code);
        l->len++;
        return;
    }
    for (unsigned i = 0; i < g.len; i++) {
        if (l->len < RC_WORD_MAX)
            l->bytes[l->len] = text.ptr[at + i];
        l->len++;
    }
}

/* Returns whether a new word of an identifier begins at `at`, as at the L of RateLimit or the P of
 * AIPolicy. The plural s of "APIs" does not begin a word. */
static bool is_seam(rc_str text, unsigned before, size_t at, rc_word_glyph here)
{
    if (!is_upper(here.code))
        return false;
    if (!is_upper(before))
        return true;
    rc_word_glyph next = rc_words_glyph(text, at + here.len);
    if (!is_lower(next.code))
        return false;
    bool is_plural =
        next.code == 's' && !is_alpha(rc_words_glyph(text, at + here.len + next.len).code);
    return !is_plural;
}

/* Reads letters from `at` on and returns the offset after them. If `is_to_seam`, the letters end at
 * the next change of letter case that splits a word. */
static size_t read_letters(rc_str text, size_t at, bool is_to_seam, rc_word_letters *l)
{
    *l = (rc_word_letters){0};
    unsigned before = 0;
    for (;;) {
        rc_word_glyph g = rc_words_glyph(text, at);
        if (!is_alpha(g.code) || (is_to_seam && before && is_seam(text, before, at, g)))
            return at;
        push_letter(l, text, at, g);
        before = g.code;
        at += g.len;
    }
}

static bool letters_are(const rc_word_letters *l, const char *word)
{
    size_t len = strlen(word);
    return l->len == len && memcmp(l->bytes, word, len) == 0;
}

/* Ending of a word after an apostrophe. */
typedef enum tail {
    TAIL_NONE,
    TAIL_NOT, /* n't, as in "doesn't"; the letters before the apostrophe include the n. */
    TAIL_DROP /* an ending that is dropped: 's 're 've 'll 'd 'm */
} tail;

static tail read_tail(rc_str text, size_t at, const rc_word_letters *l, size_t *ret_to)
{
    static const char *const DROPPED[] = {"s", "re", "ve", "ll", "d", "m"};
    rc_word_glyph g = rc_words_glyph(text, at);
    if (g.code == '\\') {
        at++;
        g = rc_words_glyph(text, at);
    }
    if (g.code != '\'')
        return TAIL_NONE;
    rc_word_letters rest;
    *ret_to = read_letters(text, at + g.len, false, &rest);
    if (letters_are(&rest, "t") && l->len > 1 && l->len <= RC_WORD_MAX &&
        l->bytes[l->len - 1] == 'n')
        return TAIL_NOT;
    for (size_t i = 0; i < sizeof DROPPED / sizeof *DROPPED; i++) {
        if (letters_are(&rest, DROPPED[i]))
            return TAIL_DROP;
    }
    return TAIL_NONE;
}

/* Adds a word such as "can't" or "doesn't" to the output as two words: the word without n't, and
 * "not". */
static void emit_negated(rc_words_out *o, rc_word_letters *l, size_t from, size_t to)
{
    if (letters_are(l, "can")) {
        emit_as(o, "can", from, to);
    } else if (letters_are(l, "won")) {
        emit_as(o, "will", from, to);
    } else {
        l->len--;
        l->bytes[l->len] = '\0';
        emit(o, hash_of(l), from, to, RC_WORD_TEXT, 0);
    }
    emit_as(o, "not", from, to);
}

static void emit_letters(rc_words_out *o, rc_word_letters *l, size_t from, size_t to)
{
    if (!letters_are(l, "cannot")) {
        emit(o, hash_of(l), from, to, RC_WORD_TEXT, 0);
        return;
    }
    emit_as(o, "can", from, to);
    emit_as(o, "not", from, to);
}

/* Adds the whole word to the output, after the parts of a word that was split at its letter
 * case. */
static void emit_whole(rc_words_out *o, size_t to)
{
    rc_words *w = o->w;
    w->is_splitting = false;
    rc_word_letters l;
    read_letters(w->text, w->whole_from, false, &l);
    if (l.len <= RC_WORD_MAX)
        emit(o, hash_of(&l), w->whole_from, to, RC_WORD_TEXT, RC_WORD_WHOLE);
}

void rc_words_read_word(rc_words_out *o)
{
    rc_words *w = o->w;
    size_t from = w->at;
    rc_word_letters l;
    size_t to = read_letters(w->text, from, true, &l);
    rc_words_look_for_address(w, from, to);
    w->at = to;
    w->letters_to = to;

    size_t tail_to = to;
    switch (read_tail(w->text, to, &l, &tail_to)) {
    case TAIL_NOT:
        emit_negated(o, &l, from, to);
        w->at = tail_to;
        return;
    case TAIL_DROP:
        w->at = tail_to;
        break;
    case TAIL_NONE:
        break;
    }
    emit_letters(o, &l, from, to);

    bool goes_on = is_alpha(rc_words_glyph(w->text, to).code);
    if (goes_on && !w->is_splitting) {
        w->is_splitting = true;
        w->whole_from = from;
    }
    if (!goes_on && w->is_splitting)
        emit_whole(o, to);
}

/* ---- numbers ---- */

/* The digits and the point of a number, without commas. */
typedef struct digits {
    rc_word_letters l;
    unsigned points;
    bool is_zero;
} digits;

/* Reads digits with commas and points between them. Returns the offset after the digits. */
static size_t read_digits(rc_str text, size_t at, digits *d)
{
    for (;;) {
        while (at < text.len && rc_ascii_is_digit(text.ptr[at])) {
            d->is_zero &= text.ptr[at] == '0';
            push_letter(&d->l, text, at, (rc_word_glyph){(unsigned char)text.ptr[at], 1});
            at++;
        }
        rc_word_glyph g = rc_words_glyph(text, at);
        bool is_inner = (g.code == '.' || g.code == ',') && d->l.len > 0 &&
                        is_digit(rc_words_glyph(text, at + g.len).code);
        if (!is_inner && !is_digit(g.code))
            return at;
        d->points += g.code == '.';
        d->is_zero &= !is_digit(g.code) || g.code == '0';
        if (g.code != ',')
            push_letter(&d->l, text, at, g);
        at += g.len;
    }
}

/* Reads digits. The digits of a name ("gpt-4") and digits with more than one point ("1.2.3") count
 * as words, not as numbers. For the hash, the digits of a name get the prefix _, which no other
 * word contains. */
void rc_words_read_number(rc_words_out *o)
{
    rc_words *w = o->w;
    size_t from = w->at;
    char before = from ? w->text.ptr[from - 1] : ' ';
    bool is_glued = (from && w->letters_to == from) || before == '_' || before == '-';
    digits d = {.is_zero = true};
    w->at = read_digits(w->text, from, &d);
    rc_words_look_for_address(w, from, w->at);

    bool is_number = !is_glued && d.points < 2;
    if (is_number && d.is_zero) {
        emit(o, rc_word_hash(RC_STR("#0")), from, w->at, RC_WORD_NUMBER, 0);
        return;
    }
    uint64_t hash = 0;
    if (d.l.len < RC_WORD_MAX) {
        char bytes[RC_WORD_MAX + 1] = {0};
        bytes[0] = is_glued ? '_' : '#';
        memcpy(bytes + 1, d.l.bytes, d.l.len);
        hash = rc_words_hash_bytes(bytes);
    }
    emit(o, hash, from, w->at, is_number ? RC_WORD_NUMBER : RC_WORD_TEXT, 0);
}

/* ---- signs ---- */

/* Returns whether the point at `dot` belongs to "e.g.", "i.e." or "vs.", so that it does not end a
 * sentence. */
static bool is_abbreviation(rc_str text, size_t dot)
{
    static const char *const ABBREVIATIONS[] = {"e.g", "i.e", "vs"};
    char before = dot ? rc_ascii_lower(text.ptr[dot - 1]) : '\0';
    if (before != 'g' && before != 'e' && before != 's')
        return false;
    for (size_t i = 0; i < sizeof ABBREVIATIONS / sizeof *ABBREVIATIONS; i++) {
        rc_str a = rc_str_c(ABBREVIATIONS[i]);
        if (dot < a.len || !rc_str_eq_nocase(rc_str_slice(text, dot - a.len, dot), a))
            continue;
        if (dot == a.len || !rc_ascii_is_alnum(text.ptr[dot - a.len - 1]))
            return true;
    }
    return false;
}

/* Returns whether the line break is within a sentence, as when a terminal or a log wraps lines: a
 * letter or digit precedes the line break and a lower-case letter follows. */
static bool is_folded(rc_str text, size_t at)
{
    size_t from = at;
    while (from > 0 && (text.ptr[from - 1] == ' ' || text.ptr[from - 1] == '\r'))
        from--;
    size_t to = at + 1;
    while (to < text.len && text.ptr[to] == ' ')
        to++;
    return from > 0 && rc_ascii_is_alnum(text.ptr[from - 1]) && to < text.len &&
           text.ptr[to] >= 'a' && text.ptr[to] <= 'z';
}

static bool ends_sentence(rc_str text, size_t at)
{
    rc_word_glyph next = rc_words_glyph(text, at + 1);
    bool is_end = is_blank(next.code) || next.code == '"' || next.code == '\'' ||
                  next.code == '`' || next.code == ')' || next.code == ']' || next.code == '<' ||
                  next.code == '\\' || next.code == GLYPH_IDEOGRAPH;
    return is_end && !(text.ptr[at] == '.' && is_abbreviation(text, at));
}

/* Returns whether a slash means "per": the slash directly follows a digit or is between blanks, and
 * a letter follows ("150000 / min", "10/min"). */
static bool is_per(rc_str text, size_t at, size_t to)
{
    char before = at ? text.ptr[at - 1] : '\0';
    bool is_after_digit = rc_ascii_is_digit(before);
    bool is_free = rc_ascii_is_space(before) && is_blank(rc_words_glyph(text, to).code);
    if (!is_after_digit && !is_free)
        return false;
    while (to < text.len && rc_ascii_is_space(text.ptr[to]))
        to++;
    unsigned next = rc_words_glyph(text, to).code;
    return is_alpha(next) || next == GLYPH_IDEOGRAPH;
}

/* Reads the sign < <= > or >=. An arrow (-> or =>) is not a comparison. */
static void read_comparison(rc_words_out *o, rc_word_glyph g)
{
    rc_words *w = o->w;
    size_t from = w->at;
    char before = from ? w->text.ptr[from - 1] : ' ';
    size_t to = from + g.len;
    rc_word_glyph next = rc_words_glyph(w->text, to);
    w->at = to;
    if (g.code == GLYPH_AT_MOST || g.code == GLYPH_AT_LEAST) {
        emit_as(o, g.code == GLYPH_AT_MOST ? "<=" : ">=", from, to);
        return;
    }
    if (before == '-' || before == '=')
        return;
    if (next.code != '=') {
        emit_as(o, g.code == '<' ? "<" : ">", from, to);
        return;
    }
    w->at = to + next.len;
    emit_as(o, g.code == '<' ? "<=" : ">=", from, w->at);
}

/* Reads a backslash. A backslash followed by n is an escaped line break in quoted text, which ends
 * a sentence. */
static size_t read_backslash(rc_words *w)
{
    char next = w->at + 1 < w->text.len ? rc_ascii_lower(w->text.ptr[w->at + 1]) : ' ';
    if (next == 'n' || next == 'r')
        w->is_new_sentence = true;
    return next == 'n' || next == 'r' || next == 't' ? 2 : 1;
}

void rc_words_read_sign(rc_words_out *o, rc_word_glyph g)
{
    rc_words *w = o->w;
    size_t from = w->at;
    switch (g.code) {
    case '<':
    case '>':
    case GLYPH_AT_MOST:
    case GLYPH_AT_LEAST:
        read_comparison(o, g);
        return;
    case '%':
        emit_as(o, "percent", from, from + g.len);
        break;
    case '/':
        if (from >= w->address_to && is_per(w->text, from, from + g.len))
            emit_as(o, "per", from, from + g.len);
        break;
    case '.':
    case '!':
    case '?':
        w->is_new_sentence |= ends_sentence(w->text, from);
        break;
    case '\n':
        w->is_new_sentence |= !is_folded(w->text, from);
        break;
    case ';':
    case GLYPH_FULL_STOP:
        w->is_new_sentence = true;
        break;
    case '\\':
        w->at += read_backslash(w);
        return;
    default:
        break;
    }
    w->at = from + g.len;
}

void rc_words_read_ideograph(rc_words_out *o, rc_word_glyph g)
{
    rc_words *w = o->w;
    size_t to = w->at + g.len;
    char bytes[RC_WORD_MAX + 1] = {0};
    memcpy(bytes, w->text.ptr + w->at, g.len);
    emit(o, rc_words_hash_bytes(bytes), w->at, to, RC_WORD_TEXT, 0);
    w->at = to;
}
