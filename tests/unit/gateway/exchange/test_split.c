/* However a provider's response is split into reads, the client gets the same bytes and the report
 * is the same. Each sample is split in two at every byte (at fewer under a sanitizer), and once
 * into single bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include <cmocka.h>

#include "support/split_fixture.h"
#include "support/stream_samples.h"

#define CONTEXT_BYTES ((size_t)200)
#define RESPONSE_MAX ((size_t)16 << 10)

typedef enum framing {
    LENGTH,
    CHUNKED,
    CLOSED,
    FRAMINGS
} framing;

/* ---- responses ---- */

static size_t deflate_into(rc_str plain, char *scratch, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)plain.ptr;
    z.avail_in = (uInt)plain.len;
    z.next_out = (Bytef *)scratch;
    z.avail_out = (uInt)size;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t len = size - z.avail_out;
    (void)deflateEnd(&z);
    return len;
}

/* Appends the body as two chunks, so that a split may be between them. */
static void push_chunks(rc_buf *buf, rc_str body)
{
    char line[32];
    const size_t half = body.len / 2;
    const rc_str parts[] = {rc_str_slice(body, 0, half), rc_str_slice(body, half, body.len)};
    for (size_t i = 0; i < 2; i++) {
        if (parts[i].len == 0)
            continue;
        (void)snprintf(line, sizeof line, "%zx\r\n", parts[i].len);
        rc_buf_push(buf, rc_str_c(line));
        rc_buf_push(buf, parts[i]);
        rc_buf_push(buf, RC_STR("\r\n"));
    }
    rc_buf_push(buf, RC_STR("0\r\n\r\n"));
}

/* head: the status line and the headers, each with CR LF. */
static void push_response(rc_buf *buf, const char *head, rc_str body, framing how)
{
    rc_buf_push(buf, rc_str_c(head));
    if (how == LENGTH) {
        rc_buf_push(buf, RC_STR("content-length: "));
        rc_buf_push_u64(buf, body.len);
        rc_buf_push(buf, RC_STR("\r\n"));
    } else if (how == CHUNKED) {
        rc_buf_push(buf, RC_STR("transfer-encoding: chunked\r\n"));
    }
    rc_buf_push(buf, RC_STR("\r\n"));
    if (how == CHUNKED)
        push_chunks(buf, body);
    else
        rc_buf_push(buf, body);
}

/* ---- comparison ---- */

static size_t runs;

static void compare(const char *name, size_t cut, rc_buf *whole, rc_buf split)
{
    const rc_str a = rc_buf_get(whole);
    const rc_str b = rc_buf_get(&split);
    runs++;
    size_t at = 0;
    while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
        at++;
    if (at < a.len || at < b.len) {
        const size_t from = at < CONTEXT_BYTES ? 0 : at - CONTEXT_BYTES;
        const rc_str was = rc_str_slice(a, from, at + CONTEXT_BYTES);
        const rc_str is = rc_str_slice(b, from, at + CONTEXT_BYTES);
        fail_msg("%s, split at %zu: %.*s\nin one piece: %.*s", name, cut, (int)is.len, is.ptr,
                 (int)was.len, was.ptr);
    }
    rc_buf_done(&split);
}

/* Returns the distance to the next position at which the response is split: one byte at the end of
 * the head and, in "make soak", at every position. Under a sanitizer the distance is larger,
 * because each run takes thirty times as long. */
static size_t step_from(rc_str response, size_t at)
{
#ifdef RC_TEST_SOAK
    (void)response;
    (void)at;
    return 1;
#else
    const size_t head = rc_str_find(response, RC_STR("\r\n\r\n"), 0);
    if (head != RC_STR_NPOS && at + 4 >= head && at < head + 16)
        return 1;
#ifdef RC_TEST_SANITIZED
    return 23;
#else
    return 5;
#endif
#endif
}

