/* Tests of rc_buf: growth up to the ceiling, sticky failures, comparison with a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_text(const rc_buf *buf, const char *want)
{
    rc_str got = rc_buf_get(buf);
    if (!rc_str_eq(got, rc_str_c(want)))
        fail_msg("\"%.*s\", want \"%s\"", (int)got.len, got.ptr ? got.ptr : "", want);
}

static void expect_all_given_back(const fail_alloc *a)
{
    assert_int_equal(a->live, 0);
    assert_false(a->is_broken);
}

static void test_starts_empty_and_allocates_nothing(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1000);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_int_equal(rc_buf_push(&buf, rc_str_make(NULL, 0)), RC_OK);
    assert_int_equal(rc_buf_push(&buf, RC_STR("")), RC_OK);
    assert_int_equal(rc_buf_reserve(&buf, 0), RC_OK);
    assert_int_equal(a.calls, 0);
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_alloc_is_copied(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1000);
    memset(&alloc, 0, sizeof alloc);
    assert_int_equal(rc_buf_push(&buf, RC_STR("x")), RC_OK);
    rc_buf_done(&buf);
    assert_int_equal(a.calls, 1);
    expect_all_given_back(&a);
}

static void test_pushes(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1000);
    assert_int_equal(rc_buf_push(&buf, RC_STR("a\0b")), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, 3);
    rc_buf_reset(&buf);
    assert_int_equal(rc_buf_push_byte(&buf, '['), RC_OK);
    assert_int_equal(rc_buf_push_u64(&buf, 0), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, ' '), RC_OK);
    assert_int_equal(rc_buf_push_u64(&buf, UINT64_MAX), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, ' '), RC_OK);
    assert_int_equal(rc_buf_push_i64(&buf, INT64_MIN), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, ' '), RC_OK);
    assert_int_equal(rc_buf_push_i64(&buf, INT64_MAX), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, ' '), RC_OK);
    assert_int_equal(rc_buf_push_i64(&buf, -1), RC_OK);
    assert_int_equal(rc_buf_push_i64(&buf, 0), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, ']'), RC_OK);
    expect_text(&buf, "[0 18446744073709551615 -9223372036854775808 9223372036854775807 -10]");
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_numbers_as_printf_writes_them(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int delta = -1; delta <= 1; delta++) {
            uint64_t value = (UINT64_C(1) << shift) + (uint64_t)delta;
            char want[64];
            char memory[64];
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory, sizeof memory);
            (void)rc_buf_push_u64(&buf, value);
            (void)rc_buf_push_byte(&buf, ',');
            (void)rc_buf_push_i64(&buf, (int64_t)value);
            (void)snprintf(want, sizeof want, "%llu,%lld", (unsigned long long)value,
                           (long long)value);
            expect_text(&buf, want);
        }
    }
}

/* --- ceilings --- */

/* Fills a buffer up to each small ceiling: the last byte fits, the next one does not. */
static void test_ceiling_is_exact(void **state)
{
    (void)state;
    for (size_t max = 0; max < 1200; max += max < 10 ? 1 : 97) {
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, max);
        for (size_t i = 0; i < max; i++)
            assert_int_equal(rc_buf_push_byte(&buf, (char)i), RC_OK);
        assert_int_equal(rc_buf_push_byte(&buf, 'x'), RC_E_TOO_LARGE);
        assert_int_equal(rc_buf_get(&buf).len, max);
        for (size_t i = 0; i < max; i++)
            assert_int_equal(rc_buf_get(&buf).ptr[i], (char)i);
        assert_true(buf.size <= max);
        rc_buf_done(&buf);
        expect_all_given_back(&a);
    }
}

