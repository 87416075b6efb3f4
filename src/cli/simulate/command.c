/* `recourse simulate`: table entry and run function. Called by commands.c. */
#include "cli/simulate/simulate.h"

#include <string.h>

#define SEED_MAX ((uint64_t)INT64_MAX)

enum {
    SIMULATE_POLICY,
    SIMULATE_SEED,
    SIMULATE_REQUESTS,
    SIMULATE_OUT,
    SIMULATE_FORMAT,
    SIMULATE_PLOT,
    SIMULATE_LIST,
    SIMULATE_COLOUR,
    SIMULATE_WIDTH,
    SIMULATE_COUNT
};

static bool has_format(const rc_args *args, const char *name)
{
    const char *format = args->values[SIMULATE_FORMAT];
    return strcmp(format != NULL ? format : "human", name) == 0;
}

/* Prints "recourse simulate: MESSAGE". */
static int refuse(rc_cli *cli, const char *message)
{
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, message);
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "simulate");
}

/* Parses a seed of 64 bits, which rc_option cannot parse as a number. */
static bool parse_seed(rc_str text, uint64_t *ret_seed)
{
    uint64_t seed = 0;
    for (size_t i = 0; i < text.len; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)text.ptr[i] - '0';
        if (digit > 9 || seed > (SEED_MAX - digit) / 10)
            return false;
        seed = seed * 10 + digit;
    }
    *ret_seed = seed;
    return text.len > 0;
}

static int refuse_seed(rc_cli *cli, const char *text)
{
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "--seed must be a whole number from 0 to ");
    rc_buf_push_u64(&cli->err, SEED_MAX);
    rc_cli_text(&cli->err, ", not ");
    rc_cli_err_quote(cli, rc_str_c(text));
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "simulate");
}

/* Checks --seed and --requests before the run and stores the seed in the scenario. */
static int set_numbers(rc_cli *cli, const rc_args *args, rc_sim_scenario *scenario)
{
    const char *seed = args->values[SIMULATE_SEED];
    const uint64_t most = rc_sim_scenario_requests_max(scenario);
    if (seed != NULL && !parse_seed(rc_str_c(seed), &scenario->seed))
        return refuse_seed(cli, seed);
    if (args->values[SIMULATE_REQUESTS] == NULL || args->numbers[SIMULATE_REQUESTS] <= most)
        return RC_EXIT_OK;
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "--requests must be at most ");
    rc_buf_push_u64(&cli->err, most);
    rc_cli_text(&cli->err, " for a scenario of ");
    rc_buf_push_u64(&cli->err, scenario->duration_ms);
    rc_cli_text(&cli->err, " ms\n");
    return rc_cli_usage(cli, "simulate");
}

static int check_use(rc_cli *cli, const rc_args *args)
{
    const bool is_list = args->values[SIMULATE_LIST] != NULL;
    if (is_list && args->operand_count > 0)
        return refuse(cli, "--list cannot be used with a scenario");
    if (is_list && has_format(args, "csv"))
        return refuse(cli, "--list cannot be used with --format csv");
    if (!is_list && args->operand_count == 0)
        return refuse(cli, "expected a scenario; --list shows the built-in scenarios");
    if (args->values[SIMULATE_PLOT] != NULL && !has_format(args, "human"))
        return refuse(cli, "--plot needs --format human; --out writes charts with any format");
    if (args->values[SIMULATE_OUT] != NULL && args->values[SIMULATE_OUT][0] == '\0')
        return refuse(cli, "--out needs the name of a folder");
    return RC_EXIT_OK;
}

static int refuse_run(rc_cli *cli, const rc_sim_scenario *scenario, rc_status status)
{
    const char *reason = rc_sim_scenario_check(scenario);
    rc_cli_err_prefix(cli, "simulate");
    if (status == RC_E_TOO_LARGE)
        reason = "more requests are in flight at once than can be simulated";
    else if (status == RC_E_NOMEM || reason == NULL)
        reason = "out of memory";
    rc_cli_text(&cli->err, reason);
    rc_buf_push_byte(&cli->err, '\n');
    return status == RC_E_NOMEM ? RC_EXIT_INTERNAL : RC_SIMULATE_REFUSED;
}

static int simulate(rc_cli *cli, const rc_args *args, const rc_sim_scenario *scenario,
                    rc_sim_result **ret_result)
{
    rc_simulate_progress progress;
    rc_simulate_progress_init(&progress, cli);
    const rc_sim_options options = {
        .requests = args->values[SIMULATE_REQUESTS] != NULL ? args->numbers[SIMULATE_REQUESTS] : 0,
        .progress = rc_simulate_progress_step,
        .progress_ctx = &progress,
    };
    const rc_status status = rc_sim_run(scenario, &options, &cli->alloc, ret_result);
    if (status == RC_OK && (*ret_result)->is_partial)
        return rc_simulate_progress_interrupted(&progress);
    rc_simulate_progress_done(&progress);
    return status == RC_OK ? RC_EXIT_OK : refuse_run(cli, scenario, status);
}

