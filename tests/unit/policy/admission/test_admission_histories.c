/* Tests with random histories of calls that may wait in the queue: the invariants of
 * tests/support/admission_model.h hold. One history is one call from its first input to its end.
 *
 * RECOURSE_FIRST_SEED: the seed of the inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/admission_model.h"
#include "support/often.h"

#define HISTORIES OFTEN(10000000)
#define STEPS 2000

_Static_assert(sizeof(rc_admission) <= 248, "docs/internals/admission.md says so");
_Static_assert(sizeof(rc_pacer) <= 96, "docs/internals/admission.md says so");
_Static_assert(sizeof(rc_rate_limits) <= 320, "docs/internals/admission.md says so");
_Static_assert(sizeof(rc_target) <= 448, "docs/internals/admission.md says so");

static void test_random_histories_keep_the_invariants(void **state)
{
    (void)state;
    static admission_model m;
    const char *first = getenv("RECOURSE_FIRST_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    uint64_t histories = 0;
    for (; histories < HISTORIES; seed++) {
        entropy_source c = {.seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
        admission_init(&m, &c);
        for (uint32_t i = 0; i < STEPS; i++)
            admission_step(&m, &c);
        admission_end(&m, &c);
        assert_true(m.histories > 0);
        histories += m.histories;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_histories_keep_the_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
