/* Durations: parses four notations into a sum of nanoseconds, and formats durations for people.
 * Called by the hints of the classifier, the renderers, the configuration and the CLI. */
#include "codec/duration.h"

#include "base/str.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS (1000 * NS_PER_US)
#define NS_PER_S (1000 * NS_PER_MS)
#define NS_PER_MINUTE (60 * NS_PER_S)
#define NS_PER_HOUR (60 * NS_PER_MINUTE)
#define NS_PER_DAY (24 * NS_PER_HOUR)
#define NS_PER_WEEK (7 * NS_PER_DAY)

/* Every sum is limited to MAX_NS + 1, which is below 2^62, and every part to at most two units
 * more, so the sum of both cannot overflow. */
#define MAX_NS ((uint64_t)RC_DURATION_MAX_MS * NS_PER_MS)

typedef struct cursor {
    rc_str text;
    size_t at;
} cursor;

/* A number in the notation of the text: whole.frac * 10^exponent. Either `whole` or `frac` may be
 * empty, but not both. */
typedef struct number {
    rc_str whole;
    rc_str frac;
    int64_t exponent;
} number;

typedef struct sum {
    uint64_t ns;
    uint64_t smallest_unit_ns; /* unit of the previous part; the next part must have a smaller
                                  unit */
    bool is_negative;
} sum;

typedef struct unit_word {
    rc_str word;
    uint64_t ns;
    bool has_plural; /* the name of the unit may be followed by "s" or "(s)" */
} unit_word;

static const unit_word unit_words[] = {
    {RC_STR_INIT("ns"), 1, false},
    {RC_STR_INIT("nsec"), 1, true},
    {RC_STR_INIT("nanosecond"), 1, true},
    {RC_STR_INIT("us"), NS_PER_US, false},
    {RC_STR_INIT("\xc2\xb5s"), NS_PER_US, false}, /* U+00B5, the micro sign that Go prints */
    {RC_STR_INIT("\xce\xbcs"), NS_PER_US, false}, /* U+03BC, the Greek letter mu */
    {RC_STR_INIT("usec"), NS_PER_US, true},
    {RC_STR_INIT("microsecond"), NS_PER_US, true},
    {RC_STR_INIT("ms"), NS_PER_MS, false},
    {RC_STR_INIT("msec"), NS_PER_MS, true},
    {RC_STR_INIT("millis"), NS_PER_MS, false},
    {RC_STR_INIT("millisecond"), NS_PER_MS, true},
    {RC_STR_INIT("s"), NS_PER_S, false},
    {RC_STR_INIT("sec"), NS_PER_S, true},
    {RC_STR_INIT("second"), NS_PER_S, true},
    {RC_STR_INIT("m"), NS_PER_MINUTE, false},
    {RC_STR_INIT("min"), NS_PER_MINUTE, true},
    {RC_STR_INIT("minute"), NS_PER_MINUTE, true},
    {RC_STR_INIT("h"), NS_PER_HOUR, false},
    {RC_STR_INIT("hr"), NS_PER_HOUR, true},
    {RC_STR_INIT("hour"), NS_PER_HOUR, true},
    {RC_STR_INIT("d"), NS_PER_DAY, false},
    {RC_STR_INIT("day"), NS_PER_DAY, true},
    {RC_STR_INIT("w"), NS_PER_WEEK, false},
    {RC_STR_INIT("wk"), NS_PER_WEEK, true},
    {RC_STR_INIT("week"), NS_PER_WEEK, true},
};

/* --- bytes --- */

/* Returns the byte that is `ahead` bytes after the current position. At the end of the text the
 * result is NUL, which no duration contains. */
static char peek(const cursor *c, size_t ahead)
{
    return ahead < c->text.len - c->at ? c->text.ptr[c->at + ahead] : '\0';
}

