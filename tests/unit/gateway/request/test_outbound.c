/* Tests of requests in the form that a provider gets, byte for byte
 * (tests/golden/gateway_requests.txt); no value can begin a new line. To accept a change, run this
 * program with RECOURSE_UPDATE_GOLDEN=1 and review the difference. */
#include <stdio.h>
#include <stdlib.h>

#include "support/client_request.h"
#include "json/writer.h"

#define GOLDEN RC_TEST_DIR "/golden/gateway_requests.txt"
#define CHAT "POST /v1/chat/completions HTTP/1.1\r\nHost: gate\r\n"
#define END "\r\n"

/* ---- golden requests ---- */

typedef struct sample {
    const char *target; /* method and path of the request */
    const char *type;
    const char *body;
} sample;

static const sample samples[] = {
    {"POST /v1/chat/completions", "application/json",
     "{\"messages\":[],  \"model\" : \"asked\",\n\"x\":1.0}"},
    {"POST /v1/completions", "application/json", "{\"model\":\"asked\",\"prompt\":\"\"}"},
    {"POST /v1/responses", "application/json", "{\"model\":\"asked\",\"input\":\"\"}"},
    {"POST /v1/embeddings", "application/json", "{\"input\":\"\",\"model\":\"asked\"}"},
    {"POST /v1/images/generations", "application/json", "{\"model\":\"asked\"}"},
    {"POST /v1/images/edits", "multipart/form-data; boundary=b",
     "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nasked\r\n--b--\r\n"},
    {"POST /v1/images/variations", "multipart/form-data; boundary=b", "--b--\r\n"},
    {"POST /v1/audio/speech", "application/json", "{\"model\":\"asked\"}"},
    {"POST /v1/audio/transcriptions", "multipart/form-data; boundary=b",
     "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nasked\r\n--b--\r\n"},
    {"POST /v1/audio/translations", "multipart/form-data; boundary=b", "--b--\r\n"},
    {"POST /v1/messages?beta=true", "application/json", "{\"model\":\"asked\",\"max_tokens\":1}"},
    {"POST /v1/messages/count_tokens", "application/json", "{\"model\":\"asked\"}"},
    {"POST /v1beta/models/asked:generateContent?key=secret", "application/json", "{}"},
    {"POST /v1beta/models/asked:streamGenerateContent?key=secret&alt=sse", "application/json",
     "{}"},
    {"POST /v1beta/models/asked:embedContent", "application/json",
     "{\"model\":\"models/asked\",\"content\":{}}"},
    {"POST /v1/models/asked:generateContent", "application/json", "{}"},
    {"POST /v1/models/asked:streamGenerateContent", "application/json", "{}"},
    {"POST /v1/models/asked:embedContent", "application/json", "{\"model\":\"models\\/asked\"}"},
    {"POST /v1beta/models/asked:batchEmbedContents", "application/json",
     "{\"requests\":[{\"model\":\"models/asked\"}, {\"x\":1,\"model\" : \"models/asked\"}]}"},
    {"POST /v1/models/asked:batchEmbedContents", "application/json", "{\"requests\":[]}"},
    {"POST /v1beta/models/asked:countTokens", "application/json",
     "{\"generateContentRequest\":{\"contents\":[],\"model\":\"models/asked\"}}"},
    {"DELETE /p/name/files/f-1?after=2&api_key=secret", "text/plain", ""},
    {"POST /p/name/files", "text/plain", "bytes"},
};

typedef struct provider_case {
    const char *kind;
    const char *base_url;
    rc_config_auth auth;
    const char *model;
} provider_case;

static const provider_case providers[] = {
    {"openai", "https://api.openai.com/v1", RC_AUTH_NATIVE, "gpt-4o \"q\""},
    {"anthropic", "https://api.anthropic.com", RC_AUTH_NATIVE, "claude-sonnet-4-5"},
    {"anthropic", "https://api.anthropic.com", RC_AUTH_BEARER, "*"},
    {"gemini", "https://generativelanguage.googleapis.com", RC_AUTH_NATIVE, "gem/x:del"},
    {"openai_compatible", "http://[::1]:8080/a/b", RC_AUTH_NATIVE, "*"},
};

static const uint8_t a_span[RC_SPAN_BYTES] = {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7};

