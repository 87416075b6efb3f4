/* An HTTP client in the event loop of the server under test: one socket, which is read between the
 * turns of the loop. */
#ifndef RC_SUPPORT_HTTP_CLIENT_H
#define RC_SUPPORT_HTTP_CLIENT_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "base/str.h"

typedef struct http_client {
    int fd;         /* socket; -1: closed */
    bool is_at_end; /* The connection has ended. */
    bool is_reset;  /* The connection has ended with a reset. */
    size_t got_len;
    size_t got_max; /* Size of `got` in bytes; 0: the client does not read. */
    char *got;      /* The bytes that the server sent, and a NUL. */
} http_client;

/* Initialises a client. space: borrows memory for the bytes that arrive. */
static inline void http_client_init(http_client *c, char *space, size_t size)
{
    *c = (http_client){.fd = -1, .is_at_end = true, .got_max = size - 1, .got = space};
    c->got[0] = '\0';
}

static inline void http_client_close(http_client *c)
{
    if (c->fd >= 0)
        (void)close(c->fd);
    c->fd = -1;
    c->is_at_end = true;
}

/* Uses a connected socket from now on. fd: takes ownership. */
static inline void http_client_use(http_client *c, int fd)
{
    http_client_close(c);
    c->fd = fd;
    c->is_at_end = false;
    c->is_reset = false;
    c->got_len = 0;
    c->got[0] = '\0';
}

/* Connects to 127.0.0.1. receive_bytes: SO_RCVBUF; 0: the system's default. */
static inline int http_client_dial(uint16_t port, int receive_bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_bytes > 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        abort();
    }
    return fd;
}

static inline void http_client_send(const http_client *c, rc_str bytes)
{
    const ssize_t sent = send(c->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    (void)sent; /* a failure is ignored, because the server may have closed the connection */
}

/* Reads the bytes that have arrived. */
static inline void http_client_read(http_client *c)
{
    while (!c->is_at_end && c->got_len < c->got_max) {
        const ssize_t got = recv(c->fd, c->got + c->got_len, c->got_max - c->got_len, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            c->is_at_end = true;
            c->is_reset = got < 0;
            return;
        }
        c->got_len += (size_t)got;
        c->got[c->got_len] = '\0';
    }
}

/* Runs one turn of the loop. If neither side has anything to do, waits for a millisecond. */
static inline void http_client_turn(const http_client *c, uv_loop_t *loop)
{
    (void)uv_run(loop, UV_RUN_NOWAIT);
    struct pollfd polled[2] = {{.fd = c->fd, .events = POLLIN},
                               {.fd = uv_backend_fd(loop), .events = POLLIN}};
    if (c->is_at_end || c->got_len >= c->got_max)
        polled[0].fd = -1;
    (void)poll(polled, 2, 1);
}

/* Reads until the server closes the connection. */
static inline void http_client_read_all(http_client *c, uv_loop_t *loop)
{
    for (http_client_read(c); !c->is_at_end; http_client_read(c)) {
        if (c->got_len == c->got_max) {
            fputs("the response does not fit\n", stderr);
            abort();
        }
        http_client_turn(c, loop);
    }
}

/* Returns how often the received bytes contain this text. */
static inline int http_client_count(const http_client *c, const char *text)
{
    const size_t len = strlen(text);
    int count = 0;
    for (size_t i = 0; i + len <= c->got_len; i++)
        count += memcmp(c->got + i, text, len) == 0;
    return count;
}

/* Returns the status of the first response; 0 if none has arrived. */
static inline int http_client_status(const http_client *c)
{
    return strncmp(c->got, "HTTP/1.1 ", 9) == 0 ? (int)strtol(c->got + 9, NULL, 10) : 0;
}

#endif