static void test_push_that_does_not_fit_adds_nothing(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 5);
    assert_int_equal(rc_buf_push(&buf, RC_STR("abc")), RC_OK);
    assert_int_equal(rc_buf_push(&buf, RC_STR("def")), RC_E_TOO_LARGE);
    expect_text(&buf, "abc");
    /* The failure is sticky, even for a push that would fit. */
    assert_int_equal(rc_buf_push(&buf, RC_STR("d")), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_push(&buf, RC_STR("")), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_push_byte(&buf, 'd'), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_push_u64(&buf, 1), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_push_i64(&buf, -1), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_reserve(&buf, 0), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
    expect_text(&buf, "abc");
    /* Reset clears the failure and does not free the memory. */
    size_t calls = a.calls;
    rc_buf_reset(&buf);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_int_equal(rc_buf_push(&buf, RC_STR("12345")), RC_OK);
    assert_int_equal(a.calls, calls);
    expect_text(&buf, "12345");
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_numbers_fit_exactly_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        size_t len;
    } cases[] = {{0, 1}, {7, 1}, {-7, 2}, {-10, 3}, {INT64_MAX, 19}, {INT64_MIN, 20}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char memory[20];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, cases[i].len);
        assert_int_equal(rc_buf_push_i64(&buf, cases[i].value), RC_OK);
        assert_int_equal(rc_buf_get(&buf).len, cases[i].len);
        rc_buf_init_fixed(&buf, memory, cases[i].len - 1);
        assert_int_equal(rc_buf_push_i64(&buf, cases[i].value), RC_E_TOO_LARGE);
        assert_int_equal(rc_buf_get(&buf).len, 0);
    }
}

static void test_sizes_that_overflow(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, SIZE_MAX);
    assert_int_equal(rc_buf_push(&buf, RC_STR("abc")), RC_OK);
    size_t calls = a.calls;
    assert_int_equal(rc_buf_reserve(&buf, SIZE_MAX), RC_E_TOO_LARGE);
    rc_buf_reset(&buf);
    assert_int_equal(rc_buf_push(&buf, RC_STR("abc")), RC_OK);
    assert_int_equal(rc_buf_reserve(&buf, SIZE_MAX - 2), RC_E_TOO_LARGE);
    assert_int_equal(a.calls, calls); /* rejected without an allocation */
    /* The largest size that does not overflow is requested from the allocator, which fails. */
    rc_buf_reset(&buf);
    assert_int_equal(rc_buf_push(&buf, RC_STR("abc")), RC_OK);
    a.fail_at = a.calls + 1;
    assert_int_equal(rc_buf_reserve(&buf, SIZE_MAX - 3), RC_E_NOMEM);
    expect_text(&buf, "abc");
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

/* --- memory --- */

static void test_no_memory_sticks(void **state)
{
    (void)state;
    fail_alloc a = {.fail_at = 2};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1 << 20);
    size_t pushed = 0;
    while (rc_buf_push_byte(&buf, 'a') == RC_OK)
        pushed++;
    assert_true(pushed > 0);
    assert_int_equal(a.calls, 2);
    assert_int_equal(rc_buf_status(&buf), RC_E_NOMEM);
    assert_int_equal(rc_buf_get(&buf).len, pushed); /* earlier bytes stay readable */
    assert_int_equal(rc_buf_get(&buf).ptr[pushed - 1], 'a');
    assert_int_equal(rc_buf_push(&buf, RC_STR("x")), RC_E_NOMEM);
    assert_int_equal(rc_buf_push_i64(&buf, -5), RC_E_NOMEM);
    assert_int_equal(a.calls, 2); /* a failed buffer does not allocate again */
    rc_buf_reset(&buf);
    for (size_t i = 0; i <= pushed; i++)
        assert_int_equal(rc_buf_push_byte(&buf, 'b'), RC_OK);
    assert_int_equal(a.calls, 3);
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_first_failure_sticks(void **state)
{
    (void)state;
    fail_alloc a = {.fail_at = 1};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 10);
    assert_int_equal(rc_buf_push_byte(&buf, 'a'), RC_E_NOMEM);
    assert_int_equal(rc_buf_reserve(&buf, 11), RC_E_NOMEM);
    assert_int_equal(rc_buf_status(&buf), RC_E_NOMEM);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_no_allocator_is_no_memory(void **state)
{
    (void)state;
    const rc_alloc nothing = {0};
    rc_buf buf;
    rc_buf_init(&buf, &nothing, 10);
    assert_int_equal(rc_buf_push_byte(&buf, 'a'), RC_E_NOMEM);
    rc_buf_done(&buf);
}

