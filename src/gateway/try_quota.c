/* What an answer's head says of the provider's own limits: kept for whoever looks, and a warning
 * while there is something left, which is on record with the call that heard of it. */
#include "base/str.h"
#include "gateway/job.h"

#define NAME_MAX_BYTES ((size_t)1024)

static void tell(const rc_gate_try *try, const rc_quota *low)
{
    const rc_gate_job *job = try->job;
    const rc_gate_settings *settings = &job->gate->settings;
    char target_room[2 * NAME_MAX_BYTES + 1];
    char key_room[NAME_MAX_BYTES];
    rc_buf target;
    rc_buf key;
    rc_metrics_on_quota(job->gate->metrics, job->route->places[try->entry].metric, low->kind);
    rc_gate_job_step_quota(try, low);
    if (settings->on_quota == NULL)
        return;
    rc_buf_init_fixed(&target, target_room, sizeof target_room);
    rc_buf_init_fixed(&key, key_room, sizeof key_room);
    rc_buf_push(&target, try->provider->config->name);
    if (try->model.len > 0) { /* behind /p/ there is none */
        rc_buf_push_byte(&target, '/');
        rc_buf_push(&target, try->model);
    }
    if (try->credential != RC_NO_TARGET)
        (void)rc_gate_world_credential_name(job->gate->world, try->credential, &key);
    const rc_gate_quota news = {
        .request_id = rc_str_c(job->id.text),
        .target = rc_buf_get(&target),
        .credential = rc_buf_get(&key),
        .quota = low,
        .unix_ms = rc_gate_unix_ms(job->gate),
    };
    settings->on_quota(settings->record_ctx, &news);
}

/* From the first header that may be one on. */
static void read_from(const rc_gate_try *try, const rc_upstream_head *head, uint32_t first)
{
    const rc_gate_job *job = try->job;
    rc_gate *gate = job->gate;
    rc_quotas quotas;
    rc_quotas_init(&quotas, rc_gate_unix_ms(gate));
    for (uint32_t i = first; i < head->reader->field_count; i++)
        rc_quotas_header(&quotas, rc_http1_name(head->reader, head->bytes, i),
                         rc_http1_value(head->reader, head->bytes, i));
    if (quotas.count == 0)
        return;
    rc_quotas_scrub(&quotas);
    const rc_quota *low = rc_quota_board_note(
        &gate->world->quotas, job->plan.entries[try->entry].target, try->credential, &quotas);
    if (low != NULL)
        tell(try, low);
}

void rc_gate_try_read_quota(const rc_gate_try *try, const rc_upstream_head *head)
{
    const rc_http1 *reader = head->reader;
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (rc_quotas_may_be(rc_http1_name(reader, head->bytes, i))) {
            read_from(try, head, i);
            return;
        }
}
