/* rc_translator: translates one response of a target into the client's dialect.
 *
 *   rc_translator_push_event(data) ───────┐ one event of the target's stream
 *   rc_translator_push_body(body) ────────┴──► rc_translator_output: bytes for the client
 *
 * The translator restores the client's own names of tools, gives each call an id that every dialect
 * accepts, and seals the state of reasoning (seal.h). An error event must not be pushed:
 * rc_stream_watch finds it first, and the gateway ends the client's stream with its own error. If
 * rc_translator_is_over is false at the end of a stream, the stream was cut. */
#ifndef RC_DIALECT_TRANSLATE_TRANSLATOR_H
#define RC_DIALECT_TRANSLATE_TRANSLATOR_H

#include "dialect/translate/blocks.h"
#include "dialect/translate/conversation.h"
#include "dialect/translate/dialects.h"
#include "dialect/translate/output.h"

/* Maximum size in bytes of the texts of one response that the client gets as a whole body. */
#define RC_TRANSLATOR_TEXT_MAX ((size_t)8 << 20)

/* The state of one translation, in the caller's storage. The members are private. */
typedef struct rc_translator {
    rc_dialect from;                     /* the target's dialect */
    const rc_translate_functions *in;    /* functions of the target's dialect */
    const rc_translate_functions *to;    /* functions of the client's dialect */
    const rc_conversation *conversation; /* borrowed: the client's request, which has the client's
                                            names of tools */
    rc_output_reader reader;
    rc_blocks blocks;
    rc_output_writer writer;
    rc_buf out;
    rc_buf scratch; /* id and name of the current call */
    rc_buf state;   /* state of the open reasoning */
    rc_buf state_id;
    rc_buf plain; /* memory for rc_seal_push */
    rc_buf seal;  /* the seal that is written */
    rc_buf valid; /* an event or a body in valid UTF-8, if the target's is not */
    rc_seal_kind state_kind;
    bool seals;            /* the client gets states as seals */
    bool has_open_thought; /* the client has received the beginning of the open reasoning */
    rc_status status;
    uint32_t call_count;
    bool has_content;
    bool is_over;
} rc_translator;

/* Initialises a translation. conversation: borrows until rc_translator_done; only its tools are
 * read later. from: the target's dialect, which must have a row in dialects.c. facts: copies the
 * struct and borrows its texts until rc_translator_done. alloc: copies the struct. */
void rc_translator_init(rc_translator *translator, const rc_conversation *conversation,
                        rc_dialect from, const rc_output_facts *facts, const rc_alloc *alloc);
/* Frees the memory. */
void rc_translator_done(rc_translator *translator);

/* Translates the data of one event of the target's stream, or one whole body. Bytes that are not
 * UTF-8 become U+FFFD, as in the decoders of clients. data, body: otherwise valid JSON or the
 * dialect's terminator; borrows during the call. Returns RC_OK, or the sticky first failure:
 * RC_E_SYNTAX for a malformed response, for example one with cut arguments of a call, RC_E_TYPE for
 * content that the client's dialect cannot express, RC_E_TOO_LARGE, RC_E_NOMEM. */
rc_status rc_translator_push_event(rc_translator *translator, rc_str data);
rc_status rc_translator_push_body(rc_translator *translator, rc_str body);

/* Returns the bytes for the client that were written since the latest rc_translator_take. The
 * result views the translator. */
rc_str rc_translator_output(const rc_translator *translator);
/* Removes the bytes that rc_translator_output returned, after the caller has sent them. */
void rc_translator_take(rc_translator *translator);

/* Returns whether content was written, so that another target can no longer be tried. */
static inline bool rc_translator_has_content(const rc_translator *translator)
{
    return translator->has_content;
}

/* Returns the number of events that were written for the client, which is the next sequence number
 * of the Responses API. */
static inline uint64_t rc_translator_event_count(const rc_translator *translator)
{
    return translator->writer.event_count;
}

/* Returns whether the client's response is complete. */
static inline bool rc_translator_is_over(const rc_translator *translator)
{
    return translator->is_over;
}

/* Returns whether all fields are consistent, for tests and fuzzing. */
bool rc_translator_validate(const rc_translator *translator);

#endif
