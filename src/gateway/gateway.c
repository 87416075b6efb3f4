#define _GNU_SOURCE
#include "gateway/gateway_private.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "config/secret_load.h"
#include "sys/clock.h"
#include "sys/file.h"

#define THREADS_BY_ITSELF 8u
#define STORE_URL_MAX ((size_t)4096)

rc_gate_world *rc_gateway_world(rc_gateway *gateway)
{
    return &gateway->world;
}

uint32_t rc_gateway_threads(const rc_gateway *gateway)
{
    return gateway->count;
}

/* ---- the end ---- */

static void free_gateway(rc_gateway *gateway)
{
    const rc_alloc alloc = gateway->settings.alloc;
    rc_writer_stop(gateway->world.writer);
    rc_gate_world_done(&gateway->world);
    uv_mutex_destroy(&gateway->lock);
    alloc.put(alloc.ctx, gateway, sizeof *gateway);
}

static void end(rc_gateway *gateway)
{
    const rc_gateway_settings settings = gateway->settings;
    for (uint32_t i = 1; i < gateway->count; i++)
        (void)uv_thread_join(&gateway->members[i].thread);
    free_gateway(gateway);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

static void on_ended_closed(uv_handle_t *handle)
{
    end(handle->data);
}

/* On the main loop. */
static void on_ended(uv_async_t *async)
{
    rc_gateway *gateway = async->data;
    if (atomic_load(&gateway->alive) == 0 && !uv_is_closing((uv_handle_t *)async))
        uv_close((uv_handle_t *)async, on_ended_closed);
}

static void leave(rc_gateway *gateway)
{
    atomic_fetch_sub(&gateway->alive, 1);
    (void)uv_async_send(&gateway->ended);
}

/* On the member's own thread. */
static void on_gate_stopped(void *ctx)
{
    member *m = ctx;
    m->gate = NULL;
    if (!m->has_loop) {
        leave(m->gateway);
        return;
    }
    uv_mutex_lock(&m->gateway->lock);
    m->is_over = true;
    uv_close((uv_handle_t *)&m->orders, NULL);
    uv_mutex_unlock(&m->gateway->lock);
}

/* ---- threads ---- */

static void on_order(uv_async_t *async)
{
    const member *m = async->data;
    const int what = atomic_load(&m->order);
    if (m->gate != NULL && what == ORDER_CLOSE)
        rc_gate_close(m->gate);
    else if (m->gate != NULL && what == ORDER_STOP)
        rc_gate_stop(m->gate);
}

static void run_member(void *argument)
{
    member *m = argument;
    (void)uv_run(&m->loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&m->loop);
    leave(m->gateway);
}

bool rc_gateway_start(rc_gateway *gateway)
{
    for (uint32_t i = 1; i < gateway->count; i++) {
        member *m = &gateway->members[i];
        if (uv_thread_create(&m->thread, run_member, m) != 0)
            return false;
        m->is_running = true;
    }
    return true;
}

static void give_order(rc_gateway *gateway, order what)
{
    for (uint32_t i = 1; i < gateway->count; i++) {
        member *m = &gateway->members[i];
        atomic_store(&m->order, (int)what);
        uv_mutex_lock(&gateway->lock);
        if (m->is_running && !m->is_over)
            (void)uv_async_send(&m->orders);
        uv_mutex_unlock(&gateway->lock);
    }
    if (gateway->count == 0 || gateway->members[0].gate == NULL)
        return;
    if (what == ORDER_STOP)
        rc_gate_stop(gateway->members[0].gate);
    else
        rc_gate_close(gateway->members[0].gate);
}

void rc_gateway_stop(rc_gateway *gateway)
{
    give_order(gateway, ORDER_STOP);
}

/* A loop that never ran ends in this thread. */
static void end_idle_members(rc_gateway *gateway)
{
    while (gateway->count > 1 && !gateway->members[gateway->count - 1].is_running) {
        member *m = &gateway->members[--gateway->count];
        rc_gate_close(m->gate);
        (void)uv_run(&m->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&m->loop);
        atomic_fetch_sub(&gateway->alive, 1);
    }
}

void rc_gateway_close(rc_gateway *gateway)
{
    end_idle_members(gateway);
    give_order(gateway, ORDER_CLOSE);
    if (!gateway->is_open)
        end(gateway);
    else if (atomic_load(&gateway->alive) == 0)
        (void)uv_async_send(&gateway->ended);
}

/* ---- listening ---- */

rc_listen_result rc_gateway_listen(rc_gateway *gateway, const char *host, uint16_t port,
                                   rc_listening *ret_listening)
{
    const rc_listen_share share = gateway->count > 1 ? RC_LISTEN_FIRST : RC_LISTEN_ALONE;
    rc_listening more;
    rc_listen_result result =
        rc_gate_listen(gateway->members[0].gate, host, port, share, ret_listening);
    for (uint32_t i = 1; result == RC_LISTEN_OK && i < gateway->count; i++) {
        result = rc_gate_listen(gateway->members[i].gate, host, ret_listening->port, RC_LISTEN_MORE,
                                &more);
        if (result != RC_LISTEN_OK)
            *ret_listening = more;
    }
    if (result == RC_LISTEN_OK)
        rc_here_add(&gateway->here, &ret_listening->at);
    return result;
}

/* Every loop waits at the same socket; whoever is first takes a connection. */
rc_listen_result rc_gateway_listen_fd(rc_gateway *gateway, int fd, rc_listening *ret_listening)
{
    rc_listen_result result = RC_LISTEN_OK;
    for (uint32_t i = 0; result == RC_LISTEN_OK && i < gateway->count; i++) {
        const int own = i + 1 < gateway->count ? dup(fd) : fd;
        result = rc_gate_listen_fd(gateway->members[i].gate, own, ret_listening);
        if (result != RC_LISTEN_OK)
            (void)close(own);
    }
    if (result == RC_LISTEN_OK)
        rc_here_add(&gateway->here, &ret_listening->at);
    return result;
}

int rc_gateway_connect(rc_gateway *gateway)
{
    int ends[2];
    rc_gate *gate = gateway->members[0].gate;
    if (gate == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    if (rc_gate_adopt(gate, ends[1]))
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/* ---- the store ---- */

static bool say_fault(rc_gate_trouble *trouble, const rc_store_fault *fault)
{
    trouble->store_fault = (int)fault->kind;
    rc_gate_trouble_add(trouble, RC_STR("the audit cannot be kept: "));
    rc_gate_trouble_add(
        trouble,
        rc_str_c(fault->detail[0] != '\0' ? fault->detail : rc_store_fault_text(fault->kind)));
    rc_gate_trouble_add(trouble, RC_STR(". "));
    rc_gate_trouble_add(trouble, rc_str_c(rc_store_fault_advice(fault->kind)));
    return false;
}

/* A URL that is a secret is read from where it is. */
static bool find_url(const rc_gateway *gateway, const rc_config *config, rc_buf *url,
                     rc_gate_trouble *trouble)
{
    const rc_sys_calls *calls = gateway->settings.calls;
    const rc_secret_ref *ref = &config->store_ref;
    if (ref->kind == RC_SECRET_NONE)
        return rc_buf_push(url, config->root.store) == RC_OK;
    char room[STORE_URL_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    const char *why = rc_secret_load(calls, ref, &text);
    if (why == NULL && rc_buf_push(url, rc_str_trim(rc_buf_get(&text))) != RC_OK)
        why = "is too long";
    rc_secret_wipe(room, sizeof room);
    if (why == NULL)
        return true;
    rc_gate_trouble_add(trouble, RC_STR("the store's address is not there: "));
    rc_gate_trouble_add(trouble, rc_str_c(rc_secret_kind_noun(ref->kind)));
    rc_gate_trouble_add(trouble, RC_STR(" "));
    rc_gate_trouble_add(trouble, ref->name);
    rc_gate_trouble_add(trouble, RC_STR(" "));
    rc_gate_trouble_add(trouble, rc_str_c(why));
    return false;
}

void rc_gateway_push_store(const rc_gateway *gateway, rc_buf *buf)
{
    rc_gate_trouble ignored = {0};
    char room[STORE_URL_MAX];
    rc_buf text;
    if (gateway->world.writer == NULL)
        return;
    rc_buf_init_fixed(&text, room, sizeof room);
    if (find_url(gateway, gateway->world.plans->config, &text, &ignored))
        rc_buf_push(buf, rc_str_trim(rc_buf_get(&text)));
    rc_secret_wipe(room, sizeof room);
}

static bool recall(rc_gateway *gateway, rc_str url, rc_store_fault *fault)
{
    const rc_gateway_settings *settings = &gateway->settings;
    const rc_store_settings reading = {.mode = RC_STORE_READ};
    rc_store *store = NULL;
    if (!rc_store_open(url, &reading, &settings->alloc, &store, fault))
        return false;
    const bool is_told = rc_gate_world_recall(&gateway->world, store, uv_now(settings->loop),
                                              rc_clock_unix_ms(settings->calls), fault);
    rc_store_close(store);
    return is_told;
}

/* For editions to come. */
static void keep_url(rc_gate_world *world, rc_str url)
{
    char *copy = world->alloc.get(world->alloc.ctx, url.len);
    if (copy == NULL)
        return;
    memcpy(copy, url.ptr, url.len);
    world->store_url = rc_str_make(copy, url.len);
    rc_gate_world_recall_money(world, world->plans);
}

static bool open_store(rc_gateway *gateway, const rc_config *config, rc_gate_trouble *trouble)
{
    const rc_gateway_settings *settings = &gateway->settings;
    char room[STORE_URL_MAX];
    rc_buf text;
    rc_store_fault fault;
    if (config->audit.durability == RC_DURABLE_OFF)
        return true;
    rc_buf_init_fixed(&text, room, sizeof room);
    if (!find_url(gateway, config, &text, trouble))
        return false;
    const rc_str url = rc_str_trim(rc_buf_get(&text));
    const rc_writer_settings writing = {
        .url = url,
        .makes_folders = config->store_kind == RC_CONFIG_STORE_STATE,
        .is_async = config->audit.durability == RC_DURABLE_ASYNC,
        .goes_on = config->audit.on_failure == 1,
        .keep_days = (uint32_t)config->audit.keep_days,
        .keep_bytes = config->audit.max_bytes,
        .calls = settings->calls,
        .ctx = settings->ctx,
        .on_suppressed = settings->on_suppressed,
        .on_change = settings->on_store,
        .on_trimmed = settings->on_trimmed,
    };
    const bool is_open =
        rc_writer_start(&writing, &settings->alloc, &gateway->world.writer, &fault) &&
        recall(gateway, url, &fault);
    if (is_open)
        keep_url(&gateway->world, url);
    rc_secret_wipe(room, sizeof room);
    return is_open || say_fault(trouble, &fault);
}

/* ---- the beginning ---- */

static bool add_member(rc_gateway *gateway, member *m)
{
    const rc_gateway_settings *settings = &gateway->settings;
    const bool is_first = m == gateway->members;
    m->gateway = gateway;
    if (!is_first && uv_loop_init(&m->loop) != 0)
        return false;
    if (!is_first && uv_async_init(&m->loop, &m->orders, on_order) != 0) {
        (void)uv_loop_close(&m->loop);
        return false;
    }
    m->orders.data = m;
    m->has_loop = !is_first;
    const rc_gate_settings gate = {
        .pulse = &m->pulse,
        .world = &gateway->world,
        .loop_number = (uint32_t)(m - gateway->members),
        .calls = settings->calls,
        .alloc = settings->alloc,
        .on_record = settings->on_record,
        .on_budget = settings->on_budget,
        .on_quota = settings->on_quota,
        .on_stopped = on_gate_stopped,
        .record_ctx = settings->ctx,
        .ctx = m,
    };
    m->gate = rc_gate_new(is_first ? settings->loop : &m->loop, &gate);
    if (m->gate != NULL)
        return true;
    if (m->has_loop) {
        uv_close((uv_handle_t *)&m->orders, NULL);
        (void)uv_run(&m->loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&m->loop);
    }
    return false;
}

static uint32_t loops_for(uint32_t asked)
{
    if (asked > 0)
        return asked < RC_GATEWAY_LOOPS_MAX ? asked : RC_GATEWAY_LOOPS_MAX;
    const uint32_t processors = uv_available_parallelism();
    return processors < THREADS_BY_ITSELF ? processors : THREADS_BY_ITSELF;
}

static bool add_members(rc_gateway *gateway)
{
    const uint32_t wanted = loops_for(gateway->settings.threads);
    while (gateway->count < wanted) {
        if (!add_member(gateway, &gateway->members[gateway->count]))
            return false;
        gateway->count++;
        atomic_fetch_add(&gateway->alive, 1);
    }
    return true;
}

rc_gateway *rc_gateway_new(const rc_gateway_settings *settings, const rc_gate_given *given,
                           rc_gate_trouble *ret_trouble)
{
    const rc_alloc *alloc = &settings->alloc;
    const uint64_t now_ms = uv_now(settings->loop);
    *ret_trouble = (rc_gate_trouble){.is_memory = true, .text = "there is no memory for it"};
    rc_gateway *gateway = alloc->get(alloc->ctx, sizeof *gateway);
    if (gateway == NULL)
        return NULL;
    memset(gateway, 0, sizeof *gateway);
    gateway->settings = *settings;
    const bool has_lock = uv_mutex_init(&gateway->lock) == 0;
    if (!has_lock || rc_gate_world_init(&gateway->world, settings->calls, alloc,
                                        loops_for(settings->threads), now_ms) != RC_OK) {
        if (has_lock)
            uv_mutex_destroy(&gateway->lock);
        alloc->put(alloc->ctx, gateway, sizeof *gateway);
        return NULL;
    }
    rc_gateway_name_hop(gateway);
    *ret_trouble = (rc_gate_trouble){0};
    if (rc_gate_world_load(&gateway->world, given, now_ms, ret_trouble)) {
        if (open_store(gateway, given->config, ret_trouble))
            return gateway;
        gateway->world.plans->given = (rc_gate_given){0}; /* still the caller's */
    }
    free_gateway(gateway);
    return NULL;
}

bool rc_gateway_open(rc_gateway *gateway)
{
    if (uv_async_init(gateway->settings.loop, &gateway->ended, on_ended) != 0)
        return false;
    gateway->ended.data = gateway;
    gateway->is_open = true;
    return add_members(gateway);
}

void rc_gateway_note_reload(rc_gateway *gateway, bool is_loaded)
{
    rc_metrics_on_reload(rc_metrics_shard_get(gateway->world.metrics, 0), is_loaded);
}

bool rc_gateway_reload(rc_gateway *gateway, const rc_gate_given *given,
                       rc_gate_trouble *ret_trouble)
{
    const bool is_loaded =
        rc_gateway_check_given(gateway, given, ret_trouble) &&
        rc_gate_world_load(&gateway->world, given, uv_now(gateway->settings.loop), ret_trouble);
    rc_gateway_note_reload(gateway, is_loaded);
    if (is_loaded && gateway->world.writer != NULL)
        rc_writer_keep(gateway->world.writer, (uint32_t)given->config->audit.keep_days,
                       given->config->audit.max_bytes);
    return is_loaded;
}
