/* Parser of a date at the start of a text, in the notations that error messages use. Called by
 * value.c and text.c. */
#include "base/str.h"
#include "classify/hints/parts.h"
#include "codec/datetime.h"

#define MINUTE_MS INT64_C(60000)
#define CHINA_MINUTES 480

typedef struct cursor {
    rc_str text;
    size_t at;
} cursor;

/* Result of reading the time of day, or the time zone, after a day. */
typedef enum part {
    PART_ABSENT,
    PART_KNOWN,
    PART_UNKNOWN /* The text has a time or a zone, but in an unknown notation. */
} part;

typedef struct zone_name {
    rc_str name;
    int minutes;
} zone_name;

/* Names that mean exactly one time zone. CST, for example, is not listed, because three zones have
 * this name. */
static const zone_name zone_names[] = {
    {RC_STR_INIT("Z"), 0},      {RC_STR_INIT("UTC"), 0},    {RC_STR_INIT("GMT"), 0},
    {RC_STR_INIT("PST"), -480}, {RC_STR_INIT("PDT"), -420}, {RC_STR_INIT("EST"), -300},
    {RC_STR_INIT("EDT"), -240}, {RC_STR_INIT("CET"), 60},   {RC_STR_INIT("CEST"), 120},
    {RC_STR_INIT("JST"), 540},  {RC_STR_INIT("KST"), 540},
};

static char peek(const cursor *c, size_t ahead)
{
    return ahead < c->text.len - c->at ? c->text.ptr[c->at + ahead] : '\0';
}

static bool take(cursor *c, rc_str literal)
{
    if (!rc_str_starts_with_nocase(rc_str_slice(c->text, c->at, c->text.len), literal))
        return false;
    c->at += literal.len;
    return true;
}

static void skip_blanks(cursor *c)
{
    while (peek(c, 0) == ' ' || peek(c, 0) == '\t')
        c->at++;
}

/* Reads a number of `min` to `max` digits. Returns false if the text has fewer or more digits. */
static bool take_number(cursor *c, size_t min, size_t max, int *ret)
{
    int value = 0;
    size_t digits = 0;
    for (; digits < max && rc_ascii_is_digit(peek(c, digits)); digits++)
        value = value * 10 + (peek(c, digits) - '0');
    if (digits < min || rc_ascii_is_digit(peek(c, digits)))
        return false;
    c->at += digits;
    *ret = value;
    return true;
}

/* The separators after year, month and day in one notation of a date. */
typedef struct day_style {
    rc_str after_year;
    rc_str after_month;
    rc_str after_day;
} day_style;

static const day_style day_styles[] = {
    {RC_STR_INIT("-"), RC_STR_INIT("-"), RC_STR_INIT("")},
    {RC_STR_INIT("/"), RC_STR_INIT("/"), RC_STR_INIT("")},
    {RC_STR_INIT("年"), RC_STR_INIT("月"), RC_STR_INIT("日")},
};

static bool take_day(cursor *c, rc_civil *civil)
{
    cursor year_end = *c;
    if (!take_number(&year_end, 4, 4, &civil->year))
        return false;
    for (size_t i = 0; i < sizeof(day_styles) / sizeof(day_styles[0]); i++) {
        const day_style *style = &day_styles[i];
        *c = year_end;
        if (take(c, style->after_year) && take_number(c, 1, 2, &civil->month) &&
            take(c, style->after_month) && take_number(c, 1, 2, &civil->day) &&
            take(c, style->after_day))
            return true;
    }
    return false;
}

/* Reads a fraction of a second in ms. The result is rounded up (at most to 1000), so that a wait is
 * never shorter than in the text. */
static int take_fraction_ms(cursor *c)
{
    if (peek(c, 0) != '.' || !rc_ascii_is_digit(peek(c, 1)))
        return 0;
    c->at++;
    int ms = 0;
    for (size_t i = 0; i < 3; i++)
        ms = ms * 10 + (rc_ascii_is_digit(peek(c, 0)) ? c->text.ptr[c->at++] - '0' : 0);
    bool has_more = false;
    for (; rc_ascii_is_digit(peek(c, 0)); c->at++)
        has_more |= peek(c, 0) != '0';
    return ms + has_more;
}

/* Skips from the day to the time: "T20:06:00.5", " 20:06", " at 00:00", ", 20:06". */
static void skip_to_clock(cursor *c)
{
    if (take(c, RC_STR("T")))
        return;
    (void)take(c, RC_STR(","));
    skip_blanks(c);
    if (take(c, RC_STR("at ")))
        skip_blanks(c);
}

/* Reads a time of day. If the text has no hour with a minute here, the cursor does not move. */
static part take_clock(cursor *c, rc_civil *civil, int *ret_fraction_ms)
{
    cursor ahead = *c;
    int hour;
    int minute;
    skip_to_clock(&ahead);
    if (!take_number(&ahead, 1, 2, &hour) || !take(&ahead, RC_STR(":")))
        return PART_ABSENT;
    if (!take_number(&ahead, 2, 2, &minute))
        return PART_UNKNOWN;
    civil->hour = hour;
    civil->minute = minute;
    if (peek(&ahead, 0) == ':' && rc_ascii_is_digit(peek(&ahead, 1))) {
        ahead.at++;
        if (!take_number(&ahead, 2, 2, &civil->second))
            return PART_UNKNOWN;
        *ret_fraction_ms = take_fraction_ms(&ahead);
    }
    *c = ahead;
    return PART_KNOWN;
}

