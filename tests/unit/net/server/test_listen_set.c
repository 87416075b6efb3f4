/* Tests of the base addresses that match a listening socket of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <unistd.h>

#include "net/server/listen_set.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PORT 8787

static rc_address address_of(const char *text)
{
    rc_address address = {.v6 = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)}};
    if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1)
        return address;
    address = (rc_address){.v4 = {.sin_family = AF_INET, .sin_port = htons(PORT)}};
    assert_int_equal(inet_pton(AF_INET, text, &address.v4.sin_addr), 1);
    return address;
}

static void listeners_are_found_by_address_and_name(void **state)
{
    (void)state;
    static const struct {
        const char *listener;
        bool takes_v4;
        const char *url;
        bool is_here;
    } cases[] = {
        {"127.0.0.1", false, "http://127.0.0.1:8787/v1", true},
        {"127.0.0.1", false, "http://127.0.0.1:8788/v1", false},
        {"127.0.0.1", false, "http://127.0.0.2:8787/v1", false},
        {"127.0.0.1", false, "https://127.0.0.1:8787", true},
        {"127.0.0.1", false, "http://localhost:8787", true},
        {"127.0.0.1", false, "http://LocalHost:8787", true},
        {"127.0.0.1", false, "http://a.localhost:8787", true},
        {"127.0.0.1", false, "http://[::ffff:127.0.0.1]:8787", true},
        {"127.0.0.1", false, "http://[::1]:8787", false},
        {"127.0.0.1", false, "http://me:8787", false},
        {"127.0.0.1", false, "http://api.example.com:8787", false},
        {"10.1.2.3", false, "http://10.1.2.3:8787", true},
        {"10.1.2.3", false, "http://ME:8787", true},
        {"10.1.2.3", false, "http://localhost:8787", false},
        {"0.0.0.0", false, "http://127.0.0.1:8787", true},
        {"0.0.0.0", false, "http://127.9.9.9:8787", true},
        {"0.0.0.0", false, "http://10.1.2.3:8787", true},
        {"0.0.0.0", false, "http://10.1.2.4:8787", false},
        {"0.0.0.0", false, "http://localhost:8787", true},
        {"0.0.0.0", false, "http://me:8787", true},
        {"0.0.0.0", false, "http://[::1]:8787", false},
        {"0.0.0.0", false, "http://me:80", false},
        {"::1", false, "http://[::1]:8787", true},
        {"::1", false, "http://localhost:8787", true},
        {"::1", false, "http://127.0.0.1:8787", false},
        {"::", false, "http://[::1]:8787", true},
        {"::", false, "http://[fd00::3]:8787", true},
        {"::", false, "http://127.0.0.1:8787", false},
        {"::", true, "http://127.0.0.1:8787", true},
        {"::", true, "http://10.1.2.3:8787", true},
    };
    static rc_machine machine = {.count = 2, .name = "me"};
    machine.addresses[0] = address_of("10.1.2.3");
    machine.addresses[1] = address_of("fd00::3");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const rc_origin_options any = {.insecure = true, .allow_private = true};
        const rc_listen_address unix_socket = {.takes_v4 = true};
        const rc_listen_address listener = {.address = address_of(cases[i].listener),
                                            .takes_v4 = cases[i].takes_v4};
        rc_listen_set here = {0};
        rc_origin origin;
        rc_listen_set_add(&here, &unix_socket);
        rc_listen_set_add(&here, &listener);
        assert_null(rc_origin_parse(rc_str_c(cases[i].url), any, &origin));
        if (rc_listen_set_has_origin(&here, &machine, &origin) != cases[i].is_here)
            fail_msg("%s at %s", cases[i].url, cases[i].listener);
    }
}

/* For an IPv6 socket, the function also reads whether it accepts IPv4. */
static void a_sockets_address_is_read(void **state)
{
    (void)state;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
    assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof any), 0);
    const rc_listen_address listener = rc_listen_address_of_socket(fd);
    assert_int_equal(listener.address.base.sa_family, AF_INET);
    assert_int_not_equal(listener.address.v4.sin_port, 0);
    assert_false(listener.takes_v4);
    close(fd);
    assert_int_equal(rc_listen_address_of_socket(-1).address.base.sa_family, AF_UNSPEC);
}

static void a_full_set_ignores_further_addresses(void **state)
{
    (void)state;
    rc_listen_set here = {0};
    const rc_listen_address listener = {.address = address_of("127.0.0.1")};
    for (int i = 0; i < RC_LISTEN_SET_MAX + 3; i++)
        rc_listen_set_add(&here, &listener);
    assert_int_equal(here.count, RC_LISTEN_SET_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listeners_are_found_by_address_and_name),
        cmocka_unit_test(a_sockets_address_is_read),
        cmocka_unit_test(a_full_set_ignores_further_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
