/* Hand-written operations, for tests of how operations are displayed. */
#ifndef RC_TESTS_AUDIT_STORIES_H
#define RC_TESTS_AUDIT_STORIES_H

#include <stdlib.h>

#include "support/audit_fill.h"

typedef struct story {
    fill f; /* Makes the ids and reports of the story. */
    fill_operation op;
    const rc_report *reports[FILL_RECORDS_MAX];
    char *bodies[FILL_RECORDS_MAX];
} story;

/* --- parts --- */

static inline rc_record *story_begin(story *s, int64_t unix_ms, const char *client,
                                     const char *model)
{
    s->op.count = 0;
    s->op.at_ms = 0;
    s->op.id = fill_id(&s->f, &s->f.ids, unix_ms);
    rc_record *begin = fill_add(&s->op, RC_RECORD_BEGIN);
    begin->unix_ms = unix_ms;
    begin->client = rc_str_c(client);
    begin->model = rc_str_c(model);
    begin->route = RC_STR("gpt-4o*");
    s->op.at_ms = 2;
    return begin;
}

/* Adds a record with a time relative to the beginning of the story. */
static inline rc_record *story_at(story *s, rc_record_kind kind, int64_t at_ms)
{
    s->op.at_ms = at_ms;
    return fill_add(&s->op, kind);
}

static inline rc_record *story_attempt(story *s, uint32_t attempt, const fill_target *target,
                                       int64_t from_ms, int64_t took_ms)
{
    s->op.at_ms = from_ms;
    rc_record *record = fill_attempt(&s->f, &s->op, attempt, target, (attempt - 1) % 2);
    record->latency_ms = took_ms;
    s->op.at_ms += took_ms;
    return record;
}

static inline void story_respond(rc_record *attempt, int64_t first_byte_ms)
{
    attempt->status = 200;
    attempt->first_byte_ms = first_byte_ms;
    attempt->tokens_in = 1200;
    attempt->tokens_out = 310;
    attempt->cost_usd_micro = 12300;
    attempt->bytes = 1550;
    attempt->flags = RC_RECORD_MEASURED | RC_RECORD_COMMITTED;
}

/* Adds the report of a failure to the record. message: the provider's message. */
static inline void story_fail(story *s, rc_record *record, rc_code code, int status,
                              const char *message, int64_t retry_after_ms)
{
    const rc_code_info *info = rc_code_get(code);
    const size_t at = record->seq;
    rc_builder builder;
    rc_buf buf;
    s->op.report_ids[at] = fill_id(&s->f, &s->f.report_ids, record->unix_ms);
    rc_builder_init(&builder, &s->f.alloc, code);
    rc_builder_set_id(&builder, &s->op.report_ids[at]);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, rc_str_c(message));
    rc_builder_set_provider(&builder, record->provider);
    rc_builder_set_model(&builder, record->model);
    rc_builder_set_provider_status(&builder, status);
    rc_builder_set_request_id(&builder, record->request_id);
    rc_builder_set_raw(&builder, RC_STR("{\"error\":{\"message\":\"as it came\"}}"));
    if (retry_after_ms > 0)
        rc_builder_set_retry_after_ms(&builder, retry_after_ms);
    if (record->kind == RC_RECORD_OUTCOME)
        rc_builder_set_retry_exhausted(&builder, true);
    s->reports[at] = rc_builder_finish(&builder);
    rc_buf_init(&buf, &s->f.alloc, RC_RECORD_REPORT_MAX);
    (void)rc_report_encode(s->reports[at], RC_VIEW_INTERNAL, &buf);
    s->bodies[at] = malloc(rc_buf_get(&buf).len + 1);
    memcpy(s->bodies[at], rc_buf_get(&buf).ptr, rc_buf_get(&buf).len);
    record->status = status;
    record->code = code;
    record->error_class = info->error_class;
    record->category = info->category;
    record->report_id = rc_str_make(s->op.report_ids[at].text, RC_ID_LEN);
    record->report_json = rc_str_make(s->bodies[at], rc_buf_get(&buf).len);
    rc_buf_done(&buf);
}

static inline rc_record *story_end(story *s, rc_outcome outcome, uint32_t attempts, int64_t at_ms)
{
    s->op.at_ms = at_ms;
    fill_end(&s->op, outcome, attempts);
    return &s->op.records[s->op.count - 1];
}

static inline rc_record *story_why(story *s, rc_record_kind kind, int64_t at_ms, rc_reason reason,
                                   uint32_t attempt)
{
    rc_record *record = story_at(s, kind, at_ms);
    record->reason = reason;
    record->attempt = attempt;
    return record;
}

/* --- stories --- */

