/* The audit record of an exchange: made from its steps, stored before the response ends. Called by
 * exchange.c; libuv calls rc_exchange_on_acknowledgements, which loop.c registers. */
#include "gateway/exchange/exchange_audit.h"
#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "store/submission.h"
#include "store/writer.h"

/* Maximum size of the names that the records view, such as "client app". */
#define NAMES_MAX_BYTES 8192
#define STATES_MAX 8

/* The memory that a batch of records views (points into). */
typedef struct audit {
    rc_exchange *exchange;
    rc_id id;
    rc_record *records;
    size_t count;
    uint32_t first_seq;
    rc_buf names;
    rc_saved_state states[STATES_MAX];
    char state_names[STATES_MAX][RC_HUB_SAVED_NAME_MAX];
    size_t state_count;
    char names_scratch[NAMES_MAX_BYTES];
} audit;

/* ---- names ---- */

/* Returns the text that was appended to `names` at position `from`. Empty if the text did not
 * fit. */
static rc_str pushed_since(const rc_buf *names, size_t from)
{
    const rc_str all = rc_buf_get(names);
    return rc_buf_status(names) == RC_OK ? rc_str_slice(all, from, all.len) : rc_str_make(NULL, 0);
}

static rc_str target_name(audit *a, uint16_t entry)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_buf_push(&a->names, rc_exchange_provider_of(a->exchange, entry)->config->name);
    rc_buf_push_byte(&a->names, '/');
    rc_buf_push(&a->names, rc_exchange_model_of(a->exchange, entry));
    return pushed_since(&a->names, from);
}

static rc_str credential_name(audit *a, uint16_t credential)
{
    const size_t from = rc_buf_get(&a->names).len;
    if (credential == RC_NO_TARGET ||
        !rc_hub_credential_name(a->exchange->runtime->hub, credential, &a->names))
        return rc_str_make(NULL, 0);
    return pushed_since(&a->names, from);
}

/* Returns the name of the budget that an attempt waits for, such as "client app". */
static rc_str budget_name(audit *a, uint32_t row)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_budgets_push_scope(&a->exchange->snapshot->budgets, row, &a->names);
    return pushed_since(&a->names, from);
}

static rc_str quota_words(audit *a, const rc_quota *quota)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_quota_push_state(quota, &a->names);
    return pushed_since(&a->names, from);
}

static rc_str client_name(const rc_exchange *exchange)
{
    if (exchange->client == SIZE_MAX)
        return rc_str_make(NULL, 0);
    return exchange->snapshot->config->clients[exchange->client].name;
}

static rc_str path_of(const rc_exchange *exchange)
{
    const rc_str target = rc_http1_target(exchange->request.reader, exchange->request.head);
    return rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
}

/* ---- records ---- */

/* Begins a batch. Only the members that are used are initialised, because the struct is large.
 * records: borrows until the batch is submitted. */
static void begin(audit *a, rc_exchange *exchange, rc_record *records, uint32_t first_seq)
{
    a->exchange = exchange;
    /* Operations in the store have the same ids as reports, with the same prefix. */
    a->id = exchange->id;
    memcpy(a->id.text, "rep", 3);
    a->records = records;
    a->count = 0;
    a->first_seq = first_seq;
    a->state_count = 0;
    rc_buf_init_fixed(&a->names, a->names_scratch, sizeof a->names_scratch);
}

static rc_record *add(audit *a, rc_record_kind kind, int64_t unix_ms)
{
    rc_record *record = &a->records[a->count];
    rc_record_init(record, kind);
    record->operation_id = rc_str_make(a->id.text, RC_ID_LEN);
    record->seq = a->first_seq + (uint32_t)a->count++;
    record->unix_ms = unix_ms;
    return record;
}

static void add_begin(audit *a)
{
    const rc_exchange *exchange = a->exchange;
    rc_record *record = add(a, RC_RECORD_BEGIN, exchange->began_unix_ms);
    record->client = client_name(exchange);
    record->route = exchange->route != NULL ? exchange->route->name : rc_str_make(NULL, 0);
    record->model = exchange->request.model;
    record->flags = exchange->request.is_stream ? RC_RECORD_STREAMING : 0;
    record->text = path_of(exchange);
}

