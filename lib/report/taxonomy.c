/* Taxonomy: names, parsers and properties of codes, classes, categories, domains and actions,
 * generated from spec/errors.def by the preprocessor. Called throughout the library and the
 * program.
 *
 * Two rows of a group with the same number would not compile, because the group's switch would have
 * two equal cases. */
#include <recourse/taxonomy.h>

/* HTTP statuses of the domains as enum constants, because the initialisers of the table of codes
 * must be constant. */
enum {
#define RC_DOMAIN(number, ID, name, http_status, text) STATUS_OF_##ID = (http_status),
#include "spec/errors.def"
};

static const rc_code_info codes[] = {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    {                                                                                            \
        RC_CODE_##ID,                                                                            \
        name,                                                                                    \
        RC_CLASS_##CLASS,                                                                        \
        RC_CATEGORY_##CATEGORY,                                                                  \
        RC_DOMAIN_##DOMAIN,                                                                      \
        RETRYABLE,                                                                               \
        (http) != 0 ? (http) : STATUS_OF_##DOMAIN,                                               \
        exit,                                                                                    \
        RC_EVENT_##EVENT,                                                                        \
        RC_ACTION_##ACTION,                                                                      \
        detail,                                                                                  \
        message,                                                                                 \
    },
#include "spec/errors.def"
};

static const rc_class_info classes[] = {
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    {RC_CLASS_##ID, name, error_type, recoverable, handler},
#include "spec/errors.def"
};

/* Index of each row in the tables below. */
enum {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    CODE_ROW_##ID,
#include "spec/errors.def"
    CODE_COUNT
};

enum {
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) CLASS_ROW_##ID,
#include "spec/errors.def"
    CLASS_COUNT
};

