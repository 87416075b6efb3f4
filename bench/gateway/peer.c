/* One connection of the benchmark's provider: reads requests and sends responses. Called by
 * upstream.c. */
#define _GNU_SOURCE /* memmem */
#include "peer.h"

#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define READ_BYTES 65536
#define FLOOD_EVENTS 64

typedef struct bench_peer {
    bench_watch watch;
    bench_upstream *upstream;
    bench_service service;
    SSL *ssl;
    bool is_open; /* A request waits for its response, or the response is being sent. */
    bool is_queued;
    uint32_t chunks_left;
    uint64_t flood_left;
    size_t flood_at; /* Bytes of the current piece that are already sent. */
    uint64_t due_ns;
    struct bench_peer *next;
    struct bench_peer *prev;
    bench_message request;
} bench_peer;

#define RENAMED "\"bench-renamed\""

/* About 0.5 KB, the size of a short chat completion. */
#define RESPONSE_BODY                                                                              \
    "{\"id\":\"chatcmpl-bench0123456789\",\"object\":\"chat.completion\",\"created\":1700000000,"  \
    "\"model\":\"bench-plain\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","     \
    "\"content\":\"The quick brown fox jumps over the lazy dog while the upstream of a benchmark " \
    "answers as fast as it can, which is all that anybody ever asked of it.\"},"                   \
    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":210,\"completion_tokens\":30,"      \
    "\"total_tokens\":240},\"system_fingerprint\":\"fp_bench\"}"
#define BUSY_BODY                                                                             \
    "{\"error\":{\"message\":\"The engine is currently overloaded, please try again later\"," \
    "\"type\":\"server_error\",\"param\":null,\"code\":null}}"
#define EVENT                                                                             \
    "data: {\"id\":\"chatcmpl-bench0123456789\",\"object\":\"chat.completion.chunk\","    \
    "\"created\":1700000000,\"model\":\"bench-sse\",\"choices\":[{\"index\":0,\"delta\":" \
    "{\"content\":\" fox\"},\"finish_reason\":null}]}\n\n"
#define LAST_EVENTS                                                                          \
    "data: {\"id\":\"chatcmpl-bench0123456789\",\"object\":\"chat.completion.chunk\","       \
    "\"created\":1700000000,\"model\":\"bench-sse\",\"choices\":[{\"index\":0,\"delta\":{}," \
    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
#define STREAM_HEAD                                                                     \
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n" \
    "transfer-encoding: chunked\r\n\r\n"

/* The responses as they are sent, built once. */
static struct {
    bool is_made;
    char ok[1024], busy[1024], event[512], last[512], flood[READ_BYTES];
    size_t ok_len, busy_len, event_len, last_len, flood_len;
} wire;

static size_t make(char *to, size_t size, const char *status, const char *body)
{
    return (size_t)snprintf(to, size,
                            "HTTP/1.1 %s\r\ncontent-type: application/json\r\n"
                            "x-request-id: req_bench0123456789\r\ncontent-length: %zu\r\n\r\n%s",
                            status, strlen(body), body);
}

static size_t make_chunk(char *to, size_t size, const char *body, const char *after)
{
    return (size_t)snprintf(to, size, "%zx\r\n%s\r\n%s", strlen(body), body, after);
}

static void make_wire(void)
{
    if (wire.is_made)
        return;
    wire.is_made = true;
    wire.ok_len = make(wire.ok, sizeof wire.ok, "200 OK", RESPONSE_BODY);
    wire.busy_len = make(wire.busy, sizeof wire.busy, "503 Service Unavailable", BUSY_BODY);
    wire.event_len = make_chunk(wire.event, sizeof wire.event, EVENT, "");
    wire.last_len = make_chunk(wire.last, sizeof wire.last, LAST_EVENTS, "0\r\n\r\n");
    for (size_t i = 0; i < FLOOD_EVENTS; i++) {
        memcpy(wire.flood + wire.flood_len, wire.event, wire.event_len);
        wire.flood_len += wire.event_len;
    }
}

static bench_counts *counts(bench_peer *peer)
{
    return &peer->upstream->counts[peer->service];
}

