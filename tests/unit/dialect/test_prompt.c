/* Tests of rc_prompt: request bodies of each dialect, read by json-c. */
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

    /* Without streaming the stream members are left out. */
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
        true; /* ignored outside the OpenAI dialect */
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
    assert_int_equal(json_object_get_string_len(content), 9); /* two U+FFFD */
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
        cmocka_unit_test(test_openai), cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_gemini), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_images), cmocka_unit_test(test_image_types),
        cmocka_unit_test(test_bytes),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
