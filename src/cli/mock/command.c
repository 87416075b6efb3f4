/* `recourse mock`: table entry, options, scenario file, script. Called by commands.c; serve.c runs
 * the server. */
#include "cli/mock/mock.h"

#include <string.h>

#include "base/str.h"
#include "cli/error_text.h"
#include "cli/options.h"
#include "cli/simulate/simulate.h"
#include "config/yaml/yaml.h"
#include "sys/file.h"

#define ADDRESS "127.0.0.1:8788"
#define SEED_MAX 999999999u
/* Exit status for an invalid scenario, the same as of the error code ShapeInvalid. */
#define EXIT_REFUSED 65

enum {
    MOCK_LISTEN,
    MOCK_SCENARIO,
    MOCK_SCRIPT,
    MOCK_SEED,
    MOCK_PORT_FILE,
    MOCK_QUIET,
    MOCK_COUNT
};

bool rc_host_port_parse(rc_str text, rc_host_port *ret_address)
{
    rc_host_port address = {.host = "127.0.0.1"};
    uint32_t port = 0;
    size_t colon = RC_STR_NPOS;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == ':')
            colon = i;
    if (colon != RC_STR_NPOS) {
        rc_str host = rc_str_slice(text, 0, colon);
        if (host.len >= 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
            host = rc_str_slice(host, 1, host.len - 1);
        else if (rc_str_find_byte(host, ':', 0) != RC_STR_NPOS)
            return false;
        if (host.len == 0 || host.len >= sizeof address.host)
            return false;
        memcpy(address.host, host.ptr, host.len);
        address.host[host.len] = '\0';
        text = rc_str_slice(text, colon + 1, text.len);
    }
    for (size_t i = 0; i < text.len && i < 6; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return false;
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    if (text.len == 0 || text.len > 5 || port > 65535)
        return false;
    address.port = (uint16_t)port;
    *ret_address = address;
    return true;
}

/* ---- scenario ---- */

static int refuse_read(rc_cli *cli, const char *path, int error)
{
    rc_cli_cannot_read(cli, "mock", rc_str_c(path), error);
    return error == RC_FILE_NO_MEMORY ? RC_EXIT_INTERNAL : RC_EXIT_NO_INPUT;
}

static int parse(rc_cli *cli, const char *path, rc_str text, rc_mock_scenario *ret_scenario)
{
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    const rc_status status = rc_mock_scenario_parse(text, &cli->alloc, &faults, ret_scenario);
    if (status == RC_OK)
        return RC_EXIT_OK;
    if (status == RC_E_NOMEM)
        return refuse_read(cli, path, RC_FILE_NO_MEMORY);
    rc_config_faults_sort(&faults);
    for (size_t i = 0; i < rc_config_faults_listed(&faults); i++)
        rc_cli_push_fault(cli, rc_str_c(path), &faults.list[i]);
    return EXIT_REFUSED;
}

int rc_mock_load(rc_cli *cli, const char *path, rc_mock_scenario *ret_scenario)
{
    rc_buf bytes;
    rc_buf_init(&bytes, &cli->alloc, RC_YAML_MAX_BYTES);
    const int error = rc_file_read(cli->calls, path, &bytes);
    const int result = error != 0 ? refuse_read(cli, path, error)
                                  : parse(cli, path, rc_buf_get(&bytes), ret_scenario);
    rc_buf_done(&bytes);
    return result;
}

/* ---- command ---- */

static int load_script(rc_cli *cli, const char *operand, uint64_t seed, rc_mock_script *script)
{
    static rc_sim_scenario scenario; /* Static: too large for the stack, used until the end. */
    const int result = rc_simulate_scenario(cli, "mock", operand, &scenario);
    if (result == RC_EXIT_OK)
        rc_mock_script_init(script, &scenario, seed, 0);
    return result;
}

static int run(rc_cli *cli, const rc_args *args)
{
    static rc_mock_scenario scenario; /* Static, because both are too large for the stack. */
    static rc_mock_script script;
    const char *address = args->values[MOCK_LISTEN] != NULL ? args->values[MOCK_LISTEN] : ADDRESS;
    rc_mock_options options = {
        .seed = args->values[MOCK_SEED] != NULL ? args->numbers[MOCK_SEED] : 0,
        .port_file = args->values[MOCK_PORT_FILE],
        .is_quiet = args->values[MOCK_QUIET] != NULL,
    };
    if (!rc_host_port_parse(rc_str_c(address), &options.address)) {
        rc_cli_err_prefix(cli, "mock");
        rc_cli_text(&cli->err, "--listen must be HOST:PORT, not ");
        rc_cli_err_quote(cli, rc_str_c(address));
        rc_buf_push_byte(&cli->err, '\n');
        return rc_cli_usage(cli, "mock");
    }
    if (args->values[MOCK_SCENARIO] != NULL) {
        const int result = rc_mock_load(cli, args->values[MOCK_SCENARIO], &scenario);
        if (result != RC_EXIT_OK)
            return result;
        options.scenario = &scenario;
    }
    if (args->values[MOCK_SCRIPT] != NULL) {
        const int result = load_script(cli, args->values[MOCK_SCRIPT], options.seed, &script);
        if (result != RC_EXIT_OK)
            return result;
        options.script = &script;
    }
    return rc_mock_serve(cli, &options);
}

/* Appends the behaviours (such as a status or a delay) that the name of a model can request. */
static void push_model_words(rc_buf *buf, unsigned width)
{
    rc_cli_text(buf, "\nBehaviours:\n");
    for (size_t i = 0; rc_mock_behaviour_name_at(NULL, i) != NULL; i++) {
        char name[64];
        rc_buf scratch;
        rc_buf_init_fixed(&scratch, name, sizeof name);
        rc_buf_push(&scratch, rc_str_c(rc_mock_behaviour_name_at(NULL, i)));
        if (rc_mock_behaviour_has_number(i))
            rc_buf_push(&scratch, RC_STR("-N"));
        rc_help_entry(buf, rc_buf_get(&scratch), rc_mock_behaviour_help_at(i), width);
    }
}

static const rc_option mock_options[MOCK_COUNT] = {
    [MOCK_LISTEN] = {.shared = RC_OPTION_LISTEN,
                     .help = "address to listen on (default: " ADDRESS
                             "); port 0 lets the system choose"},
    [MOCK_SCENARIO] =
        {.name = "scenario",
         .value_name = "FILE",
         .help = "a file with rules, keys and limits in YAML, which precede the model's name"},
    [MOCK_SCRIPT] =
        {.name = "script",
         .value_name = "FILE",
         .help = "a scenario of recourse simulate, a file or a name, played in real time: each of "
                 "its providers has a port of its own, after that of --listen"},
    [MOCK_SEED] = {.name = "seed",
                   .value_name = "N",
                   .min = 1,
                   .max = SEED_MAX,
                   .help = "seed of the random numbers (default: the scenario's); the same seed "
                           "gives the same responses"},
    [MOCK_PORT_FILE] = {.shared = RC_OPTION_PORT_FILE},
    [MOCK_QUIET] = {.shared = RC_OPTION_QUIET, .help = "print no line per request"},
};

const rc_command rc_command_mock = {
    .name = "mock",
    .summary = "run a mock provider that fails as the model's name says",
    .text =
        "Serves the APIs of OpenAI (chat, completions, responses, embeddings, models), Anthropic "
        "and Gemini, streamed and not, and fails on purpose. The model's name selects the failure: "
        "mock/BEHAVIOUR[+BEHAVIOUR...][@K]. With @K the first K requests of a key fail and later "
        "ones succeed. GET /mock/stats returns statistics, POST /mock/reset clears them and begins "
        "a "
        "script again.",
    .push_more = push_model_words,
    .examples = "  recourse mock\n"
                "  recourse mock --listen 127.0.0.1:0 --port-file port --quiet\n"
                "  recourse mock --scenario faults.yaml --seed 7\n"
                "  recourse mock --script outage\n"
                "  curl -i http://127.0.0.1:8788/v1/chat/completions \\\n"
                "       -d '{\"model\":\"mock/503@1\",\"messages\":[]}'\n",
    .options = mock_options,
    .option_count = MOCK_COUNT,
    .run = run,
};
