/* Tests of parsing the heads and bodies of clients' requests. */
#include <stdio.h>

#include "support/client_request.h"

#define CHAT "POST /v1/chat/completions HTTP/1.1\r\nHost: gate\r\n"
#define END "\r\n"

/* ---- heads ---- */

typedef struct head_case {
    const char *head;
    rc_request_fault_kind kind;
    const char *name;
} head_case;

static const head_case head_cases[] = {
    {CHAT END, RC_REQUEST_FAULT_NONE, ""},
    {"POST /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_NOT_FOUND, ""},
    {"GET /v1/messages HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_METHOD, ""},
    {"POST /v1/models HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_METHOD, ""},
    {"POST /v1beta/models/a:predict HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_NOT_FOUND, ""},
    {"DELETE /v1/models/a HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_NOT_FOUND, ""},
    {"GET /p/a/../x HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x/%2e%2E/y HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x/.%2e HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/. HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x%2Fy HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x%5cy HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x%0d%0ay HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/x%00 HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_PATH, ""},
    {"GET /p/a/..x/.y/z.. HTTP/1.1\r\nHost: a\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {"POST /v1beta/models/a%0Ab:generateContent HTTP/1.1\r\nHost: a\r\n\r\n",
     RC_REQUEST_FAULT_MODEL_INVALID, ""},
    {"POST /v1beta/models/a%4:generateContent HTTP/1.1\r\nHost: a\r\n\r\n",
     RC_REQUEST_FAULT_MODEL_INVALID, ""},
    {"POST /v1beta/models/%ff:generateContent HTTP/1.1\r\nHost: a\r\n\r\n",
     RC_REQUEST_FAULT_MODEL_INVALID, ""},
    {"POST /v1beta/models/a:generateContent?key=%g HTTP/1.1\r\nHost: a\r\n\r\n",
     RC_REQUEST_FAULT_QUERY, "key"},
    {CHAT "x-recourse-deadline-ms: 1\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {CHAT "x-recourse-deadline-ms: 86400000\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {CHAT "x-recourse-deadline-ms: 86400001\r\n\r\n", RC_REQUEST_FAULT_HEADER,
     "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms: 0\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms: -1\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms: 1.5\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms:\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms: 99999999999999999999\r\n\r\n", RC_REQUEST_FAULT_HEADER,
     "x-recourse-deadline-ms"},
    {CHAT "x-recourse-deadline-ms: 5\r\nX-Recourse-Deadline-Ms: 5\r\n\r\n",
     RC_REQUEST_FAULT_REPEATED, "x-recourse-deadline-ms"},
    {CHAT "x-recourse-policy: fast\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {CHAT "x-recourse-policy: not one\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-policy"},
    {CHAT "x-recourse-replayable: TRUE\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {CHAT "x-recourse-replayable: 1\r\n\r\n", RC_REQUEST_FAULT_HEADER, "x-recourse-replayable"},
    {CHAT "idempotency-key: \"8e03978e\"\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {CHAT "idempotency-key: \"\"\r\n\r\n", RC_REQUEST_FAULT_HEADER, "idempotency-key"},
    {CHAT "idempotency-key: a b\r\n\r\n", RC_REQUEST_FAULT_HEADER, "idempotency-key"},
    {CHAT "authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n", RC_REQUEST_FAULT_REPEATED,
     "authorization"},
    {CHAT "content-encoding: gzip\r\n\r\n", RC_REQUEST_FAULT_CODING, "content-encoding"},
    {CHAT "content-encoding: identity\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
    {"POST /p/a/x HTTP/1.1\r\nHost: a\r\ncontent-encoding: gzip\r\n\r\n", RC_REQUEST_FAULT_NONE,
     ""},
    {CHAT "traceparent: nonsense\r\n\r\n", RC_REQUEST_FAULT_NONE, ""},
};

static void heads_are_parsed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(head_cases); i++) {
        print_message("%s\n", head_cases[i].head);
        rc_request_fault fault = client_read_head(rc_str_c(head_cases[i].head));
        assert_int_equal(fault.kind, head_cases[i].kind);
        assert_string_equal(fault.name, head_cases[i].name);
        if (fault.kind != RC_REQUEST_FAULT_NONE) {
            const rc_local_outcome_row *row = rc_local_outcome_get(fault.outcome);
            assert_true(row->status >= 400 && row->status < 500 && strlen(fault.text) > 0);
            assert_true(row->code == RC_CODE_INVALID_REQUEST ||
                        row->code == RC_CODE_ENDPOINT_NOT_FOUND);
        }
    }
}

static void all_headers_are_parsed(void **state)
{
    (void)state;
    rc_str head =
        RC_STR(CHAT "Authorization: Bearer tok\r\n"
                    "X-Recourse-Deadline-Ms: 1500\r\n"
                    "X-Recourse-Policy: fast\r\n"
                    "X-Recourse-Replayable: false\r\n"
                    "Idempotency-Key: \"k-1\"\r\n"
                    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
                    "tracestate: a=1\r\n"
                    "Accept: application/json, application/problem+json;q=0.5\r\n"
                    "\r\n");
    assert_int_equal(client_read_head(head).kind, RC_REQUEST_FAULT_NONE);
    assert_int_equal(client_request.endpoint->id, RC_ENDPOINT_CHAT);
    assert_true(rc_secret_eq(client_request.token, rc_secret_make(RC_STR("tok"))));
    assert_int_equal(client_request.deadline_ms, 1500);
    assert_text(client_request.policy, "fast");
    assert_text(client_request.idempotency_key, "k-1");
    assert_int_equal(client_request.replay, RC_REPLAY_NO);
    assert_true(client_request.trace.is_valid);
    assert_text(client_request.trace.state, "a=1");
    assert_true(client_request.wants_problem);
}

static void retries_of_the_client_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        uint32_t count;
    } cases[] = {
        {CHAT END, 0},
        {CHAT "X-Stainless-Retry-Count: 0\r\n\r\n", 0},
        {CHAT "X-Stainless-Retry-Count: 2\r\n\r\n", 2},
        {CHAT "x-stainless-retry-count: 9999\r\n\r\n", 9999},
        {CHAT "x-stainless-retry-count: 99999999999999999999\r\n\r\n", 9999},
        /* the header is only informative, so malformed values are ignored */
        {CHAT "x-stainless-retry-count: -1\r\n\r\n", 0},
        {CHAT "x-stainless-retry-count: 2x\r\n\r\n", 0},
        {CHAT "x-stainless-retry-count:\r\n\r\n", 0},
        {CHAT "x-stainless-retry-count: 1\r\nx-stainless-retry-count: 2\r\n\r\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(client_read_head(rc_str_c(cases[i].head)).kind, RC_REQUEST_FAULT_NONE);
        assert_int_equal(client_request.client_retry, cases[i].count);
    }
}

typedef struct token_case {
    const char *head;
    const char *token;
} token_case;

static const token_case token_cases[] = {
    {CHAT END, ""},
    {CHAT "authorization: Bearer a\r\nx-api-key: b\r\n\r\n", "a"},
    {CHAT "authorization: Basic a\r\nx-api-key: b\r\n\r\n", "b"},
    {CHAT "x-goog-api-key: c\r\n\r\n", "c"},
    {CHAT "connection: authorization\r\nauthorization: Bearer a\r\n\r\n", "a"},
    {"POST /v1/messages?key=d%2B HTTP/1.1\r\nHost: a\r\n\r\n", "d+"},
    {"POST /v1/messages?x=1&%6Bey=d HTTP/1.1\r\nHost: a\r\n\r\n", "d"},
    {"POST /v1/messages?key=d HTTP/1.1\r\nHost: a\r\nx-api-key: b\r\n\r\n", "b"},
    {"POST /nowhere?key=d HTTP/1.1\r\nHost: a\r\n\r\n", "d"},
};

static void tokens_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(token_cases); i++) {
        client_read_head(rc_str_c(token_cases[i].head));
        rc_secret want = rc_secret_make(rc_str_c(token_cases[i].token));
        print_message("%s\n", token_cases[i].head);
        assert_int_equal(client_request.token.len, want.len);
        assert_true(want.len == 0 || rc_secret_eq(client_request.token, want));
    }
}

static void problem_json_is_requested_by_accept(void **state)
{
    (void)state;
    client_read_head(RC_STR(CHAT "Accept: */*\r\n\r\n"));
    assert_false(client_request.wants_problem);
    client_read_head(RC_STR(CHAT "Accept: application/problem+json;q=0\r\n\r\n"));
    assert_false(client_request.wants_problem);
    client_read_head(RC_STR(CHAT "Accept: text/html\r\nAccept: Application/Problem+JSON\r\n\r\n"));
    assert_true(client_request.wants_problem);
    /* The header is also read for a path without an endpoint. */
    client_read_head(
        RC_STR("GET / HTTP/1.1\r\nHost: a\r\nAccept: application/problem+json\r\n\r\n"));
    assert_true(client_request.wants_problem);
    assert_null(client_request.endpoint);
}

/* ---- bodies ---- */

typedef struct body_case {
    const char *path;
    const char *body;
    rc_request_fault_kind kind;
    const char *model;
    uint32_t needs;
} body_case;

#define TOOLS RC_NEED_TOOLS
#define VISION RC_NEED_VISION
#define SCHEMA RC_NEED_STRUCTURED_OUTPUT
#define STREAMING RC_NEED_STREAMING

static const body_case body_cases[] = {
    {"/v1/chat/completions", "{\"model\":\"m\"}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", " {\"messages\":[] , \"model\" : \"a\\u002fb\"}",
     RC_REQUEST_FAULT_NONE, "a/b", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"stream\":true}", RC_REQUEST_FAULT_NONE, "m",
     STREAMING},
    {"/v1/chat/completions", "{\"model\":\"m\",\"stream\":\"true\"}", RC_REQUEST_FAULT_NONE, "m",
     0},
    {"/v1/embeddings", "{\"model\":\"m\",\"stream\":true}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"tools\":[]}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"tools\":[ \n]}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"tools\":null}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"tools\":[{}]}", RC_REQUEST_FAULT_NONE, "m", TOOLS},
    {"/v1/chat/completions", "{\"model\":\"m\",\"functions\":[{}]}", RC_REQUEST_FAULT_NONE, "m",
     TOOLS},
    {"/v1/chat/completions",
     "{\"model\":\"m\",\"response_format\":{\"json_schema\":{},\"type\":\"json_schema\"}}",
     RC_REQUEST_FAULT_NONE, "m", SCHEMA},
    {"/v1/chat/completions", "{\"model\":\"m\",\"response_format\":{\"type\":\"json_object\"}}",
     RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/responses", "{\"model\":\"m\",\"text\":{\"format\":{\"type\":\"json_schema\"}}}",
     RC_REQUEST_FAULT_NONE, "m", SCHEMA},
    {"/v1/messages", "{\"model\":\"m\",\"output_config\":{\"format\":{\"type\":\"json_schema\"}}}",
     RC_REQUEST_FAULT_NONE, "m", SCHEMA},
    {"/v1beta/models/g:generateContent", "{\"generationConfig\":{\"responseSchema\":{}}}",
     RC_REQUEST_FAULT_NONE, "g", SCHEMA},
    {"/v1beta/models/g%20x:streamGenerateContent", "{\"tools\":[{}]}", RC_REQUEST_FAULT_NONE, "g x",
     STREAMING | TOOLS},
    {"/v1/chat/completions",
     "{\"messages\":[{\"content\":[{\"type\" : \"image_url\",\"image_url\":{}}]}],\"model\":\"m\"}",
     RC_REQUEST_FAULT_NONE, "m", VISION},
    {"/v1/chat/completions",
     "{\"messages\":[{\"content\":\"say \\\"type\\\":\\\"image_url\\\"\"}],\"model\":\"m\"}",
     RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"messages\":[{\"content\":\"image_url\"}],\"model\":\"m\"}",
     RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/responses", "{\"input\":[{\"content\":[{\"type\":\"input_image\"}]}],\"model\":\"m\"}",
     RC_REQUEST_FAULT_NONE, "m", VISION},
    {"/v1/messages",
     "{\"model\":\"m\",\"messages\":[{\"content\":[{\"type\":\"image\",\"source\":{}}]}]}",
     RC_REQUEST_FAULT_NONE, "m", VISION},
    {"/v1/messages",
     "{\"model\":\"m\",\"tools\":[{\"input_schema\":{\"image\":{\"type\":\"image\"}}}]}",
     RC_REQUEST_FAULT_NONE, "m", TOOLS},
    {"/v1beta/models/g:generateContent",
     "{\"contents\":[{\"parts\":[{\"inlineData\":{\"mimeType\": \"image/png\"}}]}]}",
     RC_REQUEST_FAULT_NONE, "g", VISION},
    {"/v1beta/models/g:generateContent",
     "{\"contents\":[{\"parts\":[{\"inlineData\":{\"mimeType\": \"audio/wav\"}}]}]}",
     RC_REQUEST_FAULT_NONE, "g", 0},
    {"/v1/chat/completions", "", RC_REQUEST_FAULT_BODY, "", 0},
    {"/v1/chat/completions", "[]", RC_REQUEST_FAULT_BODY, "", 0},
    {"/v1/chat/completions", "{\"model\":\"m\"", RC_REQUEST_FAULT_BODY, "", 0},
    {"/v1/chat/completions", "{\"model\":\"m\"} x", RC_REQUEST_FAULT_BODY, "", 0},
    {"/v1/chat/completions", "{}", RC_REQUEST_FAULT_MODEL_MISSING, "", 0},
    {"/v1/chat/completions", "{\"model\":7}", RC_REQUEST_FAULT_MODEL_INVALID, "", 0},
    {"/v1/chat/completions", "{\"model\":\"\"}", RC_REQUEST_FAULT_MODEL_INVALID, "", 0},
    {"/v1/chat/completions", "{\"model\":\"a\\nb\"}", RC_REQUEST_FAULT_MODEL_INVALID, "", 0},
    {"/v1/chat/completions", "{\"model\":\"a\\u0000\"}", RC_REQUEST_FAULT_MODEL_INVALID, "", 0},
    /* members that parsers would read differently */
    {"/v1/chat/completions", "{\"model\":\"m\",\"model\":\"m\"}", RC_REQUEST_FAULT_AMBIGUOUS, "",
     0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"Model\":\"x\"}", RC_REQUEST_FAULT_AMBIGUOUS, "",
     0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"mod\\u0065l\":\"x\"}", RC_REQUEST_FAULT_AMBIGUOUS,
     "", 0},
    {"/v1/chat/completions", "{\"mod\\u0065l\":\"m\"}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"STREAM\":true}", RC_REQUEST_FAULT_AMBIGUOUS, "",
     0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"stream\":1,\"stream\":true}",
     RC_REQUEST_FAULT_AMBIGUOUS, "", 0},
    {"/v1/messages", "{\"model\":\"m\",\"max_tokens\":1,\"Max_Tokens\":9}",
     RC_REQUEST_FAULT_AMBIGUOUS, "", 0},
    {"/v1/responses", "{\"model\":\"m\",\"input\":\"a\",\"input\":\"b\"}",
     RC_REQUEST_FAULT_AMBIGUOUS, "", 0},
    {"/v1beta/models/g:generateContent", "{\"generationConfig\":{},\"generation_config\":{}}",
     RC_REQUEST_FAULT_AMBIGUOUS, "", 0},
    {"/v1/chat/completions", "{\"model\":\"m\",\"user\":1,\"User\":2,\"x\":{\"N\":1,\"N\":2}}",
     RC_REQUEST_FAULT_NONE, "m", 0},
    {"/p/x/v1/chat", "{\"model\":\"m\",\"Model\":\"x\"}", RC_REQUEST_FAULT_AMBIGUOUS, "", 0},
    {"/p/x/v1/chat", "{\"model\":\"m\",\"Text\":1,\"text\":2}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/p/x/v1/files", "no JSON", RC_REQUEST_FAULT_NONE, "", 0},
    {"/p/x/v1/chat", "{\"model\":\"m\",\"stream\":true}", RC_REQUEST_FAULT_NONE, "m", STREAMING},
    {"/p/x/v1/chat", "{\"model\":\"a\\nb\"}", RC_REQUEST_FAULT_NONE, "", 0},
    {"/p/x/v1beta/models/gemini-2%2E5:generateContent", "{\"contents\":[]}", RC_REQUEST_FAULT_NONE,
     "gemini-2.5", 0},
    {"/p/x/v1beta/models/g:embedContent", "{\"model\":\"models/h\"}", RC_REQUEST_FAULT_NONE, "g",
     0},
    {"/p/x/v1beta/models/g/operations:cancel", "{}", RC_REQUEST_FAULT_NONE, "", 0},
    {"/p/x/v1beta/models/g%3AgenerateContent", "{\"model\":\"h\"}", RC_REQUEST_FAULT_NONE, "g", 0},
    {"/p/x/v1beta/%6Dodels//g:generateContent/", "{}", RC_REQUEST_FAULT_NONE, "g", 0},
    {"/p/x/v1/chat", "\xEF\xBB\xBF{\"model\":\"m\"}", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/p/x/v1/chat", "{\"model\":\"m\"} x", RC_REQUEST_FAULT_NONE, "m", 0},
    {"/p/x/v1/chat", "{\"model\":\"m\",\"messages\":[],}", RC_REQUEST_FAULT_NONE, "m", 0},
};

static void bodies_are_parsed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(body_cases); i++) {
        const body_case *row = &body_cases[i];
        char head[256];
        int len = snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: a\r\n\r\n", row->path);
        print_message("%s %s\n", row->path, row->body);
        rc_request_fault fault = client_read(rc_str_make(head, (size_t)len), rc_str_c(row->body));
        assert_int_equal(fault.kind, row->kind);
        assert_true(fault.kind != RC_REQUEST_FAULT_AMBIGUOUS || fault.name[0] != '\0');
        if (fault.kind != RC_REQUEST_FAULT_NONE)
            continue;
        assert_text(client_request.model, row->model);
        assert_int_equal(rc_client_request_needs(&client_request), row->needs);
    }
}

#define PLANTED "sk-proj-Planted0Key0As0Model0Name0123456789abcdef"

/* The provider gets the model as the client wrote it; in names that are shown, secrets are
 * removed. */
static void secrets_in_models_are_hidden(void **state)
{
    static const struct {
        const char *path;
        const char *body;
        const char *asked;
        const char *model;
    } rows[] = {
        {"/v1/chat/completions", "{\"model\":\"" PLANTED "\"}", PLANTED, "[redacted]"},
        {"/v1/chat/completions",
         "{\"model\":\"\\u0073"
         "k-proj-Planted0Key0As0Model0Name01\"}",
         "sk-proj-Planted0Key0As0Model0Name01", "[redacted]"},
        {"/v1/messages", "{\"model\":\"up/" PLANTED "\"}", "up/" PLANTED, "up/[redacted]"},
        {"/v1beta/models/" PLANTED ":generateContent", "{}", PLANTED, "[redacted]"},
        {"/p/x/v1/chat", "{\"model\":\"" PLANTED "\"}", PLANTED, "[redacted]"},
        {"/v1/chat/completions", "{\"model\":\"gpt-4o\"}", "gpt-4o", "gpt-4o"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char head[256];
        int len = snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].path);
        assert_int_equal(client_read(rc_str_make(head, (size_t)len), rc_str_c(rows[i].body)).kind,
                         RC_REQUEST_FAULT_NONE);
        assert_text(client_request.requested_model, rows[i].asked);
        assert_text(client_request.model, rows[i].model);
    }
}

/* Without streaming the first byte arrives only with the whole response, so only a configured limit
 * applies. */
static void first_byte_limits_depend_on_streaming(void **state)
{
    static const struct {
        const char *path;
        const char *body;
        bool is_stream;
    } rows[] = {
        {"/v1/chat/completions", "{\"model\":\"m\",\"stream\":true}", true},
        {"/v1/chat/completions", "{\"model\":\"m\",\"stream\":false}", false},
        {"/v1/chat/completions", "{\"model\":\"m\"}", false},
        {"/v1/messages", "{\"model\":\"m\",\"stream\":true}", true},
        {"/v1/messages", "{\"model\":\"m\"}", false},
        {"/v1/responses", "{\"model\":\"m\",\"stream\":\"who knows\"}", false},
        {"/v1beta/models/g:streamGenerateContent", "{}", true},
        {"/v1beta/models/g:generateContent", "{}", false},
        {"/v1/embeddings", "{\"model\":\"m\"}", false},
        {"/p/x/v1/chat", "{\"stream\":true}", true},
        {"/p/x/v1/files", "no JSON", false},
    };
    rc_config_route route;
    (void)state;
    rc_config_route_init(&route);
    const rc_config_timeouts named = {.connect_ms = 1, .first_byte_ms = 70000, .idle_ms = 1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char head[256];
        int len = snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].path);
        print_message("%s %s\n", rows[i].path, rows[i].body);
        rc_request_fault fault =
            client_read(rc_str_make(head, (size_t)len), rc_str_c(rows[i].body));
        assert_int_equal(fault.kind, RC_REQUEST_FAULT_NONE);
        assert_int_equal(rc_client_request_first_byte_ms(&client_request, &route.timeouts),
                         rows[i].is_stream ? 60000 : 0);
        assert_int_equal(rc_client_request_first_byte_ms(&client_request, &named), 70000);
    }
}

static void long_models_are_refused(void **state)
{
    (void)state;
    for (size_t len = RC_MODEL_NAME_MAX - 1; len <= RC_MODEL_NAME_MAX + 1; len++) {
        char body[512] = "{\"model\":\"";
        memset(body + 10, 'm', len);
        memcpy(body + 10 + len, "\"}", 3);
        rc_request_fault fault = client_read(RC_STR(CHAT END), rc_str_c(body));
        assert_int_equal(fault.kind, len <= RC_MODEL_NAME_MAX ? RC_REQUEST_FAULT_NONE
                                                              : RC_REQUEST_FAULT_MODEL_INVALID);
    }
}

typedef struct replay_case {
    const char *head;
    const char *body;
    rc_replay replay;
} replay_case;

#define RESPONSES "POST /v1/responses HTTP/1.1\r\nHost: a\r\n"
#define IMAGES "POST /v1/images/generations HTTP/1.1\r\nHost: a\r\n"

static const replay_case replay_cases[] = {
    {CHAT END, "{\"model\":\"m\"}", RC_REPLAY_YES},
    {IMAGES END, "{\"model\":\"m\"}", RC_REPLAY_NO},
    {IMAGES "idempotency-key: k\r\n\r\n", "{\"model\":\"m\"}", RC_REPLAY_YES},
    {IMAGES "x-recourse-replayable: true\r\n\r\n", "{\"model\":\"m\"}", RC_REPLAY_YES},
    {CHAT "x-recourse-replayable: false\r\nidempotency-key: k\r\n\r\n", "{\"model\":\"m\"}",
     RC_REPLAY_NO},
    {RESPONSES END, "{\"model\":\"m\",\"background\":false}", RC_REPLAY_YES},
    {RESPONSES END, "{\"model\":\"m\",\"background\":true}", RC_REPLAY_NO},
    {RESPONSES END, "{\"model\":\"m\",\"conversation\":\"c\"}", RC_REPLAY_NO},
    {RESPONSES "x-recourse-replayable: true\r\n\r\n", "{\"model\":\"m\",\"background\":true}",
     RC_REPLAY_YES},
};

static void replay_depends_on_endpoint_and_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(replay_cases); i++) {
        rc_request_fault fault =
            client_read(rc_str_c(replay_cases[i].head), rc_str_c(replay_cases[i].body));
        assert_int_equal(fault.kind, RC_REQUEST_FAULT_NONE);
        assert_int_equal(client_request.replay, replay_cases[i].replay);
    }
}

/* Tests whether the client requests a stream, and whether this is known. */
static void streams_are_known_or_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool is_stream, is_open;
    } rows[] = {
        {"{\"model\":\"m\"}", false, false},
        {"{\"model\":\"m\",\"stream\":true}", true, false},
        {"{\"model\":\"m\",\"stream\":false}", false, false},
        {"{\"model\":\"m\",\"stream\":null}", false, false},
        {"{\"model\":\"m\",\"stream\":1}", false, true},
        {"{\"model\":\"m\",\"stream\":\"true\"}", false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(client_read(RC_STR(CHAT END), rc_str_c(rows[i].body)).kind,
                         RC_REQUEST_FAULT_NONE);
        assert_int_equal(client_request.is_stream, rows[i].is_stream);
        assert_int_equal(client_request.is_stream_unknown, rows[i].is_open);
    }
    /* If `stream` comes after the first bytes of a large body, its value is not known. */
    assert_true(rc_client_request_read_start(&client_request,
                                             RC_STR("{\"model\":\"m\",\"messages\":[\"a"), 99));
    assert_false(client_request.is_stream);
    assert_true(client_request.is_stream_unknown);
    assert_true(rc_client_request_read_start(
        &client_request, RC_STR("{\"model\":\"m\",\"stream\":true,\"messages\":[\"a"), 99));
    assert_true(client_request.is_stream);
    assert_false(client_request.is_stream_unknown);
}

