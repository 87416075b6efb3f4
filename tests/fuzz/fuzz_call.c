/* Any bytes as the inputs of three calls that share three targets: the invariants of call.h hold
 * for every input in any order. tests/support/call_model.h checks them. */
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
