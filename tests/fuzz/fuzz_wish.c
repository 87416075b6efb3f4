/* Any bytes in the file beside a store that requests a deletion: the reader accepts exactly the
 * times that are written there. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[32];
    int64_t unix_ms = -1;
    const rc_str note = rc_str_make(size > 0 ? (const char *)data : NULL, size);
    if (!rc_sqlite_parse_prune_request(note, &unix_ms)) {
        if (unix_ms != -1)
            abort();
        return 0;
    }
    /* Zeros in front are allowed. */
    const int len = snprintf(text, sizeof(text), "%0*lld\n", (int)size - 1, (long long)unix_ms);
    if (unix_ms < 0 || len != (int)size || memcmp(text, data, size) != 0)
        abort();
    return 0;
}
