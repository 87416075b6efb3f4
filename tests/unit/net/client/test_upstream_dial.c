/* Tests of opening connections: names, allowed addresses, the order in which addresses are tried,
 * time limits. */
#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static peer server;
static fixture client;

/* The addresses that the names resolve to. */
static struct {
    rc_resolve_result answer;
    size_t count;
    const char *addresses[4];
    int queries;
} names;

static rc_address address_of(const char *text)
{
    rc_address address = {.v6 = {.sin6_family = AF_INET6}};
    if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1)
        return address;
    address = (rc_address){.v4 = {.sin_family = AF_INET}};
    assert_int_equal(inet_pton(AF_INET, text, &address.v4.sin_addr), 1);
    return address;
}

static rc_resolve_result answer(void *ctx, const char *host, rc_addresses *ret_addresses)
{
    (void)ctx;
    (void)host;
    names.queries++;
    ret_addresses->count = names.count;
    for (size_t i = 0; i < names.count; i++)
        ret_addresses->list[i] = address_of(names.addresses[i]);
    return names.answer;
}

static bool allow_all(void *ctx, const rc_origin *origin, const rc_address *address)
{
    (void)ctx;
    (void)origin;
    (void)address;
    return true;
}

static void begin(bool is_guarded)
{
    server = (peer){.ctx = (void *)(uintptr_t)OK_5};
    peer_start(&server, peer_repeat);
    client.settings = rc_upstream_settings_default();
    client.settings.resolve.hook = answer;
    client.settings.allow = is_guarded ? NULL : allow_all;
    client.settings.next_dial_ms = 20;
    memset(&names, 0, sizeof(names));
    fixture_open(&client);
}

static void finish(void)
{
    assert_true(fixture_close(&client));
    peer_stop(&server);
}

static void check_kind(const probe *p, rc_upstream_kind kind, rc_transport transport)
{
    print_message("%s\n", p->failure.text);
    assert_int_equal(p->failures, 1);
    assert_int_equal(p->failure.kind, kind);
    assert_int_equal(p->failure.transport, transport);
    assert_int_equal(p->failure.phase, RC_PHASE_CONNECT);
    assert_int_equal(p->failure.bytes_sent, 0);
}

/* Like check_kind; also checks that no connection remains. */
static void check(const probe *p, rc_upstream_kind kind, rc_transport transport)
{
    check_kind(p, kind, transport);
    assert_int_equal(rc_upstream_count(client.upstream).connections, 0);
}

/* Returns a port on which no socket listens. */
static uint16_t dead_port(void)
{
    uint16_t port = 0;
    close(peer_bind(&port, 1));
    return port;
}

static void a_refused_connection_is_a_failure(void **state)
{
    probe p = {0};
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "127.0.0.1", dead_port());
    probe_run(&p, &client, &origin);
    check(&p, RC_UPSTREAM_CONNECT_REFUSED, RC_TRANSPORT_CONNECT_REFUSED);
    assert_non_null(strstr(p.detail, ": the connection was refused"));
    finish();
}

static void an_unknown_name_is_a_failure(void **state)
{
    probe p = {0};
    probe q = {0};
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "no.test", server.port);
    names.answer = RC_RESOLVE_FAILED;
    probe_run(&p, &client, &origin);
    check(&p, RC_UPSTREAM_DNS_FAILED, RC_TRANSPORT_DNS);
    names.answer = RC_RESOLVE_FOUND;
    probe_run(&q, &client, &origin);
    check(&q, RC_UPSTREAM_DNS_FAILED, RC_TRANSPORT_DNS);
    finish();
}

static void no_such_name(const char *host, rc_addresses *ret_addresses)
{
    ret_addresses->is_unknown = host[0] == 'n';
    ret_addresses->why = host[0] == 'n' ? "no such name" : "the name server is ill";
}

