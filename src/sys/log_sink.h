/* rc_log_sink: where lines of a log go, without keeping anybody waiting.
 *
 *   any thread ──push──► [ filling ] ──all of it──► [ writing ] ──► file or standard error
 *                            │ full                      a thread of its own
 *                            ▼
 *                        dropped, and counted
 *
 * A push copies the line behind a lock and never touches the file. A disk that is full, a pipe
 * that nobody reads and a terminal that stands still cost lines, never time or memory; how many is
 * a line of its own once lines go through again. */
#ifndef RC_SYS_LOG_SINK_H
#define RC_SYS_LOG_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "sys/calls.h"

typedef struct rc_log_sink rc_log_sink;

typedef struct rc_log_sink_settings {
    const rc_sys_calls *calls; /* borrows until stopped */
    const char *path;          /* appended to; NULL: standard error. copies */
    size_t max_bytes;          /* that wait to be written; 0: 256 KiB */
    /* Writes the line that says how many are missing, its line feed included, into room; gives its
     * length. On the sink's thread. NULL: it is not said. */
    size_t (*format_dropped)(void *ctx, uint64_t count, char *buf, size_t size);
    void *ctx;
} rc_log_sink_settings;

/* Opens the file and starts the thread. Gives in ret_sink. 0, or the errno number of what failed
 * (RC_FILE_NO_MEMORY of file.h). settings: copies. alloc: copies. */
int rc_log_sink_start(const rc_log_sink_settings *settings, const rc_alloc *alloc,
                      rc_log_sink **ret_sink);

/* Any thread. line: copies; whole, with its line feed. */
void rc_log_sink_push(rc_log_sink *sink, rc_str line);

/* Opens the file again under its name, as after it was moved away; nothing for standard error. 0,
 * or the errno number: the old one is kept. */
int rc_log_sink_reopen(rc_log_sink *sink);

/* Another file from now on, or standard error (NULL); nothing if that is where lines go. 0, or the
 * errno number: it goes on as before. path: copies. Like reopen, one thread at a time. */
int rc_log_sink_move(rc_log_sink *sink, const char *path);

typedef struct rc_log_sink_counts {
    uint64_t written; /* lines */
    uint64_t dropped;
} rc_log_sink_counts;
rc_log_sink_counts rc_log_sink_count(rc_log_sink *sink);

/* Writes what waits, for a second at most, and ends the thread. Nobody may push any more. Takes;
 * also NULL. */
void rc_log_sink_stop(rc_log_sink *sink);

#endif
