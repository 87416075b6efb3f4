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
 * reason (borrows) is why the error may be ignored; an empty one is written as "no reason given",
 * which tests and reviewers search for. report: borrows. Returns the buffer's status. */
RC_API rc_status rc_suppressed_encode(const rc_report *report, rc_str reason, uint64_t seq,
                                      int64_t now_unix_ms, rc_buf *buf);

RC_END_DECLS

#endif
