/* `recourse doctor`: table entry, and the order of the checks. Called by commands.c. */
#include "cli/doctor/doctor.h"

#include <string.h>

#include "base/str.h"
#include "cli/options.h"

#define TIMEOUT_S 10u
#define TIMEOUT_MAX_S 300u

enum {
    DOCTOR_CONFIG,
    DOCTOR_OFFLINE,
    DOCTOR_TIMEOUT,
    DOCTOR_FORMAT,
    DOCTOR_COLOR,
    DOCTOR_COUNT
};

static bool check_all(rc_doctor *doctor, const rc_args *args)
{
    rc_config config;
    bool has_memory = true;
    if (rc_doctor_load(doctor, args->values[DOCTOR_CONFIG], &config)) {
        rc_doctor_check_config(doctor, &config);
        rc_doctor_check_keys(doctor, &config);
        rc_doctor_check_store(doctor, &config);
        rc_doctor_check_limits(doctor, &config);
        has_memory = rc_doctor_check_net(doctor, &config, args->values[DOCTOR_OFFLINE] != NULL);
        rc_config_done(&config);
    }
    rc_doctor_add_versions(doctor);
    return has_memory && rc_arena_status(&doctor->arena) == RC_OK;
}

static void show(const rc_doctor *doctor, const rc_args *args)
{
    const char *format = args->values[DOCTOR_FORMAT];
    rc_cli *cli = doctor->cli;
    if (format != NULL && strcmp(format, "json") == 0)
        rc_doctor_push_json(doctor, &cli->out);
    else if (format != NULL && strcmp(format, "markdown") == 0)
        rc_doctor_push_markdown(doctor, &cli->out);
    else
        rc_doctor_push_human(doctor, &cli->out, rc_args_has_colour(args, &cli->out_terminal));
}

static int run(rc_cli *cli, const rc_args *args)
{
    rc_doctor doctor;
    const bool has_timeout = args->values[DOCTOR_TIMEOUT] != NULL;
    rc_doctor_init(&doctor, cli, has_timeout ? args->numbers[DOCTOR_TIMEOUT] : TIMEOUT_S);
    int result = RC_EXIT_INTERNAL;
    if (check_all(&doctor, args)) {
        show(&doctor, args);
        result = rc_doctor_exit_status(&doctor);
    } else {
        rc_cli_err_prefix(cli, "doctor");
        rc_cli_text(&cli->err, "out of memory\n");
    }
    rc_doctor_done(&doctor);
    return result;
}

static const rc_option doctor_options[DOCTOR_COUNT] = {
    [DOCTOR_CONFIG] = {.shared = RC_OPTION_CONFIG},
    [DOCTOR_OFFLINE] = {.name = "offline", .help = "send no request to a provider"},
    [DOCTOR_TIMEOUT] = {.name = "timeout",
                        .value_name = "SECONDS",
                        .min = 1,
                        .max = TIMEOUT_MAX_S,
                        .help = "time limit of all network checks together (default: 10)"},
    [DOCTOR_FORMAT] = {.shared = RC_OPTION_FORMAT},
    [DOCTOR_COLOR] = {.shared = RC_OPTION_COLOR},
};

const rc_command rc_command_doctor = {
    .name = "doctor",
    .summary = "check whether a gateway can run on this machine",
    .text = "Checks the configuration, the keys (whether each is set; a key is never shown), each "
            "provider (name, connection, certificate, and whether it accepts the key, by "
            "requesting its list of models, which costs nothing), the clock, the store, the ports, "
            "the limits and the versions. Each line has a finding and, if needed, the next step. "
            "The command changes nothing. All network checks run in parallel with one time limit.\n"
            "Exit status: 0 without a fault, even with warnings; else that of the worst fault: 78 "
            "an invalid configuration or a missing key, 77 a rejected key or a file that cannot be "
            "read, 74 the disk or the store, 69 a provider or port that is not available.",
    .examples = "  recourse doctor\n"
                "  recourse doctor --offline --config staging.yaml\n"
                "  recourse doctor --format json --timeout 5\n",
    .options = doctor_options,
    .option_count = DOCTOR_COUNT,
    .run = run,
};
