/* Table entry of `recourse exec`: options and help. */
#include "cli/exec/exec.h"

static const rc_option exec_options[EXEC_COUNT] = {
    [EXEC_POLICY] =
        {.shared = RC_OPTION_POLICY,
         .help =
             "transport (default), session, council, none, or one of the configuration's policies"},
    [EXEC_CONFIG] = {.shared = RC_OPTION_CONFIG,
                     .help = "the configuration that the policy is in (default: recourse.yaml "
                             "here, else in the XDG config directory)"},
    [EXEC_TRIES] = {.name = "tries",
                    .value_name = "N",
                    .min = 1,
                    .max = RC_EXEC_ATTEMPTS_MAX,
                    .help = "tries in all, the first included (default: the policy's)"},
    [EXEC_BUDGET] = {.name = "budget",
                     .value_name = "TIME",
                     .help = "how long it may take in all, as 30s or 5m: no try starts later, and "
                             "one that still runs is ended"},
    [EXEC_EVENTS] = {.name = "events",
                     .value_name = "FILE",
                     .help = "append the events to a file, as JSON lines"},
    [EXEC_JSON_EVENTS] = {.name = "json-events",
                          .help =
                              "write the events to standard error, in place of words for a person"},
    [EXEC_QUIET] = {.shared = RC_OPTION_QUIET},
    [EXEC_COLOUR] = {.shared = RC_OPTION_COLOR},
    [EXEC_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert(EXEC_COUNT <= RC_OPTIONS_MAX, "the options fit the arguments");

const rc_command rc_command_exec = {
    .name = "exec",
    .summary = "run a command, and try again when its failure is worth it",
    .operands = "-- COMMAND [ARG]...",
    .takes_command = true,
    .text = "Runs the command and passes its output on as it comes. When it "
            "fails, its exit status and "
            "the end of what it said on standard error are classified; only "
            "what may pass is tried "
            "again, after the wait that the policy or the failure names. Esc "
            "or Ctrl-C ends a wait.\n\n"
            "The exit status is the command's own: 128 + n when signal n ended "
            "it, 127 when there is "
            "no such command, 126 when it cannot be run.",
    .examples = "  recourse exec -- curl -fsS https://api.example.com/v1/models\n"
                "  recourse exec --budget 5m --policy session -- ./nightly-import.sh\n"
                "  recourse exec --tries 3 --events retries.jsonl -- python agent.py "
                "<prompt.txt\n",
    .options = exec_options,
    .option_count = EXEC_COUNT,
    .run = rc_exec_run,
};
