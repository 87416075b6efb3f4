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
/* Maximum number of bytes of all texts of all calls together. */
#define RC_TOOL_CALLS_BYTES_MAX ((size_t)16 << 20)
/* The key of a part that is a complete call, so that no other part is added to it. */
#define RC_TOOL_CALLS_NO_KEY (-1)

typedef struct rc_tool_call_parts {
    int64_t key; /* the index of the call in the response */
    rc_buf id;
    rc_buf name;
    rc_buf arguments;
    rc_buf signature;
} rc_tool_call_parts;

/* The tool calls of one response. The caller provides the storage. The members are private. */
typedef struct rc_tool_calls {
    rc_alloc alloc;
    size_t count;
    size_t bytes;
    bool is_incomplete; /* a part was lost: there were too many calls, a text was too large, or no
                           memory was available */
    rc_tool_call_parts list[RC_TOOL_CALLS_MAX];
} rc_tool_calls;

/* Initialises an empty list of calls. alloc: copies the struct. */
void rc_tool_calls_init(rc_tool_calls *calls, const rc_alloc *alloc);
void rc_tool_calls_done(rc_tool_calls *calls);

/* Returns the call to which a part with this key belongs. The result is a new call if no call has
 * the key, or if the call with the key has another id and the part has a name. id: the JSON value
 * of the part's id; borrows during the call. If the value is not a string, the part has no id.
 * Returns NULL if the list is full or no memory is available. */
rc_tool_call_parts *rc_tool_calls_find(rc_tool_calls *calls, int64_t key, rc_str id, bool has_name);

/* Both functions append a JSON value to one of the texts of a call. rc_tool_calls_add_string
 * appends the unescaped content of a string and ignores other values. rc_tool_calls_add_object
 * appends an object unchanged. */
void rc_tool_calls_add_string(rc_tool_calls *calls, rc_buf *text, rc_str json);
void rc_tool_calls_add_object(rc_tool_calls *calls, rc_buf *text, rc_str json);

/* Returns the call at `index`; the result views calls. A call without arguments gets the arguments
 * "{}". */
rc_tool_call rc_tool_calls_get(const rc_tool_calls *calls, size_t index);

/* Returns whether the arguments are a complete JSON object. If the response was cut off inside the
 * arguments, the result is false. */
bool rc_tool_call_has_object(const rc_tool_call *call);

#endif
