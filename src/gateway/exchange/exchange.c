/* rc_exchange: life cycle and timer of the driver. Called by loop.c and exchange_effects.c. */
#include "gateway/exchange/exchange.h"

#include "base/str.h"

/* ---- life cycle ---- */

static void on_timer(uv_timer_t *timer);

static rc_exchange *take_spare(rc_loop *loop)
{
    const rc_alloc *alloc = &loop->settings.alloc;
    rc_exchange *exchange = loop->spare_exchanges;
    if (exchange != NULL) {
        loop->spare_exchanges = exchange->next;
        loop->spare_exchange_count--;
        return exchange;
    }
    exchange = alloc->get(alloc->ctx, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    (void)uv_timer_init(loop->uv_loop, &exchange->timer);
    exchange->timer.data = exchange;
    exchange->timer_at_ms = RC_UNLIMITED;
    exchange->loop = loop;
    exchange->serial = 0;
    rc_buf_init(&exchange->body, alloc, 0);
    rc_buf_init(&exchange->lines, alloc, 2 * RC_ATTEMPT_HELD_MAX);
    rc_buf_init(&exchange->limits, alloc, RC_EXCHANGE_LIMITS_MAX);
    return exchange;
}

rc_exchange *rc_exchange_new(rc_loop *loop, rc_responder *responder)
{
    rc_exchange *exchange = take_spare(loop);
    if (exchange == NULL)
        return NULL;
    memset(&exchange->snapshot_ref, 0,
           offsetof(rc_exchange, inline_steps) - offsetof(rc_exchange, snapshot_ref));
    rc_exchange_machine_init(&exchange->machine);
    exchange->serial++;
    exchange->responder = responder;
    exchange->next = NULL;
    exchange->snapshot_ref = rc_loop_acquire_snapshot(loop);
    exchange->dialect = RC_DIALECT_OPENAI_CHAT;
    exchange->client = SIZE_MAX;
    exchange->began_unix_ms = rc_loop_unix_ms(loop);
    exchange->id = rc_loop_next_id(loop, exchange->began_unix_ms);
    memcpy(exchange->id.text, "req", 3);
    exchange->began_ms = rc_loop_now(loop);
    exchange->began_ns = uv_hrtime();
    exchange->first_byte_ms = -1;
    exchange->steps = exchange->inline_steps;
    exchange->step_capacity = RC_EXCHANGE_INLINE_STEPS;
    exchange->body.max_bytes = rc_exchange_snapshot(exchange)->config->limits.max_body_bytes;
    loop->exchange_count++;
    atomic_fetch_add_explicit(&loop->hub->in_flight, 1, memory_order_relaxed);
    exchange->live_prev = NULL;
    exchange->live_next = loop->live;
    if (loop->live != NULL)
        loop->live->live_prev = exchange;
    loop->live = exchange;
    rc_metrics_in_flight(loop->metrics, 1);
    rc_responder_set_owner(responder, exchange);
    return exchange;
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_exchange *exchange = handle->data;
    rc_loop *loop = exchange->loop;
    rc_buf_done(&exchange->body);
    rc_buf_done(&exchange->lines);
    rc_buf_done(&exchange->limits);
    loop->settings.alloc.put(loop->settings.alloc.ctx, exchange, sizeof *exchange);
    rc_loop_on_timer_closed(loop);
}

static void close_timer(rc_exchange *exchange)
{
    exchange->loop->closing_timers++;
    uv_close((uv_handle_t *)&exchange->timer, on_timer_closed);
}

void rc_loop_close_spare_exchanges(rc_loop *loop)
{
    while (loop->spare_exchanges != NULL) {
        rc_exchange *exchange = loop->spare_exchanges;
        loop->spare_exchanges = exchange->next;
        close_timer(exchange);
    }
    loop->spare_exchange_count = RC_LOOP_SPARE_MAX; /* Keeps no further ones. */
}

static void leave_live(rc_exchange *exchange)
{
    if (exchange->live_prev != NULL)
        exchange->live_prev->live_next = exchange->live_next;
    else
        exchange->loop->live = exchange->live_next;
    if (exchange->live_next != NULL)
        exchange->live_next->live_prev = exchange->live_prev;
}

static void recycle(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (loop->spare_exchange_count >= RC_LOOP_SPARE_MAX) {
        close_timer(exchange);
        return;
    }
    exchange->next = loop->spare_exchanges;
    loop->spare_exchanges = exchange;
    loop->spare_exchange_count++;
}

/* Ends the exchange. If the store has not acknowledged its record, the memory stays until then. */
void rc_exchange_close(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    exchange->responder = NULL;
    for (size_t i = 0; i < 2; i++) {
        rc_attempt_free(exchange->attempts[i]);
        exchange->attempts[i] = NULL;
    }
    rc_exchange_steps_done(exchange);
    rc_exchange_release_entries(exchange);
    rc_exchange_events_done(exchange);
    rc_report_free(exchange->report);
    rc_exchange_drop_body(exchange);
    rc_buf_recycle(&exchange->lines);
    rc_buf_recycle(&exchange->limits);
    rc_loop_release_snapshot(loop, exchange->snapshot_ref);
    rc_metrics_in_flight(loop->metrics, -1);
    leave_live(exchange);
    atomic_fetch_sub_explicit(&loop->hub->in_flight, 1, memory_order_relaxed);
    /* The memory is freed when the store has acknowledged the record. */
    if (exchange->is_store_pending)
        loop->unacknowledged++;
    else
        recycle(exchange);
    rc_loop_on_exchange_over(loop);
}

void rc_exchange_on_acknowledged(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (exchange->machine.state != RC_EXCHANGE_OVER)
        return;
    recycle(exchange);
    rc_loop_on_exchange_acknowledged(loop);
}

/* The record shows what the client received and which attempts were made. A record that is complete
 * already does not mention a client that leaves before the last byte. */
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone)
{
    const rc_exchange_state state = (rc_exchange_state)exchange->machine.state;
    exchange->responder = NULL;
    if (state != RC_EXCHANGE_RECORDING && state != RC_EXCHANGE_ENDING)
        exchange->gone_text = gone->text;
    rc_exchange_feed_kind(exchange, RC_INPUT_GONE);
}

