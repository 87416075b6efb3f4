/* Tests of rc_hops: the gateways in a Via header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "codec/hops.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ONE "recourse-0123456789abcdef"
#define TWO "recourse-fedcba9876543210"

static void a_request_loop_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *via;
        bool is_request_loop;
    } cases[] = {
        {"1.1 " ONE, true},
        {"1.1 " TWO ", 1.1 " ONE, true},
        {"1.0 fred, HTTP/1.1 p.example.net (Apache/1.1) , 1.1   " ONE " (comment)", true},
        {"1.1 " TWO, false},
        {"1.1 " ONE "0", false},
        {ONE, false},
        {"1.1 recourse-0123456789ABCDEF", false},
        {"", false},
        {",,, ,", false},
        {"1.1", false},
        {" ", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        rc_hops hops = {0};
        rc_hops_add(&hops, rc_str_c(cases[i].via));
        if (rc_hops_is_request_loop(&hops, RC_STR(ONE)) != cases[i].is_request_loop)
            fail_msg("%s", cases[i].via);
        assert_false(rc_hops_is_request_loop(&hops, RC_STR("")));
    }
}

/* Names of Recourse gateways are passed on in order, up to a ceiling. Names of other proxies are
 * not passed on. */
static void hops_are_passed_on(void **state)
{
    (void)state;
    char scratch[RC_HOPS_VIA_MAX];
    rc_buf text;
    rc_hops hops = {0};
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_hops_push(&text, &hops, RC_STR(""));
    assert_int_equal(rc_buf_get(&text).len, 0);
    rc_hops_add(&hops, RC_STR("1.1 inside.example, 1.1 " TWO));
    rc_hops_push(&text, &hops, RC_STR(ONE));
    assert_true(rc_str_eq(rc_buf_get(&text), RC_STR("via: 1.1 " TWO ", 1.1 " ONE "\r\n")));
    for (uint32_t i = 1; i < RC_HOPS_MAX; i++)
        rc_hops_add(&hops, RC_STR("1.1 " TWO));
    assert_false(rc_hops_is_request_loop(&hops, RC_STR(ONE)));
    rc_buf_reset(&text);
    rc_hops_push(&text, &hops, RC_STR(ONE));
    assert_int_equal(rc_buf_status(&text), RC_OK);
    rc_hops_add(&hops, RC_STR("1.1 " TWO));
    assert_true(rc_hops_is_request_loop(&hops, RC_STR(ONE)));
}

static void names_are_made_of_entropy(void **state)
{
    (void)state;
    const uint8_t chance[RC_HOP_ENTROPY_BYTES] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    char hop[RC_HOP_LEN];
    rc_hop_write(chance, hop);
    assert_memory_equal(hop, ONE, sizeof hop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_loop_is_found),
        cmocka_unit_test(hops_are_passed_on),
        cmocka_unit_test(names_are_made_of_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