static void unqueue(bench_peer *peer)
{
    if (!peer->is_queued)
        return;
    bench_upstream *u = peer->upstream;
    *(peer->prev != NULL ? &peer->prev->next : &u->first) = peer->next;
    *(peer->next != NULL ? &peer->next->prev : &u->last) = peer->prev;
    peer->is_queued = false;
}

/* Inserts the peer by its due time, usually at the end, because all streams have the same pace. */
static void queue(bench_peer *peer, uint64_t due_ns)
{
    bench_upstream *u = peer->upstream;
    bench_peer *before = u->last;
    while (before != NULL && before->due_ns > due_ns)
        before = before->prev;
    peer->due_ns = due_ns;
    peer->is_queued = true;
    peer->prev = before;
    peer->next = before != NULL ? before->next : u->first;
    *(peer->next != NULL ? &peer->next->prev : &u->last) = peer;
    *(before != NULL ? &before->next : &u->first) = peer;
    if (peer == u->first)
        u->loop->wake_at_ns = due_ns;
}

static void set_open(bench_peer *peer, bool is_open)
{
    if (peer->is_open == is_open)
        return;
    peer->is_open = is_open;
    if (is_open)
        counts(peer)->open++;
    else
        counts(peer)->open--;
}

static void peer_close(bench_peer *peer)
{
    if (peer->is_open) {
        counts(peer)->gone++;
        counts(peer)->last_gone_ns = bench_clock_ns();
    }
    set_open(peer, false);
    unqueue(peer);
    SSL_free(peer->ssl);
    peer->ssl = NULL;
    bench_loop_close(peer->upstream->loop, &peer->watch);
}

/* Sends data that is small enough for any socket buffer. */
static bool send_all(bench_peer *peer, const char *bytes, size_t len)
{
    ssize_t sent = peer->ssl != NULL ? SSL_write(peer->ssl, bytes, (int)len)
                                     : send(peer->watch.fd, bytes, len, MSG_NOSIGNAL);
    if (sent == (ssize_t)len)
        return true;
    counts(peer)->failed_writes++;
    peer_close(peer);
    return false;
}

static void on_response_sent(bench_peer *peer)
{
    set_open(peer, false);
    bench_message_reset(&peer->request);
}

static void send_event(bench_peer *peer)
{
    counts(peer)->chunks++;
    counts(peer)->body_bytes += sizeof EVENT - 1;
    send_all(peer, wire.event, wire.event_len);
}

uint64_t bench_peer_due_ns(const bench_peer *peer)
{
    return peer->due_ns;
}

void bench_peer_on_due(bench_peer *peer)
{
    uint64_t next_ns = peer->due_ns + peer->upstream->sse_interval_ns;
    unqueue(peer);
    if (peer->chunks_left > 0) {
        peer->chunks_left--;
        queue(peer, next_ns);
        send_event(peer);
        return;
    }
    counts(peer)->chunks++;
    counts(peer)->body_bytes += sizeof LAST_EVENTS - 1;
    if (send_all(peer, wire.last, wire.last_len))
        on_response_sent(peer);
}

static void flood(bench_peer *peer)
{
    while (peer->flood_left > 0) {
        ssize_t sent = send(peer->watch.fd, wire.flood + peer->flood_at,
                            wire.flood_len - peer->flood_at, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            bench_loop_change(peer->upstream->loop, &peer->watch, EPOLLIN | EPOLLOUT);
            return;
        }
        if (sent < 0) {
            peer_close(peer);
            return;
        }
        counts(peer)->body_bytes += (uint64_t)sent;
        peer->flood_at = (peer->flood_at + (size_t)sent) % wire.flood_len;
        if (peer->flood_at == 0)
            peer->flood_left -=
                wire.flood_len < peer->flood_left ? wire.flood_len : peer->flood_left;
    }
    bench_loop_change(peer->upstream->loop, &peer->watch, EPOLLIN);
    if (send_all(peer, wire.last, wire.last_len))
        on_response_sent(peer);
}

