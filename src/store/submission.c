/* Copies records into one memory block for the writer's queue. Called by writer.c. */
#include "store/submission.h"

#include <stddef.h>
#include <string.h>

#include <recourse/buf.h>
#include <recourse/json.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const size_t strings[] = {
    offsetof(rc_record, operation_id), offsetof(rc_record, client),
    offsetof(rc_record, route),        offsetof(rc_record, provider),
    offsetof(rc_record, model),        offsetof(rc_record, target),
    offsetof(rc_record, credential),   offsetof(rc_record, request_id),
    offsetof(rc_record, text),         offsetof(rc_record, report_id),
    offsetof(rc_record, report_json),
};

static rc_str *string_at(rc_record *record, size_t index)
{
    return (rc_str *)(void *)((char *)record + strings[index]);
}

static const rc_str *string_in(const rc_record *record, size_t index)
{
    return (const rc_str *)(const void *)((const char *)record + strings[index]);
}

/* Fills empty fields of the record from its report. */
static void complete(rc_record *record)
{
    if (record->report == NULL)
        return;
    if (record->code == RC_CODE_NONE)
        record->code = rc_report_code(record->report);
    if (record->error_class == RC_CLASS_NONE)
        record->error_class = rc_report_class(record->report);
    if (record->category == RC_CATEGORY_NONE)
        record->category = rc_report_category(record->report);
    if (record->request_id.len == 0)
        record->request_id = rc_report_request_id(record->report);
    if (record->report_id.len == 0)
        record->report_id = rc_report_id(record->report);
}

static size_t string_bytes(const rc_record *record)
{
    size_t bytes = 0;
    for (size_t i = 0; i < COUNT(strings); i++)
        bytes += string_in(record, i)->len;
    if (record->report != NULL && record->request_id.len == 0)
        bytes += rc_report_request_id(record->report).len;
    if (record->report != NULL && record->report_id.len == 0)
        bytes += rc_report_id(record->report).len;
    return bytes;
}

/* Encodes the reports as JSON lines. A report that cannot be encoded becomes an empty line, so that
 * only its id is stored. */
static void encode(const rc_batch *batch, rc_buf *json)
{
    for (size_t i = 0; i < batch->record_count; i++) {
        if (batch->records[i].report == NULL)
            continue;
        rc_report_encode(batch->records[i].report, RC_VIEW_INTERNAL, json);
        rc_buf_push_byte(json, '\n');
    }
}

static char *copy_string(char *at, rc_str *string)
{
    if (string->len > 0)
        memcpy(at, string->ptr, string->len);
    string->ptr = at;
    return at + string->len;
}

/* Removes the next line from *json and returns it without its newline. */
static rc_str next_line(rc_str *json)
{
    const char *end = json->len > 0 ? memchr(json->ptr, '\n', json->len) : NULL;
    if (end == NULL)
        return rc_str_make(NULL, 0);
    rc_str line = rc_str_make(json->ptr, (size_t)(end - json->ptr));
    *json = rc_str_make(end + 1, json->len - line.len - 1);
    return line;
}

/* Copies the batch into the block, behind the rc_submission. */
static void fill(rc_submission *submission, const rc_batch *batch, rc_str json)
{
    rc_record *records = (rc_record *)(void *)(submission + 1);
    rc_saved_state *states = (rc_saved_state *)(void *)(records + batch->record_count);
    char *at = (char *)(states + batch->state_count);
    for (size_t i = 0; i < batch->record_count; i++) {
        records[i] = batch->records[i];
        complete(&records[i]);
        if (records[i].report != NULL)
            records[i].report_json = next_line(&json);
        records[i].report = NULL;
        for (size_t k = 0; k < COUNT(strings); k++)
            at = copy_string(at, string_at(&records[i], k));
    }
    for (size_t i = 0; i < batch->state_count; i++) {
        states[i] = batch->states[i];
        at = copy_string(at, &states[i].name);
    }
    submission->batch = (rc_batch){
        .records = records,
        .record_count = batch->record_count,
        .states = states,
        .state_count = batch->state_count,
    };
}

static size_t block_size(const rc_batch *batch, size_t json_bytes)
{
    size_t size = sizeof(rc_submission) + batch->record_count * sizeof(rc_record) +
                  batch->state_count * sizeof(rc_saved_state) + json_bytes;
    for (size_t i = 0; i < batch->record_count; i++)
        size += string_bytes(&batch->records[i]);
    for (size_t i = 0; i < batch->state_count; i++)
        size += batch->states[i].name.len;
    return size;
}

rc_submission *rc_submission_make(const rc_batch *batch, const rc_alloc *alloc)
{
    rc_buf json;
    rc_buf_init(&json, alloc, RC_RECORD_REPORT_MAX);
    encode(batch, &json);
    size_t size = block_size(batch, rc_buf_get(&json).len);
    rc_submission *submission = alloc->get(alloc->ctx, size);
    if (submission != NULL) {
        memset(submission, 0, sizeof(*submission));
        submission->size = size;
        fill(submission, batch, rc_buf_get(&json));
    }
    rc_buf_done(&json);
    return submission;
}

void rc_submission_free(rc_submission *submission, const rc_alloc *alloc)
{
    alloc->put(alloc->ctx, submission, submission->size);
}
