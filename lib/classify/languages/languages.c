/* Finds words with roles in a text, and the concepts of its sentences (languages.h). Called by
 * classify.c. */
#include "classify/languages/languages.h"

#include "base/str.h"
#include "base/utf8.h"
#include "classify/languages/table.h"
#include "classify/languages/words.h"

/* The folded text with the offset of each byte in the text. */
typedef struct folded {
    char bytes[RC_LANGUAGE_TEXT_MAX + RC_FOLD_MAX];
    uint16_t offsets[RC_LANGUAGE_TEXT_MAX + RC_FOLD_MAX];
    size_t len;
} folded;

static bool has(const rc_roles *roles, unsigned role)
{
    return roles->bits[role / 64] >> (role % 64) & 1;
}

static void add(rc_roles *roles, unsigned role)
{
    roles->bits[role / 64] |= UINT64_C(1) << (role % 64);
}

static bool has_any(const rc_roles *roles, const uint8_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (has(roles, list[i]))
            return true;
    }
    return false;
}

static unsigned count_of(const rc_roles *roles, const uint8_t *list, size_t count)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found += has(roles, list[i]);
    return found;
}

bool rc_language_has_letters(rc_str text)
{
    size_t len;
    for (size_t at = 0; at < text.len && at < RC_LANGUAGE_TEXT_MAX; at += len) {
        len = 1;
        if ((unsigned char)text.ptr[at] < 0x80)
            continue;
        const uint32_t cp = rc_utf8_decode(text, at, &len);
        const bool is_sign = cp == 0xD7 || cp == 0xF7;
        if ((cp >= 0xC0 && cp < 0x530 && !is_sign) || (cp >= 0x3040 && cp <= 0x30FF) ||
            (cp >= 0xAC00 && cp <= 0xD7A3))
            return true;
    }
    return false;
}

/* ---- the folded text ---- */

static void push(folded *f, char c, size_t offset)
{
    const char last = f->len > 0 ? f->bytes[f->len - 1] : '\n';
    if (c == ' ' && (last == ' ' || last == '\n'))
        return;
    f->bytes[f->len] = c;
    f->offsets[f->len++] = (uint16_t)offset;
}

static void fold(rc_str text, folded *f)
{
    f->len = 0;
    char bytes[RC_FOLD_MAX];
    for (size_t at = 0; at < text.len && f->len < RC_LANGUAGE_TEXT_MAX;) {
        const size_t from = at;
        const size_t len = rc_language_fold(text, &at, bytes);
        for (size_t i = 0; i < len; i++)
            push(f, bytes[i], from);
    }
}

/* Returns whether the byte begins a letter of an alphabet, whose words blanks separate. */
static bool is_alphabetic(char c)
{
    const unsigned char byte = (unsigned char)c;
    return (c >= 'a' && c <= 'z') || (byte >= 0xC0 && byte < 0xE0);
}

/* Returns whether a letter of an alphabet ends at `at`. */
static bool ends_letter(const folded *f, size_t at)
{
    if (at == 0)
        return false;
    at--;
    while (at > 0 && ((unsigned char)f->bytes[at] & 0xC0) == 0x80)
        at--;
    return is_alphabetic(f->bytes[at]);
}

/* ---- words ---- */

/* Returns the longest word that the folded text has at `at`; NULL if there is none. */
static const rc_language_word *word_at(const folded *f, size_t at)
{
    if (at + 2 > f->len || f->bytes[at] == ' ' || f->bytes[at] == '\n')
        return NULL;
    const bool is_inside = is_alphabetic(f->bytes[at]) && ends_letter(f, at);
    const unsigned bucket = rc_language_bucket(f->bytes + at, f->len - at);
    for (unsigned i = rc_language_buckets[bucket]; i < rc_language_buckets[bucket + 1]; i++) {
        const rc_language_word *word = &rc_language_words[i];
        const size_t end = at + word->len;
        if (end > f->len || memcmp(f->bytes + at, word->bytes, word->len) != 0)
            continue;
        const bool goes_on = end < f->len && is_alphabetic(f->bytes[end]) && ends_letter(f, end);
        if ((is_inside && !(word->flags & RC_LANGUAGE_INSIDE)) ||
            (goes_on && (word->flags & RC_LANGUAGE_WHOLE)))
            continue;
        return word;
    }
    return NULL;
}

