/* Seals: the opaque state of a response (data that only the provider can read), in a form that
 * shows which target made the state.
 *
 *   state of the target ──► rc_seal_push ──► rc1.BASE64URL ──► client
 *   next request of the client ──► rc_seal_open ──► state, if the same target is called again
 *
 * Providers sign their reasoning (Anthropic's signature, OpenAI's encrypted_content, Gemini's
 * thoughtSignature) and refuse what another provider signed. The client gets the state of a
 * translated response in its own dialect's place for such a state, and returns it there. A seal is
 * not secret and not authenticated: a client can forge one, so a state is escaped again before it
 * is written into a request. */
#ifndef RC_DIALECT_TRANSLATE_SEAL_H
#define RC_DIALECT_TRANSLATE_SEAL_H

#include <recourse/buf.h>

/* The prefix of every seal. */
#define RC_SEAL_PREFIX "rc1."

/* What a state belongs to in the dialect of the target that made it. */
typedef enum rc_seal_kind {
    RC_SEAL_THOUGHT = 'h',  /* visible reasoning */
    RC_SEAL_REDACTED = 'r', /* Anthropic: redacted_thinking */
    RC_SEAL_CALL = 'c',     /* Gemini: the call that follows */
    RC_SEAL_TEXT = 't'      /* Gemini: a text */
} rc_seal_kind;

typedef struct rc_seal {
    rc_seal_kind kind;
    rc_str id;    /* id of the item that contained the state; may be empty */
    rc_str state; /* plain bytes, not escaped; may be empty */
} rc_seal;

/* Appends a seal. target: name of the target that made the state, such as openai/gpt-5; borrows.
 * id, state: contents of JSON strings with their escapes; borrow. scratch: its content is lost. */
void rc_seal_push(rc_buf *buf, rc_str target, rc_seal_kind kind, rc_str id, rc_str state,
                  rc_buf *scratch);

/* Returns whether a text, as written in JSON, is a seal of any target. */
bool rc_seal_is(rc_str raw);

/* Opens a seal that this target made. Returns false for the seal of another target and for any
 * other text. *ret_seal views `scratch`, whose previous content is lost. */
bool rc_seal_open(rc_str raw, rc_str target, rc_buf *scratch, rc_seal *ret_seal);

#endif
