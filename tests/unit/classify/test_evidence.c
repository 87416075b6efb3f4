/* Tests of rc_evidence: facts of a failure's plain members, the layer that decides, and how
 * responses and streams end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "classify/evidence.h"
#include "classify/headers.h"
#include "classify/unwrap/plain_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_classify_space space;

static rc_evidence evidence_of(const rc_failure *failure)
{
    rc_evidence evidence;
    rc_evidence_init(&evidence, failure, NULL, &space);
    return evidence;
}

static rc_evidence unwrapped(const rc_failure *failure)
{
    rc_evidence evidence = evidence_of(failure);
    rc_unwrap(&evidence);
    return evidence;
}

static bool has(const rc_evidence *evidence, const char *fact)
{
    rc_fact id = rc_fact_parse(rc_str_c(fact));
    if (id == RC_FACT_NONE)
        fail_msg("there is no fact %s", fact);
    return rc_evidence_has(evidence, id);
}

/* ---- plain fields ---- */

static void test_the_status(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *fact;
    } CASES[] = {
        {0, "status:none"},  {200, "status:2xx"}, {302, "status:3xx"}, {404, "status:4xx"},
        {404, "status:404"}, {529, "status:529"}, {529, "status:5xx"},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        rc_failure failure = {.status = CASES[i].status};
        rc_evidence evidence = evidence_of(&failure);
        if (!has(&evidence, CASES[i].fact))
            fail_msg("%d is not %s", CASES[i].status, CASES[i].fact);
    }
    rc_failure failure = {.status = 404};
    rc_evidence evidence = evidence_of(&failure);
    assert_false(has(&evidence, "status:none"));
    assert_false(has(&evidence, "status:5xx"));
    assert_false(has(&evidence, "status:405"));
}

static void test_transport_and_phase(void **state)
{
    (void)state;
    static const char *const TRANSPORTS[] = {
        "transport:timeout", "transport:connect_refused", "transport:dns",
        "transport:tls",     "transport:reset",           "transport:eof",
    };
    static const char *const PHASES[] = {"phase:connect", "phase:sent", "phase:headers",
                                         "phase:committed"};
    for (size_t i = 0; i < COUNT(TRANSPORTS); i++) {
        rc_failure failure = {.transport = (rc_transport)(i + 1)};
        rc_evidence evidence = evidence_of(&failure);
        for (size_t k = 0; k < COUNT(TRANSPORTS); k++)
            assert_int_equal(has(&evidence, TRANSPORTS[k]), i == k);
    }
    for (size_t i = 0; i < COUNT(PHASES); i++) {
        rc_failure failure = {.phase = (rc_phase)(i + 1)};
        rc_evidence evidence = evidence_of(&failure);
        for (size_t k = 0; k < COUNT(PHASES); k++)
            assert_int_equal(has(&evidence, PHASES[k]), i == k);
    }
}

static void test_which_requests_may_be_replayed(void **state)
{
    (void)state;
    static const struct {
        rc_family family;
        rc_replay replay;
        bool is_replayable;
    } CASES[] = {
        {RC_FAMILY_NONE, RC_REPLAY_BY_FAMILY, true},
        {RC_FAMILY_LLM, RC_REPLAY_BY_FAMILY, true},
        {RC_FAMILY_EMBEDDING, RC_REPLAY_BY_FAMILY, true},
        {RC_FAMILY_SEARCH, RC_REPLAY_BY_FAMILY, true},
        {RC_FAMILY_EXTRACT, RC_REPLAY_BY_FAMILY, true},
        {RC_FAMILY_IMAGE, RC_REPLAY_BY_FAMILY, false},
        {RC_FAMILY_AUDIO, RC_REPLAY_BY_FAMILY, false},
        {RC_FAMILY_TOOL, RC_REPLAY_BY_FAMILY, false},
        {RC_FAMILY_IMAGE, RC_REPLAY_YES, true},
        {RC_FAMILY_LLM, RC_REPLAY_NO, false},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        rc_failure failure = {.family = CASES[i].family, .replay = CASES[i].replay};
        rc_evidence evidence = evidence_of(&failure);
        assert_int_equal(rc_evidence_has(&evidence, RC_FACT_REPLAY_YES), CASES[i].is_replayable);
        assert_int_equal(rc_evidence_has(&evidence, RC_FACT_REPLAY_NO), !CASES[i].is_replayable);
    }
}

