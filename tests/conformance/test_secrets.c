/* Planted secrets: every kind of secret, in every field, through every renderer and view. No output
 * may contain one. Harmless text must pass unchanged. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define OUT_MAX (8u << 20)

/* A text, and the part of it that must stay secret. The search compares only letters and digits, so
 * that wrapping, escaping and percent-encoding cannot hide a leak. */
typedef struct secret {
    const char *text;
    const char *core;
} secret;

static const secret SECRETS[] = {
    {"Authorization: Bearer Xk29fLq0PzR7vT3mWn8s", "Xk29fLq0PzR7vT3mWn8s"},
    {"authorization: bearer xk29flq0pzr7vt3mwn8s", "xk29flq0pzr7vt3mwn8s"},
    {"curl -H 'Authorization: Bearer Xk29fLq0PzR7vT3mWn8s' https://api.example/v1",
     "Xk29fLq0PzR7vT3mWn8s"},
    {"Basic dXNlcjpwYXNzd29yZDEyMzQ1Ng==", "dXNlcjpwYXNzd29yZDEyMzQ1Ng"},
    {"Proxy-Authorization: Basic dXNlcjpwYXNzd29yZDEyMzQ1Ng==", "dXNlcjpwYXNzd29yZDEyMzQ1Ng"},
    {"x-api-key: 7f3a9c1e5b7d4f60a8c2", "7f3a9c1e5b7d4f60a8c2"},
    {"{\"headers\":{\"x-api-key\":\"7f3a9c1e5b7d4f60a8c2\"}}", "7f3a9c1e5b7d4f60a8c2"},
    {"{'api_key': '7f3a9c1e5b7d4f60a8c2', 'model': 'gpt-4o'}", "7f3a9c1e5b7d4f60a8c2"},
    {"{\\\"api_key\\\": \\\"7f3a9c1e5b7d4f60a8c2\\\"}", "7f3a9c1e5b7d4f60a8c2"},
    {"api-key=7f3a9c1e5b7d4f60a8c2 status=401", "7f3a9c1e5b7d4f60a8c2"},
    {"OPENAI_API_KEY=7f3a9c1e5b7d4f60a8c2", "7f3a9c1e5b7d4f60a8c2"},
    {"Incorrect API key provided: sk-proj-AbCdEf0123456789GhIjKlMnOp.",
     "AbCdEf0123456789GhIjKlMnOp"},
    {"key sk-AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123456789 is bad",
     "AbCdEf0123456789GhIjKlMnOpQrStUv"},
    {"sk-ant-api03-AbCdEf0123456789GhIjKl-MnOpQrStUv_WxYzAA", "AbCdEf0123456789GhIjKl"},
    {"sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef",
     "0123456789abcdef0123456789abcdef"},
    {"AIzaSyA0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q", "SyA0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q"},
    {"gsk_AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123456789Ab", "AbCdEf0123456789GhIjKlMnOpQrStUv"},
    {"xai-AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123456789Ab", "AbCdEf0123456789GhIjKlMnOpQrStUv"},
    {"hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "AbCdEfGhIjKlMnOpQrStUvWxYz"},
    {"r8_AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0", "AbCdEf0123456789GhIjKlMnOpQ"},
    {"pplx-AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123456789Ab", "AbCdEf0123456789GhIjKlMnOpQ"},
    {"tvly-dev-AbCdEf0123456789GhIjKlMnOpQrStUv", "AbCdEf0123456789GhIjKlMnOpQ"},
    {"nvapi-AbCdEf0123456789GhIjKlMnOpQrStUvWxYz0123456789Ab", "AbCdEf0123456789GhIjKlMnOpQ"},
    {"ghp_AbCdEf0123456789GhIjKlMnOpQrStUvWxYz", "AbCdEf0123456789GhIjKlMnOpQ"},
    {"xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx", "AbCdEfGhIjKlMnOpQrStUvWx"},
    {"ya29.a0AfH6SMBx0123456789abcdefghijklmnop", "a0AfH6SMBx0123456789abcdefghijklmnop"},
    {"token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
     "eyJzdWIiOiIxMjM0NTY3ODkwIn0"},
    {"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n-----END PRIVATE KEY-----",
     "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw"},
    {"https://ada:Lovelace1815Engine@api.example/v1", "Lovelace1815Engine"},
    {"GET https://api.example/v1?key=7f3a9c1e5b7d4f60a8c2&alt=sse", "7f3a9c1e5b7d4f60a8c2"},
    {"https://api.example/v1?model=x&access_token=7f3a9c1e5b7d4f60a8c2#top",
     "7f3a9c1e5b7d4f60a8c2"},
    {"https://blob.example/c/f?sv=2022&sig=7f3a9c1e5b7d4f60a8c2%3D&se=1", "7f3a9c1e5b7d4f60a8c2"},
    {"Cookie: session=7f3a9c1e5b7d4f60a8c2; theme=dark", "7f3a9c1e5b7d4f60a8c2"},
    {"Set-Cookie: __cf_bm=7f3a9c1e5b7d4f60a8c2; Path=/; HttpOnly", "7f3a9c1e5b7d4f60a8c2"},
    {"AKIAIOSFODNN7ABCDEFG is not authorised", "IOSFODNN7ABCDEFG"},
    {"ASIAIOSFODNN7ABCDEFG", "IOSFODNN7ABCDEFG"},
    {"aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYABCDEFGHIJKL",
     "wJalrXUtnFEMIK7MDENGbPxRfiCY"},
    {"?X-Amz-Credential=AKIAIOSFODNN7ABCDEFG%2F20260101&X-Amz-Signature="
     "fe5f80f77d5fa3beca038a248ff027d0445342fe",
     "fe5f80f77d5fa3beca038a248ff027d0445342fe"},
    {"X-Amz-Security-Token: IQoJb3JpZ2luX2VjEAbCdEf0123456789",
     "IQoJb3JpZ2luX2VjEAbCdEf0123456789"},
    {"AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7ABCDEFG/20260101/us-east-1/bedrock/aws4_request, "
     "SignedHeaders=host, "
     "Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe",
     "fe5f80f77d5fa3beca038a248ff027d0445342fe"},
    {"password=Tr0ub4dorAnd3Horses", "Tr0ub4dorAnd3Horses"},
    {"client_secret: 7f3a9c1e5b7d4f60a8c2", "7f3a9c1e5b7d4f60a8c2"},
};

static const char *const BENIGN[] = {
    "Rate limit reached for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, "
    "Used 29000, Requested 2000. Please try again in 2s.",
    "max_tokens: 4096 is greater than the maximum of 2048; prompt_tokens=12, token_count=99",
    "The API key is invalid. Basic authentication failed; bearer tokens expire after a day.",
    "key: value pairs in a dictionary, secret sauce, cookie monster, password must be 8 characters",
    "risk-averse task-1234 with sk-learn on the desk-side machine",
    "request id req_011CSHoEeqs5C35K2UUqR7Fy, chatcmpl-9xYz, cf-ray 8e695a03eed4f9fd-SJC, "
    "550e8400-e29b-41d4-a716-446655440000",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 is a hash",
    "See https://platform.openai.com/account/rate-limits?tab=models to learn more. Write to "
    "support@example.com.",
    "claude-sonnet-4-5-20250929 accounts/fireworks/models/llama-v3p1-405b-instruct",
    "您的账户余额不足，请充值后重试",
    "function signature does not match: f(a: int, *, token: str)",
    "POST /v1/chat/completions returned 404",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void (*const TEXT_FIELDS[])(rc_builder *, rc_str) = {
    rc_builder_set_id_text,        rc_builder_set_error_type,    rc_builder_set_message,
    rc_builder_set_detail,         rc_builder_set_provider,      rc_builder_set_model,
    rc_builder_set_rule,           rc_builder_set_provider_type, rc_builder_set_provider_code,
    rc_builder_set_provider_param, rc_builder_set_request_id,    rc_builder_set_raw,
    rc_builder_add_source_text,
};

/* Builds a report with the text in every field, also of a cause. */
static const rc_report *planted(rc_str text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = NULL;
    for (int level = 0; level < 2; level++) {
        rc_builder b;
        rc_builder_init(&b, &alloc, RC_CODE_AUTH_FAILED);
        for (size_t i = 0; i < COUNT(TEXT_FIELDS); i++)
            TEXT_FIELDS[i](&b, text);
        rc_builder_set_action(&b, RC_ACTION_CHECK_CREDENTIALS, text);
        rc_builder_set_context(&b, RC_STR("run_id"), text);
        rc_builder_set_context(&b, RC_STR("note"), text);
        rc_builder_set_context(&b, text, RC_STR("as a key"));
        rc_report_attempt attempt = {.attempt = 1,
                                     .provider = text,
                                     .model = text,
                                     .credential = text,
                                     .request_id = text,
                                     .reason = text};
        rc_builder_add_attempt(&b, &attempt);
        rc_builder_add_source(&b, rc_source_make(text.ptr, text.ptr, 1, text.ptr));
        rc_builder_set_cause(&b, report);
        rc_report_free(report);
        report = rc_builder_finish(&b);
    }
    return report;
}

/* Appends the output of every renderer and view to buf. */
static void render_everything(const rc_report *report, rc_str text, rc_buf *buf)
{
    static const rc_view VIEWS[] = {RC_VIEW_USER, RC_VIEW_MODEL, RC_VIEW_INTERNAL};
    static const rc_panel_style STYLES[] = {{.width = 40},
                                            {.width = 120, .has_colour = true, .has_utf8 = true}};
    for (size_t v = 0; v < COUNT(VIEWS); v++) {
        rc_report_encode(report, VIEWS[v], buf);
        for (size_t s = 0; s < COUNT(STYLES); s++)
            rc_render_human(report, VIEWS[v], &STYLES[s], buf);
        rc_render_agent_json(report, VIEWS[v], 2, buf);
        rc_render_markdown(report, VIEWS[v], buf);
        for (rc_dialect d = RC_DIALECT_PROBLEM; d <= RC_DIALECT_GEMINI; d = (rc_dialect)(d + 1)) {
            rc_render_http(report, d, VIEWS[v], buf);
            rc_render_stream_frame(report, d, VIEWS[v], buf);
        }
        rc_item_error item = {text, report};
        rc_partial_encode(RC_STR("[]"), &item, 1, VIEWS[v], buf);
    }
    rc_render_log(report, 1700000000000, buf);
    rc_render_otel(report, buf);
    rc_suppressed_encode(report, text, 1, 1700000000000, buf);
}

/* Reduces a text to letters and digits; JSON escapes and percent-encoding are decoded where they
 * could hide a letter. */
static size_t only_alnum(char *text, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool is_alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (is_alnum)
            text[kept++] = c;
    }
    text[kept] = '\0';
    return kept;
}

static bool leaks(rc_buf *buf, const char *core)
{
    assert_int_equal(rc_buf_push_byte(buf, '\0'), RC_OK);
    only_alnum(buf->ptr, buf->len);
    return strstr(buf->ptr, core) != NULL;
}

static void test_no_output_contains_a_secret(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, OUT_MAX);
    for (size_t i = 0; i < COUNT(SECRETS); i++) {
        rc_buf_reset(&buf);
        const rc_report *r = planted(rc_str_c(SECRETS[i].text));
        render_everything(r, rc_str_c(SECRETS[i].text), &buf);
        assert_int_equal(rc_buf_status(&buf), RC_OK);
        if (leaks(&buf, SECRETS[i].core))
            fail_msg("leaked: %s", SECRETS[i].text);
        rc_report_free(r);
    }
    rc_buf_done(&buf);
}