/* expected: a line of the result; NULL: any result. */
static void split_everywhere(const char *name, const split_request *request, rc_str response,
                             const char *expected)
{
    static size_t every[RESPONSE_MAX];
    rc_buf whole = split_run(request, response, NULL, 0);
    if (expected != NULL && rc_str_find(rc_buf_get(&whole), rc_str_c(expected), 0) == RC_STR_NPOS) {
        print_error("%s: no \"%s\" in:\n%.*s\n", name, expected, (int)rc_buf_get(&whole).len,
                    rc_buf_get(&whole).ptr);
        fail();
    }
    for (size_t at = 1; at < response.len; at += step_from(response, at))
        compare(name, at, &whole, split_run(request, response, &at, 1));
    for (size_t at = 1; at < response.len; at++)
        every[at - 1] = at;
    compare(name, 0, &whole, split_run(request, response, every, response.len - 1));
    rc_buf_done(&whole);
}

static const split_request *request_named(const char *name)
{
    for (size_t i = 0; i < SPLIT_REQUEST_COUNT; i++)
        if (strcmp(split_requests[i].name, name) == 0)
            return &split_requests[i];
    fail_msg("no request %s", name);
    return NULL;
}

/* ---- streams_do_not_depend_on_splits ---- */

static const char *request_of(const stream_sample *sample)
{
    switch (sample->dialect) {
    case RC_STREAM_OPENAI_CHAT:
        return "chat stream";
    case RC_STREAM_OPENAI_COMPLETIONS:
        return "completions stream";
    case RC_STREAM_OPENAI_RESPONSES:
        return "responses stream";
    case RC_STREAM_ANTHROPIC:
        return "messages stream";
    case RC_STREAM_GEMINI:
        return sample->form == FORM_ARRAY ? "gemini array" : "gemini events";
    case RC_STREAM_OLLAMA: /* no endpoint has this dialect */
    case RC_STREAM_DIALECT_COUNT:
        break;
    }
    return NULL;
}

static void stream_one(const stream_sample *sample, framing how, bool is_packed)
{
    static char text[STREAM_SAMPLE_MAX];
    static char packed[STREAM_SAMPLE_MAX];
    char scratch[RESPONSE_MAX];
    char head[256];
    rc_buf response;
    rc_str body = stream_sample_text(sample->text, text);
    if (is_packed)
        body = rc_str_make(packed, deflate_into(body, packed, sizeof packed));
    (void)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s",
                   sample->form == FORM_ARRAY ? "application/json" : "text/event-stream",
                   is_packed ? "content-encoding: gzip\r\n" : "");
    rc_buf_init_fixed(&response, scratch, sizeof scratch);
    push_response(&response, head, body, how);
    split_everywhere(sample->name, request_named(request_of(sample)), rc_buf_get(&response), NULL);
}

/* Each sample runs with one of the framings in turn; samples with an error run with every framing,
 * and compressed. */
static void streams_do_not_depend_on_splits(void **state)
{
    (void)state;
    for (size_t i = 0; i < STREAM_SAMPLE_COUNT; i++) {
        const stream_sample *sample = &stream_samples[i];
        if (request_of(sample) == NULL)
            continue;
        const bool is_error = strchr(sample->kinds, 'e') != NULL;
        for (int how = 0; how < FRAMINGS; how++)
            if (how == (int)(i % FRAMINGS) || (is_error && strlen(sample->text) < 400))
                stream_one(sample, (framing)how, false);
        if (is_error)
            stream_one(sample, CHUNKED, true);
    }
    print_message("%zu runs\n", runs);
}

/* ---- whole responses ---- */

typedef struct whole_case {
    const char *name;
    const char *request;
    const char *head;
    const char *body; /* body of the response, with ' in place of " */
    const char *expected;
} whole_case;

#define JSON "content-type: application/json\r\n"
#define OK "HTTP/1.1 200 OK\r\n" JSON
#define EVENTS "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
#define QUOTA                                                                            \
    "{'error':{'message':'You exceeded your current quota','type':'insufficient_quota'," \
    "'param':null,'code':'insufficient_quota'}}"
#define CHAT_BODY                                                                              \
    "{'id':'c','object':'chat.completion','choices':[{'index':0,'message':{'role':'assistant'" \
    ",'content':'Hi'},'finish_reason':'stop'}],'usage':{'prompt_tokens':3,'completion_tokens':1}}"

