/* rc_responder: one request, and the functions to respond to it.
 *
 *   begin ─► write ... ─► end     a complete response; on_done follows
 *      └──────┴──────► abort      an incomplete response, which the client can detect
 *
 * The output of one iteration of the event loop is sent with one system call, at the end of the
 * iteration or in rc_responder_end. After rc_responder_end the responder stays valid until on_done
 * or on_disconnect, but only the getters may be called. After rc_responder_abort the responder must
 * not be used. */
#ifndef RC_NET_SERVER_RESPONDER_H
#define RC_NET_SERVER_RESPONDER_H

#include <recourse/classify.h>

#include "net/server/server.h"

typedef struct rc_response_head {
    int status;              /* HTTP status, 200 to 599. */
    const rc_header *fields; /* Header fields without Connection, Content-Length and
                              * Transfer-Encoding. */
    size_t field_count;
    /* With RC_HTTP1_NO_BODY the server sends "Content-Length: 0". For an HTTP/1.0 client,
     * RC_HTTP1_UNTIL_CLOSE replaces RC_HTTP1_CHUNKED. */
    rc_http1_framing framing;
    uint64_t length; /* Body length if framing is RC_HTTP1_LENGTH. */
} rc_response_head;

/* Begins the response. A response to HEAD, or with the status 204 or 304, has no body, and written
 * bytes are dropped. Returns RC_E_ARGUMENT and sends nothing if the response has begun already, the
 * status or a field name is not allowed, or a value has a control character. If the client has
 * disconnected, the function returns RC_OK, further calls do nothing, and on_disconnect follows.
 * response: copies. */
rc_status rc_responder_begin(rc_responder *responder, const rc_response_head *response);

/* Begins the response as rc_responder_begin does, with a serialised head. `lines` has the status
 * line and the fields, each line with CR LF, without the empty line and without Connection,
 * Content-Length and Transfer-Encoding. The lines are not checked; the caller must have checked
 * them. lines: copies. */
rc_status rc_responder_begin_raw(rc_responder *responder, int status, rc_str lines,
                                 rc_http1_framing framing, uint64_t length);

/* Appends to the body. Returns false if the queue is now full; the handler should continue when
 * on_drained is called. If the handler writes more than the declared length, the request ends with
 * RC_DISCONNECT_LENGTH. bytes: copies the bytes that cannot be sent at once. */
bool rc_responder_write(rc_responder *responder, rc_str bytes);

/* Appends to the body as rc_responder_write does, but without copying. bytes: borrows until on_done
 * or on_disconnect. */
bool rc_responder_write_borrowed(rc_responder *responder, rc_str bytes);

/* Ends the response. If the body is shorter than its declared length, the response is cut off and
 * on_disconnect gets RC_DISCONNECT_LENGTH. */
void rc_responder_end(rc_responder *responder);

/* Sends a whole response: begins, writes and ends it. Returns the status of rc_responder_begin.
 * fields, body: copies. */
rc_status rc_responder_send(rc_responder *responder, int status, const rc_header *fields,
                            size_t field_count, rc_str body);

/* Cuts the response off and closes the connection; no callback follows. If the response has a
 * length or chunks, the bytes written so far are still sent, but the end of the response is not.
 * With any other framing the connection is reset. */
void rc_responder_abort(rc_responder *responder);

/* rc_responder_pause_body stops calls of on_body and on_body_end, rc_responder_resume_body restarts
 * them. TCP flow control stops the client when the buffers are full. A client that waits for "100
 * Continue" gets this response in the first loop iteration in which the body is not paused and no
 * response has begun. */
void rc_responder_pause_body(rc_responder *responder);
void rc_responder_resume_body(rc_responder *responder);

/* Copies the request's head, so that it stays valid as long as the responder. Returns a view of the
 * copy, or NULL if there is no memory. May be called only inside on_request. */
const char *rc_responder_keep_head(rc_responder *responder);
/* Returns a view of the request's parser, valid as long as the responder. */
const rc_http1 *rc_responder_reader(const rc_responder *responder);
/* Returns a view of the request's head, or NULL if rc_responder_keep_head was not called. */
const char *rc_responder_head(const rc_responder *responder);

/* rc_responder_set_owner stores a pointer for the handler's own use, rc_responder_owner returns it.
 * The pointer is NULL at first. owner: borrows until the responder ends. */
void rc_responder_set_owner(rc_responder *responder, void *owner);
void *rc_responder_owner(const rc_responder *responder);

/* Returns whether the response has begun. */
bool rc_responder_has_begun(const rc_responder *responder);

/* Returns the number of bytes of the response, including head and framing, that the kernel has
 * accepted. */
uint64_t rc_responder_sent_bytes(const rc_responder *responder);

/* Returns the number of sent bytes that the client's system has not acknowledged. A reset would
 * lose these bytes. */
uint64_t rc_responder_unsent_bytes(const rc_responder *responder);

/* Writes the client's IP address as text into `buf`, or "" for a unix socket. Returns false if
 * `buf` is too small; 46 bytes are enough. */
bool rc_responder_peer(const rc_responder *responder, char *buf, size_t size);

#endif
