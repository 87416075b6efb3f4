#include "core/words.h"

#include "base/str.h"
#include "base/utf8.h"

/* What a character is to the reader: ASCII stands for itself, as does what is folded to it. */
enum {
    GLYPH_LETTER = 0x80, /* a letter beyond ASCII */
    GLYPH_IDEOGRAPH,     /* a word of its own */
    GLYPH_FULL_STOP,     /* ends a sentence whatever follows */
    GLYPH_AT_MOST,       /* less than or equal */
    GLYPH_AT_LEAST,
    GLYPH_OTHER
};

typedef struct glyph {
    unsigned code;
    unsigned len; /* bytes */
} glyph;

/* The letters of one word, in lower case, with room for their hash to read whole numbers. */
typedef struct letters {
    char bytes[RC_WORD_MAX + 1];
    unsigned len; /* more than RC_WORD_MAX: the rest was left out */
} letters;

/* ---- characters ---- */

static bool is_ideograph(uint32_t cp)
{
    return (cp >= 0x3040 && cp <= 0x30FF && cp != 0x30FB) || (cp >= 0x3400 && cp <= 0x9FFF) ||
           (cp >= 0xAC00 && cp <= 0xD7A3) || (cp >= 0xF900 && cp <= 0xFAFF) ||
           (cp >= 0x20000 && cp <= 0x3FFFF);
}

/* Latin to Georgian and the like, without the blocks of punctuation, signs and pictures. */
static bool is_letter(uint32_t cp)
{
    return (cp >= 0xC0 && cp < 0x2000 && cp != 0xD7 && cp != 0xF7) ||
           (cp >= 0x2C00 && cp < 0x2E00) || (cp >= 0xA000 && cp < 0xAC00) ||
           (cp >= 0xFB00 && cp < 0xFE00) || (cp >= 0xFE70 && cp < 0xFEFF) ||
           (cp >= 0xFF66 && cp < 0xFFE0);
}

static unsigned fold(uint32_t cp)
{
    if (cp >= 0xFF01 && cp <= 0xFF5E) {
        unsigned ascii = cp - 0xFF01 + '!';
        return ascii == '!' || ascii == '?' || ascii == ';' ? GLYPH_FULL_STOP : ascii;
    }
    switch (cp) {
    case 0xA0:
    case 0x3000:
        return ' ';
    case 0x2018:
    case 0x2019:
        return '\'';
    case 0x201C:
    case 0x201D:
        return '"';
    case 0x3002:
    case 0xFF61:
        return GLYPH_FULL_STOP;
    case 0x2264:
        return GLYPH_AT_MOST;
    case 0x2265:
        return GLYPH_AT_LEAST;
    default:
        break;
    }
    if (is_ideograph(cp))
        return GLYPH_IDEOGRAPH;
    return is_letter(cp) ? GLYPH_LETTER : GLYPH_OTHER;
}

/* Past the end there is an endless blank. */
static glyph glyph_at(rc_str text, size_t at)
{
    if (at >= text.len)
        return (glyph){' ', 0};
    unsigned char c = (unsigned char)text.ptr[at];
    if (c < 0x80)
        return (glyph){c, 1};
    size_t len;
    uint32_t cp = rc_utf8_decode(text, at, &len);
    return (glyph){fold(cp), (unsigned)len};
}

static bool is_digit(unsigned code)
{
    return code >= '0' && code <= '9';
}

static bool is_upper(unsigned code)
{
    return code >= 'A' && code <= 'Z';
}

static bool is_lower(unsigned code)
{
    return (code >= 'a' && code <= 'z') || code == GLYPH_LETTER;
}

static bool is_alpha(unsigned code)
{
    return is_upper(code) || is_lower(code);
}

static bool is_blank(unsigned code)
{
    return code == ' ' || (code >= '\t' && code <= '\r');
}

/* ---- hashes ---- */

/* The same on every machine: the table is made on one and read on others. */
static uint64_t little_endian(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static uint64_t load64(const char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return little_endian(value);
}

static void store64(char *p, uint64_t value)
{
    value = little_endian(value);
    memcpy(p, &value, sizeof value);
}

/* One to one for words of up to 8 bytes. */
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * UINT64_C(0x9E3779B97F4A7C15);
    if (b)
        h ^= b * UINT64_C(0xC2B2AE3D27D4EB4F) ^ c * UINT64_C(0x165667B19E3779F9);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 29;
}

