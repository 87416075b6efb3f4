/* rc_partial: a result of which some items failed.
 *
 * The payload (the items that succeeded) keeps its declared shape, and a separate list has one
 * report for each failed item. An error never appears inside the payload. */
#ifndef RECOURSE_PARTIAL_H
#define RECOURSE_PARTIAL_H

#include <stddef.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/json.h>
#include <recourse/report.h>
#include <recourse/status.h>

RC_BEGIN_DECLS

/* One failed item and its report. */
typedef struct rc_item_error {
    rc_str item; /* URL, index or name of the item */
    const rc_report *report;
} rc_item_error;

/* Appends {"payload":…,"errors":[{"item","error":{report}}]} to `buf` and returns the buffer's
 * status. `payload_json` must be one JSON value; otherwise nothing is appended, and the result is
 * RC_E_SYNTAX, RC_E_TRUNCATED or RC_E_TOO_DEEP. Secrets are not removed from the payload, because
 * it is a successful result. The result is RC_E_ARGUMENT if one of `errors` has no report.
 * payload_json, errors: borrows during the call. */
RC_API rc_status rc_partial_encode(rc_str payload_json, const rc_item_error *errors, size_t count,
                                   rc_view view, rc_buf *buf);

RC_END_DECLS

#endif
