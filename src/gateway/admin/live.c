/* rc_admin_live: collects the events of all loops and sends them in batches to the listeners
 * (clients of GET /admin/v1/live). Called by src/cli/serve. */
#include "gateway/admin/live.h"

#include <stdatomic.h>
#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "store/record_json.h"
#include "sys/clock.h"
#include "json/writer.h"

#define NAME_MAX_BYTES 127
#define EVENT_MAX ((size_t)4 << 20)
#define STATE_ARENA_MAX ((size_t)4 << 20)
/* Queue 0 has the requests that succeeded at the first attempt, queue 1 all other requests. */
#define QUEUES 2
#define HANDLES 3

typedef struct name {
    uint8_t len;
    char text[NAME_MAX_BYTES];
} name;

/* A request that ended. */
typedef struct operation {
    int64_t ended_unix_ms;
    rc_outcome outcome;
    rc_code code;
    rc_error_class error_class;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t latency_ms;
    int64_t first_byte_ms;
    uint64_t bytes;
    int64_t tokens_in; /* -1 if unknown. The next two members have the same special value. */
    int64_t tokens_out;
    int64_t cost_usd_micro;
    int status;
    bool is_stream;
    bool is_committed;
    name id, client, route, model, provider, target, message;
} operation;

/* A provider's limit that is nearly used up. */
typedef struct quota_warning {
    int64_t unix_ms;
    rc_quota quota; /* The quota; its name views `kind`. */
    name id, target, credential, kind;
} quota_warning;

typedef struct batch {
    uint32_t warning_count;
    quota_warning warnings[RC_ADMIN_LIVE_QUOTAS_MAX];
    uint32_t counts[QUEUES];
    operation operations[QUEUES][RC_ADMIN_LIVE_BATCH_MAX];
} batch;

typedef struct listener {
    struct listener *prev, *next;
    rc_admin_live *live;
    rc_admin_stream *stream;
    bool is_behind; /* The listener's send buffer is full. */
    uint64_t missed;
} listener;

struct rc_admin_live {
    uv_loop_t *loop;
    rc_alloc alloc;
    const rc_sys_calls *calls;
    rc_admin_source source;
    listener *first;
    atomic_uint listeners;
    uv_async_t wake;
    uv_timer_t batch_timer;
    uv_timer_t poll_timer;
    uint32_t handles;     /* Number of libuv handles that are not closed yet. */
    uint64_t warnings;    /* Number of warnings that were sent. */
    uint64_t state_hash;  /* Hash of the state that was sent last. */
    uint32_t quiet_polls; /* Number of polls since the state was sent last. */
    rc_buf event;

    uv_mutex_t lock;
    batch *filling; /* The batch for the next events. NULL if there is no listener. `lock` guards
                     * `filling` and `dropped`. */
    uint64_t dropped;
    batch *sending;
};

/* ---- publishing ---- */

static void name_set(name *storage, rc_str text)
{
    storage->len = (uint8_t)rc_utf8_cut(text, NAME_MAX_BYTES);
    if (storage->len > 0)
        memcpy(storage->text, text.ptr, storage->len);
}

static rc_str get(const name *storage)
{
    return rc_str_make(storage->text, storage->len);
}

static void operation_set(operation *to, const rc_exchange_summary *record, int64_t now_unix_ms)
{
    const rc_report *report = record->report;
    *to = (operation){
        .ended_unix_ms = now_unix_ms,
        .outcome = record->outcome,
        .code = report != NULL ? rc_report_code(report) : RC_CODE_NONE,
        .error_class = report != NULL ? rc_report_class(report) : RC_CLASS_NONE,
        .attempts = record->attempts,
        .switches = record->switches,
        .wait_ms = record->wait_ms,
        .latency_ms = record->latency_ms,
        .first_byte_ms = record->first_byte_ms,
        .bytes = record->bytes,
        .tokens_in = record->tokens_in,
        .tokens_out = record->tokens_out,
        .cost_usd_micro = record->cost_usd_micro,
        .status = record->status,
        .is_stream = record->is_stream,
        .is_committed = record->is_committed,
    };
    name_set(&to->id, record->request_id);
    name_set(&to->client, record->client);
    name_set(&to->route, record->route);
    name_set(&to->model, record->model);
    name_set(&to->provider, record->provider);
    name_set(&to->target, record->target);
    if (report != NULL)
        name_set(&to->message, rc_report_message(report));
}

