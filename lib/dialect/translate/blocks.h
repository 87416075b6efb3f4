/* rc_blocks: puts the blocks of a response into an order in which one block is open at a time.
 *
 *   text a │ call 1 {"x": │ call 2 {"y":1} │ call 1 2}
 *   ──► OPEN text, a, CLOSE │ OPEN call 1, {"x": 2}, CLOSE │ OPEN call 2, {"y":1}, CLOSE
 *
 * The first open call is passed on as it arrives. Pieces of other blocks wait until its arguments
 * are complete; then the block that has waited longest follows. Nothing waits in a response whose
 * blocks come one after the other. At FINISH every block is closed. Invariants: OPEN and CLOSE
 * alternate, DELTA and STATE come between them, and no piece follows END. */
#ifndef RC_DIALECT_TRANSLATE_BLOCKS_H
#define RC_DIALECT_TRANSLATE_BLOCKS_H

#include <recourse/buf.h>

#include "dialect/translate/arguments.h"
#include "dialect/translate/piece.h"

/* Blocks that can wait at the same time, and the bytes of all their texts. */
#define RC_BLOCKS_WAITING_MAX 64u
#define RC_BLOCKS_BYTES_MAX ((size_t)1 << 20)

typedef struct rc_waiting_block {
    rc_block_kind kind;
    uint32_t key;
    uint32_t id_len;
    uint32_t name_len;
    bool is_value;
    bool is_done; /* the provider said that the block is complete */
    rc_buf text;  /* id, name, then the text; the state is in `state` */
    rc_buf state;
} rc_waiting_block;

/* The caller's storage. The members are private. */
typedef struct rc_blocks {
    rc_alloc alloc;
    rc_piece_sink sink;
    bool is_open;
    bool is_finished;       /* FINISH was passed on: no content may follow */
    bool is_over;           /* END was passed on */
    rc_block_kind kind;     /* kind of the open block */
    uint32_t key;           /* its key */
    rc_arguments arguments; /* of the open call */
    rc_waiting_block *waiting;
    size_t waiting_count;
    size_t waiting_bytes;
} rc_blocks;

/* Starts without blocks. alloc, sink: copies the structs. */
void rc_blocks_init(rc_blocks *blocks, const rc_alloc *alloc, rc_piece_sink sink);
/* Frees the memory. */
void rc_blocks_done(rc_blocks *blocks);

/* Processes one piece. Returns
 *
 *   RC_E_SYNTAX     a call's arguments end before they are complete, although the model did not
 *                   stop at its limit of tokens; or arguments continue after their end,
 *                   or content follows FINISH
 *   RC_E_TOO_LARGE  too many blocks or bytes wait
 *   RC_E_NOMEM, and every status of the sink */
rc_status rc_blocks_push(rc_blocks *blocks, const rc_piece *piece);

/* Returns whether all fields are consistent, for tests and fuzzing. */
bool rc_blocks_validate(const rc_blocks *blocks);

#endif
