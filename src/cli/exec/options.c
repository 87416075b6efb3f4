/* Options of `recourse exec`. Called by exec.c. */
#include "cli/exec/exec.h"
#include "codec/duration.h"

static int refuse(rc_cli *cli, const char *message, const char *value)
{
    rc_cli_err_prefix(cli, "exec");
    rc_cli_text(&cli->err, message);
    if (value != NULL)
        rc_cli_err_quote(cli, rc_str_c(value));
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "exec");
}

_Static_assert(RC_DURATION_MAX_MS == INT64_C(876600) * 3600 * 1000,
               "the message states this number of hours");

static void set_attempts(rc_policy *policy, uint32_t attempts)
{
    policy->enabled = policy->enabled || attempts > 1;
    policy->default_rule.max_attempts = attempts;
    for (uint32_t i = 0; i < policy->rule_count; i++)
        policy->rules[i].max_attempts = attempts;
    policy->max_calls =
        attempts + 1; /* One more than max_attempts, so that the report names max_attempts as the
                       * exhausted limit. */
}

static int read_budget(rc_exec *x, const char *text)
{
    int64_t budget_ms = 0;
    x->deadline_at_ms = RC_UNLIMITED;
    if (text == NULL)
        return RC_EXIT_OK;
    rc_status status = rc_duration_parse(rc_str_c(text), RC_UNIT_S, &budget_ms);
    if (status == RC_E_RANGE && text[0] != '-')
        return refuse(x->cli, "--budget must be at most 876600h (100 years), not ", text);
    if (status != RC_OK || budget_ms == 0)
        return refuse(x->cli, "--budget must be a duration such as 30s, 5m or 1h30m, not ", text);
    x->deadline_at_ms = (uint64_t)budget_ms;
    return RC_EXIT_OK;
}

int rc_exec_read_options(rc_exec *x, const rc_args *args)
{
    if (args->rest_count == 0 || args->rest[0][0] == '\0')
        return refuse(x->cli, "expected a command after --", NULL);
    x->argv = args->rest;
    x->is_quiet = args->values[EXEC_QUIET] != NULL;
    x->is_json = args->values[EXEC_JSON_EVENTS] != NULL;
    x->width = args->numbers[EXEC_WIDTH];
    x->has_colour = rc_args_has_colour(args, &x->cli->err_terminal);
    int result = read_budget(x, args->values[EXEC_BUDGET]);
    if (result == RC_EXIT_OK)
        result = rc_exec_read_policy(x, args->values[EXEC_POLICY], args->values[EXEC_CONFIG]);
    x->is_single = args->numbers[EXEC_TRIES] == 1;
    if (result == RC_EXIT_OK && args->values[EXEC_TRIES] != NULL)
        set_attempts(&x->policy, args->numbers[EXEC_TRIES]);
    return result;
}
