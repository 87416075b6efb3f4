/* Formats values, ticks and times of charts. Called by the chart and table renderers and recourse
 * audit. */
#include "sim/output/chart.h"

#define MILLI 1000

static void push_c(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static int64_t power_of_ten(unsigned exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Appends value / 10^scale with `decimals` decimals, rounded to the nearest value. `decimals` is at
 * most `scale`. */
static void push_decimal(rc_buf *buf, int64_t value, unsigned scale, unsigned decimals)
{
    const int64_t drop = power_of_ten(scale - decimals);
    const int64_t part = power_of_ten(decimals);
    const int64_t rounded = (value + drop / 2) / drop;
    rc_buf_push_i64(buf, rounded / part);
    if (decimals == 0)
        return;
    rc_buf_push_byte(buf, '.');
    for (int64_t place = part / 10; place > 0; place /= 10)
        rc_buf_push_byte(buf, (char)('0' + rounded / place % 10));
}

/* Appends value / 10^scale with three significant digits. */
static void push_three(rc_buf *buf, int64_t value, unsigned scale)
{
    const int64_t unit = power_of_ten(scale - 3); /* One thousandth of the shown unit. */
    const unsigned decimals = value < 9995 * unit ? 2 : value < 99950 * unit ? 1 : 0;
    push_decimal(buf, value, scale, decimals);
}

/* Appends an amount such as "840", "12.4 k" or "1.24 M". */
static void push_amount(rc_buf *buf, int64_t value_milli)
{
    static const char *const prefixes[] = {"", " k", " M", " G"};
    unsigned prefix = 0;
    if (value_milli < 10000 * MILLI) {
        push_decimal(buf, value_milli, 3, value_milli % MILLI != 0 && value_milli < 9950 ? 1 : 0);
        return;
    }
    while (value_milli >= 999500 * power_of_ten(3 * prefix) && prefix < 3)
        prefix++;
    push_three(buf, value_milli, 3 + 3 * prefix);
    push_c(buf, prefixes[prefix]);
}

static void push_percent(rc_buf *buf, int64_t value)
{
    if (value == 0 || value == 100 * MILLI)
        push_decimal(buf, value, 3, 0);
    else if (value < 50)
        push_c(buf, "<0.1");
    else if (value >= 99 * MILLI && value < 100 * MILLI)
        push_decimal(buf, value / 10, 2, 2); /* Truncated, so that 99.999 is not shown as 100. */
    else
        push_decimal(buf, value, 3, 1);
    push_c(buf, "%");
}

/* Appends a value in two units, such as "2 m 05 s". */
static void push_pair(rc_buf *buf, int64_t value, int64_t base, const char *high, const char *low)
{
    rc_buf_push_i64(buf, value / base);
    push_c(buf, high);
    rc_buf_push_byte(buf, (char)('0' + value % base / 10));
    rc_buf_push_byte(buf, (char)('0' + value % base % 10));
    push_c(buf, low);
}

static void push_ms(rc_buf *buf, int64_t ms)
{
    const int64_t seconds = (ms + 500) / 1000;
    if (ms < 1000) {
        rc_buf_push_i64(buf, ms);
        push_c(buf, " ms");
    } else if (ms < 59950) {
        push_decimal(buf, ms, 3, ms < 9995 ? 2 : 1);
        push_c(buf, " s");
    } else if (seconds < 3600) {
        push_pair(buf, seconds, 60, " m ", " s");
    } else {
        push_pair(buf, (seconds + 30) / 60, 60, " h ", " m");
    }
}

static void push_usd(rc_buf *buf, int64_t micro)
{
    rc_buf_push_byte(buf, '$');
    if (micro >= 99995000)
        push_decimal(buf, micro, 6, 0);
    else
        push_decimal(buf, micro, 6, micro >= 999950 || micro == 0 ? 2 : 4);
}

void rc_chart_push_value(rc_buf *buf, rc_chart_unit unit, int64_t value)
{
    if (value == RC_CHART_GAP) {
        push_c(buf, "-");
        return;
    }
    switch (unit) {
    case RC_UNIT_PERCENT:
        push_percent(buf, value);
        return;
    case RC_UNIT_RATE:
        push_amount(buf, value);
        push_c(buf, "/s");
        return;
    case RC_UNIT_MS:
        push_ms(buf, value);
        return;
    case RC_UNIT_RATIO:
        push_three(buf, value, 3);
        return;
    case RC_UNIT_COUNT:
        push_amount(buf, value * MILLI);
        return;
    case RC_UNIT_USD:
        push_usd(buf, value);
        return;
    }
}

/* Appends value / 10^scale exactly, with as few decimals as possible. */
static void push_exact(rc_buf *buf, int64_t value, unsigned scale)
{
    unsigned decimals = scale;
    while (decimals > 0 && value % power_of_ten(scale - decimals + 1) == 0)
        decimals--;
    push_decimal(buf, value, scale, decimals);
}

static void push_exact_amount(rc_buf *buf, int64_t value_milli)
{
    static const char *const prefixes[] = {"", "k", "M", "G"};
    unsigned prefix = 0;
    int64_t whole = value_milli;
    while (whole >= 1000 * MILLI && whole % 100 == 0 && prefix < 3) {
        whole /= 1000;
        prefix++;
    }
    push_exact(buf, value_milli, 3 + 3 * prefix);
    push_c(buf, prefixes[prefix]);
}

void rc_chart_push_tick(rc_buf *buf, rc_chart_unit unit, int64_t value)
{
    switch (unit) {
    case RC_UNIT_PERCENT:
        push_exact(buf, value, 3);
        push_c(buf, "%");
        return;
    case RC_UNIT_RATE:
        push_exact_amount(buf, value);
        push_c(buf, value > 0 ? "/s" : "");
        return;
    case RC_UNIT_MS:
        push_exact(buf, value, value < 1000 ? 0 : 3);
        push_c(buf, value < 1000 ? " ms" : " s");
        return;
    case RC_UNIT_RATIO:
        push_exact(buf, value, 3);
        return;
    case RC_UNIT_COUNT:
        push_exact_amount(buf, value * MILLI);
        return;
    case RC_UNIT_USD:
        rc_buf_push_byte(buf, '$');
        push_exact(buf, value, 6);
        return;
    }
}

void rc_chart_push_time(rc_buf *buf, uint64_t at_ms, uint64_t step_ms)
{
    const int64_t ms = (int64_t)at_ms;
    if (ms == 0) {
        push_c(buf, "0");
    } else if (step_ms < 60000) {
        push_exact(buf, ms, 3);
        push_c(buf, " s");
    } else if (step_ms < 3600000) {
        rc_buf_push_i64(buf, ms / 60000);
        push_c(buf, " min");
    } else {
        rc_buf_push_i64(buf, ms / 3600000);
        push_c(buf, " h");
    }
}
