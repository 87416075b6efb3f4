/* Reads the provider's limits from a response head, caches them and adds a warning to the record.
 * Called by attempt_response.c. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"

#define NAME_MAX_BYTES ((size_t)1024)

static void emit(const rc_attempt *attempt, const rc_quota *low)
{
    const rc_exchange *exchange = attempt->exchange;
    const rc_loop_settings *settings = &exchange->loop->settings;
    char target_scratch[2 * NAME_MAX_BYTES + 1];
    char key_scratch[NAME_MAX_BYTES];
    rc_buf target;
    rc_buf key;
    rc_metrics_on_quota(exchange->loop->metrics, exchange->route->entries[attempt->entry].metric,
                        low->kind);
    rc_exchange_add_quota(attempt, low);
    if (settings->on_quota == NULL)
        return;
    rc_buf_init_fixed(&target, target_scratch, sizeof target_scratch);
    rc_buf_init_fixed(&key, key_scratch, sizeof key_scratch);
    rc_buf_push(&target, attempt->provider->config->name);
    if (attempt->model.len > 0) { /* Passthroughs have none. */
        rc_buf_push_byte(&target, '/');
        rc_buf_push(&target, attempt->model);
    }
    if (attempt->credential != RC_NO_TARGET)
        (void)rc_hub_credential_name(exchange->loop->hub, attempt->credential, &key);
    const rc_quota_warning warning = {
        .request_id = rc_str_c(exchange->id.text),
        .target = rc_buf_get(&target),
        .credential = rc_buf_get(&key),
        .quota = low,
        .unix_ms = rc_loop_unix_ms(exchange->loop),
    };
    settings->on_quota(settings->record_ctx, &warning);
}

/* Reads the headers, beginning with the first candidate. */
static void read_from(const rc_attempt *attempt, const rc_upstream_head *head, uint32_t first)
{
    const rc_exchange *exchange = attempt->exchange;
    rc_loop *loop = exchange->loop;
    rc_quotas quotas;
    rc_quotas_init(&quotas, rc_loop_unix_ms(loop));
    for (uint32_t i = first; i < head->reader->field_count; i++)
        rc_quotas_add_header(&quotas, rc_http1_name(head->reader, head->bytes, i),
                             rc_http1_value(head->reader, head->bytes, i));
    if (quotas.count == 0)
        return;
    rc_quotas_scrub(&quotas);
    const rc_quota *low =
        rc_quota_cache_update(&loop->hub->quotas, exchange->plan.entries[attempt->entry].target,
                              attempt->credential, &quotas);
    if (low != NULL)
        emit(attempt, low);
}

void rc_attempt_read_quota(const rc_attempt *attempt, const rc_upstream_head *head)
{
    const rc_http1 *reader = head->reader;
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (rc_quotas_is_candidate(rc_http1_name(reader, head->bytes, i))) {
            read_from(attempt, head, i);
            return;
        }
}
