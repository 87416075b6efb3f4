/* Every allocation of every scenario fails in turn, once and permanently: no crash, no leak, no
 * false success.
 *
 * A scenario runs on an allocator that fails on command, and checks the conditions that hold even
 * then. */
#include <recourse/recourse.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/random_report.h"

#define OUT_MAX (4u << 20)

static bool is_incomplete(const rc_report *r)
{
    for (; r; r = rc_report_cause(r)) {
        if (rc_report_context_get(r, RC_STR("incomplete")))
            return true;
    }
    return false;
}

/* Builds a report with every field and a cause. */
static const rc_report *full_report(const rc_alloc *alloc, rc_code code)
{
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_CONNECTION_RESET);
    rc_builder_set_detail(&b, RC_STR("peer reset"));
    const rc_report *cause = rc_builder_finish(&b);

    rc_builder_init(&b, alloc, code);
    rc_builder_set_id_text(&b, RC_STR("rep_01JCXYZ"));
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_message(&b, RC_STR("A message with \"quotes\", a path /srv/me/x and a key "
                                      "sk-proj-abcdefghijklmnopqrst."));
    rc_builder_set_detail(&b, RC_STR("detail\nof two lines"));
    rc_builder_set_action(&b, RC_ACTION_WAIT_AND_RETRY, RC_STR("Wait."));
    rc_builder_set_provider(&b, RC_STR("openai"));
    rc_builder_set_model(&b, RC_STR("gpt-4o"));
    rc_builder_set_rule(&b, RC_STR("openai.rate"));
    rc_builder_set_retry_exhausted(&b, true);
    rc_builder_set_provider_status(&b, 429);
    rc_builder_set_provider_type(&b, RC_STR("requests"));
    rc_builder_set_provider_code(&b, RC_STR("rate_limit_exceeded"));
    rc_builder_set_provider_param(&b, RC_STR("messages"));
    rc_builder_set_request_id(&b, RC_STR("req_abc"));
    rc_builder_set_retry_after_ms(&b, 4000);
    rc_builder_set_limit_kind(&b, RC_LIMIT_KIND_REQUESTS);
    rc_builder_set_raw(&b, RC_STR("{\"error\":{\"message\":\"slow down\"}}"));
    for (int i = 0; i < 10; i++) {
        char key[] = {'k', (char)('0' + i), '\0'};
        rc_builder_set_context(&b, rc_str_c(key), RC_STR("value"));
        rc_report_attempt attempt = {.attempt = i + 1,
                                     .provider = RC_STR("openai"),
                                     .reason = RC_STR("rate limited"),
                                     .wait_ms = 5};
        rc_builder_add_attempt(&b, &attempt);
        rc_builder_add_source(&b, RC_HERE("TestError"));
    }
    rc_builder_set_cause(&b, cause);
    rc_report_free(cause);
    return rc_builder_finish(&b);
}

/* The classification must survive whatever else was lost. */
static void check_classification(const rc_report *r, rc_code code)
{
    assert_non_null(r);
    assert_int_equal(rc_report_code(r), code);
    assert_int_equal(rc_report_class(r), rc_code_get(code)->error_class);
    assert_true(rc_report_message(r).len > 0);
    assert_true(rc_report_http_status(r) >= 100);
}

static bool build(const rc_alloc *alloc, rc_code code)
{
    const rc_report *r = full_report(alloc, code);
    check_classification(r, code);
    bool is_whole = !is_incomplete(r);
    /* A report that is not marked as incomplete must be complete. */
    if (is_whole) {
        assert_int_equal(rc_report_context_count(r), 10);
        assert_int_equal(rc_report_attempt_count(r), 10);
        assert_int_equal(rc_report_source_count(r), 10);
        assert_string_equal(rc_report_model(r).ptr, "gpt-4o");
        assert_true(rc_report_raw(r).len > 0);
    }
    rc_report_free(r);
    return is_whole;
}

static bool build_rate_limited(const rc_alloc *alloc)
{
    return build(alloc, RC_CODE_RATE_LIMITED);
}

static bool build_quota(const rc_alloc *alloc)
{
    return build(alloc, RC_CODE_QUOTA_EXHAUSTED);
}

static bool build_internal(const rc_alloc *alloc)
{
    return build(alloc, RC_CODE_INTERNAL);
}

static bool build_wrapper(const rc_alloc *alloc)
{
    const rc_report *inner = full_report(alloc, RC_CODE_OVERLOADED);
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_NONE);
    rc_builder_set_error_type(&b, RC_STR("WrapperError"));
    rc_builder_set_cause(&b, inner);
    const rc_report *outer = rc_builder_finish(&b);
    check_classification(outer, RC_CODE_OVERLOADED);
    bool is_whole =
        !is_incomplete(inner) && rc_str_eq(rc_report_error_type(outer), RC_STR("WrapperError"));
    rc_report_free(inner);
    rc_report_free(outer);
    return is_whole;
}

