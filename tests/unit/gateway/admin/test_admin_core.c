/* Tests of the paths and actions of the admin interface, without sockets. */
#include "support/admin_request.h"
#include "support/fail_alloc.h"
#include "support/prom_lint.h"

/* ---- reading ---- */

static json_object *state_of(const char *path)
{
    char text[256];
    snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n" OWN "\r\n", path);
    assert_int_equal(send_request(text), 200);
    assert_string_equal(reply.type, "application/json");
    json_object *doc = json_tokener_parse(body());
    assert_non_null(doc);
    return doc;
}

static json_object *get(json_object *doc, const char *key)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(doc, key, &value))
        fail_msg("no %s in %s", key, json_object_to_json_string(doc));
    return value;
}

static const char *text_of(json_object *doc, const char *key)
{
    return json_object_get_string(get(doc, key));
}

static void the_state_has_all_parts(void **state)
{
    (void)state;
    start("", "127.0.0.1");
    fake.is_key_dead = true;
    json_object *doc = state_of("/admin/v1/state");
    assert_int_equal(json_object_get_int(get(doc, "uptime_ms")), 5000);
    assert_string_equal(text_of(doc, "now"), "2023-11-14T22:13:20.000Z");
    assert_true(json_object_get_boolean(get(doc, "ready")));
    assert_string_equal(text_of(get(doc, "config"), "file"), "recourse.yaml");
    assert_int_equal(json_object_get_int(get(get(doc, "config"), "generation")), 1);
    assert_int_equal(json_object_get_int(get(get(doc, "budget"), "tokens")), 77);
    assert_int_equal(json_object_get_int(get(get(doc, "store"), "kept")), 10);
    assert_int_equal(json_object_array_length(get(doc, "loops")), 2);
    json_object *target = json_object_array_get_idx(get(doc, "targets"), 1);
    assert_string_equal(text_of(target, "target"), "local/meta/llama 3");
    assert_string_equal(text_of(target, "state"), "cooling");
    assert_string_equal(text_of(target, "why"), "RateLimited");
    assert_string_equal(text_of(target, "until"), "2023-11-14T22:13:58.000Z");
    assert_int_equal(json_object_get_int(get(target, "remaining_ms")), 38000);
    json_object *key = json_object_array_get_idx(get(doc, "keys"), 0);
    assert_string_equal(text_of(key, "state"), "dead");
    key = json_object_array_get_idx(get(doc, "keys"), 1);
    assert_string_equal(text_of(key, "until"), "2023-11-14T22:14:20.000Z");
    json_object_put(doc);
    static const char *const parts[] = {"targets", "keys", "budget"};
    for (size_t i = 0; i < COUNT(parts); i++) {
        char path[64];
        snprintf(path, sizeof(path), "/admin/v1/%s", parts[i]);
        doc = state_of(path);
        assert_int_equal(json_object_object_length(doc), 1);
        (void)get(doc, parts[i]);
        json_object_put(doc);
    }
    end();
}

static void the_state_has_waiting_requests_and_learned_limits(void **state)
{
    (void)state;
    start("", "127.0.0.1");
    json_object *doc = state_of("/admin/v1/state");
    json_object *waiting = get(doc, "waiting");
    assert_int_equal(json_object_get_int(get(waiting, "requests")), 2);
    assert_int_equal(json_object_get_int(get(waiting, "max_requests")), 10);
    assert_int_equal(json_object_get_int(get(waiting, "bytes")), 300);
    assert_int_equal(json_object_get_int(get(waiting, "max_bytes")), 4000);
    assert_true(
        has("\"oldest\":[{\"request_id\":\"req_1\",\"client\":\"app\",\"route\":\"gpt*\","
            "\"model\":\"gpt-4o\",\"targets\":[\"openai/gpt-4o\"],"
            "\"since\":\"2023-11-14T22:13:18.000Z\",\"waited_ms\":2000,"
            "\"start_by\":\"2023-11-14T22:13:23.000Z\","
            "\"until\":\"2023-11-14T22:13:24.000Z\",\"remaining_ms\":4000},"
            "{\"request_id\":\"req_2\",\"route\":\"gpt*\",\"model\":\"gpt-4o\",\"targets\":[],"
            "\"since\":\"2023-11-14T22:13:20.000Z\",\"waited_ms\":0}]"));
    assert_true(
        has("\"learned\":[{\"target\":\"openai/gpt-4o\",\"kind\":\"tokens\",\"limit\":30000,"
            "\"remaining\":-20,\"returns\":\"at_once\","
            "\"full\":\"2023-11-14T22:14:20.000Z\"},"
            "{\"target\":\"openai/gpt-4o\",\"kind\":\"rate\",\"calls_per_1000_s\":2500},"));
    json_object *target = json_object_array_get_idx(get(doc, "targets"), 0);
    assert_string_equal(text_of(target, "admission"), "recovering");
    json_object_put(doc);
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_true(has("recourse_target_admission{target=\"openai/gpt-4o\"} 2\n"));
    assert_true(has("recourse_learned_limit{target=\"openai/gpt-4o\",credential=\"openai/0\","
                    "limit=\"tokens\"} 30000\n"));
    assert_true(has("recourse_learned_limit_remaining{target=\"openai/gpt-4o\","
                    "credential=\"openai/0\",limit=\"tokens\"} -20\n"));
    assert_true(
        has("recourse_learned_rate{target=\"openai/gpt-4o\",credential=\"openai/0\"} 2.5\n"));
    assert_false(has("invented"));
    end();
}

