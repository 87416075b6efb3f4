/* rc_request_fault: fills in code, status and text of a fault. Called by the files of this
 * folder. */
#include "gateway/request/fault.h"

#include <recourse/taxonomy.h>

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
