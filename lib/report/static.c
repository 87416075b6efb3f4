/* Static reports, one for each code. A static report is used if no memory is available for a
 * report. Called by the builder, the store and the gateway. */
#include <recourse/builder.h>

#include "report/report_private.h"

#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    static const char TYPE_##ID[] = error_type;
#include "spec/errors.def"

enum {
#define RC_DOMAIN(number, ID, name, http_status, text) HTTP_##ID = (http_status),
#include "spec/errors.def"
};

#define COMMON_FIELDS(CLASS, ID, DOMAIN, http, ACTION, todo, sentence)                      \
    .error_type = {TYPE_##CLASS, sizeof TYPE_##CLASS - 1}, .error_class = RC_CLASS_##CLASS, \
    .code = RC_CODE_##ID, .domain = RC_DOMAIN_##DOMAIN, .message = RC_STR_INIT(sentence),   \
    .action = RC_ACTION_##ACTION, .action_detail = RC_STR_INIT(todo), .retry_after_ms = -1, \
    .http_status = (http) ? (http) : HTTP_##DOMAIN, .notes_count = 1,                       \
    .notes = {{.key = RC_STR_INIT(RC_KEY_INCOMPLETE),                                       \
               .kind = RC_VALUE_STRING,                                                     \
               .text = RC_STR_INIT("out of memory")}}

static const rc_report BY_ROW[] = {
#define RC_CODE(number, CLASS, ID, name_, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                todo, sentence)                                                                   \
    {COMMON_FIELDS(CLASS, ID, DOMAIN, http, ACTION, todo, sentence),                              \
     .category = RC_CATEGORY_##CATEGORY, .retryable = (RETRYABLE) ? RC_TRUE : RC_FALSE},
#include "spec/errors.def"
};

/* The reports of rc_report_static_fatal, which are not retryable even if their codes are. */
static const rc_report FATAL[] = {
#define RC_CODE(number, CLASS, ID, name_, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                todo, sentence)                                                                   \
    {COMMON_FIELDS(CLASS, ID, DOMAIN, http, ACTION, todo, sentence),                              \
     .category = RC_CATEGORY_##CATEGORY == RC_CATEGORY_TRANSIENT ? RC_CATEGORY_UNKNOWN            \
                                                                 : RC_CATEGORY_##CATEGORY,        \
     .retryable = RC_FALSE},
#include "spec/errors.def"
};

#define COUNT (sizeof BY_ROW / sizeof *BY_ROW)

/* Returns the index of a code's static report. For a code that is not in the table, returns the
 * index of the report for Internal. */
static size_t row_of(rc_code code)
{
    size_t internal = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (BY_ROW[i].code == (uint32_t)code)
            return i;
        if (BY_ROW[i].code == RC_CODE_INTERNAL)
            internal = i;
    }
    return internal;
}

const rc_report *rc_report_static(rc_code code)
{
    return &BY_ROW[row_of(code)];
}

const rc_report *rc_report_static_fatal(rc_code code)
{
    return &FATAL[row_of(code)];
}
