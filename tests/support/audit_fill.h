/* Fills a store with operations like those of a gateway: most succeed at once, some after a wait or
 * at another target, a few fail, are cancelled or never end. The same seed gives the same
 * operations. */
#ifndef RC_TESTS_AUDIT_FILL_H
#define RC_TESTS_AUDIT_FILL_H

#include <stdio.h>
#include <string.h>

#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/taxonomy.h>

#include "store/store.h"

#define FILL_RECORDS_MAX 16
#define FILL_GROUP 500
#define FILL_REPORT_MAX 2048

typedef struct fill_target {
    const char *target;
    const char *provider;
    const char *model;
    const char *credentials[2];
    uint32_t first_byte_ms; /* Typical time to the first byte. */
    uint32_t micro_usd;     /* Typical price of 1000 tokens. */
} fill_target;

static const fill_target fill_targets[] = {
    {"openai/gpt-4o", "openai", "gpt-4o", {"openai-1", "openai-2"}, 380, 5000},
    {"claude/claude-sonnet-4-5",
     "claude",
     "claude-sonnet-4-5",
     {"claude-1", "claude-1"},
     610,
     6000},
    {"gemini/gemini-2.5-flash", "gemini", "gemini-2.5-flash", {"gemini-1", "gemini-2"}, 290, 900},
    {"openai/gpt-4o-mini", "openai", "gpt-4o-mini", {"openai-1", "openai-2"}, 210, 300},
};
#define FILL_TARGETS 4

/* A failure, and the policy's reaction to it. */
typedef struct fill_failure {
    rc_code code;
    int status;
    rc_reason reason; /* Reason in the record after the failure. */
    uint32_t wait_ms;
    const char *message;
} fill_failure;

static const fill_failure fill_passing[] = {
    {RC_CODE_RATE_LIMITED, 429, RC_WHY_NEXT_CREDENTIAL, 0, "is limiting the rate of requests."},
    {RC_CODE_RATE_LIMITED, 429, RC_WHY_HINT, 2000, "is limiting the rate of requests."},
    {RC_CODE_OVERLOADED, 529, RC_WHY_BACKOFF, 5000, "is overloaded."},
    {RC_CODE_PROVIDER_5XX, 502, RC_WHY_BACKOFF, 1000, "failed inside."},
    {RC_CODE_PROVIDER_TIMEOUT, 504, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET, 0, "took too long."},
    {RC_CODE_CONNECTION_RESET, 0, RC_WHY_BACKOFF, 1000, "closed the connection."},
};
static const fill_failure fill_final[] = {
    {RC_CODE_AUTH_FAILED, 401, RC_WHY_NOT_RETRYABLE, 0, "refused the key."},
    {RC_CODE_INVALID_REQUEST, 400, RC_WHY_NOT_RETRYABLE, 0, "does not understand the request."},
    {RC_CODE_CONTEXT_OVERFLOW, 400, RC_WHY_OVERFLOW_COMPACT, 0, "has a shorter context."},
    {RC_CODE_QUOTA_EXHAUSTED, 429, RC_WHY_CAPACITY_SPENT, 0, "has no credit left."},
};
#define FILL_PASSING 6
#define FILL_FINAL 4

/* A report as JSON, with the position of its id. */
typedef struct fill_report {
    char json[FILL_REPORT_MAX];
    size_t len;
    size_t id_at;
} fill_report;

typedef struct fill_operation {
    rc_record records[FILL_RECORDS_MAX];
    uint32_t count;
    rc_id id;
    rc_id report_ids[FILL_RECORDS_MAX];
    char reports[FILL_RECORDS_MAX][FILL_REPORT_MAX];
    char request_ids[FILL_RECORDS_MAX][24];
    int64_t at_ms; /* Time since the beginning of the operation. */
} fill_operation;

typedef struct fill {
    rc_store *store;
    rc_alloc alloc;
    uint64_t entropy;
    rc_id_maker ids;        /* Makes the ids of operations. */
    rc_id_maker report_ids; /* Makes the ids of reports, which have later times. */
    fill_report passing[FILL_PASSING][FILL_TARGETS];
    fill_report final[FILL_FINAL][FILL_TARGETS];
    fill_operation operations[FILL_GROUP];
    rc_batch batches[FILL_GROUP];
} fill;

