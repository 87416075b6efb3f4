/* Connection faults: the rows of spec/connection.def (why a connection to a provider failed), and
 * the text that a report says about each. */
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
    bool is_lasting; /* The fault outlasts the retries of one call. */
    rc_user_action action;
    const char *advice;
    const char *text;          /* A clause for the report's detail. */
    const char *message;       /* A sentence without its full stop; "": use the code's message. */
    const char *date_prefix;   /* Text before the certificate's date; "": no date. */
    const char *limit_setting; /* Name of the timeout setting that expired; "": no timeout. */
} rc_connection_info;

/* Finds a fault's row. Gives static data; NULL for RC_CONNECTION_NONE and for numbers outside the
 * table. */
const rc_connection_info *rc_connection_get(rc_connection_fault fault);

/* Describes the failure's connection fault in the report; does nothing if the failure has none.
 * Sets the detail unless the verdict has a message of the provider. Sets message and advice from
 * the fault's row if the code means only a failed connection or an expired timeout, or if a timeout
 * ended a stream. OutcomeUnknown after a timeout keeps its message, with a sentence about the
 * timeout added. Other codes keep message and advice. failure, verdict: borrow. */
void rc_connection_describe(rc_builder *builder, const rc_failure *failure,
                            const rc_verdict *verdict);

/* Sets message, advice and detail of a call that ended at its deadline. fault: one of the DEADLINE_
 * rows; limit_ms: the deadline's length. */
void rc_connection_describe_deadline(rc_builder *builder, rc_connection_fault fault,
                                     int64_t limit_ms);

/* Appends a time limit in readable form, without rounding: "30s", "1500ms". */
void rc_connection_push_limit(rc_buf *buf, int64_t limit_ms);

#endif
