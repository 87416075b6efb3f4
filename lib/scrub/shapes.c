/* Key shapes: recognises keys by their own form (sk-..., AKIA..., JWT). Called by scan.c and
 * value.c. */
#include "scrub/parts.h"

#include "base/str.h"

/* Maximum number of bytes that are read to decide whether a run is a key. The limit bounds the time
 * per word, and makes the decision independent of a later cut of the text. */
#define WINDOW 64u

typedef enum shape_test {
    TEST_MIXED,
    TEST_DIGIT,
    TEST_NONE,
} shape_test;

typedef struct shape {
    char prefix[20];
    uint8_t prefix_len;
    uint16_t classes;
    uint8_t min;
    shape_test test;
} shape;

#define CLASS_ALNUM RC_SCRUB_ALNUM
#define CLASS_WORD RC_SCRUB_WORD
#define CLASS_HEX RC_SCRUB_HEX
#define CLASS_UPPER (RC_SCRUB_UPPER | RC_SCRUB_DIGIT)
#define CLASS_BASE64 (RC_SCRUB_WORD | RC_SCRUB_BASE64)
#define CLASS_DOTTED (RC_SCRUB_WORD | RC_SCRUB_DOT)
#define ROW(prefix, CLASS, min, TEST) {prefix, sizeof(prefix) - 1, CLASS_##CLASS, min, TEST_##TEST},

static const shape SHAPES[] = {
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) ROW(prefix, CLASS, min, TEST)
#include "spec/secrets.def"
};

/* Shapes that are also recognised after a - or _ within a word. */
static const shape INSIDE_SHAPES[] = {
#define ROW_START(prefix, CLASS, min, TEST)
#define ROW_INSIDE(prefix, CLASS, min, TEST) ROW(prefix, CLASS, min, TEST)
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) ROW_##WHERE(prefix, CLASS, min, TEST)
#include "spec/secrets.def"
};

static const shape SPLIT_SHAPES[] = {
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) ROW(prefix, CLASS, min, MIXED)
#include "spec/secrets.def"
};

/* One bit for each pair of letters that begins a prefix of the table. Most words do not begin
 * with such a pair, so they are not keys. The compiler computes the set. Several pairs may share
 * a bit. */
typedef struct pair_set {
    uint64_t words[4];
} pair_set;

#define PAIR_BIT(first, second) ((((unsigned)(first)&31u) << 3 ^ ((unsigned)(second)&31u)) & 255u)
#define PAIR_IN(prefix, word)                                       \
    | (PAIR_BIT((prefix)[0], (prefix)[1]) / 64 == (word)            \
           ? UINT64_C(1) << PAIR_BIT((prefix)[0], (prefix)[1]) % 64 \
           : 0)

static const pair_set PAIRS = {{
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) PAIR_IN(prefix, 0)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) PAIR_IN(prefix, 1)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) PAIR_IN(prefix, 2)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) PAIR_IN(prefix, 3)
    0
#include "spec/secrets.def"
}};

static const pair_set SPLIT_PAIRS = {{
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) PAIR_IN(prefix, 0)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) PAIR_IN(prefix, 1)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) PAIR_IN(prefix, 2)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) PAIR_IN(prefix, 3)
    0
#include "spec/secrets.def"
}};

static inline bool may_begin_shape(const pair_set *pairs, rc_str text, size_t at)
{
    unsigned bit = at + 1 < text.len ? PAIR_BIT(text.ptr[at], text.ptr[at + 1]) : 0;
    return at + 1 < text.len && (pairs->words[bit / 64] >> bit % 64 & 1);
}

/* Returns whether a run is random enough to be a key. Ordinary words and names do not contain two
 * digits or both cases. */
static bool passes(shape_test test, rc_str text, size_t from, size_t to)
{
    unsigned seen = 0;
    size_t digits = 0;
    for (size_t at = from; at < to; at++) {
        seen |= rc_scrub_class(text, at);
        digits += rc_scrub_is(text, at, RC_SCRUB_DIGIT);
    }
    switch (test) {
    case TEST_MIXED:
        return digits >= 2 || (seen & RC_SCRUB_ALPHA) == RC_SCRUB_ALPHA;
    case TEST_DIGIT:
        return digits >= 1;
    case TEST_NONE:
        return true;
    }
    return false;
}

static bool is_shape(const shape *s, rc_str text, size_t at)
{
    rc_str prefix = rc_str_make(s->prefix, s->prefix_len);
    bool is_prefixed = s->test == TEST_NONE ? rc_scrub_has(text, at, prefix)
                                            : rc_scrub_has_nocase(text, at, prefix);
    if (!is_prefixed)
        return false;
    size_t from = at + prefix.len;
    size_t to = rc_scrub_run(text, from, s->classes, WINDOW);
    return to - from >= s->min && passes(s->test, text, from, to);
}

/* Returns the end of a key. All bytes that can belong to a key are included, but not the full stop
 * of a sentence. */
static size_t key_end(rc_str text, size_t at, unsigned classes)
{
    size_t to = rc_scrub_run(text, at, classes | RC_SCRUB_WORD, text.len);
    while (text.ptr[to - 1] == '.')
        to--;
    return to;
}

