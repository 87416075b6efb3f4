/* Finds HTTP statuses in texts: three digits that are not part of a longer word or number, at a
 * place in the sentence where a status is usual. Called by json.c, text.c, html.c,
 * relevance/signs.c and providers/one_api.c. */
#include "base/str.h"
#include "classify/unwrap/unwrap.h"

int rc_http_status_parse(rc_str text)
{
    if (text.len != 3 || !rc_ascii_is_digit(text.ptr[0]) || !rc_ascii_is_digit(text.ptr[1]) ||
        !rc_ascii_is_digit(text.ptr[2]))
        return 0;
    int value = (text.ptr[0] - '0') * 100 + (text.ptr[1] - '0') * 10 + (text.ptr[2] - '0');
    return value >= 100 && value <= 599 ? value : 0;
}

static bool is_word_byte(char c)
{
    return rc_ascii_is_alnum(c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

static bool is_one_of(rc_str word, const rc_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rc_str_eq_nocase(word, words[i]))
            return true;
    }
    return false;
}

/* Returns the word before `at`, without the blanks, colons, brackets and quotes between the word
 * and `at`. */
static rc_str word_before(rc_str text, size_t at)
{
    while (at > 0 && memchr(" :=#'\"([{\t,", text.ptr[at - 1], 11) != NULL)
        at--;
    size_t to = at;
    while (at > 0 && (rc_ascii_is_alnum(text.ptr[at - 1]) || text.ptr[at - 1] == '_' ||
                      text.ptr[at - 1] == '/' || text.ptr[at - 1] == '.'))
        at--;
    return rc_str_slice(text, at, to);
}

static bool is_status_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("status"),     RC_STR_INIT("code"),        RC_STR_INIT("http"),
        RC_STR_INIT("error"),      RC_STR_INIT("statuscode"),  RC_STR_INIT("status_code"),
        RC_STR_INIT("response"),   RC_STR_INIT("error_code"),  RC_STR_INIT("errorcode"),
        RC_STR_INIT("http/1.1"),   RC_STR_INIT("http/2"),      RC_STR_INIT("http/1.0"),
        RC_STR_INIT("httpstatus"), RC_STR_INIT("http_status"), RC_STR_INIT("returned"),
        RC_STR_INIT("return"),     RC_STR_INIT("returns"),     RC_STR_INIT("exception"),
    };
    if (is_one_of(word, WORDS, sizeof(WORDS) / sizeof(WORDS[0])))
        return true;
    return word.len > 5 &&
           rc_str_eq_nocase(rc_str_slice(word, word.len - 5, word.len), RC_STR("error"));
}

/* Returns whether a word for "status" or "error" in another language than English, or a full-width
 * bracket or colon, precedes `at`. */
static bool follows_wide_word(rc_str text, size_t at)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("（"),         RC_STR_INIT("【"),     RC_STR_INIT("："),
        RC_STR_INIT("错误"),       RC_STR_INIT("错误码"), RC_STR_INIT("状态码"),
        RC_STR_INIT("コード"),     RC_STR_INIT("エラー"), RC_STR_INIT("ステータス"),
        RC_STR_INIT("코드"),       RC_STR_INIT("오류"),   RC_STR_INIT("상태"),
        RC_STR_INIT("код"),        RC_STR_INIT("Код"),    RC_STR_INIT("статус"),
        RC_STR_INIT("Статус"),     RC_STR_INIT("ошибка"), RC_STR_INIT("Ошибка"),
        RC_STR_INIT("código"),     RC_STR_INIT("Código"), RC_STR_INIT("statut"),
        RC_STR_INIT("Statut"),     RC_STR_INIT("codice"), RC_STR_INIT("Errore"),
        RC_STR_INIT("errore"),     RC_STR_INIT("Erreur"), RC_STR_INIT("erreur"),
        RC_STR_INIT("Fehler"),     RC_STR_INIT("Erro"),   RC_STR_INIT("erro"),
        RC_STR_INIT("Fehlercode"),
    };
    while (at > 0 && memchr(" :=#(", text.ptr[at - 1], 5) != NULL)
        at--;
    const rc_str before = rc_str_slice(text, 0, at);
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (rc_str_ends_with(before, WORDS[i]))
            return true;
    }
    return false;
}

/* Returns whether a number after this word is an amount and not a status. */
static bool is_amount_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("limit"),   RC_STR_INIT("used"),   RC_STR_INIT("requested"),
        RC_STR_INIT("tokens"),  RC_STR_INIT("max"),    RC_STR_INIT("current"),
        RC_STR_INIT("size"),    RC_STR_INIT("length"), RC_STR_INIT("maximum"),
        RC_STR_INIT("count"),   RC_STR_INIT("total"),  RC_STR_INIT("port"),
        RC_STR_INIT("line"),    RC_STR_INIT("column"), RC_STR_INIT("index"),
        RC_STR_INIT("timeout"),
    };
    return is_one_of(word, WORDS, sizeof(WORDS) / sizeof(WORDS[0]));
}

/* Returns whether the reason phrase of HTTP follows the number: 403 Forbidden, 429 Too Many
 * Requests. */
