/* Parser for pasted HTTP responses. Called by `recourse explain`. */
#include "codec/http_text.h"

#include "base/str.h"

/* The tool that printed the text, derived from the form of its lines. */
typedef enum style {
    STYLE_PLAIN,    /* output of curl -i or HTTPie */
    STYLE_INDENTED, /* output of wget -S */
    STYLE_MARKED,   /* output of curl -v, in which received lines begin with "< " */
    STYLE_BROWSER   /* header list of a browser: each name is followed by a line with its value */
} style;

typedef struct cursor {
    rc_str text;
    size_t at;
} cursor;

/* Reads the next line without its line end. Returns false at the end of the text. */
static bool next_line(cursor *c, rc_str *ret_line)
{
    if (c->at >= c->text.len)
        return false;
    size_t end = rc_str_find_byte(c->text, '\n', c->at);
    rc_str line = rc_str_slice(c->text, c->at, end);
    c->at = end == RC_STR_NPOS ? c->text.len : end + 1;
    if (line.len > 0 && line.ptr[line.len - 1] == '\r')
        line.len--;
    *ret_line = line;
    return true;
}

static rc_str peek_line(const cursor *c)
{
    cursor copy = *c;
    rc_str line = {NULL, 0};
    next_line(&copy, &line);
    return line;
}

static bool is_blank(rc_str line)
{
    return rc_str_trim(line).len == 0;
}

/* Returns whether the line is a message of curl -v or part of the request that it shows. */
static bool is_curl_note(rc_str line)
{
    if (line.len == 0 || rc_str_find_byte(RC_STR("*>{}"), line.ptr[0], 0) == RC_STR_NPOS)
        return false;
    if (line.ptr[0] == '{' || line.ptr[0] == '}')
        return rc_str_ends_with(line, RC_STR("bytes data]"));
    return line.len == 1 || line.ptr[1] == ' ';
}

/* ---- single lines ---- */

/* Returns the status at the start of text: three digits, from 100 to 999, without a letter or digit
 * after them. Returns 0 if the text does not begin with a status. */
static int read_status(rc_str text)
{
    if (text.len < 3 || text.ptr[0] == '0')
        return 0;
    int status = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return 0;
        status = status * 10 + (text.ptr[i] - '0');
    }
    return text.len == 3 || !rc_ascii_is_alnum(text.ptr[3]) ? status : 0;
}

/* Returns the status of a status line such as "HTTP/1.1 429 Too Many Requests" or "< HTTP/2 429".
 * Returns 0 for other lines. */
static int status_of(rc_str line, style *ret_style)
{
    style found = STYLE_PLAIN;
    if (rc_str_starts_with(line, RC_STR("< "))) {
        found = STYLE_MARKED;
        line = rc_str_slice(line, 2, line.len);
    } else if (rc_str_starts_with(line, RC_STR("  "))) {
        found = STYLE_INDENTED;
        line = rc_str_trim(line);
    }
    if (!rc_str_starts_with_nocase(line, RC_STR("HTTP/")) || line.len < 10)
        return 0;
    size_t at = 5;
    while (at < line.len && (rc_ascii_is_digit(line.ptr[at]) || line.ptr[at] == '.'))
        at++;
    if (at == 5 || at > 8 || line.ptr[at] != ' ')
        return 0;
    int status = read_status(rc_str_trim(rc_str_slice(line, at, line.len)));
    if (status != 0)
        *ret_style = found;
    return status;
}

static bool is_name_char(char c)
{
    return rc_ascii_is_alnum(c) || rc_str_find_byte(RC_STR("-_.!#$%&'*+^`|~"), c, 0) != RC_STR_NPOS;
}

/* Parses "name: value". The drive letter of a path (C:\) and the scheme of a URL are not read as
 * names. */
static bool read_header(rc_str line, rc_header *ret_header)
{
    size_t at = line.len > 0 && line.ptr[0] == ':' ? 1 : 0; /* HTTP/2 pseudo-header like :status */
    while (at < line.len && is_name_char(line.ptr[at]))
        at++;
    if (at < 2 || at == line.len || line.ptr[at] != ':')
        return false;
    rc_str value = rc_str_slice(line, at + 1, line.len);
    if (rc_str_starts_with(value, RC_STR("//")))
        return false;
    *ret_header = (rc_header){rc_str_slice(line, 0, at), rc_str_trim(value)};
    return true;
}

/* Returns whether the line is a label in a browser's header list, such as Request URL, and not a
 * header. */
