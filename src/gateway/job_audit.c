/* The record of a job: made of its steps, kept by the store before the answer ends. */
#include "base/str.h"
#include "gateway/job.h"

/* Names that are put together for the records: a few bytes each. */
#define NAMES_MAX_BYTES 8192
#define MARKS_MAX 8

/* Everything that a batch views. */
typedef struct audit {
    rc_gate_job *job;
    rc_id id;
    rc_record *records;
    size_t count;
    uint32_t first_seq;
    rc_buf names;
    rc_store_mark marks[MARKS_MAX];
    char mark_names[MARKS_MAX][RC_WORLD_MARK_MAX];
    size_t mark_count;
    char names_room[NAMES_MAX_BYTES];
} audit;

/* ---- names ---- */

/* What was pushed since; empty when it did not fit. */
static rc_str since(const rc_buf *names, size_t from)
{
    const rc_str all = rc_buf_get(names);
    return rc_buf_status(names) == RC_OK ? rc_str_slice(all, from, all.len) : rc_str_make(NULL, 0);
}

static rc_str target_name(audit *a, uint16_t entry)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_buf_push(&a->names, rc_gate_job_provider_of(a->job, entry)->config->name);
    rc_buf_push_byte(&a->names, '/');
    rc_buf_push(&a->names, rc_gate_job_model_of(a->job, entry));
    return since(&a->names, from);
}

static rc_str credential_name(audit *a, uint16_t credential)
{
    const size_t from = rc_buf_get(&a->names).len;
    if (credential == RC_NO_TARGET ||
        !rc_gate_world_credential_name(a->job->gate->world, credential, &a->names))
        return rc_str_make(NULL, 0);
    return since(&a->names, from);
}

/* "client app": whose budget a wait was for. */
static rc_str budget_name(audit *a, uint32_t row)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_purse_scope(&rc_gate_job_plans(a->job)->money, row, &a->names);
    return since(&a->names, from);
}

static rc_str quota_words(audit *a, const rc_quota *quota)
{
    const size_t from = rc_buf_get(&a->names).len;
    rc_quota_push_state(quota, &a->names);
    return since(&a->names, from);
}

static rc_str client_name(const rc_gate_job *job)
{
    if (job->client == SIZE_MAX)
        return rc_str_make(NULL, 0);
    return rc_gate_job_plans(job)->config->clients[job->client].name;
}

static rc_str path_of(const rc_gate_job *job)
{
    const rc_str target = rc_http1_target(job->request.reader, job->request.head);
    return rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
}

/* ---- records ---- */

/* It is large: what is used of it is set. records: borrows. */
static void begin(audit *a, rc_gate_job *job, rc_record *records, uint32_t first_seq)
{
    a->job = job;
    /* The store knows an operation by its id as a report's is written. */
    a->id = job->id;
    memcpy(a->id.text, "rep", 3);
    a->records = records;
    a->count = 0;
    a->first_seq = first_seq;
    a->mark_count = 0;
    rc_buf_init_fixed(&a->names, a->names_room, sizeof a->names_room);
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
    const rc_gate_job *job = a->job;
    rc_record *record = add(a, RC_RECORD_BEGIN, job->began_unix_ms);
    record->client = client_name(job);
    record->route = job->route != NULL ? job->route->name : rc_str_make(NULL, 0);
    record->model = job->request.model;
    record->flags = job->request.is_stream ? RC_RECORD_STREAMING : 0;
    record->text = path_of(job);
}

static void add_step(audit *a, const rc_job_step *step)
{
    const rc_gate_job *job = a->job;
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
    if (step->kind == RC_RECORD_CANCEL && job->gone_text != NULL)
        record->text = rc_str_c(job->gone_text);
    if (step->is_paused)
        record->text = budget_name(a, step->budget);
    if (step->quota != NULL)
        record->text = quota_words(a, &step->quota->quota);
    if (job->route == NULL || step->entry >= job->plan.entry_count)
        return;
    record->provider = rc_gate_job_provider_of(job, step->entry)->config->name;
    record->model = rc_gate_job_model_of(job, step->entry);
    record->target = target_name(a, step->entry);
    record->credential = credential_name(a, step->credential);
}

