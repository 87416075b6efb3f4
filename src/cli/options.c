/* Parser of the command line; called by commands.c for every command. */
#include "cli/options.h"

#include <string.h>

#include "base/str.h"
#include "cli/formats.h"
#include "sys/clock.h"

/* ---- the options of a command ---- */

static const rc_option shared_options[] = {
#define RC_OPTION(ID, name_, value_name_, values_, min_, max_, help_) \
    [RC_OPTION_##ID] = {.name = (name_),                              \
                        .value_name = (value_name_),                  \
                        .values = (values_),                          \
                        .min = (min_),                                \
                        .max = (max_),                                \
                        .help = (help_)},
#include "spec/options.def"
};

const char *rc_name_in_list(const void *ctx, size_t index)
{
    const char *const *names = ctx;
    return names[index];
}

rc_option rc_command_option(const rc_command *command, size_t index)
{
    const rc_option *own = &command->options[index];
    if (own->shared == RC_OPTION_OWN)
        return *own;
    rc_option option = shared_options[own->shared];
    option.shared = own->shared;
    if (own->values != NULL)
        option.values = own->values;
    if (own->help != NULL)
        option.help = own->help;
    return option;
}

/* ---- parser ---- */

/* State of the parser: `at` is the index of the next argument. */
struct reading {
    rc_cli *cli;
    const rc_command *command;
    const char *const *argv;
    int argc;
    int at;
    rc_args args;
};

static int refuse(struct reading *r)
{
    return rc_cli_usage(r->cli, r->command->name);
}

/* Returns the names of the options of a command, then "help", which every command has; NULL past
 * the end. */
static const char *option_name_at(const void *ctx, size_t index)
{
    const rc_command *command = ctx;
    if (index < command->option_count)
        return rc_command_option(command, index).name;
    return index == command->option_count ? "help" : NULL;
}

static int refuse_option(struct reading *r, rc_str shown, rc_str name)
{
    rc_cli_err_prefix(r->cli, r->command->name);
    rc_cli_text(&r->cli->err, "unknown option ");
    rc_cli_err_name(r->cli, shown);
    rc_cli_suggest(r->cli, "--", rc_nearest(name, option_name_at, r->command));
    return refuse(r);
}

/* Prints "recourse render: --strict MESSAGE" and returns RC_EXIT_USAGE. */
static int refuse_use(struct reading *r, const rc_option *option, const char *message)
{
    rc_cli_err_prefix(r->cli, r->command->name);
    rc_cli_text(&r->cli->err, "--");
    rc_cli_text(&r->cli->err, option->name);
    rc_cli_text(&r->cli->err, message);
    rc_buf_push_byte(&r->cli->err, '\n');
    return refuse(r);
}

static int refuse_value(struct reading *r, const rc_option *option, rc_str value)
{
    rc_buf *err = &r->cli->err;
    rc_cli_err_prefix(r->cli, r->command->name);
    rc_cli_text(err, "unknown value ");
    rc_cli_err_quote(r->cli, value);
    rc_cli_text(err, " for --");
    rc_cli_text(err, option->name);
    rc_cli_suggest(r->cli, "", rc_nearest(value, option->values->at, option->values->ctx));
    rc_cli_text(err, "The values are ");
    for (size_t i = 0; option->values->at(option->values->ctx, i) != NULL; i++) {
        rc_cli_text(err, i > 0 ? ", " : "");
        rc_cli_text(err, option->values->at(option->values->ctx, i));
    }
    rc_cli_text(err, ".\n");
    return refuse(r);
}

static int refuse_number(struct reading *r, const rc_option *option, rc_str value)
{
    rc_buf *err = &r->cli->err;
    rc_cli_err_prefix(r->cli, r->command->name);
    rc_cli_text(err, "--");
    rc_cli_text(err, option->name);
    rc_cli_text(err, " must be a whole number from ");
    rc_buf_push_u64(err, option->min);
    rc_cli_text(err, " to ");
    rc_buf_push_u64(err, option->max);
    rc_cli_text(err, ", not ");
    rc_cli_err_quote(r->cli, value);
    rc_buf_push_byte(err, '\n');
    return refuse(r);
}

static bool has_value(const rc_option *option, rc_str value)
{
    for (size_t i = 0; option->values->at(option->values->ctx, i) != NULL; i++)
        if (rc_str_eq(value, rc_str_c(option->values->at(option->values->ctx, i))))
            return true;
    return false;
}

/* Parses a number of at most 9 digits, so that it cannot overflow, without sign and spaces. */
static bool parse_number(const rc_option *option, rc_str text, unsigned *ret_number)
{
    unsigned number = 0;
    if (text.len == 0 || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return false;
        number = number * 10 + (unsigned)(text.ptr[i] - '0');
    }
    if (number < option->min || number > option->max)
        return false;
    *ret_number = number;
    return true;
}

static int take_value(struct reading *r, const rc_option *option, size_t index, const char *value)
{
    if (option->values != NULL && !has_value(option, rc_str_c(value)))
        return refuse_value(r, option, rc_str_c(value));
    if (option->max > 0 && !parse_number(option, rc_str_c(value), &r->args.numbers[index]))
        return refuse_number(r, option, rc_str_c(value));
    r->args.values[index] = value;
    const char *repeatable = r->command->repeatable;
    if (repeatable == NULL || strcmp(option->name, repeatable) != 0)
        return RC_EXIT_OK;
    if (r->args.repeated_count == RC_REPEATED_MAX)
        return refuse_use(r, option, " is given too many times");
    r->args.repeated[r->args.repeated_count++] = value;
    return RC_EXIT_OK;
}

