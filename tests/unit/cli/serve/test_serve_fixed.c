/* Tests of rc_serve_fixed: the keys of a reloaded configuration whose change needs a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <recourse/stdlib.h>

#include "cli/serve/fixed.h"
#include "support/fail_alloc.h"

static void parse(const char *text, rc_config *config)
{
    rc_config_faults faults;
    rc_alloc stdlib = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(config, rc_str_c(text), &stdlib, &faults), RC_OK);
}

/* Returns the names of the keys that differ, each preceded by a space. */
static const char *compare(const char *runs, const char *other, rc_serve_overrides overrides)
{
    static char text[256];
    fail_alloc memory = {0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    rc_str keys[RC_SERVE_FIXED_KEYS];
    rc_config first;
    rc_config second;
    rc_serve_fixed fixed;
    size_t len = 0;
    parse(runs, &first);
    assert_int_equal(rc_serve_fixed_init(&fixed, &first, overrides, &alloc), RC_OK);
    rc_config_done(&first); /* The first configuration is freed before the comparison. */
    parse(other, &second);
    const size_t count = rc_serve_fixed_compare(&fixed, &second, keys);
    for (size_t i = 0; i < count; i++) {
        text[len++] = ' ';
        memcpy(text + len, keys[i].ptr, keys[i].len);
        len += keys[i].len;
    }
    text[len] = '\0';
    /* If no memory is available, no difference is reported, and the stored values are unchanged. */
    memory.for_good = true;
    memory.fail_at = memory.calls + 1;
    assert_int_equal(rc_serve_fixed_compare(&fixed, &second, keys), 0);
    rc_serve_fixed_done(&fixed);
    rc_serve_fixed_done(&fixed);
    assert_int_equal(rc_serve_fixed_compare(&fixed, &second, keys), 0);
    rc_config_done(&second);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return text;
}

#define RUNS "listen: 127.0.0.1:80\nadmin: {listen: 127.0.0.1:81}\nthreads: 2\nstore: sqlite:a.db\n"

static void every_key_is_named(void **state)
{
    (void)state;
    const rc_serve_overrides none = {.is_listen = false};
    assert_string_equal(compare(RUNS, RUNS, none), "");
    assert_string_equal(compare(RUNS, RUNS "retry_budget: {burst: 3}\nlog: {format: json}\n", none),
                        "");
    assert_string_equal(
        compare(RUNS,
                "listen: 127.0.0.1:8\nthreads: 3\nstore: sqlite:b.db\n"
                "audit: {durability: async}\nadmin: {listen: 127.0.0.1:82}\n"
                "limits: {max_connections: 9, max_header_bytes: 2000}\n",
                none),
        " listen threads store audit admin limits.max_connections limits.max_header_bytes");
    assert_string_equal(compare(RUNS, RUNS "audit: {on_failure: continue}\n", none), " audit");
    assert_string_equal(compare("admin: {socket: /a}\n", "admin: {socket: /b}\n", none), " admin");
}

static void overridden_keys_do_not_count(void **state)
{
    (void)state;
    const rc_serve_overrides both = {.is_listen = true, .is_admin = true};
    assert_string_equal(compare(RUNS,
                                "listen: 127.0.0.1:8\nthreads: 3\nstore: sqlite:a.db\n"
                                "admin: {listen: 127.0.0.1:82}\n",
                                both),
                        " threads");
    assert_string_equal(compare("admin: {socket: /a}\n", "admin: {socket: /b}\n", both), " admin");
}

static void out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const rc_serve_overrides none = {.is_listen = false};
    rc_config config;
    rc_serve_fixed fixed;
    rc_str keys[RC_SERVE_FIXED_KEYS];
    parse(RUNS, &config);
    assert_int_equal(rc_serve_fixed_init(&fixed, &config, none, &alloc), RC_E_NOMEM);
    assert_int_equal(rc_serve_fixed_compare(&fixed, &config, keys), 0);
    rc_serve_fixed_done(&fixed);
    rc_config_done(&config);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_named),
        cmocka_unit_test(overridden_keys_do_not_count),
        cmocka_unit_test(out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
