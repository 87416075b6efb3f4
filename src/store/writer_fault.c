/* The writer's handling of a failing store: retries, outage, recovery. Called by writer.c and
 * writer_trim.c; the gateway calls rc_writer_emit_unsafe. */
#include <recourse/policy.h>
#include <recourse/suppressed.h>

#include "store/writer_private.h"
#include "sys/clock.h"
#include "sys/entropy.h"

#define TEXT_MAX ((size_t)256)
#define LINE_MAX_BYTES ((size_t)1 << 16)

static const rc_retry_rule *rule_of_store(void)
{
    return rc_policy_rule(rc_policy_preset(RC_STR("transport")), RC_CODE_STORE_UNAVAILABLE);
}

static rc_id make_id(rc_writer *writer, int64_t now_unix_ms)
{
    uint8_t entropy[10] = {0};
    rc_entropy_get(writer->settings.calls, entropy, sizeof(entropy));
    return rc_id_make(&writer->ids, now_unix_ms, entropy);
}

bool rc_writer_append(rc_writer *writer, const rc_batch *first, rc_store_fault *fault)
{
    const rc_retry_rule *rule = rule_of_store();
    uint64_t wait_ms = 0;
    for (uint32_t failed = 0;;) {
        if (rc_store_append(writer->store, first, fault))
            return true;
        if (fault->kind == RC_STORE_MOVED && failed == 0) {
            rc_writer_suppress(writer, fault, "the audit continues in a new file");
            if (rc_store_append(writer->store, first, fault))
                return true;
        }
        failed++;
        if (failed > rule->schedule_count || !rc_store_fault_may_pass(fault->kind) ||
            rc_writer_is_stopping(writer))
            return false;
        wait_ms = rc_backoff_wait(rule, failed, wait_ms, 0);
        rc_writer_pause(writer, wait_ms);
    }
}

/* --- suppressed errors --- */

static void send_suppressed(rc_writer *writer, const rc_report *report, rc_str reason)
{
    rc_buf line;
    if (writer->settings.on_suppressed == NULL)
        return;
    rc_buf_init(&line, &writer->alloc, LINE_MAX_BYTES);
    int64_t now_unix_ms = rc_clock_unix_ms(writer->settings.calls);
    const uint64_t seq = atomic_fetch_add(&writer->suppressed_seq, 1) + 1;
    if (rc_suppressed_encode(report, reason, seq, now_unix_ms, &line) != RC_OK)
        writer->settings.on_suppressed(writer->settings.ctx,
                                       RC_STR("{\"type\":\"SuppressedError\"}\n"));
    else
        writer->settings.on_suppressed(writer->settings.ctx, rc_buf_get(&line));
    rc_buf_done(&line);
}

void rc_writer_suppress(rc_writer *writer, const rc_store_fault *fault, const char *reason)
{
    const rc_id id = make_id(writer, rc_clock_unix_ms(writer->settings.calls));
    const rc_report *report = rc_store_fault_report(fault, &id, &writer->alloc);
    send_suppressed(writer, report, rc_str_c(reason));
    rc_report_free(report);
}

void rc_writer_emit_unsafe(rc_writer *writer, const rc_report *why)
{
    send_suppressed(writer, why, RC_STR("the response is sent before its record is stored"));
}

void rc_writer_emit_lost(rc_writer *writer, const char *reason)
{
    const uint64_t lost = rc_writer_count(writer).lost;
    if (lost == writer->emitted_lost)
        return;
    char memory[TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof(memory));
    rc_buf_push(&text, rc_str_c(reason));
    rc_buf_push(&text, RC_STR("; operations that have no record: "));
    rc_buf_push_u64(&text, lost - writer->emitted_lost);
    writer->emitted_lost = lost;
    const rc_report *why = rc_writer_why(writer);
    send_suppressed(writer, why, rc_buf_get(&text));
    rc_report_free(why);
}

/* --- outage --- */

static void go_down(rc_writer *writer, const rc_store_fault *fault)
{
    writer->down_since_unix_ms = rc_clock_unix_ms(writer->settings.calls);
    const rc_id id = make_id(writer, writer->down_since_unix_ms);
    const rc_report *why = rc_store_fault_report(fault, &id, &writer->alloc);
    uv_mutex_lock(&writer->lock);
    const rc_report *before = writer->why;
    writer->why = why;
    writer->is_down = true;
    writer->lost_before = writer->counts.lost + writer->counts.refused;
    uv_mutex_unlock(&writer->lock);
    rc_report_free(before);
    if (writer->settings.on_change != NULL)
        writer->settings.on_change(writer->settings.ctx, why);
}

static void come_back(rc_writer *writer)
{
    uv_mutex_lock(&writer->lock);
    writer->is_down = false;
    uv_mutex_unlock(&writer->lock);
    if (writer->settings.on_change != NULL)
        writer->settings.on_change(writer->settings.ctx, NULL);
}

/* Tries to store a record about the outage. If the record is stored, the store works again.
 * Operations that are lost while the record is written are counted in the next SuppressedError, not
 * in the record. */
static bool probe(rc_writer *writer)
{
    char memory[TEXT_MAX];
    rc_buf text;
    rc_store_fault fault;
    const rc_writer_counts counts = rc_writer_count(writer);
    const int64_t now_unix_ms = rc_clock_unix_ms(writer->settings.calls);
    const rc_id id = make_id(writer, now_unix_ms);
    rc_buf_init_fixed(&text, memory, sizeof(memory));
    rc_buf_push(&text, RC_STR("the store was down for "));
    rc_buf_push_i64(&text, now_unix_ms - writer->down_since_unix_ms);
    rc_buf_push(&text, RC_STR(" ms; operations that have no record: "));
    rc_buf_push_u64(&text, counts.lost + counts.refused - writer->lost_before);

    rc_record gap;
    rc_record_init(&gap, RC_RECORD_SUPPRESSED);
    gap.operation_id = rc_str_make(id.text, RC_ID_LEN);
    gap.unix_ms = now_unix_ms;
    gap.code = RC_CODE_STORE_UNAVAILABLE;
    gap.error_class = RC_CLASS_SESSION;
    gap.report_id = rc_report_id(writer->why);
    gap.text = rc_buf_get(&text);
    const rc_batch batch = {.records = &gap, .record_count = 1};
    return rc_store_append(writer->store, &batch, &fault);
}

void rc_writer_enter_outage(rc_writer *writer, rc_submission *taken, const rc_store_fault *fault)
{
    const char *reason = "requests continue without audit records";
    const rc_retry_rule *rule = rule_of_store();
    /* The submitters of an asynchronous writer have not waited, so their requests can no longer be
     * refused. */
    const bool is_lost = writer->settings.continue_on_failure || writer->settings.is_async;
    const rc_ack ack = is_lost ? RC_ACK_LOST : RC_ACK_REFUSED;
    go_down(writer, fault);
    rc_writer_finish(writer, taken, ack, writer->why);
    /* While is_down is set, no submission enters the queue. The submissions that are already in the
     * queue get the same acknowledgement. */
    rc_writer_finish(writer, rc_writer_take(writer, false), ack, writer->why);
    do {
        rc_writer_emit_lost(writer, reason);
        rc_writer_pause(writer, rc_backoff_wait(rule, rule->schedule_count, 0, 0));
        if (rc_writer_is_stopping(writer))
            return;
        /* On a full disk, deleting old operations makes space. */
        rc_writer_trim(writer);
    } while (!probe(writer));
    come_back(writer);
    rc_writer_emit_lost(writer, reason);
}
