/* rc_stdin: our standard input, which several attempts of the same command can each read from the
 * start.
 *
 *   terminal, /dev/null, closed   inherited by the command; cannot be replayed
 *   a file                        inherited; each attempt starts at the same offset
 *   a pipe or socket              copied to the command as it reads, and stored:
 *
 *        stdin ──► [ memory, then an unnamed file ] ──► the command's pipe
 *
 * The stored amount is limited. If the input exceeds the limit, the running attempt still gets all
 * of it, but no other attempt is possible. */
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
    uint64_t file_bytes; /* Maximum number of bytes in the temporary file, in addition to the bytes
                          * in memory. */
} rc_stdin_limits;

/* In the caller's storage. All members except `kind`, `replay_error` and `read_error` are
 * private. */
typedef struct rc_stdin {
    const rc_sys_calls *calls;
    rc_stdin_kind kind;
    rc_stdin_limits limits;
    off_t start; /* For RC_STDIN_FILE: offset at which the first attempt began to read. */
    rc_buf memory;
    int temp_fd;
    uint64_t temp_bytes;
    uint64_t at;              /* Offset of the current piece from the start of the input. */
    bool is_at_end;           /* All input has been read. */
    const char *replay_error; /* Reason for which the input cannot be replayed, as a clause of a
                               * message. NULL: it can be replayed. */
    int read_error;           /* The errno number if reading failed before the end of the input; the
                               * command must then not treat its input as complete. 0: no error. */
    size_t piece_at;          /* Number of bytes of the piece that the command has received. */
    size_t piece_len;
    char piece[RC_STDIN_PIECE];
} rc_stdin;

/* Inspects descriptor 0. may_replay: false if the command runs only once; the kind is then always
 * RC_STDIN_PASSED. limits: copies the struct; NULL selects RC_STDIN_MEMORY_MAX and
 * RC_STDIN_FILE_MAX. calls: borrows until rc_stdin_done. alloc: copies the struct. */
void rc_stdin_init(rc_stdin *in, const rc_sys_calls *calls, const rc_alloc *alloc,
                   const rc_stdin_limits *limits, bool may_replay);
void rc_stdin_done(rc_stdin *in);

/* Restarts the input for another attempt. Returns false if the input cannot be replayed;
 * replay_error then has the reason. */
bool rc_stdin_rewind(rc_stdin *in);

/* Returns the next bytes for the command, as a view into `in` that is valid until rc_stdin_consume.
 * Only for RC_STDIN_STREAM. If the view is empty, rc_stdin_is_over returns whether the input has
 * ended. */
rc_str rc_stdin_next(rc_stdin *in);
void rc_stdin_consume(rc_stdin *in, size_t bytes);

/* rc_stdin_is_over returns whether all input was consumed. If not all input was consumed and
 * rc_stdin_next returns an empty view, the caller must call rc_stdin_read when descriptor 0 is
 * readable. */
bool rc_stdin_is_over(const rc_stdin *in);
void rc_stdin_read(rc_stdin *in);

#endif
