/* Tests of the access checks of the admin interface. */
#include "support/admin_request.h"

/* ---- checks 1 and 2: the peer's address and Host ---- */

static void without_a_token_only_this_machine_is_served(void **state)
{
    (void)state;
    static const struct {
        const char *peer;
        int status;
    } cases[] = {
        {"127.0.0.1", 200},
        {"127.8.9.10", 200},
        {"::1", 200},
        {"::ffff:127.0.0.1", 200},
        {"", 200}, /* the peer is a client of the Unix socket */
        {"10.0.0.1", 403},
        {"::ffff:10.0.0.1", 403},
        {"192.168.1.1", 403},
        {"fe80::1", 403},
        {"2001:db8::7f00:1", 403},
        {"128.0.0.1", 403},
        {"nonsense", 403},
    };
    start("", "127.0.0.1");
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (send_request_from(cases[i].peer, "GET /healthz HTTP/1.1\r\n" OWN "\r\n") !=
            cases[i].status)
            fail_msg("%s: %d", cases[i].peer, reply.status);
        if (cases[i].status == 403)
            expect_problem("PermissionDenied");
    }
    end();
    /* With a token, clients on other machines are served, too. */
    start("secret", "10.0.0.5");
    assert_int_equal(send_request_from("10.0.0.1", "GET /metrics HTTP/1.1\r\nHost: 10.0.0.5:1\r\n"
                                                   "Authorization: Bearer secret\r\n\r\n"),
                     200);
    end();
}

static const struct {
    const char *own;
    const char *token;
    const char *host;
    bool is_good;
} hosts[] = {
    {"127.0.0.1", "", "localhost", true},
    {"127.0.0.1", "", "LocalHost:8788", true},
    {"127.0.0.1", "", "127.0.0.1", true},
    {"127.0.0.1", "", "[::1]:9", true},
    {"127.0.0.1", "", "evil.example", false},
    {"127.0.0.1", "", "evil.example:8788", false},
    {"127.0.0.1", "", "localhost.evil.example", false},
    {"127.0.0.1", "", "127.0.0.1.evil.example", false},
    {"127.0.0.1", "", "127.0.0.2", false},
    {"127.0.0.1", "", "10.0.0.1", false},
    {"127.0.0.1", "", "localhost:", false},
    {"gate.internal", "", "gate.internal:8788", true},
    {"gate.internal", "", "GATE.internal", true},
    {"gate.internal", "", "gate.internal.evil", false},
    /* A server that listens at all addresses accepts any IP address as Host: an attack by DNS
     * rebinding needs a name. */
    {"0.0.0.0", "t", "10.0.0.1:8788", true},
    {"[::]", "t", "[2001:db8::1]:8788", true},
    {"", "t", "10.0.0.1", true},
    {"0.0.0.0", "t", "evil.example", false},
    {"0.0.0.0", "", "10.0.0.1", false},
};

static void a_foreign_host_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        char text[256];
        start(hosts[i].token, hosts[i].own);
        snprintf(text, sizeof(text), "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i].host);
        if (send_request(text) != (hosts[i].is_good ? 200 : 421))
            fail_msg("%s for %s: %d", hosts[i].host, hosts[i].own, reply.status);
        if (!hosts[i].is_good)
            expect_problem("ShapeInvalid");
        end();
    }
    start("", "127.0.0.1");
    assert_int_equal(send_request("GET /healthz HTTP/1.0\r\n\r\n"), 421);
    /* For clients of the Unix socket, Host is not checked. */
    assert_int_equal(send_request_from("", "GET /healthz HTTP/1.1\r\nHost: whatever\r\n\r\n"), 200);
    end();
}

/* ---- check 3: the token ---- */

