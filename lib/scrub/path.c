/* Masks file system paths for the model's view. Called by report/view.c. */
#include "scrub/scrub.h"

#include "base/str.h"
#include "scrub/parts.h"

#define PATH_MARK "[path]"
#define QUOTED_MAX 1024u /* maximum length of a quoted path in bytes */
/* maximum number of bytes after a space in which a separator is searched */
#define LOOK_MAX 64u

/* First directories of file system paths, after the leading slash. If a name follows such a
 * directory, the text is a file system path, because API paths do not begin with these names. */
static const rc_str ROOTS[] = {
    RC_STR_INIT("home/"),        RC_STR_INIT("Users/"),      RC_STR_INIT("root/"),
    RC_STR_INIT("etc/"),         RC_STR_INIT("var/"),        RC_STR_INIT("usr/"),
    RC_STR_INIT("opt/"),         RC_STR_INIT("tmp/"),        RC_STR_INIT("mnt/"),
    RC_STR_INIT("srv/"),         RC_STR_INIT("proc/"),       RC_STR_INIT("sys/"),
    RC_STR_INIT("dev/"),         RC_STR_INIT("media/"),      RC_STR_INIT("boot/"),
    RC_STR_INIT("lib/"),         RC_STR_INIT("lib64/"),      RC_STR_INIT("bin/"),
    RC_STR_INIT("sbin/"),        RC_STR_INIT("nix/"),        RC_STR_INIT("snap/"),
    RC_STR_INIT("private/"),     RC_STR_INIT("Library/"),    RC_STR_INIT("Applications/"),
    RC_STR_INIT("System/"),      RC_STR_INIT("Volumes/"),    RC_STR_INIT("app/"),
    RC_STR_INIT("workspace/"),   RC_STR_INIT("workspaces/"), RC_STR_INIT("builds/"),
    RC_STR_INIT("run/secrets/"), RC_STR_INIT("run/user/"),   RC_STR_INIT("github/workspace/"),
};

/* First parts of API paths and of JSON pointers into a request. */
static const rc_str API_ROOTS[] = {
    RC_STR_INIT("accounts"),    RC_STR_INIT("agents"),     RC_STR_INIT("anthropic"),
    RC_STR_INIT("api"),         RC_STR_INIT("apis"),       RC_STR_INIT("assistants"),
    RC_STR_INIT("audio"),       RC_STR_INIT("auth"),       RC_STR_INIT("batches"),
    RC_STR_INIT("body"),        RC_STR_INIT("chat"),       RC_STR_INIT("completions"),
    RC_STR_INIT("deployments"), RC_STR_INIT("docs"),       RC_STR_INIT("embeddings"),
    RC_STR_INIT("engines"),     RC_STR_INIT("files"),      RC_STR_INIT("fine_tuning"),
    RC_STR_INIT("health"),      RC_STR_INIT("images"),     RC_STR_INIT("inference"),
    RC_STR_INIT("input"),       RC_STR_INIT("mcp"),        RC_STR_INIT("messages"),
    RC_STR_INIT("model"),       RC_STR_INIT("models"),     RC_STR_INIT("oauth"),
    RC_STR_INIT("oauth2"),      RC_STR_INIT("openai"),     RC_STR_INIT("organizations"),
    RC_STR_INIT("p"),           RC_STR_INIT("params"),     RC_STR_INIT("predictions"),
    RC_STR_INIT("projects"),    RC_STR_INIT("properties"), RC_STR_INIT("publishers"),
    RC_STR_INIT("query"),       RC_STR_INIT("responses"),  RC_STR_INIT("rest"),
    RC_STR_INIT("serving"),     RC_STR_INIT("sse"),        RC_STR_INIT("threads"),
    RC_STR_INIT("tools"),       RC_STR_INIT("upload"),     RC_STR_INIT("ws"),
};

