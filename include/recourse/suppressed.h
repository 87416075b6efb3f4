/* SuppressedError: the event that is sent when an error is ignored on purpose. There is no other
 * way to ignore one. */
#ifndef RECOURSE_SUPPRESSED_H
#define RECOURSE_SUPPRESSED_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/report.h>

RC_BEGIN_DECLS

/* Appends one line of JSON, a newline behind it:
 * {"type":"SuppressedError","seq","time","correlation_id","reason", "error":{report, internal
 * view}}. reason (borrows) says why it may be ignored; an empty one is written as "no reason
 * given", which tests and reviewers look for. The buffer's status. */
RC_API rc_status rc_suppressed_encode(const rc_report *report, rc_str reason, uint64_t seq,
                                      int64_t now_unix_ms, rc_buf *buf);

RC_END_DECLS

#endif