static void add_step(audit *a, const rc_ledger_step *step)
{
    const rc_exchange *exchange = a->exchange;
    rc_record *record = add(a, step->kind, step->at_unix_ms);
    record->attempt = step->attempt;
    record->reason = step->reason;
    record->wait_ms = step->wait_ms;
    record->status = step->status;
    record->latency_ms = step->latency_ms;
    record->first_byte_ms = step->first_byte_ms;
    record->bytes = step->bytes;
    record->flags = step->flags;
    record->tokens_in = step->charge.input;
    record->tokens_out = step->charge.output;
    record->cost_usd_micro = step->cost_usd_micro;
    record->report = step->report;
    record->text = step->text;
    if (step->kind == RC_RECORD_CANCEL && exchange->gone_text != NULL)
        record->text = rc_str_c(exchange->gone_text);
    if (step->is_paused)
        record->text = budget_name(a, step->budget);
    if (step->quota != NULL)
        record->text = quota_words(a, &step->quota->quota);
    if (exchange->route == NULL || step->entry >= exchange->plan.entry_count)
        return;
    record->provider = rc_exchange_provider_of(exchange, step->entry)->config->name;
    record->model = rc_exchange_model_of(exchange, step->entry);
    record->target = target_name(a, step->entry);
    record->credential = credential_name(a, step->credential);
}

static rc_outcome outcome_of(const rc_exchange *exchange)
{
    if (exchange->gone_text != NULL)
        return RC_OUTCOME_CANCELLED;
    const bool is_whole =
        exchange->machine.ending == RC_ENDING_WHOLE || exchange->machine.ending == RC_ENDING_TAIL;
    return is_whole && !exchange->is_flawed && !exchange->is_unrecorded ? RC_OUTCOME_SUCCEEDED
                                                                        : RC_OUTCOME_FAILED;
}

static int final_status(const rc_exchange *exchange)
{
    const bool is_error = exchange->machine.ending == RC_ENDING_ERROR ||
                          (exchange->is_unrecorded && exchange->machine.ending == RC_ENDING_WHOLE);
    return is_error && !rc_exchange_has_event_head(exchange)
               ? rc_report_http_status(exchange->report)
               : exchange->status;
}

/* Returns the flags of the whole call, which are collected from its attempts. */
static uint32_t flags_of(const rc_exchange *exchange)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < exchange->step_count; i++)
        flags |= exchange->steps[i].flags;
    flags &= RC_RECORD_COMMITTED | RC_RECORD_MEASURED | RC_RECORD_ESTIMATED | RC_RECORD_UNPRICED;
    return exchange->request.is_stream ? flags | RC_RECORD_STREAMING : flags;
}

static void add_outcome(audit *a)
{
    const rc_exchange *exchange = a->exchange;
    const int64_t now_ms = rc_runtime_unix_ms(exchange->runtime);
    const rc_outcome outcome = outcome_of(exchange);
    rc_record *record = add(a, RC_RECORD_OUTCOME, now_ms);
    record->outcome = outcome;
    record->client = client_name(exchange);
    record->route = exchange->route != NULL ? exchange->route->name : rc_str_make(NULL, 0);
    record->model = exchange->request.model;
    record->text = path_of(exchange);
    record->attempt = exchange->machine.action.attempt;
    record->status = final_status(exchange);
    record->latency_ms = (int64_t)(rc_runtime_now(exchange->runtime) - exchange->began_ms);
    record->first_byte_ms = exchange->first_byte_ms;
    record->wait_ms = exchange->wait_ms;
    record->reason =
        exchange->is_flawed ? rc_exchange_flaw_reason(exchange) : exchange->machine.action.reason;
    record->report = outcome == RC_OUTCOME_FAILED ? exchange->report : NULL;
    record->flags = flags_of(exchange);
    if (exchange->request.client_retry > 0)
        record->flags |= RC_RECORD_CLIENT_RETRY;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        record->tokens_in += step->charge.input;
        record->tokens_out += step->charge.output;
        record->cost_usd_micro += step->cost_usd_micro;
    }
    if (rc_exchange_current(exchange) == NULL || exchange->machine.action.attempt == 0)
        return;
    record->provider = rc_exchange_current(exchange)->provider->config->name;
    record->target = target_name(a, rc_exchange_current(exchange)->entry);
    record->credential = credential_name(a, rc_exchange_current(exchange)->credential);
    record->bytes = rc_exchange_current(exchange)->bytes;
}

/* Adds a record which states that the response was sent before its record was acknowledged. */
static void add_record_late(audit *a, const rc_report *why)
{
    rc_record *record = add(a, RC_RECORD_SUPPRESSED, rc_runtime_unix_ms(a->exchange->runtime));
    record->report = why;
    record->text = RC_STR("the response was sent before this record was stored");
}

/* Adds the states of the credentials that this exchange found exhausted, rejected or working again.
 * The store restores these states after a restart. */
