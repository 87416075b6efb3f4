/* Tests of hostile failures: too long, too deep, too many parts, binary data. A report is always
 * built, the verdict does not depend on data beyond the ceilings, and the report needs no more
 * memory than an ordinary one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/json.h>
#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "support/fail_alloc.h"

#define MEGA ((size_t)1000000)
#define REPORT_BYTES_MAX ((size_t)256 << 10)

/* ---- texts ---- */

typedef struct text {
    char *bytes;
    size_t len;
    size_t capacity;
} text;

static void push(text *t, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (t->len + len > t->capacity) {
        t->capacity = 2 * (t->len + len);
        t->bytes = realloc(t->bytes, t->capacity);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
}

static void push_c(text *t, const char *more)
{
    push(t, more, strlen(more));
}

/* Appends `piece` `count` times. */
static void repeat(text *t, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++)
        push_c(t, piece);
}

/* Appends `piece` repeatedly, up to `bytes` bytes. */
static void pad(text *t, const char *piece, size_t bytes)
{
    size_t len = strlen(piece);
    for (size_t i = 0; i + len <= bytes; i += len)
        push(t, piece, len);
}

static rc_str view(const text *t)
{
    return rc_str_make(t->bytes, t->len);
}

/* ---- checks ---- */

/* Builds a report, checks its size, encoding and code, and that all memory is freed. Returns the
 * code. */
static rc_code check_report(const rc_failure *failure)
{
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    const rc_report *report = rc_classify(failure, NULL, &alloc);
    assert_non_null(report);
    assert_true(memory.peak_bytes <= REPORT_BYTES_MAX);
    rc_code code = rc_report_code(report);
    assert_non_null(rc_code_get(code));
    assert_true(rc_report_rule(report).len > 0);
    rc_alloc stdlib = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &stdlib, REPORT_BYTES_MAX);
    assert_int_equal(rc_report_encode(report, RC_VIEW_INTERNAL, &buf), RC_OK);
    const rc_report *again = NULL;
    assert_int_equal(rc_report_decode(rc_buf_get(&buf), RC_DECODE_STRICT, &stdlib, &again, NULL),
                     RC_OK);
    assert_int_equal(rc_report_code(again), code);
    rc_report_free(again);
    rc_buf_done(&buf);
    rc_report_free(report);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return code;
}

/* Classifies the text as a body and as an event, with and without a status. Returns the code for
 * the body with the status. */
static rc_code check_text(rc_str bytes, int status)
{
    rc_failure failure = {.status = status, .body = bytes};
    rc_code code = check_report(&failure);
    rc_failure statusless = {.body = bytes};
    check_report(&statusless);
    rc_failure event = {.status = status, .event = bytes};
    check_report(&event);
    return code;
}

/* ---- long texts ---- */

typedef struct long_case {
    const char *name;
    const char *before;
    const char *filler;
    const char *after;
    int status;
    rc_code code;
} long_case;

/* Texts with a part that is too long. The error precedes the long part, except in a stream, of
 * which only the last bytes are read. */
static const long_case LONG[] = {
    {"string of an error", "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"", "blah ",
     "\"}}", 429, RC_CODE_QUOTA_EXHAUSTED},
    {"member before the error",
     "{\"pad\":\"x\",\"error\":{\"code\":\"insufficient_quota\"},\"z\":\"", "blah ", "\"}", 429,
     RC_CODE_QUOTA_EXHAUSTED},
    {"array of numbers", "[", "1,", "1]", 429, RC_CODE_RATE_LIMITED},
    {"array behind an error", "{\"error\":{\"code\":\"insufficient_quota\"},\"z\":[", "[],", "1]}",
     429, RC_CODE_QUOTA_EXHAUSTED},
    {"words", "Your credit balance is too low. ", "lorem ipsum ", "", 400, RC_CODE_QUOTA_EXHAUSTED},
    {"page", "<html><head><title>504 Gateway Time-out</title></head><body>", "<p>x</p>",
     "</body></html>", 504, RC_CODE_PROVIDER_TIMEOUT},
    {"page without an end", "<html><head><title>502 Bad Gateway</title>", "<", "", 502,
     RC_CODE_PROVIDER_5XX},
    {"events", "", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n",
     "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
     "\"Overloaded\"}}\n\n",
     200, RC_CODE_OVERLOADED},
    {"lines", "", "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}\n",
     "{\"error\":\"model requires more system memory than is available\"}\n", 200, RC_CODE_NONE},
    {"blanks", "{\"error\":{\"code\":\"insufficient_quota\"}}", " ", "", 429,
     RC_CODE_QUOTA_EXHAUSTED},
    {"blanks in front", "", "\n", "{\"error\":{\"code\":\"insufficient_quota\"}}", 429,
     RC_CODE_QUOTA_EXHAUSTED},
};

