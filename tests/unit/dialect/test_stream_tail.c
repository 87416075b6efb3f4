/* Tests of the finish reason in the last bytes of an event, compared with a search from the
 * front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "dialect/stream_walk.h"
#include "support/often.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The reference: finds the last key of that name without a backslash before it. */
static rc_str look_for(rc_str tail, rc_str key)
{
    size_t at = RC_STR_NPOS;
    for (size_t i = 2; i + key.len < tail.len; i++)
        if (rc_str_eq(rc_str_slice(tail, i, i + key.len), key) && tail.ptr[i - 1] == '"' &&
            tail.ptr[i - 2] != '\\' && tail.ptr[i + key.len] == '"')
            at = i + key.len + 1;
    while (at < tail.len && (tail.ptr[at] == ':' || rc_ascii_is_space(tail.ptr[at])))
        at++;
    if (at >= tail.len || tail.ptr[at] != '"')
        return RC_STR("");
    const size_t end = rc_str_find_byte(tail, '"', at + 1);
    return end == RC_STR_NPOS ? RC_STR("") : rc_str_slice(tail, at + 1, end);
}

static void finish_reasons_are_found(void **state)
{
    (void)state;
    static const char *const words[] = {"finish_reason",
                                        "\"finish_reason\"",
                                        "\"finish_reason\":\"stop\"",
                                        "\\",
                                        "\"",
                                        ":",
                                        " ",
                                        "{",
                                        "}",
                                        ",\"finish_reason\": \"x\"",
                                        "null",
                                        "stop",
                                        "\\\""};
    uint64_t random = 3;
    unsigned found = 0;
    for (unsigned round = 0; round < OFTEN(100000); round++) {
        char text[512];
        size_t len = 0;
        random = random * UINT64_C(6364136223846793005) + 1;
        for (unsigned i = 0; i < (random >> 40) % 12; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            const char *word = words[(random >> 33) % COUNT(words)];
            memcpy(text + len, word, strlen(word));
            len += strlen(word);
        }
        char *tail = malloc(len + 1);
        assert_non_null(tail);
        memcpy(tail, text, len);
        const rc_str wanted = look_for(rc_str_make(tail, len), RC_STR("finish_reason"));
        size_t key_at = 0;
        const rc_str got =
            rc_stream_tail_finish(RC_STREAM_OPENAI_CHAT, rc_str_make(tail, len), &key_at);
        assert_int_equal(got.len, wanted.len);
        assert_true(rc_str_eq(got, wanted));
        if (got.len > 0) {
            assert_true(rc_str_starts_with(rc_str_slice(rc_str_make(tail, len), key_at, len),
                                           RC_STR("finish_reason\"")));
            assert_true(tail + key_at < got.ptr);
        }
        found += got.len > 0;
        free(tail);
    }
    assert_true(found > OFTEN(50000) / 25);
    size_t none = 7;
    assert_int_equal(rc_stream_tail_finish(RC_STREAM_OPENAI_CHAT, RC_STR(""), &none).len, 0);
    assert_int_equal(none, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish_reasons_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