static inline void story_plain(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "web", "gpt-4o")->flags = RC_RECORD_STREAMING;
    story_respond(story_attempt(s, 1, &fill_targets[0], 2, 1238), 412);
    story_end(s, RC_OUTCOME_SUCCEEDED, 1, 1240);
}

/* Adds an operation with a rate limit, another key, an overload, a wait, a skipped target and a
 * success at another target. */
static inline void story_recovered(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "web", "gpt-4o")->flags = RC_RECORD_STREAMING;
    story_fail(s, story_attempt(s, 1, &fill_targets[0], 2, 1920), RC_CODE_RATE_LIMITED, 429,
               "openai is limiting the rate of requests.", 0);
    rc_record *change = story_why(s, RC_RECORD_SWITCH, 1923, RC_WHY_NEXT_CREDENTIAL, 2);
    change->target = RC_STR("openai/gpt-4o");
    change->credential = RC_STR("openai-2");
    story_fail(s, story_attempt(s, 2, &fill_targets[0], 1925, 505), RC_CODE_OVERLOADED, 529,
               "openai is overloaded.", 0);
    rc_record *wait = story_why(s, RC_RECORD_WAIT, 2431, RC_WHY_BACKOFF, 3);
    wait->wait_ms = 4000;
    wait->target = RC_STR("openai/gpt-4o");
    rc_record *skip = story_why(s, RC_RECORD_SKIP, 6432, RC_WHY_SKIP_BREAKER, 3);
    skip->target = RC_STR("openai/gpt-4o-mini");
    change = story_why(s, RC_RECORD_SWITCH, 6433, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET, 3);
    change->target = RC_STR("claude/claude-sonnet-4-5");
    change->credential = RC_STR("claude-1");
    story_respond(story_attempt(s, 3, &fill_targets[1], 6434, 1986), 640);
    story_end(s, RC_OUTCOME_SUCCEEDED, 3, 8420);
}

static inline void story_exhausted(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "batch", "gpt-4o");
    int64_t at_ms = 2;
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        story_fail(s, story_attempt(s, attempt, &fill_targets[0], at_ms, 310), RC_CODE_RATE_LIMITED,
                   429, "openai is limiting the rate of requests.", 20000);
        if (attempt == 3)
            break;
        rc_record *wait = story_why(s, RC_RECORD_WAIT, at_ms + 311, RC_WHY_HINT, attempt + 1);
        wait->wait_ms = 5000 * attempt;
        wait->target = RC_STR("openai/gpt-4o");
        at_ms += 311 + 5000 * (int64_t)attempt;
    }
    story_why(s, RC_RECORD_STOP, at_ms + 311, RC_WHY_ATTEMPTS_SPENT, 3);
    rc_record *end = story_end(s, RC_OUTCOME_FAILED, 3, at_ms + 312);
    end->model = RC_STR("");
    story_fail(s, end, RC_CODE_RATE_LIMITED, 429, "openai is limiting the rate of requests.",
               20000);
}

/* Adds an operation that ended before a provider was called. */
static inline void story_refused(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "nightly", "gpt-4o");
    for (size_t i = 0; i < 2; i++) {
        rc_record *skip = story_why(s, RC_RECORD_SKIP, 1,
                                    i == 0 ? RC_WHY_SKIP_COOLING : RC_WHY_SKIP_OUT_OF_SERVICE, 1);
        skip->target = rc_str_c(fill_targets[i].target);
        skip->wait_ms = i == 0 ? 12000 : 0;
    }
    story_why(s, RC_RECORD_STOP, 1, RC_WHY_ALL_UNAVAILABLE, 0);
    story_fail(s, story_end(s, RC_OUTCOME_FAILED, 0, 1), RC_CODE_OVERLOADED, 0,
               "No target is available now.", 12000);
}

static inline void story_cancelled(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "mobile", "gemini-2.5-flash");
    story_fail(s, story_attempt(s, 1, &fill_targets[2], 2, 700), RC_CODE_PROVIDER_5XX, 502,
               "gemini failed inside.", 0);
    story_why(s, RC_RECORD_WAIT, 703, RC_WHY_BACKOFF, 2)->wait_ms = 1000;
    story_why(s, RC_RECORD_CANCEL, 1200, RC_WHY_CANCELLED, 1)->text = RC_STR("the client left");
    rc_record *end = story_end(s, RC_OUTCOME_CANCELLED, 1, 1201);
    end->code = RC_CODE_SESSION_CANCELLED;
    end->error_class = RC_CLASS_CANCELLATION;
    end->model = RC_STR("");
}

/* Adds an operation whose process ended before it. */
static inline void story_open(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "web", "gpt-4o");
    story_fail(s, story_attempt(s, 1, &fill_targets[0], 2, 900), RC_CODE_CONNECTION_RESET, 0,
               "openai closed the connection.", 0);
}

