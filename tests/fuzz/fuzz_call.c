/* Any bytes as the fate of three calls that share three targets: the invariants of call.h hold,
 * whatever comes in, in whatever order. The laws are those of tests/support/call_model.h. */
#include <stdint.h>

#include "support/call_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    entropy_source c = {.bytes = data, .size = size};
    model m;
    model_init(&m, &c);
    while (c.size > 0)
        model_step(&m, &c);
    model_end(&m);
    return 0;
}
