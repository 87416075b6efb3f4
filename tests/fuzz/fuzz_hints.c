/* Parses hints and limits from any headers and texts. The first byte selects the time; each line
 * then offers one hint:
 *   Hname: value   a header
 *   Fkey=value     a member that is a string
 *   Nkey=value     a member that is a number
 *   Ttext          wording, with a time at each of its bytes
 *   Ltext          the numbers of a limit */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "classify/hints/hints.h"
#include "classify/limits.h"
#include "codec/datetime.h"
#include "codec/duration.h"

#define NOW INT64_C(1792567650000)
#define TEXT_MAX 256u
#define NAME_MAX_BYTES 64u
#define HEADERS_MAX RC_HINT_LIMITS_MAX

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct pair {
    rc_str name;
    rc_str value;
} pair;

typedef struct run {
    int64_t now_unix_ms;
    rc_hints hints;
    rc_limits limits;
    pair headers[HEADERS_MAX];
    size_t header_count;
} run;

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static bool is_wait(int64_t ms)
{
    return ms >= 0 && ms <= RC_DURATION_MAX_MS;
}

/* Reads every byte of each note of the trace. */
static void on_note(void *ctx, const rc_trace_note *note)
{
    unsigned *sum = ctx;
    for (size_t i = 0; i < note->subject.len; i++)
        *sum += (unsigned char)note->subject.ptr[i];
    for (size_t i = 0; i < note->text.len; i++)
        *sum += (unsigned char)note->text.ptr[i];
    check(note->step == RC_TRACE_HINT || note->step == RC_TRACE_IGNORED);
    check(note->step == RC_TRACE_HINT ? is_wait(note->wait_ms) : note->wait_ms == -1);
    check(note->step == RC_TRACE_HINT || note->text.len > 0);
}

/* Checks the hints after each new one. There is one wait; if its rank is above that of the reset
 * times of limits, later hints never lower its rank or shorten it. */
static void check_progress(const rc_hint *before, const rc_hints *h)
{
    rc_hint after = rc_hints_best(h);
    check(after.wait_ms == rc_hints_wait_ms(h));
    check((after.rank == RC_HINT_RANK_NONE) == (after.wait_ms == -1));
    check(after.wait_ms == -1 || is_wait(after.wait_ms));
    if (before->rank < RC_HINT_RANK_WORDING)
        return;
    check(after.rank >= before->rank);
    check(after.rank > before->rank || after.wait_ms >= before->wait_ms);
}

static bool split(rc_str line, char mark, pair *ret)
{
    size_t at = rc_str_find_byte(line, mark, 0);
    if (at == RC_STR_NPOS)
        return false;
    ret->name = rc_str_slice(line, 0, at);
    ret->value = rc_str_slice(line, at + 1, line.len);
    return true;
}

static void offer_header(run *r, rc_str line)
{
    pair header;
    if (!split(line, ':', &header))
        return;
    rc_hints_add_header(&r->hints, header.name, header.value);
    if (r->header_count < HEADERS_MAX)
        r->headers[r->header_count++] = header;
}

/* Checks that a time which rc_rfc3339_parse accepts gives the same time as a hint. */
static void check_time(const run *r, rc_str value)
{
    int64_t unix_ms;
    if (r->now_unix_ms == 0 || rc_rfc3339_parse(value, &unix_ms) != RC_OK)
        return;
    rc_hints h;
    rc_hints_init(&h, r->now_unix_ms, NULL);
    rc_hints_add_field(&h, RC_STR("resets_at"), value, false);
    int64_t want_ms = unix_ms > r->now_unix_ms ? unix_ms - r->now_unix_ms : 0;
    int64_t got_ms = rc_hints_wait_ms(&h);
    bool is_too_far = want_ms >= RC_DURATION_MAX_MS;
    check(is_too_far ? got_ms == -1 || got_ms == want_ms
                     : got_ms == want_ms || got_ms == want_ms + 1);
}

static void offer_field(run *r, rc_str line, bool is_number)
{
    pair field;
    if (!split(line, '=', &field))
        return;
    int64_t before_ms = rc_hints_wait_ms(&r->hints);
    rc_hints_add_field(&r->hints, field.name, field.value, is_number);
    check(rc_hints_is_field(field.name) || rc_hints_wait_ms(&r->hints) == before_ms);
    check_time(r, field.value);
    (void)rc_limits_field(field.name, field.value, &r->limits);
}

static void offer_text(run *r, rc_str text)
{
    for (size_t at = 0; at <= text.len && at <= TEXT_MAX; at++) {
        rc_hint before = rc_hints_best(&r->hints);
        rc_hints_add_text(&r->hints, text, at);
        check_progress(&before, &r->hints);
    }
}

static void check_limits(const rc_limits *l)
{
    check(l->limit >= 0 && l->used >= 0 && l->requested >= 0);
    check(!rc_limits_is_zero(l) || l->has_limit);
    if (rc_limits_is_too_small(l))
        check(l->has_limit && l->has_requested && l->limit > 0 && l->requested > l->limit);
}

static void offer_line(run *r, rc_str line)
{
    if (line.len == 0)
        return;
    rc_hint before = rc_hints_best(&r->hints);
    rc_str rest = rc_str_slice(line, 1, line.len);
    switch (line.ptr[0]) {
    case 'H':
        offer_header(r, rest);
        break;
    case 'F':
        offer_field(r, rest, false);
        break;
    case 'N':
        offer_field(r, rest, true);
        break;
    case 'T':
        offer_text(r, rest);
        break;
    case 'L':
        rc_limits_parse(rest, &r->limits);
        break;
    default:
        break;
    }
    check_progress(&before, &r->hints);
    check_limits(&r->limits);
}

/* Neither the order of headers nor the case of their names matters. */
static void check_headers(const run *r)
{
    rc_hints forward;
    rc_hints backward;
    char names[HEADERS_MAX][NAME_MAX_BYTES];
    rc_hints_init(&forward, r->now_unix_ms, NULL);
    rc_hints_init(&backward, r->now_unix_ms, NULL);
    for (size_t i = 0; i < r->header_count; i++)
        rc_hints_add_header(&forward, r->headers[i].name, r->headers[i].value);
    for (size_t i = r->header_count; i > 0; i--) {
        rc_str name = r->headers[i - 1].name;
        char *upper = names[i - 1];
        for (size_t k = 0; k < name.len && k < NAME_MAX_BYTES; k++) {
            char c = name.ptr[k];
            upper[k] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
        }
        if (name.len <= NAME_MAX_BYTES)
            name = rc_str_make(upper, name.len);
        rc_hints_add_header(&backward, name, r->headers[i - 1].value);
    }
    /* RateLimit headers may have more limits than fit; the limits that are stored then depend on
     * the order. */
    bool is_full = forward.limit_count == RC_HINT_LIMITS_MAX;
    check(is_full || rc_hints_wait_ms(&forward) == rc_hints_wait_ms(&backward));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned sum = 0;
    rc_trace trace = {.on_note = on_note, .ctx = &sum};
    run r = {.now_unix_ms = data[0] == '0' ? 0 : NOW};
    rc_hints_init(&r.hints, r.now_unix_ms, &trace);
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    for (size_t at = 0; at <= text.len;) {
        size_t end = rc_str_find_byte(text, '\n', at);
        end = end == RC_STR_NPOS ? text.len : end;
        offer_line(&r, rc_str_slice(text, at, end));
        at = end + 1;
    }
    check_headers(&r);
    return 0;
}