static rc_outbound_target target_of(const provider_case *provider, const rc_origin *origin)
{
    rc_outbound_target target = {.origin = origin,
                                 .kind = rc_config_kind_find(rc_str_c(provider->kind)),
                                 .auth = provider->auth,
                                 .model = rc_str_c(provider->model),
                                 .key = rc_secret_make(RC_STR("the-key"))};
    assert_non_null(target.kind);
    memcpy(target.span, a_span, sizeof a_span);
    return target;
}

static rc_str head_of(const sample *s, char *memory, size_t size)
{
    int len = snprintf(memory, size,
                       "%s HTTP/1.1\r\n"
                       "Host: gate.example\r\n"
                       "User-Agent: sdk/1\r\n"
                       "Accept: application/json\r\n"
                       "Accept-Encoding: gzip, br\r\n"
                       "Authorization: Bearer client-secret\r\n"
                       "X-Api-Key: client-secret\r\n"
                       "Cookie: a=client-secret\r\n"
                       "Content-Type: %s\r\n"
                       "Content-Length: %zu\r\n"
                       "Connection: keep-alive, x-hop\r\n"
                       "X-Hop: 1\r\n"
                       "TE: trailers\r\n"
                       "Expect: 100-continue\r\n"
                       "X-Forwarded-For: 1.2.3.4\r\n"
                       "Forwarded: for=1.2.3.4\r\n"
                       "Proxy-Authorization: Basic x\r\n"
                       "X-Recourse-Policy: fast\r\n"
                       "Idempotency-Key: k-1\r\n"
                       "OpenAI-Organization: org\r\n"
                       "OpenAI-Beta: beta\r\n"
                       "anthropic-beta: b1\r\n"
                       "x-goog-user-project: p\r\n"
                       "x-goog-api-client: c\r\n"
                       "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
                       "\r\n",
                       s->target, s->type, strlen(s->body));
    assert_true(len > 0 && (size_t)len < size);
    return rc_str_make(memory, (size_t)len);
}

/* A CR is written in a visible form, so that the file is readable and exact. */
static void push_shown(rc_buf *buf, rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\r')
            rc_buf_push(buf, RC_STR("\\r"));
        else
            rc_buf_push_byte(buf, text.ptr[i]);
    }
}

/* A name that was quoted in advance must result in the same bytes. */
static void check_quoted(rc_outbound_target target, rc_str head, rc_str body)
{
    char quoted_memory[RC_MODEL_QUOTED_MAX];
    char wire_memory[4096];
    char body_memory[512];
    rc_buf quoted;
    rc_buf wire;
    rc_buf pieces;
    rc_outbound_request up = {0};
    rc_buf_init_fixed(&quoted, quoted_memory, sizeof quoted_memory);
    rc_buf_init_fixed(&wire, wire_memory, sizeof wire_memory);
    rc_buf_init_fixed(&pieces, body_memory, sizeof body_memory);
    rc_json_push_quoted(&quoted, target.model);
    target.quoted = rc_buf_get(&quoted);
    assert_int_equal(rc_outbound_request_write(&client_request, &target, &wire, &up).kind,
                     RC_REQUEST_FAULT_NONE);
    assert_true(rc_str_eq(up.head, head));
    assert_true(rc_str_eq(join_pieces(&up, &pieces), body));
}

static void push_sample(rc_buf *golden, const sample *s, const provider_case *provider)
{
    char memory[2048];
    char body[512];
    rc_buf out;
    rc_buf pieces;
    rc_outbound_request up = {0};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_origin origin = test_origin(provider->base_url);
    rc_outbound_target target = target_of(provider, &origin);
    rc_request_fault fault = client_read(head_of(s, memory, sizeof memory), rc_str_c(s->body));
    assert_int_equal(fault.kind, RC_REQUEST_FAULT_NONE);
    rc_buf_init(&out, &alloc, 1 << 16);
    rc_buf_init_fixed(&pieces, body, sizeof body);
    fault = rc_outbound_request_write(&client_request, &target, &out, &up);
    rc_buf_push(golden, RC_STR("==== "));
    rc_buf_push(golden, rc_str_c(s->target));
    rc_buf_push(golden, RC_STR(" -> "));
    rc_buf_push(golden, rc_str_c(provider->kind));
    rc_buf_push(golden, RC_STR(" "));
    rc_buf_push(golden, rc_str_c(provider->model));
    rc_buf_push(golden, RC_STR("\n"));
    if (fault.kind != RC_REQUEST_FAULT_NONE) {
        assert_int_equal(fault.kind, RC_REQUEST_FAULT_WIRE);
        rc_buf_push(golden, rc_str_c(fault.text));
    } else {
        push_shown(golden, up.head);
        push_shown(golden, join_pieces(&up, &pieces));
        if (!rc_str_eq(target.model, RC_STR("*")))
            check_quoted(target, up.head, rc_buf_get(&pieces));
    }
    rc_buf_push(golden, RC_STR("\n"));
    rc_secret_wipe_buf(&out);
    rc_buf_done(&out);
}