/* Plants the secrets in the middle of a long text and where the text is cut. */
static void test_no_output_of_long_texts_contains_a_secret(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf text;
    rc_buf_init(&buf, &alloc, OUT_MAX);
    rc_buf_init(&text, &alloc, OUT_MAX);
    static const size_t CEILINGS[] = {RC_REPORT_NAME_MAX, RC_REPORT_MESSAGE_MAX,
                                      RC_REPORT_DETAIL_MAX};
    for (size_t i = 0; i < COUNT(SECRETS); i++) {
        for (size_t c = 0; c < COUNT(CEILINGS); c++) {
            rc_buf_reset(&text);
            size_t secret_len = strlen(SECRETS[i].text);
            for (size_t n = 0; n + secret_len / 2 + 24 < CEILINGS[c]; n++)
                rc_buf_push_byte(&text, n % 7 ? 'q' : ' ');
            rc_buf_push_byte(&text, '\n');
            rc_buf_push(&text, rc_str_c(SECRETS[i].text));
            rc_buf_push(&text, RC_STR(" and some more text behind it, long enough to be cut off"));
            rc_buf_push_byte(&text, '\0');
            rc_str whole = rc_str_make(text.ptr, text.len - 1);
            const rc_report *r = planted(whole);
            rc_buf_reset(&buf);
            rc_report_encode(r, RC_VIEW_INTERNAL, &buf);
            char half[16] = {0}; /* Not even the first half may leak. */
            memcpy(half, SECRETS[i].core, 12);
            if (leaks(&buf, half))
                fail_msg("leaked at %zu: %s", CEILINGS[c], SECRETS[i].text);
            rc_report_free(r);
        }
    }
    rc_buf_done(&text);
    rc_buf_done(&buf);
}

