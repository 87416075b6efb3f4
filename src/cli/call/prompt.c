/* The prompt: operands of the command line, standard input, images. Called by call.c. */
#include <string.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "cli/error_text.h"
#include "sys/file.h"

static bool is_stdin(const char *operand)
{
    return strcmp(operand, "-") == 0;
}

/* ---- standard input ---- */

static int refuse_read(rc_caller *c, rc_str name, int error)
{
    if (error == RC_FILE_TOO_LARGE) {
        rc_caller_fail(c, RC_CODE_REQUEST_TOO_LARGE,
                       RC_STR("The prompt is larger than the limit of 16 MiB."),
                       RC_STR("Send a shorter prompt."));
        return rc_report_exit_status(c->report);
    }
    rc_cli_cannot_read(c->cli, "call", name, error);
    return error == RC_FILE_NO_MEMORY ? RC_EXIT_INTERNAL : RC_EXIT_NO_INPUT;
}

static int read_stdin(rc_caller *c)
{
    if (c->calls->isatty(RC_FD_STDIN) == 1) {
        rc_cli_err_prefix(c->cli, "call");
        rc_cli_text(&c->cli->err, "type the prompt; end it with Ctrl-D on a separate line\n");
        rc_cli_flush_err(c->cli);
    }
    const int error = rc_fd_read(c->calls, RC_FD_STDIN, &c->text);
    return error != 0 ? refuse_read(c, RC_STR("<stdin>"), error) : RC_EXIT_OK;
}

/* ---- prompt ---- */

static int refuse_empty(rc_caller *c)
{
    rc_cli_err_prefix(c->cli, "call");
    rc_cli_text(&c->cli->err, "the prompt is empty: pass it as an argument or on standard input\n");
    return rc_cli_usage(c->cli, "call");
}

/* Appends an operand to the prompt. A space joins arguments; the text of standard input ("-") is a
 * separate paragraph. `before`: the previous operand; NULL: none. */
static int add_operand(rc_caller *c, const char *operand, const char *before)
{
    const bool is_paragraph = before != NULL && (is_stdin(operand) || is_stdin(before));
    if (before != NULL)
        rc_buf_push(&c->text, is_paragraph ? RC_STR("\n\n") : RC_STR(" "));
    if (is_stdin(operand))
        return read_stdin(c);
    const rc_status status = rc_buf_push(&c->text, rc_str_c(operand));
    return status == RC_OK
               ? RC_EXIT_OK
               : refuse_read(c, RC_STR("the prompt"),
                             status == RC_E_TOO_LARGE ? RC_FILE_TOO_LARGE : RC_FILE_NO_MEMORY);
}

int rc_caller_read_prompt(rc_caller *c, const rc_args *args)
{
    int result = args->operand_count == 0 ? read_stdin(c) : RC_EXIT_OK;
    for (size_t i = 0; result == RC_EXIT_OK && i < args->operand_count; i++)
        result = add_operand(c, args->operands[i], i > 0 ? args->operands[i - 1] : NULL);
    if (result != RC_EXIT_OK)
        return result;
    if (rc_str_trim(rc_buf_get(&c->text)).len == 0)
        return refuse_empty(c);
    c->turn = (rc_prompt_turn){
        .text = rc_buf_get(&c->text), .images = c->images, .image_count = c->image_count};
    c->prompt.turns = &c->turn;
    c->prompt.turn_count = 1;
    c->prompt.model = c->model;
    return RC_EXIT_OK;
}

/* ---- images ---- */

static int refuse_image(rc_caller *c, const char *path, const char *why)
{
    rc_cli_err_prefix(c->cli, "call");
    rc_cli_err_name(c->cli, rc_str_c(path));
    rc_cli_text(&c->cli->err, why);
    return rc_cli_usage(c->cli, "call");
}

static int read_image(rc_caller *c, const char *path)
{
    rc_buf *bytes = &c->image_bytes[c->image_count];
    const int error = rc_file_read(c->calls, path, bytes);
    if (error == RC_FILE_TOO_LARGE)
        return refuse_image(c, path, " is larger than 20 MiB, which no provider accepts\n");
    if (error != 0)
        return refuse_read(c, rc_str_c(path), error);
    const rc_str type = rc_prompt_image_type(rc_buf_get(bytes));
    if (type.len == 0)
        return refuse_image(c, path, " is not a PNG, JPEG, GIF or WebP image\n");
    c->images[c->image_count++] = (rc_prompt_image){type, rc_buf_get(bytes)};
    return RC_EXIT_OK;
}

int rc_caller_read_images(rc_caller *c, const rc_args *args)
{
    int result = RC_EXIT_OK;
    if (args->repeated_count > RC_CALLER_IMAGES_MAX)
        return refuse_image(c, args->repeated[RC_CALLER_IMAGES_MAX],
                            " exceeds the limit of 8 images\n");
    for (size_t i = 0; result == RC_EXIT_OK && i < args->repeated_count; i++)
        result = read_image(c, args->repeated[i]);
    return result;
}
