/* A million random reports are encoded, decoded in strict mode and encoded again. Both texts must
 * be equal.
 *
 * RECOURSE_FIRST_SEED: the first seed. */
#include <recourse/json.h>
#include <recourse/stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/often.h"
#include "support/random_report.h"

#define REPORTS OFTEN(1000000)

static void fail_with(uint64_t seed, const char *what, const rc_decode_info *info, rc_str a,
                      rc_str b)
{
    fprintf(stderr, "seed %llu: %s: %s at %s, offset %zu\n%.*s\n%.*s\n", (unsigned long long)seed,
            what, info->message, info->pointer, info->offset, (int)a.len, a.ptr, (int)b.len, b.ptr);
    fail();
}

static void check_one(uint64_t seed, const rc_alloc *alloc, rc_buf *first, rc_buf *second,
                      rc_decode_mode mode)
{
    uint64_t state = seed;
    rc_decode_info info;
    const rc_report *report = random_report(&state, alloc);
    const rc_report *again = NULL;
    rc_buf_reset(first);
    rc_buf_reset(second);
    assert_int_equal(rc_report_encode(report, RC_VIEW_INTERNAL, first), RC_OK);
    if (rc_report_decode(rc_buf_get(first), mode, alloc, &again, &info) != RC_OK)
        fail_with(seed, "not decoded", &info, rc_buf_get(first), RC_STR(""));
    if (info.dropped_count || info.is_damaged)
        fail_with(seed, "dropped", &info, rc_buf_get(first), RC_STR(""));
    assert_int_equal(rc_report_encode(again, RC_VIEW_INTERNAL, second), RC_OK);
    if (!rc_str_eq(rc_buf_get(first), rc_buf_get(second)))
        fail_with(seed, "differs", &info, rc_buf_get(first), rc_buf_get(second));
    rc_report_free(report);
    rc_report_free(again);
}

static void check_many(size_t count, rc_decode_mode mode)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf first;
    rc_buf second;
    rc_buf_init(&first, &alloc, 64u << 20);
    rc_buf_init(&second, &alloc, 64u << 20);
    const char *first_seed = getenv("RECOURSE_FIRST_SEED");
    size_t seed = first_seed != NULL ? (size_t)strtoull(first_seed, NULL, 10) : 0;
    for (size_t i = 0; i < count; i++)
        check_one(seed + i, &alloc, &first, &second, mode);
    rc_buf_done(&first);
    rc_buf_done(&second);
}

static void test_strict(void **unused)
{
    (void)unused;
    check_many(REPORTS, RC_DECODE_STRICT);
}

static void test_tolerant(void **unused)
{
    (void)unused;
    check_many(REPORTS / 20, RC_DECODE_TOLERANT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strict),
                                       cmocka_unit_test(test_tolerant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
