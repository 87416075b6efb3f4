/* Tests of rc_body_shape: with whole bodies, and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "dialect/body_shape.h"

static void expect(const char *text, rc_body_kind kind)
{
    const rc_str body = rc_str_c(text);
    rc_body_shape slow = {.kind = RC_BODY_UNDECIDED};
    assert_int_equal(rc_body_kind_of(body), kind);
    for (size_t i = 0; i < body.len; i++)
        (void)rc_body_shape_step(&slow, rc_str_slice(body, i, i + 1));
    assert_int_equal(slow.kind, kind);
}

static void test_json(void **state)
{
    (void)state;
    expect("{\"choices\":[]}", RC_BODY_OBJECT);
    expect(" \r\n\t{", RC_BODY_OBJECT);
    expect("\xef\xbb\xbf{", RC_BODY_OBJECT);
    expect("[{\"candidates\":[]}]", RC_BODY_ARRAY);
    expect("\n[", RC_BODY_ARRAY);
}

static void test_events(void **state)
{
    (void)state;
    expect("data: {\"choices\":[]}\n\n", RC_BODY_EVENTS);
    expect("data:{", RC_BODY_EVENTS);
    expect("event: message_start\ndata: {}\n\n", RC_BODY_EVENTS);
    expect("id: 7\n", RC_BODY_EVENTS);
    expect("retry: 10\n", RC_BODY_EVENTS);
    expect(": ping\n\n{", RC_BODY_EVENTS);
    expect(":", RC_BODY_EVENTS);
    expect("\r\n\n  data:", RC_BODY_EVENTS);
    expect("\xef\xbb\xbf"
           "data:",
           RC_BODY_EVENTS);
    expect("data\n\n", RC_BODY_EVENTS);
    expect("data\r", RC_BODY_EVENTS);
}

static void test_undecided(void **state)
{
    (void)state;
    expect("", RC_BODY_UNDECIDED);
    expect(" \n\r\n", RC_BODY_UNDECIDED);
    expect("d", RC_BODY_UNDECIDED);
    expect("\nretry", RC_BODY_UNDECIDED);
    expect("event", RC_BODY_UNDECIDED);
}

static void test_other(void **state)
{
    (void)state;
    expect("<html>", RC_BODY_OTHER);
    expect("dear customer", RC_BODY_OTHER);
    expect("dat:", RC_BODY_OTHER);
    expect("da\n", RC_BODY_OTHER);
    expect("dataset: 1", RC_BODY_OTHER);
    expect("retrying", RC_BODY_OTHER);
    expect("events:", RC_BODY_OTHER);
    expect("Data: 1", RC_BODY_OTHER);
    expect("data : 1", RC_BODY_OTHER);
    expect("\"text\"", RC_BODY_OTHER);
    expect("null", RC_BODY_OTHER);
    expect("}", RC_BODY_OTHER);
    expect("\x01", RC_BODY_OTHER);
    assert_int_equal(rc_body_kind_of(RC_STR("\0{")), RC_BODY_OTHER);
}

/* Further bytes do not change the kind. */
static void test_text(void **state)
{
    static const struct {
        const char *body, *text;
    } CASES[] = {{"", ""},
                 {" \r\n", ""},
                 {"\xef\xbb\xbf{}", "{}"},
                 {"\xbb\xbf\n{}", "{}"},
                 {"a b", "a b"},
                 {" {\xef\xbb\xbf", "{\xef\xbb\xbf"}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        assert_true(
            rc_str_eq(rc_body_skip_blank(rc_str_c(CASES[i].body)), rc_str_c(CASES[i].text)));
}

static void test_kind_is_final(void **state)
{
    (void)state;
    rc_body_shape shape = {.kind = RC_BODY_UNDECIDED};
    assert_int_equal(rc_body_shape_step(&shape, RC_STR(" ")), RC_BODY_UNDECIDED);
    assert_int_equal(rc_body_shape_step(&shape, RC_STR("da")), RC_BODY_UNDECIDED);
    assert_int_equal(shape.prefix_len, 2);
    assert_memory_equal(shape.prefix, "da", 2);
    assert_int_equal(rc_body_shape_step(&shape, RC_STR("ta: {")), RC_BODY_EVENTS);
    assert_int_equal(rc_body_shape_step(&shape, RC_STR("{")), RC_BODY_EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),          cmocka_unit_test(test_events),
        cmocka_unit_test(test_undecided),     cmocka_unit_test(test_other),
        cmocka_unit_test(test_kind_is_final), cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
