/* Views of a report: which fields a user, a model or an operator may see. The encoder and the
 * renderers share the table in report/fields.h, so every format of a view shows the same fields. */
#ifndef RC_REPORT_VIEW_H
#define RC_REPORT_VIEW_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "report/fields.h"

/* Returns `view` if it is one of the three views. Otherwise returns the user's view, which shows
 * the fewest fields. */
rc_view rc_view_checked(rc_view view);

/* Returns whether the view shows the field with this JSON key. The result is the same for every
 * report. */
bool rc_view_has(rc_view view, rc_str key);

/* Returns whether the view shows this field of the report's provider_metadata. */
bool rc_view_has_metadata(rc_view view, const rc_report *report, rc_str key);

/* Returns whether the view shows the field in this object, the struct that the field's table
 * describes. `view` must come from rc_view_checked. object: borrows during the call. */
bool rc_view_has_field(rc_view view, const rc_field *field, const void *object);

/* rc_view_is_client_fixable returns whether the client can end the failure by changing its request;
 * if so, the client sees the provider's names for the error. rc_view_is_name returns whether a text
 * is such a name ("invalid_value", "tools[0].name"). Other texts of the provider's fields are not
 * shown, because they may contain anything. */
bool rc_view_is_client_fixable(const rc_report *report);
bool rc_view_is_name(rc_str text);

/* Returns whether the view shows this context entry. The model's view omits entries whose key
 * contains a path, because a key whose path is masked is useless. */
bool rc_view_has_context(rc_view view, const rc_context_entry *entry);

/* Buffer for a text of the model's view whose paths are masked; large enough for the longest
 * text. */
typedef struct rc_text_scratch {
    char bytes[2 * RC_REPORT_MESSAGE_MAX];
} rc_text_scratch;

/* Returns the text as the view shows it. The model's view masks file paths; the masked text is
 * written to `scratch`. The result views (points into) `text` or `scratch`. If the masked text does
 * not fit, the result is "[path]". */
rc_str rc_view_text(rc_view view, rc_str text, rc_text_scratch *scratch);

/* Appends the text as the view shows it. */
void rc_view_push(rc_view view, rc_str text, rc_buf *buf);

#endif