bool rc_admin_live_is_read(const rc_admin_live *live)
{
    return atomic_load_explicit(&live->listeners, memory_order_relaxed) > 0;
}

void rc_admin_live_publish(rc_admin_live *live, const rc_exchange_summary *record)
{
    if (!rc_admin_live_is_read(live))
        return;
    const bool is_plain = record->outcome == RC_OUTCOME_SUCCEEDED && record->attempts <= 1;
    const size_t queue = is_plain ? 0 : 1;
    const int64_t now_unix_ms = rc_clock_unix_ms(live->calls);
    uv_mutex_lock(&live->lock);
    batch *to = live->filling;
    if (to != NULL && to->counts[queue] < RC_ADMIN_LIVE_BATCH_MAX)
        operation_set(&to->operations[queue][to->counts[queue]++], record, now_unix_ms);
    else
        live->dropped++;
    uv_mutex_unlock(&live->lock);
    (void)uv_async_send(&live->wake);
}

void rc_admin_live_publish_quota(rc_admin_live *live, const rc_quota_warning *warning)
{
    if (!rc_admin_live_is_read(live))
        return;
    uv_mutex_lock(&live->lock);
    batch *to = live->filling;
    if (to != NULL && to->warning_count < RC_ADMIN_LIVE_QUOTAS_MAX) {
        quota_warning *l = &to->warnings[to->warning_count++];
        *l = (quota_warning){.unix_ms = warning->unix_ms, .quota = *warning->quota};
        name_set(&l->id, warning->request_id);
        name_set(&l->target, warning->target);
        name_set(&l->credential, warning->credential);
        name_set(&l->kind, warning->quota->name);
    }
    uv_mutex_unlock(&live->lock);
    (void)uv_async_send(&live->wake);
}

/* ---- events ---- */

static void event_begin(rc_admin_live *live, const char *kind)
{
    rc_buf_reset(&live->event);
    rc_buf_push(&live->event, RC_STR("event: "));
    rc_buf_push(&live->event, rc_str_c(kind));
    rc_buf_push(&live->event, RC_STR("\ndata: "));
}

static void event_end(rc_admin_live *live)
{
    rc_buf_push(&live->event, RC_STR("\n\n"));
}

/* Writes the current event to a listener. operations: the number of operations in the event. If the
 * listener is behind, or there was no memory for the event, these operations are counted as
 * missed. */
static void write_to(listener *l, uint64_t operations)
{
    const rc_buf *event = &l->live->event;
    if (l->is_behind || rc_buf_status(event) != RC_OK)
        l->missed += operations;
    else
        l->is_behind = !rc_admin_stream_write(l->stream, rc_buf_get(event));
}

static void write_to_all(const rc_admin_live *live, uint64_t operations)
{
    for (listener *l = live->first; l != NULL; l = l->next)
        write_to(l, operations);
}

static void make_dropped(rc_admin_live *live, uint64_t count)
{
    event_begin(live, "dropped");
    rc_buf_push(&live->event, RC_STR("{\"count\":"));
    rc_buf_push_u64(&live->event, count);
    rc_buf_push_byte(&live->event, '}');
    event_end(live);
}

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

/* Writes the target as "provider/model", as the audit does. */
static void put_target(rc_json_writer *w, const operation *op)
{
    char storage[2 * NAME_MAX_BYTES + 1];
    rc_buf text;
    if (op->provider.len == 0)
        return;
    rc_buf_init_fixed(&text, storage, sizeof(storage));
    rc_buf_push(&text, get(&op->provider));
    rc_buf_push_byte(&text, '/');
    rc_buf_push(&text, get(&op->target));
    rc_json_member_string(w, RC_STR("target"), rc_buf_get(&text));
}

