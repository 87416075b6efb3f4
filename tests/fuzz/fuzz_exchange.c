/* Any bytes as the inputs of three exchanges that share three targets: the invariants of machine.h
 * hold for every input in any order. tests/support/exchange_model.h checks them. */
#include <stdint.h>

#include "support/exchange_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    entropy_source c = {.bytes = data, .size = size};
    exchange_model m;
    exchange_model_init(&m, &c);
    for (uint32_t i = 0; i < 3 && c.size > 0; i++)
        exchange_model_run(&m, &c, 200);
    return 0;
}
