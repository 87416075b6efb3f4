/* What a head must be, beyond what llhttp asks for. */
#ifndef RC_HTTP_HTTP1_HEAD_H
#define RC_HTTP_HTTP1_HEAD_H

#include "http/http1.h"

/* Checks a head that llhttp has read and sets framing, length and is_kept_alive. */
rc_http1_fault rc_http1_check_head(rc_http1 *reader, const char *head);

/* A response that has no body whatever its head says. */
bool rc_http1_has_no_body(const rc_http1 *reader);

#endif