static bool build_deep(const rc_alloc *alloc)
{
    const rc_report *r = NULL;
    for (int i = 0; i < 80; i++) {
        rc_builder b;
        rc_builder_init(&b, alloc, i ? RC_CODE_NONE : RC_CODE_MODEL_LOADING);
        rc_builder_set_provider(&b, i ? RC_STR("") : RC_STR("hf"));
        rc_builder_set_cause(&b, r);
        rc_report_free(r);
        r = rc_builder_finish(&b);
        check_classification(r, RC_CODE_MODEL_LOADING);
    }
    const rc_context_entry *elided = rc_report_context_get(r, RC_STR("causes_elided"));
    bool is_whole = elided && elided->number == 15 && !is_incomplete(r);
    if (is_whole)
        assert_string_equal(rc_report_provider(r).ptr, "hf");
    rc_report_free(r);
    return is_whole;
}

static bool build_from_fault(const rc_alloc *alloc)
{
    rc_fault inner = {
        .type = "E", .message = RC_STR("x"), .code = RC_CODE_AUTH_FAILED, .source = RC_HERE("E")};
    rc_fault outer = {.type = "F", .message = RC_STR("y"), .cause = &inner};
    const rc_report *r = rc_report_from_fault(alloc, &outer);
    check_classification(r, RC_CODE_AUTH_FAILED);
    bool is_whole = rc_report_cause(r) && !is_incomplete(r) && !is_incomplete(rc_report_cause(r));
    rc_report_free(r);
    return is_whole;
}

static bool build_random(const rc_alloc *alloc, uint64_t seed)
{
    uint64_t state = seed;
    const rc_report *r = random_report(&state, alloc);
    assert_non_null(r);
    assert_int_not_equal(rc_report_code(r), RC_CODE_NONE);
    bool is_whole = !is_incomplete(r);
    rc_report_free(r);
    return is_whole;
}

static bool build_random_1(const rc_alloc *alloc)
{
    return build_random(alloc, 11);
}

static bool build_random_2(const rc_alloc *alloc)
{
    return build_random(alloc, 22);
}

static bool build_random_3(const rc_alloc *alloc)
{
    return build_random(alloc, 33);
}

static bool build_given_up(const rc_alloc *alloc)
{
    rc_builder b;
    rc_builder_init(&b, alloc, RC_CODE_INTERNAL);
    rc_builder_set_message(&b, RC_STR("never finished"));
    bool is_whole = b.report != NULL;
    rc_builder_done(&b);
    return is_whole;
}

/* Encodes a report into a buffer on the failing allocator. With RC_OK the whole report must be in
 * the buffer. */
static bool encode_view(const rc_alloc *alloc, rc_view view)
{
    const rc_report *r = full_report(alloc, RC_CODE_RATE_LIMITED);
    rc_buf buf;
    rc_buf_init(&buf, alloc, OUT_MAX);
    rc_status status = rc_report_encode(r, view, &buf);
    if (status == RC_OK) {
        rc_str text = rc_buf_get(&buf);
        assert_int_equal(text.ptr[text.len - 1], '}');
    } else {
        assert_int_equal(status, RC_E_NOMEM);
    }
    bool is_whole = status == RC_OK && !is_incomplete(r);
    rc_buf_done(&buf);
    rc_report_free(r);
    return is_whole;
}

static bool encode_user(const rc_alloc *alloc)
{
    return encode_view(alloc, RC_VIEW_USER);
}

static bool encode_model(const rc_alloc *alloc)
{
    return encode_view(alloc, RC_VIEW_MODEL);
}

static bool encode_internal(const rc_alloc *alloc)
{
    return encode_view(alloc, RC_VIEW_INTERNAL);
}

static const char JSON[] =
    "{\"error_code\":\"RateLimited\",\"mess\\u0061ge\":\"slow\\ndown\",\"context\":{\"a\\u0062\":"
    "\"\\u00e9\",\"n\":1},"
    "\"attempts\":[{\"attempt\":1,\"reason\":\"x\\ty\"}],\"error_source\":[\"s\\\\t\"],\"cause\":{"
    "\"error_code\":\"Overloaded\",\"detail\":\"d\"}}";

