/* Report decoder: reads the JSON of a report by means of the table of fields, in a strict or a
 * tolerant mode. Called by the store, the client and the CLI.
 *
 * The strict mode fails at the first deviation from the JSON that the encoder writes. The tolerant
 * mode drops members that it cannot use, records their position in rc_decode_info and continues, so
 * that a report of a newer or faulty sender is still usable. */
#include <recourse/json.h>

#include "base/str.h"
#include "report/builder_private.h"
#include "report/decode_path.h"
#include "report/report_private.h"
#include "json/reader.h"

/* Maximum number of nested causes that the tolerant decoder reads; deeper causes are dropped. The
 * decoder recurses for each cause, with about 500 bytes of stack. */
#define TOLERANT_DEPTH_MAX 200u

/* Prevents that a function with a large stack frame is inlined into the recursive functions. */
#define LEAF __attribute__((noinline))

#define NO_NAME rc_str_make(NULL, 0)

typedef struct decoder {
    rc_json_reader reader;
    rc_decode_path path;
    const rc_alloc *alloc;
    rc_buf text; /* Receives a value whose escapes are decoded. */
    rc_buf name; /* Receives a key whose escapes are decoded. */
    bool is_strict;
    uint32_t depth;   /* Number of nested causes that are being read. */
    rc_status status; /* The error that ended the decoding; RC_OK: none so far. */
} decoder;

/* Ends the decoding with an error, unless an earlier error has already ended it. */
static void fail(decoder *d, rc_status status, size_t offset, const char *what, rc_str name)
{
    if (d->status != RC_OK)
        return;
    d->status = status;
    rc_decode_path_set_info(&d->path, status, offset, what, name);
}

/* Handles input that the encoder never writes. The strict mode fails; the tolerant mode counts the
 * current member as dropped. */
static void refuse(decoder *d, rc_status status, size_t offset, const char *what, rc_str name)
{
    if (d->is_strict || d->status != RC_OK)
        fail(d, status, offset, what, name);
    else
        rc_decode_path_note_dropped(&d->path);
}

static bool is_end(const decoder *d, const rc_json_token *token)
{
    return d->status != RC_OK || token->type == RC_JSON_OBJECT_END ||
           token->type == RC_JSON_ARRAY_END || token->type == RC_JSON_END ||
           token->type == RC_JSON_ERROR;
}

/* Reads the next token. A syntax error ends a strict decoding. */
static rc_json_token next(decoder *d)
{
    rc_json_token token = rc_json_reader_next(&d->reader);
    if (token.type == RC_JSON_ERROR && d->is_strict) {
        const rc_json_fault *fault = &d->reader.fault;
        fail(d, fault->status, fault->offset, fault->message, NO_NAME);
    }
    return token;
}

static void refuse_type(decoder *d, const rc_json_token *token, const char *what)
{
    refuse(d, RC_E_TYPE, token->offset, what, NO_NAME);
    rc_json_reader_skip(&d->reader);
}

/* Returns the token's text without escapes. The result views (points into) the input or `buf`. If
 * no memory is available, the decoding ends and the text is empty. */
static rc_str text_of(decoder *d, const rc_json_token *token, rc_buf *buf)
{
    if (!token->has_escapes)
        return token->raw;
    rc_buf_reset(buf);
    rc_status status = rc_json_unescape(token->raw, buf);
    if (status == RC_OK)
        return rc_buf_get(buf);
    fail(d, status, token->offset, "no memory for the text", NO_NAME);
    return NO_NAME;
}

/* Ends a strict decoding if the builder has dropped data. A tolerant decoding continues, and the
 * report's context records that data was dropped. */
static void check_losses(decoder *d, const rc_builder *builder, size_t offset)
{
    if (!d->is_strict || !(builder->flags & RC_BUILDER_LOSSES))
        return;
    bool is_memory = builder->flags & RC_BUILDER_NOMEM;
    fail(d, is_memory ? RC_E_NOMEM : RC_E_TOO_LARGE, offset,
         is_memory ? "out of memory" : "more than a report can have", NO_NAME);
}

