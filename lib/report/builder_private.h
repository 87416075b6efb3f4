/* Functions of the builder that the decoder needs in addition to the public setters. */
#ifndef RC_REPORT_BUILDER_PRIVATE_H
#define RC_REPORT_BUILDER_PRIVATE_H

#include <recourse/builder.h>

#include "report/fields.h"

enum {
    RC_BUILDER_NOMEM = 1,     /* Data was dropped because no memory was available. */
    RC_BUILDER_TOO_LARGE = 2, /* Data was dropped because a size limit was reached. */
    RC_BUILDER_AS_IS = 4,     /* Set by the decoder: the context entries "incomplete" and
                                 "causes_elided" of a received report are treated like ordinary
                                 entries. */
    RC_BUILDER_FATAL = 8,     /* A setter has excluded a retry. */
    RC_BUILDER_FINISHED = 16
};

#define RC_BUILDER_LOSSES (RC_BUILDER_NOMEM | RC_BUILDER_TOO_LARGE)

/* Copies the text without its secrets into the report's memory; every string of a report passes
 * through this function. If no memory is available, sets a loss flag (one of RC_BUILDER_LOSSES) and
 * returns the empty string. */
rc_str rc_builder_scrub(rc_builder *builder, rc_str text, size_t max_bytes);

/* Sets the loss flag for the arena's error and clears the error. Only the current field is lost,
 * because the next field may be smaller, or memory may be available again. */
void rc_builder_note_failure(rc_builder *builder);

/* Adds an attempt whose texts are already in the report's memory. attempt: copies the struct. */
void rc_builder_push_attempt(rc_builder *builder, const rc_report_attempt *attempt);

/* rc_builder_has_space_for_attempt and rc_builder_has_space_for_source return whether one more
 * attempt or source can be added; if not, they set RC_BUILDER_TOO_LARGE. */
bool rc_builder_has_space_for_attempt(rc_builder *builder);
bool rc_builder_has_space_for_source(rc_builder *builder);

/* Adds a source (a location in the program's code) that is already in the report's memory. Ignores
 * an empty source. */
void rc_builder_push_source(rc_builder *builder, rc_str source);

/* Finishes the report and leaves fields empty that were not set. Gives the report to the caller;
 * NULL if no memory was available for the report. */
const rc_report *rc_builder_finish_as_is(rc_builder *builder);

#endif
