/* Tests of damaged events: events of a stream that are not JSON are never sent to the client. If
 * the client may lose content with a damaged event, the attempt fails if no content was sent yet,
 * and otherwise the stream ends with an error event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/split_fixture.h"

typedef struct damaged_case {
    const char *name;
    const char *request;
    const char *body;      /* body of the response, with ' in place of " */
    const char *expected;  /* lines of the expected result, with ' in place of " */
    const char *forbidden; /* text that must not be in the result */
} damaged_case;

#define CHUNK(content) "data: {'choices':[{'index':0,'delta':{'content':'" content "'}}]}\n\n"
#define STOP "data: {'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define HALF "data: {'choices':[{'index':0,'delta':{'content':'lost\n\n"
#define CLAUDE(type, rest) "event: " type "\ndata: {'type':'" type "'" rest "}\n\n"
#define CLAUDE_START CLAUDE("message_start", ",'message':{'id':'m','usage':{'input_tokens':5}}")
#define CLAUDE_TEXT \
    CLAUDE("content_block_delta", ",'index':0,'delta':{'type':'text_delta','text':'a'}")
#define CLAUDE_END                                                 \
    CLAUDE("message_delta", ",'delta':{'stop_reason':'end_turn'}") \
    CLAUDE("message_stop", "")

static const damaged_case cases[] = {
    {"before content", "chat stream", HALF CHUNK("a") STOP DONE, "outcome: failed\nstatus: 502\n",
     "lost"},
    {"before content, the code", "chat stream", HALF CHUNK("a") STOP DONE,
     "code: MalformedResponse\n", "[DONE]"},
    {"behind content", "chat stream", CHUNK("a") HALF CHUNK("b") STOP DONE,
     "code: MalformedResponse\n", "lost"},
    {"behind content, in the client's stream", "chat stream", CHUNK("a") HALF CHUNK("b") STOP DONE,
     "'error_code':'MalformedResponse'", "'content':'b'"},
    {"behind content, the client status", "chat stream", CHUNK("a") HALF STOP DONE,
     "client status: 200\n", "lost"},
    {"behind the finish", "chat stream",
     CHUNK("a") STOP "data: {'choices':[],'usage':{'prompt\n\n" DONE, "outcome: succeeded\n",
     "prompt"},
    {"behind the terminator", "chat stream", CHUNK("a") STOP DONE "data: {\n\n",
     "outcome: succeeded\n", "data: {\n"},
    {"cut off behind the terminator", "chat stream", CHUNK("a") STOP DONE "data: {'x",
     "outcome: succeeded\n", "'x"},
    {"no sign of JSON", "chat stream", CHUNK("a") "data: ping\n\n" CHUNK("b") STOP DONE,
     "outcome: succeeded\n", "ping"},
    {"no sign of JSON, before content", "chat stream", "data: ping\n\n" CHUNK("b") STOP DONE,
     "outcome: succeeded\n", "ping"},
    {"another end", "completions stream",
     "data: {'choices':[{'index':0,'text':'a'}]}\n\ndata: {'choices':[{'te\n\n" DONE,
     "code: MalformedResponse\n", "[DONE]"},
    {"a keep-alive", "messages stream",
     CLAUDE_START "event: ping\ndata: {'type':\n\n" CLAUDE_TEXT CLAUDE_END, "outcome: succeeded\n",
     "ping"},
    {"Anthropic's start", "messages stream",
     "event: message_start\ndata: {'type':'mess\n\n" CLAUDE_TEXT CLAUDE_END,
     "code: MalformedResponse\n", "message_stop"},
    {"Anthropic's text", "messages stream",
     CLAUDE_START CLAUDE_TEXT
     "event: content_block_delta\ndata: {'type':'content_block_delta','lost\n\n" CLAUDE_END,
     "'error_code':'MalformedResponse'", "lost"},
    {"responses", "responses stream",
     "event: response.created\ndata: {'type':'response.created','response':{'id':'r'}}\n\n"
     "event: response.output_text.delta\ndata: "
     "{'type':'response.output_text.delta','delta':'a'}\n\n"
     "event: response.output_text.delta\ndata: {'type':'lost\n\n"
     "event: response.completed\ndata: {'type':'response.completed','response':{'id':'r'}}\n\n",
     "'error_code':'MalformedResponse'", "lost"},
    {"Gemini", "gemini events",
     "data: {'candidates':[{'content':{'parts':[{'text':'a'}]}}]}\n\ndata: {'candidates':[lost\n\n"
     "data: {'candidates':[{'content':{'parts':[{'text':'b'}]},'finishReason':'STOP'}]}\n\n",
     "'error_code':'MalformedResponse'", "lost"},
    {"Gemini's array", "gemini array",
     "[{'candidates':[{'content':{'parts':[{'text':'a'}]}}]},\n{'candidates':[lost}]},\n"
     "{'candidates':[{'content':{'parts':[{'text':'b'}]},'finishReason':'STOP'}]}]",
     "'error_code':'MalformedResponse'", "lost"},
};

static rc_str quoted(const char *text, char *scratch)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        scratch[i] = text[i] == '\'' ? '"' : text[i];
    return rc_str_make(scratch, len);
}

static rc_buf run(const damaged_case *row)
{
    char scratch[4096];
    char text[4096];
    const split_request *request = NULL;
    for (size_t i = 0; i < SPLIT_REQUEST_COUNT; i++)
        if (strcmp(split_requests[i].name, row->request) == 0)
            request = &split_requests[i];
    assert_non_null(request);
    const rc_str body = quoted(row->body, scratch);
    const int len = snprintf(
        text, sizeof text, "HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %zu\r\n\r\n",
        row->body[0] == '[' ? "application/json" : "text/event-stream", body.len);
    memcpy(text + len, body.ptr, body.len);
    return split_run(request, rc_str_make(text, (size_t)len + body.len), NULL, 0);
}

static void no_damaged_event_reaches_a_client(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char scratch[1024];
        rc_buf result = run(&cases[i]);
        const rc_str got = rc_buf_get(&result);
        if (rc_str_find(got, quoted(cases[i].expected, scratch), 0) == RC_STR_NPOS ||
            rc_str_find(got, quoted(cases[i].forbidden, scratch), 0) != RC_STR_NPOS)
            fail_msg("%s: %.*s", cases[i].name, (int)got.len, got.ptr);
        rc_buf_done(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_damaged_event_reaches_a_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
