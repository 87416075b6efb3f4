#include <recourse/json.h>

#include "base/json_writer.h"
#include "core/render_json.h"
#include "core/report_fields.h"
#include "core/report_private.h"
#include "core/view.h"

const char *rc_view_name(rc_view view)
{
    switch (view) {
    case RC_VIEW_USER:
        return "user";
    case RC_VIEW_MODEL:
        return "model";
    case RC_VIEW_INTERNAL:
        return "internal";
    }
    return "unknown";
}

rc_view rc_view_parse(rc_str name)
{
    static const rc_view ALL[] = {RC_VIEW_USER, RC_VIEW_MODEL, RC_VIEW_INTERNAL};
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
        if (rc_str_eq(name, rc_str_c(rc_view_name(ALL[i]))))
            return ALL[i];
    }
    return (rc_view)0;
}

static void put_object(rc_json_writer *w, const rc_field_table *table, const void *object,
                       rc_view view);

/* Has an OBJECT field anything to show in this view? */
static bool has_visible(const rc_field_table *table, const void *object, rc_view view)
{
    for (size_t i = 0; i < table->count; i++) {
        if ((table->fields[i].views & view) && rc_field_is_set(&table->fields[i], object))
            return true;
    }
    return false;
}

static void put_scalar(rc_json_writer *w, const rc_field *field, const void *object, rc_view view)
{
    if (field->kind == RC_FIELD_OBJECT && !has_visible(field->members, object, view))
        return;
    if (!rc_field_is_set(field, object))
        return;
    const char *at = (const char *)object + field->offset;
    rc_json_key(w, field->key);
    if (field->kind == RC_FIELD_TEXT)
        rc_render_text(w, view, *(const rc_str *)(const void *)at);
    else if (field->kind == RC_FIELD_INT)
        rc_json_i64(w, *(const int64_t *)(const void *)at);
    else if (field->kind == RC_FIELD_BOOL)
        rc_json_bool(w, *(const uint32_t *)(const void *)at == RC_TRUE);
    else if (field->kind == RC_FIELD_ENUM)
        rc_json_string(w, rc_str_c(field->names->name(*(const uint32_t *)(const void *)at)));
    else
        put_object(w, field->members, object, view);
}

static void put_attempts(rc_json_writer *w, rc_str key, const rc_report *report, rc_view view)
{
    if (!report->attempt_count)
        return;
    rc_json_key(w, key);
    rc_json_array_begin(w);
    for (size_t i = 0; i < report->attempt_count; i++)
        put_object(w, &rc_attempt_fields, &report->attempts[i], view);
    rc_json_array_end(w);
}

static void put_sources(rc_json_writer *w, rc_str key, const rc_report *report)
{
    if (!report->source_count)
        return;
    rc_json_key(w, key);
    rc_json_array_begin(w);
    for (size_t i = 0; i < report->source_count; i++)
        rc_json_string(w, report->sources[i]);
    rc_json_array_end(w);
}

/* Recurses into the cause: a chain is RC_REPORT_CAUSE_DEPTH_MAX deep at most. */
static void put_field(rc_json_writer *w, const rc_field *field, const void *object, rc_view view)
{
    switch (field->kind) {
    case RC_FIELD_TEXT:
    case RC_FIELD_INT:
    case RC_FIELD_BOOL:
    case RC_FIELD_ENUM:
    case RC_FIELD_OBJECT:
        put_scalar(w, field, object, view);
        return;
    case RC_FIELD_CONTEXT:
        rc_render_member_context(w, view, object);
        return;
    case RC_FIELD_ATTEMPTS:
        put_attempts(w, field->key, object, view);
        return;
    case RC_FIELD_SOURCES:
        put_sources(w, field->key, object);
        return;
    case RC_FIELD_CAUSE:
        break;
    }
    const rc_report *cause = ((const rc_report *)object)->cause;
    if (!cause)
        return;
    rc_json_key(w, field->key);
    put_object(w, &rc_report_fields, cause, view);
}

static void put_object(rc_json_writer *w, const rc_field_table *table, const void *object,
                       rc_view view)
{
    rc_json_object_begin(w);
    for (size_t i = 0; i < table->count; i++) {
        if (table->fields[i].views & view)
            put_field(w, &table->fields[i], object, view);
    }
    rc_json_object_end(w);
}

rc_status rc_report_encode(const rc_report *report, rc_view view, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    view = rc_view_checked(view);
    if (report)
        put_object(&w, &rc_report_fields, report, view);
    else
        rc_json_raw(&w, RC_STR("{}"));
    return rc_buf_status(buf);
}
