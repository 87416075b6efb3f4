/* rc_arguments: detects, while the arguments of a tool call arrive in parts, whether the arguments
 * are complete.
 *
 * Arguments are JSON inside a JSON string: {\"city\":\"Oslo\"}. The scan follows quotes and
 * brackets through both layers and does not store the text. */
#ifndef RC_DIALECT_TRANSLATE_ARGUMENTS_H
#define RC_DIALECT_TRANSLATE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* The state of one scan, in the caller's storage, which must be zeroed before the first part. The
 * fields are private. */
typedef struct rc_arguments {
    uint32_t depth; /* number of open brackets */
    bool has_begun;
    bool is_in_string;
    bool is_escaped; /* the next character of the inner string is escaped */
} rc_arguments;

/* Processes the next part of the arguments: JSON string content that does not end within an
 * escape. */
void rc_arguments_push(rc_arguments *arguments, rc_str raw);

/* Returns whether the arguments have begun and all their brackets and strings are closed. */
static inline bool rc_arguments_is_whole(const rc_arguments *arguments)
{
    return arguments->has_begun && arguments->depth == 0 && !arguments->is_in_string;
}

#endif
