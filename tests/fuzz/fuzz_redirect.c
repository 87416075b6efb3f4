/* Any text as a Location header: the description of it is short and plain, and contains no part of
 * a query, a fragment or a user name. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "classify/redirect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_str cut = RC_STR("…");
    const rc_str location = rc_str_make((const char *)data, size);
    char scratch[RC_REDIRECT_MAX];
    rc_buf shown;
    rc_buf_init_fixed(&shown, scratch, sizeof scratch);
    const bool is_shown = rc_redirect_push(&shown, location);
    rc_str text = rc_buf_get(&shown);
    check(rc_buf_status(&shown) == RC_OK && is_shown == (text.len > 0));
    if (rc_str_ends_with(text, cut))
        text.len -= cut.len;
    for (size_t i = 0; i < text.len; i++)
        check(text.ptr[i] > ' ' && text.ptr[i] < 0x7f && !memchr("?#@\\;%=", text.ptr[i], 7));
    check(!is_shown || text.ptr[0] == '/' || rc_str_starts_with(text, RC_STR("http")));
    /* Describing the description again does not change it. */
    char other[RC_REDIRECT_MAX];
    rc_buf again;
    rc_buf_init_fixed(&again, other, sizeof other);
    check(rc_redirect_push(&again, text) == is_shown);
    check(rc_str_eq(rc_buf_get(&again), text));
    return 0;
}
