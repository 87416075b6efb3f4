/* Reads waits in the text of messages: "in 9m38.016s", "after about an hour", "20秒后", "at
 * 2026-01-01". Called by classify.c and unwrap/html.c through rc_hints_add_text. */
#include "base/str.h"
#include "base/utf8.h"
#include "classify/hints/parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Highest number of words and marks that are skipped before a duration or point in time. */
#define LEAD_MAX 8

/* Number of bytes before and after a date in which the text's language is detected. */
#define AROUND_BYTES 256u

static const rc_str lead_words[] = {
    RC_STR_INIT("in"),      RC_STR_INIT("after"),  RC_STR_INIT("about"),
    RC_STR_INIT("another"), RC_STR_INIT("at"),     RC_STR_INIT("on"),
    RC_STR_INIT("until"),   RC_STR_INIT("till"),   RC_STR_INIT("for"),
    RC_STR_INIT("within"),  RC_STR_INIT("by"),     RC_STR_INIT("around"),
    RC_STR_INIT("roughly"), RC_STR_INIT("approx"), RC_STR_INIT("approximately"),
    RC_STR_INIT("the"),     RC_STR_INIT("next"),   RC_STR_INIT("least"),
    RC_STR_INIT("less"),    RC_STR_INIT("than"),   RC_STR_INIT("is"),
};

static const rc_str lead_marks = RC_STR_INIT("\"'`([{<*:=~|\\");
static const rc_str lead_wide_marks = RC_STR_INIT("≈～“”‘’「『（【："
                                                  "在于於将將约約大请請等待");

static const rc_str number_words[] = {
    RC_STR_INIT("zero"),  RC_STR_INIT("one"),  RC_STR_INIT("two"), RC_STR_INIT("three"),
    RC_STR_INIT("four"),  RC_STR_INIT("five"), RC_STR_INIT("six"), RC_STR_INIT("seven"),
    RC_STR_INIT("eight"), RC_STR_INIT("nine"), RC_STR_INIT("ten"),
};

typedef struct unit {
    rc_str word;
    rc_str ascii; /* The unit in the spelling that rc_duration_parse accepts. */
} unit;

/* The first matching row is used, so a unit comes before the units that are its prefixes. 时 alone
 * is not listed, because it means a time of day. */
static const unit cjk_units[] = {
    {RC_STR_INIT("毫秒"), RC_STR_INIT("ms")},   {RC_STR_INIT("ミリ秒"), RC_STR_INIT("ms")},
    {RC_STR_INIT("밀리초"), RC_STR_INIT("ms")}, {RC_STR_INIT("秒钟"), RC_STR_INIT("s")},
    {RC_STR_INIT("秒鐘"), RC_STR_INIT("s")},    {RC_STR_INIT("秒"), RC_STR_INIT("s")},
    {RC_STR_INIT("초"), RC_STR_INIT("s")},      {RC_STR_INIT("分钟"), RC_STR_INIT("m")},
    {RC_STR_INIT("分鐘"), RC_STR_INIT("m")},    {RC_STR_INIT("分"), RC_STR_INIT("m")},
    {RC_STR_INIT("분"), RC_STR_INIT("m")},      {RC_STR_INIT("小时"), RC_STR_INIT("h")},
    {RC_STR_INIT("小時"), RC_STR_INIT("h")},    {RC_STR_INIT("時間"), RC_STR_INIT("h")},
    {RC_STR_INIT("시간"), RC_STR_INIT("h")},    {RC_STR_INIT("天"), RC_STR_INIT("d")},
    {RC_STR_INIT("日"), RC_STR_INIT("d")},      {RC_STR_INIT("일"), RC_STR_INIT("d")},
    {RC_STR_INIT("星期"), RC_STR_INIT("w")},    {RC_STR_INIT("週間"), RC_STR_INIT("w")},
    {RC_STR_INIT("周"), RC_STR_INIT("w")},      {RC_STR_INIT("週"), RC_STR_INIT("w")},
};

