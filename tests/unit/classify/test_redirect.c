/* Tests of redirect targets in reports: scheme, host and path are shown, and nothing that may be a
 * secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/stdlib.h>

#include "base/str.h"
#include "classify/redirect.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *location;
    const char *shown; /* expected text; NULL: no target is shown */
} cases[] = {
    {"https://login.corp/sso", "https://login.corp/sso"},
    {"http://login.corp", "http://login.corp"},
    {"HTTPS://login.corp:8443/", "https://login.corp:8443/"},
    {"  https://login.corp/a \t", "https://login.corp/a"},
    {"https://[::1]:8080/x", "https://[::1]:8080/x"},
    {"//login.corp/a/b", "//login.corp/a/b"},
    {"/v2/models/m:generateContent", "/v2/models/m:generateContent"},
    {"/", "/"},
    /* queries and fragments, which may contain secrets */
    {"https://login.corp/sso?token=abc#def", "https://login.corp/sso"},
    {"https://login.corp?token=abc", "https://login.corp"},
    {"https://login.corp#token=abc", "https://login.corp"},
    {"/sso?next=/v1", "/sso"},
    {"https://login.corp/sso;id=abc", "https://login.corp/sso…"},
    {"https://login.corp/sso%3Ftoken%3Dabc", "https://login.corp/sso…"},
    {"https://login.corp/a b", "https://login.corp/a…"},
    {"https://login.corp/a\x1b[31m", "https://login.corp/a…"},
    {"https://login.corp/\xc3\xa4", "https://login.corp/…"},
    {"https://login.corp/token=abc", "https://login.corp/token…"},
    /* tokens in the path */
    {"https://login.corp/magic/9f86d081884c7d659a2feaa0c55ad015/x", "https://login.corp/magic/…"},
    {"https://login.corp/a/x-AbCdEf123456GhIjKl789_MnOp", "https://login.corp/a/…"},
    {"https://login.corp/a/abcdefghijklmno1?b", "https://login.corp/a/…"},
    {"https://login.corp/a/abcdefghijklmn1?9f86d081884c7d65",
     "https://login.corp/a/abcdefghijklmn1"},
    {"/1234567890123456", "/…"},
    {"/v1/models/claude-3-5-sonnet-20241022:streamGenerateContent",
     "/v1/models/claude-3-5-sonnet-20241022:streamGenerateContent"},
    {"/550e8400-e29b-41d4-a716-446655440000/oauth2",
     "/550e8400-e29b-41d4-a716-446655440000/oauth2"},
    /* user names and passwords */
    {"https://user:secret@login.corp/sso", "https://login.corp/sso"},
    {"https://user:se@cret@login.corp/sso", "https://login.corp/sso"},
    {"https://login.corp/x/user:secret@other/y", "https://login.corp/x/…"},
    {"https://login.corp/sec%21ret@other/y", "https://login.corp/…"},
    {"/user:secret@other/y", "/…"},
    {"https://login.corp/a?b@c", "https://login.corp/a"},
    {"https://user:se/cret@login.corp/sso", NULL},
    {"https:///user:secret@login.corp/", NULL},
    {"https:user:secret@login.corp/", NULL},
    {"https:/login.corp/", NULL},
    {"https:\\\\login.corp", NULL},
    {"https://login.corp\\@other/", "https://login.corp…"},
    {"https://lo\x01gin/", NULL},
    {"https://\xc3\xa4.corp/", NULL},
    {"https://", NULL},
    {"https:", NULL},
    {"//", NULL},
    {"", NULL},
    {" ", NULL},
    {"sso", NULL},
    {"mailto:a@b", NULL},
    {"javascript:alert(1)", NULL},
    {"ftp://login.corp/", NULL},
};

static void test_addresses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char scratch[RC_REDIRECT_MAX];
        rc_buf shown;
        rc_buf_init_fixed(&shown, scratch, sizeof scratch);
        const bool is_shown = rc_redirect_push(&shown, rc_str_c(cases[i].location));
        const rc_str text = rc_buf_get(&shown);
        if (is_shown != (cases[i].shown != NULL) ||
            !rc_str_eq(text, rc_str_c(cases[i].shown != NULL ? cases[i].shown : "")))
            fail_msg("%s: %.*s", cases[i].location, (int)text.len, text.ptr);
    }
}

