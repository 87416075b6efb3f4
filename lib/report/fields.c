/* Table of the fields of a report and of an attempt. Used by the encoder, the decoder and the
 * builder. */
#include "report/fields.h"

#include <recourse/json.h>
#include <recourse/taxonomy.h>

#include "report/report_private.h"

#define U RC_VIEW_USER
#define M RC_VIEW_MODEL
#define I RC_VIEW_INTERNAL

/* Defines functions of uint32_t that call the name and parse functions of an enum. */
#define ENUM_NAMES(tag, type, name_of, parse_of, unknown_value) \
    static const char *tag##_name(uint32_t value)               \
    {                                                           \
        return name_of((type)value);                            \
    }                                                           \
    static uint32_t tag##_parse(rc_str name)                    \
    {                                                           \
        return (uint32_t)parse_of(name);                        \
    }                                                           \
    static const rc_field_names tag##_names = {tag##_name, tag##_parse, unknown_value}

ENUM_NAMES(class, rc_error_class, rc_class_name, rc_class_parse, RC_CLASS_UNKNOWN);
ENUM_NAMES(code, rc_code, rc_code_name, rc_code_parse, RC_CODE_UNKNOWN);
ENUM_NAMES(category, rc_category, rc_category_name, rc_category_parse, RC_CATEGORY_UNKNOWN);
ENUM_NAMES(domain, rc_domain, rc_domain_name, rc_domain_parse, RC_DOMAIN_UNKNOWN);
ENUM_NAMES(action, rc_user_action, rc_user_action_name, rc_user_action_parse, RC_ACTION_UNKNOWN);
ENUM_NAMES(limit, rc_limit_kind, rc_limit_kind_name, rc_limit_kind_parse, RC_LIMIT_KIND_UNKNOWN);

#define AT(member) .offset = offsetof(rc_report, member)
#define KEY(key_) .key = RC_STR_INIT(key_), .ready_key = RC_JSON_READY_KEY(key_)
#define TEXT(key_, views_, member, max_) \
    KEY(key_), .kind = RC_FIELD_TEXT, .views = (views_), AT(member), .max_bytes = (max_)
#define ENUM(key_, views_, member, names_) \
    KEY(key_), .kind = RC_FIELD_ENUM, .views = (views_), AT(member), .names = &(names_)
#define BOOL(key_, views_, member) KEY(key_), .kind = RC_FIELD_BOOL, .views = (views_), AT(member)
#define INT(key_, views_, member, absent_, min_, max_)                                   \
    KEY(key_), .kind = RC_FIELD_INT, .views = (views_), AT(member), .absent = (absent_), \
               .min = (min_), .max = (max_)
#define OTHER(key_, views_, kind_) KEY(key_), .kind = (kind_), .views = (views_)
#define INHERITED .is_inherited = true
#define CLIENT_FIXABLE .is_client_fixable = true

#define NAME_MAX_BYTES RC_REPORT_NAME_MAX
#define MESSAGE_MAX_BYTES RC_REPORT_MESSAGE_MAX

static const rc_field ACTION_FIELDS[] = {
    {ENUM("kind", U | M | I, action, action_names), INHERITED},
    {TEXT("detail", U | M | I, action_detail, MESSAGE_MAX_BYTES), INHERITED},
};
static const rc_field_table ACTION = {ACTION_FIELDS, sizeof ACTION_FIELDS / sizeof *ACTION_FIELDS};

static const rc_field METADATA_FIELDS[] = {
    {INT("status", M | I, provider_status, 0, 1, 999), INHERITED, CLIENT_FIXABLE},
    {TEXT("type", I, provider_type, NAME_MAX_BYTES), INHERITED, CLIENT_FIXABLE},
    {TEXT("code", I, provider_code, NAME_MAX_BYTES), INHERITED, CLIENT_FIXABLE},
    {TEXT("param", I, provider_param, NAME_MAX_BYTES), INHERITED, CLIENT_FIXABLE},
    {TEXT("request_id", U | I, request_id, NAME_MAX_BYTES), INHERITED},
    {INT("retry_after_ms", U | M | I, retry_after_ms, -1, 0, INT64_MAX), INHERITED},
    {ENUM("limit_kind", M | I, limit_kind, limit_names), INHERITED},
    {TEXT("raw", I, raw, RC_REPORT_RAW_MAX)}, /* not inherited, so that a chain of causes has only
                                                 one copy of the body */
};
static const rc_field_table METADATA = {METADATA_FIELDS,
                                        sizeof METADATA_FIELDS / sizeof *METADATA_FIELDS};

