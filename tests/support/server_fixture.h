/* A server and its clients in one loop, on real sockets. The handler's reaction depends on the
 * request's target; the events are logged as one line of words.
 *
 *   /hello    "hello", when the request is complete   /echo   the body
 *   /early    "early", at once                        /hold   the test responds itself
 *   /paused   like /hold, with the body paused        /kept   like /hello, with borrowed bytes
 *   /empty    204, with bytes that must not be sent */
#ifndef RC_SUPPORT_SERVER_FIXTURE_H
#define RC_SUPPORT_SERVER_FIXTURE_H

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
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/server/responder.h"
#include "net/server/server.h"
#include "support/fail_alloc.h"

/* Turns of the loop, about a millisecond each when idle. */
#define PATIENCE 20000

#define GOT_MAX ((size_t)16 << 20)

#define HOST " HTTP/1.1\r\nHost: a\r\n"

static struct fixture {
    uv_loop_t loop;
    rc_server server;
    rc_server_settings settings;
    rc_listening listening;
    fail_alloc memory;
    char log[4096];
    size_t log_len;
    char body[1 << 16]; /* Body of the latest request. */
    size_t body_len;
    rc_responder *held;
    int fd;    /* The client's socket. */
    char *got; /* Bytes that the client has read. */
    size_t got_len;
    size_t got_max; /* 0: the client does not read. */
    bool is_at_end; /* The client's connection has ended. */
    bool is_reset;  /* It ended with a reset. */
    bool is_stopped;
    int rcvbuf;  /* SO_RCVBUF of clients; 0: the system's default. */
    int pending; /* Requests that the handler has and that have not ended. */
} fixture;

static inline void note(const char *word, rc_str more)
{
    int space = (int)(sizeof(fixture.log) - fixture.log_len);
    int len = snprintf(fixture.log + fixture.log_len, (size_t)space, "%s%s%.*s",
                       fixture.log_len > 0 ? " " : "", word, (int)more.len, more.ptr);
    if (len > 0 && len < space)
        fixture.log_len += (size_t)len;
}

static inline bool is_target(const rc_responder *x, const char *path)
{
    return rc_str_eq(rc_http1_target(rc_responder_reader(x), rc_responder_head(x)), rc_str_c(path));
}

static void on_request(void *ctx, rc_responder *x, const rc_http1 *reader, const char *head)
{
    (void)ctx;
    fixture.pending++;
    fixture.body_len = 0;
    note("", rc_http1_target(reader, head));
    if (rc_responder_keep_head(x) == NULL) {
        fixture.pending--;
        rc_responder_abort(x);
        return;
    }
    if (is_target(x, "/early"))
        rc_responder_send(x, 200, NULL, 0, RC_STR("early"));
    if (is_target(x, "/hold") || is_target(x, "/paused"))
        fixture.held = x;
    if (is_target(x, "/paused"))
        rc_responder_pause_body(x);
}

static void on_body(void *ctx, rc_responder *x, rc_str piece)
{
    (void)ctx;
    (void)x;
    size_t space = sizeof(fixture.body) - fixture.body_len;
    size_t len = piece.len < space ? piece.len : space;
    memcpy(fixture.body + fixture.body_len, piece.ptr, len);
    fixture.body_len += len;
}

static void on_body_end(void *ctx, rc_responder *x)
{
    static const rc_header fields[] = {{RC_STR_INIT("Content-Type"), RC_STR_INIT("text/plain")}};
    (void)ctx;
    note("whole", RC_STR(""));
    if (is_target(x, "/hello"))
        rc_responder_send(x, 200, fields, 1, RC_STR("hello"));
    if (is_target(x, "/echo"))
        rc_responder_send(x, 200, NULL, 0, rc_str_make(fixture.body, fixture.body_len));
    if (is_target(x, "/empty"))
        rc_responder_send(x, 204, NULL, 0, RC_STR("nothing"));
    if (is_target(x, "/kept")) {
        static char kept[20000];
        memset(kept, 'k', sizeof(kept));
        rc_responder_begin(x, &(rc_response_head){.status = 200, .framing = RC_HTTP1_CHUNKED});
        rc_responder_write_borrowed(x, rc_str_make(kept, sizeof(kept)));
        rc_responder_write_borrowed(x, RC_STR("end"));
        rc_responder_end(x);
    }
}

static void on_drained(void *ctx, rc_responder *x)
{
    (void)ctx;
    (void)x;
    note("drained", RC_STR(""));
}

static void on_done(void *ctx, rc_responder *x)
{
    (void)ctx;
    fixture.pending--;
    if (fixture.held == x)
        fixture.held = NULL;
    note("done", RC_STR(""));
}

static const char *const gone_names[] = {
#define NAME(ID, text) #ID,
    RC_DISCONNECTS(NAME)
#undef NAME
};

static void on_disconnect(void *ctx, rc_responder *x, const rc_disconnect *gone)
{
    (void)ctx;
    fixture.pending--;
    if (fixture.held == x)
        fixture.held = NULL;
    assert_true(gone->text[0] != '\0');
    note("gone:", rc_str_c(gone_names[gone->why]));
}

