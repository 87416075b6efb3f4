/* Recognition of addresses in a text: https://host/path, www.host, host.tld/path, name@host. Called
 * by words.c. */
#include "classify/phrases/words.h"

#include "base/str.h"

/* Top-level domains. Names are omitted that are also file extensions, or words that may follow a
 * full stop without a blank. */
static const rc_str TOP_LEVELS[] = {
    RC_STR_INIT("com"),  RC_STR_INIT("org"),  RC_STR_INIT("net"),   RC_STR_INIT("io"),
    RC_STR_INIT("ai"),   RC_STR_INIT("dev"),  RC_STR_INIT("app"),   RC_STR_INIT("co"),
    RC_STR_INIT("cn"),   RC_STR_INIT("jp"),   RC_STR_INIT("kr"),    RC_STR_INIT("uk"),
    RC_STR_INIT("de"),   RC_STR_INIT("fr"),   RC_STR_INIT("eu"),    RC_STR_INIT("edu"),
    RC_STR_INIT("gov"),  RC_STR_INIT("info"), RC_STR_INIT("cloud"), RC_STR_INIT("chat"),
    RC_STR_INIT("tech"), RC_STR_INIT("xyz"),  RC_STR_INIT("run")};

static bool is_top_level(rc_str label)
{
    for (size_t i = 0; i < sizeof TOP_LEVELS / sizeof *TOP_LEVELS; i++) {
        if (rc_str_eq_nocase(label, TOP_LEVELS[i]))
            return true;
    }
    return false;
}

static bool is_host_char(char c)
{
    return rc_ascii_is_alnum(c) || c == '-' || c == '.';
}

static bool is_name_char(char c)
{
    return is_host_char(c) || c == '_' || c == '+';
}

static size_t skip(rc_str text, size_t at, bool (*is_part)(char))
{
    while (at < text.len && is_part(text.ptr[at]))
        at++;
    return at;
}

/* Returns whether the character is printable ASCII that may occur inside an address. */
static bool is_path_char(char c)
{
    return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '<' && c != '>' && c != '`' &&
           c != '\\';
}

/* Returns the end of the address from `at` on, without punctuation that belongs to the sentence. */
static size_t path_end(rc_str text, size_t at)
{
    size_t end = skip(text, at, is_path_char);
    while (end > at && memchr(".,:;!?)]}", text.ptr[end - 1], 9))
        end--;
    return end;
}

/* Returns the end of the host name that begins at `from`, without a trailing point; `from` if the
 * name has no known top-level domain. */
static size_t host_end(rc_str text, size_t from)
{
    size_t end = skip(text, from, is_host_char);
    while (end > from && (text.ptr[end - 1] == '.' || text.ptr[end - 1] == '-'))
        end--;
    size_t label = end;
    while (label > from && text.ptr[label - 1] != '.')
        label--;
    if (label <= from + 1 || (end < text.len && text.ptr[end] == '_'))
        return from;
    return is_top_level(rc_str_slice(text, label, end)) ? end : from;
}

static bool is_metric_char(char c)
{
    return rc_ascii_is_alnum(c) || c == '_';
}

/* Returns whether the path is the name of a metric ("host.tld/requests_per_minute_per_model"). Such
 * a path is read as text and not as part of the address. */
static bool is_metric(rc_str text, size_t slash)
{
    size_t end = skip(text, slash + 1, is_metric_char);
    bool is_point = end < text.len && text.ptr[end] == '.' &&
                    (end + 1 == text.len || !is_host_char(text.ptr[end + 1]));
    if (end < text.len && !is_point && (is_host_char(text.ptr[end]) || text.ptr[end] == '/'))
        return false;
    size_t joints = 0;
    for (size_t i = slash + 1; i < end; i++)
        joints += text.ptr[i] == '_';
    return joints >= 2;
}

size_t rc_words_address_len(rc_str text, size_t at, size_t *ret_searched_to)
{
    size_t name = skip(text, at, is_name_char);
    *ret_searched_to = name;
    rc_str scheme = RC_STR("://");
    if (rc_str_starts_with(rc_str_slice(text, name, text.len), scheme))
        return path_end(text, name + scheme.len) - at;

    if (name < text.len && text.ptr[name] == '@') {
        size_t end = host_end(text, name + 1);
        return end > name + 1 ? end - at : 0;
    }
    if (rc_str_starts_with_nocase(rc_str_slice(text, at, name), RC_STR("www.")))
        return path_end(text, at) - at;

    size_t end = host_end(text, at);
    if (end == at)
        return 0;
    if (end < text.len && text.ptr[end] == '/')
        return (is_metric(text, end) ? end : path_end(text, end)) - at;
    bool has_port =
        end + 1 < text.len && text.ptr[end] == ':' && rc_ascii_is_digit(text.ptr[end + 1]);
    return (has_port ? path_end(text, end) : end) - at;
}