/* bytes: zeros behind len. */
static uint64_t hash_bytes(const char bytes[RC_WORD_MAX + 1])
{
    return mix(load64(bytes), load64(bytes + 8), load64(bytes + 16));
}

static uint64_t hash_of(const letters *l)
{
    if (l->len > RC_WORD_MAX)
        return 0;
    rc_stem stem = rc_word_stem(l->bytes, l->len);
    char bytes[RC_WORD_MAX + 1] = {0};
    memcpy(bytes, l->bytes, stem.len);
    bytes[stem.len - 1] = stem.last;
    return hash_bytes(bytes);
}

uint64_t rc_word_hash(rc_str word)
{
    letters l = {.len = (unsigned)word.len};
    if (word.len == 0 || word.len > RC_WORD_MAX)
        return 0;
    memcpy(l.bytes, word.ptr, word.len);
    return hash_of(&l);
}

/* "cannot" as load64 has it. */
#define CANNOT UINT64_C(0x746F6E6E6163)

/* ---- emitting ---- */

typedef struct out {
    rc_words *w;
    rc_word *words;
    size_t count;
} out;

static void emit(out *o, uint64_t hash, size_t from, size_t to, rc_word_kind kind, unsigned flags)
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

/* A word that the text does not have as such. */
static void emit_as(out *o, const char *word, size_t from, size_t to)
{
    emit(o, rc_word_hash(rc_str_c(word)), from, to, RC_WORD_TEXT, 0);
}

/* ---- words of letters ---- */

static void push_letter(letters *l, rc_str text, size_t at, glyph g)
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

/* Does an identifier's next word begin at the letter `here`? RateLimit, AIPolicy; not APIs. */
static bool is_seam(rc_str text, unsigned before, size_t at, glyph here)
{
    if (!is_upper(here.code))
        return false;
    if (!is_upper(before))
        return true;
    glyph next = glyph_at(text, at + here.len);
    if (!is_lower(next.code))
        return false;
    bool is_plural = next.code == 's' && !is_alpha(glyph_at(text, at + here.len + next.len).code);
    return !is_plural;
}

/* Letters from `at` up to a seam (or to the end of the letters: not is_to_seam). */
static size_t read_letters(rc_str text, size_t at, bool is_to_seam, letters *l)
{
    *l = (letters){0};
    unsigned before = 0;
    for (;;) {
        glyph g = glyph_at(text, at);
        if (!is_alpha(g.code) || (is_to_seam && before && is_seam(text, before, at, g)))
            return at;
        push_letter(l, text, at, g);
        before = g.code;
        at += g.len;
    }
}

static bool letters_are(const letters *l, const char *word)
{
    size_t len = strlen(word);
    return l->len == len && memcmp(l->bytes, word, len) == 0;
}

/* What an apostrophe behind a word begins; *ret_to: where it ends. */
typedef enum tail {
    TAIL_NONE,
    TAIL_NOT, /* n't: the n is the word's last letter */
    TAIL_DROP /* 's 're 've 'll 'd 'm */
} tail;

