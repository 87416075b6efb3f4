/* Tests of POST /admin/v1/explain, which returns the result of `recourse explain`. */
#include "base/str.h"
#include "support/dashboard_fixture.h"

static int start(void **state)
{
    (void)state;
    dashboard_make_folder();
    dashboard_start("");
    return 0;
}

static int end(void **state)
{
    (void)state;
    dashboard_end();
    dashboard_remove_folder();
    return 0;
}

/* Sends a text and parses the response as JSON; returns the status. */
static int explain_with(const char *query, const char *text)
{
    static char request[80 << 10];
    const int len = snprintf(request, sizeof(request),
                             "POST /admin/v1/explain%s" OWN MARK
                             "Content-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
                             query, strlen(text), text);
    assert_true(len > 0 && (size_t)len < sizeof(request));
    const int status = send_request(request);
    json_object_put(dashboard.doc);
    dashboard.doc = json_tokener_parse(body_of());
    assert_non_null(dashboard.doc);
    return status;
}

static int explain(const char *text)
{
    return explain_with("", text);
}

static void a_response_is_explained_with_its_reasons(void **state)
{
    (void)state;
    assert_int_equal(explain("HTTP/1.1 429 Too Many Requests\r\nretry-after: 20\r\n\r\n"
                             "{\"error\":{\"message\":\"Rate limit reached\",\"type\":\"requests\","
                             "\"code\":\"rate_limit_exceeded\"}}"),
                     200);
    assert_string_equal(text_at("report/error_code"), "RateLimited");
    assert_true(json_object_get_boolean(member("report/retryable")));
    assert_int_equal(number_at("report/provider_metadata/retry_after_ms"), 20000);
    assert_true(strncmp(text_at("report/report_id"), "rep_", 4) == 0);
    assert_non_null(strstr(text_at("read_as"), "an HTTP response, status 429"));
    assert_false(json_object_get_boolean(member("end_only")));
    assert_true(length_at("why") > 3);
    bool is_decided = false;
    for (size_t i = 0; i < length_at("why"); i++) {
        char place[32];
        snprintf(place, sizeof(place), "why/%zu/step", i);
        is_decided = is_decided || strcmp(text_at(place), "rule_matched") == 0;
    }
    assert_true(is_decided);
}

static void query_parameters_add_facts(void **state)
{
    (void)state;
    assert_int_equal(explain_with("?status=401&provider=groq&model=m%201", "no"), 200);
    assert_string_equal(text_at("report/error_code"), "AuthFailed");
    assert_string_equal(text_at("report/provider"), "groq");
    assert_string_equal(text_at("report/model"), "m 1");
    assert_int_equal(explain_with("?status=503", ""), 200); /* a status is sufficient without a
                                                               text */
    assert_int_equal(explain_with("?status=", "overloaded"), 200);
    static const char *const wrong[] = {"?status=99", "?status=abc", "?status=4290"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(explain_with(wrong[i], "x"), 400);
        assert_string_equal(text_at("detail"), "The parameter status is not an HTTP status.");
    }
}

static void an_empty_body_is_refused(void **state)
{
    (void)state;
    assert_int_equal(explain(""), 400);
    assert_int_equal(explain(" \r\n\t "), 400);
    assert_string_equal(text_at("detail"), "There is nothing to explain.");
}

static void a_report_is_returned_unchanged(void **state)
{
    (void)state;
    assert_int_equal(explain("{\"report_id\":\"rep_01KE8V3Q5W9D0YJ7M2N4P6R8ST\",\"error_code\":"
                             "\"Overloaded\",\"error_class\":\"ProviderTransient\",\"message\":"
                             "\"It is too much.\"}"),
                     200);
    assert_string_equal(text_at("report/message"), "It is too much.");
    assert_string_equal(text_at("report/report_id"), "rep_01KE8V3Q5W9D0YJ7M2N4P6R8ST");
    assert_null(member("why"));
}

static void the_end_of_a_long_log_is_used(void **state)
{
    (void)state;
    static char text[60 << 10];
    size_t len = 0;
    while (len < sizeof(text) - 200)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "INFO all is well, step %zu\n", len);
    snprintf(text + len, sizeof(text) - len,
             "openai.RateLimitError: Error code: 429 - rate limit\n");
    assert_int_equal(explain(text), 200);
    assert_string_equal(text_at("report/error_code"), "RateLimited");
    assert_true(json_object_get_boolean(member("end_only")));
}

static void keys_are_scrubbed(void **state)
{
    (void)state;
    assert_int_equal(explain("401 Incorrect API key provided: sk-proj-"
                             "abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
                     200);
    assert_null(strstr(fixture.client.got, "abcdefghijklmnopqrstuvwxyz"));
}

static void the_body_size_and_the_origin_are_checked(void **state)
{
    (void)state;
    assert_int_equal(
        send_request("POST /admin/v1/explain" OWN MARK "Content-Length: 65537\r\n\r\n"), 413);
    assert_int_equal(send_request("POST /admin/v1/explain" OWN "Content-Type: text/plain\r\n"
                                  "Content-Length: 1\r\n\r\nx"),
                     415);
    assert_int_equal(send_request("POST /admin/v1/explain" OWN MARK
                                  "Origin: http://evil.example\r\n"
                                  "Content-Length: 1\r\n\r\nx"),
                     403);
    assert_int_equal(send_request("GET /admin/v1/explain" OWN "\r\n"), 405);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_response_is_explained_with_its_reasons, start, end),
        cmocka_unit_test_setup_teardown(query_parameters_add_facts, start, end),
        cmocka_unit_test_setup_teardown(an_empty_body_is_refused, start, end),
        cmocka_unit_test_setup_teardown(a_report_is_returned_unchanged, start, end),
        cmocka_unit_test_setup_teardown(the_end_of_a_long_log_is_used, start, end),
        cmocka_unit_test_setup_teardown(keys_are_scrubbed, start, end),
        cmocka_unit_test_setup_teardown(the_body_size_and_the_origin_are_checked, start, end),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
