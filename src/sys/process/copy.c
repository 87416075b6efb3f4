/* Copies a command's standard error, its report and its input. The functions never block, because
 * poll(2) has reported that the descriptors are ready. Called by group.c and process.c; recourse
 * exec also uses rc_tail. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/process/run.h"

void rc_tail_reset(rc_tail *tail)
{
    tail->len = 0;
}

static size_t capacity_of(const rc_tail *tail)
{
    return tail->keep > 0 && tail->keep <= RC_TAIL_MAX ? tail->keep : RC_TAIL_BYTES;
}

void rc_tail_push(rc_tail *tail, rc_str bytes)
{
    size_t keep = capacity_of(tail);
    if (bytes.len > keep)
        bytes = rc_str_make(bytes.ptr + (bytes.len - keep), keep);
    if (bytes.len == 0)
        return;
    if (tail->len + bytes.len > 2 * keep) {
        size_t kept = tail->len < keep ? tail->len : keep;
        memmove(tail->bytes, tail->bytes + (tail->len - kept), kept);
        tail->len = kept;
    }
    memcpy(tail->bytes + tail->len, bytes.ptr, bytes.len);
    tail->len += bytes.len;
}

rc_str rc_tail_get(const rc_tail *tail)
{
    size_t keep = capacity_of(tail);
    size_t len = tail->len < keep ? tail->len : keep;
    return rc_str_make(tail->bytes + (tail->len - len), len);
}

void rc_run_close(const rc_run *run, int *fd)
{
    if (*fd >= 0)
        rc_fd_close(run->calls, *fd);
    *fd = -1;
}

void rc_run_read_error(rc_run *run)
{
    ssize_t got = run->calls->read(run->err_fd, run->piece, sizeof run->piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        /* In the phase DRAINING no process is left that could write to the pipe. */
        if (errno == EAGAIN && run->phase == RC_RUN_DRAINING)
            rc_run_close(run, &run->err_fd);
        return;
    }
    if (got <= 0) {
        rc_run_close(run, &run->err_fd);
        return;
    }
    rc_tail_push(run->options->tail, rc_str_make(run->piece, (size_t)got));
    run->piece_at = 0;
    run->piece_len = (size_t)got;
    if (run->phase == RC_RUN_DRAINING)
        run->drained += (size_t)got;
    rc_run_write_error(run);
}

/* Copies the command's output to our standard error. If our standard error is closed, the bytes are
 * dropped and the command continues. */
void rc_run_write_error(rc_run *run)
{
    rc_str left = rc_str_make(run->piece + run->piece_at, run->piece_len - run->piece_at);
    run->piece_at += rc_outlet_write(run->options->error_outlet, left);
    if (run->piece_at >= run->piece_len)
        run->piece_at = run->piece_len = 0;
    run->options->error_outlet->is_awaited = run->piece_len > 0;
}

void rc_run_read_report(rc_run *run)
{
    char piece[RC_RUN_PIECE];
    ssize_t got = run->calls->read(run->report_fd, piece, sizeof piece);
    if (got > 0)
        rc_tail_push(run->options->report, rc_str_make(piece, (size_t)got));
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        rc_run_close(run, &run->report_fd);
}

void rc_run_feed(rc_run *run)
{
    rc_stdin *in = run->options->input;
    rc_str bytes = rc_stdin_next(in);
    if (bytes.len > 0) {
        ssize_t put = run->calls->write(run->in_fd, bytes.ptr, bytes.len);
        if (put < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (put > 0)
            rc_stdin_consume(in, (size_t)put);
        else
            rc_run_close(run, &run->in_fd); /* The command has closed its standard input. */
    }
    if (rc_stdin_is_over(in))
        rc_run_close(run, &run->in_fd);
}
