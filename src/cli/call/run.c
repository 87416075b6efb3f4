/* The event loop of one call: network, signals, keys and output. Called by call.c. */
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/call/call.h"
#include "render/wrap.h"
#include "sys/file.h"

/* If more than this number of bytes of output waits for a slow reader, reading from the gateway
 * pauses. */
#define UNREAD_MAX_BYTES ((size_t)8 << 20)

/* ---- text ---- */

/* Returns whether the character can move the cursor, change colours or reverse the direction of
 * text, or is invisible. */
static bool is_hostile(uint32_t cp)
{
    return cp != '\n' && cp != '\t' && rc_utf8_is_unsafe(cp);
}

/* Appends text for a terminal with unsafe characters escaped; other outputs get the bytes
 * unchanged. */
static void push_safe(rc_buf *buf, rc_str text)
{
    size_t from = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = 1;
        const uint32_t cp = rc_utf8_decode(text, at, &len);
        if (is_hostile(cp)) {
            rc_buf_push(buf, rc_str_slice(text, from, at));
            rc_visible_push_char(buf, cp, true);
            from = at + len;
        }
        at += len;
    }
    rc_buf_push(buf, rc_str_slice(text, from, text.len));
}

static bool write_text(rc_caller *c, rc_str text)
{
    rc_buf clean;
    if (!c->cli->out_terminal.is_tty)
        return rc_outlet_push(&c->out, text);
    rc_buf_init(&clean, &c->cli->alloc, 10 * text.len + 1);
    push_safe(&clean, text);
    const bool is_queued =
        rc_buf_status(&clean) == RC_OK && rc_outlet_push(&c->out, rc_buf_get(&clean));
    rc_buf_done(&clean);
    return is_queued;
}

static size_t unread(const rc_outlet *outlet)
{
    return rc_outlet_is_empty(outlet) ? 0 : rc_buf_get(&outlet->queue).len - outlet->queue_at;
}

static void on_text(void *ctx, rc_str text)
{
    rc_caller *c = ctx;
    bool is_stored = true;
    if (c->format == RC_CALLER_HUMAN) {
        rc_console_clear(&c->console);
        is_stored = write_text(c, text);
    } else {
        is_stored = rc_buf_push(&c->response_text, text) == RC_OK;
    }
    if (!is_stored && c->exit_status == RC_EXIT_OK) {
        c->exit_status = RC_EXIT_INTERNAL;
        c->is_over = true;
    }
    if (!c->is_paused && unread(&c->out) > UNREAD_MAX_BYTES) {
        c->is_paused = true;
        rc_client_call_pause(&c->call);
    }
}

static void resume(rc_caller *c)
{
    if (!c->is_paused || !rc_outlet_is_empty(&c->out))
        return;
    c->is_paused = false;
    rc_client_call_resume(&c->call);
}

/* ---- callbacks of rc_client_call ---- */

static void on_event(void *ctx, const rc_event_view *event)
{
    rc_caller_on_event(ctx, event);
}

static void on_quota(void *ctx, const rc_quota *quota, rc_str target)
{
    rc_caller_set_near_limit(ctx, quota, target);
}

static void on_end(void *ctx)
{
    rc_caller *c = ctx;
    c->is_over = true;
}

static const rc_client_call_handler handler = {
    .on_event = on_event, .on_quota = on_quota, .on_text = on_text, .on_end = on_end};

static void start(rc_caller *c)
{
    const rc_client_call_request request = {
        .prompt = c->prompt,
        .dialect = c->dialect,
        .deadline_ms = c->deadline_ms,
        .deadline_name = "--deadline",
        .policy = rc_str_c(c->policy),
    };
    c->is_started = true;
    c->is_over = !rc_client_call_start(&c->call, &c->client, &request, &handler, c);
}

/* ---- the loop ---- */

static void fail_to_wait(rc_caller *c)
{
    rc_caller_fail(c, RC_CODE_INTERNAL, RC_STR("This process cannot wait for events."), RC_STR(""));
}

/* Waits until an event or until the time until_ms. Returns false if the wait failed. */
static bool wait_once(rc_caller *c, uint64_t until_ms)
{
    const rc_wake wake = rc_console_poll(&c->console, until_ms);
    if (wake == RC_WAKE_FAILED)
        fail_to_wait(c);
    if (wake == RC_WAKE_SIGNAL && c->signal == 0)
        c->signal = c->watch.end_signal;
    if (wake == RC_WAKE_ESCAPE)
        c->is_escaped = true;
    if (wake != RC_WAKE_NONE)
        c->is_over = true;
    return wake != RC_WAKE_FAILED;
}

static void step(rc_caller *c)
{
    rc_console_check(&c->console);
    rc_caller_draw(c);
    (void)wait_once(c, rc_caller_next_draw(c));
    c->live.is_thinking = c->call.facts.has_reasoning;
    resume(c);
    /* If the output failed (closed pipe, full disk), nobody can read more of the response. */
    if (c->out.error != 0)
        c->is_over = true;
}

/* Closes the client, which cancels a call that has not ended. */
static void close_down(rc_caller *c)
{
    rc_client_close(&c->client);
    while (rc_client_call_is_open(&c->call) && wait_once(c, RC_WATCH_NEVER))
        ;
    (void)uv_run(&c->loop, UV_RUN_DEFAULT);
}

static void run_loop(rc_caller *c)
{
    c->started_ms = c->watch.now_ms;
    rc_console_check(&c->console);
    if (rc_caller_open_client(c))
        start(c);
    else
        c->is_over = true;
    while (!c->is_over)
        step(c);
    c->ended_ms = c->watch.now_ms;
    rc_console_end(&c->console);
    close_down(c);
}

void rc_caller_send(rc_caller *c)
{
    c->console.line.is_live =
        !c->is_quiet && c->format == RC_CALLER_HUMAN && c->cli->err_terminal.can_redraw;
    c->console.wants_keys = c->console.line.is_live || c->cli->out_terminal.is_tty;
    if (uv_loop_init(&c->loop) != 0) {
        fail_to_wait(c);
        return;
    }
    c->watch.loop = &c->loop;
    run_loop(c);
    c->watch.loop = NULL;
    (void)uv_loop_close(&c->loop);
}
