/* Sends the request: first the head and body, which are views, then the bytes that the owner of the
 * call has pushed. Called by the gateway's attempts, call.c and link.c. */
#include "net/client/link.h"

#include <string.h>

size_t rc_upstream_unsent(const rc_upstream_call *call)
{
    size_t len = call->out.len;
    for (size_t i = 0; i < RC_UPSTREAM_VIEWS; i++)
        len += call->out.views[i].len;
    if (call->link != NULL)
        len += call->link->tcp.write_queue_size;
    return len;
}

static void skip_views(rc_upstream_out *out, size_t len)
{
    for (size_t i = 0; i < RC_UPSTREAM_VIEWS; i++) {
        size_t part = len < out->views[i].len ? len : out->views[i].len;
        if (part > 0)
            out->views[i] = rc_str_make(out->views[i].ptr + part, out->views[i].len - part);
        len -= part;
    }
}

/* Sends either the views of head and body or the pushed bytes, never both in one system call. If
 * the first write of a request fails, the request can then be sent again from its views. */
static rc_upstream_kind send_next(rc_upstream_call *call)
{
    rc_upstream_out *out = &call->out;
    rc_str pieces[RC_UPSTREAM_VIEWS];
    size_t count = 0;
    size_t taken = 0;
    for (size_t i = 0; i < RC_UPSTREAM_VIEWS; i++)
        if (out->views[i].len > 0)
            pieces[count++] = out->views[i];
    bool is_pushed = count == 0;
    if (is_pushed)
        pieces[count++] = rc_str_make(out->bytes, out->len);
    rc_upstream_kind kind = rc_link_send(call->link, pieces, count, is_pushed, &taken);
    call->accepted += taken;
    if (!is_pushed) {
        skip_views(out, taken);
    } else if (taken > 0) {
        out->len -= taken;
        memmove(out->bytes, out->bytes + taken, out->len);
    }
    return kind;
}

static bool has_more(const rc_upstream_call *call)
{
    const rc_upstream_out *out = &call->out;
    return (out->views[0].len | out->views[1].len | out->views[2].len | out->views[3].len |
            out->len) != 0;
}

/* Records the result of a write. A failed write does not fail the call, because the peer may have
 * responded before it closed the connection. */
static void note_send_result(rc_upstream_call *call, rc_upstream_kind kind)
{
    call->is_send_broken = kind != RC_UPSTREAM_NONE;
    call->is_starved = kind == RC_UPSTREAM_NO_MEMORY;
}

void rc_upstream_pump(rc_upstream_call *call)
{
    while (has_more(call) && call->link->writes == 0 && !call->is_send_broken)
        note_send_result(call, send_next(call));
    call->is_sent =
        call->is_send_broken || (!call->is_open && call->link->writes == 0 && !has_more(call));
}

/* Sets the deadline. rc_upstream_on_timer is called when the deadline has passed. */
void rc_upstream_set_deadline(rc_upstream_call *call)
{
    const rc_upstream_request *request = &call->request;
    uint32_t limit_ms = request->idle_ms;
    if (rc_upstream_awaits_body(call))
        limit_ms = request->first_byte_ms;
    else if (call->state == RC_CALL_HEAD && call->link->writes == 0)
        limit_ms = 0; /* The kernel has accepted all bytes so far, so no time limit runs until the
                       * owner has more bytes to send. */
    if (call->is_paused)
        limit_ms = 0;
    call->waited_bytes = call->link->tcp.write_queue_size;
    uint64_t now_ms = uv_now(call->upstream->loop);
    if (call->is_starved)
        rc_link_set_deadline(call->link, now_ms); /* The deadline is now, so that the call fails
                                                   * from the loop. */
    else
        rc_link_set_deadline(call->link, limit_ms == 0 ? 0 : now_ms + limit_ms);
}

static bool reserve(rc_upstream_call *call, size_t more)
{
    rc_upstream_out *out = &call->out;
    size_t capacity = out->capacity == 0 ? 4096 : out->capacity;
    if (out->capacity - out->len >= more)
        return true;
    while (capacity - out->len < more)
        capacity *= 2;
    char *bytes = rc_upstream_get(call->upstream, capacity);
    if (bytes == NULL)
        return false;
    if (out->len > 0)
        memcpy(bytes, out->bytes, out->len);
    rc_upstream_put(call->upstream, out->bytes, out->capacity);
    out->bytes = bytes;
    out->capacity = capacity;
    return true;
}

/* Sends pushed bytes without copying them, if no earlier bytes are unsent. Returns the number of
 * bytes that were used. */
static size_t send_directly(rc_upstream_call *call, rc_str bytes)
{
    size_t taken = 0;
    if (call->link == NULL || call->link->writes > 0 || has_more(call))
        return 0;
    note_send_result(call, rc_link_send(call->link, &bytes, 1, true, &taken));
    call->accepted += taken;
    return call->is_send_broken ? bytes.len : taken;
}

rc_upstream_push_result rc_upstream_push(rc_upstream_call *call, rc_str bytes)
{
    uint32_t high_bytes = 0;
    if (call->state == RC_CALL_NONE || call->is_send_broken || bytes.len == 0)
        return RC_PUSH_OK;
    high_bytes = call->upstream->settings.send_high_bytes;
    size_t waiting = call->out.len + (call->link != NULL ? call->link->tcp.write_queue_size : 0);
    if (!call->is_open || waiting + bytes.len > (size_t)4 * high_bytes)
        return RC_PUSH_REFUSED;
    size_t taken = send_directly(call, bytes);
    if (taken < bytes.len && !reserve(call, bytes.len - taken)) {
        call->is_send_broken = true; /* Bytes were lost, so no later bytes may be sent. */
        return RC_PUSH_REFUSED;
    }
    if (taken < bytes.len) {
        memcpy(call->out.bytes + call->out.len, bytes.ptr + taken, bytes.len - taken);
        call->out.len += bytes.len - taken;
    }
    if (call->link != NULL) {
        rc_upstream_pump(call);
        if (call->state == RC_CALL_HEAD)
            rc_upstream_set_deadline(call);
    }
    call->is_full = rc_upstream_unsent(call) > high_bytes;
    return call->is_full ? RC_PUSH_FULL : RC_PUSH_OK;
}

void rc_upstream_finish(rc_upstream_call *call)
{
    if (call->state == RC_CALL_NONE || !call->is_open)
        return;
    call->is_open = false;
    if (call->link == NULL)
        return;
    rc_upstream_pump(call);
    if (call->body_bytes == 0)
        rc_upstream_set_deadline(call);
}

void rc_upstream_on_written(rc_upstream_call *call, bool is_ok)
{
    bool was_sent = call->is_sent;
    /* The call does not fail yet, because the peer may have responded before it closed the
     * connection. Reading will show whether there is a response. */
    if (!is_ok)
        call->is_send_broken = true;
    rc_upstream_pump(call);
    if (call->body_bytes == 0 && !(was_sent && call->is_sent))
        rc_upstream_set_deadline(call);
    if (call->is_full && rc_upstream_unsent(call) < call->upstream->settings.send_low_bytes) {
        call->is_full = false;
        if (call->handler->on_drained != NULL)
            call->handler->on_drained(call->ctx);
    }
}
