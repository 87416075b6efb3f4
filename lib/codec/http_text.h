/* rc_http_text: an HTTP response as people paste it.
 *
 *   HTTP/2 429                     curl -i, HTTPie, wget -S: a status line, headers, a blank line
 *   retry-after: 20
 *
 *   {"error": ...}                 the body: what is left
 *
 *   < HTTP/2 429                   curl -v: the same behind "< ", between lines of curl's own talk
 *   Status Code:                   a browser's list of headers: each name above its value
 *   429 Too Many Requests
 *
 * Of several responses in a row (100 Continue, a proxy's answer to CONNECT, redirects, one try
 * after the other) the last one counts. Lines end in LF or CRLF. Nothing is copied. */
#ifndef RC_CODEC_HTTP_TEXT_H
#define RC_CODEC_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/classify.h>
#include <recourse/str.h>

/* Headers beyond these are left out. */
#define RC_HTTP_TEXT_HEADERS_MAX 128

typedef struct rc_http_text {
    int status; /* 0: there are headers alone */
    size_t header_count;
    rc_header headers[RC_HTTP_TEXT_HEADERS_MAX];
    rc_str body;
    size_t responses; /* status lines that were found, the one that counts included */
} rc_http_text;

/* Finds the response in text. False: there is none, and *ret_http is not touched. Without a status
 * line it takes two headers or more in front of all else, one of them by a name that HTTP has. What
 * ret_http holds views text. */
bool rc_http_text_parse(rc_str text, rc_http_text *ret_http);

#endif
