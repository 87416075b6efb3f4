/* Parser of the numbers in texts about limits ("Limit 6000, Used 5034"). Called by classify.c and
 * unwrap/json.c. */
#include "classify/limits.h"

#include "base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Number of bytes after the word "limit" in which the word "of" is searched, as in "limit for your
 * organization (...) of 10,000". */
#define OF_REACH 120u

typedef enum role {
    ROLE_NONE,
    ROLE_LIMIT,
    ROLE_USED,
    ROLE_REQUESTED
} role;

typedef struct role_name {
    rc_str name;
    role role;
} role_name;

/* Keywords that precede the numbers in texts. Some keywords are names of JSON members, because
 * texts quote such members, as in "quota_value: 0". */
static const role_name words[] = {
    {RC_STR_INIT("limit"), ROLE_LIMIT},
    {RC_STR_INIT("limits"), ROLE_LIMIT},
    {RC_STR_INIT("quota_value"), ROLE_LIMIT},
    {RC_STR_INIT("quotaValue"), ROLE_LIMIT},
    {RC_STR_INIT("quota_limit_value"), ROLE_LIMIT},
    {RC_STR_INIT("used"), ROLE_USED},
    {RC_STR_INIT("usage"), ROLE_USED},
    {RC_STR_INIT("current"), ROLE_USED},
    {RC_STR_INIT("consumed"), ROLE_USED},
    {RC_STR_INIT("requested"), ROLE_REQUESTED},
};

/* Keys of JSON members, in lower case and without `_` and `-`. */
static const role_name fields[] = {
    {RC_STR_INIT("quotavalue"), ROLE_LIMIT},
    {RC_STR_INIT("quotalimitvalue"), ROLE_LIMIT},
    {RC_STR_INIT("limit"), ROLE_LIMIT},
    {RC_STR_INIT("limitvalue"), ROLE_LIMIT},
    {RC_STR_INIT("used"), ROLE_USED},
    {RC_STR_INIT("currentusage"), ROLE_USED},
    {RC_STR_INIT("requested"), ROLE_REQUESTED},
    {RC_STR_INIT("requestedtokens"), ROLE_REQUESTED},
    {RC_STR_INIT("tokensrequested"), ROLE_REQUESTED},
};

/* Words that may be between a keyword and its number. */
static const rc_str links[] = {
    RC_STR_INIT("of"), RC_STR_INIT("is"), RC_STR_INIT("was"),   RC_STR_INIT("to"),
    RC_STR_INIT("up"), RC_STR_INIT("at"), RC_STR_INIT("about"), RC_STR_INIT("value"),
};

static char byte_at(rc_str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

static bool is_word_byte(char c)
{
    return rc_ascii_is_alnum(c) || c == '_';
}

/* ---- numbers ---- */

static bool is_thousand(rc_str text, size_t at)
{
    return byte_at(text, at) == ',' && rc_ascii_is_digit(byte_at(text, at + 1)) &&
           rc_ascii_is_digit(byte_at(text, at + 2)) && rc_ascii_is_digit(byte_at(text, at + 3)) &&
           !rc_ascii_is_digit(byte_at(text, at + 4));
}

/* Returns whether the number that ends at `at` stands alone: it is not part of a word, a sum, a
 * range or a percentage. */
static bool is_end_of_number(rc_str text, size_t at)
{
    char c = byte_at(text, at);
    char next = byte_at(text, at + 1);
    bool is_more = (c == '.' || c == '-' || c == ':') && rc_ascii_is_alnum(next);
    if (is_word_byte(c) || is_more || c == '%')
        return false;
    while (byte_at(text, at) == ' ')
        at++;
    c = byte_at(text, at);
    return c != '+' && c != '>' && c != '%';
}

/* Reads a number such as "10,000" or "150000.000000", rounded up and capped at INT64_MAX. Returns
 * the offset after the number; `at` if there is no number. */
static size_t take_number(rc_str text, size_t at, int64_t *ret)
{
    int64_t value = 0;
    size_t end = at;
    for (; rc_ascii_is_digit(byte_at(text, end)) || (end > at && is_thousand(text, end)); end++) {
        if (byte_at(text, end) == ',')
            continue;
        int64_t digit = byte_at(text, end) - '0';
        value = value > (INT64_MAX - digit) / 10 ? INT64_MAX : value * 10 + digit;
    }
    bool has_fraction = false;
    if (end > at && byte_at(text, end) == '.' && rc_ascii_is_digit(byte_at(text, end + 1))) {
        for (end++; rc_ascii_is_digit(byte_at(text, end)); end++)
            has_fraction = has_fraction || byte_at(text, end) != '0';
    }
    if (end == at || !is_end_of_number(text, end))
        return at;
    *ret = has_fraction && value < INT64_MAX ? value + 1 : value;
    return end;
}

/* ---- keywords ---- */

static rc_str word_at(rc_str text, size_t at)
{
    size_t end = at;
    while (is_word_byte(byte_at(text, end)))
        end++;
    return rc_str_slice(text, at, end);
}

static role find_role(const role_name *names, size_t count, rc_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (rc_str_eq_nocase(name, names[i].name))
            return names[i].role;
    }
    return ROLE_NONE;
}

static bool is_link(rc_str word)
{
    for (size_t i = 0; i < COUNT(links); i++) {
        if (rc_str_eq_nocase(word, links[i]))
            return true;
    }
    return false;
}

static bool is_mark(char c)
{
    return c == ' ' || c == '\t' || c == ':' || c == '=' || c == '~' || c == '"' || c == '\'' ||
           c == '`' || c == '\\';
}

