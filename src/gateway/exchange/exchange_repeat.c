/* Detects a request that repeats an earlier request with a final error; see repeats.h. Called by
 * exchange_request.c and exchange_reply.c. */
#include "gateway/exchange/exchange_repeat.h"
#include "base/str.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "render/text.h"

/* Bodies with more bytes are not compared. */
#define BODY_MAX ((size_t)4 << 20)

static bool is_comparable(const rc_exchange *exchange)
{
    return !exchange->is_body_gone && !exchange->is_body_streamed &&
           exchange->request.body.len > 0 && exchange->request.body.len <= BODY_MAX;
}

static rc_str agent_of(const rc_exchange *exchange)
{
    return rc_http1_find(exchange->request.reader, exchange->request.head, RC_STR("user-agent"));
}

/* Hashes the client, the path with its query, and the body. */
static uint64_t hash_of(const rc_exchange *exchange)
{
    const rc_config *config = exchange->snapshot->config;
    const rc_str parts[] = {
        exchange->client != SIZE_MAX ? config->clients[exchange->client].name : agent_of(exchange),
        rc_http1_target(exchange->request.reader, exchange->request.head),
        exchange->request.body,
    };
    return rc_repeats_hash(&exchange->runtime->hub->repeats, parts, sizeof parts / sizeof parts[0]);
}

void rc_exchange_check_repeat(rc_exchange *exchange)
{
    rc_repeats *repeats = &exchange->runtime->hub->repeats;
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    if (!rc_repeats_is_armed(repeats, now_ms) || !is_comparable(exchange))
        return;
    rc_repeats_caller caller = {.is_product = exchange->client == SIZE_MAX};
    caller.name = caller.is_product ? rc_repeats_product(agent_of(exchange))
                                    : exchange->snapshot->config->clients[exchange->client].name;
    (void)rc_repeats_check(repeats, hash_of(exchange), &caller, now_ms,
                           rc_runtime_unix_ms(exchange->runtime));
}

void rc_exchange_note_final_error(const rc_exchange *exchange)
{
    if (!rc_render_should_retry(exchange->report) && is_comparable(exchange))
        rc_repeats_add(&exchange->runtime->hub->repeats, hash_of(exchange),
                       rc_report_code(exchange->report), rc_runtime_now(exchange->runtime));
}
