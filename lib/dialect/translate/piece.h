/* rc_piece: one step of a model's response in no dialect's form.
 *
 *   event or body ─► output_read (target's dialect) ─► rc_piece ─► rc_blocks ─► rc_piece ─►
 *                                        any order of blocks    one block at a time
 *   ─► output_write (client's dialect) ─► events or body
 *
 * A block is a run of text, of visible reasoning, of a refusal, or one call of a tool. Texts are
 * the content of JSON strings with their escapes, so they are copied and never decoded. */
#ifndef RC_DIALECT_TRANSLATE_PIECE_H
#define RC_DIALECT_TRANSLATE_PIECE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "dialect/stream.h"
#include "dialect/usage.h"

typedef enum rc_piece_kind {
    RC_PIECE_START,  /* the response has begun */
    RC_PIECE_OPEN,   /* a block begins; only behind rc_blocks for texts */
    RC_PIECE_DELTA,  /* `text` belongs to the block */
    RC_PIECE_STATE,  /* `text` is the provider's opaque state of the block */
    RC_PIECE_CLOSE,  /* the block is complete */
    RC_PIECE_FINISH, /* the model stopped, for the reason `finish` */
    RC_PIECE_USAGE,  /* `usage` has the counts so far */
    RC_PIECE_END,    /* the response is complete */
    RC_PIECE_PING    /* the provider keeps the connection alive */
} rc_piece_kind;

typedef enum rc_block_kind {
    RC_BLOCK_TEXT,
    RC_BLOCK_THOUGHT,
    RC_BLOCK_REFUSAL,
    RC_BLOCK_CALL
} rc_block_kind;

typedef struct rc_piece {
    rc_piece_kind kind;
    rc_block_kind block;
    uint32_t key;  /* CALL: the number that the provider gave the call; one per call */
    rc_str id;     /* OPEN of a call; empty: none */
    rc_str name;   /* OPEN of a call */
    rc_str text;   /* DELTA, STATE */
    bool is_value; /* DELTA of a call: `text` is a JSON value, not the content of a string */
    rc_stream_finish finish;
    rc_usage_count usage;
} rc_piece;

/* Receives pieces. Returns RC_OK, or the status that ends the translation. */
typedef struct rc_piece_sink {
    void *ctx;
    rc_status (*push)(void *ctx, const rc_piece *piece);
} rc_piece_sink;

#endif
