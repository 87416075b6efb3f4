/* Loads the scenario and selects its policies. Called by command.c, and by the command mock. */
#include <string.h>

#include "base/str.h"
#include "cli/error_text.h"
#include "cli/simulate/simulate.h"
#include "config/yaml/yaml.h"
#include "sim/scenario_yaml.h"
#include "sys/file.h"

/* ---- scenario ---- */

static const char *builtin_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    const rc_sim_builtin *builtin = rc_sim_builtin_at(index);
    return builtin != NULL ? builtin->name : NULL;
}

static const char *shown_path(const char *operand)
{
    return strcmp(operand, "-") == 0 ? "<stdin>" : operand;
}

/* Returns whether the operand looks like a built-in name. A file name has a slash or a dot. */
static bool is_like_a_name(rc_str operand)
{
    return rc_str_find_byte(operand, '/', 0) == RC_STR_NPOS &&
           rc_str_find_byte(operand, '.', 0) == RC_STR_NPOS;
}

static int refuse_name(rc_cli *cli, const char *command, rc_str name)
{
    rc_cli_err_prefix(cli, command);
    rc_cli_text(&cli->err, "no built-in scenario and no file is named ");
    rc_cli_err_quote(cli, name);
    rc_cli_suggest(cli, "", rc_nearest(name, builtin_name_at, NULL));
    rc_cli_text(&cli->err, "Run 'recourse simulate --list' for the scenarios.\n");
    return RC_EXIT_USAGE;
}

static int refuse_read(rc_cli *cli, const char *command, const char *operand, int error)
{
    rc_cli_cannot_read(cli, command, rc_str_c(shown_path(operand)), error);
    return error == RC_FILE_NO_MEMORY ? RC_EXIT_INTERNAL : RC_EXIT_NO_INPUT;
}

static int refuse_faults(rc_cli *cli, const char *operand, rc_config_faults *faults)
{
    rc_config_faults_sort(faults);
    const size_t listed = rc_config_faults_listed(faults);
    for (size_t i = 0; i < listed; i++)
        rc_cli_push_fault(cli, rc_str_c(shown_path(operand)), &faults->list[i]);
    if (faults->count > listed) {
        rc_cli_text(&cli->err, "... and ");
        rc_buf_push_u64(&cli->err, faults->count - listed);
        rc_cli_text(&cli->err, " more\n");
    }
    return RC_SIMULATE_REFUSED;
}

static int parse(rc_cli *cli, const char *command, const char *operand, rc_str text,
                 rc_sim_scenario *ret_scenario)
{
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    const rc_status status = rc_sim_scenario_parse(text, &cli->alloc, &faults, ret_scenario);
    if (status == RC_OK)
        return RC_EXIT_OK;
    return status == RC_E_NOMEM ? refuse_read(cli, command, operand, RC_FILE_NO_MEMORY)
                                : refuse_faults(cli, operand, &faults);
}

static int read_scenario(rc_cli *cli, const char *operand, rc_buf *bytes)
{
    if (strcmp(operand, "-") == 0)
        return rc_fd_read(cli->calls, RC_FD_STDIN, bytes);
    return rc_file_read(cli->calls, operand, bytes);
}

int rc_simulate_scenario(rc_cli *cli, const char *command, const char *operand,
                         rc_sim_scenario *ret_scenario)
{
    const rc_sim_builtin *builtin = rc_sim_builtin_named(rc_str_c(operand));
    if (builtin != NULL)
        return parse(cli, command, operand, rc_str_c(builtin->text), ret_scenario);

    rc_buf bytes;
    rc_buf_init(&bytes, &cli->alloc, RC_YAML_MAX_BYTES);
    const int error = read_scenario(cli, operand, &bytes);
    int result;
    if (error != 0 && rc_output_is_missing(error) && is_like_a_name(rc_str_c(operand)))
        result = refuse_name(cli, command, rc_str_c(operand));
    else if (error != 0)
        result = refuse_read(cli, command, operand, error);
    else
        result = parse(cli, command, operand, rc_buf_get(&bytes), ret_scenario);
    rc_buf_done(&bytes);
    return result;
}

/* ---- policies ---- */

/* Returns the names of the scenario's own policies, then the built-in ones; NULL if the index is
 * too large. */
static const char *policy_name_at(const void *ctx, size_t index)
{
    const rc_sim_scenario *scenario = ctx;
    if (index < scenario->policy_count)
        return scenario->policies[index].name;
    return rc_sim_policy_name_at(index - scenario->policy_count);
}

static int refuse_policy(rc_cli *cli, const char *message, const char *name,
                         const rc_sim_scenario *scenario)
{
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, message);
    rc_cli_err_quote(cli, rc_str_c(name));
    rc_cli_suggest(cli, "",
                   scenario != NULL ? rc_nearest(rc_str_c(name), policy_name_at, scenario) : NULL);
    rc_cli_text(&cli->err, "Run 'recourse simulate --list' for the policies.\n");
    return RC_EXIT_USAGE;
}

static const rc_sim_policy *own_policy(const rc_sim_scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        if (strcmp(scenario->policies[i].name, name) == 0)
            return &scenario->policies[i];
    return NULL;
}

/* Adds the policy with this name, of the scenario or built in, to chosen->policies. */
static int choose(rc_cli *cli, const char *name, const rc_sim_scenario *scenario,
                  rc_sim_scenario *chosen)
{
    if (own_policy(chosen, name) != NULL)
        return refuse_policy(cli, "duplicate policy: ", name, NULL);
    if (chosen->policy_count == RC_SIM_POLICIES_MAX)
        return refuse_policy(cli, "too many policies at ", name, NULL);
    const rc_sim_policy *own = own_policy(scenario, name);
    rc_sim_policy *slot = &chosen->policies[chosen->policy_count];
    if (own != NULL)
        *slot = *own;
    else if (!rc_sim_policy_named(rc_str_c(name), slot))
        return refuse_policy(cli, "no policy is named ", name, scenario);
    chosen->policy_count++;
    return RC_EXIT_OK;
}

int rc_simulate_choose(rc_cli *cli, const char *const *names, size_t count,
                       rc_sim_scenario *scenario)
{
    if (count == 0)
        return RC_EXIT_OK;
    rc_sim_scenario chosen = *scenario;
    chosen.policy_count = 0;
    int result = RC_EXIT_OK;
    for (size_t i = 0; i < count && result == RC_EXIT_OK; i++)
        result = choose(cli, names[i], scenario, &chosen);
    if (result == RC_EXIT_OK)
        *scenario = chosen;
    return result;
}
