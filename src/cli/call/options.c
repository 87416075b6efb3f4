/* Options of `recourse call`: checks them and stores them in rc_caller. Called by call.c. */
#include <string.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "codec/duration.h"
#include "gateway/request/client_request.h"
#include "gateway/request/model.h"
#include "json/reader.h"

static int refuse(rc_cli *cli, const char *message, const char *value)
{
    rc_cli_err_prefix(cli, "call");
    rc_cli_text(&cli->err, message);
    if (value != NULL)
        rc_cli_err_quote(cli, rc_str_c(value));
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "call");
}

/* ---- single options ---- */

static int read_deadline(rc_caller *c, const char *text)
{
    int64_t deadline_ms = 0;
    if (text == NULL)
        return RC_EXIT_OK;
    const rc_status status = rc_duration_parse(rc_str_c(text), RC_UNIT_S, &deadline_ms);
    if ((status == RC_E_RANGE && text[0] != '-') ||
        (status == RC_OK && (uint64_t)deadline_ms > RC_CLIENT_DEADLINE_MAX_MS))
        return refuse(c->cli, "--deadline must be at most 24h, not ", text);
    if (status != RC_OK || deadline_ms == 0)
        return refuse(c->cli, "--deadline must be a duration such as 30s, 5m or 1h30m, not ", text);
    c->deadline_ms = (uint64_t)deadline_ms;
    return RC_EXIT_OK;
}

static int read_temperature(rc_caller *c, const char *text)
{
    const rc_json_limits limits = {.max_bytes = 32, .max_depth = 1};
    rc_json_reader reader;
    double value = -1;
    if (text == NULL)
        return RC_EXIT_OK;
    rc_json_reader_init(&reader, rc_str_c(text), &limits);
    const rc_json_token token = rc_json_reader_next(&reader);
    if (token.type != RC_JSON_NUMBER || rc_json_reader_next(&reader).type != RC_JSON_END ||
        rc_json_to_double(token.raw, &value) != RC_OK || value < 0 || value > 2)
        return refuse(c->cli, "--temperature must be a number from 0 to 2, not ", text);
    c->prompt.temperature = token.raw;
    return RC_EXIT_OK;
}

static int read_format(rc_caller *c, const rc_args *args)
{
    const char *name = args->values[CALL_FORMAT];
    const bool is_agent = args->values[CALL_AGENT] != NULL;
    c->format = is_agent ? RC_CALLER_JSON : RC_CALLER_HUMAN;
    if (name != NULL && strcmp(name, "json") == 0)
        c->format = RC_CALLER_JSON;
    else if (name != NULL && strcmp(name, "markdown") == 0)
        c->format = RC_CALLER_MARKDOWN;
    else if (name != NULL && is_agent)
        return refuse(c->cli, "--agent can be used with --format json or markdown, not ", name);
    c->is_quiet = is_agent || args->values[CALL_QUIET] != NULL;
    return RC_EXIT_OK;
}

static rc_dialect dialect_of(const char *name)
{
    if (name == NULL)
        return (rc_dialect)0;
    if (strcmp(name, "anthropic") == 0)
        return RC_DIALECT_ANTHROPIC;
    return strcmp(name, "gemini") == 0 ? RC_DIALECT_GEMINI : RC_DIALECT_OPENAI_CHAT;
}

static bool is_name(const char *text)
{
    size_t len = 0;
    for (; text[len] != '\0'; len++) {
        const char c = text[len];
        if (!rc_ascii_is_alnum(c) && c != '_' && c != '-' && c != '.')
            return false;
    }
    return len > 0 && len <= 63;
}

/* Refuses --config with --via, and --token-file and --insecure without --via, because they would
 * have no effect. */
static int check_via(const rc_caller *c)
{
    if (c->via != NULL && c->config_path != NULL)
        return refuse(c->cli,
                      "--via uses the gateway's own configuration: omit "
                      "--config",
                      NULL);
    if (c->via == NULL && c->token_file != NULL)
        return refuse(c->cli, "--token-file needs --via", NULL);
    if (c->via == NULL && c->is_insecure)
        return refuse(c->cli, "--insecure needs --via", NULL);
    return RC_EXIT_OK;
}

int rc_caller_read_options(rc_caller *c, const rc_args *args)
{
    const char *model = args->values[CALL_MODEL];
    c->model = rc_str_c(model);
    c->prompt.system = rc_str_c(args->values[CALL_SYSTEM]);
    c->prompt.max_tokens = args->numbers[CALL_MAX_TOKENS];
    c->prompt.is_stream = args->values[CALL_NO_STREAM] == NULL;
    c->dialect = dialect_of(args->values[CALL_DIALECT]);
    c->policy = args->values[CALL_POLICY];
    c->config_path = args->values[CALL_CONFIG];
    c->via = args->values[CALL_VIA];
    c->token_file = args->values[CALL_TOKEN_FILE];
    c->is_insecure = args->values[CALL_INSECURE] != NULL;
    c->console = (rc_console){
        .watch = &c->watch,
        .tty = &c->tty,
        .err = &c->err_outlet,
        .is_width_fixed = args->numbers[CALL_WIDTH] > 0,
        .line = {.width = args->numbers[CALL_WIDTH] > 0 ? args->numbers[CALL_WIDTH]
                                                        : c->cli->err_terminal.width},
    };
    c->has_colour = rc_args_has_colour(args, &c->cli->err_terminal);
    if (model != NULL && !rc_model_name_is_valid(c->model))
        return refuse(c->cli, "--model must be a name of at most 256 bytes, not ", model);
    if (c->policy != NULL && !is_name(c->policy))
        return refuse(c->cli, "--policy must be a name, not ", c->policy);
    int result = read_format(c, args);
    if (result == RC_EXIT_OK)
        result = read_deadline(c, args->values[CALL_DEADLINE]);
    if (result == RC_EXIT_OK)
        result = read_temperature(c, args->values[CALL_TEMPERATURE]);
    return result == RC_EXIT_OK ? check_via(c) : result;
}
