/* Scripted servers on 127.0.0.1, with one thread per connection, plain or TLS; and an upstream
 * client with a recorder for each of its calls. */
#ifndef TESTS_SUPPORT_UPSTREAM_PEER_H
#define TESTS_SUPPORT_UPSTREAM_PEER_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "net/client/upstream.h"

#define PEER_CONNECTIONS_MAX 512

typedef struct peer peer;

typedef struct peer_conn {
    peer *of;
    int fd;
    SSL *ssl;  /* TLS state; NULL: plain. */
    int index; /* Number of the connection, from 0, in the order of arrival. */
    pthread_t thread;
    char bytes[8192]; /* Bytes of the latest request. */
    size_t len;
    size_t request_len;
    bool is_cut; /* The connection ends with a reset. */
} peer_conn;

struct peer {
    int fd;
    uint16_t port;
    SSL_CTX *tls;                    /* TLS context; NULL: plain. */
    void (*script)(peer_conn *conn); /* Runs in the connection's thread; the connection is closed
                                        when it returns. */
    void *ctx;
    size_t number; /* A parameter for the script. */
    atomic_int requests;
    atomic_int open;
    atomic_int most; /* Maximum number of connections that were open at one time. */
    atomic_bool go;  /* A flag for which a script may wait. */
    pthread_t thread;
    atomic_int count;
    peer_conn *conns[PEER_CONNECTIONS_MAX];
};

static inline ssize_t peer_read(peer_conn *conn, void *bytes, size_t size)
{
    if (conn->ssl != NULL)
        return SSL_read(conn->ssl, bytes, (int)size);
    return recv(conn->fd, bytes, size, 0);
}

static inline bool peer_write(peer_conn *conn, const void *bytes, size_t len)
{
    if (len == 0)
        return true;
    if (conn->ssl != NULL)
        return SSL_write(conn->ssl, bytes, (int)len) == (int)len;
    const char *at = bytes;
    while (len > 0) {
        ssize_t sent = send(conn->fd, at, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        at += sent;
        len -= (size_t)sent;
    }
    return true;
}

static inline bool peer_say(peer_conn *conn, const char *text)
{
    return peer_write(conn, text, strlen(text));
}

/* Reads one request, whose body has the length in Content-Length. Returns false if the client has
 * disconnected. */
static inline bool peer_read_request(peer_conn *conn)
{
    size_t need = 0;
    memmove(conn->bytes, conn->bytes + conn->request_len, conn->len - conn->request_len);
    conn->len -= conn->request_len;
    conn->request_len = 0;
    while (true) {
        const char *end = memmem(conn->bytes, conn->len, "\r\n\r\n", 4);
        if (end != NULL && need == 0) {
            const char *length = memmem(conn->bytes, conn->len, "content-length: ", 16);
            need = (size_t)(end + 4 - conn->bytes);
            need += length != NULL && length < end ? strtoul(length + 16, NULL, 10) : 0;
        }
        if (end != NULL && conn->len >= need)
            break;
        ssize_t got = peer_read(conn, conn->bytes + conn->len, sizeof(conn->bytes) - conn->len);
        if (got <= 0)
            return false;
        conn->len += (size_t)got;
    }
    conn->request_len = need;
    atomic_fetch_add(&conn->of->requests, 1);
    return true;
}

/* Reads until the client closes the connection. */
static inline void peer_drain(peer_conn *conn)
{
    char bytes[65536];
    while (peer_read(conn, bytes, sizeof(bytes)) > 0)
        continue;
}

static inline void peer_wait(const peer *of)
{
    while (!atomic_load(&of->go))
        usleep(500);
}

static inline void peer_cut(peer_conn *conn)
{
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    conn->is_cut = true;
}

static void *peer_serve(void *ctx)
{
    peer_conn *conn = ctx;
    int now = atomic_fetch_add(&conn->of->open, 1) + 1;
    int most = atomic_load(&conn->of->most);
    while (now > most && !atomic_compare_exchange_weak(&conn->of->most, &most, now))
        continue;
    bool is_ready = true;
    if (conn->of->tls != NULL) {
        conn->ssl = SSL_new(conn->of->tls);
        SSL_set_fd(conn->ssl, conn->fd);
        is_ready = SSL_accept(conn->ssl) == 1;
    }
    if (is_ready)
        conn->of->script(conn);
    if (is_ready && conn->ssl != NULL && !conn->is_cut)
        SSL_shutdown(conn->ssl);
    SSL_free(conn->ssl);
    if (!conn->is_cut)
        shutdown(conn->fd, SHUT_WR);
    close(conn->fd);
    atomic_fetch_sub(&conn->of->open, 1); /* The peer learns of the close without delay, because the
                                             socket is local. */
    return NULL;
}

static void *peer_accept(void *ctx)
{
    peer *of = ctx;
    while (of->count < PEER_CONNECTIONS_MAX) {
        int fd = accept(of->fd, NULL, NULL);
        if (fd < 0 && errno == EMFILE) {
            usleep(500);
            continue;
        }
        if (fd < 0)
            return NULL;
        peer_conn *conn = calloc(1, sizeof(*conn));
        conn->of = of;
        conn->fd = fd;
        conn->index = of->count;
        of->conns[of->count++] = conn;
        pthread_create(&conn->thread, NULL, peer_serve, conn);
    }
    return NULL;
}

static inline int peer_bind(uint16_t *ret_port, int backlog)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, backlog) != 0)
        abort();
    getsockname(fd, (struct sockaddr *)&address, &len);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

