/* Report encoder: writes a report as JSON in one of three views. Called by the store, the CLI and
 * view_json.c. */
#include <recourse/json.h>

#include "report/fields.h"
#include "report/report_private.h"
#include "report/view.h"
#include "report/view_json.h"
#include "json/writer.h"

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

/* Writes an OBJECT field with its members. Writes nothing if the view shows none of the members. */
static void put_members(rc_json_writer *w, const rc_field *field, const void *object, rc_view view)
{
    const rc_field_table *table = field->members;
    for (size_t i = 0; i < table->count; i++) {
        if (rc_field_is_set(&table->fields[i], object) &&
            rc_view_has_field(view, &table->fields[i], object)) {
            rc_json_ready_key_push(w, &field->ready_key);
            put_object(w, table, object, view);
            return;
        }
    }
}

static inline void put_text(rc_json_writer *w, const rc_field *field, rc_str text, rc_view view)
{
    if (text.len == 0)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    if (view == RC_VIEW_MODEL)
        rc_view_json_string(w, view, text);
    else
        rc_json_string(w, text);
}

static void put_int(rc_json_writer *w, const rc_field *field, int64_t number)
{
    if (number == field->absent)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    rc_json_i64(w, number);
}

/* Writes a BOOL or ENUM field. */
static void put_name(rc_json_writer *w, const rc_field *field, uint32_t value)
{
    if (value == 0)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    if (field->kind == RC_FIELD_BOOL)
        rc_json_bool(w, value == RC_TRUE);
    else
        rc_json_string_verbatim(w, rc_str_c(field->names->name(value)));
}

static void put_attempts(rc_json_writer *w, const rc_field *field, const rc_report *report,
                         rc_view view)
{
    if (!report->attempt_count)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    rc_json_array_begin(w);
    for (size_t i = 0; i < report->attempt_count; i++)
        put_object(w, &rc_report_attempt_fields, &report->attempts[i], view);
    rc_json_array_end(w);
}

static void put_sources(rc_json_writer *w, const rc_field *field, const rc_report *report)
{
    if (!report->source_count)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    rc_json_array_begin(w);
    for (size_t i = 0; i < report->source_count; i++)
        rc_json_string(w, report->sources[i]);
    rc_json_array_end(w);
}

/* Writes one field. The function recurses for the cause; a chain of causes has at most
 * RC_REPORT_CAUSE_DEPTH_MAX reports. */
static void put_field(rc_json_writer *w, const rc_field *field, const void *object, rc_view view)
{
    const char *at = (const char *)object + field->offset;
    switch (field->kind) {
    case RC_FIELD_TEXT:
        return; /* the function put_object writes fields of this kind */
    case RC_FIELD_INT:
        put_int(w, field, *(const int64_t *)(const void *)at);
        return;
    case RC_FIELD_BOOL:
    case RC_FIELD_ENUM:
        put_name(w, field, *(const uint32_t *)(const void *)at);
        return;
    case RC_FIELD_OBJECT:
        put_members(w, field, object, view);
        return;
    case RC_FIELD_CONTEXT:
        rc_view_json_member_context(w, view, object);
        return;
    case RC_FIELD_ATTEMPTS:
        put_attempts(w, field, object, view);
        return;
    case RC_FIELD_SOURCES:
        put_sources(w, field, object);
        return;
    case RC_FIELD_CAUSE:
        break;
    }
    const rc_report *cause = ((const rc_report *)object)->cause;
    if (!cause)
        return;
    rc_json_ready_key_push(w, &field->ready_key);
    put_object(w, &rc_report_fields, cause, view);
}

static void put_object(rc_json_writer *w, const rc_field_table *table, const void *object,
                       rc_view view)
{
    rc_json_object_begin(w);
    for (size_t i = 0; i < table->count; i++) {
        const rc_field *field = &table->fields[i];
        const char *at = (const char *)object + field->offset;
        if (!rc_view_has_field(view, field, object))
            continue;
        if (field->kind == RC_FIELD_TEXT) /* the most frequent case first: a text, and most texts
                                             are absent */
            put_text(w, field, *(const rc_str *)(const void *)at, view);
        else
            put_field(w, field, object, view);
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
