/* Tests of every renderer, in every view, with reports of every kind: the output is valid. If an
 * allocation fails or the buffer is too small, the renderer stops, reports the failure and frees
 * all memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/render_cases.h"

static const rc_panel_style STYLES[] = {
    {.width = 80, .has_utf8 = true},
    {.width = 60},
    {.width = 100, .has_utf8 = true, .has_colour = true},
};

static const char *check(size_t renderer, rc_str text)
{
    if (RENDERERS[renderer].check)
        return RENDERERS[renderer].check(text);
    return check_panel(text, &STYLES[renderer]);
}

static void check_everywhere(const rc_report *report, const char *name)
{
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < RENDERER_COUNT; i++) {
        for (size_t v = 0; v < VIEW_COUNT; v++) {
            rc_buf buf;
            rc_buf_init(&buf, &alloc, 16u << 20);
            assert_int_equal(RENDERERS[i].render(report, CASE_VIEWS[v], &buf), RC_OK);
            const char *complaint = check(i, rc_buf_get(&buf));
            if (complaint)
                fail_msg("%s, %s, view %d: %s", name, RENDERERS[i].name, (int)CASE_VIEWS[v],
                         complaint);
            rc_buf_done(&buf);
        }
    }
}

static void test_every_report(void **state)
{
    (void)state;
    check_everywhere(NULL, "NULL");
    const struct {
        const char *name;
        const rc_report *report;
    } REPORTS[] = {{"bare", case_bare()},
                   {"full", case_full()},
                   {"nasty", case_nasty()},
                   {"deep", case_deep()},
                   {"maximal x", case_maximal('x')},
                   {"maximal NUL", case_maximal('\0')},
                   {"maximal ESC", case_maximal('\x1b')},
                   {"maximal quote", case_maximal('"')},
                   {"maximal line feed", case_maximal('\n')},
                   {"maximal ill-formed", case_maximal('\xc3')}};
    for (size_t i = 0; i < sizeof REPORTS / sizeof *REPORTS; i++) {
        check_everywhere(REPORTS[i].report, REPORTS[i].name);
        rc_report_free(REPORTS[i].report);
    }
}

/* Makes the Nth allocation fail, for every N, either only this one or all later ones, too. */
static void fail_every_allocation(const rc_report *report, size_t renderer, bool for_good)
{
    for (size_t fail_at = 1; fail_at < 1000; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at, .for_good = for_good};
        rc_alloc alloc = fail_alloc_of(&failing);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 16u << 20);
        rc_status status = RENDERERS[renderer].render(report, RC_VIEW_INTERNAL, &buf);
        assert_int_equal(status, rc_buf_status(&buf));
        bool is_failed = failing.calls >= fail_at;
        assert_int_equal(status, is_failed ? RC_E_NOMEM : RC_OK);
        rc_buf_done(&buf);
        assert_int_equal(failing.live, 0);
        assert_false(failing.is_broken);
        if (!is_failed)
            return;
    }
    fail_msg("%s never ends", RENDERERS[renderer].name);
}

static void test_allocations(void **state)
{
    (void)state;
    const rc_report *reports[] = {case_full(), case_nasty(), case_deep()};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        for (size_t r = 0; r < RENDERER_COUNT; r++) {
            fail_every_allocation(reports[i], r, false);
            fail_every_allocation(reports[i], r, true);
        }
        rc_report_free(reports[i]);
    }
}

/* Tests every size of a fixed buffer, up to the one that is sufficient. */
static void test_fixed_buffers(void **state)
{
    (void)state;
    static char memory[64 * 1024];
    const rc_report *report = case_full();
    for (size_t r = 0; r < RENDERER_COUNT; r++) {
        rc_status status = RC_E_TOO_LARGE;
        size_t size = 0;
        for (; status != RC_OK && size < sizeof memory; size++) {
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory, size);
            status = RENDERERS[r].render(report, RC_VIEW_INTERNAL, &buf);
            assert_true(status == RC_OK || status == RC_E_TOO_LARGE);
            assert_true(rc_buf_get(&buf).len <= size);
            if (status == RC_OK)
                assert_null(check(r, rc_buf_get(&buf)));
        }
        assert_int_equal(status, RC_OK);
    }
    rc_report_free(report);
}

