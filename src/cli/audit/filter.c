/* Converts the options that select operations into a query of the audit. Called by command.c,
 * export.c, list.c, stats.c and tail.c. */
#include "audit/names.h"
#include "base/str.h"
#include "cli/audit/audit.h"
#include "cli/audit/stats.h"

#define NAME_MAX_BYTES 1024

static int refuse_group(rc_cli *cli, const rc_audit_refusal *refusal)
{
    rc_cli_text(&cli->err, "there are no statistics by ");
    rc_cli_err_quote(cli, refusal->text);
    rc_cli_suggest(cli, "", refusal->nearest);
    rc_cli_text(&cli->err, "There are");
    for (size_t i = 0; rc_audit_kind_at(i) != NULL; i++) {
        rc_cli_text(&cli->err, i == 0 ? " " : ", ");
        rc_cli_text(&cli->err, rc_audit_kind_at(i)->name);
    }
    rc_cli_text(&cli->err, ".\n");
    return rc_cli_usage(cli, "audit");
}

/* The parser of the command line has checked the options, so only the value of an option can be
 * invalid. */
static int refuse(rc_cli *cli, rc_audit_option option, const rc_audit_refusal *refusal)
{
    rc_cli_err_prefix(cli, "audit");
    if (option == RC_AUDIT_BY)
        return refuse_group(cli, refusal);
    rc_cli_text(&cli->err, "--");
    rc_cli_text(&cli->err, refusal->parameter->name);
    rc_cli_text(&cli->err, " needs ");
    rc_cli_text(&cli->err, refusal->parameter->takes);
    rc_cli_text(&cli->err, ", not ");
    rc_cli_err_quote(cli, refusal->text);
    rc_cli_suggest(cli, "", refusal->nearest);
    return rc_cli_usage(cli, "audit");
}

static int set(rc_audit *audit, rc_audit_option option)
{
    const char *value = audit->args->values[option];
    rc_audit_refusal refusal;
    if (value == NULL ||
        rc_audit_query_set(&audit->query,
                           rc_str_c(rc_command_option(&rc_command_audit, option).name),
                           rc_str_c(value), &refusal))
        return RC_EXIT_OK;
    return refuse(audit->cli, option, &refusal);
}

static int check_range(rc_audit *audit)
{
    const rc_store_filter *filter = &audit->query.select.filter;
    if (audit->args->values[RC_AUDIT_UNTIL] == NULL || filter->until_unix_ms > filter->from_unix_ms)
        return RC_EXIT_OK;
    rc_cli_err_prefix(audit->cli, "audit");
    rc_cli_text(&audit->cli->err, "--until must be later than --since\n");
    return rc_cli_usage(audit->cli, "audit");
}

int rc_audit_filter_read(rc_audit *audit, rc_audit_query_kind kind)
{
    const rc_audit_clock clock = {
        .now_unix_ms = audit->style.now_unix_ms,
        .utc_offset_s = audit->cli->calls->utc_offset_s,
    };
    rc_audit_query_init(&audit->query, kind, &clock);
    int result = RC_EXIT_OK;
    for (size_t i = RC_AUDIT_SINCE; result == RC_EXIT_OK && i <= RC_AUDIT_BY; i++)
        if (i != RC_AUDIT_LIMIT)
            result = set(audit, (rc_audit_option)i);
    return result == RC_EXIT_OK ? check_range(audit) : result;
}

/* ---- unknown names ---- */

static void suggest_one(rc_audit *audit, rc_audit_name_kind kind, rc_audit_option option)
{
    rc_cli *cli = audit->cli;
    const rc_str name = rc_str_c(audit->args->values[option]);
    char scratch[NAME_MAX_BYTES];
    rc_buf nearest;
    rc_buf_init_fixed(&nearest, scratch, sizeof(scratch));
    if (name.len == 0 || !rc_audit_name_is_unknown(audit->store, kind, name, &cli->alloc, &nearest))
        return;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "the audit has no ");
    rc_cli_text(&cli->err, rc_command_option(&rc_command_audit, option).name);
    rc_buf_push_byte(&cli->err, ' ');
    rc_cli_err_quote(cli, name);
    if (rc_buf_get(&nearest).len > 0) {
        rc_cli_text(&cli->err, "; did you mean ");
        rc_cli_err_quote(cli, rc_buf_get(&nearest));
        rc_buf_push_byte(&cli->err, '?');
    }
    rc_buf_push_byte(&cli->err, '\n');
}

void rc_audit_suggest_names(rc_audit *audit)
{
    suggest_one(audit, RC_AUDIT_NAME_CLIENT, RC_AUDIT_CLIENT);
    suggest_one(audit, RC_AUDIT_NAME_ROUTE, RC_AUDIT_ROUTE);
    suggest_one(audit, RC_AUDIT_NAME_MODEL, RC_AUDIT_MODEL);
    suggest_one(audit, RC_AUDIT_NAME_TARGET, RC_AUDIT_TARGET);
}
