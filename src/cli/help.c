/* Help texts: `recourse help`, `recourse --help` and `recourse COMMAND --help`, generated from the
 * tables of commands and options. Called by commands.c. */
#include "base/str.h"
#include "cli/options.h"
#include "render/wrap.h"

/* Help text is at most this wide: longer lines are hard to read. */
#define TEXT_WIDTH_MAX 96u
#define TEXT_WIDTH_MIN 40u
/* Column at which the explanations begin, to the right of the longest name. */
#define NAME_WIDTH 21u

static unsigned text_width(unsigned width)
{
    if (width > TEXT_WIDTH_MAX)
        return TEXT_WIDTH_MAX;
    return width < TEXT_WIDTH_MIN ? TEXT_WIDTH_MIN : width;
}

static void push_spaces(rc_buf *buf, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rc_buf_push_byte(buf, ' ');
}

static void push_paragraphs(rc_buf *buf, const char *text, unsigned width)
{
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, rc_str_c(text), true);
    while (rc_wrap_next(&wrap, text_width(width), &line)) {
        rc_buf_push(buf, line.text);
        rc_buf_push_byte(buf, '\n');
    }
}

/* Layout:
 * "  name            explanation that continues
 *                    in the same column" */
void rc_help_entry(rc_buf *buf, rc_str name, const char *text, unsigned width)
{
    rc_wrap wrap;
    rc_wrap_line line;
    push_spaces(buf, 2);
    rc_buf_push(buf, name);
    size_t at = 2 + name.len;
    rc_wrap_init(&wrap, rc_str_c(text), true);
    while (rc_wrap_next(&wrap, text_width(width) - NAME_WIDTH, &line)) {
        push_spaces(buf, at < NAME_WIDTH ? NAME_WIDTH - at : 1);
        rc_buf_push(buf, line.text);
        rc_buf_push_byte(buf, '\n');
        at = 0;
    }
}

void rc_help_main(rc_buf *buf, unsigned width)
{
    rc_cli_text(buf, "Usage: recourse COMMAND [OPTION]... [OPERAND]\n\n");
    push_paragraphs(buf,
                    "One error model for every LLM and tool call: what happened, whether to try "
                    "again, what to do next.",
                    width);
    rc_cli_text(buf, "\nCommands:\n");
    for (size_t i = 0; rc_command_at(i) != NULL; i++)
        rc_help_entry(buf, rc_str_c(rc_command_at(i)->name), rc_command_at(i)->summary, width);
    rc_cli_text(buf, "\nOptions:\n");
    rc_help_entry(buf, RC_STR("-h, --help"), "show this, or with a command its own help", width);
    rc_help_entry(buf, RC_STR("--version"), "show the version", width);
    rc_cli_text(buf, "\nExamples:\n"
                     "  recourse errors                     every error code\n"
                     "  recourse errors RateLimited         one of them\n"
                     "  recourse render report.json         a report, for a person\n"
                     "  recourse render --help              all that render can do\n"
                     "\n");
    push_paragraphs(buf,
                    "Data goes to standard output, talk to standard error. Exit status: 0 when it "
                    "worked, 64 for a mistake in the command line, 66 for a file that cannot be "
                    "read, 74 when the output cannot be written; else that of the error code.",
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
    rc_help_entry(buf, RC_STR("-h, --help"), "show this", width);
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
    .text =
        "Shows what a command does, its options and examples; without a command, what there is.",
    .examples = "  recourse help render\n",
    .run = run_help,
};
