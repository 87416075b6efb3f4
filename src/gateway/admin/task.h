/* rc_admin_task: an answer that takes a while, made on another thread.
 *
 *   stream ──► work ──► [ waiting ] ──► thread: run ──► loop: the reply is sent
 *                 └─ the client leaves: it is taken out of the queue, or told so
 *
 * Two run at once and a few wait; whoever comes then is told to ask again. A work is over when its
 * client has left or when it has taken too long: run asks rc_admin_task_is_over now and then. The
 * loop's thread alone uses it, but for run. */
#ifndef RC_GATEWAY_ADMIN_TASK_H
#define RC_GATEWAY_ADMIN_TASK_H

#include <stdatomic.h>

#include <uv.h>

#include "base/arena.h"
#include "gateway/admin/server.h"

#define RC_ADMIN_TASKS_RUNNING_MAX 2
#define RC_ADMIN_TASKS_WAITING_MAX 32
/* Of one answer; and the longest that it may take. */
#define RC_ADMIN_TASK_BODY_MAX ((size_t)8 << 20)
#define RC_ADMIN_TASK_ARENA_MAX ((size_t)1 << 20)
#define RC_ADMIN_TASK_MAX_MS 30000

typedef struct rc_admin_task rc_admin_task;

/* The caller's storage; the fields are private. */
typedef struct rc_admin_task_pool {
    uv_loop_t *loop;
    rc_alloc alloc;
    uint64_t max_ms;
    uint32_t running;
    uint32_t waiting;
    rc_admin_task *first_waiting; /* that wait */
} rc_admin_task_pool;

/* Fills in work->body, or says why not. On a thread of its own. */
typedef void (*rc_admin_task_run)(rc_admin_task *task, void *input);

struct rc_admin_task {
    rc_arena arena; /* of the question, and of what run needs */
    rc_buf body;    /* the answer */
    rc_alloc alloc;

    rc_admin_task_pool *pool; /* private from here on */
    rc_admin_core *core;
    rc_admin_stream *stream; /* NULL: the client has left */
    rc_admin_task *next;
    rc_admin_task_run run;
    void *input;
    void (*release)(void *input);
    rc_admin_problem problem;
    bool has_problem;
    bool is_waiting;
    bool is_running;
    atomic_bool is_abandoned;
    uint64_t deadline_ns;
    uv_work_t uv_work;
};

/* loop: borrows until nothing runs. alloc: copies; it serves all threads. There is nothing to be
 * done at the end: when the loop has ended, so have all. */
void rc_admin_task_pool_init(rc_admin_task_pool *pool, uv_loop_t *loop, const rc_alloc *alloc);

/* One for a stream that nobody has kept yet. NULL: it was answered, for there are too many or there
 * is no memory. request: borrows until this returns. Gives; start or refuse takes it. */
rc_admin_task *rc_admin_task_new(rc_admin_task_pool *pool, const rc_admin_request *request,
                                 rc_admin_stream *stream);

/* question: memory of work's arena, with everything that it points to. release: gives back what the
 * question holds beside that, on the loop's thread, whether it was answered or not; may be NULL. */
void rc_admin_task_start(rc_admin_task *task, rc_admin_task_run run, void *input,
                         void (*release)(void *input));

/* Answers at once: a problem. */
void rc_admin_task_refuse(rc_admin_task *task, const rc_admin_problem *problem);

/* ---- for run ---- */

/* ctx: a work. Fits rc_store_set_cancel_check. */
bool rc_admin_task_is_over(void *ctx);

/* The answer is a problem. Copies its texts into the work's arena. */
void rc_admin_task_fail(rc_admin_task *task, const rc_admin_problem *problem);

#endif
