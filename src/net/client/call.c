/* One call to a provider: receives the response and ends the call. Called by the gateway's
 * attempts, src/client, the doctor's probe (src/cli/doctor) and the other files of net/client. */
#include <string.h>

#include "net/client/dial.h"
#include "net/client/pool.h"

/* Maximum number of interim responses (100 Continue, 103 Early Hints) per call. A server that sends
 * more is hostile or broken. */
#define INTERIMS_MAX 16

static void restart_views(rc_upstream_call *call)
{
    call->out.views[0] = call->request.head;
    call->out.views[1] = call->request.body;
    call->out.views[2] = call->request.more[0];
    call->out.views[3] = call->request.more[1];
    call->accepted = 0;
    call->is_send_broken = false;
}

static void restart_reader(rc_upstream_call *call)
{
    rc_http1_init(&call->reader, RC_HTTP1_RESPONSE, &call->upstream->settings.limits);
    if (call->table != NULL)
        rc_http1_restart(&call->reader, call->table);
    if (call->request.is_bodiless)
        rc_http1_set_bodiless(&call->reader);
}

bool rc_upstream_attach(rc_upstream_call *call, rc_link *link, bool was_reused)
{
    call->link = link;
    call->was_reused = was_reused;
    call->state = RC_CALL_HEAD;
    link->call = call;
    link->state = RC_LINK_BUSY;
    link->has_written = false;
    link->first_byte = link->given_bytes;
    link->requests++;
    restart_reader(call);
    /* on_drained must be called from the loop. If the owner waits for it, at least one write must
     * be queued, because libuv reports the end of a queued write from the loop. */
    link->is_queueing = call->is_full;
    rc_upstream_pump(call);
    link->is_queueing = false;
    if (call->is_send_broken && was_reused && !link->has_written) {
        restart_views(call);
        call->link = NULL;
        return false;
    }
    if (call->is_paused)
        rc_link_stop_reading(link);
    rc_upstream_set_deadline(call);
    return true;
}

static void free_buffers(rc_upstream_call *call)
{
    rc_upstream_put(call->upstream, call->head, call->head_capacity);
    rc_upstream_put(call->upstream, call->out.bytes, call->out.capacity);
    rc_upstream_put(call->upstream, call->table, sizeof *call->table);
    call->head = call->out.bytes = NULL;
    call->table = NULL;
}

/* Releases the connection and the memory of the call, and removes the call from the list of live
 * calls. Returns whether its connection went back to the pool. */
static bool release_call(rc_upstream_call *call, rc_pool_release_mode mode)
{
    rc_upstream *upstream = call->upstream;
    bool is_kept = rc_pool_leave(call, mode);
    free_buffers(call);
    if (call->prev != NULL)
        call->prev->next = call->next;
    else
        upstream->live = call->next;
    if (call->next != NULL)
        call->next->prev = call->prev;
    upstream->counts.calls--;
    call->state = RC_CALL_NONE;
    return is_kept;
}

static uint64_t sent_bytes(const rc_upstream_call *call)
{
    const rc_link *link = call->link;
    if (link == NULL)
        return 0;
    size_t waiting = link->tcp.write_queue_size;
    uint64_t sent = call->accepted > waiting ? call->accepted - waiting : 0;
    bool has_written = link->has_written || waiting < link->queued_bytes;
    /* With TLS the number of sent bytes is approximate, but has_written shows exactly whether any
     * byte was sent. */
    if (!has_written)
        return 0;
    return sent > 0 ? sent : 1;
}

static rc_phase phase_of(const rc_upstream_call *call, uint64_t sent)
{
    if (call->received > 0)
        return RC_PHASE_HEADERS;
    return sent > 0 ? RC_PHASE_SENT : RC_PHASE_CONNECT;
}

static uint32_t limit_of(const rc_upstream_request *request, rc_upstream_kind kind)
{
    if (kind == RC_UPSTREAM_FIRST_BYTE_TIMEOUT)
        return request->first_byte_ms;
    if (kind == RC_UPSTREAM_IDLE_TIMEOUT || kind == RC_UPSTREAM_SEND_TIMEOUT)
        return request->idle_ms;
    return rc_upstream_kind_transport(kind) == RC_TRANSPORT_TIMEOUT ? request->connect_ms : 0;
}

