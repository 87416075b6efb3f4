/* Reads operations of the audit: a page of a list, one by its id, and both as JSON. */
#ifndef RC_AUDIT_OPERATION_H
#define RC_AUDIT_OPERATION_H

#include "audit/query.h"
#include "store/record_json.h"

/* What was read of a list. */
typedef struct rc_audit_page {
    uint32_t count;
    int64_t last_key; /* Key of the last operation. */
    bool has_more;    /* The list goes on behind last_key. */
} rc_audit_page;

/* Passes the selected operations to `each`; with query->id, those that rc_audit_find finds. A
 * limit of 0 is none. False: *fault is set. store, query: borrows. */
bool rc_audit_page_read(rc_store *store, const rc_audit_query *query, rc_record_each each,
                        void *ctx, rc_audit_page *ret_page, rc_store_fault *fault);

/* Passes an operation to `each`. The target and text of a notice are in its record, not in its row,
 * so for a notice `each` gets a copy that has them. */
bool rc_audit_operation_pass(rc_store *store, const rc_record *operation, rc_record_each each,
                             void *ctx, rc_store_fault *fault);

/* Passes the operations to `each`, at most limit, that the text may mean: the key of a list, an id
 * of an operation or of a report, or the beginning of one; as in rc_store_find. */
bool rc_audit_find(rc_store *store, rc_str text, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Writes {"operations":[...],"next":KEY}; KEY, for the parameter "after", only if the list goes
 * on. */
bool rc_audit_page_json(rc_json_writer *w, rc_store *store, const rc_audit_query *query,
                        const rc_record_json_options *options, rc_audit_page *ret_page,
                        rc_store_fault *fault);

/* Selects the records of one operation. */
typedef struct rc_audit_records {
    bool has_begin; /* Also the record of the beginning, which the operation's row repeats. */
    uint32_t limit; /* 0: no limit. */
} rc_audit_records;

/* Writes {"operation":{...},"records":[...]} with whole reports. operation: of the running callback
 * of rc_audit_find, so that both come from one read transaction. */
bool rc_audit_operation_json(rc_json_writer *w, rc_store *store, const rc_record *operation,
                             rc_audit_records records, const rc_record_json_options *options,
                             rc_store_fault *fault);

#endif