static void test_how_a_process_ended(void **state)
{
    (void)state;
    static const struct {
        int status;
        rc_fact fact;
    } CASES[] = {
        {2, RC_FACT_EXIT_USAGE},          {64, RC_FACT_EXIT_USAGE},
        {75, RC_FACT_EXIT_TEMPORARY},     {124, RC_FACT_EXIT_TIMEOUT},
        {126, RC_FACT_EXIT_NOT_RUNNABLE}, {127, RC_FACT_EXIT_NOT_FOUND},
        {130, RC_FACT_EXIT_INTERRUPTED},  {137, RC_FACT_EXIT_KILLED},
        {143, RC_FACT_EXIT_TERMINATED},   {139, RC_FACT_EXIT_CRASHED},
        {134, RC_FACT_EXIT_CRASHED},      {1, RC_FACT_EXIT_OTHER},
        {255, RC_FACT_EXIT_OTHER},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        rc_failure failure = {.exit_status = CASES[i].status};
        rc_evidence evidence = evidence_of(&failure);
        assert_true(rc_evidence_has(&evidence, CASES[i].fact));
    }
    rc_failure none = {.exit_status = 0};
    rc_evidence evidence = evidence_of(&none);
    assert_false(rc_evidence_has(&evidence, RC_FACT_EXIT_OTHER));
}

static void test_an_empty_body(void **state)
{
    (void)state;
    static const rc_failure EMPTY[] = {
        {.status = 500},
        {.status = 500, .body = RC_STR_INIT(" \r\n\t")},
        {.status = 500, .event = RC_STR_INIT("\n\n")},
    };
    for (size_t i = 0; i < COUNT(EMPTY); i++) {
        rc_evidence evidence = unwrapped(&EMPTY[i]);
        assert_true(rc_evidence_has(&evidence, RC_FACT_BODY_EMPTY));
    }
    rc_failure failure = {.body = RC_STR("x")};
    rc_evidence evidence = unwrapped(&failure);
    assert_false(rc_evidence_has(&evidence, RC_FACT_BODY_EMPTY));
}

/* ---- layers ---- */

static void test_the_deepest_layer_with_content_decides(void **state)
{
    (void)state;
    rc_failure failure = {.status = 400};
    rc_evidence evidence = evidence_of(&failure);
    assert_null(rc_evidence_innermost(&evidence));
    rc_layer *outer = rc_evidence_add_layer(&evidence, 0, RC_STR("body"));
    assert_null(rc_evidence_innermost(&evidence));
    outer->message = RC_STR("outer");
    rc_layer *inner = rc_evidence_add_layer(&evidence, 2, RC_STR("json"));
    inner->code = RC_STR("inner");
    rc_layer *second = rc_evidence_add_layer(&evidence, 2, RC_STR("json"));
    second->code = RC_STR("second");
    rc_evidence_add_layer(&evidence, 3, RC_STR("json")); /* a layer without content */
    assert_ptr_equal(rc_evidence_innermost(&evidence), inner);
}

static void test_layers_are_bounded(void **state)
{
    (void)state;
    rc_failure failure = {.status = 400};
    rc_evidence evidence = evidence_of(&failure);
    assert_null(rc_evidence_add_layer(&evidence, RC_LAYER_DEPTH_MAX + 1, RC_STR("x")));
    for (unsigned i = 0; i < RC_LAYERS_MAX; i++)
        assert_non_null(rc_evidence_add_layer(&evidence, 0, RC_STR("x")));
    assert_null(rc_evidence_add_layer(&evidence, 0, RC_STR("x")));
    for (unsigned i = 0; i < 2 * RC_MODIFIERS_MAX; i++)
        rc_evidence_add_modifier(&evidence, RC_STR("PerDay"));
    assert_int_equal(evidence.modifier_count, RC_MODIFIERS_MAX);
}

