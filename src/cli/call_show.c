/* What a person sees while there is no text yet: a line that is drawn again and again, and lines
 * that stay. */
#include "base/str.h"
#include "base/utf8.h"
#include "cli/call.h"
#include "codec/duration.h"
#include "core/render_wrap.h"
#include "core/spend.h"
#include "sys/file.h"

#define SECOND_MS 1000u
#define LINE_ROOM 4096
/* An answer that comes sooner needs no line. */
#define PATIENCE_MS 1000u

/* ---- lines that stay ---- */

void rc_caller_say(rc_caller *c, rc_str text)
{
    char room[LINE_ROOM];
    rc_buf line;
    rc_buf_init_fixed(&line, room, sizeof room - 1);
    rc_buf_push(&line, RC_STR("recourse call: "));
    rc_visible_push(&line, text, c->cli->err_terminal.has_utf8);
    room[rc_buf_get(&line).len] = '\n';
    rc_caller_clear(c);
    rc_outlet_begin_line(&c->talk);
    rc_outlet_push(&c->talk, rc_str_make(room, rc_buf_get(&line).len + 1));
}

/* A sentence that becomes a part of another one. */
static rc_str without_stop(rc_str text)
{
    const rc_str trimmed = rc_str_trim(text);
    const bool has_stop = trimmed.len > 0 && trimmed.ptr[trimmed.len - 1] == '.';
    return has_stop ? rc_str_slice(trimmed, 0, trimmed.len - 1) : trimmed;
}

static void copy(char room[RC_CALLER_TEXT_MAX], rc_str text)
{
    const size_t len = rc_utf8_cut(text, RC_CALLER_TEXT_MAX - 1);
    if (len > 0)
        memcpy(room, text.ptr, len);
    room[len] = '\0';
}

/* "Switching from a/x to b/y: why", dim, on a terminal; elsewhere as every line of ours. */
static void show_switch(rc_caller *c, rc_str why)
{
    char room[2 * LINE_ROOM];
    rc_buf line;
    const rc_str what = rc_str_c(c->live.switched);
    const bool has_utf8 = c->cli->err_terminal.has_utf8;
    if (what.len == 0)
        return;
    rc_buf_init_fixed(&line, room, sizeof room);
    if (!c->live.can_draw) {
        if (why.len > 0) {
            rc_buf_push(&line, without_stop(why));
            rc_buf_push(&line, RC_STR(": "));
        }
        rc_buf_push_byte(&line, 's');
        rc_buf_push(&line, rc_str_slice(what, 1, what.len));
        if (!c->is_quiet)
            rc_caller_say(c, rc_buf_get(&line));
    } else {
        rc_buf_push(&line, c->has_colour ? RC_STR("\x1b[2m") : RC_STR(""));
        rc_visible_push(&line, what, has_utf8);
        rc_buf_push(&line, why.len > 0 ? RC_STR(": ") : RC_STR(""));
        rc_visible_push(&line, without_stop(why), has_utf8);
        rc_buf_push(&line, c->has_colour ? RC_STR("\x1b[0m\n") : RC_STR("\n"));
        rc_caller_clear(c);
        rc_outlet_begin_line(&c->talk);
        rc_outlet_push(&c->talk, rc_buf_get(&line));
    }
    c->live.switched[0] = '\0';
}

/* ---- events ---- */

static void on_switch(rc_caller *c, const char *what, rc_str whose, rc_str from, rc_str to)
{
    char room[2 * RC_CALLER_TEXT_MAX];
    rc_buf text;
    show_switch(c, RC_STR(""));
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, rc_str_c(what));
    rc_buf_push(&text, whose);
    rc_buf_push(&text, RC_STR(" from "));
    rc_buf_push(&text, from);
    rc_buf_push(&text, RC_STR(" to "));
    rc_buf_push(&text, to);
    copy(c->live.switched, rc_buf_get(&text));
}

