/* rc_piece: one step of a model's response, in a form that is independent of the dialects.
 *
 *   event or body ─► output_read (target's dialect) ─► rc_piece ─► rc_blocks ─► rc_piece ─►
 *                                        any order of blocks    one block at a time
 *   ─► output_write (client's dialect) ─► events or body
 *
 * A block is a continuous text, a visible reasoning, a refusal, or one tool call. Texts are the
 * contents of JSON strings with their escapes, so that they can be copied without being decoded. */
#ifndef RC_DIALECT_TRANSLATE_PIECE_H
#define RC_DIALECT_TRANSLATE_PIECE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "dialect/stream.h"
#include "dialect/translate/seal.h"
#include "dialect/usage.h"

typedef enum rc_piece_kind {
    RC_PIECE_START,  /* the response has begun */
    RC_PIECE_OPEN,   /* a block begins; for blocks other than calls, rc_blocks adds this piece */
    RC_PIECE_DELTA,  /* `text` is the next part of the block */
    RC_PIECE_STATE,  /* `text` is the provider's opaque state of the block */
    RC_PIECE_CLOSE,  /* the block is complete */
    RC_PIECE_FINISH, /* the model stopped, for the reason `finish` */
    RC_PIECE_USAGE,  /* `usage` has the latest counts */
    RC_PIECE_END,    /* the response is complete */
    RC_PIECE_PING    /* the provider sent an event only to keep the connection open */
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
    uint32_t key; /* CALL: a number that identifies the call within the response */
    rc_str id;    /* OPEN of a call: the call's id; empty: the provider sent no id. STATE: id of the
                      provider's item that has the state */
    rc_str name;  /* OPEN of a call: the tool's name */
    rc_str text;  /* set for DELTA and STATE */
    bool is_value;  /* DELTA of a call: `text` is a JSON value, not the content of a JSON string */
    bool is_custom; /* OPEN of a call: of a custom tool, whose input is any text */
    rc_seal_kind state_kind; /* STATE: what the state belongs to in the provider's response */
    rc_stream_finish finish;
    rc_usage_count usage;
} rc_piece;

/* Receives pieces. `push` returns RC_OK, or a status that ends the translation. */
typedef struct rc_piece_sink {
    void *ctx;
    rc_status (*push)(void *ctx, const rc_piece *piece);
} rc_piece_sink;

#endif
