/* rc_partial: a result of which a part failed: the payload in its declared shape, plus a typed
 * error an item. An error is never blended into a success. */
#ifndef RECOURSE_PARTIAL_H
#define RECOURSE_PARTIAL_H

#include <stddef.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/json.h>
#include <recourse/report.h>
#include <recourse/status.h>

RC_BEGIN_DECLS

/* One item that failed. */
typedef struct rc_item_error {
    rc_str item; /* which: a URL, an index, a name */
    const rc_report *report;
} rc_item_error;

/* Appends {"payload":…,"errors":[{"item","error":{report}}]}. payload_json (borrows) must be one
 * JSON value: RC_E_SYNTAX, RC_E_TRUNCATED or RC_E_TOO_DEEP when it is not, and then nothing is
 * appended; it passes the scrubber no more than any success does. RC_E_ARGUMENT: an entry without a
 * report. Else the buffer's status. */
RC_API rc_status rc_partial_encode(rc_str payload_json, const rc_item_error *errors, size_t count,
                                   rc_view view, rc_buf *buf);

RC_END_DECLS

#endif
