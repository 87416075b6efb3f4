/* Any response and any request: the response without echoes fits its buffer, consists of parts of
 * the response in order, and is the same the second time. Words that are planted in both are
 * removed.
 *
 * The first two bytes give the end of the response and the start of the request, the third the
 * position of the planted words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/buf.h>
#include <recourse/stdlib.h>

#include "base/str.h"
#include "classify/echo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)      \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#define SIZE_MAX_INPUT 16384
#define WORDS "kept by nobody, 0123456789"

static void check_left(rc_str text, rc_str request)
{
    static char memory[RC_ECHO_TEXT_MAX];
    static char again[RC_ECHO_TEXT_MAX];
    const rc_str left = rc_echo_clean(text, request, RC_STR("model"), memory);
    CHECK(left.len <= RC_ECHO_TEXT_MAX && left.len <= text.len);
    const rc_str twice = rc_echo_clean(left, RC_STR(""), RC_STR(""), again);
    CHECK(rc_str_eq(left, twice));
}

/* Checks words that are planted in both the request and the response: they are removed even if the
 * other text contains quotes and escapes. */
static void check_planted(rc_str text, size_t at, const rc_alloc *alloc)
{
    static char memory[RC_ECHO_TEXT_MAX];
    rc_buf planted;
    rc_buf_init(&planted, alloc, SIZE_MAX_INPUT * 2);
    rc_buf_push(&planted, rc_str_slice(text, 0, at));
    rc_buf_push(&planted, RC_STR(" " WORDS " "));
    rc_buf_push(&planted, rc_str_slice(text, at, text.len));
    if (rc_buf_status(&planted) == RC_OK && rc_buf_get(&planted).len <= RC_ECHO_TEXT_MAX) {
        const rc_str left = rc_echo_clean(rc_buf_get(&planted),
                                          RC_STR("{\"input\": \"" WORDS "\"}"), RC_STR(""), memory);
        CHECK(rc_str_find(left, RC_STR(WORDS), 0) == RC_STR_NPOS);
    }
    rc_buf_done(&planted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    if (size < 3 || size > SIZE_MAX_INPUT)
        return 0;
    const rc_str rest = rc_str_make((const char *)data + 3, size - 3);
    const size_t middle = rest.len > 0 ? (size_t)(data[0] << 8 | data[1]) % (rest.len + 1) : 0;
    const rc_str text = rc_str_slice(rest, 0, middle);
    const rc_str request = rc_str_slice(rest, middle, rest.len);
    check_left(text, request);
    check_planted(text, text.len > 0 ? data[2] % text.len : 0, &alloc);
    return 0;
}
