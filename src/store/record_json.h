/* Writes operations, records and sums of the audit as JSON. Members with unknown values are left
 * out. */
#ifndef RC_STORE_RECORD_JSON_H
#define RC_STORE_RECORD_JSON_H

#include <recourse/json.h>

#include "store/record.h"
#include "store/stats.h"
#include "json/writer.h"

/* The part of a record's report that is written. */
typedef enum rc_record_report {
    RC_RECORD_REPORT_NONE = 0,
    RC_RECORD_REPORT_MESSAGE = 1, /* Writes the report's message as member "message". */
    RC_RECORD_REPORT_WHOLE = 2    /* Writes the report as member "report". */
} rc_record_report;

typedef struct rc_record_json_options {
    rc_record_report report;
    rc_view view;          /* The view in which RC_RECORD_REPORT_WHOLE writes the report. */
    const rc_alloc *alloc; /* Allocator for decoding the report. Borrowed during the call. */
} rc_record_json_options;

/* Writes an operation as returned by rc_store_list. Returns false if there was no memory for its
 * report, which is then left out. Errors of the output buffer are not returned; the buffer's status
 * shows them. operation, options: borrows during the call. */
bool rc_record_json_operation(rc_json_writer *w, const rc_record *operation,
                              const rc_record_json_options *options);

/* Writes a record of an operation as returned by rc_store_timeline. Returns false if there was no
 * memory for its report, which is then left out. */
bool rc_record_json_record(rc_json_writer *w, const rc_record *record,
                           const rc_record_json_options *options);

/* Writes a group's sums as members of the object being written. */
void rc_record_json_sums(rc_json_writer *w, const rc_stats_group *group);

/* The next three functions write one member each. rc_record_json_time: a time in the format of RFC
 * 3339. rc_record_json_usd: millionths of a dollar as dollars. rc_record_json_text: a text; nothing
 * if the text is empty. */
void rc_record_json_time(rc_json_writer *w, rc_str key, int64_t unix_ms);
void rc_record_json_usd(rc_json_writer *w, rc_str key, uint64_t micro_usd);
void rc_record_json_text(rc_json_writer *w, rc_str key, rc_str text);

#endif
