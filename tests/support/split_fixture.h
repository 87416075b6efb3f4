/* A gateway in this process, one provider and one client, over pairs of sockets. A test sends one
 * request, lets the provider respond with given bytes in one piece or in several, and records the
 * client's response and the report. The gateway has read each piece before the next one is sent.
 * Clock and random numbers are fixed, so that two runs can be compared. */
#ifndef TESTS_SUPPORT_SPLIT_WORLD_H
#define TESTS_SUPPORT_SPLIT_WORLD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "config/prices/prices.h"
#include "fail_alloc.h"
#include "gateway/loop/loop_private.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/hub.h"
#include "http_client.h"
#include "net/client/private.h"
#include "sys/calls.h"

#define SPLIT_RESULT_MAX ((size_t)256 << 10)

/* The client's request. */
typedef struct split_request {
    const char *name;
    const char *path;
    const char *body;
} split_request;

static const split_request split_requests[] = {
    {"chat stream", "/v1/chat/completions", "{\"model\":\"o\",\"stream\":true,\"messages\":[]}"},
    {"chat", "/v1/chat/completions", "{\"model\":\"o\",\"messages\":[]}"},
    {"completions stream", "/v1/completions",
     "{\"model\":\"o\",\"stream\":true,\"prompt\":\"Hi\"}"},
    {"responses stream", "/v1/responses", "{\"model\":\"o\",\"stream\":true,\"input\":\"Hi\"}"},
    {"responses", "/v1/responses", "{\"model\":\"o\",\"input\":\"Hi\"}"},
    {"messages stream", "/v1/messages",
     "{\"model\":\"c\",\"stream\":true,\"max_tokens\":9,\"messages\":[]}"},
    {"messages", "/v1/messages", "{\"model\":\"c\",\"max_tokens\":9,\"messages\":[]}"},
    {"gemini events", "/v1beta/models/g:streamGenerateContent?alt=sse", "{\"contents\":[]}"},
    {"gemini array", "/v1beta/models/g:streamGenerateContent", "{\"contents\":[]}"},
    {"gemini", "/v1beta/models/g:generateContent", "{\"contents\":[]}"},
    {"embeddings", "/v1/embeddings", "{\"model\":\"o\",\"input\":\"Hi\"}"},
    {"passthrough", "/p/open/files", "{}"},
};

#define SPLIT_REQUEST_COUNT (sizeof split_requests / sizeof split_requests[0])

/* With one attempt, the client gets the provider's response. */
static const char split_config[] = "providers:\n"
                                   "  open: {kind: openai, base_url: \"http://127.0.0.1:9/v1\"}\n"
                                   "  claude: {kind: anthropic, base_url: \"http://127.0.0.1:9\"}\n"
                                   "  gem: {kind: gemini, base_url: \"http://127.0.0.1:9\"}\n"
                                   "policies: {once: {max_attempts: 1}}\n"
                                   "routes:\n"
                                   "  - {model: o, policy: once, chain: [{target: open/m}]}\n"
                                   "  - {model: c, policy: once, chain: [{target: claude/m}]}\n"
                                   "  - {model: g, policy: once, chain: [{target: gem/m}]}\n";

static char split_wire[SPLIT_RESULT_MAX]; /* the bytes that the client has read */

typedef struct split_fixture {
    uv_loop_t loop;
    rc_hub hub;
    rc_loop *gateway_loop;
    fail_alloc memory; /* overwrites freed memory, so that every build detects a view of it */
    rc_alloc alloc;
    http_client client;
    int provider; /* the provider's end of the connection; -1: the gateway has not connected */
    uint32_t connected;
    bool is_stopped;
    rc_buf result; /* the text that is compared between runs */
} split_fixture;

/* ---- a system that repeats itself ---- */

static inline int split_clock(struct timespec *ret_time)
{
    *ret_time = (struct timespec){.tv_sec = 1750000000};
    return 0;
}

static inline ssize_t split_random(void *buf, size_t size)
{
    memset(buf, 0x5c, size);
    return (ssize_t)size;
}

static inline void split_check(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "split: %s\n", what);
    abort();
}

/* ---- the gateway ---- */

static inline int split_open(void *ctx, const rc_origin *origin)
{
    split_fixture *w = ctx;
    int ends[2];
    (void)origin;
    split_check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    if (w->provider >= 0)
        (void)close(w->provider);
    w->provider = ends[0];
    w->connected++;
    return ends[1];
}

