/* Messages on standard error during the call: the status line, which is redrawn, and lines that
 * stay. Called by run.c and gateway.c. */
#include "base/str.h"
#include "base/utf8.h"
#include "cli/call/call.h"
#include "codec/duration.h"
#include "policy/ledger.h"
#include "render/pen.h"
#include "sys/file.h"

#define SECOND_MS 1000u
#define LINE_BYTES 4096
/* Time in milliseconds after which the status line is drawn if no text has arrived. */
#define DRAW_AFTER_MS 1000u

/* ---- permanent lines ---- */

void rc_caller_push_message(rc_caller *c, rc_str text)
{
    char scratch[LINE_BYTES];
    rc_buf line;
    rc_buf_init_fixed(&line, scratch, sizeof scratch - 1);
    rc_buf_push(&line, RC_STR("recourse call: "));
    rc_visible_push(&line, text, c->cli->err_terminal.has_utf8);
    scratch[rc_buf_get(&line).len] = '\n';
    rc_console_clear(&c->console);
    rc_outlet_begin_line(&c->err_outlet);
    rc_outlet_push(&c->err_outlet, rc_str_make(scratch, rc_buf_get(&line).len + 1));
}

/* Removes the full stop of a sentence, so that the text can be used inside another sentence. */
static rc_str without_stop(rc_str text)
{
    const rc_str trimmed = rc_str_trim(text);
    const bool has_stop = trimmed.len > 0 && trimmed.ptr[trimmed.len - 1] == '.';
    return has_stop ? rc_str_slice(trimmed, 0, trimmed.len - 1) : trimmed;
}

static void copy(char scratch[RC_CALLER_TEXT_MAX], rc_str text)
{
    const size_t len = rc_utf8_cut(text, RC_CALLER_TEXT_MAX - 1);
    if (len > 0)
        memcpy(scratch, text.ptr, len);
    scratch[len] = '\0';
}

/* Prints the pending switch, if any: on a terminal "Switching from a/x to b/y: why" in a dim
 * colour, elsewhere "recourse call: why: switching from a/x to b/y". */
static void show_switch(rc_caller *c, rc_str why)
{
    char scratch[2 * LINE_BYTES];
    rc_buf line;
    const rc_str label = rc_str_c(c->live.switch_text);
    if (label.len == 0)
        return;
    rc_buf_init_fixed(&line, scratch, sizeof scratch);
    if (!c->console.line.is_live) {
        if (why.len > 0) {
            rc_buf_push(&line, without_stop(why));
            rc_buf_push(&line, RC_STR(": "));
        }
        rc_buf_push_byte(&line, 's');
        rc_buf_push(&line, rc_str_slice(label, 1, label.len));
        if (!c->is_quiet)
            rc_caller_push_message(c, rc_buf_get(&line));
    } else {
        const rc_panel_style style = {.has_colour = c->has_colour,
                                      .has_utf8 = c->cli->err_terminal.has_utf8};
        rc_pen pen;
        rc_pen_init(&pen, &style, &line);
        rc_pen_text(&pen, RC_TONE_FAINT, label);
        rc_pen_text(&pen, RC_TONE_FAINT, why.len > 0 ? RC_STR(": ") : RC_STR(""));
        rc_pen_text(&pen, RC_TONE_FAINT, without_stop(why));
        rc_pen_end_line(&pen);
        rc_console_clear(&c->console);
        rc_outlet_begin_line(&c->err_outlet);
        rc_outlet_push(&c->err_outlet, rc_buf_get(&line));
    }
    c->live.switch_text[0] = '\0';
}

/* ---- events ---- */

static void on_switch(rc_caller *c, const char *label, rc_str subject, rc_str from, rc_str to)
{
    char scratch[2 * RC_CALLER_TEXT_MAX];
    rc_buf text;
    show_switch(c, RC_STR(""));
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, rc_str_c(label));
    rc_buf_push(&text, subject);
    rc_buf_push(&text, RC_STR(" from "));
    rc_buf_push(&text, from);
    rc_buf_push(&text, RC_STR(" to "));
    rc_buf_push(&text, to);
    copy(c->live.switch_text, rc_buf_get(&text));
}

static void on_retry(rc_caller *c, const rc_event_view *event)
{
    rc_caller_live *live = &c->live;
    char scratch[LINE_BYTES];
    rc_buf buf;
    copy(live->failure_text, event->error_message);
    show_switch(c, rc_str_c(live->failure_text));
    live->line.retry = event->attempt > 0 ? (uint32_t)event->attempt - 1 : 0;
    live->line.max_retries = event->max_attempts > 0 ? (uint32_t)event->max_attempts - 1 : 0;
    live->line.left_ms = event->delay_ms;
    live->line.reason = rc_str_c(live->failure_text);
    live->line.has_utf8 = c->cli->err_terminal.has_utf8;
    if (event->delay_ms == 0 || c->is_quiet || c->format != RC_CALLER_HUMAN ||
        rc_console_is_live(&c->console))
        return;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_wait_line_push_plain(&buf, "call", &live->line);
    rc_outlet_begin_line(&c->err_outlet);
    rc_outlet_push(&c->err_outlet, rc_buf_get(&buf));
}

/* Prints that the call waits for a budget of money, with the spent amount and the limit. */
static void on_pause(rc_caller *c, const rc_event_view *event)
{
    char scratch[RC_CALLER_TEXT_MAX + 256];
    rc_buf text;
    show_switch(c, RC_STR(""));
    if (c->is_quiet)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("The "));
    rc_ledger_push_scope(&text, event->scope.len > 0 ? event->scope : RC_STR("this client"));
    rc_buf_push(&text, RC_STR(" is used up ("));
    rc_ledger_push_usd(&text, event->spent_micro_usd);
    rc_buf_push(&text, RC_STR(" of "));
    rc_ledger_push_usd(&text, event->limit_micro_usd);
    rc_buf_push(&text, RC_STR(" is spent): waiting until it renews or is raised"));
    rc_caller_push_message(c, rc_buf_get(&text));
}

