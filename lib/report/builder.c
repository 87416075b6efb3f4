/* Report builder: collects the fields of a report and removes secrets from every text (the
 * scrubber). Called by the classifier, the decoder, the gateway and the CLI. */
#include <recourse/builder.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "report/builder_private.h"
#include "report/report_private.h"
#include "scrub/scrub.h"

/* Maximum size of a report. The maximum is larger than the sum of all size limits in report.h, so
 * that each field reaches its own limit first. */
#define ARENA_MAX_BYTES (2u << 20)

void rc_builder_init(rc_builder *builder, const rc_alloc *alloc, rc_code code)
{
    if (code != RC_CODE_NONE && !rc_code_get(code))
        code = RC_CODE_UNCLASSIFIED;
    *builder = (rc_builder){.alloc = *alloc, .code = code};
    rc_arena arena;
    rc_arena_init(&arena, alloc, ARENA_MAX_BYTES);
    rc_report *report = rc_arena_get(&arena, sizeof *report);
    if (!report)
        return;
    report->retry_after_ms = -1; /* 0 is a valid wait, so -1 means absent */
    report->arena = arena;
    report->refs = 1;
    report->code = (uint32_t)code;
    builder->report = report;
}

void rc_builder_done(rc_builder *builder)
{
    if (!builder)
        return;
    rc_report_free(builder->report);
    rc_report_free(builder->cause);
    builder->report = NULL;
    builder->cause = NULL;
}

void rc_builder_note_failure(rc_builder *builder)
{
    rc_arena *arena = &builder->report->arena;
    builder->flags |= arena->status == RC_E_NOMEM ? RC_BUILDER_NOMEM : RC_BUILDER_TOO_LARGE;
    arena->status = RC_OK;
}

static void *get_memory(rc_builder *builder, size_t count, size_t size)
{
    void *memory = rc_arena_get_array(&builder->report->arena, count, size);
    if (!memory)
        rc_builder_note_failure(builder);
    return memory;
}

/* Writes the text without its secrets into `size` bytes of the arena. Returns RC_E_TOO_LARGE if the
 * result needs more bytes. */
static rc_status scrub_into(rc_builder *builder, rc_str text, size_t max_bytes, size_t size,
                            rc_str *ret_text)
{
    char *memory = rc_arena_get_unset(&builder->report->arena, size + 1);
    if (!memory) {
        rc_builder_note_failure(builder);
        return RC_E_NOMEM;
    }
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, size);
    rc_status status = rc_scrub(text, max_bytes, &buf);
    size_t used = status == RC_OK ? rc_buf_get(&buf).len : 0;
    rc_arena_shrink(&builder->report->arena, memory, size + 1, used + 1);
    if (status != RC_OK)
        return status;
    memory[used] = '\0';
    *ret_text = rc_str_make(memory, used);
    return RC_OK;
}

/* Most texts contain no secret and are copied unchanged. Text without its secrets is rarely longer
 * than before, so a buffer of the same size is tried first. */
rc_str rc_builder_scrub(rc_builder *builder, rc_str text, size_t max_bytes)
{
    rc_str clean = {NULL, 0};
    if (!builder->report || text.len == 0)
        return clean;
    if (text.len <= max_bytes && rc_scrub_is_clean(text)) {
        clean = rc_arena_dup(&builder->report->arena, text);
        if (!clean.ptr)
            rc_builder_note_failure(builder);
        return clean;
    }
    if (text.len < max_bytes) {
        rc_status status = scrub_into(builder, text, max_bytes, text.len, &clean);
        if (status != RC_E_TOO_LARGE)
            return clean;
    }
    scrub_into(builder, text, max_bytes, max_bytes, &clean);
    return clean;
}

/* Replaces the text of a field. If the new text fits, the old text's memory is reused, so that a
 * field can be set any number of times. On failure the field has its old text. */