static rc_outcome outcome_of(const rc_gate_job *job)
{
    if (job->gone_text != NULL)
        return RC_OUTCOME_CANCELLED;
    const bool is_whole = job->then == RC_THEN_WHOLE || job->then == RC_THEN_REST;
    return is_whole && !job->is_flawed ? RC_OUTCOME_SUCCEEDED : RC_OUTCOME_FAILED;
}

static int final_status(const rc_gate_job *job)
{
    return job->then == RC_THEN_ERROR && !rc_gate_job_is_told(job)
               ? rc_report_http_status(job->report)
               : job->status;
}

/* Of the whole call, by what its tries came to. */
static uint32_t flags_of(const rc_gate_job *job)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < job->step_count; i++)
        flags |= job->steps[i].flags;
    flags &= RC_RECORD_COMMITTED | RC_RECORD_MEASURED | RC_RECORD_ESTIMATED | RC_RECORD_UNPRICED;
    return job->request.is_stream ? flags | RC_RECORD_STREAMING : flags;
}

static void add_outcome(audit *a)
{
    const rc_gate_job *job = a->job;
    const int64_t now_ms = rc_gate_unix_ms(job->gate);
    const rc_outcome outcome = outcome_of(job);
    rc_record *record = add(a, RC_RECORD_OUTCOME, now_ms);
    record->outcome = outcome;
    record->client = client_name(job);
    record->route = job->route != NULL ? job->route->name : rc_str_make(NULL, 0);
    record->model = job->request.model;
    record->text = path_of(job);
    record->attempt = job->action.attempt;
    record->status = final_status(job);
    record->latency_ms = (int64_t)(rc_gate_now(job->gate) - job->began_ms);
    record->first_byte_ms = job->first_byte_ms;
    record->wait_ms = job->wait_ms;
    record->reason = job->action.reason;
    record->report = outcome == RC_OUTCOME_FAILED ? job->report : NULL;
    record->flags = flags_of(job);
    if (job->request.client_retry > 0)
        record->flags |= RC_RECORD_CLIENT_RETRY;
    for (uint32_t i = 0; i < job->step_count; i++) {
        const rc_job_step *step = &job->steps[i];
        record->tokens_in += step->charge.input;
        record->tokens_out += step->charge.output;
        record->cost_usd_micro += step->cost_usd_micro;
    }
    if (job->now == NULL || job->action.attempt == 0)
        return;
    record->provider = job->now->provider->config->name;
    record->target = target_name(a, job->now->entry);
    record->credential = credential_name(a, job->now->credential);
    record->bytes = job->now->bytes;
}

/* The answer leaves, and the record is not safe. */
static void add_unsafe(audit *a, const rc_report *why)
{
    rc_record *record = add(a, RC_RECORD_SUPPRESSED, rc_gate_unix_ms(a->job->gate));
    record->report = why;
    record->text = RC_STR("the answer left before this record was safe");
}

/* Credentials that this job has found used up, refused, or good after all. */
static void add_marks(audit *a)
{
    const rc_gate_job *job = a->job;
    rc_gate *gate = job->gate;
    const uint64_t now_ms = rc_gate_now(gate);
    const int64_t now_unix_ms = rc_gate_unix_ms(gate);
    for (uint32_t i = 0; i < job->step_count && a->mark_count < MARKS_MAX; i++) {
        const rc_job_step *step = &job->steps[i];
        char *name = a->mark_names[a->mark_count];
        if (step->credential == RC_NO_TARGET)
            continue;
        if (step->report == NULL) {
            if (rc_gate_world_unmark(gate->world, step->credential, now_ms, name,
                                     &a->marks[a->mark_count]))
                a->mark_count++;
            continue;
        }
        const rc_code code = rc_report_code(step->report);
        if ((code == RC_CODE_QUOTA_EXHAUSTED || code == RC_CODE_AUTH_FAILED) &&
            rc_gate_world_mark(gate->world, job->plan.entries[step->entry].target, step->credential,
                               now_ms, now_unix_ms, name, &a->marks[a->mark_count]))
            a->mark_count++;
    }
}