static void on_retry(rc_caller *c, const rc_told *told)
{
    rc_caller_live *live = &c->live;
    char room[LINE_ROOM];
    rc_buf buf;
    copy(live->why, told->error_message);
    show_switch(c, rc_str_c(live->why));
    live->line.retry = told->attempt > 0 ? (uint32_t)told->attempt - 1 : 0;
    live->line.max_retries = told->max_attempts > 0 ? (uint32_t)told->max_attempts - 1 : 0;
    live->line.left_ms = told->delay_ms;
    live->line.why = rc_str_c(live->why);
    live->line.has_utf8 = c->cli->err_terminal.has_utf8;
    if (told->delay_ms == 0 || c->is_quiet || c->format != RC_CALLER_HUMAN ||
        (live->can_draw && live->has_terminal))
        return;
    rc_buf_init_fixed(&buf, room, sizeof room);
    rc_wait_line_push_plain(&buf, "call", &live->line);
    rc_outlet_begin_line(&c->talk);
    rc_outlet_push(&c->talk, rc_buf_get(&buf));
}

/* "The budget of client app has no room ($0.99 of $1.00 is spent): waiting until it has" */
static void on_pause(rc_caller *c, const rc_told *told)
{
    char room[RC_CALLER_TEXT_MAX + 256];
    rc_buf text;
    show_switch(c, RC_STR(""));
    if (c->is_quiet)
        return;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, RC_STR("The "));
    rc_spend_push_scope(&text, told->scope.len > 0 ? told->scope : RC_STR("this client"));
    rc_buf_push(&text, RC_STR(" has no room ("));
    rc_spend_push_usd(&text, told->spent_micro_usd);
    rc_buf_push(&text, RC_STR(" of "));
    rc_spend_push_usd(&text, told->limit_micro_usd);
    rc_buf_push(&text, RC_STR(" is spent): waiting until it has"));
    rc_caller_say(c, rc_buf_get(&text));
}

