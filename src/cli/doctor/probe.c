/* Network probes of the doctor: starts them, runs the loop, collects the results. Called by
 * net.c. */
#include <string.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/doctor/probe.h"
#include "codec/datetime.h"
#include "sys/clock.h"

#define ARENA_MAX_BYTES ((size_t)64 << 20)
#define WIRE_MAX_BYTES ((size_t)64 << 10)

/* ---- end of the probes ---- */

static void on_upstream_closed(void *ctx)
{
    (void)ctx;
}

static void end_if_done(rc_prober *prober)
{
    if (prober->pending > 0 || prober->is_ending)
        return;
    prober->is_ending = true;
    uv_close((uv_handle_t *)&prober->timer, NULL);
    rc_upstream_close(prober->upstream, on_upstream_closed, prober);
    rc_resolver_close(&prober->resolver, on_upstream_closed, prober);
}

static void end_probe(rc_http_probe *probe)
{
    if (probe->is_over)
        return;
    probe->is_over = true;
    probe->prober->pending--;
    end_if_done(probe->prober);
}

static void on_deadline(uv_timer_t *timer)
{
    rc_prober *prober = timer->data;
    for (rc_name_probe *name = prober->name_probes; name != NULL; name = name->next) {
        if (name->is_over)
            continue;
        rc_lookup_cancel(&name->lookup);
        name->is_over = name->is_late = true;
        prober->pending--;
    }
    for (rc_http_probe *probe = prober->probes; probe != NULL; probe = probe->next) {
        if (probe->is_over)
            continue;
        rc_upstream_cancel(&probe->call);
        probe->is_over = probe->is_late = true;
        prober->pending--;
    }
    end_if_done(prober);
}

/* ---- responses ---- */

static void on_secure(void *ctx, const rc_origin *origin, const SSL *ssl)
{
    const rc_prober *prober = ctx;
    for (rc_http_probe *probe = prober->probes; probe != NULL; probe = probe->next)
        if (rc_origin_eq(&probe->origin, origin))
            probe->has_tls = rc_tls_facts_read(ssl, &probe->tls);
}

static void note_header(rc_http_probe *probe, rc_str name, rc_str value)
{
    int64_t date_ms = 0;
    const int64_t now_ms = rc_clock_unix_ms(probe->prober->doctor->cli->calls);
    if (rc_str_eq_nocase(name, RC_STR("date")) && now_ms > 0 &&
        rc_http_date_parse(value, now_ms, &date_ms) == RC_OK) {
        probe->has_date = true;
        probe->ahead_ms = date_ms - now_ms;
    }
    if (rc_str_eq_nocase(name, RC_STR("content-type")))
        probe->is_html = rc_str_starts_with(value, RC_STR("text/html"));
    if (probe->status == 200 || probe->header_count == RC_PROBE_HEADERS_MAX)
        return;
    rc_arena *arena = &probe->prober->arena;
    probe->headers[probe->header_count++] =
        (rc_header){rc_arena_dup(arena, name), rc_arena_dup(arena, value)};
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_http_probe *probe = ctx;
    probe->status = head->status;
    probe->head_ms = uv_now(&probe->prober->loop);
    for (uint32_t i = 0; i < head->reader->field_count; i++)
        note_header(probe, rc_http1_name(head->reader, head->bytes, i),
                    rc_http1_value(head->reader, head->bytes, i));
}

static void on_body(void *ctx, rc_str piece)
{
    rc_http_probe *probe = ctx;
    const size_t space = RC_PROBE_BODY_MAX - rc_buf_get(&probe->body).len;
    rc_buf_push(&probe->body, rc_str_slice(piece, 0, space < piece.len ? space : piece.len));
    if (rc_buf_get(&probe->body).len < RC_PROBE_BODY_MAX)
        return;
    rc_upstream_cancel(&probe->call);
    end_probe(probe);
}

static void on_end(void *ctx, bool is_kept)
{
    (void)is_kept;
    end_probe(ctx);
}

static void set_failure(rc_http_probe *probe, rc_upstream_kind kind, const char *text)
{
    probe->failure = kind;
    probe->failure_text[0] = '\0';
    rc_config_text_append(probe->failure_text, sizeof probe->failure_text, rc_str_c(text));
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_http_probe *probe = ctx;
    probe->phase = failure->phase;
    set_failure(probe, failure->kind, failure->text);
    end_probe(probe);
}

static const rc_upstream_handler handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};

static void on_found(rc_lookup *lookup, const rc_addresses *addresses)
{
    rc_name_probe *name = (rc_name_probe *)lookup;
    name->address_count = addresses != NULL ? addresses->count : 0;
    name->is_over = true;
    name->prober->pending--;
    end_if_done(name->prober);
}

/* ---- requests ---- */

static void push_host(rc_buf *wire, const rc_origin *origin)
{
    rc_cli_text(wire, "host: ");
    rc_buf_push(wire, rc_origin_authority(origin));
    rc_cli_text(wire, "\r\n");
}

