/* Encodes events as JSON; the functions are generated from spec/events.def by the preprocessor.
 * Called by the gateway and `recourse exec`. Two rows with the same number would not compile,
 * because a switch would have two equal cases. */
#include <recourse/event.h>

#include <recourse/suppressed.h>
#include <recourse/taxonomy.h>

#include "report/view_json.h"
#include "scrub/scrub.h"
#include "json/writer.h"

/* event_types.h is generated; these asserts check that it matches the table. */
#define RC_EVENT(number, ID, EVENT, name, text) \
    _Static_assert(RC_EVENT_TYPE_##ID == (number), "event_types.h is stale: run make generate");
#include "spec/events.def"

/* Whether a field is always written, or only if it is set. */
typedef enum presence {
    ALWAYS,
    MAYBE
} presence;

const char *rc_event_type_name(rc_event_type type)
{
    switch (type) {
#define RC_EVENT(number, ID, EVENT, name, text) \
    case RC_EVENT_TYPE_##ID:                    \
        return name;
#include "spec/events.def"
    case RC_EVENT_TYPE_NONE:
        return "";
    }
    return "unknown";
}

rc_event_type rc_event_type_parse(rc_str type_name)
{
#define RC_EVENT(number, ID, EVENT, name, text) \
    if (rc_str_eq(type_name, RC_STR(name)))     \
        return RC_EVENT_TYPE_##ID;
#include "spec/events.def"
    return RC_EVENT_TYPE_NONE;
}

/* ---- field kinds: put_X writes a field of kind X in spec/events.def ---- */

/* Writes a text from which secrets must be removed, because it does not come from a report. */
static void put_clean(rc_json_writer *w, rc_str key, presence when, rc_str value, size_t max_bytes)
{
    if (when == MAYBE && rc_str_is_empty(value))
        return;
    char memory[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_scrub(value, max_bytes, &text);
    rc_json_member_string(w, key, rc_buf_get(&text));
}

static void put_NAME(rc_json_writer *w, rc_str key, presence when, rc_str value)
{
    put_clean(w, key, when, value, RC_REPORT_NAME_MAX);
}

static void put_TEXT(rc_json_writer *w, rc_str key, presence when, rc_str value)
{
    put_clean(w, key, when, value, RC_REPORT_MESSAGE_MAX);
}

static void put_COUNT(rc_json_writer *w, rc_str key, presence when, uint64_t value)
{
    if (when == MAYBE && value == 0)
        return;
    rc_json_key(w, key);
    rc_json_u64(w, value);
}

static void put_FLAG(rc_json_writer *w, rc_str key, presence when, bool value)
{
    if (when == ALWAYS || value)
        rc_json_member_bool(w, key, value);
}

/* Writes micro-dollars as a decimal number of dollars, without floating point. */
static void put_MONEY(rc_json_writer *w, rc_str key, presence when, uint64_t micro)
{
    if (when == MAYBE && micro == 0)
        return;
    char memory[32];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push_u64(&text, micro / 1000000);
    rc_buf_push_byte(&text, '.');
    for (uint64_t unit = 100000; unit > 0; unit /= 10)
        rc_buf_push_byte(&text, (char)('0' + micro / unit % 10));
    rc_json_key(w, key);
    rc_json_raw(w, rc_buf_get(&text));
}

static void put_CODE(rc_json_writer *w, rc_str key, presence when, rc_run_event value)
{
    if (when == ALWAYS || value != RC_EVENT_NONE)
        rc_json_member_string(w, key, rc_str_c(rc_run_event_name(value)));
}

static void put_REPORT(rc_json_writer *w, rc_str key, presence when, const rc_report *report)
{
    if (when == ALWAYS || report != NULL)
        rc_view_json_member_report(w, RC_VIEW_USER, key, report);
}

static void put_fields(rc_json_writer *w, const rc_event *event)
{
#define RC_EVENT_FIELD(ID, EVENT, member, KIND, key, presence, text) \
    if (event->type == RC_EVENT_TYPE_##ID)                           \
        put_##KIND(w, RC_STR(key), presence, event->as.EVENT.member);
#include "spec/events.def"
}

rc_status rc_event_encode(const rc_event *event, rc_buf *buf)
{
    const rc_str name = rc_str_c(rc_event_type_name(event->type));
    if (rc_event_type_parse(name) == RC_EVENT_TYPE_NONE)
        return RC_E_ARGUMENT;
    if (event->type == RC_EVENT_TYPE_SUPPRESSED_ERROR)
        return rc_suppressed_encode(event->as.suppressed_error.error,
                                    event->as.suppressed_error.reason, event->seq,
                                    event->time_unix_ms, buf);
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("type"), name);
    put_COUNT(&w, RC_STR("seq"), ALWAYS, event->seq);
    rc_view_json_member_time(&w, RC_STR("time"), event->time_unix_ms);
    put_NAME(&w, RC_STR("correlation_id"), ALWAYS, event->correlation_id);
    put_fields(&w, event);
    rc_json_object_end(&w);
    rc_buf_push_byte(buf, '\n');
    return rc_buf_status(buf);
}