static void begin_stream(bench_peer *peer)
{
    bench_upstream *u = peer->upstream;
    peer->chunks_left = u->sse_chunks;
    uint64_t phase = u->streams++ * 7919 % 1000 * u->sse_interval_ns / 1000;
    if (send_all(peer, STREAM_HEAD, sizeof STREAM_HEAD - 1))
        queue(peer, u->loop->now_ns + phase);
}

/* Called when the whole request has been received. */
static void send_response(bench_peer *peer)
{
    bench_message *request = &peer->request;
    counts(peer)->requests++;
    counts(peer)->request_bytes += request->body_bytes;
    if (memmem(request->start, request->start_bytes, RENAMED, sizeof RENAMED - 1) != NULL)
        counts(peer)->renamed++;
    set_open(peer, true);
    switch (peer->service) {
    case BENCH_OK:
    case BENCH_TLS:
        if (send_all(peer, wire.ok, wire.ok_len))
            on_response_sent(peer);
        return;
    case BENCH_BUSY:
        if (send_all(peer, wire.busy, wire.busy_len))
            on_response_sent(peer);
        return;
    case BENCH_SSE:
        begin_stream(peer);
        return;
    case BENCH_HOLD:
        if (send_all(peer, STREAM_HEAD, sizeof STREAM_HEAD - 1))
            send_event(peer);
        return;
    case BENCH_FLOOD:
        peer->flood_left = peer->upstream->flood_bytes;
        peer->flood_at = 0;
        if (send_all(peer, STREAM_HEAD, sizeof STREAM_HEAD - 1))
            flood(peer);
        return;
    case BENCH_MUTE:
    case BENCH_SERVICES:
        return;
    }
}

static void on_bytes(bench_peer *peer, const char *bytes, size_t len)
{
    while (len > 0 && peer->watch.fd >= 0 && !peer->is_open) {
        size_t taken = bench_message_push(&peer->request, bytes, len);
        bytes += taken;
        len -= taken;
        if (peer->request.state == BENCH_WRONG)
            peer_close(peer);
        else if (peer->request.state == BENCH_WHOLE)
            send_response(peer);
    }
}

/* Reads available data. Returns false when there is none or the connection has ended. */
static bool read_some(bench_peer *peer, char *bytes)
{
    ssize_t got;
    if (peer->ssl != NULL) {
        got = SSL_read(peer->ssl, bytes, READ_BYTES);
        int why = got > 0 ? SSL_ERROR_NONE : SSL_get_error(peer->ssl, (int)got);
        if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
            return false;
    } else {
        got = recv(peer->watch.fd, bytes, READ_BYTES, 0);
        if (got < 0 && errno == EAGAIN)
            return false;
    }
    if (got <= 0) {
        peer_close(peer);
        return false;
    }
    on_bytes(peer, bytes, (size_t)got);
    return peer->watch.fd >= 0 && (peer->ssl != NULL || got == READ_BYTES);
}

static void on_ready(bench_watch *watch, uint32_t events)
{
    static char bytes[READ_BYTES];
    bench_peer *peer = (bench_peer *)watch;
    if ((events & EPOLLOUT) != 0)
        flood(peer);
    if (watch->fd < 0 || (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0)
        return;
    while (read_some(peer, bytes)) {
    }
}

bool bench_peer_new(bench_upstream *upstream, bench_service service, int fd)
{
    make_wire();
    bench_peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL)
        return false;
    peer->watch = (bench_watch){.fd = fd, .on_ready = on_ready};
    peer->upstream = upstream;
    peer->service = service;
    if (service == BENCH_TLS) {
        peer->ssl = SSL_new(upstream->tls);
        if (peer->ssl != NULL) {
            SSL_set_fd(peer->ssl, fd);
            SSL_set_accept_state(peer->ssl);
        }
    }
    if ((service == BENCH_TLS && peer->ssl == NULL) ||
        !bench_loop_add(upstream->loop, &peer->watch, EPOLLIN)) {
        SSL_free(peer->ssl);
        free(peer);
        return false;
    }
    counts(peer)->connections++;
    return true;
}
