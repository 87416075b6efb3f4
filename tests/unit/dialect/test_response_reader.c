/* Tests of rc_response_reader: text, end and usage of each dialect, streamed and whole; truncated
 * at every byte, damaged, and with failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/response_run.h"

#define CHUNK(choice) "data: {\"id\":\"c\",\"choices\":[{\"index\":0," choice "}]}\n\n"
#define CHAT                                                                                       \
    CHUNK("\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null")            \
    CHUNK("\"delta\":{\"reasoning_content\":\"hm\"},\"finish_reason\":null")                       \
    CHUNK("\"delta\":{\"content\":\"Hello \\\"you\\\"\\n\"},\"finish_reason\":null")               \
    ": recourse {\"type\":\"auto_retry_end\"}\n\n" CHUNK(                                          \
        "\"delta\":{\"content\":\"\\u20ac\\ud83d\\ude00\"},\"finish_reason\":null")                \
        CHUNK(                                                                                     \
            "\"delta\":{},\"finish_reason\":\"stop\"") "data: "                                    \
                                                       "{\"choices\":[],\"usage\":{\"prompt_"      \
                                                       "tokens\":12,\"completion_tokens\":5}}\n\n" \
                                                       "data: [DONE]\n\n"
#define HELLO "Hello \"you\"\n\xe2\x82\xac\xf0\x9f\x98\x80"

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define CLAUDE                                                                                     \
    EVENT("message_start", ",\"message\":{\"content\":[],\"usage\":{\"input_tokens\":9}}")         \
    EVENT("content_block_start", ",\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}")   \
    EVENT("content_block_delta", ",\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"text\"}") \
    EVENT("content_block_start", ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}")           \
    EVENT("content_block_delta", ",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}")          \
    EVENT("content_block_delta", ",\"delta\":{\"type\":\"text_delta\",\"text\":\"lo\"}")           \
    EVENT("content_block_stop", ",\"index\":0")                                                    \
    EVENT("message_delta",                                                                         \
          ",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}")             \
    EVENT("message_stop", "")

#define GEMINI                                                                               \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"why\",\"thought\":true},"   \
    "{\"text\":\"Hel\"}]},\"index\":0}]}\r\n\r\n"                                            \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"thought\":false,\"text\":\"lo\"}]}," \
    "\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":4,"     \
    "\"candidatesTokenCount\":2}}\r\n\r\n"

typedef struct sample {
    const char *name;
    rc_stream_dialect dialect;
    bool is_stream;
    const char *body;
    const char *text;
    rc_stream_end end;
    rc_stream_finish finish;
    int64_t input, output;
} sample;

static const sample samples[] = {
    {"chat", RC_STREAM_OPENAI_CHAT, true, CHAT, HELLO, RC_STREAM_END_COMPLETE,
     RC_STREAM_FINISH_GOOD, 12, 5},
    {"half a character, and bytes that are none", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"content\":\"a\\ud83d b\"},\"finish_reason\":null")
         CHUNK("\"delta\":{\"content\":\"c\xff d\"},\"finish_reason\":\"stop\"") "data: [DONE]\n\n",
     "a\xef\xbf\xbd bc\xef\xbf\xbd d", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"bytes that are none, whole", RC_STREAM_GEMINI, false,
     "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\xc3(\\udc00\"}]},"
     "\"finishReason\":\"STOP\"}]}",
     "x\xef\xbf\xbd(\xef\xbf\xbd", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"claude", RC_STREAM_ANTHROPIC, true, CLAUDE, "Hello", RC_STREAM_END_COMPLETE,
     RC_STREAM_FINISH_GOOD, 9, 3},
    {"gemini", RC_STREAM_GEMINI, true, GEMINI, "Hello", RC_STREAM_END_COMPLETE,
     RC_STREAM_FINISH_GOOD, 4, 2},
    {"chat whole", RC_STREAM_OPENAI_CHAT, false,
     "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},"
     "\"finish_reason\":\"stop\"},{\"index\":1,\"message\":{\"content\":\"other\"}}],"
     "\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}",
     "Hi", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, 2, 1},
    {"chat in parts", RC_STREAM_OPENAI_CHAT, false,
     "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":"
     "\"image\"},{\"type\":\"text\",\"text\":\"b\"}]},\"finish_reason\":\"stop\"}]}",
     "ab", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"a refusal is text", RC_STREAM_OPENAI_CHAT, false,
     "{\"choices\":[{\"message\":{\"content\":null,\"refusal\":\"no\"},\"finish_reason\":"
     "\"stop\"}]}",
     "no", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"claude whole", RC_STREAM_ANTHROPIC, false,
     "{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":"
     "\"text\",\"text\":\"Hi\"},{\"type\":\"tool_use\",\"input\":{\"text\":\"x\"}},{\"type\":"
     "\"text\",\"text\":\" you\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":5,"
     "\"cache_read_input_tokens\":2,\"output_tokens\":3}}",
     "Hi you", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, 7, 3},
    {"gemini whole", RC_STREAM_GEMINI, false,
     "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},\"finishReason\":"
     "\"MAX_TOKENS\"}]}",
     "Hi", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_LENGTH, -1, -1},
    {"behind a byte order mark", RC_STREAM_OPENAI_CHAT, false,
     "\xEF\xBB\xBF{\"choices\":[{\"message\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}",
     "Hi", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"a mark alone", RC_STREAM_OPENAI_CHAT, false, "\xEF\xBB\xBF", "", RC_STREAM_END_EMPTY,
     RC_STREAM_FINISH_NONE, -1, -1},
    {"a whole message as an event", RC_STREAM_ANTHROPIC, true,
     "data: {\"type\":\"message\",\ndata: \"content\":[{\"type\":\"text\",\"text\":\"Hi\"}]}\n\n",
     "Hi", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_NONE, -1, -1},
    {"a whole completion as an event", RC_STREAM_OPENAI_CHAT, true,
     "data: {\"choices\":[{\"index\":0,\"message\":{\"content\":\"Hi\"},\"finish_reason\":"
     "\"stop\"}]}\n\n",
     "Hi", RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD, -1, -1},
    {"the end is missing", RC_STREAM_ANTHROPIC, true,
     EVENT("content_block_delta", ",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hel\"}"), "Hel",
     RC_STREAM_END_TRUNCATED, RC_STREAM_FINISH_NONE, -1, -1},
    {"half an event is none", RC_STREAM_OPENAI_CHAT, true,
     "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"}}", "", RC_STREAM_END_EMPTY,
     RC_STREAM_FINISH_NONE, -1, -1},
    {"nothing", RC_STREAM_OPENAI_CHAT, true, "", "", RC_STREAM_END_EMPTY, RC_STREAM_FINISH_NONE, -1,
     -1},
    {"no body", RC_STREAM_OPENAI_CHAT, false, " \n", "", RC_STREAM_END_EMPTY, RC_STREAM_FINISH_NONE,
     -1, -1},
    {"a body that is no JSON", RC_STREAM_OPENAI_CHAT, false, "<html>", "", RC_STREAM_END_TRUNCATED,
     RC_STREAM_FINISH_NONE, -1, -1},
    {"an error in a stream", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"content\":\"Hel\"}") "data: {\"error\":{\"message\":\"no\"}}\n\n", "Hel",
     RC_STREAM_END_ERRORED, RC_STREAM_FINISH_NONE, -1, -1},
    {"an error as a body", RC_STREAM_ANTHROPIC, false,
     "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", "", RC_STREAM_END_ERRORED,
     RC_STREAM_FINISH_NONE, -1, -1},
};
#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static void check(const sample *s, const response_run *run)
{
    const rc_str text = rc_buf_get(&run->text);
    if (!rc_str_eq(text, rc_str_c(s->text)))
        fail_msg("%s: %.*s", s->name, (int)text.len, text.ptr);
    assert_int_equal(run->end, s->end);
    assert_int_equal(run->finish, s->finish);
    assert_int_equal(run->usage.input, s->input);
    assert_int_equal(run->usage.output, s->output);
    assert_int_equal(rc_buf_get(&run->error).len > 0, s->end == RC_STREAM_END_ERRORED);
    assert_false(run->is_incomplete);
}

static void test_samples(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const sample *s = &samples[i];
        for (size_t len = 0; len < 40; len++) {
            response_run run =
                response_run_do(s->dialect, s->is_stream, rc_str_c(s->body), len, true, &alloc);
            check(s, &run);
            response_run_done(&run);
        }
    }
}

/* Tool calls of each dialect, whole and in parts. */
static const struct {
    const char *name;
    rc_stream_dialect dialect;
    bool is_stream;
    const char *body;
    const char *calls;
} call_samples[] = {
    {"chat in parts", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"content\":\"Hm\"}")
         CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\","
               "\"function\":{\"name\":\"read\",\"arguments\":\"\"}}]}")
             CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
                   "\"{\\\"path\\\":\"}}]}")
                 CHUNK("\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{"
                       "\"name\":\"list\"}},{\"index\":0,\"function\":{\"arguments\":"
                       "\"1}\"}}]}")
                     CHUNK("\"delta\":{},\"finish_reason\":\"tool_calls\"") "data: [DONE]\n\n",
     "c1|read|{\"path\":1}|\nc2|list|{}|\n"},
    {"whole calls with one index", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\","
           "\"arguments\":\"{}\"}}]}")
         CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":"
               "\"y\",\"arguments\":{\"z\":2}}}]},\"finish_reason\":\"tool_calls\"") "data: "
                                                                                     "[DONE]\n\n",
     "a|x|{}|\nb|y|{\"z\":2}|\n"},
    {"an id that changes within a call", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\","
           "\"arguments\":\"{\\\"a\\\":\"}}]}")
         CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c2\",\"function\":{\"arguments\":"
               "\"1}\"}}]},\"finish_reason\":\"tool_calls\"") "data: [DONE]\n\n",
     "c1|f|{\"a\":1}|\n"},
    {"an empty object with a space before the parts of the input", RC_STREAM_ANTHROPIC, true,
     EVENT("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":"
                                  "\"t1\",\"name\":\"read\",\"input\":{ }}")
         EVENT("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
                                      "\"partial_json\":\"{\\\"a\\\":1}\"}")
             EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\"}")
                 EVENT("message_stop", ""),
     "t1|read|{\"a\":1}|\n"},
    {"chat whole", RC_STREAM_OPENAI_CHAT, false,
     "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"function\":"
     "{\"name\":\"read\",\"arguments\":\"{\\\"a\\\":[1]}\"}},{\"id\":\"c2\",\"function\":"
     "{\"name\":\"list\",\"arguments\":\"not JSON\"}}]},\"finish_reason\":\"tool_calls\"}]}",
     "c1|read|{\"a\":[1]}|\nc2|list|not JSON|\n"},
    {"a call that the limit of tokens cut", RC_STREAM_OPENAI_CHAT, false,
     "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"read\","
     "\"arguments\":\"{}\"}},{\"id\":\"c2\",\"function\":{\"name\":\"read\",\"arguments\":"
     "\"{\\\"a\"}}]},\"finish_reason\":\"length\"}]}",
     "c1|read|{}|\n"},
    {"claude in parts", RC_STREAM_ANTHROPIC, true,
     EVENT("message_start", ",\"message\":{\"content\":[]}") EVENT(
         "content_block_start", ",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":"
                                "\"t1\",\"name\":\"read\",\"input\":{}}")
         EVENT("content_block_delta", ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
                                      "\"partial_json\":\"\"}")
             EVENT("content_block_delta", ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
                                          "\"partial_json\":\"{\\\"a\\\":\"}")
                 EVENT("content_block_delta",
                       ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
                       "\"partial_json\":\"2}\"}") EVENT("content_block_stop", ",\"index\":1")
                     EVENT("content_block_start",
                           ",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t2\","
                           "\"name\":\"list\",\"input\":{}}")
                         EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\"}")
                             EVENT("message_stop", ""),
     "t1|read|{\"a\":2}|\nt2|list|{}|\n"},
    {"a tool that the provider runs", RC_STREAM_ANTHROPIC, true,
     EVENT("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"server_tool_use\","
                                  "\"id\":\"s1\",\"name\":\"web_search\",\"input\":{}}")
         EVENT("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
                                      "\"partial_json\":\"{}\"}")
             EVENT("content_block_start",
                   ",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"x\"}")
                 EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
                     EVENT("message_stop", ""),
     ""},
    {"claude whole", RC_STREAM_ANTHROPIC, false,
     "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},{\"type\":\"tool_"
     "use\","
     "\"id\":\"t1\",\"name\":\"read\",\"input\":{\"a\":{}}}],\"stop_reason\":\"tool_use\"}",
     "t1|read|{\"a\":{}}|\n"},
    {"gemini", RC_STREAM_GEMINI, true,
     "data: "
     "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"read\",\"args\":"
     "{\"a\":1}},\"thoughtSignature\":\"c2ln\"},{\"functionCall\":{\"id\":\"f\",\"name\":\"list\"}}"
     "]},"
     "\"finishReason\":\"STOP\"}]}\n\n",
     "|read|{\"a\":1}|c2ln\nf|list|{}|\n"},
    {"gemini whole", RC_STREAM_GEMINI, false,
     "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"read\",\"args\":{}}}]"
     "},"
     "\"finishReason\":\"STOP\"}]}",
     "|read|{}|\n"},
    {"a response that was cut", RC_STREAM_OPENAI_CHAT, true,
     CHUNK("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\","
           "\"arguments\":\"{}\"}}]}"),
     ""},
};

