/* Tests of how the mock provider reads requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "mock/request.h"
#include "mock/tokens.h"

static rc_mock_request request;

static void read_with(const char *method, const char *target, const rc_header *headers,
                      size_t count, const char *body)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_mock_message message = {rc_str_c(method), rc_str_c(target), headers, count,
                                     rc_str_c(body)};
    rc_mock_request_done(&request);
    rc_mock_request_read(&request, &message, &alloc);
}

static void read_post(const char *target, const char *body)
{
    read_with("POST", target, NULL, 0, body);
}

static int free_request(void **state)
{
    (void)state;
    rc_mock_request_done(&request);
    request = (rc_mock_request){0};
    return 0;
}

static void assert_text(rc_str text, const char *wanted)
{
    if (!rc_str_eq(text, rc_str_c(wanted)))
        fail_msg("\"%.*s\" is not \"%s\"", (int)text.len, text.ptr, wanted);
}

static void the_end_of_a_path_selects_the_endpoint(void **state)
{
    (void)state;
    static const struct {
        const char *method, *target;
        rc_mock_endpoint endpoint;
        rc_mock_family family;
    } rows[] = {
        {"POST", "/v1/chat/completions", RC_MOCK_CHAT, RC_MOCK_OPENAI},
        {"POST", "/chat/completions?x=1", RC_MOCK_CHAT, RC_MOCK_OPENAI},
        {"POST", "/openai/deployments/a/chat/completions?api-version=1", RC_MOCK_CHAT,
         RC_MOCK_OPENAI},
        {"POST", "/v1/completions", RC_MOCK_COMPLETIONS, RC_MOCK_OPENAI},
        {"POST", "/v1/responses", RC_MOCK_RESPONSES, RC_MOCK_OPENAI},
        {"POST", "/v1/embeddings", RC_MOCK_EMBEDDINGS, RC_MOCK_OPENAI},
        {"GET", "/v1/models", RC_MOCK_MODELS, RC_MOCK_OPENAI},
        {"GET", "/v1beta/models", RC_MOCK_MODELS, RC_MOCK_GEMINI},
        {"POST", "/v1/messages", RC_MOCK_MESSAGES, RC_MOCK_ANTHROPIC},
        {"POST", "/v1/messages/count_tokens", RC_MOCK_COUNT_TOKENS, RC_MOCK_ANTHROPIC},
        {"POST", "/v1beta/models/ok:generateContent", RC_MOCK_GENERATE, RC_MOCK_GEMINI},
        {"POST", "/v1beta/models/ok:countTokens", RC_MOCK_COUNT_TOKENS, RC_MOCK_GEMINI},
        {"POST", "/v1/models/ok:embedContent", RC_MOCK_EMBED, RC_MOCK_GEMINI},
        {"POST", "/v1beta/models/ok:sing", RC_MOCK_NO_ENDPOINT, RC_MOCK_GEMINI},
        {"GET", "/mock/stats", RC_MOCK_STATS, RC_MOCK_OPENAI},
        {"POST", "/mock/reset", RC_MOCK_RESET_COUNTS, RC_MOCK_OPENAI},
        {"POST", "/", RC_MOCK_NO_ENDPOINT, RC_MOCK_OPENAI},
        {"POST", "", RC_MOCK_NO_ENDPOINT, RC_MOCK_OPENAI},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_with(rows[i].method, rows[i].target, NULL, 0, "{}");
        assert_int_equal(request.endpoint, rows[i].endpoint);
        assert_int_equal(request.family, rows[i].family);
        assert_false(request.is_method_wrong);
        read_with("PUT", rows[i].target, NULL, 0, "{}");
        assert_int_equal(request.is_method_wrong, rows[i].endpoint != RC_MOCK_NO_ENDPOINT);
    }
}

static void a_model_in_a_path_is_decoded(void **state)
{
    (void)state;
    static const char body[] = "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}]}";
    read_post("/v1beta/models/mock/503@1:streamGenerateContent?alt=sse", body);
    assert_text(rc_mock_request_model(&request), "mock/503@1");
    assert_true(request.is_stream);
    assert_false(request.is_array);
    assert_text(request.last_user, "hi");
    assert_null(request.body_error);
    read_post("/v1beta/models/mock%2Fok%2Btokens-3%401%3AstreamGenerateContent", body);
    assert_text(rc_mock_request_model(&request), "mock/ok+tokens-3@1");
    assert_true(request.is_array);
}

static void keys_are_found_in_headers_and_query(void **state)
{
    (void)state;
    static const char *const names[] = {"authorization", "x-api-key", "api-key", "x-goog-api-key"};
    for (size_t i = 0; i < 4; i++) {
        rc_header header = {rc_str_c(names[i]), i == 0 ? RC_STR("BEARER  sk-1 ") : RC_STR("sk-1")};
        read_with("POST", "/v1/chat/completions?key=other", &header, 1, "{}");
        assert_text(request.key, "sk-1");
    }
    read_post("/v1beta/models/ok:generateContent?alt=sse&key=sk-2", "{}");
    assert_text(request.key, "sk-2");
    read_post("/v1/chat/completions?monkey=1", "{}");
    assert_text(request.key, "");
}

static void the_last_user_message_is_found(void **state)
{
    (void)state;
    read_post("/v1/chat/completions",
              "{\"messages\":[{\"role\":\"user\",\"content\":\"one\"},"
              "{\"content\":[{\"type\":\"text\",\"text\":\"two \\u00e9\"},{\"type\":\"image_url\","
              "\"image_url\":{\"url\":\"data:aaaaaaaaaaaaaaaa\"}}],\"role\":\"user\"},"
              "{\"role\":\"assistant\",\"content\":\"three\"}],\"model\":\"x\"}");
    assert_text(request.last_user, "two \xC3\xA9");
    assert_int_equal(request.input_tokens, 3 * 4 + 1 + 2 + 2);
    assert_null(request.body_error);
    read_post("/v1/responses", "{\"model\":\"x\",\"input\":\"just this\",\"instructions\":\"be\"}");
    assert_text(request.last_user, "just this");
    read_post("/v1/responses", "{\"model\":\"x\",\"input\":[{\"role\":\"user\",\"content\":"
                               "[{\"type\":\"input_text\",\"text\":\"deep\"}]}]}");
    assert_text(request.last_user, "deep");
    read_post("/v1/messages", "{\"model\":\"x\",\"max_tokens\":9,\"system\":[{\"text\":\"sys\"}],"
                              "\"messages\":[{\"role\":\"user\",\"content\":\"hey\"}]}");
    assert_text(request.last_user, "hey");
    assert_int_equal(request.max_tokens, 9);
}

static void numbers_and_flags_are_read(void **state)
{
    (void)state;
    read_post("/v1/chat/completions",
              "{\"model\":\"x\",\"messages\":[],\"stream\":true,\"max_completion_tokens\":7,"
              "\"stream_options\":{\"include_usage\":true,\"other\":{}},\"tools\":[{\"type\":"
              "\"function\",\"function\":{\"description\":\"name\",\"name\":\"f\"}}]}");
    assert_true(request.is_stream);
    assert_true(request.wants_usage);
    assert_int_equal(request.max_tokens, 7);
    assert_string_equal(request.tool, "f");
    read_post("/v1beta/models/ok:generateContent",
              "{\"contents\":[],\"stream\":true,\"generationConfig\":{\"maxOutputTokens\":3},"
              "\"tools\":[{\"functionDeclarations\":[{\"name\":\"g\"},{\"name\":\"h\"}]}]}");
    assert_false(request.is_stream);
    assert_int_equal(request.max_tokens, 3);
    assert_string_equal(request.tool, "g");
    read_post("/v1/embeddings", "{\"model\":\"x\",\"input\":[\"a\",\"b\",\"c\"],\"dimensions\":5,"
                                "\"encoding_format\":\"base64\"}");
    assert_int_equal(request.input_count, 3);
    assert_int_equal(request.dimensions, 5);
    assert_true(request.is_base64);
    read_post("/v1/embeddings", "{\"model\":\"x\",\"input\":[1,2,3,4]}");
    assert_int_equal(request.input_count, 1);
    assert_int_equal(request.input_tokens, 4);
}

static void faults_of_the_body_are_reported(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "",
        "[]",
        "{",
        "{\"model\":\"x\"}",
        "{\"messages\":[]}",
        "{\"model\":7,\"messages\":[]}",
        "{\"model\":\"x\",\"messages\":[]} x",
        "{\"model\":\"x\",\"messages\":[{\"content\":\"a}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        read_post("/v1/chat/completions", bodies[i]);
        assert_non_null(request.body_error);
    }
    read_post("/v1/messages", "{\"model\":\"x\",\"messages\":[]}");
    assert_non_null(request.body_error);
    read_post("/v1/chat/completions", "{\"model\":\"x\",\"messages\":[]}");
    assert_null(request.body_error);
}

static void tokens_are_words_split_every_four_characters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t count;
    } rows[] = {{"", 0},      {"a", 1},          {"word", 1},
                {"words", 2}, {"a b", 2},        {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 1},
                {" ", 1},     {"abcdefgh i", 3}, {"a\n\nb ", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rc_mock_token_count(rc_str_c(rows[i].text)), rows[i].count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_end_of_a_path_selects_the_endpoint, free_request),
        cmocka_unit_test_teardown(a_model_in_a_path_is_decoded, free_request),
        cmocka_unit_test_teardown(keys_are_found_in_headers_and_query, free_request),
        cmocka_unit_test_teardown(the_last_user_message_is_found, free_request),
        cmocka_unit_test_teardown(numbers_and_flags_are_read, free_request),
        cmocka_unit_test_teardown(faults_of_the_body_are_reported, free_request),
        cmocka_unit_test(tokens_are_words_split_every_four_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
