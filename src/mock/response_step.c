/* Produces the steps of a response. Called by server_run.c and the gateway's demo provider.
 *
 *   SLOW ─► HEAD ─► KEEPALIVE ─► BEGIN ─► ITEMS ─► FINISH ─► TERMINATOR ─► END     a stream
 *              └──► WHOLE ─► (stall) ─► REST ───────────────────────────► END     one body
 *
 * Each stage produces a step or moves on to the next stage. */
#include "base/str.h"
#include "mock/dialect.h"
#include "mock/response_private.h"
#include "mock/tokens.h"

#define HUGE_PIECE 1024

enum {
    STAGE_SLOW,
    STAGE_HEAD,
    STAGE_KEEPALIVE,
    STAGE_BEGIN,
    STAGE_ITEMS,
    STAGE_FINISH,
    STAGE_TERMINATOR,
    STAGE_WHOLE,
    STAGE_REST,
    STAGE_GARBAGE,
    STAGE_END,
    STAGE_CLOSE,
    STAGE_RESET,
    STAGE_HANG
};

void rc_mock_response_start_steps(rc_mock_response *a)
{
    a->stage = STAGE_SLOW;
    if (a->plan.wire == RC_MOCK_WIRE_HANG)
        a->stage = STAGE_HANG;
    else if (a->plan.wire == RC_MOCK_WIRE_REFUSE)
        a->stage = STAGE_CLOSE;
}

static bool give(rc_mock_step *step, rc_mock_step_kind kind)
{
    step->kind = kind;
    return true;
}

static bool give_wait(rc_mock_step *step, uint64_t wait_ms)
{
    step->wait_ms = wait_ms < RC_MOCK_FOREVER ? (uint32_t)wait_ms : RC_MOCK_FOREVER - 1;
    return give(step, RC_MOCK_WAIT);
}

static bool go(rc_mock_response *a, int stage)
{
    a->stage = stage;
    return false;
}

/* Produces a step RC_MOCK_SEND, or no step if `buf` is empty. If the memory for `buf` ran out, the
 * step is RC_MOCK_RESET. */
static bool give_buf(rc_mock_response *a, rc_mock_step *step, const rc_buf *buf, uint64_t tokens)
{
    if (rc_buf_status(buf) != RC_OK)
        return go(a, STAGE_RESET);
    step->bytes = rc_buf_get(buf);
    step->tokens = (uint32_t)tokens;
    return step->bytes.len > 0 && give(step, RC_MOCK_SEND);
}

static bool give_bytes(rc_mock_response *a, rc_mock_step *step)
{
    return give_buf(a, step, &a->bytes, 0);
}

/* Produces the plan's stall. */
static bool give_stall(rc_mock_response *a, rc_mock_step *step)
{
    a->is_stalled = true;
    if (a->plan.stall_ms == RC_MOCK_FOREVER)
        return go(a, STAGE_HANG);
    return a->plan.stall_ms > 0 && give_wait(step, a->plan.stall_ms);
}

/* ---- start ---- */

/* Waits before the head. For a non-streamed body the wait includes the time of all its tokens. */
static bool step_slow(rc_mock_response *a, rc_mock_step *step)
{
    uint64_t wait_ms = a->plan.slow_ms;
    a->stage = STAGE_HEAD;
    if (a->is_stream && a->plan.keepalives > 0)
        return false;
    if (!a->is_stream)
        wait_ms += a->output_tokens * a->plan.trickle_ms;
    return wait_ms > 0 && give_wait(step, wait_ms);
}

static bool step_head(rc_mock_response *a, rc_mock_step *step)
{
    a->stage = a->is_stream ? STAGE_KEEPALIVE : STAGE_WHOLE;
    return give(step, RC_MOCK_HEAD);
}

/* Keep-alives are spread over the time before the first event. */
static bool step_keepalive(rc_mock_response *a, rc_mock_step *step)
{
    const rc_mock_plan *plan = &a->plan;
    if (plan->wire == RC_MOCK_WIRE_EMPTY_STREAM)
        return go(a, STAGE_END);
    if (a->keepalives >= plan->keepalives)
        return go(a, STAGE_BEGIN);
    if (plan->slow_ms / plan->keepalives > 0 && !a->is_paced) {
        a->is_paced = true;
        return give_wait(step, plan->slow_ms / plan->keepalives);
    }
    a->is_paced = false;
    a->keepalives++;
    rc_buf_reset(&a->bytes);
    a->dialect->keepalive(a, &a->bytes);
    return give_bytes(a, step);
}

/* ---- streams ---- */

static bool give_error(rc_mock_response *a, rc_mock_step *step)
{
    a->stage = STAGE_END;
    rc_buf_reset(&a->bytes);
    a->dialect->error(a, &a->bytes);
    return give_bytes(a, step);
}