/* The name of the target is escaped, because with --via it comes from another machine. */
void rc_caller_set_near_limit(rc_caller *c, const rc_quota *quota, rc_str target)
{
    char scratch[2 * RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf line;
    if (!rc_quota_is_sound(quota))
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_quota_push_text(quota, rc_str_slice(target, 0, RC_CALLER_TEXT_MAX / 2), rc_str_make(NULL, 0),
                       &text);
    rc_buf_push_byte(&text, '.');
    rc_buf_init_fixed(&line, c->quota_warning, sizeof c->quota_warning - 1);
    rc_visible_push(&line, rc_buf_get(&text), c->cli->err_terminal.has_utf8);
    c->quota_warning[rc_buf_get(&line).len] = '\0';
}

static bool is_switch(rc_event_type type)
{
    return type == RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED ||
           type == RC_EVENT_TYPE_CREDENTIAL_SWITCHED;
}

/* Stores when a wait ends in every format, because the report of a cancelled call depends on it.
 * Prints events only in the human format. */
void rc_caller_on_event(rc_caller *c, const rc_event_view *event)
{
    const bool is_retry = event->type == RC_EVENT_TYPE_AUTO_RETRY_START;
    if (is_retry || !is_switch(event->type))
        c->live.retry_at_ms =
            is_retry && event->delay_ms > 0 ? c->watch.now_ms + event->delay_ms : 0;
    if (c->format != RC_CALLER_HUMAN)
        return;
    switch ((int)event->type) {
    case RC_EVENT_TYPE_AUTO_RETRY_START:
        on_retry(c, event);
        break;
    case RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED:
        on_switch(c, "Switching", RC_STR(""), event->from, event->to);
        break;
    case RC_EVENT_TYPE_CREDENTIAL_SWITCHED:
        on_switch(c, "Switching the key of ", event->provider, event->from, event->to);
        break;
    case RC_EVENT_TYPE_BUDGET_PAUSED:
        on_pause(c, event);
        break;
    default:
        show_switch(c, RC_STR(""));
        break;
    }
}

/* ---- status line ---- */

static bool is_waiting(const rc_caller *c)
{
    return c->live.retry_at_ms > c->watch.now_ms;
}

static void push_fitting(rc_buf *buf, rc_str text, unsigned *left)
{
    if (text.len > *left)
        return;
    rc_buf_push(buf, text);
    *left -= (unsigned)text.len;
}

/* Appends "Waiting for gpt-4o… 3s (esc to cancel)". */
static void push_waiting(rc_caller *c, rc_buf *buf)
{
    const bool has_utf8 = c->cli->err_terminal.has_utf8;
    const uint64_t since_ms = c->watch.now_ms - c->started_ms;
    unsigned left = c->live.line.width;
    char scratch[64];
    rc_buf time;
    rc_buf_init_fixed(&time, scratch, sizeof scratch);
    rc_buf_push_byte(&time, ' ');
    rc_duration_push(&time, (int64_t)(since_ms / SECOND_MS * SECOND_MS));
    const rc_str label = c->live.is_thinking ? RC_STR("Thinking") : RC_STR("Waiting for ");
    const rc_str more = rc_symbol_text(RC_SYMBOL_MORE, has_utf8);
    const unsigned dots = rc_visible_width(more, has_utf8);
    push_fitting(buf, label, &left);
    /* If the line is too long, the name of the model is cut, not the time or the hint about Esc. */
    const unsigned tail = dots + (unsigned)rc_buf_get(&time).len + 16;
    if (!c->live.is_thinking && left > tail)
        left -= rc_visible_push_cut(buf, c->model, left - tail, has_utf8);
    if (left < dots)
        return;
    rc_buf_push(buf, more);
    left -= dots;
    push_fitting(buf, rc_buf_get(&time), &left);
    if (c->live.line.has_keys)
        push_fitting(buf, RC_STR(" (esc to cancel)"), &left);
}

/* Draws the status line until the first text. */
void rc_caller_draw(rc_caller *c)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    const uint64_t now_ms = c->watch.now_ms;
    const bool is_due = is_waiting(c) || now_ms - c->started_ms >= DRAW_AFTER_MS;
    if (!is_due || c->call.facts.first_text_ms >= 0)
        return;
    c->live.line.has_keys = c->console.has_keys;
    c->live.line.width = rc_status_line_columns(&c->console.line);
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    if (is_waiting(c)) {
        c->live.line.left_ms = c->live.retry_at_ms - now_ms;
        rc_wait_line_push(&buf, &c->live.line);
    } else {
        push_waiting(c, &buf);
    }
    rc_console_draw(&c->console, rc_buf_get(&buf));
}

uint64_t rc_caller_next_draw(const rc_caller *c)
{
    const uint64_t now_ms = c->watch.now_ms;
    if (!c->console.line.is_live)
        return c->console.has_keys ? now_ms + SECOND_MS : RC_WATCH_NEVER;
    if (!is_waiting(c))
        return now_ms + SECOND_MS - (now_ms - c->started_ms) % SECOND_MS;
    const uint64_t part_ms = (c->live.retry_at_ms - now_ms) % SECOND_MS;
    return now_ms + (part_ms > 0 ? part_ms : SECOND_MS);
}
