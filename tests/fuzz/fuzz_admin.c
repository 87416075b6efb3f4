/* Any request to the admin interface: without the token only the health paths respond; every
 * response is complete, has a known status and stays within its limits; captured messages are
 * text.
 *
 * The first byte selects the token, the peer and whether the server listens on all addresses. A
 * head, an empty line and a body follow. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "base/utf8.h"
#include "support/admin_source.h"
#include "json/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

#define TOKEN "the-token"

static bool is_json(rc_str text)
{
    const rc_json_limits limits = {SIZE_MAX, RC_JSON_DEPTH_MAX, false};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    rc_json_type type;
    do
        type = rc_json_reader_next(&reader).type;
    while (type != RC_JSON_END && type != RC_JSON_ERROR);
    return type == RC_JSON_END;
}

static void check_reply(const rc_admin_reply *reply)
{
    const rc_str body = rc_buf_get(&reply->body);
    const bool is_problem = rc_str_eq(rc_str_c(reply->type), RC_STR("application/problem+json"));
    check(rc_buf_status(&reply->body) == RC_OK && body.len > 0);
    check(reply->status == 200 || reply->status == 503 ||
          (is_problem && reply->status >= 400 && reply->status < 500));
    check(reply->field_count <= 1);
    if (is_problem || rc_str_eq(rc_str_c(reply->type), RC_STR("application/json")))
        check(is_json(body));
    check(rc_str_find(body, RC_STR(TOKEN), 0) == RC_STR_NPOS);
}

static void check_request(const rc_admin_request *request)
{
    check(request->route != NULL && request->capture_count <= RC_ADMIN_CAPTURES_MAX);
    for (size_t i = 0; i < request->capture_count; i++) {
        check(rc_utf8_is_valid(request->captures[i]) && request->captures[i].len > 0);
        for (size_t k = 0; k < request->captures[i].len; k++)
            check((unsigned char)request->captures[i].ptr[k] >= 0x20);
    }
}

static bool is_health(const rc_admin_request *request)
{
    return request->route != NULL && request->route->access == RC_ADMIN_OPEN;
}

static void send_request(rc_admin_core *core, fake_source *fake, rc_str text, rc_str peer)
{
    static rc_http1 reader;
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    if (rc_http1_read_head(&reader, text) != RC_HTTP1_HEAD)
        return;
    rc_admin_reply reply;
    rc_arena arena;
    rc_admin_reply_init(&reply, &core->alloc);
    rc_arena_init(&arena, &core->alloc, RC_ADMIN_ARENA_MAX);
    rc_admin_request request = {
        .core = core, .reader = &reader, .head = text.ptr, .peer = peer, .arena = &arena};
    const bool is_accepted = rc_admin_accept(&request, &reply);
    if (is_accepted) {
        check_request(&request);
        request.body = rc_str_slice(text, reader.head_bytes, text.len);
        rc_admin_handle(&request, &reply);
    }
    check_reply(&reply);
    /* Access requires the exact token, and a request that changes something requires a header or
     * content type that a form cannot send. */
    const rc_str head = rc_str_make(text.ptr, reader.head_bytes);
    const bool has_token = rc_str_find(head, RC_STR(TOKEN), 0) != RC_STR_NPOS;
    if (core->token_len > 0 && !has_token) {
        check(!is_accepted || is_health(&request));
        check(fake->acts == 0);
    }
    if (core->token_len == 0 && rc_str_eq(peer, RC_STR("10.0.0.1")))
        check(!is_accepted && reply.status == 403);
    if (fake->acts > 0)
        check(is_accepted && request.route->access == RC_ADMIN_CHANGE &&
              rc_str_eq(rc_http1_method(&reader), RC_STR("POST")));
    rc_admin_reply_done(&reply);
    rc_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const peers[] = {"127.0.0.1", "", "10.0.0.1", "::1"};
    static rc_admin_core core;
    if (size < 2 || size > ((size_t)1 << 17))
        return 0;
    const uint8_t how = data[0];
    /* An exact copy, so that the sanitizer detects a read after its end. */
    char *copy = malloc(size - 1);
    check(copy != NULL);
    memcpy(copy, data + 1, size - 1);
    fake_source fake = {.is_ready = (how & 8) == 0, .is_reload_refused = (how & 16) != 0};
    const rc_admin_settings settings = {
        .alloc = rc_alloc_stdlib(),
        .calls = &rc_sys_real,
        .source = fake_source_of(&fake),
        .token = rc_secret_make((how & 1) != 0 ? RC_STR(TOKEN) : RC_STR("")),
        .host = (how & 32) != 0 ? RC_STR("0.0.0.0") : RC_STR("127.0.0.1"),
    };
    check(rc_admin_core_init(&core, &settings));
    send_request(&core, &fake, rc_str_make(copy, size - 1), rc_str_c(peers[how >> 1 & 3]));
    rc_admin_core_done(&core);
    free(copy);
    return 0;
}
