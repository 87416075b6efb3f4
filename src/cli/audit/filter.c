/* The options that select operations, as a filter of the store. Called by command.c. */
#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/audit.h"
#include "cli/audit/time.h"
#include "store/operation_key.h"
#include "sys/clock.h"

#define NAMES_MAX_BYTES ((size_t)1 << 20)
#define NAMES_MAX 4096
/* At most this many similar names of another kind (such as a client instead of a model) are
 * skipped. */
#define OTHER_KIND_MAX 8

static int refuse(rc_audit *audit, const char *option, const char *takes, const char *value)
{
    rc_cli *cli = audit->cli;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "--");
    rc_cli_text(&cli->err, option);
    rc_cli_text(&cli->err, takes);
    rc_cli_text(&cli->err, ", not ");
    rc_cli_err_quote(cli, rc_str_c(value));
    return RC_EXIT_USAGE;
}

static int end_refusal(rc_audit *audit, const char *nearest)
{
    rc_cli_suggest(audit->cli, "", nearest);
    return rc_cli_usage(audit->cli, "audit");
}

/* ---- times ---- */

static int read_time(rc_audit *audit, rc_audit_option which, int64_t *ret_unix_ms)
{
    const char *value = audit->args->values[which];
    const rc_audit_clock clock = {
        .now_unix_ms = audit->style.now_unix_ms,
        .utc_offset_s = audit->cli->calls->utc_offset_s,
    };
    if (value == NULL || rc_audit_time_parse(rc_str_c(value), &clock, ret_unix_ms))
        return RC_EXIT_OK;
    refuse(audit, audit->args->command->options[which].name,
           " takes a time: 2h (ago), 02:30, yesterday, 2026-11-16, 2026-11-16T02:30:00Z", value);
    return end_refusal(audit, NULL);
}

static int read_times(rc_audit *audit)
{
    rc_store_filter *filter = &audit->filter;
    int result = read_time(audit, RC_AUDIT_SINCE, &filter->from_unix_ms);
    if (result == RC_EXIT_OK)
        result = read_time(audit, RC_AUDIT_UNTIL, &filter->until_unix_ms);
    if (result != RC_EXIT_OK || audit->args->values[RC_AUDIT_UNTIL] == NULL ||
        filter->until_unix_ms > filter->from_unix_ms)
        return result;
    rc_cli_err_prefix(audit->cli, "audit");
    rc_cli_text(&audit->cli->err, "--until is not later than --since: no time is between them\n");
    return rc_cli_usage(audit->cli, "audit");
}

/* ---- codes and classes ---- */

static const char *code_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_code_count() ? rc_code_at(index)->name : NULL;
}

static const char *class_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < rc_class_count() ? rc_class_at(index)->name : NULL;
}

/* Finds a name in a table, ignoring case. */
static bool find_name(rc_name_at name_at, const char *value, size_t *ret_index)
{
    for (size_t i = 0; name_at(NULL, i) != NULL; i++)
        if (rc_str_eq_nocase(rc_str_c(name_at(NULL, i)), rc_str_c(value))) {
            *ret_index = i;
            return true;
        }
    return false;
}

static int read_kinds(rc_audit *audit)
{
    const char *code = audit->args->values[RC_AUDIT_CODE];
    const char *class_name = audit->args->values[RC_AUDIT_CLASS];
    size_t index = 0;
    if (code != NULL && !find_name(code_at, code, &index)) {
        refuse(audit, "code", " takes an error code, as recourse errors lists them", code);
        return end_refusal(audit, rc_nearest(rc_str_c(code), code_at, NULL));
    }
    if (code != NULL)
        audit->filter.code = rc_code_at(index)->code;
    if (class_name != NULL && !find_name(class_at, class_name, &index)) {
        refuse(audit, "class", " takes a class of errors, as recourse errors lists them",
               class_name);
        return end_refusal(audit, rc_nearest(rc_str_c(class_name), class_at, NULL));
    }
    if (class_name != NULL)
        audit->filter.error_class = rc_class_at(index)->error_class;
    return RC_EXIT_OK;
}

/* ---- outcomes ---- */

#define RECOVERED "recovered"