void rc_exchange_on_drained(rc_exchange *exchange)
{
    if (exchange->machine.state == RC_EXCHANGE_RESPONDING)
        rc_attempt_resume(rc_exchange_current(exchange));
}

/* ---- compressed responses ---- */

static inline bool is_decoding(const rc_attempt *attempt)
{
    return attempt != NULL && attempt->decoder != NULL && rc_attempt_decoder_is_due(attempt);
}

static inline bool has_decoding(const rc_exchange *exchange)
{
    return is_decoding(exchange->attempts[0]) || is_decoding(exchange->attempts[1]);
}

/* Decompresses one lane per turn, alternately. The timer is set before, because the exchange may be
 * over afterwards. */
static void decode(rc_exchange *exchange)
{
    rc_attempt *first = exchange->attempts[exchange->is_second_next];
    rc_attempt *second = exchange->attempts[!exchange->is_second_next];
    exchange->is_second_next = !exchange->is_second_next;
    rc_exchange_arm(exchange);
    rc_attempt_decoder_turn(is_decoding(first) ? first : second);
}

/* ---- the timer ---- */

static void set_timer(rc_exchange *exchange, uint64_t at_ms)
{
    const uint64_t now_ms = rc_loop_now(exchange->loop);
    exchange->timer_at_ms = at_ms;
    (void)uv_timer_start(&exchange->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* The timer is lazy: it may find that its time has moved back, or that the memory belongs to
 * another request. So most requests never touch it. */
static void on_timer(uv_timer_t *timer)
{
    rc_exchange *exchange = timer->data;
    exchange->timer_at_ms = RC_UNLIMITED;
    const uint64_t at_ms = rc_exchange_due_ms(&exchange->machine);
    if (at_ms <= rc_loop_now(exchange->loop)) {
        rc_exchange_feed_kind(exchange, RC_INPUT_TIMER);
        rc_exchange_end_deferred(exchange);
    } else if (has_decoding(exchange)) {
        decode(exchange);
    } else if (at_ms != RC_UNLIMITED) {
        set_timer(exchange, at_ms);
    }
}

void rc_exchange_arm(rc_exchange *exchange)
{
    uint64_t at_ms = rc_exchange_due_ms(&exchange->machine);
    /* The next iteration of the loop, after all others had their turn. */
    if (has_decoding(exchange) && at_ms > rc_loop_now(exchange->loop))
        at_ms = rc_loop_now(exchange->loop) + 1;
    if (at_ms < exchange->timer_at_ms)
        set_timer(exchange, at_ms);
}