/* Adds an operation with two attempts in parallel; the slower one is cancelled. */
static inline void story_hedged(story *s, int64_t unix_ms)
{
    story_begin(s, unix_ms, "search", "gpt-4o");
    rc_record *change = story_why(s, RC_RECORD_SWITCH, 2000, RC_WHY_HEDGED, 2);
    change->target = RC_STR("claude/claude-sonnet-4-5");
    story_respond(story_attempt(s, 2, &fill_targets[1], 2001, 1100), 500);
    (void)story_attempt(s, 1, &fill_targets[0], 2, 3100);
    rc_record *end = story_end(s, RC_OUTCOME_SUCCEEDED, 2, 3103);
    end->target = RC_STR("claude/claude-sonnet-4-5");
    end->status = 200;
    end->cost_usd_micro = 12300;
}

/* Adds an operation with names and texts that contain control characters and markup. */
static inline void story_hostile(story *s, int64_t unix_ms)
{
    static char long_text[8192];
    memset(long_text, 'A', sizeof(long_text) - 1);
    rc_record *begin =
        story_begin(s, unix_ms, "=cmd|' /C calc'!A0", "gpt\x1b[31m-\xE2\x80\xAEo4\nx\ty\x07");
    begin->route = RC_STR("@SUM(A1)");
    rc_record *attempt = story_attempt(s, 1, &fill_targets[0], 2, 100);
    attempt->target = RC_STR("-evil/\x1b]0;title\x07model");
    attempt->credential = RC_STR("+1+1");
    attempt->request_id = RC_STR("\treq\r\n\x9b"
                                 "31m");
    attempt->text = RC_STR("first line\nsecond\x1b[2J \xE2\x80\xAE"
                           "desrever \xF0\x9F\x98\x80 \xFF end");
    story_fail(s, attempt, RC_CODE_INVALID_REQUEST, 400,
               "bad \x1b[31mred\x1b[0m \xE2\x80\xAE"
               "txet\n\nforged: line",
               0);
    rc_record *stop = story_why(s, RC_RECORD_STOP, 103, RC_WHY_NOT_RETRYABLE, 1);
    stop->text = rc_str_c(long_text);
    rc_record *end = story_end(s, RC_OUTCOME_FAILED, 1, 104);
    end->text = rc_str_c(long_text);
    story_fail(s, end, RC_CODE_INVALID_REQUEST, 400,
               "bad \x1b[31mred\x1b[0m \xE2\x80\xAE"
               "txet\n\nforged: line",
               0);
}

static inline void story_notice(story *s, int64_t unix_ms)
{
    s->op.id = fill_id(&s->f, &s->f.ids, unix_ms);
    rc_record *notice = fill_add(&s->op, RC_RECORD_SERVICE);
    notice->unix_ms = unix_ms;
    notice->target = RC_STR("openai/gpt-4o");
    notice->text = RC_STR("taken out of service by the operator");
}

static inline void story_gap(story *s, int64_t unix_ms)
{
    s->op.id = fill_id(&s->f, &s->f.ids, unix_ms);
    rc_record *notice = fill_add(&s->op, RC_RECORD_SUPPRESSED);
    notice->unix_ms = unix_ms;
    notice->latency_ms = 4200;
    notice->text = RC_STR("the store failed for 4200 ms; 17 operations have no record");
}

/* --- writing stories --- */

typedef struct story_row {
    const char *name;
    void (*write)(story *s, int64_t unix_ms);
} story_row;

static const story_row stories[] = {
    {"plain", story_plain},     {"recovered", story_recovered}, {"exhausted", story_exhausted},
    {"refused", story_refused}, {"cancelled", story_cancelled}, {"open", story_open},
    {"hedged", story_hedged},   {"hostile", story_hostile},     {"notice", story_notice},
    {"gap", story_gap},
};

/* Stores the story with this name. Returns false, with *fault set, if the store fails. */
static inline bool story_write(rc_store *store, const rc_alloc *alloc, const char *name,
                               int64_t unix_ms, rc_store_fault *fault)
{
    bool is_written = false;
    story *s = calloc(1, sizeof(*s));
    fill_init(&s->f, store, alloc, (uint64_t)unix_ms);
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        if (strcmp(stories[i].name, name) != 0)
            continue;
        stories[i].write(s, unix_ms);
        const rc_batch batch = {.records = s->op.records, .record_count = s->op.count};
        is_written = rc_store_append(store, &batch, fault);
        for (size_t at = 0; at < FILL_RECORDS_MAX; at++) {
            rc_report_free(s->reports[at]);
            free(s->bodies[at]);
        }
        free(s);
        return is_written;
    }
    free(s);
    return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "tell", NULL, "no such story");
}

#endif
