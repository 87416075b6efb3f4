/* Error messages that several commands share: unreadable files, faults of YAML and JSON files. */
#include "cli/error_text.h"

#include "client/report_id.h"
#include "sys/file.h"

void rc_cli_cannot_read(rc_cli *cli, const char *command, rc_str file, int error)
{
    rc_cli_err_prefix(cli, command);
    rc_cli_text(&cli->err, "cannot read ");
    rc_cli_err_name(cli, file);
    rc_cli_text(&cli->err, ": ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&cli->err, '\n');
}

void rc_cli_push_fault(rc_cli *cli, rc_str file, const rc_config_fault *fault)
{
    rc_cli_err_name(cli, file);
    if (fault->line > 0) {
        rc_buf_push_byte(&cli->err, ':');
        rc_buf_push_u64(&cli->err, fault->line);
        rc_buf_push_byte(&cli->err, ':');
        rc_buf_push_u64(&cli->err, fault->column);
    }
    rc_cli_text(&cli->err, ": ");
    char scratch[RC_CONFIG_FAULT_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_fault_push(&text, fault);
    rc_cli_err_name(cli, rc_buf_get(&text));
    rc_buf_push_byte(&cli->err, '\n');
}

void rc_cli_set_identity(const rc_cli *cli, rc_builder *builder)
{
    rc_report_id_set(cli->calls, builder);
}
