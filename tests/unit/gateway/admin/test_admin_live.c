/* Tests of the stream of ended requests and state changes. */
#include <recourse/builder.h>

#include "support/dashboard_fixture.h"

#define LIVE "GET /admin/v1/live" OWN "\r\n"

static int start(void **state)
{
    (void)state;
    dashboard_make_folder();
    dashboard_start("");
    return 0;
}

static int end(void **state)
{
    (void)state;
    dashboard_end();
    dashboard_remove_folder();
    return 0;
}

static rc_exchange_summary plain(const char *id)
{
    return (rc_exchange_summary){.method = RC_STR("POST"),
                                 .path = RC_STR("/v1/chat/completions"),
                                 .request_id = rc_str_c(id),
                                 .client = RC_STR("web"),
                                 .route = RC_STR("gpt*"),
                                 .model = RC_STR("gpt-4o"),
                                 .provider = RC_STR("openai"),
                                 .target = RC_STR("gpt-4o"),
                                 .outcome = RC_OUTCOME_SUCCEEDED,
                                 .attempts = 1,
                                 .latency_ms = 840,
                                 .first_byte_ms = 210,
                                 .bytes = 4096,
                                 .status = 200,
                                 .tokens_in = -1,
                                 .tokens_out = -1,
                                 .cost_usd_micro = -1};
}

static void watch(void)
{
    client_open();
    client_send(LIVE, strlen(LIVE));
    UNTIL(got("event: state\ndata: {\"version\""));
    assert_true(got("HTTP/1.1 200") && got("Content-Type: text/event-stream"));
    assert_true(got("no-store"));
}

static void a_quota_warning_is_sent(void **state)
{
    (void)state;
    const rc_quota quota = {.kind = RC_QUOTA_TOKENS,
                            .name = RC_STR("tokens"),
                            .remaining = 7,
                            .limit = 100,
                            .reset_ms = 2000};
    const rc_quota_warning warning = {.request_id = RC_STR("req_01Q"),
                                      .target = RC_STR("openai/gpt-4o"),
                                      .credential = RC_STR("openai:1"),
                                      .quota = &quota,
                                      .unix_ms = INT64_C(1794830400000)};
    rc_admin_live_publish_quota(dashboard.live, &warning); /* nobody listens yet */
    watch();
    for (int i = 0; i < RC_ADMIN_LIVE_QUOTAS_MAX + 5; i++)
        rc_admin_live_publish_quota(dashboard.live, &warning);
    UNTIL(got("\"seq\":32,"));
    assert_true(got("event: quota:warning\ndata: {\"type\":\"quota:warning\",\"seq\":1,"
                    "\"time\":\"2026-11-16T12:00:00.000Z\",\"correlation_id\":\"req_01Q\","
                    "\"model\":\"openai/gpt-4o\",\"credential\":\"openai:1\",\"kind\":\"tokens\","
                    "\"remaining\":7,\"limit\":100,\"reset_ms\":2000}\n\n"));
    rc_exchange_summary record = plain("req_01R");
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01R"));
    assert_false(got("\"seq\":33,"));
    client_close();
}

static void an_ended_request_is_sent(void **state)
{
    (void)state;
    watch();
    rc_exchange_summary record = plain("req_01A");
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01A"));
    assert_true(got("event: operation\ndata: {\"id\":\"req_01A\""));
    assert_true(got("\"target\":\"openai/gpt-4o\"") && got("\"outcome\":\"succeeded\""));
    assert_true(got("\"client\":\"web\"") && got("\"latency_ms\":840"));
    assert_true(got("\"streaming\":false,\"committed\":false"));
    assert_false(got("\"recovered\"") || got("\"code\""));
    assert_false(got("tokens_in") || got("cost_usd"));
    record = plain("req_01B");
    record.tokens_in = 120;
    record.tokens_out = 31;
    record.cost_usd_micro = 1500;
    record.attempts = 3;
    record.switches = 1;
    record.wait_ms = 1200;
    record.is_stream = record.is_committed = true;
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01B"));
    assert_true(got("\"streaming\":true,\"committed\":true"));
    assert_true(got("\"recovered\":true") && got("\"switches\":1,\"wait_ms\":1200"));
    assert_true(got("\"tokens_in\":120,\"tokens_out\":31,\"cost_usd\":0.0015"));
}

