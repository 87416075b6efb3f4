/* Tests of the default path of the store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "support/fail_alloc.h"

static const char *const *variables; /* the environment: name, value, ..., NULL */

static const char *get_variable(const char *name)
{
    for (size_t i = 0; variables[i] != NULL; i += 2)
        if (strcmp(variables[i], name) == 0)
            return variables[i + 1];
    return NULL;
}

static void expect(const char *text, const char *const *names_and_values, rc_config_store_kind kind,
                   const char *store)
{
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config config;
    rc_config_faults faults;
    variables = names_and_values;
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(&config, rc_str_c(text), &alloc, &faults), RC_OK);
    assert_int_equal(rc_config_find_store(&config, get_variable), RC_OK);
    assert_int_equal(config.store_kind, kind);
    assert_int_equal(config.root.store.len, strlen(store));
    assert_memory_equal(config.root.store.ptr, store, strlen(store));
    rc_config_done(&config);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_configured_store_is_kept(void **state)
{
    (void)state;
    expect("store: sqlite:recourse.db\n", LIST("HOME", "/home/a", "XDG_STATE_HOME", "/x"),
           RC_CONFIG_STORE_NAMED, "sqlite:recourse.db");
    expect("store: env:STORE\n", LIST("HOME", "/home/a"), RC_CONFIG_STORE_NAMED, "env:STORE");
}

static void the_default_is_in_the_state_folder(void **state)
{
    (void)state;
    expect("", LIST("HOME", "/home/a"), RC_CONFIG_STORE_STATE_DIR,
           "sqlite:/home/a/.local/state/recourse/recourse.db");
    expect("", LIST("HOME", "/home/a", "XDG_STATE_HOME", "/x/"), RC_CONFIG_STORE_STATE_DIR,
           "sqlite:/x/recourse/recourse.db");
    expect("", LIST("HOME", "/home/a", "XDG_STATE_HOME", ""), RC_CONFIG_STORE_STATE_DIR,
           "sqlite:/home/a/.local/state/recourse/recourse.db");
}

static void a_service_has_its_own_folder(void **state)
{
    (void)state;
    expect("", LIST("STATE_DIRECTORY", "/var/lib/recourse", "XDG_STATE_HOME", "/x"),
           RC_CONFIG_STORE_STATE_DIR, "sqlite:/var/lib/recourse/recourse.db");
    expect("", LIST("STATE_DIRECTORY", "/var/lib/a:/var/lib/b"), RC_CONFIG_STORE_STATE_DIR,
           "sqlite:/var/lib/a/recourse.db");
}

static void relative_folders_are_ignored(void **state)
{
    (void)state;
    expect("", LIST("HOME", "/home/a", "XDG_STATE_HOME", "x", "STATE_DIRECTORY", "y"),
           RC_CONFIG_STORE_STATE_DIR, "sqlite:/home/a/.local/state/recourse/recourse.db");
    expect("", LIST("HOME", "a", "XDG_STATE_HOME", "x"), RC_CONFIG_STORE_CURRENT_DIR,
           "sqlite:recourse.db");
}

static void too_long_folders_are_ignored(void **state)
{
    (void)state;
    static char folder[5000];
    memset(folder, 'a', sizeof folder - 1);
    folder[0] = '/';
    expect("", LIST("HOME", "/home/a", "XDG_STATE_HOME", folder), RC_CONFIG_STORE_STATE_DIR,
           "sqlite:/home/a/.local/state/recourse/recourse.db");
}

static void without_a_state_folder_the_current_folder_is_used(void **state)
{
    (void)state;
    expect("", (const char *const[]){NULL}, RC_CONFIG_STORE_CURRENT_DIR, "sqlite:recourse.db");
    expect("", LIST("HOME", ""), RC_CONFIG_STORE_CURRENT_DIR, "sqlite:recourse.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configured_store_is_kept),
        cmocka_unit_test(the_default_is_in_the_state_folder),
        cmocka_unit_test(a_service_has_its_own_folder),
        cmocka_unit_test(relative_folders_are_ignored),
        cmocka_unit_test(too_long_folders_are_ignored),
        cmocka_unit_test(without_a_state_folder_the_current_folder_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