/* ---- forms ---- */

#define FORM                                                \
    "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\n" \
    "Content-Type: multipart/form-data; charset=utf-8; boundary=\"xx yy\"\r\n\r\n"
#define PART(name) "--xx yy\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n"
#define FILE_PART                                                                      \
    "--xx yy\r\nContent-Disposition: form-data; name=\"file\"; filename=\"model\"\r\n" \
    "Content-Type: audio/wav\r\n\r\n"

static void forms_are_parsed(void **state)
{
    (void)state;
    rc_str body = RC_STR(
        FILE_PART "RIFF\r\n" PART("model") "whisper-1\r\n" PART("stream") "true\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_NONE);
    assert_text(client_request.model, "whisper-1");
    assert_true(client_request.is_stream);
    assert_text(rc_str_slice(body, client_request.model_at, client_request.model_end), "whisper-1");

    /* Without the field or the boundary the model is not known; this is no fault. */
    body = RC_STR(PART("modell") "x\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_NONE);
    assert_text(client_request.model, "");
    assert_int_equal(client_read(RC_STR(FORM), RC_STR("--other\r\n")).kind, RC_REQUEST_FAULT_NONE);
    assert_text(client_request.model, "");
    body = RC_STR(PART("model") "\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_MODEL_INVALID);
    body = RC_STR(PART("model") "a\nb\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_MODEL_INVALID);

    /* a form with the field twice */
    body = RC_STR(PART("model") "a\r\n" PART("model") "b\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_AMBIGUOUS);
    body = RC_STR(PART("model") "a\r\n" PART("Model") "b\r\n--xx yy--\r\n");
    assert_int_equal(client_read(RC_STR(FORM), body).kind, RC_REQUEST_FAULT_AMBIGUOUS);
}

/* A form with a large file before the field, after the field, and on both sides of it. */
static void large_forms_are_searched_at_both_ends(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    for (int index = 0; index < 3; index++) {
        rc_buf body;
        rc_buf_init(&body, &alloc, 4 << 20);
        for (int part = 0; part < 3; part++) {
            if (part == index) {
                rc_buf_push(&body, RC_STR(PART("model") "whisper-1\r\n"));
                continue;
            }
            rc_buf_push(&body, RC_STR(FILE_PART));
            for (int i = 0; i < 200000; i++)
                rc_buf_push(&body, RC_STR("\r\n--xx y"));
            rc_buf_push(&body, RC_STR("\r\n"));
        }
        rc_buf_push(&body, RC_STR("--xx yy--\r\n"));
        assert_int_equal(rc_buf_status(&body), RC_OK);
        assert_int_equal(client_read(RC_STR(FORM), rc_buf_get(&body)).kind, RC_REQUEST_FAULT_NONE);
        assert_text(client_request.model, index == 1 ? "" : "whisper-1");
        rc_buf_done(&body);
    }
}

static void boundaries_are_found(void **state)
{
    (void)state;
    assert_text(rc_form_boundary(RC_STR("multipart/form-data; boundary=abc")), "abc");
    assert_text(rc_form_boundary(RC_STR("Multipart/Form-Data;Boundary=abc ; x=y")), "abc");
    assert_text(rc_form_boundary(RC_STR("multipart/form-data; boundary=\"a;b\"")), "a;b");
    assert_text(rc_form_boundary(RC_STR("multipart/form-data; boundary=\"ab")), "");
    assert_text(rc_form_boundary(RC_STR("multipart/form-data")), "");
    assert_text(rc_form_boundary(RC_STR("multipart/mixed; boundary=abc")), "");
    assert_text(rc_form_boundary(RC_STR("application/json; boundary=abc")), "");
}

static void models_can_name_their_provider(void **state)
{
    (void)state;
    rc_str provider = {NULL, 0};
    rc_str model = {NULL, 0};
    assert_true(rc_model_name_split(RC_STR("openrouter/meta/llama"), &provider, &model));
    assert_text(provider, "openrouter");
    assert_text(model, "meta/llama");
    assert_false(rc_model_name_split(RC_STR("gpt-4o"), &provider, &model));
    assert_false(rc_model_name_split(RC_STR("/gpt-4o"), &provider, &model));
    assert_false(rc_model_name_split(RC_STR("openai/"), &provider, &model));
}

/* All SDKs use /v1/models; only google-genai 3 uses /v1 for all paths. */
static void clients_are_recognised_by_dialect(void **state)
{
    (void)state;
    static const struct {
        const char *line, *field;
        rc_dialect dialect;
    } cases[] = {
        {"GET /v1/models", "", RC_DIALECT_OPENAI_CHAT},
        {"GET /v1/models", "authorization: Bearer k\r\n", RC_DIALECT_OPENAI_CHAT},
        {"GET /v1/models?pageSize=9", "x-goog-api-key: k\r\n", RC_DIALECT_GEMINI},
        {"GET /v1/models/m", "x-goog-api-client: google-genai-sdk/3.3\r\n", RC_DIALECT_GEMINI},
        {"GET /v1/models", "anthropic-version: 2023-06-01\r\n", RC_DIALECT_ANTHROPIC},
        {"GET /v1/models/m", "anthropic-version: 2023-06-01\r\n", RC_DIALECT_ANTHROPIC},
        {"GET /v1beta/models", "", RC_DIALECT_GEMINI},
        {"GET /v1/files", "x-goog-api-key: k\r\n", RC_DIALECT_GEMINI},
        {"POST /v1/models/m:countTokens", "", RC_DIALECT_GEMINI},
        {"POST /v1/models/m:generateContent", "authorization: Bearer k\r\n", RC_DIALECT_GEMINI},
        {"GET /v1/models/m:countTokens", "", RC_DIALECT_GEMINI},
        {"POST /models/m:streamGenerateContent?alt=sse", "", RC_DIALECT_GEMINI},
        {"POST /v1/chat/completions", "x-goog-api-key: k\r\n", RC_DIALECT_OPENAI_CHAT},
        {"POST /v1/messages", "x-goog-api-key: k\r\n", RC_DIALECT_ANTHROPIC},
        {"POST /v1/messages/batches", "", RC_DIALECT_ANTHROPIC},
        {"POST /v1/responses", "anthropic-version: 1\r\n", RC_DIALECT_OPENAI_RESPONSES},
        {"POST /v1/nothing", "anthropic-version: 1\r\n", RC_DIALECT_ANTHROPIC},
        {"POST /messages", "", RC_DIALECT_ANTHROPIC},
        {"POST /v1/v1/messages", "", RC_DIALECT_ANTHROPIC},
        {"POST /responses", "", RC_DIALECT_OPENAI_RESPONSES},
        {"GET /models", "x-goog-api-key: k\r\n", RC_DIALECT_GEMINI},
        {"GET /models", "", RC_DIALECT_OPENAI_CHAT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char head[256];
        (void)snprintf(head, sizeof head, "%s HTTP/1.1\r\nhost: h\r\n%s\r\n", cases[i].line,
                       cases[i].field);
        (void)client_read_head(rc_str_c(head));
        if (rc_client_request_dialect(&client_request) != cases[i].dialect)
            fail_msg("%s %s", cases[i].line, cases[i].field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_parsed),
        cmocka_unit_test(all_headers_are_parsed),
        cmocka_unit_test(retries_of_the_client_are_counted),
        cmocka_unit_test(tokens_are_found),
        cmocka_unit_test(problem_json_is_requested_by_accept),
        cmocka_unit_test(bodies_are_parsed),
        cmocka_unit_test(secrets_in_models_are_hidden),
        cmocka_unit_test(first_byte_limits_depend_on_streaming),
        cmocka_unit_test(long_models_are_refused),
        cmocka_unit_test(replay_depends_on_endpoint_and_headers),
        cmocka_unit_test(streams_are_known_or_unknown),
        cmocka_unit_test(forms_are_parsed),
        cmocka_unit_test(large_forms_are_searched_at_both_ends),
        cmocka_unit_test(boundaries_are_found),
        cmocka_unit_test(models_can_name_their_provider),
        cmocka_unit_test(clients_are_recognised_by_dialect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
