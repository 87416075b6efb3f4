/* Suppressed errors: the record of a failure that was handled without reaching a caller. Called by
 * event.c and the store's writer. */
#include <recourse/suppressed.h>

#include <recourse/json.h>

#include "report/view_json.h"
#include "scrub/scrub.h"
#include "json/writer.h"

/* Writes the reason without secrets; a text that does not come from a report may contain
 * secrets. */
static void put_reason(rc_json_writer *w, rc_str reason)
{
    char memory[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    if (reason.len)
        rc_scrub(reason, sizeof memory, &text);
    else
        rc_buf_push(&text, RC_STR("no reason given"));
    rc_json_member_string(w, RC_STR("reason"), rc_buf_get(&text));
}

rc_status rc_suppressed_encode(const rc_report *report, rc_str reason, uint64_t seq,
                               int64_t now_unix_ms, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("type"), RC_STR("SuppressedError"));
    rc_json_key(&w, RC_STR("seq"));
    rc_json_u64(&w, seq);
    rc_view_json_member_time(&w, RC_STR("time"), now_unix_ms);
    rc_json_member_string(&w, RC_STR("correlation_id"), rc_report_id(report));
    put_reason(&w, reason);
    rc_view_json_member_report(&w, RC_VIEW_INTERNAL, RC_STR("error"), report);
    rc_json_object_end(&w);
    rc_buf_push_byte(buf, '\n');
    return rc_buf_status(buf);
}
