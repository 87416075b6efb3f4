/* The ledger of an exchange: its steps, from which the audit record, the attempts in a report, the
 * metrics and the reply's headers are made. Called by the other exchange and attempt files. */
#include "gateway/exchange/exchange_ledger.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "config/prices/price.h"
#include "config/prices/prices.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_budget.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_unavailable.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/request/fields.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

#define FEW_STEPS 8u /* Number of steps in the first allocation. */

/* Makes space for one more step. The existing steps may move to other memory. */
static bool grow(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    const uint32_t capacity =
        exchange->step_capacity < FEW_STEPS ? FEW_STEPS : exchange->step_capacity * 4;
    if (exchange->step_count < exchange->step_capacity)
        return true;
    if (capacity > RC_EXCHANGE_STEPS_MAX * 2)
        return false;
    rc_ledger_step *steps = alloc->get(alloc->ctx, capacity * sizeof *steps);
    if (steps == NULL)
        return false;
    memcpy(steps, exchange->steps, exchange->step_count * sizeof *steps);
    if (exchange->steps != exchange->inline_steps)
        alloc->put(alloc->ctx, exchange->steps, exchange->step_capacity * sizeof *exchange->steps);
    exchange->steps = steps;
    exchange->step_capacity = capacity;
    return true;
}

rc_ledger_step *rc_exchange_add_step(rc_exchange *exchange, rc_record_kind kind)
{
    if (!grow(exchange))
        return NULL;
    rc_ledger_step *step = &exchange->steps[exchange->step_count++];
    *step = (rc_ledger_step){
        .kind = kind,
        .entry = exchange->machine.action.entry,
        .credential = exchange->machine.action.credential,
        .attempt = exchange->machine.action.attempt,
        .at_unix_ms = rc_runtime_unix_ms(exchange->runtime),
        .latency_ms = -1,
        .first_byte_ms = -1,
    };
    return step;
}

void rc_exchange_set_step_text(const rc_exchange *exchange, rc_ledger_step *step, rc_str text)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    char *own = text.len > 0 ? alloc->get(alloc->ctx, text.len) : NULL;
    if (own == NULL)
        return;
    memcpy(own, text.ptr, text.len);
    step->text = rc_str_make(own, text.len);
}

void rc_exchange_steps_done(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_str text = exchange->steps[i].text;
        rc_report_free(exchange->steps[i].report);
        if (text.len > 0)
            alloc->put(alloc->ctx, (void *)text.ptr, text.len);
        if (exchange->steps[i].quota != NULL)
            alloc->put(alloc->ctx, exchange->steps[i].quota, sizeof *exchange->steps[i].quota);
    }
    if (exchange->steps != exchange->inline_steps)
        alloc->put(alloc->ctx, exchange->steps, exchange->step_capacity * sizeof *exchange->steps);
}

/* ---- usage of an attempt ---- */

static rc_attempt_end end_of(const rc_attempt *attempt, const rc_report *report, bool is_done)
{
    if (attempt->exchange->request.is_free)
        return RC_ATTEMPT_END_FREE;
    if (is_done)
        return RC_ATTEMPT_END_DONE;
    if (!rc_attempt_was_sent(attempt))
        return RC_ATTEMPT_END_NOT_SENT;
    if (report == NULL)
        return RC_ATTEMPT_END_CANCELLED;
    if (attempt->mode == RC_MODE_HEAD)
        return RC_ATTEMPT_END_SILENT;
    const bool is_told = attempt->response.is_watched && attempt->response.watch.has_error &&
                         attempt->response.watch.content_events == 0;
    return attempt->mode == RC_MODE_ERROR || is_told ? RC_ATTEMPT_END_REFUSED : RC_ATTEMPT_END_CUT;
}

static rc_charge charge_of(const rc_attempt *attempt, rc_attempt_end end)
{
    const rc_exchange *exchange = attempt->exchange;
    const rc_usage *usage =
        attempt->mode == RC_MODE_STREAM ? &attempt->response.watch.usage : &attempt->response.usage;
    return exchange->is_body_gone ? rc_usage_charge_by_estimate(usage, end, &exchange->estimate)
                                  : rc_usage_charge(usage, end, exchange->request.body);
}