static char byte_at(rc_str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* Returns whether `at` may be the start of a path: it is not inside a word, a URL or another
 * path. */
static bool is_boundary(rc_str text, size_t at)
{
    static const rc_str mark = RC_STR_INIT(PATH_MARK);
    if (at == 0)
        return true;
    if (at >= mark.len && rc_scrub_has(text, at - mark.len, mark))
        return false; /* the path follows a [path] that has replaced another one: a masked text must
                         not be masked again */
    char before = text.ptr[at - 1];
    return !rc_scrub_is(text, at - 1, RC_SCRUB_WORD | RC_SCRUB_DOT) && before != '/' &&
           before != '\\' && before != '~' && before != '@' && before != '%';
}

static bool is_path_byte(rc_str text, size_t at)
{
    if (at >= text.len)
        return false;
    unsigned char c = (unsigned char)text.ptr[at];
    if (c == 0xE2) /* the ellipsis that ends a cut text */
        return !rc_scrub_has(text, at, RC_STR("\xE2\x80\xA6"));
    return c > ' ' && c != 0x7F && !memchr("\"'`<>|*?,;:{}", c, 13);
}

/* Returns whether a file name continues after a space, as in "John Smith\report". If the name
 * continues, a separator follows the space before a new path begins. */
static bool goes_on_behind_space(rc_str text, size_t at, char separator)
{
    size_t most = at + LOOK_MAX;
    for (at++; at < most && is_path_byte(text, at); at++) {
        if (text.ptr[at] == separator)
            return text.ptr[at - 1] != ' ';
    }
    return false;
}

/* Returns the end of a path whose beginning was recognised. Brackets in pairs belong to the
 * path. */
static size_t name_end(rc_str text, size_t at, bool is_windows)
{
    size_t from = at;
    size_t depth = 0;
    for (;; at++) {
        char c = byte_at(text, at);
        if (c == ' ' && goes_on_behind_space(text, at, is_windows ? '\\' : '/'))
            continue;
        if (c == '\\' && !is_windows && byte_at(text, at + 1) == ' ') {
            at++;
            continue;
        }
        if (!is_path_byte(text, at) || (c == '\\' && !is_windows))
            break;
        if (c == '(' || c == '[')
            depth++;
        if ((c == ')' || c == ']') && depth == 0)
            break;
        if (c == ')' || c == ']')
            depth--;
    }
    while (at > from && (text.ptr[at - 1] == '.' || text.ptr[at - 1] == '!'))
        at--;
    return at;
}

static bool is_api_root(rc_str part)
{
    if (part.len > 1 && part.ptr[0] == 'v' && rc_ascii_is_digit(part.ptr[1]))
        return true;
    for (size_t i = 0; i < sizeof API_ROOTS / sizeof *API_ROOTS; i++) {
        if (rc_str_eq_nocase(part, API_ROOTS[i]))
            return true;
    }
    return false;
}

/* Matches any absolute path of two parts or more. The exceptions are a path after a template such
 * as {base} and a JSON pointer such as /items/0/name. */
static size_t any_path_end(rc_str text, size_t at)
{
    if (at > 0 && memchr("}<>)", text.ptr[at - 1], 4))
        return 0;
    size_t slash = rc_scrub_run(text, at + 1, RC_SCRUB_WORD | RC_SCRUB_DOT, LOOK_MAX);
    size_t name = slash + 1;
    bool is_two = slash > at + 1 && byte_at(text, slash) == '/' &&
                  rc_scrub_is(text, name, RC_SCRUB_ALPHA | RC_SCRUB_DASH | RC_SCRUB_DOT);
    if (!is_two || !rc_scrub_is(text, at + 1, RC_SCRUB_ALPHA | RC_SCRUB_DASH | RC_SCRUB_DOT) ||
        is_api_root(rc_str_slice(text, at + 1, slash)))
        return 0;
    size_t end = name_end(text, name, false);
    return end > name ? end : 0;
}

static size_t posix_end(rc_str text, size_t at)
{
    for (size_t i = 0; i < sizeof ROOTS / sizeof *ROOTS; i++) {
        size_t name = at + 1 + ROOTS[i].len;
        if (rc_scrub_has_nocase(text, at + 1, ROOTS[i]))
            return is_path_byte(text, name) ? name_end(text, name, false) : 0;
    }
    return any_path_end(text, at);
}

/* Matches ./x, ../x, $HOME/x and ${HOME}/x. */
static size_t relative_end(rc_str text, size_t at)
{
    static const rc_str OPENINGS[] = {
        RC_STR_INIT("./"),       RC_STR_INIT("../"),   RC_STR_INIT("$HOME/"),
        RC_STR_INIT("${HOME}/"), RC_STR_INIT("$PWD/"), RC_STR_INIT("${PWD}/"),
    };
    for (size_t i = 0; i < sizeof OPENINGS / sizeof *OPENINGS; i++) {
        size_t name = at + OPENINGS[i].len;
        if (!rc_scrub_has(text, at, OPENINGS[i]) || !is_path_byte(text, name))
            continue;
        size_t end = name_end(text, name, false);
        return end > name ? end : 0;
    }
    return 0;
}

/* Matches \/home\/x, in which the slashes are escaped, as some JSON writers do. */
static size_t escaped_end(rc_str text, size_t at)
{
    size_t first = at + 2;
    size_t parts = 0;
    size_t end = at;
    while (rc_scrub_has(text, end, RC_STR("\\/"))) {
        size_t to = end + 2;
        while (is_path_byte(text, to) && text.ptr[to] != '\\' && text.ptr[to] != '/')
            to++;
        if (to == end + 2)
            break;
        if (parts == 0 && is_api_root(rc_str_slice(text, first, to)))
            return 0;
        parts++;
        end = to;
    }
    return parts > 1 ? end : 0;
}

/* Matches ~/x and ~user/x. */
static size_t home_end(rc_str text, size_t at)
{
    size_t slash = at + 1;
    if (rc_scrub_is(text, slash, RC_SCRUB_ALPHA))
        slash = rc_scrub_run(text, slash, RC_SCRUB_WORD, LOOK_MAX);
    if (byte_at(text, slash) != '/' || !is_path_byte(text, slash + 1))
        return 0;
    return name_end(text, slash + 1, false);
}

/* Matches C:\x and C:/x. A: and B: do not match, because they are probably list items before an
 * escaped line end. */
static size_t drive_end(rc_str text, size_t at)
{
    char separator = byte_at(text, at + 2);
    if (byte_at(text, at + 1) != ':' || (separator != '\\' && separator != '/') ||
        rc_ascii_lower(text.ptr[at]) < 'c')
        return 0;
    size_t name = at + 3;
    if (separator == '\\' && byte_at(text, name) == '\\')
        name++;
    if (!is_path_byte(text, name) || (separator == '/' && text.ptr[name] == '/'))
        return 0;
    return name_end(text, name, true);
}

static size_t count_backslashes(rc_str text, size_t at)
{
    size_t from = at;
    while (byte_at(text, at) == '\\')
        at++;
    return at - from;
}

/* Matches \\server\share and \\?\C:\x, with single or doubled backslashes. */
static size_t share_end(rc_str text, size_t at)
{
    size_t opening = count_backslashes(text, at);
    if (opening != 2 && opening != 4)
        return 0;
    size_t server = at + opening;
    bool is_device = byte_at(text, server) == '?' || byte_at(text, server) == '.';
    size_t after =
        is_device ? server + 1 : rc_scrub_run(text, server, RC_SCRUB_WORD | RC_SCRUB_DOT, LOOK_MAX);
    size_t name = after + opening / 2;
    if (after == server || count_backslashes(text, after) != opening / 2 ||
        !rc_scrub_is(text, name, RC_SCRUB_ALNUM))
        return 0;
    size_t end = name_end(text, name, true);
    if (is_device && byte_at(text, end) == ':') /* the colon after the drive letter */
        end = name_end(text, end + 1, true);
    return end;
}

/* Matches file:///x, file:/x, file:///C:/x. */
static size_t file_url_end(rc_str text, size_t at)
{
    static const rc_str scheme = RC_STR_INIT("file:/");
    if (!rc_scrub_has_nocase(text, at, scheme) || !is_path_byte(text, at + scheme.len))
        return 0;
    size_t end = name_end(text, at + scheme.len, false);
    bool is_drive = byte_at(text, end) == ':' && rc_ascii_is_alpha(text.ptr[end - 1]) &&
                    text.ptr[end - 2] == '/';
    return is_drive ? name_end(text, end + 1, false) : end;
}

static size_t path_end(rc_str text, size_t at)
{
    char c = text.ptr[at];
    if (c == '/')
        return posix_end(text, at);
    if (c == '~')
        return home_end(text, at);
    if (c == '.' || c == '$')
        return relative_end(text, at);
    if (c == '\\')
        return byte_at(text, at + 1) == '/' ? escaped_end(text, at) : share_end(text, at);
    if (!rc_ascii_is_alpha(c))
        return 0;
    size_t end = drive_end(text, at);
    return end ? end : file_url_end(text, at);
}

/* Returns the end of the path at `at`, whose end without quotes is `end`. A path that begins after
 * a quote extends to the closing quote, including spaces. */
static size_t quoted_path_end(rc_str text, size_t at, size_t end)
{
    if (at == 0 || !is_quote(text.ptr[at - 1]))
        return end;
    size_t most = at + QUOTED_MAX < text.len ? at + QUOTED_MAX : text.len;
    for (size_t i = end; i < most && text.ptr[i] != '\n'; i++) {
        if (text.ptr[i] == text.ptr[at - 1])
            return text.ptr[i - 1] == '\\' ? i - 1 : i;
    }
    return end;
}

/* Returns whether an HTTP method precedes the path, as in "GET /srv/feed". A path after a method is
 * not a file system path. `least` is the end of the previous path; the text before it is not
 * examined. */
static bool is_requested(rc_str text, size_t least, size_t at)
{
    static const rc_str METHODS[] = {
        RC_STR_INIT("GET "),     RC_STR_INIT("POST "),   RC_STR_INIT("PUT "),
        RC_STR_INIT("PATCH "),   RC_STR_INIT("DELETE "), RC_STR_INIT("HEAD "),
        RC_STR_INIT("OPTIONS "),
    };
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        size_t method = at - METHODS[i].len;
        if (at - least < METHODS[i].len || !rc_scrub_has(text, method, METHODS[i]))
            continue;
        return method == 0 || (method > least && !is_path_byte(text, method - 1));
    }
    return false;
}

