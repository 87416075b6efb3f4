/* What a reader may see of a report: for the encoder and for the renderers that pick fields. All
 * read one table (report_fields.h), so that a field is in all forms of a view or in none. */
#ifndef RC_REPORT_VIEW_H
#define RC_REPORT_VIEW_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "report/fields.h"

/* The view itself when it is one of the three, else the user's: a mistake shows less, not more. */
rc_view rc_view_checked(rc_view view);

/* Is the field of every report in the view? By its key in the JSON. */
bool rc_view_has(rc_view view, rc_str key);

/* Is the field of this report's provider_metadata in the view? */
bool rc_view_has_metadata(rc_view view, const rc_report *report, rc_str key);

/* The same of a field that is at hand. view: checked. object: what the field's table is of. */
bool rc_view_has_field(rc_view view, const rc_field *field, const void *object);

/* Whoever asked has to change something: what the provider calls the fault is for them. Names alone
 * are told ("invalid_value", "tools[0].name"): what else stands in their place may be anybody's
 * words. */
bool rc_view_is_client_fixable(const rc_report *report);
bool rc_view_is_name(rc_str text);

/* Is this entry of the context in the view? The model sees none whose key could name a path: a
 * masked key would not be a key any more. */
bool rc_view_has_context(rc_view view, const rc_context_entry *entry);

/* Room for the longest text that the model's view has, with its paths masked. */
typedef struct rc_text_scratch {
    char bytes[2 * RC_REPORT_MESSAGE_MAX];
} rc_text_scratch;

/* The text as the view has it: as it is, or with its paths masked, in room, for the model. Gives a
 * view of text or room. A masked text that does not fit is "[path]". */
rc_str rc_view_text(rc_view view, rc_str text, rc_text_scratch *scratch);

/* The same, appended. */
void rc_view_push(rc_view view, rc_str text, rc_buf *buf);

#endif