static void on_stopped(void *ctx)
{
    (void)ctx;
    fixture.is_stopped = true;
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_disconnect = on_disconnect,
    .on_stopped = on_stopped,
};

/* Runs one turn of the loop; waits briefly if the client has nothing to read either. */
static inline void turn(void)
{
    uv_run(&fixture.loop, UV_RUN_NOWAIT);
    struct pollfd polled[2] = {{.fd = fixture.fd, .events = POLLIN},
                               {.fd = uv_backend_fd(&fixture.loop), .events = POLLIN}};
    if (fixture.is_at_end || fixture.got_len >= fixture.got_max)
        polled[0].fd = -1;
    (void)poll(polled, 2, 1);
}

/* Reads the client's input. */
static inline void client_read(void)
{
    while (!fixture.is_at_end && fixture.got_len < fixture.got_max) {
        ssize_t got = recv(fixture.fd, fixture.got + fixture.got_len,
                           fixture.got_max - fixture.got_len, MSG_DONTWAIT);
        if (got > 0) {
            fixture.got_len += (size_t)got;
            continue;
        }
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        fixture.is_at_end = true;
        fixture.is_reset = got < 0;
    }
}

/* Runs turns until the condition holds. */
#define UNTIL(condition)                                                                   \
    do {                                                                                   \
        int turns_left = PATIENCE;                                                         \
        while (!(condition) && turns_left-- > 0) {                                         \
            turn();                                                                        \
            client_read();                                                                 \
        }                                                                                  \
        if (!(condition))                                                                  \
            fail_msg("never: %s; log: %s; got: %.*s", #condition, fixture.log,             \
                     (int)(fixture.got_len < 2000 ? fixture.got_len : 2000), fixture.got); \
    } while (0)

static inline int connect_client(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(fixture.listening.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (fixture.rcvbuf > 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &fixture.rcvbuf, sizeof(fixture.rcvbuf));
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static inline void client_open(void)
{
    fixture.fd = connect_client();
    fixture.got_len = 0;
    fixture.is_at_end = false;
    fixture.is_reset = false;
}

static inline void client_close(void)
{
    if (fixture.fd >= 0)
        close(fixture.fd);
    fixture.fd = -1;
    fixture.is_at_end = true;
}

static inline void client_send(rc_str bytes)
{
    ssize_t sent = send(fixture.fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    (void)sent; /* The server may have closed the connection. */
}

static inline bool got(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i + len <= fixture.got_len; i++)
        if (memcmp(fixture.got + i, text, len) == 0)
            return true;
    return false;
}

static inline int got_count(const char *text)
{
    size_t len = strlen(text);
    int count = 0;
    for (size_t i = 0; i + len <= fixture.got_len; i++)
        count += memcmp(fixture.got + i, text, len) == 0;
    return count;
}

static inline bool has_logged(const char *text)
{
    return strstr(fixture.log, text) != NULL;
}

static inline void forget(void)
{
    fixture.got_len = 0;
    fixture.log_len = 0;
    fixture.log[0] = '\0';
}

/* settings: NULL for the default. */
static inline void fixture_start_with(const rc_server_settings *settings, bool does_listen)
{
    memset(&fixture, 0, sizeof(fixture));
    fixture.fd = -1;
    fixture.is_at_end = true;
    fixture.got_max = GOT_MAX;
    fixture.got = malloc(fixture.got_max);
    assert_non_null(fixture.got);
    fixture.settings = settings != NULL ? *settings : rc_server_settings_default;
    rc_alloc alloc = fail_alloc_of(&fixture.memory);
    assert_int_equal(uv_loop_init(&fixture.loop), 0);
    assert_int_equal(rc_server_init(&fixture.server, &fixture.loop, &alloc, &fixture.settings,
                                    &handler, &fixture),
                     RC_OK);
    if (does_listen)
        assert_int_equal(rc_server_listen_tcp(&fixture.server, "127.0.0.1", 0, RC_LISTEN_ALONE,
                                              &fixture.listening),
                         RC_LISTEN_OK);
}

static inline void fixture_start(const rc_server_settings *settings)
{
    fixture_start_with(settings, true);
}

/* All memory must be freed, and every request must have ended. */
static inline void fixture_end(void)
{
    rc_server_close(&fixture.server);
    UNTIL(fixture.is_stopped);
    client_close();
    uv_run(&fixture.loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&fixture.loop), 0);
    assert_int_equal(fixture.memory.live, 0);
    assert_false(fixture.memory.is_broken);
    assert_int_equal(fixture.pending, 0);
    free(fixture.got);
}

static inline int fixture_run(const struct CMUnitTest *tests, size_t count)
{
    (void)signal(SIGPIPE, SIG_IGN);
    return _cmocka_run_group_tests("server", tests, count, NULL, NULL);
}
#define FIXTURE_RUN(tests) fixture_run(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
