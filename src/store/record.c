/* Names of kinds and outcomes, and checks of audit records. Called by the store, the gateway, the
 * audit commands and the admin API. */
#include "store/record.h"

#include <string.h>

#include <recourse/id.h>

void rc_record_init(rc_record *record, rc_record_kind kind)
{
    memset(record, 0, sizeof(*record));
    record->kind = kind;
    record->latency_ms = -1;
    record->first_byte_ms = -1;
}

const char *rc_record_kind_name(rc_record_kind kind)
{
    switch (kind) {
    case RC_RECORD_NONE:
        break;
#define RC_AUDIT_KIND(number, ID, name, text) \
    case RC_RECORD_##ID:                      \
        return name;
#include "spec/audit.def"
    }
    return "unknown";
}

rc_record_kind rc_record_kind_parse(rc_str name)
{
#define RC_AUDIT_KIND(number, ID, text_name, text) \
    if (rc_str_eq(name, RC_STR(text_name)))        \
        return RC_RECORD_##ID;
#include "spec/audit.def"
    return RC_RECORD_NONE;
}

const char *rc_outcome_name(rc_outcome outcome)
{
    switch (outcome) {
#define RC_AUDIT_OUTCOME(number, ID, name, text) \
    case RC_OUTCOME_##ID:                        \
        return name;
#include "spec/audit.def"
    }
    return "unknown";
}

bool rc_outcome_parse(rc_str name, rc_outcome *ret_outcome)
{
#define RC_AUDIT_OUTCOME(number, ID, text_name, text) \
    if (rc_str_eq(name, RC_STR(text_name))) {         \
        *ret_outcome = RC_OUTCOME_##ID;               \
        return true;                                  \
    }
#include "spec/audit.def"
    return false;
}

rc_outcome rc_record_attempt_outcome(rc_code code, rc_error_class error_class, rc_outcome operation,
                                     bool is_there)
{
    if (code != RC_CODE_NONE)
        return error_class == RC_CLASS_CANCELLATION ? RC_OUTCOME_CANCELLED : RC_OUTCOME_FAILED;
    if (operation == RC_OUTCOME_OPEN)
        return RC_OUTCOME_OPEN;
    return operation == RC_OUTCOME_SUCCEEDED && is_there ? RC_OUTCOME_SUCCEEDED
                                                         : RC_OUTCOME_CANCELLED;
}

static bool is_kind(rc_record_kind kind)
{
    return kind > RC_RECORD_NONE && kind <= RC_RECORD_QUOTA;
}

/* Returns whether the number fits into the signed 64-bit numbers of the file. */
static bool fits(uint64_t number)
{
    return number <= INT64_MAX;
}

static rc_status check(const rc_record *record)
{
    if (!is_kind(record->kind) || record->outcome > RC_OUTCOME_NOTICE)
        return RC_E_ARGUMENT;
    if (record->unix_ms < 0 || record->unix_ms >= INT64_C(1) << 48 || !fits(record->wait_ms) ||
        !fits(record->tokens_in) || !fits(record->tokens_out) || !fits(record->cost_usd_micro) ||
        !fits(record->bytes))
        return RC_E_RANGE;
    return RC_OK;
}

const char *rc_record_token_basis(const rc_record *record)
{
    const bool is_measured = (record->flags & RC_RECORD_MEASURED) != 0;
    if ((record->flags & RC_RECORD_ESTIMATED) != 0)
        return is_measured ? "partly_estimated" : "estimated";
    return is_measured ? "measured" : "";
}

rc_status rc_records_check(const rc_record *records, size_t count)
{
    int64_t made_unix_ms = 0;
    for (size_t i = 0; i < count; i++) {
        rc_status status = check(&records[i]);
        if (status != RC_OK)
            return status;
        if (i > 0 && rc_str_eq(records[i].operation_id, records[i - 1].operation_id))
            continue;
        if (rc_id_time(records[i].operation_id, &made_unix_ms) != RC_OK)
            return RC_E_SYNTAX;
    }
    return RC_OK;
}
