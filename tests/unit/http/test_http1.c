/* Tests of the HTTP/1.1 parser: input in pieces of every size, and messages that two parsers could
 * interpret differently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "http/http1.h"
#include "support/http1_cases.h"
#include "support/http1_facts.h"
#include "support/http1_read.h"

static rc_http1 reader;

/* Parses the bytes in pieces of every size; the result must always be the same. */
static result read_in_all_pieces(rc_http1_kind kind, rc_str bytes, bool is_closed)
{
    result whole = read_message(&reader, kind, bytes, 0, is_closed);
    for (size_t step = 1; step <= 17; step++) {
        result pieces = read_message(&reader, kind, bytes, step, is_closed);
        assert_int_equal(pieces.fault, whole.fault);
        assert_int_equal(pieces.is_whole, whole.is_whole);
        if (whole.fault != RC_HTTP1_FAULT_NONE)
            continue;
        assert_int_equal(pieces.used, whole.used);
        assert_int_equal(pieces.body_len, whole.body_len);
        assert_memory_equal(pieces.body, whole.body, whole.body_len);
    }
    return read_message(&reader, kind, bytes, 0, is_closed);
}

static void requests_are_read(void **state)
{
    (void)state;
    rc_str bytes = RC_STR("POST /v1/messages?beta=true HTTP/1.1\r\n"
                          "Host: localhost:8787\r\nX-Api-Key:  k v \r\nEmpty:\r\n"
                          "content-length: 5\r\n\r\nhelloGET /");
    result got = read_in_all_pieces(RC_HTTP1_REQUEST, bytes, false);
    assert_true(got.is_whole);
    assert_int_equal(got.body_len, 5);
    assert_memory_equal(got.body, "hello", 5);
    assert_memory_equal(bytes.ptr + got.used, "GET /", 5);
    assert_int_equal(reader.field_count, 4);
    assert_true(rc_str_eq(rc_http1_method(&reader), RC_STR("POST")));
    assert_true(rc_str_eq(rc_http1_target(&reader, bytes.ptr), RC_STR("/v1/messages?beta=true")));
    assert_true(rc_str_eq(rc_http1_find(&reader, bytes.ptr, RC_STR("x-api-key")), RC_STR("k v")));
    assert_int_equal(rc_http1_find(&reader, bytes.ptr, RC_STR("empty")).len, 0);
    assert_int_equal(rc_http1_length(&reader), 5);
    assert_true(rc_http1_is_reusable(&reader));
}

/* A target may be an absolute URL (RFC 9112, section 3.2.2). */
static void a_target_may_be_a_whole_url(void **state)
{
    (void)state;
    static const struct {
        const char *target, *host, *path, *of;
    } cases[] = {
        {"http://a/v1/models?x=y", "a", "/v1/models?x=y", "a"},
        {"HTTP://Gate:8787/", "gate:8787", "/", "Gate:8787"},
        {"http://[::1]:8787//x", "[::1]:8787", "//x", "[::1]:8787"},
        {"http://a", "a", "/", "a"},
        {"/http://b/", "a", "/http://b/", "a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        int len = snprintf(text, sizeof(text),
                           "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\nhiNEXT",
                           cases[i].target, cases[i].host);
        result got = read_in_all_pieces(RC_HTTP1_REQUEST, rc_str_make(text, (size_t)len), false);
        assert_int_equal(got.fault, RC_HTTP1_FAULT_NONE);
        assert_true(got.is_whole);
        assert_memory_equal(text + got.used, "NEXT", 4);
        assert_true(rc_str_eq(rc_http1_target(&reader, text), rc_str_c(cases[i].path)));
        assert_true(rc_str_eq(rc_http1_host(&reader, text), rc_str_c(cases[i].of)));
    }
}

static void chunks_are_put_together(void **state)
{
    (void)state;
    rc_str bytes = RC_STR("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
                          "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nX-Sum: t\r\n\r\nNEXT");
    result got = read_in_all_pieces(RC_HTTP1_REQUEST, bytes, false);
    assert_true(got.is_whole);
    assert_int_equal(got.body_len, 11);
    assert_memory_equal(got.body, "hello world", 11);
    assert_memory_equal(bytes.ptr + got.used, "NEXT", 4);
    assert_int_equal(reader.framing, RC_HTTP1_CHUNKED);
    assert_int_equal(reader.field_count, 2);
}