/* Reads the digits of a zone offset: "08:00", "0800", "8". */
static bool take_offset_digits(cursor *c, int *ret_hours, int *ret_minutes)
{
    int together;
    if (take_number(c, 4, 4, &together)) {
        *ret_hours = together / 100;
        *ret_minutes = together % 100;
        return true;
    }
    *ret_minutes = 0;
    return take_number(c, 1, 2, ret_hours) &&
           (!take(c, RC_STR(":")) || take_number(c, 2, 2, ret_minutes));
}

/* Reads a zone offset with its sign. If the text has no offset here, the cursor does not move. */
static bool take_offset(cursor *c, int *ret_minutes)
{
    cursor ahead = *c;
    bool is_west = take(&ahead, RC_STR("-"));
    if (!is_west && !take(&ahead, RC_STR("+")))
        return false;
    int hours;
    int minutes;
    if (!take_offset_digits(&ahead, &hours, &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_minutes = (is_west ? -1 : 1) * (hours * 60 + minutes);
    *c = ahead;
    return true;
}

static bool find_zone(rc_str word, int *ret_minutes)
{
    for (size_t i = 0; i < sizeof(zone_names) / sizeof(zone_names[0]); i++) {
        if (rc_str_eq_nocase(word, zone_names[i].name)) {
            *ret_minutes = zone_names[i].minutes;
            return true;
        }
    }
    return false;
}

/* Returns whether the word has two to four capital letters. After a time of day, such a word is a
 * time zone, AM or PM. */
static bool is_zone_like(rc_str word)
{
    if (word.len < 2 || word.len > 4)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < 'A' || word.ptr[i] > 'Z')
            return false;
    }
    return true;
}

static part take_zone(cursor *c, int *ret_minutes)
{
    if (take_offset(c, ret_minutes))
        return PART_KNOWN;
    cursor ahead = *c;
    skip_blanks(&ahead);
    bool is_bracketed = take(&ahead, RC_STR("("));
    size_t from = ahead.at;
    while (rc_ascii_is_alpha(peek(&ahead, 0)))
        ahead.at++;
    rc_str word = rc_str_slice(ahead.text, from, ahead.at);
    int minutes = 0;
    if (word.len > 0 && !find_zone(word, &minutes))
        return is_zone_like(word) || rc_str_eq_nocase(word, RC_STR("pm")) ? PART_UNKNOWN
                                                                          : PART_ABSENT;
    int offset_minutes = 0;
    bool has_offset = (word.len == 0 || minutes == 0) && take_offset(&ahead, &offset_minutes);
    if (word.len == 0 && !has_offset)
        return PART_ABSENT;
    if (is_bracketed)
        (void)take(&ahead, RC_STR(")"));
    *ret_minutes = minutes + offset_minutes;
    *c = ahead;
    return PART_KNOWN;
}

static bool read_numeric(rc_str text, bool is_chinese, int64_t now_unix_ms, rc_hint_reading *ret,
                         size_t *ret_len)
{
    cursor c = {text, 0};
    rc_civil civil = {0};
    if (!take_day(&c, &civil))
        return false;
    int fraction_ms = 0;
    int minutes = is_chinese ? CHINA_MINUTES : 0;
    part clock = take_clock(&c, &civil, &fraction_ms);
    part zone = clock == PART_KNOWN ? take_zone(&c, &minutes) : PART_ABSENT;
    *ret_len = c.at;
    if (civil.second == 60) { /* a leap second (RFC 3339 §5.7) */
        civil.second = 59;
        fraction_ms = 999;
    }
    int64_t local_ms;
    if (clock == PART_UNKNOWN || rc_civil_to_unix_ms(&civil, &local_ms) != RC_OK)
        *ret = rc_hint_reject(RC_STR("there is no such date or time"));
    else if (zone == PART_UNKNOWN)
        *ret = rc_hint_reject(RC_STR("a time in a zone that is not known"));
    else
        *ret = rc_hint_until(local_ms + fraction_ms - minutes * MINUTE_MS, now_unix_ms);
    return true;
}

/* Reads the three date formats of RFC 9110. Only the format with two-digit years has no fixed
 * length. */
static bool read_http(rc_str text, int64_t now_unix_ms, rc_hint_reading *ret, size_t *ret_len)
{
    static const size_t lens[] = {sizeof("Sun, 06 Nov 1994 08:49:37 GMT") - 1,
                                  sizeof("Sun Nov  6 08:49:37 1994") - 1,
                                  sizeof("Sunday, 06-Nov-94 08:49:37 GMT") - 1,
                                  sizeof("Tuesday, 06-Nov-94 08:49:37 GMT") - 1,
                                  sizeof("Thursday, 06-Nov-94 08:49:37 GMT") - 1,
                                  sizeof("Wednesday, 06-Nov-94 08:49:37 GMT") - 1};
    if (text.len == 0 || !rc_ascii_is_alpha(text.ptr[0]))
        return false;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        int64_t unix_ms;
        if (lens[i] > text.len)
            continue;
        rc_str candidate = rc_str_slice(text, 0, lens[i]);
        if (rc_http_date_parse(candidate, now_unix_ms, &unix_ms) != RC_OK)
            continue;
        *ret = rc_hint_until(unix_ms, now_unix_ms);
        *ret_len = lens[i];
        return true;
    }
    return false;
}

bool rc_hint_read_date(rc_str text, bool is_chinese, int64_t now_unix_ms, rc_hint_reading *ret,
                       size_t *ret_len)
{
    return read_numeric(text, is_chinese, now_unix_ms, ret, ret_len) ||
           read_http(text, now_unix_ms, ret, ret_len);
}
