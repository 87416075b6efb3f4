/* Clients and a handler with random actions: every request ends exactly once, and all memory is
 * freed. The seeds are fixed. */
#include "support/server_fixture.h"

#define CLIENTS 8
#define RESPONDERS 64
#define STEPS 150

static uint64_t seed;

static uint32_t pick(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % below;
}

static rc_responder *live[RESPONDERS];
static int clients[CLIENTS];
static char filler[40000];

static size_t index_of(const rc_responder *x)
{
    size_t at = 0;
    while (at < RESPONDERS && live[at] != x)
        at++;
    return at;
}

static void forget_responder(const rc_responder *x)
{
    size_t at = index_of(x);
    assert_true(at < RESPONDERS);
    live[at] = NULL;
}

/* Calls a random function of the responder. */
static void act(rc_responder *x)
{
    static const rc_http1_framing framings[] = {RC_HTTP1_LENGTH, RC_HTTP1_CHUNKED,
                                                RC_HTTP1_UNTIL_CLOSE, RC_HTTP1_NO_BODY};
    rc_response_head response = {
        .status = pick(8) == 0 ? 204 : 200, .framing = framings[pick(4)], .length = pick(30000)};
    switch (pick(9)) {
    case 0:
        rc_responder_begin(x, &response);
        break;
    case 1:
        rc_responder_write(x, rc_str_make(filler, pick(sizeof(filler))));
        break;
    case 2:
        rc_responder_write_borrowed(x, rc_str_make(filler, pick(sizeof(filler))));
        break;
    case 3:
        rc_responder_end(x);
        break;
    case 4:
        rc_responder_pause_body(x);
        break;
    case 5:
        rc_responder_resume_body(x);
        break;
    case 6:
        if (pick(4) == 0) {
            forget_responder(x);
            rc_responder_abort(x);
        }
        break;
    case 7:
        rc_responder_send(x, 200, NULL, 0, rc_str_make(filler, pick(sizeof(filler))));
        break;
    default:
        break;
    }
}

static void random_request(void *ctx, rc_responder *x, const rc_http1 *reader, const char *head)
{
    (void)ctx;
    (void)reader;
    (void)head;
    size_t at = index_of(NULL);
    assert_true(at < RESPONDERS);
    live[at] = x;
    if (pick(2) == 0)
        rc_responder_keep_head(x);
    act(x);
}

static void random_body(void *ctx, rc_responder *x, rc_str piece)
{
    (void)ctx;
    assert_true(index_of(x) < RESPONDERS);
    assert_true(piece.len > 0);
    act(x);
}

static void random_call(void *ctx, rc_responder *x)
{
    (void)ctx;
    assert_true(index_of(x) < RESPONDERS);
    act(x);
}

static void random_done(void *ctx, rc_responder *x)
{
    (void)ctx;
    forget_responder(x);
}

static void random_disconnect(void *ctx, rc_responder *x, const rc_disconnect *gone)
{
    (void)ctx;
    assert_true(gone->why != RC_DISCONNECT_NONE);
    forget_responder(x);
}

static const rc_server_handler random_handler = {
    .on_request = random_request,
    .on_body = random_body,
    .on_body_end = random_call,
    .on_drained = random_call,
    .on_done = random_done,
    .on_disconnect = random_disconnect,
    .on_stopped = on_stopped,
};

static const char *const texts[] = {
    "GET /hello" HOST "\r\n",
    "POST /a" HOST "Content-Length: 12\r\n\r\nhello world!",
    "POST /b" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "POST /c" HOST "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n",
    "HEAD /d" HOST "\r\n",
    "GET /e HTTP/1.0\r\n\r\n",
    "GET /f" HOST "Connection: close\r\n\r\n",
    "POST /g" HOST "Transfer-Encoding: chunked\r\n\r\nxyz",
    "POST /h" HOST "Content-Length: 300000\r\n\r\n",
    "abc",
};

static void client_acts(int *fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    const char *text = texts[pick(sizeof(texts) / sizeof(texts[0]))];
    if (*fd < 0) {
        *fd = fixture.server.wants_stop ? -1 : connect_client();
        return;
    }
    switch (pick(10)) {
    case 0:
        close(*fd);
        *fd = -1;
        break;
    case 1:
        setsockopt(*fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        close(*fd);
        *fd = -1;
        break;
    case 2:
        shutdown(*fd, SHUT_WR);
        break;
    case 3:
        (void)!send(*fd, text, pick((uint32_t)strlen(text)), MSG_DONTWAIT | MSG_NOSIGNAL);
        break;
    case 4:
        (void)!send(*fd, filler, pick(sizeof(filler)), MSG_DONTWAIT | MSG_NOSIGNAL);
        break;
    case 5:
    case 6:
        (void)!recv(*fd, fixture.client.got, pick(60000) + 1, MSG_DONTWAIT);
        break;
    default:
        (void)!send(*fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
        break;
    }
}

static void run_seed(uint64_t value)
{
    rc_server_settings settings = rc_server_settings_default;
    seed = value * UINT64_C(0x9e3779b97f4a7c15) + 1;
    settings.max_connections = 3 + pick(6);
    settings.write_high_bytes = 20000;
    settings.write_low_bytes = 5000;
    settings.write_max_bytes = pick(3) == 0 ? 60000 : 16 << 20;
    settings.head_ms = 1 + pick(20);
    settings.body_idle_ms = 1 + pick(20);
    settings.keep_alive_ms = 1 + pick(20);
    settings.write_idle_ms = 1 + pick(20);
    settings.linger_ms = 1 + pick(5);
    fixture_start(&settings);
    fixture.server.handler = &random_handler;
    fixture.rcvbuf = pick(2) == 0 ? 4096 : 0;
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = -1;
    if (pick(2) == 0) {
        fixture.memory.fail_at = fixture.memory.calls + 1 + pick(60);
        fixture.memory.for_good = false;
    }
    for (int step = 0; step < STEPS; step++) {
        rc_responder *x = live[pick(RESPONDERS)];
        client_acts(&clients[pick(CLIENTS)]);
        if (x != NULL)
            act(x);
        uv_run(&fixture.loop, UV_RUN_NOWAIT);
        if (step == STEPS - 20 && pick(2) == 0)
            rc_server_stop(&fixture.server);
    }
    for (int i = 0; i < CLIENTS; i++)
        if (clients[i] >= 0)
            close(clients[i]);
    fixture_end();
    for (size_t i = 0; i < RESPONDERS; i++)
        assert_null(live[i]);
}

static void random_actions_end_every_request_once(void **state)
{
    (void)state;
    for (uint64_t value = 1; value <= 300; value++)
        run_seed(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_actions_end_every_request_once),
    };
    return FIXTURE_RUN(tests);
}
