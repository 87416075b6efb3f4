/* Durations, dates, epochs and ids. The first byte selects the reader; the rest is its text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <recourse/id.h>

#include "base/str.h"
#include "codec/datetime.h"
#include "codec/duration.h"

#define NOW INT64_C(1794790923456)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_refusal(rc_status status)
{
    check(status == RC_E_SYNTAX || status == RC_E_RANGE);
}

/* Checks that a displayed duration is not shorter than the value, and that it is displayed
 * unchanged after it was parsed. */
static void check_shown_duration(int64_t ms)
{
    char memory[64];
    char again_memory[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_duration_push(&buf, ms);
    check(rc_buf_status(&buf) == RC_OK);
    int64_t shown = -1;
    check(rc_duration_parse(rc_buf_get(&buf), RC_UNIT_NONE, &shown) == RC_OK && shown >= ms);
    rc_buf again;
    rc_buf_init_fixed(&again, again_memory, sizeof again_memory);
    rc_duration_push(&again, shown);
    check(rc_str_eq(rc_buf_get(&buf), rc_buf_get(&again)));
}

static void fuzz_duration(rc_str text, rc_unit bare)
{
    int64_t ms = -1;
    rc_status status = rc_duration_parse(text, bare, &ms);
    if (status != RC_OK) {
        check_refusal(status);
        check(ms == -1);
        return;
    }
    check(ms >= 0 && ms <= RC_DURATION_MAX_MS);
    check_shown_duration(ms);
    if (bare != RC_UNIT_NONE)
        return;
    int64_t prefix_ms = -1;
    size_t len = 0;
    check(rc_duration_parse_prefix(text, &prefix_ms, &len) == RC_OK && prefix_ms == ms);
    check(rc_str_trim(rc_str_slice(text, len, text.len)).len == 0);
}

static void fuzz_duration_prefix(rc_str text)
{
    int64_t ms = -1;
    size_t len = SIZE_MAX;
    rc_status status = rc_duration_parse_prefix(text, &ms, &len);
    if (status != RC_OK) {
        check_refusal(status);
        check(ms == -1 && len == SIZE_MAX);
        return;
    }
    check(ms >= 0 && ms <= RC_DURATION_MAX_MS && len > 0 && len <= text.len);
    int64_t whole_ms = -1;
    rc_str taken = rc_str_slice(text, 0, len);
    check(rc_duration_parse(taken, RC_UNIT_NONE, &whole_ms) == RC_OK && whole_ms == ms);
}

/* Checks that both notations of a time are parsed as the same time. An HTTP date has no
 * milliseconds. */
static void check_written_time(int64_t unix_ms)
{
    check(unix_ms >= RC_DATETIME_MIN_MS && unix_ms <= RC_DATETIME_MAX_MS);
    char memory[64];
    rc_buf buf;
    int64_t back = 0;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_rfc3339_push(&buf, unix_ms);
    check(rc_rfc3339_parse(rc_buf_get(&buf), &back) == RC_OK && back == unix_ms);
    rc_buf_reset(&buf);
    rc_http_date_push(&buf, unix_ms);
    check(rc_http_date_parse(rc_buf_get(&buf), NOW, &back) == RC_OK);
    check(back <= unix_ms && unix_ms - back < 1000);
    rc_civil civil = rc_civil_from_unix_ms(unix_ms);
    check(rc_civil_to_unix_ms(&civil, &back) == RC_OK && back == unix_ms);
}

static void fuzz_time(rc_status status, int64_t unix_ms)
{
    if (status == RC_OK)
        check_written_time(unix_ms);
    else
        check_refusal(status);
}

/* Makes ids from the bytes of the text, which are the clock's steps and the entropy, and checks
 * that each id is greater than the previous one. */
static void fuzz_id_order(rc_str bytes)
{
    rc_id_maker maker = {0};
    rc_id last = {""};
    for (size_t at = 0; at + 18 <= bytes.len; at += 18) {
        int64_t now_ms;
        uint8_t entropy[10];
        memcpy(&now_ms, bytes.ptr + at, sizeof now_ms);
        memcpy(entropy, bytes.ptr + at + 8, sizeof entropy);
        rc_id id = rc_id_make(&maker, now_ms, entropy);
        int64_t ms = -1;
        check(rc_id_time(rc_str_c(id.text), &ms) == RC_OK && ms >= 0);
        bool is_last_of_all = strcmp(id.text, "rep_7ZZZZZZZZZZZZZZZZZZZZZZZZZ") == 0;
        check(is_last_of_all || strcmp(last.text, id.text) < 0);
        last = id;
    }
}

static void fuzz_id_time(rc_str text)
{
    int64_t ms = -1;
    rc_status status = rc_id_time(text, &ms);
    check(status == RC_OK ? ms >= 0 && text.len == RC_ID_LEN : status == RC_E_SYNTAX && ms == -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    int64_t unix_ms = 0;
    switch (data[0]) {
    case 'u':
        fuzz_duration(text, RC_UNIT_NONE);
        break;
    case 'm':
        fuzz_duration(text, RC_UNIT_MS);
        break;
    case 's':
        fuzz_duration(text, RC_UNIT_S);
        break;
    case 'p':
        fuzz_duration_prefix(text);
        break;
    case 'r':
        fuzz_time(rc_rfc3339_parse(text, &unix_ms), unix_ms);
        break;
    case 'h':
        fuzz_time(rc_http_date_parse(text, NOW, &unix_ms), unix_ms);
        break;
    case 'e':
        fuzz_time(rc_epoch_parse(text, &unix_ms), unix_ms);
        break;
    case 'i':
        fuzz_id_time(text);
        break;
    case 'o':
        fuzz_id_order(text);
        break;
    default:
        break;
    }
    return 0;
}