static void replace_text(rc_builder *builder, rc_str *slot, rc_str text, size_t max_bytes)
{
    rc_str old = *slot;
    if (text.len == 0) {
        *slot = text;
        return;
    }
    if (text.len <= old.len && rc_arena_owns(&builder->report->arena, old.ptr)) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, (char *)(uintptr_t)old.ptr, old.len);
        if (rc_scrub(text, max_bytes, &buf) == RC_OK) {
            *slot = rc_buf_get(&buf);
            ((char *)(uintptr_t)slot->ptr)[slot->len] = '\0';
            return;
        }
        *slot = rc_str_make(NULL, 0); /* the new text did not fit and has overwritten the old one */
    }
    rc_str clean = rc_builder_scrub(builder, text, max_bytes);
    if (clean.len)
        *slot = clean;
}

static void set_text(rc_builder *builder, size_t offset, rc_str text, size_t max_bytes)
{
    if (builder->report)
        replace_text(builder, (rc_str *)(void *)((char *)builder->report + offset), text,
                     max_bytes);
}

#define TEXT_SETTER(name, member, max_bytes)                             \
    void name(rc_builder *builder, rc_str text)                          \
    {                                                                    \
        set_text(builder, offsetof(rc_report, member), text, max_bytes); \
    }

#define VALUE_SETTER(type, name, member)               \
    void name(rc_builder *builder, type value)         \
    {                                                  \
        if (builder->report)                           \
            builder->report->member = (uint32_t)value; \
    }

TEXT_SETTER(rc_builder_set_id_text, report_id, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_message, message, RC_REPORT_MESSAGE_MAX)
TEXT_SETTER(rc_builder_set_detail, detail, RC_REPORT_DETAIL_MAX)
TEXT_SETTER(rc_builder_set_provider, provider, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_model, model, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_rule, rule, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_known_by, known_by, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_provider_type, provider_type, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_provider_code, provider_code, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_provider_param, provider_param, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_request_id, request_id, RC_REPORT_NAME_MAX)
TEXT_SETTER(rc_builder_set_raw, raw, RC_REPORT_RAW_MAX)

VALUE_SETTER(rc_error_class, rc_builder_set_class, error_class)
VALUE_SETTER(rc_domain, rc_builder_set_domain, domain)
VALUE_SETTER(rc_limit_kind, rc_builder_set_limit_kind, limit_kind)

void rc_builder_set_id(rc_builder *builder, const rc_id *id)
{
    rc_builder_set_id_text(builder, rc_str_c(id->text));
}

void rc_builder_set_error_type(rc_builder *builder, rc_str type)
{
    builder->family = RC_FAMILY_NONE;
    set_text(builder, offsetof(rc_report, error_type), type, RC_REPORT_NAME_MAX);
}

void rc_builder_set_family(rc_builder *builder, rc_family family)
{
    builder->family = family; /* The error type depends on the code. A report without a code of its
                                 own gets the code of its cause in rc_builder_finish. */
    if (builder->report)
        builder->report->error_type = rc_str_make(NULL, 0);
}

void rc_builder_set_category(rc_builder *builder, rc_category category)
{
    if (category != RC_CATEGORY_NONE && !rc_category_is_retryable(category))
        builder->flags |= RC_BUILDER_FATAL;
    if (builder->report)
        builder->report->category = (uint32_t)category;
}

void rc_builder_set_retryable(rc_builder *builder, bool retryable)
{
    if (!retryable)
        builder->flags |= RC_BUILDER_FATAL;
    if (builder->report)
        builder->report->retryable = retryable ? RC_TRUE : RC_FALSE;
}

void rc_builder_set_retry_exhausted(rc_builder *builder, bool exhausted)
{
    if (builder->report)
        builder->report->retry_exhausted = exhausted ? RC_TRUE : RC_FALSE;
}

void rc_builder_set_action(rc_builder *builder, rc_user_action action, rc_str detail)
{
    if (!builder->report)
        return;
    builder->report->action = (uint32_t)action;
    replace_text(builder, &builder->report->action_detail, detail, RC_REPORT_MESSAGE_MAX);
}