static void a_failure_is_sent_with_its_message(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_builder builder;
    rc_builder_init(&builder, &alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_message(&builder, RC_STR("openai is limiting \"us\"."));
    const rc_report *report = rc_builder_finish(&builder);
    rc_exchange_summary record = plain("req_01C");
    record.outcome = RC_OUTCOME_FAILED;
    record.report = report;
    record.first_byte_ms = -1;
    record.provider = record.target = RC_STR("");
    watch();
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01C"));
    assert_true(got("\"code\":\"RateLimited\"") && got("\"class\":\"ProviderTransient\""));
    assert_true(got("limiting \\\"us\\\"."));
    assert_false(got("first_byte_ms\":-1") || got("\"target\":\"/"));
    rc_report_free(report);
}

static void long_and_hostile_names_are_cut_and_escaped(void **state)
{
    (void)state;
    static char model[5000];
    rc_exchange_summary record = plain("req_01D");
    for (size_t i = 0; i + 4 < sizeof(model); i += 4)
        memcpy(model + i, "<\n\xE2\x80", 4); /* Invalid UTF-8 and line breaks in a name must not
                                              * begin an event. */
    record.model = rc_str_c(model);
    watch();
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01D") && got("\"attempts\""));
    const char *line = strstr(fixture.client.got, "data: {\"id\":\"req_01D\"");
    assert_non_null(line);
    const size_t len = strcspn(line, "\n");
    assert_true(len < 2000);
    char copy[2048];
    memcpy(copy, line + 6, len - 6);
    copy[len - 6] = '\0';
    json_object *doc = json_tokener_parse(copy);
    assert_non_null(doc);
    json_object_put(doc);
}

static void without_listeners_nothing_is_stored(void **state)
{
    (void)state;
    const size_t calls = fixture.memory.calls;
    const rc_exchange_summary record = plain("req_01E");
    for (int i = 0; i < 1000; i++)
        rc_admin_live_publish(dashboard.live, &record);
    for (int i = 0; i < 20; i++)
        turn();
    assert_int_equal(fixture.memory.calls, calls);
    watch();
    for (int i = 0; i < 20; i++)
        turn();
    assert_false(got("req_01E") || got("event: dropped"));
}

/* Of very many successes some are dropped and counted; the one failure among them is not
 * dropped. */
static void a_flood_is_dropped_with_a_count(void **state)
{
    (void)state;
    rc_exchange_summary record = plain("req_01F");
    watch();
    for (int i = 0; i < 1000; i++)
        rc_admin_live_publish(dashboard.live, &record);
    record = plain("req_01G");
    record.outcome = RC_OUTCOME_FAILED;
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("event: dropped"));
    assert_true(got("{\"count\":872}") && got("req_01G"));
}

static void a_state_change_is_sent_soon(void **state)
{
    (void)state;
    watch();
    fixture.client.got_len = 0;
    fixture.fake.is_out[1] = true;
    UNTIL(got("out_of_service\":true"));
    assert_true(got("event: state"));
    /* If nothing changes, the state is sent from time to time, so that the reader sees that the
     * connection works. */
    fixture.client.got_len = 0;
    UNTIL(got("event: state"));
}

static void the_number_of_listeners_is_bounded(void **state)
{
    (void)state;
    int fds[RC_ADMIN_LIVE_LISTENERS_MAX];
    for (size_t i = 0; i < RC_ADMIN_LIVE_LISTENERS_MAX; i++) {
        fds[i] = client_dial();
        assert_int_equal(send(fds[i], LIVE, strlen(LIVE), MSG_NOSIGNAL), (int)strlen(LIVE));
    }
    for (int i = 0; i < 200; i++)
        turn();
    assert_int_equal(send_request(LIVE), 503);
    assert_true(got("The maximum number of clients is already connected to the live page."));
    for (size_t i = 0; i < RC_ADMIN_LIVE_LISTENERS_MAX; i++)
        close(fds[i]);
    for (int i = 0; i < 200; i++)
        turn();
    watch();
}

static void listeners_can_be_disconnected(void **state)
{
    (void)state;
    watch();
    rc_admin_live_disconnect_all(dashboard.live);
    UNTIL(got("\r\n0\r\n\r\n"));
    watch(); /* Clients may connect again. */
}

