/* Opens a connection to an origin: resolves the name, connects and does the TLS handshake, or uses
 * the connection that settings.open returns. Called by pool.c, call.c and link.c. link.c reports
 * the events of a connection that is being opened. */
#include "net/client/dial.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "net/client/pool.h"

typedef enum step {
    RESOLVING,
    CONNECTING,
    HANDSHAKING,
    OPENED,  /* settings.open returned a connection, which the loop will pass to the call. */
    FAILING, /* The dial has failed; the loop will report the failure. */
    OVER
} step;

struct rc_dial {
    uv_timer_t timer;
    rc_upstream *upstream;
    rc_upstream_call *call;
    rc_lookup lookup;
    step step;
    rc_addresses addresses;
    size_t next_address;
    rc_link *links[RC_RESOLVE_ADDRESSES_MAX]; /* Links that are connecting, by the index of their
                                               * address. NULL: the address was not tried, or its
                                               * link failed. */
    rc_link *winner;
    uint64_t deadline_ms; /* Time at which the dial fails with a timeout; 0: never. */
    /* Set when the deadline has passed; the sockets are then polled once more before the dial
     * fails. */
    bool is_final_poll;
    /* Time at which the next address is tried in parallel with a slow one; 0: the next address is
     * tried only after a failure. */
    uint64_t next_ms;
    rc_upstream_kind failure;
    const char *text;
    rc_tls_failure tls;
};

static void on_timer(uv_timer_t *timer);

static void on_closed(uv_handle_t *handle)
{
    rc_dial *dial = handle->data;
    rc_upstream *upstream = dial->upstream;
    rc_upstream_put(upstream, dial, sizeof(*dial));
    rc_upstream_on_handle_closed(upstream);
}

static void close_links(rc_dial *dial, const rc_link *kept)
{
    for (size_t i = 0; i < dial->next_address; i++) {
        if (dial->links[i] != NULL && dial->links[i] != kept)
            rc_link_close(dial->links[i], false);
        dial->links[i] = NULL;
    }
}

static void end(rc_dial *dial)
{
    dial->step = OVER;
    dial->call = NULL;
    rc_lookup_cancel(&dial->lookup);
    uv_close((uv_handle_t *)&dial->timer, on_closed);
}

void rc_dial_cancel(rc_dial *dial)
{
    close_links(dial, NULL);
    if (dial->winner != NULL)
        rc_link_close(dial->winner, false);
    end(dial);
}

/* Makes the loop report the failure, because rc_upstream_start must not call a callback itself. */
static void fail_soon(rc_dial *dial, rc_upstream_kind kind, const char *text)
{
    dial->step = FAILING;
    dial->failure = kind;
    dial->text = text;
    uv_timer_start(&dial->timer, on_timer, 0, 0);
}

