/* Tests of responses that another thread makes, for clients that wait and clients that
 * disconnect. */
#include <recourse/stdlib.h>

#include "gateway/admin/task.h"
#include "support/admin_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The behaviour of the task, and its results. */
static struct tasks {
    rc_admin_task_pool pool;
    uv_thread_t loop_thread;
    atomic_int begun;
    atomic_int ended;
    atomic_int release;
    atomic_bool is_held; /* while true, the function run waits */
    atomic_bool saw_over;
    bool fails;
    bool is_refused;
    bool overflows;
    bool starves; /* the task uses up its arena */
    atomic_bool was_on_loop;
} tasks;

static void run(rc_admin_task *task, void *input)
{
    const uv_thread_t self = uv_thread_self();
    if (uv_thread_equal(&self, &tasks.loop_thread) != 0)
        atomic_store(&tasks.was_on_loop, true);
    atomic_fetch_add(&tasks.begun, 1);
    while (atomic_load(&tasks.is_held) && !atomic_load(&tasks.saw_over)) {
        if (rc_admin_task_is_over(task))
            atomic_store(&tasks.saw_over, true);
        uv_sleep(1);
    }
    if (tasks.fails) {
        char text[] = "It was not to be.";
        const rc_admin_problem problem = {RC_CODE_INTERNAL, 503, rc_str_c(text),
                                          RC_ACTION_WAIT_AND_RETRY, RC_STR("Ask again.")};
        rc_admin_task_fail(task, &problem);
        memset(text, '?', sizeof(text) - 1); /* The text of the problem was copied, so it may be
                                              * overwritten. */
    } else {
        rc_buf_push(&task->body, RC_STR("{\"said\":\""));
        rc_buf_push(&task->body, *(rc_str *)input);
        rc_buf_push(&task->body, RC_STR("\"}\n"));
    }
    if (tasks.overflows)
        (void)rc_buf_reserve(&task->body, RC_ADMIN_TASK_BODY_MAX + 1);
    atomic_fetch_add(&tasks.ended, 1);
}

static void release(void *input)
{
    assert_non_null(input);
    atomic_fetch_add(&tasks.release, 1);
}

static void on_work(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    rc_admin_task *task = rc_admin_task_new(&tasks.pool, request, stream);
    if (task == NULL)
        return;
    rc_str *input = rc_arena_get(&task->arena, sizeof(*input));
    assert_non_null(input);
    *input = rc_arena_dup(&task->arena, request->query);
    if (tasks.is_refused) {
        const rc_admin_problem problem = {RC_CODE_SHAPE_INVALID, 400, RC_STR("Not like that."),
                                          RC_ACTION_FIX_REQUEST, RC_STR("Ask better.")};
        rc_admin_task_refuse(task, &problem);
        return;
    }
    if (tasks.starves)
        (void)rc_arena_get(&task->arena, RC_ADMIN_TASK_ARENA_MAX * 2);
    rc_admin_task_start(task, run, input, release);
}

static const rc_admin_route routes[] = {{"GET", "/work", RC_ADMIN_READ, NULL, on_work}};
static const rc_admin_table table = {routes, 1, NULL};
#define GET_TASK "GET /work?hello" OWN "\r\n"

static void tasks_start(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    memset(&tasks, 0, sizeof(tasks));
    fixture_start("");
    tasks.loop_thread = uv_thread_self();
    rc_admin_task_pool_init(&tasks.pool, &fixture.loop, &alloc);
    assert_true(rc_admin_add(fixture.admin, &table));
}

static void tasks_end(void)
{
    fixture_end();
    assert_int_equal(tasks.pool.running, 0);
    assert_int_equal(tasks.pool.waiting, 0);
    assert_int_equal(atomic_load(&tasks.begun), atomic_load(&tasks.ended));
}

static void a_response_is_made_on_another_thread(void **state)
{
    (void)state;
    tasks_start();
    assert_int_equal(send_request(GET_TASK), 200);
    assert_true(got("{\"said\":\"hello\"}\n") && got("Content-Type: application/json"));
    assert_false(atomic_load(&tasks.was_on_loop));
    assert_int_equal(send_request("HEAD /work?hello" OWN "Connection: close\r\n\r\n"), 200);
    assert_false(got("said"));
    tasks_end();
    assert_int_equal(tasks.release, 2);
}