static void compare(rc_str got)
{
    if (getenv("RECOURSE_UPDATE_GOLDEN")) {
        FILE *file = fopen(GOLDEN, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(got.ptr, 1, got.len, file), got.len);
        assert_int_equal(fclose(file), 0);
        return;
    }
    FILE *file = fopen(GOLDEN, "rb");
    assert_non_null(file);
    size_t at = 0;
    for (int c; (c = fgetc(file)) != EOF; at++)
        if (at >= got.len || (unsigned char)got.ptr[at] != c)
            break;
    int rest = fgetc(file);
    fclose(file);
    if (rest != EOF || at != got.len)
        fail_msg("differs from " GOLDEN " at byte %zu: %.*s", at,
                 (int)(got.len - at < 200 ? got.len - at : 200), got.ptr + at);
}

static void every_endpoint_is_written_for_every_kind(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf golden;
    rc_buf_init(&golden, &alloc, 1 << 20);
    for (size_t i = 0; i < COUNT(samples); i++)
        for (size_t k = 0; k < COUNT(providers); k++)
            push_sample(&golden, &samples[i], &providers[k]);
    assert_int_equal(rc_buf_status(&golden), RC_OK);
    assert_int_equal(rc_str_find(rc_buf_get(&golden), RC_STR("client-secret"), 0), RC_STR_NPOS);
    compare(rc_buf_get(&golden));
    rc_buf_done(&golden);
}

/* ---- header injection ---- */

/* Writes the outbound request for the request that was read, and returns the fault. */
static rc_request_fault write_to(const rc_outbound_target *target, rc_buf *buf,
                                 rc_outbound_request *up)
{
    return rc_outbound_request_write(&client_request, target, buf, up);
}

static bool has_line(rc_str head, rc_str line)
{
    size_t at = rc_str_find(head, line, 0);
    return at != RC_STR_NPOS && at >= 2 && head.ptr[at - 1] == '\n';
}

static void no_config_value_can_start_a_line(void **state)
{
    (void)state;
    static const char *const evil[] = {"a\r\nevil: 1", "a\nevil: 1", "a\revil: 1", "a evil: 1"};
    char memory[4096];
    rc_buf buf;
    rc_outbound_request up = {0};
    for (size_t i = 0; i < COUNT(evil); i++) {
        rc_origin origin = test_origin(providers[0].base_url);
        rc_outbound_target good = target_of(&providers[0], &origin);
        rc_outbound_target target = good;
        client_read(RC_STR(CHAT END), RC_STR("{\"model\":\"m\"}"));
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        target.key = rc_secret_make(rc_str_c(evil[i]));
        assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_KEY);
        rc_origin bad = origin;
        bad.authority_len = (uint16_t)strlen(evil[i]);
        memcpy(bad.authority, evil[i], bad.authority_len);
        target = good;
        target.origin = &bad;
        assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_ORIGIN);
        bad = origin;
        bad.prefix_len = (uint16_t)snprintf(bad.prefix, sizeof bad.prefix, "/%s", evil[i]);
        assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_ORIGIN);
    }
    rc_origin origin = test_origin(providers[3].base_url);
    rc_outbound_target target = target_of(&providers[3], &origin);
    client_read(RC_STR("POST /v1beta/models/m:generateContent HTTP/1.1\r\nHost: a\r\n\r\n"),
                RC_STR("{}"));
    target.model = RC_STR("a\r\nevil: 1");
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_MODEL_INVALID);
    target.model = rc_str_make("a\0b", 3);
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_MODEL_INVALID);
    target.model = RC_STR("a HTTP/1.1?x#y/../%00");
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_NONE);
    assert_true(rc_str_starts_with(
        up.head,
        RC_STR("POST /v1beta/models/a%20HTTP%2F1.1%3Fx%23y%2F..%2F%2500:generateContent HTTP")));
}

