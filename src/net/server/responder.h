/* rc_responder: one request, seen by the one who answers it.
 *
 *   begin ─► write ... ─► end     a whole answer; on_done follows
 *      └──────┴──────► abort      a cut one: the client can tell
 *
 * What is written in one turn of the loop leaves in one system call, at the end of the turn or with
 * rc_responder_end. After end the exchange still belongs to the handler until on_done or on_gone,
 * but takes no more calls except the getters. After abort it must not be touched. */
#ifndef RC_NET_SERVER_RESPONDER_H
#define RC_NET_SERVER_RESPONDER_H

#include <recourse/classify.h>

#include "net/server/server.h"

typedef struct rc_response_head {
    int status;              /* 200 to 599 */
    const rc_header *fields; /* without Connection, Content-Length, Transfer-Encoding */
    size_t field_count;
    /* NO_BODY is a length of 0. A client of HTTP/1.0 gets UNTIL_CLOSE in place of CHUNKED. */
    rc_http1_framing framing;
    uint64_t length; /* of LENGTH */
} rc_response_head;

/* Begins the answer; copies all. An answer to HEAD and one of status 204 or 304 has no body: what
 * is written is dropped. RC_E_ARGUMENT: it was begun before, a status or a field is not allowed, a
 * value has a control character; nothing was begun then. RC_OK also when the client has gone and
 * on_gone is on its way: calls do nothing from then on. */
rc_status rc_responder_begin(rc_responder *exchange, const rc_response_head *response);

/* The same with a head that is bytes already: the status line and fields, each line with its CR LF,
 * without the empty line, without Connection, Content-Length and Transfer-Encoding. copies. For a
 * relay whose reader has checked them: they are not looked at. */
rc_status rc_responder_begin_raw(rc_responder *exchange, int status, rc_str lines,
                                 rc_http1_framing framing, uint64_t length);

/* Adds to the body; copies what cannot be sent at once. False: enough waits to be sent; on_drained
 * says when to go on. More than the length that was said ends in RC_DISCONNECT_LENGTH. */
bool rc_responder_write(rc_responder *exchange, rc_str bytes);

/* The same; borrows bytes until on_done or on_gone. For what is there anyway.
 * */
bool rc_responder_write_borrowed(rc_responder *exchange, rc_str bytes);

/* Ends the answer. One that is shorter than its length is cut, with RC_DISCONNECT_LENGTH. */
void rc_responder_end(rc_responder *exchange);

/* begin, write, end. */
rc_status rc_responder_send(rc_responder *exchange, int status, const rc_header *fields,
                            size_t field_count, rc_str body);

/* Cuts the answer and closes the connection. What was written of an answer with a length or chunks
 * is still sent, but not its end; otherwise the connection is reset. No callback follows. */
void rc_responder_abort(rc_responder *exchange);

/* on_body and on_body_end stop and go on. The client is stopped by TCP, a little later. A client
 * that waits for "100 Continue" gets it with the first turn in which the body is not paused and no
 * answer was begun. */
void rc_responder_pause_body(rc_responder *exchange);
void rc_responder_resume_body(rc_responder *exchange);

/* Makes the head last as long as the exchange (copies it): gives where it is, or NULL for want of
 * memory. Inside on_request alone. */
const char *rc_responder_keep_head(rc_responder *exchange);
const rc_http1 *rc_responder_reader(const rc_responder *exchange);
const char *rc_responder_head(const rc_responder *exchange); /* NULL: it was not kept */

/* The handler's own pointer, NULL at first. */
void rc_responder_set_owner(rc_responder *exchange, void *owner);
void *rc_responder_owner(const rc_responder *exchange);

bool rc_responder_has_begun(const rc_responder *exchange);

/* Bytes of the answer that are with the kernel, its head and framing included.
 * */
uint64_t rc_responder_sent_bytes(const rc_responder *exchange);

/* Bytes that the client's system does not have yet: a reset would lose them. */
uint64_t rc_responder_unsent_bytes(const rc_responder *exchange);

/* The client's IP address as text, empty for a unix socket. False: buf is too small (46 is
 * enough). */
bool rc_responder_peer(const rc_responder *exchange, char *buf, size_t size);

#endif