static void test_calls(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (size_t i = 0; i < sizeof call_samples / sizeof call_samples[0]; i++) {
        for (size_t len = 0; len < 40; len++) {
            response_run run = response_run_do(call_samples[i].dialect, call_samples[i].is_stream,
                                               rc_str_c(call_samples[i].body), len, true, &alloc);
            const rc_str calls = rc_buf_get(&run.calls);
            if (!rc_str_eq(calls, rc_str_c(call_samples[i].calls)))
                fail_msg("%s: %.*s", call_samples[i].name, (int)calls.len, calls.ptr);
            assert_false(run.is_incomplete);
            response_run_done(&run);
        }
    }
}

/* If a response has too many tool calls, it is incomplete, and no call is delivered. */
static void test_too_many_calls(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (int count = RC_TOOL_CALLS_MAX; count <= RC_TOOL_CALLS_MAX + 1; count++) {
        rc_buf body;
        rc_buf_init(&body, &alloc, (size_t)1 << 20);
        rc_buf_push(&body, RC_STR("{\"candidates\":[{\"content\":{\"parts\":["));
        for (int i = 0; i < count; i++)
            rc_buf_push(&body, i > 0 ? RC_STR(",{\"functionCall\":{\"name\":\"f\"}}")
                                     : RC_STR("{\"functionCall\":{\"name\":\"f\"}}"));
        rc_buf_push(&body, RC_STR("]},\"finishReason\":\"STOP\"}]}"));
        response_run run =
            response_run_do(RC_STREAM_GEMINI, false, rc_buf_get(&body), 0, true, &alloc);
        assert_int_equal(run.is_incomplete, count > RC_TOOL_CALLS_MAX);
        assert_int_equal(rc_buf_get(&run.calls).len > 0, count == RC_TOOL_CALLS_MAX);
        response_run_done(&run);
        rc_buf_done(&body);
    }
}

