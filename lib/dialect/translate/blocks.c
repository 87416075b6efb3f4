/* Puts the blocks of a response into an order in which one block is open at a time. Called by the
 * translator, which passes the pieces of the response readers. */
#include "dialect/translate/blocks.h"

#include "base/str.h"

void rc_blocks_init(rc_blocks *blocks, const rc_alloc *alloc, rc_piece_sink sink)
{
    *blocks = (rc_blocks){.alloc = *alloc, .sink = sink};
}

static size_t waiting_size(void)
{
    return RC_BLOCKS_WAITING_MAX * sizeof(rc_waiting_block);
}

static void free_waiting(rc_waiting_block *block)
{
    rc_buf_done(&block->text);
    rc_buf_done(&block->state);
}

void rc_blocks_done(rc_blocks *blocks)
{
    for (size_t i = 0; i < blocks->waiting_count; i++)
        free_waiting(&blocks->waiting[i]);
    if (blocks->waiting != NULL)
        blocks->alloc.put(blocks->alloc.ctx, blocks->waiting, waiting_size());
    blocks->waiting = NULL;
    blocks->waiting_count = 0;
}

/* ---- the open block ---- */

static rc_status emit(rc_blocks *blocks, const rc_piece *piece)
{
    return blocks->sink.push(blocks->sink.ctx, piece);
}

static rc_status open_block(rc_blocks *blocks, const rc_piece *piece)
{
    rc_piece open = {.kind = RC_PIECE_OPEN,
                     .block = piece->block,
                     .key = piece->key,
                     .id = piece->id,
                     .name = piece->name,
                     .is_custom = piece->is_custom};
    blocks->is_open = true;
    blocks->is_custom = piece->is_custom;
    blocks->kind = piece->block;
    blocks->key = piece->key;
    blocks->arguments = (rc_arguments){0};
    return emit(blocks, &open);
}

static rc_status close_block(rc_blocks *blocks)
{
    rc_piece close = {.kind = RC_PIECE_CLOSE, .block = blocks->kind, .key = blocks->key};
    if (!blocks->is_open)
        return RC_OK;
    blocks->is_open = false;
    return emit(blocks, &close);
}

static rc_status pass_delta(rc_blocks *blocks, const rc_piece *piece)
{
    if (piece->block == RC_BLOCK_CALL && !blocks->is_custom) {
        if (rc_arguments_is_whole(&blocks->arguments))
            return rc_str_trim(piece->text).len == 0 ? RC_OK : RC_E_SYNTAX;
        if (piece->is_value)
            blocks->arguments = (rc_arguments){.has_begun = true};
        else
            rc_arguments_push(&blocks->arguments, piece->text);
        if (!blocks->arguments.has_begun)
            return RC_OK; /* white space before the arguments */
    }
    return piece->text.len > 0 ? emit(blocks, piece) : RC_OK;
}

/* Returns whether the open block must be complete before another block may begin. */
static bool must_wait(const rc_blocks *blocks)
{
    return blocks->is_open && blocks->kind == RC_BLOCK_CALL && !blocks->is_custom &&
           !rc_arguments_is_whole(&blocks->arguments);
}

static bool is_same(rc_block_kind kind, uint32_t key, const rc_piece *piece)
{
    return kind == piece->block && (kind != RC_BLOCK_CALL || key == piece->key);
}

/* ---- waiting blocks ---- */

static rc_waiting_block *find_waiting(rc_blocks *blocks, const rc_piece *piece)
{
    /* A piece of a call belongs to the waiting block of this call. Any other piece belongs to the
     * newest waiting block, if the two have the same kind. */
    for (size_t i = blocks->waiting_count; i-- > 0;) {
        rc_waiting_block *block = &blocks->waiting[i];
        if (is_same(block->kind, block->key, piece))
            return block;
        if (piece->block != RC_BLOCK_CALL)
            return NULL;
    }
    return NULL;
}

