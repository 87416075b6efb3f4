/* Removes seals from requests that are not translated. Called by attempt.c and
 * attempt_translate.c. */
#include "gateway/exchange/translate/attempt_strip.h"

#include <string.h>

#include "base/str.h"
#include "dialect/interface.h"
#include "dialect/translate/plan.h"
#include "dialect/translate/strip.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"

#define EDITS_MAX_BYTES ((size_t)4 << 20)
/* A seal is replaced by at most this many bytes more than it has. */
#define MORE_BYTES ((size_t)64 << 10)

struct rc_attempt_strip {
    rc_buf body;
    size_t text_len;
    char text[RC_PLAN_NAMES_MAX];
};

static void write_text(rc_attempt_strip *strip, rc_dialect dialect, uint64_t adapted)
{
    rc_buf text;
    bool is_first = true;
    rc_buf_init_fixed(&text, strip->text, sizeof strip->text);
    rc_buf_push(&text, rc_str_c(rc_interface_name(dialect)));
    rc_buf_push_byte(&text, '>');
    rc_buf_push(&text, rc_str_c(rc_interface_name(dialect)));
    rc_buf_push(&text, RC_STR("; adapted="));
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++) {
        if ((adapted >> i & 1) == 0)
            continue;
        rc_buf_push(&text, is_first ? RC_STR("") : RC_STR(","));
        rc_buf_push(&text, rc_feature_name((rc_feature)i));
        is_first = false;
    }
    strip->text_len = rc_buf_get(&text).len;
}

static bool is_due(const rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    return attempt->translation == NULL && attempt->strip == NULL &&
           rc_snapshot_may_seal(exchange->snapshot, exchange->request.endpoint) &&
           !exchange->is_body_streamed && !exchange->request.is_compressed &&
           rc_strip_is_due(exchange->request.body);
}

static rc_attempt_strip *make(const rc_attempt *attempt)
{
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    rc_attempt_strip *strip = alloc->get(alloc->ctx, sizeof *strip);
    if (strip == NULL)
        return NULL;
    rc_buf_init(&strip->body, alloc, attempt->exchange->request.body.len + MORE_BYTES);
    strip->text_len = 0;
    return strip;
}

/* Returns false if memory runs out. A body that is malformed is sent as it is, for the provider to
 * refuse. */
static bool remove_seals(rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    uint64_t adapted = 0;
    rc_buf edits;
    rc_buf_init(&edits, &exchange->runtime->alloc, EDITS_MAX_BYTES);
    const rc_status status =
        rc_strip_seals(exchange->request.endpoint->dialect, exchange->request.body, &edits,
                       &attempt->strip->body, &adapted);
    rc_buf_done(&edits);
    if (status != RC_OK || adapted == 0)
        rc_attempt_strip_done(attempt);
    else
        write_text(attempt->strip, exchange->request.endpoint->dialect, adapted);
    return status != RC_E_NOMEM;
}

rc_request_fault rc_attempt_strip_request(rc_attempt *attempt, rc_client_request *copy,
                                          const rc_client_request **ret_request)
{
    *ret_request = &attempt->exchange->request;
    if (!is_due(attempt))
        return rc_request_fault_none();
    attempt->strip = make(attempt);
    if (attempt->strip == NULL || !remove_seals(attempt))
        return rc_request_fault_make(RC_REQUEST_FAULT_MEMORY, "", "");
    if (attempt->strip == NULL)
        return rc_request_fault_none();
    memcpy(copy, &attempt->exchange->request, sizeof *copy);
    rc_client_request_forget_start(copy);
    *ret_request = copy;
    return rc_client_request_read_body(copy, rc_buf_get(&attempt->strip->body));
}

void rc_attempt_strip_free_request(rc_attempt *attempt)
{
    if (attempt->strip != NULL)
        rc_buf_release(&attempt->strip->body);
}

void rc_attempt_strip_done(rc_attempt *attempt)
{
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    if (attempt->strip == NULL)
        return;
    rc_buf_done(&attempt->strip->body);
    alloc->put(alloc->ctx, attempt->strip, sizeof *attempt->strip);
    attempt->strip = NULL;
}

rc_str rc_attempt_strip_text(const rc_attempt *attempt)
{
    const rc_attempt_strip *strip = attempt->strip;
    return strip != NULL ? rc_str_make(strip->text, strip->text_len) : rc_str_make(NULL, 0);
}
