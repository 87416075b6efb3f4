/* rc_admin_task: a response that takes a while and is made on another thread.
 *
 *   stream ──► task ──► [ waiting ] ──► thread: run ──► loop: the reply is sent
 *                 └─ the client leaves: the task is removed from the queue, or abandoned
 *
 * Two tasks run at once and a few wait; further requests get a 503 with advice to try again. A task
 * is over when its client has left or its time limit has passed: run must check
 * rc_admin_task_is_over regularly. Except for run, only the loop's thread uses it. */
#ifndef RC_GATEWAY_ADMIN_TASK_H
#define RC_GATEWAY_ADMIN_TASK_H

#include <stdatomic.h>

#include <uv.h>

#include "base/arena.h"
#include "gateway/admin/server.h"

#define RC_ADMIN_TASKS_RUNNING_MAX 2
#define RC_ADMIN_TASKS_WAITING_MAX 32
/* Limits of one task: response, arena and time. */
#define RC_ADMIN_TASK_BODY_MAX ((size_t)8 << 20)
#define RC_ADMIN_TASK_ARENA_MAX ((size_t)1 << 20)
#define RC_ADMIN_TASK_MAX_MS 30000

typedef struct rc_admin_task rc_admin_task;

/* Caller's storage; the fields are private. */
typedef struct rc_admin_task_pool {
    uv_loop_t *loop;
    rc_alloc alloc;
    uint64_t max_ms;
    uint32_t running;
    uint32_t waiting;
    rc_admin_task *first_waiting; /* Queue of waiting tasks. */
} rc_admin_task_pool;

/* Fills task->body, or calls rc_admin_task_fail. Runs on a thread of its own. */
typedef void (*rc_admin_task_run)(rc_admin_task *task, void *input);

struct rc_admin_task {
    rc_arena arena; /* Memory for the input and for run. */
    rc_buf body;    /* The response. */
    rc_alloc alloc;

    rc_admin_task_pool *pool; /* Private from here on. */
    rc_admin_core *core;
    rc_admin_stream *stream; /* NULL: the client has left. */
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

/* Initialises a pool. loop: borrows while tasks run. alloc: copies; must be safe for use from all
 * threads. There is no done function: when the loop has ended, all tasks have. */
void rc_admin_task_pool_init(rc_admin_task_pool *pool, uv_loop_t *loop, const rc_alloc *alloc);

/* Makes a task for a stream without a handler. request: borrows during the call. Gives; start or
 * refuse take it. NULL: a reply was sent, because there are too many tasks or there is no
 * memory. */
rc_admin_task *rc_admin_task_new(rc_admin_task_pool *pool, const rc_admin_request *request,
                                 rc_admin_stream *stream);

/* Queues or runs the task. input: memory of the task's arena, as is all that it points to. release:
 * frees other resources of the input, on the loop's thread, whether it ran or not; may be NULL. */
void rc_admin_task_start(rc_admin_task *task, rc_admin_task_run run, void *input,
                         void (*release)(void *input));

/* Replies with a problem instead of running. */
void rc_admin_task_refuse(rc_admin_task *task, const rc_admin_problem *problem);

/* ---- for run ---- */

/* True: the task should stop. ctx: a task. Fits rc_store_set_cancel_check. */
bool rc_admin_task_is_over(void *ctx);

/* Makes the response a problem. Copies its texts into the task's arena. */
void rc_admin_task_fail(rc_admin_task *task, const rc_admin_problem *problem);

#endif
