/* rc_arguments: finds out whether the arguments of a call are complete while they arrive.
 *
 * Arguments are JSON inside of a JSON string: {\"city\":\"Oslo\"}. The scan follows quotes and
 * brackets through both layers and stores nothing of the text. */
#ifndef RC_DIALECT_TRANSLATE_ARGUMENTS_H
#define RC_DIALECT_TRANSLATE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* The caller's storage; zeroed for new arguments. The fields are private. */
typedef struct rc_arguments {
    uint32_t depth; /* open brackets */
    bool has_begun;
    bool is_in_string;
    bool is_escaped; /* the next character of the inner string is escaped */
} rc_arguments;

/* Processes the next part: the content of a string, whose escapes are complete. */
void rc_arguments_push(rc_arguments *arguments, rc_str raw);

/* Returns whether the arguments have begun and every bracket and string is closed. */
static inline bool rc_arguments_is_whole(const rc_arguments *arguments)
{
    return arguments->has_begun && arguments->depth == 0 && !arguments->is_in_string;
}

#endif