/* ---- the store ---- */

/* On the writer's thread. */
static void on_kept(void *ctx, rc_kept kept, const rc_report *why)
{
    rc_gate_job *job = ctx;
    rc_gate *gate = job->gate;
    job->kept_why = kept == RC_KEPT_REFUSED ? rc_report_dup(why) : NULL;
    uv_mutex_lock(&gate->kept_lock);
    job->has_word = true;
    const bool is_first = gate->kept == NULL;
    job->next = gate->kept;
    gate->kept = job;
    if (is_first)
        (void)uv_async_send(&gate->kept_async);
    uv_mutex_unlock(&gate->kept_lock);
}

/* The configuration says not to answer without a record: the client is told that. */
static void refuse(rc_gate_job *job, const rc_report *why)
{
    if (why == NULL)
        return;
    rc_gate_job_tell_unkept(job, why);
    switch (job->then) {
    case RC_THEN_WHOLE:
    case RC_THEN_ERROR:
        job->then = RC_THEN_ERROR;
        return;
    case RC_THEN_REST:
    case RC_THEN_FRAME:
        job->was_begun = true;
        job->then = job->now->mode == RC_MODE_STREAM ? RC_THEN_FRAME : RC_THEN_CUT;
        return;
    case RC_THEN_NOTHING:
    case RC_THEN_CUT:
        return;
    }
}

static void go_on(rc_gate_job *job)
{
    rc_gate_job_count(job);
    rc_gate_job_finish(job);
}

static void take_word(rc_gate_job *job)
{
    const rc_report *why = job->kept_why;
    job->kept_why = NULL;
    job->is_waiting = false;
    if (job->is_early) {
        rc_report_free(why);
        rc_gate_job_on_word(job);
        return;
    }
    refuse(job, why);
    go_on(job);
}

void rc_gate_on_kept(uv_async_t *async)
{
    rc_gate *gate = async->data;
    uv_mutex_lock(&gate->kept_lock);
    rc_gate_job *list = gate->kept;
    gate->kept = NULL;
    uv_mutex_unlock(&gate->kept_lock);
    while (list != NULL) {
        rc_gate_job *job = list;
        list = job->next;
        take_word(job);
    }
}

/* Nothing was done for it, for want of room here: it is told at once, and its record follows.
 * Behind a slow disk those who are turned away would else become a crowd of their own. Whatever is
 * decided about a request itself is on record first. */
static bool is_turned_away(const rc_gate_job *job)
{
    return job->is_shed && job->then == RC_THEN_ERROR && job->action.attempt == 0;
}

/* True: the store says when it goes on. */
static bool submit(rc_gate_job *job, const rc_batch *batch)
{
    rc_writer *writer = job->gate->world->writer;
    const bool waits = job->then != RC_THEN_NOTHING && !is_turned_away(job);
    job->is_waiting = waits;
    switch (rc_writer_submit(writer, batch, waits ? on_kept : NULL, job)) {
    case RC_SUBMITTED_WAIT:
        return waits;
    case RC_SUBMITTED_GO_ON:
        break;
    case RC_SUBMITTED_REFUSED:
        refuse(job, rc_writer_why(writer));
        break;
    case RC_SUBMITTED_INVALID:
        refuse(job, rc_report_dup(rc_report_static(RC_CODE_INVARIANT_BROKEN)));
        break;
    }
    job->is_waiting = false;
    return false;
}

/* Refusals of strangers, and of what is no endpoint, would let anybody fill the store. */
static bool is_worth_it(const rc_gate_job *job)
{
    const bool is_stranger =
        rc_gate_job_plans(job)->config->client_count > 0 && job->client == SIZE_MAX;
    return job->gate->world->writer != NULL && job->request.endpoint != NULL && !is_stranger;
}