/* The failure for a name that does not exist differs from that for a name server that fails. */
static void unknown_names_differ_from_failing_name_servers(void **state)
{
    static const struct {
        const char *host;
        rc_upstream_kind kind;
        const char *detail;
    } cases[] = {
        {"no.test", RC_UPSTREAM_DNS_UNKNOWN, "no.test:80: no such name"},
        {"ill.test", RC_UPSTREAM_DNS_FAILED, "ill.test:80: the name server is ill"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        probe p = {0};
        client.settings = rc_upstream_settings_default();
        client.settings.resolve.query_fn = no_such_name;
        fixture_open(&client);
        rc_origin origin = origin_at("http", cases[i].host, 80);
        probe_run(&p, &client, &origin);
        check(&p, cases[i].kind, RC_TRANSPORT_DNS);
        assert_string_equal(p.detail, cases[i].detail);
        assert_true(fixture_close(&client));
    }
}

/* The detail is the system's message for a reserved name (RFC 6761). */
static void an_invalid_name_gives_the_systems_message(void **state)
{
    probe p = {0};
    (void)state;
    client.settings = rc_upstream_settings_default();
    fixture_open(&client);
    rc_origin origin = origin_at("http", "no-such-host.invalid", 80);
    probe_run(&p, &client, &origin);
    print_message("%s\n", p.detail);
    assert_int_equal(p.failures, 1);
    assert_int_equal(p.failure.transport, RC_TRANSPORT_DNS);
    assert_true(p.failure.kind == RC_UPSTREAM_DNS_UNKNOWN ||
                p.failure.kind == RC_UPSTREAM_DNS_FAILED);
    assert_memory_equal(p.detail, "no-such-host.invalid:80: ", 25);
    assert_true(fixture_close(&client));
}

static void names_have_a_time_limit(void **state)
{
    probe p = {0};
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "slow.test", server.port);
    names.answer = RC_RESOLVE_PENDING;
    probe_send(&p, &client, &origin, (rc_upstream_request){.connect_ms = 20});
    probe_wait(&p);
    check(&p, RC_UPSTREAM_DNS_TIMEOUT, RC_TRANSPORT_TIMEOUT);
    finish();
}

static void localhost_is_resolved_by_the_system(void **state)
{
    probe p[3] = {0};
    (void)state;
    begin(true);
    names.answer = RC_RESOLVE_SYSTEM;
    rc_origin origin = origin_at("http", "localhost", server.port);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(probe_start(&p[i], &client, &origin), RC_UPSTREAM_NONE);
    rc_upstream_cancel(&p[1].call);
    for (size_t i = 0; i < 3; i += 2) {
        probe_wait(&p[i]);
        assert_int_equal(p[i].ends, 1);
    }
    assert_int_equal(p[1].failures + p[1].ends, 0);
    /* The name is now cached; another port is another origin. */
    probe q = {0};
    rc_origin other = origin_at("http", "localhost", dead_port());
    probe_run(&q, &client, &other);
    check_kind(&q, RC_UPSTREAM_CONNECT_REFUSED, RC_TRANSPORT_CONNECT_REFUSED);
    finish();
}

static void closing_does_not_wait_for_a_lookup(void **state)
{
    probe p = {0};
    (void)state;
    begin(true);
    names.answer = RC_RESOLVE_SYSTEM;
    rc_origin origin = origin_at("http", "localhost", server.port);
    assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
    finish();
    assert_int_equal(p.failures, 1);
    assert_int_equal(p.failure.kind, RC_UPSTREAM_SHUTDOWN);
    assert_true(p.failure.is_local);
}

static void addresses_are_tried_in_turn(void **state)
{
    probe p = {0};
    probe q = {0};
    (void)state;
    begin(false);
    names.count = 3;
    names.addresses[0] = "127.0.0.9";
    names.addresses[1] = "127.0.0.8";
    names.addresses[2] = "127.0.0.1";
    rc_origin origin = origin_at("http", "many.test", server.port);
    probe_run(&p, &client, &origin);
    assert_int_equal(p.ends, 1);
    names.count = 2;
    rc_origin other = origin_at("http", "dead.test", server.port);
    probe_run(&q, &client, &other);
    assert_int_equal(q.failure.kind, RC_UPSTREAM_CONNECT_REFUSED);
    finish();
}

/* A listening socket whose queue is full: connections to it neither succeed nor fail. */
typedef struct tarpit {
    int fd;
    int fillers[8];
} tarpit;