/* ---- waits ---- */

static const struct {
    uint8_t role;
    int64_t ms;
} UNITS[] = {
    {RC_WORD_ROLE_SECOND, 1000},
    {RC_WORD_ROLE_MINUTE, 60000},
    {RC_WORD_ROLE_HOUR, 3600000},
    {RC_WORD_ROLE_DAY, 86400000},
};

static int64_t unit_ms(const rc_language_word *word)
{
    for (size_t i = 0; word != NULL && i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        if (UNITS[i].role == word->role)
            return UNITS[i].ms;
    }
    return 0;
}

/* A wait that is being read: its parts, such as hours and minutes, are added up. */
typedef struct wait {
    int64_t ms;
    size_t from;
    size_t to; /* the end of the latest part; 0 before the first one */
} wait;

/* Highest number of a unit that is read as a wait. */
#define COUNT_MAX 100000

/* Reads a number and its unit. Returns the offset after the unit, or after the number if no unit
 * follows. */
static size_t read_number(const folded *f, size_t at, wait *w)
{
    const size_t from = at;
    int64_t count = 0;
    int64_t tenths = 0;
    while (at < f->len && rc_ascii_is_digit(f->bytes[at])) {
        count = count < COUNT_MAX ? count * 10 + (f->bytes[at] - '0') : count;
        at++;
    }
    if (at + 1 < f->len && f->bytes[at] == '.' && rc_ascii_is_digit(f->bytes[at + 1])) {
        tenths = f->bytes[at + 1] - '0';
        for (at++; at < f->len && rc_ascii_is_digit(f->bytes[at]);)
            at++;
    }
    const size_t unit_at = at < f->len && f->bytes[at] == ' ' ? at + 1 : at;
    const rc_language_word *unit = word_at(f, unit_at);
    const int64_t ms = unit_ms(unit);
    const bool is_next = w->to == 0 || from <= w->to + 6;
    if (ms == 0 || count >= COUNT_MAX || !is_next)
        return at;
    w->from = w->to == 0 ? from : w->from;
    w->ms += count * ms + tenths * ms / 10;
    w->to = unit_at + unit->len;
    while (w->to < f->len && f->bytes[w->to] != ' ' && f->bytes[w->to] != '\n' &&
           ends_letter(f, w->to) && !rc_ascii_is_digit(f->bytes[w->to]))
        w->to++;
    return unit_at + unit->len;
}

/* ---- sentences ---- */

typedef struct sentence {
    rc_roles roles;
    bool has_language;
    unsigned covered; /* bytes of words with roles */
    wait wait;
    size_t from;
    size_t to;
} sentence;

/* Reads the sentence that begins at `at` and returns the offset after it. */
static size_t read_sentence(const folded *f, size_t at, sentence *s)
{
    *s = (sentence){.from = at};
    while (at < f->len && f->bytes[at] != '\n') {
        const bool is_number = rc_ascii_is_digit(f->bytes[at]) && !ends_letter(f, at);
        const rc_language_word *word = word_at(f, at);
        if (word == NULL && is_number) {
            at = read_number(f, at, &s->wait);
            continue;
        }
        if (word == NULL) {
            at++;
            continue;
        }
        add(&s->roles, word->role);
        s->has_language = s->has_language || !(word->flags & RC_LANGUAGE_ENGLISH);
        s->covered += word->len;
        at += word->len;
    }
    s->to = at;
    return at < f->len ? at + 1 : at;
}

static bool fits(const rc_language_sense *sense, const rc_roles *roles)
{
    const uint64_t missing =
        (sense->all.bits[0] & ~roles->bits[0]) | (sense->all.bits[1] & ~roles->bits[1]);
    const uint64_t excluded =
        (sense->none.bits[0] & roles->bits[0]) | (sense->none.bits[1] & roles->bits[1]);
    return missing == 0 && excluded == 0;
}

