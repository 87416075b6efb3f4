/* Reads operations of the audit, as a page of a list or one operation by its id, and writes them as
 * JSON. */
#ifndef RC_AUDIT_OPERATION_H
#define RC_AUDIT_OPERATION_H

#include "audit/query.h"
#include "store/record_json.h"

/* Describes the page that was read from a list. */
typedef struct rc_audit_page {
    uint32_t count;
    int64_t last_key; /* Key of the last operation of the page. */
    bool has_more;    /* Further operations follow after last_key. */
} rc_audit_page;

/* Passes the selected operations to `each`. If query->id is set, these are the operations that
 * rc_audit_find finds. The limit 0 means no limit. Returns false, and sets *fault, on failure.
 * store, query: borrows during the call. */
bool rc_audit_page_read(rc_store *store, const rc_audit_query *query, rc_record_each each,
                        void *ctx, rc_audit_page *ret_page, rc_store_fault *fault);

/* Passes an operation to `each`. The target and text of a notice are in its record, not in its row,
 * so for a notice `each` gets a copy of the operation with target and text. */
bool rc_audit_operation_pass(rc_store *store, const rc_record *operation, rc_record_each each,
                             void *ctx, rc_store_fault *fault);

/* Passes to `each` the operations that `text` identifies, at most `limit` of them. text: the key
 * that a list shows, or the id of an operation or report, or the beginning of an id as in
 * rc_store_find. */
bool rc_audit_find(rc_store *store, rc_str text, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Writes {"operations":[...],"next":KEY}. "next" is written only if further operations follow; KEY
 * is the value of the parameter "after" for the next page. */
bool rc_audit_page_json(rc_json_writer *w, rc_store *store, const rc_audit_query *query,
                        const rc_record_json_options *options, rc_audit_page *ret_page,
                        rc_store_fault *fault);

/* Selects the records of one operation that are written. */
typedef struct rc_audit_records {
    bool has_begin; /* The record BEGIN is also written, although the operation has the same
                     * values. */
    uint32_t limit; /* Maximum number of records. 0 for no limit. */
} rc_audit_records;

/* Writes {"operation":{...},"records":[...]} with whole reports. operation: the argument of a
 * callback of rc_audit_find. The function must be called inside this callback, so that the
 * operation and its records are read in one transaction. */
bool rc_audit_operation_json(rc_json_writer *w, rc_store *store, const rc_record *operation,
                             rc_audit_records records, const rc_record_json_options *options,
                             rc_store_fault *fault);

#endif