static bool push_request(rc_http_probe *probe, const char *path,
                         bool (*push_more)(rc_buf *wire, void *ctx), void *ctx)
{
    rc_buf *wire = &probe->request;
    /* Reserves the whole size first, because a buffer that grows leaves a copy of the key in freed
     * memory. */
    if (rc_buf_reserve(wire, WIRE_MAX_BYTES) != RC_OK)
        return false;
    rc_cli_text(wire, "GET ");
    rc_cli_text(wire, probe->origin.prefix);
    rc_cli_text(wire, path);
    rc_cli_text(wire, " HTTP/1.1\r\n");
    push_host(wire, &probe->origin);
    const bool is_whole = push_more == NULL || push_more(wire, ctx);
    rc_cli_text(wire, "accept: application/json\r\naccept-encoding: identity\r\n"
                      "user-agent: recourse-doctor\r\n\r\n");
    return is_whole && rc_buf_status(wire) == RC_OK;
}

rc_http_probe *rc_http_probe_start(rc_prober *prober, const rc_origin *origin, const char *path,
                                   bool (*push_more)(rc_buf *wire, void *ctx), void *ctx)
{
    const uint32_t all_ms = prober->doctor->timeout_s * 1000;
    rc_http_probe *probe = rc_arena_get(&prober->arena, sizeof *probe);
    if (probe == NULL)
        return NULL;
    probe->prober = prober;
    probe->origin = *origin;
    rc_buf_init(&probe->request, &prober->doctor->cli->alloc, WIRE_MAX_BYTES);
    rc_buf_init(&probe->body, &prober->doctor->cli->alloc, RC_PROBE_BODY_MAX);
    probe->next = prober->probes;
    prober->probes = probe;
    probe->is_over = true;
    if (!push_request(probe, path, push_more, ctx)) {
        set_failure(probe, RC_UPSTREAM_NO_MEMORY, "out of memory");
        return probe;
    }
    const rc_upstream_request request = {
        .head = rc_buf_get(&probe->request),
        .connect_ms = all_ms / 2,
        .first_byte_ms = all_ms - all_ms / 5,
        .idle_ms = all_ms / 5,
    };
    probe->started_ms = uv_now(&prober->loop);
    const rc_upstream_kind kind = rc_upstream_start(&probe->call, prober->upstream, &probe->origin,
                                                    &request, &handler, probe);
    if (kind != RC_UPSTREAM_NONE) {
        set_failure(probe, kind, rc_upstream_kind_text(kind));
        return probe;
    }
    probe->is_over = false;
    prober->pending++;
    return probe;
}

rc_name_probe *rc_name_probe_start(rc_prober *prober, const char *host)
{
    rc_addresses addresses;
    rc_name_probe *name = rc_arena_get(&prober->arena, sizeof *name);
    if (name == NULL)
        return NULL;
    name->prober = prober;
    name->lookup.on_done = on_found;
    name->next = prober->name_probes;
    prober->name_probes = name;
    const rc_resolve_result result =
        rc_resolver_find(&prober->resolver, host, &name->lookup, &addresses);
    name->is_over = result != RC_RESOLVE_PENDING;
    name->address_count = result == RC_RESOLVE_FOUND ? addresses.count : 0;
    prober->pending += name->is_over ? 0 : 1;
    return name;
}

/* ---- loop ---- */

bool rc_prober_init(rc_prober *prober, rc_doctor *doctor)
{
    rc_upstream_settings settings = rc_upstream_settings_default();
    memset(prober, 0, sizeof *prober);
    prober->doctor = doctor;
    settings.alloc = doctor->cli->alloc;
    settings.on_secure = on_secure;
    settings.secure_ctx = prober;
    settings.resolve.cache_ms = 60 * 1000;
    if (uv_loop_init(&prober->loop) != 0)
        return false;
    if (rc_upstream_new(&prober->loop, &settings, &prober->upstream) != RC_OK) {
        (void)uv_loop_close(&prober->loop);
        return false;
    }
    rc_arena_init(&prober->arena, &doctor->cli->alloc, ARENA_MAX_BYTES);
    rc_resolver_init(&prober->resolver, &prober->loop, &settings.resolve, settings.alloc);
    (void)uv_timer_init(&prober->loop, &prober->timer);
    prober->timer.data = prober;
    (void)uv_timer_start(&prober->timer, on_deadline, (uint64_t)doctor->timeout_s * 1000, 0);
    return true;
}

void rc_prober_run(rc_prober *prober)
{
    end_if_done(prober);
    while (uv_run(&prober->loop, UV_RUN_DEFAULT) != 0) {
    }
    (void)uv_loop_close(&prober->loop);
}

void rc_prober_done(rc_prober *prober)
{
    for (rc_http_probe *probe = prober->probes; probe != NULL; probe = probe->next) {
        rc_secret_wipe_buf(&probe->request);
        rc_buf_done(&probe->request);
        rc_buf_done(&probe->body);
    }
    rc_arena_done(&prober->arena);
}
