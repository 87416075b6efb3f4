/* What happens before an answer, for a client that asked to hear of it (x-recourse-events: 1):
 *
 *   : recourse {"type":"auto_retry_start",...}
 *
 * Comments of the answer's stream, which every other reader of events passes over. The first one
 * begins the answer: from then on a failure is the dialect's error event. A client that did not ask
 * gets the same bytes as ever. */
#include <recourse/teller.h>

#include "base/str.h"
#include "gateway/job.h"

#define LINES_MAX_BYTES ((size_t)64 << 10)
#define NAME_MAX_BYTES ((size_t)1024)

struct rc_job_events {
    rc_teller teller;
    uint64_t next_seq;
    uint64_t total_micro_usd;
    bool is_begun; /* the answer's head has left for their sake */
};

/* The names that events view. */
typedef struct names {
    char from[NAME_MAX_BYTES];
    char to[NAME_MAX_BYTES];
    char from_key[NAME_MAX_BYTES];
    char to_key[NAME_MAX_BYTES];
} names;

bool rc_gate_job_is_told(const rc_gate_job *job)
{
    return job->events != NULL && job->events->is_begun;
}

void rc_gate_job_events_done(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    if (job->events != NULL)
        alloc->put(alloc->ctx, job->events, sizeof *job->events);
    job->events = NULL;
}

/* Comments have a place in server-sent events alone, and in none that go to Google's SDKs: those
 * for Python and Go take every line without "data:" for JSON. */
static bool is_wanted(const rc_gate_job *job)
{
    const rc_gate_request *request = &job->request;
    return request->wants_events && request->is_stream && job->dialect != RC_DIALECT_GEMINI &&
           request->endpoint->wire != RC_WIRE_GEMINI &&
           (unsigned)request->endpoint->stream != RC_STREAM_UNWATCHED &&
           (request->endpoint->streams == RC_STREAMS_BODY || request->is_sse);
}

/* Without memory nothing is told. */
static bool open_events(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    if (job->exchange == NULL || !is_wanted(job))
        return false;
    if (job->events != NULL)
        return true;
    job->events = alloc->get(alloc->ctx, sizeof *job->events);
    if (job->events == NULL)
        return false;
    *job->events = (rc_job_events){.next_seq = 1};
    rc_teller_init(&job->events->teller, rc_str_c(job->id.text), &job->events->next_seq);
    return true;
}

/* ---- what is told ---- */

static rc_str target_name(const rc_gate_job *job, uint16_t entry, char room[NAME_MAX_BYTES])
{
    rc_buf name;
    rc_buf_init_fixed(&name, room, NAME_MAX_BYTES);
    if (entry >= job->plan.entry_count)
        return RC_STR("");
    rc_buf_push(&name, rc_gate_job_provider_of(job, entry)->config->name);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, rc_gate_job_model_of(job, entry));
    return rc_buf_get(&name);
}

static rc_str key_name(const rc_gate_job *job, uint16_t credential, char room[NAME_MAX_BYTES])
{
    rc_buf name;
    rc_buf_init_fixed(&name, room, NAME_MAX_BYTES);
    if (credential == RC_NO_TARGET ||
        !rc_gate_world_credential_name(job->gate->world, credential, &name))
        return RC_STR("");
    return rc_buf_get(&name);
}

static size_t collect(rc_gate_job *job, const rc_action *action, names *n,
                      rc_event events[RC_EVENTS_MAX])
{
    const bool has_report = job->report != NULL;
    const rc_news news = {
        .action = *action,
        .error_message = has_report ? rc_report_message(job->report) : RC_STR(""),
        .report_id = has_report ? rc_report_id(job->report) : RC_STR(""),
        .from = target_name(job, action->from_entry, n->from),
        .to = target_name(job, action->entry, n->to),
        .provider = rc_gate_job_provider_of(job, action->entry)->config->name,
        .from_credential = key_name(job, action->from_credential, n->from_key),
        .to_credential = key_name(job, action->credential, n->to_key),
        .role = RC_STR("default"),
        .now_unix_ms = rc_gate_unix_ms(job->gate),
    };
    return rc_teller_on_action(&job->events->teller, &news, events);
}

