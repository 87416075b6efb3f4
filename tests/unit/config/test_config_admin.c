/* Tests of the listen address of the admin server: an address that other machines can reach
 * requires a token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/config_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *text;
    unsigned column; /* column of the expected fault; 0: the file is valid */
    const char *path;
    const char *part;
} cases[] = {
    {"admin: {}\n", 0, "", ""},
    {"admin: {listen: 127.0.0.1:0}\n", 0, "", ""},
    {"admin: {listen: \"[::1]:9\"}\n", 0, "", ""},
    {"admin: {listen: LocalHost:9}\n", 0, "", ""},
    {"admin: {listen: off}\n", 0, "", ""},
    {"admin: {socket: /run/x}\n", 0, "", ""},
    {"admin: {listen: off, socket: /run/x}\n", 0, "", ""},
    {"admin: {listen: 0.0.0.0:9, token: env:T}\n", 0, "", ""},
    {"admin: {listen: 8789}\n", 17, "admin.listen", "as in 127.0.0.1:8789, or off"},
    {"admin: {listen: on}\n", 17, "admin.listen", "or off"},
    {"admin: {listen: 0.0.0.0:9}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: \":9\"}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: \"[::]:9\"}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: 10.0.0.1:9}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: 127.0.0.1.example.com:9}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: \"[::ffff:127.0.0.1]:9\"}\n", 17, "admin.listen", "admin.token is missing"},
    {"admin: {listen: 127.0.0.1:9, socket: /x}\n", 38, "admin.socket", "exclude each other"},
    /* A token that cannot be parsed causes only one fault. */
    {"admin: {listen: 0.0.0.0:9, token: hunter2}\n", 35, "admin.token", "literal tokens"},
    /* The gateway and the admin server have the same address. */
    {"listen: 127.0.0.1:8789\n", 9, "listen", "are the same"},
    {"admin: {listen: 127.0.0.1:8787}\n", 17, "admin.listen", "are the same"},
    {"listen: 127.0.0.1:8789\nadmin: {listen: off}\n", 0, "", ""},
    {"listen: 127.0.0.1:8789\nadmin: {socket: /x}\n", 0, "", ""},
    {"listen: 127.0.0.1:0\nadmin: {listen: 127.0.0.1:0}\n", 0, "", ""},
};

static void an_address_that_others_can_reach_needs_a_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        rc_status status = parse(cases[i].text);
        const rc_config_fault *fault = &faults.list[0];
        bool is_good = cases[i].column == 0;
        if (is_good && status != RC_OK)
            fail_msg("%s: %s: %s", cases[i].text, fault->path, fault->message);
        if (!is_good &&
            (faults.count != 1 || fault->line != 1 || fault->column != cases[i].column ||
             strcmp(fault->path, cases[i].path) != 0 ||
             strstr(fault->message, cases[i].part) == NULL))
            fail_msg("%s: %zu: %u:%u: %s: %s", cases[i].text, faults.count, fault->line,
                     fault->column, fault->path, fault->message);
        done();
    }
}

static void a_socket_replaces_the_default_address(void **state)
{
    (void)state;
    assert_int_equal(parse(""), RC_OK);
    assert_true(rc_config_admin_listens(&config.admin));
    done();
    assert_int_equal(parse("admin: {socket: /run/x}\n"), RC_OK);
    assert_false(rc_config_admin_listens(&config.admin));
    assert_string_equal(config.admin.socket.ptr, "/run/x");
    done();
    assert_int_equal(parse("admin: {listen: off}\n"), RC_OK);
    assert_false(rc_config_admin_listens(&config.admin));
    assert_int_equal(config.admin.socket.len, 0);
    done();
}

static void durability_off_is_accepted(void **state)
{
    (void)state;
    assert_int_equal(parse("audit: {durability: off}\n"), RC_OK);
    assert_int_equal(config.audit.durability, RC_DURABLE_OFF);
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_that_others_can_reach_needs_a_token),
        cmocka_unit_test(a_socket_replaces_the_default_address),
        cmocka_unit_test(durability_off_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
