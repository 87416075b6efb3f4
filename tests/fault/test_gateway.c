/* The gateway when memory allocations fail: the client gets a response or a closed connection, and
 * nothing leaks. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <zlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "config/prices/prices.h"
#include "gateway/loop/loop.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "support/fail_alloc.h"
#include "support/http_client.h"
#include "sys/calls.h"

#define FAILURES_MAX 1000

/* %u is replaced by the port of the provider that compresses its responses and reports a rate limit
 * that is nearly used up. */
static char config_text[2048];
static const char config_form[] =
    "providers: {demo: {kind: demo}, far: {kind: openai, base_url: \"http://127.0.0.1:9/v1\"},\n"
    "  zip: {kind: openai, base_url: \"http://127.0.0.1:%u/v1\"}}\n"
    "policies: {fast: {max_attempts: 3, backoff: fixed, base_ms: 1, jitter: none}}\n"
    "routes:\n"
    "  - {model: chain, policy: fast, chain: [{target: far/a, tries: 1}, {target: demo/ok}]}\n"
    "  - {model: patient, policy: fast, hedge_ms: 5,\n"
    "     chain: [{target: demo/hang}, {target: demo/ok}]}\n"
    "  - {model: late, policy: fast, hedge_ms: 5, deadline_ms: 100,\n"
    "     chain: [{target: demo/hang}, {target: demo/ok}]}\n"
    "  - {model: zip, policy: fast, chain: [{target: zip/m, tries: 1}, {target: demo/ok}]}\n"
    "  - {model: \"*\", policy: fast, chain: [{target: demo/*}]}\n";

/* ---- a provider that compresses ---- */

/* Size of a comment after the content: more bytes than the gateway decodes in one iteration of the
 * loop. */
#define FILLER_BYTES ((size_t)600 << 10)

static struct {
    int fd;
    pthread_t thread;
    size_t len;
    char answer[8 << 10];
} zip;

static void *serve_zip(void *arg)
{
    char request[2048];
    int fd;
    while ((fd = accept(zip.fd, NULL, NULL)) >= 0) {
        if (recv(fd, request, sizeof request, 0) > 0)
            (void)send(fd, zip.answer, zip.len, MSG_NOSIGNAL);
        (void)close(fd);
    }
    return arg;
}

static void pack_zip(void)
{
    static char plain[FILLER_BYTES + 512];
    static const char start[] =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    static const char end[] = "\n\ndata: [DONE]\n\n";
    char *at = plain + snprintf(plain, sizeof plain, "%s", start);
    memset(at, ':', FILLER_BYTES);
    at += FILLER_BYTES + (size_t)snprintf(at + FILLER_BYTES, sizeof end, "%s", end);
    zip.len = (size_t)snprintf(zip.answer, sizeof zip.answer,
                               "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               "Content-Encoding: deflate\r\nConnection: close\r\n"
                               "x-ratelimit-limit-requests: 100\r\n"
                               "x-ratelimit-remaining-requests: 1\r\n\r\n");
    uLongf space = sizeof zip.answer - zip.len;
    assert_int_equal(
        compress((Bytef *)zip.answer + zip.len, &space, (const Bytef *)plain, (uLong)(at - plain)),
        Z_OK);
    zip.len += space;
}

static int start_zip(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    pack_zip();
    zip.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (zip.fd < 0 || bind(zip.fd, (struct sockaddr *)&address, size) != 0 ||
        listen(zip.fd, 64) != 0 || getsockname(zip.fd, (struct sockaddr *)&address, &size) != 0)
        return -1;
    (void)snprintf(config_text, sizeof config_text, config_form, (unsigned)ntohs(address.sin_port));
    return pthread_create(&zip.thread, NULL, serve_zip, NULL);
}

static int stop_zip(void **state)
{
    (void)state;
    (void)shutdown(zip.fd, SHUT_RDWR);
    const int status = pthread_join(zip.thread, NULL);
    (void)close(zip.fd);
    return status;
}

/* ---- a client ---- */

static char response[2 * FILLER_BYTES];

typedef struct world {
    uv_loop_t loop;
    rc_loop *gateway_loop;
    http_client client;
    bool is_stopped;
} world;

static void on_loop_stopped(void *ctx)
{
    ((world *)ctx)->is_stopped = true;
}

/* Sends the request and reads until the gateway closes the connection. */
static void send_request(world *w, const char *model, bool is_stream)
{
    char body[128];
    char request[512];
    rc_listening listening;
    int len = snprintf(body, sizeof body, "{\"model\":\"%s\",\"stream\":%s,\"messages\":[]}", model,
                       is_stream ? "true" : "false");
    len = snprintf(request, sizeof request,
                   "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Content-Length: %d\r\n\r\n%s",
                   len, body);
    if (rc_loop_listen(w->gateway_loop, "127.0.0.1", 0, RC_LISTEN_ALONE, &listening) ==
        RC_LISTEN_OK) {
        http_client_use(&w->client, http_client_dial(listening.port, 0));
        http_client_send(&w->client, rc_str_make(request, (size_t)len));
        http_client_read_all(&w->client, &w->loop);
        http_client_close(&w->client);
    }
    rc_loop_close(w->gateway_loop);
}

