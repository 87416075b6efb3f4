/* Table entry of `recourse exec`: options and help. */
#include "cli/exec/exec.h"

static const rc_option exec_options[EXEC_COUNT] = {
    [EXEC_POLICY] =
        {.shared = RC_OPTION_POLICY,
         .help = "transport (default), session, council, none, or a policy of the configuration"},
    [EXEC_CONFIG] = {.shared = RC_OPTION_CONFIG,
                     .help = "the configuration that contains the policy (default: recourse.yaml "
                             "in the current folder, else in the XDG config directory)"},
    [EXEC_TRIES] = {.name = "tries",
                    .value_name = "N",
                    .min = 1,
                    .max = RC_EXEC_ATTEMPTS_MAX,
                    .help = "number of attempts, including the first (default: the policy's)"},
    [EXEC_BUDGET] = {.name = "budget",
                     .value_name = "TIME",
                     .help = "time limit, such as 30s or 5m: no attempt starts later, and a "
                             "running attempt is stopped"},
    [EXEC_EVENTS] = {.name = "events",
                     .value_name = "FILE",
                     .help = "append the events to this file, as JSON lines"},
    [EXEC_JSON_EVENTS] = {.name = "json-events",
                          .help = "write the events to standard error instead of messages"},
    [EXEC_QUIET] = {.shared = RC_OPTION_QUIET},
    [EXEC_COLOUR] = {.shared = RC_OPTION_COLOR},
    [EXEC_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert(EXEC_COUNT <= RC_OPTIONS_MAX, "rc_args has space for all options");

const rc_command rc_command_exec = {
    .name = "exec",
    .summary = "run a command, and retry it after a transient failure",
    .operands = "-- COMMAND [ARG]...",
    .takes_command = true,
    .text =
        "Runs the command and passes its output through. If the command fails, its exit status and "
        "the end of its standard error are classified; only a transient failure is retried, after "
        "the wait that the policy or the failure names. Esc or Ctrl-C ends a wait.\n\n"
        "The exit status is the command's own: 128 + n if signal n terminated it, 127 if there is "
        "no such command, 126 if it cannot be run.",
    .examples = "  recourse exec -- curl -fsS https://api.example.com/v1/models\n"
                "  recourse exec --budget 5m --policy session -- ./nightly-import.sh\n"
                "  recourse exec --tries 3 --events retries.jsonl -- python agent.py <prompt.txt\n",
    .options = exec_options,
    .option_count = EXEC_COUNT,
    .run = rc_exec_run,
};