static inline void split_line(rc_buf *buf, const char *name, rc_str text)
{
    rc_buf_push(buf, rc_str_c(name));
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push(buf, text);
    rc_buf_push_byte(buf, '\n');
}

static inline void split_number(rc_buf *buf, const char *name, int64_t number)
{
    rc_buf_push(buf, rc_str_c(name));
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push_i64(buf, number);
    rc_buf_push_byte(buf, '\n');
}

static inline void split_on_record(void *ctx, const rc_exchange_summary *record)
{
    rc_buf *result = &((split_fixture *)ctx)->result;
    const rc_report *report = record->report;
    split_line(result, "outcome", rc_str_c(rc_outcome_name(record->outcome)));
    split_number(result, "status", record->status);
    split_number(result, "attempts", record->attempts);
    split_number(result, "tokens in", record->tokens_in);
    split_number(result, "tokens out", record->tokens_out);
    split_number(result, "committed", record->is_committed);
    if (report == NULL)
        return;
    split_line(result, "code", rc_str_c(rc_code_get(rc_report_code(report))->name));
    split_number(result, "category", rc_report_category(report));
    split_number(result, "retryable", rc_report_is_retryable(report));
    split_number(result, "http status", rc_report_http_status(report));
    split_number(result, "provider status", rc_report_provider_status(report));
    split_number(result, "retry after", rc_report_retry_after_ms(report));
    split_line(result, "rule", rc_report_rule(report));
    split_line(result, "message", rc_report_message(report));
    split_line(result, "detail", rc_report_detail(report));
    split_line(result, "provider type", rc_report_provider_type(report));
    split_line(result, "provider code", rc_report_provider_code(report));
    split_line(result, "provider request", rc_report_request_id(report));
    split_line(result, "raw", rc_report_raw(report));
}

static inline void split_on_stopped(void *ctx)
{
    ((split_fixture *)ctx)->is_stopped = true;
}

static inline void split_load(split_fixture *w)
{
    rc_config_faults faults;
    rc_load_error error;
    rc_snapshot_input input = {.config = w->alloc.get(w->alloc.ctx, sizeof *input.config),
                               .prices = w->alloc.get(w->alloc.ctx, sizeof *input.prices)};
    rc_config_faults_init(&faults);
    rc_prices_init(input.prices);
    split_check(rc_config_parse(input.config, rc_str_c(split_config), &w->alloc, &faults) == RC_OK,
                "configuration");
    split_check(rc_hub_load(&w->hub, &input, uv_now(&w->loop), &error), error.text);
}

static inline void split_begin(split_fixture *w, const rc_sys_calls *calls)
{
    const rc_alloc own = rc_alloc_stdlib();
    *w = (split_fixture){.provider = -1};
    w->alloc = fail_alloc_of(&w->memory);
    http_client_init(&w->client, split_wire, sizeof split_wire);
    rc_buf_init(&w->result, &own, 2 * SPLIT_RESULT_MAX);
    split_check(uv_loop_init(&w->loop) == 0, "loop");
    split_check(rc_hub_init(&w->hub, calls, &w->alloc, 1, uv_now(&w->loop)) == RC_OK, "world");
    split_load(w);
    const rc_loop_settings settings = {
        .hub = &w->hub,
        .calls = calls,
        .alloc = w->alloc,
        .observer = {.ctx = w, .on_record = split_on_record},
        .on_stopped = split_on_stopped,
        .ctx = w,
    };
    w->gateway_loop = rc_loop_new(&w->loop, &settings);
    split_check(w->gateway_loop != NULL, "gate");
    w->gateway_loop->runtime.upstream->settings.open = split_open;
    w->gateway_loop->runtime.upstream->settings.open_ctx = w;
}

/* Closes the fixture and checks that all memory was freed. `result` is still valid. */
static inline void split_end(split_fixture *w)
{
    if (w->provider >= 0)
        (void)close(w->provider);
    http_client_close(&w->client);
    rc_loop_close(w->gateway_loop);
    (void)uv_run(&w->loop, UV_RUN_DEFAULT);
    split_check(w->is_stopped && uv_loop_close(&w->loop) == 0, "not everything is closed");
    rc_hub_done(&w->hub);
    split_check(w->memory.live == 0 && !w->memory.is_broken, "memory is lost");
}

