/* Event templates: recognise stream events that have the same form as an earlier event. Called by
 * stream_walk.c. */
#include "dialect/event_template.h"

#include "base/vec16.h"
#include "dialect/usage_weight.h"
#include "json/walk.h"

/* Returns the offset after a plain number at `at` (digits without a leading zero, directly followed
 * by the end of the member); `at` if the number is not plain. */
static size_t digits_end(rc_str text, size_t at)
{
    size_t end = at;
    if (at >= text.len || text.ptr[at] < '1' || text.ptr[at] > '9')
        return at;
    while (end < text.len && rc_ascii_is_digit(text.ptr[end]))
        end++;
    return end < text.len && (text.ptr[end] == ',' || text.ptr[end] == '}') ? end : at;
}

/* ---- recording a template ---- */

/* Copies the bytes of the event up to `to` into the text of the template. Returns false if the text
 * is full; no template is recorded in this case. */
static bool take_bytes(rc_event_recorder *recorder, size_t to)
{
    const size_t more = to - recorder->taken;
    if (more > RC_EVENT_TEMPLATE_TEXT_MAX - recorder->len) {
        recorder->template = NULL;
        return false;
    }
    memcpy(recorder->text + recorder->len, recorder->data.ptr + recorder->taken, more);
    recorder->len += more;
    recorder->taken = to;
    return true;
}

static bool has_slot(const rc_event_recorder *recorder)
{
    return recorder->template != NULL && recorder->count < RC_EVENT_TEMPLATE_SLOTS_MAX;
}

void rc_event_recorder_add_content(rc_event_recorder *recorder, rc_str raw, const uint64_t *weight)
{
    if (!has_slot(recorder) || !take_bytes(recorder, (size_t)(raw.ptr - recorder->data.ptr)))
        return;
    recorder->slots[recorder->count++] =
        (rc_event_template_slot){.from = (uint16_t)(recorder->len - 1),
                                 .to = (uint16_t)(recorder->len + 1),
                                 .is_content = true,
                                 .is_weighed = weight != NULL};
    recorder->taken += raw.len;
    recorder->content_bytes += raw.len;
    recorder->weight += weight ? *weight : 0;
}

/* Returns whether the key is "type" or has escapes and may therefore be "type". The value of "type"
 * determines how the event is walked, so the value must be part of the template. */
static bool may_be_type(rc_str key)
{
    return rc_str_eq(key, RC_STR("type")) || rc_str_find_byte(key, '\\', 0) != RC_STR_NPOS;
}

void rc_event_recorder_add_ignored(rc_event_recorder *recorder, rc_str key, char first, rc_str raw)
{
    const size_t quote = first == '"' ? 1 : 0;
    const size_t from = (size_t)(raw.ptr - recorder->data.ptr) - quote;
    const size_t to = from + raw.len + 2 * quote;
    if (may_be_type(key) || (!quote && digits_end(recorder->data, from) != to) ||
        !has_slot(recorder) || !take_bytes(recorder, to))
        return;
    recorder->slots[recorder->count++] = (rc_event_template_slot){
        .from = (uint16_t)(recorder->len - (to - from)), .to = (uint16_t)recorder->len};
}

void rc_event_recorder_end(rc_event_recorder *recorder, rc_stream_dialect dialect, rc_str name,
                           const rc_stream_walk_result *found)
{
    /* In an event with a finish reason or an error, the result points into the event, so it cannot
     * be stored in a template. */
    const bool is_fit = found->info.kinds & RC_STREAM_CONTENT &&
                        !(found->info.kinds & (RC_STREAM_FINISH | RC_STREAM_ERROR)) &&
                        recorder->count > 0 && name.len <= RC_EVENT_TEMPLATE_NAME_MAX;
    rc_event_template *template = recorder->template;
    if (!is_fit || template == NULL || !take_bytes(recorder, recorder->data.len))
        return;
    template->dialect = dialect;
    template->count = (uint8_t)recorder->count;
    template->name_len = (uint8_t)name.len;
    if (name.len > 0)
        memcpy(template->name, name.ptr, name.len);
    template->result = *found;
    template->result.info.content_bytes -= recorder->content_bytes;
    template->result.usage.weight -= recorder->weight;
    memcpy(template->slots, recorder->slots, recorder->count * sizeof recorder->slots[0]);
    memcpy(template->text, recorder->text, recorder->len);
    template->len = (uint16_t)recorder->len;
}

