/* The admin interface and a client of it in one loop, on real sockets. */
#ifndef RC_SUPPORT_ADMIN_FIXTURE_H
#define RC_SUPPORT_ADMIN_FIXTURE_H

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "gateway/admin/server.h"
#include "support/admin_source.h"
#include "support/fail_alloc.h"

#define PATIENCE 20000
#define GOT_MAX ((size_t)4 << 20)
#define OWN " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
#define MARK "x-recourse-admin: 1\r\n"

static struct admin_fixture {
    uv_loop_t loop;
    rc_admin *admin; /* NULL: it has stopped */
    rc_metrics *metrics;
    rc_listening listening;
    fail_alloc memory;
    fake_source fake;
    int fd; /* of the client; -1: none */
    bool is_at_end;
    size_t got_len;
    char got[GOT_MAX];
} fixture;

static inline void fixture_on_stopped(void *ctx)
{
    (void)ctx;
    fixture.admin = NULL;
}

/* False: there was no memory. */
static inline bool fixture_try_start(const char *token)
{
    rc_alloc alloc = fail_alloc_of(&fixture.memory);
    fixture.fake = (fake_source){.is_ready = true, .generation = 1};
    fixture.fd = -1;
    fixture.is_at_end = true;
    fixture.got_len = 0;
    fixture.got[0] = '\0';
    assert_int_equal(uv_loop_init(&fixture.loop), 0);
    fixture.metrics = rc_metrics_new(&alloc, 1);
    const rc_admin_settings settings = {.alloc = alloc,
                                        .calls = &rc_sys_real,
                                        .source = fake_source_of(&fixture.fake),
                                        .metrics = fixture.metrics,
                                        .token = rc_secret_make(rc_str_c(token)),
                                        .host = RC_STR("127.0.0.1")};
    if (fixture.metrics != NULL)
        fixture.admin = rc_admin_new(&fixture.loop, &settings, fixture_on_stopped, NULL);
    return fixture.admin != NULL &&
           rc_admin_listen(fixture.admin, "127.0.0.1", 0, &fixture.listening) == RC_LISTEN_OK;
}

static inline void fixture_start(const char *token)
{
    fixture.memory = (fail_alloc){0};
    assert_true(fixture_try_start(token));
}

static inline void turn(void)
{
    uv_run(&fixture.loop, UV_RUN_NOWAIT);
    struct pollfd polled[2] = {{.fd = fixture.is_at_end ? -1 : fixture.fd, .events = POLLIN},
                               {.fd = uv_backend_fd(&fixture.loop), .events = POLLIN}};
    (void)poll(polled, 2, 1);
    while (!fixture.is_at_end && fixture.got_len < GOT_MAX - 1) {
        const ssize_t got = recv(fixture.fd, fixture.got + fixture.got_len,
                                 GOT_MAX - 1 - fixture.got_len, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got <= 0)
            fixture.is_at_end = true;
        else
            fixture.got_len += (size_t)got;
    }
    fixture.got[fixture.got_len] = '\0';
}

#define UNTIL(condition)                                                  \
    do {                                                                  \
        int turns_left = PATIENCE;                                        \
        while (!(condition) && turns_left-- > 0)                          \
            turn();                                                       \
        if (!(condition))                                                 \
            fail_msg("never: %s; got: %.2000s", #condition, fixture.got); \
    } while (0)

static inline void client_close(void)
{
    if (fixture.fd >= 0)
        close(fixture.fd);
    fixture.fd = -1;
    fixture.is_at_end = true;
}

static inline int client_dial(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(fixture.listening.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static inline void client_open(void)
{
    client_close();
    fixture.fd = client_dial();
    fixture.got_len = 0;
    fixture.got[0] = '\0';
    fixture.is_at_end = false;
}

static inline void client_send(const char *text, size_t len)
{
    const ssize_t sent = send(fixture.fd, text, len, MSG_NOSIGNAL);
    (void)sent; /* it may have been refused already */
}

/* Is a whole answer with a length there? */
static inline bool has_response(void)
{
    const char *end = strstr(fixture.got, "\r\n\r\n");
    const char *length = strstr(fixture.got, "Content-Length: ");
    if (end == NULL || length == NULL || length > end)
        return fixture.is_at_end;
    return fixture.got_len - (size_t)(end + 4 - fixture.got) >= strtoul(length + 16, NULL, 10) ||
           fixture.is_at_end;
}

/* One request on a connection of its own; gives the status, 0 when there was no answer. */
static inline int send_request(const char *text)
{
    client_open();
    client_send(text, strlen(text));
    UNTIL(has_response());
    return strncmp(fixture.got, "HTTP/1.1 ", 9) == 0 ? (int)strtol(fixture.got + 9, NULL, 10) : 0;
}

static inline bool got(const char *text)
{
    return strstr(fixture.got, text) != NULL;
}

static inline void fixture_end(void)
{
    client_close();
    if (fixture.admin != NULL)
        rc_admin_close(fixture.admin);
    UNTIL(fixture.admin == NULL);
    uv_run(&fixture.loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture.loop), 0);
    rc_metrics_free(fixture.metrics);
    fixture.metrics = NULL;
    assert_int_equal(fixture.memory.live, 0);
    assert_false(fixture.memory.is_broken);
}

#endif