static void test_texts_are_bounded(void **state)
{
    (void)state;
    static char raw[4 * RC_EVIDENCE_TEXT_MAX];
    memset(raw, 'x', sizeof(raw));
    memcpy(raw, "\\n", 2);
    rc_str text = rc_str_make(raw, sizeof(raw));
    rc_failure failure = {.status = 400};
    rc_evidence evidence = evidence_of(&failure);
    /* a text without escapes is returned as a view of the same bytes */
    rc_str plain = rc_evidence_unescape(&evidence, text, false);
    assert_ptr_equal(plain.ptr, raw);
    assert_int_equal(plain.len, RC_EVIDENCE_TEXT_MAX);
    /* A text with escapes is copied into the space, until the space is full. */
    rc_str once = rc_evidence_unescape(&evidence, text, true);
    assert_int_equal(once.len, RC_EVIDENCE_TEXT_MAX - 1);
    assert_int_equal(once.ptr[0], '\n');
    rc_str twice = rc_evidence_unescape(&evidence, text, true);
    assert_int_equal(twice.len, RC_EVIDENCE_TEXT_MAX - 1);
    rc_str full = rc_evidence_unescape(&evidence, text, true);
    assert_ptr_equal(full.ptr, raw);
    assert_int_equal(once.ptr[0], '\n');
}

/* ---- headers ---- */

static void test_headers(void **state)
{
    (void)state;
    static const rc_header HEADERS[] = {
        {RC_STR_INIT("CF-Ray"), RC_STR_INIT("ray")},
        {RC_STR_INIT("X-Request-Id"), RC_STR_INIT(" req ")},
        {RC_STR_INIT("Server"), RC_STR_INIT("nginx/1.2")},
        {RC_STR_INIT("x-should-retry"), RC_STR_INIT("FALSE")},
        {RC_STR_INIT("X-Amzn-ErrorType"), RC_STR_INIT("ThrottlingException:http://x/")},
    };
    rc_failure failure = {.status = 400, .headers = HEADERS, .header_count = COUNT(HEADERS)};
    rc_evidence evidence = evidence_of(&failure);
    rc_headers_read(&evidence);
    assert_true(rc_str_eq(evidence.request_id, RC_STR("req")));
    assert_true(rc_str_eq(evidence.server, RC_STR("nginx/1.2")));
    assert_true(rc_evidence_has(&evidence, RC_FACT_HINT_NO_RETRY));
    rc_headers_add_type(&evidence);
    assert_int_equal(evidence.layer_count, 1);
    assert_true(rc_str_eq(evidence.layers[0].code, RC_STR("ThrottlingException")));

    failure.header_count = 1;
    evidence = evidence_of(&failure);
    rc_headers_read(&evidence);
    assert_true(rc_str_eq(evidence.request_id, RC_STR("ray")));
}

/* ---- ends of responses ---- */

static void test_finish_reasons(void **state)
{
    (void)state;
    static const struct {
        const char *reason;
        bool is_good;
        rc_fact fact;
    } CASES[] = {
        {"stop", true, RC_FACT_NONE},
        {"end_turn", true, RC_FACT_NONE},
        {"STOP", true, RC_FACT_NONE},
        {"tool_calls", true, RC_FACT_NONE},
        {"content_filter", false, RC_FACT_FINISH_FILTER},
        {"SAFETY", false, RC_FACT_FINISH_FILTER},
        {"RECITATION", false, RC_FACT_FINISH_FILTER},
        {"refusal", false, RC_FACT_FINISH_REFUSAL},
        {"length", false, RC_FACT_FINISH_LENGTH},
        {"MAX_TOKENS", false, RC_FACT_FINISH_LENGTH},
        {"model_context_window_exceeded", false, RC_FACT_FINISH_CONTEXT},
        {"MALFORMED_FUNCTION_CALL", false, RC_FACT_FINISH_TOOL},
        {"error", false, RC_FACT_FINISH_ERROR},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        rc_failure failure = {.status = 200};
        rc_evidence evidence = evidence_of(&failure);
        assert_int_equal(rc_finish_read(&evidence, rc_str_c(CASES[i].reason)), CASES[i].is_good);
        assert_true(rc_str_eq(evidence.finish_reason, rc_str_c(CASES[i].reason)));
        if (CASES[i].fact != RC_FACT_NONE)
            assert_true(rc_evidence_has(&evidence, CASES[i].fact));
    }
    rc_failure failure = {.status = 200};
    rc_evidence evidence = evidence_of(&failure);
    assert_false(rc_finish_read(&evidence, RC_STR("something new")));
    assert_int_equal(evidence.finish_reason.len, 0);

    /* The first failed finish reason decides; a length limit before it does not hide it. */
    assert_false(rc_finish_read(&evidence, RC_STR("length")));
    assert_false(rc_finish_read(&evidence, RC_STR("SAFETY")));
    assert_false(rc_finish_read(&evidence, RC_STR("error")));
    assert_true(rc_finish_read(&evidence, RC_STR("stop")));
    assert_true(rc_evidence_has(&evidence, RC_FACT_FINISH_FILTER));
    assert_false(rc_evidence_has(&evidence, RC_FACT_FINISH_LENGTH));
    assert_false(rc_evidence_has(&evidence, RC_FACT_FINISH_ERROR));
}

