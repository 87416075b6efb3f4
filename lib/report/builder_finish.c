/* Finishing a report: fills fields that were not set, links the cause, and records which data was
 * lost. Called by the builder's users and by decode.c. */
#include <recourse/builder.h>

#include <recourse/taxonomy.h>

#include "report/builder_private.h"
#include "report/message.h"
#include "report/report_private.h"

/* Values of the context entry "incomplete", which records lost data. */
static const rc_str NOTE_NOMEM = RC_STR_INIT("out of memory");
static const rc_str NOTE_TOO_LARGE = RC_STR_INIT("too large");

/* Adds a context entry without an allocation. An entry with the same key is replaced; otherwise the
 * new entry goes to `notes`, whose space is part of the report. */
static void add_note(rc_report *report, rc_context_entry note)
{
    for (size_t i = 0; i < report->context_count; i++) {
        if (rc_str_eq(report->context[i].key, note.key)) {
            report->context[i] = note;
            return;
        }
    }
    if (report->notes_count < RC_REPORT_NOTES_MAX)
        report->notes[report->notes_count++] = note;
}

static void fill_from_row(rc_report *report)
{
    const rc_code_info *row = rc_code_get((rc_code)report->code);
    if (!row)
        return;
    bool has_own_category = report->category != RC_CATEGORY_NONE;
    if (!report->error_class)
        report->error_class = (uint32_t)row->error_class;
    if (!report->error_type.len)
        report->error_type = rc_str_c(rc_error_type_for(RC_FAMILY_NONE, row->code));
    if (!has_own_category)
        report->category = (uint32_t)row->category;
    if (!report->domain)
        report->domain = (uint32_t)row->domain;
    if (report->retryable == RC_UNSET) {
        bool yes = has_own_category ? rc_category_is_retryable((rc_category)report->category)
                                    : row->is_retryable;
        report->retryable = yes ? RC_TRUE : RC_FALSE;
    }
    if (!report->action) {
        report->action = (uint32_t)row->action;
        if (!report->action_detail.len)
            report->action_detail = rc_str_c(row->action_detail);
    }
}

/* Called before the report's cause is dropped: copies the texts that the report shares with the
 * cause into the report's memory. */
static void own_texts(rc_builder *builder, const rc_field_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const rc_field *field = &table->fields[i];
        if (field->kind == RC_FIELD_OBJECT)
            own_texts(builder, field->members);
        if (field->kind != RC_FIELD_TEXT || !field->is_inherited)
            continue;
        rc_str *text = rc_field_text(field, builder->report);
        *text = text->len ? rc_arena_dup(&builder->report->arena, *text) : *text;
        if (rc_arena_status(&builder->report->arena) != RC_OK)
            rc_builder_note_failure(builder);
    }
}

static int64_t elided_so_far(const rc_report *report)
{
    const rc_context_entry *entry = rc_report_context_get(report, RC_STR(RC_KEY_CAUSES_ELIDED));
    return entry && entry->kind == RC_VALUE_INT && entry->number > 0 ? entry->number : 0;
}

/* Returns the flags for lost data of a report that is about to be dropped. */
static uint32_t losses_of(const rc_report *report)
{
    const rc_context_entry *entry = rc_report_context_get(report, RC_STR(RC_KEY_INCOMPLETE));
    if (!entry)
        return 0;
    return rc_str_eq(entry->text, NOTE_NOMEM) ? RC_BUILDER_NOMEM : RC_BUILDER_TOO_LARGE;
}

/* Links the cause. If the chain of causes would exceed its limit, the direct cause is dropped, and
 * the context entry `causes_elided` counts it. */
static void link_cause(rc_builder *builder)
{
    rc_report *report = builder->report;
    if (!report->cause)
        return;
    if (report->cause->depth >= RC_REPORT_CAUSE_DEPTH_MAX) {
        const rc_report *elided = report->cause;
        int64_t count = elided_so_far(elided);
        builder->flags |= losses_of(elided);
        own_texts(builder, &rc_report_fields);
        report->cause = rc_report_dup(elided->cause);
        add_note(report, (rc_context_entry){.key = RC_STR(RC_KEY_CAUSES_ELIDED),
                                            .kind = RC_VALUE_INT,
                                            .number = count < INT64_MAX ? count + 1 : count});
        rc_report_free(elided);
    }
    report->depth = report->cause->depth + 1;
}

