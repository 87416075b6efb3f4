/* What a restart must not forget: credentials that are used up or refused, at large or at one
 * target, and targets that somebody took out of service. A mark's name has a part of the key's hash
 * in it: another key in the same place is another credential. */
#include <string.h>

#include "base/str.h"
#include "gateway/world.h"

static void push_print(rc_buf *buf, const rc_world_print *print)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof print->bytes; i++) {
        rc_buf_push_byte(buf, digits[print->bytes[i] >> 4]);
        rc_buf_push_byte(buf, digits[print->bytes[i] & 15]);
    }
}

/* Locked. "provider#0123456789abcdef": the place in the list does not matter. */
static void push_mark_name(const rc_world_credential *row, rc_buf *buf)
{
    rc_buf_push(buf, rc_str_make(row->name, row->provider_len));
    rc_buf_push_byte(buf, '#');
    push_print(buf, &row->print);
}

/* Locked. "provider#0123456789abcdef/model" */
static void push_limit_name(const rc_world_credential *row, const rc_world_target *target,
                            rc_buf *buf)
{
    push_mark_name(row, buf);
    rc_buf_push(buf, rc_str_make(target->name + target->provider_len,
                                 (size_t)(target->name_len - target->provider_len)));
}

/* What is known of a credential, for a mark. */
typedef struct known {
    rc_credential_state state;
    uint64_t until_ms;
} known;

static known look(rc_gate_world *world, const rc_credential *row, uint64_t now_ms)
{
    uv_mutex_lock(&world->shared_lock);
    const known found = {.state = rc_credential_state_at(row, now_ms),
                         .until_ms = rc_cooldown_until_ms(&row->cooldown, false)};
    uv_mutex_unlock(&world->shared_lock);
    return found;
}

static bool is_lasting(const known *found)
{
    return found->state == RC_CREDENTIAL_EXHAUSTED || found->state == RC_CREDENTIAL_DEAD;
}

/* Locked. NULL: there is no such limit. */
static const rc_credential *limit_of(const rc_gate_world *world, uint16_t target,
                                     uint16_t credential)
{
    return target < world->target_count
               ? rc_target_limit(&world->shared.targets[target], credential)
               : NULL;
}

/* Locked. */
static void note_refused(rc_gate_world *world, uint32_t credential)
{
    if (!world->credentials[credential].is_refused)
        atomic_fetch_add_explicit(&world->refused, 1, memory_order_relaxed);
    world->credentials[credential].is_refused = true;
}

bool rc_gate_world_mark(rc_gate_world *world, uint16_t target, uint16_t credential, uint64_t now_ms,
                        int64_t now_unix_ms, char *name, rc_store_mark *ret_mark)
{
    known found = {.state = RC_CREDENTIAL_HEALTHY};
    rc_store_mark_kind kind = RC_STORE_MARK_CREDENTIAL;
    rc_buf text;
    rc_buf_init_fixed(&text, name, RC_WORLD_MARK_MAX);
    uv_mutex_lock(&world->lock);
    const rc_credential *limit = limit_of(world, target, credential);
    if (credential < world->credential_count)
        found = look(world, &world->shared.credentials[credential], now_ms);
    if (is_lasting(&found)) {
        push_mark_name(&world->credentials[credential], &text);
        if (found.state == RC_CREDENTIAL_DEAD)
            note_refused(world, credential);
    } else if (limit != NULL) {
        kind = RC_STORE_MARK_LIMIT;
        found = look(world, limit, now_ms);
        push_limit_name(&world->credentials[credential], &world->targets[target], &text);
    }
    uv_mutex_unlock(&world->lock);
    if (!is_lasting(&found) || rc_buf_status(&text) != RC_OK)
        return false;
    *ret_mark =
        (rc_store_mark){.kind = kind, .name = rc_buf_get(&text), .state = (uint64_t)found.state};
    if (found.state == RC_CREDENTIAL_EXHAUSTED && found.until_ms > now_ms)
        ret_mark->until_unix_ms = now_unix_ms + (int64_t)(found.until_ms - now_ms);
    return true;
}

