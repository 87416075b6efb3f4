/* rc_store_fault: the reason for which a call of the store failed, with advice. The kinds are in
 * spec/audit.def. */
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

/* Lives in the caller's storage. Functions write an rc_store_fault only on failure. */
typedef struct rc_store_fault {
    rc_store_fault_kind kind;
    char detail[256]; /* The activity, the path, and the message of the database or system, in one
                       * line. Ends in NUL; truncated if it is too long. */
} rc_store_fault;

/* Sets kind and detail. Always returns false, so that a failing function can end with `return
 * rc_store_fault_set(...)`. activity: such as "open" or "write". path, system_text: may be NULL.
 * All texts are copied. */
bool rc_store_fault_set(rc_store_fault *fault, rc_store_fault_kind kind, const char *activity,
                        const char *path, const char *system_text);

/* rc_store_fault_name returns the kind's name, such as "full". rc_store_fault_text returns its
 * message, such as "the file is damaged". rc_store_fault_advice returns its advice, such as "Make
 * room on the disk". All results are static strings; they are "" for RC_STORE_NO_FAULT. */
const char *rc_store_fault_name(rc_store_fault_kind kind);
const char *rc_store_fault_text(rc_store_fault_kind kind);
const char *rc_store_fault_advice(rc_store_fault_kind kind);

/* Returns whether the same operation may succeed later without a change of the configuration. */
bool rc_store_fault_may_pass(rc_store_fault_kind kind);

/* Makes a StoreUnavailable report with the fault as detail and the advice as action. Gives the
 * report to the caller; never NULL. fault, id: borrows during the call. */
const rc_report *rc_store_fault_report(const rc_store_fault *fault, const rc_id *id,
                                       const rc_alloc *alloc);

#endif
