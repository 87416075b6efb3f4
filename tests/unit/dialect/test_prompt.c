/* Tests of rc_prompt: the request bodies of each dialect, parsed by json-c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/prompt.h"
#include "support/fail_alloc.h"
#include "support/json_query.h"

#define HARD_TEXT "line\n\"quoted\" \\ tab\t \xe2\x82\xac \x01"

static const rc_prompt_turn one = {.text = {HARD_TEXT, sizeof HARD_TEXT - 1}};

static json_object *body_of(const rc_prompt *prompt, rc_dialect dialect)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1 << 20);
    assert_int_equal(rc_prompt_push_body(&buf, prompt, dialect), RC_OK);
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

static size_t count_of(json_object *root, const char *pointer)
{
    json_object *found = NULL;
    assert_int_equal(json_pointer_get(root, pointer, &found), 0);
    return json_object_array_length(found);
}

static void test_openai(void **state)
{
    rc_prompt prompt = {.model = RC_STR("gpt-4o"), .turns = &one, .turn_count = 1};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    query_string(root, "/model", "gpt-4o");
    assert_int_equal(count_of(root, "/messages"), 1);
    query_string(root, "/messages/0/role", "user");
    query_string(root, "/messages/0/content", HARD_TEXT);
    assert_int_equal(json_object_object_length(root), 2);
    json_object_put(root);

    prompt.system = RC_STR("be brief");
    prompt.max_tokens = 30;
    prompt.temperature = RC_STR("0.5");
    prompt.is_stream = true;
    root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    query_string(root, "/messages/0/role", "system");
    query_string(root, "/messages/0/content", "be brief");
    query_int(root, "/max_tokens", 30);
    query_bool(root, "/stream", true);
    assert_false(query_has(root, "/stream_options"));
    json_object *temperature = NULL;
    assert_int_equal(json_pointer_get(root, "/temperature", &temperature), 0);
    assert_true(json_object_get_double(temperature) > 0.49 &&
                json_object_get_double(temperature) < 0.51);
    json_object_put(root);

    prompt.has_completion_limit = prompt.wants_usage = true;
    root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    query_int(root, "/max_completion_tokens", 30);
    assert_false(query_has(root, "/max_tokens"));
    query_bool(root, "/stream_options/include_usage", true);
    json_object_put(root);

    /* Without streaming, the members about streams are left out. */
    prompt.is_stream = false;
    root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    assert_false(query_has(root, "/stream"));
    assert_false(query_has(root, "/stream_options"));
    json_object_put(root);
}

static void test_anthropic(void **state)
{
    rc_prompt prompt = {.model = RC_STR("claude"), .turns = &one, .turn_count = 1};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_ANTHROPIC);
    query_int(root, "/max_tokens", RC_PROMPT_TOKENS_DEFAULT);
    query_string(root, "/messages/0/content", HARD_TEXT);
    assert_false(query_has(root, "/system"));
    json_object_put(root);

    prompt.system = RC_STR("be brief");
    prompt.max_tokens = 7;
    prompt.is_stream = true;
    prompt.has_completion_limit = prompt.wants_usage =
        true; /* this option applies only to the OpenAI dialect */
    root = body_of(&prompt, RC_DIALECT_ANTHROPIC);
    query_string(root, "/system", "be brief");
    query_int(root, "/max_tokens", 7);
    query_bool(root, "/stream", true);
    assert_int_equal(count_of(root, "/messages"), 1);
    assert_false(query_has(root, "/stream_options"));
    json_object_put(root);
}

static void test_gemini(void **state)
{
    rc_prompt prompt = {.model = RC_STR("gemini"), .turns = &one, .turn_count = 1};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_GEMINI);
    query_string(root, "/contents/0/role", "user");
    query_string(root, "/contents/0/parts/0/text", HARD_TEXT);
    assert_int_equal(json_object_object_length(root), 1);
    json_object_put(root);

    prompt.system = RC_STR("be brief");
    prompt.max_tokens = 7;
    prompt.temperature = RC_STR("1");
    prompt.is_stream = true;
    root = body_of(&prompt, RC_DIALECT_GEMINI);
    query_string(root, "/systemInstruction/parts/0/text", "be brief");
    query_int(root, "/generationConfig/maxOutputTokens", 7);
    query_int(root, "/generationConfig/temperature", 1);
    assert_false(query_has(root, "/stream"));
    assert_false(query_has(root, "/model"));
    json_object_put(root);
}

static void test_turns(void **state)
{
    const rc_prompt_turn turns[] = {
        {.text = RC_STR("one")},
        {.is_model = true, .text = RC_STR("two")},
        {.text = RC_STR("three")},
    };
    const rc_prompt prompt = {.model = RC_STR("m"), .turns = turns, .turn_count = 3};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    query_string(root, "/messages/1/role", "assistant");
    query_string(root, "/messages/2/content", "three");
    json_object_put(root);
    root = body_of(&prompt, RC_DIALECT_GEMINI);
    query_string(root, "/contents/1/role", "model");
    query_string(root, "/contents/2/parts/0/text", "three");
    json_object_put(root);
}

