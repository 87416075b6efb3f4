/* rc_gateway: creates the loops and their threads, opens the store, reloads and stops. Called by
 * `recourse serve` and, for the gateway of a call, by src/client/client.c. */
#define _GNU_SOURCE
#include "gateway/gateway_private.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "config/secret_load.h"
#include "gateway/observe/metrics.h"
#include "store/fault.h"
#include "store/store.h"
#include "store/writer.h"
#include "sys/clock.h"
#include "sys/file.h"

#define THREADS_BY_ITSELF 8u
#define STORE_URL_MAX ((size_t)4096)

rc_hub *rc_gateway_hub(rc_gateway *gateway)
{
    return &gateway->hub;
}

uint32_t rc_gateway_threads(const rc_gateway *gateway)
{
    return gateway->count;
}

/* ---- stopping ---- */

static void free_gateway(rc_gateway *gateway)
{
    const rc_alloc alloc = gateway->settings.alloc;
    rc_writer_stop(gateway->hub.writer);
    rc_hub_done(&gateway->hub);
    uv_mutex_destroy(&gateway->lock);
    alloc.put(alloc.ctx, gateway, sizeof *gateway);
}

static void end(rc_gateway *gateway)
{
    const rc_gateway_settings settings = gateway->settings;
    for (uint32_t i = 1; i < gateway->count; i++)
        (void)uv_thread_join(&gateway->workers[i].thread);
    free_gateway(gateway);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

static void on_ended_closed(uv_handle_t *handle)
{
    end(handle->data);
}

/* Closes the gateway when the last worker has ended. Runs on the main loop. */
static void on_ended(uv_async_t *async)
{
    rc_gateway *gateway = async->data;
    if (atomic_load(&gateway->alive) == 0 && !uv_is_closing((uv_handle_t *)async))
        uv_close((uv_handle_t *)async, on_ended_closed);
}

static void on_worker_ended(rc_gateway *gateway)
{
    atomic_fetch_sub(&gateway->alive, 1);
    (void)uv_async_send(&gateway->ended);
}

/* Called by the worker's loop when it has stopped. Runs on the worker's own thread. */
static void on_loop_stopped(void *ctx)
{
    worker *m = ctx;
    m->loop = NULL;
    if (!m->has_uv_loop) {
        on_worker_ended(m->gateway);
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
    const worker *m = async->data;
    const int command = atomic_load(&m->order);
    if (m->loop != NULL && command == ORDER_CLOSE)
        rc_loop_close(m->loop);
    else if (m->loop != NULL && command == ORDER_STOP)
        rc_loop_stop(m->loop);
}

static void run_worker(void *argument)
{
    worker *m = argument;
    (void)uv_run(&m->uv_loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&m->uv_loop);
    on_worker_ended(m->gateway);
}

bool rc_gateway_start(rc_gateway *gateway)
{
    for (uint32_t i = 1; i < gateway->count; i++) {
        worker *m = &gateway->workers[i];
        if (uv_thread_create(&m->thread, run_worker, m) != 0)
            return false;
        m->is_running = true;
    }
    return true;
}

static void give_order(rc_gateway *gateway, order command)
{
    for (uint32_t i = 1; i < gateway->count; i++) {
        worker *m = &gateway->workers[i];
        atomic_store(&m->order, (int)command);
        uv_mutex_lock(&gateway->lock);
        if (m->is_running && !m->is_over)
            (void)uv_async_send(&m->orders);
        uv_mutex_unlock(&gateway->lock);
    }
    if (gateway->count == 0 || gateway->workers[0].loop == NULL)
        return;
    if (command == ORDER_STOP)
        rc_loop_stop(gateway->workers[0].loop);
    else
        rc_loop_close(gateway->workers[0].loop);
}

void rc_gateway_stop(rc_gateway *gateway)
{
    give_order(gateway, ORDER_STOP);
}

/* Closes the loops whose thread was never started. The calling thread runs these loops until they
 * are closed. */
static void end_idle_workers(rc_gateway *gateway)
{
    while (gateway->count > 1 && !gateway->workers[gateway->count - 1].is_running) {
        worker *m = &gateway->workers[--gateway->count];
        rc_loop_close(m->loop);
        (void)uv_run(&m->uv_loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&m->uv_loop);
        atomic_fetch_sub(&gateway->alive, 1);
    }
}

void rc_gateway_close(rc_gateway *gateway)
{
    end_idle_workers(gateway);
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
        rc_loop_listen(gateway->workers[0].loop, host, port, share, ret_listening);
    for (uint32_t i = 1; result == RC_LISTEN_OK && i < gateway->count; i++) {
        result = rc_loop_listen(gateway->workers[i].loop, host, ret_listening->port, RC_LISTEN_MORE,
                                &more);
        if (result != RC_LISTEN_OK)
            *ret_listening = more;
    }
    if (result == RC_LISTEN_OK)
        rc_listen_set_add(&gateway->listeners, &ret_listening->at);
    return result;
}

/* All loops accept connections from the same socket; the kernel chooses the loop that gets a
 * connection. */
rc_listen_result rc_gateway_listen_fd(rc_gateway *gateway, int fd, rc_listening *ret_listening)
{
    rc_listen_result result = RC_LISTEN_OK;
    for (uint32_t i = 0; result == RC_LISTEN_OK && i < gateway->count; i++) {
        const int own = i + 1 < gateway->count ? dup(fd) : fd;
        result = rc_loop_listen_fd(gateway->workers[i].loop, own, ret_listening);
        if (result != RC_LISTEN_OK)
            (void)close(own);
    }
    if (result == RC_LISTEN_OK)
        rc_listen_set_add(&gateway->listeners, &ret_listening->at);
    return result;
}

int rc_gateway_connect(rc_gateway *gateway)
{
    int ends[2];
    rc_loop *loop = gateway->workers[0].loop;
    if (loop == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    if (rc_loop_adopt(loop, ends[1]))
        return ends[0];
    (void)close(ends[0]);
    return -1;
}

/* ---- the store ---- */

static bool set_store_error(rc_load_error *error, const rc_store_fault *fault)
{
    error->store_fault = (int)fault->kind;
    rc_load_error_add(error, RC_STR("the audit store is unavailable: "));
    rc_load_error_add(error, rc_str_c(fault->detail[0] != '\0' ? fault->detail
                                                               : rc_store_fault_text(fault->kind)));
    rc_load_error_add(error, RC_STR(". "));
    rc_load_error_add(error, rc_str_c(rc_store_fault_advice(fault->kind)));
    return false;
}

/* Appends the store's URL. If the configuration treats the URL as a secret, this function reads the
 * URL from an environment variable or a file. */
static bool find_url(const rc_gateway *gateway, const rc_config *config, rc_buf *url,
                     rc_load_error *error)
{
    const rc_sys_calls *calls = gateway->settings.calls;
    const rc_secret_ref *ref = &config->store_ref;
    if (ref->kind == RC_SECRET_NONE)
        return rc_buf_push(url, config->root.store) == RC_OK;
    char scratch[STORE_URL_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    const char *why = rc_secret_load(calls, ref, &text);
    if (why == NULL && rc_buf_push(url, rc_str_trim(rc_buf_get(&text))) != RC_OK)
        why = "is too long";
    rc_secret_wipe(scratch, sizeof scratch);
    if (why == NULL)
        return true;
    rc_load_error_add(error,
                      RC_STR("the variable or file that `store` refers to cannot be read: "));
    rc_load_error_add(error, rc_str_c(rc_secret_kind_noun(ref->kind)));
    rc_load_error_add(error, RC_STR(" "));
    rc_load_error_add(error, ref->name);
    rc_load_error_add(error, RC_STR(" "));
    rc_load_error_add(error, rc_str_c(why));
    return false;
}

void rc_gateway_push_store(const rc_gateway *gateway, rc_buf *buf)
{
    rc_load_error ignored = {0};
    char scratch[STORE_URL_MAX];
    rc_buf text;
    if (gateway->hub.writer == NULL)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (find_url(gateway, gateway->hub.snapshot->config, &text, &ignored))
        rc_buf_push(buf, rc_str_trim(rc_buf_get(&text)));
    rc_secret_wipe(scratch, sizeof scratch);
}

static bool restore(rc_gateway *gateway, rc_str url, rc_store_fault *fault)
{
    const rc_gateway_settings *settings = &gateway->settings;
    const rc_store_settings reading = {.mode = RC_STORE_READ};
    rc_store *store = NULL;
    if (!rc_store_open(url, &reading, &settings->alloc, &store, fault))
        return false;
    const bool is_restored = rc_hub_restore(&gateway->hub, store, uv_now(settings->uv_loop),
                                            rc_clock_unix_ms(settings->calls), fault);
    rc_store_close(store);
    return is_restored;
}

/* Copies the URL, so that later reloads can read the budgets' state from the store. */
static void save_url(rc_hub *hub, rc_str url)
{
    char *copy = hub->alloc.get(hub->alloc.ctx, url.len);
    if (copy == NULL)
        return;
    memcpy(copy, url.ptr, url.len);
    hub->store_url = rc_str_make(copy, url.len);
    rc_hub_restore_budgets(hub, hub->snapshot);
}

static bool open_store(rc_gateway *gateway, const rc_config *config, rc_load_error *error)
{
    const rc_gateway_settings *settings = &gateway->settings;
    char scratch[STORE_URL_MAX];
    rc_buf text;
    rc_store_fault fault;
    if (config->audit.durability == RC_DURABLE_OFF)
        return true;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (!find_url(gateway, config, &text, error))
        return false;
    const rc_str url = rc_str_trim(rc_buf_get(&text));
    const rc_writer_settings writing = {
        .url = url,
        .makes_folders = config->store_kind == RC_CONFIG_STORE_STATE_DIR,
        .is_async = config->audit.durability == RC_DURABLE_ASYNC,
        .continue_on_failure = config->audit.on_failure == 1,
        .keep_days = (uint32_t)config->audit.keep_days,
        .keep_bytes = config->audit.max_bytes,
        .calls = settings->calls,
        .ctx = settings->ctx,
        .on_suppressed = settings->on_suppressed,
        .on_change = settings->on_store,
        .on_trimmed = settings->on_trimmed,
    };
    const bool is_open =
        rc_writer_start(&writing, &settings->alloc, &gateway->hub.writer, &fault) &&
        restore(gateway, url, &fault);
    if (is_open)
        save_url(&gateway->hub, url);
    rc_secret_wipe(scratch, sizeof scratch);
    return is_open || set_store_error(error, &fault);
}

/* ---- starting ---- */

static bool add_worker(rc_gateway *gateway, worker *m)
{
    const rc_gateway_settings *settings = &gateway->settings;
    const bool is_first = m == gateway->workers;
    m->gateway = gateway;
    if (!is_first && uv_loop_init(&m->uv_loop) != 0)
        return false;
    if (!is_first && uv_async_init(&m->uv_loop, &m->orders, on_order) != 0) {
        (void)uv_loop_close(&m->uv_loop);
        return false;
    }
    m->orders.data = m;
    m->has_uv_loop = !is_first;
    const rc_loop_settings loop = {
        .stats = &m->stats,
        .hub = &gateway->hub,
        .loop_number = (uint32_t)(m - gateway->workers),
        .calls = settings->calls,
        .alloc = settings->alloc,
        .observer = {.ctx = settings->ctx,
                     .on_record = settings->on_record,
                     .wants_record = settings->wants_record,
                     .on_budget = settings->on_budget,
                     .on_quota = settings->on_quota},
        .on_stopped = on_loop_stopped,
        .ctx = m,
    };
    m->loop = rc_loop_new(is_first ? settings->uv_loop : &m->uv_loop, &loop);
    if (m->loop != NULL)
        return true;
    if (m->has_uv_loop) {
        uv_close((uv_handle_t *)&m->orders, NULL);
        (void)uv_run(&m->uv_loop, UV_RUN_DEFAULT);
        (void)uv_loop_close(&m->uv_loop);
    }
    return false;
}

static uint32_t loops_for(uint32_t requested)
{
    if (requested > 0)
        return requested < RC_GATEWAY_LOOPS_MAX ? requested : RC_GATEWAY_LOOPS_MAX;
    const uint32_t processors = uv_available_parallelism();
    return processors < THREADS_BY_ITSELF ? processors : THREADS_BY_ITSELF;
}

static bool add_workers(rc_gateway *gateway)
{
    const uint32_t wanted = loops_for(gateway->settings.threads);
    while (gateway->count < wanted) {
        if (!add_worker(gateway, &gateway->workers[gateway->count]))
            return false;
        gateway->count++;
        atomic_fetch_add(&gateway->alive, 1);
    }
    return true;
}

rc_gateway *rc_gateway_new(const rc_gateway_settings *settings, const rc_snapshot_input *input,
                           rc_load_error *ret_error)
{
    const rc_alloc *alloc = &settings->alloc;
    const uint64_t now_ms = uv_now(settings->uv_loop);
    *ret_error = (rc_load_error){.is_memory = true, .text = "there is not enough memory"};
    rc_gateway *gateway = alloc->get(alloc->ctx, sizeof *gateway);
    if (gateway == NULL)
        return NULL;
    memset(gateway, 0, sizeof *gateway);
    gateway->settings = *settings;
    const bool has_lock = uv_mutex_init(&gateway->lock) == 0;
    if (!has_lock || rc_hub_init(&gateway->hub, settings->calls, alloc,
                                 loops_for(settings->threads), now_ms) != RC_OK) {
        if (has_lock)
            uv_mutex_destroy(&gateway->lock);
        alloc->put(alloc->ctx, gateway, sizeof *gateway);
        return NULL;
    }
    rc_gateway_name_hop(gateway);
    *ret_error = (rc_load_error){0};
    if (rc_hub_load(&gateway->hub, input, now_ms, ret_error)) {
        if (open_store(gateway, input->config, ret_error))
            return gateway;
        gateway->hub.snapshot->input = (rc_snapshot_input){0}; /* On failure the input still belongs
                                                                  to the caller, so that rc_hub_done
                                                                  must not free it. */
    }
    free_gateway(gateway);
    return NULL;
}

bool rc_gateway_open(rc_gateway *gateway)
{
    if (uv_async_init(gateway->settings.uv_loop, &gateway->ended, on_ended) != 0)
        return false;
    gateway->ended.data = gateway;
    gateway->is_open = true;
    return add_workers(gateway);
}

void rc_gateway_count_reload(rc_gateway *gateway, bool is_loaded)
{
    rc_metrics_on_reload(rc_metrics_shard_get(gateway->hub.metrics, 0), is_loaded);
}

bool rc_gateway_reload(rc_gateway *gateway, const rc_snapshot_input *input,
                       rc_load_error *ret_error)
{
    const bool is_loaded =
        rc_gateway_check_input(gateway, input, ret_error) &&
        rc_hub_load(&gateway->hub, input, uv_now(gateway->settings.uv_loop), ret_error);
    rc_gateway_count_reload(gateway, is_loaded);
    if (is_loaded && gateway->hub.writer != NULL)
        rc_writer_set_retention(gateway->hub.writer, (uint32_t)input->config->audit.keep_days,
                                input->config->audit.max_bytes);
    return is_loaded;
}