/* Returns the price of the attempt's model. The route entry has the price if the price does not
 * depend on the length of the input, as is usual. */
static const rc_config_price *price_of(const rc_attempt *attempt, const rc_charge *charge)
{
    const rc_route_entry *route_entry = &attempt->exchange->route->entries[attempt->entry];
    if (charge->input <= RC_ROUTE_SHORT_INPUT_TOKENS && route_entry->has_price)
        return route_entry->price;
    const rc_config_provider *config = attempt->provider->config;
    return rc_prices_find(attempt->exchange->snapshot->prices, rc_str_c(config->kind->name),
                          config->name, attempt->model, charge->input);
}

/* Computes the cost of an attempt. The demo provider is free and needs no price. */
static rc_attempt_cost cost_of(const rc_attempt *attempt, rc_attempt_end end)
{
    rc_attempt_cost cost = {.charge = charge_of(attempt, end)};
    const rc_config_price *price = price_of(attempt, &cost.charge);
    cost.usd_micro = rc_price_cost(price, &cost.charge);
    if (cost.charge.is_measured)
        cost.flags |= RC_RECORD_MEASURED;
    if (cost.charge.is_estimated)
        cost.flags |= RC_RECORD_ESTIMATED;
    if (price == NULL && !attempt->provider->is_demo && cost.flags != 0)
        cost.flags |= RC_RECORD_UNPRICED;
    return cost;
}

static void set_cost(const rc_attempt *attempt, const rc_report *report, bool is_done,
                     rc_ledger_step *step)
{
    const rc_attempt_cost cost = is_done && attempt->is_cost_known
                                     ? attempt->reading.cost
                                     : cost_of(attempt, end_of(attempt, report, is_done));
    step->charge = cost.charge;
    step->cost_usd_micro = cost.usd_micro;
    step->flags = cost.flags;
}

static void count_attempt(const rc_attempt *attempt, const rc_ledger_step *step)
{
    const rc_exchange *exchange = attempt->exchange;
    if (step->charge.is_measured)
        rc_hub_note_output(exchange->runtime->hub, exchange->plan.entries[attempt->entry].target,
                           step->charge.output);
    rc_metrics_shard *metrics = exchange->runtime->metrics;
    const uint16_t target = exchange->route->entries[attempt->entry].metric;
    const rc_metrics_attempt row = {
        .target = target,
        .code = step->report != NULL ? rc_report_code(step->report) : RC_CODE_NONE,
        .duration_us = (uv_hrtime() - attempt->started_ns) / 1000,
        .first_byte_us = attempt->first_byte_us,
    };
    rc_metrics_on_attempt(metrics, &row);
    if (!step->charge.is_measured && !step->charge.is_estimated)
        return;
    const rc_metrics_usage usage = {
        .target = target,
        .client = exchange->client != SIZE_MAX
                      ? exchange->snapshot->client_metrics[exchange->client]
                      : RC_METRICS_OTHER,
        .tokens_in = step->charge.input,
        .tokens_out = step->charge.output,
        .is_estimated = step->charge.is_estimated,
        .cost_nano_usd = step->cost_usd_micro * 1000,
    };
    rc_metrics_on_usage(metrics, &usage);
}

static void describe(const rc_attempt *attempt, rc_ledger_step *step)
{
    step->entry = attempt->entry;
    step->credential = attempt->credential;
    step->attempt = attempt->number;
    step->at_unix_ms = attempt->started_unix_ms;
    step->status = attempt->mode == RC_MODE_HEAD ? 0 : rc_http1_status(attempt->reader);
    step->latency_ms = (int64_t)(rc_runtime_now(attempt->exchange->runtime) - attempt->started_ms);
    step->first_byte_ms = attempt->first_byte_ms;
    step->bytes = attempt->bytes;
    if (attempt->mode == RC_MODE_STREAM)
        step->flags |= RC_RECORD_STREAMING;
    if (attempt->exchange->machine.is_committed &&
        attempt->slot == attempt->exchange->machine.current)
        step->flags |= RC_RECORD_COMMITTED;
}

