/* Who is a gateway, a proxy in front of one, a provider, and who is none of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/stranger.h"

#define HTML "text/html; charset=utf-8"
#define JSON "application/json"

static void errors_that_no_provider_sends(void **state)
{
    static const struct {
        int status;
        const char *type, *body;
        rc_gate_stranger stranger;
    } cases[] = {
        {404, HTML, "<html></html>", RC_GATE_STRANGER_PAGE},
        {404, "TEXT/HTML", "<html></html>", RC_GATE_STRANGER_PAGE},
        {400, HTML, "<html>sent to HTTPS port</html>", RC_GATE_STRANGER_PAGE},
        {501, HTML, "<html>no POST here</html>", RC_GATE_STRANGER_PAGE},
        {505, "", "", RC_GATE_STRANGER_NO_ERROR},
        {404, "text/plain", "404 page not found\n", RC_GATE_STRANGER_NO_ERROR},
        {405, "", "", RC_GATE_STRANGER_NO_ERROR},
        {404, JSON, "{\"detail\":\"Not Found\"}", RC_GATE_STRANGER_NO_ERROR},
        {301, HTML, "<html></html>", RC_GATE_STRANGER_ELSEWHERE},
        {308, "", "", RC_GATE_STRANGER_ELSEWHERE},
        /* A provider, or what is made like one. */
        {404, JSON, "{\"error\":{\"message\":\"no such model\"}}", RC_GATE_STRANGER_NONE},
        {404, HTML, " {\"error\":\"no such model\"}", RC_GATE_STRANGER_NONE},
        {404, JSON, "{\"object\":\"error\",\"message\":\"no\"}", RC_GATE_STRANGER_NONE},
        {404, JSON, "[{\"error\":{\"code\":404}}]", RC_GATE_STRANGER_NONE},
        {404, JSON, "\xEF\xBB\xBF {\"error\":\"no such model\"}", RC_GATE_STRANGER_NONE},
        {422, JSON, "{\"detail\":[{\"loc\":[\"body\"]}]}", RC_GATE_STRANGER_NONE},
        /* Of a proxy. */
        {401, HTML, "<html></html>", RC_GATE_STRANGER_NONE},
        {403, HTML, "<html></html>", RC_GATE_STRANGER_NONE},
        {413, HTML, "<html></html>", RC_GATE_STRANGER_NONE},
        {429, "", "", RC_GATE_STRANGER_NONE},
        {502, HTML, "<html></html>", RC_GATE_STRANGER_NONE},
        {503, "text/plain", "no server is available", RC_GATE_STRANGER_NONE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(rc_gate_stranger_of_error(cases[i].status, rc_str_c(cases[i].type),
                                                   rc_str_c(cases[i].body)),
                         cases[i].stranger);
}

static void answers_without_an_answer(void **state)
{
    (void)state;
    assert_int_equal(rc_gate_stranger_of_answer(RC_STR(HTML)), RC_GATE_STRANGER_PAGE);
    assert_int_equal(rc_gate_stranger_of_answer(RC_STR("application/xhtml+xml")),
                     RC_GATE_STRANGER_PAGE);
    assert_int_equal(rc_gate_stranger_of_answer(RC_STR(JSON)), RC_GATE_STRANGER_NO_ANSWER);
    assert_int_equal(rc_gate_stranger_of_answer(RC_STR("")), RC_GATE_STRANGER_NO_ANSWER);
}

static void each_has_its_words(void **state)
{
    (void)state;
    assert_string_equal(rc_gate_stranger_text(RC_GATE_STRANGER_NONE), "");
    assert_string_equal(rc_gate_stranger_text(RC_GATE_STRANGER_NO_HTTP), "it does not speak HTTP");
    for (int i = RC_GATE_STRANGER_NO_HTTP; i <= (int)RC_GATE_STRANGER_NO_ERROR; i++)
        assert_true(strlen(rc_gate_stranger_text((rc_gate_stranger)i)) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_that_no_provider_sends),
        cmocka_unit_test(answers_without_an_answer),
        cmocka_unit_test(each_has_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
