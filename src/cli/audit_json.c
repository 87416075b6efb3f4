/* Operations and records as JSON: what is not known is left out. */
#include <recourse/taxonomy.h>

#include "cli/audit.h"
#include "codec/datetime.h"
#include "store/key.h"

#define MICRO UINT64_C(1000000)

void rc_audit_json_text(rc_json_writer *w, rc_str key, rc_str text)
{
    if (text.len > 0)
        rc_json_member_string(w, key, text);
}

static void put_name(rc_json_writer *w, rc_str key, const char *name)
{
    rc_audit_json_text(w, key, rc_str_c(name));
}

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    if (number == 0)
        return;
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

static void put_known(rc_json_writer *w, rc_str key, int64_t number)
{
    if (number >= 0)
        rc_json_member_i64(w, key, number);
}

void rc_audit_json_time(rc_json_writer *w, rc_str key, int64_t unix_ms)
{
    char room[32];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof(room));
    rc_rfc3339_push(&text, unix_ms);
    rc_json_member_string(w, key, rc_buf_get(&text));
}

void rc_audit_json_usd(rc_json_writer *w, rc_str key, uint64_t micro_usd)
{
    char room[32];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof(room));
    rc_buf_push_u64(&text, micro_usd / MICRO);
    uint64_t rest = micro_usd % MICRO;
    if (rest > 0)
        rc_buf_push_byte(&text, '.');
    while (rest > 0) {
        rest *= 10;
        rc_buf_push_byte(&text, (char)('0' + rest / MICRO));
        rest %= MICRO;
    }
    rc_json_key(w, key);
    rc_json_raw(w, rc_buf_get(&text));
}

const rc_report *rc_audit_report(const rc_audit *audit, const rc_record *record)
{
    const rc_report *report = NULL;
    if (record->report_json.len == 0)
        return NULL;
    const rc_status status = rc_report_decode(record->report_json, RC_DECODE_TOLERANT,
                                              &audit->cli->alloc, &report, NULL);
    rc_audit_note_memory(audit, status != RC_E_NOMEM);
    return report;
}

/* Read and written again: what is in the file need not be JSON, and what is asked for need not be
 * all of it. */
static void put_report(const rc_audit *audit, rc_json_writer *w, const rc_record *record)
{
    rc_buf json;
    const rc_report *report = rc_audit_report(audit, record);
    if (report == NULL)
        return;
    rc_buf_init(&json, &audit->cli->alloc, 2 * RC_RECORD_REPORT_MAX);
    const rc_status status = rc_report_encode(report, audit->view, &json);
    rc_audit_note_memory(audit, status == RC_OK);
    if (status == RC_OK) {
        rc_json_key(w, RC_STR("report"));
        rc_json_raw(w, rc_buf_get(&json));
    }
    rc_buf_done(&json);
    rc_report_free(report);
}

static void put_failure(rc_json_writer *w, const rc_record *record)
{
    put_name(w, RC_STR("code"), rc_code_name(record->code));
    put_name(w, RC_STR("class"), rc_class_name(record->error_class));
    put_name(w, RC_STR("category"), rc_category_name(record->category));
    put_number(w, RC_STR("status"), record->status > 0 ? (uint64_t)record->status : 0);
}

static void put_usage(rc_json_writer *w, const rc_record *record)
{
    put_known(w, RC_STR("latency_ms"), record->latency_ms);
    put_known(w, RC_STR("first_byte_ms"), record->first_byte_ms);
    put_number(w, RC_STR("tokens_in"), record->tokens_in);
    put_number(w, RC_STR("tokens_out"), record->tokens_out);
    if ((record->flags & (RC_RECORD_MEASURED | RC_RECORD_ESTIMATED)) != 0)
        put_name(w, RC_STR("tokens_are"),
                 (record->flags & RC_RECORD_MEASURED) != 0 ? "measured" : "estimated");
    if (record->cost_usd_micro > 0)
        rc_audit_json_usd(w, RC_STR("cost_usd"), record->cost_usd_micro);
    put_number(w, RC_STR("bytes"), record->bytes);
}