/* The encoder writes neither secrets nor NUL, so the strict mode rejects a text from which a secret
 * or a NUL had to be removed. */
static void check_same(decoder *d, const rc_json_token *token, rc_str clean, rc_str text)
{
    if (d->is_strict && clean.len && !rc_str_eq(clean, text))
        fail(d, RC_E_RANGE, token->offset, "text with a secret or a NUL in it", NO_NAME);
}

/* Returns whether a number has the form that the encoder writes: no leading zero, no -0. */
static bool is_canonical(rc_str raw, int64_t value)
{
    char digits[24];
    rc_buf text;
    rc_buf_init_fixed(&text, digits, sizeof digits);
    rc_buf_push_i64(&text, value);
    return rc_str_eq(raw, rc_buf_get(&text));
}

static void read_text(decoder *d, rc_builder *builder, const rc_json_token *token, size_t max_bytes,
                      rc_str *ret_text)
{
    if (token->type != RC_JSON_STRING) {
        refuse_type(d, token, "expected a string");
        return;
    }
    rc_str text = text_of(d, token, &d->text);
    if (d->status != RC_OK)
        return;
    if (text.len == 0)
        refuse(d, RC_E_RANGE, token->offset, "empty text: leave out a field without a value",
               NO_NAME);
    if (text.len > max_bytes && d->is_strict)
        fail(d, RC_E_TOO_LARGE, token->offset, "text longer than a report can have", NO_NAME);
    rc_str clean = rc_builder_scrub(builder, text, max_bytes);
    if (clean.len)
        *ret_text = clean;
    check_same(d, token, clean, text);
}

static void read_enum(decoder *d, const rc_json_token *token, const rc_field *field,
                      uint32_t *ret_value)
{
    if (token->type != RC_JSON_STRING) {
        refuse_type(d, token, "expected a string");
        return;
    }
    rc_str text = text_of(d, token, &d->text);
    uint32_t value = field->names->parse(text);
    bool is_known =
        value != 0 && (value != field->names->unknown || rc_str_eq(text, RC_STR("unknown")));
    if (!is_known)
        refuse(d, RC_E_RANGE, token->offset, "unknown value", text.len ? text : RC_STR(" "));
    *ret_value = value;
}

static void read_int(decoder *d, const rc_json_token *token, const rc_field *field,
                     int64_t *ret_value)
{
    if (token->type != RC_JSON_NUMBER) {
        refuse_type(d, token, "expected a whole number");
        return;
    }
    int64_t value = 0;
    rc_status status = rc_json_to_i64(token->raw, &value);
    if (status == RC_OK && (value < field->min || value > field->max))
        status = RC_E_RANGE;
    if (status == RC_OK && d->is_strict && !is_canonical(token->raw, value))
        status = RC_E_RANGE;
    if (status == RC_OK)
        *ret_value = value;
    else
        refuse(d, status, token->offset, "number not allowed here:", token->raw);
}

static void read_bool(decoder *d, const rc_json_token *token, uint32_t *ret_value)
{
    if (token->type == RC_JSON_TRUE || token->type == RC_JSON_FALSE)
        *ret_value = token->type == RC_JSON_TRUE ? RC_TRUE : RC_FALSE;
    else
        refuse_type(d, token, "expected true or false");
}

/* In strict mode, checks that the context entry equals the input and that its key is not a
 * duplicate. */
static void check_context(decoder *d, const rc_json_token *token, const rc_report *report,
                          rc_str key, size_t count)
{
    if (!d->is_strict || d->status != RC_OK)
        return;
    const rc_context_entry *entry = rc_report_context_get(report, key);
    if (!entry)
        fail(d, RC_E_RANGE, token->offset, "key with a secret or a NUL in it", NO_NAME);
    else if (rc_report_context_count(report) == count)
        fail(d, RC_E_DUPLICATE, token->offset, "duplicate key", key);
    else if (token->type == RC_JSON_STRING)
        check_same(d, token, entry->text, token->has_escapes ? rc_buf_get(&d->text) : token->raw);
    else if (token->type == RC_JSON_NUMBER &&
             (entry->kind != RC_VALUE_INT || !is_canonical(token->raw, entry->number)))
        fail(d, RC_E_RANGE, token->offset, "number not allowed here:", token->raw);
}

