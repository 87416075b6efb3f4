/* rc_request_fault: fills in code, status and text of a fault. Called by the files of this
 * folder; rc_request_fault_push by src/gateway/exchange. */
#include "gateway/request/fault.h"

#include <recourse/taxonomy.h>

#include "base/str.h"

static const struct {
    rc_code code;
    int status;
    const char *text;
} faults[] = {
#define ROW(ID, CODE, status, text) {RC_CODE_##CODE, status, text},
    RC_REQUEST_FAULTS(ROW)
#undef ROW
};

rc_request_fault rc_request_fault_make(rc_request_fault_kind kind, const char *name,
                                       const char *expected)
{
    int status = faults[kind].status;
    const rc_code_info *row = rc_code_get(faults[kind].code);
    if (status == 0 && row != NULL)
        status = row->http_status;
    return (rc_request_fault){kind, faults[kind].code, status, faults[kind].text, name, expected};
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
        rc_buf_push(text, RC_STR("; it should be "));
        rc_buf_push(text, rc_str_c(fault->expected));
    }
    rc_buf_push_byte(text, '.');
}