void rc_upstream_fail(rc_upstream_call *call, rc_upstream_kind kind, const char *text)
{
    uint64_t sent = sent_bytes(call);
    const rc_tls_facts *certificate = rc_dial_refused_certificate(call->dial);
    char detail_bytes[RC_UPSTREAM_DETAIL_BYTES];
    rc_buf detail;
    rc_upstream_failure failure = {
        .kind = kind,
        .connection = rc_upstream_kind_connection(kind),
        .transport = rc_upstream_kind_transport(kind),
        .phase = phase_of(call, sent),
        .is_local = rc_upstream_kind_is_local(kind),
        .was_reused = call->was_reused,
        .text = text != NULL ? text : rc_upstream_kind_text(kind),
        .limit_ms = limit_of(&call->request, kind),
        .bytes_sent = sent,
        .bytes_received = call->received,
        .body_bytes = call->body_bytes,
    };
    rc_buf_init_fixed(&detail, detail_bytes, sizeof detail_bytes);
    if (failure.connection != RC_CONNECTION_NONE) {
        rc_upstream_push_detail(&detail, &call->pool->origin, failure.text, certificate);
        failure.detail = rc_buf_get(&detail);
    }
    if (certificate != NULL)
        failure.certificate_unix_ms = kind == RC_UPSTREAM_TLS_NOT_YET_VALID
                                          ? certificate->from_unix_ms
                                          : certificate->until_unix_ms;
    release_call(call, RC_POOL_RESET);
    call->handler->on_failure(call->ctx, &failure);
}

/* Returns whether the request can safely be sent again on a new connection. A server may close a
 * pooled connection because of its age while a request is on its way. A server that closed the
 * connection before a byte of the request arrived has not read the request. A body that is pushed
 * piece by piece cannot be sent again. */
static bool may_redial(const rc_upstream_call *call, rc_upstream_kind kind)
{
    return call->was_reused && !call->is_redialled && call->received == 0 &&
           !call->request.is_body_open && !call->upstream->is_closing &&
           rc_link_is_unreached(call->link, kind == RC_UPSTREAM_CLOSED);
}

static bool redial(rc_upstream_call *call, rc_upstream_kind kind)
{
    if (!may_redial(call, kind) || !rc_pool_redial(call))
        return false;
    call->is_redialled = true;
    restart_views(call);
    return true;
}

void rc_upstream_on_lost(rc_upstream_call *call, rc_upstream_kind kind)
{
    if (!redial(call, kind))
        rc_upstream_fail(call, kind, NULL);
}

/* Returns whether another request may follow on the connection. A message without a body ends with
 * its head. */
static bool is_reusable(const rc_http1 *reader)
{
    return reader->framing == RC_HTTP1_NO_BODY ? reader->is_kept_alive
                                               : rc_http1_is_reusable(reader);
}

void rc_upstream_succeed(rc_upstream_call *call)
{
    /* If the response ended before the request was sent completely, the connection is not reused,
     * because its state is unknown. */
    bool is_keepable = call->state == RC_CALL_WHOLE && call->is_sent && !call->is_send_broken &&
                       is_reusable(&call->reader);
    bool is_kept = release_call(call, is_keepable ? RC_POOL_KEEP : RC_POOL_CLOSE);
    call->handler->on_end(call->ctx, is_kept);
}

void rc_upstream_cancel(rc_upstream_call *call)
{
    if (call->state != RC_CALL_NONE)
        release_call(call, RC_POOL_RESET);
}

rc_http1_table *rc_upstream_take_table(rc_upstream_call *call)
{
    rc_http1_table *table = call->table;
    call->table = NULL;
    return table;
}

bool rc_upstream_is_live(const rc_upstream_call *call)
{
    return call->state != RC_CALL_NONE;
}

/* Stores the bytes of an incomplete head in call->head. `bytes` may already be a view of
 * call->head. */
static bool keep_head(rc_upstream_call *call, rc_str bytes)
{
    if (bytes.len > call->head_capacity) {
        size_t capacity = bytes.len < 2048 ? 4096 : bytes.len * 2;
        char *head = rc_upstream_get(call->upstream, capacity);
        if (head == NULL)
            return false;
        memcpy(head, bytes.ptr, bytes.len);
        rc_upstream_put(call->upstream, call->head, call->head_capacity);
        call->head = head;
        call->head_capacity = capacity;
    } else if (bytes.len > 0) {
        memmove(call->head, bytes.ptr, bytes.len);
    }
    call->head_len = bytes.len;
    return true;
}

/* Appends new bytes to a stored incomplete head and makes *bytes a view of the whole head so far.
 * If no head is stored, *bytes is unchanged. */