static void read_context_value(decoder *d, rc_builder *builder, rc_str key)
{
    rc_json_token token = next(d);
    int64_t number = 0;
    size_t count = rc_report_context_count(builder->report);
    if (token.type == RC_JSON_STRING)
        rc_builder_set_context(builder, key, text_of(d, &token, &d->text));
    else if (token.type == RC_JSON_TRUE || token.type == RC_JSON_FALSE)
        rc_builder_set_context_bool(builder, key, token.type == RC_JSON_TRUE);
    else if (token.type == RC_JSON_NUMBER && rc_json_to_i64(token.raw, &number) == RC_OK)
        rc_builder_set_context_int(builder, key, number);
    else {
        refuse_type(d, &token, "expected a string, a whole number, true or false");
        return;
    }
    check_losses(d, builder, token.offset);
    check_context(d, &token, builder->report, key, count);
}

static void refuse_empty(decoder *d, size_t offset)
{
    refuse(d, RC_E_RANGE, offset, "empty value: leave out a field without a value", NO_NAME);
}

LEAF static void read_context(decoder *d, rc_builder *builder, const rc_json_token *begin)
{
    if (begin->type != RC_JSON_OBJECT_BEGIN) {
        refuse_type(d, begin, "expected an object");
        return;
    }
    builder->report->context_count = 0; /* if the object has the key "context" twice, the second one
                                           replaces the first */
    size_t count = 0;
    for (;; count++) {
        rc_json_token token = next(d);
        if (is_end(d, &token))
            break;
        rc_str key = text_of(d, &token, &d->name);
        size_t parent_len = rc_decode_path_enter_untrusted(&d->path, key);
        read_context_value(d, builder, key);
        rc_decode_path_leave(&d->path, parent_len);
    }
    if (count == 0)
        refuse_empty(d, begin->offset);
}

typedef void (*read_element)(decoder *d, rc_builder *builder, const rc_json_token *token);

/* Reads an array into a list of the report whose length is *count. If the array's key occurs twice,
 * the second array replaces the first. */
static void read_array(decoder *d, rc_builder *builder, const rc_json_token *begin, size_t *count,
                       read_element read)
{
    if (begin->type != RC_JSON_ARRAY_BEGIN) {
        refuse_type(d, begin, "expected an array");
        return;
    }
    *count = 0;
    size_t index = 0;
    for (;; index++) {
        rc_json_token token = next(d);
        if (is_end(d, &token))
            break;
        size_t parent_len = rc_decode_path_enter_index(&d->path, index);
        read(d, builder, &token);
        check_losses(d, builder, token.offset);
        rc_decode_path_leave(&d->path, parent_len);
    }
    if (index == 0)
        refuse_empty(d, begin->offset);
}

static void read_source(decoder *d, rc_builder *builder, const rc_json_token *token)
{
    rc_str source = NO_NAME;
    if (rc_builder_has_space_for_source(builder))
        read_text(d, builder, token, RC_REPORT_NAME_MAX, &source);
    else
        rc_json_reader_skip(&d->reader);
    rc_builder_push_source(builder, source);
}

LEAF static void read_sources(decoder *d, rc_builder *builder, const rc_json_token *begin)
{
    read_array(d, builder, begin, &builder->report->source_count, read_source);
}

static size_t read_members(decoder *d, rc_builder *builder, const rc_field_table *table,
                           void *object);

