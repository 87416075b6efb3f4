/* Checks the model and the policy of a call against the configuration. Called by call.c. */
#include <string.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "cli/config_load.h"
#include "cli/serve/load.h"
#include "client/target.h"

/* Limits of the list of names that is printed if the given model is unknown or missing. */
#define NAMES_MAX 12
#define LIST_MAX_BYTES ((size_t)2048)

static bool is_wildcard(rc_str model)
{
    return rc_str_find_byte(model, '*', 0) != RC_STR_NPOS;
}

/* ---- known models ---- */

static void push_names(const rc_config *config, rc_buf *list)
{
    size_t count = 0;
    for (size_t i = 0; i < config->route_count && count < NAMES_MAX; i++)
        if (!is_wildcard(config->routes[i].model)) {
            rc_buf_push(list, count++ > 0 ? RC_STR(", ") : RC_STR(""));
            rc_buf_push(list, config->routes[i].model);
        }
    for (size_t i = 0; i < config->provider_count && count < NAMES_MAX; i++) {
        rc_buf_push(list, count++ > 0 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push(list, config->providers[i].name);
        rc_buf_push(list, RC_STR("/MODEL"));
    }
}

/* Returns the model of the only route whose model has no wildcard; empty if there is no such route
 * or more than one. */
static rc_str only_model(const rc_config *config)
{
    rc_str model = {NULL, 0};
    for (size_t i = 0; i < config->route_count; i++) {
        if (is_wildcard(config->routes[i].model))
            continue;
        if (model.len > 0)
            return rc_str_make(NULL, 0);
        model = config->routes[i].model;
    }
    return model;
}

/* Stores the result of only_model as a copy, because the gateway later takes the configuration. */
static void use_only_model(rc_caller *c, const rc_config *config)
{
    const rc_str model = only_model(config);
    if (model.len == 0 || model.len > sizeof c->model_copy)
        return;
    memcpy(c->model_copy, model.ptr, model.len);
    c->model = rc_str_make(c->model_copy, model.len);
}

static int refuse_without_model(rc_caller *c)
{
    rc_cli *cli = c->cli;
    char scratch[LIST_MAX_BYTES];
    rc_buf list;
    rc_buf_init_fixed(&list, scratch, sizeof scratch);
    rc_cli_err_prefix(cli, "call");
    rc_cli_text(&cli->err, "set a model with --model");
    if (c->snapshot_input.config != NULL) {
        push_names(c->snapshot_input.config, &list);
        rc_cli_text(&cli->err, ": ");
        rc_cli_err_name(cli, rc_buf_get(&list));
    }
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "call");
}

static int refuse_unknown(rc_caller *c)
{
    char text[RC_CALLER_TEXT_MAX];
    char advice[LIST_MAX_BYTES];
    rc_buf message;
    rc_buf list;
    rc_buf_init_fixed(&message, text, sizeof text);
    rc_buf_init_fixed(&list, advice, sizeof advice);
    rc_buf_push(&message, RC_STR("No route matches the model \""));
    rc_buf_push(&message, c->model);
    rc_buf_push(&message, RC_STR("\", and it does not begin with the name of a provider."));
    rc_buf_push(&list, RC_STR("Use one of these: "));
    push_names(c->snapshot_input.config, &list);
    rc_buf_push_byte(&list, '.');
    rc_caller_fail(c, RC_CODE_MODEL_NOT_FOUND, rc_buf_get(&message), rc_buf_get(&list));
    return rc_report_exit_status(c->report);
}

static int check_policy(rc_caller *c)
{
    rc_cli *cli = c->cli;
    const rc_config *config = c->snapshot_input.config;
    if (c->policy == NULL || rc_config_policy(config, rc_str_c(c->policy)) != NULL)
        return RC_EXIT_OK;
    rc_cli_err_prefix(cli, "call");
    rc_cli_text(&cli->err, "no policy is named ");
    rc_cli_err_quote(cli, rc_str_c(c->policy));
    rc_cli_suggest(cli, "", rc_nearest(rc_str_c(c->policy), rc_config_policy_name_at, config));
    return rc_cli_usage(cli, "call");
}

/* ---- choice ---- */

/* Removes the keys of providers that this call does not use, so that a missing key of another
 * provider is no error. */
static void drop_unneeded_keys(const rc_target_choice *target, rc_config *config)
{
    for (size_t i = 0; i < config->provider_count; i++)
        if (!rc_target_choice_has(target, &config->providers[i]))
            config->providers[i].key_count = 0;
}

static int choose(rc_caller *c)
{
    rc_config *config = c->snapshot_input.config;
    rc_target_choice target;
    if (c->model.len == 0)
        use_only_model(c, config);
    if (c->model.len == 0)
        return refuse_without_model(c);
    if (!rc_target_choice_find(config, c->model, &target))
        return refuse_unknown(c);
    drop_unneeded_keys(&target, config);
    return RC_EXIT_OK;
}

int rc_caller_choose_target(rc_caller *c)
{
    if (c->via != NULL)
        return c->model.len > 0 ? RC_EXIT_OK : refuse_without_model(c);
    int result = rc_serve_load(c->cli, "call", c->config_path, &c->snapshot_input);
    if (result == RC_EXIT_OK)
        result = check_policy(c);
    return result == RC_EXIT_OK ? choose(c) : result;
}