static const whole_case whole_cases[] = {
    {"chat", "chat", OK, CHAT_BODY, "outcome: succeeded\n"},
    {"chat that is an error", "chat", OK, QUOTA, "code: QuotaExhausted\n"},
    {"a stream for one object", "chat", EVENTS, "data: " QUOTA "\n\n", "code: QuotaExhausted\n"},
    {"one object for a stream", "chat stream", OK, CHAT_BODY, "code: MalformedResponse\n"},
    {"an error for a stream", "chat stream", OK, QUOTA, "code: QuotaExhausted\n"},
    {"quota", "chat stream", "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\n" JSON, QUOTA,
     "code: QuotaExhausted\n"},
    {"rate limit", "messages", "HTTP/1.1 429 No\r\nretry-after: 7\r\nrequest-id: req_1\r\n" JSON,
     "{'type':'error','error':{'type':'rate_limit_error','message':'Slow down'}}",
     "code: RateLimited\n"},
    {"key", "responses", "HTTP/1.1 401 Unauthorized\r\n" JSON,
     "{'error':{'message':'Incorrect API key provided','type':'invalid_request_error','code':"
     "'invalid_api_key'}}",
     "code: AuthFailed\n"},
    {"context", "chat", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad Request\r\n" JSON,
     "{'error':{'message':'This model\\u0027s maximum context length is 8192 tokens','type':"
     "'invalid_request_error','code':'context_length_exceeded'}}",
     "code: ContextOverflow\n"},
    {"overload", "messages stream", "HTTP/1.1 529 Overloaded\r\n" JSON,
     "{'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}}",
     "code: Overloaded\n"},
    {"page", "chat", "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n",
     "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
     "code: Provider5xx\n"},
    {"message", "messages", OK,
     "{'id':'m','type':'message','role':'assistant','content':[{'type':'text','text':'Hi'}],"
     "'stop_reason':'end_turn','usage':{'input_tokens':3,'output_tokens':1}}",
     "outcome: succeeded\n"},
    {"response", "responses", OK,
     "{'id':'r','status':'completed','output':[{'type':'message','content':[{'type':'output_text',"
     "'text':'Hi'}]}],'usage':{'input_tokens':3,'output_tokens':1}}",
     "outcome: succeeded\n"},
    {"candidates", "gemini", OK,
     "{'candidates':[{'content':{'parts':[{'text':'Hi'}]},'finishReason':'STOP'}],"
     "'usageMetadata':{'promptTokenCount':3,'candidatesTokenCount':1}}",
     "outcome: succeeded\n"},
    {"exhausted", "gemini", "HTTP/1.1 429 No\r\n" JSON,
     "{'error':{'code':429,'message':'Resource has been exhausted','status':'RESOURCE_EXHAUSTED',"
     "'details':[{'@type':'type.googleapis.com/google.rpc.RetryInfo','retryDelay':'7s'}]}}",
     "code: RateLimited\n"},
    {"vectors", "embeddings", OK, "{'data':[{'embedding':[0.5]}],'usage':{'prompt_tokens':3}}",
     "outcome: succeeded\n"},
    {"file", "passthrough", OK, "{'id':'f'}", "outcome: succeeded\n"},
    {"half", "chat", OK, "{'id':'c','choices':[{'index':0,'mess", NULL},
    {"no HTTP", "chat", "SSH-2.0-OpenSSH_9\r\n", "", "code: MalformedResponse\n"},
};

static void whole_responses_do_not_depend_on_splits(void **state)
{
    static char text[STREAM_SAMPLE_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof whole_cases / sizeof whole_cases[0]; i++) {
        const whole_case *row = &whole_cases[i];
        for (int how = 0; how < FRAMINGS; how++) {
            char scratch[RESPONSE_MAX];
            rc_buf response;
            rc_buf_init_fixed(&response, scratch, sizeof scratch);
            push_response(&response, row->head, stream_sample_text(row->body, text), (framing)how);
            split_everywhere(row->name, request_named(row->request), rc_buf_get(&response),
                             row->expected);
        }
    }
    print_message("%zu runs\n", runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_responses_do_not_depend_on_splits),
        cmocka_unit_test(streams_do_not_depend_on_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
