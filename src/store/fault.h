/* rc_store_fault: why a store operation failed, and what to do about it. The kinds are in
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

/* The caller's storage; written on failure only. */
typedef struct rc_store_fault {
    rc_store_fault_kind kind;
    char detail[256]; /* The activity, the path and the database's or system's message. One line,
                       * ends in NUL, truncated if too long. */
} rc_store_fault;

/* Sets kind and detail; returns false, so that a function can end with it. activity: "open",
 * "write"; path and system_text may be NULL. Copies all. */
bool rc_store_fault_set(rc_store_fault *fault, rc_store_fault_kind kind, const char *activity,
                        const char *path, const char *system_text);

/* The kind's name ("full"), message ("the file is damaged") and advice ("Make room on the disk").
 * Static; "" for RC_STORE_NO_FAULT. */
const char *rc_store_fault_name(rc_store_fault_kind kind);
const char *rc_store_fault_text(rc_store_fault_kind kind);
const char *rc_store_fault_advice(rc_store_fault_kind kind);

/* Whether the same operation may succeed later without a change of the configuration. */
bool rc_store_fault_may_pass(rc_store_fault_kind kind);

/* A StoreUnavailable report with the fault as detail and the advice as action. Gives; never NULL.
 * fault, id: borrows. */
const rc_report *rc_store_fault_report(const rc_store_fault *fault, const rc_id *id,
                                       const rc_alloc *alloc);

#endif
