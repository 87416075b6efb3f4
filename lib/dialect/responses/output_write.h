/* The items of a response of the Responses API: functions that output_write.c uses. */
#ifndef RC_DIALECT_RESPONSES_OUTPUT_WRITE_H
#define RC_DIALECT_RESPONSES_OUTPUT_WRITE_H

#include "dialect/translate/output.h"

/* Indices in `texts` of a writer: the complete items; the text of the open item, as the content of
 * a JSON string; the id and name of the open item. */
#define RC_RESPONSES_ITEMS 0
#define RC_RESPONSES_TEXT 1
#define RC_RESPONSES_HEAD 2

/* Maximum number of bytes of the items that the last event of a stream repeats. */
#define RC_RESPONSES_REPEATED_MAX ((size_t)4 << 20)

/* Begins an event with its type and its number. */
void rc_responses_begin_event(rc_output_writer *w, const char *name);
/* Writes the first two events of a stream, if they have not been written. */
void rc_responses_begin(rc_output_writer *w);

/* Write the parts of an item: the events of a stream, and the complete item. */
void rc_responses_open_item(rc_output_writer *w, const rc_piece *piece);
void rc_responses_push_delta(rc_output_writer *w, const rc_piece *piece);
void rc_responses_close_item(rc_output_writer *w, const rc_piece *piece);

#endif