static void test_a_long_target_is_cut(void **state)
{
    char location[8192] = "https://login.corp/";
    char scratch[RC_REDIRECT_MAX];
    rc_buf shown;
    (void)state;
    memset(location + strlen(location), 'a', sizeof location - 1 - strlen(location));
    location[sizeof location - 1] = '\0';
    rc_buf_init_fixed(&shown, scratch, sizeof scratch);
    assert_true(rc_redirect_push(&shown, rc_str_c(location)));
    assert_int_equal(rc_buf_status(&shown), RC_OK);
    assert_true(rc_buf_get(&shown).len < 160);
    assert_true(rc_str_ends_with(rc_buf_get(&shown), RC_STR("a…")));
    /* a host name that is too long */
    memset(location + 8, 'a', 1000);
    rc_buf_reset(&shown);
    assert_false(rc_redirect_push(&shown, rc_str_c(location)));
    assert_int_equal(rc_buf_get(&shown).len, 0);
}

static const rc_report *report_of(int status, const char *location, rc_str body, rc_str request)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_header headers[] = {{RC_STR("Server"), RC_STR("x")},
                                 {RC_STR("LOCATION"), rc_str_c(location)}};
    const rc_failure failure = {
        .provider_label = RC_STR("corp"),
        .status = status,
        .headers = headers,
        .header_count = location[0] != '\0' ? 2 : 1,
        .body = body,
        .request = request,
        .phase = RC_PHASE_HEADERS,
    };
    return rc_classify(&failure, NULL, &alloc);
}

static void expect(const rc_report *report, const char *message, bool is_shown)
{
    const rc_str text = rc_report_message(report);
    const bool names_key =
        rc_str_find(rc_report_action_detail(report), RC_STR("base_url"), 0) != RC_STR_NPOS;
    if (!rc_str_eq(text, rc_str_c(message)))
        fail_msg("%.*s", (int)text.len, text.ptr);
    assert_int_equal(names_key, is_shown);
    rc_report_free(report);
}

static void test_reports(void **state)
{
    static const int STATUSES[] = {300, 301, 302, 303, 307, 308};
    const rc_str none = {NULL, 0};
    (void)state;
    for (size_t i = 0; i < COUNT(STATUSES); i++) {
        const rc_report *report =
            report_of(STATUSES[i], "https://u:p@login.corp/sso?t=1", none, none);
        assert_int_equal(rc_report_code(report), RC_CODE_ENDPOINT_NOT_FOUND);
        assert_int_equal(rc_report_action(report), RC_ACTION_CHECK_CONFIG);
        expect(report, "corp redirects to https://login.corp/sso instead of responding.", true);
    }
    /* The report shows the target of the redirect, not the page in the body. */
    expect(report_of(302, "/sso", RC_STR("<html><title>302 Found</title></html>"), none),
           "corp redirects to /sso instead of responding.", true);
    expect(report_of(302, "", none, none), "corp does not have this endpoint.", false);
    expect(report_of(302, "javascript:x", none, none), "corp does not have this endpoint.", false);
    expect(report_of(404, "https://login.corp/", none, none), "corp does not have this endpoint.",
           false);
    expect(report_of(304, "https://login.corp/", none, none), "corp sent an unreadable response.",
           false);
}

/* Keys in a path and text of the request are removed. */
static void test_secrets_and_echoes(void **state)
{
    const rc_str none = {NULL, 0};
    (void)state;
    const rc_report *report = report_of(
        302, "https://login.corp/sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", none, none);
    assert_true(rc_str_find(rc_report_message(report), RC_STR("abcdefghij"), 0) == RC_STR_NPOS);
    rc_report_free(report);
    report = report_of(302, "https://login.corp/password:hunter2hunter", none, none);
    assert_true(rc_str_find(rc_report_message(report), RC_STR("login.corp"), 0) != RC_STR_NPOS);
    assert_true(rc_str_find(rc_report_message(report), RC_STR("hunter"), 0) == RC_STR_NPOS);
    rc_report_free(report);
    report = report_of(302, "https://login.corp/my-dear-diary-of-nineteen-eighty-four", none,
                       RC_STR("{\"x\":\"my-dear-diary-of-nineteen-eighty-four\"}"));
    assert_true(rc_str_find(rc_report_message(report), RC_STR("diary"), 0) == RC_STR_NPOS);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_a_long_target_is_cut),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_secrets_and_echoes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
