/* Roles of JSON members in an error: spec/members.def lists the names of each role. */
#ifndef RC_CLASSIFY_UNWRAP_MEMBER_H
#define RC_CLASSIFY_UNWRAP_MEMBER_H

#include <recourse/str.h>

typedef enum rc_member_role {
    RC_MEMBER_OTHER = 0,
    RC_MEMBER_ERROR,
    RC_MEMBER_MERGE,
    RC_MEMBER_MESSAGE,
    RC_MEMBER_TITLE,
    RC_MEMBER_TYPE,
    RC_MEMBER_NAME,
    RC_MEMBER_CODE,
    RC_MEMBER_REASON,
    RC_MEMBER_PARAM,
    RC_MEMBER_STATUS,
    RC_MEMBER_RAW,
    RC_MEMBER_MODIFIER,
    RC_MEMBER_HEADERS,
    RC_MEMBER_REQUEST_ID,
    RC_MEMBER_FINISH,
    RC_MEMBER_ANSWER,
    RC_MEMBER_CONTENT,
    RC_MEMBER_REFUSAL,
    RC_MEMBER_FILTERED,
    RC_MEMBER_USAGE,
    RC_MEMBER_ECHO
} rc_member_role;

/* Returns the role of a member; RC_MEMBER_OTHER if the name is not listed. Letter case, the
 * characters _ - $ and blanks in the name are ignored. name: borrows during the call. */
rc_member_role rc_member_role_of(rc_str name);

#endif