/* ---- headers for the client ---- */

void rc_exchange_fill_cost(const rc_exchange *exchange, rc_attempt *done, rc_reply_facts *facts)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        if (exchange->steps[i].kind != RC_RECORD_ATTEMPT)
            continue;
        flags |= exchange->steps[i].flags;
        facts->cost_usd_micro += exchange->steps[i].cost_usd_micro;
    }
    if (done != NULL) {
        done->reading.cost = cost_of(done, end_of(done, NULL, true));
        done->is_cost_known = true;
        flags |= done->reading.cost.flags;
        facts->cost_usd_micro += done->reading.cost.usd_micro;
    }
    if ((flags & RC_RECORD_UNPRICED) != 0)
        facts->basis = RC_COST_UNPRICED;
    else if ((flags & RC_RECORD_ESTIMATED) != 0)
        facts->basis = RC_COST_ESTIMATED;
    else if ((flags & RC_RECORD_MEASURED) != 0)
        facts->basis = RC_COST_MEASURED;
}

void rc_exchange_fill_masked(const rc_exchange *exchange, rc_buf *text, rc_reply_facts *facts)
{
    for (uint32_t i = 0; exchange->switches > 0 && i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (step->kind != RC_RECORD_ATTEMPT || step->reason != RC_WHY_MASKED_NEXT_TARGET ||
            step->report == NULL)
            continue;
        rc_buf_push(text, rc_buf_get(text).len > 0 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push(text, rc_str_c(rc_code_name(rc_report_code(step->report))));
        rc_buf_push(text, RC_STR(" at "));
        rc_target_text_push(text, rc_exchange_provider_of(exchange, step->entry)->config->name,
                            rc_exchange_model_of(exchange, step->entry));
    }
    facts->masked = rc_buf_get(text);
}

/* current: the latest attempt if it is not a step yet; NULL if it is a step already. */
void rc_exchange_fill_times(const rc_exchange *exchange, const rc_attempt *current,
                            rc_reply_facts *facts)
{
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    facts->has_total_ms = true;
    facts->total_ms = now_ms - exchange->began_ms;
    facts->has_target_ms = current != NULL;
    if (current != NULL)
        facts->target_ms = now_ms - current->started_ms;
    for (uint32_t i = exchange->step_count; current == NULL && i > 0; i--) {
        if (exchange->steps[i - 1].kind != RC_RECORD_ATTEMPT)
            continue;
        facts->has_target_ms = true;
        facts->target_ms = (uint64_t)exchange->steps[i - 1].latency_ms;
        return;
    }
}

static void settle(rc_attempt *attempt, const rc_ledger_step *step)
{
    rc_budgets *budgets = &attempt->exchange->runtime->hub->budgets;
    if (attempt->reservation == NULL || attempt->reservation->count == 0)
        return;
    rc_ledger_notices facts = {.count = 0};
    if ((step->flags & RC_RECORD_UNPRICED) != 0)
        rc_budgets_note_unpriced(budgets, attempt->reservation);
    (void)rc_budgets_settle(budgets, attempt->reservation, step->cost_usd_micro, &facts);
    rc_exchange_emit_budgets(attempt->exchange, &facts);
}

/* Adds the usage of an attempt without a step to the latest step of kind ATTEMPT, because the
 * budgets are charged with this usage, too. */
static void add_to_last(rc_exchange *exchange, const rc_ledger_step *more)
{
    uint32_t at = exchange->step_count;
    while (at > 0 && exchange->steps[at - 1].kind != RC_RECORD_ATTEMPT)
        at--;
    if (at == 0)
        return;
    rc_ledger_step *last = &exchange->steps[at - 1];
    last->charge.input += more->charge.input;
    last->charge.output += more->charge.output;
    last->charge.is_measured = last->charge.is_measured || more->charge.is_measured;
    last->charge.is_estimated = last->charge.is_estimated || more->charge.is_estimated;
    last->cost_usd_micro += more->cost_usd_micro;
    last->flags |= more->flags & (RC_RECORD_MEASURED | RC_RECORD_ESTIMATED | RC_RECORD_UNPRICED);
}

/* Moves the step of an attempt before the quota warnings that its response head caused. */
static void put_before_quotas(rc_exchange *exchange)
{
    uint32_t at = exchange->step_count - 1;
    if (at == 0 || exchange->steps[at - 1].kind != RC_RECORD_QUOTA)
        return;
    const rc_ledger_step last = exchange->steps[at];
    for (; at > 0 && exchange->steps[at - 1].kind == RC_RECORD_QUOTA &&
           exchange->steps[at - 1].attempt == last.attempt;
         at--)
        exchange->steps[at] = exchange->steps[at - 1];
    exchange->steps[at] = last;
}

/* Records the result for the health of the target. A cancelled attempt is not recorded, because its
 * end does not depend on the target. */
static void note_health(const rc_attempt *attempt, const rc_report *report, bool is_done)
{
    const rc_exchange *exchange = attempt->exchange;
    const rc_code code = report != NULL ? rc_report_code(report) : RC_CODE_NONE;
    const bool is_open = rc_str_eq(exchange->route->entries[attempt->entry].model, RC_STR("*"));
    if (report != NULL || is_done)
        rc_hub_note_health(exchange->runtime->hub, exchange->plan.entries[attempt->entry].target,
                           rc_health_verdict_of(code, is_open), code,
                           rc_runtime_unix_ms(exchange->runtime));
}

void rc_exchange_add_attempt(rc_attempt *attempt, const rc_report *report, bool is_done)
{
    note_health(attempt, report, is_done);
    if (attempt->is_scanned)
        rc_usage_scan_end(&attempt->reading.scan, &attempt->response.usage);
    rc_ledger_step *step = rc_exchange_add_step(attempt->exchange, RC_RECORD_ATTEMPT);
    if (step == NULL) {
        rc_ledger_step more = {.report = report};
        set_cost(attempt, report, is_done, &more);
        describe(attempt, &more);
        count_attempt(attempt, &more);
        settle(attempt, &more);
        add_to_last(attempt->exchange, &more);
        return;
    }
    step->report = report != NULL ? rc_report_dup(report) : NULL;
    rc_exchange_set_step_text(attempt->exchange, step, rc_attempt_translation_text(attempt));
    set_cost(attempt, report, is_done, step);
    describe(attempt, step);
    count_attempt(attempt, step);
    settle(attempt, step);
    put_before_quotas(attempt->exchange);
}

/* ---- quota warnings ---- */

void rc_exchange_add_quota(const rc_attempt *attempt, const rc_quota *low)
{
    rc_exchange *exchange = attempt->exchange;
    const rc_alloc *alloc = &exchange->runtime->alloc;
    rc_exchange_quota *quota = alloc->get(alloc->ctx, sizeof *quota);
    rc_ledger_step *step = quota != NULL ? rc_exchange_add_step(exchange, RC_RECORD_QUOTA) : NULL;
    if (step == NULL) {
        if (quota != NULL)
            alloc->put(alloc->ctx, quota, sizeof *quota);
        return;
    }
    const rc_str name = rc_str_slice(low->name, 0, sizeof quota->name);
    *quota = (rc_exchange_quota){.quota = *low};
    if (name.len > 0)
        memcpy(quota->name, name.ptr, name.len);
    quota->quota.name = rc_str_make(quota->name, name.len);
    step->entry = attempt->entry;
    step->credential = attempt->credential;
    step->attempt = attempt->number;
    step->quota = quota;
}

/* ---- decisions ---- */

/* Stores the reason of the next action in the step of the latest failed attempt. That step may be
 * followed by the step of a cancelled lane. */
static void set_reason(rc_exchange *exchange, const rc_action *action)
{
    for (uint32_t i = exchange->step_count; i > 0; i--) {
        rc_ledger_step *step = &exchange->steps[i - 1];
        if (step->kind != RC_RECORD_ATTEMPT || step->report == NULL)
            continue;
        if (step->reason == RC_WHY_NONE) {
            step->reason = action->reason;
            step->wait_ms = action->kind == RC_DO_WAIT ? action->wait_ms : 0;
        }
        return;
    }
}

static void add_skips(rc_exchange *exchange)
{
    const rc_skips *skips = &exchange->runtime->skips;
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    for (uint32_t i = 0; i < skips->count && i < RC_SKIPS_MAX; i++) {
        rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_SKIP);
        const rc_skip *skip = &skips->list[i];
        if (step == NULL)
            return;
        step->entry = skip->entry;
        step->credential = RC_NO_TARGET;
        step->reason = skip->reason;
        if (skip->until_ms != RC_UNLIMITED && skip->until_ms > now_ms)
            step->wait_ms = skip->until_ms - now_ms;
        rc_exchange_note_unavailable(exchange, step);
    }
}