static bool is_browser_label(rc_str line)
{
    static const rc_str LABELS[] = {
        RC_STR_INIT("Request URL"),    RC_STR_INIT("Request Method"),  RC_STR_INIT("Status Code"),
        RC_STR_INIT("Remote Address"), RC_STR_INIT("Referrer Policy"),
    };
    for (size_t i = 0; i < sizeof LABELS / sizeof *LABELS; i++) {
        if (rc_str_starts_with_nocase(line, LABELS[i]) &&
            (line.len == LABELS[i].len || line.ptr[LABELS[i].len] == ':'))
            return true;
    }
    return false;
}

/* ---- headers ---- */

static void add_header(rc_http_text *http, const rc_header *header)
{
    if (http->header_count < RC_HTTP_TEXT_HEADERS_MAX)
        http->headers[http->header_count++] = *header;
}

/* Appends a folded line, which begins with white space, to the previous value (RFC 9112, 5.2). */
static void fold(rc_http_text *http, rc_str line)
{
    rc_header *last = &http->headers[http->header_count - 1];
    rc_str more = rc_str_trim(line);
    if (http->header_count == RC_HTTP_TEXT_HEADERS_MAX)
        return; /* the list of headers is full, so the line may belong to a header that was left
                   out */
    if (last->value.len == 0)
        last->value = more;
    else
        last->value.len = (size_t)(more.ptr + more.len - last->value.ptr);
}

/* Reads headers up to and including the blank line. If a line is not a header, reading ends before
 * this line. */
static void read_headers(cursor *c, style kind, rc_http_text *http)
{
    rc_str line;
    for (size_t start = c->at; next_line(c, &line); start = c->at) {
        if (kind == STYLE_MARKED && is_curl_note(line))
            continue;
        bool is_received = line.len > 0 && line.ptr[0] == '<';
        if (kind == STYLE_MARKED && is_received)
            line = rc_str_slice(line, 1, line.len);
        if (is_blank(line))
            return;
        bool is_folded = kind == STYLE_PLAIN && rc_ascii_is_space(line.ptr[0]);
        rc_header header;
        if (is_folded && http->header_count > 0) {
            fold(http, line);
        } else if (read_header(kind == STYLE_PLAIN ? line : rc_str_trim(line), &header)) {
            add_header(http, &header);
        } else {
            c->at = start;
            return;
        }
    }
}

/* ---- the body ---- */

/* Returns the offset of the messages that curl printed after the body. The messages can begin in
 * the middle of a line, because the body's last line may have no line end. */
static size_t find_last_curl_note(rc_str text)
{
    static const rc_str CURL_NOTES[] = {
        RC_STR_INIT("* Connection #"),       RC_STR_INIT("* Closing connection"),
        RC_STR_INIT("* closing connection"), RC_STR_INIT("* Connection to host"),
        RC_STR_INIT("* transfer closed"),    RC_STR_INIT("* Curl_http_done"),
    };
    size_t first = text.len;
    size_t from = text.len > 400 ? text.len - 400 : 0;
    for (size_t i = 0; i < sizeof CURL_NOTES / sizeof *CURL_NOTES; i++) {
        size_t at = rc_str_find(text, CURL_NOTES[i], from);
        if (at < first)
            first = at;
    }
    return first;
}

static rc_str read_body(cursor c, style kind)
{
    rc_str line;
    if (kind != STYLE_MARKED)
        return rc_str_trim(rc_str_slice(c.text, c.at, c.text.len));
    size_t start = c.at;
    while (next_line(&c, &line) && (is_curl_note(line) || is_blank(line)))
        start = c.at;
    rc_str body = rc_str_slice(c.text, start, c.text.len);
    return rc_str_trim(rc_str_slice(body, 0, find_last_curl_note(body)));
}

/* ---- responses with a status line ---- */

/* Returns whether the line may follow a status line. If prose follows, the line that looks like a
 * status line is part of a sentence. */
static bool may_follow(rc_str line, style kind)
{
    rc_header header;
    style other;
    if (is_blank(line) || is_curl_note(line) || status_of(line, &other) != 0)
        return true;
    if (kind == STYLE_MARKED)
        return line.ptr[0] == '<';
    return read_header(rc_str_trim(line), &header) || line.ptr[0] == '{';
}

typedef struct found {
    int status;
    style kind;
    size_t behind; /* offset after the status line, where the headers begin */
    size_t count;  /* number of status lines found so far */
} found;

/* Finds the last status line. Once curl -v has marked a status line with "< ", status lines without
 * the mark are ignored. */
