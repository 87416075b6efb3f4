/* Table of commands; runs the command that the first argument names. Called by main.c, help.c and
 * tools/gen_completions.c. */
#include <string.h>

#include <recourse/version.h>

#include "cli/options.h"

static const rc_command *const commands[] = {
    &rc_command_explain, &rc_command_errors,   &rc_command_exec,   &rc_command_config,
    &rc_command_render,  &rc_command_simulate, &rc_command_mock,   &rc_command_serve,
    &rc_command_audit,   &rc_command_call,     &rc_command_doctor, &rc_command_help,
};

const rc_command *rc_command_at(size_t index)
{
    return index < sizeof(commands) / sizeof(commands[0]) ? commands[index] : NULL;
}

/* Returns the options that are accepted in place of a command name; NULL if the index is too
 * large. */
static const char *main_option_at(const void *ctx, size_t index)
{
    static const char *const names[] = {"--help", "--version", "-h"};
    (void)ctx;
    return index < 3 ? names[index] : NULL;
}

static int refuse_main_option(rc_cli *cli, const char *argument)
{
    rc_cli_err_prefix(cli, NULL);
    rc_cli_text(&cli->err, "unknown option ");
    rc_cli_err_name(cli, rc_str_c(argument));
    rc_cli_suggest(cli, "", rc_nearest(rc_str_c(argument), main_option_at, NULL));
    return rc_cli_usage(cli, NULL);
}

static int run_command(rc_cli *cli, int argc, const char *const *argv)
{
    const rc_command *command = rc_command_find(cli, argv[0]);
    if (command == NULL)
        return rc_cli_usage(cli, NULL);
    rc_args args;
    int result = rc_args_parse(cli, command, argc - 1, argv + 1, &args);
    if (result != RC_EXIT_OK)
        return result;
    if (args.wants_help) {
        rc_help_command(&cli->out, command, cli->out_terminal.width);
        return RC_EXIT_OK;
    }
    return command->run(cli, &args);
}

/* `recourse --help render` means `recourse render --help`. */
static int help(rc_cli *cli, int argc, const char *const *argv)
{
    if (argc > 0) {
        const rc_command *command = rc_command_find(cli, argv[0]);
        if (command == NULL)
            return rc_cli_usage(cli, NULL);
        rc_help_command(&cli->out, command, cli->out_terminal.width);
        return RC_EXIT_OK;
    }
    rc_help_main(&cli->out, cli->out_terminal.width);
    return RC_EXIT_OK;
}

static int version(rc_cli *cli, int argc, const char *const *argv)
{
    if (argc > 0) {
        rc_cli_err_prefix(cli, NULL);
        rc_cli_text(&cli->err, "--version takes no operand, but got ");
        rc_cli_err_quote(cli, rc_str_c(argv[0]));
        rc_buf_push_byte(&cli->err, '\n');
        return rc_cli_usage(cli, NULL);
    }
    rc_cli_text(&cli->out, "recourse ");
    rc_cli_text(&cli->out, rc_version());
    rc_buf_push_byte(&cli->out, '\n');
    return RC_EXIT_OK;
}

static int dispatch(rc_cli *cli, int argc, const char *const *argv)
{
    if (argc < 2) {
        rc_help_main(&cli->err, cli->err_terminal.width);
        return RC_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(cli, argc - 2, argv + 2);
    if (strcmp(argv[1], "--version") == 0)
        return version(cli, argc - 2, argv + 2);
    if (argv[1][0] == '-')
        return refuse_main_option(cli, argv[1]);
    return run_command(cli, argc - 1, argv + 1);
}

int rc_cli_main(rc_cli *cli, int argc, const char *const *argv)
{
    return rc_cli_finish(cli, dispatch(cli, argc, argv));
}