static rc_str rest_of(rc_str text, size_t at)
{
    return rc_str_slice(text, at, text.len);
}

static char byte_at(rc_str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

static bool is_word_byte(char c)
{
    return rc_ascii_is_alnum(c) || c == '_';
}

static size_t skip_blanks(rc_str text, size_t at)
{
    while (rc_ascii_is_space(byte_at(text, at)))
        at++;
    return at;
}

static rc_str word_at(rc_str text, size_t at)
{
    size_t end = at;
    while (rc_ascii_is_alpha(byte_at(text, end)))
        end++;
    return rc_str_slice(text, at, end);
}

/* ---- start of the time ---- */

static bool is_lead_word(rc_str word)
{
    for (size_t i = 0; i < COUNT(lead_words); i++) {
        if (rc_str_eq_nocase(word, lead_words[i]))
            return true;
    }
    return false;
}

static size_t lead_len(rc_str text, size_t at)
{
    rc_str word = word_at(text, at);
    if (word.len > 0) {
        bool is_cut = is_word_byte(byte_at(text, at + word.len));
        return !is_cut && is_lead_word(word) ? word.len : 0;
    }
    if (at >= text.len)
        return 0;
    size_t len;
    uint32_t cp = rc_utf8_decode(text, at, &len);
    if (cp == RC_UTF8_REPLACEMENT)
        return 0;
    rc_str marks = cp < 0x80 ? lead_marks : lead_wide_marks;
    return rc_str_find(marks, rc_str_slice(text, at, at + len), 0) != RC_STR_NPOS ? len : 0;
}

static size_t skip_lead(rc_str text, size_t at)
{
    at = skip_blanks(text, at);
    for (int i = 0; i < LEAD_MAX; i++) {
        size_t len = lead_len(text, at);
        if (len == 0)
            break;
        at = skip_blanks(text, at + len);
    }
    return at;
}

/* Returns the value of "a", "an", "another" and "zero" to "ten"; -1 for any other word. */
static int number_word(rc_str word)
{
    if (rc_str_eq_nocase(word, RC_STR("a")) || rc_str_eq_nocase(word, RC_STR("an")) ||
        rc_str_eq_nocase(word, RC_STR("another")))
        return 1;
    for (size_t i = 0; i < COUNT(number_words); i++) {
        if (rc_str_eq_nocase(word, number_words[i]))
            return (int)i;
    }
    return -1;
}

/* Returns the offset of the article or number word before `at`; `at` if no such word precedes it.
 * The phrase scanner skips "an" as a stop word, so that for "in an hour" the caller passes the
 * offset of "hour". */
static size_t back_over_article(rc_str text, size_t at)
{
    size_t end = at;
    while (end > 0 && byte_at(text, end - 1) == ' ')
        end--;
    size_t from = end;
    while (from > 0 && rc_ascii_is_alpha(byte_at(text, from - 1)))
        from--;
    bool is_article = end < at && from < end && number_word(rc_str_slice(text, from, end)) >= 0 &&
                      (from == 0 || !is_word_byte(byte_at(text, from - 1)));
    return is_article && rc_ascii_is_alpha(byte_at(text, at)) ? from : at;
}

/* Returns whether the text around `at` has Chinese characters and no Japanese kana: a date without
 * a zone is then in China Standard Time. Returns false if no year can begin at `at`. */
static bool is_chinese(rc_str text, size_t at)
{
    if (!rc_ascii_is_digit(byte_at(text, at)) || !rc_ascii_is_digit(byte_at(text, at + 3)))
        return false;
    rc_str around =
        rc_str_slice(text, at > AROUND_BYTES ? at - AROUND_BYTES : 0, at + AROUND_BYTES);
    bool has_han = false;
    size_t len;
    for (size_t i = 0; i < around.len; i += len) {
        uint32_t cp = rc_utf8_decode(around, i, &len);
        if (cp >= 0x3040 && cp <= 0x30FF)
            return false;
        has_han = has_han || (cp >= 0x4E00 && cp <= 0x9FFF);
    }
    return has_han;
}

/* ---- parts of a duration ---- */

/* Longest part of a duration, in bytes: a number without thousands separators and its unit, in the
 * notation of rc_duration_parse. */
#define PART_MAX 48u

typedef struct part {
    char bytes[PART_MAX];
    size_t len;
    bool is_too_long;
} part;

static void part_push(part *p, char c)
{
    if (p->len < PART_MAX)
        p->bytes[p->len++] = c;
    else
        p->is_too_long = true;
}

static bool is_thousand(rc_str text, size_t at)
{
    return byte_at(text, at) == ',' && rc_ascii_is_digit(byte_at(text, at + 1)) &&
           rc_ascii_is_digit(byte_at(text, at + 2)) && rc_ascii_is_digit(byte_at(text, at + 3)) &&
           !rc_ascii_is_digit(byte_at(text, at + 4));
}

/* Reads "1,500.5" or "three". Returns the offset after the number; `at` if there is no number. */
static size_t take_number(rc_str text, size_t at, part *p)
{
    size_t end = at;
    while (rc_ascii_is_digit(byte_at(text, end)) || (end > at && is_thousand(text, end))) {
        if (byte_at(text, end) != ',')
            part_push(p, byte_at(text, end));
        end++;
    }
    bool has_fraction =
        end > at && byte_at(text, end) == '.' && rc_ascii_is_digit(byte_at(text, end + 1));
    if (has_fraction)
        part_push(p, '.');
    for (end += has_fraction; has_fraction && rc_ascii_is_digit(byte_at(text, end)); end++)
        part_push(p, byte_at(text, end));
    if (end > at)
        return end;
    rc_str word = word_at(text, at);
    int value = number_word(word);
    if (value < 0 || is_word_byte(byte_at(text, at + word.len)))
        return at;
    if (value >= 10)
        part_push(p, '1');
    part_push(p, (char)('0' + value % 10));
    return at + word.len;
}

/* Reads "seconds", "minute(s)" or "分钟". Returns the offset after the unit; `at` if there is no
 * unit. */
static size_t take_unit(rc_str text, size_t at, part *p)
{
    rc_str word = word_at(text, at);
    size_t end = at + word.len;
    bool is_ascii = word.len > 0;
    for (size_t i = 0; i < COUNT(cjk_units) && word.len == 0; i++) {
        if (rc_str_starts_with(rest_of(text, at), cjk_units[i].word)) {
            word = cjk_units[i].ascii;
            end = at + cjk_units[i].word.len;
        }
    }
    if (is_ascii && is_word_byte(byte_at(text, end)))
        return at;
    for (size_t i = 0; i < word.len; i++)
        part_push(p, word.ptr[i]);
    return rc_str_starts_with(rest_of(text, end), RC_STR("(s)")) ? end + 3 : end;
}

/* Reads a number and its unit. Returns RC_E_SYNTAX if the number or the unit is missing, otherwise
 * the status of rc_duration_parse. */
static rc_status take_part(rc_str text, size_t at, int64_t *ret_ms, size_t *ret_end)
{
    part p = {.len = 0};
    size_t end = take_number(text, at, &p);
    if (end == at)
        return RC_E_SYNTAX;
    end = skip_blanks(text, end);
    if (rc_str_starts_with(rest_of(text, end), RC_STR("个")) ||
        rc_str_starts_with(rest_of(text, end), RC_STR("個")))
        end = skip_blanks(text, end + RC_STR("个").len);
    *ret_end = take_unit(text, end, &p);
    if (*ret_end == end || p.is_too_long)
        return RC_E_SYNTAX;
    return rc_duration_parse(rc_str_make(p.bytes, p.len), RC_UNIT_NONE, ret_ms);
}

static size_t skip_joint(rc_str text, size_t at)
{
    at = skip_blanks(text, at);
    if (byte_at(text, at) == ',')
        at = skip_blanks(text, at + 1);
    if (rc_str_eq_nocase(word_at(text, at), RC_STR("and")))
        at = skip_blanks(text, at + 3);
    return at;
}

/* Reads durations that codec/duration.c does not read: number words, thousands with commas, East
 * Asian units. Each part must be a shorter time than the part before, so that "1小时 5 小时" is not
 * read as six hours. */
static rc_status take_parts(rc_str text, size_t at, int64_t *ret_ms, size_t *ret_end)
{
    int64_t total = 0;
    int64_t last = RC_DURATION_MAX_MS + 1;
    for (bool is_first = true;; is_first = false) {
        int64_t ms;
        size_t end;
        rc_status status = take_part(text, at, &ms, &end);
        if (is_first && status != RC_OK)
            return status;
        if (status != RC_OK || ms >= last)
            break;
        total += ms;
        last = ms;
        *ret_end = end;
        at = skip_joint(text, end);
    }
    if (total > RC_DURATION_MAX_MS)
        return RC_E_RANGE;
    *ret_ms = total;
    return RC_OK;
}

/* ---- notations of a wait ---- */

/* Reads "seconds: 42", the notation of protobuf's text format. */
static bool read_unit_first(rc_str text, size_t at, rc_hint_reading *ret, size_t *ret_end)
{
    rc_str word = word_at(text, at);
    bool is_seconds = rc_str_eq_nocase(word, RC_STR("seconds"));
    size_t from = skip_blanks(text, at + word.len);
    if (!is_seconds || (byte_at(text, from) != ':' && byte_at(text, from) != '='))
        return false;
    from = skip_blanks(text, from + 1);
    part p = {.len = 0};
    size_t end = rc_ascii_is_digit(byte_at(text, from)) ? take_number(text, from, &p) : from;
    if (end == from || is_word_byte(byte_at(text, end)))
        return false;
    *ret = rc_hint_read(RC_HINT_FORM_SECONDS, rc_str_slice(text, from, end), 0);
    *ret_end = end;
    return true;
}

/* Returns the member name before the value at `at`, as in "retry_after=30" and "'retry_after': 30";
 * empty if no name precedes the value. */
static rc_str label_before(rc_str text, size_t at)
{
    bool has_mark = false;
    size_t end = at;
    for (; end > 0; end--) {
        char c = text.ptr[end - 1];
        has_mark = has_mark || c == ':' || c == '=';
        if (c != ':' && c != '=' && c != '\'' && c != '"' && c != '\\' && c != ' ')
            break;
    }
    size_t from = end;
    while (from > 0 && (is_word_byte(text.ptr[from - 1]) || text.ptr[from - 1] == '-'))
        from--;
    return has_mark ? rc_str_slice(text, from, end) : rc_str_slice(text, at, at);
}

/* Reads a number without a unit: a Unix time, or the value of a JSON member that the text
 * quotes. */
static rc_hint_reading read_plain(rc_str text, size_t at, int64_t now_unix_ms, size_t *ret_end)
{
    size_t end = at;
    while (rc_ascii_is_digit(byte_at(text, end)))
        end++;
    if (byte_at(text, end) == ':' && rc_ascii_is_digit(byte_at(text, end + 1)))
        return rc_hint_reject(RC_STR("a time of day without a date"));
    if (byte_at(text, end) == '.' && rc_ascii_is_digit(byte_at(text, end + 1))) {
        for (end++; rc_ascii_is_digit(byte_at(text, end));)
            end++;
    }
    *ret_end = end;
    if (is_word_byte(byte_at(text, end)))
        return rc_hint_reject(RC_STR("neither a duration nor a point in time"));
    rc_str number = rc_str_slice(text, at, end);
    rc_hint_form form;
    if (rc_hint_find_field(label_before(text, at), &form))
        return rc_hint_read(form, number, now_unix_ms);
    int64_t ms;
    bool is_small = rc_duration_parse(number, RC_UNIT_S, &ms) == RC_OK && ms < RC_HINT_EPOCH_MS;
    if (is_small)
        return rc_hint_reject(RC_STR("a number without a unit"));
    return rc_hint_read(RC_HINT_FORM_TIME, number, now_unix_ms);
}

static bool is_part_of_word(rc_str text, size_t at)
{
    if (at == 0 || !rc_ascii_is_digit(byte_at(text, at)))
        return false;
    char before = text.ptr[at - 1];
    return is_word_byte(before) || before == '-' || before == '.';
}

/* Returns the offset of the second number of a range such as "5-10 seconds" or "1 to 2 minutes";
 * `at` if the text has no range there. */
static size_t skip_range(rc_str text, size_t at)
{
    size_t end = at;
    while (rc_ascii_is_digit(byte_at(text, end)))
        end++;
    if (end == at)
        return at;
    size_t next = skip_blanks(text, end);
    if (byte_at(text, next) == '-')
        next++;
    else if (rc_str_starts_with(rest_of(text, next), RC_STR("–")))
        next += RC_STR("–").len;
    else if (rc_str_starts_with_nocase(rest_of(text, next), RC_STR("to ")))
        next += 3;
    else
        return at;
    next = skip_blanks(text, next);
    return rc_ascii_is_digit(byte_at(text, next)) ? next : at;
}

static rc_hint_reading read_wording(rc_str text, size_t at, int64_t now_unix_ms, size_t *ret_end)
{
    *ret_end = at;
    if (is_part_of_word(text, at))
        return rc_hint_reject(RC_STR("part of a longer word"));
    rc_hint_reading reading;
    size_t len;
    if (rc_hint_read_date(rest_of(text, at), is_chinese(text, at), now_unix_ms, &reading, &len)) {
        *ret_end = at + len;
        return reading;
    }
    if (read_unit_first(text, at, &reading, ret_end))
        return reading;
    int64_t ms;
    if (rc_hint_read_timespan(rest_of(text, at), &ms, &len) && ms < RC_HINT_EPOCH_MS) {
        *ret_end = at + len;
        return rc_hint_wait(ms);
    }
    at = skip_range(text, at);
    rc_status status = rc_duration_parse_prefix(rest_of(text, at), &ms, &len);
    if (status == RC_OK)
        *ret_end = at + len;
    else if (status == RC_E_SYNTAX)
        status = take_parts(text, at, &ms, ret_end);
    if (status == RC_OK && ms >= RC_HINT_EPOCH_MS)
        status = RC_E_RANGE;
    if (status == RC_OK)
        return rc_hint_wait(ms);
    if (status == RC_E_SYNTAX && rc_ascii_is_digit(byte_at(text, at)))
        return read_plain(text, at, now_unix_ms, ret_end);
    return rc_hint_reject_duration(status, rest_of(text, at));
}

void rc_hints_add_wait(rc_hints *h, int64_t wait_ms, rc_str value)
{
    rc_hint offered = {.rank = RC_HINT_RANK_WORDING,
                       .wait_ms = wait_ms,
                       .where = RC_STR("message"),
                       .value = value};
    rc_hints_offer(h, &h->wording, &offered);
}

void rc_hints_add_text(rc_hints *h, rc_str text, size_t at)
{
    if (at >= text.len)
        return;
    at = back_over_article(text, skip_lead(text, at));
    size_t end;
    rc_hint_reading reading = read_wording(text, at, h->now_unix_ms, &end);
    rc_str where = RC_STR("message");
    if (reading.wait_ms < 0) {
        rc_hints_note_rejected(h, where, reading.why);
        return;
    }
    rc_hints_add_wait(h, reading.wait_ms, rc_str_slice(text, at, end));
}
