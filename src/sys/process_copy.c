/* The two pipes of a command. Nothing here waits: poll said that there is
 * something to do. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/process_run.h"

void rc_tail_reset(rc_tail *tail)
{
    tail->len = 0;
}

void rc_tail_push(rc_tail *tail, rc_str bytes)
{
    if (bytes.len > RC_TAIL_BYTES)
        bytes = rc_str_make(bytes.ptr + (bytes.len - RC_TAIL_BYTES), RC_TAIL_BYTES);
    if (bytes.len == 0)
        return;
    if (tail->len + bytes.len > sizeof tail->bytes) {
        size_t kept = tail->len < RC_TAIL_BYTES ? tail->len : RC_TAIL_BYTES;
        memmove(tail->bytes, tail->bytes + (tail->len - kept), kept);
        tail->len = kept;
    }
    memcpy(tail->bytes + tail->len, bytes.ptr, bytes.len);
    tail->len += bytes.len;
}

rc_str rc_tail_get(const rc_tail *tail)
{
    size_t len = tail->len < RC_TAIL_BYTES ? tail->len : RC_TAIL_BYTES;
    return rc_str_make(tail->bytes + (tail->len - len), len);
}

void rc_run_close_error(rc_run *run)
{
    if (run->err_fd >= 0)
        rc_fd_close(run->calls, run->err_fd);
    run->err_fd = -1;
}

void rc_run_close_input(rc_run *run)
{
    if (run->in_fd >= 0)
        rc_fd_close(run->calls, run->in_fd);
    run->in_fd = -1;
}

void rc_run_read_error(rc_run *run)
{
    ssize_t got = run->calls->read(run->err_fd, run->piece, sizeof run->piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        /* Once nothing runs any more, what is not there will not come. */
        if (errno == EAGAIN && run->phase == RC_RUN_DRAINING)
            rc_run_close_error(run);
        return;
    }
    if (got <= 0) {
        rc_run_close_error(run);
        return;
    }
    rc_tail_push(run->plan->tail, rc_str_make(run->piece, (size_t)got));
    run->piece_at = 0;
    run->piece_len = run->is_talk_lost ? 0 : (size_t)got;
    if (run->phase == RC_RUN_DRAINING)
        run->drained += (size_t)got;
}

void rc_run_write_error(rc_run *run)
{
    ssize_t put =
        run->calls->write(RC_FD_STDERR, run->piece + run->piece_at, run->piece_len - run->piece_at);
    if (put < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    /* Nobody reads it: the command is not to blame, and goes on. */
    if (put <= 0)
        run->is_talk_lost = true;
    else
        run->piece_at += (size_t)put;
    if (run->is_talk_lost || run->piece_at >= run->piece_len)
        run->piece_at = run->piece_len = 0;
}

void rc_run_feed(rc_run *run)
{
    rc_stdin *in = run->plan->input;
    rc_str bytes = rc_stdin_next(in);
    if (bytes.len > 0) {
        ssize_t put = run->calls->write(run->in_fd, bytes.ptr, bytes.len);
        if (put < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (put > 0)
            rc_stdin_took(in, (size_t)put);
        else
            rc_run_close_input(run); /* the command does not want more */
    }
    if (rc_stdin_is_over(in))
        rc_run_close_input(run);
}