/* The fields of a report in the order in which the encoder writes them. */
static const rc_field REPORT_FIELDS[] = {
    {TEXT("report_id", U | M | I, report_id, NAME_MAX_BYTES)},
    {TEXT("error_type", U | M | I, error_type, NAME_MAX_BYTES), INHERITED},
    {ENUM("error_class", U | M | I, error_class, class_names), INHERITED},
    {ENUM("error_code", U | M | I, code, code_names), INHERITED},
    {ENUM("error_category", M | I, category, category_names), INHERITED},
    {ENUM("error_domain", M | I, domain, domain_names), INHERITED},
    {BOOL("retryable", U | M | I, retryable), INHERITED},
    {TEXT("message", U | M | I, message, MESSAGE_MAX_BYTES), INHERITED},
    {TEXT("detail", I, detail, RC_REPORT_DETAIL_MAX)},
    {OTHER("user_action", U | M | I, RC_FIELD_OBJECT), .members = &ACTION, .is_unit = true,
     INHERITED},
    {TEXT("provider", U | M | I, provider, NAME_MAX_BYTES), INHERITED},
    {TEXT("model", U | M | I, model, NAME_MAX_BYTES), INHERITED},
    {OTHER("provider_metadata", U | M | I, RC_FIELD_OBJECT), .members = &METADATA, INHERITED},
    {OTHER("context", U | M | I, RC_FIELD_CONTEXT)},
    {OTHER("attempts", I, RC_FIELD_ATTEMPTS)},
    {BOOL("retry_exhausted", U | M | I, retry_exhausted), INHERITED},
    {TEXT("rule", I, rule, NAME_MAX_BYTES), INHERITED},
    {TEXT("known_by", I, known_by, NAME_MAX_BYTES), INHERITED},
    {OTHER("error_source", I, RC_FIELD_SOURCES)},
    {INT("http_status", U | M | I, http_status, 0, 400, 599)},
    {OTHER("cause", I, RC_FIELD_CAUSE)},
};
const rc_field_table rc_report_fields = {REPORT_FIELDS,
                                         sizeof REPORT_FIELDS / sizeof *REPORT_FIELDS};

#undef AT
#define AT(member) .offset = offsetof(rc_report_attempt, member)

static const rc_field ATTEMPT_FIELDS[] = {
    {INT("attempt", I, attempt, 0, 1, INT64_MAX)},
    {TEXT("provider", I, provider, NAME_MAX_BYTES)},
    {TEXT("model", I, model, NAME_MAX_BYTES)},
    {TEXT("credential", I, credential, NAME_MAX_BYTES)},
    {ENUM("error_code", I, code, code_names)},
    {INT("status", I, status, 0, 1, 999)},
    {TEXT("request_id", I, request_id, NAME_MAX_BYTES)},
    {INT("started_unix_ms", I, started_unix_ms, -1, 0, INT64_MAX)},
    {INT("duration_ms", I, duration_ms, -1, 0, INT64_MAX)},
    {INT("wait_ms", I, wait_ms, -1, 0, INT64_MAX)},
    {TEXT("reason", I, reason, NAME_MAX_BYTES)},
};
const rc_field_table rc_report_attempt_fields = {ATTEMPT_FIELDS,
                                                 sizeof ATTEMPT_FIELDS / sizeof *ATTEMPT_FIELDS};

/* rc_report_attempt has a member of type rc_code, which the table accesses as a uint32_t. */
_Static_assert(sizeof(rc_code) == sizeof(uint32_t), "the table reads enums as uint32_t");

void rc_fields_clear(const rc_field_table *table, void *object)
{
    for (size_t i = 0; i < table->count; i++) {
        const rc_field *field = &table->fields[i];
        if (field->kind == RC_FIELD_TEXT)
            *rc_field_text(field, object) = rc_str_make(NULL, 0);
        else if (field->kind == RC_FIELD_INT)
            *rc_field_int(field, object) = field->absent;
        else if (field->kind == RC_FIELD_BOOL || field->kind == RC_FIELD_ENUM)
            *rc_field_u32(field, object) = 0;
        else if (field->kind == RC_FIELD_OBJECT)
            rc_fields_clear(field->members, object);
    }
}

bool rc_fields_any_set(const rc_field_table *table, const void *object)
{
    for (size_t i = 0; i < table->count; i++) {
        if (rc_field_is_set(&table->fields[i], object))
            return true;
    }
    return false;
}

bool rc_field_is_set(const rc_field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    switch (field->kind) {
    case RC_FIELD_TEXT:
        return ((const rc_str *)(const void *)at)->len > 0;
    case RC_FIELD_INT:
        return *(const int64_t *)(const void *)at != field->absent;
    case RC_FIELD_BOOL:
    case RC_FIELD_ENUM:
        return *(const uint32_t *)(const void *)at != 0;
    case RC_FIELD_OBJECT:
        return rc_fields_any_set(field->members, object);
    case RC_FIELD_CONTEXT:
    case RC_FIELD_ATTEMPTS:
    case RC_FIELD_SOURCES:
    case RC_FIELD_CAUSE:
        break;
    }
    return false;
}

static void inherit_one(const rc_field *field, void *to, const void *from)
{
    const char *at = (const char *)from + field->offset;
    if (field->kind == RC_FIELD_TEXT)
        *rc_field_text(field, to) = *(const rc_str *)(const void *)at;
    else if (field->kind == RC_FIELD_INT)
        *rc_field_int(field, to) = *(const int64_t *)(const void *)at;
    else
        *rc_field_u32(field, to) = *(const uint32_t *)(const void *)at;
}

void rc_fields_inherit(const rc_field_table *table, void *to, const void *from)
{
    for (size_t i = 0; i < table->count; i++) {
        const rc_field *field = &table->fields[i];
        if (!field->is_inherited)
            continue;
        bool is_set = rc_field_is_set(field, to);
        if (field->kind == RC_FIELD_OBJECT && !(field->is_unit && is_set))
            rc_fields_inherit(field->members, to, from);
        else if (field->kind != RC_FIELD_OBJECT && !is_set)
            inherit_one(field, to, from);
    }
}

bool rc_context_key_is_in_view(rc_str key, unsigned view)
{
    static const rc_str IDS[] = {RC_STR_INIT("run_id"), RC_STR_INIT("node_id"),
                                 RC_STR_INIT("session_id"), RC_STR_INIT("attempt"),
                                 RC_STR_INIT(RC_KEY_WAIT_BY)};
    if (view != RC_VIEW_USER)
        return true;
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        if (rc_str_eq(key, IDS[i]))
            return true;
    }
    return false;
}
