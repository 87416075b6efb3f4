/* The readers and writers of responses: provider's events to pieces, pieces to the client's events.
 *
 * A reader needs no storage but the few numbers of rc_output_reader. A writer appends to one buffer
 * what the client gets next: events of a stream, or at END the whole body. */
#ifndef RC_DIALECT_TRANSLATE_OUTPUT_H
#define RC_DIALECT_TRANSLATE_OUTPUT_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "dialect/translate/piece.h"
#include "json/writer.h"

/* Calls of one response of which a reader remembers that they have begun. */
#define RC_OUTPUT_CALLS_MAX 64u

/* ---- readers ---- */

typedef struct rc_output_reader {
    rc_piece_sink sink;
    rc_usage usage;
    bool has_started;
    bool has_finish;
    bool has_usage;
    rc_stream_finish finish;
    uint64_t begun;     /* chat: bit i: the call with index i has begun */
    uint32_t next_key;  /* calls whose provider gives no index */
    uint32_t open_kind; /* messages: rc_block_kind of the block that is open */
    uint32_t open_key;
    bool is_open;
} rc_output_reader;

/* Starts a reader. sink: copies the struct. */
void rc_output_reader_init(rc_output_reader *reader, rc_piece_sink sink);

/* Reads one event of a stream, or one whole response body. data: valid JSON, or "[DONE]"; borrows
 * during the call. Return the status of the sink, or RC_E_SYNTAX if the event is malformed. */
rc_status rc_chat_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_chat_read_body(rc_output_reader *reader, rc_str body);
rc_status rc_messages_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_messages_read_body(rc_output_reader *reader, rc_str body);

/* For readers: pass a piece on, the first one behind a START. */
rc_status rc_output_push(rc_output_reader *reader, rc_piece *piece);
rc_status rc_output_push_text(rc_output_reader *reader, rc_block_kind block, rc_str raw);
rc_status rc_output_push_usage(rc_output_reader *reader, rc_str object);
rc_status rc_output_push_finish(rc_output_reader *reader, rc_str reason);
/* Passes the end on, with a FINISH before it if the response named no reason. */
rc_status rc_output_push_end(rc_output_reader *reader);

/* ---- writers ---- */

/* Facts about the response that the writer puts into the client's form. */
typedef struct rc_output_facts {
    rc_str request_id;    /* our request's id, in letters, digits, "_" and "-" */
    rc_str model;         /* the model's name for the client, as plain text */
    int64_t created_s;    /* Unix time of the response's begin, in seconds */
    int64_t input_tokens; /* estimate of the prompt, until the provider has counted it */
    bool is_stream;       /* events; else one body */
    bool wants_usage;     /* chat: the last chunk has the usage */
    bool sees_thoughts;   /* visible reasoning is sent to the client */
} rc_output_facts;

typedef struct rc_output_writer {
    rc_output_facts facts; /* views the caller's texts */
    rc_buf *out;           /* borrowed: what the client gets next */
    rc_json_writer json;
    rc_buf texts[3];  /* whole bodies: text, reasoning and refusal by rc_block_kind, or (messages)
                              the content blocks in the first one */
    rc_buf calls;     /* whole bodies of chat: the calls */
    rc_buf arguments; /* arguments of the open call, where the client gets an object */
    rc_usage_count usage;
    rc_stream_finish finish;
    uint32_t block_count; /* blocks opened so far: the index of the next block */
    uint32_t call_count;
    bool has_started;
    bool has_arguments; /* the open call has got arguments */
    bool has_refusal;   /* a block was a refusal */
    bool is_hidden;     /* the open block is not sent to this client */
} rc_output_writer;

/* Starts a writer. alloc: copies the struct. facts: copies the struct and borrows its texts, out:
 * borrows, both until rc_output_writer_done. max_bytes: ceiling of each of its buffers. */
void rc_output_writer_init(rc_output_writer *writer, const rc_output_facts *facts, rc_buf *out,
                           const rc_alloc *alloc, size_t max_bytes);
/* Frees the memory. */
void rc_output_writer_done(rc_output_writer *writer);

/* Returns the first failure of the writer's buffers. */
rc_status rc_output_writer_status(const rc_output_writer *writer);

/* Write one piece in the client's dialect. Return the status of the buffers. */
rc_status rc_chat_write_piece(rc_output_writer *writer, const rc_piece *piece);
rc_status rc_messages_write_piece(rc_output_writer *writer, const rc_piece *piece);

/* For writers: begin and end one server-sent event whose data is one JSON object. name: empty for
 * an event without a name. */
void rc_output_begin_event(rc_output_writer *writer, const char *name);
void rc_output_end_event(rc_output_writer *writer);
/* Appends the text of a call's piece as the content of a string: a JSON value is escaped. */
void rc_output_push_arguments(rc_buf *buf, const rc_piece *piece);
/* Returns a count, or 0 if it is absent. */
static inline int64_t rc_output_count(int64_t count)
{
    return count > 0 ? count : 0;
}

#endif
