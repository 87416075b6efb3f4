/* Unwraps HTML pages, which proxies and gateways send in place of the provider's response. Called
 * by unwrap.c and text.c. */
#include "base/str.h"
#include "classify/unwrap/unwrap.h"

/* Number of bytes of a page that are read; title and headings are near the start of a page. */
#define PAGE_MAX ((size_t)16 << 10)

/* Returns the offset of `needle`, which must be in lower case; letter case of the text is
 * ignored. */
static size_t find_nocase(rc_str text, rc_str needle, size_t from)
{
    for (size_t i = from; i + needle.len <= text.len; i++) {
        if (rc_ascii_lower(text.ptr[i]) == needle.ptr[0] &&
            rc_ascii_eq_nocase(text.ptr + i, needle.ptr, needle.len))
            return i;
    }
    return RC_STR_NPOS;
}

/* Returns the text between an opening tag, such as <title ...>, and the next <. */
static rc_str element(rc_str page, rc_str open)
{
    size_t at = find_nocase(page, open, 0);
    if (at == RC_STR_NPOS)
        return (rc_str){NULL, 0};
    size_t from = rc_str_find_byte(page, '>', at);
    if (from == RC_STR_NPOS)
        return (rc_str){NULL, 0};
    size_t to = rc_str_find_byte(page, '<', from + 1);
    return rc_str_trim(rc_str_slice(page, from + 1, to == RC_STR_NPOS ? page.len : to));
}

/* Returns title and headings of the page, one per line. The other text of an error page is general
 * advice. */
static rc_str headings(rc_evidence *evidence, rc_str page)
{
    static const rc_str NAMES[] = {RC_STR_INIT("<title"), RC_STR_INIT("<h1"), RC_STR_INIT("<h2")};
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space,
                      evidence->space_len < 1024 ? evidence->space_len : 1024);
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        rc_str text = element(page, NAMES[i]);
        if (text.len == 0)
            continue;
        rc_buf_push(&buf, text);
        rc_buf_push_byte(&buf, '\n');
    }
    rc_str text = rc_buf_get(&buf);
    evidence->space += text.len;
    evidence->space_len -= text.len;
    return rc_str_trim(text);
}

/* Reads a wait such as "Please try again in 30 seconds." from the text below the headings of a
 * page. */
static void read_page_wait(rc_evidence *evidence, rc_str page)
{
    size_t at = find_nocase(page, RC_STR("again in "), 0);
    if (at != RC_STR_NPOS)
        rc_hints_add_text(&evidence->hints, page, at + sizeof("again in ") - 1);
}

static bool is_page(rc_str text)
{
    static const rc_str OPENINGS[] = {
        RC_STR_INIT("<!doctype html"), RC_STR_INIT("<html"), RC_STR_INIT("<head"),
        RC_STR_INIT("<title"),         RC_STR_INIT("<body"), RC_STR_INIT("<h1"),
        RC_STR_INIT("<center"),        RC_STR_INIT("<!--"),  RC_STR_INIT("</head"),
        RC_STR_INIT("<div"),
    };
    if (text.len == 0 || text.ptr[0] != '<')
        return false;
    for (size_t i = 0; i < sizeof(OPENINGS) / sizeof(OPENINGS[0]); i++) {
        if (rc_str_starts_with_nocase(text, OPENINGS[i]))
            return true;
    }
    return false;
}

bool rc_unwrap_html(rc_evidence *evidence, rc_str text, unsigned depth)
{
    if (!is_page(text))
        return false;
    rc_str page = rc_str_slice(text, 0, PAGE_MAX);
    rc_evidence_set(evidence, RC_FACT_BODY_HTML);
    evidence->page_title = element(page, RC_STR("<title"));
    if (evidence->page_title.len == 0)
        evidence->page_title = element(page, RC_STR("<h1"));
    rc_layer *layer = rc_evidence_add_layer(evidence, depth, RC_STR("page"));
    if (layer == NULL)
        return true;
    read_page_wait(evidence, page);
    rc_str heading_text = headings(evidence, page);
    layer->message =
        heading_text.len > 0 ? heading_text : rc_str_slice(text, 0, RC_EVIDENCE_TEXT_MAX);
    /* The status is read from titles such as "host | 524: A timeout occurred" and "504 Gateway
     * Time-out". */
    size_t bar = rc_str_find(evidence->page_title, RC_STR(" | "), 0);
    rc_str heading = bar == RC_STR_NPOS
                         ? evidence->page_title
                         : rc_str_slice(evidence->page_title, bar + 3, evidence->page_title.len);
    int status = rc_http_status_parse(rc_str_slice(heading, 0, 3));
    bool is_bounded = heading.len == 3 || (heading.len > 3 && !rc_ascii_is_alnum(heading.ptr[3]));
    if (status >= 400 && is_bounded)
        layer->status = status;
    return true;
}