static bool take_byte(cursor *c, char byte)
{
    if (rc_ascii_lower(peek(c, 0)) != byte)
        return false;
    c->at++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(cursor *c)
{
    while (is_blank(peek(c, 0)))
        c->at++;
}

/* Returns whether c can be part of a word. A duration that is directly followed by such a byte is
 * part of a longer word and not a duration. */
static bool is_word_byte(char c)
{
    return rc_ascii_is_alnum(c) || c == '_';
}

static rc_str take_digits(cursor *c)
{
    size_t from = c->at;
    while (rc_ascii_is_digit(peek(c, 0)))
        c->at++;
    return rc_str_slice(c->text, from, c->at);
}

/* --- numbers --- */

/* Reads a number. `mark` is a second decimal mark besides the point; ISO 8601 allows a comma. */
static bool take_number(cursor *c, char mark, number *ret)
{
    number n = {.whole = take_digits(c)};
    bool has_mark = peek(c, 0) == '.' || peek(c, 0) == mark;
    if (has_mark && rc_ascii_is_digit(peek(c, 1))) {
        c->at++;
        n.frac = take_digits(c);
    }
    if (n.whole.len + n.frac.len == 0)
        return false;
    *ret = n;
    return true;
}

/* Reads the exponent of a plain number, if the number has one, in the notation of JSON and
 * Python. */
static void take_exponent(cursor *c, number *n)
{
    const int64_t enough = INT64_C(100000000000000000); /* larger than the length of any text, so
                                                           that a larger exponent makes no
                                                           difference */
    cursor ahead = *c;
    if (!take_byte(&ahead, 'e'))
        return;
    bool is_negative = take_byte(&ahead, '-');
    if (!is_negative)
        (void)take_byte(&ahead, '+');
    rc_str digits = take_digits(&ahead);
    if (digits.len == 0)
        return;
    int64_t value = 0;
    for (size_t i = 0; i < digits.len && value < enough; i++)
        value = value * 10 + (digits.ptr[i] - '0');
    n->exponent = is_negative ? -value : value;
    *c = ahead;
}

static uint64_t digit_of(const number *n, size_t i)
{
    char c = i < n->whole.len ? n->whole.ptr[i] : n->frac.ptr[i - n->whole.len];
    return (uint64_t)(c - '0');
}

/* Returns the part of n before its decimal point, in units, or `max` + 1 if it is larger than
 * `max`. The decimal point is before the digit with index `point`, which may be far after the last
 * digit. The loop ends when the value exceeds `max`, at most about twenty zeros after the last
 * digit. */
static uint64_t whole_units(const number *n, int64_t point, uint64_t max)
{
    size_t count = n->whole.len + n->frac.len;
    uint64_t value = 0;
    for (int64_t i = 0; i < point; i++) {
        bool is_shifted_zero = (uint64_t)i >= count;
        if (is_shifted_zero && value == 0)
            break;
        uint64_t digit = is_shifted_zero ? 0 : digit_of(n, (size_t)i);
        if (value > (max - digit) / 10)
            return max + 1;
        value = value * 10 + digit;
    }
    return value;
}

static uint64_t tenth_up(uint64_t value)
{
    return value / 10 + (value % 10 != 0);
}

/* Returns the part of n after the decimal point, rounded up to a nanosecond. The loop is Horner's
 * scheme from the last digit, with each step rounded up. For an integer d, ceil((d + ceil(x)) / 10)
 * equals ceil((d + x) / 10). Therefore the result is exact for any number of digits, and no step
 * exceeds ten units. */
static uint64_t fraction_ns(const number *n, int64_t point, uint64_t unit_ns)
{
    uint64_t ns = 0;
    for (int64_t i = (int64_t)(n->whole.len + n->frac.len); i > point && i > 0; i--)
        ns = tenth_up(digit_of(n, (size_t)(i - 1)) * unit_ns + ns);
    for (; point < 0 && ns > 1; point++)
        ns = tenth_up(ns);
    return ns;
}

static void add_part(sum *s, const number *n, uint64_t unit_ns)
{
    int64_t point = (int64_t)n->whole.len + n->exponent;
    uint64_t ns = whole_units(n, point, MAX_NS / unit_ns) * unit_ns;
    ns += fraction_ns(n, point, unit_ns);
    s->ns = s->ns + ns <= MAX_NS ? s->ns + ns : MAX_NS + 1;
    s->smallest_unit_ns = unit_ns;
}

/* --- notations --- */

/* Returns the letters at the current position, including a leading micro sign, without consuming
 * them. */
static rc_str peek_word(const cursor *c)
{
    rc_str rest = rc_str_slice(c->text, c->at, c->text.len);
    size_t len = 0;
    if (rc_str_starts_with(rest, RC_STR("\xc2\xb5")) ||
        rc_str_starts_with(rest, RC_STR("\xce\xbc")))
        len = 2;
    while (rc_ascii_is_alpha(peek(c, len)))
        len++;
    return rc_str_slice(rest, 0, len);
}

static bool is_word_of_unit(rc_str word, const unit_word *unit)
{
    if (rc_str_eq_nocase(word, unit->word))
        return true;
    return unit->has_plural && word.len == unit->word.len + 1 &&
           rc_str_starts_with_nocase(word, unit->word) &&
           rc_ascii_lower(word.ptr[word.len - 1]) == 's';
}

static bool take_unit(cursor *c, uint64_t *ret_ns)
{
    rc_str word = peek_word(c);
    for (size_t i = 0; i < sizeof(unit_words) / sizeof(unit_words[0]); i++) {
        const unit_word *unit = &unit_words[i];
        if (!is_word_of_unit(word, unit))
            continue;
        c->at += word.len;
        rc_str rest = rc_str_slice(c->text, c->at, c->text.len);
        if (unit->has_plural && rc_str_starts_with_nocase(rest, RC_STR("(s)")))
            c->at += 3;
        *ret_ns = unit->ns;
        return true;
    }
    return false;
}

/* Reads a group: parts without a separator, such as "20 seconds" or "1h2m3s". The group is read
 * completely or not at all, because a digit directly after a unit belongs to the same word. */
static bool take_group(cursor *c, sum *s)
{
    cursor ahead = *c;
    sum total = *s;
    do {
        number n;
        uint64_t unit_ns;
        if (!take_number(&ahead, '.', &n))
            return false;
        skip_blanks(&ahead);
        if (!take_unit(&ahead, &unit_ns) || unit_ns >= total.smallest_unit_ns)
            return false;
        add_part(&total, &n, unit_ns);
    } while (rc_ascii_is_digit(peek(&ahead, 0)));
    if (is_word_byte(peek(&ahead, 0)))
        return false;
    *c = ahead;
    *s = total;
    return true;
}

static void skip_separator(cursor *c)
{
    skip_blanks(c);
    if (take_byte(c, ','))
        skip_blanks(c);
    rc_str rest = rc_str_slice(c->text, c->at, c->text.len);
    if (rc_str_starts_with_nocase(rest, RC_STR("and")) && is_blank(peek(c, 3))) {
        c->at += 3;
        skip_blanks(c);
    }
}

/* Reads groups with separators between them: "1h2m", "4 days 20 hours", "1 hour, 5 minutes and 3
 * seconds". */
static bool take_groups(cursor *c, sum *s)
{
    if (!take_group(c, s))
        return false;
    cursor ahead = *c;
    skip_separator(&ahead);
    while (take_group(&ahead, s)) {
        *c = ahead;
        skip_separator(&ahead);
    }
    return true;
}

static uint64_t iso_unit_ns(char designator, bool is_time)
{
    switch (rc_ascii_lower(designator)) {
    case 'w':
        return is_time ? 0 : NS_PER_WEEK;
    case 'd':
        return is_time ? 0 : NS_PER_DAY;
    case 'h':
        return is_time ? NS_PER_HOUR : 0;
    case 'm':
        return is_time ? NS_PER_MINUTE : 0; /* before the T, the letter M means months, which have
                                               no fixed length */
    case 's':
        return is_time ? NS_PER_S : 0;
    default:
        return 0;
    }
}

/* Reads an ISO 8601 duration after its P. Only the last part may have a fraction, and a T must be
 * followed by a part. */
static bool take_iso(cursor *c, sum *s)
{
    bool is_time = false;
    bool is_complete = false;
    number n = {0};
    while (n.frac.len == 0) {
        if (!is_time && take_byte(c, 't')) {
            is_time = true;
            is_complete = false;
        }
        if (!take_number(c, ',', &n))
            break;
        uint64_t unit_ns = iso_unit_ns(peek(c, 0), is_time);
        if (unit_ns == 0 || unit_ns >= s->smallest_unit_ns)
            return false;
        c->at++;
        add_part(s, &n, unit_ns);
        is_complete = true;
    }
    return is_complete && !is_word_byte(peek(c, 0));
}

static bool take_bare(cursor *c, rc_unit bare, sum *s)
{
    number n;
    if (bare == RC_UNIT_NONE || !take_number(c, '.', &n))
        return false;
    take_exponent(c, &n);
    add_part(s, &n, bare == RC_UNIT_MS ? NS_PER_MS : NS_PER_S);
    return true;
}

/* Reads the "~" and the sign that may precede a duration. */
static sum take_lead(cursor *c)
{
    sum s = {.smallest_unit_ns = UINT64_MAX};
    if (take_byte(c, '~'))
        skip_blanks(c);
    s.is_negative = take_byte(c, '-');
    if (!s.is_negative)
        (void)take_byte(c, '+');
    return s;
}

static bool take_with_units(cursor *c, sum *s)
{
    return take_byte(c, 'p') ? take_iso(c, s) : take_groups(c, s);
}

static rc_status settle(const sum *s, int64_t *ret_ms)
{
    if (s->ns > MAX_NS || (s->is_negative && s->ns > 0))
        return RC_E_RANGE;
    *ret_ms = (int64_t)(s->ns / NS_PER_MS + (s->ns % NS_PER_MS != 0));
    return RC_OK;
}

/* --- interface --- */

rc_status rc_duration_parse(rc_str text, rc_unit bare, int64_t *ret_ms)
{
    cursor c = {rc_str_trim(text), 0};
    sum s = take_lead(&c);
    cursor plain = c;
    if (take_with_units(&c, &s))
        return c.at == c.text.len ? settle(&s, ret_ms) : RC_E_SYNTAX;
    sum plain_sum = {.is_negative = s.is_negative};
    if (!take_bare(&plain, bare, &plain_sum) || plain.at != plain.text.len)
        return RC_E_SYNTAX;
    return settle(&plain_sum, ret_ms);
}

rc_status rc_duration_parse_prefix(rc_str text, int64_t *ret_ms, size_t *ret_len)
{
    cursor c = {text, 0};
    while (rc_ascii_is_space(peek(&c, 0)))
        c.at++;
    sum s = take_lead(&c);
    if (!take_with_units(&c, &s))
        return RC_E_SYNTAX;
    int64_t ms;
    rc_status status = settle(&s, &ms);
    if (status != RC_OK)
        return status;
    *ret_ms = ms;
    *ret_len = c.at;
    return RC_OK;
}

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

/* Writes a value in two units, such as "4d 20h", or in one unit, such as "4d", if the value in the
 * second unit is zero. */
static void push_pair(rc_buf *buf, uint64_t value, uint64_t ratio, char large, char small)
{
    (void)rc_buf_push_u64(buf, value / ratio);
    (void)rc_buf_push_byte(buf, large);
    if (value % ratio == 0)
        return;
    (void)rc_buf_push_byte(buf, ' ');
    (void)rc_buf_push_u64(buf, value % ratio);
    (void)rc_buf_push_byte(buf, small);
}

void rc_duration_push(rc_buf *buf, int64_t ms)
{
    char memory[48]; /* space for two numbers of 20 digits and 3 more bytes */
    rc_buf out;
    rc_buf_init_fixed(&out, memory, sizeof(memory));

    /* Rounds up before the unit is chosen, so that 59.5 s is written as "1m", not as "60s". */
    uint64_t value_ms = ms > 0 ? (uint64_t)ms : 0;
    uint64_t seconds = divide_up(value_ms, 1000);
    uint64_t minutes = divide_up(seconds, 60);
    uint64_t hours = divide_up(minutes, 60);
    if (value_ms > 0 && value_ms < 1000) {
        (void)rc_buf_push_u64(&out, value_ms);
        (void)rc_buf_push(&out, RC_STR("ms"));
    } else if (seconds < 60) {
        (void)rc_buf_push_u64(&out, seconds);
        (void)rc_buf_push_byte(&out, 's');
    } else if (seconds < 3600) {
        push_pair(&out, seconds, 60, 'm', 's');
    } else if (minutes < 24 * 60) {
        push_pair(&out, minutes, 60, 'h', 'm');
    } else {
        push_pair(&out, hours, 24, 'd', 'h');
    }
    (void)rc_buf_push(buf, rc_buf_get(&out));
}