static rc_code judge_long(const long_case *c, size_t bytes)
{
    text t = {0};
    push_c(&t, c->before);
    pad(&t, c->filler, bytes);
    push_c(&t, c->after);
    rc_code code = check_text(view(&t), c->status);
    free(t.bytes);
    return code;
}

static void test_size_does_not_change_the_verdict(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof(LONG) / sizeof(LONG[0]); i++) {
        rc_code shorter = judge_long(&LONG[i], 8 * MEGA);
        rc_code longer = judge_long(&LONG[i], 16 * MEGA);
        rc_code small = judge_long(&LONG[i], 2000);
        bool is_right = LONG[i].code == RC_CODE_NONE || shorter == LONG[i].code;
        if (shorter == longer && shorter == small && is_right)
            continue;
        wrong++;
        print_message("%s: %s at 2 KB, %s at 8 MB, %s at 16 MB\n", LONG[i].name,
                      rc_code_name(small), rc_code_name(shorter), rc_code_name(longer));
    }
    assert_int_equal(wrong, 0);
}

/* ---- deep nesting and large numbers ---- */

typedef struct many_case {
    const char *name;
    const char *before;
    const char *unit;
    size_t count;
    const char *after;
} many_case;

static const many_case MANY[] = {
    {"arrays in arrays", "", "[", 1000, ""},
    {"objects in objects", "", "{\"error\":", 1000, "1"},
    {"messages in messages", "", "{\"message\":", 1000, "1"},
    {"details in details", "{\"error\":", "{\"details\":[", 1000, "1"},
    {"a million elements", "[", "{},", 1000000, "1]"},
    {"a million errors", "{", "\"error\":\"x\",", 1000000, "\"error\":1}"},
    {"a million error objects", "{\"errors\":[", "{\"message\":\"x\"},", 1000000, "1]}"},
    {"a million braces", "", "{", 1000000, ""},
    {"a million closing braces", "", "}", 1000000, ""},
    {"a million brackets", "", "[", 1000000, ""},
    {"a million quotes", "", "\"", 1000000, ""},
    {"a million single quotes", "{", "'", 1000000, ""},
    {"a million backslashes", "{\"error\":\"", "\\", 1000000, ""},
    {"a million colons", "", ":", 1000000, ""},
    {"a million equals signs", "", "=", 1000000, ""},
    {"a million statuses", "", "error 429 ", 1000000, ""},
    {"a million digits", "", "4", 1000000, ""},
    {"a million lines", "", "\n", 1000000, "x"},
    {"a million fields", "", "message: x\n", 1000000, ""},
    {"a million events", "", "data: {}\n", 1000000, ""},
    {"a million frames", ":message-type: exception\n", ":exception-type: x\n", 1000000, ""},
    {"a million tags", "<html>", "<title", 1000000, ""},
    {"a million stack frames", "Error: x\n", "    at f (file.js:1:2)\n", 1000000, ""},
    {"a million echoes", "bad: ", "{'role': 'user', 'content': 'x'} ", 1000000, ""},
    {"braces behind words", "x ", "{'a", 1000000, ""},
    {"typographic quotes", "{\xE2\x80\x9C", "\xE2\x80\x9C", 300000, ""},
    {"waits", "", "try again in 1s ", 300000, ""},
};

