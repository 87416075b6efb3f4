/* rc_request_fault: sets the outcome and text of a fault, and appends a fault to a message. Called
 * by the files of this folder; rc_request_fault_push by src/gateway/exchange. */
#include "gateway/request/fault.h"

#include "base/str.h"

static const struct {
    rc_local_outcome outcome;
    const char *clause;
} faults[] = {
    [RC_REQUEST_FAULT_NONE] = {.clause = ""},
#define RC_REQUEST_FAULT(ID, CODE, status, clause) \
    [RC_REQUEST_FAULT_##ID] = {RC_LOCAL_FAULT_##ID, clause},
#include "spec/outcomes.def"
};

rc_request_fault rc_request_fault_make(rc_request_fault_kind kind, const char *name,
                                       const char *expected)
{
    return (rc_request_fault){
        .kind = kind,
        .outcome = faults[kind].outcome,
        .text = faults[kind].clause,
        .name = name,
        .expected = expected,
    };
}

void rc_request_fault_push(rc_buf *text, const rc_request_fault *fault)
{
    rc_str clause = rc_str_c(fault->text);
    if (fault->name[0] != '\0') {
        rc_buf_push(text, rc_str_c(fault->name));
        rc_buf_push(text, RC_STR(": "));
    } else if (rc_str_starts_with(clause, RC_STR("t"))) {
        rc_buf_push_byte(text, 'T');
        clause = rc_str_slice(clause, 1, clause.len);
    }
    rc_buf_push(text, clause);
    if (fault->expected[0] != '\0') {
        rc_buf_push(text, RC_STR("; expected: "));
        rc_buf_push(text, rc_str_c(fault->expected));
    }
    rc_buf_push_byte(text, '.');
}