void rc_exchange_add_skip(rc_exchange *exchange, uint16_t entry, rc_reason why)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_SKIP);
    if (step == NULL)
        return;
    step->entry = entry;
    step->credential = RC_NO_TARGET;
    step->reason = why;
}

static void add(rc_exchange *exchange, rc_record_kind kind, const rc_action *action)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, kind);
    if (step == NULL)
        return;
    step->reason = action->reason;
    step->wait_ms = action->wait_ms;
}

/* Maximum number of targets that the text of a wait names. */
#define WAIT_TARGETS_NAMED 3u

/* Sets the targets as the text of the step of a wait in the queue, such as "a/m or b/m". */
static void name_awaited(rc_exchange *exchange, rc_ledger_step *step)
{
    char scratch[1024];
    rc_buf text;
    uint32_t count = 0;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    for (uint16_t i = 0; i < exchange->plan.entry_count && count <= WAIT_TARGETS_NAMED; i++) {
        if ((exchange->machine.call.needs & ~exchange->plan.entries[i].capabilities) != 0)
            continue;
        rc_buf_push(&text, count > 0 ? RC_STR(" or ") : RC_STR(""));
        if (count++ == WAIT_TARGETS_NAMED) {
            rc_buf_push(&text, RC_STR("others"));
            break;
        }
        rc_buf_push(&text, rc_exchange_provider_of(exchange, i)->config->name);
        rc_buf_push_byte(&text, '/');
        rc_buf_push(&text, rc_exchange_model_of(exchange, i));
    }
    if (rc_buf_status(&text) == RC_OK)
        rc_exchange_set_step_text(exchange, step, rc_buf_get(&text));
}

