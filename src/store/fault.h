/* rc_store_fault: why the store did not do what it was asked for, and what to do about it. The
 * kinds are in spec/audit.def. */
#ifndef RC_STORE_FAULT_H
#define RC_STORE_FAULT_H

#include <stdbool.h>

#include <recourse/alloc.h>
#include <recourse/id.h>
#include <recourse/report.h>

typedef enum rc_store_fault_kind {
    RC_STORE_NO_FAULT = 0,
#define RC_STORE_FAULT(number, ID, name, may_pass, text, advice) RC_STORE_##ID = (number),
#include "spec/audit.def"
} rc_store_fault_kind;

/* The caller's storage; it is written on failure alone. */
typedef struct rc_store_fault {
    rc_store_fault_kind kind;
    char detail[256]; /* what exactly: the place, and what the database or the system said. One
                         line, ends in NUL, cut where too long. */
} rc_store_fault;

/* Sets both; false, so that a function can end with it. doing: "open", "write"; path and said may
 * be NULL. All: copies. */
bool rc_store_fault_set(rc_store_fault *fault, rc_store_fault_kind kind, const char *activity,
                        const char *path, const char *said);

/* "full"; "the file is damaged"; "Make room on the disk". Static; "" for what is none. */
const char *rc_store_fault_name(rc_store_fault_kind kind);
const char *rc_store_fault_text(rc_store_fault_kind kind);
const char *rc_store_fault_advice(rc_store_fault_kind kind);

/* May the same thing work later, with nobody changing the configuration? */
bool rc_store_fault_may_pass(rc_store_fault_kind kind);

/* StoreUnavailable, with the fault as detail and the advice as what to do. Gives; never NULL.
 * fault: borrows. */
const rc_report *rc_store_fault_report(const rc_store_fault *fault, const rc_id *id,
                                       const rc_alloc *alloc);

#endif
