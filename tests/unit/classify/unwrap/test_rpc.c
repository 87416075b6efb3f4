/* JSON-RPC: the codes of the protocol in errors and in texts, and results of tools with isError. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct sample {
    rc_code code;
    const char *text;
} sample;

static const sample SAMPLES[] = {
    {RC_CODE_INPUT_INVALID,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32700,\"message\":\"x\"}}"},
    {RC_CODE_INPUT_INVALID,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"x\"}}"},
    {RC_CODE_INPUT_INVALID,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"x\"}}"},
    {RC_CODE_NOT_FOUND,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"x\"}}"},
    {RC_CODE_NOT_FOUND,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32002,\"message\":\"x\"}}"},
    {RC_CODE_EXECUTION_FAILED,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"x\"}}"},
    {RC_CODE_EXECUTION_FAILED,
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32050,\"message\":\"x\"}}"},
    {RC_CODE_NOT_FOUND, "Error: MCP error -32601: Method not found"},
    {RC_CODE_EXECUTION_TIMEOUT, "MCP error -32001: Request timed out"},
    {RC_CODE_UNAVAILABLE, "failed to start: MCP error -32000: Connection closed"},
    {RC_CODE_AUTH_FAILED, "MCP error -32000: invalid api key"},
    {RC_CODE_QUOTA_EXHAUSTED, "MCP error -32603: You exceeded your current quota"},
    {RC_CODE_RATE_LIMITED, "MCP error -32000: Rate limit exceeded"},
    {RC_CODE_EXECUTION_FAILED,
     "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"it broke\"}],\"isError\":true}}"},
    {RC_CODE_NOT_FOUND,
     "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no such file: \\\"a\\\"\"}]}"},
    {RC_CODE_EXECUTION_FAILED, "{\"isError\":true,\"content\":[]}"},
    {RC_CODE_EXECUTION_FAILED, "{\"isError\":true}"},
};

static void test_codes_of_the_protocol(void **state)
{
    (void)state;
    rc_classify_space space;
    for (size_t i = 0; i < COUNT(SAMPLES); i++) {
        const rc_failure failure = {.body = rc_str_c(SAMPLES[i].text)};
        const rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
        if (verdict.code != SAMPLES[i].code)
            fail_msg("%s by %.*s: %s", rc_code_name(verdict.code), (int)verdict.rule.len,
                     verdict.rule.ptr, SAMPLES[i].text);
    }
}

static void test_other_numbers_are_none(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "{\"error\":{\"code\":-320001,\"message\":\"x\"}}",
        "{\"error\":{\"code\":-3260,\"message\":\"x\"}}",
        "{\"error\":{\"code\":-32500,\"message\":\"x\"}}",
        "{\"isError\":false,\"content\":[]}",
        "the offset is -32601 and the code is good",
        "MCP error -326015: x",
    };
    rc_classify_space space;
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        const rc_failure failure = {.body = rc_str_c(TEXTS[i])};
        const rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
        assert_int_equal(verdict.code, RC_CODE_UNCLASSIFIED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_of_the_protocol),
        cmocka_unit_test(test_other_numbers_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