/* Writes tokens and cost. Values of 0 are left out, as in the list of operations. */
static void put_usage(rc_json_writer *w, const operation *op)
{
    if (op->tokens_in > 0)
        rc_json_member_i64(w, RC_STR("tokens_in"), op->tokens_in);
    if (op->tokens_out > 0)
        rc_json_member_i64(w, RC_STR("tokens_out"), op->tokens_out);
    if (op->cost_usd_micro > 0)
        rc_record_json_usd(w, RC_STR("cost_usd"), (uint64_t)op->cost_usd_micro);
}

static void make_operation(rc_admin_live *live, const operation *op)
{
    rc_json_writer writer;
    rc_json_writer *w = &writer;
    event_begin(live, "operation");
    rc_json_writer_init(w, &live->event, 0);
    rc_json_object_begin(w);
    rc_record_json_text(w, RC_STR("id"), get(&op->id));
    rc_record_json_time(w, RC_STR("began"), op->ended_unix_ms - (int64_t)op->latency_ms);
    rc_record_json_time(w, RC_STR("ended"), op->ended_unix_ms);
    rc_record_json_text(w, RC_STR("client"), get(&op->client));
    rc_record_json_text(w, RC_STR("route"), get(&op->route));
    rc_record_json_text(w, RC_STR("model"), get(&op->model));
    put_target(w, op);
    rc_record_json_text(w, RC_STR("provider"), get(&op->provider));
    rc_record_json_text(w, RC_STR("outcome"), rc_str_c(rc_outcome_name(op->outcome)));
    if (op->outcome == RC_OUTCOME_SUCCEEDED && op->attempts > 1)
        rc_json_member_bool(w, RC_STR("recovered"), true);
    rc_record_json_text(w, RC_STR("code"), rc_str_c(rc_code_name(op->code)));
    rc_record_json_text(w, RC_STR("class"), rc_str_c(rc_class_name(op->error_class)));
    if (op->status > 0)
        put_number(w, RC_STR("status"), (uint64_t)op->status);
    put_number(w, RC_STR("attempts"), op->attempts);
    put_number(w, RC_STR("switches"), op->switches);
    put_number(w, RC_STR("wait_ms"), op->wait_ms);
    put_number(w, RC_STR("latency_ms"), op->latency_ms);
    if (op->first_byte_ms >= 0)
        rc_json_member_i64(w, RC_STR("first_byte_ms"), op->first_byte_ms);
    put_number(w, RC_STR("bytes"), op->bytes);
    put_usage(w, op);
    rc_json_member_bool(w, RC_STR("streaming"), op->is_stream);
    rc_json_member_bool(w, RC_STR("committed"), op->is_committed);
    rc_record_json_text(w, RC_STR("message"), get(&op->message));
    rc_json_object_end(w);
    event_end(live);
}

static void make_warning(rc_admin_live *live, quota_warning *l)
{
    rc_event event = {
        .seq = ++live->warnings, .time_unix_ms = l->unix_ms, .correlation_id = get(&l->id)};
    l->quota.name = get(&l->kind);
    rc_quota_event(&l->quota, get(&l->target), get(&l->credential), &event);
    event_begin(live, rc_event_type_name(event.type));
    (void)rc_event_encode(&event, &live->event);
    rc_buf_push_byte(&live->event, '\n'); /* The event's JSON ends in a newline; this second newline
                                             ends the server-sent event. */
}

/* ---- delivering ---- */

static void clear(batch *b)
{
    b->warning_count = 0;
    memset(b->counts, 0, sizeof(b->counts));
}

