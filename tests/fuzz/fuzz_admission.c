/* Any bytes as results, hints, clock jumps, cancels, reloads and growth for twelve calls with the
 * waiting queue: the invariants of tests/support/admission_model.h hold. */
#include <stdint.h>

#include "support/admission_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static admission_model m;
    entropy_source c = {.bytes = data, .size = size};
    admission_init(&m, &c);
    while (c.size > 0)
        admission_step(&m, &c);
    admission_end(&m, &c);
    return 0;
}
