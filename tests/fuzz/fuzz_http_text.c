/* HTTP responses in any text: the result lies within the text and its limits. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "codec/http_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_inside(rc_str text, rc_str part)
{
    if (part.len == 0)
        return;
    uintptr_t start = (uintptr_t)text.ptr;
    uintptr_t at = (uintptr_t)part.ptr;
    check(at >= start && at - start <= text.len && part.len <= text.len - (at - start));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_str text = rc_str_make((const char *)data, size);
    rc_http_text http = {.status = -1};
    if (!rc_http_text_parse(text, &http)) {
        check(http.status == -1);
        return 0;
    }
    check(http.status == 0 || (http.status >= 100 && http.status <= 999));
    check(http.header_count <= RC_HTTP_TEXT_HEADERS_MAX);
    check(http.responses > 0 || http.header_count > 0 || http.status != 0);
    check_inside(text, http.body);
    for (size_t i = 0; i < http.header_count; i++) {
        check(http.headers[i].name.len > 0);
        check_inside(text, http.headers[i].name);
        check_inside(text, http.headers[i].value);
        check(rc_str_find_byte(http.headers[i].name, '\n', 0) == RC_STR_NPOS);
    }
    return 0;
}
