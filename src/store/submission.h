/* rc_submission: a copy of records and marks in one block of memory, on its way to the store. What
 * is in it needs nothing of the one who made it. */
#ifndef RC_STORE_SUBMISSION_H
#define RC_STORE_SUBMISSION_H

#include "store/record.h"

/* How it ended for whoever waits. */
typedef enum rc_ack {
    RC_ACK_SAFE = 0,    /* it is as safe as the settings say */
    RC_ACK_LOST = 1,    /* it is not; the configuration says to go on */
    RC_ACK_REFUSED = 2, /* it is not; the configuration says to stop */
} rc_ack;

/* Called on the writer's thread. why: NULL when it is safe; views, until it returns. */
typedef void (*rc_on_acknowledged)(void *ctx, rc_ack kept, const rc_report *why);

typedef struct rc_submission {
    rc_batch batch; /* its `next` is the next submission's */
    struct rc_submission *next;
    size_t size;       /* of the block */
    bool is_amendment; /* of an operation that was submitted before */
    rc_on_acknowledged on_acknowledged;
    void *ctx;
} rc_submission;

/* Gives; NULL: no memory. batch: copies (its `next` is not looked at). The reports become JSON
 * here, in the caller's thread. alloc: borrows. */
rc_submission *rc_submission_make(const rc_batch *batch, const rc_alloc *alloc);

/* Takes. */
void rc_submission_free(rc_submission *submission, const rc_alloc *alloc);

#endif
