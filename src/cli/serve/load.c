/* Loads the configuration, rules and prices of a gateway. Called by run.c, reload.c and `call`. */
#include "cli/serve/load.h"

#include <string.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/error_text.h"
#include "config/prices/load.h"
#include "sys/file.h"

#define RULES_MAX_BYTES ((size_t)256 << 10)
#define PATH_MAX_BYTES ((size_t)4096)

static int refuse_rules(rc_cli *cli, rc_str path, const rc_rules_fault *fault)
{
    rc_cli_err_name(cli, path);
    rc_buf_push_byte(&cli->err, ':');
    rc_cli_err_name(cli, rc_str_c(fault->text));
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_CONFIG;
}

/* Loads the rules file; its path is relative to the folder of the configuration file. */
static int load_rules(rc_cli *cli, const char *command, const rc_config_source *source,
                      rc_snapshot_input *input)
{
    rc_buf path;
    rc_buf text;
    rc_rules_fault fault;
    int result = RC_EXIT_OK;
    if (input->config->root.rules.len == 0)
        return RC_EXIT_OK;
    rc_buf_init(&path, &cli->alloc, PATH_MAX_BYTES);
    rc_buf_init(&text, &cli->alloc, RULES_MAX_BYTES);
    rc_config_source_resolve(source, input->config->root.rules, &path);
    const rc_str name = rc_str_c(rc_buf_get(&path).ptr);
    const int error = rc_file_read_regular(cli->calls, name.ptr, &text);
    if (error != 0) {
        rc_cli_cannot_read(cli, command, name, error);
        result = RC_EXIT_NO_INPUT;
    } else if (rc_rules_parse(rc_buf_get(&text), &cli->alloc, &input->rules, &fault) != RC_OK) {
        result = refuse_rules(cli, name, &fault);
    }
    rc_buf_done(&path);
    rc_buf_done(&text);
    return result;
}

static int load_prices(rc_cli *cli, const char *command, const rc_config_source *source,
                       rc_snapshot_input *input)
{
    rc_config_source file;
    int result = RC_EXIT_OK;
    input->prices = cli->alloc.get(cli->alloc.ctx, sizeof *input->prices);
    if (input->prices == NULL)
        return RC_EXIT_INTERNAL;
    const rc_status status =
        rc_prices_load(input->prices, cli->calls, &cli->alloc, input->config, source, &file);
    if (status != RC_OK)
        result = rc_cli_config_refuse(cli, command, &file, status);
    rc_config_source_done(&file);
    return result;
}

/* Stores the name of the configuration file. A path that is too long loses its beginning, because
 * the end distinguishes files better. */
static void name_file(rc_snapshot_input *input, rc_str path)
{
    const size_t most = sizeof input->file - 1;
    const rc_str end = rc_str_slice(path, path.len > most ? path.len - most : 0, path.len);
    memcpy(input->file, end.ptr, end.len);
    input->file[end.len] = '\0';
}

int rc_serve_load(rc_cli *cli, const char *command, const char *path, rc_snapshot_input *ret_input)
{
    rc_config_source source;
    rc_snapshot_input input = {.config = cli->alloc.get(cli->alloc.ctx, sizeof *input.config)};
    if (input.config == NULL) {
        rc_cli_err_prefix(cli, command);
        rc_cli_text(&cli->err, "out of memory while reading the configuration\n");
        return RC_EXIT_INTERNAL;
    }
    const rc_status status = rc_config_load(input.config, cli->calls, &cli->alloc, path, &source);
    int result = status == RC_OK ? load_rules(cli, command, &source, &input)
                                 : rc_cli_config_refuse(cli, command, &source, status);
    if (result == RC_EXIT_OK)
        result = load_prices(cli, command, &source, &input);
    input.is_environment = rc_buf_get(&source.path).len == 0;
    if (!input.is_environment)
        name_file(&input, rc_config_source_name(&source));
    rc_config_source_done(&source);
    if (result == RC_EXIT_OK)
        *ret_input = input;
    else
        rc_snapshot_input_done(&input, &cli->alloc);
    return result;
}
