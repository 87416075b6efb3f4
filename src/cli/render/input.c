/* Reads a report's JSON and prints what is wrong with it. Called by render/command.c. */
#include "cli/render/input.h"

#include <string.h>

#include <recourse/builder.h>
#include <recourse/render.h>

#include "cli/error_text.h"
#include "sys/file.h"

/* Size of a message: file name, position and reason. */
#define MESSAGE_BYTES RC_REPORT_MESSAGE_MAX

static bool is_stdin(const rc_input *input)
{
    return input->path == NULL || strcmp(input->path, "-") == 0;
}

static rc_str shown_path(const rc_input *input)
{
    return is_stdin(input) ? RC_STR("<stdin>") : rc_str_c(input->path);
}

static void complain_path(rc_cli *cli, const rc_input *input)
{
    rc_cli_err_prefix(cli, input->command);
    rc_cli_err_name(cli, shown_path(input));
}

static void push_position(rc_buf *buf, const rc_decode_info *info)
{
    rc_buf_push_byte(buf, ':');
    rc_buf_push_u64(buf, info->line);
    rc_buf_push_byte(buf, ':');
    rc_buf_push_u64(buf, info->column);
}

/* ---- refusals as reports ---- */

static int show_refusal(rc_cli *cli, const rc_input *input, const rc_report *report)
{
    rc_panel_style style = {
        .width = input->width,
        .has_colour = input->has_colour,
        .has_utf8 = cli->err_terminal.has_utf8,
    };
    /* The internal view, because the user gave the input and may see all details. */
    if (input->is_json_wanted) {
        rc_render_agent_json(report, RC_VIEW_INTERNAL, 0, &cli->err);
        rc_buf_push_byte(&cli->err, '\n');
    } else {
        rc_render_human(report, RC_VIEW_USER, &style, &cli->err);
    }
    int exit_status = rc_report_exit_status(report);
    rc_report_free(report);
    return exit_status;
}

/* Prints a report with the message "FILE:LINE:COLUMN: MESSAGE at POINTER". info: position of the
 * fault; NULL: unknown. hint: advice that replaces the advice of the code; NULL: none. */
static int refuse_input(rc_cli *cli, const rc_input *input, const rc_decode_info *info,
                        const char *text, const char *hint)
{
    char scratch[MESSAGE_BYTES];
    rc_buf message;
    rc_builder builder;
    rc_buf_init_fixed(&message, scratch, sizeof(scratch));
    rc_builder_init(&builder, &cli->alloc, RC_CODE_SHAPE_INVALID);
    rc_cli_set_identity(cli, &builder);

    rc_buf_push(&message, shown_path(input));
    rc_builder_set_context(&builder, RC_STR("file"), shown_path(input));
    if (info != NULL) {
        push_position(&message, info);
        rc_builder_set_context_int(&builder, RC_STR("line"), (int64_t)info->line);
        rc_builder_set_context_int(&builder, RC_STR("column"), (int64_t)info->column);
        rc_builder_set_context(&builder, RC_STR("pointer"), rc_str_c(info->pointer));
    }
    rc_buf_push(&message, RC_STR(": "));
    rc_buf_push(&message, rc_str_c(text));
    if (info != NULL && info->pointer[0] != '\0') {
        rc_buf_push(&message, RC_STR(" at "));
        rc_buf_push(&message, rc_str_c(info->pointer));
    }
    rc_builder_set_message(&builder, rc_buf_get(&message));
    if (hint != NULL)
        rc_builder_set_action(&builder, RC_ACTION_FIX_REQUEST, rc_str_c(hint));
    rc_builder_add_source(&builder, RC_HERE("ShapeInvalid"));
    return show_refusal(cli, input, rc_builder_finish(&builder));
}

static int refuse_memory(rc_cli *cli, const rc_input *input)
{
    complain_path(cli, input);
    rc_cli_text(&cli->err, ": out of memory\n");
    return RC_EXIT_INTERNAL;
}

/* ---- reading ---- */