static void put_ids(rc_json_writer *w, const rc_record *record)
{
    rc_audit_json_text(w, RC_STR("request_id"), record->request_id);
    rc_audit_json_text(w, RC_STR("report_id"), record->report_id);
    rc_audit_json_text(w, RC_STR("text"), record->text);
}

static void put_key(rc_json_writer *w, int64_t key)
{
    char room[RC_KEY_TEXT_LEN];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof(room));
    rc_key_push(&text, key);
    rc_json_member_string(w, RC_STR("key"), rc_buf_get(&text));
}

void rc_audit_json_operation(const rc_audit *audit, rc_json_writer *w, const rc_record *operation,
                             bool has_report)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("id"), operation->operation_id);
    put_key(w, operation->key);
    rc_audit_json_time(w, RC_STR("began"), rc_audit_began(operation));
    if (operation->outcome != RC_OUTCOME_OPEN)
        rc_audit_json_time(w, RC_STR("ended"), operation->unix_ms);
    rc_audit_json_text(w, RC_STR("client"), operation->client);
    rc_audit_json_text(w, RC_STR("route"), operation->route);
    rc_audit_json_text(w, RC_STR("model"), operation->model);
    rc_audit_json_text(w, RC_STR("target"), operation->target);
    rc_audit_json_text(w, RC_STR("provider"), operation->provider);
    rc_audit_json_text(w, RC_STR("credential"), operation->credential);
    put_name(w, RC_STR("outcome"), rc_outcome_name(operation->outcome));
    if (operation->has_recovered)
        rc_json_member_bool(w, RC_STR("recovered"), true);
    put_failure(w, operation);
    rc_json_key(w, RC_STR("attempts"));
    rc_json_u64(w, operation->attempt);
    put_usage(w, operation);
    rc_json_member_bool(w, RC_STR("streaming"), (operation->flags & RC_RECORD_STREAMING) != 0);
    rc_json_member_bool(w, RC_STR("committed"), (operation->flags & RC_RECORD_COMMITTED) != 0);
    put_ids(w, operation);
    if (has_report)
        put_report(audit, w, operation);
    rc_json_object_end(w);
}

void rc_audit_json_record(const rc_audit *audit, rc_json_writer *w, const rc_record *record,
                          bool has_report)
{
    rc_json_object_begin(w);
    put_name(w, RC_STR("kind"), rc_record_kind_name(record->kind));
    rc_json_key(w, RC_STR("seq"));
    rc_json_u64(w, record->seq);
    rc_audit_json_time(w, RC_STR("time"), record->unix_ms);
    rc_json_member_i64(w, RC_STR("at_ms"), record->at_ms);
    put_number(w, RC_STR("attempt"), record->attempt);
    rc_audit_json_text(w, RC_STR("target"), record->target);
    rc_audit_json_text(w, RC_STR("provider"), record->provider);
    rc_audit_json_text(w, RC_STR("model"), record->model);
    rc_audit_json_text(w, RC_STR("credential"), record->credential);
    put_name(w, RC_STR("reason"), rc_reason_name(record->reason));
    put_name(w, RC_STR("reason_text"),
             record->reason != RC_WHY_NONE ? rc_reason_text(record->reason) : "");
    put_number(w, RC_STR("step"), record->step > 0 ? (uint64_t)record->step : 0);
    put_number(w, RC_STR("wait_ms"), record->wait_ms);
    put_failure(w, record);
    put_usage(w, record);
    if ((record->flags & RC_RECORD_COMMITTED) != 0)
        rc_json_member_bool(w, RC_STR("committed"), true);
    put_ids(w, record);
    if (has_report)
        put_report(audit, w, record);
    rc_json_object_end(w);
}