static void fill_message(rc_builder *builder)
{
    rc_report *report = builder->report;
    const rc_code_info *row = rc_code_get((rc_code)report->code);
    if (report->message.len || !row)
        return;
    rc_str sentence = rc_str_c(row->message);
    report->message = sentence;
    if (!report->provider.len && !report->model.len)
        return;

    char memory[RC_REPORT_MESSAGE_MAX];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    if (rc_message_push(&buf, sentence, report->provider, report->model) != RC_OK)
        return;
    /* The sentence and the names contain no secrets, but together they may look like one, for
     * example with a provider named "api_key:". */
    rc_str shown = rc_builder_scrub(builder, rc_buf_get(&buf), RC_REPORT_MESSAGE_MAX);
    if (shown.len)
        report->message = shown;
}

static const rc_report *seal(rc_builder *builder)
{
    rc_report *report = builder->report;
    if (builder->flags & RC_BUILDER_LOSSES) {
        bool is_memory = builder->flags & RC_BUILDER_NOMEM;
        add_note(report, (rc_context_entry){.key = RC_STR(RC_KEY_INCOMPLETE),
                                            .kind = RC_VALUE_STRING,
                                            .text = is_memory ? NOTE_NOMEM : NOTE_TOO_LARGE});
    }
    builder->report = NULL;
    builder->flags |= RC_BUILDER_FINISHED;
    return report;
}

const rc_report *rc_builder_finish_as_is(rc_builder *builder)
{
    if (!builder->report)
        return NULL;
    link_cause(builder);
    return seal(builder);
}

/* Called if no memory was available for the report. Returns the cause if the report has no code of
 * its own, otherwise the static report of the code. The result is not retryable if a setter or the
 * cause excluded a retry. */
static const rc_report *finish_without_memory(rc_builder *builder)
{
    if (builder->flags & RC_BUILDER_FINISHED)
        return rc_report_static(RC_CODE_INVARIANT_BROKEN);
    builder->flags |= RC_BUILDER_FINISHED;
    const rc_report *cause = builder->cause;
    builder->cause = NULL;
    if (cause && builder->code == RC_CODE_NONE)
        return cause;
    bool is_fatal =
        (builder->flags & RC_BUILDER_FATAL) || (cause && !rc_report_is_retryable(cause));
    rc_report_free(cause);
    return is_fatal ? rc_report_static_fatal(builder->code) : rc_report_static(builder->code);
}

/* Sets error_type from the family and the code, unless a setter has set it. */
static void fill_error_type(const rc_builder *builder)
{
    rc_report *report = builder->report;
    if (!report->error_type.len && builder->family != RC_FAMILY_NONE) {
        rc_code code =
            report->code || !report->cause ? (rc_code)report->code : (rc_code)report->cause->code;
        report->error_type = rc_str_c(rc_error_type_for(builder->family, code));
    }
}

const rc_report *rc_builder_finish(rc_builder *builder)
{
    rc_report *report = builder->report;
    if (!report)
        return finish_without_memory(builder);

    /* A wrapper (a report without its own code that wraps a cause) inherits the message of its
     * cause. A report with its own code has its own message. */
    bool is_wrapper = report->code == RC_CODE_NONE && report->cause;
    if (report->code == RC_CODE_NONE && !report->cause)
        report->code = RC_CODE_INTERNAL;
    fill_error_type(builder);
    fill_from_row(report);
    rc_str own_message = report->message;
    if (report->cause)
        rc_fields_inherit(&rc_report_fields, report, report->cause);
    if (!is_wrapper)
        report->message = own_message;
    else if (!report->http_status)
        report->http_status = report->cause->http_status;
    if (rc_report_forbids_retry(report))
        report->retryable = RC_FALSE;
    link_cause(builder);
    fill_message(builder);
    if (!report->http_status)
        report->http_status = rc_report_derived_http_status(report);
    return seal(builder);
}