/* Names are a gateway's, which may be anybody's. */
void rc_caller_note_quota(rc_caller *c, const rc_quota *quota, rc_str target)
{
    char room[2 * RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf line;
    if (!rc_quota_is_sound(quota))
        return;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_quota_push_text(quota, rc_str_slice(target, 0, RC_CALLER_TEXT_MAX / 2), rc_str_make(NULL, 0),
                       &text);
    rc_buf_push_byte(&text, '.');
    rc_buf_init_fixed(&line, c->near_limit, sizeof c->near_limit - 1);
    rc_visible_push(&line, rc_buf_get(&text), c->cli->err_terminal.has_utf8);
    c->near_limit[rc_buf_get(&line).len] = '\0';
}

static void on_quota(rc_caller *c, const rc_told *told)
{
    const rc_quota quota = rc_quota_of_told(told);
    rc_caller_note_quota(c, &quota, told->model);
}

static bool is_switch(rc_event_type type)
{
    return type == RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED ||
           type == RC_EVENT_TYPE_CREDENTIAL_SWITCHED;
}

/* Whatever is shown: whether it waits matters for how it ends. */
void rc_caller_on_event(rc_caller *c, const rc_told *told)
{
    const bool is_retry = told->type == RC_EVENT_TYPE_AUTO_RETRY_START;
    if (told->type == RC_EVENT_TYPE_QUOTA_WARNING) {
        on_quota(c, told);
        return;
    }
    if (is_retry || !is_switch(told->type))
        c->live.retry_at_ms = is_retry && told->delay_ms > 0 ? c->watch.now_ms + told->delay_ms : 0;
    if (c->format != RC_CALLER_HUMAN)
        return;
    switch ((int)told->type) {
    case RC_EVENT_TYPE_AUTO_RETRY_START:
        on_retry(c, told);
        break;
    case RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED:
        on_switch(c, "Switching", RC_STR(""), told->from, told->to);
        break;
    case RC_EVENT_TYPE_CREDENTIAL_SWITCHED:
        on_switch(c, "Switching the key of ", told->provider, told->from, told->to);
        break;
    case RC_EVENT_TYPE_BUDGET_PAUSED:
        on_pause(c, told);
        break;
    default:
        show_switch(c, RC_STR(""));
        break;
    }
}

/* ---- the line that is drawn again ---- */

static bool is_waiting(const rc_caller *c)
{
    return c->live.retry_at_ms > c->watch.now_ms;
}

/* Looked at every second: a shell gives the terminal to a job that runs without a word. */
void rc_caller_look_at_terminal(rc_caller *c)
{
    rc_caller_live *live = &c->live;
    const bool is_person = live->can_draw || c->cli->out_terminal.is_tty;
    live->has_terminal = rc_tty_is_ours(&c->tty);
    live->line.has_keys =
        is_person && live->has_terminal && !live->is_keyless && rc_tty_keys_begin(&c->tty);
}

void rc_caller_on_resize(rc_caller *c)
{
    const int columns = c->calls->columns(RC_FD_STDERR);
    unsigned width = c->cli->err_terminal.width;
    if (columns > 0)
        width = (unsigned)columns;
    if (c->width > 0)
        width = c->width;
    /* In the last column some terminals wrap. */
    c->live.line.width = width > 1 ? width - 1 : 1;
}

void rc_caller_clear(rc_caller *c)
{
    if (!c->live.is_drawn)
        return;
    rc_outlet_push(&c->talk, RC_STR("\r\x1b[K"));
    c->talk.is_mid_line = false;
    c->live.is_drawn = false;
}

static void push_fitting(rc_buf *buf, rc_str text, unsigned *left)
{
    if (text.len > *left)
        return;
    rc_buf_push(buf, text);
    *left -= (unsigned)text.len;
}

/* "Waiting for gpt-4o… 3s (esc to cancel)" */
static void push_patience(rc_caller *c, rc_buf *buf)
{
    const bool has_utf8 = c->live.line.has_utf8 || c->cli->err_terminal.has_utf8;
    const uint64_t since_ms = c->watch.now_ms - c->started_ms;
    unsigned left = c->live.line.width;
    char room[64];
    rc_buf time;
    rc_buf_init_fixed(&time, room, sizeof room);
    rc_buf_push_byte(&time, ' ');
    rc_duration_push(&time, (int64_t)(since_ms / SECOND_MS * SECOND_MS));
    const rc_str what = c->live.is_thinking ? RC_STR("Thinking") : RC_STR("Waiting for ");
    const unsigned dots = has_utf8 ? 1 : 3;
    push_fitting(buf, what, &left);
    /* The name may be long: what stands behind it is worth more. */
    const unsigned rest = dots + (unsigned)rc_buf_get(&time).len + 16;
    if (!c->live.is_thinking && left > rest)
        left -= rc_visible_push_cut(buf, c->model, left - rest, has_utf8);
    if (left < dots)
        return;
    rc_buf_push(buf, has_utf8 ? RC_STR("…") : RC_STR("..."));
    left -= dots;
    push_fitting(buf, rc_buf_get(&time), &left);
    if (c->live.line.has_keys)
        push_fitting(buf, RC_STR(" (esc to cancel)"), &left);
}

/* Where nobody reads, the line is not drawn: it would only be late. */
void rc_caller_draw(rc_caller *c)
{
    rc_caller_live *live = &c->live;
    char room[LINE_ROOM];
    rc_buf buf;
    const uint64_t now_ms = c->watch.now_ms;
    const bool is_due = is_waiting(c) || now_ms - c->started_ms >= PATIENCE_MS;
    if (!live->can_draw || !live->has_terminal || !rc_outlet_is_empty(&c->talk) || !is_due ||
        c->ask.facts.first_text_ms >= 0)
        return;
    rc_buf_init_fixed(&buf, room, sizeof room);
    rc_buf_push_byte(&buf, '\r');
    if (is_waiting(c)) {
        live->line.left_ms = live->retry_at_ms - now_ms;
        rc_wait_line_push(&buf, &live->line);
    } else {
        push_patience(c, &buf);
    }
    rc_buf_push(&buf, RC_STR("\x1b[K"));
    if (!live->is_drawn)
        rc_outlet_begin_line(&c->talk);
    live->is_drawn = rc_outlet_push(&c->talk, rc_buf_get(&buf)) || live->is_drawn;
}

uint64_t rc_caller_next_draw(const rc_caller *c)
{
    const uint64_t now_ms = c->watch.now_ms;
    if (!c->live.can_draw)
        return c->live.line.has_keys ? now_ms + SECOND_MS : RC_WATCH_NEVER;
    if (!is_waiting(c))
        return now_ms + SECOND_MS - (now_ms - c->started_ms) % SECOND_MS;
    const uint64_t part_ms = (c->live.retry_at_ms - now_ms) % SECOND_MS;
    return now_ms + (part_ms > 0 ? part_ms : SECOND_MS);
}
