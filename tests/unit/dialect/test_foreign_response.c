/* Tests of rc_foreign: responses of gateways, proxies and providers, and of other servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dialect/foreign.h"

#define HTML "text/html; charset=utf-8"
#define JSON "application/json"

static void errors_of_other_servers(void **state)
{
    static const struct {
        int status;
        const char *type, *body;
        rc_foreign kind;
    } cases[] = {
        {404, HTML, "<html></html>", RC_FOREIGN_PAGE},
        {404, "TEXT/HTML", "<html></html>", RC_FOREIGN_PAGE},
        {400, HTML, "<html>sent to HTTPS port</html>", RC_FOREIGN_PAGE},
        {501, HTML, "<html>no POST here</html>", RC_FOREIGN_PAGE},
        {505, "", "", RC_FOREIGN_NO_ERROR},
        {404, "text/plain", "404 page not found\n", RC_FOREIGN_NO_ERROR},
        {405, "", "", RC_FOREIGN_NO_ERROR},
        {404, JSON, "{\"detail\":\"Not Found\"}", RC_FOREIGN_NO_ERROR},
        {301, HTML, "<html></html>", RC_FOREIGN_REDIRECT},
        {308, "", "", RC_FOREIGN_REDIRECT},
        /* responses of providers and compatible servers */
        {404, JSON, "{\"error\":{\"message\":\"no such model\"}}", RC_FOREIGN_NONE},
        {404, HTML, " {\"error\":\"no such model\"}", RC_FOREIGN_NONE},
        {404, JSON, "{\"object\":\"error\",\"message\":\"no\"}", RC_FOREIGN_NONE},
        {404, JSON, "[{\"error\":{\"code\":404}}]", RC_FOREIGN_NONE},
        {404, JSON, "\xEF\xBB\xBF {\"error\":\"no such model\"}", RC_FOREIGN_NONE},
        {422, JSON, "{\"detail\":[{\"loc\":[\"body\"]}]}", RC_FOREIGN_NONE},
        /* responses of proxies */
        {401, HTML, "<html></html>", RC_FOREIGN_NONE},
        {403, HTML, "<html></html>", RC_FOREIGN_NONE},
        {413, HTML, "<html></html>", RC_FOREIGN_NONE},
        {429, "", "", RC_FOREIGN_NONE},
        {502, HTML, "<html></html>", RC_FOREIGN_NONE},
        {503, "text/plain", "no server is available", RC_FOREIGN_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            rc_foreign_of_error(cases[i].status, rc_str_c(cases[i].type), rc_str_c(cases[i].body)),
            cases[i].kind);
}

static void responses_without_model_output(void **state)
{
    (void)state;
    assert_int_equal(rc_foreign_of_response(RC_STR(HTML)), RC_FOREIGN_PAGE);
    assert_int_equal(rc_foreign_of_response(RC_STR("application/xhtml+xml")), RC_FOREIGN_PAGE);
    assert_int_equal(rc_foreign_of_response(RC_STR(JSON)), RC_FOREIGN_NO_RESPONSE);
    assert_int_equal(rc_foreign_of_response(RC_STR("")), RC_FOREIGN_NO_RESPONSE);
}

static void each_kind_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(rc_foreign_text(RC_FOREIGN_NONE), "");
    assert_string_equal(rc_foreign_text(RC_FOREIGN_NO_HTTP), "it does not speak HTTP");
    for (int i = RC_FOREIGN_NO_HTTP; i <= (int)RC_FOREIGN_NO_ERROR; i++)
        assert_true(strlen(rc_foreign_text((rc_foreign)i)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_other_servers),
        cmocka_unit_test(responses_without_model_output),
        cmocka_unit_test(each_kind_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
