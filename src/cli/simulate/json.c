/* The result of a simulation as JSON: all measured numbers, times in milliseconds. Called by
 * command.c and files.c. */
#include "cli/simulate/simulate.h"
#include "json/writer.h"

/* Number of buckets of 100 ms that are added up to one second. Changes within a second are visible
 * only in the peak values. */
#define TENTHS 10

static void member_u64(rc_json_writer *w, const char *key, uint64_t value)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_u64(w, value);
}

static void member_text(rc_json_writer *w, const char *key, const char *text)
{
    rc_json_member_string(w, rc_str_c(key), rc_str_c(text));
}

/* Writes value / 10^digits as a number with exactly `digits` decimals. */
static void member_decimal(rc_json_writer *w, const char *key, uint64_t value, unsigned digits)
{
    char scratch[48];
    rc_buf text;
    uint64_t part = 1;
    for (unsigned i = 0; i < digits; i++)
        part *= 10;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push_u64(&text, value / part);
    rc_buf_push_byte(&text, '.');
    for (uint64_t place = part / 10; place > 0; place /= 10)
        rc_buf_push_byte(&text, (char)('0' + value / place % 10));
    rc_json_key(w, rc_str_c(key));
    rc_json_raw(w, rc_buf_get(&text));
}

static void push_percentiles(rc_json_writer *w, const char *key, const rc_histogram *histogram)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_object_begin(w);
    member_u64(w, "count", histogram->count);
    if (histogram->count > 0) {
        member_u64(w, "mean", histogram->sum_ms / histogram->count);
        member_u64(w, "p50", rc_histogram_at(histogram, 500));
        member_u64(w, "p90", rc_histogram_at(histogram, 900));
        member_u64(w, "p99", rc_histogram_at(histogram, 990));
        member_u64(w, "p999", rc_histogram_at(histogram, 999));
        member_u64(w, "max", histogram->max_ms);
    }
    rc_json_object_end(w);
}

static void push_load(rc_json_writer *w, const char *key, const rc_sim_load *load)
{
    rc_json_key(w, rc_str_c(key));
    if (load->requests == 0) {
        rc_json_null(w);
        return;
    }
    rc_json_object_begin(w);
    member_u64(w, "from_ms", load->from_ms);
    member_u64(w, "until_ms", load->until_ms);
    member_u64(w, "requests", load->requests);
    member_u64(w, "calls", load->calls);
    member_decimal(w, "calls_per_request", load->calls_per_request_milli, 3);
    rc_json_object_end(w);
}

static void push_recovery(rc_json_writer *w, const rc_sim_policy_result *policy)
{
    rc_json_key(w, RC_STR("recovery_ms"));
    if (policy->recovery_ms >= 0)
        rc_json_i64(w, policy->recovery_ms);
    else if (policy->recovery_ms == RC_SIM_NEVER)
        rc_json_string(w, RC_STR("never"));
    else
        rc_json_null(w);

    rc_json_key(w, RC_STR("herd"));
    rc_json_object_begin(w);
    member_u64(w, "retries", policy->herd.retries);
    member_u64(w, "tenths", policy->herd.tenths);
    member_u64(w, "peak", policy->herd.peak);
    member_decimal(w, "mean", policy->herd.mean_milli, 3);
    member_decimal(w, "ratio", policy->herd.ratio_milli, 3);
    rc_json_member_bool(w, RC_STR("is_herd"), policy->herd.is_herd);
    rc_json_object_end(w);
}

static void push_stops(rc_json_writer *w, const rc_sim_policy_result *policy)
{
    rc_json_key(w, RC_STR("stops"));
    rc_json_object_begin(w);
    for (int i = 1; i < RC_SIM_REASONS; i++)
        if (policy->stops[i] > 0)
            member_u64(w, rc_reason_name((rc_reason)i), policy->stops[i]);
    rc_json_object_end(w);
}

typedef uint32_t (*bucket_get)(const rc_sim_bucket *bucket);

static uint32_t get_requests(const rc_sim_bucket *bucket)
{
    return bucket->requests;
}

static uint32_t get_requests_ok(const rc_sim_bucket *bucket)
{
    return bucket->requests_ok;
}

static uint32_t get_calls(const rc_sim_bucket *bucket)
{
    return bucket->calls;
}

static uint32_t get_retries(const rc_sim_bucket *bucket)
{
    return bucket->retries;
}