static void ignore_text(void *ctx, rc_str text)
{
    (void)ctx;
    (void)text;
}

/* A reader without on_tool_call does not store tool calls, so their number has no limit. */
static void tool_calls_without_a_handler_have_no_limit(void **state)
{
    static const rc_response_handler handler = {.on_text = ignore_text};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_response_reader response;
    (void)state;
    rc_response_reader_init(&response, RC_STREAM_OPENAI_CHAT, true, &handler, NULL, &alloc);
    for (int i = 0; i <= RC_TOOL_CALLS_MAX; i++) {
        char event[160];
        (void)snprintf(event, sizeof event,
                       "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,"
                       "\"id\":\"c%d\",\"function\":{\"name\":\"f\"}}]}}]}\n\n",
                       i, i);
        rc_response_reader_push(&response, rc_str_c(event));
    }
    rc_response_reader_push(&response, RC_STR("data: {\"choices\":[{\"index\":0,\"delta\":{},"
                                              "\"finish_reason\":\"tool_calls\"}]}\n\n"
                                              "data: [DONE]\n\n"));
    assert_int_equal(rc_response_reader_end(&response, RC_STREAM_BODY_WHOLE),
                     RC_STREAM_END_COMPLETE);
    assert_false(response.is_incomplete);
    rc_response_reader_done(&response);
}

