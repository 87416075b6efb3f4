/* Tests of the dialects of clients: a row for every code, the members of each body, problem
 * details. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "render/dialect.h"
#include "report/view.h"
#include "support/json_query.h"
#include "support/render_cases.h"

static const rc_dialect DIALECTS[] = {RC_DIALECT_PROBLEM, RC_DIALECT_OPENAI_CHAT,
                                      RC_DIALECT_OPENAI_RESPONSES, RC_DIALECT_ANTHROPIC,
                                      RC_DIALECT_GEMINI};
#define DIALECT_COUNT (sizeof DIALECTS / sizeof *DIALECTS)

static json_object *rendered(const rc_report *report, rc_dialect dialect, rc_view view)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_render_body(report, dialect, view, &buf), RC_OK);
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

/* spec/dialects.def has a row for each row of spec/errors.def, in the same order, and no other. */
static void test_every_code_has_a_row(void **state)
{
    (void)state;
    static const rc_code ROWS[] = {
#define RC_DIALECT_ROW(ID, openai_type, openai_code, anthropic_type, gemini_status) RC_CODE_##ID,
#include "spec/dialects.def"
    };
    assert_int_equal(sizeof ROWS / sizeof *ROWS, rc_code_count());
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        if (ROWS[i] != info->code)
            fail_msg("row %zu of dialects.def is not %s", i, info->name);
        const rc_dialect_error *words = rc_dialect_error_get(info->code);
        assert_int_equal(words->code, info->code);
        assert_true(words->openai_type[0] && words->openai_code[0] && words->anthropic_type[0]);
    }
    assert_string_equal(rc_dialect_error_get(RC_CODE_UNKNOWN)->gemini_status, "UNKNOWN");
    assert_string_equal(rc_dialect_error_get(RC_CODE_NONE)->openai_type, "server_error");
    assert_string_equal(rc_dialect_error_get((rc_code)31337)->anthropic_type, "api_error");
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

/* The names belong to the closed sets of the Messages API and of google.rpc.Code. */
static void test_names_are_in_the_closed_sets(void **state)
{
    (void)state;
    static const char *const ANTHROPIC[] = {
        "invalid_request_error", "authentication_error", "billing_error",    "permission_error",
        "not_found_error",       "request_too_large",    "rate_limit_error", "api_error",
        "timeout_error",         "overloaded_error"};
    static const struct {
        const char *name;
        int status;
    } GOOGLE[] = {{"CANCELLED", 499},         {"UNKNOWN", 500},
                  {"INVALID_ARGUMENT", 400},  {"DEADLINE_EXCEEDED", 504},
                  {"NOT_FOUND", 404},         {"ABORTED", 409},
                  {"PERMISSION_DENIED", 403}, {"RESOURCE_EXHAUSTED", 429},
                  {"INTERNAL", 500},          {"UNAVAILABLE", 503},
                  {"UNAUTHENTICATED", 401}};
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        const rc_dialect_error *words = rc_dialect_error_get(info->code);
        if (!is_one_of(words->anthropic_type, ANTHROPIC, sizeof ANTHROPIC / sizeof *ANTHROPIC))
            fail_msg("%s: Anthropic has no %s", info->name, words->anthropic_type);
        int status = 0;
        for (size_t j = 0; j < sizeof GOOGLE / sizeof *GOOGLE; j++) {
            if (strcmp(GOOGLE[j].name, words->gemini_status) == 0)
                status = GOOGLE[j].status;
        }
        /* An error of the client must not look like one of the server, or the reverse. */
        if (status / 100 != info->http_status / 100)
            fail_msg("%s: %s does not go with %d", info->name, words->gemini_status,
                     info->http_status);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"problem", "openai-chat", "openai-responses", "anthropic",
                                        "gemini"};
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        assert_string_equal(rc_dialect_name(DIALECTS[i]), NAMES[i]);
        assert_int_equal(rc_dialect_parse(rc_str_c(NAMES[i])), DIALECTS[i]);
        assert_string_equal(rc_dialect_content_type(DIALECTS[i]),
                            i ? "application/json" : "application/problem+json");
    }
    assert_string_equal(rc_dialect_name((rc_dialect)0), "unknown");
    assert_int_equal(rc_dialect_parse(RC_STR("soap")), 0);
    assert_int_equal(rc_dialect_parse(RC_STR("")), 0);
}

