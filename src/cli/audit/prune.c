/* `recourse audit prune`: deletes operations that ended before a time. Called by command.c. If no
 * process holds the write lock of the store, the command deletes the operations itself. Otherwise
 * the running gateway deletes the operations on request, because only one process may write.
 * Operations are deleted oldest first in small transactions, so an interrupted run leaves a
 * consistent file. */
#include <errno.h>
#include <poll.h>

#include "audit/time.h"
#include "base/str.h"
#include "cli/audit/audit.h"
#include "codec/duration.h"
#include "store/record_json.h"
#include "store/writer.h"
#include "sys/clock.h"
#include "sys/status_line.h"

#define TEXT_BYTES 128
#define EXIT_TEMPFAIL 75 /* EX_TEMPFAIL of sysexits.h. */
#define STEP_OPERATIONS 2000
#define SHOW_MS 250
#define WAIT_MS 100
/* Time limit without progress of the gateway, which looks for a request to prune every second and
 * pauses between steps. */
#define PATIENCE_MS 30000

typedef struct pruning {
    rc_audit *audit;
    int64_t before_unix_ms;
    rc_store_expired past; /* The numbers of operations before the deletion. */
    rc_store_expired left; /* The numbers of operations after the deletion. */
    uint64_t done;
    uint64_t given_back;
    rc_status_line line;
    int64_t shown_ms; /* When the progress line was last drawn. */
    bool is_dry;
    bool by_gateway;
} pruning;

/* ---- time limit of the deletion ---- */

static int refuse(rc_audit *audit, const char *text, const char *value)
{
    rc_cli *cli = audit->cli;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, text);
    if (value != NULL)
        rc_cli_err_quote(cli, rc_str_c(value));
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "audit");
}

static int read_time(const pruning *p, int64_t *ret_unix_ms)
{
    rc_audit *audit = p->audit;
    const char *older = audit->args->values[RC_AUDIT_OLDER_THAN];
    const char *before = audit->args->values[RC_AUDIT_BEFORE];
    const int64_t now = audit->style.now_unix_ms;
    const rc_audit_clock clock = {.now_unix_ms = now,
                                  .utc_offset_s = audit->cli->calls->utc_offset_s};
    int64_t age_ms = 0;
    if ((older == NULL) == (before == NULL))
        return refuse(audit, "prune needs --older-than DURATION or --before TIME", NULL);
    if (older != NULL && rc_duration_parse(rc_str_c(older), RC_UNIT_NONE, &age_ms) != RC_OK)
        return refuse(audit, "--older-than needs a duration such as 90d, 12h or \"6 weeks\", not ",
                      older);
    if (before != NULL && !rc_audit_time_parse(rc_str_c(before), &clock, ret_unix_ms))
        return refuse(audit,
                      "--before needs a time such as 90d (ago), yesterday, 2026-11-16 or "
                      "2026-11-16T02:30:00Z, not ",
                      before);
    if (older != NULL)
        *ret_unix_ms = age_ms < now ? now - age_ms : 0;
    if (*ret_unix_ms > now && audit->args->values[RC_AUDIT_YES] == NULL &&
        audit->args->values[RC_AUDIT_DRY_RUN] == NULL)
        return refuse(audit,
                      "that time is in the future: every ended operation would be deleted; "
                      "add --yes to do this",
                      NULL);
    return RC_EXIT_OK;
}

/* ---- progress ---- */

/* Appends "1 operation" or "12438 operations", not rounded as in rc_audit_push_counted. */
static void push_operations(rc_buf *buf, uint64_t count)
{
    rc_buf_push_u64(buf, count);
    rc_cli_text(buf, count == 1 ? " operation" : " operations");
}

static void show_progress(pruning *p)
{
    rc_cli *cli = p->audit->cli;
    const int64_t now = rc_clock_unix_ms(cli->calls);
    char scratch[TEXT_BYTES];
    rc_buf text;
    if (p->audit->format != RC_AUDIT_HUMAN || now - p->shown_ms < SHOW_MS)
        return;
    p->shown_ms = now;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push_u64(&text, p->done);
    rc_cli_text(&text, " of ");
    push_operations(&text, p->past.operations);
    rc_cli_text(&text, " deleted");
    rc_status_line_draw(&p->line, &cli->err, rc_buf_get(&text));
    rc_cli_flush_err(cli);
}

static void end_progress(pruning *p)
{
    rc_status_line_erase(&p->line, &p->audit->cli->err);
    rc_cli_flush_err(p->audit->cli);
}