static void add_wait(rc_exchange *exchange, const rc_action *action)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_WAIT);
    if (step == NULL)
        return;
    step->reason = action->reason;
    step->wait_ms = action->wait_ms;
    if (action->is_queued)
        name_awaited(exchange, step);
}

/* Records a fatal failure after which fallback_on of the route uses the next target. */
static void note_masked(rc_exchange *exchange, const rc_action *action)
{
    const rc_code code = rc_report_code(exchange->report);
    if (action->kind != RC_DO_TRY || action->reason != RC_WHY_MASKED_NEXT_TARGET)
        return;
    rc_metrics_on_masked(exchange->runtime->metrics,
                         exchange->route->entries[action->from_entry].metric, code);
    rc_hub_note_masked(exchange->runtime->hub, exchange->plan.entries[action->from_entry].target,
                       code, rc_runtime_unix_ms(exchange->runtime));
}

static void count_action(const rc_exchange *exchange, const rc_action *action)
{
    rc_metrics_shard *metrics = exchange->runtime->metrics;
    if (action->kind != RC_DO_TRY || action->attempt <= 1)
        return;
    const uint16_t to = exchange->route->entries[action->entry].metric;
    const uint16_t from = exchange->route->entries[action->from_entry].metric;
    rc_metrics_on_retry(metrics, to,
                        action->reason == RC_WHY_WOKE ? exchange->last_wait_ms * 1000 : 0);
    if (action->entry != action->from_entry)
        rc_metrics_on_fallback(metrics, from, to);
    else if (action->credential != action->from_credential)
        rc_metrics_on_credential_switch(metrics, to);
}

