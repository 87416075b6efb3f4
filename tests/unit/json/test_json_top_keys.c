/* Tests of rc_json_top_keys: the same keys are reported for every split into pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "support/json_text.h"
#include "json/top_keys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char heard[512];

static bool on_key(void *ctx, rc_str raw)
{
    const size_t len = strlen(heard);
    (void)ctx;
    snprintf(heard + len, sizeof heard - len, "%.*s;", (int)raw.len, raw.ptr);
    return !rc_str_eq(raw, RC_STR("stop"));
}

static void keys_are_found_in_any_pieces(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names;
    } rows[] = {
        {"{'a':1,'b':{'c':2,'d':['e',{'f':1}]},'g':'h','i':null}", "a;b;g;i;"},
        {" \n{ 'a' : 'x,{[' , 'b' : [ 'y' , 'z' ] , 'c':true }", "a;b;c;"},
        {"{'mod\\u0065l':1,'q\\'':2,'back\\\\':'\\\\','z':3}", "mod\\u0065l;q\\\";back\\\\;z;"},
        {"\xEF\xBB\xBF{'a':1} {'b':2}", "a;"},
        {"{'a':1,'stop':2,'b':3}", "a;stop;"},
        {"[{'a':1}]", ""},
        {"--form\r\n{'a':1}", ""},
        {"{}", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const rc_str text = json_text(rows[i].text);
        for (size_t step = 1; step <= text.len + 1; step++) {
            rc_json_top_keys top = {0};
            heard[0] = '\0';
            for (size_t at = 0; at < text.len; at += step)
                (void)rc_json_top_keys_push(&top, rc_str_slice(text, at, at + step), on_key, NULL);
            assert_string_equal(heard, rows[i].names);
        }
    }
}

static void long_keys_are_left_out(void **state)
{
    (void)state;
    char text[RC_JSON_TOP_KEY_MAX + 32];
    for (size_t len = RC_JSON_TOP_KEY_MAX - 1; len <= RC_JSON_TOP_KEY_MAX + 1; len++) {
        rc_json_top_keys top = {0};
        heard[0] = '\0';
        text[0] = '{';
        text[1] = '"';
        memset(text + 2, 'x', len);
        snprintf(text + 2 + len, sizeof text - 2 - len, "\":1,\"b\":2}");
        assert_true(rc_json_top_keys_push(&top, rc_str_c(text), on_key, NULL));
        assert_int_equal(strlen(heard), len <= RC_JSON_TOP_KEY_MAX ? len + 3 : 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_in_any_pieces),
        cmocka_unit_test(long_keys_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
