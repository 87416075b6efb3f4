/* `recourse render [FILE|-]`: prints a report in any format. Table entry and run function; called
 * by commands.c. */
#include <recourse/json.h>

#include "cli/formats.h"
#include "cli/options.h"
#include "cli/render/input.h"
#include "sys/clock.h"

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

static unsigned chosen_width(const rc_args *args, const rc_terminal *terminal)
{
    return args->values[RENDER_WIDTH] != NULL ? args->numbers[RENDER_WIDTH] : terminal->width;
}

static void push_rendered(rc_cli *cli, const rc_args *args, const rc_format *format,
                          const rc_report *report)
{
    const char *view = args->values[RENDER_VIEW];
    const char *dialect = args->values[RENDER_DIALECT];
    int64_t now_unix_ms = rc_clock_unix_ms(cli->calls);
    rc_format_input input = {
        .report = report,
        .view = view != NULL ? rc_view_parse(rc_str_c(view)) : format->view,
        .dialect = format->dialect,
        .indent = args->numbers[RENDER_INDENT],
        .is_stream = args->values[RENDER_STREAM] != NULL,
        .now_unix_ms = now_unix_ms,
        .style = {.width = chosen_width(args, &cli->out_terminal),
                  .has_colour = rc_colour_wanted(args->values[RENDER_COLOUR], &cli->out_terminal),
                  .has_utf8 = cli->out_terminal.has_utf8,
                  .now_unix_ms = now_unix_ms,
                  .utc_offset_s = rc_clock_utc_offset_s(cli->calls, now_unix_ms)},
    };
    if (format->takes_dialect)
        input.dialect = dialect != NULL ? rc_dialect_parse(rc_str_c(dialect)) : RC_DIALECT_PROBLEM;

    format->render(&input, &cli->out);
    rc_str text = rc_buf_get(&cli->out);
    if (!format->is_exact && text.len > 0 && text.ptr[text.len - 1] != '\n')
        rc_buf_push_byte(&cli->out, '\n');
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
        .width = chosen_width(args, &cli->err_terminal),
        .has_colour = rc_colour_wanted(args->values[RENDER_COLOUR], &cli->err_terminal),
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
    [RENDER_FORMAT] = {.name = "format",
                       .value_name = "FORMAT",
                       .value_at = rc_format_name_at,
                       .help = "how to show it, see below (default: human)"},
    [RENDER_VIEW] = {.name = "view",
                     .value_name = "VIEW",
                     .value_at = rc_view_name_at,
                     .help = "who reads it: user (message, action, ids), model (class, code, safe "
                             "context) or internal (everything)"},
    [RENDER_DIALECT] = {.name = "dialect",
                        .value_name = "DIALECT",
                        .value_at = rc_dialect_name_at,
                        .help = "the body of --format http: problem (default), openai-chat, "
                                "openai-responses, anthropic or gemini"},
    [RENDER_STREAM] = {.name = "stream",
                       .help = "a client's dialect as the last event of a stream, not as a body"},
    [RENDER_STRICT] = {.name = "strict",
                       .help = "refuse what is not exactly a report: unknown keys and values, "
                               "damage"},
    [RENDER_INDENT] = {.name = "indent",
                       .value_name = "N",
                       .max = 8,
                       .help = "spaces a level in --format json, 0 to 8 (default: 0, one line)"},
    [RENDER_COLOUR] = {.name = "color",
                       .value_name = "WHEN",
                       .value_at = rc_colour_mode_at,
                       .help = "auto (default: on a terminal, unless NO_COLOR is set), always or "
                               "never"},
    [RENDER_WIDTH] =
        {.name = "width",
         .value_name = "N",
         .min = RC_WIDTH_MIN,
         .max = RC_WIDTH_MAX,
         .help = "columns of a panel, 20 to 200 (default: COLUMNS, the terminal's, else 80)"},
};

const rc_command rc_command_render = {
    .name = "render",
    .summary = "show a report for any reader: person, agent, HTTP client, operator",
    .operands = "[FILE|-]",
    .operand_max = 1,
    .text = "Reads one report's JSON from FILE or standard input and shows it. What a report does "
            "not have is dropped and named on standard error, unless --strict refuses it.",
    .push_more = push_formats,
    .examples = "  recourse render report.json\n"
                "  recourse render --format json --view model report.json\n"
                "  recourse render --format http --dialect anthropic report.json\n"
                "  recourse render --format openai-chat --stream - <report.json\n",
    .options = render_options,
    .option_count = RENDER_COUNT,
    .run = run_render,
};