static bool keep_record(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    const size_t room = (job->step_count + 2) * sizeof(rc_record);
    rc_record *records = alloc->get(alloc->ctx, room);
    audit a;
    if (records == NULL) {
        refuse(job, rc_report_dup(rc_report_static(RC_CODE_STORE_UNAVAILABLE)));
        return false;
    }
    begin(&a, job, records, 0);
    add_begin(&a);
    for (uint32_t i = 0; i < job->step_count; i++)
        add_step(&a, &job->steps[i]);
    add_outcome(&a);
    add_marks(&a);
    const rc_batch batch = {.records = a.records,
                            .record_count = a.count,
                            .marks = a.marks,
                            .mark_count = a.mark_count};
    const bool is_waiting = submit(job, &batch);
    alloc->put(alloc->ctx, records, room);
    return is_waiting;
}

/* Until when the store may take its time: a disk that hangs does not hold a finished answer for the
 * ten minutes that a model may take. */
static uint64_t keep_by(const rc_gate_job *job)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    const uint64_t deadline_ms =
        job->call.plan != NULL ? job->call.deadline_at_ms : rc_gate_job_deadline(job);
    const uint64_t least_ms = now_ms + RC_JOB_KEEP_MS;
    const uint64_t most_ms = now_ms + RC_JOB_KEEP_MOST_MS;
    if (deadline_ms < least_ms)
        return least_ms;
    return deadline_ms < most_ms ? deadline_ms : most_ms;
}

void rc_gate_job_keep(rc_gate_job *job, rc_job_then then)
{
    if (job->is_recorded)
        return;
    job->is_recorded = true;
    job->then = then;
    job->state = RC_JOB_KEEPING;
    if (!is_worth_it(job) || !keep_record(job)) {
        go_on(job);
        return;
    }
    job->keep_by_ms = keep_by(job);
    rc_gate_job_arm(job);
}

/* ---- no time for the store ---- */

static bool has_word(rc_gate_job *job)
{
    uv_mutex_lock(&job->gate->kept_lock);
    const bool has_word = job->has_word;
    uv_mutex_unlock(&job->gate->kept_lock);
    return has_word;
}

static const rc_report *report_unsafe(rc_gate_job *job)
{
    rc_builder builder;
    const bool is_time = rc_gate_now(job->gate) >= job->keep_by_ms;
    rc_gate_job_begin_report(
        job, &builder, RC_CODE_STORE_UNAVAILABLE,
        is_time ? RC_STR("The deadline passed before the request's record was safe.")
                : RC_STR("This gateway is being stopped before the request's record was safe."));
    return rc_builder_finish(&builder);
}

/* A line behind those that the writer has. ignored: NULL for another outcome. False: no memory. */
static bool amend(rc_gate_job *job, const rc_report *ignored)
{
    rc_record record;
    audit a;
    begin(&a, job, &record, job->step_count + 2);
    if (ignored != NULL)
        add_unsafe(&a, ignored);
    else
        add_outcome(&a);
    const rc_batch batch = {.records = &record, .record_count = 1};
    return rc_writer_amend(job->gate->world->writer, &batch);
}

/* As configured for a store that fails, now. The record stays on its way; what the client is told
 * instead of its answer follows it. Without the memory for that it is told nothing. */
void rc_gate_job_on_unsafe(rc_gate_job *job)
{
    rc_writer *writer = job->gate->world->writer;
    if (job->then == RC_THEN_NOTHING || has_word(job))
        return;
    job->is_early = true;
    if (job->then != RC_THEN_CUT) {
        const rc_report *why = report_unsafe(job);
        if (rc_writer_goes_on(writer)) {
            rc_writer_tell_unsafe(writer, why);
            (void)amend(job, why);
            rc_report_free(why);
        } else {
            refuse(job, why);
            job->then = amend(job, NULL) ? job->then : RC_THEN_CUT;
        }
    }
    go_on(job);
}

