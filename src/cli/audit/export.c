/* `recourse audit export`: writes every column of operations or attempts, for programs, in constant
 * memory. Called by command.c.
 *
 * The store is read one page at a time, and the read transaction ends before the page is written to
 * a possibly slow reader: an open transaction would block the gateway's WAL checkpoint. */
#include <string.h>

#include <recourse/taxonomy.h>

#include "cli/audit/audit.h"
#include "cli/csv.h"
#include "codec/datetime.h"
#include "store/operation_key.h"
#include "store/record_json.h"
#include "sys/file.h"

#define PAGE_OPERATIONS 1000
#define PAGE_BYTES ((size_t)1 << 20)
#define CELL_BYTES 64

typedef struct exporting {
    rc_audit *audit;
    const rc_record *operation; /* Operation whose attempts are being exported. */
    bool is_of_attempts;
    uint64_t rows;
    uint32_t read; /* Operations read in this page. */
    int64_t last_key;
    bool is_full; /* The limit of rows (--limit) is reached. */
    rc_store_fault fault;
    bool is_faulty;
} exporting;

/* ---- columns ---- */

typedef struct column {
    const char *name;
    void (*put)(rc_buf *buf, const rc_record *record);
} column;

static void put_time(rc_buf *buf, int64_t unix_ms)
{
    char scratch[CELL_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_rfc3339_push(&text, unix_ms);
    rc_csv_text(buf, rc_buf_get(&text));
}

static void put_known(rc_buf *buf, int64_t number)
{
    if (number >= 0)
        rc_csv_number(buf, number);
    else
        rc_csv_empty(buf);
}

#define TEXT_COLUMN(name, value)                                 \
    static void put_##name(rc_buf *buf, const rc_record *record) \
    {                                                            \
        rc_csv_text(buf, value);                                 \
    }
#define NUMBER_COLUMN(name, value)                               \
    static void put_##name(rc_buf *buf, const rc_record *record) \
    {                                                            \
        put_known(buf, (int64_t)(value));                        \
    }

TEXT_COLUMN(id, record->operation_id)
TEXT_COLUMN(client, record->client)
TEXT_COLUMN(route, record->route)
TEXT_COLUMN(model, record->model)
TEXT_COLUMN(target, record->target)
TEXT_COLUMN(provider, record->provider)
TEXT_COLUMN(credential, record->credential)
TEXT_COLUMN(outcome, rc_str_c(rc_outcome_name(record->outcome)))
TEXT_COLUMN(code, rc_str_c(rc_code_name(record->code)))
TEXT_COLUMN(class, rc_str_c(rc_class_name(record->error_class)))
TEXT_COLUMN(category, rc_str_c(rc_category_name(record->category)))
TEXT_COLUMN(request_id, record->request_id)
TEXT_COLUMN(report_id, record->report_id)
TEXT_COLUMN(text, record->text)
TEXT_COLUMN(tokens_are, rc_str_c(rc_record_token_basis(record)))
NUMBER_COLUMN(seq, record->seq)
NUMBER_COLUMN(at_ms, record->at_ms)
NUMBER_COLUMN(recovered, record->has_recovered ? 1 : 0)
NUMBER_COLUMN(status, record->status > 0 ? record->status : -1)
NUMBER_COLUMN(attempt, record->attempt)
NUMBER_COLUMN(wait_ms, record->wait_ms)
NUMBER_COLUMN(latency_ms, record->latency_ms)
NUMBER_COLUMN(first_byte_ms, record->first_byte_ms)
NUMBER_COLUMN(tokens_in, record->tokens_in)
NUMBER_COLUMN(tokens_out, record->tokens_out)
NUMBER_COLUMN(cost_usd_micro, record->cost_usd_micro)
NUMBER_COLUMN(unpriced, (record->flags & RC_RECORD_UNPRICED) != 0)
NUMBER_COLUMN(bytes, record->bytes)
NUMBER_COLUMN(streaming, (record->flags & RC_RECORD_STREAMING) != 0)
NUMBER_COLUMN(committed, (record->flags & RC_RECORD_COMMITTED) != 0)

static void put_key(rc_buf *buf, const rc_record *record)
{
    char scratch[CELL_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_operation_key_push(&text, record->key);
    rc_csv_text(buf, rc_buf_get(&text));
}

static void put_began(rc_buf *buf, const rc_record *record)
{
    put_time(buf, rc_audit_began_unix_ms(record));
}

static void put_ended(rc_buf *buf, const rc_record *record)
{
    if (record->outcome == RC_OUTCOME_OPEN)
        rc_csv_empty(buf);
    else
        put_time(buf, record->unix_ms);
}

static void put_time_of(rc_buf *buf, const rc_record *record)
{
    put_time(buf, record->unix_ms);
}

/* Columns that operations and attempts share. */
#define SHARED_COLUMNS                                                                    \
    {"target", put_target}, {"provider", put_provider}, {"credential", put_credential},   \
        {"code", put_code}, {"class", put_class}, {"category", put_category},             \
        {"status", put_status}, {"latency_ms", put_latency_ms},                           \
        {"first_byte_ms", put_first_byte_ms}, {"tokens_in", put_tokens_in},               \
        {"tokens_out", put_tokens_out}, {"cost_usd_micro", put_cost_usd_micro},           \
        {"unpriced", put_unpriced}, {"bytes", put_bytes}, {"committed", put_committed},   \
        {"request_id", put_request_id}, {"report_id", put_report_id}, {"text", put_text}, \
    {                                                                                     \
        "tokens_are", put_tokens_are                                                      \
    }

static const column operation_columns[] = {
    {"id", put_id},
    {"key", put_key},
    {"began", put_began},
    {"ended", put_ended},
    {"client", put_client},
    {"route", put_route},
    {"model", put_model},
    {"outcome", put_outcome},
    {"recovered", put_recovered},
    {"attempts", put_attempt},
    {"wait_ms", put_wait_ms},
    {"streaming", put_streaming},
    SHARED_COLUMNS,
};

/* An attempt has first these columns of its operation, then its own columns (attempt_columns). */
static const column owner_columns[] = {
    {"operation_id", put_id}, {"client", put_client},   {"route", put_route},
    {"asked", put_model},     {"outcome", put_outcome},
};
static const column attempt_columns[] = {
    {"seq", put_seq},         {"began", put_time_of}, {"at_ms", put_at_ms},
    {"attempt", put_attempt}, {"model", put_model},   SHARED_COLUMNS,
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static void push_names(rc_buf *buf, const column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const rc_str so_far = rc_buf_get(buf);
        if (so_far.len > 0)
            rc_buf_push_byte(buf, ',');
        rc_cli_text(buf, columns[i].name);
    }
}

static void push_head(const exporting *e)
{
    rc_buf *out = &e->audit->cli->out;
    if (e->audit->format != RC_AUDIT_CSV)
        return;
    if (e->is_of_attempts) {
        push_names(out, owner_columns, COUNT_OF(owner_columns));
        rc_cli_text(out, ",result");
        push_names(out, attempt_columns, COUNT_OF(attempt_columns));
    } else {
        push_names(out, operation_columns, COUNT_OF(operation_columns));
    }
    rc_csv_end(out);
}

static void push_cells(rc_buf *buf, const column *columns, size_t count, const rc_record *record)
{
    for (size_t i = 0; i < count; i++)
        columns[i].put(buf, record);
}

/* ---- rows ---- */

static void push_operation(const exporting *e, const rc_record *operation)
{
    rc_buf *out = &e->audit->cli->out;
    rc_json_writer w;
    if (e->audit->format == RC_AUDIT_CSV) {
        push_cells(out, operation_columns, COUNT_OF(operation_columns), operation);
        rc_csv_end(out);
        return;
    }
    rc_json_writer_init(&w, out, 0);
    rc_audit_json_operation(e->audit, &w, operation, true);
    rc_buf_push_byte(out, '\n');
}

/* Returns the attempt's outcome: "succeeded", "failed", "cancelled" or "open". */
static rc_str result_of(const exporting *e, const rc_record *attempt)
{
    return rc_str_c(rc_outcome_name(rc_audit_attempt_outcome(e->operation, attempt)));
}

static void push_attempt(const exporting *e, const rc_record *attempt)
{
    rc_buf *out = &e->audit->cli->out;
    const rc_record *operation = e->operation;
    rc_json_writer w;
    if (e->audit->format == RC_AUDIT_CSV) {
        push_cells(out, owner_columns, COUNT_OF(owner_columns), operation);
        rc_csv_text(out, result_of(e, attempt));
        push_cells(out, attempt_columns, COUNT_OF(attempt_columns), attempt);
        rc_csv_end(out);
        return;
    }
    rc_json_writer_init(&w, out, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("operation_id"), operation->operation_id);
    rc_record_json_text(&w, RC_STR("client"), operation->client);
    rc_record_json_text(&w, RC_STR("route"), operation->route);
    rc_record_json_text(&w, RC_STR("asked"), operation->model);
    rc_json_member_string(&w, RC_STR("outcome"), rc_str_c(rc_outcome_name(operation->outcome)));
    rc_json_member_string(&w, RC_STR("result"), result_of(e, attempt));
    rc_json_key(&w, RC_STR("attempt"));
    rc_audit_json_record(e->audit, &w, attempt, true);
    rc_json_object_end(&w);
    rc_buf_push_byte(out, '\n');
}

/* When attempts are exported, the filters code, class and target apply to the attempt itself. */
static bool is_wanted(const exporting *e, const rc_record *attempt)
{
    const rc_store_filter *filter = &e->audit->query.select.filter;
    return attempt->kind == RC_RECORD_ATTEMPT &&
           (filter->code == RC_CODE_NONE || attempt->code == filter->code) &&
           (filter->error_class == RC_CLASS_NONE || attempt->error_class == filter->error_class) &&
           (filter->target.len == 0 || rc_str_eq(attempt->target, filter->target));
}

static void count_row(exporting *e)
{
    e->rows++;
    e->is_full = e->audit->limit > 0 && e->rows >= e->audit->limit;
}

static bool on_record(void *ctx, const rc_record *record)
{
    exporting *e = ctx;
    if (!is_wanted(e, record))
        return true;
    push_attempt(e, record);
    count_row(e);
    return !e->is_full && rc_buf_status(&e->audit->cli->out) == RC_OK;
}

static bool on_operation(void *ctx, const rc_record *operation)
{
    exporting *e = ctx;
    const rc_buf *out = &e->audit->cli->out;
    e->read++;
    e->last_key = operation->key;
    if (e->is_of_attempts) {
        e->operation = operation;
        e->is_faulty =
            !rc_store_timeline(e->audit->store, operation->operation_id, on_record, e, &e->fault);
    } else {
        push_operation(e, operation);
        count_row(e);
    }
    return !e->is_full && !e->is_faulty && rc_buf_status(out) == RC_OK &&
           rc_buf_get(out).len < PAGE_BYTES;
}

/* ---- pages ---- */

/* Exports one page; *ret_is_last: no other page follows. Returns an exit status. */
static int export_page(exporting *e, rc_store_query *query, bool *ret_is_last)
{
    e->read = 0;
    if (!rc_store_list(e->audit->store, query, on_operation, e, &e->fault) || e->is_faulty) {
        rc_buf_reset(&e->audit->cli->out);
        return rc_audit_refuse(e->audit, &e->fault);
    }
    const bool was_cut = rc_buf_get(&e->audit->cli->out).len >= PAGE_BYTES;
    *ret_is_last = e->is_full || (e->read < PAGE_OPERATIONS && !was_cut);
    query->beyond_key = e->last_key;
    return rc_audit_flush(e->audit);
}

int rc_audit_export(rc_audit *audit)
{
    const char *of = audit->args->values[RC_AUDIT_OF];
    exporting e = {.audit = audit, .is_of_attempts = of != NULL && strcmp(of, "attempts") == 0};
    rc_store_query query = audit->query.select;
    query.limit = PAGE_OPERATIONS;
    query.is_oldest_first = true;
    if (e.is_of_attempts) {
        query.filter.code = RC_CODE_NONE;
        query.filter.error_class = RC_CLASS_NONE;
    }
    bool is_last = false;
    int result = RC_EXIT_OK;
    push_head(&e);
    while (result == RC_EXIT_OK && !is_last)
        result = export_page(&e, &query, &is_last);
    if (result != RC_EXIT_OK)
        return result;
    if (e.rows == 0)
        rc_audit_suggest_names(audit);
    /* The system may report a full disk only when the file is closed. */
    const int error = rc_fd_close(audit->cli->calls, RC_FD_STDOUT);
    return error == 0 ? RC_EXIT_OK : rc_cli_output_lost(audit->cli, error);
}
