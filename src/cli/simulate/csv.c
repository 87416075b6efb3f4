/* The result of a simulation as CSV (RFC 4180, but with line feeds only): one row per policy.
 * Called by command.c. */
#include "base/str.h"
#include "cli/simulate/simulate.h"
#include "sim/output/measure.h"

/* Appends a text, quoted if it has a comma, quote or line break. A text that begins with one of
 * =+-@ gets an apostrophe, because a spreadsheet would treat it as a formula. */
static void push_text(rc_buf *buf, rc_str text)
{
    static const char special[] = ",\"\r\n";
    const bool is_formula =
        text.len > 0 && rc_str_find_byte(RC_STR("=+-@\t"), text.ptr[0], 0) != RC_STR_NPOS;
    bool is_quoted = false;
    for (size_t i = 0; special[i] != '\0'; i++)
        is_quoted = is_quoted || rc_str_find_byte(text, special[i], 0) != RC_STR_NPOS;
    rc_cli_text(buf, is_quoted ? "\"" : "");
    rc_cli_text(buf, is_formula ? "'" : "");
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            rc_buf_push_byte(buf, '"');
        rc_buf_push_byte(buf, text.ptr[i]);
    }
    rc_cli_text(buf, is_quoted ? "\"" : "");
}

/* Returns the number of decimals of a unit. */
static unsigned digits_of(rc_chart_unit unit)
{
    if (unit == RC_UNIT_PERCENT || unit == RC_UNIT_RATIO || unit == RC_UNIT_RATE)
        return 3;
    return unit == RC_UNIT_USD ? 6 : 0;
}

/* Appends a number without its unit; nothing if the value was not measured. */
static void push_value(rc_buf *buf, const rc_measure *measure, int64_t value)
{
    if (value == RC_MEASURE_NONE)
        return;
    if (value == RC_MEASURE_NEVER) {
        rc_cli_text(buf, "never");
        return;
    }
    int64_t part = 1;
    for (unsigned i = 0; i < digits_of(measure->unit); i++)
        part *= 10;
    rc_buf_push_i64(buf, value / part);
    rc_cli_text(buf, part > 1 ? "." : "");
    for (int64_t place = part / 10; place > 0; place /= 10)
        rc_buf_push_byte(buf, (char)('0' + value / place % 10));
}

static void push_count(rc_buf *buf, uint64_t value)
{
    rc_buf_push_byte(buf, ',');
    rc_buf_push_u64(buf, value);
}

static void push_row(rc_buf *buf, const rc_sim_result *result, const rc_sim_policy_result *policy)
{
    push_text(buf, rc_str_c(result->scenario));
    push_count(buf, result->seed);
    rc_buf_push_byte(buf, ',');
    push_text(buf, rc_str_c(policy->name));
    push_count(buf, policy->requests);
    push_count(buf, policy->in_time);
    push_count(buf, policy->late);
    push_count(buf, policy->failed);
    push_count(buf, policy->calls);
    push_count(buf, policy->retries);
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        rc_buf_push_byte(buf, ',');
        push_value(buf, rc_measure_at(i), rc_measure_at(i)->get(policy));
    }
    rc_buf_push_byte(buf, '\n');
}

void rc_simulate_csv(rc_buf *buf, const rc_sim_result *result)
{
    rc_cli_text(buf, "scenario,seed,policy,requests,in_time,late,failed,calls,retries");
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        rc_buf_push_byte(buf, ',');
        rc_cli_text(buf, rc_measure_at(i)->key);
    }
    rc_buf_push_byte(buf, '\n');
    for (uint32_t i = 0; i < result->policy_count; i++)
        push_row(buf, result, &result->policies[i]);
}
