/* rc_tool: a function that a model may call; rc_tool_call: a call that the model requested;
 * rc_tool_result: the result of such a call. The structs view (point into) the texts of the
 * caller. */
#ifndef RC_DIALECT_TOOL_H
#define RC_DIALECT_TOOL_H

#include <stdbool.h>

#include <recourse/str.h>

typedef struct rc_tool {
    rc_str name;
    rc_str description; /* description of the function; empty: none */
    rc_str schema;      /* JSON Schema of the arguments, a JSON object; empty: any object is
                           allowed */
} rc_tool;

typedef struct rc_tool_call {
    rc_str id; /* id of the call; empty: none, because Gemini matches calls and results by name and
                  order */
    rc_str name;
    rc_str arguments; /* arguments as the model wrote them: usually a JSON object, but any text is
                         possible */
    rc_str signature; /* Gemini's thoughtSignature, which must be sent back unchanged; empty:
                         none */
} rc_tool_call;

typedef struct rc_tool_result {
    rc_str id; /* id of the call that this result belongs to */
    rc_str name;
    rc_str text;
    bool is_error;
} rc_tool_result;

#endif