static bool decode(const rc_alloc *alloc, const char *json, rc_decode_mode mode)
{
    const rc_report *r = NULL;
    rc_decode_info info;
    rc_status status = rc_report_decode(rc_str_c(json), mode, alloc, &r, &info);
    assert_int_equal(status, info.status);
    bool is_whole = false;
    if (status == RC_OK) {
        assert_int_equal(rc_report_code(r), RC_CODE_RATE_LIMITED);
        is_whole = !is_incomplete(r) && !is_incomplete(rc_report_cause(r));
        if (mode == RC_DECODE_STRICT)
            assert_true(is_whole); /* strict decoding returns a complete report or none */
        if (is_whole) {
            assert_string_equal(rc_report_message(r).ptr, "slow\ndown");
            assert_int_equal(rc_report_context_count(r), 2);
            assert_int_equal(rc_report_code(rc_report_cause(r)), RC_CODE_OVERLOADED);
        }
    } else {
        assert_int_equal(status, RC_E_NOMEM);
        assert_null(r);
    }
    rc_report_free(r);
    return is_whole;
}

static bool decode_strict(const rc_alloc *alloc)
{
    return decode(alloc, JSON, RC_DECODE_STRICT);
}

static bool decode_tolerant(const rc_alloc *alloc)
{
    return decode(alloc, JSON, RC_DECODE_TOLERANT);
}

/* Decodes invalid input on a failing allocator: the result is always an error, never a report. */
static bool decode_refused(const rc_alloc *alloc)
{
    const rc_report *r = NULL;
    rc_decode_info info;
    rc_status status = rc_report_decode(RC_STR("{\"message\":\"a\\tb\",\"cause\":{\"x\":1}}"),
                                        RC_DECODE_STRICT, alloc, &r, &info);
    assert_true(status == RC_E_NOMEM || status == RC_E_UNKNOWN_KEY);
    assert_null(r);
    return status == RC_E_UNKNOWN_KEY;
}

typedef rc_status (*renderer)(const rc_report *report, rc_buf *buf);

static bool render(const rc_alloc *alloc, renderer run)
{
    const rc_report *r = full_report(alloc, RC_CODE_RATE_LIMITED);
    rc_buf buf;
    rc_buf_init(&buf, alloc, OUT_MAX);
    rc_status status = run(r, &buf);
    assert_int_equal(status, rc_buf_status(&buf));
    assert_true(status == RC_OK || status == RC_E_NOMEM);
    bool is_whole = status == RC_OK && !is_incomplete(r);
    if (status == RC_OK)
        assert_true(rc_buf_get(&buf).len > 0);
    rc_buf_done(&buf);
    rc_report_free(r);
    return is_whole;
}

