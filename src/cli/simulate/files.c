/* Writes the files of --out: four charts and the measured numbers. Called by command.c. */
#include "cli/simulate/simulate.h"
#include "sim/output/chart_result.h"
#include "sim/output/svg.h"
#include "sys/file.h"

#define STEPS 240
/* Limit of a file. The JSON for one hour with sixteen policies has several megabytes. */
#define FILE_MAX ((size_t)64 << 20)
#define LABEL_MAX 256

struct drawing {
    const rc_sim_result *result;
    const rc_chart_set *set;
    rc_svg_labels labels;
};

static void push_success(rc_buf *buf, const struct drawing *drawing)
{
    rc_svg_chart(buf, &drawing->set->success, &drawing->labels);
}

static void push_load(rc_buf *buf, const struct drawing *drawing)
{
    rc_svg_labels labels = drawing->labels;
    labels.reference = RC_STR("arriving requests");
    rc_svg_chart(buf, &drawing->set->load, &labels);
}

static void push_latency(rc_buf *buf, const struct drawing *drawing)
{
    rc_svg_rows(buf, &drawing->set->latency, &drawing->labels);
}

static void push_amplification(rc_buf *buf, const struct drawing *drawing)
{
    rc_svg_rows(buf, &drawing->set->amplification, &drawing->labels);
}

static void push_result(rc_buf *buf, const struct drawing *drawing)
{
    rc_simulate_json(buf, drawing->result);
}

/* result.json is written last, so that its existence shows that all charts are written. */
static const struct file {
    const char *name;
    void (*push)(rc_buf *buf, const struct drawing *drawing);
} files_of[] = {
    {"success.svg", push_success}, {"load.svg", push_load},
    {"latency.svg", push_latency}, {"amplification.svg", push_amplification},
    {"result.json", push_result},
};
#define FILE_COUNT (sizeof(files_of) / sizeof(files_of[0]))

static int refuse_memory(rc_cli *cli)
{
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "out of memory while writing the files\n");
    return RC_EXIT_INTERNAL;
}

/* Prints an error about a file of the folder. name: NULL: the error is about the folder. */
static int refuse_write(rc_cli *cli, const char *folder, const char *name, int error)
{
    rc_cli_err_prefix(cli, "simulate");
    rc_cli_text(&cli->err, "cannot write ");
    rc_cli_err_name(cli, rc_str_c(folder));
    if (name != NULL) {
        rc_buf_push_byte(&cli->err, '/');
        rc_cli_text(&cli->err, name);
    }
    rc_cli_text(&cli->err, ": ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_IO;
}

static int write_all(rc_cli *cli, const rc_output *output, const struct drawing *drawing)
{
    int error = rc_output_open(output);
    if (error != 0)
        return refuse_write(cli, output->folder, NULL, error);
    rc_buf bytes;
    rc_buf_init(&bytes, &cli->alloc, FILE_MAX);
    int result = RC_EXIT_OK;
    for (size_t i = 0; i < FILE_COUNT && result == RC_EXIT_OK; i++) {
        rc_buf_reset(&bytes);
        files_of[i].push(&bytes, drawing);
        if (rc_buf_status(&bytes) != RC_OK) {
            result = refuse_memory(cli);
            continue;
        }
        error = rc_output_write(output, files_of[i].name, rc_buf_get(&bytes));
        if (error != 0)
            result = refuse_write(cli, output->folder, files_of[i].name, error);
    }
    rc_buf_done(&bytes);
    return result;
}

int rc_simulate_files(rc_cli *cli, const char *folder, const rc_output_calls *files,
                      const rc_sim_result *result)
{
    char scenario_scratch[LABEL_MAX];
    char band_scratch[RC_SIM_SPANS_MAX * (RC_SIM_NAME_MAX + 2)];
    rc_buf scenario, band;
    rc_buf_init_fixed(&scenario, scenario_scratch, sizeof(scenario_scratch));
    rc_buf_init_fixed(&band, band_scratch, sizeof(band_scratch));
    rc_cli_text(&scenario, result->scenario);
    rc_cli_text(&scenario, ", seed ");
    rc_buf_push_u64(&scenario, result->seed);
    rc_simulate_push_faults(&band, result);

    rc_chart_set set;
    const rc_status status = rc_chart_set_make(&set, result, STEPS, &cli->alloc);
    const struct drawing drawing = {
        .result = result,
        .set = &set,
        .labels = {.scenario = rc_buf_get(&scenario), .band = rc_buf_get(&band)},
    };
    const rc_output output = {.calls = cli->calls, .files = files, .folder = folder};
    int done = status == RC_OK ? write_all(cli, &output, &drawing) : refuse_memory(cli);
    rc_chart_set_done(&set);
    return done;
}
