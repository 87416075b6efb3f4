/* rc_coding: how the body of a message is compressed, as Content-Encoding says (RFC 9110, section
 * 8.4). */
#ifndef RC_HTTP_CODING_H
#define RC_HTTP_CODING_H

#include "http/http1.h"

typedef enum rc_coding {
    RC_CODING_NONE = 0,
    RC_CODING_GZIP = 1,    /* x-gzip, too */
    RC_CODING_DEFLATE = 2, /* with zlib's head, as it should be, or without */
    RC_CODING_OTHER = 3    /* nothing that is read here, or one in another */
} rc_coding;

/* All lines of the head are looked at. reader, head: borrow. */
rc_coding rc_coding_of(const rc_http1 *reader, const char *head);

#endif
