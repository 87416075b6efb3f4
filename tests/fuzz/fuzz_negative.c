/* A target with two bugs on purpose: a harness that does not find them within seconds is broken.
 *
 * An input that begins with "BUG!" makes a block of memory leak and writes one byte behind another.
 * It is in no corpus. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Out of the optimiser's sight, or it would see through both. */
static void *volatile leaked;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* One comparison a byte: a fuzzer that is led by coverage finds them one after the other. */
    if (size < 4 || data[0] != 'B')
        return 0;
    if (data[1] != 'U')
        return 0;
    if (data[2] != 'G')
        return 0;
    if (data[3] != '!')
        return 0;

    leaked = malloc(16);
    leaked = NULL;
    volatile uint8_t *block = malloc(size);
    if (!block)
        return 0;
    block[size] = data[0];
    free((void *)block);
    return 0;
}
