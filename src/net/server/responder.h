/* rc_responder: one request and the means to respond to it.
 *
 *   begin ─► write ... ─► end     a complete response; on_done follows
 *      └──────┴──────► abort      an incomplete response, which the client can detect
 *
 * Output written in one turn of the loop leaves in one system call, at the end of the turn or with
 * rc_responder_end. After end the responder stays valid until on_done or on_disconnect, but only
 * the getters may be called. After abort it must not be touched. */
#ifndef RC_NET_SERVER_RESPONDER_H
#define RC_NET_SERVER_RESPONDER_H

#include <recourse/classify.h>

#include "net/server/server.h"

typedef struct rc_response_head {
    int status;              /* HTTP status, 200 to 599. */
    const rc_header *fields; /* Header fields without Connection, Content-Length and
                              * Transfer-Encoding. */
    size_t field_count;
    /* With NO_BODY, "Content-Length: 0" is sent. For an HTTP/1.0 client UNTIL_CLOSE replaces
     * CHUNKED. */
    rc_http1_framing framing;
    uint64_t length; /* Body length if framing is LENGTH. */
} rc_response_head;

/* Begins the response; copies all. A response to HEAD, and one of status 204 or 304, has no body:
 * written bytes are dropped. RC_E_ARGUMENT, and nothing is sent: the response has begun already,
 * the status or a field name is not allowed, or a value has a control character. RC_OK is also
 * returned if the client has disconnected; further calls then do nothing and on_disconnect
 * follows. */
rc_status rc_responder_begin(rc_responder *responder, const rc_response_head *response);

/* Like rc_responder_begin, with a serialised head: status line and fields, each line with CR LF,
 * without the empty line and without Connection, Content-Length and Transfer-Encoding. lines:
 * copies, unchecked; the caller's parser has validated them. */
rc_status rc_responder_begin_raw(rc_responder *responder, int status, rc_str lines,
                                 rc_http1_framing framing, uint64_t length);

/* Appends to the body; copies the bytes that cannot be sent at once. False: the queue is full; the
 * handler should continue when on_drained is called. Writing more than the declared length ends in
 * RC_DISCONNECT_LENGTH. */
bool rc_responder_write(rc_responder *responder, rc_str bytes);

/* Like rc_responder_write, but borrows bytes until on_done or on_disconnect. For data that outlives
 * the response anyway. */
bool rc_responder_write_borrowed(rc_responder *responder, rc_str bytes);

/* Ends the response. A body shorter than its declared length is cut off: on_disconnect gets
 * RC_DISCONNECT_LENGTH. */
void rc_responder_end(rc_responder *responder);

/* Sends a whole response: begin, write, end. Copies all; returns the status of begin. */
rc_status rc_responder_send(rc_responder *responder, int status, const rc_header *fields,
                            size_t field_count, rc_str body);

/* Cuts the response and closes the connection. Written bytes of a response with a length or chunks
 * are still sent, without its end; with other framing the connection is reset. No callback
 * follows. */
void rc_responder_abort(rc_responder *responder);

/* Pauses and resumes on_body and on_body_end. TCP flow control stops the client once the buffers
 * are full. A client that waits for "100 Continue" gets it in the first turn in which the body is
 * not paused and no response has begun. */
void rc_responder_pause_body(rc_responder *responder);
void rc_responder_resume_body(rc_responder *responder);

/* Copies the head, so that it stays valid as long as the responder. Returns a view of the copy;
 * NULL: no memory. May be called only inside on_request. */
const char *rc_responder_keep_head(rc_responder *responder);
/* Returns a view of the request's parser, valid as long as the responder. */
const rc_http1 *rc_responder_reader(const rc_responder *responder);
const char *rc_responder_head(const rc_responder *responder); /* Returns a view of the head; NULL:
                                                               * rc_responder_keep_head was not
                                                               * called. */

/* A pointer for the handler's own use (borrows); NULL at first. */
void rc_responder_set_owner(rc_responder *responder, void *owner);
void *rc_responder_owner(const rc_responder *responder);

/* Whether the response has begun. */
bool rc_responder_has_begun(const rc_responder *responder);

/* Bytes of the response that the kernel has accepted, including head and framing. */
uint64_t rc_responder_sent_bytes(const rc_responder *responder);

/* Bytes that the client's system has not acknowledged: a reset would lose them. */
uint64_t rc_responder_unsent_bytes(const rc_responder *responder);

/* Writes the client's IP address as text into buf; empty for a unix socket. False: buf is too small
 * (46 bytes are enough). */
bool rc_responder_peer(const rc_responder *responder, char *buf, size_t size);

#endif
