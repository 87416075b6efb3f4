/* Tests of translated responses: streams and whole bodies, any split of interleaved calls, cuts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/translator.h"
#include "support/fail_alloc.h"
#include "support/json_query.h"

#define CHAT RC_DIALECT_OPENAI_CHAT
#define MESSAGES RC_DIALECT_ANTHROPIC

typedef struct answer {
    rc_status status;
    bool is_over;
    char text[16384];
} answer;

static const char *const bodies[] = {
    "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}",
    "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],"
    "\"thinking\":{\"type\":\"adaptive\"}}"};

static rc_status run(const rc_alloc *alloc, rc_dialect from, rc_dialect to,
                     const char *const *events, bool is_stream, answer *ret)
{
    rc_conversation c;
    rc_translator t;
    rc_output_facts facts = {.request_id = RC_STR("r1"),
                             .model = RC_STR("m"),
                             .created_s = 7,
                             .input_tokens = 5,
                             .is_stream = is_stream,
                             .wants_usage = true,
                             .sees_thoughts = true};
    *ret = (answer){.status = RC_OK};
    rc_conversation_init(&c, alloc);
    rc_status status = rc_conversation_read(&c, to, rc_str_c(bodies[to == MESSAGES]), false);
    rc_translator_init(&t, &c, from, &facts, alloc);
    for (size_t i = 0; status == RC_OK && events[i] != NULL; i++) {
        status = is_stream ? rc_translator_push_event(&t, rc_str_c(events[i]))
                           : rc_translator_push_body(&t, rc_str_c(events[i]));
        assert_true(rc_translator_validate(&t));
    }
    rc_str out = rc_translator_output(&t);
    assert_true(out.len < sizeof ret->text);
    if (out.len > 0)
        memcpy(ret->text, out.ptr, out.len);
    ret->is_over = rc_translator_is_over(&t);
    ret->status = status;
    rc_translator_done(&t);
    rc_conversation_done(&c);
    return status;
}

static answer translate(rc_dialect from, rc_dialect to, const char *const *events, bool is_stream)
{
    rc_alloc alloc = rc_alloc_stdlib();
    answer ret;
    run(&alloc, from, to, events, is_stream, &ret);
    return ret;
}

static void expect(const answer *got, const char *want)
{
    if (got->status != RC_OK || strcmp(got->text, want) != 0)
        print_error("status %d\n got  %s\n want %s\n", got->status, got->text, want);
    assert_int_equal(got->status, RC_OK);
    assert_true(got->is_over);
    assert_string_equal(got->text, want);
}

/* ---- from chat to messages ---- */

#define CHUNK(delta) \
    "{\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":null}]}"
#define FINISH(reason) "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}"
#define CALL(index, id, name, text)                                                            \
    CHUNK("{\"tool_calls\":[{\"index\":" #index ",\"id\":\"" id                                \
          "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" text \
          "\"}}]}")
#define MORE(index, text) \
    CHUNK("{\"tool_calls\":[{\"index\":" #index ",\"function\":{\"arguments\":\"" text "\"}}]}")
#define CHAT_USAGE                                                                                 \
    "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"total_tokens\":14," \
    "\"prompt_tokens_details\":{\"cached_tokens\":3}}}"

#define START                                                                                      \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_r1\","      \
    "\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":"  \
    "null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,\"cache_creation_input_tokens\":0," \
    "\"cache_read_input_tokens\":0,\"output_tokens\":0,\"output_tokens_details\":{\"thinking_"     \
    "tokens\":0}}}}\n\n"
#define BLOCK(index, head)                                                                  \
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":" #index \
    ",\"content_block\":" head "}\n\n"
#define DELTA(index, delta)                                                                 \
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":" #index \
    ",\"delta\":" delta "}\n\n"
#define STOP(index) \
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":" #index "}\n\n"
#define END(reason)                                                                                \
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason \
    "\",\"stop_sequence\":null},\"usage\":{\"input_tokens\":7,\"cache_creation_input_tokens\":0,"  \
    "\"cache_read_input_tokens\":3,\"output_tokens\":4,\"output_tokens_details\":{\"thinking_"     \
    "tokens\":0}}}\n\n"                                                                            \
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define TEXT_HEAD "{\"type\":\"text\",\"text\":\"\"}"

static void a_chat_stream_becomes_messages(void **state)
{
    (void)state;
    const char *events[] = {CHUNK("{\"role\":\"assistant\",\"content\":\"\"}"),
                            CHUNK("{\"reasoning_content\":\"hm\"}"),
                            CHUNK("{\"content\":\"Hi \\\"a\\\"\"}"),
                            CHUNK("{\"content\":\"!\"}"),
                            CALL(0, "c1", "f", ""),
                            MORE(0, "{\\\"k\\\":"),
                            MORE(0, "1}"),
                            FINISH("tool_calls"),
                            CHAT_USAGE,
                            "[DONE]",
                            NULL};
    answer got = translate(CHAT, MESSAGES, events, true);
    expect(&got,
           START BLOCK(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}") DELTA(
               0, "{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}") STOP(0) BLOCK(1, TEXT_HEAD)
               DELTA(1, "{\"type\":\"text_delta\",\"text\":\"Hi \\\"a\\\"\"}")
                   DELTA(1, "{\"type\":\"text_delta\",\"text\":\"!\"}") STOP(1) BLOCK(
                       2, "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{}}")
                       DELTA(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"k\\\":\"}")
                           DELTA(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}")
                               STOP(2) END("tool_use"));
}

