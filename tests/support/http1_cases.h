/* Ambiguous or malformed requests, for all tests that parse requests. */
#ifndef RC_TEST_HTTP1_CASES_H
#define RC_TEST_HTTP1_CASES_H

#include <stddef.h>

#include "http/http1.h"

#define GOOD "POST / HTTP/1.1\r\nHost: a\r\n"

/* Ambiguous or malformed requests. Neither these requests nor the bytes after them may be parsed as
 * a message. */
static const struct {
    const char *bytes;
    size_t len;
    rc_http1_fault fault; /* The expected fault; NONE: any fault. */
} bad_requests[] = {
#define BAD(fault, text)                               \
    {                                                  \
        text, sizeof(text) - 1, RC_HTTP1_FAULT_##fault \
    }
    BAD(LENGTH_AND_CODING, GOOD "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    BAD(LENGTH_AND_CODING, GOOD "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
    BAD(LENGTH_REPEATED, GOOD "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde"),
    BAD(LENGTH_REPEATED, GOOD "Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: 4, 4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: +4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: -4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: 0x4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: 4 4\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length:\r\n\r\nabcd"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: 99999999999999999999\r\n\r\n"),
    BAD(LENGTH_INVALID, GOOD "Content-Length: 9999999999999999999\r\n\r\n"),
    BAD(NONE, GOOD "Content-Length : 4\r\n\r\nabcd"),
    BAD(NONE, GOOD "Content-Length\t: 4\r\n\r\nabcd"),
    BAD(NONE, GOOD " Content-Length: 4\r\n\r\nabcd"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: identity\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: \x0b"
                   "chunked\r\n\r\n0\r\n\r\n"),
    BAD(CODING_OF_1_0, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "X: a\r\n b\r\n\r\n"),
    BAD(NONE, GOOD "X:\r\n\tb\r\n\r\n"),
    BAD(NONE, GOOD "X: a\n\r\n"),
    BAD(NONE, GOOD "X: a\r\r\n\r\n"),
    BAD(NONE, GOOD "X: a\rY: b\r\n\r\n"),
    BAD(NONE, GOOD "X: a\0b\r\n\r\n"),
    BAD(NONE, GOOD "X: a\x01"
                   "b\r\n\r\n"),
    BAD(NONE, GOOD "X: a\x7f"
                   "b\r\n\r\n"),
    BAD(NONE, GOOD "X\0Y: a\r\n\r\n"),
    BAD(NONE, GOOD "X Y: a\r\n\r\n"),
    BAD(NONE, GOOD "X(Y): a\r\n\r\n"),
    BAD(NONE, GOOD ": a\r\n\r\n"),
    BAD(NONE, GOOD "X\r\n\r\n"),
    BAD(NONE, "POST / HTTP/1.1\nHost: a\n\n"),
    BAD(NONE, "POST / HTTP/1.1\r\nHost: a\n\r\n"),
    BAD(NONE, "POST / HTTP/1.1\nHost: a\r\n\r\n"),
    BAD(HOST_MISSING, "POST / HTTP/1.1\r\n\r\n"),
    BAD(HOST_INVALID, GOOD "Host: b\r\n\r\n"),
    BAD(HOST_INVALID, GOOD "host: a\r\n\r\n"),
    BAD(HOST_INVALID, "POST / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    BAD(HOST_INVALID, "POST / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    BAD(HOST_INVALID, "POST / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    BAD(HOST_INVALID, "POST / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    BAD(HOST_INVALID, "POST / HTTP/1.1\r\nHost:\r\n\r\n"),
    BAD(HOST_DIFFERS, "POST http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(HOST_DIFFERS, "POST http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(HOST_MISSING, "POST http://a/ HTTP/1.1\r\n\r\n"),
    BAD(HOST_INVALID, "POST http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST https://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http://a?b HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http://a/b#c HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http:/a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http:// HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST http:///b HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(TARGET, "POST xttp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST //b/ HTTP/2.0\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST * HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /#f HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /\x80 HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /a\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /  HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST / HTTP/1.1 \r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST / HTTP/1.2\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST / HTTP/0.9\r\n\r\n"),
    BAD(NONE, "POST / http/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST / HTTP/1.10\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST / HTTP/01.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "POST /\r\nHost: a\r\n\r\n"),
    BAD(NONE, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    BAD(METHOD, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "post / HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    BAD(NONE, " POST / HTTP/1.1\r\nHost: a\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n 5\r\nhello\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n\r\n0\r\n\r\n"),
    BAD(NONE, GOOD "Transfer-Encoding: chunked\r\n\r\n5;a=\n\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5;a=\"\x7f\"\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5;\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5;a=\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5;=b\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5;a=b;\r\nhello\r\n0\r\n\r\n"),
    BAD(CHUNK, GOOD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0;a=\r\n\r\n"),
#define CHUNKED GOOD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    BAD(TRAILER, CHUNKED "\n"),
    BAD(TRAILER, CHUNKED "X: a\r\n b\r\n\r\n"),
    BAD(NONE, CHUNKED "X: a\n\r\n"),
    BAD(NONE, CHUNKED "X: a\rY: b\r\n\r\n"),
    BAD(TRAILER, CHUNKED ": a\r\n\r\n"),
    BAD(NONE, CHUNKED " X: a\r\n\r\n"),
    BAD(TRAILER, CHUNKED "Host: b\r\n\r\n"),
    BAD(TRAILER, CHUNKED "Content-Length: 5\r\n\r\n"),
    BAD(NONE, CHUNKED "Transfer-Encoding: chunked\r\n\r\n"),
#undef CHUNKED
#undef BAD
};

#endif