static void test_reasoning(void **state)
{
    static const struct {
        rc_stream_dialect dialect;
        const char *body;
        const char *reasoning;
    } rows[] = {
        {RC_STREAM_OPENAI_CHAT, CHAT, "hm"},
        {RC_STREAM_ANTHROPIC, CLAUDE, "text"},
        {RC_STREAM_GEMINI, GEMINI, "why"},
    };
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        response_run run =
            response_run_do(rows[i].dialect, true, rc_str_c(rows[i].body), 3, true, &alloc);
        assert_true(rc_str_eq(rc_buf_get(&run.reasoning), rc_str_c(rows[i].reasoning)));
        response_run_done(&run);
    }
}

static void test_comments(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    response_run run = response_run_do(RC_STREAM_OPENAI_CHAT, true, RC_STR(CHAT), 0, true, &alloc);
    assert_true(
        rc_str_eq(rc_buf_get(&run.comments), RC_STR("recourse {\"type\":\"auto_retry_end\"}\n")));
    assert_true(run.has_reasoning);
    response_run_done(&run);
}

/* A truncated response is never complete: the chat dialect requires its [DONE] or a whole body. */
static void test_cut_anywhere(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_str body = RC_STR(CLAUDE);
    (void)state;
    for (size_t len = 0; len + 2 < body.len; len++) {
        response_run run = response_run_do(RC_STREAM_ANTHROPIC, true, rc_str_slice(body, 0, len), 7,
                                           false, &alloc);
        assert_int_not_equal(run.end, RC_STREAM_END_COMPLETE);
        response_run_done(&run);
    }
}

