/* `recourse render [FILE|-]`: prints a report in any format. Table entry and run function; called
 * by commands.c. */
#include <recourse/json.h>

#include "cli/formats.h"
#include "cli/options.h"
#include "cli/render/input.h"

enum {
    RENDER_FORMAT,
    RENDER_VIEW,
    RENDER_DIALECT,
    RENDER_STREAM,
    RENDER_STRICT,
    RENDER_INDENT,
    RENDER_COLOUR,
    RENDER_WIDTH,
    RENDER_COUNT
};

/* Refuses an option that the format would ignore, such as --view user with a format that always
 * shows the internal view. */
static int refuse_option_of(rc_cli *cli, const char *option, const rc_format *format)
{
    rc_cli_err_prefix(cli, "render");
    rc_cli_text(&cli->err, "--format ");
    rc_cli_text(&cli->err, format->name);
    rc_cli_text(&cli->err, " takes no --");
    rc_cli_text(&cli->err, option);
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "render");
}

static int check_options(rc_cli *cli, const rc_args *args, const rc_format *format)
{
    if (args->values[RENDER_VIEW] != NULL && !format->takes_view)
        return refuse_option_of(cli, "view", format);
    if (args->values[RENDER_DIALECT] != NULL && !format->takes_dialect)
        return refuse_option_of(cli, "dialect", format);
    if (args->values[RENDER_STREAM] != NULL && !format->takes_stream)
        return refuse_option_of(cli, "stream", format);
    if (args->values[RENDER_INDENT] != NULL && !format->takes_indent)
        return refuse_option_of(cli, "indent", format);
    return RC_EXIT_OK;
}

static void push_rendered(rc_cli *cli, const rc_args *args, const rc_format *format,
                          const rc_report *report)
{
    const char *view = args->values[RENDER_VIEW];
    const rc_format_input input = {
        .report = report,
        .view = view != NULL ? rc_view_parse(rc_str_c(view)) : format->view,
        .indent = args->numbers[RENDER_INDENT],
        .is_stream = args->values[RENDER_STREAM] != NULL,
        .style = rc_args_style(cli, args, &cli->out_terminal),
    };
    rc_format_push(format, &input, args->values[RENDER_DIALECT], &cli->out);
}

static int run_render(rc_cli *cli, const rc_args *args)
{
    const char *name = args->values[RENDER_FORMAT];
    const rc_format *format = rc_format_find(name != NULL ? name : "human");
    int result = check_options(cli, args, format);
    if (result != RC_EXIT_OK)
        return result;

    rc_input input = {
        .command = "render",
        .path = args->operand_count > 0 ? args->operands[0] : NULL,
        .mode = args->values[RENDER_STRICT] != NULL ? RC_DECODE_STRICT : RC_DECODE_TOLERANT,
        .is_json_wanted = rc_str_eq(rc_str_c(format->name), RC_STR("json")),
        .width = rc_args_width(args, &cli->err_terminal),
        .has_colour = rc_args_has_colour(args, &cli->err_terminal),
    };
    const rc_report *report = NULL;
    result = rc_input_read(cli, &input, &report);
    if (result != RC_EXIT_OK)
        return result;
    push_rendered(cli, args, format, report);
    rc_report_free(report);
    return RC_EXIT_OK;
}

static void push_formats(rc_buf *buf, unsigned width)
{
    rc_cli_text(buf, "\nFormats, and their default view:\n");
    for (size_t i = 0; rc_format_at(i) != NULL; i++) {
        const rc_format *format = rc_format_at(i);
        char scratch[128];
        rc_buf text;
        rc_buf_init_fixed(&text, scratch, sizeof(scratch) - 1);
        rc_cli_text(&text, format->help);
        rc_cli_text(&text, format->takes_view ? "; " : "; always ");
        rc_cli_text(&text, rc_view_name(format->view));
        scratch[rc_buf_get(&text).len] = '\0';
        rc_help_entry(buf, rc_str_c(format->name), scratch, width);
    }
}

static const rc_option render_options[RENDER_COUNT] = {
    [RENDER_FORMAT] = {.shared = RC_OPTION_REPORT_FORMAT},
    [RENDER_VIEW] = {.shared = RC_OPTION_VIEW},
    [RENDER_DIALECT] = {.shared = RC_OPTION_DIALECT},
    [RENDER_STREAM] = {.name = "stream",
                       .help = "print an error in a client's dialect as the last event of a stream "
                               "instead of as a body"},
    [RENDER_STRICT] = {.name = "strict",
                       .help = "refuse an input with unknown keys, unknown values or damaged JSON"},
    [RENDER_INDENT] = {.shared = RC_OPTION_INDENT},
    [RENDER_COLOUR] = {.shared = RC_OPTION_COLOR},
    [RENDER_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

const rc_command rc_command_render = {
    .name = "render",
    .summary = "render a report for a person, an agent, an HTTP client or an operator",
    .operands = "[FILE|-]",
    .operand_max = 1,
    .text =
        "Reads the JSON of one report from FILE or standard input and prints it. Unknown and "
        "invalid parts are dropped and listed on standard error; with --strict the command refuses "
        "such a report.",
    .push_more = push_formats,
    .examples = "  recourse render report.json\n"
                "  recourse render --format json --view model report.json\n"
                "  recourse render --format http --dialect anthropic report.json\n"
                "  recourse render --format openai-chat --stream - <report.json\n",
    .options = render_options,
    .option_count = RENDER_COUNT,
    .run = run_render,
};
