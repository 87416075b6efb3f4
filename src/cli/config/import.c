/* `recourse config import litellm FILE|-`. Called by command.c. */
#include <string.h>

#include "base/str.h"
#include "cli/config/config.h"
#include "cli/config_load.h"
#include "cli/error_text.h"
#include "config/litellm/import.h"

#define EXIT_DATA 65

static int refuse_use(rc_cli *cli, const char *message)
{
    rc_cli_err_prefix(cli, "config");
    rc_cli_text(&cli->err, message);
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "config");
}

static void push_note(rc_cli *cli, rc_str file, const rc_litellm_note *note)
{
    rc_cli_err_name(cli, file);
    rc_buf_push_byte(&cli->err, ':');
    rc_buf_push_u64(&cli->err, note->line);
    rc_buf_push_byte(&cli->err, ':');
    rc_buf_push_u64(&cli->err, note->column);
    rc_cli_text(&cli->err, ": ");
    rc_cli_err_name(cli, rc_str_c(note->path));
    rc_cli_text(&cli->err, ": ");
    rc_cli_err_name(cli, rc_str_c(note->text));
    rc_buf_push_byte(&cli->err, '\n');
}

static void push_notes(rc_cli *cli, rc_str file, const rc_litellm_notes *notes)
{
    for (size_t i = 0; i < notes->count && i < RC_LITELLM_NOTES_MAX; i++)
        push_note(cli, file, &notes->list[i]);
    if (notes->count <= RC_LITELLM_NOTES_MAX)
        return;
    rc_cli_text(&cli->err, "and ");
    rc_buf_push_u64(&cli->err, notes->count - RC_LITELLM_NOTES_MAX);
    rc_cli_text(&cli->err, " more\n");
}

static int import(rc_cli *cli, rc_config_source *source, rc_litellm_notes *notes)
{
    rc_buf yaml;
    int result = RC_EXIT_OK;
    rc_buf_init(&yaml, &cli->alloc, RC_LITELLM_OUTPUT_MAX);
    const rc_status status =
        rc_litellm_import(rc_buf_get(&source->text), rc_config_source_name(source), &cli->alloc,
                          notes, &yaml, &source->faults);
    push_notes(cli, rc_config_source_name(source), notes);
    if (status == RC_OK) {
        rc_buf_push(&cli->out, rc_buf_get(&yaml));
    } else if (status == RC_E_NOMEM) {
        result = rc_cli_config_refuse(cli, "config", source, status);
    } else if (status == RC_E_TOO_LARGE && source->faults.count == 0) {
        rc_cli_err_prefix(cli, "config");
        rc_cli_text(&cli->err, "the converted configuration is larger than the limit of 1 MiB\n");
        result = EXIT_DATA;
    } else {
        (void)rc_cli_config_refuse(cli, "config", source, status);
        result = EXIT_DATA;
    }
    rc_buf_done(&yaml);
    return result;
}

int rc_cli_config_import(rc_cli *cli, const char *form, const char *path)
{
    if (form == NULL || strcmp(form, "litellm") != 0)
        return refuse_use(cli, "expected 'import litellm FILE'");
    if (path == NULL)
        return refuse_use(cli, "expected a file after import litellm, or - for standard input");
    rc_config_source source;
    rc_litellm_notes *notes = cli->alloc.get(cli->alloc.ctx, sizeof *notes);
    rc_config_source_init(&source, &cli->alloc, path);
    rc_status status = notes != NULL ? rc_config_source_read(&source, cli->calls) : RC_E_NOMEM;
    const int result = status == RC_OK ? import(cli, &source, notes)
                                       : rc_cli_config_refuse(cli, "config", &source, status);
    rc_config_source_done(&source);
    if (notes != NULL)
        cli->alloc.put(cli->alloc.ctx, notes, sizeof *notes);
    return result;
}
