/* Declarations that the two readers of cases (case.c, case_plain.c) share. */
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

/* Returns the member of a case for a key. name: the key without escapes. */
rc_case_member rc_case_member_of(rc_str name);

/* Reads a valid case without unusual forms. Returns false for any other text; the caller must then
 * discard the partial result. Before the call c must be cleared, and c->text must have capacity for
 * the whole text. */
bool rc_case_read_plain(rc_case *c, rc_str json);

#endif
