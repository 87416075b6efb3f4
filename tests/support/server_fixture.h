/* A server and its clients in one event loop, on real sockets. The response depends on the
 * request's target; the events are logged as one line of words.
 *
 *   /hello    "hello", when the request is complete   /echo   the body
 *   /early    "early", at once                        /hold   the test responds itself
 *   /paused   like /hold, with the body paused        /kept   like /hello, with borrowed bytes
 *   /empty    204, with bytes that must not be sent */
#ifndef RC_SUPPORT_SERVER_FIXTURE_H
#define RC_SUPPORT_SERVER_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/server/responder.h"
#include "net/server/server.h"
#include "support/fail_alloc.h"
#include "support/http_client.h"

/* Maximum number of turns of the loop; a turn takes about a millisecond if the loop is idle. */
#define PATIENCE 20000

#define GOT_MAX ((size_t)16 << 20)

#define HOST " HTTP/1.1\r\nHost: a\r\n"

static char got_space[GOT_MAX + 1]; /* Bytes that the client has read. */

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
    http_client client;
    bool is_stopped;
    int rcvbuf;  /* SO_RCVBUF of clients; 0: the system's default. */
    int pending; /* Number of requests that the handler has received and that have not ended. */
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

static inline void turn(void)
{
    http_client_turn(&fixture.client, &fixture.loop);
}

static inline void client_read(void)
{
    http_client_read(&fixture.client);
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
                     (int)(fixture.client.got_len < 2000 ? fixture.client.got_len : 2000), \
                     fixture.client.got);                                                  \
    } while (0)

static inline int connect_client(void)
{
    return http_client_dial(fixture.listening.port, fixture.rcvbuf);
}

static inline void client_open(void)
{
    http_client_use(&fixture.client, connect_client());
}

static inline void client_close(void)
{
    http_client_close(&fixture.client);
}

static inline void client_send(rc_str bytes)
{
    http_client_send(&fixture.client, bytes);
}

static inline int got_count(const char *text)
{
    return http_client_count(&fixture.client, text);
}

static inline bool got(const char *text)
{
    return got_count(text) > 0;
}

static inline bool has_logged(const char *text)
{
    return strstr(fixture.log, text) != NULL;
}

static inline void forget(void)
{
    fixture.client.got_len = 0;
    fixture.log_len = 0;
    fixture.log[0] = '\0';
}

/* Starts the server. settings: NULL for the defaults. */
static inline void fixture_start_with(const rc_server_settings *settings, bool does_listen)
{
    memset(&fixture, 0, sizeof(fixture));
    http_client_init(&fixture.client, got_space, sizeof got_space);
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

/* Stops the server. All memory must be freed, and every request must have ended. */
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
}

static inline int fixture_run(const struct CMUnitTest *tests, size_t count)
{
    (void)signal(SIGPIPE, SIG_IGN);
    return _cmocka_run_group_tests("server", tests, count, NULL, NULL);
}
#define FIXTURE_RUN(tests) fixture_run(tests, sizeof(tests) / sizeof((tests)[0]))

#endif
