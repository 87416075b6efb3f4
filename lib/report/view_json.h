/* What the encoder and the JSON renderers share: members that are left out when there is nothing to
 * say. */
#ifndef RC_REPORT_VIEW_JSON_H
#define RC_REPORT_VIEW_JSON_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "json/writer.h"

/* A string as the view has it: the model's has no paths. */
void rc_view_json_string(rc_json_writer *w, rc_view view, rc_str text);

/* A member with the text as the view has it; nothing when the text is empty. */
void rc_view_json_member(rc_json_writer *w, rc_view view, rc_str key, rc_str text);

/* The same for the name of an enum's value. */
void rc_view_json_member_name(rc_json_writer *w, rc_str key, const char *name);

/* A point in time, in the form of RFC 3339. */
void rc_view_json_member_time(rc_json_writer *w, rc_str key, int64_t unix_ms);

/* A text that takes at most max bytes as JSON, without its quotes; max: at most
 * RC_VIEW_JSON_CUT_MAX.
 * A longer one is cut at a character and ends in "…". Nothing when it is empty. */
#define RC_VIEW_JSON_CUT_MAX ((size_t)1024)
void rc_view_json_member_cut(rc_json_writer *w, rc_str key, rc_str text, size_t max);
/* The same behind a key that is written. */
void rc_view_json_cut(rc_json_writer *w, rc_str text, size_t max);

/* The user_action, {"kind","detail"}; nothing when there is none. */
void rc_view_json_member_action(rc_json_writer *w, rc_view view, const rc_report *report);

/* The context, as far as the view has it, as an object; nothing when it would be empty. */
void rc_view_json_member_context(rc_json_writer *w, rc_view view, const rc_report *report);

/* The whole report in the view, under key. The writer must be compact, as the encoder is. */
void rc_view_json_member_report(rc_json_writer *w, rc_view view, rc_str key,
                                const rc_report *report);

#endif
