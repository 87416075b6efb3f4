/* Tests of rc_url: the accepted forms, and everything that could be read as another host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/url.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct good_case {
    const char *text;
    bool is_https;
    rc_url_host_kind kind;
    const char *host;
    uint16_t port;
    const char *path;
} good_case;

static const good_case good_cases[] = {
    {"https://api.openai.com/v1", true, RC_URL_NAME, "api.openai.com", 443, "/v1"},
    {"https://api.openai.com", true, RC_URL_NAME, "api.openai.com", 443, ""},
    {"https://api.openai.com/", true, RC_URL_NAME, "api.openai.com", 443, ""},
    {"https://API.Example.com:8443/a/b//", true, RC_URL_NAME, "API.Example.com", 8443, "/a/b"},
    {"http://localhost:11434", false, RC_URL_NAME, "localhost", 11434, ""},
    {"http://127.0.0.1:1/x%20y", false, RC_URL_IPV4, "127.0.0.1", 1, "/x%20y"},
    {"http://[::1]:8080/v1", false, RC_URL_IPV6, "::1", 8080, "/v1"},
    {"https://[2001:db8::1]", true, RC_URL_IPV6, "2001:db8::1", 443, ""},
    {"https://my_container/v1beta/models:go", true, RC_URL_NAME, "my_container", 443,
     "/v1beta/models:go"},
    {"https://x-1.openai.azure.com:65535/a.b/..c", true, RC_URL_NAME, "x-1.openai.azure.com", 65535,
     "/a.b/..c"},
    {"https://1password.com", true, RC_URL_NAME, "1password.com", 443, ""},
    {"https://0xcafe.dev", true, RC_URL_NAME, "0xcafe.dev", 443, ""},
};

static void good_addresses_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good_cases); i++) {
        const good_case *row = &good_cases[i];
        rc_url url = {0};
        print_message("%s\n", row->text);
        assert_int_equal(rc_url_parse(rc_str_c(row->text), &url), RC_URL_FAULT_NONE);
        assert_int_equal(url.is_https, row->is_https);
        assert_int_equal(url.host_kind, row->kind);
        assert_true(rc_str_eq(url.host, rc_str_c(row->host)));
        assert_int_equal(url.port, row->port);
        assert_true(rc_str_eq(url.path, rc_str_c(row->path)));
    }
}

typedef struct bad_case {
    const char *text;
    rc_url_fault fault;
} bad_case;

static const bad_case bad_cases[] = {
    {"", RC_URL_FAULT_SCHEME},
    {"api.openai.com", RC_URL_FAULT_SCHEME},
    {"HTTPS://api.openai.com", RC_URL_FAULT_SCHEME},
    {"ftp://x", RC_URL_FAULT_SCHEME},
    {"https:/x", RC_URL_FAULT_SCHEME},
    {" https://x", RC_URL_FAULT_SCHEME},
    {"https://", RC_URL_FAULT_HOST},
    {"https:///v1", RC_URL_FAULT_HOST},
    {"https://:443", RC_URL_FAULT_HOST},
    {"https://user@x", RC_URL_FAULT_USER},
    {"https://user:pass@x", RC_URL_FAULT_USER},
    {"https://x@", RC_URL_FAULT_USER},
    {"https://x\\@y", RC_URL_FAULT_USER},
    {"https://x\\y", RC_URL_FAULT_HOST},
    {"https://x y", RC_URL_FAULT_HOST},
    {"https://x\r\nHost: y", RC_URL_FAULT_HOST},
    {"https://ex%61mple.com", RC_URL_FAULT_HOST},
    {"https://b\xc3\xbc"
     "cher.de",
     RC_URL_FAULT_HOST},
    {"https://x..y", RC_URL_FAULT_HOST},
    {"https://.x", RC_URL_FAULT_HOST},
    {"https://x.", RC_URL_FAULT_HOST},
    {"https://-x.com", RC_URL_FAULT_HOST},
    {"https://x-.com", RC_URL_FAULT_HOST},
    {"https://[::1", RC_URL_FAULT_HOST},
    {"https://[::1]x", RC_URL_FAULT_HOST},
    {"https://[::1%25eth0]", RC_URL_FAULT_HOST},
    {"https://[fe80::1%eth0]", RC_URL_FAULT_HOST},
    {"https://[1.2.3.4]", RC_URL_FAULT_HOST},
    {"https://::1/", RC_URL_FAULT_HOST},
    {"https://2130706433", RC_URL_FAULT_NUMBER},
    {"https://0x7f000001", RC_URL_FAULT_NUMBER},
    {"https://0x7f.1", RC_URL_FAULT_NUMBER},
    {"https://0X7F.0X1", RC_URL_FAULT_NUMBER},
    {"https://127.1", RC_URL_FAULT_NUMBER},
    {"https://0177.0.0.1", RC_URL_FAULT_NUMBER},
    {"https://127.0.0.01", RC_URL_FAULT_NUMBER},
    {"https://256.0.0.1", RC_URL_FAULT_NUMBER},
    {"https://1.2.3.4.5", RC_URL_FAULT_NUMBER},
    {"https://x.0x", RC_URL_FAULT_NUMBER},
    {"https://x:", RC_URL_FAULT_PORT},
    {"https://x:0", RC_URL_FAULT_PORT},
    {"https://x:080", RC_URL_FAULT_PORT},
    {"https://x:65536", RC_URL_FAULT_PORT},
    {"https://x:123456", RC_URL_FAULT_PORT},
    {"https://x:-1", RC_URL_FAULT_PORT},
    {"https://x:80:80", RC_URL_FAULT_PORT},
    {"https://x/a b", RC_URL_FAULT_PATH},
    {"https://x/a\\b", RC_URL_FAULT_PATH},
    {"https://x/\r\n", RC_URL_FAULT_PATH},
    {"https://x/%", RC_URL_FAULT_PATH},
    {"https://x/%2", RC_URL_FAULT_PATH},
    {"https://x/%2g", RC_URL_FAULT_PATH},
    {"https://x/..", RC_URL_FAULT_PATH},
    {"https://x/a/../b", RC_URL_FAULT_PATH},
    {"https://x/a/%2e%2E/b", RC_URL_FAULT_PATH},
    {"https://x/./b", RC_URL_FAULT_PATH},
    {"https://x/?a=1", RC_URL_FAULT_QUERY},
    {"https://x#y", RC_URL_FAULT_QUERY},
};

static void bad_addresses_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_cases); i++) {
        rc_url url = {.port = 7};
        rc_url_fault fault = rc_url_parse(rc_str_c(bad_cases[i].text), &url);
        print_message("%s: %s\n", bad_cases[i].text, rc_url_fault_text(fault));
        assert_int_equal(fault, bad_cases[i].fault);
        assert_int_equal(url.port, 7);
    }
    rc_url url;
    assert_int_equal(rc_url_parse(rc_str_make("https://a\0b", 11), &url), RC_URL_FAULT_HOST);
}

static void lengths_have_ceilings(void **state)
{
    char text[RC_URL_PATH_MAX + 64];
    rc_url url;
    (void)state;
    memset(text, 'a', sizeof(text));
    memcpy(text, "https://", 8);
    assert_int_equal(rc_url_parse(rc_str_make(text, 8 + 63), &url), RC_URL_FAULT_NONE);
    assert_int_equal(rc_url_parse(rc_str_make(text, 8 + 64), &url), RC_URL_FAULT_HOST);
    for (size_t i = 8 + 63; i < sizeof(text); i += 64)
        text[i] = '.';
    assert_int_equal(rc_url_parse(rc_str_make(text, 8 + RC_URL_HOST_MAX), &url), RC_URL_FAULT_NONE);
    assert_int_equal(rc_url_parse(rc_str_make(text, 9 + RC_URL_HOST_MAX), &url),
                     RC_URL_FAULT_TOO_LONG);
    memset(text + 8, 'a', sizeof(text) - 8);
    text[9] = '/';
    assert_int_equal(rc_url_parse(rc_str_make(text, 9 + RC_URL_PATH_MAX), &url), RC_URL_FAULT_NONE);
    assert_int_equal(rc_url_parse(rc_str_make(text, 10 + RC_URL_PATH_MAX), &url),
                     RC_URL_FAULT_TOO_LONG);
}

typedef struct ipv6_case {
    const char *text;
    const char *full; /* the URL after parsing; NULL: the URL is rejected */
} ipv6_case;

