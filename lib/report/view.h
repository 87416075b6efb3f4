/* Views of a report: which fields a user, a model or an operator may see. The encoder and the
 * renderers share the table in report/fields.h, so every format of a view shows the same fields. */
#ifndef RC_REPORT_VIEW_H
#define RC_REPORT_VIEW_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "report/fields.h"

/* Returns the view if it is one of the three, else the user's view, which shows the least. */
rc_view rc_view_checked(rc_view view);

/* Whether the view shows the field with this JSON key, in every report. */
bool rc_view_has(rc_view view, rc_str key);

/* Whether the view shows this field of the report's provider_metadata. */
bool rc_view_has_metadata(rc_view view, const rc_report *report, rc_str key);

/* As above, for a given field. view: checked. object: the struct that the field's table
 * describes. */
bool rc_view_has_field(rc_view view, const rc_field *field, const void *object);

/* is_client_fixable: whether the client has to change its request; the provider's names for the
 * error are then shown to the client. is_name: whether a text is such a name ("invalid_value",
 * "tools[0].name"). Only names are shown, because other text may contain anything. */
bool rc_view_is_client_fixable(const rc_report *report);
bool rc_view_is_name(rc_str text);

/* Whether the view shows this context entry. The model's view shows none whose key contains a path,
 * because a masked key is no longer a key. */
bool rc_view_has_context(rc_view view, const rc_context_entry *entry);

/* Buffer for the longest text of the model's view with its paths masked. */
typedef struct rc_text_scratch {
    char bytes[2 * RC_REPORT_MESSAGE_MAX];
} rc_text_scratch;

/* Returns the text as the view shows it: unchanged, or for the model with its paths masked in
 * `scratch`. The result views text or scratch. A masked text that does not fit is "[path]". */
rc_str rc_view_text(rc_view view, rc_str text, rc_text_scratch *scratch);

/* Appends the text as the view shows it. */
void rc_view_push(rc_view view, rc_str text, rc_buf *buf);

#endif