static void responses_are_read(void **state)
{
    (void)state;
    result got = read_in_all_pieces(
        RC_HTTP1_RESPONSE, RC_STR("HTTP/1.1 429 Too Many\r\nretry-after: 2\r\n\r\nslow"), true);
    assert_true(got.is_whole);
    assert_int_equal(got.body_len, 4);
    assert_int_equal(rc_http1_status(&reader), 429);
    assert_int_equal(reader.framing, RC_HTTP1_UNTIL_CLOSE);
    assert_false(rc_http1_is_reusable(&reader));

    got = read_in_all_pieces(RC_HTTP1_RESPONSE, RC_STR("HTTP/1.1 204 No Content\r\nx: y\r\n\r\n"),
                             false);
    assert_true(got.is_whole);
    assert_true(rc_http1_is_reusable(&reader));
    got = read_in_all_pieces(RC_HTTP1_RESPONSE,
                             RC_STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), false);
    assert_true(got.is_whole);
    got = read_in_all_pieces(RC_HTTP1_RESPONSE, RC_STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"),
                             false);
    assert_true(got.is_whole);
    assert_int_equal(got.used, 25);
}

static void a_304_has_no_body_despite_content_length(void **state)
{
    (void)state;
    result got = read_in_all_pieces(
        RC_HTTP1_RESPONSE,
        RC_STR("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\nHTTP/1.1"), false);
    assert_true(got.is_whole);
    assert_int_equal(got.body_len, 0);
    assert_int_equal(got.used, 49);
}

/* A caller that passes single bytes gets END with the last byte, without another call. */
static void the_last_byte_brings_the_end(void **state)
{
    (void)state;
    rc_str bytes =
        RC_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, bytes), RC_HTTP1_HEAD);
    rc_http1_event event = RC_HTTP1_MORE;
    for (size_t at = reader.head_bytes; at < bytes.len; at++) {
        assert_int_not_equal(event, RC_HTTP1_END);
        rc_str input = rc_str_make(bytes.ptr + at, 1);
        event = rc_http1_read_body(&reader, &input);
    }
    assert_int_equal(event, RC_HTTP1_END);
}

static void a_response_to_head_has_no_body(void **state)
{
    (void)state;
    rc_str bytes = RC_STR("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    rc_http1_set_bodiless(&reader);
    assert_int_equal(rc_http1_read_head(&reader, bytes), RC_HTTP1_HEAD);
    rc_str rest = rc_str_make(bytes.ptr + reader.head_bytes, 0);
    assert_int_equal(rc_http1_read_body(&reader, &rest), RC_HTTP1_END);
    assert_true(rc_http1_is_reusable(&reader));
}

static void an_early_end_is_truncation(void **state)
{
    (void)state;
    static const char *const cut[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1",
    };
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
        result got = read_in_all_pieces(RC_HTTP1_RESPONSE, rc_str_c(cut[i]), true);
        assert_false(got.is_whole);
        assert_int_equal(got.fault, RC_HTTP1_FAULT_TRUNCATED);
    }
}

static void ambiguous_requests_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_requests) / sizeof(bad_requests[0]); i++) {
        rc_str bytes = rc_str_make(bad_requests[i].bytes, bad_requests[i].len);
        result got = read_in_all_pieces(RC_HTTP1_REQUEST, bytes, false);
        if (got.fault == RC_HTTP1_FAULT_NONE)
            fail_msg("case %zu was not refused: %.*s", i, (int)bytes.len, bytes.ptr);
        if (bad_requests[i].fault != RC_HTTP1_FAULT_NONE && got.fault != bad_requests[i].fault)
            fail_msg("case %zu: %s", i, rc_http1_fault_text(got.fault));
        assert_false(got.is_whole);
        assert_true(rc_http1_fault_status(got.fault) >= 400);
        rc_str more = RC_STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_int_equal(rc_http1_read_body(&reader, &more), RC_HTTP1_FAULT);
        assert_int_equal(rc_http1_read_head(&reader, more), RC_HTTP1_FAULT);
    }
}