void rc_exchange_add_action(rc_exchange *exchange, const rc_action *action)
{
    set_reason(exchange, action);
    add_skips(exchange);
    const bool is_switch =
        action->entry != action->from_entry || action->credential != action->from_credential;
    count_action(exchange, action);
    note_masked(exchange, action);
    if (action->kind == RC_DO_WAIT) {
        add_wait(exchange, action);
        exchange->wait_ms += action->wait_ms;
        exchange->last_wait_ms = action->wait_ms;
        exchange->is_last_wait_queued = action->is_queued;
    } else if (action->kind == RC_DO_TRY && action->attempt > 1 && is_switch) {
        add(exchange, RC_RECORD_SWITCH, action);
        exchange->switches++;
    } else if (action->kind == RC_DO_STOP || action->kind == RC_DO_COMPACT) {
        add(exchange, RC_RECORD_STOP, action);
    }
    rc_exchange_emit_action(exchange, action);
}

void rc_exchange_add_flaw(rc_exchange *exchange, const rc_report *flaw)
{
    rc_action action = exchange->machine.action;
    action.reason = rc_exchange_flaw_reason(exchange);
    set_reason(exchange, &action);
    add(exchange, RC_RECORD_STOP, &action);
    rc_report_free(exchange->report);
    exchange->report = rc_report_dup(flaw);
    exchange->is_flawed = true;
}

rc_reason rc_exchange_flaw_reason(const rc_exchange *exchange)
{
    return exchange->machine.is_committed ? RC_WHY_COMMITTED : RC_WHY_NOT_RETRYABLE;
}

void rc_exchange_cut_wait(rc_exchange *exchange)
{
    const uint64_t waited_ms = rc_runtime_now(exchange->runtime) - exchange->machine.waits_from_ms;
    if (waited_ms >= exchange->last_wait_ms && !exchange->is_last_wait_queued)
        return;
    exchange->wait_ms = exchange->wait_ms - exchange->last_wait_ms + waited_ms;
    exchange->last_wait_ms = waited_ms;
    for (uint32_t i = exchange->step_count; i > 0; i--) {
        if (exchange->steps[i - 1].kind != RC_RECORD_WAIT)
            continue;
        exchange->steps[i - 1].wait_ms = waited_ms;
        return;
    }
}

/* Adds a wait for a budget. The step has no attempt number and no key, because nothing was sent
 * yet. */
void rc_exchange_add_pause(rc_exchange *exchange, const rc_ledger_decision *decision)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_WAIT);
    if (step == NULL)
        return;
    step->attempt = exchange->machine.action.attempt - 1;
    step->credential = RC_NO_TARGET;
    step->reason = decision->reason;
    step->is_paused = true;
    step->budget = decision->budget;
}

void rc_exchange_end_pause(rc_exchange *exchange)
{
    const uint64_t waited_ms = rc_runtime_now(exchange->runtime) - exchange->machine.waits_from_ms;
    rc_ledger_step *last =
        exchange->step_count > 0 ? &exchange->steps[exchange->step_count - 1] : NULL;
    exchange->wait_ms += waited_ms;
    if (last != NULL && last->is_paused)
        last->wait_ms = waited_ms;
}

/* ---- names ---- */

const rc_snapshot_provider *rc_exchange_provider_of(const rc_exchange *exchange, uint16_t entry)
{
    return exchange->route->entries[entry].provider;
}

rc_str rc_exchange_model_of(const rc_exchange *exchange, uint16_t entry)
{
    const rc_str model = exchange->route->entries[entry].model;
    return rc_str_eq(model, RC_STR("*")) ? exchange->model : model;
}