static void all_paths_but_health_need_the_token(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"", 401},
        {"Authorization: Bearer wrong\r\n", 401},
        {"Authorization: Bearer secre\r\n", 401},
        {"Authorization: Bearer secrett\r\n", 401},
        {"Authorization: Bearer \r\n", 401},
        {"Authorization: Basic secret\r\n", 401},
        {"Authorization: secret\r\n", 401},
        {"X-Api-Key: secret\r\n", 401},
        {"Authorization: Bearer secret\r\nAuthorization: Bearer secret\r\n", 401},
        {"Authorization: Bearer secret\r\n", 200},
        {"authorization: bearer secret\r\n", 200},
    };
    start("secret", "127.0.0.1");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        snprintf(text, sizeof(text), "GET /admin/v1/state HTTP/1.1\r\n" OWN "%s\r\n",
                 cases[i].line);
        if (send_request(text) != cases[i].status)
            fail_msg("%s: %d", cases[i].line, reply.status);
        if (cases[i].status == 401) {
            expect_problem("AuthFailed");
            assert_string_equal(field("WWW-Authenticate"), "Bearer realm=\"recourse\"");
            assert_false(has("secret"));
        }
    }
    assert_int_equal(send_request("GET /healthz HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_int_equal(send_request("GET /readyz HTTP/1.1\r\n" OWN "\r\n"), 200);
    assert_int_equal(send_request("GET /metrics HTTP/1.1\r\n" OWN "\r\n"), 401);
    /* A client without the token does not learn which paths and methods exist. */
    assert_int_equal(send_request("GET /nowhere HTTP/1.1\r\n" OWN "\r\n"), 401);
    assert_int_equal(send_request("GET /admin/v1/reload HTTP/1.1\r\n" OWN "\r\n"), 401);
    assert_null(field("Allow"));
    assert_int_equal(send_request("POST /admin/v1/reload HTTP/1.1\r\n" OWN JSON "\r\n"), 401);
    assert_int_equal(fake.acts, 0);
    /* A client of the Unix socket needs the token, too. */
    assert_int_equal(send_request_from("", "GET /admin/v1/state HTTP/1.1\r\n" OWN "\r\n"), 401);
    /* A reload may change the token. */
    assert_true(rc_admin_core_set_token(&core, rc_secret_make(RC_STR("new"))));
    assert_int_equal(
        send_request("GET /metrics HTTP/1.1\r\n" OWN "Authorization: Bearer secret\r\n\r\n"), 401);
    assert_int_equal(
        send_request("GET /metrics HTTP/1.1\r\n" OWN "Authorization: Bearer new\r\n\r\n"), 200);
    static char longest[RC_ADMIN_TOKEN_MAX + 1];
    memset(longest, 't', sizeof(longest));
    assert_false(
        rc_admin_core_set_token(&core, rc_secret_make(rc_str_make(longest, sizeof(longest)))));
    assert_int_equal(
        send_request("GET /metrics HTTP/1.1\r\n" OWN "Authorization: Bearer new\r\n\r\n"), 200);
    end();
}

/* ---- check 4: paths ---- */

static void paths_match_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
        const char *allow;
    } cases[] = {
        {"GET /healthz", 200, NULL},
        {"HEAD /healthz", 200, NULL},
        {"GET /healthz?x=1", 200, NULL},
        {"GET /", 404, NULL},
        {"GET /healthz/", 404, NULL},
        {"GET //healthz", 404, NULL},
        {"GET /admin/v1", 404, NULL},
        {"GET /admin/v1/statex", 404, NULL},
        {"GET /ADMIN/v1/state", 404, NULL},
        {"GET /admin/v1/../v1/state", 404, NULL},
        {"GET /%61dmin/v1/state", 404, NULL},
        {"POST /healthz", 405, "GET, HEAD"},
        {"OPTIONS /admin/v1/state", 405, "GET, HEAD"},
        {"DELETE /admin/v1/keys", 405, "GET, HEAD"},
        {"GET /admin/v1/reload", 405, "POST"},
        {"GET /admin/v1/targets/openai/gpt-4o/out", 405, "POST"},
        {"POST /admin/v1/targets/openai/out", 404, NULL},
        {"POST /admin/v1/targets//gpt-4o/out", 404, NULL},
        {"POST /admin/v1/targets/openai/./out", 404, NULL},
        {"POST /admin/v1/targets/openai/../out", 404, NULL},
        {"POST /admin/v1/targets/openai/gpt-4o", 404, NULL},
        {"POST /admin/v1/targets/openai/%zz/out", 400, NULL},
        {"POST /admin/v1/targets/openai/a%00b/out", 400, NULL},
        {"POST /admin/v1/targets/openai/a%0ab/out", 400, NULL},
        {"POST /admin/v1/targets/openai/%ff/out", 400, NULL},
        {"POST /admin/v1/targets/openai/gpt-5/out", 404, NULL},
        {"POST /admin/v1/targets/openai/gpt-4o/out", 200, NULL},
        {"POST /admin/v1/targets/local/meta/llama%203/out", 200, NULL},
        {"POST /admin/v1/targets/local/meta%2Fllama%203/in", 200, NULL},
        {"POST /admin/v1/targets/claude/*/clear", 200, NULL},
        {"POST /admin/v1/keys/openai/0/revive", 200, NULL},
        {"POST /admin/v1/keys/openai%2F0/revive", 200, NULL},
        {"POST /admin/v1/keys/openai/1/revive", 404, NULL},
        {"POST /admin/v1/keys/revive", 404, NULL},
        {"POST /admin/v1/drain", 200, NULL},
    };
    start("", "127.0.0.1");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s HTTP/1.1\r\n" OWN "x-recourse-admin: 1\r\n\r\n",
                 cases[i].line);
        if (send_request(text) != cases[i].status)
            fail_msg("%s: %d %s", cases[i].line, reply.status, body());
        if (cases[i].status >= 400)
            expect_problem("ShapeInvalid");
        if (cases[i].allow != NULL)
            assert_string_equal(field("Allow"), cases[i].allow);
        else
            assert_null(field("Allow"));
    }
    end();
}

