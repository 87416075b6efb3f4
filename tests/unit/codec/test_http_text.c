/* Tests of rc_http_text: pasted HTTP responses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "codec/http_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct paste {
    const char *text;
    int status;
    size_t headers;
    const char *last_name; /* name of the last header */
    const char *last_value;
    const char *body;
    size_t responses;
} pastes[] = {
    /* curl -i */
    {"HTTP/1.1 429 Too Many Requests\r\nDate: x\r\nRetry-After: 20\r\n\r\n{\"a\":1}\r\n", 429, 2,
     "Retry-After", "20", "{\"a\":1}", 1},
    {"HTTP/2 503 \nserver: cloudflare\n\n<html>\n", 503, 1, "server", "cloudflare", "<html>", 1},
    {"http/1.0 500\n\n", 500, 0, NULL, NULL, "", 1},
    {"HTTP/3 529\nretry-after: 1", 529, 1, "retry-after", "1", "", 1},
    {"\n\nHTTP/1.1 401\nx-a:b\n\nno", 401, 1, "x-a", "b", "no", 1},
    /* several responses */
    {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Connection established\r\nvia: p\r\n\r\n"
     "HTTP/1.1 402 Payment Required\r\na-b: c\r\n\r\nbody",
     402, 1, "a-b", "c", "body", 3},
    {"HTTP/1.1 301 Moved\nlocation: /x\n\nmoved\nHTTP/1.1 404 Not Found\nx-y: z\n\nnone", 404, 1,
     "x-y", "z", "none", 2},
    /* curl -v, with its messages around and inside the response */
    {"*   Trying 1.2.3.4:443...\n> POST /v1 HTTP/2\n> Host: api.example.com\n>\n"
     "} [12 bytes data]\n< HTTP/2 429 \n< retry-after: 7\n* a line of talk\n< x-b: c\n< \n"
     "{ [48 bytes data]\n{\"error\":{}}* Connection #0 to host api.example.com left intact\n",
     429, 2, "x-b", "c", "{\"error\":{}}", 1},
    {"< HTTP/1.1 200 OK\r\n< a-a: b\r\n<\r\nHTTP/1.1 500 in the body\na-c: d\n", 200, 1, "a-a", "b",
     "HTTP/1.1 500 in the body\na-c: d", 1},
    /* HTTPie shows the request first */
    {"POST /v1/x HTTP/1.1\nHost: h\n\n{\"q\":1}\n\nHTTP/1.1 400 Bad Request\nserver: s\n\n{}", 400,
     1, "server", "s", "{}", 1},
    /* wget -S */
    {"--2026-- https://h/\n  HTTP/1.1 429 Too Many Requests\n  Retry-After: 5\n  X-A: b\n\n", 429,
     2, "X-A", "b", "", 1},
    /* a value over two lines, no value, no blank line */
    {"HTTP/1.1 400 x\nx-long: one\n  two\n\nb", 400, 1, "x-long", "one\n  two", "b", 1},
    {"HTTP/1.1 400 x\nx-none:\n\nb", 400, 1, "x-none", "", "b", 1},
    {"HTTP/1.1 400 x\nx-a: b\n{\"error\":1}\n", 400, 1, "x-a", "b", "{\"error\":1}", 1},
    /* headers alone */
    {"retry-after: 20\nx-ratelimit-remaining: 0\n\n{}", 0, 2, "x-ratelimit-remaining", "0", "{}",
     0},
    {":status: 429\ncontent-type: text/plain\n\nslow", 429, 2, "content-type", "text/plain", "slow",
     0},
    /* a browser's list */
    {"Request URL:\nhttps://h/v1\nRequest Method:\nPOST\nStatus Code:\n429 Too Many Requests\n"
     "Retry-After:\n20\n",
     429, 1, "Retry-After", "20", "", 0},
    {"Request URL: https://h/v1\nStatus Code: 503 \nServer: nginx\n\n<html>", 503, 1, "Server",
     "nginx", "<html>", 0},
};

static void expect_str(rc_str got, const char *wanted)
{
    assert_int_equal(got.len, strlen(wanted));
    if (got.len > 0)
        assert_memory_equal(got.ptr, wanted, got.len);
}

static void pastes_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pastes); i++) {
        rc_http_text http;
        print_message("%.40s\n", pastes[i].text);
        assert_true(rc_http_text_parse(rc_str_c(pastes[i].text), &http));
        assert_int_equal(http.status, pastes[i].status);
        assert_int_equal(http.header_count, pastes[i].headers);
        assert_int_equal(http.responses, pastes[i].responses);
        expect_str(http.body, pastes[i].body);
        if (pastes[i].headers > 0) {
            expect_str(http.headers[pastes[i].headers - 1].name, pastes[i].last_name);
            expect_str(http.headers[pastes[i].headers - 1].value, pastes[i].last_value);
        }
    }
}

static const char *const others[] = {
    "",
    "\r\n\r\n",
    "{\"error\":1}",
    "HTTP 429 Too Many Requests",
    "HTTP/1.1 4290 x",
    "HTTP/1.1 42",
    "HTTP/1.1 099 x\na-b: c",
    "HTTP/ 429",
    "HTTP/1.1 429 was what I got\nand then I went home",
    "he said HTTP/1.1 429 Too Many Requests\nRetry-After: 20",
    "Error: it broke\nCause: it was old",
    "retry-after: 20", /* a single header is not a response */
    "https://example.com\nretry-after: 20",
    "C:\\x: y\nretry-after: 20",
    "Status Code",
};

static void other_texts_are_rejected(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        rc_http_text http = {.status = -7};
        print_message("%s\n", others[i]);
        assert_false(rc_http_text_parse(rc_str_c(others[i]), &http));
        assert_int_equal(http.status, -7);
    }
}

static void headers_have_a_ceiling(void **state)
{
    (void)state;
    static char text[16384] = "HTTP/1.1 429\n";
    size_t at = strlen(text);
    for (size_t i = 0; i < RC_HTTP_TEXT_HEADERS_MAX + 9; i++, at += 6)
        memcpy(text + at, "ab: c\n", 6);
    memcpy(text + at, "\nbody", 6);
    rc_http_text http;
    assert_true(rc_http_text_parse(rc_str_c(text), &http));
    assert_int_equal(http.header_count, RC_HTTP_TEXT_HEADERS_MAX);
    expect_str(http.body, "body");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pastes_are_read),
        cmocka_unit_test(other_texts_are_rejected),
        cmocka_unit_test(headers_have_a_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
