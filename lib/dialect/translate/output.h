/* rc_output_reader converts the events of a provider to pieces; rc_output_writer converts pieces to
 * events for the client. */
#ifndef RC_DIALECT_TRANSLATE_OUTPUT_H
#define RC_DIALECT_TRANSLATE_OUTPUT_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "dialect/translate/piece.h"
#include "json/writer.h"

/* Maximum number of calls of one response for which a reader stores that they have begun. */
#define RC_OUTPUT_CALLS_MAX 64u

/* ---- readers ---- */

typedef struct rc_output_reader {
    rc_piece_sink sink;
    rc_usage usage;
    bool has_started;
    bool has_finish;
    rc_stream_finish finish;
    uint64_t begun;        /* chat, responses: bit i is set if the call with index i has begun */
    uint64_t has_deltas;   /* responses: bit i is set if the item at position i had deltas */
    uint64_t done;         /* responses: bit i is set if the item at position i was read whole */
    uint32_t next_key;     /* chat: number of the next call for which the provider sends no index */
    uint32_t latest_index; /* chat: index of the call that began last */
    uint32_t latest_key;   /* chat: key of this call */
    uint64_t latest_id;    /* chat: hash of its id; 0: it has none */
    uint32_t open_kind;    /* messages: the rc_block_kind of the open block */
    uint32_t open_key;
    bool is_open;
} rc_output_reader;

/* Initialises a reader. sink: copies the struct. */
void rc_output_reader_init(rc_output_reader *reader, rc_piece_sink sink);

/* These functions read one event of a stream, or one whole response body. data: valid JSON, or
 * "[DONE]"; borrows during the call. The result is the status of the sink, or RC_E_SYNTAX if the
 * event is malformed. */
rc_status rc_chat_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_chat_read_body(rc_output_reader *reader, rc_str body);
rc_status rc_messages_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_messages_read_body(rc_output_reader *reader, rc_str body);
rc_status rc_responses_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_responses_read_body(rc_output_reader *reader, rc_str body);
rc_status rc_gemini_read_event(rc_output_reader *reader, rc_str data);
rc_status rc_gemini_read_body(rc_output_reader *reader, rc_str body);

/* The readers use these functions to pass a piece to the sink; a START precedes the first piece. */
rc_status rc_output_push(rc_output_reader *reader, rc_piece *piece);
rc_status rc_output_push_text(rc_output_reader *reader, rc_block_kind block, rc_str raw);
rc_status rc_output_push_usage(rc_output_reader *reader, rc_str object);
rc_status rc_output_push_finish(rc_output_reader *reader, rc_str reason);
/* Passes END to the sink, after a FINISH if the response stated no reason for its end. */
rc_status rc_output_push_end(rc_output_reader *reader);

/* ---- writers ---- */

/* Facts that the writer adds to the client's response. */
typedef struct rc_output_facts {
    rc_str request_id;    /* id of the client's request: letters, digits, "_" and "-" */
    rc_str model;         /* name of the model that the client sees, as plain text */
    int64_t created_s;    /* Unix time in seconds at which the response began */
    int64_t input_tokens; /* estimated tokens of the prompt, used until the provider has stated a
                             number */
    bool is_stream;       /* true: the client gets a stream; false: one body */
    bool wants_usage;     /* chat: the last chunk must contain the usage */
    bool sees_thoughts;   /* the client gets the visible reasoning */
    bool is_array;        /* gemini: the client gets a stream as a JSON array, without alt=sse */
    rc_str target; /* name of the target, as in rc_translate_target. The state of the response
                             is sealed with this name. Empty: the client gets no state. */
} rc_output_facts;

typedef struct rc_output_writer {
    rc_output_facts facts; /* views the caller's texts */
    rc_buf *out;           /* borrowed: the bytes that the client gets next */
    rc_json_writer json;
    rc_buf texts[3];  /* whole bodies: chat: text, reasoning and refusal, by rc_block_kind;
                         messages: the first one has the content blocks */
    rc_buf calls;     /* whole bodies of chat: the tool calls */
    rc_buf arguments; /* arguments of the open call, if the client gets the arguments as an
                         object */
    rc_buf state;     /* chat, gemini: the sealed state for the next call or part */
    rc_usage_count usage;
    rc_stream_finish finish;
    uint32_t block_count; /* number of blocks opened so far, which is the index of the next block */
    uint32_t call_count;
    uint64_t event_count; /* number of events written so far */
    bool has_started;
    bool has_arguments; /* the open call has received arguments */
    bool has_refusal;   /* at least one block was a refusal */
    bool has_text;      /* gemini: the open block has received text */
    bool is_custom;     /* the open call is of a custom tool */
    bool has_odd_call;  /* the arguments of a call are no JSON object */
} rc_output_writer;

/* Initialises a writer. alloc: copies the struct. facts: copies the struct and borrows its texts,
 * out: borrows, both until rc_output_writer_done. max_bytes: maximum size of each buffer of the
 * writer. */
void rc_output_writer_init(rc_output_writer *writer, const rc_output_facts *facts, rc_buf *out,
                           const rc_alloc *alloc, size_t max_bytes);
/* Frees the memory. */
void rc_output_writer_done(rc_output_writer *writer);

/* Returns the first failure of the writer's buffers. */
rc_status rc_output_writer_status(const rc_output_writer *writer);

/* These functions write one piece in the client's dialect and return the status of the buffers. */
rc_status rc_chat_write_piece(rc_output_writer *writer, const rc_piece *piece);
rc_status rc_messages_write_piece(rc_output_writer *writer, const rc_piece *piece);
rc_status rc_responses_write_piece(rc_output_writer *writer, const rc_piece *piece);
rc_status rc_gemini_write_piece(rc_output_writer *writer, const rc_piece *piece);

/* The writers use these functions to begin and end an event whose data is one JSON object: a
 * server-sent event, or an element of the array if the client gets an array. name: empty for an
 * event without a name. */
void rc_output_begin_event(rc_output_writer *writer, const char *name);
void rc_output_end_event(rc_output_writer *writer);
/* Appends the arguments in a piece of a call as the content of a JSON string; arguments that are a
 * JSON value are escaped. */
void rc_output_push_arguments(rc_buf *buf, const rc_piece *piece);
/* Returns the count, or 0 if the count is absent (-1). */
static inline int64_t rc_output_count(int64_t count)
{
    return count > 0 ? count : 0;
}

/* Returns the arguments of a call that has ended, for dialects in which they are an object: `{}` if
 * there are none or null. Returns an empty text if they are no object. The result views the
 * writer's arguments. */
rc_str rc_output_object(rc_output_writer *writer);
/* Stores the reason of the end. Returns RC_E_SYNTAX if the arguments of a call are no object and
 * the token limit is no explanation for it. */
rc_status rc_output_finish(rc_output_writer *writer, rc_stream_finish finish);

#endif