/* ---- deletion by this process ---- */

static bool prune_here(pruning *p, rc_store_fault *fault)
{
    rc_store *store = p->audit->store;
    rc_store_prune prune = {.before_unix_ms = p->before_unix_ms, .max = STEP_OPERATIONS};
    /* After a checkpoint SQLite reuses the write-ahead log from its beginning, which matters on a
     * nearly full disk. */
    rc_store_fault ignored;
    (void)rc_store_checkpoint(store, true, &ignored);
    while (!prune.is_done) {
        if (!rc_store_prune_step(store, &prune, fault) || !rc_store_checkpoint(store, false, fault))
            return false;
        p->done = prune.operations;
        show_progress(p);
    }
    if (p->audit->args->values[RC_AUDIT_VACUUM] != NULL && !rc_store_shrink(store, fault))
        return false;
    return rc_store_checkpoint(store, true, fault);
}

/* ---- deletion by the gateway ---- */

static int give_up(pruning *p)
{
    rc_cli *cli = p->audit->cli;
    end_progress(p);
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "the gateway that writes the file did not delete the operations: "
                           "its store is unavailable, or it is an older version\n"
                           "Stop it, prune the file, and start it again.\n");
    return EXIT_TEMPFAIL;
}

/* Shows an estimate of the number of deleted operations, made from the time of the oldest remaining
 * operation. An exact count would scan the whole table at every step. */
static void show_guess(pruning *p, int64_t began_unix_ms, int64_t first_unix_ms)
{
    const double all = (double)(p->before_unix_ms - began_unix_ms);
    const double gone = (double)(first_unix_ms - began_unix_ms);
    p->done = all > 0 ? (uint64_t)((double)p->past.operations * (gone / all)) : 0;
    show_progress(p);
}

/* Waits until no operation that ended before the limit is left. */
static int wait_for_gateway(pruning *p)
{
    rc_audit *audit = p->audit;
    const rc_sys_calls *calls = audit->cli->calls;
    rc_store_fault fault;
    int64_t first = 0;
    int64_t began = -1;
    int64_t last = -1;
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += WAIT_MS) {
        if (!rc_store_first_expired(audit->store, p->before_unix_ms, &first, &fault))
            return rc_audit_refuse(audit, &fault);
        if (first < 0)
            return RC_EXIT_OK;
        if (first != last)
            waited_ms = 0;
        last = first;
        began = began < 0 ? first : began;
        show_guess(p, began, first);
        (void)calls->poll(NULL, 0, WAIT_MS);
    }
    return give_up(p);
}

static int request_from_gateway(pruning *p)
{
    rc_audit *audit = p->audit;
    const int64_t last = rc_clock_unix_ms(audit->cli->calls) - RC_WRITER_AMENDS_MS;
    rc_store_fault fault;
    if (audit->args->values[RC_AUDIT_VACUUM] != NULL) {
        rc_store_fault_set(&fault, RC_STORE_HAS_WRITER, "shrink", NULL,
                           "--vacuum rewrites the whole file");
        return rc_audit_refuse(audit, &fault);
    }
    if (p->before_unix_ms > last)
        p->before_unix_ms = last;
    p->by_gateway = true;
    if (!rc_audit_open_again(audit, &fault) ||
        !rc_store_count_expired(audit->store, p->before_unix_ms, &p->past, &fault) ||
        !rc_store_request_prune(audit->store, p->before_unix_ms, &fault))
        return rc_audit_refuse(audit, &fault);
    if (audit->cli->err_terminal.is_tty && audit->format == RC_AUDIT_HUMAN) {
        rc_cli_text(&audit->cli->err, "recourse audit: the running gateway deletes ");
        push_operations(&audit->cli->err, p->past.operations);
        rc_cli_text(&audit->cli->err, "; Ctrl-C cancels\n");
        rc_cli_flush_err(audit->cli);
    }
    return wait_for_gateway(p);
}

/* ---- result ---- */

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

static void push_json(const pruning *p)
{
    rc_buf *out = &p->audit->cli->out;
    rc_json_writer w;
    rc_json_writer_init(&w, out, 0);
    rc_json_object_begin(&w);
    rc_record_json_time(&w, RC_STR("before"), p->before_unix_ms);
    rc_json_member_bool(&w, RC_STR("dry_run"), p->is_dry);
    rc_json_member_bool(&w, RC_STR("by_gateway"), p->by_gateway);
    put_number(&w, RC_STR("operations"), p->is_dry ? p->past.operations : p->done);
    put_number(&w, RC_STR("staying"), p->past.remaining);
    put_number(&w, RC_STR("bytes"), p->left.bytes);
    put_number(&w, RC_STR("free_bytes"), p->left.free_bytes);
    put_number(&w, RC_STR("given_back_bytes"), p->given_back);
    rc_json_object_end(&w);
    rc_buf_push_byte(out, '\n');
}

