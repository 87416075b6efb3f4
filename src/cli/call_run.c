/* From the request to its end: the loop of the network, with signals, keys and our own output
 * polled beside it. */
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/call.h"
#include "core/render_wrap.h"
#include "sys/clock.h"
#include "sys/file.h"

/* A gateway that was told the deadline gets this much more to say that it has passed. */
#define GUARD_MS 5000u
/* Of text that nobody has read: above it the gateway is asked to wait. */
#define UNREAD_MAX_BYTES ((size_t)8 << 20)
/* How long words may take that follow a signal which asked for the end. */
#define LAST_WORDS_MS 500u

/* ---- text ---- */

/* What would move the cursor, change colours or turn text around. */
static bool is_hostile(uint32_t cp)
{
    const bool is_control = (cp < 0x20 && cp != '\n' && cp != '\t') || (cp >= 0x7f && cp < 0xa0);
    return is_control || (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

/* For a terminal; anywhere else bytes are bytes. */
static void push_harmless(rc_buf *buf, rc_str text)
{
    size_t from = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = 1;
        const uint32_t cp = rc_utf8_decode(text, at, &len);
        if (is_hostile(cp)) {
            rc_buf_push(buf, rc_str_slice(text, from, at));
            rc_glyph_push(buf, cp, true);
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
    push_harmless(&clean, text);
    const bool is_written =
        rc_buf_status(&clean) == RC_OK && rc_outlet_push(&c->out, rc_buf_get(&clean));
    rc_buf_done(&clean);
    return is_written;
}

static size_t unread(const rc_outlet *outlet)
{
    return rc_outlet_is_empty(outlet) ? 0 : rc_buf_get(&outlet->queue).len - outlet->queue_at;
}

static void on_text(void *ctx, rc_str text)
{
    rc_caller *c = ctx;
    bool is_kept = true;
    if (c->format == RC_CALLER_HUMAN) {
        rc_caller_clear(c);
        is_kept = write_text(c, text);
    } else {
        is_kept = rc_buf_push(&c->answer, text) == RC_OK;
    }
    if (!is_kept && c->exit_status == RC_EXIT_OK) {
        c->exit_status = RC_EXIT_INTERNAL;
        c->is_over = true;
    }
    if (!c->is_paused && unread(&c->out) > UNREAD_MAX_BYTES) {
        c->is_paused = true;
        rc_ask_pause(&c->ask);
    }
}

static void resume(rc_caller *c)
{
    if (!c->is_paused || !rc_outlet_is_empty(&c->out))
        return;
    c->is_paused = false;
    rc_ask_resume(&c->ask);
}

/* ---- what rc_ask tells ---- */

static void on_event(void *ctx, const rc_told *told)
{
    rc_caller_on_event(ctx, told);
}

static void on_end(void *ctx)
{
    rc_caller *c = ctx;
    c->is_over = true;
}

static const rc_ask_handler handler = {
    .on_event = on_event, .on_text = on_text, .on_end = on_end};

static void start(rc_caller *c)
{
    const rc_ask_settings settings = {
        .upstream = c->upstream,
        .origin = &c->origin,
        .token = rc_secret_make(rc_str_trim(rc_buf_get(&c->token))),
        .prompt = &c->prompt,
        .dialect = c->dialect,
        .deadline_ms = c->deadline_ms,
        .policy = rc_str_c(c->policy),
        .now_unix_ms = rc_clock_unix_ms(c->calls),
        .alloc = c->cli->alloc,
    };
    c->is_started = true;
    c->is_over = !rc_ask_start(&c->ask, &c->loop, &settings, &handler, c);
    if (c->deadline_ms > 0)
        c->guard_at_ms = c->started_ms + c->deadline_ms + GUARD_MS;
}

/* ---- signals and keys ---- */

static void suspend(rc_caller *c)
{
    rc_caller_clear(c);
    rc_tty_keys_end(&c->tty);
    rc_watch_suspend(&c->watch);
    rc_caller_look_at_terminal(c);
}

static void on_signals(rc_caller *c)
{
    int signal = rc_watch_signal(&c->watch);
    for (; signal > 0; signal = rc_watch_signal(&c->watch)) {
        if (rc_signal_is_end(signal)) {
            c->signal = signal;
            c->is_over = true;
        } else if (signal == SIGTSTP) {
            suspend(c);
        } else if (signal == SIGWINCH) {
            rc_caller_on_resize(c);
        } else if (signal == SIGCONT) {
            /* Whoever stopped us may have changed the modes: they are set again. */
            rc_tty_keys_forget(&c->tty);
            c->live.is_keyless = false;
            rc_caller_look_at_terminal(c);
        }
    }
    if (signal < 0)
        c->is_over = true;
}

static void on_key(rc_caller *c)
{
    const rc_key key = rc_tty_key(&c->tty);
    if (key == RC_KEY_ESCAPE)
        c->is_over = c->is_escaped = true;
    else if (key == RC_KEY_GONE)
        c->live.is_keyless = true;
}

/* ---- the loop ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t wake_at(const rc_caller *c)
{
    const int timeout_ms = uv_backend_timeout(&c->loop);
    uint64_t at_ms = earlier(rc_caller_next_draw(c), c->guard_at_ms);
    if (timeout_ms >= 0)
        at_ms = earlier(at_ms, c->watch.now_ms + (uint64_t)timeout_ms);
    return at_ms;
}

static void poll_once(rc_caller *c, bool has_keys)
{
    struct pollfd fds[3] = {
        {.fd = c->watch.signal_fd, .events = POLLIN},
        {.fd = has_keys ? c->tty.fd : -1, .events = POLLIN},
        {.fd = uv_backend_fd(&c->loop), .events = POLLIN},
    };
    if (rc_watch_poll(&c->watch, fds, 3, wake_at(c)) != 0) {
        c->exit_status = RC_EXIT_INTERNAL;
        c->is_over = true;
        return;
    }
    if (fds[0].revents != 0)
        on_signals(c);
    if (fds[1].revents != 0 && !c->is_over)
        on_key(c);
}

/* Nobody reads any more, or the disk is full: then there is nothing to ask for either. */
static bool is_out_lost(const rc_caller *c)
{
    return c->out.error != 0;
}

static void step(rc_caller *c)
{
    (void)uv_run(&c->loop, UV_RUN_NOWAIT);
    c->live.is_thinking = c->ask.reply.has_reasoning;
    if (c->is_over)
        return;
    rc_caller_look_at_terminal(c);
    rc_caller_draw(c);
    poll_once(c, c->live.line.has_keys);
    resume(c);
    c->is_late = c->watch.now_ms >= c->guard_at_ms;
    if (is_out_lost(c) || c->is_late)
        c->is_over = true;
}

/* What is under way ends in order, and is on record. A second signal cuts it off. */
static void close_down(rc_caller *c)
{
    const int first = c->signal;
    rc_ask_cancel(&c->ask);
    /* The gateway hears of it before it is closed. */
    (void)uv_run(&c->loop, UV_RUN_NOWAIT);
    (void)uv_run(&c->loop, UV_RUN_NOWAIT);
    rc_caller_close_way(c);
    c->guard_at_ms = RC_WATCH_NEVER;
    c->live.can_draw = false;
    while (!rc_caller_is_way_closed(c)) {
        (void)uv_run(&c->loop, UV_RUN_NOWAIT);
        if (!rc_caller_is_way_closed(c))
            poll_once(c, false);
    }
    if (first != 0)
        c->signal = first;
}

static void fail_to_begin(rc_caller *c)
{
    rc_caller_fail(c, RC_CODE_INTERNAL, RC_STR("There is no event loop to be had."), RC_STR(""));
}

static void run_loop(rc_caller *c)
{
    c->started_ms = c->watch.now_ms;
    rc_caller_look_at_terminal(c);
    if (rc_caller_open_way(c))
        start(c);
    else
        c->is_over = true;
    while (!c->is_over)
        step(c);
    c->ended_ms = c->watch.now_ms;
    rc_caller_clear(c);
    rc_tty_keys_end(&c->tty);
    close_down(c);
}

void rc_caller_ask(rc_caller *c)
{
    c->guard_at_ms = RC_WATCH_NEVER;
    c->live.can_draw =
        !c->is_quiet && c->format == RC_CALLER_HUMAN && rc_wait_line_is_live(c->cli);
    rc_caller_on_resize(c);
    if (uv_loop_init(&c->loop) != 0) {
        fail_to_begin(c);
        return;
    }
    if (uv_mutex_init(&c->suppressed) == 0) {
        run_loop(c);
        uv_mutex_destroy(&c->suppressed);
    } else {
        fail_to_begin(c);
    }
    (void)uv_loop_close(&c->loop);
}

/* ---- the last words ---- */

static bool is_written(const rc_caller *c)
{
    return rc_outlet_is_empty(&c->out) && rc_outlet_is_empty(&c->talk);
}

void rc_caller_flush(rc_caller *c)
{
    const uint64_t until_ms =
        c->signal != 0 ? c->watch.now_ms + LAST_WORDS_MS : RC_WATCH_NEVER;
    while (!is_written(c) && c->watch.now_ms < until_ms) {
        struct pollfd fd = {.fd = c->watch.signal_fd, .events = POLLIN};
        if (rc_watch_poll(&c->watch, &fd, 1, until_ms) != 0)
            return;
        const int signal = fd.revents != 0 ? rc_watch_signal(&c->watch) : 0;
        if (signal == SIGTSTP)
            rc_watch_suspend(&c->watch);
        if (signal < 0 || rc_signal_is_end(signal)) {
            c->signal = signal > 0 ? signal : c->signal;
            return;
        }
    }
}
