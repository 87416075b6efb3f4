/* Looks up names in the audit, to distinguish a misspelt name from a name without operations. */
#ifndef RC_AUDIT_NAMES_H
#define RC_AUDIT_NAMES_H

#include <recourse/buf.h>

#include "store/store.h"

/* The kind of name that a filter has. */
typedef enum rc_audit_name_kind {
    RC_AUDIT_NAME_CLIENT = 0,
    RC_AUDIT_NAME_ROUTE = 1,
    RC_AUDIT_NAME_MODEL = 2,
    RC_AUDIT_NAME_TARGET = 3
} rc_audit_name_kind;

/* Returns true if the audit does not contain the name. *ret_nearest is then the nearest name of
 * this kind in the audit, or empty if none is similar. Returns false if the audit contains the
 * name, the store cannot be read or there is no memory. ret_nearest: an initialised buffer, which
 * is emptied first. */
bool rc_audit_name_is_unknown(rc_store *store, rc_audit_name_kind kind, rc_str name,
                              const rc_alloc *alloc, rc_buf *ret_nearest);

#endif
