/* Any text as a Location: what is told of it is short and plain, and nothing of a query, a fragment
 * or a user is in it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "core/redirect.h"

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
    char room[RC_REDIRECT_MAX];
    rc_buf told;
    rc_buf_init_fixed(&told, room, sizeof room);
    const bool is_told = rc_redirect_push(&told, location);
    rc_str text = rc_buf_get(&told);
    check(rc_buf_status(&told) == RC_OK && is_told == (text.len > 0));
    if (rc_str_ends_with(text, cut))
        text.len -= cut.len;
    for (size_t i = 0; i < text.len; i++)
        check(text.ptr[i] > ' ' && text.ptr[i] < 0x7f && !memchr("?#@\\;%=", text.ptr[i], 7));
    check(!is_told || text.ptr[0] == '/' || rc_str_starts_with(text, RC_STR("http")));
    /* What was told is told again as it is. */
    char other[RC_REDIRECT_MAX];
    rc_buf again;
    rc_buf_init_fixed(&again, other, sizeof other);
    check(rc_redirect_push(&again, text) == is_told);
    check(rc_str_eq(rc_buf_get(&again), text));
    return 0;
}
