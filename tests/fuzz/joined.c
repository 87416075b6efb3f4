/* Many fuzz targets in one program. The name by which the program is called selects the target. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define JOINED(name) int run_##name(const uint8_t *data, size_t size);
#include RC_JOINED
#undef JOINED

static const struct {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} TARGETS[] = {
#define JOINED(name) {#name, run_##name},
#include RC_JOINED
#undef JOINED
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++) {
        if (strcmp(program_invocation_short_name, TARGETS[i].name) == 0)
            return TARGETS[i].run(data, size);
    }
    abort();
}