static int read_error(rc_cli *cli, const rc_input *input, int error)
{
    if (error == RC_FILE_TOO_LARGE)
        return refuse_input(cli, input, NULL, "larger than the limit of 16 MiB",
                            "Use a report of at most 16 MiB.");
    if (error == RC_FILE_NO_MEMORY)
        return refuse_memory(cli, input);
    rc_cli_err_prefix(cli, input->command);
    rc_cli_text(&cli->err, "cannot read ");
    if (shown_path(input).len > 0)
        rc_cli_err_name(cli, shown_path(input));
    else
        rc_cli_text(&cli->err, "a file without a name");
    rc_cli_text(&cli->err, ": ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_NO_INPUT;
}

static int read_bytes(rc_cli *cli, const rc_input *input, rc_buf *buf)
{
    if (!is_stdin(input))
        return rc_file_read(cli->calls, input->path, buf);
    if (cli->calls->isatty(RC_FD_STDIN) == 1) {
        rc_cli_err_prefix(cli, input->command);
        rc_cli_text(&cli->err, "reading a report from the terminal; end it with Ctrl-D\n");
        rc_cli_flush_err(cli);
    }
    return rc_fd_read(cli->calls, RC_FD_STDIN, buf);
}

/* Prints one line if the input was damaged, and one line if the tolerant decoder dropped parts of
 * the report. */
static void warn_losses(rc_cli *cli, const rc_input *input, const rc_decode_info *info)
{
    if (info->is_damaged) {
        complain_path(cli, input);
        push_position(&cli->err, info);
        rc_cli_text(&cli->err, ": ");
        rc_cli_text(&cli->err, info->message);
        rc_cli_text(&cli->err, "; the valid part is shown\n");
    }
    if (info->dropped_count == 0)
        return;
    complain_path(cli, input);
    rc_cli_text(&cli->err, ": dropped unknown or invalid parts:");
    size_t shown = info->dropped_count;
    if (shown > RC_DECODE_DROPPED_MAX)
        shown = RC_DECODE_DROPPED_MAX;
    for (size_t i = 0; i < shown; i++) {
        rc_cli_text(&cli->err, i > 0 ? ", " : " ");
        rc_cli_err_name(cli, rc_str_c(info->dropped[i]));
    }
    if (info->dropped_count > shown) {
        rc_cli_text(&cli->err, " and ");
        rc_buf_push_u64(&cli->err, info->dropped_count - shown);
        rc_cli_text(&cli->err, " more");
    }
    rc_buf_push_byte(&cli->err, '\n');
}

/* Returns whether the decoded report has no member of a report. This happens if the input is the
 * body of a provider. */
static bool has_no_message(const rc_report *report)
{
    return rc_report_code(report) == RC_CODE_NONE && rc_report_class(report) == RC_CLASS_NONE &&
           rc_report_category(report) == RC_CATEGORY_NONE && rc_report_cause(report) == NULL &&
           rc_str_is_empty(rc_report_error_type(report)) &&
           rc_str_is_empty(rc_report_message(report));
}

static int decode_bytes(rc_cli *cli, const rc_input *input, rc_str bytes,
                        const rc_report **ret_report)
{
    rc_decode_info info;
    const rc_report *report = NULL;
    rc_status status = rc_report_decode(bytes, input->mode, &cli->alloc, &report, &info);
    if (status == RC_E_NOMEM)
        return refuse_memory(cli, input);
    if (status != RC_OK)
        return refuse_input(cli, input, &info, info.message, NULL);
    if (has_no_message(report)) {
        rc_report_free(report);
        info = (rc_decode_info){.line = 1, .column = 1};
        return refuse_input(cli, input, &info,
                            "not a report: no error_code, error_class, error_type or message",
                            "Use the JSON of a report, as --format report writes it.");
    }
    warn_losses(cli, input, &info);
    *ret_report = report;
    return RC_EXIT_OK;
}

int rc_input_read(rc_cli *cli, const rc_input *input, const rc_report **ret_report)
{
    rc_buf bytes;
    rc_buf_init(&bytes, &cli->alloc, RC_DECODE_MAX_BYTES);
    int error = read_bytes(cli, input, &bytes);
    int result = error != 0 ? read_error(cli, input, error)
                            : decode_bytes(cli, input, rc_buf_get(&bytes), ret_report);
    rc_buf_done(&bytes);
    return result;
}