static inline void peer_start(peer *of, void (*script)(peer_conn *conn))
{
    of->script = script;
    of->fd = peer_bind(&of->port, 512);
    pthread_create(&of->thread, NULL, peer_accept, of);
}

/* Stops the servers. The clients must have closed their connections, or the scripts must end by
 * themselves. */
static inline void peer_stop(peer *of)
{
    atomic_store(&of->go, true);
    shutdown(of->fd, SHUT_RDWR);
    pthread_join(of->thread, NULL);
    close(of->fd);
    for (int i = 0; i < of->count; i++) {
        pthread_join(of->conns[i]->thread, NULL);
        free(of->conns[i]);
    }
}

/* A script: sends the response in ctx to each request until the client closes the connection. */
static inline void peer_repeat(peer_conn *conn)
{
    while (peer_read_request(conn))
        if (!peer_say(conn, conn->of->ctx))
            return;
}

/* The client, with its event loop and allocator. */
typedef struct fixture {
    uv_loop_t loop;
    rc_upstream_settings settings;
    rc_upstream *upstream;
    bool is_closed;
} fixture;

typedef struct probe {
    fixture *of;
    rc_upstream_call call;
    int heads;
    int status;
    bool was_reused;
    char type[64]; /* Content-Type of the response head. */
    size_t body_len;
    char body[1024];
    int pieces;
    int ends;
    bool is_kept;
    int failures;
    rc_upstream_failure failure;
    int drains;
    bool cancels_in_head;
    bool cancels_in_body;
    bool pauses_in_body;
    char head[256];
    char detail[RC_UPSTREAM_DETAIL_BYTES + 1]; /* Copy of the failure's detail; ends in NUL. */
} probe;

static inline void fixture_open(fixture *w)
{
    signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&w->loop);
    if (w->settings.alloc.get == NULL)
        w->settings = rc_upstream_settings_default();
    w->is_closed = false;
    if (rc_upstream_new(&w->loop, &w->settings, &w->upstream) != RC_OK)
        abort();
}

static inline void fixture_on_closed(void *ctx)
{
    ((fixture *)ctx)->is_closed = true;
}

/* Closes the client. Returns whether all handles are closed and all memory is freed. */
static inline bool fixture_close(fixture *w)
{
    rc_upstream_close(w->upstream, fixture_on_closed, w);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    return uv_loop_close(&w->loop) == 0 && w->is_closed;
}

static inline void probe_on_head(void *ctx, const rc_upstream_head *head)
{
    probe *p = ctx;
    /* The call is cancelled first, so that the head is read after the call has ended. */
    if (p->cancels_in_head)
        rc_upstream_cancel(&p->call);
    p->heads++;
    p->status = head->status;
    p->was_reused = head->was_reused;
    const rc_str type = rc_http1_find(head->reader, head->bytes, RC_STR("content-type"));
    snprintf(p->type, sizeof(p->type), "%.*s", (int)type.len, type.ptr);
}