/* The body ends with the connection, so only its JSON shows whether it is complete. */
static void test_without_a_length(void **state)
{
    (void)state;
    const rc_str body = RC_STR("{\"choices\":[{\"message\":{\"content\":\"Hi\"}}]}");
    const rc_alloc alloc = rc_alloc_stdlib();
    for (size_t len = 1; len <= body.len; len++) {
        response_run run = response_run_do(RC_STREAM_OPENAI_CHAT, false, rc_str_slice(body, 0, len),
                                           0, false, &alloc);
        assert_int_equal(run.end,
                         len == body.len ? RC_STREAM_END_COMPLETE : RC_STREAM_END_TRUNCATED);
        assert_true(rc_str_eq(rc_buf_get(&run.text), len == body.len ? RC_STR("Hi") : RC_STR("")));
        response_run_done(&run);
    }
}

/* An oversized event is reported as incomplete text. */
static void test_oversized(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf body;
    (void)state;
    rc_buf_init(&body, &alloc, (size_t)4 << 20);
    rc_buf_push(&body, RC_STR("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\""));
    for (size_t i = 0; i < (size_t)1 << 20; i++)
        rc_buf_push_byte(&body, 'x');
    rc_buf_push(&body, RC_STR("\"}}]}\n\n"));
    rc_buf_push(&body, RC_STR(CHAT));
    response_run run =
        response_run_do(RC_STREAM_OPENAI_CHAT, true, rc_buf_get(&body), 1000, true, &alloc);
    assert_true(run.is_incomplete);
    response_run_done(&run);
    rc_buf_done(&body);
}

/* If any allocation fails, the text is complete or marked as incomplete. */
static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const sample *s = &samples[i];
        size_t fail_at = 1;
        bool has_failed = true;
        while (has_failed) {
            fail_alloc counting = {.fail_at = fail_at++};
            rc_alloc alloc = fail_alloc_of(&counting);
            response_run run =
                response_run_do(s->dialect, s->is_stream, rc_str_c(s->body), 5, true, &alloc);
            has_failed = counting.calls >= counting.fail_at;
            assert_true(run.is_incomplete || run.end != RC_STREAM_END_COMPLETE ||
                        rc_str_eq(rc_buf_get(&run.text), rc_str_c(s->text)));
            assert_int_equal(counting.live, 0);
            assert_false(counting.is_broken);
            response_run_done(&run);
        }
    }
}

/* If any allocation fails, either all tool calls are delivered, or none is and the response is
 * incomplete. */
static void test_no_memory_for_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof call_samples / sizeof call_samples[0]; i++) {
        size_t fail_at = 1;
        bool has_failed = true;
        while (has_failed) {
            fail_alloc counting = {.fail_at = fail_at++};
            rc_alloc alloc = fail_alloc_of(&counting);
            response_run run = response_run_do(call_samples[i].dialect, call_samples[i].is_stream,
                                               rc_str_c(call_samples[i].body), 5, true, &alloc);
            const rc_str calls = rc_buf_get(&run.calls);
            has_failed = counting.calls >= counting.fail_at;
            assert_true(calls.len == 0 || rc_str_eq(calls, rc_str_c(call_samples[i].calls)));
            assert_true(calls.len > 0 || call_samples[i].calls[0] == '\0' || run.is_incomplete ||
                        run.end != RC_STREAM_END_COMPLETE);
            assert_int_equal(counting.live, 0);
            response_run_done(&run);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_too_many_calls),
        cmocka_unit_test(tool_calls_without_a_handler_have_no_limit),
        cmocka_unit_test(test_reasoning),
        cmocka_unit_test(test_no_memory_for_calls),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_without_a_length),
        cmocka_unit_test(test_oversized),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
