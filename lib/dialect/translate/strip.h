/* Removes seals from a request that goes to a target of the client's own dialect. Such a target has
 * made none of them, because only translated responses have seals, and the provider would refuse
 * them as foreign signatures. All other bytes of the request stay as they are. Called by the
 * gateway for untranslated attempts of routes whose targets have several dialects. */
#ifndef RC_DIALECT_TRANSLATE_STRIP_H
#define RC_DIALECT_TRANSLATE_STRIP_H

#include "dialect/translate/conversation.h"

/* Returns whether a request may contain a seal. The function only searches for the prefix. */
bool rc_strip_is_due(rc_str body);

/* Appends the request without the reasoning that has a seal:
 *
 *   messages   thinking blocks with a sealed signature. If their removal leaves an open loop of
 *              tool calls without the reasoning that began it, thinking of type enabled becomes
 *              disabled
 *   chat       extra_content with a sealed signature, and reasoning_content of the same message
 *   responses  reasoning items with a sealed encrypted_content
 *   gemini     thoughts with a sealed signature, and sealed signatures of other parts. The first
 *              call of a turn gets the signature that Gemini does not check
 *
 * dialect: of the request. body: borrows during the call. edits: memory for the list of changes;
 * its content is lost. ret_adapted: the RC_FEATURE_BITs to report; 0: nothing was removed. Returns
 * RC_E_SYNTAX or another status of rc_conversation_read if the body is malformed; the status of
 * `edits` or `buf` if one of them failed. */
rc_status rc_strip_seals(rc_dialect dialect, rc_str body, rc_buf *edits, rc_buf *buf,
                         uint64_t *ret_adapted);

#endif
