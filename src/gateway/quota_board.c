#include "gateway/quota_board.h"

#include <string.h>

#define FIRST_ROOM 8u

struct rc_quota_pair {
    uint16_t target;
    uint16_t credential;
    uint16_t next; /* of its chain: place + 1; 0: none */
    bool is_used;
    int64_t heard_unix_ms;
    rc_quota_alarm alarm;
    rc_quota_fact facts[RC_QUOTA_KIND_COUNT];
};

rc_status rc_quota_board_init(rc_quota_board *board, const rc_alloc *alloc)
{
    memset(board, 0, sizeof *board);
    board->alloc = *alloc;
    return uv_mutex_init(&board->lock) == 0 ? RC_OK : RC_E_NOMEM;
}

void rc_quota_board_done(rc_quota_board *board)
{
    if (board->pairs != NULL)
        board->alloc.put(board->alloc.ctx, board->pairs, board->room * sizeof *board->pairs);
    uv_mutex_destroy(&board->lock);
}

/* ---- pairs, with the lock held ---- */

static uint16_t *chain_of(rc_quota_board *board, uint16_t target, uint16_t credential)
{
    const uint32_t key = (uint32_t)target << 16 | credential;
    return &board->chains[(key * UINT32_C(2654435761)) >> 24];
}

static rc_quota_pair *find(rc_quota_board *board, uint16_t target, uint16_t credential)
{
    uint32_t at = *chain_of(board, target, credential);
    while (at != 0) {
        rc_quota_pair *pair = &board->pairs[at - 1];
        if (pair->target == target && pair->credential == credential)
            return pair;
        at = pair->next;
    }
    return NULL;
}

static void drop(rc_quota_board *board, rc_quota_pair *pair)
{
    const uint16_t place = (uint16_t)(pair - board->pairs + 1);
    uint16_t *at = chain_of(board, pair->target, pair->credential);
    while (*at != place)
        at = &board->pairs[*at - 1].next;
    *at = pair->next;
    pair->is_used = false;
}

static bool grow(rc_quota_board *board)
{
    const rc_alloc *alloc = &board->alloc;
    const uint32_t room = board->room > 0 ? board->room * 2 : FIRST_ROOM;
    if (room > RC_QUOTA_BOARD_MAX)
        return false;
    rc_quota_pair *pairs = alloc->get(alloc->ctx, room * sizeof *pairs);
    if (pairs == NULL)
        return false;
    if (board->pairs != NULL) {
        memcpy(pairs, board->pairs, board->count * sizeof *pairs);
        alloc->put(alloc->ctx, board->pairs, board->room * sizeof *board->pairs);
    }
    board->pairs = pairs;
    board->room = room;
    return true;
}

/* One that was forgotten, or was heard of longest ago. NULL: there are none at all. */
static rc_quota_pair *oldest(rc_quota_board *board)
{
    rc_quota_pair *found = NULL;
    for (uint32_t i = 0; i < board->count; i++) {
        rc_quota_pair *pair = &board->pairs[i];
        if (!pair->is_used)
            return pair;
        if (found == NULL || pair->heard_unix_ms < found->heard_unix_ms)
            found = pair;
    }
    if (found != NULL)
        drop(board, found);
    return found;
}

static rc_quota_pair *add(rc_quota_board *board, uint16_t target, uint16_t credential)
{
    rc_quota_pair *pair =
        board->count < board->room || grow(board) ? &board->pairs[board->count++] : oldest(board);
    if (pair == NULL)
        return NULL;
    uint16_t *chain = chain_of(board, target, credential);
    *pair = (rc_quota_pair){
        .target = target, .credential = credential, .next = *chain, .is_used = true};
    *chain = (uint16_t)(pair - board->pairs + 1);
    return pair;
}

/* ---- what is said ---- */

static const rc_quota *lowest_of(const rc_quotas *quotas, rc_quota_kind kind)
{
    const rc_quota *lowest = NULL;
    for (uint32_t i = 0; i < quotas->count; i++) {
        const rc_quota *quota = &quotas->list[i];
        if (quota->kind == kind && rc_quota_is_sound(quota) &&
            (lowest == NULL || rc_quota_is_lower(quota, lowest)))
            lowest = quota;
    }
    return lowest;
}

