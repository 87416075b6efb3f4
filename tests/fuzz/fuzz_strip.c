/* Requests of any bytes from which seals are removed: the result is valid JSON without a seal in
 * the places that can have one, is not longer than the request but for the replacements, and does
 * not change when seals are removed again. The first byte selects the dialect. */
#include <stdint.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/strip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX ((size_t)4 << 20)

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rc_dialect dialects[] = {RC_DIALECT_OPENAI_CHAT, RC_DIALECT_ANTHROPIC,
                                          RC_DIALECT_GEMINI, RC_DIALECT_OPENAI_RESPONSES};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf edits;
    rc_buf once;
    rc_buf twice;
    uint64_t adapted = 0;
    if (size == 0)
        return 0;
    rc_dialect dialect = dialects[data[0] & 3];
    rc_str body = rc_str_make((const char *)data + 1, size - 1);
    rc_buf_init(&edits, &alloc, BYTES_MAX);
    rc_buf_init(&once, &alloc, BYTES_MAX);
    rc_buf_init(&twice, &alloc, BYTES_MAX);
    if (rc_strip_seals(dialect, body, &edits, &once, &adapted) == RC_OK) {
        rc_str stripped = rc_buf_get(&once);
        check(rc_schema_is_object(stripped));
        check((adapted == 0) == rc_str_eq(stripped, body));
        check(adapted == 0 || rc_strip_is_due(body));
        check(stripped.len <= 8 * body.len);
        check(rc_strip_seals(dialect, stripped, &edits, &twice, &adapted) == RC_OK);
        check(adapted == 0 && rc_str_eq(stripped, rc_buf_get(&twice)));
    }
    rc_buf_done(&edits);
    rc_buf_done(&once);
    rc_buf_done(&twice);
    return 0;
}