static inline void probe_on_body(void *ctx, rc_str piece)
{
    probe *p = ctx;
    /* The call is cancelled first, as in probe_on_head. */
    if (p->cancels_in_body)
        rc_upstream_cancel(&p->call);
    size_t space = sizeof(p->body) - 1 - (p->body_len < sizeof(p->body) ? p->body_len : 0);
    if (p->body_len + piece.len < sizeof(p->body) && piece.len <= space)
        memcpy(p->body + p->body_len, piece.ptr, piece.len);
    p->body_len += piece.len;
    p->pieces++;
    if (p->pauses_in_body)
        rc_upstream_pause(&p->call);
}

static inline void probe_on_end(void *ctx, bool is_kept)
{
    probe *p = ctx;
    p->ends++;
    p->is_kept = is_kept;
}

static inline void probe_on_failure(void *ctx, const rc_upstream_failure *failure)
{
    probe *p = ctx;
    p->failures++;
    p->failure = *failure;
    memset(p->detail, 0, sizeof(p->detail));
    if (failure->detail.len > 0)
        memcpy(p->detail, failure->detail.ptr, failure->detail.len);
    p->failure.detail = rc_str_c(p->detail);
}

static inline void probe_on_drained(void *ctx)
{
    ((probe *)ctx)->drains++;
}

static const rc_upstream_handler probe_handler = {
    .on_head = probe_on_head,
    .on_body = probe_on_body,
    .on_end = probe_on_end,
    .on_failure = probe_on_failure,
    .on_drained = probe_on_drained,
};

static inline rc_origin origin_at(const char *scheme, const char *host, uint16_t port)
{
    char url[128];
    rc_origin origin;
    snprintf(url, sizeof(url), "%s://%s:%u/v1", scheme, host, (unsigned)port);
    const char *why =
        rc_origin_parse(rc_str_c(url), (rc_origin_options){.insecure = true}, &origin);
    if (why != NULL) {
        fprintf(stderr, "%s: %s\n", url, why);
        abort();
    }
    return origin;
}

/* Sends a request. The timeout of each step is 10 s, unless the request sets other limits. */
static inline rc_upstream_kind probe_send(probe *p, fixture *w, const rc_origin *origin,
                                          rc_upstream_request request)
{
    p->of = w;
    if (request.head.len == 0) {
        int len = snprintf(p->head, sizeof(p->head),
                           "POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: %zu\r\n\r\n",
                           request.body.len);
        request.head = rc_str_make(p->head, (size_t)len);
    }
    uint32_t *limits[] = {&request.connect_ms, &request.first_byte_ms, &request.idle_ms};
    for (size_t i = 0; i < 3; i++)
        if (*limits[i] == 0)
            *limits[i] = 10000;
    return rc_upstream_start(&p->call, w->upstream, origin, &request, &probe_handler, p);
}

static inline rc_upstream_kind probe_start(probe *p, fixture *w, const rc_origin *origin)
{
    return probe_send(p, w, origin, (rc_upstream_request){.body = RC_STR("{}")});
}

static inline bool probe_is_over(const probe *p)
{
    return p->ends + p->failures > 0;
}

/* Runs the loop until the call has ended. The alarm signal ends a test that hangs. */
static inline void probe_wait(probe *p)
{
    while (!probe_is_over(p))
        uv_run(&p->of->loop, UV_RUN_ONCE);
}

static inline void probe_run(probe *p, fixture *w, const rc_origin *origin)
{
    if (probe_start(p, w, origin) != RC_UPSTREAM_NONE)
        abort();
    probe_wait(p);
}

/* Returns a byte that depends only on its position. */
static inline char peer_pattern(size_t at)
{
    return (char)(at * 7 + (at >> 8));
}

/* A script: sends the response in ctx if of->number bytes of exactly the pattern arrive after the
 * head, otherwise closes the connection. */
static inline void peer_check_pattern(peer_conn *conn)
{
    static _Thread_local char bytes[65536];
    size_t got = 0;
    int head = 0;
    while (got < conn->of->number) {
        ssize_t len = peer_read(conn, bytes, sizeof(bytes));
        if (len <= 0)
            return;
        for (ssize_t i = 0; i < len; i++) {
            if (head < 4)
                head = bytes[i] == "\r\n\r\n"[head] ? head + 1 : bytes[i] == '\r';
            else if (bytes[i] != peer_pattern(got++))
                return;
        }
    }
    peer_say(conn, conn->of->ctx);
    peer_drain(conn);
}

#endif
