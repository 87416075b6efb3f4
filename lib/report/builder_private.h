/* Functions of the builder that the decoder needs in addition to the public setters. */
#ifndef RC_REPORT_BUILDER_PRIVATE_H
#define RC_REPORT_BUILDER_PRIVATE_H

#include <recourse/builder.h>

#include "report/fields.h"

enum {
    RC_BUILDER_NOMEM = 1,     /* Something was dropped for lack of memory. */
    RC_BUILDER_TOO_LARGE = 2, /* Something was dropped at a size limit. */
    RC_BUILDER_AS_IS = 4,     /* Decoding: the sender's notes are ordinary context entries. */
    RC_BUILDER_FATAL = 8,     /* A setter excluded a retry. */
    RC_BUILDER_FINISHED = 16
};

#define RC_BUILDER_LOSSES (RC_BUILDER_NOMEM | RC_BUILDER_TOO_LARGE)

/* Scrubs text into the report's memory; every string of a report passes through here. Returns the
 * empty string, and sets a loss flag, if there is no space. */
rc_str rc_builder_scrub(rc_builder *builder, rc_str text, size_t max_bytes);

/* Records why the arena failed and clears the failure. Only the current field is lost: the next may
 * be smaller, or memory may be available again. */
void rc_builder_note_failure(rc_builder *builder);

/* Adds an attempt whose texts are already in the report's memory. attempt: copies. */
void rc_builder_push_attempt(rc_builder *builder, const rc_report_attempt *attempt);

/* Whether one more attempt or source fits. If not, sets the too-large flag. */
bool rc_builder_has_space_for_attempt(rc_builder *builder);
bool rc_builder_has_space_for_source(rc_builder *builder);

/* Adds a source that is already in the report's memory; ignores an empty one. */
void rc_builder_push_source(rc_builder *builder, rc_str source);

/* Finishes without filling unset fields; gives the report, or NULL if there was no memory for
 * it. */
const rc_report *rc_builder_finish_as_is(rc_builder *builder);

#endif
