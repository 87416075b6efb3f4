/* Tests of echoes: text of the request that a response repeats is removed; the provider's own text
 * is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/report.h>
#include <recourse/stdlib.h>

#include "base/str.h"
#include "classify/echo.h"

#define PROMPT "My dear diary, nobody must ever read what I wrote about the harbour"
#define ASKED \
    "{\"model\": \"m\", \"messages\": [{\"role\": \"user\", \"content\": \"" PROMPT "\"}]}"

static char memory[RC_ECHO_TEXT_MAX];
static const char prompt[] = PROMPT;

static rc_str clean(const char *text, const char *request)
{
    return rc_echo_clean(rc_str_c(text), rc_str_c(request), RC_STR(""), memory);
}

static void expect(const char *text, const char *request, const char *want)
{
    const rc_str got = clean(text, request);
    if (!rc_str_eq(got, rc_str_c(want)))
        fail_msg("%s\nbecame %.*s\nand not %s", text, (int)got.len, got.ptr, want);
}

static void values_are_removed_completely(void **state)
{
    (void)state;
    expect(
        "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"Input should be a string\",\"input\":\"" PROMPT
        "\"}]}",
        ASKED,
        "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"Input should be a "
        "string\",\"input\":\"[request]"
        "\"}]}");
    /* The response repeats the whole request, in another layout. */
    const rc_str got = clean("{\"input\":{\"messages\":[{\"content\":\"" PROMPT "\"}]}}", ASKED);
    assert_int_equal(rc_str_find(got, RC_STR("diary"), 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find(got, RC_STR("harbour"), 0), RC_STR_NPOS);
}

static void text_of_the_provider_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"error\":{\"message\":\"Unsupported: 'max_tokens'.\",\"param\":\"max_tokens\"}}",
        "{\"error\":{\"message\":\"maximum context length is 8192 tokens\"}}",
        "",
        "short",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], ASKED, texts[i]);
    /* Names of fields are not removed, however long they are. */
    expect("Unknown parameter: 'max_completion_tokens_of_reasoning'.",
           "{\"max_completion_tokens_of_reasoning\" : 5, \"x\": \"y\"}",
           "Unknown parameter: 'max_completion_tokens_of_reasoning'.");
    expect(PROMPT, "", PROMPT);
    /* The model's name is not removed, either. */
    const rc_str model = RC_STR("accounts/fireworks/models/llama-v3p1-405b-instruct");
    const rc_str text = RC_STR("No model accounts/fireworks/models/llama-v3p1-405b-instruct here");
    assert_true(rc_str_eq(
        rc_echo_clean(text,
                      RC_STR("{\"model\":\"accounts/fireworks/models/llama-v3p1-405b-instruct\"}"),
                      model, memory),
        text));
}

static void escapes_are_decoded(void **state)
{
    (void)state;
    const char *plain = "{\"a\":\"Grüße aus Köln, 你好世界 und 🙂 viele Küsse\"}";
    const char *escaped = "{\"input\":\"Gr\\u00fc\\u00dfe aus K\\u00f6ln, "
                          "\\u4f60\\u597d\\u4e16\\u754c und \\ud83d\\ude42 viele K\\u00fcsse\"}";
    expect(escaped, plain, "{\"input\":\"[request]\"}");
    expect(plain, escaped, "{\"a\":\"[request]\"}");
    expect("one\\ttwo\\nthree \\\"four\\\" five six seven",
           "{\"a\":\"one\\ttwo\\nthree \\u0022four\\u0022 five six seven\"}", "[request]");
    /* Malformed escapes are compared as plain bytes. */
    expect("a text that ends in a backslash \\", ASKED, "a text that ends in a backslash \\");
    expect("\\u12 \\uzzzz \\ud83d alone, and more", ASKED, "\\u12 \\uzzzz \\ud83d alone, and more");
}

/* A repeated piece of 23 bytes is found at every offset. */
static void pieces_are_found_at_every_offset(void **state)
{
    (void)state;
    enum {
        PIECE = 23
    };
    for (size_t from = 0; from + PIECE <= strlen(PROMPT); from++) {
        for (int before = 0; before < 20; before++) {
            char text[256];
            snprintf(text, sizeof text, "{\"m\":\"%.*s'%.*s'\"}", before, "!#$%&()*+,-./:;<=>?@",
                     PIECE, &prompt[from]);
            const rc_str got = clean(text, ASKED);
            if (rc_str_find(got, rc_str_make(&prompt[from], PIECE), 0) != RC_STR_NPOS)
                fail_msg("%s is still there", text);
            char part[9] = {0};
            for (size_t i = 0; i + 8 <= PIECE; i++) {
                memcpy(part, &prompt[from + i], 8);
                if (rc_str_find(got, rc_str_c(part), 0) != RC_STR_NPOS)
                    fail_msg("\"%s\" of %s is still there: %.*s", part, text, (int)got.len,
                             got.ptr);
            }
        }
    }
}

/* The text has the maximum length and consists of repetitions, and the request is long and has the
 * same repetitions. */
static void repetitive_text_is_found(void **state)
{
    (void)state;
    static char text[RC_ECHO_TEXT_MAX + 100];
    static char request[1 << 20];
    memset(text, 'a', sizeof text);
    memset(request, 'a', sizeof request);
    const rc_str got = rc_echo_clean(rc_str_make(text, sizeof text),
                                     rc_str_make(request, sizeof request), RC_STR(""), memory);
    assert_true(rc_str_eq(got, RC_STR("[request]")));
}

