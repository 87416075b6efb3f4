/* A provider's response of any bytes, split in two and into single bytes: the client gets the same
 * bytes and the report is the same as in one piece. The first byte selects the request, the second
 * the distance of the splits; 0 and 1 mean every byte. */
#include <stdint.h>
#include <stdlib.h>

#include "support/split_fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A longer response than a head and a few events takes more time and has no new kinds of splits. */
#define RESPONSE_MAX ((size_t)2048)

static void compare(const rc_buf *whole, rc_buf split)
{
    if (!rc_str_eq(rc_buf_get(whole), rc_buf_get(&split))) {
        fprintf(stderr, "split:\n%.*s\nin one piece:\n%.*s\n", (int)rc_buf_get(&split).len,
                rc_buf_get(&split).ptr, (int)rc_buf_get(whole).len, rc_buf_get(whole).ptr);
        abort();
    }
    rc_buf_done(&split);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static size_t every[RESPONSE_MAX];
    if (size < 3 || size > RESPONSE_MAX)
        return 0;
    const split_request *request = &split_requests[data[0] % SPLIT_REQUEST_COUNT];
    const size_t step = data[1] > 0 ? data[1] : 1;
    const rc_str response = rc_str_make((const char *)data + 2, size - 2);
    rc_buf whole = split_run(request, response, NULL, 0);
    for (size_t at = step; at < response.len; at += step)
        compare(&whole, split_run(request, response, &at, 1));
    for (size_t at = 1; at < response.len; at++)
        every[at - 1] = at;
    compare(&whole, split_run(request, response, every, response.len - 1));
    rc_buf_done(&whole);
    return 0;
}