static void no_client_value_can_start_a_line(void **state)
{
    (void)state;
    char memory[4096];
    rc_buf buf;
    rc_outbound_request up = {0};
    rc_origin origin = test_origin(providers[0].base_url);
    rc_outbound_target target = target_of(&providers[0], &origin);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    /* The parser of heads rejects control characters, so an accepted value is always one line. */
    client_read(RC_STR("POST /v1/chat/completions?a=%0d%0aevil:%201 HTTP/1.1\r\nHost: a\r\n"
                       "user-agent: x\tevil: 1\r\n\r\n"),
                RC_STR("{\"model\":\"m\"}"));
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_NONE);
    assert_false(has_line(up.head, RC_STR("evil")));
    assert_true(has_line(up.head, RC_STR("user-agent: x\tevil: 1\r\n")));
    /* The end of the head occurs once. */
    assert_int_equal(rc_str_find(up.head, RC_STR("\r\n\r\n"), 0), up.head.len - 4);
}

static void accept_problem_json_is_not_sent(void **state)
{
    (void)state;
    char memory[4096];
    rc_buf buf;
    rc_outbound_request up = {0};
    rc_origin origin = test_origin(providers[1].base_url);
    rc_outbound_target target = target_of(&providers[1], &origin);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    client_read(RC_STR("POST /v1/messages HTTP/1.1\r\nHost: a\r\nanthropic-version: 2024-01-01\r\n"
                       "accept: application/problem+json\r\n\r\n"),
                RC_STR("{\"model\":\"m\"}"));
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_NONE);
    assert_true(has_line(up.head, RC_STR("accept: */*\r\n")));
    assert_int_equal(rc_str_find(up.head, RC_STR("problem"), 0), RC_STR_NPOS);
    /* The version that the client sent takes precedence. */
    assert_true(has_line(up.head, RC_STR("anthropic-version: 2024-01-01\r\n")));
    assert_int_equal(rc_str_find(up.head, RC_STR("2023-06-01"), 0), RC_STR_NPOS);
}

/* `curl -d` sends a wrong content type. */
static void mislabelled_json_is_sent_as_json(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *type;
        bool is_changed;
    } rows[] = {
        {"/v1/chat/completions", "application/x-www-form-urlencoded", true},
        {"/v1/chat/completions", "Application/X-WWW-Form-urlencoded; charset=utf-8", true},
        {"/v1/images/edits", "application/x-www-form-urlencoded", true},
        {"/v1/chat/completions", "application/json; charset=utf-8", false},
        {"/v1/chat/completions", "text/plain", false},
        {"/p/openai/files", "application/x-www-form-urlencoded", false},
    };
    rc_origin origin = test_origin(providers[0].base_url);
    rc_outbound_target target = target_of(&providers[0], &origin);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char memory[4096];
        char head[512];
        char line[256];
        rc_buf buf;
        rc_outbound_request up = {0};
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        snprintf(head, sizeof head,
                 "POST %s HTTP/1.1\r\nHost: a\r\nX-Before: 1\r\nContent-Type: %s\r\n"
                 "X-Behind: 2\r\n\r\n",
                 rows[i].path, rows[i].type);
        snprintf(line, sizeof line, "Content-Type: %s\r\n", rows[i].type);
        client_read(rc_str_c(head), RC_STR("{\"model\":\"m\"}"));
        assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_NONE);
        assert_int_equal(has_line(up.head, RC_STR("content-type: application/json\r\n")),
                         rows[i].is_changed);
        assert_int_equal(has_line(up.head, rc_str_c(line)), !rows[i].is_changed);
        assert_true(has_line(up.head, RC_STR("X-Before: 1\r\n")));
        assert_true(has_line(up.head, RC_STR("X-Behind: 2\r\n")));
    }
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    char memory[64];
    rc_buf buf;
    rc_outbound_request up = {0};
    rc_origin origin = test_origin(providers[0].base_url);
    rc_outbound_target target = target_of(&providers[0], &origin);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    client_read(RC_STR(CHAT END), RC_STR("{\"model\":\"m\"}"));
    assert_int_equal(write_to(&target, &buf, &up).kind, RC_REQUEST_FAULT_MEMORY);
    assert_null(up.head.ptr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_endpoint_is_written_for_every_kind),
        cmocka_unit_test(no_config_value_can_start_a_line),
        cmocka_unit_test(no_client_value_can_start_a_line),
        cmocka_unit_test(accept_problem_json_is_not_sent),
        cmocka_unit_test(mislabelled_json_is_sent_as_json),
        cmocka_unit_test(a_full_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
