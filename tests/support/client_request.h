/* Reads and writes requests as text. Shared by the tests of the gateway's pure parts. */
#ifndef RC_SUPPORT_CLIENT_REQUEST_H
#define RC_SUPPORT_CLIENT_REQUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/request/client_request.h"
#include "gateway/request/outbound.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_http1 client_reader;
static rc_client_request client_request;
static char client_token[RC_CLIENT_TOKEN_MAX];

/* Reads the head of a request, which ends with an empty line. */
static inline rc_request_fault client_read_head(rc_str head)
{
    rc_http1_init(&client_reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&client_reader, head), RC_HTTP1_HEAD);
    return rc_client_request_read_head(&client_request, &client_reader, head.ptr, client_token);
}

/* Reads the head and the body of a request. Returns the first fault. */
static inline rc_request_fault client_read(rc_str head, rc_str body)
{
    rc_request_fault fault = client_read_head(head);
    return fault.kind != RC_REQUEST_FAULT_NONE ? fault
                                               : rc_client_request_read_body(&client_request, body);
}

static inline rc_origin test_origin(const char *base_url)
{
    rc_origin origin;
    rc_origin_options options = {.insecure = true};
    assert_null(rc_origin_parse(rc_str_c(base_url), options, &origin));
    return origin;
}

static inline rc_str join_pieces(const rc_outbound_request *up, rc_buf *buf)
{
    for (size_t i = 0; i < RC_OUTBOUND_PIECES; i++)
        rc_buf_push(buf, up->pieces[i]);
    assert_int_equal(rc_buf_status(buf), RC_OK);
    assert_int_equal(rc_buf_get(buf).len, up->body_bytes);
    return rc_buf_get(buf);
}

static inline void assert_text(rc_str got, const char *want)
{
    if (!rc_str_eq(got, rc_str_c(want)))
        fail_msg("got \"%.*s\", want \"%s\"", (int)got.len, got.ptr ? got.ptr : "", want);
}

#endif
