/* JSON numbers: conversion to int64 and double. Called by the decoders that read numeric members.
 */
#include "base/str.h"
#include "json/lex.h"

static bool is_number(rc_str raw)
{
    if (raw.len == 0)
        return false;
    rc_json_token token;
    rc_json_fault fault = {.status = RC_OK};
    rc_json_lex_scalar(raw, 0, &token, &fault);
    return token.type == RC_JSON_NUMBER && fault.status == RC_OK && token.end == raw.len;
}

/* Reads the common case of a number: up to 18 digits without a sign or a leading zero. Returns
 * false for other numbers. */
static bool read_plain(rc_str raw, int64_t *ret_value)
{
    int64_t value = 0;
    if (raw.len == 0 || raw.len > 18 || (raw.ptr[0] == '0' && raw.len > 1))
        return false;
    for (size_t i = 0; i < raw.len; i++) {
        if (!rc_ascii_is_digit(raw.ptr[i]))
            return false;
        value = value * 10 + (raw.ptr[i] - '0');
    }
    *ret_value = value;
    return true;
}

rc_status rc_json_to_i64(rc_str raw, int64_t *ret_value)
{
    if (read_plain(raw, ret_value))
        return RC_OK;
    if (!is_number(raw))
        return RC_E_TYPE;
    bool is_negative = raw.ptr[0] == '-';
    uint64_t magnitude = 0;
    bool fits = true;
    for (size_t i = is_negative; i < raw.len; i++) {
        if (!rc_ascii_is_digit(raw.ptr[i]))
            return RC_E_TYPE;
        fits = fits && !__builtin_mul_overflow(magnitude, 10, &magnitude) &&
               !__builtin_add_overflow(magnitude, (uint64_t)(raw.ptr[i] - '0'), &magnitude);
    }
    if (!fits || magnitude > (uint64_t)INT64_MAX + is_negative)
        return RC_E_RANGE;
    /* INT64_MIN has no positive counterpart, so 1 is subtracted from the magnitude before it is
     * negated. */
    *ret_value = is_negative && magnitude ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
    return RC_OK;
}

/* A number as a sign, its first 19 significant digits and a power of ten. */
typedef struct decimal {
    bool is_negative;
    uint64_t digits;
    int64_t exponent;
} decimal;

/* When the number made of the digits read so far reaches this value, further digits are dropped,
 * because only 19 digits always fit in 64 bits. The error is less than one part in 10^18. */
#define DIGITS_MAX UINT64_C(1000000000000000000)

/* Larger exponents are replaced by this value, which is far outside the range of double and far
 * inside the range of int64. */
#define EXPONENT_MAX INT64_C(1000000000)

static int64_t read_exponent(rc_str raw, size_t at)
{
    if (at >= raw.len)
        return 0;
    bool is_negative = raw.ptr[at] == '-';
    if (raw.ptr[at] == '-' || raw.ptr[at] == '+')
        at++;
    int64_t value = 0;
    for (; at < raw.len && value < EXPONENT_MAX; at++)
        value = value * 10 + (raw.ptr[at] - '0');
    return is_negative ? -value : value;
}

static decimal read_decimal(rc_str raw)
{
    decimal d = {.is_negative = raw.ptr[0] == '-'};
    bool is_fraction = false;
    size_t at = d.is_negative;
    for (; at < raw.len; at++) {
        char c = raw.ptr[at];
        if (c == '.') {
            is_fraction = true;
            continue;
        }
        if (!rc_ascii_is_digit(c))
            break;
        bool fits = d.digits < DIGITS_MAX;
        if (fits)
            d.digits = d.digits * 10 + (uint64_t)(c - '0');
        d.exponent += (fits ? 0 : 1) - (is_fraction ? 1 : 0);
    }
    d.exponent += read_exponent(raw, at + 1);
    return d;
}

/* The value `bits` * 2^`exponent`. The top bit of `bits` is set. */
typedef struct scaled {
    uint64_t bits;
    int exponent;
} scaled;

