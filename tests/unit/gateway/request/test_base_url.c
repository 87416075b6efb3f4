/* Tests of the paths that clients with a wrong base URL use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/request/base_url.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void wrong_base_urls_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *path, *meant; /* path of the request, and the endpoint that was meant; NULL:
                                     none */
    } cases[] = {
        {"/chat/completions", "/v1/chat/completions"},
        {"/responses", "/v1/responses"},
        {"/messages", "/v1/messages"},
        {"/messages/count_tokens", "/v1/messages/count_tokens"},
        {"/models", "/v1/models"},
        {"/models/gpt-4o", "/v1/models/gpt-4o"},
        {"/models/g:generateContent", "/v1/models/g:generateContent"},
        {"/v1/v1/messages", "/v1/messages"},
        {"/v1/v1/chat/completions", "/v1/chat/completions"},
        {"/v1beta/v1beta/models/g:streamGenerateContent", "/v1beta/models/g:streamGenerateContent"},
        {"/v1/v1beta/models/g:countTokens", "/v1beta/models/g:countTokens"},
        {"/v1beta/v1/models/g:countTokens", "/v1/models/g:countTokens"},
        {"/v1beta/chat/completions", "/v1/chat/completions"},
        {"/v1beta/openai/chat/completions", "/v1/chat/completions"},
        {"/openai/v1/chat/completions", "/v1/chat/completions"},
        {"/api/v1/chat/completions", "/v1/chat/completions"},
        {"/anthropic/v1/messages", "/v1/messages"},
        {"/v1//chat/completions", "/v1/chat/completions"},
        {"//v1/chat/completions", "/v1/chat/completions"},
        {"/v1/chat/completions/", "/v1/chat/completions"},
        {"/v1/v1//messages/", "/v1/messages"},
        {"/v1/chat/completions/chat/completions", "/v1/chat/completions"},
        {"/", NULL},
        {"", NULL},
        {"////", NULL},
        {"/v1", NULL},
        {"/v1/", NULL},
        {"/v1/files", NULL},
        {"/v1/v1/files", NULL},
        {"/health", NULL},
        {"/p", NULL},
        {"/v1/p/openai/files", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        rc_base_url_mistake mistake;
        const bool is_found = rc_base_url_mistake_find(rc_str_c(cases[i].path), &mistake);
        if (is_found != (cases[i].meant != NULL) ||
            (is_found && !rc_str_eq(mistake.path, rc_str_c(cases[i].meant))))
            fail_msg("%s", cases[i].path);
    }
}

/* For a correct path no other path is suggested. */
static void a_correct_path_has_no_suggestion(void **state)
{
    (void)state;
    for (size_t i = 0; i < RC_ENDPOINT_COUNT; i++) {
        const rc_endpoint *row = rc_endpoint_at(i);
        rc_base_url_mistake mistake;
        if (row->wire == RC_WIRE_OPENAI || row->wire == RC_WIRE_ANTHROPIC)
            assert_false(rc_base_url_mistake_find(row->path, &mistake));
    }
}

static void long_paths_are_not_examined(void **state)
{
    (void)state;
    char path[RC_BASE_URL_MISTAKE_MAX + 64];
    rc_base_url_mistake mistake;
    memset(path, 'm', sizeof path);
    memcpy(path, "/models/", 8);
    assert_false(rc_base_url_mistake_find(rc_str_make(path, sizeof path), &mistake));
    for (size_t len = RC_BASE_URL_MISTAKE_MAX - 8; len <= RC_BASE_URL_MISTAKE_MAX; len++)
        (void)rc_base_url_mistake_find(rc_str_make(path, len), &mistake);
}

static void each_dialect_has_its_base_url(void **state)
{
    (void)state;
    assert_true(rc_str_eq(rc_base_url_suffix(RC_DIALECT_OPENAI_CHAT), RC_STR("/v1")));
    assert_true(rc_str_eq(rc_base_url_suffix(RC_DIALECT_OPENAI_RESPONSES), RC_STR("/v1")));
    assert_true(rc_str_eq(rc_base_url_suffix(RC_DIALECT_ANTHROPIC), RC_STR("")));
    assert_true(rc_str_eq(rc_base_url_suffix(RC_DIALECT_GEMINI), RC_STR("")));
    assert_true(rc_base_url_clients(RC_DIALECT_GEMINI).len > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_base_urls_are_recognised),
        cmocka_unit_test(a_correct_path_has_no_suggestion),
        cmocka_unit_test(long_paths_are_not_examined),
        cmocka_unit_test(each_dialect_has_its_base_url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
