/* Tests of phrases: the concepts of texts and codes, with the real spec/phrases.txt. Concepts are
 * given by their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/phrases/phrases.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static rc_phrase_scan scan;

static unsigned number_of(rc_str name)
{
    unsigned concept = rc_concept_parse(name);
    if (concept < RC_CONCEPT_COUNT)
    return concept;
    unsigned marker = rc_marker_parse(name);
    if (marker == RC_MARKER_END)
        fail_msg("no such concept: %.*s", (int)name.len, name.ptr);
    return marker;
}

/* Asserts for each of the blank-separated names that the concept is found, or is not found. */
static void expect_names(const char *text, const char *names, bool is_expected)
{
    rc_str rest = rc_str_c(names);
    while (rest.len > 0) {
        size_t end = rc_str_find_byte(rest, ' ', 0);
        rc_str name = rc_str_slice(rest, 0, end == RC_STR_NPOS ? rest.len : end);
        if (rc_concept_set_has(&scan.found, number_of(name)) != is_expected)
            fail_msg("%s: %.*s was %sfound", text, (int)name.len, name.ptr,
                     is_expected ? "not " : "");
        rest = rc_str_slice(rest, name.len + 1, rest.len);
    }
}

static void expect_spans(rc_str text)
{
    for (unsigned i = 0; i < RC_MARKER_END; i++) {
        if (!rc_concept_set_has(&scan.found, i))
            continue;
        rc_phrase_span p = scan.spans[i];
        assert_true(p.from <= p.last_word && p.last_word < p.to && p.to <= text.len);
    }
}

static void expect(const char *text, const char *has, const char *has_not)
{
    rc_phrase_scan_text(&scan, rc_str_c(text));
    expect_names(text, has, true);
    expect_names(text, has_not, false);
    expect_spans(rc_str_c(text));
}

static void expect_code(const char *code, const char *has, const char *has_not)
{
    rc_phrase_scan_code(&scan, rc_str_c(code));
    expect_names(code, has, true);
    expect_names(code, has_not, false);
    expect_spans(rc_str_c(code));
}

typedef struct example {
    const char *text;
    const char *has;
    const char *has_not;
} example;

static const example TEXTS[] = {
    {"Rate limit reached for gpt-4 in organization org-x on tokens per min (TPM): Limit 6000, "
     "Used 5034, Requested 1443. Please try again in 9m38.016s.",
     "rate window_short wait retry_later", "balance auth window_long"},
    {"You exceeded your current quota, please check your plan and billing details.", "quota",
     "rate window_short auth"},
    {"Your credit balance is too low to access the Anthropic API.", "balance anthropic",
     "rate auth overloaded"},
    {"Overloaded", "overloaded", "rate"},
    {"That model is currently overloaded with other requests.", "overloaded", "context_overflow"},
    {"The engine is not overloaded.", "", "overloaded"},
    {"prompt is too long: 208310 tokens > 200000 maximum", "context_overflow", "rate quota"},
    {"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.",
     "context_overflow", "rate"},
    {"Incorrect API key provided: sk-1***2.", "auth", "rate quota"},
    {"invalid x-api-key", "auth", "model_missing"},
    {"The model `gpt-9` does not exist or you do not have access to it.", "model_missing", "auth"},
    {"model 'x' not found, try pulling it first", "model_missing", "rate"},
    {"Quota exceeded for quota metric 'Requests' and limit 'Requests per day'", "quota window_long",
     "window_short"},
    {"Output blocked by content filtering policy", "filter", "rate auth"},
    {"Error: read ECONNRESET", "reset", "timeout"},
    {"upstream request timeout", "timeout", "auth"},
    {"\xE4\xBD\x99\xE9\xA2\x9D\xE4\xB8\x8D\xE8\xB6\xB3", "balance", "rate"}, /* "insufficient
                                                                                balance" */
    {"\xE9\x80\x9F\xE7\x8E\x87\xE9\x99\x90\xE5\x88\xB6", "rate", "balance"}, /* "rate limit" */
    {"Provider openrouter said: see https://docs.anthropic.com/en/rate-limits",
     "openrouter anthropic", "rate"},
    {"https://api.deepseek.com/v1/chat/completions", "deepseek", "rate"},
};

static const example CODES[] = {
    {"insufficient_quota", "quota", "rate"},
    {"rate_limit_exceeded", "rate", "quota"},
    {"RateLimitError", "rate", "auth"},
    {"RATE_LIMIT_EXCEEDED", "rate", "auth"},
    {"overloaded_error", "overloaded", "rate"},
    {"context_length_exceeded", "context_overflow", "rate"},
    {"invalid_api_key", "auth", "rate"},
    {"model_not_found", "model_missing", "auth"},
    {"content_policy_violation", "filter", "auth"},
    {"ThrottlingException", "rate", "auth"},
    {"ResponsibleAIPolicyViolation", "filter", "rate"},
    {"unsupported_country_region_territory", "region", "rate"},
};

static void test_texts(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        expect(TEXTS[i].text, TEXTS[i].has, TEXTS[i].has_not);
}

static void test_codes(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(CODES); i++)
        expect_code(CODES[i].text, CODES[i].has, CODES[i].has_not);
}

/* ---- matching of phrases ---- */

static void test_spelling_does_not_matter(void **unused)
{
    (void)unused;
    expect("rate limit exceeded", "rate", "");
    expect("RATE LIMIT EXCEEDED", "rate", "");
    expect("rate_limit_exceeded", "rate", "");
    expect("rate-limit-exceeded", "rate", "");
    expect("RateLimitExceeded", "rate", "");
    expect("rateLimitExceeded", "rate", "");
    expect("Rate  limiting,\t(exceeds)", "rate", "");
}

