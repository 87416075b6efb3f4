/* Commands, their options, and the strict parser of the command line.
 *
 * Accepted forms: "--name value", "--name=value", "--flag", "-h", "--" (all later arguments are
 * operands), "-" (an operand), and one letter for the short_flag of a command. If an option is
 * given twice, the last value counts; only the repeatable option collects all values. A command
 * with takes_command passes all arguments from its first operand on to the command that it runs.
 * All other forms are usage errors, whose message names the nearest known option or value. */
#ifndef RC_CLI_OPTIONS_H
#define RC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/render.h>

#include "base/nearest.h"
#include "cli/cli.h"

#define RC_OPTIONS_MAX 32
#define RC_OPERANDS_MAX 64
/* Upper limit of the values of a repeatable option. */
#define RC_REPEATED_MAX 128

/* Limits of --width, the same as for panels. */
#define RC_WIDTH_MIN 20
#define RC_WIDTH_MAX 200

/* Ids of the options in spec/options.def, which several commands share. */
typedef enum rc_option_id {
    RC_OPTION_OWN = 0, /* No shared option: the command's own option. */
#define RC_OPTION(ID, name, value_name, values, min, max, help) RC_OPTION_##ID,
#include "spec/options.def"
} rc_option_id;

/* The allowed values of an option. */
typedef struct rc_option_values {
    rc_name_at at;
    const void *ctx;
} rc_option_values;
#define RC_NAMES(...)                          \
    &(const rc_option_values)                  \
    {                                          \
        rc_name_in_list, (const char *const[]) \
        {                                      \
            __VA_ARGS__, NULL                  \
        }                                      \
    }
#define RC_NAMES_OF(function) \
    &(const rc_option_values) \
    {                         \
        (function), NULL      \
    }
#define RC_ANY NULL
/* Returns the name at an index. ctx: an array of names that ends with NULL. */
const char *rc_name_in_list(const void *ctx, size_t index);

typedef struct rc_option {
    rc_option_id shared;    /* Row of spec/options.def with the defaults; 0: none. */
    const char *name;       /* Without the dashes. */
    const char *value_name; /* Shown in the help, such as "FORMAT"; NULL for a flag. */
    /* Allowed values; NULL: the values of the row, or any text. */
    const rc_option_values *values;
    unsigned min, max; /* Limits of a number; max is 0 if the value is no number. */
    const char *help;  /* Help text; NULL: the help of the row. */
} rc_option;

struct rc_args;

typedef struct rc_command {
    const char *name;
    const char *summary;  /* One line for the list of commands. */
    const char *operands; /* Shown in the help, such as "[FILE|-]". */
    size_t operand_max;   /* At most RC_OPERANDS_MAX. */
    bool takes_command;   /* The operands are a command line, stored in rc_args.rest. */
    const char *text;     /* Description for the help, in paragraphs. */
    void (*push_more)(rc_buf *buf, unsigned width); /* Appends an extra help section; NULL: none. */
    const char *examples;                           /* Lines for the help. */
    const rc_option *options;                       /* Must be read with rc_command_option. */
    size_t option_count;                            /* At most RC_OPTIONS_MAX. */
    const char *repeatable; /* Name of the option whose values are all collected; NULL: none. */
    const char *short_flag; /* Name of the flag that also has a one-letter form; NULL: none. */
    int (*run)(rc_cli *cli, const struct rc_args *args);
} rc_command;

typedef struct rc_args {
    const rc_command *command;
    const char *values[RC_OPTIONS_MAX]; /* By option index; NULL: not given; "": a flag. */
    unsigned numbers[RC_OPTIONS_MAX]; /* Values of the options that are numbers, by option index. */
    const char *repeated[RC_REPEATED_MAX]; /* Values of the repeatable option. */
    size_t repeated_count;
    const char *operands[RC_OPERANDS_MAX];
    size_t operand_count;
    const char *const *rest; /* Views argv: the command line to run, ending with NULL. */
    size_t rest_count;
    bool wants_help; /* --help was given; later arguments were not parsed. */
} rc_args;

/* Parses argv[0] to argv[argc - 1]; argv[argc] must be NULL. Returns RC_EXIT_OK, or RC_EXIT_USAGE
 * with the reason in cli's err. The values in ret_args view argv. */
int rc_args_parse(rc_cli *cli, const rc_command *command, int argc, const char *const *argv,
                  rc_args *ret_args);

/* Returns an option of the command, completed with the members of its shared row. index: below
 * option_count. */
rc_option rc_command_option(const rc_command *command, size_t index);

/* Evaluates --color: returns whether text on this terminal is coloured. */
bool rc_args_has_colour(const rc_args *args, const rc_terminal *terminal);

/* Evaluates --width: returns the given number, else the columns of the terminal within the limits
 * of --width. */
unsigned rc_args_width(const rc_args *args, const rc_terminal *terminal);

/* Returns the style of text on this terminal by --color and --width, with the current time. */
rc_panel_style rc_args_style(const rc_cli *cli, const rc_args *args, const rc_terminal *terminal);

/* Returns the commands in the order of the help; NULL if the index is too large. */
const rc_command *rc_command_at(size_t index);

extern const rc_command rc_command_explain;
extern const rc_command rc_command_errors;
extern const rc_command rc_command_exec;
extern const rc_command rc_command_config;
extern const rc_command rc_command_render;
extern const rc_command rc_command_simulate;
extern const rc_command rc_command_mock;
extern const rc_command rc_command_serve;
extern const rc_command rc_command_audit;
extern const rc_command rc_command_doctor;
extern const rc_command rc_command_call;
extern const rc_command rc_command_help;

/* Returns the command with this name. An unknown name gives NULL and a message with the nearest
 * name in cli's err. name: borrows during the call. */
const rc_command *rc_command_find(rc_cli *cli, const char *name);

/* rc_help_main appends the main help to buf, rc_help_command the help of one command. width:
 * columns of the terminal. */
void rc_help_main(rc_buf *buf, unsigned width);
void rc_help_command(rc_buf *buf, const rc_command *command, unsigned width);

/* Appends a name and its explanation, wrapped to the width. name, text: borrows during the call. */
void rc_help_entry(rc_buf *buf, rc_str name, const char *text, unsigned width);

#endif