static void push_space(const pruning *p)
{
    rc_buf *out = &p->audit->cli->out;
    rc_cli_text(out, "  ");
    if (p->given_back > 0) {
        rc_audit_push_size(out, p->given_back);
        rc_cli_text(out, " were freed on the disk; the file has ");
        rc_audit_push_size(out, p->left.bytes);
        rc_cli_text(out, ".\n");
        return;
    }
    rc_cli_text(out, "The file has ");
    rc_audit_push_size(out, p->left.bytes);
    rc_cli_text(out, "; ");
    rc_audit_push_size(out, p->left.free_bytes);
    rc_cli_text(out, " of them are free pages, which are reused before the file grows.\n");
    if (p->left.free_bytes > 0 && !p->is_dry)
        rc_cli_text(out, "  --vacuum frees them on the disk; no gateway may run.\n");
}

static void push_human(const pruning *p)
{
    const rc_audit *audit = p->audit;
    rc_buf *out = &audit->cli->out;
    const uint64_t count = p->is_dry ? p->past.operations : p->done;
    rc_tone_begin(out, RC_TONE_GOOD, audit->style.has_colour);
    if (!p->is_dry) {
        rc_audit_push_symbol(audit, out, RC_SYMBOL_GOOD);
        rc_buf_push_byte(out, ' ');
    }
    push_operations(out, count);
    rc_cli_text(out, p->is_dry ? " would be deleted" : " deleted");
    rc_tone_end(out, RC_TONE_GOOD, audit->style.has_colour);
    rc_cli_text(out, ": those that ended before ");
    rc_audit_push_date_time(audit, out, p->before_unix_ms);
    rc_cli_text(out, ".\n");
    if (p->past.remaining > 0) {
        rc_cli_text(out, "  ");
        push_operations(out, p->past.remaining);
        rc_cli_text(out, " that began before that time are kept: they are open or ended later.\n");
    }
    push_space(p);
}

static int show_result(pruning *p)
{
    rc_store_fault fault;
    end_progress(p);
    if (!rc_store_count_expired(p->audit->store, p->before_unix_ms, &p->left, &fault))
        return rc_audit_refuse(p->audit, &fault);
    if (p->left.bytes < p->past.bytes)
        p->given_back = p->past.bytes - p->left.bytes;
    if (p->audit->format == RC_AUDIT_JSON)
        push_json(p);
    else
        push_human(p);
    return RC_EXIT_OK;
}

/* ---- all steps ---- */

/* Opens the store for writing and deletes the operations. If a gateway holds the write lock,
 * requests the deletion from the gateway. */
static int prune_store(pruning *p)
{
    const rc_store_settings settings = {.mode = RC_STORE_WRITE, .is_power_safe = true};
    rc_audit *audit = p->audit;
    rc_store_fault fault;
    rc_store_close(audit->store);
    audit->store = NULL;
    if (rc_store_open(rc_buf_get(&audit->url), &settings, &audit->cli->alloc, &audit->store,
                      &fault)) {
        if (prune_here(p, &fault))
            return RC_EXIT_OK;
        end_progress(p);
        return rc_audit_refuse(audit, &fault);
    }
    if (fault.kind != RC_STORE_HAS_WRITER)
        return rc_audit_refuse(audit, &fault);
    const int result = request_from_gateway(p);
    if (result == RC_EXIT_OK)
        p->done = p->past.operations;
    return result;
}

int rc_audit_prune(rc_audit *audit)
{
    pruning p = {.audit = audit, .is_dry = audit->args->values[RC_AUDIT_DRY_RUN] != NULL};
    rc_store_fault fault;
    rc_status_line_init(&p.line, &audit->cli->err_terminal);
    int result = read_time(&p, &p.before_unix_ms);
    if (result == RC_EXIT_OK)
        result = rc_audit_open(audit);
    if (result != RC_EXIT_OK)
        return result;
    if (!rc_store_count_expired(audit->store, p.before_unix_ms, &p.past, &fault))
        return rc_audit_refuse(audit, &fault);
    if (!p.is_dry)
        result = prune_store(&p);
    return result == RC_EXIT_OK ? show_result(&p) : result;
}
