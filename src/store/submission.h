/* rc_submission: a copy of records and saved states in one block of memory, on its way to the
 * store. It does not reference the submitter's memory. */
#ifndef RC_STORE_SUBMISSION_H
#define RC_STORE_SUBMISSION_H

#include "store/record.h"

/* The result for the waiting submitter. */
typedef enum rc_ack {
    RC_ACK_SAFE = 0,    /* Stored, with the durability of the settings. */
    RC_ACK_LOST = 1,    /* Not stored; the configuration says to continue. */
    RC_ACK_REFUSED = 2, /* Not stored; the configuration says to refuse. */
} rc_ack;

/* Called on the writer's thread. why: NULL if stored; views until the call returns. */
typedef void (*rc_on_acknowledged)(void *ctx, rc_ack ack, const rc_report *why);

typedef struct rc_submission {
    rc_batch batch; /* Its `next` points to the batch of the next submission. */
    struct rc_submission *next;
    size_t size;       /* Bytes of the memory block. */
    bool is_amendment; /* Adds to an operation that was submitted before. */
    rc_on_acknowledged on_acknowledged;
    void *ctx;
} rc_submission;

/* Gives a copy of the batch (without its `next`); NULL: no memory. Reports are encoded as JSON
 * here, on the caller's thread. alloc: borrows. */
rc_submission *rc_submission_make(const rc_batch *batch, const rc_alloc *alloc);

/* Frees a submission (takes). */
void rc_submission_free(rc_submission *submission, const rc_alloc *alloc);

#endif
