/* Laws of translations on conversations and responses that the bytes generate
 * (translate_laws.h). The first byte selects the two dialects and whether the response is a stream.
 * The bytes from the second on decide where the texts of the response are split. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/translate_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    bool is_exact = false;
    if (size < HEAD_BYTES)
        return 0;
    const translate_dialect *from = &translate_dialects[data[0] & 3];
    const translate_dialect *to = &translate_dialects[data[0] >> 2 & 3];
    laws_source source = {.bytes = data + HEAD_BYTES, .len = size - HEAD_BYTES};
    laws_source splits = {.bytes = data + 1, .len = size - 1};
    if (from == to)
        return 0;
    if (!laws_response_holds(&alloc, source, splits, from, to, (data[0] & 16) != 0) ||
        !laws_request_holds(&alloc, source, from->dialect, to->dialect, &is_exact))
        abort();
    return 0;
}