static void metrics_have_counters_and_collected_values(void **state)
{
    (void)state;
    char wrong[512];
    size_t series;
    start("", "127.0.0.1");
    fake.is_out[0] = true;
    rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("openai/gpt-4o"));
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(reply.type, "text/plain; version=0.0.4; charset=utf-8");
    if (!prom_lint_page(rc_str_c(body()), &series, wrong))
        fail_msg("%s", wrong);
    assert_true(has("recourse_target_up{target=\"openai/gpt-4o\"} 0\n"));
    assert_true(has("recourse_target_up{target=\"claude/*\"} 1\n"));
    assert_true(has("recourse_target_cooling_seconds{target=\"local/meta/llama 3\"} 38\n"));
    assert_true(has("recourse_credential_state{provider=\"claude\",credential=\"claude/0\"} 2\n"));
    assert_true(has("recourse_retry_budget_tokens 77\n"));
    assert_true(has("recourse_store_kept_total 10\n"));
    assert_true(has("recourse_store_down 0\n"));
    assert_true(has("recourse_config_last_reload_successful 1\n"));
    assert_true(has("recourse_log_dropped_total 4\n"));
    assert_true(has("recourse_build_info{version=\""));
    assert_true(has("recourse_attempts_total{target=\"openai/gpt-4o\",code=\"none\"} 0\n"));
    core.metrics = NULL;
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 404);
    end();
}

/* Model names that clients invent are not used as labels; a series of the provider counts them. */
static void metrics_have_no_invented_names(void **state)
{
    (void)state;
    size_t before;
    size_t after;
    char wrong[512];
    start("", "127.0.0.1");
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_true(prom_lint_page(rc_str_c(body()), &before, wrong));
    fake.unnamed = 2000;
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 200);
    if (!prom_lint_page(rc_str_c(body()), &after, wrong))
        fail_msg("%s", wrong);
    assert_false(has("invented"));
    assert_int_equal(after, before);
    assert_true(has("recourse_target_in_flight{target=\"claude/*\"} 2002\n"));
    assert_true(has("recourse_target_up{target=\"claude/*\"} 1\n"));
    end();
}