static void keep(rc_quota_fact *fact, const rc_quota *quota, int64_t now_unix_ms)
{
    size_t len = quota->name.len;
    if (len > RC_QUOTA_NAME_MAX)
        len = RC_QUOTA_NAME_MAX;
    fact->kind = quota->kind;
    fact->name_len = (uint8_t)len;
    if (len > 0)
        memcpy(fact->name, quota->name.ptr, len);
    fact->remaining = quota->remaining;
    fact->limit = quota->limit;
    fact->renewed_unix_ms = quota->reset_ms > 0 ? now_unix_ms + quota->reset_ms : 0;
    fact->until_unix_ms = now_unix_ms + rc_quota_window_ms(quota);
}

static bool is_any_sound(const rc_quotas *quotas)
{
    for (uint32_t i = 0; i < quotas->count; i++)
        if (rc_quota_is_sound(&quotas->list[i]))
            return true;
    return false;
}

const rc_quota *rc_quota_board_note(rc_quota_board *board, uint16_t target, uint16_t credential,
                                    const rc_quotas *quotas)
{
    const rc_quota *low = NULL;
    if (!is_any_sound(quotas))
        return NULL;
    uv_mutex_lock(&board->lock);
    rc_quota_pair *pair = find(board, target, credential);
    if (pair == NULL)
        pair = add(board, target, credential);
    for (int kind = 0; pair != NULL && kind < RC_QUOTA_KIND_COUNT; kind++) {
        const rc_quota *lowest = lowest_of(quotas, (rc_quota_kind)kind);
        if (lowest != NULL)
            keep(&pair->facts[kind], lowest, quotas->now_unix_ms);
    }
    if (pair != NULL) {
        pair->heard_unix_ms = quotas->now_unix_ms;
        low = rc_quota_alarm_ring(&pair->alarm, quotas);
    }
    uv_mutex_unlock(&board->lock);
    return low;
}

void rc_quota_board_forget(rc_quota_board *board, uint16_t target)
{
    uv_mutex_lock(&board->lock);
    for (uint32_t i = 0; i < board->count; i++)
        if (board->pairs[i].is_used && board->pairs[i].target == target)
            drop(board, &board->pairs[i]);
    uv_mutex_unlock(&board->lock);
}

/* ---- looking ---- */

uint32_t rc_quota_board_most(rc_quota_board *board)
{
    uv_mutex_lock(&board->lock);
    const uint32_t most = board->count * RC_QUOTA_KIND_COUNT;
    uv_mutex_unlock(&board->lock);
    return most;
}

static uint32_t look_at(const rc_quota_pair *pair, int64_t now_unix_ms, rc_quota_seen *list,
                        uint32_t room)
{
    uint32_t count = 0;
    for (int kind = 0; kind < RC_QUOTA_KIND_COUNT && count < room; kind++)
        if (pair->facts[kind].until_unix_ms > now_unix_ms)
            list[count++] = (rc_quota_seen){
                .target = pair->target, .credential = pair->credential, .fact = pair->facts[kind]};
    return count;
}

uint32_t rc_quota_board_look(rc_quota_board *board, int64_t now_unix_ms, rc_quota_seen *ret_list,
                             uint32_t room)
{
    uint32_t count = 0;
    uv_mutex_lock(&board->lock);
    for (uint32_t i = 0; i < board->count; i++)
        if (board->pairs[i].is_used)
            count += look_at(&board->pairs[i], now_unix_ms, ret_list + count, room - count);
    uv_mutex_unlock(&board->lock);
    return count;
}

static rc_quota quota_of(const rc_quota_fact *fact)
{
    return (rc_quota){.remaining = fact->remaining, .limit = fact->limit};
}

bool rc_quota_fact_is_low(const rc_quota_fact *fact)
{
    const rc_quota quota = quota_of(fact);
    return rc_quota_is_low(&quota, RC_QUOTA_LOW_PERCENT);
}

bool rc_quota_fact_is_lower(const rc_quota_fact *a, const rc_quota_fact *b)
{
    const rc_quota first = quota_of(a);
    const rc_quota second = quota_of(b);
    return rc_quota_is_lower(&first, &second);
}
