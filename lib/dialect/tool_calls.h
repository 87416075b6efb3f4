/* rc_tool_calls: the tool calls of one response, put together from the parts that arrive.
 *
 *   find(key, id) ──► add name, arguments, signature      once per part
 *   get(i)                                               when the response is complete */
#ifndef RC_DIALECT_TOOL_CALLS_H
#define RC_DIALECT_TOOL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include <recourse/buf.h>

#include "dialect/tool.h"

#define RC_TOOL_CALLS_MAX 64
/* The ceiling of all texts of all calls. */
#define RC_TOOL_CALLS_BYTES_MAX ((size_t)16 << 20)
/* A key that no other part has. */
#define RC_TOOL_CALLS_NO_KEY (-1)

typedef struct rc_tool_call_parts {
    int64_t key; /* the index that the dialect gives the call */
    rc_buf id;
    rc_buf name;
    rc_buf arguments;
    rc_buf signature;
} rc_tool_call_parts;

/* The caller's storage; private. */
typedef struct rc_tool_calls {
    rc_alloc alloc;
    size_t count;
    size_t bytes;
    bool is_incomplete; /* a part was lost: too many calls, too large, or no memory */
    rc_tool_call_parts list[RC_TOOL_CALLS_MAX];
} rc_tool_calls;

/* alloc: copies. */
void rc_tool_calls_init(rc_tool_calls *calls, const rc_alloc *alloc);
void rc_tool_calls_done(rc_tool_calls *calls);

/* Returns the call that a part with this key belongs to; a new one if there is none yet, or if the
 * id is another. id: borrows the value of the part's id as in JSON; not a string: the part has
 * none. NULL: there is no room. */
rc_tool_call_parts *rc_tool_calls_find(rc_tool_calls *calls, int64_t key, rc_str id);

/* Append a value as in JSON to one of the texts of a call: the content of a string (another value
 * adds nothing), or an object as it stands. */
void rc_tool_calls_add_string(rc_tool_calls *calls, rc_buf *text, rc_str json);
void rc_tool_calls_add_object(rc_tool_calls *calls, rc_buf *text, rc_str json);

/* The call at index; views. A call without arguments has "{}". */
rc_tool_call rc_tool_calls_get(const rc_tool_calls *calls, size_t index);

/* Are the arguments a JSON object? False also for those of a response that was cut off. */
bool rc_tool_call_has_object(const rc_tool_call *call);

#endif
