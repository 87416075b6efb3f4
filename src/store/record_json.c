/* Writes audit records and statistics as JSON. Called by the audit commands and the admin API. */
#include "store/record_json.h"

#include <recourse/taxonomy.h>

#include "codec/datetime.h"
#include "store/operation_key.h"

#define MICRO UINT64_C(1000000)

/* ---- members ---- */

void rc_record_json_text(rc_json_writer *w, rc_str key, rc_str text)
{
    if (text.len > 0)
        rc_json_member_string(w, key, text);
}

static void put_name(rc_json_writer *w, rc_str key, const char *name)
{
    rc_record_json_text(w, key, rc_str_c(name));
}

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

static void put_some(rc_json_writer *w, rc_str key, uint64_t number)
{
    if (number > 0)
        put_number(w, key, number);
}

static void put_known(rc_json_writer *w, rc_str key, int64_t number)
{
    if (number >= 0)
        rc_json_member_i64(w, key, number);
}

void rc_record_json_time(rc_json_writer *w, rc_str key, int64_t unix_ms)
{
    char scratch[40];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_rfc3339_push(&text, unix_ms);
    rc_json_member_string(w, key, rc_buf_get(&text));
}

void rc_record_json_usd(rc_json_writer *w, rc_str key, uint64_t micro_usd)
{
    char scratch[32];
    rc_buf text;
    uint64_t fraction = micro_usd % MICRO;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push_u64(&text, micro_usd / MICRO);
    if (fraction > 0)
        rc_buf_push_byte(&text, '.');
    while (fraction > 0) {
        fraction *= 10;
        rc_buf_push_byte(&text, (char)('0' + fraction / MICRO));
        fraction %= MICRO;
    }
    rc_json_key(w, key);
    rc_json_raw(w, rc_buf_get(&text));
}

/* ---- reports ---- */

static bool put_whole(rc_json_writer *w, const rc_report *report,
                      const rc_record_json_options *options)
{
    rc_buf json;
    rc_buf_init(&json, options->alloc, 2 * RC_RECORD_REPORT_MAX);
    const rc_status status = rc_report_encode(report, options->view, &json);
    if (status == RC_OK) {
        rc_json_key(w, RC_STR("report"));
        rc_json_raw(w, rc_buf_get(&json));
    }
    rc_buf_done(&json);
    return status == RC_OK;
}

/* Writes the report of a record. The stored text is decoded and encoded again, because it may be
 * invalid JSON and the requested view may show less. */
static bool put_report(rc_json_writer *w, const rc_record *record,
                       const rc_record_json_options *options)
{
    const rc_report *report = NULL;
    bool has_memory = true;
    if (options->report == RC_RECORD_REPORT_NONE || record->report_json.len == 0)
        return true;
    const rc_status status =
        rc_report_decode(record->report_json, RC_DECODE_TOLERANT, options->alloc, &report, NULL);
    if (status != RC_OK)
        return status != RC_E_NOMEM;
    if (options->report == RC_RECORD_REPORT_MESSAGE)
        rc_record_json_text(w, RC_STR("message"), rc_report_message(report));
    else
        has_memory = put_whole(w, report, options);
    rc_report_free(report);
    return has_memory;
}

/* ---- records ---- */

static void put_failure(rc_json_writer *w, const rc_record *record)
{
    put_name(w, RC_STR("code"), rc_code_name(record->code));
    put_name(w, RC_STR("class"), rc_class_name(record->error_class));
    put_name(w, RC_STR("category"), rc_category_name(record->category));
    put_some(w, RC_STR("status"), record->status > 0 ? (uint64_t)record->status : 0);
}

static void put_usage(rc_json_writer *w, const rc_record *record)
{
    put_known(w, RC_STR("latency_ms"), record->latency_ms);
    put_known(w, RC_STR("first_byte_ms"), record->first_byte_ms);
    put_some(w, RC_STR("tokens_in"), record->tokens_in);
    put_some(w, RC_STR("tokens_out"), record->tokens_out);
    put_name(w, RC_STR("tokens_are"), rc_record_token_basis(record));
    if (record->cost_usd_micro > 0)
        rc_record_json_usd(w, RC_STR("cost_usd"), record->cost_usd_micro);
    if ((record->flags & RC_RECORD_UNPRICED) != 0)
        rc_json_member_bool(w, RC_STR("unpriced"), true);
    put_some(w, RC_STR("bytes"), record->bytes);
}

static void put_ids(rc_json_writer *w, const rc_record *record)
{
    rc_record_json_text(w, RC_STR("request_id"), record->request_id);
    rc_record_json_text(w, RC_STR("report_id"), record->report_id);
    /* The text of an attempt is how its request was translated. */
    rc_record_json_text(
        w, record->kind == RC_RECORD_ATTEMPT ? RC_STR("translated") : RC_STR("text"), record->text);
}

static void put_key(rc_json_writer *w, int64_t key)
{
    char scratch[RC_OPERATION_KEY_TEXT_LEN];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_operation_key_push(&text, key);
    rc_json_member_string(w, RC_STR("key"), rc_buf_get(&text));
}

static void put_reason(rc_json_writer *w, rc_reason reason)
{
    if (reason == RC_WHY_NONE)
        return;
    put_name(w, RC_STR("reason"), rc_reason_name(reason));
    put_name(w, RC_STR("reason_text"), rc_reason_text(reason));
}