static void readiness_differs_from_liveness(void **state)
{
    (void)state;
    start("", "127.0.0.1");
    fake.is_ready = false;
    assert_int_equal(send_request("GET /healthz HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(body(), "ok\n");
    assert_int_equal(send_request("GET /readyz HTTP/1.1\r\n" OWN "\r\n"), 503);
    assert_string_equal(body(), "draining\n");
    end();
}

/* With ?verbose, readiness lists each target with its health and since when. The list needs the
 * token. */
static void readiness_can_be_verbose(void **state)
{
    (void)state;
    start("secret-token", "127.0.0.1");
    fake.unnamed = 1;
    assert_int_equal(send_request("GET /readyz?verbose HTTP/1.1\r\n" OWN "\r\n"), 401);
    assert_false(has("openai"));
    assert_int_equal(send_request("GET /readyz?verbose HTTP/1.1\r\n" OWN
                                  "Authorization: Bearer secret-token\r\n\r\n"),
                     200);
    assert_true(
        has("{\"ready\":true,\"targets\":[{\"target\":\"openai/gpt-4o\",\"provider\":"
            "\"openai\",\"model\":\"gpt-4o\",\"state\":\"up\",\"health\":\"failing\","
            "\"since\":\"2023-11-14T22:13:10.000Z\",\"failed_with\":\"Provider5xx\","
            "\"failed_at\":\"2023-11-14T22:13:15.000Z\",\"recent\":{\"calls\":10,\"failed\":9}},"));
    assert_false(has("invented"));
    fake.is_ready = false;
    assert_int_equal(send_request("GET /readyz?verbose HTTP/1.1\r\n" OWN
                                  "Authorization: Bearer secret-token\r\n\r\n"),
                     503);
    assert_true(has("{\"ready\":false,\"why\":\"draining\",\"targets\":["));
    end();
}

/* ---- actions ---- */

static void actions_are_carried_out_with_the_peers_name(void **state)
{
    (void)state;
    start("", "127.0.0.1");
    fake.is_key_dead = true;
    assert_int_equal(
        send_request("POST /admin/v1/targets/local/meta/llama%203/out HTTP/1.1\r\n" OWN JSON
                     "\r\n{\"reason\": \"ma\\u00e9tenance\"}"),
        200);
    assert_string_equal(fake.action_text, "local|meta/llama 3||ma\xc3\xa9tenance|127.0.0.1");
    assert_true(fake.is_out[1]);
    assert_true(has("\"state\":\"out_of_service\""));
    assert_int_equal(
        send_request_from("", "POST /admin/v1/targets/local/meta/llama%203/in HTTP/1.1\r\n" OWN
                              "x-recourse-admin: 1\r\n\r\n"),
        200);
    assert_string_equal(fake.action_text, "local|meta/llama 3|||unix");
    assert_true(has("\"state\":\"cooling\""));
    assert_int_equal(
        send_request("POST /admin/v1/keys/openai/0/revive HTTP/1.1\r\n" OWN JSON "\r\n{}"), 200);
    assert_int_equal(fake.kind, RC_ADMIN_KEY_REVIVE);
    assert_true(has("\"id\":\"openai/0\"") && has("\"state\":\"healthy\""));
    assert_int_equal(send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n"), 200);
    assert_true(has("\"generation\":2"));
    assert_false(has("needs_restart"));
    fake.needs_restart[0] = RC_STR("listen");
    fake.needs_restart[1] = RC_STR("limits.max_connections");
    fake.needs_restart_count = 2;
    assert_int_equal(send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n"), 200);
    assert_true(has("\"needs_restart\":[\"listen\",\"limits.max_connections\"]"));
    end();
}

static void failed_actions_say_why(void **state)
{
    (void)state;
    start("", "127.0.0.1");
    fake.is_reload_refused = true;
    assert_int_equal(send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n"), 422);
    expect_problem("ConfigSchemaViolation");
    assert_true(has("recourse.yaml:3:5: routs: unknown key"));
    assert_true(has("The previous configuration stays in use."));
    assert_int_equal(send_request("GET /admin/v1/state HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_true(has("\"refusal\":\"recourse.yaml:3:5: routs: unknown key\""));
    fake.is_stuck = true;
    assert_int_equal(send_request("POST /admin/v1/drain HTTP/1.1\r\n" OWN JSON "\r\n"), 503);
    assert_true(has("A loop does not answer."));
    fake.is_blind = true;
    assert_int_equal(send_request("GET /admin/v1/state HTTP/1.1\r\n" OWN "\r\n"), 503);
    expect_problem("Internal");
    assert_int_equal(send_request("GET /readyz HTTP/1.1\r\n" OWN "\r\n"), 503);
    end();
}

static void the_body_of_an_action_is_a_reason_or_empty(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int status;
    } cases[] = {
        {"", 200},
        {" \r\n", 200},
        {"{}", 200},
        {"{\"reason\":\"x\"}", 200},
        {"{\"reason\":\"x\"} ", 200},
        {"{\"reason\":1}", 400},
        {"{\"reason\":null}", 400},
        {"{\"raeson\":\"x\"}", 400},
        {"{\"reason\":\"x\",\"more\":1}", 400},
        {"{\"reason\":\"x\"", 400},
        {"[]", 400},
        {"\"x\"", 400},
        {"reason=x", 400},
        {"{}{}", 400},
    };
    start("", "127.0.0.1");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof(text), "POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n%s",
                 cases[i].body);
        if (send_request(text) != cases[i].status)
            fail_msg("%s: %d", cases[i].body, reply.status);
    }
    char text[600] = "POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n{\"reason\":\"";
    size_t len = strlen(text);
    memset(text + len, 'r', 256);
    memcpy(text + len + 256, "\"}", 3);
    assert_int_equal(send_request(text), 200);
    memcpy(text + len + 256, "r\"}", 4);
    assert_int_equal(send_request(text), 400);
    assert_int_equal(
        send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "Content-Length: 65537\r\n\r\n"),
        413);
    expect_problem("ShapeInvalid");
    end();
}

static void budgets_are_shown_and_raised(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int status;
        uint64_t raised;
    } cases[] = {
        {"{\"usd\":5}", 200, 5000000},
        {"{\"usd\":0.25,\"reason\":\"launch\"}", 200, 5250000},
        {"{\"reason\":\"x\",\"usd\":0.000001}", 200, 5250001},
        {"{\"usd\":1000000}", 200, 1000005250001},
        {"{\"usd\":1000000.000001}", 400, 0},
        {"{\"usd\":99999999999999999999}", 400, 0},
        {"{\"usd\":0}", 400, 0},
        {"{\"usd\":0.0000001}", 400, 0},
        {"{\"usd\":-5}", 400, 0},
        {"{\"usd\":1e3}", 400, 0},
        {"{\"usd\":\"5\"}", 400, 0},
        {"{\"usd\":5,\"usd\":6}", 400, 0},
        {"{\"reason\":\"x\"}", 400, 0},
        {"{}", 400, 0},
        {"", 400, 0},
    };
    start("", "127.0.0.1");
    assert_int_equal(send_request("GET /admin/v1/budgets HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_true(has("{\"scope\":\"client app\",\"per\":\"month\",\"on_exceed\":\"fail\","
                    "\"spent_usd\":4.2,\"held_usd\":0.03,\"limit_usd\":5,\"renews\":\""));
    assert_true(has("{\"scope\":\"budget all\",\"per\":\"total\",\"on_exceed\":\"warn\","
                    "\"spent_usd\":0,\"held_usd\":0,\"awaited\":false,\"refusing\":false}"));
    assert_int_equal(send_request("GET /admin/v1/state HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_true(has("\"budgets\":[{\"scope\":\"client app\""));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "POST /admin/v1/budgets/client%%20app/raise HTTP/1.1\r\n" OWN JSON "\r\n%s",
                 cases[i].body);
        if (send_request(text) != cases[i].status)
            fail_msg("%s: %d", cases[i].body, reply.status);
        if (reply.status != 200)
            continue;
        assert_int_equal(fake.raised, cases[i].raised);
        assert_true(has("\"raised_usd\":"));
    }
    assert_int_equal(fake.raised, 1000005250001);
    assert_int_equal(
        send_request("POST /admin/v1/budgets/client%20nobody/raise HTTP/1.1\r\n" OWN JSON
                     "\r\n{\"usd\":1}"),
        404);
    assert_true(has("The gateway has no budget of this name."));
    /* Other actions do not accept an amount. */
    assert_int_equal(send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n{\"usd\":1}"),
                     400);
    end();
}

