/* SuppressedError: the event for an error that is ignored on purpose. Code that ignores an error
 * must write this event. */
#ifndef RECOURSE_SUPPRESSED_H
#define RECOURSE_SUPPRESSED_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/report.h>

RC_BEGIN_DECLS

/* Appends one line of JSON and a newline:
 *
 *   {"type":"SuppressedError","seq","time","correlation_id","reason","error":{internal view}}
 *
 * `reason` is the reason for which the error may be ignored. An empty reason is written as "no
 * reason given", a text that tests and reviewers search for. report, reason: borrows during the
 * call. Returns the buffer's status. */
RC_API rc_status rc_suppressed_encode(const rc_report *report, rc_str reason, uint64_t seq,
                                      int64_t now_unix_ms, rc_buf *buf);

RC_END_DECLS

#endif