void rc_builder_set_http_status(rc_builder *builder, int status)
{
    if (builder->report && status >= 400 && status <= 599)
        builder->report->http_status = status;
}

void rc_builder_set_provider_status(rc_builder *builder, int64_t status)
{
    if (builder->report && status >= 1 && status <= 999)
        builder->report->provider_status = status;
}

void rc_builder_set_retry_after_ms(rc_builder *builder, int64_t wait_ms)
{
    if (builder->report && wait_ms >= 0)
        builder->report->retry_after_ms = wait_ms;
}

/* Returns whether a list is below its limit; if not, sets RC_BUILDER_TOO_LARGE. */
static bool has_space(rc_builder *builder, size_t count, size_t max)
{
    if (count >= max)
        builder->flags |= RC_BUILDER_TOO_LARGE;
    return count < max;
}

/* Returns the list with space for one more element. If no memory is available or the limit is
 * reached, sets a loss flag and returns NULL. */
static void *grow_list(rc_builder *builder, void *list, size_t count, size_t *size, size_t max,
                       size_t element)
{
    if (count < *size)
        return list;
    if (!has_space(builder, count, max))
        return NULL;
    size_t wanted = *size ? *size * 2 : 4;
    if (wanted > max)
        wanted = max;
    void *memory = get_memory(builder, wanted, element);
    if (!memory)
        return NULL;
    if (count)
        memcpy(memory, list, count * element);
    *size = wanted;
    return memory;
}

/* Returns the context entry of a key; adds the entry if it does not exist. Returns NULL if the
 * entry cannot be added. */
static rc_context_entry *context_slot(rc_builder *builder, rc_str key)
{
    rc_report *report = builder->report;
    if (!report)
        return NULL;
    char memory[RC_REPORT_NAME_MAX];
    rc_buf clean;
    rc_buf_init_fixed(&clean, memory, sizeof memory);
    if (rc_scrub(key, sizeof memory, &clean) != RC_OK)
        return NULL;
    for (size_t i = 0; i < report->context_count; i++) {
        if (rc_str_eq(report->context[i].key, rc_buf_get(&clean)))
            return &report->context[i];
    }
    size_t max =
        RC_REPORT_CONTEXT_MAX + (builder->flags & RC_BUILDER_AS_IS ? RC_REPORT_NOTES_MAX : 0);
    rc_context_entry *list = grow_list(builder, report->context, report->context_count,
                                       &report->context_size, max, sizeof *list);
    if (!list)
        return NULL;
    report->context = list;
    rc_str kept = rc_arena_dup(&report->arena, rc_buf_get(&clean));
    if (!kept.ptr) {
        rc_builder_note_failure(builder);
        return NULL;
    }
    rc_context_entry *entry = &list[report->context_count++];
    *entry = (rc_context_entry){.key = kept};
    return entry;
}

void rc_builder_set_context(rc_builder *builder, rc_str key, rc_str value)
{
    rc_context_entry *entry = context_slot(builder, key);
    if (!entry)
        return;
    rc_str text = entry->text;
    if (value.len && rc_scrub_is_secret_name(entry->key))
        text = RC_STR(RC_SCRUB_REDACTED);
    else
        replace_text(builder, &text, value, RC_REPORT_MESSAGE_MAX);
    *entry = (rc_context_entry){
        .key = entry->key, .kind = RC_VALUE_STRING, .text = text.len ? text : RC_STR("")};
}

void rc_builder_set_context_int(rc_builder *builder, rc_str key, int64_t value)
{
    rc_context_entry *entry = context_slot(builder, key);
    if (!entry)
        return;
    *entry = (rc_context_entry){.key = entry->key, .kind = RC_VALUE_INT, .number = value};
    if (rc_scrub_is_secret_name(entry->key)) /* a secret may consist of digits only, such as a
                                                PIN */
        *entry = (rc_context_entry){
            .key = entry->key, .kind = RC_VALUE_STRING, .text = RC_STR(RC_SCRUB_REDACTED)};
}

