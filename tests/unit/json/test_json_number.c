/* Tests of numbers: all limits of int64, and doubles with the documented precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/json_tokens.h"
#include "support/often.h"
#include "json/reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_i64(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } GOOD[] = {
        {"0", 0},
        {"-0", 0},
        {"7", 7},
        {"-1", -1},
        {"1234567890123456789", INT64_C(1234567890123456789)},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-9223372036854775807", -INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        int64_t value = 99;
        assert_int_equal(rc_json_to_i64(rc_str_c(GOOD[i].text), &value), RC_OK);
        assert_true(value == GOOD[i].value);
    }
    static const struct {
        const char *text;
        rc_status status;
    } BAD[] = {
        {"9223372036854775808", RC_E_RANGE},
        {"-9223372036854775809", RC_E_RANGE},
        {"18446744073709551616", RC_E_RANGE},
        {"99999999999999999999999999999999999999", RC_E_RANGE},
        {"1.0", RC_E_TYPE},
        {"1e3", RC_E_TYPE},
        {"99999999999999999999.5", RC_E_TYPE},
        {"", RC_E_TYPE},
        {"-", RC_E_TYPE},
        {"01", RC_E_TYPE},
        {"+1", RC_E_TYPE},
        {"12x", RC_E_TYPE},
        {"true", RC_E_TYPE},
        {" 1", RC_E_TYPE},
    };
    for (size_t i = 0; i < COUNT(BAD); i++) {
        int64_t value = 99;
        assert_int_equal(rc_json_to_i64(rc_str_c(BAD[i].text), &value), BAD[i].status);
        assert_int_equal(value, 99); /* the value was not written */
    }
}

static double to_double(const char *text)
{
    double value = -99;
    if (rc_json_to_double(rc_str_c(text), &value) != RC_OK)
        fail_msg("%s: refused", text);
    return value;
}

static void test_double_exact(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "0",
        "-0",
        "1",
        "-1.5",
        "0.1",
        "3.14159",
        "1e22",
        "1e-22",
        "123e20",
        "0.7",
        "1E5",
        "1e+5",
        "9007199254740992",
        "123456789012345e22",
        "0.000",
        "0e999",
        "-0.0e-5",
        "2.50000",
        "20e-01",
        "999999999999999e-22",
    };
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        double got = to_double(TEXTS[i]);
        double want = strtod(TEXTS[i], NULL);
        assert_memory_equal(&got, &want, sizeof got); /* the sign of zero is compared, too */
    }
}

static void test_double_extremes(void **state)
{
    (void)state;
    assert_true(to_double("1.7976931348623157e308") == 1.7976931348623157e308);
    assert_true(to_double("2.2250738585072014e-308") == 2.2250738585072014e-308);
    assert_true(to_double("5e-324") == 5e-324);
    assert_true(to_double("2e-324") == 0);
    assert_true(to_double("1e-400") == 0);
    assert_true(to_double("1e-999999999999999999999") == 0);
    assert_true(to_double("-1e-999") == 0);
    assert_true(to_double("0e99999999999999999999") == 0);

    static const char *const LARGE[] = {"1e309", "-1e400", "1.8e308", "1e99999999999999999999",
                                        "1797693134862315900000e290"};
    for (size_t i = 0; i < COUNT(LARGE); i++) {
        double value = -99;
        assert_int_equal(rc_json_to_double(rc_str_c(LARGE[i]), &value), RC_E_RANGE);
        assert_true(value == -99);
    }
    static const char *const OTHER[] = {"", "null", "1.", "x", "1 ", "0x10"};
    for (size_t i = 0; i < COUNT(OTHER); i++) {
        double value = -99;
        assert_int_equal(rc_json_to_double(rc_str_c(OTHER[i]), &value), RC_E_TYPE);
        assert_true(value == -99);
    }
}

/* Many digits before and after the point, with exponents that compensate for them. */
static void test_double_long(void **state)
{
    (void)state;
    char text[2100];
    size_t len = 0;
    text[len++] = '0';
    text[len++] = '.';
    for (int i = 0; i < 1000; i++)
        text[len++] = '0';
    text[len++] = '5';
    memcpy(text + len, "e1001", 6);
    assert_true(to_double(text) == 5);
    memset(text, '9', 2000);
    memcpy(text + 2000, "e-2000", 7);
    assert_true(fabs(to_double(text) - 1) < 1e-15);
}

static void check_near(const char *text)
{
    double want = strtod(text, NULL);
    double got = 0;
    if (rc_json_to_double(rc_str_c(text), &got) != RC_OK) {
        assert_true(fabs(want) > 1.797693134862315e308);
        return;
    }
    if (got < nextafter(want, -INFINITY) || got > nextafter(want, INFINITY))
        fail_msg("%s: got %.17g, want %.17g", text, got, want);
}

/* Random texts: the result is exact for up to 15 digits with small exponents, otherwise within one
 * ulp, and nearly always exact. */
static void test_double_random(void **state)
{
    (void)state;
    uint64_t seed = 5;
    size_t exact = 0;
    enum {
        ROUNDS = OFTEN(200000)
    };
    for (int i = 0; i < ROUNDS; i++) {
        char text[64];
        bool is_easy = json_random(&seed, 2);
        int digits = 1 + (int)json_random(&seed, is_easy ? 15 : 19);
        size_t len = 0;
        for (int k = 0; k < digits; k++)
            text[len++] = (char)('0' + (k ? json_random(&seed, 10) : 1 + json_random(&seed, 9)));
        int exponent =
            is_easy ? (int)json_random(&seed, 45) - 22 : (int)json_random(&seed, 680) - 350;
        snprintf(text + len, sizeof text - len, "e%d", exponent);
        double want = strtod(text, NULL);
        double got = 0;
        if (rc_json_to_double(rc_str_c(text), &got) == RC_OK && got == want)
            exact++;
        else if (is_easy)
            fail_msg("%s: got %.17g, want %.17g", text, got, want);
        else
            check_near(text);
    }
    assert_true(exact > ROUNDS * 9 / 10);
}

/* A random double that is written with 17 digits is read within one ulp. */
static void test_double_bits(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int i = 0; i < OFTEN(200000); i++) {
        uint64_t bits =
            (uint64_t)json_random(&seed, UINT32_MAX) << 32 | json_random(&seed, UINT32_MAX);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        check_near(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_i64),
        cmocka_unit_test(test_double_exact),
        cmocka_unit_test(test_double_extremes),
        cmocka_unit_test(test_double_long),
        cmocka_unit_test(test_double_random),
        cmocka_unit_test(test_double_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