static bool join_head(rc_upstream_call *call, rc_str *bytes)
{
    size_t len = call->head_len + bytes->len;
    if (call->head_len == 0)
        return true;
    if (len > call->head_capacity) {
        char *head = rc_upstream_get(call->upstream, len * 2);
        if (head == NULL)
            return false;
        memcpy(head, call->head, call->head_len);
        rc_upstream_put(call->upstream, call->head, call->head_capacity);
        call->head = head;
        call->head_capacity = len * 2;
    }
    memcpy(call->head + call->head_len, bytes->ptr, bytes->len);
    *bytes = rc_str_make(call->head, len);
    return true;
}

/* Parses a head. If the head has too many fields for the parser, allocates more memory and parses
 * the head again. */
static rc_http1_event parse_head(rc_upstream_call *call, rc_str bytes)
{
    const rc_http1_event event = rc_http1_read_head(&call->reader, bytes);
    if (event != RC_HTTP1_FAULT || !rc_http1_needs_table(&call->reader))
        return event;
    call->table = rc_upstream_get(call->upstream, sizeof *call->table);
    if (call->table == NULL)
        return event;
    rc_http1_restart(&call->reader, call->table);
    return rc_http1_read_head(&call->reader, bytes);
}

/* The memory of a head that arrived in pieces, and of the first body bytes after it. */
typedef struct joined_bytes {
    char *bytes;
    size_t capacity;
} joined_bytes;

/* Reads the head and skips interim responses (1xx). Returns true if on_head was called; *bytes then
 * views the remaining input. Returns false if the head is incomplete or the call has ended.
 * ret_joined: gives the memory that *bytes views; it does not belong to the call, because a
 * callback may end the call while the view is in use. */
static bool read_head(rc_upstream_call *call, rc_str *bytes, joined_bytes *ret_joined)
{
    const rc_link *link = call->link;
    rc_http1 *reader = &call->reader;
    rc_http1_event event = RC_HTTP1_HEAD;
    if (!join_head(call, bytes)) {
        rc_upstream_fail(call, RC_UPSTREAM_NO_MEMORY, NULL);
        return false;
    }
    while ((event = parse_head(call, *bytes)) == RC_HTTP1_HEAD &&
           rc_http1_status(reader) / 100 == 1 && call->interims < INTERIMS_MAX) {
        *bytes = rc_str_make(bytes->ptr + reader->head_bytes, bytes->len - reader->head_bytes);
        call->interims++;
        restart_reader(call);
    }
    if (event == RC_HTTP1_MORE) {
        if (!keep_head(call, *bytes))
            rc_upstream_fail(call, RC_UPSTREAM_NO_MEMORY, NULL);
        return false;
    }
    if (event == RC_HTTP1_FAULT || rc_http1_status(reader) / 100 == 1) {
        rc_upstream_fail(call, RC_UPSTREAM_MALFORMED,
                         event == RC_HTTP1_FAULT ? rc_http1_fault_text(reader->fault)
                                                 : "too many interim responses");
        return false;
    }
    rc_upstream_head head = {
        .status = rc_http1_status(reader),
        .was_reused = call->was_reused,
        .reader = reader,
        .bytes = bytes->ptr,
    };
    *bytes = rc_str_make(bytes->ptr + reader->head_bytes, bytes->len - reader->head_bytes);
    call->state = RC_CALL_BODY;
    *ret_joined = (joined_bytes){call->head, call->head_capacity};
    call->head = NULL;
    call->head_capacity = call->head_len = 0;
    call->handler->on_head(call->ctx, &head);
    return link->call == call;
}

/* Handles one event of the response's body. Returns false if all bytes are used or the call has
 * ended. */
static bool read_body(rc_upstream_call *call, rc_str *bytes)
{
    const rc_link *link = call->link;
    rc_http1_event event = RC_HTTP1_END;
    if (call->reader.framing != RC_HTTP1_NO_BODY)
        event = rc_http1_read_body(&call->reader, bytes);
    /* The parser returns after each chunk. After the last chunk it finds the end of the message
     * without further input. */
    if (event == RC_HTTP1_MORE && call->reader.framing == RC_HTTP1_CHUNKED)
        event = rc_http1_read_body(&call->reader, bytes);
    if (event == RC_HTTP1_BODY) {
        call->body_bytes += call->reader.body.len;
        call->handler->on_body(call->ctx, call->reader.body);
        return link->call == call;
    }
    if (event == RC_HTTP1_FAULT)
        rc_upstream_fail(call, RC_UPSTREAM_MALFORMED, rc_http1_fault_text(call->reader.fault));
    else if (event == RC_HTTP1_END)
        call->state = bytes->len > 0 ? RC_CALL_DIRTY : RC_CALL_WHOLE;
    return false;
}

