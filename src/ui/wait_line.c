/* Text of the line shown while a retry waits; called by `exec` (wait.c) and `call` (live.c). */
#include "ui/wait_line.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "codec/duration.h"
#include "render/symbol.h"
#include "render/wrap.h"

#define SECOND_MS 1000u
/* Minimum number of columns for the reason of a retry; if fewer columns remain, the reason is left
 * out. */
#define REASON_MIN 16u

/* Appends ASCII text (one byte is one column). Returns false without appending if the text does not
 * fit line->width. */
static bool push_fitting(rc_buf *buf, const rc_wait_line *line, unsigned *used, const char *text)
{
    rc_str piece = rc_str_c(text);
    if (*used + piece.len > line->width)
        return false;
    rc_buf_push(buf, piece);
    *used += (unsigned)piece.len;
    return true;
}

/* Returns line->reason without its full stop, or the name of line->code if the reason is empty. */
static rc_str reason_of(const rc_wait_line *line)
{
    rc_str reason = rc_str_trim(line->reason);
    if (reason.len == 0)
        return rc_str_c(rc_code_name(line->code));
    return reason.ptr[reason.len - 1] == '.' ? rc_str_slice(reason, 0, reason.len - 1) : reason;
}

/* Appends the result of reason_of. The name of a code is shown whole or not at all; a sentence may
 * be cut. */
static void push_reason(rc_buf *buf, const rc_wait_line *line, unsigned used)
{
    const rc_str reason = reason_of(line);
    const unsigned width = rc_visible_width(reason, line->has_utf8);
    const unsigned left = line->width > used + 2 ? line->width - used - 2 : 0;
    if (width == 0 || (width > left && (line->reason.len == 0 || left < REASON_MIN)))
        return;
    rc_buf_push(buf, RC_STR("  "));
    (void)rc_visible_push_cut(buf, reason, left, line->has_utf8);
}

static void push_count(rc_buf *buf, const rc_wait_line *line)
{
    rc_buf_push_u64(buf, line->retry);
    rc_buf_push_byte(buf, '/');
    rc_buf_push_u64(buf, line->max_retries);
    rc_buf_push(buf, RC_STR(") in "));
}

void rc_wait_line_push(rc_buf *buf, const rc_wait_line *line)
{
    char scratch[96];
    rc_buf head;
    rc_buf_init_fixed(&head, scratch, sizeof scratch);
    rc_buf_push(&head, RC_STR("Retrying ("));
    push_count(&head, line);
    uint64_t seconds = line->left_ms / SECOND_MS + (line->left_ms % SECOND_MS > 0 ? 1 : 0);
    rc_duration_push(&head, (int64_t)(seconds * SECOND_MS));
    rc_str text = rc_buf_get(&head);
    unsigned dots =
        rc_visible_width(rc_symbol_text(RC_SYMBOL_MORE, line->has_utf8), line->has_utf8);
    if (text.len + dots > line->width) {
        rc_buf_push(buf, rc_str_make(text.ptr, text.len < line->width ? text.len : line->width));
        return;
    }
    unsigned used = (unsigned)text.len + dots;
    rc_buf_push(buf, text);
    rc_buf_push(buf, rc_symbol_text(RC_SYMBOL_MORE, line->has_utf8));
    if (line->has_keys && !push_fitting(buf, line, &used, " (esc to cancel)")) {
        push_fitting(buf, line, &used, " (esc)");
        return;
    }
    push_reason(buf, line, used);
}

void rc_wait_line_push_plain(rc_buf *buf, const char *command, const rc_wait_line *line)
{
    const rc_str reason = reason_of(line);
    rc_buf_push(buf, RC_STR("recourse "));
    rc_buf_push(buf, rc_str_c(command));
    rc_buf_push(buf, RC_STR(": "));
    rc_visible_push(buf, reason, line->has_utf8);
    rc_buf_push(buf, reason.len > 0 ? RC_STR(": retrying (") : RC_STR("retrying ("));
    push_count(buf, line);
    rc_duration_push(buf, (int64_t)line->left_ms);
    rc_buf_push_byte(buf, '\n');
}