static void test_large_numbers_of_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(MANY) / sizeof(MANY[0]); i++) {
        text t = {0};
        push_c(&t, MANY[i].before);
        repeat(&t, MANY[i].unit, MANY[i].count);
        push_c(&t, MANY[i].after);
        /* the text has no meaning, so the status decides */
        check_text(view(&t), 503);
        free(t.bytes);
    }
}

/* ---- nested errors ---- */

/* Wraps the text as a JSON string inside {"error":{"message":...}}. */
static void wrap(text *t)
{
    text outer = {0};
    push_c(&outer, "{\"error\":{\"message\":\"");
    for (size_t i = 0; i < t->len; i++) {
        if (t->bytes[i] == '"' || t->bytes[i] == '\\')
            push_c(&outer, "\\");
        push(&outer, &t->bytes[i], 1);
    }
    push_c(&outer, "\"}}");
    free(t->bytes);
    *t = outer;
}

/* Every level doubles the backslashes, so the deepest level makes the body as large as a body can
 * be. */
static void test_a_message_in_a_message_many_times(void **state)
{
    (void)state;
    text t = {0};
    push_c(&t, "{\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}");
    for (int i = 0; i < 18; i++) {
        if (i < 2)
            assert_int_equal(check_text(view(&t), 400), RC_CODE_RATE_LIMITED);
        else
            check_text(view(&t), 400);
        wrap(&t);
    }
    free(t.bytes);
}

static void test_a_prefix_before_a_prefix_fifty_times(void **state)
{
    (void)state;
    text t = {0};
    repeat(&t, "litellm.APIError: OpenAIException - Error code: 429 - {'error': {'message': '", 50);
    push_c(&t, "slow down");
    repeat(&t, "'}}", 50);
    assert_int_equal(check_text(view(&t), 429), RC_CODE_RATE_LIMITED);
    free(t.bytes);
}

/* ---- binary data ---- */

static void test_binary_data(void **state)
{
    (void)state;
    static const char *const STARTS[] = {"",       "{\"error\":\"", "<html><title>",
                                         "data: ", "503 ",          "["};
    for (size_t i = 0; i < sizeof(STARTS) / sizeof(STARTS[0]); i++) {
        text t = {0};
        push_c(&t, STARTS[i]);
        for (int c = 0; c < 256; c++) {
            char byte = (char)c;
            push(&t, &byte, 1);
        }
        assert_int_equal(check_text(view(&t), 503), RC_CODE_OVERLOADED);
        free(t.bytes);
    }
}

static void test_each_byte_alone_and_often(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char bytes[300];
        memset(bytes, c, sizeof(bytes));
        check_text(rc_str_make(bytes, 1), 503);
        check_text(rc_str_make(bytes, sizeof(bytes)), 503);
    }
}

static void test_random_bytes(void **state)
{
    (void)state;
    uint64_t seed = 1;
    char *bytes = malloc(MEGA);
    assert_non_null(bytes);
    for (size_t i = 0; i < MEGA; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (char)(seed >> 56);
    }
    for (size_t len = 1; len <= MEGA; len = len * 3 + 1)
        check_text(rc_str_make(bytes, len), 503);
    free(bytes);
}

static void test_nul_bytes_do_not_end_a_text(void **state)
{
    (void)state;
    static const char BODY[] =
        "\0{\"error\":{\"message\":\"no\0thing\",\"code\":\"insufficient_quota\"}}";
    check_text(rc_str_make(BODY, sizeof(BODY) - 1), 429);
    assert_int_equal(check_text(rc_str_make(BODY + 1, sizeof(BODY) - 2), 429),
                     RC_CODE_QUOTA_EXHAUSTED);
}

static void test_invalid_utf8_around_an_error(void **state)
{
    (void)state;
    static const char BODY[] = "{\"error\":{\"message\":\"\xC3\x28 \xFF\xFE "
                               "\xED\xA0\x80\",\"code\":\"insufficient_quota\"}}";
    assert_int_equal(check_text(rc_str_make(BODY, sizeof(BODY) - 1), 429), RC_CODE_QUOTA_EXHAUSTED);
    static const char WORDS[] = "\xFF\xFE rate limit exceeded \xC3";
    assert_int_equal(check_text(rc_str_make(WORDS, sizeof(WORDS) - 1), 429), RC_CODE_RATE_LIMITED);
}