static void test_reserved_pushes_cannot_fail(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 5000);
    assert_int_equal(rc_buf_push(&buf, RC_STR("abc")), RC_OK);
    assert_int_equal(rc_buf_reserve(&buf, 4000), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, 3);
    a.fail_at = a.calls + 1;
    a.for_good = true;
    for (size_t i = 0; i < 4000; i++)
        assert_int_equal(rc_buf_push_byte(&buf, 'x'), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, 4003);
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_done_in_any_state(void **state)
{
    (void)state;
    rc_buf_done(NULL);
    rc_buf zeroed = {0};
    rc_buf_done(&zeroed);
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 100);
    (void)rc_buf_push(&buf, RC_STR("abc"));
    rc_buf_done(&buf);
    rc_buf_done(&buf);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    /* A push after done fails without a crash. */
    assert_int_equal(rc_buf_push_byte(&buf, 'x'), RC_E_TOO_LARGE);
    expect_all_given_back(&a);
}

static void test_fixed_never_allocates(void **state)
{
    (void)state;
    char memory[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_buf_push(&buf, RC_STR("12345678")), RC_OK);
    assert_ptr_equal(rc_buf_get(&buf).ptr, memory);
    assert_int_equal(rc_buf_push_byte(&buf, '9'), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_get(&buf).len, 8);
    rc_buf_reset(&buf);
    assert_int_equal(rc_buf_reserve(&buf, 8), RC_OK);
    assert_int_equal(rc_buf_reserve(&buf, 9), RC_E_TOO_LARGE);
    rc_buf_done(&buf); /* does not free the caller's memory */
    memory[0] = 'x';

    rc_buf_init_fixed(&buf, NULL, 0);
    assert_int_equal(rc_buf_push(&buf, RC_STR("")), RC_OK);
    assert_int_equal(rc_buf_push_byte(&buf, 'x'), RC_E_TOO_LARGE);
    rc_buf_done(&buf);
}

/* --- against a plain array --- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Compares random pushes and resets, with an allocator that sometimes fails, with a plain array of
 * the bytes whose push returned RC_OK. */
static void run_against_model(uint64_t seed)
{
    char model[4096];
    char chunk[512];
    size_t model_len = 0;
    size_t max = 1 + next_random(&seed) % sizeof model;
    fail_alloc a = {.fail_at = next_random(&seed) % 8, .for_good = next_random(&seed) % 2 == 0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, max);
    rc_status stuck = RC_OK;
    for (int step = 0; step < 60; step++) {
        if (next_random(&seed) % 16 == 0) {
            rc_buf_reset(&buf);
            model_len = 0;
            stuck = RC_OK;
        }
        size_t len = next_random(&seed) % sizeof chunk;
        memset(chunk, (int)('a' + step % 26), len);
        rc_status status = rc_buf_push(&buf, rc_str_make(chunk, len));
        if (stuck != RC_OK)
            assert_int_equal(status, stuck);
        else if (len > max - model_len)
            assert_int_equal(status, RC_E_TOO_LARGE);
        if (status == RC_OK) {
            memcpy(model + model_len, chunk, len);
            model_len += len;
        }
        stuck = status;
        assert_int_equal(rc_buf_status(&buf), status);
        assert_true(rc_str_eq(rc_buf_get(&buf), rc_str_make(model, model_len)));
        assert_true(buf.size <= max && buf.len <= buf.size);
    }
    rc_buf_done(&buf);
    expect_all_given_back(&a);
}

static void test_against_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++)
        run_against_model(seed * UINT64_C(0x9e3779b97f4a7c15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_empty_and_allocates_nothing),
        cmocka_unit_test(test_alloc_is_copied),
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_numbers_as_printf_writes_them),
        cmocka_unit_test(test_ceiling_is_exact),
        cmocka_unit_test(test_push_that_does_not_fit_adds_nothing),
        cmocka_unit_test(test_numbers_fit_exactly_or_not_at_all),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_no_memory_sticks),
        cmocka_unit_test(test_first_failure_sticks),
        cmocka_unit_test(test_no_allocator_is_no_memory),
        cmocka_unit_test(test_reserved_pushes_cannot_fail),
        cmocka_unit_test(test_done_in_any_state),
        cmocka_unit_test(test_fixed_never_allocates),
        cmocka_unit_test(test_against_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
