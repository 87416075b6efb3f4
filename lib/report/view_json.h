/* JSON members shared by the encoder and the JSON renderers; the functions leave out a member
 * without a value. */
#ifndef RC_REPORT_VIEW_JSON_H
#define RC_REPORT_VIEW_JSON_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "json/writer.h"

/* Writes a JSON string with the text as the view shows it. The model's view masks file paths. */
void rc_view_json_string(rc_json_writer *w, rc_view view, rc_str text);

/* Writes a member with the text as the view shows it. Writes nothing if the text is empty. */
void rc_view_json_member(rc_json_writer *w, rc_view view, rc_str key, rc_str text);

/* Writes a member with the name of an enum value. Writes nothing if the name is empty. */
void rc_view_json_member_name(rc_json_writer *w, rc_str key, const char *name);

/* Writes a member with a time in RFC 3339 format. */
void rc_view_json_member_time(rc_json_writer *w, rc_str key, int64_t unix_ms);

/* Writes a member whose value takes at most `max` bytes as JSON, not counting its quotes. `max`
 * must not exceed RC_VIEW_JSON_CUT_MAX. A longer text is cut between two characters and ends in
 * "…". Writes nothing if the text is empty. */
#define RC_VIEW_JSON_CUT_MAX ((size_t)1024)
void rc_view_json_member_cut(rc_json_writer *w, rc_str key, rc_str text, size_t max);
/* Writes only the value of a member, cut as in rc_view_json_member_cut. The caller has written the
 * key. */
void rc_view_json_cut(rc_json_writer *w, rc_str text, size_t max);

/* Writes the member user_action, an object with kind and detail. Writes nothing if the report has
 * no action. */
void rc_view_json_member_action(rc_json_writer *w, rc_view view, const rc_report *report);

/* Writes the context entries that the view shows, as an object. Writes nothing if the view shows no
 * entry. */
void rc_view_json_member_context(rc_json_writer *w, rc_view view, const rc_report *report);

/* Writes a member with the whole report as the view shows it. The writer must be compact (without
 * white space between tokens), because the report's encoder is. */
void rc_view_json_member_report(rc_json_writer *w, rc_view view, rc_str key,
                                const rc_report *report);

#endif
