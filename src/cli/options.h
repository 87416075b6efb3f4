/* Commands, their options, and the strict parser of the command line.
 *
 * Accepted forms: --name value, --name=value, --flag, -h, -- (all later arguments are operands),
 * - (an operand), and the one-letter form of a command's short_flag. If an option is given twice
 * the
 * last value counts, except for the repeatable option, whose values are all collected. A command
 * with takes_command passes everything from its first operand on to the command that it runs.
 * Anything else is a usage error, which names the nearest known option or value. */
#ifndef RC_CLI_OPTIONS_H
#define RC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/nearest.h"
#include "cli/cli.h"

#define RC_OPTIONS_MAX 32
#define RC_OPERANDS_MAX 64
/* Upper limit of the values of a repeatable option. */
#define RC_REPEATED_MAX 128

/* Limits of --width: those of the panels. */
#define RC_WIDTH_MIN 20
#define RC_WIDTH_MAX 200

typedef struct rc_option {
    const char *name;       /* Without the dashes. */
    const char *value_name; /* Shown in the help, such as "FORMAT"; NULL for a flag. */
    rc_name_at value_at;    /* The allowed values; NULL for free text or a number. */
    unsigned min, max;      /* Limits of a number; max is 0 when the value is not a number. */
    const char *help;
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
    const rc_option *options;
    size_t option_count;    /* At most RC_OPTIONS_MAX. */
    const char *repeatable; /* Name of the option whose values are all collected; NULL: none. */
    const char *short_flag; /* Name of the flag that also has a one-letter form; NULL: none. */
    int (*run)(rc_cli *cli, const struct rc_args *args);
} rc_command;

typedef struct rc_args {
    const rc_command *command;
    const char *values[RC_OPTIONS_MAX]; /* By option index; NULL: not given; "" for a flag. */
    unsigned numbers[RC_OPTIONS_MAX]; /* Values of the options that are numbers, by option index. */
    const char *repeated[RC_REPEATED_MAX]; /* Values of the repeatable option. */
    size_t repeated_count;
    const char *operands[RC_OPERANDS_MAX];
    size_t operand_count;
    const char *const *rest; /* Command line to run: views argv, ends with NULL. */
    size_t rest_count;
    bool wants_help; /* True stops the parsing: later arguments are not checked. */
} rc_args;

/* Parses argv[0..argc); argv[argc] is NULL. Returns RC_EXIT_OK, or RC_EXIT_USAGE with the reason in
 * cli's err. The values in ret_args view argv. */
int rc_args_parse(rc_cli *cli, const rc_command *command, int argc, const char *const *argv,
                  rc_args *ret_args);

/* The allowed values of --color; NULL past the end. */
const char *rc_colour_mode_at(const void *ctx, size_t index);

/* Evaluates --color: should text on this terminal be coloured? value: NULL means auto. */
bool rc_colour_wanted(const char *value, const rc_terminal *terminal);

/* Returns the commands in the order of the help; NULL past the end. */
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

/* Returns the command of that name, or NULL with the nearest name in cli's err. name: borrows. */
const rc_command *rc_command_find(rc_cli *cli, const char *name);

/* Append the main help, or the help of one command, to buf. width: columns of the terminal. */
void rc_help_main(rc_buf *buf, unsigned width);
void rc_help_command(rc_buf *buf, const rc_command *command, unsigned width);

/* Appends a name and its explanation, wrapped to the width. name, text: borrow. */
void rc_help_entry(rc_buf *buf, rc_str name, const char *text, unsigned width);

#endif