/* In a request that is not JSON, such as a form, the whole text is compared. */
static void other_requests(void **state)
{
    (void)state;
    expect("bad prompt: " PROMPT,
           "--x\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n" PROMPT,
           "bad prom[request]");
    expect("\"" PROMPT "\"", "{\"cut\": \"" PROMPT, "\"[request]\"");
}

static void reports_contain_no_request_text(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_failure failure = {
        .provider = RC_STR_INIT("openai"),
        .status = 400,
        .body = RC_STR_INIT("{\"error\":{\"message\":\"Invalid prompt: '" PROMPT
                            "' is not allowed here\",\"type\":\"invalid_request_error\",\"param\":"
                            "\"prompt\"}}"),
        .request = RC_STR_INIT(ASKED),
    };
    const rc_report *report = rc_classify(&failure, NULL, &alloc);
    assert_int_equal(rc_str_find(rc_report_raw(report), RC_STR("diary"), 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find(rc_report_detail(report), RC_STR("diary"), 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find(rc_report_message(report), RC_STR("diary"), 0), RC_STR_NPOS);
    const rc_str message = rc_report_message(report);
    assert_true(
        rc_str_starts_with(message, RC_STR("openai rejected the request as invalid: Invali")));
    assert_true(rc_str_ends_with(message, RC_STR("allowed here")));
    assert_true(rc_str_eq(rc_report_provider_param(report), RC_STR("prompt")));
    rc_report_free(report);
    failure.request = RC_STR("");
    failure.is_request_gone = true;
    report = rc_classify(&failure, NULL, &alloc);
    assert_int_equal(rc_report_raw(report).len, 0);
    rc_report_free(report);
    /* A message about a limit is left out if the request is not available for a comparison. */
    failure.status = 429;
    failure.body = RC_STR("{\"error\":{\"message\":\"Too much of '" PROMPT "'\"}}");
    report = rc_classify(&failure, NULL, &alloc);
    assert_true(
        rc_str_eq(rc_report_message(report), RC_STR("openai is limiting the rate of requests.")));
    rc_report_free(report);
}

/* If the client has to change the request, the report's message contains the provider's message, in
 * one line. */
static void the_message_contains_the_providers_message(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body, *want;
    } cases[] = {
        {400,
         "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens'.\\n\\nFORGED \\u202e "
         "line\","
         "\"type\":\"invalid_request_error\"}}",
         "openai rejected the request as invalid: Unsupported parameter: 'max_tokens'. FORGED "
         "line"},
        {400, "{\"error\":{\"message\":\"prompt is too long: 209001 tokens > 200000 maximum\"}}",
         "prompt is too long: 209001 tokens > 200000 maximum"},
        {429,
         "{\"error\":{\"message\":\"Rate limit reached for gpt-4o in organization "
         "org-AbCdEfGhIjKlMnOpQrStUvWx on requests per min (RPM): Limit 60 / min.\","
         "\"type\":\"requests\",\"code\":\"rate_limit_exceeded\"}}",
         "openai is limiting the rate of requests: Rate limit reached for gpt-4o in organization "
         "[account] on requests per min (RPM): Limit 60 / min."},
        {429,
         "{\"error\":{\"message\":\"You exceeded your current quota, please check your plan.\","
         "\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}",
         "used up: You exceeded your current quota, please check your plan."},
        {403, "{\"error\":{\"message\":\"Project `proj_abc123def` may not use this region.\"}}",
         "does not allow this request: Project `[account]` may not use this region."},
        {403, "<html><head><title>Attention</title></head><body>blocked</body></html>",
         "does not allow this request: Attention"},
        {403, "<html><body>blocked</body></html>", NULL},
        {401, "{\"error\":{\"message\":\"Incorrect API key of org-secret\"}}", NULL},
        {500, "{\"error\":{\"message\":\"stack trace of the server\"}}", NULL},
    };
    const rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rc_failure failure = {.provider = RC_STR_INIT("openai"),
                                    .status = cases[i].status,
                                    .body = rc_str_c(cases[i].body)};
        const rc_report *report = rc_classify(&failure, NULL, &alloc);
        const rc_str message = rc_report_message(report);
        if (cases[i].want != NULL && !rc_str_ends_with(message, rc_str_c(cases[i].want)))
            fail_msg("%.*s", (int)message.len, message.ptr);
        if (cases[i].want == NULL)
            assert_int_equal(rc_str_find_byte(message, ':', 0), RC_STR_NPOS);
        rc_report_free(report);
    }
    static char body[4096];
    size_t len = (size_t)snprintf(body, sizeof body, "{\"error\":{\"message\":\"");
    memset(body + len, 'x', 3000);
    memcpy(body + len + 3000, "\"}}", sizeof "\"}}");
    const rc_failure failure = {
        .provider = RC_STR_INIT("openai"), .status = 400, .body = rc_str_c(body)};
    const rc_report *report = rc_classify(&failure, NULL, &alloc);
    assert_true(rc_report_message(report).len < 600);
    assert_true(rc_str_ends_with(rc_report_message(report), RC_STR("x…")));
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_removed_completely),
        cmocka_unit_test(text_of_the_provider_stays),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(pieces_are_found_at_every_offset),
        cmocka_unit_test(repetitive_text_is_found),
        cmocka_unit_test(other_requests),
        cmocka_unit_test(reports_contain_no_request_text),
        cmocka_unit_test(the_message_contains_the_providers_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
