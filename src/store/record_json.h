/* Operations, records and sums of the audit as JSON: what is not known is left out. */
#ifndef RC_STORE_RECORD_JSON_H
#define RC_STORE_RECORD_JSON_H

#include <recourse/json.h>

#include "store/record.h"
#include "store/stats.h"
#include "json/writer.h"

/* How much of a record's report is written. */
typedef enum rc_record_report {
    RC_RECORD_REPORT_NONE = 0,
    RC_RECORD_REPORT_MESSAGE = 1, /* "message" */
    RC_RECORD_REPORT_WHOLE = 2    /* "report" */
} rc_record_report;

typedef struct rc_record_json_options {
    rc_record_report report;
    rc_view view;          /* of a WHOLE one */
    const rc_alloc *alloc; /* to read it with; borrows */
} rc_record_json_options;

/* An operation, as a list gives it. False: there was no memory for its report, which is left out.
 * Failures of the buffer are the buffer's. operation, how: borrow. */
bool rc_record_json_operation(rc_json_writer *w, const rc_record *operation,
                              const rc_record_json_options *options);

/* Any other record, as a timeline gives it. The same. */
bool rc_record_json_record(rc_json_writer *w, const rc_record *record,
                           const rc_record_json_options *options);

/* Members of an object that is begun: what a group adds up. */
void rc_record_json_sums(rc_json_writer *w, const rc_stats_group *group);

/* Single members: a time as RFC 3339, millionths of a dollar as dollars, a text unless it is
 * empty. */
void rc_record_json_time(rc_json_writer *w, rc_str key, int64_t unix_ms);
void rc_record_json_usd(rc_json_writer *w, rc_str key, uint64_t micro_usd);
void rc_record_json_text(rc_json_writer *w, rc_str key, rc_str text);

#endif
