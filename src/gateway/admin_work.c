#include "gateway/admin_work.h"

#include <string.h>

#include "base/str.h"

#define NS_OF_MS UINT64_C(1000000)

void rc_admin_works_init(rc_admin_works *works, uv_loop_t *loop, const rc_alloc *alloc)
{
    *works = (rc_admin_works){.loop = loop, .alloc = *alloc, .time_ms = RC_ADMIN_WORK_MS};
}

static void work_free(rc_admin_work *work)
{
    const rc_alloc alloc = work->alloc;
    if (work->let_go != NULL)
        work->let_go(work->question);
    rc_buf_done(&work->body);
    rc_arena_done(&work->arena);
    alloc.put(alloc.ctx, work, sizeof(*work));
}

/* ---- the queue ---- */

static void run_next(rc_admin_works *works);

static void on_thread(uv_work_t *request)
{
    rc_admin_work *work = request->data;
    work->run(work, work->question);
}

static void reply(rc_admin_work *work)
{
    rc_admin_reply *answer = rc_admin_stream_reply(work->stream);
    if (work->has_problem && rc_arena_status(&work->arena) == RC_OK) {
        rc_admin_reply_problem(work->core, answer, &work->problem);
    } else if (rc_buf_status(&work->body) != RC_OK || rc_arena_status(&work->arena) != RC_OK) {
        rc_admin_reply_no_memory(work->core, answer);
    } else {
        rc_buf_done(&answer->body);
        answer->body = work->body;
        rc_buf_init(&work->body, &work->alloc, RC_ADMIN_WORK_BODY_MAX);
    }
    rc_admin_stream_send(work->stream);
}

static void on_thread_end(uv_work_t *request, int status)
{
    rc_admin_work *work = request->data;
    rc_admin_works *works = work->works;
    (void)status;
    works->running--;
    work->is_running = false;
    if (work->stream == NULL)
        work_free(work);
    else
        reply(work);
    run_next(works);
}

static void run_next(rc_admin_works *works)
{
    while (works->running < RC_ADMIN_WORKS_RUNNING && works->first != NULL) {
        rc_admin_work *work = works->first;
        works->first = work->next;
        works->waiting--;
        works->running++;
        work->is_waiting = false;
        work->is_running = true;
        work->until_ns = uv_hrtime() + works->time_ms * NS_OF_MS;
        (void)uv_queue_work(works->loop, &work->request, on_thread, on_thread_end);
    }
}

static void leave_queue(rc_admin_work *work)
{
    rc_admin_work **at = &work->works->first;
    while (*at != work)
        at = &(*at)->next;
    *at = work->next;
    work->works->waiting--;
}

/* ---- its stream ---- */

static void on_end(void *ctx)
{
    rc_admin_work *work = ctx;
    work->stream = NULL;
    atomic_store(&work->is_left, true);
    if (work->is_waiting)
        leave_queue(work);
    if (!work->is_running)
        work_free(work);
}

static const rc_admin_stream_calls stream_calls = {.on_end = on_end};

static void refuse_busy(rc_admin_core *core, rc_admin_stream *stream)
{
    const rc_admin_problem problem = {RC_CODE_INTERNAL, 503,
                                      RC_STR("Too many questions are being answered already."),
                                      RC_ACTION_WAIT_AND_RETRY, RC_STR("Ask again in a moment.")};
    rc_admin_reply_problem(core, rc_admin_stream_reply(stream), &problem);
    rc_admin_stream_send(stream);
}

rc_admin_work *rc_admin_work_new(rc_admin_works *works, const rc_admin_request *request,
                                 rc_admin_stream *stream)
{
    const rc_alloc *alloc = &works->alloc;
    if (works->waiting >= RC_ADMIN_WORKS_WAITING) {
        refuse_busy(request->core, stream);
        return NULL;
    }
    rc_admin_work *work = alloc->get(alloc->ctx, sizeof(*work));
    if (work == NULL) {
        rc_admin_reply_no_memory(request->core, rc_admin_stream_reply(stream));
        rc_admin_stream_send(stream);
        return NULL;
    }
    memset(work, 0, sizeof(*work));
    work->alloc = *alloc;
    work->works = works;
    work->core = request->core;
    work->stream = stream;
    work->request.data = work;
    rc_arena_init(&work->arena, alloc, RC_ADMIN_WORK_ARENA_MAX);
    rc_buf_init(&work->body, alloc, RC_ADMIN_WORK_BODY_MAX);
    rc_admin_stream_keep(stream, &stream_calls, work);
    return work;
}

void rc_admin_work_start(rc_admin_work *work, rc_admin_work_run run, void *question,
                         void (*let_go)(void *question))
{
    rc_admin_works *works = work->works;
    rc_admin_work **at = &works->first;
    work->run = run;
    work->question = question;
    work->let_go = let_go;
    if (rc_arena_status(&work->arena) != RC_OK) {
        reply(work);
        return;
    }
    work->is_waiting = true;
    works->waiting++;
    while (*at != NULL)
        at = &(*at)->next;
    *at = work;
    run_next(works);
}

void rc_admin_work_refuse(rc_admin_work *work, const rc_admin_problem *problem)
{
    rc_admin_work_fail(work, problem);
    reply(work);
}

/* ---- for run ---- */

bool rc_admin_work_is_over(void *ctx)
{
    rc_admin_work *work = ctx;
    return atomic_load(&work->is_left) || uv_hrtime() > work->until_ns;
}

void rc_admin_work_fail(rc_admin_work *work, const rc_admin_problem *problem)
{
    work->problem = *problem;
    work->problem.message = rc_arena_dup(&work->arena, problem->message);
    work->problem.next = rc_arena_dup(&work->arena, problem->next);
    work->has_problem = true;
}