/* ---- headers ---- */

static void test_many_headers(void **state)
{
    (void)state;
    const size_t count = 100000;
    rc_header *headers = malloc(count * sizeof(*headers));
    assert_non_null(headers);
    for (size_t i = 0; i < count; i++)
        headers[i] = (rc_header){RC_STR("x-ratelimit-reset-requests"), RC_STR("7s")};
    headers[100] = (rc_header){RC_STR("Retry-After"), RC_STR("20")};
    rc_failure failure = {.status = 429, .headers = headers, .header_count = count};
    assert_int_equal(check_report(&failure), RC_CODE_RATE_LIMITED);
    rc_classify_space space;
    assert_int_equal(rc_judge(&failure, NULL, NULL, &space).retry_after_ms, 20000);
    for (size_t i = 0; i < count; i++)
        headers[i] = (rc_header){RC_STR("x-some-other-header"), RC_STR("v")};
    assert_int_equal(check_report(&failure), RC_CODE_RATE_LIMITED);
    free(headers);
}

static void test_long_headers(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "retry-after",
        "retry-after-ms",
        "x-ratelimit-reset",
        "ratelimit",
        "x-request-id",
        "server",
        "x-amzn-errortype",
        "x-should-retry",
        "ratelimit-policy",
        "date",
        "cf-ray",
        "x-codex-primary-reset-after-seconds",
    };
    static const char *const FILLERS[] = {"9", " ", "a", "\"a\";r=0;t=1, ", ",", "1h", "\xFF"};
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        for (size_t k = 0; k < sizeof(FILLERS) / sizeof(FILLERS[0]); k++) {
            text t = {0};
            pad(&t, FILLERS[k], MEGA);
            rc_header headers[] = {{rc_str_c(NAMES[i]), view(&t)}, {view(&t), RC_STR("1")}};
            rc_failure failure = {.status = 503, .headers = headers, .header_count = 2};
            check_report(&failure);
            free(t.bytes);
        }
    }
}

static void test_long_names(void **state)
{
    (void)state;
    text t = {0};
    pad(&t, "openai", MEGA);
    rc_failure failure = {.status = 429, .provider = view(&t), .model = view(&t)};
    assert_int_equal(check_report(&failure), RC_CODE_RATE_LIMITED);
    free(t.bytes);
}

static void test_numbers_out_of_range(void **state)
{
    (void)state;
    static const int NUMBERS[] = {0,   1,   -1,  99,   100,       599,
                                  600, 611, 612, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++) {
        rc_failure failure = {
            .status = NUMBERS[i],
            .exit_status = NUMBERS[i],
            .family = (rc_family)NUMBERS[i],
            .transport = (rc_transport)NUMBERS[i],
            .phase = (rc_phase)NUMBERS[i],
            .replay = (rc_replay)NUMBERS[i],
            .context_window = i % 2 ? INT64_MIN : INT64_MAX,
            .now_unix_ms = INT64_MAX,
            .body = RC_STR("try again at 2026-01-02T03:04:05Z"),
        };
        check_report(&failure);
        failure.now_unix_ms = INT64_MIN;
        check_report(&failure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_does_not_change_the_verdict),
        cmocka_unit_test(test_large_numbers_of_parts),
        cmocka_unit_test(test_a_message_in_a_message_many_times),
        cmocka_unit_test(test_a_prefix_before_a_prefix_fifty_times),
        cmocka_unit_test(test_binary_data),
        cmocka_unit_test(test_each_byte_alone_and_often),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_nul_bytes_do_not_end_a_text),
        cmocka_unit_test(test_invalid_utf8_around_an_error),
        cmocka_unit_test(test_many_headers),
        cmocka_unit_test(test_long_headers),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_numbers_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