bool rc_record_json_operation(rc_json_writer *w, const rc_record *operation,
                              const rc_record_json_options *options)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("id"), operation->operation_id);
    put_key(w, operation->key);
    rc_record_json_time(w, RC_STR("began"), operation->key >> RC_OPERATION_KEY_LOW_BITS);
    if (operation->outcome != RC_OUTCOME_OPEN)
        rc_record_json_time(w, RC_STR("ended"), operation->unix_ms);
    rc_record_json_text(w, RC_STR("client"), operation->client);
    rc_record_json_text(w, RC_STR("route"), operation->route);
    rc_record_json_text(w, RC_STR("model"), operation->model);
    rc_record_json_text(w, RC_STR("target"), operation->target);
    rc_record_json_text(w, RC_STR("provider"), operation->provider);
    rc_record_json_text(w, RC_STR("credential"), operation->credential);
    put_name(w, RC_STR("outcome"), rc_outcome_name(operation->outcome));
    if (operation->has_recovered)
        rc_json_member_bool(w, RC_STR("recovered"), true);
    put_failure(w, operation);
    put_reason(w, operation->reason);
    put_number(w, RC_STR("attempts"), operation->attempt);
    put_some(w, RC_STR("wait_ms"), operation->wait_ms);
    put_usage(w, operation);
    rc_json_member_bool(w, RC_STR("streaming"), (operation->flags & RC_RECORD_STREAMING) != 0);
    rc_json_member_bool(w, RC_STR("committed"), (operation->flags & RC_RECORD_COMMITTED) != 0);
    if ((operation->flags & RC_RECORD_CLIENT_RETRY) != 0)
        rc_json_member_bool(w, RC_STR("client_retry"), true);
    put_ids(w, operation);
    const bool has_memory = put_report(w, operation, options);
    rc_json_object_end(w);
    return has_memory;
}

bool rc_record_json_record(rc_json_writer *w, const rc_record *record,
                           const rc_record_json_options *options)
{
    rc_json_object_begin(w);
    put_name(w, RC_STR("kind"), rc_record_kind_name(record->kind));
    put_number(w, RC_STR("seq"), record->seq);
    rc_record_json_time(w, RC_STR("time"), record->unix_ms);
    rc_json_member_i64(w, RC_STR("at_ms"), record->at_ms);
    put_some(w, RC_STR("attempt"), record->attempt);
    rc_record_json_text(w, RC_STR("target"), record->target);
    rc_record_json_text(w, RC_STR("provider"), record->provider);
    rc_record_json_text(w, RC_STR("model"), record->model);
    rc_record_json_text(w, RC_STR("credential"), record->credential);
    put_reason(w, record->reason);
    put_some(w, RC_STR("step"), record->step > 0 ? (uint64_t)record->step : 0);
    put_some(w, RC_STR("wait_ms"), record->wait_ms);
    put_failure(w, record);
    put_usage(w, record);
    if ((record->flags & RC_RECORD_COMMITTED) != 0)
        rc_json_member_bool(w, RC_STR("committed"), true);
    put_ids(w, record);
    const bool has_memory = put_report(w, record, options);
    rc_json_object_end(w);
    return has_memory;
}

/* ---- sums ---- */

static void put_times(rc_json_writer *w, rc_str key, const rc_histogram *histogram)
{
    if (histogram->count == 0)
        return;
    rc_json_key(w, key);
    rc_json_object_begin(w);
    put_number(w, RC_STR("p50"), rc_histogram_at(histogram, 500));
    put_number(w, RC_STR("p90"), rc_histogram_at(histogram, 900));
    put_number(w, RC_STR("p99"), rc_histogram_at(histogram, 990));
    put_number(w, RC_STR("max"), histogram->max_ms);
    rc_json_object_end(w);
}

static void put_classes(rc_json_writer *w, const rc_stats_group *group)
{
    if (group->failed == 0)
        return;
    rc_json_key(w, RC_STR("classes"));
    rc_json_object_begin(w);
    for (size_t i = 0; i < RC_STATS_CLASSES; i++) {
        const char *name = rc_class_name(rc_stats_class_at(i));
        if (name[0] != '\0')
            put_some(w, rc_str_c(name), group->classes[i]);
    }
    rc_json_object_end(w);
}

void rc_record_json_sums(rc_json_writer *w, const rc_stats_group *group)
{
    put_number(w, RC_STR("count"), group->count);
    put_some(w, RC_STR("succeeded"), group->succeeded);
    put_some(w, RC_STR("failed"), group->failed);
    put_some(w, RC_STR("cancelled"), group->cancelled);
    put_some(w, RC_STR("open"), group->open);
    put_some(w, RC_STR("faltered"), group->faltered);
    put_some(w, RC_STR("recovered"), group->recovered);
    put_some(w, RC_STR("attempts"), group->attempts);
    put_some(w, RC_STR("wasted"), group->wasted);
    put_some(w, RC_STR("tokens_in"), group->tokens_in);
    put_some(w, RC_STR("tokens_out"), group->tokens_out);
    if (group->cost_usd_micro > 0)
        rc_record_json_usd(w, RC_STR("cost_usd"), group->cost_usd_micro);
    if (group->estimated_usd_micro > 0)
        rc_record_json_usd(w, RC_STR("estimated_usd"), group->estimated_usd_micro);
    put_some(w, RC_STR("unpriced"), group->unpriced);
    put_times(w, RC_STR("latency_ms"), &group->latency);
    put_times(w, RC_STR("first_byte_ms"), &group->first_byte);
    put_classes(w, group);
}