bool rc_gate_world_unmark(rc_gate_world *world, uint16_t credential, uint64_t now_ms, char *name,
                          rc_store_mark *ret_mark)
{
    rc_buf text;
    bool is_good = false;
    if (atomic_load_explicit(&world->refused, memory_order_relaxed) == 0)
        return false;
    rc_buf_init_fixed(&text, name, RC_WORLD_MARK_MAX);
    uv_mutex_lock(&world->lock);
    if (credential < world->credential_count && world->credentials[credential].is_refused) {
        const known found = look(world, &world->shared.credentials[credential], now_ms);
        is_good = found.state != RC_CREDENTIAL_DEAD;
    }
    if (is_good) {
        world->credentials[credential].is_refused = false;
        atomic_fetch_sub_explicit(&world->refused, 1, memory_order_relaxed);
        push_mark_name(&world->credentials[credential], &text);
    }
    uv_mutex_unlock(&world->lock);
    *ret_mark = (rc_store_mark){.kind = RC_STORE_MARK_CREDENTIAL, .name = rc_buf_get(&text)};
    return is_good && rc_buf_status(&text) == RC_OK;
}

/* Locked. target: NULL: the credential at large. */
static void add_forgotten(rc_gate_world *world, const rc_world_target *target, uint16_t credential,
                          const rc_credential *row, uint64_t now_ms, rc_world_marks *marks)
{
    const known found = look(world, row, now_ms);
    rc_buf text;
    if (!is_lasting(&found) || marks->count == RC_WORLD_MARKS_MAX)
        return;
    rc_buf_init_fixed(&text, marks->names[marks->count], RC_WORLD_MARK_MAX);
    if (target != NULL)
        push_limit_name(&world->credentials[credential], target, &text);
    else
        push_mark_name(&world->credentials[credential], &text);
    if (rc_buf_status(&text) == RC_OK)
        marks->marks[marks->count++] =
            (rc_store_mark){.kind = target != NULL ? RC_STORE_MARK_LIMIT : RC_STORE_MARK_CREDENTIAL,
                            .name = rc_buf_get(&text)};
}

void rc_gate_world_forget(rc_gate_world *world, uint16_t target, uint16_t credential,
                          uint64_t now_ms, rc_world_marks *ret_marks)
{
    ret_marks->count = 0;
    uv_mutex_lock(&world->lock);
    if (credential < world->credential_count)
        add_forgotten(world, NULL, credential, &world->shared.credentials[credential], now_ms,
                      ret_marks);
    for (uint32_t i = 0; i < world->target_count; i++) {
        const rc_target *row = &world->shared.targets[i];
        const uint32_t count = target == RC_NO_TARGET || target == i ? row->credential_count : 0;
        for (uint32_t k = 0; row->limits != NULL && k < count; k++)
            if (credential == RC_NO_TARGET || credential == row->first_credential + k)
                add_forgotten(world, &world->targets[i], (uint16_t)(row->first_credential + k),
                              &row->limits[k], now_ms, ret_marks);
    }
    uv_mutex_unlock(&world->lock);
}

/* ---- after a restart ---- */

typedef struct recall {
    rc_gate_world *world;
    uint64_t now_ms;
    int64_t now_unix_ms;
} recall;

static void recall_credential(const recall *r, const rc_store_mark *mark)
{
    rc_gate_world *world = r->world;
    if (mark->state != RC_CREDENTIAL_EXHAUSTED && mark->state != RC_CREDENTIAL_DEAD)
        return;
    if (mark->state == RC_CREDENTIAL_EXHAUSTED && mark->until_unix_ms <= r->now_unix_ms)
        return;
    /* Somebody may have put it right before the restart: a refused one is tried once. */
    const uint64_t until_ms = mark->state == RC_CREDENTIAL_DEAD
                                  ? r->now_ms
                                  : r->now_ms + (uint64_t)(mark->until_unix_ms - r->now_unix_ms);
    for (uint32_t i = 0; i < world->credential_count; i++) {
        char room[RC_WORLD_MARK_MAX];
        rc_buf name;
        rc_buf_init_fixed(&name, room, sizeof room);
        push_mark_name(&world->credentials[i], &name);
        if (!rc_str_eq(rc_buf_get(&name), mark->name))
            continue;
        if (mark->state == RC_CREDENTIAL_DEAD)
            note_refused(world, i);
        rc_shared_cool_credential(&world->shared, (uint16_t)i, (rc_credential_state)mark->state,
                                  until_ms);
    }
}

