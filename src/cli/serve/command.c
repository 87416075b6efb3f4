/* `recourse serve`: table entry and options. Called by commands.c; run.c runs the gateway. */
#include "cli/serve/serve.h"

#include "base/str.h"
#include "cli/options.h"

enum {
    SERVE_CONFIG,
    SERVE_LISTEN,
    SERVE_ADMIN,
    SERVE_PORT_FILE,
    SERVE_LOG,
    SERVE_COUNT
};

/* Returns the names of log.format in the order of rc_config_log_format; NULL if the index is too
 * large. */
static const char *log_format_at(const void *ctx, size_t index)
{
    static const char *const names[] = {"auto", "json", "human", "off"};
    (void)ctx;
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* Returns the number of a log format. -1: the option is not given, so the format of the
 * configuration is used. */
static int log_format_of(const char *name)
{
    for (int i = 0; name != NULL && log_format_at(NULL, (size_t)i) != NULL; i++)
        if (strcmp(name, log_format_at(NULL, (size_t)i)) == 0)
            return i;
    return -1;
}

static int run(rc_cli *cli, const rc_args *args)
{
    const rc_serve_options options = {
        .config_path = args->values[SERVE_CONFIG],
        .listen = args->values[SERVE_LISTEN],
        .admin = args->values[SERVE_ADMIN],
        .port_file = args->values[SERVE_PORT_FILE],
        .log_format = log_format_of(args->values[SERVE_LOG]),
    };
    return rc_serve(cli, &options);
}

static const rc_option serve_options[SERVE_COUNT] = {
    [SERVE_CONFIG] = {.shared = RC_OPTION_CONFIG},
    [SERVE_LISTEN] = {.shared = RC_OPTION_LISTEN},
    [SERVE_ADMIN] = {.name = "admin",
                     .value_name = "HOST:PORT",
                     .help = "address of the admin interface with the dashboard, or off (default: "
                             "the configuration's, else 127.0.0.1:8789)"},
    [SERVE_PORT_FILE] = {.shared = RC_OPTION_PORT_FILE},
    [SERVE_LOG] = {.name = "log",
                   .value_name = "FORMAT",
                   .values = RC_NAMES_OF(log_format_at),
                   .help = "log format: auto (human on a terminal, else json), json, human or off "
                           "(default: the configuration's)"},
};

const rc_command rc_command_serve = {
    .name = "serve",
    .summary = "run the gateway",
    .text = "Accepts requests in the APIs of OpenAI, Anthropic and Gemini and sends them to the "
            "targets of the configured routes. A failed request is retried at the same or another "
            "target as the policy says; a final failure is an error in the client's own dialect. "
            "SIGHUP reloads the configuration; an invalid one is rejected and the previous one "
            "stays in use. SIGUSR1 reopens the log and writes the state into it. SIGTERM finishes "
            "the requests in flight and exits; a second SIGTERM exits at once. Sockets passed by "
            "systemd are used instead of listen. Without a configuration the provider demo fails "
            "on purpose: its models have the same names as those of recourse mock.",
    .examples = "  recourse serve\n"
                "  recourse serve --config recourse.yaml --listen 127.0.0.1:0 --port-file port\n"
                "  curl -i http://127.0.0.1:8787/v1/chat/completions \\\n"
                "       -d '{\"model\":\"demo/503@1\",\"messages\":[]}'\n",
    .options = serve_options,
    .option_count = SERVE_COUNT,
    .run = run,
};