/* Reads the configuration with the failing allocator. Returns false if memory ran out. */
static bool read_config(const rc_alloc *alloc, rc_snapshot_input *ret_input)
{
    rc_config_faults faults;
    rc_config *config = alloc->get(alloc->ctx, sizeof *config);
    if (config == NULL)
        return false;
    rc_config_faults_init(&faults);
    *ret_input = (rc_snapshot_input){.config = config};
    ret_input->prices = alloc->get(alloc->ctx, sizeof *ret_input->prices);
    if (ret_input->prices == NULL) {
        alloc->put(alloc->ctx, config, sizeof *config);
        return false;
    }
    rc_prices_init(ret_input->prices);
    const rc_status status = rc_config_parse(config, rc_str_c(config_text), alloc, &faults);
    if (status == RC_OK)
        return true;
    assert_int_equal(status, RC_E_NOMEM);
    rc_snapshot_input_done(ret_input, alloc);
    return false;
}

static bool make_loop(world *w, rc_hub *hub, const rc_alloc *alloc)
{
    rc_snapshot_input input;
    rc_load_error error;
    const rc_loop_settings settings = {
        .hub = hub,
        .calls = &rc_sys_real,
        .alloc = *alloc,
        .on_stopped = on_loop_stopped,
        .ctx = w,
    };
    if (!read_config(alloc, &input))
        return false;
    if (!rc_hub_load(hub, &input, uv_now(&w->loop), &error)) {
        assert_true(error.text[0] != '\0');
        rc_snapshot_input_done(&input, alloc);
        return false;
    }
    w->gateway_loop = rc_loop_new(&w->loop, &settings);
    return w->gateway_loop != NULL;
}

/* Runs one request with the Nth allocation failing. Returns true if there were fewer than N
 * allocations. */
static bool run(const char *model, bool is_stream, fail_alloc *memory, world *w)
{
    rc_hub hub;
    const rc_alloc alloc = fail_alloc_of(memory);
    memset(w, 0, sizeof *w);
    http_client_init(&w->client, response, sizeof response);
    assert_int_equal(uv_loop_init(&w->loop), 0);
    const bool has_hub = rc_hub_init(&hub, &rc_sys_real, &alloc, 1, uv_now(&w->loop)) == RC_OK;
    const bool is_made = has_hub && make_loop(w, &hub, &alloc);
    if (is_made)
        send_request(w, model, is_stream);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&w->loop), 0);
    assert_int_equal(w->is_stopped, is_made);
    if (has_hub)
        rc_hub_done(&hub);
    assert_int_equal(memory->live, 0);
    assert_false(memory->is_broken);
    return memory->calls < memory->fail_at;
}

static void fail_each(const char *model, bool is_stream, const char *expected)
{
    static world w;
    for (int for_good = 0; for_good < 2; for_good++) {
        bool is_past = false;
        for (size_t at = 1; at < FAILURES_MAX && !is_past; at++) {
            fail_alloc memory = {.fail_at = at, .for_good = for_good != 0};
            is_past = run(model, is_stream, &memory, &w);
            /* A response that has begun is HTTP. */
            if (w.client.got_len > 0)
                assert_memory_equal(w.client.got, "HTTP/1.1 ", 9);
        }
        assert_true(is_past);
        assert_non_null(strstr(w.client.got, expected));
    }
}

static void test_whole(void **state)
{
    (void)state;
    fail_each("500@1", false, "x-recourse-attempts: 2");
}

static void test_stream(void **state)
{
    (void)state;
    fail_each("ok", true, "data: [DONE]");
}

static void test_cut_stream(void **state)
{
    (void)state;
    fail_each("cut-after-2", true, "\"error_code\":\"StreamInterrupted\"");
}

static void test_next_target(void **state)
{
    (void)state;
    fail_each("chain", false, "x-recourse-target: demo/ok");
}

static void test_hedge(void **state)
{
    static world w;
    fail_alloc memory = {.fail_at = SIZE_MAX};
    (void)state;
    /* If no memory is available for the second attempt of the hedge, the first one continues, here
     * up to the deadline. */
    fail_each("late", false, "HTTP/1.1 ");
    assert_true(run("patient", false, &memory, &w));
    assert_non_null(strstr(w.client.got, "x-recourse-target: demo/ok"));
}

static void test_compressed(void **state)
{
    (void)state;
    fail_each("zip", true, "x-recourse-target: zip/m");
}

static void test_refusal(void **state)
{
    (void)state;
    fail_each("400", false, "\"error_code\":\"InvalidRequest\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),      cmocka_unit_test(test_stream),
        cmocka_unit_test(test_cut_stream), cmocka_unit_test(test_next_target),
        cmocka_unit_test(test_hedge),      cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, start_zip, stop_zip);
}
