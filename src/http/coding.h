/* rc_coding: the compression of a message's body, as Content-Encoding states it (RFC 9110, section
 * 8.4). */
#ifndef RC_HTTP_CODING_H
#define RC_HTTP_CODING_H

#include "http/http1.h"

typedef enum rc_coding {
    RC_CODING_NONE = 0,
    RC_CODING_GZIP = 1,    /* Content-Encoding gzip or x-gzip. */
    RC_CODING_DEFLATE = 2, /* Deflate with zlib's header, as RFC 9110 requires, or without it. */
    RC_CODING_OTHER = 3    /* A coding that is not supported, or several codings. */
} rc_coding;

/* Returns the coding that results from all Content-Encoding lines of the head. reader, head:
 * borrows during the call. */
rc_coding rc_coding_of(const rc_http1 *reader, const char *head);

#endif
