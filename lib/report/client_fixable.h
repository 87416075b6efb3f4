/* Failures that a client can end by changing its request. Only for these failures does a client see
 * the provider's own texts and names. In all other cases the provider's text is not shown to
 * clients, because it may describe the operator's accounts and servers. */
#ifndef RC_REPORT_CLIENT_FIXABLE_H
#define RC_REPORT_CLIENT_FIXABLE_H

#include <stdbool.h>

#include <recourse/codes.h>

/* Returns whether the code is about a limit, quota or permission of the operator's account. For
 * such a code, clients see the provider's sentence ("Limit: 60 / min") without the names in it that
 * identify the account. */
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
