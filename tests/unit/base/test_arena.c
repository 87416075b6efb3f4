/* Tests of rc_arena: no overlapping pieces, an exact ceiling, sticky failures, no leaks. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_aligned(const void *ptr)
{
    return (uintptr_t)ptr % alignof(max_align_t) == 0;
}

static size_t rounded(size_t size)
{
    return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

static bool is_filled(const unsigned char *bytes, size_t size, unsigned char with)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != with)
            return false;
    }
    return true;
}

static void finish(rc_arena *arena, const fail_alloc *a)
{
    rc_arena_done(arena);
    assert_int_equal(a->live, 0);
    assert_false(a->is_broken);
    rc_arena_done(arena); /* a second call is harmless */
}

static void test_starts_empty(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 100000);
    memset(&alloc, 0, sizeof alloc); /* the arena uses its own copy of the struct */
    assert_int_equal(a.calls, 0);
    assert_int_equal(rc_arena_status(&arena), RC_OK);
    assert_non_null(rc_arena_get(&arena, 10));
    assert_int_equal(a.calls, 1);
    finish(&arena, &a);
    assert_int_equal(arena.used_bytes, 0);
}

static void test_zeroed_and_aligned(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 7, 8, 15, 16, 17, 100, 4000, 4096, 5000, 100000};
    fail_alloc a = {0}; /* fills new memory with 0xA5 */
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        unsigned char *piece = rc_arena_get(&arena, sizes[i]);
        assert_non_null(piece);
        assert_true(is_aligned(piece));
        assert_true(is_filled(piece, sizes[i], 0));
    }
    finish(&arena, &a);
}

static void test_size_zero_is_unique(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 100000);
    void *first = rc_arena_get(&arena, 0);
    void *second = rc_arena_get(&arena, 0);
    void *third = rc_arena_get_array(&arena, 0, 100);
    void *fourth = rc_arena_get_array(&arena, SIZE_MAX, 0);
    assert_true(first && second && third && fourth);
    assert_true(first != second && second != third && third != fourth);
    assert_true(is_aligned(second));
    assert_int_equal(rc_arena_status(&arena), RC_OK);
    finish(&arena, &a);
}

static void test_array(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 100000);
    uint64_t *numbers = rc_arena_get_array(&arena, 100, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(numbers[i], 0);
    finish(&arena, &a);
}

static void test_dup(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 100000);
    char source[] = "a\0b";
    rc_str copy = rc_arena_dup(&arena, rc_str_make(source, 3));
    source[0] = 'x';
    assert_true(rc_str_eq(copy, RC_STR("a\0b")));
    assert_int_equal(copy.ptr[3], '\0');
    rc_str empty = rc_arena_dup(&arena, rc_str_make(NULL, 0));
    assert_int_equal(empty.len, 0);
    assert_non_null(empty.ptr);
    assert_int_equal(empty.ptr[0], '\0');
    finish(&arena, &a);
}

/* --- ceilings --- */

static void expect_stuck(rc_arena *arena, rc_status want)
{
    assert_int_equal(rc_arena_status(arena), want);
    assert_null(rc_arena_get(arena, 1));
    assert_null(rc_arena_get(arena, 0));
    assert_null(rc_arena_get(arena, SIZE_MAX));
    assert_null(rc_arena_get_array(arena, 1, 1));
    assert_null(rc_arena_get_array(arena, SIZE_MAX, 2));
    rc_str copy = rc_arena_dup(arena, RC_STR("x"));
    assert_null(copy.ptr);
    assert_int_equal(copy.len, 0);
    copy = rc_arena_dup(arena, rc_str_make("x", SIZE_MAX));
    assert_null(copy.ptr);
    assert_int_equal(rc_arena_status(arena), want); /* the status is that of the first failure */
}

static void test_ceiling_sticks(void **state)
{
    (void)state;
    for (size_t max = 0; max < 20000; max = max < 300 ? max + 1 : max * 2 + 13) {
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_arena arena;
        rc_arena_init(&arena, &alloc, max);
        size_t got = 0;
        while (rc_arena_get(&arena, 24))
            got += 24;
        assert_true(got <= max);
        assert_true(a.peak_bytes <= max);
        assert_true(max < 300 || got > max / 3); /* most of the ceiling can be used */
        expect_stuck(&arena, RC_E_TOO_LARGE);
        finish(&arena, &a);
    }
}

static void test_one_piece_up_to_the_ceiling(void **state)
{
    (void)state;
    for (size_t max = 1000; max < 20000; max += 1117) {
        size_t largest = 0;
        for (size_t size = max - 200; size <= max; size++) {
            fail_alloc a = {0};
            rc_alloc alloc = fail_alloc_of(&a);
            rc_arena arena;
            rc_arena_init(&arena, &alloc, max);
            unsigned char *piece = rc_arena_get(&arena, size);
            if (piece) {
                memset(piece, 1, size);
                largest = size;
            } else {
                assert_int_equal(rc_arena_status(&arena), RC_E_TOO_LARGE);
                assert_int_equal(a.calls, 0);
            }
            finish(&arena, &a);
        }
        assert_true(largest > 0 && largest < max); /* the header of a block counts, too */
    }
}