/* ---- further tables ---- */

static void on_more(void *ctx, const rc_admin_request *request, rc_admin_reply *r)
{
    rc_str value;
    rc_buf_push(&r->body, rc_str_c(ctx));
    for (size_t i = 0; i < request->capture_count; i++) {
        rc_buf_push(&r->body, RC_STR(" "));
        rc_buf_push(&r->body, request->captures[i]);
    }
    if (rc_admin_request_parameter(request, RC_STR("q"), &value)) {
        rc_buf_push(&r->body, RC_STR(" q="));
        rc_buf_push(&r->body, value);
    }
    r->is_page = true;
}

static void more_tables_can_be_added(void **state)
{
    (void)state;
    static const rc_admin_route more[] = {
        {"GET", "/", RC_ADMIN_OPEN, on_more, NULL},
        {"GET", "/assets/{...}", RC_ADMIN_OPEN, on_more, NULL},
        {"GET", "/a/{}/b/{}/{...}/c", RC_ADMIN_READ, on_more, NULL},
        {"GET", "/healthz", RC_ADMIN_READ, on_more, NULL},
        {"GET", "/{}/{}/{}/{}/{}", RC_ADMIN_READ, on_more, NULL},
    };
    start("", "127.0.0.1");
    const rc_admin_table table = {more, COUNT(more), (void *)(uintptr_t) "more:"};
    assert_true(rc_admin_core_add(&core, &table));
    assert_int_equal(send_request("GET / HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(body(), "more:");
    assert_int_equal(send_request("GET /assets/css/a.css?q=1%202&q=3 HTTP/1.1\r\n" OWN "\r\n"),
                     200);
    assert_string_equal(body(), "more: css/a.css q=1 2");
    assert_int_equal(send_request("GET /assets/x?q=%zz HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(body(), "more: x");
    assert_int_equal(send_request("GET /assets HTTP/1.1\r\n" OWN "\r\n"), 404);
    assert_int_equal(send_request("GET /assets/../x HTTP/1.1\r\n" OWN "\r\n"), 404);
    assert_int_equal(send_request("GET /a/1/b/2/3/4/c HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(body(), "more: 1 2 3/4");
    /* The first matching route is used. */
    assert_int_equal(send_request("GET /healthz HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_string_equal(body(), "ok\n");
    /* A path with too many variable segments matches no route. */
    assert_int_equal(send_request("GET /1/2/3/4/5 HTTP/1.1\r\n" OWN "\r\n"), 404);
    for (size_t i = 2; i < RC_ADMIN_TABLES_MAX; i++)
        assert_true(rc_admin_core_add(&core, &table));
    assert_false(rc_admin_core_add(&core, &table));
    end();
}

static void out_of_memory_never_truncates_a_response(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "GET /admin/v1/state HTTP/1.1\r\n" OWN "\r\n",
        "POST /admin/v1/targets/local/meta/llama%203/out HTTP/1.1\r\n" OWN JSON "\r\n",
        "GET /nowhere HTTP/1.1\r\n" OWN "\r\n",
    };
    start("", "127.0.0.1");
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t fail_at = 1;; fail_at++) {
            fail_alloc memory = {.fail_at = fail_at, .for_good = fail_at % 2 == 0};
            rc_alloc alloc = fail_alloc_of(&memory);
            rc_admin_reply answer;
            rc_arena own;
            core.alloc = alloc;
            rc_admin_reply_init(&answer, &alloc);
            rc_arena_init(&own, &alloc, RC_ADMIN_ARENA_MAX);
            rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
            rc_http1_read_head(&reader, rc_str_c(texts[i]));
            rc_admin_request request = {.core = &core,
                                        .reader = &reader,
                                        .head = texts[i],
                                        .peer = RC_STR("::1"),
                                        .arena = &own};
            if (rc_admin_accept(&request, &answer))
                rc_admin_handle(&request, &answer);
            /* The result is a complete response or an error, never a cut response with status
             * 200. */
            const bool is_hit = memory.calls >= fail_at;
            if (rc_buf_status(&answer.body) == RC_OK && answer.status == 200)
                assert_true(rc_str_ends_with(rc_buf_get(&answer.body), RC_STR("}\n")));
            else
                assert_true(is_hit || i == 2);
            rc_admin_reply_done(&answer);
            rc_arena_done(&own);
            assert_int_equal(memory.live, 0);
            if (!is_hit)
                break;
            assert_true(fail_at < 200);
        }
    }
    core.alloc = rc_alloc_stdlib();
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_state_has_all_parts),
        cmocka_unit_test(the_state_has_waiting_requests_and_learned_limits),
        cmocka_unit_test(metrics_have_counters_and_collected_values),
        cmocka_unit_test(metrics_have_no_invented_names),
        cmocka_unit_test(readiness_differs_from_liveness),
        cmocka_unit_test(readiness_can_be_verbose),
        cmocka_unit_test(actions_are_carried_out_with_the_peers_name),
        cmocka_unit_test(failed_actions_say_why),
        cmocka_unit_test(the_body_of_an_action_is_a_reason_or_empty),
        cmocka_unit_test(budgets_are_shown_and_raised),
        cmocka_unit_test(more_tables_can_be_added),
        cmocka_unit_test(out_of_memory_never_truncates_a_response),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
