/* What a restart must not forget: credentials that are used up or refused, targets that somebody
 * took out of service. A mark's name has a part of the key's hash in it: another key in the same
 * place is another credential. */
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

bool rc_gate_world_mark(rc_gate_world *world, uint16_t credential, uint64_t now_ms,
                        int64_t now_unix_ms, char *name, rc_store_mark *ret_mark)
{
    rc_credential_state state = RC_CREDENTIAL_HEALTHY;
    uint64_t until_ms = 0;
    rc_buf text;
    rc_buf_init_fixed(&text, name, RC_WORLD_MARK_MAX);
    uv_mutex_lock(&world->lock);
    if (credential < world->credential_count) {
        push_mark_name(&world->credentials[credential], &text);
        uv_mutex_lock(&world->shared_lock);
        const rc_credential *row = &world->shared.credentials[credential];
        state = rc_credential_state_at(row, now_ms);
        until_ms = rc_cooldown_until_ms(&row->cooldown, false);
        uv_mutex_unlock(&world->shared_lock);
    }
    uv_mutex_unlock(&world->lock);
    if ((state != RC_CREDENTIAL_EXHAUSTED && state != RC_CREDENTIAL_DEAD) ||
        rc_buf_status(&text) != RC_OK)
        return false;
    *ret_mark = (rc_store_mark){
        .kind = RC_STORE_MARK_CREDENTIAL, .name = rc_buf_get(&text), .state = (uint32_t)state};
    if (state == RC_CREDENTIAL_EXHAUSTED && until_ms > now_ms)
        ret_mark->until_unix_ms = now_unix_ms + (int64_t)(until_ms - now_ms);
    return true;
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
    const uint64_t until_ms = r->now_ms + (uint64_t)(mark->until_unix_ms - r->now_unix_ms);
    for (uint32_t i = 0; i < world->credential_count; i++) {
        char room[RC_WORLD_MARK_MAX];
        rc_buf name;
        rc_buf_init_fixed(&name, room, sizeof room);
        push_mark_name(&world->credentials[i], &name);
        if (rc_str_eq(rc_buf_get(&name), mark->name))
            rc_shared_cool_credential(&world->shared, (uint16_t)i, (rc_credential_state)mark->state,
                                      until_ms);
    }
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
    }
    return true;
}

bool rc_gate_world_recall(rc_gate_world *world, rc_store *store, uint64_t now_ms,
                          int64_t now_unix_ms, rc_store_fault *fault)
{
    recall r = {.world = world, .now_ms = now_ms, .now_unix_ms = now_unix_ms};
    return rc_store_marks(store, on_mark, &r, fault);
}