/* A piece fits if the ceiling is exactly the size of the piece plus the header. */
static void test_ceiling_is_exact(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, SIZE_MAX);
    assert_non_null(rc_arena_get(&arena, 10000));
    size_t need = arena.used_bytes;
    finish(&arena, &a);
    rc_arena_init(&arena, &alloc, need);
    assert_non_null(rc_arena_get(&arena, 10000));
    finish(&arena, &a);
    rc_arena_init(&arena, &alloc, need - 1);
    assert_null(rc_arena_get(&arena, 10000));
    assert_int_equal(rc_arena_status(&arena), RC_E_TOO_LARGE);
    finish(&arena, &a);
}

static void test_block_is_used_to_its_end(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    char *piece = rc_arena_get(&arena, 1);
    char *block_end = (char *)arena.blocks + arena.used_bytes;
    char *last = NULL;
    for (; a.calls == 1; piece = rc_arena_get(&arena, 1))
        last = piece;
    assert_ptr_equal(last + rounded(1), block_end);
    finish(&arena, &a);
}

static void test_sizes_that_overflow(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        SIZE_MAX,      SIZE_MAX - 1,  SIZE_MAX - 15, SIZE_MAX - 16, SIZE_MAX - 31,
        SIZE_MAX - 47, SIZE_MAX - 48, SIZE_MAX - 49, SIZE_MAX - 64, SIZE_MAX / 2,
    };
    for (size_t i = 0; i < COUNT(sizes); i++) {
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_arena arena;
        rc_arena_init(&arena, &alloc, SIZE_MAX / 4);
        assert_null(rc_arena_get(&arena, sizes[i]));
        expect_stuck(&arena, RC_E_TOO_LARGE);
        assert_int_equal(a.calls, 0);
        finish(&arena, &a);
    }
    static const size_t products[][2] = {
        {SIZE_MAX, 2},        {2, SIZE_MAX},     {SIZE_MAX / 2 + 1, 2},
        {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 3, 4},
    };
    for (size_t i = 0; i < COUNT(products); i++) {
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_arena arena;
        rc_arena_init(&arena, &alloc, SIZE_MAX);
        assert_null(rc_arena_get_array(&arena, products[i][0], products[i][1]));
        expect_stuck(&arena, RC_E_TOO_LARGE);
        assert_int_equal(a.calls, 0);
        finish(&arena, &a);
    }
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, SIZE_MAX);
    rc_str copy = rc_arena_dup(&arena, rc_str_make("x", SIZE_MAX));
    assert_null(copy.ptr);
    assert_int_equal(copy.len, 0);
    expect_stuck(&arena, RC_E_TOO_LARGE);
    finish(&arena, &a);
}

/* --- memory --- */

/* Each allocation fails in turn, either only this one or all later ones, too. */
static void test_no_memory_sticks(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at <= 5; fail_at++) {
        for (int for_good = 0; for_good < 2; for_good++) {
            fail_alloc a = {.fail_at = fail_at, .for_good = for_good == 1};
            rc_alloc alloc = fail_alloc_of(&a);
            rc_arena arena;
            rc_arena_init(&arena, &alloc, 1 << 20);
            while (rc_arena_dup(&arena, RC_STR("a text of some length")).ptr)
                assert_true(a.calls < fail_at);
            assert_int_equal(a.calls, fail_at);
            assert_int_equal(a.live, fail_at - 1); /* earlier pieces are valid until
                                                      rc_arena_done */
            expect_stuck(&arena, RC_E_NOMEM);
            assert_int_equal(a.calls, fail_at); /* a failed arena does not allocate again */
            finish(&arena, &a);
        }
    }
}

static void test_usable_again_after_done(void **state)
{
    (void)state;
    fail_alloc a = {.fail_at = 1};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 10000);
    assert_null(rc_arena_get(&arena, 10));
    rc_arena_done(&arena);
    assert_int_equal(rc_arena_status(&arena), RC_OK);
    assert_non_null(rc_arena_get(&arena, 10));
    finish(&arena, &a);
}

/* --- shrinking --- */

static void test_shrink_releases_space(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    unsigned char *first = rc_arena_get(&arena, 1000);
    assert_non_null(first);
    memset(first, 0xEE, 1000);
    rc_arena_shrink(&arena, first, 1000, 100);
    unsigned char *second = rc_arena_get(&arena, 500);
    assert_non_null(second);
    assert_true(second >= first + 100 && second < first + 1000); /* the space is used again, */
    assert_true(is_filled(second, 500, 0));                      /* the bytes are zeroed, */
    assert_true(is_aligned(second));
    assert_true(is_filled(first, 100, 0xEE)); /* and the shrunk piece is unchanged */
    finish(&arena, &a);
}