/* Of a provider of the newest edition. NULL: there is none of the name. */
static const rc_gate_provider *find_provider(const rc_gate_world *world, rc_str name)
{
    const rc_gate_plans *plans = world->plans;
    for (size_t i = 0; plans != NULL && i < plans->config->provider_count; i++)
        if (rc_str_eq(plans->config->providers[i].name, name))
            return &plans->providers[i];
    return NULL;
}

/* "provider#print/model": a target that clients alone name gets its row now, to know it there. */
static void recall_limit(const recall *r, const rc_store_mark *mark)
{
    rc_gate_world *world = r->world;
    const size_t hash = rc_str_find_byte(mark->name, '#', 0);
    const size_t slash =
        hash != RC_STR_NPOS ? rc_str_find_byte(mark->name, '/', hash) : RC_STR_NPOS;
    if (slash == RC_STR_NPOS || mark->state != RC_CREDENTIAL_EXHAUSTED ||
        mark->until_unix_ms <= r->now_unix_ms)
        return;
    const rc_gate_provider *provider = find_provider(world, rc_str_slice(mark->name, 0, hash));
    const rc_str key = rc_str_slice(mark->name, 0, slash);
    const rc_str model = rc_str_slice(mark->name, slash + 1, mark->name.len);
    const uint16_t row = provider != NULL ? rc_gate_world_guest(world, provider->config->name,
                                                                model, provider, r->now_ms)
                                          : RC_NO_TARGET;
    if (row == RC_NO_TARGET)
        return;
    const uint64_t until_ms = r->now_ms + (uint64_t)(mark->until_unix_ms - r->now_unix_ms);
    for (uint32_t i = 0; i < world->credential_count; i++) {
        char room[RC_WORLD_MARK_MAX];
        rc_buf name;
        rc_buf_init_fixed(&name, room, sizeof room);
        push_mark_name(&world->credentials[i], &name);
        if (rc_str_eq(rc_buf_get(&name), key))
            rc_shared_limit_credential(&world->shared, row, (uint16_t)i, RC_CREDENTIAL_EXHAUSTED,
                                       until_ms);
    }
    rc_gate_world_leave(world, row, r->now_ms);
}

/* A target that no route names yet gets its row when a client does: the mark stays for then. */
static void recall_target(const recall *r, const rc_store_mark *mark)
{
    const uint16_t row = rc_gate_world_take_target(r->world, mark->name);
    if (row == RC_NO_TARGET)
        return;
    if (mark->state != 0)
        rc_shared_set_service(&r->world->shared, row, false);
    rc_gate_world_leave(r->world, row, r->now_ms);
}

static bool on_mark(void *ctx, const rc_store_mark *mark)
{
    switch (mark->kind) {
    case RC_STORE_MARK_CREDENTIAL:
        recall_credential(ctx, mark);
        break;
    case RC_STORE_MARK_TARGET:
        recall_target(ctx, mark);
        break;
    case RC_STORE_MARK_LIMIT:
        recall_limit(ctx, mark);
        break;
    case RC_STORE_MARK_BUDGET:
        break; /* rc_purse_recall: an edition to come may have the budget, too */
    }
    return true;
}

static bool on_newest(void *ctx, const rc_record *record)
{
    recall *r = ctx;
    if (record->unix_ms > r->now_unix_ms)
        r->now_unix_ms = record->unix_ms;
    return false;
}

/* A clock that was set back makes waits of any length out of short ones. It was at least as late as
 * the newest call on record, and every mark came with a call: counted from there, no wait is longer
 * than it was told. */
bool rc_gate_world_recall(rc_gate_world *world, rc_store *store, uint64_t now_ms,
                          int64_t now_unix_ms, rc_store_fault *fault)
{
    const rc_store_query newest = {.limit = 1};
    recall r = {.world = world, .now_ms = now_ms, .now_unix_ms = now_unix_ms};
    return rc_store_list(store, &newest, on_newest, &r, fault) &&
           rc_store_marks(store, on_mark, &r, fault);
}