static void test_openai(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_dialect both[] = {RC_DIALECT_OPENAI_CHAT, RC_DIALECT_OPENAI_RESPONSES};
    for (size_t i = 0; i < 2; i++) {
        json_object *root = rendered(report, both[i], RC_VIEW_INTERNAL);
        query_string(root, "/error/message", "MESSAGE in /srv/ada/x.py");
        query_string(root, "/error/type", "tokens"); /* the limit that was reached is tokens */
        query_string(root, "/error/param", "PARAM");
        query_string(root, "/error/code", "rate_limit_exceeded");
        query_string(root, "/error/recourse/cause/detail", "CAUSE-DETAIL");
        assert_false(query_has(root, "/recourse")); /* the report is contained once */
        json_object_put(root);
        root = rendered(report, both[i], RC_VIEW_USER);
        query_string(root, "/error/param", "PARAM"); /* the name comes from the client's request */
        query_string(root, "/error/recourse/report_id", "rep_1");
        assert_false(query_has(root, "/error/recourse/cause"));
        assert_false(query_has(root, "/recourse"));
        json_object_put(root);
    }
    rc_report_free(report);
}

static void expect_openai(rc_code code, const char *type, const char *word)
{
    json_object *root = rendered(rc_report_static(code), RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER);
    query_string(root, "/error/type", type);
    query_string(root, "/error/code", word);
    json_object_put(root);
}

static void test_openai_codes(void **state)
{
    (void)state;
    expect_openai(RC_CODE_RATE_LIMITED, "requests", "rate_limit_exceeded");
    expect_openai(RC_CODE_QUOTA_EXHAUSTED, "insufficient_quota", "insufficient_quota");
    expect_openai(RC_CODE_AUTH_FAILED, "authentication_error", "invalid_api_key");
    expect_openai(RC_CODE_PERMISSION_DENIED, "invalid_request_error", "permission_denied");
    expect_openai(RC_CODE_ENDPOINT_NOT_FOUND, "not_found_error", "unknown_url");
    expect_openai(RC_CODE_MODEL_NOT_FOUND, "invalid_request_error", "model_not_found");
    expect_openai(RC_CODE_CONTEXT_OVERFLOW, "invalid_request_error", "context_length_exceeded");
    expect_openai(RC_CODE_CONTENT_FILTER, "invalid_request_error", "content_policy_violation");
    expect_openai(RC_CODE_PROVIDER_5XX, "server_error", "server_error");
}

/* LiteLLM searches the whole body for words before it checks the status: "rate limit" anywhere is
 * its RateLimitError, "invalid_request_error" its BadRequestError. These words must therefore not
 * occur in the body of any other failure, and the bodies of a context overflow and of filtered
 * content must contain the words for these. */
static void test_words_that_litellm_searches(void **state)
{
    (void)state;
    static const rc_dialect ALL[] = {RC_DIALECT_OPENAI_CHAT, RC_DIALECT_ANTHROPIC,
                                     RC_DIALECT_GEMINI};
    for (size_t i = 0; i < rc_code_count() * 3; i++) {
        const rc_code_info *info = rc_code_at(i / 3);
        const bool is_openai = ALL[i % 3] == RC_DIALECT_OPENAI_CHAT;
        const bool is_overflow = info->code == RC_CODE_CONTEXT_OVERFLOW ||
                                 info->code == RC_CODE_CONTEXT_WINDOW_TOO_SMALL;
        const bool is_filter = info->code == RC_CODE_CONTENT_FILTER;
        rc_alloc alloc = rc_alloc_stdlib();
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1u << 20);
        rc_render_body(rc_report_static(info->code), ALL[i % 3], RC_VIEW_USER, &buf);
        assert_int_equal(rc_buf_push_byte(&buf, '\0'), RC_OK);
        const char *text = rc_buf_get(&buf).ptr;
        const bool is_request_fault = info->http_status == 400 || info->http_status == 403 ||
                                      info->http_status == 409 || info->http_status == 413 ||
                                      info->http_status == 422 ||
                                      info->code == RC_CODE_MODEL_NOT_FOUND;
        if (is_openai && (strstr(text, "invalid_request_error") != NULL) != is_request_fault)
            fail_msg("%s: invalid_request_error in %s", info->name, text);
        if ((strstr(text, "exceeds the available context size") != NULL) != is_overflow)
            fail_msg("%s: the words of an overflow in %s", info->name, text);
        if ((strstr(text, "request was rejected as a result of the safety system") != NULL &&
             strstr(text, "content filtering policy") != NULL) != is_filter)
            fail_msg("%s: the words of a filter in %s", info->name, text);
        if ((strstr(text, "RateLimited") != NULL) != (info->code == RC_CODE_RATE_LIMITED))
            fail_msg("%s: the words of a rate limit in %s", info->name, text);
        rc_buf_done(&buf);
    }
}