typedef struct end_case {
    const char *text;
    bool is_event;
    const char *fact; /* expected fact of the form body:NAME; NULL: none */
} end_case;

static const end_case ENDS[] = {
    /* A stream that has content but no end was cut off. */
    {"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", true, "body:unterminated"},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n", true, NULL},
    {"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", true, NULL},
    {"event: content_block_delta\ndata: "
     "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n",
     true, "body:unterminated"},
    {"event: content_block_delta\ndata: "
     "{\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n"
     "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
     true, NULL},
    {"data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n", true,
     "body:unterminated"},
    {"data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\"}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
     true, NULL},
    {"{\"model\":\"m\",\"message\":{\"content\":\"x\"},\"done\":false}\n"
     "{\"model\":\"m\",\"message\":{\"content\":\"y\"},\"done\":false}\n",
     true, "body:unterminated"},
    {"{\"model\":\"m\",\"message\":{\"content\":\"x\"},\"done\":false}\n"
     "{\"model\":\"m\",\"message\":{\"content\":\"\"},\"done\":true}\n",
     true, NULL},
    {": ping\n\n", true, NULL},
    /* A response without content. */
    {"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":"
     "\"stop\"}]}",
     false, "body:no_content"},
    {"{\"choices\":[]}", false, "body:no_content"},
    {"{\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}", false,
     "body:no_content"},
    {"{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}", false, NULL},
    {"{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"x\"}]}}]}", false,
     NULL},
    {"{\"error\":{\"message\":\"m\"}}", false, NULL},
};

static void test_how_responses_end(void **state)
{
    (void)state;
    static const char *const FACTS[] = {"body:unterminated", "body:no_content"};
    int wrong = 0;
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        rc_str text = rc_str_c(ENDS[i].text);
        rc_failure failure = {.status = 200};
        *(ENDS[i].is_event ? &failure.event : &failure.body) = text;
        rc_evidence evidence = unwrapped(&failure);
        for (size_t k = 0; k < COUNT(FACTS); k++) {
            bool is_expected = ENDS[i].fact != NULL && strcmp(FACTS[k], ENDS[i].fact) == 0;
            if (has(&evidence, FACTS[k]) == is_expected)
                continue;
            print_message("%s %s: %s\n", is_expected ? "not" : "unexpectedly", FACTS[k],
                          ENDS[i].text);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Of the facts in an exclusive group, at most one is true; rules rely on this. */
static void test_facts_do_not_contradict_each_other(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "{\"choices\":[{\"finish_reason\":\"length\"},{\"finish_reason\":\"content_filter\"}]}",
        "data: {\"choices\":[{\"finish_reason\":\"error\"}]}\n\n"
        "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n\n",
        "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"candidates\":[{\"finishReason\":\"MAX_"
        "TOKENS\"}]}",
    };
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        rc_failure failure = {.status = 200, .body = rc_str_c(TEXTS[i])};
        rc_evidence evidence = unwrapped(&failure);
        for (rc_fact a = 1; a < RC_FACT_LISTED_END; a++) {
            for (rc_fact b = 1; b < a; b++)
                assert_false(rc_evidence_has(&evidence, a) && rc_evidence_has(&evidence, b) &&
                             rc_fact_excludes(a, b));
        }
    }
}