/* Reads a long option. argument: "--name" or "--name=value". */
static int take_long(struct reading *r, const char *argument)
{
    rc_str whole = rc_str_c(argument);
    size_t equals = rc_str_find_byte(whole, '=', 0);
    const char *value = equals != RC_STR_NPOS ? argument + equals + 1 : NULL;
    rc_str name = rc_str_slice(whole, 2, equals);

    if (rc_str_eq(name, RC_STR("help"))) {
        static const rc_option HELP = {.name = "help"};
        r->args.wants_help = value == NULL;
        return value == NULL ? RC_EXIT_OK : refuse_use(r, &HELP, " takes no value");
    }
    for (size_t i = 0; i < r->command->option_count; i++) {
        const rc_option option = rc_command_option(r->command, i);
        if (!rc_str_eq(name, rc_str_c(option.name)))
            continue;
        if (option.value_name == NULL) {
            r->args.values[i] = "";
            return value == NULL ? RC_EXIT_OK : refuse_use(r, &option, " takes no value");
        }
        if (value == NULL && r->at == r->argc)
            return refuse_use(r, &option, " needs a value");
        return take_value(r, &option, i, value != NULL ? value : r->argv[r->at++]);
    }
    return refuse_option(r, rc_str_slice(whole, 0, equals), name);
}

/* Reads a short option. argument: such as "-f", the one-letter form of --follow. */
static int take_letter(struct reading *r, const char *argument)
{
    const rc_command *command = r->command;
    if (command->short_flag == NULL || argument[1] != command->short_flag[0] || argument[2] != '\0')
        return refuse_option(r, rc_str_c(argument), rc_str_c(argument + 1));
    for (size_t i = 0; i < command->option_count; i++)
        if (strcmp(rc_command_option(command, i).name, command->short_flag) == 0)
            r->args.values[i] = "";
    return RC_EXIT_OK;
}

static int take_operand(struct reading *r, const char *operand)
{
    if (r->args.operand_count < r->command->operand_max) {
        r->args.operands[r->args.operand_count++] = operand;
        return RC_EXIT_OK;
    }
    rc_cli_err_prefix(r->cli, r->command->name);
    rc_cli_text(&r->cli->err, "unexpected operand: ");
    rc_cli_err_quote(r->cli, rc_str_c(operand));
    static const char *const most[] = {"no operand", "one operand", "two operands",
                                       "three operands"};
    rc_cli_text(&r->cli->err, "; the command takes ");
    const size_t max = r->command->operand_max;
    rc_cli_text(&r->cli->err,
                max < sizeof most / sizeof most[0] ? most[max] : "at most 64 operands");
    rc_buf_push_byte(&r->cli->err, '\n');
    return refuse(r);
}

/* Stores all arguments from index `from` on as the command to run, including an -h, which is for
 * that command. */
static void take_command_line(struct reading *r, int from)
{
    r->args.rest = r->argv + from;
    r->args.rest_count = (size_t)(r->argc - from);
    r->at = r->argc;
}

int rc_args_parse(rc_cli *cli, const rc_command *command, int argc, const char *const *argv,
                  rc_args *ret_args)
{
    struct reading r = {.cli = cli, .command = command, .argv = argv, .argc = argc};
    r.args.command = command;
    bool is_operand = false;
    int result = RC_EXIT_OK;

    while (r.at < argc && result == RC_EXIT_OK && !r.args.wants_help) {
        const char *argument = argv[r.at++];
        bool is_word = argument[0] != '-' || argument[1] == '\0';
        if (command->takes_command && (is_word || strcmp(argument, "--") == 0))
            take_command_line(&r, is_word ? r.at - 1 : r.at);
        else if (is_operand || is_word)
            result = take_operand(&r, argument);
        else if (strcmp(argument, "--") == 0)
            is_operand = true;
        else if (strcmp(argument, "-h") == 0)
            r.args.wants_help = true;
        else if (argument[1] == '-')
            result = take_long(&r, argument);
        else
            result = take_letter(&r, argument);
    }
    if (result == RC_EXIT_OK)
        *ret_args = r.args;
    return result;
}

/* ---- evaluation of shared options ---- */

/* Returns the index of a shared option in the table of the command, or option_count if the command
 * does not have this option. */
static size_t index_of(const rc_command *command, rc_option_id id)
{
    size_t i = 0;
    while (i < command->option_count && command->options[i].shared != id)
        i++;
    return i;
}

bool rc_args_has_colour(const rc_args *args, const rc_terminal *terminal)
{
    const size_t i = index_of(args->command, RC_OPTION_COLOR);
    const char *value = i < args->command->option_count ? args->values[i] : NULL;
    if (value == NULL || strcmp(value, "auto") == 0)
        return terminal->has_colour;
    return strcmp(value, "always") == 0;
}

unsigned rc_args_width(const rc_args *args, const rc_terminal *terminal)
{
    const size_t i = index_of(args->command, RC_OPTION_WIDTH);
    if (i < args->command->option_count && args->values[i] != NULL)
        return args->numbers[i];
    if (terminal->width < RC_WIDTH_MIN)
        return RC_WIDTH_MIN;
    return terminal->width < RC_WIDTH_MAX ? terminal->width : RC_WIDTH_MAX;
}

rc_panel_style rc_args_style(const rc_cli *cli, const rc_args *args, const rc_terminal *terminal)
{
    const int64_t now_unix_ms = rc_clock_unix_ms(cli->calls);
    return (rc_panel_style){
        .width = rc_args_width(args, terminal),
        .has_colour = rc_args_has_colour(args, terminal),
        .has_utf8 = terminal->has_utf8,
        .now_unix_ms = now_unix_ms,
        .utc_offset_s = rc_clock_utc_offset_s(cli->calls, now_unix_ms),
    };
}
