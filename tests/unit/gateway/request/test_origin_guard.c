/* Tests of requests from web pages, which are checked by Host and Origin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gateway/request/origin_guard.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *value;
    const char *host; /* NULL: the value is not a valid host */
} values[] = {
    {"a", "a"},           {"a:1", "a"},   {"a:65535", "a"}, {"[::1]", "[::1]"},
    {"[::1]:8", "[::1]"}, {"", NULL},     {":1", NULL},     {"a:", NULL},
    {"a:123456", NULL},   {"a:1x", NULL}, {"[::1", NULL},
};

static void hosts_are_split_from_ports(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        rc_str host;
        const bool is_split = rc_host_split(rc_str_c(values[i].value), &host);
        if (is_split != (values[i].host != NULL) ||
            (is_split && !rc_str_eq(host, rc_str_c(values[i].host))))
            fail_msg("\"%s\"", values[i].value);
    }
}

static void addresses_are_distinguished_from_names(void **state)
{
    (void)state;
    static const char *const addresses[] = {"10.0.0.1", "127.0.0.1", "[::1]", "[fe80::1]"};
    static const char *const names[] = {"", "a", "10.0.0.1.example", "[::1", "[x]", "::1]", "[]"};
    for (size_t i = 0; i < COUNT(addresses); i++)
        assert_true(rc_host_is_address(rc_str_c(addresses[i])));
    for (size_t i = 0; i < COUNT(names); i++)
        if (rc_host_is_address(rc_str_c(names[i])))
            fail_msg("%s", names[i]);
}

#define CHROME "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\n"
#define FETCH "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"

static const struct {
    const char *target;
    const char *host;
    const char *more;
    rc_origin_verdict verdict;
} cases[] = {
    /* programs may use any host */
    {"/", "evil.example", "", RC_ORIGIN_ALLOWED},
    {"/", "gate.internal:8787", "User-Agent: curl/8\r\n", RC_ORIGIN_ALLOWED},
    {"/", "gate", "User-Agent: OpenAI/Python 1\r\n", RC_ORIGIN_ALLOWED},
    /* browsers that use a host of this gateway */
    {"/", "localhost:8787", FETCH CHROME, RC_ORIGIN_ALLOWED},
    {"/", "LOCALHOST", CHROME, RC_ORIGIN_ALLOWED},
    {"/", "127.0.0.1:8787", FETCH, RC_ORIGIN_ALLOWED},
    {"/", "[::1]:8787", FETCH, RC_ORIGIN_ALLOWED},
    {"/", "10.0.0.7:8787", FETCH, RC_ORIGIN_ALLOWED},
    {"/", "gate.listen:1", FETCH CHROME, RC_ORIGIN_ALLOWED},
    {"/", "localhost", "Origin: http://localhost:3000\r\n", RC_ORIGIN_ALLOWED},
    {"/", "localhost", "Origin: http://[::1]:3000\r\n", RC_ORIGIN_ALLOWED},
    /* foreign names that resolve to the address of this gateway */
    {"/", "evil.example:8787", FETCH, RC_ORIGIN_REBOUND},
    {"/", "evil.example", CHROME, RC_ORIGIN_REBOUND},
    {"/", "evil.example", "user-agent: mozilla/4\r\n", RC_ORIGIN_REBOUND},
    {"/", "evil.example", "Sec-Fetch-Dest: empty\r\n", RC_ORIGIN_REBOUND},
    {"/", "evil.example", "SEC-FETCH-MODE: no-cors\r\n", RC_ORIGIN_REBOUND},
    {"/", "evil.example", "Sec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n", RC_ORIGIN_REBOUND},
    {"/", "evil.example", "Origin: http://localhost\r\n", RC_ORIGIN_REBOUND},
    {"/", "localhost.evil.example", CHROME, RC_ORIGIN_REBOUND},
    {"/", "127.0.0.1.evil.example", CHROME, RC_ORIGIN_REBOUND},
    {"/", "gate.listen.evil", CHROME, RC_ORIGIN_REBOUND},
    {"/", "localhost:", CHROME, RC_ORIGIN_REBOUND},
    {"http://evil.example/", "evil.example", CHROME, RC_ORIGIN_REBOUND},
    {"http://localhost:8787/", "localhost:8787", CHROME, RC_ORIGIN_ALLOWED},
    /* pages of other sites, recognised by their headers */
    {"/", "localhost", "Sec-Fetch-Site: cross-site\r\n", RC_ORIGIN_CROSS_SITE},
    {"/", "localhost", "Origin: https://evil.example\r\n", RC_ORIGIN_CROSS_SITE},
    {"/", "localhost", "Origin: null\r\n", RC_ORIGIN_CROSS_SITE},
    {"/", "localhost", "Origin: http://localhost.evil.example\r\n", RC_ORIGIN_CROSS_SITE},
    {"/", "evil.example", "Origin: http://evil.example\r\n", RC_ORIGIN_CROSS_SITE},
};

static void a_web_page_needs_a_host_of_this_gateway(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        rc_http1 reader;
        const int len = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n",
                                 cases[i].target, cases[i].host, cases[i].more);
        rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
        assert_int_equal(rc_http1_read_head(&reader, rc_str_make(text, (size_t)len)),
                         RC_HTTP1_HEAD);
        const rc_origin_verdict verdict =
            rc_origin_guard_check(&reader, text, RC_STR("gate.listen:8787"));
        if (verdict != cases[i].verdict)
            fail_msg("%d for: %s", (int)verdict, text);
    }
}

/* An HTTP/1.0 request of a program may have no Host; a browser's request always has one. */
static void a_page_without_a_host_is_refused(void **state)
{
    (void)state;
    rc_http1 reader;
    const rc_str head = RC_STR("GET / HTTP/1.0\r\nOrigin: http://localhost\r\n\r\n");
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, head), RC_HTTP1_HEAD);
    assert_int_equal(rc_origin_guard_check(&reader, head.ptr, RC_STR("127.0.0.1:1")),
                     RC_ORIGIN_REBOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_split_from_ports),
        cmocka_unit_test(addresses_are_distinguished_from_names),
        cmocka_unit_test(a_web_page_needs_a_host_of_this_gateway),
        cmocka_unit_test(a_page_without_a_host_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
