/* Messages for users, made from the sentence of an error code (spec/errors.def) and the names of
 * provider and model. */
#ifndef RC_REPORT_MESSAGE_H
#define RC_REPORT_MESSAGE_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends the sentence with "the provider" replaced by the provider's name, and with the model's
 * name after "the model". Both phrases may begin with a capital letter. A phrase stays unchanged if
 * the name for it is empty. Returns the buffer's status. */
rc_status rc_message_push(rc_buf *buf, rc_str sentence, rc_str provider, rc_str model);

/* Maximum number of bytes of a provider's text in a message. */
#define RC_MESSAGE_DETAIL_MAX ((size_t)500)

/* Appends ": " and a provider's text as one line, so that the provider's text cannot imitate a line
 * of the report. A text longer than RC_MESSAGE_DETAIL_MAX is cut. If the text is empty, only "." is
 * appended. */
void rc_message_push_detail(rc_buf *buf, rc_str detail);

#endif
