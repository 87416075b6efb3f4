/* What the decoder needs of the builder beyond the public setters. */
#ifndef RC_REPORT_BUILDER_PRIVATE_H
#define RC_REPORT_BUILDER_PRIVATE_H

#include <recourse/builder.h>

#include "report/fields.h"

enum {
    RC_BUILDER_NOMEM = 1,     /* something could not be kept: no memory */
    RC_BUILDER_TOO_LARGE = 2, /* something could not be kept: a ceiling */
    RC_BUILDER_AS_IS = 4,     /* decoding: the sender's notes are entries like any other */
    RC_BUILDER_FATAL = 8,     /* a setter said that it must not be tried again */
    RC_BUILDER_FINISHED = 16
};

#define RC_BUILDER_LOSSES (RC_BUILDER_NOMEM | RC_BUILDER_TOO_LARGE)

/* Scrubs text into the report's memory: the single entry of every string. The empty view when there
 * is no room, which is noted. */
rc_str rc_builder_scrub(rc_builder *builder, rc_str text, size_t max_bytes);

/* Notes why the arena failed and clears the failure: it costs the one thing that was being added;
 * the next may be smaller, or memory may be there again. */
void rc_builder_note_failure(rc_builder *builder);

/* One attempt whose texts are already in the report's memory. */
void rc_builder_push_attempt(rc_builder *builder, const rc_report_attempt *attempt);

/* Is there room for one more? When not, that is noted. */
bool rc_builder_has_space_for_attempt(rc_builder *builder);
bool rc_builder_has_space_for_source(rc_builder *builder);

/* One source that is already in the report's memory; an empty one is ignored. */
void rc_builder_push_source(rc_builder *builder, rc_str source);

/* Ends the building without filling anything: what is absent stays absent. NULL when the report has
 * no memory. */
const rc_report *rc_builder_finish_as_is(rc_builder *builder);

#endif
