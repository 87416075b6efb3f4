/* The policy of `recourse exec`: a preset, or a policy of the configuration. Called by
 * options.c. */
#include <string.h>

#include <recourse/taxonomy.h>

#include "cli/error_text.h"
#include "cli/exec/exec.h"
#include "config/load.h"

/* EX_CONFIG of sysexits.h: the configuration is invalid. */
#define RC_EXIT_CONFIG 78

typedef struct loaded {
    rc_config config;
    rc_config_source source;
} loaded;

static bool excludes_tool_codes(const rc_policy *policy)
{
    const rc_code_set *never = &policy->never_retry_on;
    return rc_code_set_has(never, RC_CODE_EXECUTION_TIMEOUT) &&
           rc_code_set_has(never, RC_CODE_RESOURCE_BUSY) &&
           rc_code_set_has(never, RC_CODE_EXECUTION_FAILED) &&
           !rc_code_set_has(never, RC_CODE_NETWORK_TIMEOUT);
}

/* Presets never retry the error codes of tools, because in an agent the tool decides about retries.
 * For a command of exec this function allows retries of RESOURCE_BUSY and EXECUTION_TIMEOUT,
 * because these two codes name the cause of the failure. EXECUTION_FAILED stays excluded, because
 * it has no known cause. A policy that also excludes network timeouts is not changed. */
static void allow_command_codes(rc_policy *policy)
{
    rc_code_set never = {{0, 0}};
    if (!excludes_tool_codes(policy))
        return;
    for (size_t i = 0; i < rc_code_count(); i++) {
        rc_code code = rc_code_at(i)->code;
        bool is_ours = code == RC_CODE_RESOURCE_BUSY || code == RC_CODE_EXECUTION_TIMEOUT;
        if (!is_ours && rc_code_set_has(&policy->never_retry_on, code))
            rc_code_set_add(&never, code);
    }
    policy->never_retry_on = never;
}

static int refuse_name(rc_cli *cli, const char *name, const rc_config *config)
{
    rc_cli_err_prefix(cli, "exec");
    rc_cli_text(&cli->err, "no policy is named ");
    rc_cli_err_quote(cli, rc_str_c(name));
    rc_cli_suggest(cli, "", rc_nearest(rc_str_c(name), rc_config_policy_name_at, config));
    return rc_cli_usage(cli, "exec");
}

static int refuse_file(rc_cli *cli, const rc_config_source *source)
{
    rc_cli_cannot_read(cli, "exec", rc_config_source_name(source), source->error);
    return RC_EXIT_NO_INPUT;
}

/* Prints the first fault and names the command that prints all faults. */
static int refuse_faults(rc_cli *cli, const rc_config_source *source)
{
    rc_cli_push_fault(cli, rc_config_source_name(source), &source->faults.list[0]);
    rc_cli_text(&cli->err, "Run 'recourse config check' for all errors.\n");
    return RC_EXIT_CONFIG;
}

static int refuse_memory(rc_cli *cli)
{
    rc_cli_err_prefix(cli, "exec");
    rc_cli_text(&cli->err, "out of memory while reading the configuration\n");
    return RC_EXIT_INTERNAL;
}

static int take_loaded(rc_exec *x, const char *name, const loaded *l, rc_status status)
{
    if (status == RC_E_NOMEM)
        return refuse_memory(x->cli);
    if (status == RC_E_NOT_FOUND)
        return refuse_file(x->cli, &l->source);
    if (status != RC_OK)
        return refuse_faults(x->cli, &l->source);
    const rc_policy *policy = rc_config_policy(&l->config, rc_str_c(name));
    if (policy == NULL)
        return refuse_name(x->cli, name, &l->config);
    x->policy = *policy;
    return RC_EXIT_OK;
}

static int load_policy(rc_exec *x, const char *name, const char *path)
{
    rc_alloc *alloc = &x->cli->alloc;
    loaded *l = alloc->get(alloc->ctx, sizeof *l);
    if (l == NULL)
        return refuse_memory(x->cli);
    memset(l, 0, sizeof *l);
    rc_status status = rc_config_load(&l->config, x->calls, alloc, path, &l->source);
    int result = take_loaded(x, name, l, status);
    rc_config_done(&l->config);
    rc_config_source_done(&l->source);
    alloc->put(alloc->ctx, l, sizeof *l);
    return result;
}

int rc_exec_read_policy(rc_exec *x, const char *name, const char *path)
{
    if (name == NULL)
        name = "transport";
    const rc_policy *preset = rc_policy_preset(rc_str_c(name));
    /* A configuration given with --config is checked even if the policy is a preset. */
    int result = preset == NULL || path != NULL ? load_policy(x, name, path) : RC_EXIT_OK;
    if (result != RC_EXIT_OK)
        return result;
    if (preset != NULL)
        x->policy = *preset;
    allow_command_codes(&x->policy);
    return RC_EXIT_OK;
}
