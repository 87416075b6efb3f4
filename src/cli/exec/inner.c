/* Nested `recourse exec`: takes over the report of an inner exec or other inner program, which has
 * more evidence of the failure, and passes the report of this exec to an outer exec. A failure that
 * an inner exec has retried up to its limit is not retried again by the exec commands around it.
 * Called by report.c and exec.c.
 *
 *   outer exec ── pipe, RECOURSE_REPORT_FD=N ──► command ──► inner exec
 *        ▲                                                       │
 *        └──────── one line of JSON: the report ◄────────────────┘ */
#include <recourse/json.h>

#include "base/str.h"
#include "cli/exec/exec.h"
#include "sys/file.h"
#include "json/find.h"

/* Maximum length of a report line in bytes: the reader stores lines up to this length, and an empty
 * pipe has space for one. */
#define REPORT_MAX (RC_TAIL_MAX - 1)
#define FD_DIGITS_MAX 7

/* ---- report of an inner layer ---- */

/* Returns the line of text that ends at *end, and sets *end to the end of the line before it. */
static rc_str line_before(rc_str text, size_t *end)
{
    size_t stop = *end;
    size_t start = stop;
    while (start > 0 && text.ptr[start - 1] != '\n')
        start--;
    *end = start > 0 ? start - 1 : 0;
    return rc_str_trim(rc_str_slice(text, start, stop));
}

static const rc_report *decode(rc_exec *x, rc_str json)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_detected_read(&x->detected, json);
    if (x->detected.kind != RC_DETECTED_REPORT)
        return NULL;
    rc_status status =
        rc_report_decode(x->detected.report, RC_DECODE_TOLERANT, &x->cli->alloc, &report, &info);
    return status == RC_OK ? report : NULL;
}

/* Gives the report in the last line of the pipe; NULL: none. A line whose beginning was dropped is
 * not a valid report. */
static const rc_report *read_from_pipe(rc_exec *x)
{
    rc_str text = rc_tail_get(&x->inner);
    size_t end = text.len;
    while (end > 0) {
        rc_str line = line_before(text, &end);
        if (line.len > 0)
            return decode(x, line);
    }
    return NULL;
}

/* Gives the report of an event line {"type":"run:failed",...,"error":{report}}; NULL: another
 * line. */
static const rc_report *decode_event(rc_exec *x, rc_str line)
{
    rc_json_member keys[] = {{.key = RC_STR("type")}, {.key = RC_STR("error")}};
    if (line.len < 2 || line.ptr[0] != '{' || line.ptr[line.len - 1] != '}' ||
        rc_json_find(line, keys, 2, false) != RC_OK || !keys[0].is_found || !keys[1].is_found)
        return NULL;
    if (keys[0].value.type != RC_JSON_STRING ||
        !rc_str_eq(keys[0].value.raw, RC_STR("run:failed")) ||
        keys[1].value.type != RC_JSON_OBJECT_BEGIN)
        return NULL;
    return decode(x, rc_str_slice(line, keys[1].value.offset, keys[1].value_end));
}

static const rc_report *read_event(rc_exec *x)
{
    rc_str text = rc_tail_get(&x->tail);
    size_t end = text.len;
    const rc_report *report = NULL;
    while (end > 0 && report == NULL)
        report = decode_event(x, line_before(text, &end));
    return report;
}

const rc_report *rc_exec_inner_report(rc_exec *x)
{
    const rc_report *report = read_from_pipe(x);
    return report != NULL ? report : read_event(x);
}

/* ---- report for an outer layer ---- */

/* Returns the descriptor that the text names; -1 for numbers below 3 and for other texts. */
static int parse_fd(rc_str text)
{
    int value = 0;
    if (text.len == 0 || text.len > FD_DIGITS_MAX)
        return -1;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return -1;
        value = value * 10 + (text.ptr[i] - '0');
    }
    return value > RC_FD_STDERR ? value : -1;
}

/* Accepts only a pipe, because the variable may be inherited from a process whose descriptor with
 * this number was another file. The command does not inherit the descriptor; it gets its own pipe
 * from this exec. */
void rc_exec_outer_open(rc_exec *x)
{
    struct stat info;
    int fd = parse_fd(rc_str_c(x->calls->getenv(RC_REPORT_FD_NAME)));
    x->report_fd = -1;
    if (fd < 0 || x->calls->fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode))
        return;
    x->report_fd = rc_fd_lift(x->calls, x->calls->open_again(fd));
    rc_fd_close(x->calls, fd);
}

void rc_exec_outer_close(rc_exec *x)
{
    if (x->report_fd >= 0)
        rc_fd_close(x->calls, x->report_fd);
    x->report_fd = -1;
}

void rc_exec_outer_write(rc_exec *x, const rc_report *report)
{
    static const rc_view VIEWS[] = {RC_VIEW_INTERNAL, RC_VIEW_MODEL, RC_VIEW_USER};
    rc_buf line;
    rc_status status = RC_E_TOO_LARGE;
    if (x->report_fd < 0)
        return;
    rc_buf_init(&line, &x->cli->alloc, REPORT_MAX);
    for (size_t i = 0; i < sizeof VIEWS / sizeof *VIEWS && status == RC_E_TOO_LARGE; i++) {
        rc_buf_reset(&line);
        rc_report_encode(report, VIEWS[i], &line);
        status = rc_buf_push_byte(&line, '\n');
    }
    /* The pipe is non-blocking; a report that does not fit is dropped without a message. */
    if (status == RC_OK)
        rc_fd_write(x->calls, x->report_fd, rc_buf_get(&line));
    rc_buf_done(&line);
}
