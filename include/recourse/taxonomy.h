/* The taxonomy: the table of the error classes and codes whose enums are in codes.h. All strings of
 * the tables are static. */
#ifndef RECOURSE_TAXONOMY_H
#define RECOURSE_TAXONOMY_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* One code's row. */
typedef struct rc_code_info {
    rc_code code;
    const char *name;
    rc_error_class error_class;
    rc_category category; /* RC_CATEGORY_NONE: a report with this code has the category of its
                             cause */
    rc_domain domain;
    bool is_retryable;
    int http_status; /* HTTP status of the code; if the code has none, of its domain */
    int exit_status;
    rc_run_event run_event;
    rc_user_action action;
    const char *action_detail;
    const char *message; /* a whole sentence, safe to show to users */
} rc_code_info;

/* One class's row. */
typedef struct rc_class_info {
    rc_error_class error_class;
    const char *name;
    const char *error_type; /* error type (rc_report_error_type) of a report with RC_FAMILY_NONE */
    const char *recoverable;
    const char *handler;
} rc_class_info;

/* rc_code_get returns the row of a code, rc_class_get the row of a class. Both functions return
 * NULL for NONE, UNKNOWN and values that are not in the table. */
RC_API const rc_code_info *rc_code_get(rc_code code);
RC_API const rc_class_info *rc_class_get(rc_error_class error_class);

/* The functions ending in `_count` return the number of rows. The functions ending in `_at` return
 * a row by its index in the table's order, or NULL if the index is too large. */
RC_API size_t rc_code_count(void);
RC_API const rc_code_info *rc_code_at(size_t index);
RC_API size_t rc_class_count(void);
RC_API const rc_class_info *rc_class_at(size_t index);

/* Each of these functions returns the name of a value in JSON. The name of NONE is ""; the name of
 * UNKNOWN and of values that are not in the table is "unknown". */
RC_API const char *rc_code_name(rc_code code);
RC_API const char *rc_class_name(rc_error_class error_class);
RC_API const char *rc_category_name(rc_category category);
RC_API const char *rc_domain_name(rc_domain domain);
RC_API const char *rc_user_action_name(rc_user_action action);
RC_API const char *rc_run_event_name(rc_run_event event);
RC_API const char *rc_limit_kind_name(rc_limit_kind kind);
RC_API const char *rc_family_name(rc_family family);

/* Each of these functions returns the value that has exactly this name. The result is NONE for the
 * empty name, and UNKNOWN for any other name that is not in the table. */
RC_API rc_code rc_code_parse(rc_str name);
RC_API rc_error_class rc_class_parse(rc_str name);
RC_API rc_category rc_category_parse(rc_str name);
RC_API rc_domain rc_domain_parse(rc_str name);
RC_API rc_user_action rc_user_action_parse(rc_str name);
RC_API rc_run_event rc_run_event_parse(rc_str name);
RC_API rc_limit_kind rc_limit_kind_parse(rc_str name);
RC_API rc_family rc_family_parse(rc_str name);

/* Returns true for RC_CATEGORY_TRANSIENT only. */
RC_API bool rc_category_is_retryable(rc_category category);

/* Returns the HTTP status of a domain; 500 for NONE and UNKNOWN. */
RC_API int rc_domain_http_status(rc_domain domain);

/* Returns the action as a short heading for people, such as "Check the credentials". NONE and
 * UNKNOWN have the heading "". */
RC_API const char *rc_user_action_title(rc_user_action action);

/* Returns the error type of a failure with this code. Each family has an error type and a second
 * one for a missing model. For RC_FAMILY_NONE the result is the error type of the code's class. */
RC_API const char *rc_error_type_for(rc_family family, rc_code code);

RC_END_DECLS

#endif