const char *rc_audit_outcome_at(const void *ctx, size_t index)
{
    static const char *const names[] = {
#define RC_AUDIT_OUTCOME(number, ID, name, text) name,
#include "spec/audit.def"
        RECOVERED,
    };
    (void)ctx;
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

static void read_outcome(rc_audit *audit)
{
    const char *value = audit->args->values[RC_AUDIT_OUTCOME];
    if (value == NULL)
        return;
    audit->filter.is_recovered = strcmp(value, RECOVERED) == 0;
    audit->filter.has_outcome = rc_outcome_parse(rc_str_c(value), &audit->filter.outcome);
}

/* ---- all options ---- */

static int read_after(rc_audit *audit)
{
    const char *value = audit->args->values[RC_AUDIT_AFTER];
    if (value == NULL || rc_operation_key_parse(rc_str_c(value), &audit->after_key))
        return RC_EXIT_OK;
    refuse(audit, "after", " takes a key of the list, as 01KE8V3Q5W-8ST", value);
    return end_refusal(audit, NULL);
}

static rc_str text_of(const rc_audit *audit, rc_audit_option which)
{
    return rc_str_c(audit->args->values[which]);
}

int rc_audit_filter_read(rc_audit *audit)
{
    rc_store_filter *filter = &audit->filter;
    filter->client = text_of(audit, RC_AUDIT_CLIENT);
    filter->route = text_of(audit, RC_AUDIT_ROUTE);
    filter->model = text_of(audit, RC_AUDIT_MODEL);
    filter->target = text_of(audit, RC_AUDIT_TARGET);
    filter->report_id = text_of(audit, RC_AUDIT_REPORT);
    read_outcome(audit);
    int result = read_times(audit);
    if (result == RC_EXIT_OK)
        result = read_kinds(audit);
    if (result == RC_EXIT_OK)
        result = read_after(audit);
    for (size_t i = RC_AUDIT_CLIENT; i <= RC_AUDIT_REPORT; i++)
        audit->is_narrowed = audit->is_narrowed || audit->args->values[i] != NULL;
    return result;
}

/* ---- unknown names ---- */

typedef struct known_names {
    rc_str wanted;
    bool is_there;
    rc_buf bytes; /* Names, each followed by a NUL. */
    size_t starts[NAMES_MAX];
    size_t count;
} known_names;

static bool note_name(void *ctx, rc_str name)
{
    known_names *known = ctx;
    known->is_there = rc_str_eq(name, known->wanted);
    if (known->is_there || known->count == NAMES_MAX)
        return false;
    known->starts[known->count] = rc_buf_get(&known->bytes).len;
    rc_buf_push(&known->bytes, name);
    rc_buf_push_byte(&known->bytes, '\0');
    if (rc_buf_status(&known->bytes) == RC_OK)
        known->count++;
    return rc_buf_status(&known->bytes) == RC_OK;
}

static const char *known_at(const void *ctx, size_t index)
{
    const known_names *known = ctx;
    return index < known->count ? rc_buf_get(&known->bytes).ptr + known->starts[index] : NULL;
}

static bool note_any(void *ctx, const rc_record *operation)
{
    (void)operation;
    *(bool *)ctx = true;
    return false;
}

/* Does the audit use the name for this option? Clients and models are looked up by index; a target
 * is recognized by its slash, and a route is assumed. */
static bool is_of_kind(rc_audit *audit, rc_audit_option which, const char *name)
{
    rc_store_query query = {.limit = 1};
    rc_store_fault ignored;
    bool is_there = false;
    if (which == RC_AUDIT_TARGET)
        return strchr(name, '/') != NULL;
    if (which == RC_AUDIT_ROUTE)
        return true;
    *(which == RC_AUDIT_CLIENT ? &query.filter.client : &query.filter.model) = rc_str_c(name);
    return rc_store_list(audit->store, &query, note_any, &is_there, &ignored) && is_there;
}

static const char *nearest_name(rc_audit *audit, rc_audit_option which, known_names *known)
{
    for (size_t round = 0; round < OTHER_KIND_MAX; round++) {
        const char *name = rc_nearest(known->wanted, known_at, known);
        if (name == NULL || is_of_kind(audit, which, name))
            return name;
        for (size_t i = 0; i < known->count; i++)
            if (known_at(known, i) == name)
                known->starts[i] = known->starts[--known->count];
    }
    return NULL;
}

static void suggest_one(rc_audit *audit, rc_audit_option which, known_names *known)
{
    rc_cli *cli = audit->cli;
    rc_store_fault ignored;
    known->wanted = text_of(audit, which);
    known->count = 0;
    known->is_there = false;
    rc_buf_reset(&known->bytes);
    if (known->wanted.len == 0 || !rc_store_names(audit->store, note_name, known, &ignored) ||
        known->is_there)
        return;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "this audit knows no ");
    rc_cli_text(&cli->err, audit->args->command->options[which].name);
    rc_buf_push_byte(&cli->err, ' ');
    rc_cli_err_quote(cli, known->wanted);
    const char *nearest = nearest_name(audit, which, known);
    if (nearest != NULL) {
        rc_cli_text(&cli->err, "; did you mean ");
        rc_cli_err_quote(cli, rc_str_c(nearest));
        rc_buf_push_byte(&cli->err, '?');
    }
    rc_buf_push_byte(&cli->err, '\n');
}

void rc_audit_suggest_names(rc_audit *audit)
{
    const rc_alloc *alloc = &audit->cli->alloc;
    known_names *known = alloc->get(alloc->ctx, sizeof(*known));
    if (known == NULL)
        return;
    memset(known, 0, sizeof(*known));
    rc_buf_init(&known->bytes, alloc, NAMES_MAX_BYTES);
    for (size_t i = RC_AUDIT_CLIENT; i <= RC_AUDIT_TARGET; i++)
        suggest_one(audit, (rc_audit_option)i, known);
    rc_buf_done(&known->bytes);
    alloc->put(alloc->ctx, known, sizeof(*known));
}
