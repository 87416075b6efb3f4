/* Help texts: `recourse help`, `recourse --help` and `recourse COMMAND --help`, generated from the
 * tables of commands and options. Called by commands.c, simulate/list.c and the command.c files of
 * explain, mock and render. */
#include "base/str.h"
#include "cli/options.h"
#include "render/pen.h"

/* Limit of the width of help text, because longer lines are hard to read. */
#define TEXT_WIDTH_MAX 96u
#define TEXT_WIDTH_MIN 40u
/* In a list, names begin at column NAME_AT and their explanations at TEXT_AT. */
#define NAME_AT 2u
#define TEXT_AT 21u

static rc_pen pen_of(rc_buf *buf, unsigned width)
{
    rc_panel_style style = {.width = width, .has_utf8 = true};
    rc_pen pen;
    if (style.width > TEXT_WIDTH_MAX)
        style.width = TEXT_WIDTH_MAX;
    if (style.width < TEXT_WIDTH_MIN)
        style.width = TEXT_WIDTH_MIN;
    rc_pen_init(&pen, &style, buf);
    return pen;
}

static void push_paragraphs(rc_buf *buf, const char *text, unsigned width)
{
    rc_pen pen = pen_of(buf, width);
    rc_pen_wrap(&pen, RC_TONE_PLAIN, 0, rc_str_c(text));
}

/* Layout:
 * "  name            explanation that continues
 *                    in the same column" */
void rc_help_entry(rc_buf *buf, rc_str name, const char *text, unsigned width)
{
    rc_pen pen = pen_of(buf, width);
    rc_pen_skip(&pen, NAME_AT);
    rc_pen_text(&pen, RC_TONE_PLAIN, name);
    if (pen.column >= TEXT_AT)
        rc_pen_skip(&pen, 1);
    rc_pen_to(&pen, TEXT_AT);
    rc_pen_wrap(&pen, RC_TONE_PLAIN, TEXT_AT, rc_str_c(text));
}

void rc_help_main(rc_buf *buf, unsigned width)
{
    rc_cli_text(buf, "Usage: recourse COMMAND [OPTION]... [OPERAND]\n\n");
    push_paragraphs(buf,
                    "One error model for every LLM and tool call: what happened, whether to retry, "
                    "what to do next.",
                    width);
    rc_cli_text(buf, "\nCommands:\n");
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        rc_help_entry(buf, rc_str_c(rc_command_at(i)->name), rc_command_at(i)->summary, width);
    rc_cli_text(buf, "\nOptions:\n");
    rc_help_entry(buf, RC_STR("-h, --help"), "show this help, or the help of a command", width);
    rc_help_entry(buf, RC_STR("--version"), "show the version", width);
    rc_cli_text(buf, "\nExamples:\n"
                     "  recourse errors                     a list of all error codes\n"
                     "  recourse errors RateLimited         the details of one code\n"
                     "  recourse render report.json         a report for a person\n"
                     "  recourse render --help              the options of render\n"
                     "\n");
    push_paragraphs(buf,
                    "Data goes to standard output, messages to standard error. Exit status: 0 on "
                    "success, 64 for an error in the command line, 66 for a file that cannot be "
                    "read, 74 if the output cannot be written; else that of the error code.",
                    width);
}

static void push_option(rc_buf *buf, rc_option option, unsigned width)
{
    char scratch[64];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof(scratch));
    rc_cli_text(&name, "--");
    rc_cli_text(&name, option.name);
    if (option.value_name != NULL) {
        rc_buf_push_byte(&name, ' ');
        rc_cli_text(&name, option.value_name);
    }
    rc_help_entry(buf, rc_buf_get(&name), option.help, width);
}

void rc_help_command(rc_buf *buf, const rc_command *command, unsigned width)
{
    rc_cli_text(buf, "Usage: recourse ");
    rc_cli_text(buf, command->name);
    rc_cli_text(buf, command->option_count > 0 ? " [OPTION]... " : " ");
    rc_cli_text(buf, command->operands);
    rc_cli_text(buf, "\n\n");
    push_paragraphs(buf, command->text, width);
    rc_cli_text(buf, "\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++)
        push_option(buf, rc_command_option(command, i), width);
    rc_help_entry(buf, RC_STR("-h, --help"), "show this help", width);
    if (command->push_more != NULL)
        command->push_more(buf, width);
    rc_cli_text(buf, "\nExamples:\n");
    rc_cli_text(buf, command->examples);
}

static const char *command_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    const rc_command *command = rc_command_at(index);
    return command != NULL ? command->name : NULL;
}

const rc_command *rc_command_find(rc_cli *cli, const char *name)
{
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        if (rc_str_eq(rc_str_c(rc_command_at(i)->name), rc_str_c(name)))
            return rc_command_at(i);

    rc_cli_err_prefix(cli, NULL);
    rc_cli_text(&cli->err, "unknown command ");
    rc_cli_err_quote(cli, rc_str_c(name));
    rc_cli_suggest(cli, "", rc_nearest(rc_str_c(name), command_name_at, NULL));
    return NULL;
}

static int run_help(rc_cli *cli, const rc_args *args)
{
    if (args->operand_count == 0) {
        rc_help_main(&cli->out, cli->out_terminal.width);
        return RC_EXIT_OK;
    }
    const rc_command *command = rc_command_find(cli, args->operands[0]);
    if (command == NULL)
        return rc_cli_usage(cli, NULL);
    rc_help_command(&cli->out, command, cli->out_terminal.width);
    return RC_EXIT_OK;
}

const rc_command rc_command_help = {
    .name = "help",
    .summary = "show the help of a command",
    .operands = "[COMMAND]",
    .operand_max = 1,
    .text = "Shows the description, options and examples of a command; without a command, the list "
            "of commands.",
    .examples = "  recourse help render\n",
    .run = run_help,
};
