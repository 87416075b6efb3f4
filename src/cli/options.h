/* Commands, their options, and the strict reading of a command line.
 *
 * Forms: --name value, --name=value, --flag, -h, -- (what follows are operands), - (an operand),
 * and the letter of a command's one flag that has one. An option that is given twice: the last one
 * counts, unless it is one that may be repeated. Of a command that runs another one, everything
 * from the first operand on is that one's.
 * Everything else is refused, and the refusal names what was probably meant. */
#ifndef RC_CLI_OPTIONS_H
#define RC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/nearest.h"
#include "cli/cli.h"

#define RC_OPTIONS_MAX 32
#define RC_OPERANDS_MAX 64
/* Values of the option that may be repeated. */
#define RC_REPEATED_MAX 128

/* What --width takes: the panels' own limits. */
#define RC_WIDTH_MIN 20
#define RC_WIDTH_MAX 200

typedef struct rc_option {
    const char *name;       /* without the dashes */
    const char *value_name; /* "FORMAT", for the help; NULL: a flag */
    rc_name_at value_at;    /* the values that are allowed; NULL: any, or a number */
    unsigned min, max;      /* of a number; max 0: not a number */
    const char *help;
} rc_option;

struct rc_args;

typedef struct rc_command {
    const char *name;
    const char *summary;                            /* one line */
    const char *operands;                           /* "[FILE|-]", for the help */
    size_t operand_max;                             /* at most RC_OPERANDS_MAX */
    bool takes_command;                             /* its operands are a command line, `rest` */
    const char *text;                               /* what it does, for the help: paragraphs */
    void (*push_more)(rc_buf *buf, unsigned width); /* a section of its own; NULL: none */
    const char *examples;                           /* lines */
    const rc_option *options;
    size_t option_count;    /* at most RC_OPTIONS_MAX */
    const char *repeatable; /* the option of which every value counts, by name; NULL: none */
    const char *short_flag; /* the flag that its first letter stands for too, by name; NULL: none */
    int (*run)(rc_cli *cli, const struct rc_args *args);
} rc_command;

typedef struct rc_args {
    const rc_command *command;
    const char *values[RC_OPTIONS_MAX]; /* by the option's place; NULL: not given; "" for a flag */
    unsigned numbers[RC_OPTIONS_MAX];   /* of the options that are numbers */
    const char *repeated[RC_REPEATED_MAX]; /* the values of the one that may be repeated */
    size_t repeated_count;
    const char *operands[RC_OPERANDS_MAX];
    size_t operand_count;
    const char *const *rest; /* a command line: views argv, and ends with NULL as that does */
    size_t rest_count;
    bool wants_help; /* then nothing behind it was looked at */
} rc_args;

/* Reads argv[0..argc); argv[argc] is NULL. RC_EXIT_OK, or RC_EXIT_USAGE with the reason in cli's
 * err. The values in ret_args view argv. */
int rc_args_parse(rc_cli *cli, const rc_command *command, int argc, const char *const *argv,
                  rc_args *ret_args);

/* The values of --color. */
const char *rc_colour_mode_at(const void *ctx, size_t index);

/* --color, for the commands that have it: should text on this terminal be coloured? value: NULL is
 * auto. */
bool rc_colour_wanted(const char *value, const rc_terminal *terminal);

/* The commands, in the order of the help. NULL past the end. */
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

/* The command of that name. NULL: there is none, and cli's err names the nearest. name: borrows. */
const rc_command *rc_command_find(rc_cli *cli, const char *name);

/* Appends the help of the whole, or of one command, to buf. width: columns. */
void rc_help_main(rc_buf *buf, unsigned width);
void rc_help_command(rc_buf *buf, const rc_command *command, unsigned width);

/* Appends a name with its explanation, broken to the width. name, text: borrow. */
void rc_help_entry(rc_buf *buf, rc_str name, const char *text, unsigned width);

#endif
