/* Finds the opaque state of a call. Called by the request reader and the output reader of this
 * folder. */
#include "dialect/chat/call_state.h"

#include "json/members.h"

rc_str rc_chat_call_state(rc_str call)
{
    rc_json_raw_value extra;
    rc_json_raw_value google;
    if (!rc_json_member_find(call, RC_STR("extra_content"), &extra) || extra.first != '{' ||
        !rc_json_member_find(extra.raw, RC_STR("google"), &google) || google.first != '{')
        return rc_str_c(NULL);
    return rc_json_member_text(google.raw, RC_STR("thought_signature"));
}