static rc_status add_waiting(rc_blocks *blocks, const rc_piece *piece, rc_waiting_block **ret_block)
{
    if (blocks->waiting_count == RC_BLOCKS_WAITING_MAX)
        return RC_E_TOO_LARGE;
    if (blocks->waiting == NULL)
        blocks->waiting = blocks->alloc.get(blocks->alloc.ctx, waiting_size());
    if (blocks->waiting == NULL)
        return RC_E_NOMEM;
    rc_waiting_block *block = &blocks->waiting[blocks->waiting_count++];
    *block = (rc_waiting_block){.kind = piece->block,
                                .key = piece->key,
                                .is_custom = piece->is_custom,
                                .id_len = (uint32_t)piece->id.len,
                                .name_len = (uint32_t)piece->name.len};
    rc_buf_init(&block->text, &blocks->alloc, RC_BLOCKS_BYTES_MAX);
    rc_buf_init(&block->state, &blocks->alloc, RC_BLOCKS_BYTES_MAX);
    rc_buf_push(&block->text, piece->id);
    *ret_block = block;
    return rc_buf_push(&block->text, piece->name);
}

static rc_status add_to_waiting(rc_blocks *blocks, const rc_piece *piece)
{
    rc_waiting_block *block = find_waiting(blocks, piece);
    bool is_call = piece->block == RC_BLOCK_CALL;
    if (block == NULL && is_call && piece->kind != RC_PIECE_OPEN)
        return RC_E_SYNTAX; /* the call of these arguments has never begun or has already ended */
    rc_status status = RC_OK;
    if (block == NULL)
        status = add_waiting(blocks, piece, &block);
    if (status != RC_OK)
        return status;
    blocks->waiting_bytes += piece->text.len;
    if (blocks->waiting_bytes > RC_BLOCKS_BYTES_MAX)
        return RC_E_TOO_LARGE;
    block->is_value = block->is_value || piece->is_value;
    block->is_done = block->is_done || piece->kind == RC_PIECE_CLOSE;
    if (piece->kind != RC_PIECE_STATE)
        return rc_buf_push(&block->text, piece->text);
    if (rc_buf_get(&block->state).len == 0) {
        block->state_kind = piece->state_kind;
        block->state_id_len = (uint32_t)piece->id.len;
        rc_buf_push(&block->state, piece->id);
    }
    return rc_buf_push(&block->state, piece->text);
}

/* Passes on the block that has waited longest. */
static rc_status release_first(rc_blocks *blocks)
{
    rc_waiting_block block = blocks->waiting[0];
    rc_str all = rc_buf_get(&block.text);
    size_t head = (size_t)block.id_len + block.name_len;
    rc_piece piece = {.block = block.kind,
                      .key = block.key,
                      .id = rc_str_slice(all, 0, block.id_len),
                      .name = rc_str_slice(all, block.id_len, head),
                      .is_custom = block.is_custom};
    blocks->waiting_count--;
    memmove(blocks->waiting, blocks->waiting + 1, blocks->waiting_count * sizeof block);
    rc_status status = open_block(blocks, &piece);
    piece.kind = RC_PIECE_DELTA;
    piece.text = rc_str_slice(all, head, all.len);
    piece.is_value = block.is_value;
    blocks->waiting_bytes -= piece.text.len;
    if (status == RC_OK && piece.text.len > 0)
        status = pass_delta(blocks, &piece);
    rc_str state = rc_buf_get(&block.state);
    piece.kind = RC_PIECE_STATE;
    piece.id = rc_str_slice(state, 0, block.state_id_len);
    piece.text = rc_str_slice(state, block.state_id_len, state.len);
    piece.state_kind = block.state_kind;
    blocks->waiting_bytes -= piece.text.len;
    if (status == RC_OK && piece.text.len > 0)
        status = emit(blocks, &piece);
    if (status == RC_OK && block.is_done)
        status = close_block(blocks);
    free_waiting(&block);
    return status;
}

/* Passes on waiting blocks until the open block is an incomplete call or no block waits. */
static rc_status release(rc_blocks *blocks)
{
    rc_status status = RC_OK;
    while (status == RC_OK && blocks->waiting_count > 0 && !must_wait(blocks)) {
        status = close_block(blocks);
        if (status == RC_OK)
            status = release_first(blocks);
    }
    return status;
}

/* ---- pieces ---- */