static bool is_one_of(int c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_letter_or_digit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Parses a request with one character c between the two parts. */
static bool is_refused(const char *before, int c, const char *behind)
{
    char bytes[64];
    int len = snprintf(bytes, sizeof(bytes), "%s%c%s", before, c, behind);
    result got = read_message(&reader, RC_HTTP1_REQUEST, rc_str_make(bytes, (size_t)len), 0, false);
    return got.fault != RC_HTTP1_FAULT_NONE;
}

static void hosts_and_paths_allow_only_their_characters(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        bool is_host = is_letter_or_digit(c) || is_one_of(c, "-._~:[]%");
        /* White space around a value is not part of it. */
        if (c != ' ' && c != '\t')
            assert_int_equal(is_refused("GET / HTTP/1.1\r\nHost: a", c, "\r\n\r\n"), !is_host);
        bool is_path = c > ' ' && c < 0x7f && !is_one_of(c, "#\"<>\\^`{|}");
        assert_int_equal(is_refused("GET /", c, " HTTP/1.1\r\nHost: a\r\n\r\n"), !is_path);
    }
}

static void ambiguous_responses_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        "HTTP/1.1 200 OK\nX: a\n\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "ICY 200 OK\r\n\r\n",
        "<html>no</html>",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        result got = read_in_all_pieces(RC_HTTP1_RESPONSE, rc_str_c(bad[i]), false);
        if (got.fault == RC_HTTP1_FAULT_NONE)
            fail_msg("case %zu was not refused: %s", i, bad[i]);
    }
}

/* Tests each limit with a message one below, at, and one above it. */
static void limits_are_exact(void **state)
{
    (void)state;
    static char bytes[70000];
    for (int over = -1; over <= 1; over++) {
        int len = snprintf(bytes, sizeof(bytes), "GET /%.*s HTTP/1.1\r\nHost: a\r\n\r\n", 0, "");
        (void)len;
        char *at = bytes;
        memcpy(at, "GET /", 5);
        size_t target = (size_t)((8 << 10) + over);
        memset(at + 5, 'a', target - 1);
        memcpy(at + 4 + target, " HTTP/1.1\r\nHost: a\r\n\r\n", 22);
        result got =
            read_message(&reader, RC_HTTP1_REQUEST, rc_str_make(bytes, 4 + target + 22), 0, false);
        assert_int_equal(got.fault, over > 0 ? RC_HTTP1_FAULT_TARGET_TOO_LONG : 0);

        size_t used = 0;
        memcpy(bytes, "GET / HTTP/1.1\r\nHost: a\r\n", 25);
        used = 25;
        for (int i = 1; i < 100 + over; i++, used += 6)
            memcpy(bytes + used, "X: y\r\n", 6);
        memcpy(bytes + used, "\r\n", 2);
        got = read_message(&reader, RC_HTTP1_REQUEST, rc_str_make(bytes, used + 2), 0, false);
        assert_int_equal(got.fault, over > 0 ? RC_HTTP1_FAULT_TOO_MANY_FIELDS : 0);

        memcpy(bytes, "GET / HTTP/1.1\r\nHost: a\r\nX: ", 28);
        size_t head = (size_t)((64 << 10) + over);
        memset(bytes + 28, 'b', head - 28 - 4);
        memcpy(bytes + head - 4, "\r\n\r\n", 4);
        got = read_message(&reader, RC_HTTP1_REQUEST, rc_str_make(bytes, head), 0, false);
        assert_int_equal(got.fault, over > 0 ? RC_HTTP1_FAULT_HEAD_TOO_LARGE : 0);
        got = read_message(&reader, RC_HTTP1_REQUEST, rc_str_make(bytes, head), 1000, false);
        assert_int_equal(got.fault, over > 0 ? RC_HTTP1_FAULT_HEAD_TOO_LARGE : 0);
    }
}

/* The parser has memory for a few fields; for more fields the caller provides memory. The result is
 * the same as with enough memory from the start, also for a response to HEAD. */
