/* `recourse audit tail`: the latest operations and, with --follow, those that end later. Called by
 * command.c. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/str.h"
#include "cli/audit/audit.h"
#include "store/follower.h"
#include "store/operation_key.h"
#include "sys/clock.h"
#include "sys/file.h"

#define STEP_MS 500
#define SCHEME "sqlite:"

typedef struct tailing {
    rc_audit *audit;
    rc_grid grid;
    rc_follower follow;
    int64_t day;
    int64_t first_key; /* Key of the oldest operation in the initial output. */
    bool is_following;
    bool is_out_of_memory;
    bool is_lost; /* The store is unreadable, and a message about it was printed. */
    dev_t device; /* Device and inode identify the open file. */
    ino_t inode;
    char path[4096];
} tailing;

/* ---- rows ---- */

static bool put(void *ctx, const rc_record *operation)
{
    tailing *t = ctx;
    rc_json_writer w;
    if (t->audit->format == RC_AUDIT_HUMAN) {
        rc_audit_list_row(t->audit, &t->grid, operation, &t->day);
        return true;
    }
    rc_json_writer_init(&w, &t->audit->cli->out, 0);
    rc_audit_json_operation(t->audit, &w, operation, false);
    rc_buf_push_byte(&t->audit->cli->out, '\n');
    return true;
}

static bool on_operation(void *ctx, const rc_record *operation)
{
    tailing *t = ctx;
    rc_store_fault fault;
    if (!rc_audit_operation_pass(t->audit->store, operation, put, t, &fault))
        rc_audit_note_fault(t->audit, &fault);
    return true;
}

static bool on_last(void *ctx, const rc_record *operation)
{
    tailing *t = ctx;
    /* With --follow an operation that has not ended is printed later, when it ends. */
    if (t->is_following && operation->outcome == RC_OUTCOME_OPEN)
        return true;
    if (t->is_following && rc_follower_skip(&t->follow, operation) != RC_OK)
        t->is_out_of_memory = true;
    return on_operation(ctx, operation);
}

static bool note_key(void *ctx, const rc_record *operation)
{
    ((tailing *)ctx)->first_key = operation->key;
    return true;
}

static int flush(tailing *t)
{
    if (rc_grid_push_rows(&t->grid, &t->audit->cli->out) != RC_OK || t->is_out_of_memory) {
        rc_store_fault fault;
        rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "show", NULL, NULL);
        return rc_audit_refuse(t->audit, &fault);
    }
    return rc_audit_flush(t->audit);
}

/* ---- latest operations ---- */

/* Prints the latest operations in ascending order. Finds the first of them by listing operations
 * backwards. */
static bool read_last(tailing *t, rc_store_fault *fault)
{
    rc_store_query query = t->audit->query.select;
    query.limit = t->audit->limit;
    if (!rc_store_list(t->audit->store, &query, note_key, t, fault))
        return false;
    if (t->first_key == 0)
        return true;
    query.is_oldest_first = true;
    query.beyond_key = t->first_key - 1;
    return rc_store_list(t->audit->store, &query, on_last, t, fault);
}

/* ---- new operations ---- */

/* Returns whether the path of the store leads to another file than at the last call. This happens
 * if a user moves the file away and the gateway creates a new file. */
static bool is_replaced(tailing *t)
{
    struct stat current;
    if (t->path[0] == '\0' || t->audit->cli->calls->stat(t->path, &current) != 0)
        return false;
    const bool is_other =
        t->inode != 0 && (current.st_ino != t->inode || current.st_dev != t->device);
    t->inode = current.st_ino;
    t->device = current.st_dev;
    return is_other;
}

/* Returns whether the fault can end by itself, for example when the gateway restarts or the disk is
 * mounted again. */
static bool may_come_back(const rc_store_fault *fault)
{
    return rc_store_fault_may_pass(fault->kind) || fault->kind == RC_STORE_MISSING;
}

static int on_fault(tailing *t, const rc_store_fault *fault)
{
    rc_cli *cli = t->audit->cli;
    if (!may_come_back(fault))
        return rc_audit_refuse(t->audit, fault);
    if (!t->is_lost) {
        rc_cli_err_prefix(cli, "audit");
        rc_cli_err_name(cli, rc_str_c(fault->detail));
        rc_cli_text(&cli->err, "; waiting for it\n");
        rc_cli_flush_err(cli);
    }
    t->is_lost = true;
    return RC_EXIT_OK;
}

static int step(tailing *t)
{
    rc_store_fault fault;
    rc_audit *audit = t->audit;
    if (is_replaced(t)) {
        rc_store_close(audit->store);
        audit->store = NULL;
    }
    if (audit->store == NULL && !rc_audit_open_again(audit, &fault))
        return on_fault(t, &fault);
    audit->style.now_unix_ms = rc_clock_unix_ms(audit->cli->calls);
    if (!rc_follower_step(&t->follow, audit->store, audit->style.now_unix_ms, on_operation, t,
                          &fault))
        return on_fault(t, &fault);
    t->is_lost = false;
    return flush(t);
}

/* Waits for the next step. Returns false if the reader of standard output has closed the pipe. */
static bool wait_step(const tailing *t)
{
    struct pollfd out = {.fd = RC_FD_STDOUT};
    const int ready = t->audit->cli->calls->poll(&out, 1, STEP_MS);
    return ready <= 0 || (out.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

static int run_following(tailing *t)
{
    int result = RC_EXIT_OK;
    (void)is_replaced(t);
    while (result == RC_EXIT_OK) {
        if (!wait_step(t))
            return RC_EXIT_IO;
        result = step(t);
    }
    return result;
}

static void find_path(tailing *t)
{
    const rc_str url = rc_buf_get(&t->audit->url);
    const rc_str scheme = RC_STR(SCHEME);
    if (!rc_str_starts_with(url, scheme) || url.len - scheme.len >= sizeof(t->path))
        return;
    memcpy(t->path, url.ptr + scheme.len, url.len - scheme.len);
    t->path[url.len - scheme.len] = '\0';
}

static int run(tailing *t)
{
    rc_store_fault fault;
    rc_audit *audit = t->audit;
    rc_grid_fix(&t->grid);
    if (!read_last(t, &fault))
        return rc_audit_refuse(audit, &fault);
    if (t->first_key == 0)
        rc_audit_suggest_names(audit);
    rc_cli_flush_err(audit->cli);
    if (audit->format == RC_AUDIT_HUMAN && (t->is_following || t->first_key != 0))
        rc_grid_push_titles(&t->grid, &audit->cli->out);
    else if (audit->format == RC_AUDIT_HUMAN)
        rc_cli_text(&audit->cli->out, "No operation matches.\n");
    const int result = flush(t);
    return result == RC_EXIT_OK && t->is_following ? run_following(t) : result;
}

int rc_audit_tail(rc_audit *audit)
{
    const rc_alloc *alloc = &audit->cli->alloc;
    tailing t = {
        .audit = audit,
        .is_following = audit->args->values[RC_AUDIT_FOLLOW] != NULL,
    };
    find_path(&t);
    rc_grid_init(&t.grid, rc_audit_list_columns, RC_AUDIT_LIST_COLUMNS, &audit->style, alloc);
    rc_follower_init(&t.follow, &audit->query.select.filter, !audit->query.is_narrowed,
                     audit->style.now_unix_ms, alloc);
    const int result = run(&t);
    rc_follower_done(&t.follow);
    rc_grid_done(&t.grid);
    return result;
}