static void add_states(audit *a)
{
    const rc_exchange *exchange = a->exchange;
    rc_runtime *runtime = exchange->runtime;
    const uint64_t now_ms = rc_runtime_now(runtime);
    const int64_t now_unix_ms = rc_runtime_unix_ms(runtime);
    for (uint32_t i = 0; i < exchange->step_count && a->state_count < STATES_MAX; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        char *name = a->state_names[a->state_count];
        if (step->credential == RC_NO_TARGET)
            continue;
        if (step->report == NULL) {
            if (rc_hub_unsave_credential(runtime->hub, step->credential, now_ms, name,
                                         &a->states[a->state_count]))
                a->state_count++;
            continue;
        }
        if (rc_outcome_is_lasting(rc_report_code(step->report)) &&
            rc_hub_save_credential(runtime->hub, exchange->plan.entries[step->entry].target,
                                   step->credential, now_ms, now_unix_ms, name,
                                   &a->states[a->state_count]))
            a->state_count++;
    }
}

/* ---- the store ---- */

/* Called on the writer's thread when the store has acknowledged a batch. */
static void on_acknowledged(void *ctx, rc_ack kept, const rc_report *why)
{
    rc_exchange *exchange = ctx;
    rc_runtime *runtime = exchange->runtime;
    exchange->refused_why = kept == RC_ACK_REFUSED ? rc_report_dup(why) : NULL;
    uv_mutex_lock(&runtime->acknowledged_lock);
    exchange->is_acknowledged = true;
    const bool is_first = runtime->acknowledged == NULL;
    exchange->next = runtime->acknowledged;
    runtime->acknowledged = exchange;
    if (is_first)
        (void)uv_async_send(&runtime->acknowledged_async);
    uv_mutex_unlock(&runtime->acknowledged_lock);
}

/* Makes StoreUnavailable the result, because the configuration forbids responses without a record.
 * why: takes ownership; NULL if the store has not refused the record. */
static rc_store_verdict refuse(rc_exchange *exchange, const rc_report *why)
{
    if (why == NULL)
        return RC_STORE_DONE;
    rc_exchange_report_unrecorded(exchange, why);
    exchange->is_unrecorded = true;
    if (exchange->machine.ending == RC_ENDING_TAIL ||
        exchange->machine.ending == RC_ENDING_ERROR_EVENT)
        exchange->was_partly_sent = true;
    return RC_STORE_REFUSED;
}

static void report_stored(rc_exchange *exchange, rc_store_verdict verdict)
{
    rc_exchange_feed(exchange,
                     &(rc_exchange_input){.kind = RC_INPUT_STORED, .verdict = (uint8_t)verdict});
}

static void take_acknowledgement(rc_exchange *exchange)
{
    const rc_report *why = exchange->refused_why;
    exchange->refused_why = NULL;
    exchange->is_store_pending = false;
    if (exchange->is_reply_early) {
        rc_report_free(why);
        rc_exchange_on_acknowledged(exchange);
        return;
    }
    report_stored(exchange, refuse(exchange, why));
}

void rc_exchange_on_acknowledgements(uv_async_t *async)
{
    rc_runtime *runtime = async->data;
    uv_mutex_lock(&runtime->acknowledged_lock);
    rc_exchange *list = runtime->acknowledged;
    runtime->acknowledged = NULL;
    uv_mutex_unlock(&runtime->acknowledged_lock);
    while (list != NULL) {
        rc_exchange *exchange = list;
        list = exchange->next;
        take_acknowledgement(exchange);
    }
}

/* Returns whether the client gets its error before the record is stored. The result is true for
 * requests that are refused because the gateway is full; such requests would pile up if they waited
 * for a slow disk. */
static bool is_shed_early(const rc_exchange *exchange)
{
    return exchange->is_shed && exchange->machine.ending == RC_ENDING_ERROR &&
           exchange->machine.action.attempt == 0;
}

/* Returns the report of an outcome without allocating memory. */
static const rc_report *report_outcome(rc_local_outcome outcome)
{
    return rc_report_dup(rc_report_static(rc_local_outcome_get(outcome)->code));
}

/* Submits the batch to the store. Returns true if the exchange must wait for the acknowledgement;
 * false if *ret_verdict is already the result. */
