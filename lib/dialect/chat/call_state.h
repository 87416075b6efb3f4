/* The opaque state of a call in OpenAI's Chat Completions API. */
#ifndef RC_DIALECT_CHAT_CALL_STATE_H
#define RC_DIALECT_CHAT_CALL_STATE_H

#include <recourse/str.h>

/* Returns the opaque state of a call, an object of the list "tool_calls". Gemini's
 * OpenAI-compatible endpoint and this gateway send the state in
 * extra_content.google.thought_signature. The result views the call, as written in JSON; empty if
 * the call has no state. */
rc_str rc_chat_call_state(rc_str call);

#endif
