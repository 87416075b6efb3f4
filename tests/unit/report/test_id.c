/* Tests of report ids: their form, their order with any clock, and parsing their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/id.h>

#include "support/often.h"

#define UNTOUCHED INT64_C(-7777)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1794790923456)
#define LAST_MS INT64_C(281474976710655) /* 2^48 - 1 */

static const uint8_t zeros[10] = {0};
static const uint8_t ones[10] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
static const uint8_t mixed[10] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC};

static int64_t time_of(const rc_id *id)
{
    int64_t ms = UNTOUCHED;
    assert_int_equal(rc_id_time(rc_str_c(id->text), &ms), RC_OK);
    return ms;
}

static void expect_id(const rc_id *id, const char *want)
{
    assert_string_equal(id->text, want);
    assert_int_equal(strlen(id->text), RC_ID_LEN);
}

/* Reference encoder, which encodes bit by bit: 2 bits of padding, 48 of time, 80 of entropy. */
static void encode_slowly(int64_t time_ms, const uint8_t entropy[10], char out[27])
{
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    uint8_t bits[130] = {0};
    for (int i = 0; i < 48; i++)
        bits[2 + i] = (uint8_t)((time_ms >> (47 - i)) & 1);
    for (int i = 0; i < 80; i++)
        bits[50 + i] = (uint8_t)((entropy[i / 8] >> (7 - i % 8)) & 1);
    for (int i = 0; i < 26; i++) {
        int value = 0;
        for (int bit = 0; bit < 5; bit++)
            value = value * 2 + bits[i * 5 + bit];
        out[i] = alphabet[value];
    }
    out[26] = '\0';
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void fill_entropy(uint64_t *seed, uint8_t out[10])
{
    for (size_t i = 0; i < 10; i++)
        out[i] = (uint8_t)(next_random(seed) >> 24);
}

static void test_known_ids(void **state)
{
    (void)state;
    rc_id_maker a = {0};
    rc_id id = rc_id_make(&a, 1, zeros);
    expect_id(&id, "rep_00000000010000000000000000");
    rc_id_maker b = {0};
    id = rc_id_make(&b, LAST_MS, ones);
    expect_id(&id, "rep_7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    rc_id_maker c = {0};
    id = rc_id_make(&c, INT64_C(1469918176385), zeros); /* the time is 01ARYZ6S41 in every ULID */
    expect_id(&id, "rep_01ARYZ6S410000000000000000");
}

static void test_encoding_against_reference(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int i = 0; i < OFTEN(100000); i++) {
        uint8_t entropy[10];
        fill_entropy(&seed, entropy);
        int64_t ms = (int64_t)(next_random(&seed) & (uint64_t)LAST_MS);
        char want[27];
        encode_slowly(ms, entropy, want);
        rc_id_maker maker = {0};
        rc_id id = rc_id_make(&maker, ms, entropy);
        assert_memory_equal(id.text, "rep_", 4);
        assert_string_equal(id.text + 4, want);
        assert_int_equal(time_of(&id), ms);
    }
}

static void test_clamps_time(void **state)
{
    (void)state;
    static const int64_t early[] = {-1, INT64_MIN, 0};
    static const int64_t late[] = {LAST_MS, LAST_MS + 1, INT64_MAX};
    for (size_t i = 0; i < COUNT(early); i++) {
        rc_id_maker maker = {0};
        rc_id id = rc_id_make(&maker, early[i], mixed);
        assert_int_equal(time_of(&id), 0);
        expect_id(&id, "rep_0000000000"
                       "04HMASW9NF6YZZPW");
    }
    for (size_t i = 0; i < COUNT(late); i++) {
        rc_id_maker maker = {0};
        rc_id id = rc_id_make(&maker, late[i], mixed);
        assert_int_equal(time_of(&id), LAST_MS);
    }
}

/* A new maker uses its entropy even if the clock shows 1970; later ids continue from there. */
static void test_first_id_at_zero_is_not_guessable(void **state)
{
    (void)state;
    rc_id_maker a = {0};
    rc_id first = rc_id_make(&a, 0, mixed);
    rc_id second = rc_id_make(&a, 0, zeros);
    assert_string_equal(first.text + 14, "04HMASW9NF6YZZPW");
    assert_string_equal(second.text + 14, "04HMASW9NF6YZZPX");
    rc_id_maker b = {0};
    rc_id all_zero = rc_id_make(&b, 0, zeros);
    rc_id next = rc_id_make(&b, 0, zeros);
    assert_true(strcmp(all_zero.text, next.text) < 0);
}

static void test_same_millisecond_counts_up(void **state)
{
    (void)state;
    rc_id_maker maker = {0};
    rc_id first = rc_id_make(&maker, NOW, mixed);
    rc_id second = rc_id_make(&maker, NOW, zeros);
    rc_id third = rc_id_make(&maker, NOW - 5000, ones); /* the clock was set back */
    rc_id fourth = rc_id_make(&maker, NOW + 1, zeros);
    assert_memory_equal(first.text, second.text, RC_ID_LEN - 1);
    assert_memory_equal(first.text, third.text, RC_ID_LEN - 1);
    assert_true(strcmp(first.text, second.text) < 0);
    assert_true(strcmp(second.text, third.text) < 0);
    assert_true(strcmp(third.text, fourth.text) < 0);
    assert_int_equal(time_of(&third), NOW);
    assert_int_equal(time_of(&fourth), NOW + 1);
    assert_string_equal(fourth.text + 14, "0000000000000000");
}

static void test_carries(void **state)
{
    (void)state;
    /* a carry from the low 64 bits into the high 16 bits */
    static const uint8_t low_full[10] = {0, 1, 255, 255, 255, 255, 255, 255, 255, 255};
    rc_id_maker a = {0};
    (void)rc_id_make(&a, NOW, low_full);
    rc_id id = rc_id_make(&a, NOW, zeros);
    static const uint8_t carried[10] = {0, 2};
    char want[27];
    encode_slowly(NOW, carried, want);
    assert_string_equal(id.text + 4, want);

    /* a carry from the entropy into the time */
    rc_id_maker b = {0};
    rc_id before = rc_id_make(&b, NOW, ones);
    rc_id after = rc_id_make(&b, NOW, mixed);
    assert_true(strcmp(before.text, after.text) < 0);
    assert_int_equal(time_of(&after), NOW + 1);
    assert_string_equal(after.text + 14, "0000000000000000");

    /* The clock reaches the millisecond that the ids have borrowed: the ids are still in order. */
    rc_id next = rc_id_make(&b, NOW + 1, zeros);
    assert_true(strcmp(after.text, next.text) < 0);
}

static void test_the_largest_id_is_not_incremented(void **state)
{
    (void)state;
    rc_id_maker maker = {0};
    rc_id last = rc_id_make(&maker, LAST_MS, ones);
    rc_id again = rc_id_make(&maker, LAST_MS, zeros);
    rc_id later = rc_id_make(&maker, INT64_MAX, mixed);
    assert_string_equal(last.text, again.text);
    assert_string_equal(last.text, later.text);
}

/* A million ids while the clock stands still, runs, jumps ahead and is set back, with entropy that
 * is sometimes about to overflow: each id is greater than the previous one, and its time never
 * decreases. */
static void test_order_is_creation_order(void **state)
{
    (void)state;
    uint64_t seed = UINT64_C(0xabcdef12345);
    rc_id_maker maker = {0};
    int64_t clock_ms = NOW;
    rc_id last = rc_id_make(&maker, clock_ms, zeros);
    int64_t last_ms = NOW;
    int carries = 0;
    for (int i = 0; i < OFTEN(1000000); i++) {
        uint64_t step = next_random(&seed) % 100;
        if (step < 30)
            clock_ms += (int64_t)(next_random(&seed) % 5);
        else if (step < 32)
            clock_ms -= (int64_t)(next_random(&seed) % 10000);
        else if (step < 35)
            clock_ms += (int64_t)(next_random(&seed) % 10000);
        uint8_t entropy[10];
        fill_entropy(&seed, entropy);
        if (next_random(&seed) % 8 == 0)
            memcpy(entropy, ones, sizeof entropy);
        rc_id id = rc_id_make(&maker, clock_ms, entropy);
        if (strcmp(last.text, id.text) >= 0)
            fail_msg("%s came before %s", last.text, id.text);
        int64_t ms = time_of(&id);
        assert_true(ms >= last_ms && ms >= clock_ms);
        carries += ms > last_ms && ms > clock_ms;
        last = id;
        last_ms = ms;
    }
    assert_true(carries > 100); /* the carry did occur */
}

/* Two million ids at each of several times to which the clock was set back. A store identifies an
 * id by its time and last three letters. These keys must all be different, so one millisecond must
 * not have more ids than keys, and the time of the ids stays close to the time from which the clock
 * was set back. */
static void test_a_clock_set_back_keeps_store_keys_unique(void **state)
{
    (void)state;
    static const int64_t set_to[] = {NOW,
                                     NOW - 1,
                                     NOW - INT64_C(5000),
                                     NOW - INT64_C(3600000),
                                     NOW - INT64_C(10) * 365 * 86400000,
                                     0,
                                     INT64_MIN};
    const int count = OFTEN(2000000);
    for (size_t at = 0; at < COUNT(set_to); at++) {
        uint64_t seed = 4711 + at;
        uint8_t entropy[10];
        rc_id_maker maker = {0};
        fill_entropy(&seed, entropy);
        rc_id last = rc_id_make(&maker, NOW, entropy);
        int in_one_ms = 1;
        int most = 1;
        for (int i = 0; i < count; i++) {
            fill_entropy(&seed, entropy);
            const rc_id id = rc_id_make(&maker, set_to[at], entropy);
            if (strcmp(last.text, id.text) >= 0)
                fail_msg("%s came before %s", last.text, id.text);
            in_one_ms = memcmp(last.text, id.text, 14) == 0 ? in_one_ms + 1 : 1;
            most = in_one_ms > most ? in_one_ms : most;
            last = id;
        }
        assert_int_equal(most, RC_ID_PER_MS);
        assert_in_range(time_of(&last) - NOW, count / RC_ID_PER_MS, count / RC_ID_PER_MS + 1);
        /* When the clock has caught up, ids have the time of the clock again. */
        last = rc_id_make(&maker, NOW + count, zeros);
        assert_int_equal(time_of(&last), NOW + count);
    }
}

/* A borrowed millisecond begins with fresh entropy, so that its ids cannot be guessed from the
 * previous one. */
static void test_a_borrowed_millisecond_uses_the_entropy(void **state)
{
    (void)state;
    rc_id_maker maker = {0};
    rc_id id = rc_id_make(&maker, NOW, zeros);
    for (int i = 1; i < RC_ID_PER_MS; i++)
        id = rc_id_make(&maker, NOW, zeros);
    assert_int_equal(time_of(&id), NOW);
    id = rc_id_make(&maker, NOW, mixed);
    assert_int_equal(time_of(&id), NOW + 1);
    assert_string_equal(id.text + 14, "04HMASW9NF6YZZPW");
}

static void test_time_rejects_invalid_ids(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "rep_",
        "rep_0000000000000000000000000",
        "rep_000000000000000000000000000",
        "rep_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", /* a time of 49 bits */
        "rep_ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "REP_00000000000000000000000000",
        "rex_00000000000000000000000000",
        "rep-00000000000000000000000000",
        "rep_0000000000000000000000000I",
        "rep_0000000000000000000000000L",
        "rep_0000000000000000000000000O",
        "rep_0000000000000000000000000U",
        "rep_0000000000000000000000000a",
        "rep_0000000000000000000000000-",
        "rep_0000000000000000000000000 ",
        "rep_a0000000000000000000000000",
        "rep_0\377000000000000000000000000",
        "0000000000000000000000000000rep_",
    };
    int64_t ms = UNTOUCHED;
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(rc_id_time(rc_str_c(texts[i]), &ms), RC_E_SYNTAX);
    rc_str nul = RC_STR("rep_0000000000000000000000000\0");
    assert_int_equal(nul.len, RC_ID_LEN);
    assert_int_equal(rc_id_time(nul, &ms), RC_E_SYNTAX);
    assert_int_equal(rc_id_time(rc_str_make(NULL, 0), &ms), RC_E_SYNTAX);
    assert_int_equal(ms, UNTOUCHED);
}

/* Tests every byte in every position: an id has only characters of its alphabet. */
static void test_time_accepts_its_alphabet_only(void **state)
{
    (void)state;
    for (size_t at = 4; at < RC_ID_LEN; at++) {
        int accepted = 0;
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "rep_00000000000000000000000000";
            text[at] = (char)byte;
            int64_t ms = UNTOUCHED;
            accepted += rc_id_time(rc_str_make(text, RC_ID_LEN), &ms) == RC_OK;
        }
        assert_int_equal(accepted, at == 4 ? 8 : 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_ids),
        cmocka_unit_test(test_encoding_against_reference),
        cmocka_unit_test(test_clamps_time),
        cmocka_unit_test(test_first_id_at_zero_is_not_guessable),
        cmocka_unit_test(test_same_millisecond_counts_up),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_the_largest_id_is_not_incremented),
        cmocka_unit_test(test_order_is_creation_order),
        cmocka_unit_test(test_a_clock_set_back_keeps_store_keys_unique),
        cmocka_unit_test(test_a_borrowed_millisecond_uses_the_entropy),
        cmocka_unit_test(test_time_rejects_invalid_ids),
        cmocka_unit_test(test_time_accepts_its_alphabet_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
