/* Answers that are made on another thread, for clients that wait and clients that leave. */
#include <recourse/stdlib.h>

#include "gateway/admin_work.h"
#include "support/admin_world.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What the route does, and what came of it. */
static struct desk {
    rc_admin_works works;
    uv_thread_t loop_thread;
    atomic_int begun;
    atomic_int ended;
    atomic_int let_go;
    atomic_bool is_held; /* run waits until it is not */
    atomic_bool saw_over;
    bool fails;
    bool is_refused;
    bool overflows;
    bool starves; /* its arena */
    atomic_bool was_on_loop;
} desk;

static void run(rc_admin_work *work, void *question)
{
    const uv_thread_t self = uv_thread_self();
    if (uv_thread_equal(&self, &desk.loop_thread) != 0)
        atomic_store(&desk.was_on_loop, true);
    atomic_fetch_add(&desk.begun, 1);
    while (atomic_load(&desk.is_held) && !atomic_load(&desk.saw_over)) {
        if (rc_admin_work_is_over(work))
            atomic_store(&desk.saw_over, true);
        uv_sleep(1);
    }
    if (desk.fails) {
        char text[] = "It was not to be.";
        const rc_admin_problem problem = {RC_CODE_INTERNAL, 503, rc_str_c(text),
                                          RC_ACTION_WAIT_AND_RETRY, RC_STR("Ask again.")};
        rc_admin_work_fail(work, &problem);
        memset(text, '?', sizeof(text) - 1); /* it was copied */
    } else {
        rc_buf_push(&work->body, RC_STR("{\"said\":\""));
        rc_buf_push(&work->body, *(rc_str *)question);
        rc_buf_push(&work->body, RC_STR("\"}\n"));
    }
    if (desk.overflows)
        (void)rc_buf_reserve(&work->body, RC_ADMIN_WORK_BODY_MAX + 1);
    atomic_fetch_add(&desk.ended, 1);
}

static void let_go(void *question)
{
    assert_non_null(question);
    atomic_fetch_add(&desk.let_go, 1);
}

static void on_work(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    (void)ctx;
    rc_admin_work *work = rc_admin_work_new(&desk.works, request, stream);
    if (work == NULL)
        return;
    rc_str *question = rc_arena_get(&work->arena, sizeof(*question));
    assert_non_null(question);
    *question = rc_arena_dup(&work->arena, request->query);
    if (desk.is_refused) {
        const rc_admin_problem problem = {RC_CODE_SHAPE_INVALID, 400, RC_STR("Not like that."),
                                          RC_ACTION_FIX_REQUEST, RC_STR("Ask better.")};
        rc_admin_work_refuse(work, &problem);
        return;
    }
    if (desk.starves)
        (void)rc_arena_get(&work->arena, RC_ADMIN_WORK_ARENA_MAX * 2);
    rc_admin_work_start(work, run, question, let_go);
}

static const rc_admin_route routes[] = {{"GET", "/work", RC_ADMIN_READ, NULL, on_work}};
static const rc_admin_table table = {routes, 1, NULL};
#define ASK "GET /work?hello" OWN "\r\n"

static void desk_start(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    memset(&desk, 0, sizeof(desk));
    world_start("");
    desk.loop_thread = uv_thread_self();
    rc_admin_works_init(&desk.works, &world.loop, &alloc);
    assert_true(rc_admin_add(world.admin, &table));
}

static void desk_end(void)
{
    world_end();
    assert_int_equal(desk.works.running, 0);
    assert_int_equal(desk.works.waiting, 0);
    assert_int_equal(atomic_load(&desk.begun), atomic_load(&desk.ended));
}

static void an_answer_comes_from_another_thread(void **state)
{
    (void)state;
    desk_start();
    assert_int_equal(ask(ASK), 200);
    assert_true(got("{\"said\":\"hello\"}\n") && got("Content-Type: application/json"));
    assert_false(atomic_load(&desk.was_on_loop));
    assert_int_equal(ask("HEAD /work?hello" OWN "Connection: close\r\n\r\n"), 200);
    assert_false(got("said"));
    desk_end();
    assert_int_equal(desk.let_go, 2);
}

