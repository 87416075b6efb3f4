/* Failures that whoever asked can end by changing something: what the provider says of them, and
 * what it calls them, is theirs to read. Of all others it speaks of accounts and servers. */
#ifndef RC_REPORT_CLIENT_FIXABLE_H
#define RC_REPORT_CLIENT_FIXABLE_H

#include <stdbool.h>

#include <recourse/codes.h>

/* Limits, quotas and permissions of the operator's account: the provider's sentence ("Limit: 60 /
 * min") is told, without the names of the account. */
static inline bool rc_code_is_account_limit(rc_code code)
{
    return code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED ||
           code == RC_CODE_PERMISSION_DENIED;
}

static inline bool rc_user_action_is_client_fixable(rc_user_action action)
{
    return action == RC_ACTION_FIX_REQUEST || action == RC_ACTION_SHORTEN_INPUT ||
           action == RC_ACTION_REVISE_CONTENT || action == RC_ACTION_CHECK_MODEL;
}

#endif