/* Returns the offset after the blanks, quotes and link words that follow a keyword. The keyword's
 * number, if there is one, begins at this offset. */
static size_t skip_links(rc_str text, size_t at)
{
    for (;;) {
        while (is_mark(byte_at(text, at)))
            at++;
        rc_str word = word_at(text, at);
        if (word.len == 0 || !is_link(word))
            return at;
        at += word.len;
    }
}

/* Returns the offset at which the number after the sentence's next "of" can begin, as in "limit for
 * your organization of 20,000 input tokens"; RC_STR_NPOS if there is no "of". */
static size_t find_of(rc_str text, size_t at)
{
    rc_str rest = rc_str_slice(text, at, at + OF_REACH);
    if (!rc_str_starts_with_nocase(rest, RC_STR(" for ")))
        return RC_STR_NPOS;
    size_t stop = rc_str_find(rest, RC_STR(". "), 0);
    size_t of = rc_str_find(rest, RC_STR(" of "), 0);
    return of < stop ? skip_links(text, at + of) : RC_STR_NPOS;
}

/* ---- limits ---- */

/* The numbers of one limit while they are being read. */
typedef struct entry {
    int64_t numbers[ROLE_REQUESTED + 1];
    bool has[ROLE_REQUESTED + 1];
} entry;

static bool is_entry_too_small(const entry *e)
{
    return e->has[ROLE_LIMIT] && e->has[ROLE_REQUESTED] && e->numbers[ROLE_LIMIT] > 0 &&
           e->numbers[ROLE_REQUESTED] > e->numbers[ROLE_LIMIT];
}

static void store_entry(const entry *e, rc_limits *limits)
{
    limits->limit = e->numbers[ROLE_LIMIT];
    limits->used = e->numbers[ROLE_USED];
    limits->requested = e->numbers[ROLE_REQUESTED];
    limits->has_limit = e->has[ROLE_LIMIT];
    limits->has_used = e->has[ROLE_USED];
    limits->has_requested = e->has[ROLE_REQUESTED];
}

static void close_entry(entry *e, rc_limits *limits)
{
    bool is_zero = e->has[ROLE_LIMIT] && e->numbers[ROLE_LIMIT] == 0;
    bool is_too_small = is_entry_too_small(e);
    bool is_first = !limits->has_limit && !limits->has_used && !limits->has_requested;
    bool says_more = (is_too_small && !limits->has_too_small) ||
                     (is_zero && !limits->has_zero && !limits->has_too_small) ||
                     (e->has[ROLE_LIMIT] && !limits->has_limit);
    if (is_first || says_more)
        store_entry(e, limits);
    limits->has_zero = limits->has_zero || is_zero;
    limits->has_too_small = limits->has_too_small || is_too_small;
    *e = (entry){0};
}

static void add_number(entry *e, role r, int64_t number, rc_limits *limits)
{
    if (e->has[r])
        close_entry(e, limits);
    e->numbers[r] = number;
    e->has[r] = true;
}

/* Returns whether any keyword of `words` begins with this letter. This quick check rejects most
 * words of a text. */
static bool may_have_role(char c)
{
    char lower = rc_ascii_lower(c);
    return lower == 'l' || lower == 'u' || lower == 'r' || lower == 'c' || lower == 'q';
}

void rc_limits_parse(rc_str text, rc_limits *limits)
{
    entry e = {0};
    size_t at = 0;
    while (at < text.len) {
        size_t begin = at;
        while (at < text.len && is_word_byte(text.ptr[at]))
            at++;
        if (at == begin) {
            at++;
            continue;
        }
        if (!may_have_role(text.ptr[begin]))
            continue;
        role r = find_role(words, COUNT(words), rc_str_slice(text, begin, at));
        if (r == ROLE_NONE)
            continue;
        int64_t number;
        size_t from = skip_links(text, at);
        size_t end = take_number(text, from, &number);
        if (end == from && r == ROLE_LIMIT) {
            from = find_of(text, at);
            end = from == RC_STR_NPOS ? from : take_number(text, from, &number);
        }
        if (end == from)
            continue;
        add_number(&e, r, number, limits);
        at = end;
    }
    close_entry(&e, limits);
}

/* Returns the key in lower case and without _ and -; an empty string if the key is longer than
 * every key of `fields`. */
static rc_str fold(rc_str key, char *bytes, size_t size)
{
    size_t len = 0;
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] == '_' || key.ptr[i] == '-')
            continue;
        if (len == size)
            return rc_str_make(bytes, 0);
        bytes[len++] = rc_ascii_lower(key.ptr[i]);
    }
    return rc_str_make(bytes, len);
}

bool rc_limits_field(rc_str key, rc_str value, rc_limits *limits)
{
    char bytes[16];
    role r = find_role(fields, COUNT(fields), fold(key, bytes, sizeof bytes));
    if (r == ROLE_NONE)
        return false;
    int64_t number;
    rc_str trimmed = rc_str_trim(value);
    if (trimmed.len == 0 || take_number(trimmed, 0, &number) != trimmed.len)
        return false;
    /* The members of one JSON object describe one limit. A second member with the same role (limit,
     * used, requested) begins another limit. */
    entry e = {.numbers = {0, limits->limit, limits->used, limits->requested},
               .has = {false, limits->has_limit, limits->has_used, limits->has_requested}};
    bool is_completing = !e.has[r];
    add_number(&e, r, number, limits);
    if (is_completing)
        store_entry(&e, limits);
    close_entry(&e, limits);
    return true;
}

bool rc_limits_is_zero(const rc_limits *limits)
{
    return limits->has_zero;
}

bool rc_limits_is_too_small(const rc_limits *limits)
{
    return limits->has_too_small;
}
