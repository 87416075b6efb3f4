/* rc_admin_work: an answer that takes a while, made on another thread.
 *
 *   stream ──► work ──► [ waiting ] ──► thread: run ──► loop: the reply is sent
 *                 └─ the client leaves: it is taken out of the queue, or told so
 *
 * Two run at once and a few wait; whoever comes then is told to ask again. A work is over when its
 * client has left or when it has taken too long: run asks rc_admin_work_is_over now and then. The
 * loop's thread alone uses it, but for run. */
#ifndef RC_GATEWAY_ADMIN_WORK_H
#define RC_GATEWAY_ADMIN_WORK_H

#include <stdatomic.h>

#include <uv.h>

#include "base/arena.h"
#include "gateway/admin.h"

#define RC_ADMIN_WORKS_RUNNING 2
#define RC_ADMIN_WORKS_WAITING 32
/* Of one answer; and the longest that it may take. */
#define RC_ADMIN_WORK_BODY_MAX ((size_t)8 << 20)
#define RC_ADMIN_WORK_ARENA_MAX ((size_t)1 << 20)
#define RC_ADMIN_WORK_MS 30000

typedef struct rc_admin_work rc_admin_work;

/* The caller's storage; the fields are private. */
typedef struct rc_admin_works {
    uv_loop_t *loop;
    rc_alloc alloc;
    uint64_t time_ms;
    uint32_t running;
    uint32_t waiting;
    rc_admin_work *first; /* that wait */
} rc_admin_works;

/* Fills in work->body, or says why not. On a thread of its own. */
typedef void (*rc_admin_work_run)(rc_admin_work *work, void *question);

struct rc_admin_work {
    rc_arena arena; /* of the question, and of what run needs */
    rc_buf body;    /* the answer */
    rc_alloc alloc;

    rc_admin_works *works; /* private from here on */
    rc_admin_core *core;
    rc_admin_stream *stream; /* NULL: the client has left */
    rc_admin_work *next;
    rc_admin_work_run run;
    void *question;
    void (*let_go)(void *question);
    rc_admin_problem problem;
    bool has_problem;
    bool is_waiting;
    bool is_running;
    atomic_bool is_left;
    uint64_t until_ns;
    uv_work_t request;
};

/* loop: borrows until nothing runs. alloc: copies; it serves all threads. There is nothing to be
 * done at the end: when the loop has ended, so have all. */
void rc_admin_works_init(rc_admin_works *works, uv_loop_t *loop, const rc_alloc *alloc);

/* One for a stream that nobody has kept yet. NULL: it was answered, for there are too many or there
 * is no memory. request: borrows until this returns. Gives; start or refuse takes it. */
rc_admin_work *rc_admin_work_new(rc_admin_works *works, const rc_admin_request *request,
                                 rc_admin_stream *stream);

/* question: memory of work's arena, with everything that it points to. let_go: gives back what the
 * question holds beside that, on the loop's thread, whether it was answered or not; may be NULL. */
void rc_admin_work_start(rc_admin_work *work, rc_admin_work_run run, void *question,
                         void (*let_go)(void *question));

/* Answers at once: a problem. */
void rc_admin_work_refuse(rc_admin_work *work, const rc_admin_problem *problem);

/* ---- for run ---- */

/* ctx: a work. Fits rc_store_watch. */
bool rc_admin_work_is_over(void *ctx);

/* The answer is a problem. Copies its texts into the work's arena. */
void rc_admin_work_fail(rc_admin_work *work, const rc_admin_problem *problem);

#endif
