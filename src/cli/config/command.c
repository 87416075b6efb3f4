/* `recourse config check|show|keys|prices|import`: table entry and verbs. Called by commands.c. */
#include "cli/config/config.h"

#include <string.h>

#include <recourse/json.h>
#include <recourse/render.h>
#include <recourse/rules.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/options.h"
#include "config/keys.h"
#include "config/show.h"
#include "sys/config_file.h"
#include "sys/file.h"

#define RULES_MAX_BYTES ((size_t)256 << 10)
#define PATH_MAX_BYTES ((size_t)16 << 10)

enum {
    CONFIG_FORMAT,
    CONFIG_COUNT
};

static const char *verb_at(const void *ctx, size_t index)
{
    static const char *const names[] = {"check", "show", "keys", "prices", "import"};
    (void)ctx;
    return index < 5 ? names[index] : NULL;
}

/* ---- files named in the configuration ---- */

/* Adds a fault at the position of a top-level key of the configuration file. */
static rc_config_fault *fault_at(const rc_config *config, rc_config_source *source, rc_str key)
{
    const rc_yaml_node *node = rc_yaml_get(config->doc.root, key);
    return node != NULL ? rc_yaml_fault(&source->faults, node)
                        : rc_config_faults_add(&source->faults, 0, 0);
}

/* Reads a file that the configuration names under key. If the file cannot be read, adds a fault and
 * returns false. */
static bool read_named(rc_cli *cli, const rc_config *config, rc_config_source *source, rc_str key,
                       rc_str name, rc_buf *bytes)
{
    rc_buf path;
    rc_buf_init(&path, &cli->alloc, PATH_MAX_BYTES);
    rc_config_source_resolve(source, name, &path);
    int error = RC_FILE_NO_MEMORY;
    const char *other = NULL;
    if (rc_buf_status(&path) == RC_OK) {
        other = rc_path_special_kind(cli->calls, rc_buf_get(&path).ptr);
        error = other == NULL ? rc_file_read(cli->calls, rc_buf_get(&path).ptr, bytes) : 0;
    }
    rc_buf_done(&path);
    if (error == 0 && other == NULL)
        return true;
    rc_config_fault *fault = fault_at(config, source, key);
    rc_config_fault_append(fault, "cannot read ");
    rc_config_fault_append_quoted(fault, name);
    rc_config_fault_append(fault, other != NULL ? ": it is " : ": ");
    rc_config_fault_append(fault, other != NULL ? other : rc_sys_error_text(error));
    return false;
}

static void check_rules(rc_cli *cli, const rc_config *config, rc_config_source *source)
{
    rc_buf bytes;
    rc_rules *rules = NULL;
    rc_rules_fault file_faults;
    rc_buf_init(&bytes, &cli->alloc, RULES_MAX_BYTES);
    if (read_named(cli, config, source, RC_STR("rules"), config->root.rules, &bytes) &&
        rc_rules_parse(rc_buf_get(&bytes), &cli->alloc, &rules, &file_faults) != RC_OK) {
        rc_config_fault *fault = fault_at(config, source, RC_STR("rules"));
        rc_config_fault_append_quoted(fault, config->root.rules);
        rc_config_fault_append(fault, ", ");
        rc_config_fault_append(fault, file_faults.text);
    }
    rc_rules_free(rules);
    rc_buf_done(&bytes);
}

/* Adds the first fault of the price file to the faults of the configuration, at the position of the
 * key that names the price file. */
static void add_file_fault(const rc_config *config, rc_config_source *source, rc_status status,
                           const rc_config_faults *file_faults)
{
    rc_config_fault *fault = fault_at(config, source, RC_STR("prices"));
    rc_config_fault_append_quoted(fault, config->root.prices);
    if (status == RC_E_NOMEM || file_faults->count == 0) {
        rc_config_fault_append(fault, ": out of memory");
        return;
    }
    rc_config_fault_append(fault, ", line ");
    rc_config_fault_append_u64(fault, file_faults->list[0].line);
    rc_config_fault_append(fault, ", column ");
    rc_config_fault_append_u64(fault, file_faults->list[0].column);
    rc_config_fault_append(fault, ": ");
    char scratch[RC_CONFIG_FAULT_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch) - 1);
    rc_config_fault_push(&text, &file_faults->list[0]);
    scratch[rc_buf_get(&text).len] = '\0';
    rc_config_fault_append(fault, scratch);
}

/* Adds the prices of the price file to `prices`, which already has the built-in prices. */
static void check_prices(rc_cli *cli, const rc_config *config, rc_config_source *source,
                         rc_prices *prices)
{
    rc_buf bytes;
    rc_config_faults file_faults;
    rc_buf_init(&bytes, &cli->alloc, RC_YAML_MAX_BYTES);
    rc_config_faults_init(&file_faults);
    if (read_named(cli, config, source, RC_STR("prices"), config->root.prices, &bytes)) {
        rc_status status = rc_prices_parse(prices, rc_buf_get(&bytes), &cli->alloc, &file_faults);
        if (status != RC_OK)
            add_file_fault(config, source, status, &file_faults);
    }
    rc_buf_done(&bytes);
}

/* ---- verbs ---- */