static void on_batch(uv_timer_t *timer)
{
    rc_admin_live *live = timer->data;
    uv_mutex_lock(&live->lock);
    batch *full = live->filling;
    const uint64_t dropped = live->dropped;
    live->dropped = 0;
    if (full != NULL) {
        live->filling = live->sending;
        live->sending = full;
        clear(live->filling);
    }
    uv_mutex_unlock(&live->lock);
    if (full == NULL)
        return;
    for (uint32_t i = 0; i < full->warning_count; i++) {
        make_warning(live, &full->warnings[i]);
        write_to_all(live, 0);
    }
    for (size_t queue = QUEUES; queue-- > 0;)
        for (uint32_t i = 0; i < full->counts[queue]; i++) {
            make_operation(live, &full->operations[queue][i]);
            write_to_all(live, 1);
        }
    if (dropped > 0) {
        make_dropped(live, dropped);
        write_to_all(live, dropped);
    }
}

static void on_wake(uv_async_t *async)
{
    rc_admin_live *live = async->data;
    if (!uv_is_active((uv_handle_t *)&live->batch_timer))
        (void)uv_timer_start(&live->batch_timer, on_batch, RC_ADMIN_LIVE_BATCH_MS, 0);
}

/* ---- states ---- */

static uint64_t hash_mix(uint64_t state_hash, uint64_t value)
{
    return (state_hash ^ value) * UINT64_C(0x100000001B3);
}

/* Mixes the identity of a waiting request into the hash. */
static uint64_t mix_waiter(uint64_t state_hash, const rc_admin_waiter *waiter)
{
    for (size_t i = 0; i < waiter->request_id.len; i++)
        state_hash = hash_mix(state_hash, (uint8_t)waiter->request_id.ptr[i]);
    return state_hash;
}

/* Returns a hash of the parts of the state whose changes are sent to listeners. Numbers of calls
 * and remaining times are not part of the hash, because they change all the time. */
static uint64_t state_hash_of(const rc_admin_snapshot *snapshot)
{
    uint64_t state_hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < snapshot->target_count; i++) {
        const rc_admin_target *target = &snapshot->targets[i];
        state_hash =
            hash_mix(state_hash, (uint64_t)rc_admin_target_state_of(target) << 8 | target->health);
        state_hash =
            hash_mix(state_hash, (uint64_t)target->breaker << 32 | (uint64_t)target->cooling_code);
        state_hash = hash_mix(state_hash, (uint64_t)target->admission << 32 | target->usable_keys);
        state_hash =
            hash_mix(state_hash, (uint64_t)target->masked_with << 32 | (target->masked_count > 0));
    }
    for (size_t i = 0; i < snapshot->key_count; i++) {
        const rc_admin_key *key = &snapshot->keys[i];
        state_hash = hash_mix(state_hash, (uint64_t)key->state);
        for (size_t k = 0; k < key->quota_count; k++)
            state_hash = hash_mix(state_hash, key->quotas[k].is_low ? 1 : 0);
    }
    for (size_t i = 0; i < snapshot->money_budget_count; i++) {
        const rc_ledger_state *is = &snapshot->money_budgets[i].state;
        const bool is_spent = is->limit > 0 && is->spent >= is->limit;
        state_hash = hash_mix(state_hash, is->limit << 3 | (is->is_refusing ? 4u : 0u) |
                                              (is->has_waiters ? 2u : 0u) | (is_spent ? 1u : 0u));
    }
    for (size_t i = 0; i < snapshot->repeat_count; i++)
        state_hash = hash_mix(state_hash, snapshot->repeats[i].count);
    state_hash = hash_mix(state_hash, snapshot->target_count << 32 | snapshot->key_count);
    state_hash = hash_mix(state_hash, snapshot->queue.count);
    if (snapshot->queue.waiter_count > 0)
        state_hash = mix_waiter(state_hash, &snapshot->queue.waiters[0]);
    state_hash = hash_mix(state_hash,
                          snapshot->config.generation << 1 | (snapshot->config.is_refused ? 1 : 0));
    state_hash =
        hash_mix(state_hash, (snapshot->is_ready ? 1u : 0u) | (snapshot->is_draining ? 2u : 0u) |
                                 (snapshot->store.is_down ? 4u : 0u));
    return state_hash;
}

