/* What the two readers of cases share. */
#ifndef RC_CLI_EXPLAIN_CASE_PARTS_H
#define RC_CLI_EXPLAIN_CASE_PARTS_H

#include "cli/explain/case.h"

#define RC_CASE_STATUS_MAX 999
#define RC_CASE_EXIT_STATUS_MAX 255
#define RC_CASE_CONTEXT_WINDOW_MAX 1000000000

typedef enum rc_case_member {
    RC_CASE_ID,
    RC_CASE_PROVIDER,
    RC_CASE_MODEL,
    RC_CASE_FAMILY,
    RC_CASE_STATUS,
    RC_CASE_HEADERS,
    RC_CASE_BODY,
    RC_CASE_EVENT,
    RC_CASE_TRANSPORT,
    RC_CASE_PHASE,
    RC_CASE_REPLAYABLE,
    RC_CASE_EXIT_STATUS,
    RC_CASE_CONTEXT_WINDOW,
    RC_CASE_OTHER
} rc_case_member;

/* The member of that name (its value, without escapes). */
rc_case_member rc_case_member_of(rc_str name);

/* Reads a case that is as it should be. False: it is not, or not quite, and what was read so far
 * counts for nothing. The case was cleared and c->text has room for the text. */
bool rc_case_read_plain(rc_case *c, rc_str json);

#endif