/* ---- the client ---- */

static inline void split_send_request(split_fixture *w, const split_request *request)
{
    char text[1024];
    int ends[2];
    split_check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "socketpair");
    split_check(rc_loop_adopt(w->gateway_loop, ends[1]), "adopt");
    http_client_use(&w->client, ends[0]);
    const int len = snprintf(text, sizeof text,
                             "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                             request->path, strlen(request->body), request->body);
    http_client_send(&w->client, rc_str_make(text, (size_t)len));
}

/* Runs one turn of the loop. Returns false if the client has its response. */
static inline bool split_turn(split_fixture *w)
{
    http_client_read(&w->client);
    if (w->client.is_at_end)
        return false;
    (void)uv_run(&w->loop, UV_RUN_ONCE);
    return true;
}

/* Adds the status and the body to the result, without the chunks, whose ends depend on the
 * pieces. */
static inline void split_push_wire(split_fixture *w)
{
    rc_http1 reader;
    rc_str bytes = rc_str_make(w->client.got, w->client.got_len);
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    if (rc_http1_read_head(&reader, bytes) != RC_HTTP1_HEAD) {
        split_line(&w->result, "no head", bytes);
        return;
    }
    split_number(&w->result, "client status", rc_http1_status(&reader));
    split_line(&w->result, "client type",
               rc_http1_find(&reader, bytes.ptr, RC_STR("content-type")));
    bytes = rc_str_slice(bytes, reader.head_bytes, bytes.len);
    rc_http1_event event = RC_HTTP1_BODY;
    while (reader.framing != RC_HTTP1_NO_BODY &&
           (event = rc_http1_read_body(&reader, &bytes)) != RC_HTTP1_FAULT &&
           event != RC_HTTP1_END && (event == RC_HTTP1_BODY || bytes.len > 0))
        if (event == RC_HTTP1_BODY)
            rc_buf_push(&w->result, reader.body);
    split_number(&w->result, "\nclient has the end",
                 event == RC_HTTP1_END || rc_http1_close(&reader) == RC_HTTP1_END);
}

/* ---- the provider ---- */

static inline void split_drain(int fd)
{
    char piece[8192];
    while (recv(fd, piece, sizeof piece, MSG_DONTWAIT) > 0)
        continue;
}

/* Sends a piece and waits until the gateway has read it. Returns false if the gateway reads no
 * further bytes. */
static inline bool split_send(split_fixture *w, rc_str piece)
{
    int unread = 0;
    while (piece.len > 0) {
        split_drain(w->provider);
        const ssize_t sent = send(w->provider, piece.ptr, piece.len, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN)
            return false;
        piece = rc_str_slice(piece, sent > 0 ? (size_t)sent : 0, piece.len);
        do {
            if (!split_turn(w))
                return false;
            split_check(ioctl(w->provider, SIOCOUTQ, &unread) == 0, "SIOCOUTQ");
        } while (unread > 0);
    }
    return true;
}

/* Sends the response in pieces that begin at the given ascending offsets. Returns the result; the
 * caller frees it with rc_buf_done. */
static inline rc_buf split_run(const split_request *request, rc_str response, const size_t *cuts,
                               size_t cut_count)
{
    static split_fixture w;
    rc_sys_calls calls = rc_sys_real;
    size_t at = 0;
    bool goes_on = true;
    calls.clock_realtime = split_clock;
    calls.getrandom = split_random;
    split_begin(&w, &calls);
    split_send_request(&w, request);
    while (w.provider < 0 && goes_on)
        goes_on = split_turn(&w);
    for (size_t i = 0; i <= cut_count && goes_on; i++) {
        const size_t end = i < cut_count ? cuts[i] : response.len;
        goes_on = split_send(&w, rc_str_slice(response, at, end));
        at = end;
    }
    if (w.provider >= 0) {
        split_drain(w.provider);
        (void)shutdown(w.provider, SHUT_WR);
    }
    while (split_turn(&w))
        continue;
    split_push_wire(&w);
    split_number(&w.result, "connections", w.connected);
    split_end(&w);
    split_check(rc_buf_status(&w.result) == RC_OK, "the result does not fit");
    return w.result;
}

#endif