/* Makes the `state` event. Returns false if nothing has changed and no repetition is due, or if
 * memory runs out. */
static bool make_state(rc_admin_live *live, bool is_forced)
{
    rc_arena arena;
    rc_admin_snapshot snapshot = {0};
    bool is_due = false;
    rc_arena_init(&arena, &live->alloc, STATE_ARENA_MAX);
    if (live->source.fill_snapshot(live->source.ctx, &arena, &snapshot)) {
        const uint64_t state_hash = state_hash_of(&snapshot);
        is_due = is_forced || state_hash != live->state_hash ||
                 ++live->quiet_polls >= RC_ADMIN_LIVE_QUIET_POLLS;
        if (is_due) {
            live->quiet_polls = 0;
            live->state_hash = state_hash;
            event_begin(live, "state");
            rc_admin_push_state(&live->event, &snapshot, RC_ADMIN_PART_ALL);
            rc_buf_push_byte(&live->event, '\n'); /* The JSON of the state ends in a newline; this
                                                     second newline ends the server-sent event. */
        }
    }
    rc_arena_done(&arena);
    return is_due && rc_buf_status(&live->event) == RC_OK;
}

static void on_poll(uv_timer_t *timer)
{
    rc_admin_live *live = timer->data;
    if (make_state(live, false))
        write_to_all(live, 0);
}

/* ---- listeners ---- */

static void drop_batches(rc_admin_live *live)
{
    const rc_alloc *alloc = &live->alloc;
    uv_mutex_lock(&live->lock);
    batch *batches[] = {live->filling, live->sending};
    live->filling = live->sending = NULL;
    live->dropped = 0;
    uv_mutex_unlock(&live->lock);
    for (size_t i = 0; i < 2; i++)
        if (batches[i] != NULL)
            alloc->put(alloc->ctx, batches[i], sizeof(batch));
}

static bool make_batches(rc_admin_live *live)
{
    const rc_alloc *alloc = &live->alloc;
    batch *batches[2];
    if (live->filling != NULL)
        return true;
    for (size_t i = 0; i < 2; i++) {
        batches[i] = alloc->get(alloc->ctx, sizeof(batch));
        if (batches[i] != NULL)
            clear(batches[i]);
    }
    uv_mutex_lock(&live->lock);
    live->filling = batches[0];
    live->sending = batches[1];
    uv_mutex_unlock(&live->lock);
    if (batches[0] != NULL && batches[1] != NULL)
        return true;
    drop_batches(live);
    return false;
}

static void on_end(void *ctx)
{
    listener *l = ctx;
    rc_admin_live *live = l->live;
    if (l->prev != NULL)
        l->prev->next = l->next;
    else
        live->first = l->next;
    if (l->next != NULL)
        l->next->prev = l->prev;
    live->alloc.put(live->alloc.ctx, l, sizeof(*l));
    if (atomic_fetch_sub(&live->listeners, 1) > 1)
        return;
    (void)uv_timer_stop(&live->poll_timer);
    (void)uv_timer_stop(&live->batch_timer);
    drop_batches(live);
    rc_buf_done(&live->event);
    rc_buf_init(&live->event, &live->alloc, EVENT_MAX);
}

/* Called when the listener's send buffer has space again. Sends the number of missed operations and
 * the current state. */
static void on_drained(void *ctx)
{
    listener *l = ctx;
    rc_admin_live *live = l->live;
    const uint64_t missed = l->missed;
    l->is_behind = false;
    l->missed = 0;
    if (missed > 0) {
        make_dropped(live, missed);
        write_to(l, missed);
    }
    if (make_state(live, true))
        write_to(l, 0);
}

static const rc_admin_stream_handler stream_handler = {.on_drained = on_drained, .on_end = on_end};

