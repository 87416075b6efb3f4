/* Opens the store of `recourse audit` and prints store faults. Called by command.c and the
 * verbs. */
#include <string.h>

#include <recourse/id.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/audit/audit.h"
#include "cli/config_load.h"
#include "cli/store_note.h"
#include "config/secret_load.h"
#include "sys/clock.h"
#include "sys/entropy.h"
#include "sys/file.h"

/* EX_DATAERR and EX_TEMPFAIL of sysexits.h. */
#define EXIT_DATA 65
#define EXIT_TEMPFAIL 75
#define EXIT_NOPERM 77

#define URL_MAX_BYTES ((size_t)16 << 10)
#define NOTE_MAX_BYTES ((size_t)8 << 10)
#define SCHEME "sqlite:"

/* ---- URL of the store ---- */

static bool is_url(rc_str text)
{
    return rc_str_starts_with(text, RC_STR(SCHEME)) ||
           rc_str_starts_with(text, RC_STR("postgres://")) ||
           rc_str_starts_with(text, RC_STR("postgresql://"));
}

/* Reads the URL from a secret reference. The URL may contain a password, so the copy is wiped and
 * never printed. */
static int read_secret(rc_audit *audit, const rc_secret_ref *ref)
{
    rc_cli *cli = audit->cli;
    char path[RC_SECRET_PATH_MAX];
    if (rc_secret_path(cli->calls, ref, path)) {
        char scratch[URL_MAX_BYTES];
        rc_buf text;
        rc_buf_init_fixed(&text, scratch, sizeof(scratch));
        const int error = rc_file_read(cli->calls, path, &text);
        if (error == 0)
            rc_buf_push(&audit->url, rc_str_trim(rc_buf_get(&text)));
        rc_secret_wipe(scratch, sizeof(scratch));
        if (error == 0)
            return RC_EXIT_OK;
        rc_cli_err_prefix(cli, "audit");
        rc_cli_text(&cli->err, "cannot read the store's URL from ");
        rc_cli_err_name(cli, ref->name);
        rc_cli_text(&cli->err, ": ");
        rc_cli_text(&cli->err, rc_sys_error_text(error));
        rc_buf_push_byte(&cli->err, '\n');
        return RC_EXIT_NO_INPUT;
    }
    const char *value = ref->kind == RC_SECRET_ENV ? cli->calls->getenv(ref->name.ptr) : NULL;
    if (value != NULL && value[0] != '\0') {
        rc_buf_push(&audit->url, rc_str_c(value));
        return RC_EXIT_OK;
    }
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "the store's URL is in ");
    rc_cli_text(&cli->err, rc_secret_kind_noun(ref->kind));
    rc_cli_text(&cli->err, " ");
    rc_cli_err_name(cli, ref->name);
    rc_cli_text(&cli->err, ref->kind == RC_SECRET_ENV
                               ? ", which is not set; set it, or use --store\n"
                               : ", which systemd gives only to the service; use --store\n");
    return RC_EXIT_CONFIG;
}

/* Returns whether faults are printed as text. If JSON or Markdown was requested, faults have this
 * format, too. */
static bool wants_text(const rc_audit *audit)
{
    const rc_args *args = audit->args;
    return audit->format == RC_AUDIT_HUMAN || audit->format == RC_AUDIT_CSV ||
           (args->values[RC_AUDIT_FORMAT] == NULL && args->values[RC_AUDIT_AGENT] == NULL);
}

