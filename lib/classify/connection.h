/* Why connections fail: the rows of spec/connection.def, and what a report says of one. */
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
    bool is_lasting; /* for longer than retries go on */
    rc_user_action action;
    const char *advice;
    const char *text;          /* a clause */
    const char *message;       /* a sentence without its end; "": the code's own */
    const char *date_prefix;   /* stands before the certificate's day; "": no day */
    const char *limit_setting; /* the setting whose time ran out; "": it was not about time */
} rc_connection_info;

/* NULL: NONE, or a number that is not in the table. Static. */
const rc_connection_info *rc_connection_get(rc_connection_fault fault);

/* Message, advice and detail of a report whose code says that there was no connection, or that time
 * ran out. Others keep their own words, and get the detail where they have none. failure, verdict:
 * borrow. */
void rc_connection_describe(rc_builder *builder, const rc_failure *failure,
                            const rc_verdict *verdict);

/* The same of a call that ended at its deadline: one of the DEADLINE_ reasons, and how long it was.
 */
void rc_connection_describe_deadline(rc_builder *builder, rc_connection_fault fault,
                                     int64_t limit_ms);

/* A time limit as it was set, for people: "30s", "1500ms". Nothing is rounded. */
void rc_connection_push_limit(rc_buf *buf, int64_t limit_ms);

#endif
