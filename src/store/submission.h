/* rc_submission: a copy of records and saved states in one block of memory, for the writer's queue.
 * The copy has no pointers to the submitter's memory. */
#ifndef RC_STORE_SUBMISSION_H
#define RC_STORE_SUBMISSION_H

#include "store/record.h"

/* The acknowledgement: the result of a submission, which the writer reports to the submitter. */
typedef enum rc_ack {
    RC_ACK_SAFE = 0,    /* The records are stored with the durability of the settings. */
    RC_ACK_LOST = 1,    /* The records are not stored, and the request continues, because
                         * audit.on_failure is "continue". */
    RC_ACK_REFUSED = 2, /* The records are not stored, and the request is refused, because
                         * audit.on_failure is not "continue". */
} rc_ack;

/* Called on the writer's thread. why: the reason for which the records are not stored; NULL if they
 * are stored; borrows during the call. */
typedef void (*rc_on_acknowledged)(void *ctx, rc_ack ack, const rc_report *why);

typedef struct rc_submission {
    rc_batch batch; /* The records. `next` points to the batch of the next submission in the
                     * queue. */
    struct rc_submission *next;
    size_t size;       /* Size of the memory block in bytes. */
    bool is_amendment; /* The records belong to an operation that was submitted before. */
    rc_on_acknowledged on_acknowledged;
    void *ctx;
} rc_submission;

/* Gives the caller a copy of the batch, without its `next`. Returns NULL if memory runs out.
 * Reports are encoded as JSON during the call, on the caller's thread. alloc: borrows during the
 * call. */
rc_submission *rc_submission_make(const rc_batch *batch, const rc_alloc *alloc);

/* Frees a submission. submission: takes. */
void rc_submission_free(rc_submission *submission, const rc_alloc *alloc);

#endif
