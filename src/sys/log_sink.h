/* rc_log_sink: writes log lines to a file or standard error without blocking the caller.
 *
 *   any thread ──push──► [ filling ] ──swap──► [ writing ] ──► file or standard error
 *                            │ full                 the sink's own thread
 *                            ▼
 *                        dropped and counted
 *
 * A push copies the line under a lock and never touches the file. A full disk, a pipe without a
 * reader or a stopped terminal costs log lines, never time or memory. When lines can be written
 * again, one line reports how many were dropped. */
#ifndef RC_SYS_LOG_SINK_H
#define RC_SYS_LOG_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "sys/calls.h"

typedef struct rc_log_sink rc_log_sink;

typedef struct rc_log_sink_settings {
    const rc_sys_calls *calls; /* System calls; borrows until stopped. */
    const char *path;          /* File to append to (copies); NULL: standard error. */
    size_t max_bytes;          /* Maximum number of bytes that wait to be written; 0: 256 KiB. */
    /* Writes the line that reports `count` dropped lines, with its line feed, into buf; returns its
     * length. Called on the sink's thread. NULL: no report. */
    size_t (*format_dropped)(void *ctx, uint64_t count, char *buf, size_t size);
    void *ctx;
} rc_log_sink_settings;

/* Opens the file and starts the thread. *ret_sink: gives. 0, or the errno number or
 * RC_FILE_NO_MEMORY. settings, alloc: copies. */
int rc_log_sink_start(const rc_log_sink_settings *settings, const rc_alloc *alloc,
                      rc_log_sink **ret_sink);

/* Queues one line with its line feed (copies). Any thread. */
void rc_log_sink_push(rc_log_sink *sink, rc_str line);

/* Reopens the file by its name, as after log rotation; does nothing for standard error. 0, or the
 * errno number: the old file stays in use. */
int rc_log_sink_reopen(rc_log_sink *sink);

/* Switches to another file, or to standard error (NULL); does nothing if it is the current target.
 * 0, or the errno number: the old target stays in use. path: copies. Like reopen, one thread at a
 * time. */
int rc_log_sink_move(rc_log_sink *sink, const char *path);

typedef struct rc_log_sink_counts {
    uint64_t written; /* Lines that were written. */
    uint64_t dropped;
} rc_log_sink_counts;
/* Returns the counters. Any thread. */
rc_log_sink_counts rc_log_sink_count(rc_log_sink *sink);

/* Writes the queued lines, for one second at most, and ends the thread. No push may follow. Takes
 * the sink; NULL is allowed. */
void rc_log_sink_stop(rc_log_sink *sink);

#endif
