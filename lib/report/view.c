/* Views: decides which parts of a report a user, a model or an operator may see. Called by the
 * encoder and the renderers. */
#include "report/view.h"

#include "base/str.h"
#include "report/client_fixable.h"
#include "report/fields.h"
#include "scrub/scrub.h"

/* Maximum length in bytes of a name (type, code or parameter) of the provider that is shown. */
#define NAME_MAX_BYTES 64u

static const rc_str METADATA_KEY = RC_STR_INIT("provider_metadata");

rc_view rc_view_checked(rc_view view)
{
    return view == RC_VIEW_MODEL || view == RC_VIEW_INTERNAL ? view : RC_VIEW_USER;
}

static const rc_field *find(const rc_field_table *table, rc_str key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (rc_str_eq(table->fields[i].key, key))
            return &table->fields[i];
    }
    return NULL;
}

static bool is_in_view(const rc_field *field, rc_view view)
{
    return field && (field->views & (unsigned)rc_view_checked(view)) != 0;
}

bool rc_view_has(rc_view view, rc_str key)
{
    return is_in_view(find(&rc_report_fields, key), view);
}

bool rc_view_is_client_fixable(const rc_report *report)
{
    return rc_user_action_is_client_fixable(rc_report_action(report));
}

bool rc_view_is_name(rc_str text)
{
    if (text.len == 0 || text.len > NAME_MAX_BYTES)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool is_inside = c == '.' || c == '-' || c == '[' || c == ']';
        if (!rc_ascii_is_alnum(c) && c != '_' && (!is_inside || i == 0))
            return false;
    }
    return true;
}

bool rc_view_has_field(rc_view view, const rc_field *field, const void *object)
{
    if (field->views & (unsigned)view)
        return true;
    if (!field->is_client_fixable || view != RC_VIEW_USER || !rc_view_is_client_fixable(object))
        return false;
    return field->kind != RC_FIELD_TEXT ||
           rc_view_is_name(*(const rc_str *)(const void *)((const char *)object + field->offset));
}

bool rc_view_has_metadata(rc_view view, const rc_report *report, rc_str key)
{
    const rc_field *metadata = find(&rc_report_fields, METADATA_KEY);
    const rc_field *field = find(metadata->members, key);
    return field && is_in_view(metadata, view) &&
           rc_view_has_field(rc_view_checked(view), field, report);
}

static bool is_path_like(rc_str key)
{
    return rc_str_find_byte(key, '/', 0) != RC_STR_NPOS ||
           rc_str_find_byte(key, '\\', 0) != RC_STR_NPOS;
}

bool rc_view_has_context(rc_view view, const rc_context_entry *entry)
{
    view = rc_view_checked(view);
    if (view == RC_VIEW_MODEL && is_path_like(entry->key))
        return false;
    return rc_context_key_is_in_view(entry->key, (unsigned)view);
}

rc_str rc_view_text(rc_view view, rc_str text, rc_text_scratch *scratch)
{
    if (view != RC_VIEW_MODEL || text.len == 0)
        return text;
    rc_buf masked;
    rc_buf_init_fixed(&masked, scratch->bytes, sizeof scratch->bytes);
    if (rc_scrub_paths(text, &masked) != RC_OK)
        return RC_STR("[path]");
    return rc_buf_get(&masked);
}

void rc_view_push(rc_view view, rc_str text, rc_buf *buf)
{
    if (view == RC_VIEW_MODEL)
        rc_scrub_paths(text, buf);
    else
        rc_buf_push(buf, text);
}
