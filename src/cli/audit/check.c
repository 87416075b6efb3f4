/* `recourse audit check`: checks the integrity of the store and prints its size. Called by
 * command.c. */
#include "cli/audit/audit.h"
#include "store/record_json.h"
#include "sys/file.h"

#define EXIT_DATA 65

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

static void push_json(const rc_audit *audit, const rc_store_extent *extent)
{
    rc_json_writer w;
    rc_json_writer_init(&w, &audit->cli->out, 0);
    rc_json_object_begin(&w);
    rc_json_member_bool(&w, RC_STR("sound"), extent->orphans == 0);
    put_number(&w, RC_STR("operations"), extent->operations);
    put_number(&w, RC_STR("records"), extent->records);
    put_number(&w, RC_STR("reports"), extent->reports);
    put_number(&w, RC_STR("names"), extent->names);
    put_number(&w, RC_STR("strays"), extent->orphans);
    put_number(&w, RC_STR("bytes"), extent->bytes);
    if (extent->operations > 0) {
        rc_record_json_time(&w, RC_STR("from"), extent->from_unix_ms);
        rc_record_json_time(&w, RC_STR("to"), extent->to_unix_ms);
    }
    rc_json_object_end(&w);
    rc_buf_push_byte(&audit->cli->out, '\n');
}

static void push_label(const rc_audit *audit, const char *label)
{
    rc_buf *out = &audit->cli->out;
    rc_cli_text(out, "  ");
    rc_tone_begin(out, RC_TONE_FAINT, audit->style.has_colour);
    rc_cli_text(out, label);
    rc_tone_end(out, RC_TONE_FAINT, audit->style.has_colour);
}

static void push_human(const rc_audit *audit, const rc_store_extent *extent)
{
    rc_buf *out = &audit->cli->out;
    const bool is_sound = extent->orphans == 0;
    const rc_tone tone = is_sound ? RC_TONE_GOOD : RC_TONE_BAD;
    rc_tone_begin(out, tone, audit->style.has_colour);
    rc_audit_push_symbol(audit, out, is_sound ? RC_SYMBOL_GOOD : RC_SYMBOL_BAD);
    rc_cli_text(out,
                is_sound ? " The file is intact." : " The file has records without an operation.");
    rc_tone_end(out, tone, audit->style.has_colour);
    rc_cli_text(out, "\n\n");
    push_label(audit, "operations  ");
    rc_buf_push_u64(out, extent->operations);
    rc_buf_push_byte(out, '\n');
    push_label(audit, "records     ");
    rc_buf_push_u64(out, extent->records);
    rc_cli_text(out, " besides begin and end records, ");
    rc_buf_push_u64(out, extent->reports);
    rc_cli_text(out, " reports\n");
    if (!is_sound) {
        push_label(audit, "strays      ");
        rc_buf_push_u64(out, extent->orphans);
        rc_buf_push_byte(out, '\n');
    }
    push_label(audit, "size        ");
    rc_audit_push_size(out, extent->bytes);
    rc_buf_push_byte(out, '\n');
    if (extent->operations == 0)
        return;
    push_label(audit, "first       ");
    rc_audit_push_date_time(audit, out, extent->from_unix_ms);
    rc_buf_push_byte(out, '\n');
    push_label(audit, "last        ");
    rc_audit_push_date_time(audit, out, extent->to_unix_ms);
    rc_cli_text(out, ", ");
    rc_audit_push_ago(audit, out, extent->to_unix_ms);
    rc_buf_push_byte(out, '\n');
}

int rc_audit_check(rc_audit *audit)
{
    rc_store_extent extent;
    rc_store_fault fault;
    rc_cli *cli = audit->cli;
    if (cli->err_terminal.is_tty && audit->format == RC_AUDIT_HUMAN) {
        rc_cli_text(&cli->err, "recourse audit: reading the whole file\n");
        rc_cli_flush_err(cli);
    }
    if (!rc_store_check(audit->store, &fault) || !rc_store_measure(audit->store, &extent, &fault))
        return rc_audit_refuse(audit, &fault);
    if (audit->format == RC_AUDIT_JSON)
        push_json(audit, &extent);
    else
        push_human(audit, &extent);
    return extent.orphans == 0 ? RC_EXIT_OK : EXIT_DATA;
}