/* codes.h is generated; these asserts check that it matches the table. */
#define RC_CATEGORY(number, ID, name, is_retryable, text)                                \
    _Static_assert(RC_CATEGORY_##ID == (number), "codes.h is stale: run make generate"); \
    _Static_assert((is_retryable) == ((number) == RC_CATEGORY_TRANSIENT),                \
                   "only transient is retryable");
#define RC_DOMAIN(number, ID, name, http_status, text) \
    _Static_assert(RC_DOMAIN_##ID == (number), "codes.h is stale: run make generate");
#define RC_ACTION(number, ID, name, text) \
    _Static_assert(RC_ACTION_##ID == (number), "codes.h is stale: run make generate");
#define RC_RUN_EVENT(number, ID, name) \
    _Static_assert(RC_EVENT_##ID == (number), "codes.h is stale: run make generate");
#define RC_LIMIT_KIND(number, ID, name, text) \
    _Static_assert(RC_LIMIT_KIND_##ID == (number), "codes.h is stale: run make generate");
#define RC_FAMILY(number, ID, name, error_type, not_found_type) \
    _Static_assert(RC_FAMILY_##ID == (number), "codes.h is stale: run make generate");
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    _Static_assert(RC_CLASS_##ID == (number), "codes.h is stale: run make generate");

#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION,   \
                detail, message)                                                                   \
    _Static_assert(RC_CODE_##ID == (number), "codes.h is stale: run make generate");               \
    _Static_assert((number) / 100 == RC_CLASS_##CLASS, "a code's number begins with its class's"); \
    _Static_assert(RC_CATEGORY_##CATEGORY == RC_CATEGORY_NONE ||                                   \
                       (RETRYABLE) == (RC_CATEGORY_##CATEGORY == RC_CATEGORY_TRANSIENT),           \
                   "a category decides whether its codes are retryable");                          \
    _Static_assert((http) == 0 || ((http) >= 400 && (http) <= 599), "an HTTP error status");       \
    _Static_assert((exit) > 0 && (exit) <= 255, "an exit status that is a failure");
#include "spec/errors.def"

const rc_code_info *rc_code_get(rc_code code)
{
    switch (code) {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    case RC_CODE_##ID:                                                                           \
        return &codes[CODE_ROW_##ID];
#include "spec/errors.def"
    case RC_CODE_NONE:
    case RC_CODE_UNKNOWN:
        break;
    }
    return NULL;
}

const rc_class_info *rc_class_get(rc_error_class error_class)
{
    switch (error_class) {
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    case RC_CLASS_##ID:                                              \
        return &classes[CLASS_ROW_##ID];
#include "spec/errors.def"
    case RC_CLASS_NONE:
    case RC_CLASS_UNKNOWN:
        break;
    }
    return NULL;
}

size_t rc_code_count(void)
{
    return CODE_COUNT;
}

const rc_code_info *rc_code_at(size_t index)
{
    return index < CODE_COUNT ? &codes[index] : NULL;
}

size_t rc_class_count(void)
{
    return CLASS_COUNT;
}

const rc_class_info *rc_class_at(size_t index)
{
    return index < CLASS_COUNT ? &classes[index] : NULL;
}

/* ---- names ---- */

const char *rc_code_name(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    if (info != NULL)
        return info->name;
    return code == RC_CODE_NONE ? "" : "unknown";
}

const char *rc_class_name(rc_error_class error_class)
{
    const rc_class_info *info = rc_class_get(error_class);
    if (info != NULL)
        return info->name;
    return error_class == RC_CLASS_NONE ? "" : "unknown";
}

const char *rc_category_name(rc_category category)
{
    switch (category) {
#define RC_CATEGORY(number, ID, name, is_retryable, text) \
    case RC_CATEGORY_##ID:                                \
        return name;
#include "spec/errors.def"
    case RC_CATEGORY_NONE:
        return "";
    }
    return "unknown";
}

const char *rc_domain_name(rc_domain domain)
{
    switch (domain) {
#define RC_DOMAIN(number, ID, name, http_status, text) \
    case RC_DOMAIN_##ID:                               \
        return name;
#include "spec/errors.def"
    case RC_DOMAIN_NONE:
        return "";
    case RC_DOMAIN_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *rc_user_action_name(rc_user_action action)
{
    switch (action) {
#define RC_ACTION(number, ID, name, text) \
    case RC_ACTION_##ID:                  \
        return name;
#include "spec/errors.def"
    case RC_ACTION_NONE:
        return "";
    case RC_ACTION_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *rc_run_event_name(rc_run_event event)
{
    switch (event) {
#define RC_RUN_EVENT(number, ID, name) \
    case RC_EVENT_##ID:                \
        return name;
#include "spec/errors.def"
    case RC_EVENT_NONE:
        return "";
    case RC_EVENT_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *rc_limit_kind_name(rc_limit_kind kind)
{
    switch (kind) {
#define RC_LIMIT_KIND(number, ID, name, text) \
    case RC_LIMIT_KIND_##ID:                  \
        return name;
#include "spec/errors.def"
    case RC_LIMIT_KIND_NONE:
        return "";
    case RC_LIMIT_KIND_UNKNOWN:
        break;
    }
    return "unknown";
}

const char *rc_family_name(rc_family family)
{
    switch (family) {
#define RC_FAMILY(number, ID, name, error_type, not_found_type) \
    case RC_FAMILY_##ID:                                        \
        return name;
#include "spec/errors.def"
    case RC_FAMILY_NONE:
        return "";
    case RC_FAMILY_UNKNOWN:
        break;
    }
    return "unknown";
}

/* ---- parsers: a chain of rc_str_eq is fast, because it compares the lengths first ---- */

rc_code rc_code_parse(rc_str text)
{
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    if (rc_str_eq(text, RC_STR(name)))                                                           \
        return RC_CODE_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(text) ? RC_CODE_NONE : RC_CODE_UNKNOWN;
}

rc_error_class rc_class_parse(rc_str text)
{
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    if (rc_str_eq(text, RC_STR(name)))                               \
        return RC_CLASS_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(text) ? RC_CLASS_NONE : RC_CLASS_UNKNOWN;
}

rc_category rc_category_parse(rc_str name)
{
#define RC_CATEGORY(number, ID, row_name, is_retryable, text) \
    if (rc_str_eq(name, RC_STR(row_name)))                    \
        return RC_CATEGORY_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_CATEGORY_NONE : RC_CATEGORY_UNKNOWN;
}

rc_domain rc_domain_parse(rc_str name)
{
#define RC_DOMAIN(number, ID, row_name, http_status, text) \
    if (rc_str_eq(name, RC_STR(row_name)))                 \
        return RC_DOMAIN_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_DOMAIN_NONE : RC_DOMAIN_UNKNOWN;
}

rc_user_action rc_user_action_parse(rc_str name)
{
#define RC_ACTION(number, ID, row_name, text) \
    if (rc_str_eq(name, RC_STR(row_name)))    \
        return RC_ACTION_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_ACTION_NONE : RC_ACTION_UNKNOWN;
}

rc_run_event rc_run_event_parse(rc_str name)
{
#define RC_RUN_EVENT(number, ID, row_name) \
    if (rc_str_eq(name, RC_STR(row_name))) \
        return RC_EVENT_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_EVENT_NONE : RC_EVENT_UNKNOWN;
}

rc_limit_kind rc_limit_kind_parse(rc_str name)
{
#define RC_LIMIT_KIND(number, ID, row_name, text) \
    if (rc_str_eq(name, RC_STR(row_name)))        \
        return RC_LIMIT_KIND_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_LIMIT_KIND_NONE : RC_LIMIT_KIND_UNKNOWN;
}

rc_family rc_family_parse(rc_str name)
{
#define RC_FAMILY(number, ID, row_name, error_type, not_found_type) \
    if (rc_str_eq(name, RC_STR(row_name)))                          \
        return RC_FAMILY_##ID;
#include "spec/errors.def"
    return rc_str_is_empty(name) ? RC_FAMILY_NONE : RC_FAMILY_UNKNOWN;
}

/* ---- properties ---- */

bool rc_category_is_retryable(rc_category category)
{
    return category == RC_CATEGORY_TRANSIENT;
}

int rc_domain_http_status(rc_domain domain)
{
    switch (domain) {
#define RC_DOMAIN(number, ID, name, http_status, text) \
    case RC_DOMAIN_##ID:                               \
        return http_status;
#include "spec/errors.def"
    case RC_DOMAIN_NONE:
    case RC_DOMAIN_UNKNOWN:
        break;
    }
    return 500;
}

const char *rc_user_action_title(rc_user_action action)
{
    switch (action) {
#define RC_ACTION(number, ID, name, text) \
    case RC_ACTION_##ID:                  \
        return text;
#include "spec/errors.def"
    case RC_ACTION_NONE:
    case RC_ACTION_UNKNOWN:
        break;
    }
    return "";
}

const char *rc_error_type_for(rc_family family, rc_code code)
{
    const bool is_not_found = code == RC_CODE_MODEL_NOT_FOUND;
    switch (family) {
#define RC_FAMILY(number, ID, name, error_type, not_found_type) \
    case RC_FAMILY_##ID:                                        \
        return is_not_found ? (not_found_type) : (error_type);
#include "spec/errors.def"
    case RC_FAMILY_NONE:
    case RC_FAMILY_UNKNOWN:
        break;
    }
    const rc_code_info *info = rc_code_get(code);
    return rc_class_get(info != NULL ? info->error_class : RC_CLASS_INTERNAL)->error_type;
}
