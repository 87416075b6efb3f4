/* Tests of passthrough requests under /p/: the gateway finds the model, which prices require, in
 * every position in which the provider finds it. */
#include <stdio.h>

#include "support/client_request.h"

/* A server may parse a body as JSON whatever its content type is, and in other encodings than
 * UTF-8. */
static void passthrough_bodies_do_not_hide_models(void **state)
{
    static const rc_str wide[] = {
        RC_STR_INIT("{\0\"\0m\0"),          RC_STR_INIT("\0{\0\"\0m"),
        RC_STR_INIT("\xFF\xFE{\0\"\0m\0"),  RC_STR_INIT("\xFE\xFF\0{\0\"\0m"),
        RC_STR_INIT("{\0\0\0\"\0\0\0"),     RC_STR_INIT("\0\0\0{\0\0\0\""),
        RC_STR_INIT("\xFF\xFE\0\0{\0\0\0"), RC_STR_INIT(" \0{\0"),
    };
    (void)state;
    const rc_str form = RC_STR("POST /p/x/v1/chat HTTP/1.1\r\nHost: a\r\n"
                               "Content-Type: multipart/form-data; boundary=b\r\n\r\n");
    assert_int_equal(client_read(form, RC_STR("{\"model\":\"m\"}")).kind, RC_REQUEST_FAULT_NONE);
    assert_text(client_request.model, "m");
    for (size_t i = 0; i < COUNT(wide); i++)
        assert_int_equal(
            client_read(RC_STR("POST /p/x/v1/chat HTTP/1.1\r\nHost: a\r\n\r\n"), wide[i]).kind,
            RC_REQUEST_FAULT_BODY);
    assert_int_equal(client_read(RC_STR("POST /p/x/v1/files HTTP/1.1\r\nHost: a\r\n\r\n"),
                                 RC_STR("RIFF\0\0\0\0"))
                         .kind,
                     RC_REQUEST_FAULT_NONE);
}

/* If the model is not in the first bytes of a large body, more bytes are read. */
static void passthrough_models_may_come_late(void **state)
{
    static const struct {
        const char *path;
        const char *start;
        bool is_enough;
    } rows[] = {
        {"/p/x/v1/chat", "{\"messages\":[\"a", false},
        {"/p/x/v1/chat", "{\"model\":\"m\",\"messages\":[\"a", true},
        {"/p/x/v1beta/models/g:generateContent", "{\"contents\":[\"a", true},
        {"/p/x/v1/files", "RIFF", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char head[256];
        int len = snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].path);
        client_read(rc_str_make(head, (size_t)len), RC_STR("x"));
        assert_int_equal(rc_client_request_read_start(&client_request, rc_str_c(rows[i].start), 99),
                         rows[i].is_enough);
    }
}

/* A second model in JSON after the first bytes is found although the content type is that of a
 * form. */
static void second_models_in_mislabelled_json_are_found(void **state)
{
    (void)state;
    const rc_str head = RC_STR("POST /p/x/v1/chat HTTP/1.1\r\nHost: a\r\n"
                               "Content-Type: multipart/form-data; boundary=b\r\n\r\n");
    client_read(head, RC_STR("x"));
    assert_true(
        rc_client_request_read_start(&client_request, RC_STR("{\"model\":\"m\",\"a\":\""), 99));
    rc_client_request_watch_begin(&client_request);
    assert_true(rc_client_request_watch(&client_request, RC_STR("x\",\"b\":1")));
    assert_false(rc_client_request_watch(&client_request, RC_STR(",\"model\":\"n\"}")));
    /* A form is not JSON, so it has no members. */
    client_read(head, RC_STR("x"));
    assert_false(rc_client_request_read_start(&client_request, RC_STR("--b\r\n"), 99));
    rc_client_request_watch_begin(&client_request);
    assert_true(
        rc_client_request_watch(&client_request, RC_STR("--b\r\n{\"model\":1,\"model\":2}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passthrough_bodies_do_not_hide_models),
        cmocka_unit_test(passthrough_models_may_come_late),
        cmocka_unit_test(second_models_in_mislabelled_json_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