static found find_status(rc_str text)
{
    found last = {0};
    cursor c = {text, 0};
    rc_str line;
    while (next_line(&c, &line)) {
        style kind;
        int status = status_of(line, &kind);
        if (status == 0 || !may_follow(peek_line(&c), kind))
            continue;
        bool is_lesser = last.kind == STYLE_MARKED && kind != STYLE_MARKED;
        if (last.status != 0 && is_lesser)
            continue;
        last = (found){status, kind, c.at, last.count + 1};
    }
    return last;
}

/* ---- responses without a status line ---- */

static bool is_http_name(rc_str name)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT(":status"),        RC_STR_INIT("content-type"),
        RC_STR_INIT("content-length"), RC_STR_INIT("retry-after"),
        RC_STR_INIT("retry-after-ms"), RC_STR_INIT("request-id"),
        RC_STR_INIT("x-request-id"),   RC_STR_INIT("cf-ray"),
        RC_STR_INIT("server"),         RC_STR_INIT("www-authenticate"),
        RC_STR_INIT("cache-control"),  RC_STR_INIT("transfer-encoding"),
        RC_STR_INIT("x-should-retry"), RC_STR_INIT("apim-request-id"),
    };
    static const rc_str FAMILIES[] = {
        RC_STR_INIT("x-ratelimit-"), RC_STR_INIT("anthropic-"),      RC_STR_INIT("openai-"),
        RC_STR_INIT("x-amzn-"),      RC_STR_INIT("x-ms-"),           RC_STR_INIT("x-goog-"),
        RC_STR_INIT("ratelimit-"),   RC_STR_INIT("access-control-"),
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (rc_str_eq_nocase(name, NAMES[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++) {
        if (rc_str_starts_with_nocase(name, FAMILIES[i]))
            return true;
    }
    return false;
}

static bool is_status_name(rc_str name)
{
    return rc_str_eq_nocase(name, RC_STR(":status")) || rc_str_eq_nocase(name, RC_STR("status")) ||
           rc_str_eq_nocase(name, RC_STR("status code"));
}

/* Reads a header in the form "name: value", or a header whose value is in the line after its name
 * and colon. */
static bool read_browser_header(cursor *c, rc_header *ret_header)
{
    rc_str line;
    cursor before = *c;
    if (!next_line(c, &line) || is_blank(line))
        return false;
    rc_header header = {0};
    size_t colon = rc_str_find_byte(line, ':', 1);
    if (is_browser_label(line))
        header = (rc_header){
            rc_str_slice(line, 0, colon),
            rc_str_trim(rc_str_slice(line, colon == RC_STR_NPOS ? line.len : colon + 1, line.len))};
    else if (!read_header(line, &header)) {
        *c = before;
        return false;
    }
    if (header.value.len == 0 && next_line(c, &line))
        header.value = rc_str_trim(line);
    *ret_header = header;
    return true;
}

static void skip_blank_line(cursor *c)
{
    cursor copy = *c;
    rc_str line;
    if (next_line(&copy, &line) && is_blank(line))
        *c = copy;
}

static void read_browser(cursor *c, rc_http_text *http)
{
    rc_header header;
    while (read_browser_header(c, &header)) {
        if (is_status_name(header.name))
            http->status = read_status(header.value);
        else if (!is_browser_label(header.name))
            add_header(http, &header);
    }
}

/* Reads headers at the start of a text without a status line. At least one of the headers must be a
 * known HTTP header, because prose contains colons, too. */
static bool read_loose(rc_str text, rc_http_text *ret_http)
{
    rc_http_text http = {0};
    cursor c = {text, 0};
    bool is_browser = is_browser_label(rc_str_trim(peek_line(&c)));
    if (is_browser)
        read_browser(&c, &http);
    else
        read_headers(&c, STYLE_PLAIN, &http);
    bool is_http = is_browser && http.status != 0;
    for (size_t i = 0; i < http.header_count && http.header_count > 1; i++) {
        is_http = is_http || is_http_name(http.headers[i].name);
        if (http.status == 0 && is_status_name(http.headers[i].name))
            http.status = read_status(http.headers[i].value);
    }
    if (!is_http)
        return false;
    skip_blank_line(&c);
    http.body = read_body(c, STYLE_PLAIN);
    *ret_http = http;
    return true;
}

bool rc_http_text_parse(rc_str text, rc_http_text *ret_http)
{
    while (text.len > 0 && (text.ptr[0] == '\n' || text.ptr[0] == '\r'))
        text = rc_str_slice(text, 1, text.len);
    found last = find_status(text);
    if (last.status == 0)
        return read_loose(text, ret_http);
    rc_http_text http = {.status = last.status, .responses = last.count};
    cursor c = {text, last.behind};
    read_headers(&c, last.kind, &http);
    http.body = read_body(c, last.kind);
    *ret_http = http;
    return true;
}
