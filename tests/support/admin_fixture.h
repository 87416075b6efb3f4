/* The admin interface and an HTTP client of it in one event loop, on real sockets. */
#ifndef RC_SUPPORT_ADMIN_FIXTURE_H
#define RC_SUPPORT_ADMIN_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "gateway/admin/server.h"
#include "support/admin_source.h"
#include "support/fail_alloc.h"
#include "support/http_client.h"

#define PATIENCE 20000
#define GOT_MAX ((size_t)4 << 20)
#define OWN " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
#define MARK "x-recourse-admin: 1\r\n"

static char got_space[GOT_MAX]; /* the bytes that the client has read */

static struct admin_fixture {
    uv_loop_t loop;
    rc_admin *admin; /* NULL: the admin interface has stopped */
    rc_metrics *metrics;
    rc_listening listening;
    fail_alloc memory;
    fake_source fake;
    http_client client;
} fixture;

static inline void fixture_on_stopped(void *ctx)
{
    (void)ctx;
    fixture.admin = NULL;
}

/* Starts the fixture. Returns false if no memory was available. */
static inline bool fixture_try_start(const char *token)
{
    rc_alloc alloc = fail_alloc_of(&fixture.memory);
    fixture.fake = (fake_source){.is_ready = true, .generation = 1};
    http_client_init(&fixture.client, got_space, sizeof got_space);
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
    http_client_turn(&fixture.client, &fixture.loop);
    http_client_read(&fixture.client);
}

#define UNTIL(condition)                                                         \
    do {                                                                         \
        int turns_left = PATIENCE;                                               \
        while (!(condition) && turns_left-- > 0)                                 \
            turn();                                                              \
        if (!(condition))                                                        \
            fail_msg("never: %s; got: %.2000s", #condition, fixture.client.got); \
    } while (0)

static inline void client_close(void)
{
    http_client_close(&fixture.client);
}

static inline int client_dial(void)
{
    return http_client_dial(fixture.listening.port, 0);
}

static inline void client_open(void)
{
    http_client_use(&fixture.client, client_dial());
}

static inline void client_send(const char *text, size_t len)
{
    http_client_send(&fixture.client, rc_str_make(text, len));
}

/* Returns whether the client has read a complete response with a content-length. */
static inline bool has_response(void)
{
    const char *end = strstr(fixture.client.got, "\r\n\r\n");
    const char *length = strstr(fixture.client.got, "Content-Length: ");
    if (end == NULL || length == NULL || length > end)
        return fixture.client.is_at_end;
    return fixture.client.got_len - (size_t)(end + 4 - fixture.client.got) >=
               strtoul(length + 16, NULL, 10) ||
           fixture.client.is_at_end;
}

/* Sends one request on a new connection. Returns the status of the response; 0 if none arrived. */
static inline int send_request(const char *text)
{
    client_open();
    client_send(text, strlen(text));
    UNTIL(has_response());
    return http_client_status(&fixture.client);
}

static inline bool got(const char *text)
{
    return strstr(fixture.client.got, text) != NULL;
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