/* A buffer that had failed before is not changed. */
static void test_buffer_that_failed_before(void **state)
{
    (void)state;
    char memory[4];
    for (size_t r = 0; r < RENDERER_COUNT; r++) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_buf_push(&buf, RC_STR("abc"));
        assert_int_equal(rc_buf_push(&buf, RC_STR("de")), RC_E_TOO_LARGE);
        assert_int_equal(RENDERERS[r].render(NULL, RC_VIEW_INTERNAL, &buf), RC_E_TOO_LARGE);
        assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("abc")));
    }
}

/* Each check detects the error for which it exists. */
static void test_checks_can_fail(void **state)
{
    (void)state;
    rc_panel_style style = {.width = 4, .has_utf8 = true};
    rc_panel_style colour = {.width = 4, .has_utf8 = true, .has_colour = true};
    assert_null(check_panel(RC_STR("│é │\n"), &style));
    assert_non_null(check_panel(RC_STR("│é │"), &style));
    assert_non_null(check_panel(RC_STR("│é  │\n"), &style));
    assert_non_null(check_panel(RC_STR("│é │ \n"), &style));
    assert_non_null(check_panel(RC_STR("│日│\n│ │\n"), &style));
    assert_non_null(check_panel(RC_STR("│\x1b[1m é\x1b[0m│\n"), &style));
    assert_null(check_panel(RC_STR("│\x1b[1m é\x1b[0m│\n"), &colour));
    assert_non_null(check_panel(RC_STR("│\x1b[1m é│\n"), &colour));
    assert_non_null(check_panel(RC_STR("│\x1b[5m é\x1b[0m│\n"), &colour));
    assert_non_null(check_clean(RC_STR("a\rb")));
    assert_non_null(check_clean(RC_STR("\xe2\x80\xae")));
    assert_non_null(check_clean(RC_STR("\xff")));
    assert_non_null(check_headers(RC_STR("a: b\n")));
    assert_non_null(check_headers(RC_STR("a: b\nc: d\r\n")));
    assert_non_null(check_headers(RC_STR("a\r\n")));
    assert_non_null(check_headers(RC_STR("a: \r\n")));
    assert_non_null(check_http(RC_STR("HTTP/1.1 500 x\r\ncontent-length: 3\r\n\r\n{}")));
    assert_null(check_http(RC_STR("HTTP/1.1 500 x\r\ncontent-length: 2\r\n\r\n{}")));
    assert_non_null(check_frame(RC_STR("data: {}\n")));
    assert_non_null(check_frame(RC_STR("data: {\n}\n\n")));
    assert_non_null(check_frame(RC_STR("")));
    assert_non_null(check_frame(RC_STR("{}")));
    assert_non_null(check_frame(RC_STR("data: {}\r\n\n")));
    assert_non_null(check_frame(RC_STR("data: {}\n\n{")));
    assert_non_null(check_frame(RC_STR("data: {}\n\n{}\n")));
    assert_non_null(check_frame(RC_STR("data: {}\n\nevent: done\ndata: {}\n\n")));
    assert_null(check_frame(RC_STR("data: {}\r\n\r\n{}")));
    assert_null(check_frame(RC_STR("event: error\ndata: {}\n\ndata: {}\n\n")));
    assert_non_null(check_log(RC_STR("{}")));
    assert_non_null(check_log(RC_STR("{}\n{}\n")));
    assert_non_null(check_json(RC_STR("{")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_report),    cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_fixed_buffers),   cmocka_unit_test(test_buffer_that_failed_before),
        cmocka_unit_test(test_checks_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