static void test_anthropic(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER);
    query_string(root, "/type", "error");
    query_string(root, "/error/type", "rate_limit_error");
    query_string(root, "/error/message", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/message", "MESSAGE in /srv/ada/x.py"); /* err.message is a sentence */
    query_string(root, "/request_id", "REQUEST");
    query_string(root, "/recourse/error_code", "RateLimited");
    json_object_put(root);
    root = rendered(report, RC_DIALECT_ANTHROPIC, RC_VIEW_MODEL);
    query_string(root, "/error/message", "MESSAGE in [path]");
    query_string(root, "/request_id", "rep_1"); /* the model's view has no request id of the
                                                   provider */
    json_object_put(root);
    root = rendered(rc_report_static(RC_CODE_OVERLOADED), RC_DIALECT_ANTHROPIC, RC_VIEW_USER);
    query_string(root, "/error/type", "overloaded_error");
    query_null(root, "/request_id");
    json_object_put(root);
    rc_report_free(report);
}

static void expect_delay(const char *wait, const char *want)
{
    char json[96];
    snprintf(json, sizeof json, "{\"provider_metadata\":{\"retry_after_ms\":%s}}", wait);
    const rc_report *report = case_decode(rc_str_c(json));
    json_object *root = rendered(report, RC_DIALECT_GEMINI, RC_VIEW_USER);
    query_string(root, "/error/details/1/@type", "type.googleapis.com/google.rpc.RetryInfo");
    query_string(root, "/error/details/1/retryDelay", want);
    json_object_put(root);
    rc_report_free(report);
}

static void test_gemini(void **state)
{
    (void)state;
    json_object *root =
        rendered(rc_report_static(RC_CODE_RATE_LIMITED), RC_DIALECT_GEMINI, RC_VIEW_USER);
    query_int(root, "/error/code", 429);
    query_string(root, "/error/message", "The provider is limiting the rate of requests.");
    query_string(root, "/error/status", "RESOURCE_EXHAUSTED");
    query_string(root, "/error/details/0/@type", "type.googleapis.com/google.rpc.ErrorInfo");
    query_string(root, "/error/details/0/reason", "RATE_LIMITED");
    query_string(root, "/error/details/0/domain", "recourse");
    assert_false(query_has(root, "/error/details/0/metadata"));
    assert_false(query_has(root, "/error/details/1"));
    query_string(root, "/recourse/error_code", "RateLimited");
    json_object_put(root);
    const rc_report *report = case_full();
    root = rendered(report, RC_DIALECT_GEMINI, RC_VIEW_USER);
    query_string(root, "/error/details/0/metadata/report_id", "rep_1");
    json_object_put(root);
    rc_report_free(report);
    expect_delay("0", "0s");
    expect_delay("4000", "4s");
    expect_delay("250", "0.250s");
    expect_delay("61007", "61.007s");
    expect_delay("9223372036854775807", "9223372036854775.807s");
}

static void test_problem(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_PROBLEM, RC_VIEW_USER);
    query_string(root, "/type", "urn:recourse:error:rate-limited");
    query_string(root, "/title", "Rate limited");
    query_int(root, "/status", 429);
    query_string(root, "/detail", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/instance", "urn:recourse:report:rep_1");
    query_string(root, "/error_class", "ProviderTransient");
    query_string(root, "/error_code", "RateLimited");
    query_string(root, "/error_category", "transient");
    query_bool(root, "/retryable", true);
    query_int(root, "/retry_after_ms", 4000);
    query_string(root, "/user_action/kind", "wait_and_retry");
    query_string(root, "/user_action/detail", "ADVICE");
    query_string(root, "/recourse/report_id", "rep_1");
    json_object_put(root);
    rc_report_free(report);
}