static void read_attempt(decoder *d, rc_builder *builder, const rc_json_token *token)
{
    rc_report_attempt attempt;
    rc_fields_clear(&rc_report_attempt_fields, &attempt);
    if (!rc_builder_has_space_for_attempt(builder))
        rc_json_reader_skip(&d->reader);
    else if (token->type != RC_JSON_OBJECT_BEGIN)
        refuse_type(d, token, "expected an object");
    else if (read_members(d, builder, &rc_report_attempt_fields, &attempt) == 0)
        refuse_empty(d, token->offset);
    if (rc_fields_any_set(&rc_report_attempt_fields, &attempt))
        rc_builder_push_attempt(builder, &attempt);
}

LEAF static void read_attempts(decoder *d, rc_builder *builder, const rc_json_token *begin)
{
    read_array(d, builder, begin, &builder->report->attempt_count, read_attempt);
}

static const rc_report *read_report(decoder *d);

static void read_cause(decoder *d, rc_builder *builder, const rc_json_token *begin)
{
    if (begin->type != RC_JSON_OBJECT_BEGIN) {
        refuse_type(d, begin, "expected an object");
        return;
    }
    uint32_t max_depth = d->is_strict ? RC_REPORT_CAUSE_DEPTH_MAX : TOLERANT_DEPTH_MAX;
    if (d->depth >= max_depth) {
        refuse(d, RC_E_TOO_DEEP, begin->offset, "more causes than a report can have", NO_NAME);
        rc_json_reader_skip(&d->reader);
        return;
    }
    d->depth++;
    const rc_report *cause = read_report(d);
    d->depth--;
    rc_builder_set_cause(builder, cause);
    rc_report_free(cause);
}

static void read_object(decoder *d, rc_builder *builder, const rc_field *field, void *object,
                        const rc_json_token *begin)
{
    if (begin->type != RC_JSON_OBJECT_BEGIN) {
        refuse_type(d, begin, "expected an object");
        return;
    }
    if (read_members(d, builder, field->members, object) == 0)
        refuse_empty(d, begin->offset);
}

static void read_value(decoder *d, rc_builder *builder, const rc_field *field, void *object)
{
    rc_json_token token = next(d);
    if (d->status != RC_OK)
        return;
    switch (field->kind) {
    case RC_FIELD_TEXT:
        read_text(d, builder, &token, field->max_bytes, rc_field_text(field, object));
        break;
    case RC_FIELD_INT:
        read_int(d, &token, field, rc_field_int(field, object));
        break;
    case RC_FIELD_BOOL:
        read_bool(d, &token, rc_field_u32(field, object));
        break;
    case RC_FIELD_ENUM:
        read_enum(d, &token, field, rc_field_u32(field, object));
        break;
    case RC_FIELD_OBJECT:
        read_object(d, builder, field, object, &token);
        break;
    case RC_FIELD_CONTEXT:
        read_context(d, builder, &token);
        break;
    case RC_FIELD_ATTEMPTS:
        read_attempts(d, builder, &token);
        break;
    case RC_FIELD_SOURCES:
        read_sources(d, builder, &token);
        break;
    case RC_FIELD_CAUSE:
        read_cause(d, builder, &token);
        break;
    }
    check_losses(d, builder, token.offset);
}

static size_t find_field(const rc_field_table *table, rc_str key)
{
    size_t i = 0;
    while (i < table->count && !rc_str_eq(table->fields[i].key, key))
        i++;
    return i;
}

/* Reads the members of an object and its closing brace; the opening brace has been read. Returns
 * the number of members. */
static size_t read_members(decoder *d, rc_builder *builder, const rc_field_table *table,
                           void *object)
{
    uint64_t seen = 0;
    for (size_t count = 0;; count++) {
        rc_json_token token = next(d);
        if (is_end(d, &token))
            return count;
        rc_str key = text_of(d, &token, &d->name);
        size_t index = find_field(table, key);
        bool is_known = index < table->count;
        size_t parent_len = is_known ? rc_decode_path_enter(&d->path, key)
                                     : rc_decode_path_enter_untrusted(&d->path, key);
        if (!is_known) {
            refuse(d, RC_E_UNKNOWN_KEY, token.offset, "unknown key", key);
            rc_json_reader_skip(&d->reader);
        } else {
            if (seen & UINT64_C(1) << index)
                refuse(d, RC_E_DUPLICATE, token.offset, "duplicate key", key);
            seen |= UINT64_C(1) << index;
            if (d->status == RC_OK)
                read_value(d, builder, &table->fields[index], object);
        }
        rc_decode_path_leave(&d->path, parent_len);
    }
}

