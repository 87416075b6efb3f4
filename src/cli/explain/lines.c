/* Line reader with bounded memory; called by jsonl.c. */
#include "cli/explain/lines.h"

#include "base/str.h"
#include "sys/file.h"
#include "sys/stream.h"

#define START_BYTES ((size_t)256 << 10)
/* Smallest free space of the buffer for a read call. */
#define READ_MIN_BYTES ((size_t)64 << 10)

void rc_lines_init(rc_lines *lines, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                   size_t max_bytes)
{
    *lines = (rc_lines){.calls = calls, .alloc = *alloc, .fd = fd, .max_bytes = max_bytes};
}

void rc_lines_done(rc_lines *lines)
{
    if (lines->bytes != NULL)
        lines->alloc.put(lines->alloc.ctx, lines->bytes, lines->size);
    lines->bytes = NULL;
    lines->size = 0;
}

static bool resize(rc_lines *l, size_t size)
{
    char *bytes = l->alloc.get(l->alloc.ctx, size);
    if (bytes == NULL)
        return false;
    size_t held = l->to - l->from;
    if (held > 0)
        memcpy(bytes, l->bytes + l->from, held);
    if (l->bytes != NULL)
        l->alloc.put(l->alloc.ctx, l->bytes, l->size);
    l->bytes = bytes;
    l->size = size;
    l->scanned -= l->from;
    l->from = 0;
    l->to = held;
    return true;
}

static void move_to_front(rc_lines *l)
{
    size_t held = l->to - l->from;
    if (held > 0)
        memmove(l->bytes, l->bytes + l->from, held);
    l->scanned -= l->from;
    l->from = 0;
    l->to = held;
}

/* Makes space in the buffer behind the incomplete line for another read. */
static bool make_space(rc_lines *l)
{
    if (l->from > 0)
        move_to_front(l);
    if (l->size - l->to >= READ_MIN_BYTES)
        return true;
    size_t wanted = l->size == 0 ? START_BYTES : l->size * 2;
    size_t most = l->max_bytes + READ_MIN_BYTES;
    return resize(l, wanted < most || l->size == 0 ? wanted : most);
}

static rc_lines_step fail(rc_lines *l, int error)
{
    l->error = error;
    return RC_LINES_ERROR;
}

static rc_line take(rc_lines *l, size_t end, bool is_too_long)
{
    rc_line line = {rc_str_make(l->bytes + l->from, end - l->from), is_too_long};
    l->from = end < l->to && !is_too_long ? end + 1 : end;
    l->scanned = l->from;
    return line;
}

/* Returns the next complete line in the buffer, or the beginning of a line that is too long. */
static bool find_line(rc_lines *l, rc_line *ret_line)
{
    for (;;) {
        rc_str held = rc_str_make(l->bytes, l->to);
        size_t end = l->to > l->scanned ? rc_str_find_byte(held, '\n', l->scanned) : RC_STR_NPOS;
        if (l->is_too_long) {
            l->from = end == RC_STR_NPOS ? l->to : end + 1;
            l->scanned = l->from;
            if (end == RC_STR_NPOS)
                return false;
            l->is_too_long = false;
            continue;
        }
        size_t line_end = end == RC_STR_NPOS ? l->to : end;
        l->scanned = line_end;
        if (line_end - l->from > l->max_bytes) {
            *ret_line = take(l, l->from + l->max_bytes, true);
            l->is_too_long = true;
            return true;
        }
        if (end == RC_STR_NPOS)
            return false;
        *ret_line = take(l, end, false);
        return true;
    }
}

rc_lines_step rc_lines_next(rc_lines *l, rc_line *ret_line)
{
    for (;;) {
        if (find_line(l, ret_line))
            return RC_LINES_LINE;
        if (l->is_at_end && l->to > l->from) {
            *ret_line = take(l, l->to, false);
            return RC_LINES_LINE;
        }
        if (l->is_at_end)
            return RC_LINES_END;
        if (!l->is_wait_given) {
            l->is_wait_given = true;
            return RC_LINES_WAIT;
        }
        l->is_wait_given = false;
        if (!make_space(l))
            return fail(l, RC_FILE_NO_MEMORY);
        size_t got = 0;
        int error = rc_stream_read(l->calls, l->fd, l->bytes + l->to, l->size - l->to, &got);
        if (error != 0)
            return fail(l, error);
        l->to += got;
        l->is_at_end = got == 0;
    }
}
