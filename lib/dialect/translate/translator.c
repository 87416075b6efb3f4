/* Translates responses with a reader, rc_blocks and a writer. Called by the gateway for attempts at
 * targets that use another dialect than the client. */
#include "dialect/translate/translator.h"

#include "base/str.h"
#include "base/utf8.h"
#include "dialect/translate/identifier.h"

/* Maximum size of the bytes that wait for the client: one event, or a whole body with its
 * escapes. */
#define OUT_MAX (4 * RC_TRANSLATOR_TEXT_MAX)
#define SCRATCH_MAX 4096u
#define HASH_DIGITS 24
/* Number of bytes of U+FFFD, which replaces at least one byte. */
#define REPLACEMENT_BYTES 3

/* ---- calls ---- */

static bool is_usable_id(rc_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (!rc_ascii_is_alnum(id.ptr[i]) && id.ptr[i] != '_' && id.ptr[i] != '-')
            return false;
    return id.len > 0 && id.len <= 64;
}

/* Appends an id that every dialect accepts. A call without an id gets one that consists of the id
 * of the client's request and the number of the call. */
static void push_id(rc_translator *t, rc_str id)
{
    if (is_usable_id(id)) {
        rc_buf_push(&t->scratch, id);
        return;
    }
    rc_buf_push(&t->scratch, RC_STR("call_"));
    if (id.len > 0) {
        rc_identifier_push_hash(&t->scratch, id, HASH_DIGITS);
        return;
    }
    rc_buf_push(&t->scratch, t->writer.facts.request_id);
    rc_buf_push_byte(&t->scratch, '_');
    rc_buf_push_u64(&t->scratch, t->call_count);
}

/* Returns the name that the client uses for the tool which the target knows as `name`. */
static rc_str client_name(rc_translator *t, rc_str name)
{
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(t->conversation, &count);
    for (size_t i = 0; i < count; i++) {
        rc_str own = rc_conversation_text(t->conversation, tools[i].name);
        if (!rc_tool_name_is_changed(own, t->from))
            continue;
        size_t before = rc_buf_get(&t->scratch).len;
        rc_tool_name_push(&t->scratch, own, t->from);
        rc_str all = rc_buf_get(&t->scratch);
        bool is_it = rc_str_eq(rc_str_slice(all, before, all.len), name);
        t->scratch.len = before;
        if (is_it)
            return own;
    }
    return name;
}

static rc_status write_piece(rc_translator *t, const rc_piece *piece)
{
    return t->to->write_piece(&t->writer, piece);
}

static rc_status write_call(rc_translator *t, rc_piece call)
{
    if (call.name.len == 0)
        return RC_E_SYNTAX; /* no client can run a tool without a name */
    rc_buf_reset(&t->scratch);
    push_id(t, call.id);
    size_t id_len = rc_buf_get(&t->scratch).len;
    call.name = client_name(t, call.name);
    call.id = rc_str_slice(rc_buf_get(&t->scratch), 0, id_len);
    t->call_count++;
    if (rc_buf_status(&t->scratch) != RC_OK)
        return rc_buf_status(&t->scratch);
    return write_piece(t, &call);
}

/* ---- reasoning ---- */

static rc_status open_thought(rc_translator *t)
{
    rc_piece open = {.kind = RC_PIECE_OPEN, .block = RC_BLOCK_THOUGHT};
    t->has_open_thought = true;
    return write_piece(t, &open);
}

/* Stores a part of the state, which is sealed when the reasoning ends. */
static rc_status keep_state(rc_translator *t, const rc_piece *piece)
{
    if (!t->seals)
        return RC_OK;
    if (t->state.len == 0)
        rc_buf_push(&t->state_id, piece->id);
    t->state_kind = piece->state_kind != 0 ? piece->state_kind : RC_SEAL_THOUGHT;
    return rc_buf_push(&t->state, piece->text);
}

static rc_status write_seal(rc_translator *t)
{
    rc_piece piece = {.kind = RC_PIECE_STATE, .block = RC_BLOCK_THOUGHT};
    rc_buf_reset(&t->seal);
    rc_seal_push(&t->seal, t->writer.facts.target, t->state_kind, rc_buf_get(&t->state_id),
                 rc_buf_get(&t->state), &t->plain);
    if (rc_buf_status(&t->plain) != RC_OK)
        return rc_buf_status(&t->plain);
    if (rc_buf_status(&t->seal) != RC_OK)
        return rc_buf_status(&t->seal);
    piece.text = rc_buf_get(&t->seal);
    return write_piece(t, &piece);
}

/* Ends the reasoning. A client that does not see the reasoning gets it without its text, if it has
 * a state. */
static rc_status close_thought(rc_translator *t)
{
    rc_piece close = {.kind = RC_PIECE_CLOSE, .block = RC_BLOCK_THOUGHT};
    bool has_state = t->state.len > 0;
    rc_status status = RC_OK;
    if (has_state && !t->has_open_thought)
        status = open_thought(t);
    if (status == RC_OK && t->has_open_thought && t->seals && (has_state || t->to->seals_all))
        status = write_seal(t);
    if (status == RC_OK && t->has_open_thought)
        status = write_piece(t, &close);
    t->has_open_thought = false;
    return status;
}