#define RENDER_SCENARIO(name, call)                                    \
    static rc_status name##_call(const rc_report *report, rc_buf *buf) \
    {                                                                  \
        return call;                                                   \
    }                                                                  \
    static bool name(const rc_alloc *alloc)                            \
    {                                                                  \
        return render(alloc, name##_call);                             \
    }

static const rc_panel_style ASCII = {.width = 60};
static const rc_panel_style COLOUR = {
    .width = 100, .has_colour = true, .has_utf8 = true, .now_unix_ms = 1700000000000};

RENDER_SCENARIO(render_human_user, rc_render_human(report, RC_VIEW_USER, &ASCII, buf))
RENDER_SCENARIO(render_human_internal, rc_render_human(report, RC_VIEW_INTERNAL, &COLOUR, buf))
RENDER_SCENARIO(render_agent, rc_render_agent_json(report, RC_VIEW_MODEL, 0, buf))
RENDER_SCENARIO(render_agent_internal, rc_render_agent_json(report, RC_VIEW_INTERNAL, 2, buf))
RENDER_SCENARIO(render_markdown, rc_render_markdown(report, RC_VIEW_MODEL, buf))
RENDER_SCENARIO(render_markdown_internal, rc_render_markdown(report, RC_VIEW_INTERNAL, buf))
RENDER_SCENARIO(render_problem, rc_render_body(report, RC_DIALECT_PROBLEM, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_chat, rc_render_body(report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_responses,
                rc_render_body(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_anthropic, rc_render_body(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_gemini, rc_render_body(report, RC_DIALECT_GEMINI, RC_VIEW_USER, buf))
RENDER_SCENARIO(stream_problem,
                rc_render_stream_frame(report, RC_DIALECT_PROBLEM, RC_VIEW_USER, buf))
RENDER_SCENARIO(stream_chat,
                rc_render_stream_frame(report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER, buf))
RENDER_SCENARIO(stream_responses,
                rc_render_stream_frame(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_USER, buf))
RENDER_SCENARIO(stream_anthropic,
                rc_render_stream_frame(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER, buf))
RENDER_SCENARIO(stream_gemini, rc_render_stream_frame(report, RC_DIALECT_GEMINI, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_headers, rc_render_headers(report, RC_DIALECT_ANTHROPIC, buf))
RENDER_SCENARIO(render_http, rc_render_http(report, RC_DIALECT_PROBLEM, RC_VIEW_USER, buf))
RENDER_SCENARIO(render_log, rc_render_log(report, 1700000000000, buf))
RENDER_SCENARIO(render_otel, rc_render_otel(report, buf))
RENDER_SCENARIO(suppressed,
                rc_suppressed_encode(report, RC_STR("best effort"), 1, 1700000000000, buf))

static rc_status partial_call(const rc_report *report, rc_buf *buf)
{
    rc_item_error errors[] = {{RC_STR("https://a.example"), report},
                              {RC_STR("https://b.example"), report}};
    return rc_partial_encode(RC_STR("{\"pages\":[1,2,3]}"), errors, 2, RC_VIEW_MODEL, buf);
}

static bool partial(const rc_alloc *alloc)
{
    return render(alloc, partial_call);
}

static bool buffer_grows(const rc_alloc *alloc)
{
    rc_buf buf;
    rc_buf_init(&buf, alloc, 1u << 20);
    for (int i = 0; i < 20000; i++)
        rc_buf_push(&buf, RC_STR("0123456789"));
    bool is_whole = rc_buf_status(&buf) == RC_OK;
    if (is_whole)
        assert_int_equal(rc_buf_get(&buf).len, 200000);
    else
        assert_true(rc_buf_get(&buf).len % 10 == 0); /* a push appends all of its bytes or none */
    rc_buf_done(&buf);
    return is_whole;
}

typedef struct scenario {
    const char *name;
    bool (*run)(const rc_alloc *alloc); /* returns true if nothing was lost */
    bool may_be_silent; /* data may be lost without a mark: a wrapper that could not be allocated is
                         * replaced by its cause, which is complete */
} scenario;

#define S(name)            \
    {                      \
#name, name, false \
    }
#define SILENT(name)      \
    {                     \
#name, name, true \
    }

static const scenario SCENARIOS[] = {
    S(build_rate_limited),  S(build_quota),
    S(build_internal),      S(build_wrapper),
    S(build_deep),          S(build_from_fault),
    SILENT(build_random_1), SILENT(build_random_2),
    SILENT(build_random_3), S(build_given_up),
    S(encode_user),         S(encode_model),
    S(encode_internal),     S(decode_strict),
    S(decode_tolerant),     S(decode_refused),
    S(render_human_user),   S(render_human_internal),
    S(render_agent),        S(render_agent_internal),
    S(render_markdown),     S(render_markdown_internal),
    S(render_problem),      S(render_chat),
    S(render_responses),    S(render_anthropic),
    S(render_gemini),       S(stream_problem),
    S(stream_chat),         S(stream_responses),
    S(stream_anthropic),    S(stream_gemini),
    S(render_headers),      S(render_http),
    S(render_log),          S(render_otel),
    S(suppressed),          S(partial),
    S(buffer_grows),
};

#define SCENARIO_COUNT (sizeof SCENARIOS / sizeof *SCENARIOS)

/* Runs the scenario with its Nth allocation failing. Returns whether the scenario reported that
 * nothing was lost. */
static bool run_with(const scenario *s, size_t fail_at, bool for_good, size_t *ret_calls)
{
    fail_alloc memory = {.fail_at = fail_at, .for_good = for_good};
    rc_alloc alloc = fail_alloc_of(&memory);
    bool is_whole = s->run(&alloc);
    if (memory.live || memory.is_broken)
        fprintf(stderr, "%s, request %zu%s: %zu blocks leaked\n", s->name, fail_at,
                for_good ? " and on" : "", memory.live);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    *ret_calls = memory.calls;
    return is_whole;
}

static void test_each_allocation_fails_in_turn(void **state)
{
    const scenario *s = *state;
    size_t count;
    size_t calls;
    bool is_whole = run_with(s, 0, false, &count);
    if (!s->may_be_silent)
        assert_true(is_whole);
    for (size_t i = 1; i <= count; i++) {
        for (int for_good = 0; for_good <= 1; for_good++) {
            bool was_whole = run_with(s, i, for_good, &calls);
            if (was_whole && !s->may_be_silent)
                fail_msg("%s, request %zu%s: the loss was not told", s->name, i,
                         for_good ? " and on" : "");
        }
    }
}

int main(void)
{
    struct CMUnitTest tests[SCENARIO_COUNT];
    for (size_t i = 0; i < SCENARIO_COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = SCENARIOS[i].name,
                                       .test_func = test_each_allocation_fails_in_turn,
                                       .initial_state = (void *)(uintptr_t)&SCENARIOS[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
