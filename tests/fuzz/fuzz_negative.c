/* A target with two deliberate bugs: a fuzzing set-up that does not find them within seconds is
 * broken.
 *
 * An input that begins with "over" writes one byte past a block of memory; one that begins with
 * "mem" leaks a block. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The pointer is volatile, because the optimiser would otherwise remove both bugs. */
static uint8_t *volatile block;

/* Compares byte by byte, so that a search that is guided by coverage finds the bytes one after the
 * other. */
static bool begins_with(const uint8_t *data, size_t size, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (i >= size || data[i] != (uint8_t)word[i])
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (begins_with(data, size, "over")) {
        block = malloc(size);
        if (block)
            block[size] = data[0];
        free(block);
    }
    if (begins_with(data, size, "mem")) {
        block = malloc(16);
        block = NULL;
    }
    return 0;
}
