/* rc_admin_task: makes a slow response on another thread.
 *
 *   stream ──► task ──► [ waiting ] ──► thread: run ──► loop: the reply is sent
 *                 └─ the client disconnects: the task is removed from the queue, or abandoned
 *
 * At most RC_ADMIN_TASKS_RUNNING_MAX tasks run at the same time and RC_ADMIN_TASKS_WAITING_MAX
 * wait; further requests get a 503 with advice to try again. A task should stop when its client has
 * disconnected or its time limit has passed, so `run` must check rc_admin_task_is_over regularly.
 * Only the loop's thread uses a task, except for `run`. */
#ifndef RC_GATEWAY_ADMIN_TASK_H
#define RC_GATEWAY_ADMIN_TASK_H

#include <stdatomic.h>

#include <uv.h>

#include "base/arena.h"
#include "gateway/admin/server.h"

#define RC_ADMIN_TASKS_RUNNING_MAX 2
#define RC_ADMIN_TASKS_WAITING_MAX 32
/* Limits of one task: size of the response, size of the arena, and time. */
#define RC_ADMIN_TASK_BODY_MAX ((size_t)8 << 20)
#define RC_ADMIN_TASK_ARENA_MAX ((size_t)1 << 20)
#define RC_ADMIN_TASK_MAX_MS 30000

typedef struct rc_admin_task rc_admin_task;

/* Lives in the caller's storage. The members are private. */
typedef struct rc_admin_task_pool {
    uv_loop_t *loop;
    rc_alloc alloc;
    uint64_t max_ms;
    uint32_t running;
    uint32_t waiting;
    rc_admin_task *first_waiting; /* Queue of waiting tasks. */
} rc_admin_task_pool;

/* Makes the response: fills task->body, or calls rc_admin_task_fail. Runs on libuv's thread
 * pool. */
typedef void (*rc_admin_task_run)(rc_admin_task *task, void *input);

struct rc_admin_task {
    rc_arena arena; /* Memory for the input and for `run`. */
    rc_buf body;    /* Body of the response. */
    rc_alloc alloc;

    rc_admin_task_pool *pool; /* The members from here on are private. */
    rc_admin_core *core;
    rc_admin_stream *stream; /* NULL after the client has disconnected. */
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

/* Initialises a pool. loop: borrows while tasks run. alloc: copies the struct; it must be safe for
 * use from all threads. A pool needs no done function, because all tasks have ended when the loop
 * has ended. */
void rc_admin_task_pool_init(rc_admin_task_pool *pool, uv_loop_t *loop, const rc_alloc *alloc);

/* Makes a task for a stream without a handler. request: borrows during the call. Gives the task to
 * the caller, who passes it to rc_admin_task_start or rc_admin_task_refuse. Returns NULL, after
 * sending an error reply, if there are too many tasks or memory runs out. */
rc_admin_task *rc_admin_task_new(rc_admin_task_pool *pool, const rc_admin_request *request,
                                 rc_admin_stream *stream);

/* Runs the task or queues it. task: takes. input: allocated, with everything it points to, in the
 * task's arena. release: called on the loop's thread to free other resources of the input, even if
 * `run` was not called; may be NULL. */
void rc_admin_task_start(rc_admin_task *task, rc_admin_task_run run, void *input,
                         void (*release)(void *input));

/* Replies with a problem instead of running the task. task: takes. */
void rc_admin_task_refuse(rc_admin_task *task, const rc_admin_problem *problem);

/* ---- functions that `run` may call ---- */

/* Returns whether the task should stop. ctx: the task. The function has the type that
 * rc_store_set_cancel_check needs. */
bool rc_admin_task_is_over(void *ctx);

/* Sets a problem as the response and copies the problem's texts into the task's arena. */
void rc_admin_task_fail(rc_admin_task *task, const rc_admin_problem *problem);

#endif