/* Returns the index of the first row whose prefix begins with this letter or a later letter. */
static size_t first_row(const shape *shapes, size_t count, char letter)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rc_ascii_lower(shapes[middle].prefix[0]) < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t table_shape_end(const shape *shapes, size_t count, rc_str text, size_t at)
{
    char letter = rc_ascii_lower(text.ptr[at]);
    char second = at + 1 < text.len ? rc_ascii_lower(text.ptr[at + 1]) : '\0';
    for (size_t i = first_row(shapes, count, letter); i < count; i++) {
        const shape *s = &shapes[i];
        if (rc_ascii_lower(s->prefix[0]) != letter)
            return 0;
        if (rc_ascii_lower(s->prefix[1]) == second && is_shape(s, text, at))
            return key_end(text, at + s->prefix_len, s->classes);
    }
    return 0;
}

static bool has_run(rc_str text, size_t at, unsigned classes, size_t len)
{
    return rc_scrub_run(text, at, classes, len) - at == len;
}

/* Returns the end of a JWT (RFC 7519), which has a base64url header that begins with {" and a
 * payload. */
static size_t jwt_end(rc_str text, size_t at)
{
    if (!rc_scrub_has_nocase(text, at, RC_STR("eyj")))
        return 0;
    size_t dot = rc_scrub_run(text, at, RC_SCRUB_WORD, text.len);
    if (dot - at < RC_SCRUB_LONG_WORD || !rc_scrub_is(text, dot, RC_SCRUB_DOT) ||
        !has_run(text, dot + 1, RC_SCRUB_WORD, 8))
        return 0;
    return key_end(text, dot + 1, RC_SCRUB_WORD | RC_SCRUB_DOT);
}

/* Returns the end of a key of the provider fal: a UUID, a colon, 32 hexadecimal digits. */
static size_t uuid_pair_end(rc_str text, size_t at)
{
    static const uint8_t GROUPS[] = {8, 4, 4, 4, 12};
    size_t to = at;
    for (size_t i = 0; i < sizeof GROUPS; i++) {
        char separator = i + 1 < sizeof GROUPS ? '-' : ':';
        if (!has_run(text, to, RC_SCRUB_HEX, GROUPS[i]))
            return 0;
        to += GROUPS[i];
        if (to >= text.len || text.ptr[to] != separator)
            return 0;
        to++;
    }
    return has_run(text, to, RC_SCRUB_HEX, 32) ? key_end(text, to, RC_SCRUB_HEX) : 0;
}

/* Returns the end of a key of the provider Zhipu: 32 hexadecimal digits, a dot, 16 letters and
 * digits. */
static size_t hex_pair_end(rc_str text, size_t at)
{
    size_t dot = at + 32;
    if (!has_run(text, at, RC_SCRUB_HEX, 32) || !rc_scrub_is(text, dot, RC_SCRUB_DOT) ||
        !has_run(text, dot + 1, RC_SCRUB_ALNUM, 16))
        return 0;
    size_t to = rc_scrub_run(text, dot + 1, RC_SCRUB_ALNUM, WINDOW);
    return passes(TEST_MIXED, text, dot + 1, to) ? key_end(text, dot + 1, RC_SCRUB_ALNUM) : 0;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Returns whether the word at `at` has neither digits nor capitals. Such a word is no key, because
 * every row of SHAPES requires a digit or a capital after the prefix. */
static bool is_tame(rc_str text, size_t at)
{
    while (rc_scrub_is(text, at, RC_SCRUB_LOWER | RC_SCRUB_DASH))
        at++;
    return !rc_scrub_is(text, at, RC_SCRUB_WORD);
}

#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text)               \
    _Static_assert(TEST_##TEST != TEST_NONE || CLASS_##CLASS == CLASS_UPPER, \
                   "is_tame() and is_plain_word() rely on digits or capitals");
#include "spec/secrets.def"

static size_t start_end(rc_str text, size_t at, bool is_in_table)
{
    size_t to = 0;
    if (is_in_table && may_begin_shape(&PAIRS, text, at))
        to = table_shape_end(SHAPES, COUNT(SHAPES), text, at);
    if (!to && (text.ptr[at] | 0x20) == 'e')
        to = jwt_end(text, at);
    if (!to && rc_scrub_is(text, at, RC_SCRUB_HEX))
        to = uuid_pair_end(text, at);
    if (!to && rc_scrub_is(text, at, RC_SCRUB_HEX))
        to = hex_pair_end(text, at);
    return to;
}

bool rc_scrub_find_shape(rc_str text, size_t from, size_t to, size_t *ret_from, size_t *ret_to)
{
    size_t at = rc_scrub_run(text, from, RC_SCRUB_DASH, to - from); /* the _ that marks emphasis, as
                                                                       in _sk-..._ */
    bool is_in_table = !is_tame(text, at);
    size_t end = at < to ? start_end(text, at, is_in_table) : 0;
    while (!end && at < to && is_in_table) {
        at = rc_scrub_run(text, at, RC_SCRUB_ALNUM, to - at);
        at = rc_scrub_run(text, at, RC_SCRUB_DASH, to - at);
        if (at < to && may_begin_shape(&PAIRS, text, at))
            end = table_shape_end(INSIDE_SHAPES, COUNT(INSIDE_SHAPES), text, at);
    }
    if (!end)
        return false;
    *ret_from = at;
    *ret_to = end;
    return true;
}

size_t rc_scrub_split_shape_end(rc_str text, size_t at)
{
    if (!may_begin_shape(&SPLIT_PAIRS, text, at))
        return 0;
    return table_shape_end(SPLIT_SHAPES, COUNT(SPLIT_SHAPES), text, at);
}