static void note_default(rc_audit *audit, const rc_config *config)
{
    rc_cli *cli = audit->cli;
    char scratch[NOTE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    if (!wants_text(audit) || !rc_store_note_push(&text, cli->calls, config, true))
        return;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_err_name(cli, rc_buf_get(&text));
    rc_buf_push_byte(&cli->err, '\n');
    rc_cli_flush_err(cli);
}

static int find_url(rc_audit *audit)
{
    const char *named = audit->args->values[RC_AUDIT_STORE];
    if (named != NULL) {
        rc_buf_push(&audit->url, is_url(rc_str_c(named)) ? RC_STR("") : RC_STR(SCHEME));
        rc_buf_push(&audit->url, rc_str_c(named));
        return RC_EXIT_OK;
    }
    rc_config config;
    int result =
        rc_cli_config_load(audit->cli, "audit", audit->args->values[RC_AUDIT_CONFIG], &config);
    if (result != RC_EXIT_OK)
        return result;
    if (config.store_ref.kind != RC_SECRET_NONE)
        result = read_secret(audit, &config.store_ref);
    else
        rc_buf_push(&audit->url, config.root.store);
    if (result == RC_EXIT_OK)
        note_default(audit, &config);
    rc_config_done(&config);
    return result;
}

/* ---- store faults ---- */

static int exit_status_of(rc_store_fault_kind kind)
{
    switch (kind) {
    case RC_STORE_MISSING:
    case RC_STORE_DIRECTORY:
    case RC_STORE_NO_FOLDER:
        return RC_EXIT_NO_INPUT;
    case RC_STORE_NOT_ALLOWED:
    case RC_STORE_READ_ONLY:
        return EXIT_NOPERM;
    case RC_STORE_FOREIGN:
    case RC_STORE_TOO_NEW:
    case RC_STORE_TOO_OLD:
    case RC_STORE_CORRUPT:
        return EXIT_DATA;
    case RC_STORE_BUSY:
    case RC_STORE_STOPPED:
    case RC_STORE_HAS_WRITER:
    case RC_STORE_MOVED:
        return EXIT_TEMPFAIL;
    case RC_STORE_IO:
    case RC_STORE_FULL:
        return RC_EXIT_IO;
    case RC_STORE_UNSUPPORTED:
        return RC_EXIT_CONFIG;
    case RC_STORE_NO_FAULT:
    case RC_STORE_NO_MEMORY:
    case RC_STORE_ARGUMENT:
    case RC_STORE_OTHER:
        break;
    }
    return RC_EXIT_INTERNAL;
}

static rc_id make_id(const rc_cli *cli)
{
    rc_id_maker maker = {0};
    uint8_t entropy[10] = {0};
    (void)rc_entropy_get(cli->calls, entropy, sizeof(entropy));
    return rc_id_make(&maker, rc_clock_unix_ms(cli->calls), entropy);
}

int rc_audit_refuse(rc_audit *audit, const rc_store_fault *fault)
{
    rc_cli *cli = audit->cli;
    if (wants_text(audit)) {
        rc_cli_err_prefix(cli, "audit");
        rc_cli_err_name(cli, rc_str_c(fault->detail));
        rc_cli_text(&cli->err, "\n");
        rc_cli_text(&cli->err, rc_store_fault_advice(fault->kind));
        rc_cli_text(&cli->err, fault->kind == RC_STORE_MISSING ? " or with --store.\n" : ".\n");
        return exit_status_of(fault->kind);
    }
    const rc_id id = make_id(cli);
    const rc_report *report = rc_store_fault_report(fault, &id, &cli->alloc);
    if (audit->format == RC_AUDIT_MARKDOWN)
        rc_render_markdown(report, RC_VIEW_INTERNAL, &cli->err);
    else
        rc_render_agent_json(report, RC_VIEW_INTERNAL, 0, &cli->err);
    rc_buf_push_byte(&cli->err, '\n');
    rc_report_free(report);
    return exit_status_of(fault->kind);
}

/* ---- opening and closing ---- */

bool rc_audit_open_again(rc_audit *audit, rc_store_fault *fault)
{
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    return rc_store_open(rc_buf_get(&audit->url), &settings, &audit->cli->alloc, &audit->store,
                         fault);
}

int rc_audit_open(rc_audit *audit)
{
    rc_store_fault fault;
    rc_buf_init(&audit->url, &audit->cli->alloc, URL_MAX_BYTES);
    const int result = find_url(audit);
    if (result != RC_EXIT_OK)
        return result;
    if (rc_buf_status(&audit->url) == RC_E_NOMEM)
        rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "open", NULL, NULL);
    else if (rc_audit_open_again(audit, &fault))
        return RC_EXIT_OK;
    return rc_audit_refuse(audit, &fault);
}

void rc_audit_close(rc_audit *audit)
{
    rc_store_close(audit->store);
    audit->store = NULL;
    rc_buf_done(&audit->url);
}

void rc_audit_note_fault(const rc_audit *audit, const rc_store_fault *fault)
{
    if (audit->fault->kind == RC_STORE_NO_FAULT)
        *audit->fault = *fault;
}

void rc_audit_note_memory(const rc_audit *audit, bool has_memory)
{
    rc_store_fault fault;
    if (has_memory)
        return;
    rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "show", NULL, NULL);
    rc_audit_note_fault(audit, &fault);
}

int rc_audit_flush(rc_audit *audit)
{
    rc_cli *cli = audit->cli;
    if (audit->fault->kind != RC_STORE_NO_FAULT) {
        rc_buf_reset(&cli->out);
        return rc_audit_refuse(audit, audit->fault);
    }
    const rc_str data = rc_buf_get(&cli->out);
    if (rc_buf_status(&cli->out) != RC_OK)
        return RC_EXIT_INTERNAL; /* rc_cli_finish prints the reason. */
    const int error = data.len > 0 ? rc_fd_write(cli->calls, RC_FD_STDOUT, data) : 0;
    rc_buf_reset(&cli->out);
    return error == 0 ? RC_EXIT_OK : rc_cli_output_lost(cli, error);
}
