/* Tests of the interfaces: names, endpoints, and which ones are translated into each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "dialect/interface.h"

static void each_interface_has_a_name_and_an_endpoint(void **state)
{
    (void)state;
    static const char *const names[] = {"chat", "responses", "messages", "gemini"};
    for (size_t i = 0; i < RC_INTERFACE_COUNT; i++) {
        const rc_dialect interface = rc_interface_at(i);
        assert_string_equal(rc_interface_name(interface), names[i]);
        assert_string_equal(rc_interface_name_at(NULL, i), names[i]);
        assert_int_equal(rc_interface_index(interface), i);
        for (int is_stream = 0; is_stream < 2; is_stream++) {
            const rc_endpoint *endpoint = rc_interface_endpoint(interface, is_stream != 0);
            assert_int_equal(endpoint->dialect, interface);
            assert_true(rc_endpoint_is_generation(endpoint));
            assert_true(endpoint->streams != RC_STREAMS_ALWAYS || is_stream != 0);
        }
    }
    assert_int_equal(rc_interface_at(RC_INTERFACE_COUNT), RC_DIALECT_PROBLEM);
    assert_null(rc_interface_name_at(NULL, RC_INTERFACE_COUNT));
    assert_string_equal(rc_interface_name(RC_DIALECT_PROBLEM), "");
    assert_null(rc_interface_endpoint(RC_DIALECT_PROBLEM, false));
}

/* Embeddings, counts of tokens and all other endpoints are never translated. */
static void only_generation_is_translated(void **state)
{
    (void)state;
    static const rc_endpoint_id ids[] = {RC_ENDPOINT_CHAT,
                                         RC_ENDPOINT_RESPONSES,
                                         RC_ENDPOINT_MESSAGES,
                                         RC_ENDPOINT_GENERATE,
                                         RC_ENDPOINT_GENERATE_STREAM,
                                         RC_ENDPOINT_GENERATE_V1,
                                         RC_ENDPOINT_GENERATE_STREAM_V1};
    size_t count = 0;
    for (size_t i = 0; rc_endpoint_at(i) != NULL; i++)
        count += rc_endpoint_is_generation(rc_endpoint_at(i));
    assert_int_equal(count, sizeof ids / sizeof *ids);
    for (size_t i = 0; i < count; i++)
        assert_true(rc_endpoint_is_generation(rc_endpoint_at((size_t)ids[i])));
}

static void every_interface_is_translated_into_every_other(void **state)
{
    (void)state;
    for (size_t from = 0; from < RC_INTERFACE_COUNT; from++)
        for (size_t to = 0; to < RC_INTERFACE_COUNT; to++)
            assert_true(rc_interface_is_translatable(rc_interface_at(from), rc_interface_at(to)));
    assert_false(rc_interface_is_translatable(RC_DIALECT_PROBLEM, RC_DIALECT_ANTHROPIC));
    assert_false(rc_interface_is_translatable(RC_DIALECT_ANTHROPIC, RC_DIALECT_PROBLEM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_interface_has_a_name_and_an_endpoint),
        cmocka_unit_test(only_generation_is_translated),
        cmocka_unit_test(every_interface_is_translated_into_every_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