void rc_builder_set_context_bool(rc_builder *builder, rc_str key, bool value)
{
    rc_context_entry *entry = context_slot(builder, key);
    if (entry)
        *entry = (rc_context_entry){.key = entry->key, .kind = RC_VALUE_BOOL, .flag = value};
}

bool rc_builder_has_space_for_attempt(rc_builder *builder)
{
    return has_space(builder, builder->report->attempt_count, RC_REPORT_ATTEMPTS_MAX);
}

bool rc_builder_has_space_for_source(rc_builder *builder)
{
    return has_space(builder, builder->report->source_count, RC_REPORT_SOURCES_MAX);
}

void rc_builder_push_attempt(rc_builder *builder, const rc_report_attempt *attempt)
{
    rc_report *report = builder->report;
    rc_report_attempt *list =
        grow_list(builder, report->attempts, report->attempt_count, &report->attempt_size,
                  RC_REPORT_ATTEMPTS_MAX, sizeof *list);
    if (!list)
        return;
    report->attempts = list;
    list[report->attempt_count++] = *attempt;
}

void rc_builder_add_attempt(rc_builder *builder, const rc_report_attempt *attempt)
{
    if (!builder->report || !rc_builder_has_space_for_attempt(builder))
        return;
    rc_report_attempt copy = *attempt;
    bool is_empty = true;
    for (size_t i = 0; i < rc_report_attempt_fields.count; i++) {
        const rc_field *field = &rc_report_attempt_fields.fields[i];
        if (field->kind == RC_FIELD_TEXT) {
            rc_str *text = rc_field_text(field, &copy);
            *text = rc_builder_scrub(builder, *text, field->max_bytes);
        } else if (field->kind == RC_FIELD_INT) {
            int64_t *number = rc_field_int(field, &copy);
            if (*number < field->min || *number > field->max)
                *number = field->absent;
        }
        is_empty = is_empty && !rc_field_is_set(field, &copy);
    }
    if (!is_empty)
        rc_builder_push_attempt(builder, &copy);
}

void rc_builder_push_source(rc_builder *builder, rc_str source)
{
    rc_report *report = builder->report;
    if (source.len == 0)
        return;
    rc_str *list = grow_list(builder, report->sources, report->source_count, &report->source_size,
                             RC_REPORT_SOURCES_MAX, sizeof *list);
    if (!list)
        return;
    report->sources = list;
    list[report->source_count++] = source;
}

void rc_builder_add_source_text(rc_builder *builder, rc_str source)
{
    if (builder->report && rc_builder_has_space_for_source(builder))
        rc_builder_push_source(builder, rc_builder_scrub(builder, source, RC_REPORT_NAME_MAX));
}

void rc_builder_add_source(rc_builder *builder, rc_source source)
{
    char memory[RC_REPORT_NAME_MAX];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_buf_push(&buf, rc_str_slice(rc_str_c(source.type ? source.type : "Error"), 0, 128));
    rc_buf_push(&buf, RC_STR(" @ "));
    rc_str file = rc_str_c(source.file ? source.file : "?");
    rc_buf_push(&buf, rc_str_slice(file, file.len > 200 ? file.len - 200 : 0, file.len));
    rc_buf_push_byte(&buf, ':');
    rc_buf_push_i64(&buf, source.line);
    rc_buf_push(&buf, RC_STR(" (in "));
    rc_buf_push(&buf, rc_str_slice(rc_str_c(source.func ? source.func : "?"), 0, 120));
    rc_buf_push_byte(&buf, ')');
    rc_builder_add_source_text(builder, rc_buf_get(&buf));
}

void rc_builder_set_cause(rc_builder *builder, const rc_report *cause)
{
    if (!cause)
        return;
    const rc_report **slot = builder->report ? &builder->report->cause : &builder->cause;
    const rc_report *mine = rc_report_dup(cause);
    rc_report_free(*slot);
    *slot = mine;
}