/* Adds the concepts of the roles. Returns whether one of them states what happened. */
static bool add_senses(const rc_roles *roles, rc_concept_set *says)
{
    bool is_telling = false;
    for (size_t i = 0; i < rc_language_sense_count; i++) {
        const rc_language_sense *sense = &rc_language_senses[i];
        if (!fits(sense, roles))
            continue;
        says->bits[sense->concept / 64] |= UINT64_C(1) << (sense->concept % 64);
        is_telling = is_telling || rc_concept_kind_of(sense->concept) != RC_CONCEPT_MODIFIER;
    }
    return is_telling;
}

static rc_str slice(rc_str text, const folded *f, size_t from, size_t to)
{
    return rc_str_slice(text, f->offsets[from], to < f->len ? f->offsets[to] : text.len);
}

static void add_wait(rc_language_reading *reading, const sentence *s, rc_str text, const folded *f)
{
    static const uint8_t ANNOUNCE[] = {RC_WORD_ROLE_LATER, RC_WORD_ROLE_RENEWS, RC_WORD_ROLE_RESET};
    if (s->wait.ms <= reading->wait_ms || !has_any(&s->roles, ANNOUNCE, sizeof(ANNOUNCE)))
        return;
    reading->wait_ms = s->wait.ms;
    reading->wait_text = slice(text, f, s->wait.from, s->wait.to);
}

static void add_signs(rc_language_reading *reading, const rc_roles *roles)
{
    static const uint8_t WORDS[] = {
        RC_WORD_ROLE_MODEL,   RC_WORD_ROLE_TOKEN,      RC_WORD_ROLE_PROMPT,
        RC_WORD_ROLE_CONTEXT, RC_WORD_ROLE_QUOTA,      RC_WORD_ROLE_KEY,
        RC_WORD_ROLE_BALANCE, RC_WORD_ROLE_RATE_LIMIT, RC_WORD_ROLE_MODEL_NAME,
    };
    static const uint8_t NOUNS[] = {
        RC_WORD_ROLE_REQUEST,  RC_WORD_ROLE_SERVER,  RC_WORD_ROLE_CONNECTION, RC_WORD_ROLE_NETWORK,
        RC_WORD_ROLE_RESPONSE, RC_WORD_ROLE_ACCOUNT, RC_WORD_ROLE_PLAN,       RC_WORD_ROLE_AUTH,
        RC_WORD_ROLE_STREAM,   RC_WORD_ROLE_CONTENT, RC_WORD_ROLE_TIMEOUT,    RC_WORD_ROLE_FEATURE,
    };
    static const uint8_t VOICE[] = {RC_WORD_ROLE_POLITE, RC_WORD_ROLE_ADDRESSES,
                                    RC_WORD_ROLE_LATER};
    reading->words = count_of(roles, WORDS, sizeof(WORDS));
    reading->nouns = count_of(roles, NOUNS, sizeof(NOUNS));
    reading->has_voice = has_any(roles, VOICE, sizeof(VOICE));
}

rc_language_reading rc_language_read(rc_str text)
{
    rc_language_reading reading = {.wait_ms = -1};
    folded f;
    rc_concept_set advised = {{0}};
    rc_roles all = {{0}};
    bool is_telling = false;
    unsigned covered = 0;
    fold(text, &f);
    for (size_t at = 0; at < f.len;) {
        sentence s;
        at = read_sentence(&f, at, &s);
        all.bits[0] |= s.roles.bits[0];
        all.bits[1] |= s.roles.bits[1];
        reading.has_language = reading.has_language || s.has_language;
        covered += s.covered;
        if (s.wait.to > 0)
            add_wait(&reading, &s, text, &f);
        const bool is_advice = has(&s.roles, RC_WORD_ROLE_ADVICE);
        if (!add_senses(&s.roles, is_advice ? &advised : &reading.says) || is_advice)
            continue;
        is_telling = true;
        if (reading.sentence.len == 0)
            reading.sentence = slice(text, &f, s.from, s.to);
    }
    for (size_t i = 0; !is_telling && i < sizeof(advised.bits) / sizeof(advised.bits[0]); i++)
        reading.says.bits[i] |= advised.bits[i];
    reading.coverage = f.len > 0 ? (unsigned)(covered * 100 / f.len) : 0;
    add_signs(&reading, &all);
    return reading;
}
