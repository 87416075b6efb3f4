/* Tests of bodies that name their model in several positions: every name is replaced, and nothing
 * else. */
#include "gateway/request/model_names.h"

#include <recourse/stdlib.h>

#include "support/client_request.h"

typedef struct name_case {
    const char *body;
    const char *want;
} name_case;

static const name_case cases[] = {
    {"{}", "{}"},
    {"{\"model\":\"a\"}", "{\"model\":\"n\\\"w\"}"},
    {"{\"model\":\"models/a\",\"x\":[1,{\"model\":\"models/a\"}]}",
     "{\"model\":\"models/n\\\"w\",\"x\":[1,{\"model\":\"models/a\"}]}"},
    {" {\"requests\" : [ {\"model\" : \"models/a\" , "
     "\"content\":{\"model\":\"a\"}},\n{\"model\":\"a\"}]} ",
     " {\"requests\" : [ {\"model\" : \"models/n\\\"w\" , "
     "\"content\":{\"model\":\"a\"}},\n{\"model\":\"n\\\"w\"}]} "},
    {"{\"generateContentRequest\":{\"model\":\"models/a\",\"contents\":[]},\"contents\":[]}",
     "{\"generateContentRequest\":{\"model\":\"models/n\\\"w\",\"contents\":[]},\"contents\":[]}"},
    {"{\"m\\u006fdel\":\"a\",\"request\\u0073\":[{\"model\":\"models\\/a\"}]}",
     "{\"m\\u006fdel\":\"n\\\"w\",\"request\\u0073\":[{\"model\":\"models/n\\\"w\"}]}"},
    /* Values that are not a model's name stay unchanged. */
    {"{\"model\":{\"model\":\"a\"},\"requests\":{\"model\":\"a\"}}",
     "{\"model\":{\"model\":\"a\"},\"requests\":{\"model\":\"a\"}}"},
    {"{\"requests\":[[{\"model\":\"a\"}],1,null,\"model\"],\"generateContentRequest\":[\"model\"]}",
     "{\"requests\":[[{\"model\":\"a\"}],1,null,\"model\"],\"generateContentRequest\":[\"model\"]"
     "}"},
    {"{\"text\":\"{\\\"model\\\":\\\"a\\\"}\"}", "{\"text\":\"{\\\"model\\\":\\\"a\\\"}\"}"},
    {"[{\"model\":\"a\"}]", "[{\"model\":\"a\"}]"},
    {"", ""},
    /* The text after a syntax error stays unchanged. */
    {"{\"model\":\"a\",,\"model\":\"a\"}", "{\"model\":\"n\\\"w\",,\"model\":\"a\"}"},
    {"{\"requests\":[{\"model\":\"a\"", "{\"requests\":[{\"model\":\"n\\\"w\""},
    {"{\"requests\":[{\"model\":", "{\"requests\":[{\"model\":"},
    {"{\"requests\":[", "{\"requests\":["},
    {"{\"generateContentRequest\"", "{\"generateContentRequest\""},
};

static void names_are_replaced(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char memory[512];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        print_message("%s\n", cases[i].body);
        assert_int_equal(rc_model_names_push(&buf, rc_str_c(cases[i].body), RC_STR("n\"w")), RC_OK);
        assert_text(rc_buf_get(&buf), cases[i].want);
        assert_int_equal(rc_model_names_measure(rc_str_c(cases[i].body), RC_STR("n\"w")),
                         strlen(cases[i].want));
    }
}

static void the_longest_name_fits(void **state)
{
    (void)state;
    char name[RC_MODEL_NAME_MAX];
    char memory[16 * RC_MODEL_NAME_MAX];
    const rc_str body = RC_STR("{\"model\":\"models/a\",\"requests\":[{\"model\":\"a\"}]}");
    rc_buf buf;
    memset(name, '"', sizeof name);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_model_names_push(&buf, body, rc_str_make(name, sizeof name)), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, body.len - 2 + 4 * RC_MODEL_NAME_MAX);
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    char memory[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_not_equal(rc_model_names_push(&buf, RC_STR("{\"model\":\"a\"}"), RC_STR("b")),
                         RC_OK);
}

static void only_some_endpoints_have_several_names(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < RC_ENDPOINT_COUNT; i++) {
        const rc_endpoint *row = rc_endpoint_at(i);
        if (!rc_model_names_are_many(row))
            continue;
        count++;
        assert_int_equal(row->model, RC_MODEL_PATH);
    }
    assert_int_equal(count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_replaced),
        cmocka_unit_test(the_longest_name_fits),
        cmocka_unit_test(a_full_buffer_is_reported),
        cmocka_unit_test(only_some_endpoints_have_several_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