static tail read_tail(rc_str text, size_t at, const letters *l, size_t *ret_to)
{
    static const char *const DROPPED[] = {"s", "re", "ve", "ll", "d", "m"};
    glyph g = glyph_at(text, at);
    if (g.code == '\\') {
        at++;
        g = glyph_at(text, at);
    }
    if (g.code != '\'')
        return TAIL_NONE;
    letters rest;
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

/* "can't", "won't", "doesn't": the word before the n. */
static void emit_negated(out *o, letters *l, size_t from, size_t to)
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

static void emit_letters(out *o, letters *l, size_t from, size_t to)
{
    if (!letters_are(l, "cannot")) {
        emit(o, hash_of(l), from, to, RC_WORD_TEXT, 0);
        return;
    }
    emit_as(o, "can", from, to);
    emit_as(o, "not", from, to);
}

/* Does the byte go on with a name or an address that began before it? */
static bool is_joint(unsigned code)
{
    return is_alpha(code) || is_digit(code) || code == '.' || code == ':' || code == '-' ||
           code == '_' || code == '@' || code == '+';
}

static void look_for_address(rc_words *w, size_t from, size_t to)
{
    if (w->is_code || from < w->looked_to || from < w->address_to ||
        !is_joint(glyph_at(w->text, to).code))
        return;
    bool is_point = to < w->text.len && (w->text.ptr[to] == '.' || w->text.ptr[to] == ':');
    if (is_point && (to + 1 == w->text.len || rc_ascii_is_space(w->text.ptr[to + 1])))
        return;
    size_t len = rc_words_address(w->text, from, &w->looked_to);
    if (len)
        w->address_to = from + len;
}

/* The end of a word that was taken apart by its letter case: it is there as a whole too. */
static void emit_whole(out *o, size_t to)
{
    rc_words *w = o->w;
    w->is_apart = false;
    letters l;
    read_letters(w->text, w->whole_from, false, &l);
    if (l.len <= RC_WORD_MAX)
        emit(o, hash_of(&l), w->whole_from, to, RC_WORD_TEXT, RC_WORD_WHOLE);
}

/* ---- plain words ---- */

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* The 8 bytes from `at` on, zeros past the end. text.len >= 8. */
static uint64_t bytes_at(rc_str text, size_t at)
{
    if (at + 8 <= text.len)
        return load64(text.ptr + at);
    if (at >= text.len)
        return 0;
    return load64(text.ptr + text.len - 8) >> (8 * (at + 8 - text.len));
}

/* How many of the bytes, from the first on, are ASCII letters. */
static unsigned count_letters(uint64_t bytes)
{
    uint64_t folded = (bytes | 0x20 * EACH_BYTE) & 0x7F * EACH_BYTE;
    uint64_t from_a = folded + (0x80 - 'a') * EACH_BYTE;
    uint64_t above_z = folded + (0x80 - 'z' - 1) * EACH_BYTE;
    uint64_t others = ~(from_a & ~above_z & ~bytes) & 0x80 * EACH_BYTE;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The first bytes: at least one of them, at most 8. */
static uint64_t mask_of(unsigned count)
{
    return UINT64_MAX >> (64 - 8 * count);
}

/* Are the letters in one case, but for the first one of a word? Then no seam is among them. */
static bool is_one_case(uint64_t bytes, uint64_t mask, uint64_t not_first)
{
    uint64_t bits = 0x20 * EACH_BYTE & mask;
    uint64_t capitals = bits & ~bytes;
    return (capitals & not_first) == 0 || capitals == bits;
}

static uint64_t lower(uint64_t bytes, uint64_t mask)
{
    return (bytes | 0x20 * EACH_BYTE) & mask;
}

/* The hash of a word of less than 8 letters in lower case. */
static uint64_t hash_short(uint64_t word, unsigned len)
{
    unsigned shift = 8 * (len - 1);
    bool may_cut = rc_stem_may_cut((char)(word >> shift), (char)(word >> (shift - 8) % 64));
    if (may_cut & (len > 3)) {
        char bytes[8];
        store64(bytes, word);
        rc_stem stem = rc_word_stem(bytes, len);
        shift = 8 * (stem.len - 1);
        word &= (UINT64_C(1) << shift) - 1;
        word |= (uint64_t)(unsigned char)stem.last << shift;
    }
    return mix(word, 0, 0);
}

/* Reads a word of at least 8 letters. Its length; 0 when it is too long or not in one case. */
static unsigned read_long(rc_str text, size_t from, uint64_t *ret_hash)
{
    char bytes[RC_WORD_MAX + 1] = {0};
    uint64_t not_first = ~UINT64_C(0xFF);
    bool is_upper_case = !(text.ptr[from + 1] & 0x20);
    unsigned len = 0;
    unsigned count = 8;
    for (unsigned i = 0; i < 3 && count == 8; i++) {
        uint64_t more = bytes_at(text, from + len);
        count = count_letters(more);
        if (count == 0)
            break;
        uint64_t mask = mask_of(count);
        if (!is_one_case(more, mask, not_first) || (i > 0 && (more >> 5 & 1) == is_upper_case))
            return 0;
        store64(bytes + len, lower(more, mask));
        len += count;
        not_first = UINT64_MAX;
    }
    if (len > RC_WORD_MAX)
        return 0;
    rc_stem stem = rc_word_stem(bytes, len);
    memset(bytes + stem.len, 0, len - stem.len);
    bytes[stem.len - 1] = stem.last;
    *ret_hash = hash_bytes(bytes);
    return len;
}

/* What a character is to a plain word: before it, or behind it. */
enum {
    CHAR_OTHER = 1, /* needs a closer look before a word, and behind it */
    CHAR_SIGN = 2,  /* needs a closer look before a word */
    CHAR_JOINT = 4  /* behind a word: it may be a part of an address */
};

static const uint8_t CHARS[256] = {[0 ... 0x1F] = CHAR_SIGN,
                                   ['!'] = CHAR_SIGN,
                                   ['%'] = CHAR_SIGN,
                                   ['\''] = CHAR_OTHER,
                                   ['+'] = CHAR_JOINT,
                                   ['-'] = CHAR_JOINT,
                                   ['.'] = CHAR_SIGN | CHAR_JOINT,
                                   ['/'] = CHAR_SIGN,
                                   ['0' ... '9'] = CHAR_SIGN | CHAR_JOINT,
                                   [':'] = CHAR_JOINT,
                                   [';' ... '<'] = CHAR_SIGN,
                                   ['>' ... '?'] = CHAR_SIGN,
                                   ['@'] = CHAR_JOINT,
                                   ['A' ... 'Z'] = CHAR_SIGN,
                                   ['\\'] = CHAR_OTHER,
                                   ['_'] = CHAR_JOINT,
                                   ['a' ... 'z'] = CHAR_SIGN,
                                   [0x7F] = CHAR_SIGN,
                                   [0x80 ... 0xFF] = CHAR_OTHER};

/* Behind characters that only separate. */
static inline size_t skip_separators(rc_str text, size_t at)
{
    while (at < text.len && !(CHARS[(unsigned char)text.ptr[at]] & (CHAR_OTHER | CHAR_SIGN)))
        at++;
    return at;
}

/* Most words are letters in one case. Reads as many of these as there are; what is different is for
 * the others. text.len >= 8. */
static void read_plain_words(out *o, size_t max)
{
    rc_words *w = o->w;
    rc_str text = w->text;
    size_t at = skip_separators(text, w->at);
    size_t to = w->letters_to;
    unsigned flags = w->is_new_sentence && !w->is_code ? RC_WORD_NEW_SENTENCE : 0;
    rc_word *first = o->words + o->count;
    rc_word *next = first;
    for (rc_word *end = o->words + max; next < end; next++) {
        uint64_t bytes = bytes_at(text, at);
        unsigned len = count_letters(bytes);
        if (len == 0) {
            at = skip_separators(text, at);
            bytes = bytes_at(text, at);
            len = count_letters(bytes);
        }
        if (len == 0 || !is_one_case(bytes, mask_of(len), ~UINT64_C(0xFF)))
            break;
        uint64_t word = lower(bytes, mask_of(len));
        unsigned char follower;
        if (len < 8) {
            follower = (unsigned char)(bytes >> (8 * len));
            if ((CHARS[follower] & CHAR_OTHER) || word == CANNOT)
                break;
            next->hash = hash_short(word, len);
        } else {
            len = read_long(text, at, &next->hash);
            follower = at + len < text.len ? (unsigned char)text.ptr[at + len] : '\0';
            if (len == 0 || (CHARS[follower] & CHAR_OTHER))
                break;
        }
        to = at + len;
        if (CHARS[follower] & CHAR_JOINT)
            look_for_address(w, at, to);
        next->from = (uint32_t)at;
        next->len = (uint16_t)len;
        next->kind = RC_WORD_TEXT;
        next->flags = (uint8_t)(flags | (at < w->address_to ? RC_WORD_IN_ADDRESS : 0));
        flags = 0;
        at = to + (follower == ' ');
    }
    if (next > first)
        w->is_new_sentence = false;
    w->letters_to = to;
    w->at = at;
    o->count = (size_t)(next - o->words);
}

/* ---- all words ---- */

static void read_word(out *o)
{
    rc_words *w = o->w;
    size_t from = w->at;
    letters l;
    size_t to = read_letters(w->text, from, true, &l);
    look_for_address(w, from, to);
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

    bool goes_on = is_alpha(glyph_at(w->text, to).code);
    if (goes_on && !w->is_apart) {
        w->is_apart = true;
        w->whole_from = from;
    }
    if (!goes_on && w->is_apart)
        emit_whole(o, to);
}

/* ---- numbers ---- */

/* The digits of a number, with its points; commas are left out. */
typedef struct digits {
    letters l;
    unsigned points;
    bool is_zero;
} digits;

/* Digits, with a comma or a point where a digit follows. */
static size_t read_digits(rc_str text, size_t at, digits *d)
{
    for (;;) {
        while (at < text.len && rc_ascii_is_digit(text.ptr[at])) {
            d->is_zero &= text.ptr[at] == '0';
            push_letter(&d->l, text, at, (glyph){(unsigned char)text.ptr[at], 1});
            at++;
        }
        glyph g = glyph_at(text, at);
        bool is_inner = (g.code == '.' || g.code == ',') && d->l.len > 0 &&
                        is_digit(glyph_at(text, at + g.len).code);
        if (!is_inner && !is_digit(g.code))
            return at;
        d->points += g.code == '.';
        d->is_zero &= !is_digit(g.code) || g.code == '0';
        if (g.code != ',')
            push_letter(&d->l, text, at, g);
        at += g.len;
    }
}

/* Digits that belong to a name ("gpt-4") and what has more points than a number ("1.2.3") are text
 * with a mark before it, which no word has. */
static void read_number(out *o)
{
    rc_words *w = o->w;
    size_t from = w->at;
    char before = from ? w->text.ptr[from - 1] : ' ';
    bool is_glued = (from && w->letters_to == from) || before == '_' || before == '-';
    digits d = {.is_zero = true};
    w->at = read_digits(w->text, from, &d);
    look_for_address(w, from, w->at);

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
        hash = hash_bytes(bytes);
    }
    emit(o, hash, from, w->at, is_number ? RC_WORD_NUMBER : RC_WORD_TEXT, 0);
}

/* ---- signs ---- */

/* "e.g.", "i.e." and "vs." do not end a sentence. */
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

static bool ends_sentence(rc_str text, size_t at)
{
    glyph next = glyph_at(text, at + 1);
    bool is_end = is_blank(next.code) || next.code == '"' || next.code == '\'' ||
                  next.code == '`' || next.code == ')' || next.code == ']' || next.code == '<' ||
                  next.code == '\\' || next.code == GLYPH_IDEOGRAPH;
    return is_end && !(text.ptr[at] == '.' && is_abbreviation(text, at));
}

/* "150000 / min", "10/min": directly behind a digit or between blanks, and a letter comes next. */
static bool is_per(rc_str text, size_t at, size_t to)
{
    char before = at ? text.ptr[at - 1] : '\0';
    bool is_after_digit = rc_ascii_is_digit(before);
    bool is_free = rc_ascii_is_space(before) && is_blank(glyph_at(text, to).code);
    if (!is_after_digit && !is_free)
        return false;
    while (to < text.len && rc_ascii_is_space(text.ptr[to]))
        to++;
    unsigned next = glyph_at(text, to).code;
    return is_alpha(next) || next == GLYPH_IDEOGRAPH;
}

/* < <= > >=; an arrow is none of them. */
static void read_comparison(out *o, glyph g)
{
    rc_words *w = o->w;
    size_t from = w->at;
    char before = from ? w->text.ptr[from - 1] : ' ';
    size_t to = from + g.len;
    glyph next = glyph_at(w->text, to);
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

/* "\n" as two characters is what is left of a line's end in text that was quoted. */
static size_t read_backslash(rc_words *w)
{
    char next = w->at + 1 < w->text.len ? rc_ascii_lower(w->text.ptr[w->at + 1]) : ' ';
    if (next == 'n' || next == 'r')
        w->is_new_sentence = true;
    return next == 'n' || next == 'r' || next == 't' ? 2 : 1;
}

static void read_sign(out *o, glyph g)
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

static void read_ideograph(out *o, glyph g)
{
    rc_words *w = o->w;
    size_t to = w->at + g.len;
    char bytes[RC_WORD_MAX + 1] = {0};
    memcpy(bytes, w->text.ptr + w->at, g.len);
    emit(o, hash_bytes(bytes), w->at, to, RC_WORD_TEXT, 0);
    w->at = to;
}

/* ---- the reader ---- */

void rc_words_init(rc_words *words, rc_str text, bool is_code)
{
    *words = (rc_words){.text = text, .is_code = is_code};
}

size_t rc_words_read(rc_words *words, rc_word *ret, size_t max)
{
    out o = {words, ret, 0};
    rc_str text = words->text;
    while (o.count + RC_WORDS_STEP <= max) {
        if (text.len >= 8 && !words->is_apart)
            read_plain_words(&o, max - RC_WORDS_STEP + 1);
        if (words->at >= text.len)
            break;
        glyph g = glyph_at(text, words->at);
        if (is_alpha(g.code))
            read_word(&o);
        else if (is_digit(g.code))
            read_number(&o);
        else if (g.code == GLYPH_IDEOGRAPH)
            read_ideograph(&o, g);
        else
            read_sign(&o, g);
    }
    return o.count;
}