static void test_decoders_remove_secrets(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf json;
    rc_buf_init(&json, &alloc, OUT_MAX);
    for (size_t i = 0; i < COUNT(SECRETS); i++) {
        rc_buf_reset(&json);
        rc_buf_push(&json, RC_STR("{\"detail\":\""));
        for (const char *c = SECRETS[i].text; *c; c++) {
            if (*c == '"' || *c == '\\')
                rc_buf_push_byte(&json, '\\');
            if (*c == '\n')
                rc_buf_push(&json, RC_STR("\\n"));
            else
                rc_buf_push_byte(&json, *c);
        }
        rc_buf_push(&json, RC_STR("\"}"));
        const rc_report *r = NULL;
        assert_int_equal(rc_report_decode(rc_buf_get(&json), RC_DECODE_TOLERANT, &alloc, &r, NULL),
                         RC_OK);
        rc_buf_reset(&json);
        rc_report_encode(r, RC_VIEW_INTERNAL, &json);
        if (leaks(&json, SECRETS[i].core))
            fail_msg("leaked: %s", SECRETS[i].text);
        rc_report_free(r);
    }
    rc_buf_done(&json);
}

static void test_benign_text_is_not_altered(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(BENIGN); i++) {
        rc_str text = rc_str_c(BENIGN[i]);
        const rc_report *r = planted(text);
        rc_str fields[] = {rc_report_id(r),
                           rc_report_error_type(r),
                           rc_report_message(r),
                           rc_report_detail(r),
                           rc_report_provider(r),
                           rc_report_model(r),
                           rc_report_rule(r),
                           rc_report_provider_type(r),
                           rc_report_provider_code(r),
                           rc_report_provider_param(r),
                           rc_report_request_id(r),
                           rc_report_raw(r),
                           rc_report_action_detail(r),
                           rc_report_source_at(r, 0),
                           rc_report_context_get(r, RC_STR("note"))->text,
                           rc_report_attempt_at(r, 0)->reason};
        for (size_t f = 0; f < COUNT(fields); f++) {
            if (!rc_str_eq(fields[f], text))
                fail_msg("field %zu: %s became %s", f, BENIGN[i], fields[f].ptr);
        }
        rc_report_free(r);
    }
}

/* Negative test: the search must find a real leak. */
static void test_the_search_finds_a_leak(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4096);
    rc_buf_push(&buf, RC_STR("| sk-abc\n| def%3Dghi |"));
    assert_true(leaks(&buf, "abcdef3Dghi"));
    rc_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_output_contains_a_secret),
        cmocka_unit_test(test_no_output_of_long_texts_contains_a_secret),
        cmocka_unit_test(test_decoders_remove_secrets),
        cmocka_unit_test(test_benign_text_is_not_altered),
        cmocka_unit_test(test_the_search_finds_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