/* If the provider sends parts of two calls alternately, the second call waits until the first is
 * complete. */
static void calls_that_interleave_follow_one_another(void **state)
{
    (void)state;
    const char *events[] = {CALL(0, "a", "f", "{\\\"x\\\":"),
                            CALL(1, "b", "g", "{\\\"y\\\":"),
                            MORE(1, "2}"),
                            MORE(0, "\\\"}\\\"}"),
                            FINISH("tool_calls"),
                            CHAT_USAGE,
                            "[DONE]",
                            NULL};
    answer got = translate(CHAT, MESSAGES, events, true);
    expect(&got,
           START BLOCK(0, "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}")
               DELTA(0, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"x\\\":\"}") DELTA(
                   0, "{\"type\":\"input_json_delta\",\"partial_json\":\"\\\"}\\\"}\"}") STOP(0)
                   BLOCK(1, "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\",\"input\":{}}")
                       DELTA(1, "{\"type\":\"input_json_delta\",\"partial_json\":"
                                "\"{\\\"y\\\":2}\"}") STOP(1) END("tool_use"));
}

static void cut_arguments_are_malformed_unless_the_limit_cut_them(void **state)
{
    (void)state;
    const char *cut[] = {CALL(0, "a", "f", "{\\\"x\\\":"), FINISH("tool_calls"), NULL};
    const char *limited[] = {CALL(0, "a", "f", "{\\\"x\\\":"), FINISH("length"), "[DONE]", NULL};
    const char *beyond[] = {CALL(0, "a", "f", "{}"), MORE(0, "{}"), NULL};
    assert_int_equal(translate(CHAT, MESSAGES, cut, true).status, RC_E_SYNTAX);
    assert_int_equal(translate(CHAT, MESSAGES, beyond, true).status, RC_E_SYNTAX);
    answer got = translate(CHAT, MESSAGES, limited, true);
    assert_int_equal(got.status, RC_OK);
    assert_non_null(strstr(got.text, "\"stop_reason\":\"max_tokens\""));
}

static void a_stream_that_is_cut_has_no_end(void **state)
{
    (void)state;
    const char *events[] = {CHUNK("{\"content\":\"Hi\"}"), FINISH("stop"), NULL};
    answer got = translate(CHAT, MESSAGES, events, true);
    assert_int_equal(got.status, RC_OK);
    assert_false(got.is_over);
    assert_null(strstr(got.text, "message_delta"));
}

static void a_chat_body_becomes_a_message(void **state)
{
    (void)state;
    const char *body[] = {
        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\","
        "\"tool_calls\":[{\"id\":\"\",\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"arguments\":\"{\\\"k\\\":\\\"v\\\"}\"}},{\"id\":\"a "
        "b\",\"type\":\"function\",\"function\":"
        "{\"name\":\"g\",\"arguments\":\"\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{"
        "\"prompt_tokens\":10,\"completion_tokens\":4}}",
        NULL};
    answer got = translate(CHAT, MESSAGES, body, false);
    assert_int_equal(got.status, RC_OK);
    json_object *root = query_parse(rc_str_c(got.text));
    query_string(root, "/content/0/text", "Hi");
    query_string(root, "/content/1/id", "call_r1_0");
    query_string(root, "/content/1/input/k", "v");
    query_string(root, "/content/2/name", "g");
    assert_true(query_has(root, "/content/2/input"));
    query_string(root, "/stop_reason", "tool_use");
    query_int(root, "/usage/input_tokens", 10);
    query_int(root, "/usage/output_tokens", 4);
    json_object_put(root);
}