static void test_images(void **state)
{
    const rc_prompt_image image = {rc_prompt_image_type(RC_STR("\x89PNG\r\n\x1a\nrest")),
                                   RC_STR("foobar")};
    const rc_prompt_turn turn = {.text = RC_STR("what is it?"), .images = &image, .image_count = 1};
    const rc_prompt prompt = {.model = RC_STR("m"), .turns = &turn, .turn_count = 1};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    query_string(root, "/messages/0/content/0/type", "image_url");
    query_string(root, "/messages/0/content/0/image_url/url", "data:image/png;base64,Zm9vYmFy");
    query_string(root, "/messages/0/content/1/text", "what is it?");
    json_object_put(root);
    root = body_of(&prompt, RC_DIALECT_ANTHROPIC);
    query_string(root, "/messages/0/content/0/type", "image");
    query_string(root, "/messages/0/content/0/source/media_type", "image/png");
    query_string(root, "/messages/0/content/0/source/data", "Zm9vYmFy");
    query_string(root, "/messages/0/content/1/type", "text");
    json_object_put(root);
    root = body_of(&prompt, RC_DIALECT_GEMINI);
    query_string(root, "/contents/0/parts/0/inlineData/mimeType", "image/png");
    query_string(root, "/contents/0/parts/0/inlineData/data", "Zm9vYmFy");
    query_string(root, "/contents/0/parts/1/text", "what is it?");
    json_object_put(root);
}

/* A turn with two calls, one of them with arguments that are not an object, the results of the
 * calls, and a further question. */
static const rc_tool_call two_calls[] = {
    {.id = RC_STR_INIT("c1"),
     .name = RC_STR_INIT("read"),
     .arguments = RC_STR_INIT("{\"path\":\"a\"}"),
     .signature = RC_STR_INIT("c2ln")},
    {.name = RC_STR_INIT("list"), .arguments = RC_STR_INIT("{\"path\":tru}")},
};
static const rc_tool_result two_results[] = {
    {.id = RC_STR_INIT("c1"), .name = RC_STR_INIT("read"), .text = RC_STR_INIT("text")},
    {.name = RC_STR_INIT("list"), .text = RC_STR_INIT("no JSON"), .is_error = true},
};
static const rc_tool two_tools[] = {
    {.name = RC_STR_INIT("read"),
     .description = RC_STR_INIT("reads a file"),
     .schema = RC_STR_INIT("{\"type\":\"object\",\"required\":[\"path\"]}")},
    {.name = RC_STR_INIT("list")},
};
static const rc_prompt_turn tool_turns[] = {
    {.text = RC_STR_INIT("read a")},
    {.is_model = true, .calls = two_calls, .call_count = 2},
    {.results = two_results, .result_count = 2},
    {.is_model = true, .text = RC_STR_INIT("done"), .calls = two_calls, .call_count = 1},
    {.results = two_results, .result_count = 1, .text = RC_STR_INIT("more")},
};
static const rc_prompt tool_prompt = {.model = RC_STR_INIT("m"),
                                      .turns = tool_turns,
                                      .turn_count = 5,
                                      .tools = two_tools,
                                      .tool_count = 2};

static void test_tools_openai(void **state)
{
    (void)state;
    json_object *root = body_of(&tool_prompt, RC_DIALECT_OPENAI_CHAT);
    query_string(root, "/tools/0/type", "function");
    query_string(root, "/tools/0/function/name", "read");
    query_string(root, "/tools/0/function/description", "reads a file");
    query_string(root, "/tools/0/function/parameters/required/0", "path");
    query_string(root, "/tools/1/function/parameters/type", "object");
    assert_false(query_has(root, "/tools/1/function/description"));
    assert_int_equal(count_of(root, "/messages"), 7);
    query_string(root, "/messages/1/role", "assistant");
    query_string(root, "/messages/1/tool_calls/0/id", "c1");
    query_string(root, "/messages/1/tool_calls/0/type", "function");
    query_string(root, "/messages/1/tool_calls/0/function/name", "read");
    query_string(root, "/messages/1/tool_calls/0/function/arguments", "{\"path\":\"a\"}");
    query_string(root, "/messages/1/tool_calls/1/function/arguments", "{\"path\":tru}");
    query_string(root, "/messages/2/role", "tool");
    query_string(root, "/messages/2/tool_call_id", "c1");
    query_string(root, "/messages/2/content", "text");
    query_string(root, "/messages/3/content", "no JSON");
    query_string(root, "/messages/4/content", "done");
    query_string(root, "/messages/5/role", "tool");
    query_string(root, "/messages/6/role", "user");
    query_string(root, "/messages/6/content", "more");
    json_object_put(root);
}