static void a_head_with_many_fields_needs_a_table(void **state)
{
    (void)state;
    static rc_http1_table table;
    for (uint32_t count = RC_HTTP1_FIELDS_INLINE; count <= RC_HTTP1_FIELDS_INLINE + 1; count++)
        for (size_t first = 0; first <= 20; first += 20) {
            char bytes[1024] = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n";
            size_t used = strlen(bytes);
            for (uint32_t i = 1; i < count; i++, used += 6)
                memcpy(bytes + used, "X: y\r\n", 6);
            memcpy(bytes + used, "\r\n", 2);
            const rc_str head = rc_str_make(bytes, used + 2);
            rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
            rc_http1_set_bodiless(&reader);
            assert_int_equal(rc_http1_read_head(&reader, rc_str_make(bytes, first)), RC_HTTP1_MORE);
            rc_http1_event event = rc_http1_read_head(&reader, head);
            assert_int_equal(rc_http1_needs_table(&reader), count > RC_HTTP1_FIELDS_INLINE);
            if (rc_http1_needs_table(&reader)) {
                assert_int_equal(event, RC_HTTP1_FAULT);
                rc_http1_restart(&reader, &table);
                event = rc_http1_read_head(&reader, head);
            }
            assert_int_equal(event, RC_HTTP1_HEAD);
            assert_int_equal(reader.field_count, count);
            assert_int_equal(reader.framing, RC_HTTP1_NO_BODY);
            assert_false(rc_http1_needs_table(&reader));
        }
}

static void long_extensions_and_trailers_are_refused(void **state)
{
    (void)state;
    static char bytes[20000];
    static const char head[] = GOOD "Transfer-Encoding: chunked\r\n\r\n";
    memcpy(bytes, head, sizeof(head) - 1);
    size_t used = sizeof(head) - 1;
    memcpy(bytes + used, "5;", 2);
    memset(bytes + used + 2, 'e', 2000);
    memcpy(bytes + used + 2002, "\r\nhello\r\n0\r\n\r\n", 14);
    result got = read_in_all_pieces(RC_HTTP1_REQUEST, rc_str_make(bytes, used + 2016), false);
    assert_int_equal(got.fault, RC_HTTP1_FAULT_CHUNK_EXTENSION);

    memcpy(bytes + used, "0\r\nT: ", 6);
    memset(bytes + used + 6, 't', 9000);
    memcpy(bytes + used + 9006, "\r\n\r\n", 4);
    got = read_in_all_pieces(RC_HTTP1_REQUEST, rc_str_make(bytes, used + 9010), false);
    assert_int_equal(got.fault, RC_HTTP1_FAULT_TRAILER_TOO_LARGE);
}

#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static result read_extended(const char *extensions, rc_http1_kind kind)
{
    char bytes[4096];
    const int len =
        snprintf(bytes, sizeof bytes, "%s5%s\r\nhello\r\n0%s\r\nx: y\r\n\r\n",
                 kind == RC_HTTP1_REQUEST ? GOOD "Transfer-Encoding: chunked\r\n\r\n" : CHUNKED,
                 extensions, extensions);
    assert_in_range(len, 1, sizeof bytes - 1);
    return read_in_all_pieces(kind, rc_str_make(bytes, (size_t)len), false);
}

/* Unknown chunk extensions are ignored (RFC 9112, section 7.1.1). */
static void extensions_of_a_response_are_skipped(void **state)
{
    (void)state;
    static const char *const good[] = {
        ";a",
        ";a=b",
        ";a;b",
        ";a=b;c=d",
        ";a=b;c=\"d\";e;f=g",
        ";a=\"x;y=z\"",
        ";a=\"\"",
        ";a=\"say \\\"hi\\\" \\\\\";b",
        " ; a = b\t;c =\"d\" ; e",
        ";a=\"\xc3\xa9\t\"",
    };
    static const char *const bad[] = {
        " ",           ";",
        ";a=",         ";=b",
        ";a b",        ";a=b c",
        ";a=b=c",      ";a=\"b",
        ";a=\"b\"c",   ";a=b\"c\"",
        ";a ",         ";a=b ",
        ";a=\"b\" ",   ";;a",
        ";a;;b",       ";a=b;",
        ";a=\"\\",     ";a=\"\n\"",
        ";a=\"\r\n\"", ";\x01",
        ";a=\x7f",     ";a=b\n",
        ";a=b\r;c=d",  ";a=\"\\\x01\"",
        "\x0b;a",      ";a=b\r\r\n;c=d",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        result got = read_extended(good[i], RC_HTTP1_RESPONSE);
        if (!got.is_whole)
            fail_msg("refused: %s", good[i]);
        assert_int_equal(got.body_len, 5);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        result got = read_extended(bad[i], RC_HTTP1_RESPONSE);
        if (got.fault != RC_HTTP1_FAULT_CHUNK)
            fail_msg("taken: %s", bad[i]);
    }
    /* For requests, the restrictions of llhttp apply. */
    assert_int_equal(read_extended(";a=b;c=d", RC_HTTP1_REQUEST).fault, RC_HTTP1_FAULT_CHUNK);
    assert_int_equal(read_extended(" ;a", RC_HTTP1_REQUEST).fault, RC_HTTP1_FAULT_CHUNK);
    assert_true(read_extended(";a=\"b\";c", RC_HTTP1_REQUEST).is_whole);
}

