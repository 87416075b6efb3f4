/* Sends requests to the admin interface without sockets. */
#ifndef RC_SUPPORT_ADMIN_REQUEST_H
#define RC_SUPPORT_ADMIN_REQUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "support/admin_source.h"
#include "sys/calls.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OWN "Host: localhost:8788\r\n"
#define JSON "Content-Type: application/json\r\n"

static fake_source fake;
static rc_admin_core core;
static rc_metrics *metrics;
static rc_http1 reader;
static rc_admin_reply reply;
static rc_arena arena;

static inline void start(const char *token, const char *host)
{
    rc_alloc alloc = rc_alloc_stdlib();
    fake = (fake_source){.is_ready = true, .generation = 1};
    metrics = rc_metrics_new(&alloc, 1);
    const rc_admin_settings settings = {.alloc = alloc,
                                        .calls = &rc_sys_real,
                                        .source = fake_source_of(&fake),
                                        .metrics = metrics,
                                        .token = rc_secret_make(rc_str_c(token)),
                                        .host = rc_str_c(host)};
    assert_true(rc_admin_core_init(&core, &settings));
    rc_admin_reply_init(&reply, &alloc);
    rc_arena_init(&arena, &alloc, RC_ADMIN_ARENA_MAX);
}

static inline void end(void)
{
    rc_admin_reply_done(&reply);
    rc_arena_done(&arena);
    rc_metrics_free(metrics);
    rc_admin_core_done(&core);
}

/* Handles a request, given as text with its body, from the address `peer`. Returns the status; the
 * response's body ends in NUL. */
static inline int send_request_from(const char *peer, const char *text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const char *head_end = strstr(text, "\r\n\r\n");
    assert_non_null(head_end);
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    if (rc_http1_read_head(&reader, rc_str_make(text, (size_t)(head_end + 4 - text))) !=
        RC_HTTP1_HEAD)
        fail_msg("no head: %s", text);
    rc_admin_reply_done(&reply);
    rc_admin_reply_init(&reply, &alloc);
    rc_arena_done(&arena);
    rc_arena_init(&arena, &alloc, RC_ADMIN_ARENA_MAX);
    rc_admin_request request = {
        .core = &core, .reader = &reader, .head = text, .peer = rc_str_c(peer), .arena = &arena};
    if (rc_admin_accept(&request, &reply)) {
        request.body = rc_str_c(head_end + 4);
        rc_admin_handle(&request, &reply);
    }
    assert_int_equal(rc_buf_status(&reply.body), RC_OK);
    rc_buf_push_byte(&reply.body, '\0');
    return reply.status;
}

static inline int send_request(const char *text)
{
    return send_request_from("127.0.0.1", text);
}

static inline const char *body(void)
{
    return rc_buf_get(&reply.body).ptr;
}

static inline bool has(const char *text)
{
    return strstr(body(), text) != NULL;
}

/* Checks that the response is an error report with advice and this code. */
static inline void expect_problem(const char *code)
{
    assert_string_equal(reply.type, "application/problem+json");
    json_object *doc = json_tokener_parse(body());
    if (doc == NULL)
        fail_msg("no JSON: %s", body());
    json_object *value = NULL;
    assert_true(json_object_object_get_ex(doc, "error_code", &value));
    assert_string_equal(json_object_get_string(value), code);
    assert_true(json_object_object_get_ex(doc, "status", &value));
    assert_int_equal(json_object_get_int(value), reply.status);
    assert_true(json_object_object_get_ex(doc, "instance", &value));
    if (!json_object_object_get_ex(doc, "user_action", &value))
        fail_msg("nothing to do: %s", body());
    json_object_put(doc);
}

static inline const char *field(const char *name)
{
    for (size_t i = 0; i < reply.field_count; i++)
        if (rc_str_eq(reply.fields[i].name, rc_str_c(name)))
            return reply.fields[i].value.ptr;
    return NULL;
}

#endif
