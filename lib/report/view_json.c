/* Writes the JSON members of a report in one of its views. Called by the encoder, partial.c and the
 * JSON renderers. */
#include "report/view_json.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "base/vec16.h"
#include "codec/datetime.h"
#include "report/view.h"

/* Writes a text in which file paths are masked. This function is not inlined, because its scratch
 * buffer is too large for the stack frames of its callers. */
static void put_masked(rc_json_writer *w, rc_view view, rc_str text)
{
    rc_text_scratch scratch;
    rc_json_string(w, rc_view_text(view, text, &scratch));
}

void rc_view_json_string(rc_json_writer *w, rc_view view, rc_str text)
{
    if (view == RC_VIEW_MODEL)
        put_masked(w, view, text);
    else
        rc_json_string(w, text);
}

void rc_view_json_member(rc_json_writer *w, rc_view view, rc_str key, rc_str text)
{
    if (text.len == 0)
        return;
    rc_json_key(w, key);
    rc_view_json_string(w, view, text);
}

void rc_view_json_member_name(rc_json_writer *w, rc_str key, const char *name)
{
    if (name[0])
        rc_json_member_string(w, key, rc_str_c(name));
}

void rc_view_json_member_time(rc_json_writer *w, rc_str key, int64_t unix_ms)
{
    char memory[64];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_rfc3339_push(&text, unix_ms);
    rc_json_member_string(w, key, rc_buf_get(&text));
}

/* Returns the length of the longest prefix of `text` that takes at most `max` bytes when escaped.
 * If the text is cut, these bytes include the "…" at its end. */
static size_t cut_len(rc_str text, size_t max, bool *ret_is_cut)
{
    static const size_t DOTS = 3;
    size_t used = 0;
    size_t fits = 0; /* length of the longest prefix that leaves space for the "…" */
    size_t len;
    *ret_is_cut = false;
    for (size_t at = 0; at < text.len; at += len) {
        uint32_t cp = rc_utf8_decode(text, at, &len);
        if (used + DOTS <= max)
            fits = at;
        used += rc_json_escaped_len(cp, len);
        if (used > max) {
            *ret_is_cut = true;
            return fits;
        }
    }
    return text.len;
}

void rc_view_json_cut(rc_json_writer *w, rc_str text, size_t max)
{
    /* The most frequent case first: a short name or id without characters that need an escape. */
    if (text.len <= max && rc_vec16_is_simple(text.ptr, text.len, '\0')) {
        rc_json_string_verbatim(w, text);
        return;
    }
    bool is_cut;
    size_t len = cut_len(text, max, &is_cut);
    char memory[RC_VIEW_JSON_CUT_MAX];
    rc_buf cut;
    rc_buf_init_fixed(&cut, memory, sizeof memory);
    rc_buf_push(&cut, rc_str_slice(text, 0, len));
    if (is_cut)
        rc_buf_push(&cut, RC_STR("…"));
    rc_json_string(w, rc_buf_get(&cut));
}

void rc_view_json_member_cut(rc_json_writer *w, rc_str key, rc_str text, size_t max)
{
    if (text.len == 0)
        return;
    rc_json_key(w, key);
    rc_view_json_cut(w, text, max);
}

void rc_view_json_member_action(rc_json_writer *w, rc_view view, const rc_report *report)
{
    const char *kind = rc_user_action_name(rc_report_action(report));
    rc_str detail = rc_report_action_detail(report);
    if (!kind[0] && detail.len == 0)
        return;
    rc_json_key(w, RC_STR("user_action"));
    rc_json_object_begin(w);
    rc_view_json_member_name(w, RC_STR("kind"), kind);
    rc_view_json_member(w, view, RC_STR("detail"), detail);
    rc_json_object_end(w);
}

static void put_entry(rc_json_writer *w, rc_view view, const rc_context_entry *entry)
{
    rc_json_key(w, entry->key);
    if (entry->kind == RC_VALUE_INT)
        rc_json_i64(w, entry->number);
    else if (entry->kind == RC_VALUE_BOOL)
        rc_json_bool(w, entry->flag);
    else
        rc_view_json_string(w, view, entry->text);
}

void rc_view_json_member_context(rc_json_writer *w, rc_view view, const rc_report *report)
{
    bool is_open = false;
    for (size_t i = 0; i < rc_report_context_count(report); i++) {
        const rc_context_entry *entry = rc_report_context_at(report, i);
        if (!rc_view_has_context(view, entry))
            continue;
        if (!is_open) {
            rc_json_key(w, RC_STR("context"));
            rc_json_object_begin(w);
        }
        is_open = true;
        put_entry(w, view, entry);
    }
    if (is_open)
        rc_json_object_end(w);
}

void rc_view_json_member_report(rc_json_writer *w, rc_view view, rc_str key,
                                const rc_report *report)
{
    rc_json_key(w, key);
    /* The empty value marks the member as written in the writer's state. The encoder then appends
     * the report to the same buffer. */
    rc_json_raw(w, RC_STR(""));
    rc_report_encode(report, rc_view_checked(view), w->buf);
}