static void a_task_may_fail_or_be_refused(void **state)
{
    (void)state;
    tasks_start();
    tasks.fails = true;
    assert_int_equal(send_request(GET_TASK), 503);
    assert_true(got("It was not to be.") && got("Ask again.") && got("problem+json"));
    tasks.is_refused = true;
    assert_int_equal(send_request(GET_TASK), 400);
    assert_true(got("Not like that."));
    assert_int_equal(tasks.begun, 1);
    tasks_end();
}

static void a_response_that_does_not_fit_is_an_error(void **state)
{
    (void)state;
    tasks_start();
    tasks.overflows = true;
    assert_int_equal(send_request(GET_TASK), 503);
    assert_true(got("There is no memory"));
    tasks.overflows = false;
    tasks.starves = true;
    assert_int_equal(send_request(GET_TASK), 503);
    assert_true(got("There is no memory"));
    assert_int_equal(tasks.begun, 1);
    tasks_end();
    assert_int_equal(tasks.release, 2);
}

static void a_task_detects_that_its_client_disconnected(void **state)
{
    (void)state;
    tasks_start();
    atomic_store(&tasks.is_held, true);
    client_open();
    client_send(GET_TASK, strlen(GET_TASK));
    UNTIL(atomic_load(&tasks.begun) == 1);
    client_close();
    UNTIL(atomic_load(&tasks.saw_over));
    UNTIL(tasks.pool.running == 0);
    assert_int_equal(tasks.release, 1);
    tasks_end();
}

static void a_task_sees_its_time_limit(void **state)
{
    (void)state;
    tasks_start();
    tasks.pool.max_ms = 1;
    atomic_store(&tasks.is_held, true);
    assert_int_equal(send_request(GET_TASK), 200); /* The function run does not fail the task, so
                                                    * the incomplete response is sent. */
    assert_true(atomic_load(&tasks.saw_over));
    tasks_end();
}

/* Two tasks run, 32 wait, further ones are refused. A task whose client disconnects while the task
 * waits never runs. */
static void the_number_of_tasks_is_bounded(void **state)
{
    (void)state;
    int fds[RC_ADMIN_TASKS_RUNNING_MAX + RC_ADMIN_TASKS_WAITING_MAX];
    tasks_start();
    atomic_store(&tasks.is_held, true);
    for (size_t i = 0; i < COUNT(fds); i++) {
        fds[i] = client_dial();
        assert_int_equal(send(fds[i], GET_TASK, strlen(GET_TASK), MSG_NOSIGNAL),
                         (int)strlen(GET_TASK));
    }
    UNTIL(tasks.pool.waiting == RC_ADMIN_TASKS_WAITING_MAX);
    assert_int_equal(tasks.pool.running, RC_ADMIN_TASKS_RUNNING_MAX);
    assert_int_equal(send_request(GET_TASK), 503);
    assert_true(got("maximum number of queries"));
    /* Disconnects the clients of the first, the last and a middle one of the waiting tasks. */
    close(fds[2]);
    close(fds[COUNT(fds) - 1]);
    close(fds[17]);
    UNTIL(tasks.pool.waiting == RC_ADMIN_TASKS_WAITING_MAX - 3);
    atomic_store(&tasks.is_held, false);
    UNTIL(tasks.pool.waiting == 0 && tasks.pool.running == 0);
    for (size_t i = 0; i < COUNT(fds); i++)
        if (i != 2 && i != 17 && i != COUNT(fds) - 1)
            close(fds[i]);
    tasks_end();
    assert_int_equal(tasks.begun, COUNT(fds) - 3);
    assert_int_equal(tasks.release, COUNT(fds));
}

static void the_server_may_close_while_a_task_runs(void **state)
{
    (void)state;
    tasks_start();
    atomic_store(&tasks.is_held, true);
    client_open();
    client_send(GET_TASK, strlen(GET_TASK));
    UNTIL(atomic_load(&tasks.begun) == 1);
    rc_admin_close(fixture.admin);
    UNTIL(fixture.admin == NULL);
    UNTIL(atomic_load(&tasks.saw_over));
    tasks_end();
    assert_int_equal(tasks.release, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_is_made_on_another_thread),
        cmocka_unit_test(a_task_may_fail_or_be_refused),
        cmocka_unit_test(a_response_that_does_not_fit_is_an_error),
        cmocka_unit_test(a_task_detects_that_its_client_disconnected),
        cmocka_unit_test(a_task_sees_its_time_limit),
        cmocka_unit_test(the_number_of_tasks_is_bounded),
        cmocka_unit_test(the_server_may_close_while_a_task_runs),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
