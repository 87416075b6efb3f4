/* Connection faults: the rows of spec/connection.def (why a connection to a provider failed), and
 * the texts of a report about each of them. */
#ifndef RC_CLASSIFY_CONNECTION_H
#define RC_CLASSIFY_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/builder.h>
#include <recourse/classify.h>

typedef struct rc_connection_info {
    rc_connection_fault fault;
    const char *name;
    rc_transport transport;
    bool is_lasting; /* The fault will still exist when the call retries. */
    rc_user_action action;
    const char *advice;
    const char *text;          /* A clause that describes the fault, for the report's detail. */
    const char *message;       /* A sentence that describes the fault, without its full stop; "":
                                  the message of the error code is used. */
    const char *date_prefix;   /* Text before the date on which the certificate expired; "" if the
                                  message has no date. */
    const char *limit_setting; /* Name of the timeout setting that expired; "" if the fault is not a
                                  timeout. */
} rc_connection_info;

/* Returns the fault's row, which is static; NULL if `fault` is RC_CONNECTION_NONE or not in the
 * table. */
const rc_connection_info *rc_connection_get(rc_connection_fault fault);

/* Describes the failure's connection fault in the report; does nothing if the failure has no
 * connection fault. Sets the report's detail unless the verdict has a message of the provider. Sets
 * message and advice from the fault's row if the verdict's code means only a failed connection or
 * an expired timeout, or if a timeout ended a stream. If the code is OutcomeUnknown and a timeout
 * expired, a sentence about the timeout is added to the code's message. For other codes, message
 * and advice stay as they are. failure, verdict: borrows during the call. */
void rc_connection_describe(rc_builder *builder, const rc_failure *failure,
                            const rc_verdict *verdict);

/* Sets message, advice and detail of the report of a call that ended at its deadline. `fault` is
 * one of the faults named RC_CONNECTION_DEADLINE_...; `limit_ms` is the deadline's length. */
void rc_connection_describe_deadline(rc_builder *builder, rc_connection_fault fault,
                                     int64_t limit_ms);

/* Appends a time limit without rounding: "30s", "1500ms". */
void rc_connection_push_limit(rc_buf *buf, int64_t limit_ms);

#endif