/* The output of the model does not set facts. */
static void test_output_of_a_model_is_not_evidence(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "{\"choices\":[{\"message\":{\"content\":\"error: rate limit exceeded\"},\"finish_reason\":"
        "\"stop\"}]}",
        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"invalid api key\"}],"
        "\"stop_reason\":\"end_turn\"}",
        "data: {\"choices\":[{\"delta\":{\"content\":\"overloaded\"}}]}\n\ndata: [DONE]\n\n",
    };
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        rc_failure failure = {.status = 200, .body = rc_str_c(TEXTS[i])};
        rc_evidence evidence = unwrapped(&failure);
        assert_false(rc_evidence_has(&evidence, RC_FACT_BODY_ERROR));
        for (size_t k = 0; k < evidence.layer_count; k++)
            assert_int_equal(evidence.layers[k].message.len, 0);
    }
}

static void test_a_prompt_above_the_window(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int64_t window;
        bool is_overflow;
    } CASES[] = {
        {"{\"choices\":[{\"message\":{\"content\":\"\"}}],\"usage\":{\"prompt_tokens\":9000}}",
         8192, true},
        {"{\"content\":[],\"usage\":{\"input_tokens\":9000}}", 8192, true},
        {"{\"choices\":[{\"message\":{\"content\":\"\"}}],\"usage\":{\"prompt_tokens\":8192}}",
         8192, false},
        {"{\"choices\":[{\"message\":{\"content\":\"\"}}],\"usage\":{\"prompt_tokens\":9000}}", 0,
         false},
        {"{\"choices\":[{\"message\":{\"content\":\"\"}}],\"usage\":{\"prompt_tokens\":\"9000\"}}",
         8192, false},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        rc_failure failure = {
            .status = 200, .body = rc_str_c(CASES[i].body), .context_window = CASES[i].window};
        rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
        if ((verdict.code == RC_CODE_CONTEXT_OVERFLOW) != CASES[i].is_overflow)
            fail_msg("%s: %s", CASES[i].body, rc_code_name(verdict.code));
    }
}

/* ---- plain texts ---- */

static void test_clean_up_of_texts(void **state)
{
    (void)state;
    rc_failure failure = {.status = 400};
    rc_evidence evidence = evidence_of(&failure);
    rc_str frames = rc_plain_drop_frames(
        &evidence, RC_STR("Error: m\n    at f (x.js:1:2)\nError: n\n  at a.b.C(D.java:429)\n"));
    assert_true(rc_str_eq(frames, RC_STR("Error: m\nError: n")));
    rc_str untouched = RC_STR("look at this (here)");
    assert_ptr_equal(rc_plain_drop_frames(&evidence, untouched).ptr, untouched.ptr);
    rc_str quotes = rc_plain_unify_quotes(&evidence, RC_STR("{\xE2\x80\x9C"
                                                            "a\xE2\x80\x9D: \xE2\x80\x98"
                                                            "b\xE2\x80\x99}"));
    assert_true(rc_str_eq(quotes, RC_STR("{\"a\": 'b'}")));
    rc_str kept = RC_STR("\xE2\x80\x9Cwords\xE2\x80\x9D");
    assert_ptr_equal(rc_plain_unify_quotes(&evidence, kept).ptr, kept.ptr);
    rc_str echo = rc_plain_drop_echo(
        &evidence,
        RC_STR("a {\"role\":\"user\",\"content\":[{\"text\":\"x\"}]} b {'content': 'y'}"));
    assert_true(rc_str_eq(echo, RC_STR("a  b")));
    rc_str other = RC_STR("a {\"id\":1} b");
    assert_ptr_equal(rc_plain_drop_echo(&evidence, other).ptr, other.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_status),
        cmocka_unit_test(test_transport_and_phase),
        cmocka_unit_test(test_which_requests_may_be_replayed),
        cmocka_unit_test(test_how_a_process_ended),
        cmocka_unit_test(test_an_empty_body),
        cmocka_unit_test(test_the_deepest_layer_with_content_decides),
        cmocka_unit_test(test_layers_are_bounded),
        cmocka_unit_test(test_texts_are_bounded),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_finish_reasons),
        cmocka_unit_test(test_how_responses_end),
        cmocka_unit_test(test_facts_do_not_contradict_each_other),
        cmocka_unit_test(test_output_of_a_model_is_not_evidence),
        cmocka_unit_test(test_a_prompt_above_the_window),
        cmocka_unit_test(test_clean_up_of_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