static void arm(rc_dial *dial)
{
    uint64_t now_ms = uv_now(dial->upstream->loop);
    uint64_t at_ms = dial->deadline_ms;
    if (dial->next_ms != 0 && (at_ms == 0 || dial->next_ms < at_ms))
        at_ms = dial->next_ms;
    if (at_ms == 0)
        uv_timer_stop(&dial->timer);
    else
        uv_timer_start(&dial->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* Passes the open connection to the call, which ends the dial. */
static void deliver(rc_dial *dial, rc_link *link)
{
    rc_upstream_call *call = dial->call;
    link->dial = NULL;
    link->pool = call->pool;
    dial->winner = NULL;
    call->dial = NULL;
    end(dial);
    rc_upstream_attach(call, link, false);
}

static void notify_secure(const rc_dial *dial, const rc_link *link)
{
    const rc_upstream_settings *settings = &dial->upstream->settings;
    if (settings->on_secure != NULL)
        settings->on_secure(settings->secure_ctx, &dial->call->pool->origin, link->wire.ssl);
}

static void handshake(rc_dial *dial, rc_link *link)
{
    rc_tls_event event = rc_tls_wire_handshake(&link->wire, &dial->tls);
    rc_upstream_kind sent = rc_link_flush(link);
    if (event == RC_TLS_FAILED)
        fail_soon(dial, dial->tls.kind, dial->tls.text);
    else if (sent != RC_UPSTREAM_NONE)
        fail_soon(dial, sent == RC_UPSTREAM_RESET ? RC_UPSTREAM_TLS_RESET : sent, NULL);
    else if (event == RC_TLS_DONE) {
        if (rc_tls_wire_was_resumed(&link->wire))
            dial->upstream->counts.resumed++;
        notify_secure(dial, link);
        deliver(dial, link);
    }
}

static void start_handshake(rc_dial *dial, rc_link *link)
{
    rc_upstream *upstream = dial->upstream;
    rc_pool *pool = dial->call->pool;
    dial->step = HANDSHAKING;
    arm(dial);
    if (!rc_upstream_has_tls(upstream) ||
        !rc_tls_wire_init(&link->wire, upstream->tls, &pool->origin, upstream->sink,
                          &pool->session) ||
        !rc_link_start_reading(link))
        fail_soon(dial, RC_UPSTREAM_NO_MEMORY, "TLS could not be set up");
    else
        handshake(dial, link);
}

static rc_upstream_kind kind_of_status(int status)
{
    switch (status) {
    case UV_ECONNREFUSED:
        return RC_UPSTREAM_CONNECT_REFUSED;
    case UV_ETIMEDOUT:
        return RC_UPSTREAM_CONNECT_TIMEOUT;
    case UV_EHOSTUNREACH:
    case UV_ENETUNREACH:
    case UV_ENETDOWN:
    case UV_EADDRNOTAVAIL:
    case UV_EAFNOSUPPORT:
        return RC_UPSTREAM_CONNECT_UNREACHABLE;
    case UV_EMFILE:
    case UV_ENFILE:
        return RC_UPSTREAM_NO_DESCRIPTOR;
    case UV_ENOMEM:
    case UV_ENOBUFS:
        return RC_UPSTREAM_NO_MEMORY;
    default:
        return RC_UPSTREAM_CONNECT_FAILED;
    }
}

/* Records the reason for which an address failed. The text names the system error, because one
 * rc_upstream_kind stands for several errors. */
static void note_failure(rc_dial *dial, int status)
{
    dial->failure = kind_of_status(status);
    dial->text = dial->failure == RC_UPSTREAM_CONNECT_UNREACHABLE ||
                         dial->failure == RC_UPSTREAM_CONNECT_FAILED
                     ? uv_strerror(status)
                     : NULL;
}

static void try_addresses(rc_dial *dial);

static void on_connect(uv_connect_t *request, int status)
{
    rc_link *link = request->data;
    rc_dial *dial = link->dial;
    if (link->state == RC_LINK_CLOSED || dial == NULL || dial->step != CONNECTING)
        return;
    if (status != 0) {
        for (size_t i = 0; i < dial->next_address; i++)
            if (dial->links[i] == link)
                dial->links[i] = NULL;
        rc_link_close(link, false);
        note_failure(dial, status);
        try_addresses(dial);
        return;
    }
    close_links(dial, link);
    dial->winner = link;
    dial->next_ms = 0;
    link->opened_at_ms = uv_now(dial->upstream->loop);
    uv_tcp_nodelay(&link->tcp, 1);
    dial->upstream->counts.dialled++;
    if (dial->call->pool->origin.is_https)
        start_handshake(dial, link);
    else if (!rc_link_start_reading(link))
        fail_soon(dial, RC_UPSTREAM_CONNECT_FAILED, NULL);
    else
        deliver(dial, link);
}

static bool is_allowed(const rc_dial *dial, const rc_address *address)
{
    const rc_upstream_settings *settings = &dial->upstream->settings;
    const rc_origin *origin = &dial->call->pool->origin;
    return settings->allow != NULL ? settings->allow(settings->allow_ctx, origin, address)
                                   : rc_origin_allows(origin, address);
}

/* Starts connecting to an address. Returns false if that failed at once. */
static bool try_address(rc_dial *dial, size_t index)
{
    rc_address *address = &dial->addresses.list[index];
    if (!is_allowed(dial, address)) {
        if (dial->failure == RC_UPSTREAM_NONE)
            dial->failure = RC_UPSTREAM_ADDRESS_REFUSED;
        return false;
    }
    uint16_t port = htons(dial->call->pool->origin.port);
    if (address->base.sa_family == AF_INET)
        address->v4.sin_port = port;
    else
        address->v6.sin6_port = port;
    rc_link *link = rc_link_new(dial->upstream);
    if (link == NULL) {
        dial->failure = RC_UPSTREAM_NO_MEMORY;
        dial->text = NULL;
        return false;
    }
    link->dial = dial;
    int status = uv_tcp_connect(&link->connect, &link->tcp, &address->base, on_connect);
    if (status != 0) {
        note_failure(dial, status);
        rc_link_close(link, false);
        return false;
    }
    dial->links[index] = link;
    return true;
}

static bool is_connecting(const rc_dial *dial)
{
    for (size_t i = 0; i < dial->next_address; i++)
        if (dial->links[i] != NULL)
            return true;
    return false;
}

static void try_addresses(rc_dial *dial)
{
    dial->step = CONNECTING;
    dial->next_ms = 0;
    while (dial->next_address < dial->addresses.count) {
        if (!try_address(dial, dial->next_address++))
            continue;
        if (dial->next_address < dial->addresses.count)
            dial->next_ms = uv_now(dial->upstream->loop) + dial->upstream->settings.next_dial_ms;
        arm(dial);
        return;
    }
    if (is_connecting(dial))
        arm(dial);
    else
        fail_soon(dial, dial->failure, dial->text);
}

/* Uses the connection that settings.open returns. settings.open has checked whether the client may
 * connect to the destination. */
static void take_opened(rc_dial *dial)
{
    const rc_upstream_settings *settings = &dial->upstream->settings;
    rc_link *link = rc_link_new(dial->upstream);
    if (link == NULL) {
        fail_soon(dial, RC_UPSTREAM_NO_MEMORY, NULL);
        return;
    }
    const int fd = settings->open(settings->open_ctx, &dial->call->pool->origin);
    if (fd < 0 || uv_tcp_open(&link->tcp, fd) != 0 || !rc_link_start_reading(link)) {
        /* uv_fileno fails if the handle was not opened; the descriptor then still belongs to this
         * function. */
        uv_os_fd_t owned = -1;
        if (fd >= 0 && uv_fileno((const uv_handle_t *)&link->tcp, &owned) != 0)
            (void)close(fd);
        rc_link_close(link, false);
        fail_soon(dial, RC_UPSTREAM_CONNECT_FAILED, NULL);
        return;
    }
    link->dial = dial;
    link->opened_at_ms = uv_now(dial->upstream->loop);
    dial->upstream->counts.dialled++;
    dial->winner = link;
    dial->step = OPENED;
    uv_timer_start(&dial->timer, on_timer, 0, 0);
}

static void on_resolved(rc_lookup *lookup, const rc_addresses *addresses)
{
    rc_dial *dial = (rc_dial *)((char *)lookup - offsetof(rc_dial, lookup));
    if (addresses == NULL) {
        fail_soon(dial, lookup->is_unknown ? RC_UPSTREAM_DNS_UNKNOWN : RC_UPSTREAM_DNS_FAILED,
                  lookup->why);
        return;
    }
    dial->addresses = *addresses;
    try_addresses(dial);
}

static void resolve(rc_dial *dial)
{
    const rc_origin *origin = &dial->call->pool->origin;
    if (dial->upstream->settings.open != NULL) {
        take_opened(dial);
        return;
    }
    if (origin->is_literal) {
        dial->addresses.count = 1;
        dial->addresses.list[0] = origin->address;
        try_addresses(dial);
        return;
    }
    switch (rc_resolver_find(&dial->upstream->resolver, origin->host, &dial->lookup,
                             &dial->addresses)) {
    case RC_RESOLVE_FOUND:
        if (dial->addresses.count > 0) {
            try_addresses(dial);
            break;
        }
        fail_soon(dial, RC_UPSTREAM_DNS_FAILED, NULL);
        break;
    case RC_RESOLVE_PENDING:
        arm(dial);
        break;
    case RC_RESOLVE_FAILED:
    case RC_RESOLVE_SYSTEM:
        fail_soon(dial, RC_UPSTREAM_DNS_FAILED, NULL);
        break;
    }
}

rc_dial *rc_dial_new(rc_upstream_call *call)
{
    rc_upstream *upstream = call->upstream;
    rc_dial *dial = rc_upstream_get(upstream, sizeof(*dial));
    if (dial == NULL)
        return NULL;
    memset(dial, 0, sizeof(*dial));
    dial->upstream = upstream;
    dial->call = call;
    dial->lookup.on_done = on_resolved;
    dial->timer.data = dial;
    uv_timer_init(upstream->loop, &dial->timer);
    upstream->handles++;
    if (call->request.connect_ms != 0)
        dial->deadline_ms = uv_now(upstream->loop) + call->request.connect_ms;
    resolve(dial);
    return dial;
}

static rc_upstream_kind timeout_of(const rc_dial *dial)
{
    if (dial->step == RESOLVING)
        return RC_UPSTREAM_DNS_TIMEOUT;
    return dial->step == HANDSHAKING ? RC_UPSTREAM_TLS_TIMEOUT : RC_UPSTREAM_CONNECT_TIMEOUT;
}

/* Handles the deadline. libuv runs timers before it polls sockets. If the process was paused, the
 * input that waits in the sockets must be read before a connection counts as timed out. */
static void on_deadline(rc_dial *dial)
{
    if (dial->is_final_poll) {
        rc_upstream_fail(dial->call, timeout_of(dial), NULL);
        return;
    }
    dial->is_final_poll = true;
    uv_timer_start(&dial->timer, on_timer, 1, 0);
}

static void on_timer(uv_timer_t *timer)
{
    rc_dial *dial = timer->data;
    uint64_t now_ms = uv_now(dial->upstream->loop);
    if (dial->step == OVER)
        return;
    /* rc_upstream_fail also cancels the dial. */
    if (dial->step == OPENED)
        deliver(dial, dial->winner);
    else if (dial->step == FAILING)
        rc_upstream_fail(dial->call, dial->failure, dial->text);
    else if (dial->deadline_ms != 0 && now_ms >= dial->deadline_ms)
        on_deadline(dial);
    else if (dial->next_ms != 0 && now_ms >= dial->next_ms)
        try_addresses(dial);
    else
        arm(dial);
}

const rc_tls_facts *rc_dial_refused_certificate(const rc_dial *dial)
{
    return dial != NULL && dial->tls.has_certificate ? &dial->tls.certificate : NULL;
}

void rc_dial_on_bytes(rc_link *link)
{
    rc_dial *dial = link->dial;
    if (dial->step != HANDSHAKING)
        return;
    handshake(dial, link);
    /* The server may have sent session tickets together with the end of the handshake. */
    if (link->state == RC_LINK_BUSY)
        rc_link_read_tls(link);
}

void rc_dial_on_end(rc_link *link, bool is_reset)
{
    rc_dial *dial = link->dial;
    rc_link_stop_reading(link);
    if (dial->step == OPENED)
        fail_soon(dial, is_reset ? RC_UPSTREAM_RESET : RC_UPSTREAM_CLOSED, NULL);
    else if (dial->step == HANDSHAKING)
        fail_soon(dial, is_reset ? RC_UPSTREAM_TLS_RESET : RC_UPSTREAM_TLS_CLOSED, NULL);
}
