/* Writes the head of a provider's response for the client, with the gateway's own headers. Called
 * by the files of src/gateway/exchange and by snapshot.c. */
#include "base/buf_add.h"
#include "base/str.h"
#include "base/vec16.h"
#include "gateway/request/fields.h"
#include "policy/ledger.h"
#include "render/text.h"
#include "scrub/scrub.h"

#define TEXT_MAX 256u
#define NUMBER_LINES_MAX 384u /* Six lines: a name, a number or a word, and the line end. */
#define LIMIT_MAX_BYTES 64u   /* Maximum number of bytes of a rate-limit header's value. */

/* Whether JSON and header lines can contain the text without escapes, as most names and ids. */
static bool is_plain(rc_str text)
{
    return text.len <= TEXT_MAX && rc_vec16_is_simple(text.ptr, text.len, '\0');
}

static void push_escaped(rc_buf *buf, rc_str text)
{
    char memory[TEXT_MAX];
    rc_buf value;
    if (is_plain(text)) {
        rc_buf_add(buf, text);
        return;
    }
    rc_buf_init_fixed(&value, memory, sizeof memory);
    rc_render_percent(&value, text, TEXT_MAX);
    rc_buf_add(buf, rc_buf_get(&value));
}

void rc_target_text_push(rc_buf *buf, rc_str provider, rc_str model)
{
    push_escaped(buf, provider);
    if (provider.len > 0 && model.len > 0)
        rc_buf_add_byte(buf, '/');
    push_escaped(buf, model);
}

/* Appends a header line. name: includes the colon and space. text: must be an id of the gateway or
 * already escaped, because this function does not escape it. */
static void push_line(rc_buf *buf, rc_str name, rc_str text)
{
    if (text.len == 0)
        return;
    rc_buf_add(buf, name);
    rc_buf_add(buf, text);
    rc_buf_add(buf, RC_STR("\r\n"));
}

/* Header lines with numbers, which are collected here and appended at once. */
typedef struct number_lines {
    size_t len;
    char bytes[NUMBER_LINES_MAX];
} number_lines;

static inline void put(number_lines *lines, rc_str text)
{
    memcpy(lines->bytes + lines->len, text.ptr, text.len);
    lines->len += text.len;
}

static void put_number(number_lines *lines, rc_str name, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    put(lines, name);
    for (; number > 9; number /= 10)
        digits[--at] = (char)('0' + number % 10);
    lines->bytes[lines->len++] = (char)('0' + number); /* Most numbers have only this digit. */
    if (at < sizeof digits)
        put(lines, rc_str_make(digits + at, sizeof digits - at));
    put(lines, RC_STR("\r\n"));
}

/* Adds the cost headers. The amount has no currency sign, because programs parse it. */
static void put_cost(number_lines *lines, const rc_reply_facts *facts)
{
    static const rc_str names[] = {
        [RC_COST_NONE] = RC_STR_INIT(""),
        [RC_COST_MEASURED] = RC_STR_INIT("measured"),
        [RC_COST_ESTIMATED] = RC_STR_INIT("estimated"),
        [RC_COST_UNPRICED] = RC_STR_INIT("unpriced"),
    };
    if (facts->basis == RC_COST_MEASURED || facts->basis == RC_COST_ESTIMATED) {
        char memory[32];
        rc_buf amount;
        rc_buf_init_fixed(&amount, memory, sizeof memory);
        rc_ledger_push_usd(&amount, facts->cost_usd_micro);
        const rc_str text = rc_buf_get(&amount);
        put(lines, RC_STR("x-recourse-cost-usd: "));
        put(lines, rc_str_slice(text, 1, text.len));
        put(lines, RC_STR("\r\n"));
    }
    put(lines, RC_STR("x-recourse-cost-basis: "));
    put(lines, names[facts->basis]);
    put(lines, RC_STR("\r\n"));
}

rc_status rc_reply_facts_push(rc_buf *buf, const rc_reply_facts *facts)
{
    number_lines lines;
    lines.len = 0;
    if (facts->attempts > 0)
        put_number(&lines, RC_STR("x-recourse-attempts: "), facts->attempts);
    if (facts->basis != RC_COST_NONE)
        put_cost(&lines, facts);
    if (facts->has_target_ms)
        put_number(&lines, RC_STR("x-recourse-target-ms: "), facts->target_ms);
    if (facts->has_total_ms)
        put_number(&lines, RC_STR("x-recourse-total-ms: "), facts->total_ms);
    if (facts->waited_ms > 0)
        put_number(&lines, RC_STR("x-recourse-waited-ms: "), facts->waited_ms);
    rc_buf_add(buf, rc_str_make(lines.bytes, lines.len));
    push_line(buf, RC_STR("x-recourse-masked: "), facts->masked);
    push_line(buf, RC_STR("x-recourse-target: "), facts->target);
    push_line(buf, RC_STR("x-recourse-request-id: "), facts->request_id);
    push_line(buf, RC_STR("x-recourse-translated: "), facts->translated);
    if (facts->report_id.len > 0) {
        rc_buf_add(buf, RC_STR("x-recourse-report-id: "));
        push_escaped(buf, facts->report_id);
        rc_buf_add(buf, RC_STR("\r\n"));
    }
    return rc_buf_status(buf);
}

static bool is_limit(rc_str name)
{
    static const char *const prefixes[] = {"x-ratelimit", "anthropic-ratelimit-", "ratelimit"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (rc_str_starts_with_nocase(name, rc_str_c(prefixes[i])))
            return true;
    return false;
}

void rc_client_response_limits_push(rc_buf *buf, const rc_http1 *reader, const char *head)
{
    rc_field_list fields;
    rc_field_list_read(&fields, reader, head);
    for (uint32_t i = 0; i < fields.count; i++) {
        const rc_str name = rc_http1_name(reader, head, i);
        const rc_str value = rc_http1_value(reader, head, i);
        if (is_limit(name) && rc_field_is_returned((rc_field_id)fields.ids[i], false) &&
            value.len <= LIMIT_MAX_BYTES && rc_scrub_is_clean(value))
            rc_field_push(buf, name, value);
    }
}

rc_status rc_client_response_head_push(rc_buf *buf, const rc_http1 *reader, const char *head,
                                       bool is_decoded, const rc_reply_facts *facts)
{
    rc_field_list fields;
    int status = rc_http1_status(reader);
    /* The status line has no reason phrase, which is optional (RFC 9112, section 4), because the
     * provider could send any text. */
    if (status == 200) {
        rc_buf_add(buf, RC_STR("HTTP/1.1 200 OK\r\n"));
    } else {
        rc_buf_add(buf, RC_STR("HTTP/1.1 "));
        rc_buf_push_i64(buf, status);
        rc_buf_add(buf, RC_STR(" \r\n"));
    }
    rc_field_list_read(&fields, reader, head);
    uint32_t from = 0;
    for (uint32_t i = 0; i < fields.count; i++)
        if (!rc_field_is_returned((rc_field_id)fields.ids[i], is_decoded) ||
            (fields.ids[i] == RC_FIELD_CONTENT_TYPE && facts->content_type.len > 0)) {
            rc_field_push_lines(buf, reader, head, from, i);
            from = i + 1;
        }
    rc_field_push_lines(buf, reader, head, from, fields.count);
    push_line(buf, RC_STR("content-type: "), facts->content_type);
    return rc_reply_facts_push(buf, facts);
}