/* Names that the provider gives to errors which the client has to fix, and the names in the
 * response. */
static const struct {
    const char *code;
    const char *type; /* type that the provider sent */
    const char *provider_code;
    const char *openai_type;
    const char *openai_code;
    const char *anthropic_type;
    const char *gemini_status;
} OWN_NAMES[] = {
    {"InvalidRequest", "invalid_request_error", "previous_response_not_found",
     "invalid_request_error", "previous_response_not_found", "invalid_request_error",
     "INVALID_ARGUMENT"},
    {"InvalidRequest", "image_generation_user_error", "moderation.v2-x",
     "image_generation_user_error", "moderation.v2-x", "image_generation_user_error",
     "INVALID_ARGUMENT"},
    {"InvalidRequest", "not_found_error", "x", "not_found_error", "x", "not_found_error",
     "INVALID_ARGUMENT"},
    {"InvalidRequest", "NOT_FOUND", "404", "invalid_request_error", "invalid_request",
     "invalid_request_error", "NOT_FOUND"},
    {"InvalidRequest", "BadRequestError", "400", "BadRequestError", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"ContentFilter", "invalid_request_error", "content_policy_violation", "invalid_request_error",
     "content_policy_violation", "invalid_request_error", "INVALID_ARGUMENT"},
    /* codes without a meaning, and codes that all programs know by one name */
    {"ContentFilter", "x", "invalid_request_error", "invalid_request_error",
     "content_policy_violation", "invalid_request_error", "INVALID_ARGUMENT"},
    {"InvalidRequest", "same", "same", "invalid_request_error", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"InvalidRequest", "error", "BadRequest", "invalid_request_error", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"ContextOverflow", "invalid_request_error", "InvalidParameter", "invalid_request_error",
     "context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT"},
    {"ModelNotFound", "x", "DeploymentNotFound", "invalid_request_error", "model_not_found",
     "not_found_error", "NOT_FOUND"},
    /* texts that are not names */
    {"InvalidRequest", "my dear_error", "my dear diary", "invalid_request_error", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"InvalidRequest", "[redacted]_error", "[request]", "invalid_request_error", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"InvalidRequest", "<b>_error", "a\\nb", "invalid_request_error", "invalid_request",
     "invalid_request_error", "INVALID_ARGUMENT"},
    {"InvalidRequest", "", "x23456789012345678901234567890123456789012345678901234567890123456789",
     "invalid_request_error", "invalid_request", "invalid_request_error", "INVALID_ARGUMENT"},
    /* names that the client must not see */
    {"AuthFailed", "account_error", "account_deactivated", "authentication_error",
     "invalid_api_key", "authentication_error", "UNAUTHENTICATED"},
    {"QuotaExhausted", "FAILED_PRECONDITION", "org_limit", "insufficient_quota",
     "insufficient_quota", "billing_error", "RESOURCE_EXHAUSTED"},
};

static void check_metadata(json_object *root, size_t i, bool is_told)
{
    const rc_str type = rc_str_c(OWN_NAMES[i].type);
    const rc_str code = rc_str_c(OWN_NAMES[i].provider_code);
    if (query_has(root, "/error/recourse/provider_metadata/type") !=
        (is_told && rc_view_is_name(type)))
        fail_msg("%s: the type", OWN_NAMES[i].type);
    if (query_has(root, "/error/recourse/provider_metadata/code") !=
        (is_told && rc_view_is_name(code)))
        fail_msg("%s: the code", OWN_NAMES[i].provider_code);
    if (query_has(root, "/error/recourse/provider_metadata/status") != is_told ||
        query_has(root, "/error/recourse/provider_metadata/param") != is_told)
        fail_msg("%s: status and param", OWN_NAMES[i].provider_code);
    assert_false(query_has(root, "/error/recourse/provider_metadata/raw"));
}

