/* User messages made from the taxonomy's sentences and the names of provider and model. */
#ifndef RC_REPORT_MESSAGE_H
#define RC_REPORT_MESSAGE_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends the sentence. Replaces "the provider" by the provider's name and adds the model's name
 * after "the model"; both phrases are found capitalised or not. If a name is empty, its phrase
 * stays unchanged. Returns the buffer's status. */
rc_status rc_message_push(rc_buf *buf, rc_str sentence, rc_str provider, rc_str model);

/* Maximum bytes of a provider's text in a message. */
#define RC_MESSAGE_DETAIL_MAX ((size_t)500)

/* Appends ": " and a provider's text as one line, so that it cannot imitate a line of ours; a long
 * text is cut. An empty text appends ".". */
void rc_message_push_detail(rc_buf *buf, rc_str detail);

#endif
