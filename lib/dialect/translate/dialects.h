/* rc_translate_functions: the functions that read and write one dialect, in a table by rc_dialect.
 * A dialect takes part in translations if it has a row; nothing else lists the dialects. */
#ifndef RC_DIALECT_TRANSLATE_DIALECTS_H
#define RC_DIALECT_TRANSLATE_DIALECTS_H

#include "dialect/translate/conversation.h"
#include "dialect/translate/output.h"
#include "dialect/translate/write.h"

typedef struct rc_translate_functions {
    void (*read_request)(rc_conversation *c, rc_str body);
    void (*write_request)(rc_request_writer *w);
    rc_status (*read_event)(rc_output_reader *reader, rc_str data);
    rc_status (*read_body)(rc_output_reader *reader, rc_str body);
    rc_status (*write_piece)(rc_output_writer *writer, const rc_piece *piece);
    bool seals_all; /* the client gets a seal with each reasoning, even one without a state, so that
                       the reasoning can be recognised when the client returns it */
} rc_translate_functions;

/* Returns the functions of a dialect, or NULL if the dialect cannot be translated. The result is
 * static. */
const rc_translate_functions *rc_translate_functions_of(rc_dialect dialect);

#endif