static bool has_reason_phrase(rc_str text, size_t at)
{
    static const rc_str FIRST_WORDS[] = {
        RC_STR_INIT("Bad"),       RC_STR_INIT("Unauthorized"), RC_STR_INIT("Payment"),
        RC_STR_INIT("Forbidden"), RC_STR_INIT("Not"),          RC_STR_INIT("Method"),
        RC_STR_INIT("Request"),   RC_STR_INIT("Conflict"),     RC_STR_INIT("Gone"),
        RC_STR_INIT("Payload"),   RC_STR_INIT("Content"),      RC_STR_INIT("Unprocessable"),
        RC_STR_INIT("Too"),       RC_STR_INIT("Internal"),     RC_STR_INIT("Service"),
        RC_STR_INIT("Gateway"),   RC_STR_INIT("Client"),       RC_STR_INIT("Server"),
    };
    size_t from = at + 3;
    if (from >= text.len || text.ptr[from] != ' ')
        return rc_str_starts_with(rc_str_slice(text, from, text.len), RC_STR(", message="));
    while (from < text.len && text.ptr[from] == ' ')
        from++;
    size_t to = from;
    while (to < text.len && rc_ascii_is_alpha(text.ptr[to]))
        to++;
    return is_one_of(rc_str_slice(text, from, to), FIRST_WORDS,
                     sizeof(FIRST_WORDS) / sizeof(FIRST_WORDS[0]));
}

/* Returns whether the number follows a colon and precedes a sentence or a JSON body: "...: 400
 * Extra inputs". */
static bool begins_sentence(rc_str text, size_t at)
{
    size_t from = at;
    while (from > 0 && text.ptr[from - 1] == ' ')
        from--;
    size_t to = at + 3;
    while (to < text.len && text.ptr[to] == ' ')
        to++;
    if (from == at || from == 0 || text.ptr[from - 1] != ':' || to == at + 3 || to == text.len)
        return false;
    return (text.ptr[to] >= 'A' && text.ptr[to] <= 'Z') || text.ptr[to] == '{';
}

/* Returns true for "(429)", "[429]" and "[429 Too Many Requests]", false for the call foo(429) and
 * the array element a[429]. */
static bool is_bracketed(rc_str text, size_t at)
{
    char before = at > 0 ? text.ptr[at - 1] : '\0';
    char after = at + 3 < text.len ? text.ptr[at + 3] : '\0';
    if (!(before == '(' && after == ')') && !(before == '[' && (after == ']' || after == ' ')))
        return false;
    return at < 2 || !is_word_byte(text.ptr[at - 2]);
}

/* Returns whether the three digits at `at` are at a place where a status is usual. */
static bool is_status_position(rc_str text, size_t at)
{
    if (is_bracketed(text, at))
        return true;
    rc_str word = word_before(text, at);
    if (word.len == 0 && rc_str_trim(rc_str_slice(text, 0, at)).len <= 1)
        return true; /* the number is at the start of the text, or follows a single bracket or
                        quote */
    if (is_amount_word(word))
        return false;
    return is_status_word(word) || has_reason_phrase(text, at) || begins_sentence(text, at) ||
           follows_wide_word(text, at);
}

/* Returns whether the three digits at `at` can only be a status: HTTP 429, status: 429, 429 Too
 * Many Requests. Returns false after words that many programs print, such as "ValueError:" and
 * "exit code". */
static bool is_sure_position(rc_str text, size_t at)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("status"),     RC_STR_INIT("http"),        RC_STR_INIT("error"),
        RC_STR_INIT("statuscode"), RC_STR_INIT("status_code"), RC_STR_INIT("response"),
        RC_STR_INIT("error_code"), RC_STR_INIT("errorcode"),   RC_STR_INIT("http/1.1"),
        RC_STR_INIT("http/2"),     RC_STR_INIT("http/1.0"),    RC_STR_INIT("httpstatus"),
        RC_STR_INIT("http_status")};
    const size_t count = sizeof(WORDS) / sizeof(WORDS[0]);
    rc_str word = word_before(text, at);
    if (rc_str_eq_nocase(word, RC_STR("code")))
        word = word_before(text, (size_t)(word.ptr - text.ptr));
    return is_one_of(word, WORDS, count) || has_reason_phrase(text, at) ||
           follows_wide_word(text, at);
}

static bool is_wide(char c)
{
    return (unsigned char)c >= 0x80;
}

/* Returns whether the three digits at `at` are a part of a longer word or number. Chinese, Japanese
 * and Korean have no blanks between words and numbers. */
static bool is_in_word(rc_str text, size_t at)
{
    const char before = at > 0 ? text.ptr[at - 1] : ' ';
    const char after = at + 3 < text.len ? text.ptr[at + 3] : ' ';
    if (is_wide(before) && !follows_wide_word(text, at))
        return true;
    return before == '.' || (is_word_byte(before) && !is_wide(before)) ||
           (is_word_byte(after) && (unsigned char)after < 0xE0);
}

static int find_status(rc_str text, bool (*is_position)(rc_str text, size_t at))
{
    for (size_t i = 0; i + 3 <= text.len; i++) {
        if (text.ptr[i] != '4' && text.ptr[i] != '5')
            continue;
        if (is_in_word(text, i))
            continue;
        if (i + 4 < text.len && (text.ptr[i + 3] == '.' || text.ptr[i + 3] == ',') &&
            rc_ascii_is_digit(text.ptr[i + 4]))
            continue;
        int status = rc_http_status_parse(rc_str_slice(text, i, i + 3));
        if (status > 0 && is_position(text, i))
            return status;
    }
    return 0;
}

int rc_text_http_status(rc_str text)
{
    return find_status(text, is_status_position);
}

int rc_text_sure_http_status(rc_str text)
{
    return find_status(text, is_sure_position);
}