/* The limit applies to each chunk, because a long stream may have extensions in every chunk. */
static void extensions_of_a_response_are_limited_per_chunk(void **state)
{
    (void)state;
    for (int over = 0; over <= 1; over++) {
        char extension[2048] = ";a=";
        memset(extension + 3, 'b', (size_t)(1024 - 3 + over));
        extension[1024 + over] = '\0';
        result got = read_extended(extension, RC_HTTP1_RESPONSE);
        assert_int_equal(got.fault, over > 0 ? RC_HTTP1_FAULT_CHUNK_EXTENSION : 0);
        assert_int_equal(got.is_whole, over == 0);
    }
}

static void an_upgrade_request_is_ignored(void **state)
{
    (void)state;
    rc_str bytes = RC_STR("POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"
                          "Content-Length: 2\r\n\r\nokGET");
    result got = read_in_all_pieces(RC_HTTP1_REQUEST, bytes, false);
    assert_true(got.is_whole);
    assert_int_equal(got.body_len, 2);
    assert_memory_equal(bytes.ptr + got.used, "GET", 3);
}

static void reusability_is_known(void **state)
{
    (void)state;
    read_in_all_pieces(RC_HTTP1_REQUEST,
                       RC_STR("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), false);
    assert_false(rc_http1_is_reusable(&reader));
    read_in_all_pieces(RC_HTTP1_REQUEST, RC_STR("GET / HTTP/1.0\r\n\r\n"), false);
    assert_false(rc_http1_is_reusable(&reader));
    read_in_all_pieces(RC_HTTP1_REQUEST, RC_STR("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"), false);
    assert_true(rc_http1_is_reusable(&reader));
}

/* ---- heads that are parsed in one pass ---- */

static rc_http1 parsed;

/* Parses the head at once by the fast parser, and again with a separate first byte, which forces
 * llhttp. Both results must be equal. */
static rc_http1_event read_both_ways(rc_http1_kind kind, rc_str bytes)
{
    rc_http1_init(&reader, kind, &rc_http1_limits_default);
    rc_http1_init(&parsed, kind, &rc_http1_limits_default);
    rc_http1_event event = rc_http1_read_head(&reader, bytes);
    rc_http1_read_head(&parsed, rc_str_make(bytes.ptr, bytes.len > 0));
    rc_http1_event second = rc_http1_read_head(&parsed, bytes);
    bool is_same = event == second && reader.fault == parsed.fault;
    if (!is_same || (event == RC_HTTP1_HEAD && !is_same_head(&reader, &parsed, bytes.ptr)))
        fail_msg("read in two ways: %.*s", (int)bytes.len, bytes.ptr);
    return event;
}

static const char *const plain_requests[] = {
    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost:8787\r\nAccept-Encoding: gzip, "
    "deflate\r\n"
    "Connection: keep-alive\r\nX-Stainless-Runtime-Version: 3.11.2\r\nX-Empty:\r\nx_y:z\r\n"
    "Authorization:   Bearer sk-1\r\nContent-Length: 12\r\n\r\n{\"model\":1}",
    "GET /v1/models?a=%20b HTTP/1.1\r\nhost: [::1]\r\nCONNECTION: Close\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nX: \xc3\xa9\r\nHost: a\r\n\r\n",
};

static const char *const plain_responses[] = {
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
    "HTTP/1.1 503 \r\nConnection: close\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n",
    "HTTP/1.1 429 Too Many\r\nretry-after: 2\r\n\r\nslow",
};

/* Replaces every byte by every other value: both parsers must agree on the result. */
static void try_all_changes(rc_http1_kind kind, const char *text)
{
    char bytes[512];
    size_t len = strlen(text);
    assert_true(len < sizeof bytes);
    assert_int_equal(read_both_ways(kind, rc_str_make(text, len)), RC_HTTP1_HEAD);
    assert_false(reader.is_parsing);
    assert_true(parsed.is_parsing);
    memcpy(bytes, text, len);
    for (size_t at = 0, end = reader.head_bytes; at < end; at++) {
        for (int c = 0; c < 256; c++) {
            bytes[at] = (char)c;
            read_both_ways(kind, rc_str_make(bytes, len));
        }
        bytes[at] = text[at];
    }
    for (size_t cut = 0; cut < len; cut++)
        read_both_ways(kind, rc_str_make(text, cut));
}

static void both_parsers_agree_on_plain_heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(plain_requests) / sizeof(plain_requests[0]); i++)
        try_all_changes(RC_HTTP1_REQUEST, plain_requests[i]);
    for (size_t i = 0; i < sizeof(plain_responses) / sizeof(plain_responses[0]); i++)
        try_all_changes(RC_HTTP1_RESPONSE, plain_responses[i]);
}