static void test_shrink_releases_all_space(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    for (size_t old_size = 1; old_size <= 70; old_size++) {
        for (size_t new_size = 1; new_size <= old_size; new_size++) {
            char *piece = rc_arena_get(&arena, old_size);
            rc_arena_shrink(&arena, piece, old_size, new_size);
            size_t calls = a.calls;
            char *next = rc_arena_get(&arena, 1);
            assert_true(piece && next);
            if (a.calls == calls)
                assert_ptr_equal(next, piece + rounded(new_size));
        }
    }
    finish(&arena, &a);
}

static void test_shrink_to_nothing_keeps_pointers_unique(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    void *first = rc_arena_get(&arena, 1000);
    rc_arena_shrink(&arena, first, 1000, 0);
    assert_ptr_not_equal(rc_arena_get(&arena, 1), first);
    finish(&arena, &a);
}

static void test_shrink_ignores_all_but_the_newest_piece(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 1 << 20);
    char elsewhere[10];
    rc_arena_shrink(&arena, elsewhere, 10, 5); /* an empty arena */
    unsigned char *first = rc_arena_get(&arena, 100);
    unsigned char *second = rc_arena_get(&arena, 100);
    assert_true(first && second);
    rc_arena_shrink(&arena, first, 100, 10);    /* not the newest piece */
    rc_arena_shrink(&arena, second, 100, 1000); /* larger than before */
    rc_arena_shrink(&arena, NULL, 100, 10);
    unsigned char *third = rc_arena_get(&arena, 100);
    assert_ptr_equal(third, second + rounded(100));
    unsigned char *large = rc_arena_get(&arena, 10000); /* a size that needs a separate block */
    assert_non_null(large);
    rc_arena_shrink(&arena, third, 100, 10); /* no longer the newest piece */
    unsigned char *last = rc_arena_get(&arena, 100);
    assert_true(last && (last < third || last >= third + 100));
    finish(&arena, &a);
}

/* --- many pieces --- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Random pieces, some of them shrunk, each filled with a different byte: no piece overlaps
 * another. */
static void test_pieces_do_not_overlap(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 300; round++) {
        uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
        unsigned char *pieces[200];
        size_t sizes[COUNT(pieces)];
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_arena arena;
        rc_arena_init(&arena, &alloc, 1 << 24);
        for (size_t i = 0; i < COUNT(pieces); i++) {
            sizes[i] = next_random(&seed) % (next_random(&seed) % 10 == 0 ? 10000 : 100);
            pieces[i] = rc_arena_get(&arena, sizes[i]);
            assert_non_null(pieces[i]);
            assert_true(is_aligned(pieces[i]) && is_filled(pieces[i], sizes[i], 0));
            if (next_random(&seed) % 3 == 0) {
                size_t smaller = next_random(&seed) % (sizes[i] + 1);
                rc_arena_shrink(&arena, pieces[i], sizes[i], smaller);
                sizes[i] = smaller;
            }
            if (sizes[i])
                memset(pieces[i], (int)(i + 1), sizes[i]);
        }
        for (size_t i = 0; i < COUNT(pieces); i++)
            assert_true(is_filled(pieces[i], sizes[i], (unsigned char)(i + 1)));
        assert_int_equal(a.live_bytes, arena.used_bytes);
        finish(&arena, &a);
    }
}

static void test_unset_memory_is_not_zeroed(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_arena arena;
    rc_arena_init(&arena, &alloc, 8192);
    char *first = rc_arena_get_unset(&arena, 3);
    char *second = rc_arena_get_unset(&arena, 0);
    assert_non_null(first);
    assert_non_null(second);
    assert_true(is_aligned(first) && is_aligned(second) && second > first);
    memset(first, 'x', 3);
    rc_arena_shrink(&arena, second, 0, 0);
    /* rc_arena_get zeroes memory that was already used */
    rc_arena_shrink(&arena, rc_arena_get_unset(&arena, 64), 64, 1);
    assert_true(is_filled(rc_arena_get(&arena, 64), 64, 0));
    assert_null(rc_arena_get_unset(&arena, SIZE_MAX));
    assert_int_equal(rc_arena_status(&arena), RC_E_TOO_LARGE);
    assert_null(rc_arena_get_unset(&arena, 1));
    finish(&arena, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_empty),
        cmocka_unit_test(test_zeroed_and_aligned),
        cmocka_unit_test(test_size_zero_is_unique),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_dup),
        cmocka_unit_test(test_ceiling_sticks),
        cmocka_unit_test(test_one_piece_up_to_the_ceiling),
        cmocka_unit_test(test_ceiling_is_exact),
        cmocka_unit_test(test_block_is_used_to_its_end),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_no_memory_sticks),
        cmocka_unit_test(test_usable_again_after_done),
        cmocka_unit_test(test_shrink_releases_space),
        cmocka_unit_test(test_shrink_releases_all_space),
        cmocka_unit_test(test_shrink_to_nothing_keeps_pointers_unique),
        cmocka_unit_test(test_shrink_ignores_all_but_the_newest_piece),
        cmocka_unit_test(test_pieces_do_not_overlap),
        cmocka_unit_test(test_unset_memory_is_not_zeroed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