static rc_status on_thought(rc_translator *t, const rc_piece *piece)
{
    switch (piece->kind) {
    case RC_PIECE_OPEN:
        rc_buf_reset(&t->state);
        rc_buf_reset(&t->state_id);
        t->state_kind = RC_SEAL_THOUGHT;
        return t->writer.facts.sees_thoughts ? open_thought(t) : RC_OK;
    case RC_PIECE_DELTA:
        return t->has_open_thought ? write_piece(t, piece) : RC_OK;
    case RC_PIECE_STATE:
        return keep_state(t, piece);
    case RC_PIECE_CLOSE:
        return close_thought(t);
    case RC_PIECE_START:
    case RC_PIECE_FINISH:
    case RC_PIECE_USAGE:
    case RC_PIECE_END:
    case RC_PIECE_PING:
        break;
    }
    return write_piece(t, piece);
}

static bool is_of_thought(const rc_piece *piece)
{
    return piece->kind >= RC_PIECE_OPEN && piece->kind <= RC_PIECE_CLOSE &&
           piece->block == RC_BLOCK_THOUGHT;
}

/* The sink of rc_blocks: writes a piece for the client. */
static rc_status on_ordered(void *ctx, const rc_piece *piece)
{
    rc_translator *t = ctx;
    rc_status status = RC_OK;
    t->is_over = t->is_over || piece->kind == RC_PIECE_END;
    if (is_of_thought(piece))
        status = on_thought(t, piece);
    else if (piece->kind == RC_PIECE_OPEN && piece->block == RC_BLOCK_CALL)
        status = write_call(t, *piece);
    else if (piece->kind != RC_PIECE_STATE)
        status = write_piece(t, piece);
    t->has_content = t->has_content || t->writer.has_started;
    return status;
}

/* The sink of the reader: passes a piece to rc_blocks. */
static rc_status on_read(void *ctx, const rc_piece *piece)
{
    rc_translator *t = ctx;
    return rc_blocks_push(&t->blocks, piece);
}

/* ---- life ---- */

void rc_translator_init(rc_translator *translator, const rc_conversation *conversation,
                        rc_dialect from, const rc_output_facts *facts, const rc_alloc *alloc)
{
    *translator = (rc_translator){.from = from,
                                  .in = rc_translate_functions_of(from),
                                  .to = rc_translate_functions_of(conversation->dialect),
                                  .conversation = conversation,
                                  .seals = facts->target.len > 0 && conversation->takes_state};
    rc_buf_init(&translator->out, alloc, OUT_MAX);
    rc_buf_init(&translator->scratch, alloc, SCRATCH_MAX);
    rc_buf_init(&translator->state, alloc, RC_BLOCKS_BYTES_MAX);
    rc_buf_init(&translator->state_id, alloc, SCRATCH_MAX);
    rc_buf_init(&translator->plain, alloc, 2 * RC_BLOCKS_BYTES_MAX);
    rc_buf_init(&translator->seal, alloc, 2 * RC_BLOCKS_BYTES_MAX);
    rc_buf_init(&translator->valid, alloc, REPLACEMENT_BYTES * RC_TRANSLATOR_TEXT_MAX);
    rc_output_reader_init(&translator->reader, (rc_piece_sink){translator, on_read});
    rc_blocks_init(&translator->blocks, alloc, (rc_piece_sink){translator, on_ordered});
    rc_output_writer_init(&translator->writer, facts, &translator->out, alloc,
                          RC_TRANSLATOR_TEXT_MAX);
}

void rc_translator_done(rc_translator *translator)
{
    rc_blocks_done(&translator->blocks);
    rc_output_writer_done(&translator->writer);
    rc_buf_done(&translator->out);
    rc_buf_done(&translator->scratch);
    rc_buf_done(&translator->state);
    rc_buf_done(&translator->state_id);
    rc_buf_done(&translator->plain);
    rc_buf_done(&translator->seal);
    rc_buf_done(&translator->valid);
}

static rc_status keep(rc_translator *t, rc_status status)
{
    if (t->status == RC_OK)
        t->status = status;
    return t->status;
}

/* Makes *text valid UTF-8. The result views the text or the translator. */
static rc_status make_valid(rc_translator *t, rc_str *text)
{
    char bytes[4];
    if (rc_utf8_is_valid(*text))
        return RC_OK;
    rc_buf_reset(&t->valid);
    for (size_t at = 0; at < text->len;) {
        size_t len = rc_utf8_valid_prefix(rc_str_slice(*text, at, text->len));
        rc_buf_push(&t->valid, rc_str_slice(*text, at, at + len));
        at += len;
        if (at == text->len)
            break;
        (void)rc_utf8_decode(*text, at, &len);
        at += len;
        rc_buf_push(&t->valid, rc_str_make(bytes, rc_utf8_encode(RC_UTF8_REPLACEMENT, bytes)));
    }
    *text = rc_buf_get(&t->valid);
    return rc_buf_status(&t->valid);
}

rc_status rc_translator_push_event(rc_translator *translator, rc_str data)
{
    if (translator->status != RC_OK || translator->is_over || rc_str_trim(data).len == 0)
        return translator->status;
    rc_status status = make_valid(translator, &data);
    if (status == RC_OK)
        status = translator->in->read_event(&translator->reader, data);
    return keep(translator, status);
}

rc_status rc_translator_push_body(rc_translator *translator, rc_str body)
{
    if (translator->status != RC_OK || translator->is_over)
        return translator->status;
    rc_str text = rc_utf8_without_bom(body);
    rc_status status = make_valid(translator, &text);
    if (status == RC_OK)
        status = translator->in->read_body(&translator->reader, text);
    return keep(translator, status);
}

rc_str rc_translator_output(const rc_translator *translator)
{
    return rc_buf_get(&translator->out);
}

void rc_translator_take(rc_translator *translator)
{
    rc_buf_reset(&translator->out);
}

bool rc_translator_validate(const rc_translator *translator)
{
    return rc_blocks_validate(&translator->blocks) &&
           (!translator->is_over || !translator->blocks.is_open);
}