static bool submit(rc_exchange *exchange, const rc_batch *batch, rc_store_verdict *ret_verdict)
{
    rc_writer *writer = exchange->runtime->hub->writer;
    const bool waits = exchange->machine.ending != RC_ENDING_NONE && !is_shed_early(exchange);
    exchange->is_store_pending = waits;
    switch (rc_writer_submit(writer, batch, waits ? on_acknowledged : NULL, exchange)) {
    case RC_SUBMIT_WAIT:
        return waits;
    case RC_SUBMIT_CONTINUE:
        break;
    case RC_SUBMIT_REFUSED:
        *ret_verdict = refuse(exchange, rc_writer_why(writer));
        break;
    case RC_SUBMIT_INVALID:
        *ret_verdict = refuse(exchange, report_outcome(RC_LOCAL_RECORD_INVALID));
        break;
    }
    exchange->is_store_pending = false;
    return false;
}

/* Returns whether the request gets a record. Requests of unknown clients and of unknown paths get
 * none, because anybody could fill the store with them. */
static bool should_record(const rc_exchange *exchange)
{
    const bool is_unknown_client =
        exchange->snapshot->config->client_count > 0 && exchange->client == SIZE_MAX;
    return exchange->runtime->hub->writer != NULL && exchange->request.endpoint != NULL &&
           !is_unknown_client;
}

/* Builds the record and submits it. Returns the result of submit(). */
static bool submit_record(rc_exchange *exchange, rc_store_verdict *ret_verdict)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    const size_t size = (exchange->step_count + 2) * sizeof(rc_record);
    rc_record *records = alloc->get(alloc->ctx, size);
    audit a;
    if (records == NULL) {
        *ret_verdict = refuse(exchange, report_outcome(RC_LOCAL_NO_MEMORY_FOR_RECORD));
        return false;
    }
    begin(&a, exchange, records, 0);
    add_begin(&a);
    for (uint32_t i = 0; i < exchange->step_count; i++)
        add_step(&a, &exchange->steps[i]);
    add_outcome(&a);
    add_states(&a);
    const rc_batch batch = {.records = a.records,
                            .record_count = a.count,
                            .states = a.states,
                            .state_count = a.state_count};
    const bool is_store_pending = submit(exchange, &batch, ret_verdict);
    alloc->put(alloc->ctx, records, size);
    return is_store_pending;
}

void rc_exchange_record(rc_exchange *exchange)
{
    rc_store_verdict verdict = RC_STORE_DONE;
    if (!should_record(exchange) || !submit_record(exchange, &verdict))
        report_stored(exchange, verdict);
}

/* ---- late acknowledgements ---- */

static bool is_acknowledged(rc_exchange *exchange)
{
    uv_mutex_lock(&exchange->runtime->acknowledged_lock);
    const bool is_acknowledged = exchange->is_acknowledged;
    uv_mutex_unlock(&exchange->runtime->acknowledged_lock);
    return is_acknowledged;
}

static const rc_report *report_record_late(rc_exchange *exchange, uint64_t due_ms)
{
    rc_builder builder;
    const bool is_time = rc_runtime_now(exchange->runtime) >= due_ms;
    rc_exchange_begin_outcome(exchange, &builder,
                              is_time ? RC_LOCAL_RECORD_LATE : RC_LOCAL_RECORD_CUT, RC_STR(""));
    return rc_builder_finish(&builder);
}

/* Submits one more record of the operation. ignored: the failure of the store that the gateway
 * ignores; NULL if the record has the changed outcome. Returns false if memory runs out. */
static bool amend(rc_exchange *exchange, const rc_report *ignored)
{
    rc_record record;
    audit a;
    begin(&a, exchange, &record, exchange->step_count + 2);
    if (ignored != NULL)
        add_record_late(&a, ignored);
    else
        add_outcome(&a);
    const rc_batch batch = {.records = &record, .record_count = 1};
    return rc_writer_amend(exchange->runtime->hub->writer, &batch);
}

/* Applies the setting audit.on_failure when the wait for the acknowledgement is over. The record
 * stays in the writer's queue, and a record with the changed outcome follows it. If there is no
 * memory for that record, the connection is cut. */
void rc_exchange_on_record_late(rc_exchange *exchange, uint64_t due_ms)
{
    rc_writer *writer = exchange->runtime->hub->writer;
    rc_store_verdict verdict = RC_STORE_DONE;
    if (is_acknowledged(exchange))
        return;
    exchange->is_reply_early = true;
    if (exchange->machine.ending != RC_ENDING_ABORT) {
        const rc_report *why = report_record_late(exchange, due_ms);
        if (rc_writer_continues_on_failure(writer)) {
            rc_writer_emit_unsafe(writer, why);
            (void)amend(exchange, why);
            rc_report_free(why);
        } else {
            verdict = refuse(exchange, why);
            if (!amend(exchange, NULL))
                verdict = RC_STORE_CUT;
        }
    }
    report_stored(exchange, verdict);
}

