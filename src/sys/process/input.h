/* rc_stdin: standard input that can be given to a command more than once.
 *
 *   terminal, /dev/null, closed    the command inherits it: there is nothing to
 * give again a file                         the command inherits it; another
 * try begins where the first did a pipe or socket               is passed on as
 * the command reads, and kept:
 *
 *        stdin ──► [ kept: memory, then a file without a name ] ──► the
 * command's pipe
 *
 * What is kept has a ceiling. Beyond it the try that runs still gets
 * everything, and there is no other one. */
#ifndef RC_SYS_PROCESS_INPUT_H
#define RC_SYS_PROCESS_INPUT_H

#include <stdint.h>

#include <recourse/buf.h>

#include "sys/calls.h"

#define RC_STDIN_MEMORY_MAX ((size_t)16 << 20)
#define RC_STDIN_FILE_MAX ((uint64_t)1 << 30)
#define RC_STDIN_PIECE ((size_t)32 << 10)

typedef enum rc_stdin_kind {
    RC_STDIN_PASSED = 0,
    RC_STDIN_FILE = 1,
    RC_STDIN_STREAM = 2
} rc_stdin_kind;

typedef struct rc_stdin_limits {
    size_t memory_bytes;
    uint64_t file_bytes; /* beyond the memory */
} rc_stdin_limits;

/* The caller's storage; all but `kind`, `lost` and `torn` is private. */
typedef struct rc_stdin {
    const rc_sys_calls *calls;
    rc_stdin_kind kind;
    rc_stdin_limits limits;
    off_t start; /* of a FILE */
    rc_buf memory;
    int temp_fd;
    uint64_t temp_bytes;
    uint64_t at;              /* where the piece begins */
    bool is_at_end;           /* all has been read */
    const char *replay_error; /* why it cannot be given again: a clause; NULL: it can */
    int read_error;           /* it broke off before its end: the errno number. The command must
               not take what it got for all of it. */
    size_t piece_at;          /* what of the piece the command has got */
    size_t piece_len;
    char piece[RC_STDIN_PIECE];
} rc_stdin;

/* Looks at descriptor 0. is_kept: there may be another try; else everything is
 * PASSED. limits: copies; NULL: those above. calls: borrows until done, alloc:
 * copies. */
void rc_stdin_init(rc_stdin *in, const rc_sys_calls *calls, const rc_alloc *alloc,
                   const rc_stdin_limits *limits, bool is_kept);
void rc_stdin_done(rc_stdin *in);

/* Goes back to the beginning. False: it cannot be given again, and `lost` says
 * why. */
bool rc_stdin_rewind(rc_stdin *in);

/* Of a STREAM. What the command gets next; empty: see below. Views in until
 * rc_stdin_consume. */
rc_str rc_stdin_next(rc_stdin *in);
void rc_stdin_consume(rc_stdin *in, size_t bytes);

/* Is all given? Else, with nothing next, descriptor 0 must be read when it is
 * ready. */
bool rc_stdin_is_over(const rc_stdin *in);
void rc_stdin_read(rc_stdin *in);

#endif
