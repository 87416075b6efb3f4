/* Reads operations of the audit and writes them as JSON. Called by `recourse audit` and by the
 * admin interface. */
#include "audit/operation.h"

#include "store/operation_key.h"

/* ---- notices ---- */

typedef struct notice_pass {
    const rc_record *operation;
    rc_record_each each;
    void *ctx;
    bool goes_on;
} notice_pass;

static bool on_notice(void *ctx, const rc_record *record)
{
    notice_pass *n = ctx;
    rc_record notice = *n->operation;
    notice.target = record->target;
    notice.provider = record->provider;
    notice.model = record->model;
    notice.credential = record->credential;
    notice.text = record->text;
    n->goes_on = n->each(n->ctx, &notice);
    return false;
}

/* Passes an operation to `each`. *ret_goes_on: receives the return value of `each`. */
static bool pass(rc_store *store, const rc_record *operation, rc_record_each each, void *ctx,
                 bool *ret_goes_on, rc_store_fault *fault)
{
    notice_pass n = {.operation = operation, .each = each, .ctx = ctx, .goes_on = true};
    if (operation->outcome != RC_OUTCOME_NOTICE)
        n.goes_on = each(ctx, operation);
    else if (!rc_store_timeline(store, operation->operation_id, on_notice, &n, fault))
        return false;
    *ret_goes_on = n.goes_on;
    return true;
}

bool rc_audit_operation_pass(rc_store *store, const rc_record *operation, rc_record_each each,
                             void *ctx, rc_store_fault *fault)
{
    bool ignored = false;
    return pass(store, operation, each, ctx, &ignored, fault);
}

/* ---- search ---- */

typedef struct key_search {
    int64_t key;
    rc_record_each each;
    void *ctx;
    bool is_found;
} key_search;

static bool on_key(void *ctx, const rc_record *operation)
{
    key_search *s = ctx;
    s->is_found = operation->key == s->key;
    if (s->is_found)
        (void)s->each(s->ctx, operation);
    return false;
}

static bool find_key(rc_store *store, key_search *s, rc_store_fault *fault)
{
    rc_store_query query = {.limit = 1, .is_oldest_first = true, .beyond_key = s->key - 1};
    if (!rc_store_list(store, &query, on_key, s, fault))
        return false;
    if (s->is_found)
        return true;
    query.filter.has_outcome = true;
    query.filter.outcome = RC_OUTCOME_NOTICE;
    return rc_store_list(store, &query, on_key, s, fault);
}

bool rc_audit_find(rc_store *store, rc_str text, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault)
{
    key_search s = {.each = each, .ctx = ctx};
    if (rc_operation_key_parse(text, &s.key) && !find_key(store, &s, fault))
        return false;
    return s.is_found || rc_store_find(store, text, limit, each, ctx, fault);
}

/* ---- pages ---- */

typedef struct page_reading {
    rc_store *store;
    uint32_t limit;
    rc_record_each each;
    void *ctx;
    rc_audit_page page;
    rc_store_fault *fault;
    bool is_faulty;
} page_reading;

static bool on_operation(void *ctx, const rc_record *operation)
{
    page_reading *r = ctx;
    bool goes_on = false;
    r->page.has_more = r->limit > 0 && r->page.count == r->limit;
    if (r->page.has_more)
        return false;
    r->page.count++;
    r->page.last_key = operation->key;
    r->is_faulty = !pass(r->store, operation, r->each, r->ctx, &goes_on, r->fault);
    return goes_on && !r->is_faulty;
}

bool rc_audit_page_read(rc_store *store, const rc_audit_query *query, rc_record_each each,
                        void *ctx, rc_audit_page *ret_page, rc_store_fault *fault)
{
    rc_store_query select = query->select;
    page_reading r = {
        .store = store, .limit = select.limit, .each = each, .ctx = ctx, .fault = fault};
    /* One operation more than the page has is read, so that the function knows whether further
     * operations follow. */
    select.limit += select.limit > 0 ? 1 : 0;
    const bool is_good =
        query->id.len > 0 ? rc_audit_find(store, query->id, select.limit, on_operation, &r, fault)
                          : rc_store_list(store, &select, on_operation, &r, fault);
    *ret_page = r.page;
    return is_good && !r.is_faulty;
}

/* ---- JSON ---- */

typedef struct json_rows {
    rc_json_writer *w;
    const rc_record_json_options *options;
    rc_audit_records records;
    uint32_t count;
    bool is_out_of_memory;
} json_rows;

static bool put_operation(void *ctx, const rc_record *operation)
{
    json_rows *rows = ctx;
    rows->is_out_of_memory = !rc_record_json_operation(rows->w, operation, rows->options);
    return !rows->is_out_of_memory && rc_buf_status(rows->w->buf) == RC_OK;
}

static bool put_record(void *ctx, const rc_record *record)
{
    json_rows *rows = ctx;
    if (record->kind == RC_RECORD_OUTCOME ||
        (record->kind == RC_RECORD_BEGIN && !rows->records.has_begin))
        return true;
    rows->is_out_of_memory = !rc_record_json_record(rows->w, record, rows->options);
    return !rows->is_out_of_memory && rc_buf_status(rows->w->buf) == RC_OK &&
           ++rows->count != rows->records.limit;
}

static bool check_memory(const json_rows *rows, rc_store_fault *fault)
{
    return !rows->is_out_of_memory ||
           rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "read", NULL, NULL);
}

static void put_next(rc_json_writer *w, int64_t key)
{
    char scratch[RC_OPERATION_KEY_TEXT_LEN];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_operation_key_push(&text, key);
    rc_json_member_string(w, RC_STR("next"), rc_buf_get(&text));
}

bool rc_audit_page_json(rc_json_writer *w, rc_store *store, const rc_audit_query *query,
                        const rc_record_json_options *options, rc_audit_page *ret_page,
                        rc_store_fault *fault)
{
    json_rows rows = {.w = w, .options = options};
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("operations"));
    rc_json_array_begin(w);
    if (!rc_audit_page_read(store, query, put_operation, &rows, ret_page, fault) ||
        !check_memory(&rows, fault))
        return false;
    rc_json_array_end(w);
    if (ret_page->has_more && query->id.len == 0)
        put_next(w, ret_page->last_key);
    rc_json_object_end(w);
    rc_buf_push_byte(w->buf, '\n');
    return true;
}

bool rc_audit_operation_json(rc_json_writer *w, rc_store *store, const rc_record *operation,
                             rc_audit_records records, const rc_record_json_options *options,
                             rc_store_fault *fault)
{
    json_rows rows = {.w = w, .options = options, .records = records};
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("operation"));
    (void)put_operation(&rows, operation);
    rc_json_key(w, RC_STR("records"));
    rc_json_array_begin(w);
    if (!check_memory(&rows, fault) ||
        !rc_store_timeline(store, operation->operation_id, put_record, &rows, fault) ||
        !check_memory(&rows, fault))
        return false;
    rc_json_array_end(w);
    rc_json_object_end(w);
    rc_buf_push_byte(w->buf, '\n');
    return true;
}