static bool step_begin(rc_mock_response *a, rc_mock_step *step)
{
    if (a->plan.place == RC_MOCK_PLACE_FIRST)
        return give_error(a, step);
    a->stage = STAGE_ITEMS;
    if (a->dialect->begin_tokens > 0 && a->output_tokens > 0)
        a->counted_tokens = a->dialect->begin_tokens;
    rc_buf_reset(&a->bytes);
    a->dialect->begin(a, &a->bytes);
    return give_buf(a, step, &a->bytes, a->counted_tokens);
}

static bool is_at_end(const rc_mock_response *a)
{
    if (rc_mock_response_is_tool(a))
        return a->item == RC_MOCK_TOOL_PARTS;
    return a->text_at == a->text_len;
}

/* Returns whether `count` content events have been sent, or all events if there are fewer. */
static bool has_sent(const rc_mock_response *a, uint32_t count)
{
    return a->item >= count || is_at_end(a);
}

static rc_str next_piece(const rc_mock_response *a)
{
    const rc_str all = rc_str_slice(rc_buf_get(&a->text), 0, a->text_len);
    if (a->text_at < a->thought_len)
        return rc_mock_token(rc_mock_response_thoughts(a), a->text_at);
    if (a->plan.text == RC_MOCK_TEXT_HUGE)
        return rc_str_slice(all, a->text_at, a->text_at + HUGE_PIECE);
    return rc_mock_token(all, a->text_at);
}

/* Sends an event without the second half of its data. If is_event, the event is still terminated;
 * otherwise the stream ends inside the event. */
static bool give_damaged(rc_mock_response *a, rc_mock_step *step, bool is_event, uint64_t tokens)
{
    const rc_str bytes = rc_buf_get(&a->bytes);
    size_t from = 0;
    for (size_t at = 0; (at = rc_str_find(bytes, RC_STR("data: "), at)) != RC_STR_NPOS; at++)
        from = at + 6;
    rc_buf_reset(&a->spare);
    rc_buf_push(&a->spare, rc_str_slice(bytes, 0, from + (bytes.len - from) / 2));
    if (is_event && !a->is_array)
        rc_mock_event_end(&a->spare);
    return give_buf(a, step, &a->spare, tokens);
}

static bool give_item(rc_mock_response *a, rc_mock_step *step)
{
    uint64_t tokens = a->unsent_tokens;
    rc_buf_reset(&a->bytes);
    if (rc_mock_response_is_tool(a)) {
        tokens += rc_mock_token_count(rc_mock_tool_part(a->item));
        a->dialect->tool(a, a->item, &a->bytes);
    } else {
        const rc_str piece = next_piece(a);
        tokens += rc_mock_token_count(piece);
        if (a->text_at < a->thought_len)
            a->dialect->thought(a, piece, &a->bytes);
        else
            a->dialect->text(a, piece, &a->bytes);
        a->text_at += piece.len;
    }
    const uint64_t counted = tokens < a->counted_tokens ? tokens : a->counted_tokens;
    tokens -= counted;
    a->counted_tokens -= counted;
    a->item++;
    a->is_paced = false;
    a->unsent_tokens = rc_buf_get(&a->bytes).len == 0 ? tokens : 0;
    if (a->plan.wire == RC_MOCK_WIRE_TRUNCATED && is_at_end(a)) {
        a->stage = STAGE_END;
        return give_damaged(a, step, false, tokens);
    }
    if (a->item == a->plan.damaged)
        return give_damaged(a, step, true, tokens);
    return give_buf(a, step, &a->bytes, tokens);
}

/* Sends the next content event, or carries out the stall, the error or the cut that the plan has at
 * this event. */
static bool step_items(rc_mock_response *a, rc_mock_step *step)
{
    const rc_mock_plan *plan = &a->plan;
    if (plan->has_stall && !a->is_stalled && has_sent(a, plan->stall_at))
        return give_stall(a, step);
    if (plan->wire == RC_MOCK_WIRE_CUT_AFTER && has_sent(a, plan->wire_count))
        return go(a, STAGE_RESET);
    if (plan->wire == RC_MOCK_WIRE_FIN_AFTER && has_sent(a, plan->wire_count))
        return go(a, STAGE_CLOSE);
    if (plan->wire == RC_MOCK_WIRE_BAD_CHUNK && has_sent(a, 1))
        return go(a, STAGE_GARBAGE);
    if (plan->place == RC_MOCK_PLACE_STARTED ||
        (plan->place == RC_MOCK_PLACE_AFTER && has_sent(a, plan->place_count)))
        return give_error(a, step);
    if (is_at_end(a))
        return go(a, STAGE_FINISH);
    if (plan->trickle_ms > 0 && a->item > 0 && !a->is_paced) {
        a->is_paced = true;
        return give_wait(step, plan->trickle_ms);
    }
    return give_item(a, step);
}

