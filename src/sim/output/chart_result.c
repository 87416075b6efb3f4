/* Makes the charts of a result. Called by recourse simulate. */
#include "sim/output/chart_result.h"

/* Maximum size of the arena, far more than two series per policy and the names of the largest
 * result need. */
#define SET_MAX_BYTES ((size_t)16 << 20)
#define TEXT_MAX 256

struct maker {
    rc_arena *arena;
    const rc_sim_result *result;
    uint32_t tenths; /* Length of the time axis, in tenths of a second. */
    uint32_t tenths_a_step;
    size_t step_count;
};

static rc_str dup_text(const struct maker *m, const rc_buf *text)
{
    return rc_arena_dup(m->arena, rc_buf_get(text));
}

/* Returns the length of the time axis in tenths of a second. The axis ends at the scenario's
 * duration, or at the last call if that is later. Responses after the last call do not extend the
 * axis. */
static uint32_t used_tenths(const rc_sim_result *result)
{
    uint32_t used = (uint32_t)(result->duration_ms / RC_SIM_BUCKET_MS);
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *policy = &result->policies[i];
        for (uint32_t j = policy->bucket_count; j > used; j--)
            if (policy->buckets[j - 1].calls > 0)
                used = j;
    }
    return used > 0 ? used : 1;
}

/* Returns the sum of the counts in one time step. The last step may be shorter. */
static rc_sim_bucket sum_step(const struct maker *m, const rc_sim_policy_result *policy,
                              size_t step)
{
    rc_sim_bucket sum = {0};
    const uint32_t from = (uint32_t)step * m->tenths_a_step;
    for (uint32_t i = from; i < from + m->tenths_a_step && i < policy->bucket_count; i++) {
        sum.requests += policy->buckets[i].requests;
        sum.requests_ok += policy->buckets[i].requests_ok;
        sum.calls += policy->buckets[i].calls;
    }
    return sum;
}

static int64_t success_of(const rc_sim_bucket *sum)
{
    if (sum->requests == 0)
        return RC_CHART_GAP;
    return (int64_t)sum->requests_ok * 100000 / sum->requests;
}

/* Returns a rate per second from the count in a time step. The last step may be shorter. */
static int64_t rate_of(const struct maker *m, size_t step, uint32_t count)
{
    const uint32_t left = m->tenths - (uint32_t)step * m->tenths_a_step;
    const int64_t tenths = left < m->tenths_a_step ? left : m->tenths_a_step;
    return (int64_t)count * 1000 * 1000 / (tenths * RC_SIM_BUCKET_MS);
}