static int refuse_check(rc_cli *cli, const rc_config_source *source, rc_status status, bool is_json)
{
    if (!is_json || status == RC_E_NOMEM || status == RC_E_NOT_FOUND)
        return rc_cli_config_refuse(cli, "config", source, status);
    const rc_report *report = rc_config_faults_report(cli, source);
    rc_render_agent_json(report, RC_VIEW_INTERNAL, 0, &cli->out);
    rc_buf_push_byte(&cli->out, '\n');
    rc_report_free(report);
    return RC_EXIT_CONFIG;
}

static int check(rc_cli *cli, const char *path, bool is_json)
{
    rc_config config;
    rc_config_source source;
    rc_prices prices;
    int result = RC_EXIT_OK;
    rc_prices_init(&prices);
    rc_status status = rc_config_load(&config, cli->calls, &cli->alloc, path, &source);
    if (status == RC_OK && config.root.rules.len > 0)
        check_rules(cli, &config, &source);
    if (status == RC_OK && config.root.prices.len > 0)
        check_prices(cli, &config, &source, &prices);
    if (status == RC_OK && source.faults.count > 0) {
        rc_yaml_hide_lines(config.doc.root, &source.faults);
        rc_config_faults_sort(&source.faults);
        status = RC_E_RANGE;
    }
    if (status != RC_OK)
        result = refuse_check(cli, &source, status, is_json);
    else if (is_json)
        rc_config_summary_json(&cli->out, cli, &config, &source, &prices);
    else
        rc_config_summary_push(&cli->out, cli, &config, &source, &prices);
    rc_prices_done(&prices);
    rc_config_done(&config);
    rc_config_source_done(&source);
    return result;
}

static int show(rc_cli *cli, const char *path)
{
    rc_config config;
    int result = rc_cli_config_load(cli, "config", path, &config);
    if (result != RC_EXIT_OK)
        return result;
    rc_config_push_yaml(&cli->out, &config);
    rc_config_done(&config);
    return RC_EXIT_OK;
}

static int refuse_verb(rc_cli *cli, const char *verb)
{
    rc_cli_err_prefix(cli, "config");
    if (verb == NULL) {
        rc_cli_text(&cli->err, "expected check, show, keys, prices or import\n");
        return rc_cli_usage(cli, "config");
    }
    rc_cli_text(&cli->err, "expected check, show, keys, prices or import, not ");
    rc_cli_err_quote(cli, rc_str_c(verb));
    rc_cli_suggest(cli, "", rc_nearest(rc_str_c(verb), verb_at, NULL));
    return rc_cli_usage(cli, "config");
}

static int refuse_use(rc_cli *cli, const char *message)
{
    rc_cli_err_prefix(cli, "config");
    rc_cli_text(&cli->err, message);
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "config");
}

static int run_config(rc_cli *cli, const rc_args *args)
{
    const char *verb = args->operand_count > 0 ? args->operands[0] : NULL;
    const char *path = args->operand_count > 1 ? args->operands[1] : NULL;
    const char *format = args->values[CONFIG_FORMAT];
    bool is_json = format != NULL && strcmp(format, "json") == 0;
    if (verb != NULL && strcmp(verb, "import") == 0) {
        const char *file = args->operand_count > 2 ? args->operands[2] : NULL;
        const char *form = path;
        return format == NULL ? rc_cli_config_import(cli, form, file)
                              : refuse_use(cli, "--format can be used with check and prices only");
    }
    if (args->operand_count > 2)
        return refuse_use(cli, "expected one file");
    if (verb != NULL && strcmp(verb, "check") == 0)
        return check(cli, path, is_json);
    if (verb != NULL && strcmp(verb, "prices") == 0)
        return rc_cli_config_prices(cli, path, is_json);
    if (verb == NULL || (strcmp(verb, "show") != 0 && strcmp(verb, "keys") != 0))
        return refuse_verb(cli, verb);
    if (format != NULL)
        return refuse_use(cli, "--format can be used with check and prices only");
    if (strcmp(verb, "show") == 0)
        return show(cli, path);
    if (path != NULL)
        return refuse_use(cli, "config keys cannot be used with a file");
    rc_config_push_docs(&cli->out);
    return RC_EXIT_OK;
}

static const rc_option config_options[CONFIG_COUNT] = {
    [CONFIG_FORMAT] = {.shared = RC_OPTION_FORMAT,
                       .values = RC_NAMES("human", "json"),
                       .help = "of check and prices: human (default) or json"},
};

const rc_command rc_command_config = {
    .name = "config",
    .summary = "check, show or import the configuration",
    .operands = "check|show|keys|prices [FILE|-] | import litellm FILE|-",
    .operand_max = 3,
    .text = "check reports every error with file, line, column and key, and the nearest valid key; "
            "exit status 78. For a valid configuration it lists providers, routes and policies, "
            "and whether each key is set: a secret is never read. show prints the configuration "
            "with every default written out. keys lists all keys of the configuration. prices "
            "lists the prices in force, those of your file first. import litellm converts the "
            "configuration of a LiteLLM proxy; settings without a counterpart are listed with "
            "their position, and no literal key is copied.\n"
            "Without FILE the command reads recourse.yaml in the current folder, else in "
            "$XDG_CONFIG_HOME/recourse or ~/.config/recourse; without any file, the variables "
            "OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY and similar ones configure the "
            "providers.",
    .examples = "  recourse config check\n"
                "  recourse config check staging.yaml --format json\n"
                "  recourse config show | less\n"
                "  recourse config prices --format json\n"
                "  recourse config import litellm config.yaml >recourse.yaml\n",
    .options = config_options,
    .option_count = CONFIG_COUNT,
    .run = run_config,
};
