/* The provider of the gateway benchmark: listeners and the schedule of streams. Called by
 * main.c. */
#define _GNU_SOURCE /* accept4, memmem */
#include "upstream.h"

#include "message.h"
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096

typedef struct listener {
    bench_watch watch;
    bench_upstream *upstream;
    bench_service service;
} listener;

const char *bench_service_name(bench_service service)
{
    static const char *const names[BENCH_SERVICES] = {
        [BENCH_OK] = "ok",     [BENCH_TLS] = "tls",   [BENCH_BUSY] = "busy",  [BENCH_SSE] = "sse",
        [BENCH_HOLD] = "hold", [BENCH_MUTE] = "mute", [BENCH_FLOOD] = "flood"};
    return names[service];
}

static void on_connection(bench_watch *watch, uint32_t events)
{
    (void)events;
    listener *from = (listener *)watch;
    for (;;) {
        int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0)
            return;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (!bench_peer_new(from->upstream, from->service, fd))
            close(fd);
    }
}

static bool listen_for(bench_upstream *upstream, bench_service service)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    listener *from = calloc(1, sizeof *from);
    if (from == NULL)
        return false;
    *from =
        (listener){.watch = {.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                             .on_ready = on_connection},
                   .upstream = upstream,
                   .service = service};
    if (from->watch.fd < 0 || bind(from->watch.fd, (struct sockaddr *)&address, len) != 0 ||
        listen(from->watch.fd, BACKLOG) != 0 ||
        getsockname(from->watch.fd, (struct sockaddr *)&address, &len) != 0 ||
        !bench_loop_add(upstream->loop, &from->watch, EPOLLIN)) {
        perror("bench_gateway: listen");
        free(from);
        return false;
    }
    upstream->ports[service] = ntohs(address.sin_port);
    return true;
}

static SSL_CTX *tls_new(const char *certificate, const char *key)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    if (tls == NULL || SSL_CTX_use_certificate_chain_file(tls, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1) {
        fprintf(stderr, "bench_gateway: %s and %s are no certificate and key\n", certificate, key);
        SSL_CTX_free(tls);
        return NULL;
    }
    return tls;
}

bool bench_upstream_init(bench_upstream *upstream, bench_loop *loop, const char *certificate,
                         const char *key)
{
    *upstream = (bench_upstream){.loop = loop,
                                 .sse_chunks = 100,
                                 .sse_interval_ns = 20000000,
                                 .flood_bytes = UINT64_C(64) << 20};
    if (certificate != NULL && (upstream->tls = tls_new(certificate, key)) == NULL)
        return false;
    for (bench_service service = 0; service < BENCH_SERVICES; service++) {
        if (service == BENCH_TLS && upstream->tls == NULL)
            continue;
        if (!listen_for(upstream, service))
            return false;
    }
    return true;
}

void bench_upstream_step(bench_upstream *upstream)
{
    upstream->loop->wake_at_ns = UINT64_MAX;
    uint64_t now_ns = bench_clock_ns();
    while (upstream->first != NULL && bench_peer_due_ns(upstream->first) <= now_ns)
        bench_peer_on_due(upstream->first);
    if (upstream->first != NULL)
        upstream->loop->wake_at_ns = bench_peer_due_ns(upstream->first);
}