/* ---- from messages to chat ---- */

#define MESSAGE_START                                                         \
    "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7," \
    "\"cache_read_input_tokens\":3,\"cache_creation_input_tokens\":0,\"output_tokens\":1}}}"
#define MESSAGE_DELTA(reason)                                                            \
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{" \
    "\"output_tokens\":4}}"
#define CHAT_HEAD \
    "data: "      \
    "{\"id\":\"chatcmpl-r1\",\"object\":\"chat.completion.chunk\",\"created\":7,\"model\":\"m\","
#define CHAT_DELTA(delta, reason) \
    CHAT_HEAD "\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" reason "}]}\n\n"

static void a_messages_stream_becomes_chat(void **state)
{
    (void)state;
    const char *events[] = {
        MESSAGE_START,
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\","
        "\"thinking\":\"\"}}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\","
        "\"thinking\":\"hm\"}}",
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\","
        "\"signature\":\"SIG\"}}",
        "{\"type\":\"content_block_stop\",\"index\":0}",
        "{\"type\":\"ping\"}",
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
        "\"id\":\"toolu_1\",\"name\":\"f\",\"input\":{}}}",
        "{\"type\":\"content_block_stop\",\"index\":1}",
        MESSAGE_DELTA("tool_use"),
        "{\"type\":\"message_stop\"}",
        NULL};
    answer got = translate(MESSAGES, CHAT, events, true);
    expect(&got,
           CHAT_DELTA("{\"role\":\"assistant\",\"content\":\"\"}", "null") CHAT_DELTA(
               "{\"reasoning_content\":\"hm\"}",
               "null") ": ping\n\n" CHAT_DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"toolu_1\","
                                               "\"type\":\"function\",\"function\":{\"name\":\"f\","
                                               "\"arguments\":\"\"}}]}",
                                               "null")
               CHAT_DELTA("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{}\"}}]}",
                          "null") CHAT_DELTA("{}", "\"tool_calls\"") CHAT_HEAD
           "\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,"
           "\"total_tokens\":14,\"prompt_tokens_details\":{\"cached_tokens\":3},"
           "\"completion_tokens_details\":{\"reasoning_tokens\":0}}}\n\ndata: [DONE]\n\n");
}

static void a_message_becomes_a_chat_body(void **state)
{
    (void)state;
    const char *body[] = {
        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":"
        "\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"k\":\"v\\\"w\"}}],\"stop_reason\":"
        "\"max_tokens\",\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":3,"
        "\"output_tokens\":4}}",
        NULL};
    answer got = translate(MESSAGES, CHAT, body, false);
    assert_int_equal(got.status, RC_OK);
    json_object *root = query_parse(rc_str_c(got.text));
    query_string(root, "/choices/0/message/content", "Hi");
    query_string(root, "/choices/0/message/tool_calls/0/function/arguments", "{\"k\":\"v\\\"w\"}");
    query_string(root, "/choices/0/finish_reason", "length");
    query_int(root, "/usage/prompt_tokens", 10);
    query_int(root, "/usage/prompt_tokens_details/cached_tokens", 3);
    json_object_put(root);
}

static void a_failed_allocation_is_a_status(void **state)
{
    (void)state;
    const char *events[] = {CALL(0, "a", "f", "{\\\"x\\\":"),
                            CALL(1, "b", "g", "{\\\"y\\\":2}"),
                            MORE(0, "1}"),
                            FINISH("tool_calls"),
                            "[DONE]",
                            NULL};
    for (size_t n = 1;; n++) {
        fail_alloc failing = {.fail_at = n};
        rc_alloc alloc = fail_alloc_of(&failing);
        answer got;
        rc_status status = run(&alloc, CHAT, MESSAGES, events, true, &got);
        assert_int_equal(failing.live, 0);
        if (status == RC_OK)
            break;
        assert_int_equal(status, RC_E_NOMEM);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chat_stream_becomes_messages),
        cmocka_unit_test(calls_that_interleave_follow_one_another),
        cmocka_unit_test(cut_arguments_are_malformed_unless_the_limit_cut_them),
        cmocka_unit_test(a_stream_that_is_cut_has_no_end),
        cmocka_unit_test(a_chat_body_becomes_a_message),
        cmocka_unit_test(a_messages_stream_becomes_chat),
        cmocka_unit_test(a_message_becomes_a_chat_body),
        cmocka_unit_test(a_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