static bool step_finish(rc_mock_response *a, rc_mock_step *step)
{
    a->stage = a->plan.wire == RC_MOCK_WIRE_NO_TERMINATOR ? STAGE_END : STAGE_TERMINATOR;
    rc_buf_reset(&a->bytes);
    a->dialect->finish(a, &a->bytes);
    return give_bytes(a, step);
}

static bool step_terminator(rc_mock_response *a, rc_mock_step *step)
{
    a->stage = a->plan.wire == RC_MOCK_WIRE_WRONG_LENGTH ? STAGE_CLOSE : STAGE_END;
    rc_buf_reset(&a->bytes);
    a->dialect->terminator(a, &a->bytes);
    return give_bytes(a, step);
}

/* ---- bodies in one piece ---- */

static bool give_part(rc_mock_response *a, rc_mock_step *step, size_t to, uint64_t tokens)
{
    step->bytes = rc_str_slice(rc_buf_get(&a->bytes), a->body_at, to);
    step->tokens = (uint32_t)tokens;
    a->body_at = to;
    return step->bytes.len > 0 && give(step, RC_MOCK_SEND);
}

static bool step_whole(rc_mock_response *a, rc_mock_step *step)
{
    const rc_mock_wire wire = a->plan.wire;
    a->stage = STAGE_REST;
    if (wire == RC_MOCK_WIRE_CUT_AFTER)
        a->stage = STAGE_RESET;
    else if (wire == RC_MOCK_WIRE_FIN_AFTER)
        a->stage = STAGE_CLOSE;
    else if (wire == RC_MOCK_WIRE_BAD_CHUNK)
        a->stage = STAGE_GARBAGE;
    else if (!a->plan.has_stall)
        return false;
    return give_part(a, step, a->body_len / 2, 0);
}

static bool step_rest(rc_mock_response *a, rc_mock_step *step)
{
    if (a->plan.has_stall && !a->is_stalled)
        return give_stall(a, step);
    a->stage = a->plan.wire == RC_MOCK_WIRE_WRONG_LENGTH ? STAGE_CLOSE : STAGE_END;
    return give_part(a, step, a->body_len, a->output_tokens);
}

/* ---- steps ---- */

static bool step_garbage(rc_mock_response *a, rc_mock_step *step)
{
    a->stage = STAGE_CLOSE;
    return give(step, RC_MOCK_GARBAGE);
}

/* Runs the current stage. Returns true if the stage produced a step, false if the stage changed. */
static bool step_once(rc_mock_response *a, rc_mock_step *step)
{
    switch (a->stage) {
    case STAGE_SLOW:
        return step_slow(a, step);
    case STAGE_HEAD:
        return step_head(a, step);
    case STAGE_KEEPALIVE:
        return step_keepalive(a, step);
    case STAGE_BEGIN:
        return step_begin(a, step);
    case STAGE_ITEMS:
        return step_items(a, step);
    case STAGE_FINISH:
        return step_finish(a, step);
    case STAGE_TERMINATOR:
        return step_terminator(a, step);
    case STAGE_WHOLE:
        return step_whole(a, step);
    case STAGE_REST:
        return step_rest(a, step);
    case STAGE_GARBAGE:
        return step_garbage(a, step);
    case STAGE_CLOSE:
        return give(step, RC_MOCK_CLOSE);
    case STAGE_RESET:
        return give(step, RC_MOCK_RESET);
    case STAGE_HANG:
        return give(step, RC_MOCK_HANG);
    default:
        return give(step, RC_MOCK_END);
    }
}

/* Truncates the bytes of a step at the plan's limit (cut-bytes), after which the connection is
 * reset. */
static void cut_bytes(rc_mock_response *a, rc_mock_step *step)
{
    const uint64_t remaining = a->plan.wire_count - a->sent_bytes;
    if (step->bytes.len < remaining)
        return;
    a->stage = STAGE_RESET;
    if (step->bytes.len > remaining)
        step->tokens = 0;
    step->bytes.len = remaining;
    if (remaining == 0)
        step->kind = RC_MOCK_RESET;
}

void rc_mock_response_step(rc_mock_response *a, rc_mock_step *ret_step)
{
    rc_mock_step step = {0};
    while (!step_once(a, &step))
        step = (rc_mock_step){0};
    if (step.kind == RC_MOCK_SEND && a->plan.wire == RC_MOCK_WIRE_CUT_BYTES)
        cut_bytes(a, &step);
    if (step.kind == RC_MOCK_SEND)
        a->sent_bytes += step.bytes.len;
    *ret_step = step;
}