/* ---- comparing an event with a template ---- */

/* Returns the length of the common prefix of a and b, at most len. */
static inline size_t same_len(const char *a, const char *b, size_t len)
{
    size_t at = 0;
    for (; len - at >= RC_VEC16_BYTES; at += RC_VEC16_BYTES) {
        rc_vec16 other = (rc_vec16)(rc_vec16_load(a + at) != rc_vec16_load(b + at));
        if (rc_vec16_bits(other) != 0)
            return at + (size_t)__builtin_ctz(rc_vec16_bits(other));
    }
    while (at < len && a[at] == b[at])
        at++;
    return at;
}

/* The state of a comparison of an event with a template. */
typedef struct fit {
    const rc_event_template *template;
    rc_json_walk json; /* position in the event */
    size_t at;         /* offset in the text of the template */
    size_t next;       /* index of the first slot that begins at or after `at` */
} fit;

/* Skips the event's value at the position of a slot, as the JSON walk would. Called when all bytes
 * before the slot are equal. */
static bool pass_slot(fit *f, const rc_event_template_slot *slot, rc_str *ret_raw)
{
    const size_t from = f->json.at;
    f->at = slot->to;
    if (f->template->text[slot->from] == '"')
        return from < f->json.text.len && f->json.text.ptr[from] == '"' &&
               rc_json_walk_string(&f->json, ret_raw);
    f->json.at = digits_end(f->json.text, from);
    return f->json.at > from;
}

static bool pass_content(fit *f, rc_stream_walk_result *found)
{
    const rc_event_template_slot *slot = &f->template->slots[f->next++];
    rc_str raw = {NULL, 0};
    if (!pass_slot(f, slot, &raw) || raw.len == 0)
        return false;
    found->info.content_bytes += raw.len;
    found->usage.weight += slot->is_weighed ? rc_weight_text(raw) : 0;
    return true;
}

/* Handles a difference between the event and the template at f->at: skips the value if it belongs
 * to an ignored slot that begins before `to`, otherwise returns false. */
static bool pass_other(fit *f, size_t to)
{
    const rc_event_template *template = f->template;
    rc_str unused;
    while (f->next < template->count && template->slots[f->next].to < f->at)
        f->next++;
    if (f->next == template->count)
        return false;
    const rc_event_template_slot *slot = &template->slots[f->next++];
    if (slot->from > f->at || slot->from >= to)
        return false;
    f->json.at -= f->at - slot->from;
    return pass_slot(f, slot, &unused);
}

/* Compares the event with the template's text up to `to`. The part of the text before `to` must not
 * contain a content slot. */
static bool pass_same(fit *f, size_t to)
{
    while (f->at < to) {
        const rc_str text = f->json.text;
        const size_t left = text.len - f->json.at;
        const size_t len = left < to - f->at ? left : to - f->at;
        const size_t same = same_len(f->template->text + f->at, text.ptr + f->json.at, len);
        f->at += same;
        f->json.at += same;
        if (f->at < to && !pass_other(f, to))
            return false;
    }
    return true;
}

bool rc_event_template_matches(const rc_event_template *template, rc_stream_dialect dialect,
                               rc_str name, rc_str data, rc_stream_walk_result *found)
{
    if (data.len == 0 || template->len == 0 || template->dialect != dialect ||
        !rc_str_eq(name, rc_str_make(template->name, template->name_len)))
        return false;
    rc_stream_walk_result is = template->result;
    fit f = {.template = template, .json = rc_json_walk_begin(data)};
    for (size_t i = 0; i < template->count; i++) {
        if (!template->slots[i].is_content)
            continue;
        if (!pass_same(&f, template->slots[i].from))
            return false;
        f.next = i;
        if (!pass_content(&f, &is))
            return false;
    }
    if (!pass_same(&f, template->len) || f.json.at != data.len)
        return false;
    *found = is;
    return true;
}
