/* Token counts, estimates and charges of any bytes: parts never exceed their whole, nothing
 * exceeds its ceiling, a charge is measured, estimated or absent, and a plain count that another
 * parser finds is found. The first byte selects how the attempt ended. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/str.h"
#include "dialect/usage_charge.h"
#include "dialect/usage_scan.h"
#include "dialect/usage_weight.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_number(int64_t number, int64_t most)
{
    check(number >= -1 && number <= most);
}

static void check_reported(const rc_usage *usage)
{
    rc_usage_count reported = rc_usage_reported(usage);
    check_number(reported.input, 4 * RC_USAGE_MAX);
    check_number(reported.output, 3 * RC_USAGE_MAX);
    check_number(reported.cached, reported.input < 0 ? 0 : reported.input);
    check_number(reported.written, reported.input < 0 ? 0 : reported.input);
    check_number(reported.written_1h, reported.written < 0 ? 0 : reported.written);
    check_number(reported.reasoning, reported.output < 0 ? 0 : reported.output);
    check_number(reported.audio_ms, RC_USAGE_MAX * 1000);
    check_number(reported.cost_micros, RC_USAGE_MAX * 1000);
    check(reported.cached <= 0 || reported.written <= 0 ||
          reported.cached + reported.written <= reported.input);
}

static void check_charge(const rc_usage *usage, rc_attempt_end end, rc_str request)
{
    rc_charge charge = rc_usage_charge(usage, end, request);
    check(!(charge.is_measured && charge.is_estimated));
    check(charge.cached + charge.written <= charge.input && charge.written_1h <= charge.written);
    check(charge.reasoning <= charge.output);
    if (!charge.is_measured && !charge.is_estimated)
        check(charge.input == 0 && charge.output == 0 && charge.audio_ms == 0);
    if (end == RC_ATTEMPT_END_NOT_SENT || end == RC_ATTEMPT_END_FREE)
        check(!charge.is_measured && !charge.is_estimated && charge.images == 0);
    if (end > RC_ATTEMPT_END_REFUSED)
        check(charge.is_measured || charge.is_estimated);
    rc_charge seen = rc_usage_charge_max(request, 4096);
    check(seen.is_estimated && seen.output <= (uint64_t)RC_USAGE_MAX);
}

/* {"usage":{"prompt_tokens":N}} must have been read. */
static void check_against_jansson(const rc_usage *usage, rc_str text)
{
    json_t *root = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    json_t *object = json_object_get(root, "usage");
    json_t *input = json_object_get(object, "prompt_tokens");
    json_int_t value = json_integer_value(input);
    char *written = object ? json_dumps(object, JSON_COMPACT) : NULL;
    /* excludes objects that are too deep to be read, and escapes, which jansson decodes */
    bool is_plain = written && json_object_size(object) == 1 && text.len < 1000;
    if (is_plain && json_is_integer(input) && value > 0 && value <= RC_USAGE_MAX &&
        !memchr(text.ptr, '\\', text.len))
        check(rc_usage_reported(usage).input >= value);
    free(written);
    json_decref(root);
}

static rc_usage scan_of(rc_str text, size_t step)
{
    char memory[1024];
    rc_buf scratch;
    rc_usage usage;
    rc_usage_scan scan;
    rc_buf_init_fixed(&scratch, memory, sizeof memory);
    rc_usage_init(&usage);
    rc_usage_scan_init(&scan, &scratch);
    for (size_t at = 0; at < text.len; at += step)
        rc_usage_scan_push(&scan, &usage, rc_str_slice(text, at, at + step));
    rc_usage_scan_end(&scan, &usage);
    return usage;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    rc_attempt_end end = (rc_attempt_end)(data[0] % RC_ATTEMPT_END_COUNT);
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    check(rc_weight_text(text) <= 8 * (uint64_t)text.len);
    check(rc_weight_json(text, 7) <= (RC_WEIGHT_MEDIA + 8) * (uint64_t)text.len);

    rc_usage body;
    rc_usage_init(&body);
    rc_usage_read(&body, text);
    check_reported(&body);
    check_charge(&body, end, text);
    check_against_jansson(&body, text);

    /* the same bytes as the end of an event */
    rc_usage end_of_it;
    rc_usage_init(&end_of_it);
    rc_usage_read_tail(&end_of_it, text);
    check_reported(&end_of_it);
    check_charge(&end_of_it, end, text);

    /* the same bytes as a response that is passed on: the result does not depend on the split */
    const rc_usage whole = scan_of(text, text.len);
    const rc_usage cut = scan_of(text, 1 + data[0] % 7u);
    check_reported(&whole);
    check_charge(&whole, end, text);
    check(memcmp(whole.numbers, cut.numbers, sizeof whole.numbers) == 0);
    check(whole.weight == cut.weight && whole.images == cut.images);
    return 0;
}