/* ---- check 5: pages of other sites ---- */

static void pages_of_other_sites_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        int status;
    } cases[] = {
        {JSON, 200},
        {"Content-Type: application/json; charset=utf-8\r\n", 200},
        {"x-recourse-admin: 1\r\n", 200},
        {JSON "Origin: http://localhost:8788\r\n", 200},
        {JSON "Origin: http://localhost:8788\r\nSec-Fetch-Site: same-origin\r\n", 200},
        {JSON "Sec-Fetch-Site: none\r\n", 200},
        /* requests that a form, an image or a script of another site can send */
        {"", 415},
        {"Content-Type: application/x-www-form-urlencoded\r\n", 415},
        {"Content-Type: text/plain\r\n", 415},
        {"Content-Type: multipart/form-data; boundary=application/json\r\n", 415},
        {"Content-Type: application/jsonx\r\n", 415},
        {"x-recourse-admin: 0\r\n", 415},
        {JSON "Origin: http://evil.example\r\n", 403},
        {JSON "Origin: null\r\n", 403},
        {JSON "Origin: http://localhost:9999\r\n", 403},
        {JSON "Origin: http://localhost:8788.evil.example\r\n", 403},
        {JSON "Origin: http://localhost\r\n", 403},
        {JSON "Sec-Fetch-Site: cross-site\r\n", 403},
        {JSON "Sec-Fetch-Site: same-site\r\n", 403},
        {JSON "Sec-Fetch-Site: none\r\nOrigin: http://evil.example\r\n", 403},
        {JSON "Origin: http://localhost:8788\r\nOrigin: http://evil.example\r\n", 403},
        {JSON "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n", 403},
        {JSON JSON, 415},
    };
    start("", "127.0.0.1");
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        const int before = fake.acts;
        snprintf(text, sizeof(text), "POST /admin/v1/reload HTTP/1.1\r\n" OWN "%s\r\n",
                 cases[i].lines);
        if (send_request(text) != cases[i].status)
            fail_msg("%s: %d", cases[i].lines, reply.status);
        assert_int_equal(fake.acts - before, cases[i].status == 200);
    }
    /* Pages of other sites must not read data and must not use up connections. Health endpoints are
     * open to them. */
    assert_int_equal(
        send_request("GET /admin/v1/state HTTP/1.1\r\n" OWN "Sec-Fetch-Site: cross-site\r\n\r\n"),
        403);
    assert_int_equal(
        send_request("GET /admin/v1/state HTTP/1.1\r\n" OWN "Sec-Fetch-Site: same-origin\r\n\r\n"),
        200);
    assert_int_equal(
        send_request("GET /healthz HTTP/1.1\r\n" OWN "Sec-Fetch-Site: cross-site\r\n\r\n"), 200);
    end();
}

/* The files of the dashboard contain no data, so a browser may cache them; it revalidates them each
 * time. */
static void every_response_has_security_headers(void **state)
{
    (void)state;
    for (int is_page = 0; is_page < 2; is_page++) {
        size_t count;
        const rc_header *fields = rc_admin_fields(is_page, &count);
        int found = 0;
        for (size_t i = 0; i < count; i++) {
            const char *value = fields[i].value.ptr;
            found += rc_str_eq(fields[i].name, RC_STR("Cache-Control")) &&
                     strcmp(value, is_page != 0 ? "no-cache" : "no-store") == 0;
            found += rc_str_eq(fields[i].name, RC_STR("X-Content-Type-Options")) &&
                     strcmp(value, "nosniff") == 0;
            if (rc_str_eq(fields[i].name, RC_STR("Content-Security-Policy"))) {
                found++;
                assert_non_null(strstr(value, "default-src 'none'"));
                assert_non_null(strstr(value, "frame-ancestors 'none'"));
                assert_null(strstr(value, "unsafe"));
                assert_null(strstr(value, "*"));
            }
            assert_false(rc_str_eq(fields[i].name, RC_STR("Access-Control-Allow-Origin")));
        }
        assert_int_equal(found, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_token_only_this_machine_is_served),
        cmocka_unit_test(a_foreign_host_is_refused),
        cmocka_unit_test(all_paths_but_health_need_the_token),
        cmocka_unit_test(paths_match_exactly),
        cmocka_unit_test(pages_of_other_sites_are_refused),
        cmocka_unit_test(every_response_has_security_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
