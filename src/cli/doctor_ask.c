/* The questions, while they are asked. */
#include <string.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/doctor_net.h"
#include "codec/datetime.h"
#include "sys/clock.h"

#define ARENA_MAX_BYTES ((size_t)64 << 20)
#define WIRE_MAX_BYTES ((size_t)64 << 10)

/* ---- the end of it ---- */

static void on_upstream_closed(void *ctx)
{
    (void)ctx;
}

static void end_if_done(rc_ask_net *net)
{
    if (net->left > 0 || net->is_ending)
        return;
    net->is_ending = true;
    uv_close((uv_handle_t *)&net->timer, NULL);
    rc_upstream_close(net->upstream, on_upstream_closed, net);
    rc_resolver_close(&net->resolver, on_upstream_closed, net);
}

static void end_asked(rc_asked *asked)
{
    if (asked->is_over)
        return;
    asked->is_over = true;
    asked->net->left--;
    end_if_done(asked->net);
}

static void on_deadline(uv_timer_t *timer)
{
    rc_ask_net *net = timer->data;
    for (rc_asked_name *name = net->names; name != NULL; name = name->next) {
        if (name->is_over)
            continue;
        rc_lookup_forget(&name->lookup);
        name->is_over = name->is_late = true;
        net->left--;
    }
    for (rc_asked *asked = net->asked; asked != NULL; asked = asked->next) {
        if (asked->is_over)
            continue;
        rc_upstream_cancel(&asked->call);
        asked->is_over = asked->is_late = true;
        net->left--;
    }
    end_if_done(net);
}

/* ---- answers ---- */

static void on_secure(void *ctx, const rc_origin *origin, const SSL *ssl)
{
    const rc_ask_net *net = ctx;
    for (rc_asked *asked = net->asked; asked != NULL; asked = asked->next)
        if (rc_origin_eq(&asked->origin, origin))
            asked->has_tls = rc_tls_facts_read(ssl, &asked->tls);
}

static void note_header(rc_asked *asked, rc_str name, rc_str value)
{
    int64_t date_ms = 0;
    const int64_t now_ms = rc_clock_unix_ms(asked->net->doctor->cli->calls);
    if (rc_str_eq_nocase(name, RC_STR("date")) && now_ms > 0 &&
        rc_http_date_parse(value, now_ms, &date_ms) == RC_OK) {
        asked->has_date = true;
        asked->ahead_ms = date_ms - now_ms;
    }
    if (rc_str_eq_nocase(name, RC_STR("content-type")))
        asked->is_page = rc_str_starts_with(value, RC_STR("text/html"));
    if (asked->status == 200 || asked->header_count == RC_ASKED_HEADERS_MAX)
        return;
    rc_arena *arena = &asked->net->arena;
    asked->headers[asked->header_count++] =
        (rc_header){rc_arena_dup(arena, name), rc_arena_dup(arena, value)};
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_asked *asked = ctx;
    asked->status = head->status;
    asked->answered_ms = uv_now(&asked->net->loop);
    for (uint32_t i = 0; i < head->reader->field_count; i++)
        note_header(asked, rc_http1_name(head->reader, head->bytes, i),
                    rc_http1_value(head->reader, head->bytes, i));
}

static void on_body(void *ctx, rc_str piece)
{
    rc_asked *asked = ctx;
    const size_t room = RC_ASKED_BODY_MAX - rc_buf_get(&asked->body).len;
    rc_buf_push(&asked->body, rc_str_slice(piece, 0, room < piece.len ? room : piece.len));
    if (rc_buf_get(&asked->body).len < RC_ASKED_BODY_MAX)
        return;
    rc_upstream_cancel(&asked->call);
    end_asked(asked);
}

static void on_end(void *ctx, bool is_kept)
{
    (void)is_kept;
    end_asked(ctx);
}

static void keep_failure(rc_asked *asked, rc_upstream_kind kind, const char *text)
{
    asked->failure = kind;
    asked->failure_text[0] = '\0';
    rc_config_text_append(asked->failure_text, sizeof asked->failure_text, rc_str_c(text));
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_asked *asked = ctx;
    asked->phase = failure->phase;
    keep_failure(asked, failure->kind, failure->text);
    end_asked(asked);
}

static const rc_upstream_handler handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};

static void on_found(rc_lookup *lookup, const rc_addresses *addresses)
{
    rc_asked_name *name = (rc_asked_name *)lookup;
    name->address_count = addresses != NULL ? addresses->count : 0;
    name->is_over = true;
    name->net->left--;
    end_if_done(name->net);
}

/* ---- questions ---- */

static void push_host(rc_buf *wire, const rc_origin *origin)
{
    rc_cli_text(wire, "host: ");
    rc_buf_push(wire, rc_origin_authority(origin));
    rc_cli_text(wire, "\r\n");
}