/* ---- for whoever keeps count ---- */

static uint32_t counted_outcome(const rc_gate_job *job)
{
    const rc_outcome outcome = outcome_of(job);
    if (outcome == RC_OUTCOME_SUCCEEDED)
        return RC_METRIC_OUTCOME_SUCCEEDED;
    if (outcome == RC_OUTCOME_CANCELLED)
        return RC_METRIC_OUTCOME_CANCELLED;
    if (job->action.attempt == 0)
        return RC_METRIC_OUTCOME_REFUSED;
    return job->was_begun ? RC_METRIC_OUTCOME_INTERRUPTED : RC_METRIC_OUTCOME_FAILED;
}

static void count_request(const rc_gate_job *job)
{
    const rc_gate *gate = job->gate;
    const rc_metrics_request request = {
        .route = job->route != NULL ? job->route->metric : RC_METRICS_OTHER,
        .client = job->client != SIZE_MAX ? rc_gate_job_plans(job)->client_metrics[job->client]
                                          : RC_METRICS_OTHER,
        .outcome = counted_outcome(job),
        .code = outcome_of(job) == RC_OUTCOME_FAILED ? rc_report_code(job->report) : RC_CODE_NONE,
        .duration_us = (uv_hrtime() - job->began_ns) / 1000,
    };
    rc_metrics_on_request(gate->metrics, &request);
    rc_gate_beat(gate);
}

/* Of all tries: a failed one may have cost something too. */
static void add_usage(const rc_gate_job *job, rc_gate_record *told)
{
    for (uint32_t i = 0; i < job->step_count; i++) {
        const rc_job_step *step = &job->steps[i];
        if (!step->charge.is_measured && !step->charge.is_estimated)
            continue;
        told->tokens_in = (told->tokens_in > 0 ? told->tokens_in : 0) + (int64_t)step->charge.input;
        told->tokens_out =
            (told->tokens_out > 0 ? told->tokens_out : 0) + (int64_t)step->charge.output;
        told->cost_usd_micro =
            (told->cost_usd_micro > 0 ? told->cost_usd_micro : 0) + (int64_t)step->cost_usd_micro;
        told->is_estimated = told->is_estimated || step->charge.is_estimated;
    }
}

void rc_gate_job_count(rc_gate_job *job)
{
    const rc_gate_settings *settings = &job->gate->settings;
    if (job->is_counted)
        return;
    job->is_counted = true;
    count_request(job);
    if (settings->on_record == NULL)
        return;
    const rc_outcome outcome = outcome_of(job);
    rc_gate_record told = {
        .method = rc_http1_method(job->request.reader),
        .path = path_of(job),
        .request_id = rc_str_c(job->id.text),
        .client = client_name(job),
        .route = job->route != NULL ? job->route->name : rc_str_make(NULL, 0),
        .model = job->request.model,
        .outcome = outcome,
        .attempts = job->action.attempt,
        .switches = job->switches,
        .wait_ms = job->wait_ms,
        .latency_ms = rc_gate_now(job->gate) - job->began_ms,
        .first_byte_ms = job->first_byte_ms,
        .status = final_status(job),
        .tokens_in = -1,
        .tokens_out = -1,
        .cost_usd_micro = -1,
        .is_stream = job->request.is_stream,
        .was_begun = job->was_begun,
        .is_committed = (flags_of(job) & RC_RECORD_COMMITTED) != 0,
        /* What went wrong before it worked is in the attempts. */
        .report = outcome == RC_OUTCOME_FAILED ? job->report : NULL,
    };
    add_usage(job, &told);
    told.client_retry = job->request.client_retry;
    if (job->request.trace.is_valid)
        told.trace_id =
            rc_str_make(job->request.trace.trace_id, sizeof job->request.trace.trace_id);
    if (job->now != NULL && job->action.attempt > 0) {
        told.provider = job->now->provider->config->name;
        told.target = job->now->model;
        told.bytes = job->now->bytes;
    }
    settings->on_record(settings->record_ctx, &told);
}