/* Only transient failures are retryable. A received report that says otherwise is corrected, so
 * that it causes no retry. */
static void check_retryable(decoder *d, rc_report *report, size_t offset)
{
    if (report->retryable != RC_TRUE || !rc_report_forbids_retry(report))
        return;
    size_t parent_len = rc_decode_path_enter(&d->path, RC_STR("retryable"));
    refuse(d, RC_E_RANGE, offset, "retryable contradicts the classification", NO_NAME);
    rc_decode_path_leave(&d->path, parent_len);
    report->retryable = RC_FALSE;
}

/* Reads a report whose opening brace has been read. Returns NULL if the decoding ended with an
 * error. */
static const rc_report *read_report(decoder *d)
{
    size_t offset = d->reader.at - 1;
    rc_builder builder;
    rc_builder_init(&builder, d->alloc, RC_CODE_NONE);
    builder.flags |= RC_BUILDER_AS_IS;
    if (!builder.report) {
        fail(d, RC_E_NOMEM, offset, "out of memory", NO_NAME);
        return NULL;
    }
    read_members(d, &builder, &rc_report_fields, builder.report);
    check_retryable(d, builder.report, offset);
    if (d->status == RC_OK)
        return rc_builder_finish_as_is(&builder);
    rc_builder_done(&builder);
    return NULL;
}

static rc_status decode(decoder *d, const rc_report **ret_report)
{
    rc_json_token token = next(d);
    if (d->status != RC_OK)
        return d->status;
    if (token.type != RC_JSON_OBJECT_BEGIN) {
        bool is_nothing = token.type == RC_JSON_END || token.type == RC_JSON_ERROR;
        const rc_json_fault *fault = &d->reader.fault;
        if (is_nothing && fault->status != RC_OK)
            fail(d, fault->status, fault->offset, fault->message, NO_NAME);
        else if (is_nothing)
            fail(d, RC_E_TRUNCATED, token.offset, "nothing to read", NO_NAME);
        else
            fail(d, RC_E_TYPE, token.offset, "expected an object", NO_NAME);
        return d->status;
    }
    const rc_report *report = read_report(d);
    if (d->status == RC_OK)
        next(d); /* in strict mode, text after the report is an error */
    if (d->status != RC_OK) {
        rc_report_free(report);
        return d->status;
    }
    const rc_json_fault *fault = &d->reader.fault;
    if (fault->status != RC_OK) {
        rc_decode_path_set_info(&d->path, RC_OK, fault->offset, fault->message, NO_NAME);
        d->path.info->is_damaged = true;
    }
    *ret_report = report;
    return RC_OK;
}

rc_status rc_report_decode(rc_str json, rc_decode_mode mode, const rc_alloc *alloc,
                           const rc_report **ret_report, rc_decode_info *info)
{
    rc_decode_info unread;
    decoder d = {.alloc = alloc, .is_strict = mode != RC_DECODE_TOLERANT};
    rc_decode_path_init(&d.path, json, info ? info : &unread);
    rc_json_reader_init(&d.reader, json,
                        &(rc_json_limits){.max_bytes = RC_DECODE_MAX_BYTES,
                                          .max_depth = RC_JSON_DEPTH_MAX,
                                          .is_tolerant = !d.is_strict});
    rc_buf_init(&d.text, alloc, RC_DECODE_MAX_BYTES * 3u);
    rc_buf_init(&d.name, alloc, RC_DECODE_MAX_BYTES * 3u);
    rc_status status = decode(&d, ret_report);
    rc_buf_done(&d.text);
    rc_buf_done(&d.name);
    return status;
}
