/* `recourse errors [CODE]`: prints the taxonomy. Table entry and run function; called by
 * commands.c. */
#include "cli/errors/errors.h"

#include <string.h>

#include "base/str.h"
#include "cli/errors/page.h"
#include "cli/options.h"

/* Upper limit of the suggested names. */
#define OFFERS_MAX 6
/* Minimum length of a part of a name that is searched; a shorter part would match too many
 * names. */
#define PART_MIN 3

enum {
    ERRORS_FORMAT,
    ERRORS_COLOUR,
    ERRORS_WIDTH,
    ERRORS_COUNT
};

/* Returns the names of the codes, then of the classes; NULL if the index is too large. Codes are
 * first, so that a name that a code and a class have in common finds the code. */
static const char *taxonomy_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    if (index < rc_code_count())
        return rc_code_at(index)->name;
    const rc_class_info *info = rc_class_at(index - rc_code_count());
    return info != NULL ? info->name : NULL;
}

static bool find_choice(rc_str name, rc_errors_choice *ret_choice)
{
    for (size_t i = 0; taxonomy_name_at(NULL, i) != NULL; i++) {
        if (!rc_str_eq_nocase(name, rc_str_c(taxonomy_name_at(NULL, i))))
            continue;
        const bool is_code = i < rc_code_count();
        ret_choice->code = is_code ? rc_code_at(i) : NULL;
        ret_choice->error_class = is_code ? NULL : rc_class_at(i - rc_code_count());
        return true;
    }
    return false;
}

static bool has_inside(rc_str name, rc_str part)
{
    for (size_t i = 0; i + part.len <= name.len; i++)
        if (rc_str_starts_with_nocase(rc_str_slice(name, i, name.len), part))
            return true;
    return false;
}

/* Returns the number of names that contain a part such as "timeout". is_shown: also prints these
 * names as "A, B or C". */
static size_t offer_names(rc_cli *cli, rc_str part, bool is_shown)
{
    const char *offers[OFFERS_MAX];
    size_t count = 0;
    for (size_t i = 0; taxonomy_name_at(NULL, i) != NULL && count < OFFERS_MAX; i++)
        if (has_inside(rc_str_c(taxonomy_name_at(NULL, i)), part))
            offers[count++] = taxonomy_name_at(NULL, i);
    for (size_t i = 0; i < count && is_shown; i++) {
        rc_cli_text(&cli->err, i == 0 ? "; did you mean " : i + 1 < count ? ", " : " or ");
        rc_cli_text(&cli->err, offers[i]);
    }
    return count;
}

static int refuse_code(rc_cli *cli, rc_str name)
{
    rc_cli_err_prefix(cli, "errors");
    rc_cli_text(&cli->err, "no error code or class is named ");
    rc_cli_err_quote(cli, name);
    if (name.len >= PART_MIN && offer_names(cli, name, false) > 1) {
        offer_names(cli, name, true);
        rc_cli_text(&cli->err, "?\n");
    } else {
        rc_cli_suggest(cli, "", rc_nearest(name, taxonomy_name_at, NULL));
    }
    rc_cli_text(&cli->err, "Run 'recourse errors' for the list.\n");
    return RC_EXIT_USAGE;
}

static int refuse_table(rc_cli *cli)
{
    rc_cli_err_prefix(cli, "errors");
    rc_cli_text(&cli->err, "out of memory for the table\n");
    return RC_EXIT_INTERNAL;
}

static void put_to_buf(void *ctx, const char *text)
{
    rc_cli_text(ctx, text);
}

static void push_markdown(rc_buf *buf, const rc_errors_choice *choice)
{
    if (choice->code != NULL)
        rc_errors_page_code(choice->code->name, put_to_buf, buf);
    else if (choice->error_class != NULL)
        rc_errors_page_class(choice->error_class->name, put_to_buf, buf);
    else
        rc_errors_page(put_to_buf, buf);
}

static int run_errors(rc_cli *cli, const rc_args *args)
{
    rc_errors_choice choice = {NULL, NULL};
    if (args->operand_count > 0 && !find_choice(rc_str_c(args->operands[0]), &choice))
        return refuse_code(cli, rc_str_c(args->operands[0]));

    const char *format = args->values[ERRORS_FORMAT];
    if (format == NULL || strcmp(format, "human") == 0) {
        const rc_panel_style style = rc_args_style(cli, args, &cli->out_terminal);
        if (rc_errors_human(&cli->out, &choice, &style, &cli->alloc) != RC_OK)
            return refuse_table(cli);
    } else if (strcmp(format, "json") == 0) {
        rc_errors_json(&cli->out, &choice);
    } else {
        push_markdown(&cli->out, &choice);
    }
    return RC_EXIT_OK;
}

static const rc_option errors_options[ERRORS_COUNT] = {
    [ERRORS_FORMAT] = {.shared = RC_OPTION_FORMAT},
    [ERRORS_COLOUR] = {.shared = RC_OPTION_COLOR},
    [ERRORS_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

const rc_command rc_command_errors = {
    .name = "errors",
    .summary = "list the error codes, or show one of them",
    .operands = "[CODE]",
    .operand_max = 1,
    .text = "Shows the table of error codes with category, retry, HTTP status, exit status and "
            "action; with the name of a code, its details; with the name of a class, its codes. "
            "Names may be written in any case.",
    .examples = "  recourse errors\n"
                "  recourse errors RateLimited\n"
                "  recourse errors providerterminal\n"
                "  recourse errors --format json | jq -r '.[] | select(.retryable).error_code'\n",
    .options = errors_options,
    .option_count = ERRORS_COUNT,
    .run = run_errors,
};