static tarpit tarpit_make(const char *host, uint16_t port, uint16_t *ret_port)
{
    struct sockaddr_in address = address_of(host).v4;
    socklen_t len = sizeof(address);
    tarpit pit = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    address.sin_port = htons(port);
    assert_int_equal(bind(pit.fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(pit.fd, 0), 0);
    getsockname(pit.fd, (struct sockaddr *)&address, &len);
    *ret_port = ntohs(address.sin_port);
    for (size_t i = 0; i < COUNT(pit.fillers); i++) {
        pit.fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(pit.fillers[i], (struct sockaddr *)&address, len);
    }
    return pit;
}

static void tarpit_close(const tarpit *pit)
{
    for (size_t i = 0; i < COUNT(pit->fillers); i++)
        close(pit->fillers[i]);
    close(pit->fd);
}

static void a_connection_has_a_time_limit(void **state)
{
    uint16_t port = 0;
    probe p = {0};
    (void)state;
    begin(true);
    tarpit pit = tarpit_make("127.0.0.1", 0, &port);
    rc_origin origin = origin_at("http", "127.0.0.1", port);
    probe_send(&p, &client, &origin, (rc_upstream_request){.connect_ms = 40});
    probe_wait(&p);
    check(&p, RC_UPSTREAM_CONNECT_TIMEOUT, RC_TRANSPORT_TIMEOUT);
    assert_int_equal(p.failure.limit_ms, 40);
    finish();
    tarpit_close(&pit);
}

static void a_slow_address_does_not_delay_the_next(void **state)
{
    uint16_t port = 0;
    probe p = {0};
    (void)state;
    begin(false);
    tarpit pit = tarpit_make("127.0.0.7", server.port, &port);
    names.count = 2;
    names.addresses[0] = "127.0.0.7";
    names.addresses[1] = "127.0.0.1";
    rc_origin origin = origin_at("http", "half.test", server.port);
    probe_run(&p, &client, &origin);
    assert_int_equal(p.ends, 1);
    assert_int_equal(rc_upstream_count(client.upstream).connections, 1);
    finish();
    tarpit_close(&pit);
}

static void a_lack_of_descriptors_is_a_local_failure(void **state)
{
    struct rlimit limit;
    probe p = {0};
    probe q = {0};
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "127.0.0.1", server.port);
    getrlimit(RLIMIT_NOFILE, &limit);
    struct rlimit none = {.rlim_cur = 3, .rlim_max = limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    assert_int_equal(probe_start(&p, &client, &origin), RC_UPSTREAM_NONE);
    assert_int_equal(p.failures, 0);
    setrlimit(RLIMIT_NOFILE, &limit);
    probe_wait(&p);
    check(&p, RC_UPSTREAM_NO_DESCRIPTOR, RC_TRANSPORT_NONE);
    assert_true(p.failure.is_local);
    probe_run(&q, &client, &origin);
    assert_int_equal(q.ends, 1);
    finish();
}

static void names_may_not_resolve_to_private_addresses(void **state)
{
    static const char *const inside[] = {
        "127.0.0.1",
        "127.255.0.9",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "100.64.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "fd00::1",
        "ff02::1",
        "64:ff9b::7f00:1",
        "2002:a00::1",
        "::ffff:169.254.1.1",
        "::7f00:1",
        "fec0::1",
    };
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "evil.test", server.port);
    names.count = 1;
    for (size_t i = 0; i < COUNT(inside); i++) {
        probe p = {0};
        names.addresses[0] = inside[i];
        probe_run(&p, &client, &origin);
        print_message("%s: ", inside[i]);
        check(&p, RC_UPSTREAM_ADDRESS_REFUSED, RC_TRANSPORT_NONE);
        assert_true(p.failure.is_local);
    }
    finish();
    assert_int_equal(server.count, 0);
}

