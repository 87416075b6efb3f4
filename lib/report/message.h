/* The table's sentences, told of the provider and model at hand. */
#ifndef RC_REPORT_MESSAGE_H
#define RC_REPORT_MESSAGE_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends the sentence with "the provider" replaced by the provider's name and the model's name put
 * behind "the model", capitalised or not. Empty names leave the words as they are. Returns the
 * buffer's status. */
rc_status rc_message_push(rc_buf *buf, rc_str sentence, rc_str provider, rc_str model);

/* What of a provider's words goes into a message. */
#define RC_MESSAGE_DETAIL_MAX ((size_t)500)

/* Appends ": " and what a provider says, in one line, so that none of it can pass for a line of
 * ours; of a long text the beginning. A point when it says nothing. */
void rc_message_push_detail(rc_buf *buf, rc_str detail);

#endif
