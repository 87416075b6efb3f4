/* rc_submission: a copy of records and saved states in one block of memory, which waits in the
 * writer's queue. The copy has no pointers to the submitter's memory. */
#ifndef RC_STORE_SUBMISSION_H
#define RC_STORE_SUBMISSION_H

#include "store/record.h"

/* The acknowledgement, which tells the submitter the result. */
typedef enum rc_ack {
    RC_ACK_SAFE = 0,    /* The records are stored with the durability of the settings. */
    RC_ACK_LOST = 1,    /* The records are not stored. The configuration says that the request
                           continues. */
    RC_ACK_REFUSED = 2, /* The records are not stored. The configuration says that the request is
                           refused. */
} rc_ack;

/* Called on the writer's thread. why: the reason why the records are not stored, NULL if they are
 * stored; borrows during the call. */
typedef void (*rc_on_acknowledged)(void *ctx, rc_ack ack, const rc_report *why);

typedef struct rc_submission {
    rc_batch batch; /* Its `next` points to the batch of the next submission. */
    struct rc_submission *next;
    size_t size;       /* Bytes of the memory block. */
    bool is_amendment; /* The records belong to an operation that was submitted before. */
    rc_on_acknowledged on_acknowledged;
    void *ctx;
} rc_submission;

/* Gives the caller a copy of the batch, without its `next`; NULL if memory runs out. Reports are
 * encoded as JSON during the call, on the caller's thread. alloc: borrows during the call. */
rc_submission *rc_submission_make(const rc_batch *batch, const rc_alloc *alloc);

/* Frees a submission. submission: takes. */
void rc_submission_free(rc_submission *submission, const rc_alloc *alloc);

#endif
