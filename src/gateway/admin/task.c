/* rc_admin_task: runs slow admin requests on libuv's thread pool. Called by audit.c,
 * src/cli/serve/admin.c and src/cli/serve/explain.c. */
#include "gateway/admin/task.h"

#include <string.h>

#include "base/str.h"

#define NS_OF_MS UINT64_C(1000000)

void rc_admin_task_pool_init(rc_admin_task_pool *pool, uv_loop_t *loop, const rc_alloc *alloc)
{
    *pool = (rc_admin_task_pool){.loop = loop, .alloc = *alloc, .max_ms = RC_ADMIN_TASK_MAX_MS};
}

static void task_free(rc_admin_task *task)
{
    const rc_alloc alloc = task->alloc;
    if (task->release != NULL)
        task->release(task->input);
    rc_buf_done(&task->body);
    rc_arena_done(&task->arena);
    alloc.put(alloc.ctx, task, sizeof(*task));
}

/* ---- the queue ---- */

static void run_next(rc_admin_task_pool *pool);

static void on_thread(uv_work_t *request)
{
    rc_admin_task *task = request->data;
    task->run(task, task->input);
}

static void reply(rc_admin_task *task)
{
    rc_admin_reply *response = rc_admin_stream_reply(task->stream);
    if (task->has_problem && rc_arena_status(&task->arena) == RC_OK) {
        rc_admin_reply_problem(task->core, response, &task->problem);
    } else if (rc_buf_status(&task->body) != RC_OK || rc_arena_status(&task->arena) != RC_OK) {
        rc_admin_reply_no_memory(task->core, response);
    } else {
        rc_buf_done(&response->body);
        response->body = task->body;
        rc_buf_init(&task->body, &task->alloc, RC_ADMIN_TASK_BODY_MAX);
    }
    rc_admin_stream_send(task->stream);
}

static void on_thread_end(uv_work_t *request, int status)
{
    rc_admin_task *task = request->data;
    rc_admin_task_pool *pool = task->pool;
    (void)status;
    pool->running--;
    task->is_running = false;
    if (task->stream == NULL)
        task_free(task);
    else
        reply(task);
    run_next(pool);
}

static void run_next(rc_admin_task_pool *pool)
{
    while (pool->running < RC_ADMIN_TASKS_RUNNING_MAX && pool->first_waiting != NULL) {
        rc_admin_task *task = pool->first_waiting;
        pool->first_waiting = task->next;
        pool->waiting--;
        pool->running++;
        task->is_waiting = false;
        task->is_running = true;
        task->deadline_ns = uv_hrtime() + pool->max_ms * NS_OF_MS;
        (void)uv_queue_work(pool->loop, &task->uv_work, on_thread, on_thread_end);
    }
}

static void leave_queue(rc_admin_task *task)
{
    rc_admin_task **at = &task->pool->first_waiting;
    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    task->pool->waiting--;
}

/* ---- the stream ---- */

static void on_end(void *ctx)
{
    rc_admin_task *task = ctx;
    task->stream = NULL;
    atomic_store(&task->is_abandoned, true);
    if (task->is_waiting)
        leave_queue(task);
    if (!task->is_running)
        task_free(task);
}

static const rc_admin_stream_handler stream_handler = {.on_end = on_end};

static void refuse_busy(rc_admin_core *core, rc_admin_stream *stream)
{
    const rc_admin_problem problem = {
        RC_CODE_INTERNAL, 503,
        RC_STR("The admin interface already runs its maximum number of queries."),
        RC_ACTION_WAIT_AND_RETRY, RC_STR("Try again in a moment.")};
    rc_admin_reply_problem(core, rc_admin_stream_reply(stream), &problem);
    rc_admin_stream_send(stream);
}

rc_admin_task *rc_admin_task_new(rc_admin_task_pool *pool, const rc_admin_request *request,
                                 rc_admin_stream *stream)
{
    const rc_alloc *alloc = &pool->alloc;
    if (pool->waiting >= RC_ADMIN_TASKS_WAITING_MAX) {
        refuse_busy(request->core, stream);
        return NULL;
    }
    rc_admin_task *task = alloc->get(alloc->ctx, sizeof(*task));
    if (task == NULL) {
        rc_admin_reply_no_memory(request->core, rc_admin_stream_reply(stream));
        rc_admin_stream_send(stream);
        return NULL;
    }
    memset(task, 0, sizeof(*task));
    task->alloc = *alloc;
    task->pool = pool;
    task->core = request->core;
    task->stream = stream;
    task->uv_work.data = task;
    rc_arena_init(&task->arena, alloc, RC_ADMIN_TASK_ARENA_MAX);
    rc_buf_init(&task->body, alloc, RC_ADMIN_TASK_BODY_MAX);
    rc_admin_stream_attach(stream, &stream_handler, task);
    return task;
}

void rc_admin_task_start(rc_admin_task *task, rc_admin_task_run run, void *input,
                         void (*release)(void *input))
{
    rc_admin_task_pool *pool = task->pool;
    rc_admin_task **at = &pool->first_waiting;
    task->run = run;
    task->input = input;
    task->release = release;
    if (rc_arena_status(&task->arena) != RC_OK) {
        reply(task);
        return;
    }
    task->is_waiting = true;
    pool->waiting++;
    while (*at != NULL)
        at = &(*at)->next;
    *at = task;
    run_next(pool);
}

void rc_admin_task_refuse(rc_admin_task *task, const rc_admin_problem *problem)
{
    rc_admin_task_fail(task, problem);
    reply(task);
}

/* ---- functions that `run` may call ---- */

bool rc_admin_task_is_over(void *ctx)
{
    rc_admin_task *task = ctx;
    return atomic_load(&task->is_abandoned) || uv_hrtime() > task->deadline_ns;
}

void rc_admin_task_fail(rc_admin_task *task, const rc_admin_problem *problem)
{
    task->problem = *problem;
    task->problem.message = rc_arena_dup(&task->arena, problem->message);
    task->problem.next = rc_arena_dup(&task->arena, problem->next);
    task->has_problem = true;
}