static const ipv6_case ipv6_cases[] = {
    {"::", "00000000000000000000000000000000"},
    {"::1", "00000000000000000000000000000001"},
    {"1::", "00010000000000000000000000000000"},
    {"1:2:3:4:5:6:7:8", "00010002000300040005000600070008"},
    {"1::8", "00010000000000000000000000000008"},
    {"::2:3:4:5:6:7:8", "00000002000300040005000600070008"},
    {"1:2:3:4:5:6:7::", "00010002000300040005000600070000"},
    {"fe80::ABCD:ef01", "fe8000000000000000000000abcdef01"},
    {"::ffff:127.0.0.1", "00000000000000000000ffff7f000001"},
    {"1:2:3:4:5:6:1.2.3.4", "00010002000300040005000601020304"},
    {"", NULL},
    {":", NULL},
    {":::", NULL},
    {"1", NULL},
    {"1:", NULL},
    {":1", NULL},
    {"1::2::3", NULL},
    {"1:2:3:4:5:6:7", NULL},
    {"1:2:3:4:5:6:7:8:9", NULL},
    {"1:2:3:4::5:6:7:8", NULL},
    {"12345::", NULL},
    {"g::", NULL},
    {"::1.2.3", NULL},
    {"::1.2.3.4:5", NULL},
    {"1:2:3:4:5:6:7:1.2.3.4", NULL},
    {"1:::2", NULL},
    {"1:2:3:4:5:6:7:8::", NULL},
};

static void ipv6_addresses_are_read(void **state)
{
    static const char digits[] = "0123456789abcdef";
    (void)state;
    for (size_t i = 0; i < COUNT(ipv6_cases); i++) {
        uint8_t ip[16];
        char full[33] = {0};
        print_message("%s\n", ipv6_cases[i].text);
        bool is_read = rc_url_parse_ipv6(rc_str_c(ipv6_cases[i].text), ip);
        assert_int_equal(is_read, ipv6_cases[i].full != NULL);
        if (!is_read)
            continue;
        for (size_t j = 0; j < 16; j++) {
            full[2 * j] = digits[ip[j] >> 4];
            full[2 * j + 1] = digits[ip[j] & 15];
        }
        assert_string_equal(full, ipv6_cases[i].full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_addresses_are_read),
        cmocka_unit_test(bad_addresses_are_refused),
        cmocka_unit_test(lengths_have_ceilings),
        cmocka_unit_test(ipv6_addresses_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