void rc_upstream_on_bytes(rc_upstream_call *call, rc_str bytes)
{
    const rc_upstream *upstream = call->upstream;
    joined_bytes joined = {NULL, 0};
    call->received += bytes.len;
    if (call->state == RC_CALL_WHOLE)
        call->state = RC_CALL_DIRTY;
    if (call->state == RC_CALL_DIRTY)
        return;
    bool goes_on = call->state != RC_CALL_HEAD || read_head(call, &bytes, &joined);
    while (goes_on)
        goes_on = read_body(call, &bytes);
    /* From here on `call` must not be used: the call may have ended, and its storage then belongs
     * to the owner. */
    rc_upstream_put(upstream, joined.bytes, joined.capacity);
}

void rc_upstream_on_settled(rc_upstream_call *call)
{
    if (call->state == RC_CALL_WHOLE || call->state == RC_CALL_DIRTY) {
        rc_upstream_succeed(call);
        return;
    }
    if (call->state != RC_CALL_BODY)
        return;
    /* The first-byte limit does not restart when a head arrives; it ends with the first byte of the
     * body. */
    if (!rc_upstream_awaits_body(call))
        rc_upstream_set_deadline(call);
}

void rc_upstream_on_peer_end(rc_upstream_call *call, bool is_clean)
{
    if (call->state == RC_CALL_BODY && is_clean && rc_http1_close(&call->reader) == RC_HTTP1_END)
        call->state = RC_CALL_DIRTY;
    if (call->state == RC_CALL_WHOLE)
        call->state = RC_CALL_DIRTY;
    if (call->state == RC_CALL_DIRTY)
        rc_upstream_succeed(call);
    else
        rc_upstream_on_lost(call, RC_UPSTREAM_CLOSED);
}

void rc_upstream_on_timer(rc_upstream_call *call)
{
    if (call->is_starved)
        rc_upstream_fail(call, RC_UPSTREAM_NO_MEMORY, NULL);
    else if (rc_upstream_awaits_body(call))
        rc_upstream_fail(call, RC_UPSTREAM_FIRST_BYTE_TIMEOUT, NULL);
    else if (call->state != RC_CALL_HEAD)
        rc_upstream_fail(call, RC_UPSTREAM_IDLE_TIMEOUT, NULL);
    else if (call->link->tcp.write_queue_size != call->waited_bytes)
        rc_upstream_set_deadline(call); /* The server reads the request, but slowly. */
    else
        rc_upstream_fail(call, RC_UPSTREAM_SEND_TIMEOUT, NULL);
}

void rc_upstream_pause(rc_upstream_call *call)
{
    if (call->state == RC_CALL_NONE || call->is_paused)
        return;
    call->is_paused = true;
    if (call->link == NULL)
        return;
    rc_link_stop_reading(call->link);
    rc_upstream_set_deadline(call);
}

void rc_upstream_resume(rc_upstream_call *call)
{
    if (call->state == RC_CALL_NONE || !call->is_paused)
        return;
    call->is_paused = false;
    if (call->link == NULL)
        return;
    rc_link_start_reading(call->link);
    rc_upstream_set_deadline(call);
}

rc_upstream_kind rc_upstream_start(rc_upstream_call *call, rc_upstream *upstream,
                                   const rc_origin *origin, const rc_upstream_request *request,
                                   const rc_upstream_handler *handler, void *ctx)
{
    memset(call, 0, offsetof(rc_upstream_call, reader));
    if (upstream->is_closing)
        return RC_UPSTREAM_SHUTDOWN;
    call->upstream = upstream;
    call->handler = handler;
    call->ctx = ctx;
    call->request = *request;
    call->is_open = request->is_body_open;
    restart_views(call);
    rc_upstream_kind kind = rc_pool_begin(call, origin);
    if (kind != RC_UPSTREAM_NONE) {
        call->state = RC_CALL_NONE;
        return kind;
    }
    call->next = upstream->live;
    if (upstream->live != NULL)
        upstream->live->prev = call;
    upstream->live = call;
    upstream->counts.calls++;
    return RC_UPSTREAM_NONE;
}
