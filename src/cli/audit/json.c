/* Writes operations and records as JSON; called by list.c, show.c, tail.c, export.c and
 * timeline.c. */
#include "cli/audit/audit.h"
#include "store/record_json.h"

const rc_report *rc_audit_report(const rc_audit *audit, const rc_record *record)
{
    const rc_report *report = NULL;
    if (record->report_json.len == 0)
        return NULL;
    const rc_status status = rc_report_decode(record->report_json, RC_DECODE_TOLERANT,
                                              &audit->cli->alloc, &report, NULL);
    rc_audit_note_memory(audit, status != RC_E_NOMEM);
    return report;
}

rc_record_json_options rc_audit_json_options(const rc_audit *audit, bool has_report)
{
    return (rc_record_json_options){.report =
                                        has_report ? RC_RECORD_REPORT_WHOLE : RC_RECORD_REPORT_NONE,
                                    .view = audit->view,
                                    .alloc = &audit->cli->alloc};
}

void rc_audit_json_operation(const rc_audit *audit, rc_json_writer *w, const rc_record *operation,
                             bool has_report)
{
    const rc_record_json_options options = rc_audit_json_options(audit, has_report);
    rc_audit_note_memory(audit, rc_record_json_operation(w, operation, &options));
}

void rc_audit_json_record(const rc_audit *audit, rc_json_writer *w, const rc_record *record,
                          bool has_report)
{
    const rc_record_json_options options = rc_audit_json_options(audit, has_report);
    rc_audit_note_memory(audit, rc_record_json_record(w, record, &options));
}