/* 10^1, 10^2, 10^4 ... 10^256 and their inverses, rounded to 64 bits. */
static const scaled POWERS[2][9] = {
    {
        {UINT64_C(0xA000000000000000), -60},
        {UINT64_C(0xC800000000000000), -57},
        {UINT64_C(0x9C40000000000000), -50},
        {UINT64_C(0xBEBC200000000000), -37},
        {UINT64_C(0x8E1BC9BF04000000), -10},
        {UINT64_C(0x9DC5ADA82B70B59E), 43},
        {UINT64_C(0xC2781F49FFCFA6D5), 149},
        {UINT64_C(0x93BA47C980E98CE0), 362},
        {UINT64_C(0xAA7EEBFB9DF9DE8E), 787},
    },
    {
        {UINT64_C(0xCCCCCCCCCCCCCCCD), -67},
        {UINT64_C(0xA3D70A3D70A3D70A), -70},
        {UINT64_C(0xD1B71758E219652C), -77},
        {UINT64_C(0xABCC77118461CEFD), -90},
        {UINT64_C(0xE69594BEC44DE15B), -117},
        {UINT64_C(0xCFB11EAD453994BA), -170},
        {UINT64_C(0xA87FEA27A539E9A5), -276},
        {UINT64_C(0xDDD0467C64BCE4A1), -489},
        {UINT64_C(0xC0314325637A193A), -914},
    },
};

/* Multiplies with an error below one part in 2^63. After at most nine products the 53 bits of a
 * double are still correct, unless the number is closer to the middle between two doubles than the
 * error. */
static scaled multiply(scaled a, scaled b)
{
    unsigned __int128 product = (unsigned __int128)a.bits * b.bits;
    int exponent = a.exponent + b.exponent + 64;
    if (!(product >> 127)) {
        product <<= 1;
        exponent--;
    }
    return (scaled){.bits = (uint64_t)(product >> 64), .exponent = exponent};
}

static scaled scale(uint64_t digits, int64_t power)
{
    int zeros = __builtin_clzll(digits);
    scaled value = {.bits = digits << zeros, .exponent = -zeros};
    uint64_t left = power < 0 ? (uint64_t)-power : (uint64_t)power;
    for (unsigned i = 0; left; i++, left >>= 1) {
        if (left & 1)
            value = multiply(value, POWERS[power < 0][i]);
    }
    return value;
}

/* Rounds to the nearest double, ties to even. Small numbers become subnormal or zero. Returns false
 * if the value is too large for a double. */
static bool round_scaled(scaled value, double *ret_value)
{
    int top = value.exponent + 63; /* exponent of the highest set bit: the value is at least
                                      2^top */
    int shift = top >= -1022 ? 11 : 11 + (-1022 - top);
    uint64_t bits = 0;
    if (shift < 64) {
        bits = value.bits >> shift;
        uint64_t rest = value.bits << (64 - shift);
        const uint64_t half = UINT64_C(1) << 63;
        bits += rest > half || (rest == half && (bits & 1));
    } else if (shift == 64) {
        bits = value.bits > UINT64_C(1) << 63;
    }
    /* The addition of the mantissa, whose leading bit is implicit, increases the exponent field by
     * one; a carry from rounding does the same. */
    if (top >= -1022)
        bits += (uint64_t)(top + 1022) << 52;
    if (top > 1023 || bits >= UINT64_C(0x7FF) << 52)
        return false;
    memcpy(ret_value, &bits, sizeof bits);
    return true;
}

static double small_power(int64_t power)
{
    double value = 1;
    for (int64_t i = 0; i < power; i++)
        value *= 10;
    return value;
}

rc_status rc_json_to_double(rc_str raw, double *ret_value)
{
    if (!is_number(raw))
        return RC_E_TYPE;
    decimal d = read_decimal(raw);
    double value = 0;
    if (d.digits != 0 && d.digits <= UINT64_C(1) << 53 && d.exponent >= -22 && d.exponent <= 22) {
        /* Both operands are exact, so the result of one operation is correctly rounded. */
        value = (double)d.digits;
        value = d.exponent < 0 ? value / small_power(-d.exponent) : value * small_power(d.exponent);
    } else if (d.digits != 0 && d.exponent > 310) {
        return RC_E_RANGE;
    } else if (d.digits != 0 && d.exponent >= -400) {
        if (!round_scaled(scale(d.digits, d.exponent), &value))
            return RC_E_RANGE;
    }
    *ret_value = d.is_negative ? -value : value;
    return RC_OK;
}
