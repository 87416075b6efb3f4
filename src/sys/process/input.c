/* Standard input that can be replayed for another attempt of a command. Called by process.c, copy.c
 * and recourse exec. */
#define _GNU_SOURCE
#include "sys/process/input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/watch.h"

static rc_stdin_kind kind_of(rc_stdin *in)
{
    struct stat info;
    if (in->calls->fstat(RC_FD_STDIN, &info) != 0)
        return RC_STDIN_PASSED;
    if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode))
        return RC_STDIN_STREAM;
    if (!S_ISREG(info.st_mode) && !S_ISBLK(info.st_mode))
        return RC_STDIN_PASSED;
    in->start = in->calls->lseek(RC_FD_STDIN, 0, SEEK_CUR);
    if (in->start < 0)
        in->replay_error = "the position in the input is not known";
    return RC_STDIN_FILE;
}

void rc_stdin_init(rc_stdin *in, const rc_sys_calls *calls, const rc_alloc *alloc,
                   const rc_stdin_limits *limits, bool may_replay)
{
    static const rc_stdin_limits DEFAULTS = {RC_STDIN_MEMORY_MAX, RC_STDIN_FILE_MAX};
    memset(in, 0, sizeof *in);
    in->calls = calls;
    in->temp_fd = -1;
    in->limits = limits != NULL ? *limits : DEFAULTS;
    rc_buf_init(&in->memory, alloc, in->limits.memory_bytes);
    if (may_replay)
        in->kind = kind_of(in);
}

static void free_stored(rc_stdin *in)
{
    rc_buf_done(&in->memory);
    if (in->temp_fd >= 0)
        rc_fd_close(in->calls, in->temp_fd);
    in->temp_fd = -1;
}

void rc_stdin_done(rc_stdin *in)
{
    free_stored(in);
}

bool rc_stdin_rewind(rc_stdin *in)
{
    if (in->kind == RC_STDIN_FILE && in->replay_error == NULL &&
        in->calls->lseek(RC_FD_STDIN, in->start, SEEK_SET) < 0)
        in->replay_error = "the input cannot be rewound to its beginning";
    in->at = 0;
    in->piece_at = 0;
    in->piece_len = 0;
    return in->replay_error == NULL;
}

/* ---- storing ---- */

/* Frees the stored input and records why it cannot be replayed. The running attempt still gets all
 * of its input. */
static void give_up_replay(rc_stdin *in, const char *why)
{
    in->replay_error = why;
    free_stored(in);
}

static bool open_temp(rc_stdin *in)
{
    const char *folder = in->calls->getenv("TMPDIR");
    if (in->temp_fd >= 0)
        return true;
    if (folder == NULL || folder[0] != '/')
        folder = "/tmp";
    in->temp_fd = rc_fd_lift(in->calls, in->calls->open_temp(folder));
    return in->temp_fd >= 0;
}

static void store(rc_stdin *in, rc_str bytes)
{
    rc_str stored = rc_buf_get(&in->memory);
    if (in->temp_fd < 0 && stored.len + bytes.len <= in->limits.memory_bytes) {
        if (rc_buf_push(&in->memory, bytes) != RC_OK)
            give_up_replay(in, "there is no memory to buffer the input");
        return;
    }
    if (in->temp_bytes + bytes.len > in->limits.file_bytes) {
        give_up_replay(in, "the input is longer than the buffer for pipes");
        return;
    }
    if (!open_temp(in) || rc_fd_write(in->calls, in->temp_fd, bytes) != 0) {
        give_up_replay(in, "the input is long, and no temporary file could be created");
        return;
    }
    in->temp_bytes += bytes.len;
}

static uint64_t stored_bytes(const rc_stdin *in)
{
    return in->replay_error != NULL ? 0 : rc_buf_get(&in->memory).len + in->temp_bytes;
}

/* ---- reading back ---- */

static void load_stored(rc_stdin *in)
{
    rc_str memory = rc_buf_get(&in->memory);
    if (in->at < memory.len) {
        size_t left = memory.len - (size_t)in->at;
        in->piece_len = left < sizeof in->piece ? left : sizeof in->piece;
        memcpy(in->piece, memory.ptr + in->at, in->piece_len);
        return;
    }
    uint64_t left = in->temp_bytes - (in->at - memory.len);
    size_t size = left < sizeof in->piece ? (size_t)left : sizeof in->piece;
    ssize_t got = in->calls->pread(in->temp_fd, in->piece, size, (off_t)(in->at - memory.len));
    while (got < 0 && errno == EINTR)
        got = in->calls->pread(in->temp_fd, in->piece, size, (off_t)(in->at - memory.len));
    if (got > 0) {
        in->piece_len = (size_t)got;
        return;
    }
    in->read_error = got < 0 ? errno : EIO;
    give_up_replay(in, "the temporary copy of the input cannot be read");
}

rc_str rc_stdin_next(rc_stdin *in)
{
    if (in->piece_len == 0 && in->at < stored_bytes(in))
        load_stored(in);
    return rc_str_make(in->piece + in->piece_at, in->piece_len - in->piece_at);
}

void rc_stdin_consume(rc_stdin *in, size_t bytes)
{
    in->piece_at += bytes;
    if (in->piece_at < in->piece_len)
        return;
    in->at += in->piece_len;
    in->piece_at = 0;
    in->piece_len = 0;
}

bool rc_stdin_is_over(const rc_stdin *in)
{
    return in->is_at_end && in->piece_len == 0 && in->at >= stored_bytes(in);
}

void rc_stdin_read(rc_stdin *in)
{
    ssize_t got = in->calls->read(RC_FD_STDIN, in->piece, sizeof in->piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got < 0) {
        in->read_error = errno;
        give_up_replay(in, "the input cannot be read");
        return;
    }
    if (got == 0) {
        in->is_at_end = true;
        return;
    }
    in->piece_at = 0;
    in->piece_len = (size_t)got;
    if (in->replay_error == NULL)
        store(in, rc_str_make(in->piece, in->piece_len));
}
