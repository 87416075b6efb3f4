/* rc_http_text: parses an HTTP response that a person has pasted.
 *
 *   HTTP/2 429                     curl -i, HTTPie, wget -S: a status line, headers, a blank line
 *   retry-after: 20
 *
 *   {"error": ...}                 the body: the remaining text
 *
 *   < HTTP/2 429                   curl -v: the same after "< ", between messages of curl
 *   Status Code:                   a browser's list of headers: each name above its value
 *   429 Too Many Requests
 *
 * If the text has several responses (100 Continue, a proxy's response to CONNECT, redirects,
 * repeated attempts), the last one is parsed. Lines end in LF or CRLF. The result consists of views
 * of the text. */
#ifndef RC_CODEC_HTTP_TEXT_H
#define RC_CODEC_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/classify.h>
#include <recourse/str.h>

/* Maximum number of headers that are read; further headers are ignored. */
#define RC_HTTP_TEXT_HEADERS_MAX 128

typedef struct rc_http_text {
    int status; /* HTTP status; 0: the text has only headers */
    size_t header_count;
    rc_header headers[RC_HTTP_TEXT_HEADERS_MAX];
    rc_str body;
    size_t responses; /* number of status lines in the text */
} rc_http_text;

/* Finds the last response in text. If no line is a status line, the text must begin with at least
 * two headers, and one of them must be a known HTTP header. Returns false, without changing
 * *ret_http, if the text contains no response. The result views text. */
bool rc_http_text_parse(rc_str text, rc_http_text *ret_http);

#endif
