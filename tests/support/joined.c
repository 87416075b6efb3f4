/* Many tests in one program: the name by which the program is called selects the test that runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define JOINED(name) int main_##name(void);
#include RC_JOINED
#undef JOINED

static const struct {
    const char *name;
    int (*main)(void);
} TESTS[] = {
#define JOINED(name) {#name, main_##name},
#include RC_JOINED
#undef JOINED
};

int main(void)
{
    for (size_t i = 0; i < sizeof TESTS / sizeof *TESTS; i++) {
        if (strcmp(program_invocation_short_name, TESTS[i].name) == 0)
            return TESTS[i].main();
    }
    fprintf(stderr, "%s: no test of that name\n", program_invocation_short_name);
    return 64;
}