static inline uint64_t fill_next(fill *f)
{
    uint64_t z = f->entropy += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline uint32_t fill_below(fill *f, uint32_t end)
{
    return (uint32_t)(fill_next(f) % end);
}

static inline rc_id fill_id(fill *f, rc_id_maker *maker, int64_t unix_ms)
{
    uint8_t entropy[10];
    const uint64_t a = fill_next(f);
    const uint64_t b = fill_next(f);
    memcpy(entropy, &a, 8);
    memcpy(entropy + 8, &b, 2);
    return rc_id_make(maker, unix_ms, entropy);
}

/* --- reports --- */

static inline void fill_make_report(fill *f, const fill_failure *failure, const fill_target *target,
                                    fill_report *ret_report)
{
    static const rc_id placeholder = {"rep_00000000000000000000000000"};
    char message[160];
    rc_builder builder;
    rc_buf buf;
    snprintf(message, sizeof(message), "%s %s", target->provider, failure->message);
    rc_builder_init(&builder, &f->alloc, failure->code);
    rc_builder_set_id(&builder, &placeholder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, rc_str_c(message));
    rc_builder_set_detail(&builder, RC_STR("what the provider said, word by word, and where"));
    rc_builder_set_provider(&builder, rc_str_c(target->provider));
    rc_builder_set_model(&builder, rc_str_c(target->model));
    rc_builder_set_provider_status(&builder, failure->status);
    rc_builder_set_request_id(&builder, RC_STR("req_011CS3kQ8xYt"));
    if (failure->wait_ms > 0 && failure->reason == RC_WHY_HINT)
        rc_builder_set_retry_after_ms(&builder, failure->wait_ms);
    rc_builder_set_raw(
        &builder, RC_STR("{\"type\":\"error\",\"error\":{\"type\":\"some_error\",\"message\":"
                         "\"Something that is as long as providers write it, with advice\"}}"));
    const rc_report *report = rc_builder_finish(&builder);
    rc_buf_init_fixed(&buf, ret_report->json, sizeof(ret_report->json));
    (void)rc_report_encode(report, RC_VIEW_INTERNAL, &buf);
    ret_report->len = rc_buf_get(&buf).len;
    ret_report->json[ret_report->len] = '\0';
    const char *id = strstr(ret_report->json, placeholder.text);
    ret_report->id_at = id != NULL ? (size_t)(id - ret_report->json) : 0;
    rc_report_free(report);
}

static inline void fill_init(fill *f, rc_store *store, const rc_alloc *alloc, uint64_t seed)
{
    memset(f, 0, sizeof(*f));
    f->store = store;
    f->alloc = *alloc;
    f->entropy = seed;
    for (size_t t = 0; t < FILL_TARGETS; t++) {
        for (size_t i = 0; i < FILL_PASSING; i++)
            fill_make_report(f, &fill_passing[i], &fill_targets[t], &f->passing[i][t]);
        for (size_t i = 0; i < FILL_FINAL; i++)
            fill_make_report(f, &fill_final[i], &fill_targets[t], &f->final[i][t]);
    }
}

/* --- records --- */

static inline rc_record *fill_add(fill_operation *op, rc_record_kind kind)
{
    rc_record *record = &op->records[op->count];
    rc_record_init(record, kind);
    record->operation_id = rc_str_make(op->id.text, RC_ID_LEN);
    record->seq = op->count++;
    record->unix_ms = op->records[0].unix_ms + op->at_ms;
    return record;
}

static inline void fill_set_report(fill *f, fill_operation *op, rc_record *record,
                                   const fill_failure *failure, const fill_report *report)
{
    const rc_code_info *info = rc_code_get(failure->code);
    const size_t at = record->seq;
    op->report_ids[at] = fill_id(f, &f->report_ids, record->unix_ms);
    memcpy(op->reports[at], report->json, report->len);
    memcpy(op->reports[at] + report->id_at, op->report_ids[at].text, RC_ID_LEN);
    record->code = failure->code;
    record->error_class = info->error_class;
    record->category = info->category;
    record->report_id = rc_str_make(op->report_ids[at].text, RC_ID_LEN);
    record->report_json = rc_str_make(op->reports[at], report->len);
}

static inline rc_record *fill_attempt(fill *f, fill_operation *op, uint32_t attempt,
                                      const fill_target *target, uint32_t credential)
{
    rc_record *record = fill_add(op, RC_RECORD_ATTEMPT);
    snprintf(op->request_ids[record->seq], sizeof(op->request_ids[0]), "req_%012llx",
             (unsigned long long)(fill_next(f) >> 16));
    record->attempt = attempt;
    record->target = rc_str_c(target->target);
    record->provider = rc_str_c(target->provider);
    record->model = rc_str_c(target->model);
    record->credential = rc_str_c(target->credentials[credential]);
    record->request_id = rc_str_c(op->request_ids[record->seq]);
    return record;
}

static inline void fill_succeed(fill *f, fill_operation *op, rc_record *attempt,
                                const fill_target *target)
{
    attempt->status = 200;
    attempt->first_byte_ms = target->first_byte_ms / 2 + fill_below(f, target->first_byte_ms * 2);
    attempt->latency_ms = attempt->first_byte_ms + fill_below(f, 3000);
    attempt->tokens_in = 200 + fill_below(f, 4000);
    attempt->tokens_out = 20 + fill_below(f, 800);
    attempt->cost_usd_micro =
        (attempt->tokens_in + 3 * attempt->tokens_out) * target->micro_usd / 1000;
    attempt->bytes = attempt->tokens_out * 5;
    attempt->flags = RC_RECORD_MEASURED | RC_RECORD_COMMITTED;
    op->at_ms += attempt->latency_ms;
}

static inline void fill_end(fill_operation *op, rc_outcome outcome, uint32_t attempts)
{
    const rc_record *last = &op->records[op->count - 1];
    rc_record *end = fill_add(op, RC_RECORD_OUTCOME);
    end->outcome = outcome;
    end->attempt = attempts;
    end->latency_ms = op->at_ms;
    for (const rc_record *r = last; r > op->records; r--)
        if (r->kind == RC_RECORD_ATTEMPT) {
            end->target = r->target;
            end->provider = r->provider;
            end->credential = r->credential;
            end->status = r->status;
            end->first_byte_ms =
                r->first_byte_ms >= 0 ? op->at_ms - r->latency_ms + r->first_byte_ms : -1;
            end->tokens_in = r->tokens_in;
            end->tokens_out = r->tokens_out;
            end->cost_usd_micro = r->cost_usd_micro;
            end->bytes = r->bytes;
            end->flags = r->flags;
            break;
        }
}

/* Adds one failed attempt and the policy's next step. Returns false if the policy stops the
 * call. */
static inline bool fill_fail_once(fill *f, fill_operation *op, uint32_t attempt, uint32_t *target,
                                  uint32_t *credential)
{
    const uint32_t kind = fill_below(f, FILL_PASSING);
    const fill_failure *failure = &fill_passing[kind];
    rc_record *record = fill_attempt(f, op, attempt, &fill_targets[*target], *credential);
    record->status = failure->status;
    record->latency_ms =
        80 + fill_below(f, failure->code == RC_CODE_PROVIDER_TIMEOUT ? 20000 : 900);
    op->at_ms += record->latency_ms;
    fill_set_report(f, op, record, failure, &f->passing[kind][*target]);
    if (failure->wait_ms > 0) {
        rc_record *wait = fill_add(op, RC_RECORD_WAIT);
        wait->reason = failure->reason;
        wait->wait_ms = failure->wait_ms * (90 + fill_below(f, 20)) / 100;
        wait->attempt = attempt + 1;
        wait->target = record->target;
        op->at_ms += (int64_t)wait->wait_ms;
        return true;
    }
    if (failure->reason == RC_WHY_NEXT_CREDENTIAL)
        *credential = 1 - *credential;
    else
        *target = (*target + 1) % FILL_TARGETS;
    rc_record *change = fill_add(op, RC_RECORD_SWITCH);
    change->reason = failure->reason;
    change->attempt = attempt + 1;
    change->target = rc_str_c(fill_targets[*target].target);
    change->credential = rc_str_c(fill_targets[*target].credentials[*credential]);
    return true;
}

static inline void fill_final_failure(fill *f, fill_operation *op, uint32_t attempt,
                                      uint32_t target, uint32_t credential)
{
    const uint32_t kind = fill_below(f, FILL_FINAL);
    const fill_failure *failure = &fill_final[kind];
    rc_record *record = fill_attempt(f, op, attempt, &fill_targets[target], credential);
    record->status = failure->status;
    record->latency_ms = 60 + fill_below(f, 400);
    op->at_ms += record->latency_ms;
    fill_set_report(f, op, record, failure, &f->final[kind][target]);
    rc_record *stop = fill_add(op, RC_RECORD_STOP);
    stop->reason = failure->reason;
    stop->attempt = attempt;
    fill_end(op, RC_OUTCOME_FAILED, attempt);
    fill_set_report(f, op, &op->records[op->count - 1], failure, &f->final[kind][target]);
}

/* --- operations --- */

static inline void fill_make(fill *f, fill_operation *op, int64_t unix_ms)
{
    static const char *const clients[] = {"web", "batch", "mobile", "search", "nightly"};
    const uint32_t dice = fill_below(f, 1000);
    uint32_t target = fill_below(f, 10) < 6 ? 0 : 1 + fill_below(f, FILL_TARGETS - 1);
    uint32_t credential = fill_below(f, 2);
    uint32_t attempt = 1;
    op->count = 0;
    op->at_ms = 0;
    op->id = fill_id(f, &f->ids, unix_ms);
    rc_record *begin = fill_add(op, RC_RECORD_BEGIN);
    begin->unix_ms = unix_ms;
    begin->client = rc_str_c(clients[fill_below(f, 5)]);
    begin->model = rc_str_c(fill_targets[target].model);
    begin->route = target == 0 || target == 3 ? RC_STR("gpt-4o*") : RC_STR("*");
    begin->flags = fill_below(f, 2) == 0 ? RC_RECORD_STREAMING : 0;
    op->at_ms = 1;
    if (dice >= 850 && dice < 990)
        for (uint32_t failures = 1 + fill_below(f, 2); failures > 0; failures--, attempt++)
            (void)fill_fail_once(f, op, attempt, &target, &credential);
    if (dice >= 970 && dice < 990) {
        fill_final_failure(f, op, attempt, target, credential);
        return;
    }
    rc_record *last = fill_attempt(f, op, attempt, &fill_targets[target], credential);
    fill_succeed(f, op, last, &fill_targets[target]);
    if (dice >= 998) /* a process that was killed has stored no outcome */
        return;
    if (dice < 990) {
        fill_end(op, RC_OUTCOME_SUCCEEDED, attempt);
        return;
    }
    last->status = 0;
    rc_record *cancel = fill_add(op, RC_RECORD_CANCEL);
    cancel->reason = RC_WHY_CANCELLED;
    fill_end(op, RC_OUTCOME_CANCELLED, attempt);
}

/* Adds count operations whose beginnings are spread evenly over the time. Returns false, with
 * *fault set, if the store fails. */
static inline bool fill_run(fill *f, uint64_t count, int64_t from_unix_ms, int64_t until_unix_ms,
                            rc_store_fault *fault)
{
    const int64_t span = until_unix_ms - from_unix_ms;
    for (uint64_t done = 0; done < count;) {
        size_t group = 0;
        for (; group < FILL_GROUP && done < count; group++, done++) {
            const int64_t at =
                from_unix_ms + (int64_t)((double)span * ((double)done / (double)count));
            fill_operation *op = &f->operations[group];
            fill_make(f, op, at);
            f->batches[group] = (rc_batch){.records = op->records, .record_count = op->count};
            if (group > 0)
                f->batches[group - 1].next = &f->batches[group];
        }
        if (!rc_store_append(f->store, &f->batches[0], fault) ||
            !rc_store_checkpoint(f->store, false, fault))
            return false;
    }
    return rc_store_checkpoint(f->store, true, fault);
}

#endif