static void it_may_fail_or_be_refused(void **state)
{
    (void)state;
    desk_start();
    desk.fails = true;
    assert_int_equal(ask(ASK), 503);
    assert_true(got("It was not to be.") && got("Ask again.") && got("problem+json"));
    desk.is_refused = true;
    assert_int_equal(ask(ASK), 400);
    assert_true(got("Not like that."));
    assert_int_equal(desk.begun, 1);
    desk_end();
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    desk_start();
    desk.overflows = true;
    assert_int_equal(ask(ASK), 503);
    assert_true(got("There is no memory"));
    desk.overflows = false;
    desk.starves = true;
    assert_int_equal(ask(ASK), 503);
    assert_true(got("There is no memory"));
    assert_int_equal(desk.begun, 1);
    desk_end();
    assert_int_equal(desk.let_go, 2);
}

static void one_that_leaves_is_noticed(void **state)
{
    (void)state;
    desk_start();
    atomic_store(&desk.is_held, true);
    client_open();
    client_send(ASK, strlen(ASK));
    UNTIL(atomic_load(&desk.begun) == 1);
    client_close();
    UNTIL(atomic_load(&desk.saw_over));
    UNTIL(desk.works.running == 0);
    assert_int_equal(desk.let_go, 1);
    desk_end();
}

static void one_that_takes_too_long_is_over(void **state)
{
    (void)state;
    desk_start();
    desk.works.time_ms = 1;
    atomic_store(&desk.is_held, true);
    assert_int_equal(ask(ASK), 200); /* it is run's to say that it is not whole */
    assert_true(atomic_load(&desk.saw_over));
    desk_end();
}

/* Two run, 32 wait, the rest is refused; who leaves while waiting is never worked for. */
static void there_is_a_bound(void **state)
{
    (void)state;
    int fds[RC_ADMIN_WORKS_RUNNING + RC_ADMIN_WORKS_WAITING];
    desk_start();
    atomic_store(&desk.is_held, true);
    for (size_t i = 0; i < COUNT(fds); i++) {
        fds[i] = client_dial();
        assert_int_equal(send(fds[i], ASK, strlen(ASK), MSG_NOSIGNAL), (int)strlen(ASK));
    }
    UNTIL(desk.works.waiting == RC_ADMIN_WORKS_WAITING);
    assert_int_equal(desk.works.running, RC_ADMIN_WORKS_RUNNING);
    assert_int_equal(ask(ASK), 503);
    assert_true(got("Too many questions"));
    /* The first, the last and one in between of those that wait. */
    close(fds[2]);
    close(fds[COUNT(fds) - 1]);
    close(fds[17]);
    UNTIL(desk.works.waiting == RC_ADMIN_WORKS_WAITING - 3);
    atomic_store(&desk.is_held, false);
    UNTIL(desk.works.waiting == 0 && desk.works.running == 0);
    for (size_t i = 0; i < COUNT(fds); i++)
        if (i != 2 && i != 17 && i != COUNT(fds) - 1)
            close(fds[i]);
    desk_end();
    assert_int_equal(desk.begun, COUNT(fds) - 3);
    assert_int_equal(desk.let_go, COUNT(fds));
}

static void the_server_may_end_first(void **state)
{
    (void)state;
    desk_start();
    atomic_store(&desk.is_held, true);
    client_open();
    client_send(ASK, strlen(ASK));
    UNTIL(atomic_load(&desk.begun) == 1);
    rc_admin_close(world.admin);
    UNTIL(world.admin == NULL);
    UNTIL(atomic_load(&desk.saw_over));
    desk_end();
    assert_int_equal(desk.let_go, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_comes_from_another_thread),
        cmocka_unit_test(it_may_fail_or_be_refused),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(one_that_leaves_is_noticed),
        cmocka_unit_test(one_that_takes_too_long_is_over),
        cmocka_unit_test(there_is_a_bound),
        cmocka_unit_test(the_server_may_end_first),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    (void)alarm(WATCHDOG_S);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