/* Inserts a byte that has a meaning in the syntax. */
static void both_parsers_agree_on_an_inserted_byte(void **state)
{
    (void)state;
    static const char more[] = " \t\r\n:,;\0/\x7f\x80"
                               "1aZ_-";
    const char *text = plain_requests[0];
    char bytes[512];
    size_t len = strlen(text);
    for (size_t at = 0; at <= len; at++)
        for (size_t i = 0; i < sizeof(more) - 1; i++) {
            memcpy(bytes, text, at);
            bytes[at] = more[i];
            memcpy(bytes + at + 1, text + at, len - at);
            read_both_ways(RC_HTTP1_REQUEST, rc_str_make(bytes, len + 1));
        }
}

/* Heads that only some parsers accept, and heads with special rules, are parsed by llhttp. */
static void unusual_heads_are_left_to_llhttp(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "GET / HTTP/1.0\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX:\ty\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y \r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX!: y\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 \r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        assert_int_equal(read_both_ways(RC_HTTP1_REQUEST, rc_str_c(heads[i])), RC_HTTP1_HEAD);
        assert_true(reader.is_parsing);
    }
    assert_int_equal(
        read_both_ways(RC_HTTP1_RESPONSE, RC_STR("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")),
        RC_HTTP1_HEAD);
    assert_true(reader.is_parsing);
    for (size_t i = 0; i < sizeof(bad_requests) / sizeof(bad_requests[0]); i++)
        read_both_ways(RC_HTTP1_REQUEST, rc_str_make(bad_requests[i].bytes, bad_requests[i].len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read),
        cmocka_unit_test(a_target_may_be_a_whole_url),
        cmocka_unit_test(chunks_are_put_together),
        cmocka_unit_test(responses_are_read),
        cmocka_unit_test(a_304_has_no_body_despite_content_length),
        cmocka_unit_test(the_last_byte_brings_the_end),
        cmocka_unit_test(a_response_to_head_has_no_body),
        cmocka_unit_test(an_early_end_is_truncation),
        cmocka_unit_test(ambiguous_requests_are_refused),
        cmocka_unit_test(hosts_and_paths_allow_only_their_characters),
        cmocka_unit_test(ambiguous_responses_are_refused),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(a_head_with_many_fields_needs_a_table),
        cmocka_unit_test(long_extensions_and_trailers_are_refused),
        cmocka_unit_test(extensions_of_a_response_are_skipped),
        cmocka_unit_test(extensions_of_a_response_are_limited_per_chunk),
        cmocka_unit_test(an_upgrade_request_is_ignored),
        cmocka_unit_test(reusability_is_known),
        cmocka_unit_test(both_parsers_agree_on_plain_heads),
        cmocka_unit_test(both_parsers_agree_on_an_inserted_byte),
        cmocka_unit_test(unusual_heads_are_left_to_llhttp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