static void test_tools_anthropic(void **state)
{
    (void)state;
    json_object *root = body_of(&tool_prompt, RC_DIALECT_ANTHROPIC);
    query_string(root, "/tools/0/name", "read");
    query_string(root, "/tools/0/input_schema/required/0", "path");
    query_string(root, "/tools/1/input_schema/type", "object");
    assert_int_equal(count_of(root, "/messages"), 5);
    assert_int_equal(count_of(root, "/messages/1/content"), 2);
    query_string(root, "/messages/1/content/0/type", "tool_use");
    query_string(root, "/messages/1/content/0/id", "c1");
    query_string(root, "/messages/1/content/0/input/path", "a");
    assert_true(query_has(root, "/messages/1/content/1/input"));
    assert_false(query_has(root, "/messages/1/content/1/input/path"));
    query_string(root, "/messages/2/role", "user");
    query_string(root, "/messages/2/content/0/type", "tool_result");
    query_string(root, "/messages/2/content/0/tool_use_id", "c1");
    query_string(root, "/messages/2/content/0/content", "text");
    assert_false(query_has(root, "/messages/2/content/0/is_error"));
    query_bool(root, "/messages/2/content/1/is_error", true);
    query_string(root, "/messages/3/content/0/text", "done");
    query_string(root, "/messages/3/content/1/type", "tool_use");
    query_string(root, "/messages/4/content/1/text", "more");
    json_object_put(root);
}

static void test_tools_gemini(void **state)
{
    (void)state;
    json_object *root = body_of(&tool_prompt, RC_DIALECT_GEMINI);
    query_string(root, "/tools/0/functionDeclarations/0/name", "read");
    query_string(root, "/tools/0/functionDeclarations/0/parametersJsonSchema/required/0", "path");
    assert_int_equal(count_of(root, "/contents"), 5);
    assert_int_equal(count_of(root, "/contents/1/parts"), 2);
    query_string(root, "/contents/1/role", "model");
    query_string(root, "/contents/1/parts/0/functionCall/id", "c1");
    query_string(root, "/contents/1/parts/0/functionCall/args/path", "a");
    query_string(root, "/contents/1/parts/0/thoughtSignature", "c2ln");
    assert_false(query_has(root, "/contents/1/parts/1/functionCall/id"));
    assert_false(query_has(root, "/contents/1/parts/1/thoughtSignature"));
    query_string(root, "/contents/2/parts/0/functionResponse/name", "read");
    query_string(root, "/contents/2/parts/0/functionResponse/response/output", "text");
    query_string(root, "/contents/2/parts/1/functionResponse/response/error", "no JSON");
    query_string(root, "/contents/4/parts/1/text", "more");
    json_object_put(root);
}

static void test_image_types(void **state)
{
    static const struct {
        const char *bytes;
        const char *type;
    } cases[] = {
        {"\x89PNG\r\n\x1a\n", "image/png"},
        {"\xff\xd8\xff\xe0JFIF", "image/jpeg"},
        {"GIF89a..", "image/gif"},
        {"GIF87a..", "image/gif"},
        {"RIFF1234WEBPVP8 ", "image/webp"},
        {"RIFF1234WAVE", ""},
        {"\x89PNG", ""},
        {"<svg/>", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(
            rc_str_eq(rc_prompt_image_type(rc_str_c(cases[i].bytes)), rc_str_c(cases[i].type)));
}

/* Text that is not valid UTF-8 becomes valid JSON. */
static void test_bytes(void **state)
{
    static const char text[] = "a\0b\xff\xc3";
    const rc_prompt_turn turn = {.text = {text, sizeof text - 1}};
    const rc_prompt prompt = {.model = RC_STR("m"), .turns = &turn, .turn_count = 1};
    (void)state;
    json_object *root = body_of(&prompt, RC_DIALECT_OPENAI_CHAT);
    json_object *content = NULL;
    assert_int_equal(json_pointer_get(root, "/messages/0/content", &content), 0);
    assert_int_equal(json_object_get_string_len(content), 9); /* three bytes of ASCII and two
                                                                 U+FFFD of three bytes */
    json_object_put(root);
}

static void test_no_memory(void **state)
{
    const rc_prompt prompt = {.model = RC_STR("m"), .turns = &one, .turn_count = 1};
    (void)state;
    fail_alloc counting = {.fail_at = 1};
    rc_alloc alloc = fail_alloc_of(&counting);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1 << 20);
    assert_int_equal(rc_prompt_push_body(&buf, &prompt, RC_DIALECT_GEMINI), RC_E_NOMEM);
    rc_buf_done(&buf);
    assert_int_equal(counting.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openai),       cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_gemini),       cmocka_unit_test(test_turns),
        cmocka_unit_test(test_images),       cmocka_unit_test(test_image_types),
        cmocka_unit_test(test_bytes),        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_tools_openai), cmocka_unit_test(test_tools_anthropic),
        cmocka_unit_test(test_tools_gemini),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
