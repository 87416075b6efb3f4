/* rc_blocks: puts the blocks of a response into an order in which one block is open at a time.
 *
 *   text a │ call 1 {"x": │ call 2 {"y":1} │ call 1 2}
 *   ──► OPEN text, a, CLOSE │ OPEN call 1, {"x": 2}, CLOSE │ OPEN call 2, {"y":1}, CLOSE
 *
 * The pieces of the open call are passed on as they arrive. Pieces of other blocks wait until the
 * arguments of the open call are complete; then the block that has waited longest is passed on. If
 * each block of a response is complete before the next one begins, no piece waits. FINISH closes
 * every block. Invariants: OPEN and CLOSE alternate, DELTA and STATE occur only between OPEN and
 * CLOSE, and no piece follows END. */
#ifndef RC_DIALECT_TRANSLATE_BLOCKS_H
#define RC_DIALECT_TRANSLATE_BLOCKS_H

#include <recourse/buf.h>

#include "dialect/translate/arguments.h"
#include "dialect/translate/piece.h"

/* Maximum number of blocks that wait at the same time, and maximum size of all their texts in
 * bytes. */
#define RC_BLOCKS_WAITING_MAX 64u
#define RC_BLOCKS_BYTES_MAX ((size_t)1 << 20)

typedef struct rc_waiting_block {
    rc_block_kind kind;
    uint32_t key;
    uint32_t id_len;
    uint32_t name_len;
    bool is_value;
    bool is_custom;
    bool is_done; /* the provider reported that the block is complete */
    rc_seal_kind state_kind;
    uint32_t state_id_len;
    rc_buf text;  /* the id, the name and the text, in this order */
    rc_buf state; /* the id of the state and the state, in this order */
} rc_waiting_block;

/* The state for one response, in the caller's storage. The members are private. */
typedef struct rc_blocks {
    rc_alloc alloc;
    rc_piece_sink sink;
    bool is_open;
    bool is_finished;       /* FINISH was passed on, so no content may follow */
    bool is_over;           /* END was passed on */
    rc_block_kind kind;     /* kind of the open block */
    uint32_t key;           /* key of the open block */
    rc_arguments arguments; /* scan of the open call's arguments */
    bool is_custom;         /* the open call has any text as its input, whose end is not visible */
    rc_waiting_block *waiting;
    size_t waiting_count;
    size_t waiting_bytes;
} rc_blocks;

/* Initialises the state without any block. alloc, sink: copies the structs. */
void rc_blocks_init(rc_blocks *blocks, const rc_alloc *alloc, rc_piece_sink sink);
/* Frees the memory. */
void rc_blocks_done(rc_blocks *blocks);

/* Processes one piece. Returns
 *
 *   RC_E_SYNTAX     a call's arguments end before they are complete, although the model did not
 *                   stop at its token limit; or arguments continue after their end,
 *                   or content follows FINISH
 *   RC_E_TOO_LARGE  more blocks or bytes wait than the limits allow
 *   RC_E_NOMEM, and every status of the sink */
rc_status rc_blocks_push(rc_blocks *blocks, const rc_piece *piece);

/* Returns whether all fields are consistent, for tests and fuzzing. */
bool rc_blocks_validate(const rc_blocks *blocks);

#endif
