/* Tests of the addresses of providers: accepted ones, and the reasons for refusing others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/config_fixture.h"

#include <recourse/stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void plain_http_is_accepted_for_this_machine_only(void **state)
{
    (void)state;
    static const struct {
        const char *url, *part; /* part: a part of the expected message; NULL: the address is
                                   valid */
    } cases[] = {
        {"https://example.com", NULL},
        {"https://example.com:8443/v1", NULL},
        {"http://127.0.0.1:8080/v1", NULL},
        {"http://127.9.9.9", NULL},
        {"http://localhost:1", NULL},
        {"http://[::1]:1/v1", NULL},
        {"http://example.com", "insecure: true"},
        {"http://127.0.0.1.example.com", "insecure: true"},
        {"http://localhost.example.com", "insecure: true"},
        {"http://10.0.0.1:80", "insecure: true"},
        {"ftp://example.com", "https:// or http://"},
        {"https://", "host"},
        {"https://h:", "port"},
        {"https://h:x", "port"},
        {"https://0.0.0.0:8000", "a provider cannot have"},
        {"https://169.254.169.254/v1", "a provider cannot have"},
        {"https://2130706433", "plain IPv4"},
        {"https://h/?key=1", "no query"},
        {"https://u:p@h", "user name"},
        {"http://127.0.0.1@example.com", "user name"},
        {"https://a b", "no spaces"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof(text), "providers: {x: {kind: openai, base_url: \"%s\"}}",
                 cases[i].url);
        rc_status status = parse(text);
        bool is_right = cases[i].part == NULL
                            ? status == RC_OK
                            : strstr(faults.list[0].message, cases[i].part) != NULL;
        if (!is_right)
            fail_msg("%s: %s", cases[i].url, faults.list[0].message);
        done();
    }
}

static void insecure_allows_plain_http_to_other_machines(void **state)
{
    (void)state;
    static const char *const good[] = {
        "providers: {x: {kind: openai, base_url: \"http://10.0.0.1\", insecure: true}}",
        "providers: {x: {kind: openai, base_url: \"https://10.0.0.1\"}}",
        "providers: {x: {kind: openai, base_url: \"https://x\", private_network: true}}",
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(parse(good[i]), RC_OK);
        assert_int_equal(config.providers[0].private_network, i == 2);
        done();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_http_is_accepted_for_this_machine_only),
        cmocka_unit_test(insecure_allows_plain_http_to_other_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