/* The name has another address at the second call: each connection is checked again. */
static bool allow_first(void *ctx, const rc_origin *origin, const rc_address *address)
{
    (void)ctx;
    return origin->is_https || address->v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

static void a_changed_address_is_checked_again(void **state)
{
    probe p = {0};
    probe q = {0};
    (void)state;
    begin(false);
    assert_true(fixture_close(&client));
    client.settings.allow = allow_first;
    client.settings.max_idle = 0;
    fixture_open(&client);
    rc_origin origin = origin_at("http", "moves.test", server.port);
    names.count = 1;
    names.addresses[0] = "127.0.0.1";
    probe_run(&p, &client, &origin);
    assert_int_equal(p.ends, 1);
    names.addresses[0] = "10.0.0.1";
    probe_run(&q, &client, &origin);
    assert_int_equal(q.failure.kind, RC_UPSTREAM_ADDRESS_REFUSED);
    finish();
}

static void allowed_addresses_depend_on_the_host(void **state)
{
    static const struct {
        const char *host;
        const char *address;
        bool allow_private;
        bool is_allowed;
    } cases[] = {
        {"localhost", "127.0.0.1", false, true},   {"localhost", "::1", false, true},
        {"LOCALHOST", "127.0.0.1", false, true},   {"localhost", "10.0.0.1", false, false},
        {"127.0.0.5", "127.0.0.5", false, true},   {"[::1]", "::1", false, true},
        {"10.0.0.1", "10.0.0.1", false, true},     {"a.test", "10.0.0.1", false, false},
        {"a.test", "10.0.0.1", true, true},        {"a.test", "127.0.0.1", true, false},
        {"a.test", "169.254.0.1", true, false},    {"a.test", "8.8.8.8", false, true},
        {"a.test", "172.32.0.1", false, true},     {"a.test", "2606:4700::1", false, true},
        {"a.test", "::ffff:8.8.8.8", false, true}, {"[fd00::1]", "fd00::1", false, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char url[64];
        rc_origin origin;
        rc_address address = address_of(cases[i].address);
        snprintf(url, sizeof(url), "https://%s", cases[i].host);
        print_message("%s %s\n", url, cases[i].address);
        assert_null(rc_origin_parse(
            rc_str_c(url), (rc_origin_options){.allow_private = cases[i].allow_private}, &origin));
        assert_int_equal(rc_origin_allows(&origin, &address), cases[i].is_allowed);
    }
}

static void the_authority_has_brackets_and_a_nondefault_port(void **state)
{
    static const char *const cases[][2] = {
        {"https://API.Example.com/v1/", "api.example.com"},
        {"https://api.example.com:443", "api.example.com"},
        {"https://api.example.com:80", "api.example.com:80"},
        {"http://localhost:80/v1", "localhost"},
        {"http://localhost:443", "localhost:443"},
        {"https://[2606:4700::1]", "[2606:4700::1]"},
        {"https://[2606:4700::1]:65535", "[2606:4700::1]:65535"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        rc_origin origin;
        assert_null(rc_origin_parse(rc_str_c(cases[i][0]), (rc_origin_options){0}, &origin));
        assert_true(rc_str_eq(rc_origin_authority(&origin), rc_str_c(cases[i][1])));
    }
}

static void origins_are_parsed(void **state)
{
    static const char *const refused[] = {
        "http://api.example.com", "http://10.0.0.1",    "https://169.254.169.254",
        "https://0.0.0.0",        "https://[fe80::1]",  "https://224.0.0.1",
        "https://a@b.test",       "https://2130706433", "",
    };
    rc_origin origin;
    rc_origin other;
    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        origin.port = 7;
        assert_non_null(rc_origin_parse(rc_str_c(refused[i]), (rc_origin_options){0}, &origin));
        assert_int_equal(origin.port, 7);
    }
    assert_null(
        rc_origin_parse(RC_STR("https://API.Example.com/v1/"), (rc_origin_options){0}, &origin));
    assert_string_equal(origin.host, "api.example.com");
    assert_string_equal(origin.prefix, "/v1");
    assert_true(rc_str_eq(rc_origin_prefix(&origin), RC_STR("/v1")));
    assert_int_equal(origin.port, 443);
    assert_null(
        rc_origin_parse(RC_STR("https://api.example.com:443"), (rc_origin_options){0}, &other));
    assert_true(rc_origin_eq(&origin, &other));
    assert_null(
        rc_origin_parse(RC_STR("https://api.example.com:444"), (rc_origin_options){0}, &other));
    assert_false(rc_origin_eq(&origin, &other));
    assert_null(rc_origin_parse(RC_STR("https://api.example.com"),
                                (rc_origin_options){.allow_private = true}, &other));
    assert_false(rc_origin_eq(&origin, &other));
    assert_null(
        rc_origin_parse(RC_STR("http://a.test"), (rc_origin_options){.insecure = true}, &other));
    assert_false(other.is_https);
}

typedef struct question {
    rc_lookup lookup;
    int answers;
    size_t count;
} question;

static void on_resolved(rc_lookup *lookup, const rc_addresses *addresses)
{
    question *one = (question *)lookup;
    one->answers++;
    one->count = addresses != NULL ? addresses->count : 0;
}

static void on_resolver_closed(void *ctx)
{
    *(bool *)ctx = true;
}

/* Literal addresses are not looked up, so they need no network. */
static void the_resolver_limits_its_names(void **state)
{
    static const char *const hosts[] = {"127.0.0.1", "127.0.0.2", "127.0.0.3"};
    const rc_resolve_settings settings = {.cache_ms = 60000, .names_max = 2};
    question q[4] = {0};
    rc_resolver resolver;
    rc_addresses found;
    uv_loop_t loop;
    bool is_closed = false;
    (void)state;
    uv_loop_init(&loop);
    rc_resolver_init(&resolver, &loop, &settings, rc_upstream_settings_default().alloc);
    for (size_t i = 0; i < 4; i++)
        q[i].lookup.on_done = on_resolved;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(rc_resolver_find(&resolver, hosts[i], &q[i].lookup, &found),
                         i < 2 ? RC_RESOLVE_PENDING : RC_RESOLVE_FAILED);
    /* The same query again, and a cancelled query. */
    assert_int_equal(rc_resolver_find(&resolver, hosts[1], &q[3].lookup, &found),
                     RC_RESOLVE_PENDING);
    rc_lookup_cancel(&q[1].lookup);
    rc_lookup_cancel(&q[1].lookup);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(q[0].answers, 1);
    assert_int_equal(q[0].count, 1);
    assert_int_equal(q[1].answers, 0);
    assert_int_equal(q[3].answers, 1);
    assert_int_equal(rc_resolver_find(&resolver, hosts[1], &q[1].lookup, &found), RC_RESOLVE_FOUND);
    assert_int_equal(found.count, 1);
    /* The oldest name is evicted. */
    assert_int_equal(rc_resolver_find(&resolver, hosts[2], &q[2].lookup, &found),
                     RC_RESOLVE_PENDING);
    assert_int_equal(rc_resolver_find(&resolver, hosts[1], &q[1].lookup, &found), RC_RESOLVE_FOUND);
    rc_lookup_cancel(&q[2].lookup);
    rc_resolver_close(&resolver, on_resolver_closed, &is_closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(is_closed);
    assert_int_equal(q[2].answers, 0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void ipv6_addresses_are_dialled(void **state)
{
    probe p = {0};
    (void)state;
    begin(true);
    rc_origin origin = origin_at("http", "[::1]", dead_port());
    probe_run(&p, &client, &origin);
    assert_int_equal(p.failure.transport, RC_TRANSPORT_CONNECT_REFUSED);
    assert_int_equal(p.failure.phase, RC_PHASE_CONNECT);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_connection_is_a_failure),
        cmocka_unit_test(an_unknown_name_is_a_failure),
        cmocka_unit_test(unknown_names_differ_from_failing_name_servers),
        cmocka_unit_test(an_invalid_name_gives_the_systems_message),
        cmocka_unit_test(names_have_a_time_limit),
        cmocka_unit_test(localhost_is_resolved_by_the_system),
        cmocka_unit_test(the_resolver_limits_its_names),
        cmocka_unit_test(ipv6_addresses_are_dialled),
        cmocka_unit_test(closing_does_not_wait_for_a_lookup),
        cmocka_unit_test(addresses_are_tried_in_turn),
        cmocka_unit_test(a_connection_has_a_time_limit),
        cmocka_unit_test(a_slow_address_does_not_delay_the_next),
        cmocka_unit_test(a_lack_of_descriptors_is_a_local_failure),
        cmocka_unit_test(names_may_not_resolve_to_private_addresses),
        cmocka_unit_test(a_changed_address_is_checked_again),
        cmocka_unit_test(allowed_addresses_depend_on_the_host),
        cmocka_unit_test(origins_are_parsed),
        cmocka_unit_test(the_authority_has_brackets_and_a_nondefault_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