/* ---- metrics and on_record ---- */

static uint32_t counted_outcome(const rc_exchange *exchange)
{
    const rc_outcome outcome = outcome_of(exchange);
    if (outcome == RC_OUTCOME_SUCCEEDED)
        return RC_METRIC_OUTCOME_SUCCEEDED;
    if (outcome == RC_OUTCOME_CANCELLED)
        return RC_METRIC_OUTCOME_CANCELLED;
    if (exchange->machine.action.attempt == 0)
        return RC_METRIC_OUTCOME_REFUSED;
    return exchange->was_partly_sent ? RC_METRIC_OUTCOME_INTERRUPTED : RC_METRIC_OUTCOME_FAILED;
}

static void count_request(const rc_exchange *exchange)
{
    const rc_runtime *runtime = exchange->runtime;
    const rc_metrics_request request = {
        .route = exchange->route != NULL ? exchange->route->metric : RC_METRICS_OTHER,
        .client = exchange->client != SIZE_MAX
                      ? exchange->snapshot->client_metrics[exchange->client]
                      : RC_METRICS_OTHER,
        .outcome = counted_outcome(exchange),
        .code = outcome_of(exchange) == RC_OUTCOME_FAILED ? rc_report_code(exchange->report)
                                                          : RC_CODE_NONE,
        .duration_us = (uv_hrtime() - exchange->began_ns) / 1000,
    };
    rc_metrics_on_request(runtime->metrics, &request);
    rc_runtime_publish_stats(runtime);
}

/* Adds up the usage of all attempts, because failed attempts may also have a cost. */
static void add_usage(const rc_exchange *exchange, rc_exchange_summary *summary)
{
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (!step->charge.is_measured && !step->charge.is_estimated)
            continue;
        summary->tokens_in =
            (summary->tokens_in > 0 ? summary->tokens_in : 0) + (int64_t)step->charge.input;
        summary->tokens_out =
            (summary->tokens_out > 0 ? summary->tokens_out : 0) + (int64_t)step->charge.output;
        summary->cost_usd_micro = (summary->cost_usd_micro > 0 ? summary->cost_usd_micro : 0) +
                                  (int64_t)step->cost_usd_micro;
        summary->is_estimated = summary->is_estimated || step->charge.is_estimated;
    }
}

void rc_exchange_count(rc_exchange *exchange)
{
    const rc_exchange_observer *observer = &exchange->runtime->observer;
    if (exchange->is_counted)
        return;
    exchange->is_counted = true;
    count_request(exchange);
    if (observer->on_record == NULL ||
        (observer->wants_record != NULL && !observer->wants_record(observer->ctx)))
        return;
    const rc_outcome outcome = outcome_of(exchange);
    rc_exchange_summary summary = {
        .method = rc_http1_method(exchange->request.reader),
        .path = path_of(exchange),
        .request_id = rc_str_c(exchange->id.text),
        .mark = exchange->request.mark,
        .client = client_name(exchange),
        .route = exchange->route != NULL ? exchange->route->name : rc_str_make(NULL, 0),
        .model = exchange->request.model,
        .outcome = outcome,
        .attempts = exchange->machine.action.attempt,
        .switches = exchange->switches,
        .wait_ms = exchange->wait_ms,
        .latency_ms = rc_runtime_now(exchange->runtime) - exchange->began_ms,
        .first_byte_ms = exchange->first_byte_ms,
        .status = final_status(exchange),
        .tokens_in = -1,
        .tokens_out = -1,
        .cost_usd_micro = -1,
        .is_stream = exchange->request.is_stream,
        .was_partly_sent = exchange->was_partly_sent,
        .is_committed = (flags_of(exchange) & RC_RECORD_COMMITTED) != 0,
        /* Only the steps have the earlier failures of a request that succeeded. */
        .report = outcome == RC_OUTCOME_FAILED ? exchange->report : NULL,
    };
    add_usage(exchange, &summary);
    summary.client_retry = exchange->request.client_retry;
    if (exchange->request.trace.is_valid)
        summary.trace_id =
            rc_str_make(exchange->request.trace.trace_id, sizeof exchange->request.trace.trace_id);
    if (rc_exchange_current(exchange) != NULL && exchange->machine.action.attempt > 0) {
        summary.provider = rc_exchange_current(exchange)->provider->config->name;
        summary.target = rc_exchange_current(exchange)->model;
        summary.bytes = rc_exchange_current(exchange)->bytes;
        summary.translated = rc_attempt_translation_text(rc_exchange_current(exchange));
    }
    observer->on_record(observer->ctx, &summary);
}