static rc_str success_note(const struct maker *m, const rc_sim_policy_result *policy)
{
    char scratch[TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_chart_push_value(&text, RC_UNIT_PERCENT, policy->success_milli_pct);
    return dup_text(m, &text);
}

static rc_str load_note(const struct maker *m, const rc_sim_policy_result *policy)
{
    char scratch[TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push(&text, RC_STR("peak "));
    rc_chart_push_value(&text, RC_UNIT_RATE, (int64_t)policy->peak_calls_per_s * 1000);
    return dup_text(m, &text);
}

/* Fills one panel of the success chart and of the load chart, which have the same axis and the same
 * order of panels. */
static void fill_panels(const struct maker *m, rc_chart_panel *success, rc_chart_panel *load)
{
    for (uint32_t i = 0; i < m->result->policy_count; i++) {
        const rc_sim_policy_result *policy = &m->result->policies[i];
        int64_t *ok = rc_arena_get_array(m->arena, m->step_count, sizeof(*ok));
        int64_t *calls = rc_arena_get_array(m->arena, m->step_count, sizeof(*calls));
        if (ok == NULL || calls == NULL)
            return;
        for (size_t step = 0; step < m->step_count; step++) {
            const rc_sim_bucket sum = sum_step(m, policy, step);
            ok[step] = success_of(&sum);
            calls[step] = rate_of(m, step, sum.calls);
        }
        success[i] = load[i] =
            (rc_chart_panel){.name = rc_str_c(policy->name), .is_ours = policy->is_ours};
        success[i].values = ok;
        success[i].note = success_note(m, policy);
        load[i].values = calls;
        load[i].note = load_note(m, policy);
    }
}

/* Returns the requests per second. Every policy gets the same requests, except in a scenario with
 * RC_SIM_CLOSED, for which the requests of the first policy are counted. */
static int64_t *demand_of(const struct maker *m)
{
    if (m->result->policy_count == 0)
        return NULL;
    int64_t *demand = rc_arena_get_array(m->arena, m->step_count, sizeof(*demand));
    for (size_t step = 0; demand != NULL && step < m->step_count; step++)
        demand[step] = rate_of(m, step, sum_step(m, &m->result->policies[0], step).requests);
    return demand;
}

static void make_over_time(const struct maker *m, rc_chart_set *set)
{
    const uint32_t count = m->result->policy_count;
    rc_chart_band *bands = rc_arena_get_array(m->arena, RC_SIM_SPANS_MAX, sizeof(*bands));
    rc_chart_panel *panels = rc_arena_get_array(m->arena, 2 * (size_t)count, sizeof(*panels));
    int64_t *demand = demand_of(m);
    if (bands == NULL || panels == NULL)
        return;
    for (uint32_t i = 0; i < m->result->span_count; i++) {
        const rc_sim_span *span = &m->result->spans[i];
        bands[i] = (rc_chart_band){.from_ms = span->from_ms, .to_ms = span->until_ms};
    }
    fill_panels(m, panels, panels + count);

    set->success = (rc_chart){
        .title = RC_STR("Success over time"),
        .subtitle = RC_STR("Requests delivered completely before their deadline, by arrival time"),
        .unit = RC_UNIT_PERCENT,
        .step_ms = (uint64_t)m->tenths_a_step * RC_SIM_BUCKET_MS,
        .step_count = m->step_count,
        .top = 100000,
        .bands = bands,
        .band_count = m->result->span_count,
        .panels = panels,
        .panel_count = count,
    };
    set->load = set->success;
    set->load.title = RC_STR("Load on the providers over time");
    set->load.subtitle = RC_STR("Calls started per second; the part above the requests is retries");
    set->load.unit = RC_UNIT_RATE;
    set->load.top = 0;
    set->load.reference = demand;
    set->load.panels = panels + count;
}

static void make_rows(const struct maker *m, rc_chart_set *set)
{
    const uint32_t count = m->result->policy_count;
    rc_chart_row *rows = rc_arena_get_array(m->arena, 2 * (size_t)count, sizeof(*rows));
    if (rows == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const rc_sim_policy_result *policy = &m->result->policies[i];
        const int64_t all = policy->calls_per_request_milli;
        const int64_t wasted =
            policy->calls > 0 ? (int64_t)(policy->wasted_calls * (uint64_t)all / policy->calls) : 0;
        rows[i] = rows[count + i] =
            (rc_chart_row){.name = rc_str_c(policy->name), .is_ours = policy->is_ours};
        rows[i].parts[0] = (int64_t)rc_histogram_at(&policy->added, 500);
        rows[i].parts[1] = (int64_t)rc_histogram_at(&policy->added, 900);
        rows[i].parts[2] = (int64_t)rc_histogram_at(&policy->added, 990);
        rows[count + i].parts[0] = all - wasted;
        rows[count + i].parts[1] = wasted;
    }
    set->latency = (rc_chart_rows){
        .title = RC_STR("Added latency"),
        .subtitle = RC_STR("Time that delivered requests lost to waits and failed attempts"),
        .unit = RC_UNIT_MS,
        .is_points = true,
        .part_names = {RC_STR("p50"), RC_STR("p90"), RC_STR("p99, in figures")},
        .part_count = 3,
        .rows = rows,
        .row_count = count,
    };
    set->amplification = (rc_chart_rows){
        .title = RC_STR("Calls per request"),
        .subtitle = RC_STR("Calls that delivered a response, and calls that did not"),
        .unit = RC_UNIT_RATIO,
        .reference = 1000,
        .part_names = {RC_STR("delivered"), RC_STR("wasted")},
        .part_count = 2,
        .rows = rows + count,
        .row_count = count,
    };
}

rc_status rc_chart_set_make(rc_chart_set *set, const rc_sim_result *result, size_t steps,
                            const rc_alloc *alloc)
{
    *set = (rc_chart_set){0};
    rc_arena_init(&set->arena, alloc, SET_MAX_BYTES);
    struct maker m = {.arena = &set->arena, .result = result, .tenths = used_tenths(result)};
    m.tenths_a_step = (m.tenths + (uint32_t)steps - 1) / (uint32_t)steps;
    m.step_count = (m.tenths + m.tenths_a_step - 1) / m.tenths_a_step;
    make_over_time(&m, set);
    make_rows(&m, set);
    return rc_arena_status(&set->arena);
}

void rc_chart_set_done(rc_chart_set *set)
{
    rc_arena_done(&set->arena);
}