static void test_no_phrase_crosses_a_sentence(void **unused)
{
    (void)unused;
    expect("This is too slow. Down there it is", "", "rate");
    expect("please slow down", "rate", "");
    expect("please slow; down", "", "rate");
    expect("please slow\ndown", "rate", ""); /* a line break within a sentence */
    expect("please slow\nDown there", "", "rate");
    expect("please slow, down", "rate", "");
}

static void test_negation(void **unused)
{
    (void)unused;
    expect("it is overloaded", "overloaded", "");
    expect("it is not overloaded", "", "overloaded");
    expect("it isn't overloaded", "", "overloaded");
    expect("it is not really that it is overloaded", "overloaded", "");
    expect("it was not there when overloaded", "overloaded", "");
    expect("I do not know. Overloaded!", "overloaded", "");
    expect("no model was found: not found", "not_found", "");
}

static void test_anchors(void **unused)
{
    (void)unused;
    expect("unavailable", "unavailable", "");
    expect("  Unavailable.  ", "unavailable", "");
    expect("It is unavailable.", "unavailable", ""); /* Stop words are ignored. */
    expect("unavailable here", "", "unavailable");
    expect("perhaps unavailable", "", "unavailable");
}

static void test_spans(void **unused)
{
    (void)unused;
    static const char TEXT[] = "Please retry after 20 seconds";
    expect(TEXT, "wait", "");
    rc_phrase_span p = scan.spans[number_of(RC_STR("wait"))];
    assert_int_equal(p.from, strstr(TEXT, "retry") - TEXT);
    assert_int_equal(p.last_word, strstr(TEXT, "20") - TEXT);
    assert_int_equal(p.to, p.last_word + 2);
}

static void test_only_markers_match_inside_addresses(void **unused)
{
    (void)unused;
    expect("https://x.openai.com/rate_limit/exceeded", "openai", "rate");
    expect("rate limit https://x.com/a/b/c/d/e/f/g exceeded", "rate", "");
    expect("mail rate-limit@openai.com", "openai", "rate");
    expect("Quota exceeded for aiplatform.googleapis.com/input_tokens_per_minute_per_base_model.",
           "quota window_short vertex", "");
    expect("OpenAI openai", "openai", "");
}

static void test_texts_do_not_leak_into_each_other(void **unused)
{
    (void)unused;
    expect("please slow", "", "rate");
    expect("down", "", "rate");
    expect("", "", "rate");
    expect("please slow down", "rate", "");
    expect("down", "", "rate");
}

static void test_positions_wrap_around(void **unused)
{
    (void)unused;
    expect("please slow", "", "rate");
    for (uint32_t position = UINT32_MAX - 3000; position != 0; position++) {
        scan.position = position;
        expect("please slow down", "rate", "overloaded");
        expect("down", "", "rate");
    }
}

static void test_long_texts_are_cut(void **unused)
{
    (void)unused;
    static char text[RC_PHRASE_TEXT_MAX + 64];
    memset(text, '.', sizeof text);
    static const char WORD[] = " overloaded ";
    size_t word_at = RC_PHRASE_TEXT_MAX - strlen(WORD);
    memcpy(text + word_at, WORD, strlen(WORD));
    rc_phrase_scan_text(&scan, rc_str_make(text, sizeof text));
    expect_names("at the end", "overloaded", true);
    memset(text, '.', sizeof text);
    memcpy(text + RC_PHRASE_TEXT_MAX, WORD, strlen(WORD));
    rc_phrase_scan_text(&scan, rc_str_make(text, sizeof text));
    expect_names("past the end", "overloaded", false);
    rc_phrase_scan_text(&scan, rc_str_make(NULL, 0));
    expect_names("nothing", "overloaded", false);
}

/* ---- names ---- */

static void test_names(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < RC_CONCEPT_COUNT; i++) {
        assert_int_equal(rc_concept_parse(rc_concept_name(i)), i);
        assert_true(rc_concept_text(i).len > 0);
        assert_true(rc_concept_kind_of(i) != 0 && rc_concept_kind_of(i) != RC_CONCEPT_MARKER);
    }
    for (unsigned i = RC_MARKER_BASE; i < RC_MARKER_END; i++) {
        assert_int_equal(rc_marker_parse(rc_concept_name(i)), i);
        assert_int_equal(rc_concept_kind_of(i), RC_CONCEPT_MARKER);
    }
    assert_int_equal(rc_concept_parse(RC_STR("no such concept")), RC_CONCEPT_COUNT);
    assert_int_equal(rc_marker_parse(RC_STR("no such marker")), RC_MARKER_END);
    assert_int_equal(rc_concept_parse(rc_str_make(NULL, 0)), RC_CONCEPT_COUNT);
    assert_int_equal(rc_concept_name(RC_CONCEPT_COUNT).len, 0);
    assert_int_equal(rc_concept_name(UINT32_MAX).len, 0);
    assert_int_equal(rc_concept_kind_of(RC_MARKER_END), 0);
}

static int begin(void **unused)
{
    (void)unused;
    rc_phrase_scan_init(&scan);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_spelling_does_not_matter),
        cmocka_unit_test(test_no_phrase_crosses_a_sentence),
        cmocka_unit_test(test_negation),
        cmocka_unit_test(test_anchors),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_only_markers_match_inside_addresses),
        cmocka_unit_test(test_texts_do_not_leak_into_each_other),
        cmocka_unit_test(test_positions_wrap_around),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