static rc_status on_content(rc_blocks *blocks, const rc_piece *piece)
{
    bool is_open = blocks->is_open && is_same(blocks->kind, blocks->key, piece);
    rc_status status = RC_OK;
    if (piece->kind == RC_PIECE_CLOSE) {
        if (!is_open)
            return blocks->waiting_count > 0 && find_waiting(blocks, piece) != NULL
                       ? add_to_waiting(blocks, piece)
                       : RC_OK;
        bool is_cut = piece->block == RC_BLOCK_CALL && !blocks->is_custom &&
                      blocks->arguments.has_begun && !rc_arguments_is_whole(&blocks->arguments);
        if (is_cut)
            return RC_OK; /* on_finish decides whether the incomplete tool call is a failure: the
                             token limit may have cut the tool call */
        status = close_block(blocks);
        return status == RC_OK ? release(blocks) : status;
    }
    if (is_open && piece->kind == RC_PIECE_OPEN)
        return RC_OK; /* some providers repeat the id and the name in each part of a call */
    if (is_open) {
        status = piece->kind == RC_PIECE_DELTA ? pass_delta(blocks, piece) : emit(blocks, piece);
        return status == RC_OK && blocks->waiting_count > 0 ? release(blocks) : status;
    }
    if (must_wait(blocks) || blocks->waiting_count > 0)
        return add_to_waiting(blocks, piece);
    if (piece->block == RC_BLOCK_CALL && piece->kind != RC_PIECE_OPEN)
        return rc_str_trim(piece->text).len == 0 ? RC_OK : RC_E_SYNTAX;
    if (piece->block != RC_BLOCK_CALL && piece->text.len == 0)
        return RC_OK; /* an empty text does not open a block */
    status = close_block(blocks);
    if (status == RC_OK)
        status = open_block(blocks, piece);
    if (status != RC_OK || piece->text.len == 0)
        return status;
    return piece->kind == RC_PIECE_STATE ? emit(blocks, piece) : pass_delta(blocks, piece);
}

/* Closes the open block and all waiting blocks. The arguments of a call may be cut only if the
 * model stopped at its token limit. */
static rc_status on_finish(rc_blocks *blocks, const rc_piece *piece)
{
    bool may_be_cut = piece->finish == RC_STREAM_FINISH_LENGTH;
    rc_status status = RC_OK;
    for (;;) {
        bool is_cut = must_wait(blocks) && blocks->arguments.has_begun;
        if (is_cut && !may_be_cut)
            return RC_E_SYNTAX;
        status = close_block(blocks);
        if (status != RC_OK || blocks->waiting_count == 0)
            break;
        status = release_first(blocks);
        if (status != RC_OK)
            break;
    }
    return status == RC_OK ? emit(blocks, piece) : status;
}

rc_status rc_blocks_push(rc_blocks *blocks, const rc_piece *piece)
{
    if (blocks->is_over)
        return RC_OK;
    switch (piece->kind) {
    case RC_PIECE_OPEN:
    case RC_PIECE_DELTA:
    case RC_PIECE_STATE:
        if (blocks->is_finished)
            return RC_E_SYNTAX;
        return on_content(blocks, piece);
    case RC_PIECE_CLOSE:
        return blocks->is_finished ? RC_OK : on_content(blocks, piece);
    case RC_PIECE_FINISH:
        blocks->is_finished = true;
        return on_finish(blocks, piece);
    case RC_PIECE_END:
        blocks->is_over = true;
        return emit(blocks, piece);
    case RC_PIECE_START:
    case RC_PIECE_USAGE:
    case RC_PIECE_PING:
        break;
    }
    return emit(blocks, piece);
}

bool rc_blocks_validate(const rc_blocks *blocks)
{
    size_t bytes = 0;
    for (size_t i = 0; i < blocks->waiting_count; i++) {
        const rc_waiting_block *block = &blocks->waiting[i];
        size_t head = (size_t)block->id_len + block->name_len;
        if (rc_buf_get(&block->text).len < head && rc_buf_status(&block->text) == RC_OK)
            return false;
        bytes += rc_buf_get(&block->text).len + rc_buf_get(&block->state).len;
    }
    return blocks->waiting_count <= RC_BLOCKS_WAITING_MAX &&
           (blocks->waiting_count == 0 || blocks->is_open) &&
           bytes <= RC_BLOCKS_BYTES_MAX + blocks->waiting_count * 65536;
}