static uint64_t tokens(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

/* Of the try that gave the answer: who it was, and what it took. */
static rc_event cost_of(rc_gate_job *job, const rc_action *action, names *n)
{
    const rc_gate_try *try = job->now;
    rc_usage_count usage = RC_USAGE_COUNT_NONE;
    if (try != NULL && try->is_watched)
        usage = rc_usage_said(try->mode == RC_MODE_STREAM ? &try->watch.usage : &try->usage);
    return (rc_event){
        .type = RC_EVENT_TYPE_COST_UPDATED,
        .seq = job->events->next_seq++,
        .time_unix_ms = rc_gate_unix_ms(job->gate),
        .correlation_id = rc_str_c(job->id.text),
        .as.cost_updated =
            {
                .attempt = action->attempt,
                .model = target_name(job, action->entry, n->to),
                .input_tokens = tokens(usage.input),
                .output_tokens = tokens(usage.output),
                .total_micro_usd = job->events->total_micro_usd,
            },
    };
}

/* ---- on the wire ---- */

static void push_event(rc_buf *lines, const rc_event *event)
{
    rc_buf_push(lines, RC_STR(": recourse "));
    (void)rc_event_encode(event, lines);
    rc_buf_push_byte(lines, '\n');
}

/* Limits that are nearly used up, of all tries. */
static void push_quotas(rc_gate_job *job, names *n, rc_buf *lines)
{
    for (uint32_t i = 0; i < job->step_count; i++) {
        const rc_job_step *step = &job->steps[i];
        if (step->quota == NULL || step->quota->is_told)
            continue;
        rc_event event = {
            .seq = job->events->next_seq++,
            .time_unix_ms = rc_gate_unix_ms(job->gate),
            .correlation_id = rc_str_c(job->id.text),
        };
        rc_quota_event(&step->quota->quota, target_name(job, step->entry, n->to),
                       key_name(job, step->credential, n->to_key), &event);
        push_event(lines, &event);
        step->quota->is_told = true;
    }
}

/* A head of our own: what the provider's will say is not known yet. */
static bool begin_answer(rc_gate_job *job)
{
    const rc_gate_told told = {.request_id = rc_str_c(job->id.text)};
    if (rc_exchange_has_begun(job->exchange))
        return true;
    rc_buf_reset(&job->lines);
    rc_buf_push(&job->lines, RC_STR("HTTP/1.1 200 OK\r\n"
                                    "content-type: text/event-stream\r\n"
                                    "cache-control: no-cache\r\n"));
    (void)rc_gate_push_told(&job->lines, &told);
    if (rc_buf_status(&job->lines) != RC_OK ||
        rc_exchange_begin_raw(job->exchange, 200, rc_buf_get(&job->lines), RC_HTTP1_CHUNKED, 0) !=
            RC_OK)
        return false;
    job->status = 200;
    job->events->is_begun = true;
    return true;
}

static void write_lines(rc_gate_job *job, const rc_buf *lines)
{
    rc_gate_try *try = job->now;
    if (rc_buf_status(lines) != RC_OK)
        return;
    /* An event that was left open would take the comment for a part of it. */
    if (job->state == RC_JOB_ANSWERING && try != NULL && try->is_inside) {
        (void)rc_exchange_write(job->exchange, RC_STR("\n\n"));
        try->is_inside = false;
    }
    (void)rc_exchange_write(job->exchange, rc_buf_get(lines));
}

/* Is what was begun a stream of events? */
static bool is_stream_begun(const rc_gate_job *job)
{
    return rc_gate_job_is_told(job) || (job->state == RC_JOB_ANSWERING &&
                                        job->now->mode == RC_MODE_STREAM && !job->now->is_array);
}

static void write_news(rc_gate_job *job, rc_buf *lines)
{
    if (rc_buf_get(lines).len > 0)
        write_lines(job, lines);
    rc_buf_done(lines);
}

void rc_gate_job_tell_pause(rc_gate_job *job, const rc_spend_answer *answer)
{
    char room[NAME_MAX_BYTES];
    rc_buf scope;
    rc_buf lines;
    if (!open_events(job) || (!is_stream_begun(job) && !begin_answer(job)))
        return;
    rc_buf_init_fixed(&scope, room, sizeof room);
    rc_purse_scope(&rc_gate_job_plans(job)->money, answer->row, &scope);
    const rc_event event = {
        .type = RC_EVENT_TYPE_BUDGET_PAUSED,
        .seq = job->events->next_seq++,
        .time_unix_ms = rc_gate_unix_ms(job->gate),
        .correlation_id = rc_str_c(job->id.text),
        .as.budget_paused =
            {
                .scope = rc_buf_get(&scope),
                .spent_micro_usd = answer->spent,
                .limit_micro_usd = answer->limit,
            },
    };
    rc_buf_init(&lines, &job->gate->settings.alloc, LINES_MAX_BYTES);
    push_event(&lines, &event);
    write_news(job, &lines);
}

/* A warning is told at the end: it is no news of how the call goes. */
static bool is_final(const rc_action *action)
{
    return action->what == RC_DO_DELIVER || action->what == RC_DO_STOP ||
           action->what == RC_DO_COMPACT;
}

void rc_gate_job_tell_action(rc_gate_job *job, const rc_action *action)
{
    rc_event events[RC_EVENTS_MAX];
    names n;
    rc_buf lines;
    if (job->route == NULL || action->entry >= job->plan.entry_count || !open_events(job))
        return;
    const size_t count = collect(job, action, &n, events);
    const bool is_news = count > 0 && (action->what == RC_DO_TRY || action->what == RC_DO_WAIT ||
                                       action->what == RC_DO_REFRESH);
    if (!is_stream_begun(job) && (!is_news || !begin_answer(job)))
        return;
    rc_buf_init(&lines, &job->gate->settings.alloc, LINES_MAX_BYTES);
    for (size_t i = 0; i < count; i++)
        push_event(&lines, &events[i]);
    if (is_final(action))
        push_quotas(job, &n, &lines);
    if (action->what == RC_DO_DELIVER) {
        const rc_event cost = cost_of(job, action, &n);
        push_event(&lines, &cost);
    }
    write_news(job, &lines);
}