static bool push_request(rc_asked *asked, const char *path,
                         bool (*push_more)(rc_buf *wire, void *ctx), void *ctx)
{
    rc_buf *wire = &asked->wire;
    /* All at once, so that a key is never left behind in memory that was too small. */
    if (rc_buf_reserve(wire, WIRE_MAX_BYTES) != RC_OK)
        return false;
    rc_cli_text(wire, "GET ");
    rc_cli_text(wire, asked->origin.prefix);
    rc_cli_text(wire, path);
    rc_cli_text(wire, " HTTP/1.1\r\n");
    push_host(wire, &asked->origin);
    const bool is_whole = push_more == NULL || push_more(wire, ctx);
    rc_cli_text(wire, "accept: application/json\r\naccept-encoding: identity\r\n"
                      "user-agent: recourse-doctor\r\n\r\n");
    return is_whole && rc_buf_status(wire) == RC_OK;
}

rc_asked *rc_ask(rc_ask_net *net, const rc_origin *origin, const char *path,
                 bool (*push_more)(rc_buf *wire, void *ctx), void *ctx)
{
    const uint32_t all_ms = net->doctor->timeout_s * 1000;
    rc_asked *asked = rc_arena_get(&net->arena, sizeof *asked);
    if (asked == NULL)
        return NULL;
    asked->net = net;
    asked->origin = *origin;
    rc_buf_init(&asked->wire, &net->doctor->cli->alloc, WIRE_MAX_BYTES);
    rc_buf_init(&asked->body, &net->doctor->cli->alloc, RC_ASKED_BODY_MAX);
    asked->next = net->asked;
    net->asked = asked;
    asked->is_over = true;
    if (!push_request(asked, path, push_more, ctx)) {
        keep_failure(asked, RC_UPSTREAM_NO_MEMORY, "the request cannot be written");
        return asked;
    }
    const rc_upstream_request request = {
        .head = rc_buf_get(&asked->wire),
        .connect_ms = all_ms / 2,
        .first_byte_ms = all_ms - all_ms / 5,
        .idle_ms = all_ms / 5,
    };
    asked->started_ms = uv_now(&net->loop);
    const rc_upstream_kind kind =
        rc_upstream_start(&asked->call, net->upstream, &asked->origin, &request, &handler, asked);
    if (kind != RC_UPSTREAM_NONE) {
        keep_failure(asked, kind, rc_upstream_kind_text(kind));
        return asked;
    }
    asked->is_over = false;
    net->left++;
    return asked;
}

rc_asked_name *rc_ask_name(rc_ask_net *net, const char *host)
{
    rc_addresses addresses;
    rc_asked_name *name = rc_arena_get(&net->arena, sizeof *name);
    if (name == NULL)
        return NULL;
    name->net = net;
    name->lookup.on_done = on_found;
    name->next = net->names;
    net->names = name;
    const rc_resolve_answer answer =
        rc_resolver_find(&net->resolver, host, &name->lookup, &addresses);
    name->is_over = answer != RC_RESOLVE_PENDING;
    name->address_count = answer == RC_RESOLVE_FOUND ? addresses.count : 0;
    net->left += name->is_over ? 0 : 1;
    return name;
}

/* ---- the loop ---- */

bool rc_ask_net_init(rc_ask_net *net, rc_doctor *doctor)
{
    rc_upstream_settings settings = rc_upstream_settings_default();
    memset(net, 0, sizeof *net);
    net->doctor = doctor;
    settings.alloc = doctor->cli->alloc;
    settings.on_secure = on_secure;
    settings.secure_ctx = net;
    settings.resolve.cache_ms = 60 * 1000;
    if (uv_loop_init(&net->loop) != 0)
        return false;
    if (rc_upstream_new(&net->loop, &settings, &net->upstream) != RC_OK) {
        (void)uv_loop_close(&net->loop);
        return false;
    }
    rc_arena_init(&net->arena, &doctor->cli->alloc, ARENA_MAX_BYTES);
    rc_resolver_init(&net->resolver, &net->loop, &settings.resolve, settings.alloc);
    (void)uv_timer_init(&net->loop, &net->timer);
    net->timer.data = net;
    (void)uv_timer_start(&net->timer, on_deadline, (uint64_t)doctor->timeout_s * 1000, 0);
    return true;
}

void rc_ask_net_run(rc_ask_net *net)
{
    end_if_done(net);
    while (uv_run(&net->loop, UV_RUN_DEFAULT) != 0) {
    }
    (void)uv_loop_close(&net->loop);
}

void rc_ask_net_done(rc_ask_net *net)
{
    for (rc_asked *asked = net->asked; asked != NULL; asked = asked->next) {
        rc_secret_wipe_buf(&asked->wire);
        rc_buf_done(&asked->wire);
        rc_buf_done(&asked->body);
    }
    rc_arena_done(&net->arena);
}