static int refuse_memory(rc_cli *cli)
{
    rc_buf_reset(&cli->out);
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "out of memory while drawing the charts\n");
    return RC_EXIT_INTERNAL;
}

static int show(rc_cli *cli, const rc_args *args, const rc_sim_result *result)
{
    if (has_format(args, "json")) {
        rc_simulate_json(&cli->out, result);
        return RC_EXIT_OK;
    }
    if (has_format(args, "csv")) {
        rc_simulate_csv(&cli->out, result);
        return RC_EXIT_OK;
    }
    const rc_panel_style style = rc_args_style(cli, args, &cli->out_terminal);
    const bool has_plot = args->values[SIMULATE_PLOT] != NULL;
    if (rc_simulate_human(&cli->out, result, &style, has_plot, &cli->alloc) != RC_OK)
        return refuse_memory(cli);
    if (!has_plot && cli->out_terminal.is_tty)
        rc_cli_text(&cli->err, "--plot shows charts over time, --out DIR writes them as SVG.\n");
    return RC_EXIT_OK;
}

static int list(rc_cli *cli, const rc_args *args)
{
    if (has_format(args, "json"))
        rc_simulate_list_json(&cli->out);
    else
        rc_simulate_list_human(&cli->out, rc_args_style(cli, args, &cli->out_terminal).width);
    return RC_EXIT_OK;
}

int rc_simulate_run(rc_cli *cli, const rc_args *args, const rc_output_calls *files)
{
    int done = check_use(cli, args);
    if (done != RC_EXIT_OK)
        return done;
    if (args->values[SIMULATE_LIST] != NULL)
        return list(cli, args);

    rc_sim_scenario scenario;
    done = rc_simulate_scenario(cli, "simulate", args->operands[0], &scenario);
    if (done == RC_EXIT_OK)
        done = rc_simulate_choose(cli, args->repeated, args->repeated_count, &scenario);
    if (done == RC_EXIT_OK)
        done = set_numbers(cli, args, &scenario);
    if (done != RC_EXIT_OK)
        return done;
    rc_sim_result *result = NULL;
    done = simulate(cli, args, &scenario, &result);
    if (done == RC_EXIT_OK) {
        /* If the files cannot be written, the result is still printed. */
        if (args->values[SIMULATE_OUT] != NULL)
            done = rc_simulate_files(cli, args->values[SIMULATE_OUT], files, result);
        const int shown = show(cli, args, result);
        done = shown != RC_EXIT_OK ? shown : done;
    }
    rc_sim_result_free(result);
    return done;
}

static int run(rc_cli *cli, const rc_args *args)
{
    return rc_simulate_run(cli, args, &rc_output_real);
}

static const rc_option simulate_options[SIMULATE_COUNT] = {
    [SIMULATE_POLICY] = {.shared = RC_OPTION_POLICY,
                         .help = "run this policy instead of the scenario's: one that the scenario "
                                 "defines, or a built-in one; may be repeated"},
    [SIMULATE_SEED] = {.name = "seed",
                       .value_name = "N",
                       .help = "seed of the random numbers (default: the scenario's); the same "
                               "seed gives the same bytes"},
    [SIMULATE_REQUESTS] = {.name = "requests",
                           .value_name = "N",
                           .min = 1,
                           .max = RC_SIM_REQUESTS_MAX,
                           .help = "scale the scenario so that about N requests arrive"},
    [SIMULATE_OUT] = {.name = "out",
                      .value_name = "DIR",
                      .help =
                          "write charts (success, load, latency, amplification; SVG) and "
                          "result.json into this folder, which is created if it does not exist"},
    [SIMULATE_FORMAT] = {.shared = RC_OPTION_FORMAT,
                         .values = RC_NAMES("human", "json", "csv"),
                         .help = "human (default), json or csv"},
    [SIMULATE_PLOT] = {.name = "plot", .help = "draw success and load over time in the terminal"},
    [SIMULATE_LIST] = {.name = "list", .help = "show the built-in scenarios and policies"},
    [SIMULATE_COLOUR] = {.shared = RC_OPTION_COLOR},
    [SIMULATE_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

const rc_command rc_command_simulate = {
    .name = "simulate",
    .summary = "compare retry policies in a simulated outage, rate limit or storm",
    .operands = "SCENARIO|FILE|-",
    .operand_max = 1,
    .text = "Simulates clients, providers and their faults in virtual time, once for every policy, "
            "and prints delivered requests, cost and the load of the providers. Policies of "
            "Recourse use the code that decides real calls; the others model the defaults of "
            "well-known clients. SCENARIO is the name of a built-in scenario or a YAML file.",
    .examples = "  recourse simulate outage\n"
                "  recourse simulate retry-storm --plot\n"
                "  recourse simulate outage --policy recourse --policy openai-sdk --seed 7\n"
                "  recourse simulate world.yaml --out charts --format json\n"
                "  recourse simulate --list\n",
    .options = simulate_options,
    .option_count = SIMULATE_COUNT,
    .repeatable = "policy",
    .run = run,
};