/* Returns the offset after the http(s) URL whose "://" is at `at`, or after the "://" of another
 * scheme. */
static size_t url_end(rc_str text, size_t least, size_t at)
{
    rc_str before = rc_str_slice(text, least, at);
    bool is_web =
        rc_str_ends_with(before, RC_STR("http")) || rc_str_ends_with(before, RC_STR("https"));
    at += 3;
    while (is_web && at < text.len && (unsigned char)text.ptr[at] > ' ' &&
           !is_quote(text.ptr[at]) && text.ptr[at] != '<' && text.ptr[at] != '>')
        at++;
    return at;
}

rc_status rc_scrub_paths(rc_str text, rc_buf *buf)
{
    size_t written = 0;
    size_t at = 0;
    bool is_behind_scheme = false; /* the path follows "://" of a URL, as in sqlite:///var/x */
    while (at < text.len) {
        if (text.ptr[at] == ':' && rc_scrub_has(text, at, RC_STR("://"))) {
            at = url_end(text, written, at);
            is_behind_scheme = true;
            continue;
        }
        size_t end = 0;
        bool is_start = is_behind_scheme || (is_boundary(text, at) && (at > written || at == 0));
        if (is_start && !is_requested(text, written, at))
            end = path_end(text, at);
        is_behind_scheme = is_behind_scheme && !end && text.ptr[at] == '/';
        if (!end) {
            at++;
            continue;
        }
        end = quoted_path_end(text, at, end);
        rc_buf_push(buf, rc_str_make(text.ptr + written, at - written));
        rc_buf_push(buf, RC_STR(PATH_MARK));
        written = at = end;
    }
    return rc_buf_push(buf, rc_str_make(text.ptr + written, text.len - written));
}