static void refuse(const rc_admin_request *request, rc_admin_stream *stream)
{
    const rc_admin_problem problem = {
        RC_CODE_INTERNAL, 503,
        RC_STR("The maximum number of clients is already connected to the live page."),
        RC_ACTION_WAIT_AND_RETRY,
        RC_STR("Close a dashboard page that you do not need, and try again.")};
    rc_admin_reply_problem(request->core, rc_admin_stream_reply(stream), &problem);
    rc_admin_stream_send(stream);
}

static void on_live(void *ctx, const rc_admin_request *request, rc_admin_stream *stream)
{
    rc_admin_live *live = ctx;
    const rc_alloc *alloc = &live->alloc;
    const uint32_t listeners = atomic_load(&live->listeners);
    if (listeners >= RC_ADMIN_LIVE_LISTENERS_MAX || live->handles < HANDLES) {
        refuse(request, stream);
        return;
    }
    listener *l = make_batches(live) ? alloc->get(alloc->ctx, sizeof(*l)) : NULL;
    if (l == NULL) {
        if (listeners == 0)
            drop_batches(live);
        rc_admin_reply_no_memory(request->core, rc_admin_stream_reply(stream));
        rc_admin_stream_send(stream);
        return;
    }
    *l = (listener){.next = live->first, .live = live, .stream = stream};
    if (l->next != NULL)
        l->next->prev = l;
    live->first = l;
    if (atomic_fetch_add(&live->listeners, 1) == 0)
        (void)uv_timer_start(&live->poll_timer, on_poll, RC_ADMIN_LIVE_POLL_MS,
                             RC_ADMIN_LIVE_POLL_MS);
    rc_admin_stream_attach(stream, &stream_handler, l);
    if (rc_admin_stream_begin(stream, "text/event-stream") && make_state(live, true))
        write_to(l, 0);
}

static const rc_admin_route routes[] = {{"GET", "/admin/v1/live", RC_ADMIN_READ, NULL, on_live}};

rc_admin_table rc_admin_live_table(rc_admin_live *live)
{
    return (rc_admin_table){routes, 1, live};
}

void rc_admin_live_disconnect_all(rc_admin_live *live)
{
    for (const listener *l = live->first; l != NULL; l = l->next)
        rc_admin_stream_end(l->stream);
}

/* ---- life cycle ---- */

rc_admin_live *rc_admin_live_new(uv_loop_t *loop, const rc_alloc *alloc, const rc_sys_calls *calls,
                                 const rc_admin_source *source)
{
    rc_admin_live *live = alloc->get(alloc->ctx, sizeof(*live));
    if (live == NULL)
        return NULL;
    memset(live, 0, sizeof(*live));
    live->loop = loop;
    live->alloc = *alloc;
    live->calls = calls;
    live->source = *source;
    rc_buf_init(&live->event, alloc, EVENT_MAX);
    if (uv_mutex_init(&live->lock) != 0 || uv_async_init(loop, &live->wake, on_wake) != 0) {
        alloc->put(alloc->ctx, live, sizeof(*live));
        return NULL;
    }
    (void)uv_timer_init(loop, &live->batch_timer);
    (void)uv_timer_init(loop, &live->poll_timer);
    live->wake.data = live->batch_timer.data = live->poll_timer.data = live;
    live->handles = HANDLES;
    /* An unreferenced handle does not keep the loop running. */
    uv_unref((uv_handle_t *)&live->wake);
    return live;
}

static void on_closed(uv_handle_t *handle)
{
    rc_admin_live *live = handle->data;
    const rc_alloc alloc = live->alloc;
    if (--live->handles > 0)
        return;
    drop_batches(live);
    rc_buf_done(&live->event);
    uv_mutex_destroy(&live->lock);
    alloc.put(alloc.ctx, live, sizeof(*live));
}

void rc_admin_live_close(rc_admin_live *live)
{
    if (live == NULL)
        return;
    uv_close((uv_handle_t *)&live->wake, on_closed);
    uv_close((uv_handle_t *)&live->batch_timer, on_closed);
    uv_close((uv_handle_t *)&live->poll_timer, on_closed);
}