/* The data that waits for a client that does not read is limited, and the missed operations are
 * counted. */
static void a_slow_reader_gets_the_number_of_missed_operations(void **state)
{
    (void)state;
    static char name[200];
    const int small = 128 << 10;
    rc_exchange_summary record = plain("req_01H");
    memset(name, 'n', sizeof(name) - 1);
    record.client = record.route = record.model = record.provider = record.target = rc_str_c(name);
    const int slow = client_dial();
    assert_int_equal(setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    assert_int_equal(send(slow, LIVE, strlen(LIVE), MSG_NOSIGNAL), (int)strlen(LIVE));
    watch();
    const size_t before = fixture.memory.live_bytes;
    /* more bytes than the kernel buffers */
    for (size_t sent = 0; sent < (size_t)8 << 20; sent += fixture.client.got_len) {
        fixture.client.got_len = 0;
        for (int i = 0; i < 2 * RC_ADMIN_LIVE_BATCH_MAX; i++) {
            record.attempts = (uint32_t)(1 + i % 2);
            rc_admin_live_publish(dashboard.live, &record);
        }
        fixture.client.got[0] = '\0';
        UNTIL(got("req_01H"));
    }
    assert_true(fixture.memory.live_bytes < before + ((size_t)2 << 20));
    /* When the client reads again, it gets the waiting data, then the number of missed operations,
     * then the state. */
    client_close();
    fixture.client.got_len = 0;
    fixture.client.fd = slow;
    fixture.client.is_at_end = false;
    const char *dropped_event = NULL;
    for (int turns = PATIENCE; dropped_event == NULL && turns > 0; turns--) {
        if (fixture.client.got_len > GOT_MAX / 2)
            fixture.client.got_len = 0;
        turn();
        dropped_event = strstr(fixture.client.got, "event: dropped\ndata: {\"count\":");
    }
    assert_non_null(dropped_event);
    UNTIL(strstr(dropped_event, "event: state") != NULL);
}

static void publish_many(void *ctx)
{
    rc_exchange_summary record = plain("req_01K");
    for (int i = 0; i < 500; i++) {
        record.attempts = (uint32_t)(i % 3);
        rc_admin_live_publish(dashboard.live, &record);
        if (i % 50 == 0)
            uv_sleep(1);
    }
    atomic_fetch_add((atomic_int *)ctx, 1);
}

/* Four threads publish while a client connects and disconnects. */
static void any_thread_may_publish(void **state)
{
    (void)state;
    uv_thread_t threads[4];
    atomic_int ended = 0;
    watch();
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(uv_thread_create(&threads[i], publish_many, &ended), 0);
    UNTIL(got("req_01K"));
    client_close();
    for (int i = 0; i < 5; i++)
        turn();
    watch();
    UNTIL(atomic_load(&ended) == 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(uv_thread_join(&threads[i]), 0);
    rc_exchange_summary record = plain("req_01L");
    record.outcome = RC_OUTCOME_FAILED;
    fixture.client.got_len = 0;
    for (int i = 0; i < 300; i++) /* sends the waiting batch */
        turn();
    rc_admin_live_publish(dashboard.live, &record);
    UNTIL(got("req_01L"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_quota_warning_is_sent, start, end),
        cmocka_unit_test_setup_teardown(an_ended_request_is_sent, start, end),
        cmocka_unit_test_setup_teardown(a_failure_is_sent_with_its_message, start, end),
        cmocka_unit_test_setup_teardown(long_and_hostile_names_are_cut_and_escaped, start, end),
        cmocka_unit_test_setup_teardown(without_listeners_nothing_is_stored, start, end),
        cmocka_unit_test_setup_teardown(a_flood_is_dropped_with_a_count, start, end),
        cmocka_unit_test_setup_teardown(a_state_change_is_sent_soon, start, end),
        cmocka_unit_test_setup_teardown(the_number_of_listeners_is_bounded, start, end),
        cmocka_unit_test_setup_teardown(listeners_can_be_disconnected, start, end),
        cmocka_unit_test_setup_teardown(a_slow_reader_gets_the_number_of_missed_operations, start,
                                        end),
        cmocka_unit_test_setup_teardown(any_thread_may_publish, start, end),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