static void test_provider_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof OWN_NAMES / sizeof *OWN_NAMES; i++) {
        char json[1024];
        snprintf(
            json, sizeof json,
            "{\"error_code\":\"%s\",\"user_action\":{\"kind\":\"%s\"},"
            "\"provider_metadata\":{\"status\":418,\"type\":\"%s\",\"code\":\"%s\","
            "\"param\":\"tools[0].name\",\"raw\":\"R\"},\"http_status\":418}",
            OWN_NAMES[i].code,
            rc_user_action_name(rc_code_get(rc_code_parse(rc_str_c(OWN_NAMES[i].code)))->action),
            OWN_NAMES[i].type, OWN_NAMES[i].provider_code);
        const rc_report *report = case_decode(rc_str_c(json));
        json_object *root = rendered(report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER);
        query_string(root, "/error/type", OWN_NAMES[i].openai_type);
        query_string(root, "/error/code", OWN_NAMES[i].openai_code);
        check_metadata(root, i, rc_view_is_client_fixable(report));
        json_object_put(root);
        root = rendered(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER);
        query_string(root, "/error/type", OWN_NAMES[i].anthropic_type);
        json_object_put(root);
        root = rendered(report, RC_DIALECT_GEMINI, RC_VIEW_USER);
        query_string(root, "/error/status", OWN_NAMES[i].gemini_status);
        json_object_put(root);
        rc_report_free(report);
    }
}

/* A type that belongs to another status than that of the response would be contradictory. */
static void test_provider_type_needs_its_status(void **state)
{
    (void)state;
    static const char JSON[] =
        "{\"error_code\":\"InvalidRequest\",\"user_action\":{\"kind\":\"fix_request\"},"
        "\"provider_metadata\":{\"status\":404,\"type\":\"%s\"},\"http_status\":%d}";
    static const struct {
        const char *type;
        int status;
        rc_dialect dialect;
        const char *path;
        const char *want;
    } CASES[] = {
        {"not_found_error", 404, RC_DIALECT_ANTHROPIC, "/error/type", "not_found_error"},
        {"not_found_error", 400, RC_DIALECT_ANTHROPIC, "/error/type", "invalid_request_error"},
        {"NOT_FOUND", 404, RC_DIALECT_GEMINI, "/error/status", "NOT_FOUND"},
        {"NOT_FOUND", 400, RC_DIALECT_GEMINI, "/error/status", "INVALID_ARGUMENT"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char json[512];
        snprintf(json, sizeof json, JSON, CASES[i].type, CASES[i].status);
        const rc_report *report = case_decode(rc_str_c(json));
        json_object *root = rendered(report, CASES[i].dialect, RC_VIEW_USER);
        query_string(root, CASES[i].path, CASES[i].want);
        json_object_put(root);
        rc_report_free(report);
    }
}

static void expect_type(rc_code code, const char *want)
{
    json_object *root = rendered(rc_report_static(code), RC_DIALECT_PROBLEM, RC_VIEW_USER);
    query_string(root, "/type", want);
    json_object_put(root);
}

static void test_problem_types(void **state)
{
    (void)state;
    expect_type(RC_CODE_PROVIDER_5XX, "urn:recourse:error:provider-5xx");
    expect_type(RC_CODE_QUOTA_EXHAUSTED, "urn:recourse:error:quota-exhausted");

    const rc_report *report =
        case_decode(RC_STR("{\"report_id\":\"a b\n<é>%\",\"error_code\":\"NotOfThisTable\"}"));
    json_object *root = rendered(report, RC_DIALECT_PROBLEM, RC_VIEW_USER);
    query_string(root, "/type", "urn:recourse:error:unknown");
    query_string(root, "/title", "Unknown error");
    query_string(root, "/instance", "urn:recourse:report:a%20b%0A%3C%C3%A9%3E%25");
    json_object_put(root);
    rc_report_free(report);
}

/* The status of an error response is always an error status. */
static void test_status_is_an_error(void **state)
{
    (void)state;
    static const struct {
        int set;
        int shown;
    } STATUSES[] = {{100, 500}, {204, 500}, {304, 500}, {399, 500},
                    {400, 400}, {599, 599}, {600, 500}};
    for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++) {
        char json[64];
        snprintf(json, sizeof json, "{\"http_status\":%d}", STATUSES[i].set);
        const rc_report *report = case_decode(rc_str_c(json));
        for (size_t j = 0; j < DIALECT_COUNT; j++)
            assert_int_equal(rc_render_status(report, DIALECTS[j]), STATUSES[i].shown);
        rc_report_free(report);
    }
    assert_int_equal(rc_render_status(NULL, RC_DIALECT_PROBLEM), 500);
}