static uint32_t get_delivered(const rc_sim_bucket *bucket)
{
    return bucket->delivered;
}

static uint32_t get_failed(const rc_sim_bucket *bucket)
{
    return bucket->failed;
}

static void push_series(rc_json_writer *w, const char *key, const rc_sim_policy_result *policy,
                        bucket_get get)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_array_begin(w);
    for (uint32_t i = 0; i < policy->bucket_count; i += TENTHS) {
        uint64_t sum = 0;
        for (uint32_t j = i; j < i + TENTHS && j < policy->bucket_count; j++)
            sum += get(&policy->buckets[j]);
        rc_json_u64(w, sum);
    }
    rc_json_array_end(w);
}

static void push_over_time(rc_json_writer *w, const rc_sim_policy_result *policy)
{
    rc_json_key(w, RC_STR("each_second"));
    rc_json_object_begin(w);
    push_series(w, "requests", policy, get_requests);
    push_series(w, "requests_in_time", policy, get_requests_ok);
    push_series(w, "calls", policy, get_calls);
    push_series(w, "retries", policy, get_retries);
    push_series(w, "delivered", policy, get_delivered);
    push_series(w, "failed", policy, get_failed);
    rc_json_object_end(w);
}

static void push_policy(rc_json_writer *w, const rc_sim_policy_result *policy)
{
    rc_json_object_begin(w);
    member_text(w, "policy", policy->name);
    member_text(w, "about", policy->about);
    rc_json_member_bool(w, RC_STR("is_ours"), policy->is_ours);
    member_u64(w, "requests", policy->requests);
    member_u64(w, "in_time", policy->in_time);
    member_u64(w, "late", policy->late);
    member_u64(w, "truncated", policy->truncated);
    member_u64(w, "failed", policy->failed);
    member_u64(w, "refused_at_once", policy->refused);
    member_u64(w, "calls", policy->calls);
    member_u64(w, "retries", policy->retries);
    member_u64(w, "wasted_calls", policy->wasted_calls);
    member_decimal(w, "success_pct", policy->success_milli_pct, 3);
    rc_json_key(w, RC_STR("below_oracle_milli_points"));
    rc_json_i64(w, policy->below_oracle_milli_pct);
    member_decimal(w, "calls_per_request", policy->calls_per_request_milli, 3);
    member_u64(w, "peak_calls_per_s", policy->peak_calls_per_s);
    push_percentiles(w, "latency_ms", &policy->latency);
    push_percentiles(w, "added_latency_ms", &policy->added);
    push_percentiles(w, "failing_ms", &policy->failing);
    push_load(w, "in_fault", &policy->in_fault);
    push_load(w, "budget_drained", &policy->drained);
    member_u64(w, "budget_refill_ms", policy->refill_ms);
    push_recovery(w, policy);
    member_decimal(w, "cost_usd", policy->cost_nano_usd, 9);
    member_decimal(w, "wasted_usd", policy->wasted_nano_usd, 9);
    push_stops(w, policy);
    push_over_time(w, policy);
    rc_json_object_end(w);
}

static void push_spans(rc_json_writer *w, const rc_sim_result *result)
{
    rc_json_key(w, RC_STR("faults"));
    rc_json_array_begin(w);
    for (uint32_t i = 0; i < result->span_count; i++) {
        const rc_sim_span *span = &result->spans[i];
        rc_json_object_begin(w);
        member_text(w, "kind", span->label);
        member_text(w, "provider", span->provider);
        member_u64(w, "from_ms", span->from_ms);
        member_u64(w, "until_ms", span->until_ms);
        member_u64(w, "share_pct", span->share_pct);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

void rc_simulate_json(rc_buf *buf, const rc_sim_result *result)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    member_text(&w, "scenario", result->scenario);
    member_text(&w, "about", result->about);
    member_u64(&w, "seed", result->seed);
    member_u64(&w, "clients", result->clients);
    member_u64(&w, "duration_ms", result->duration_ms);
    member_u64(&w, "end_ms", result->end_ms);
    member_u64(&w, "deadline_ms", result->deadline_ms);
    push_spans(&w, result);
    rc_json_key(&w, RC_STR("policies"));
    rc_json_array_begin(&w);
    for (uint32_t i = 0; i < result->policy_count; i++)
        push_policy(&w, &result->policies[i]);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("oracle"));
    if (result->oracle != NULL)
        push_policy(&w, result->oracle);
    else
        rc_json_null(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(buf, '\n');
}