/* Failures for which a dialect's own API uses another status than spec/errors.def. */
static void test_status_of_the_dialect(void **state)
{
    (void)state;
    static const struct {
        rc_code code;
        int status;
        int anthropic;
        int gemini;
    } CASES[] = {
        {RC_CODE_OVERLOADED, 503, 529, 503},        {RC_CODE_MODEL_LOADING, 503, 529, 503},
        {RC_CODE_STORE_UNAVAILABLE, 503, 503, 503}, {RC_CODE_PROVIDER_5XX, 502, 502, 502},
        {RC_CODE_QUOTA_EXHAUSTED, 402, 402, 429},   {RC_CODE_BUDGET_EXCEEDED, 402, 402, 402},
        {RC_CODE_RATE_LIMITED, 429, 429, 429},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const rc_report *report = rc_report_static(CASES[i].code);
        assert_int_equal(rc_render_status(report, RC_DIALECT_PROBLEM), CASES[i].status);
        assert_int_equal(rc_render_status(report, RC_DIALECT_OPENAI_CHAT), CASES[i].status);
        assert_int_equal(rc_render_status(report, RC_DIALECT_OPENAI_RESPONSES), CASES[i].status);
        assert_int_equal(rc_render_status(report, RC_DIALECT_ANTHROPIC), CASES[i].anthropic);
        assert_int_equal(rc_render_status(report, RC_DIALECT_GEMINI), CASES[i].gemini);
    }
    json_object *root =
        rendered(rc_report_static(RC_CODE_QUOTA_EXHAUSTED), RC_DIALECT_GEMINI, RC_VIEW_USER);
    query_int(root, "/error/code", 429);
    query_string(root, "/error/status", "RESOURCE_EXHAUSTED");
    json_object_put(root);
    /* A status that the provider sent itself is not changed. */
    const rc_report *report =
        case_decode(RC_STR("{\"error_code\":\"Overloaded\",\"http_status\":429}"));
    assert_int_equal(rc_render_status(report, RC_DIALECT_ANTHROPIC), 429);
    rc_report_free(report);
}

/* The body for a report without fields is complete in each dialect, and in an invalid one. */
static void test_empty_report(void **state)
{
    (void)state;
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        const bool is_openai =
            DIALECTS[i] == RC_DIALECT_OPENAI_CHAT || DIALECTS[i] == RC_DIALECT_OPENAI_RESPONSES;
        json_object *root = rendered(NULL, DIALECTS[i], RC_VIEW_INTERNAL);
        assert_true(query_has(root, is_openai ? "/error/recourse" : "/recourse"));
        assert_true(query_has(root, i ? "/error/message" : "/detail"));
        json_object_put(root);
    }
    json_object *root = rendered(NULL, (rc_dialect)77, RC_VIEW_USER);
    query_string(root, "/type", "urn:recourse:error:unknown");
    json_object_put(root);
}

/* The report in a body is found in every dialect. */
static void test_report_is_found(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        rc_alloc alloc = rc_alloc_stdlib();
        rc_buf buf;
        rc_str found;
        rc_buf_init(&buf, &alloc, 4u << 20);
        assert_int_equal(rc_render_body(report, DIALECTS[i], RC_VIEW_USER, &buf), RC_OK);
        assert_true(rc_dialect_find_report(rc_buf_get(&buf), &found));
        json_object *root = query_parse(found);
        query_string(root, "/report_id", "rep_1");
        json_object_put(root);
        rc_buf_done(&buf);
    }
    rc_str none;
    assert_false(rc_dialect_find_report(RC_STR("{\"error\":{\"recourse\":1}}"), &none));
    assert_false(rc_dialect_find_report(RC_STR("{\"error\":\"recourse\"}"), &none));
    assert_false(rc_dialect_find_report(RC_STR("[]"), &none));
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_has_a_row),
        cmocka_unit_test(test_names_are_in_the_closed_sets),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_openai),
        cmocka_unit_test(test_openai_codes),
        cmocka_unit_test(test_words_that_litellm_searches),
        cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_gemini),
        cmocka_unit_test(test_provider_names),
        cmocka_unit_test(test_provider_type_needs_its_status),
        cmocka_unit_test(test_problem),
        cmocka_unit_test(test_problem_types),
        cmocka_unit_test(test_status_is_an_error),
        cmocka_unit_test(test_status_of_the_dialect),
        cmocka_unit_test(test_empty_report),
        cmocka_unit_test(test_report_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
