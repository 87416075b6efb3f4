/* Bytes as the input of the audit command: a time, a key, and the texts and numbers of an
 * operation and an attempt. The human output has visible text in lines of the right width, JSON
 * and CSV can be parsed back, and a key has its original value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "audit/time.h"
#include "base/str.h"
#include "cli/audit/audit.h"
#include "cli/csv.h"
#include "render/wrap.h"
#include "store/operation_key.h"
#include "support/fake_sys.h"
#include "json/reader.h"

#define TEXTS 12
#define OUTPUT_MAX ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

/* ---- what is typed ---- */

static int offset(time_t at)
{
    return (int)(at % 7) * 1800;
}

static void check_typed(rc_str text)
{
    const rc_audit_clock clock = {INT64_C(1794790923456), offset};
    int64_t at = -1;
    if (rc_audit_time_parse(text, &clock, &at))
        require(at >= 0, "a time is not before 1970");
    int64_t key = 0;
    if (rc_operation_key_parse(text, &key)) {
        char scratch[RC_OPERATION_KEY_TEXT_LEN];
        rc_buf again;
        rc_buf_init_fixed(&again, scratch, sizeof(scratch));
        rc_operation_key_push(&again, key);
        require(rc_str_eq_nocase(rc_buf_get(&again), text), "a key is written as it was read");
    }
    int64_t first = 0;
    int64_t last = 0;
    if (rc_operation_key_range(text, &first, &last))
        require(first >= 0 && first <= last, "a range of keys is in order");
}

/* ---- what is shown ---- */

static void check_visible(rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        require((c >= 0x20 || c == '\n') && c != 0x7F, "no control character reaches a terminal");
    }
}

static void check_json(rc_str text)
{
    rc_json_reader reader;
    rc_json_token token;
    rc_json_reader_init(&reader, text,
                        &(rc_json_limits){.max_bytes = OUTPUT_MAX, .max_depth = RC_JSON_DEPTH_MAX});
    do {
        token = rc_json_reader_next(&reader);
        require(token.type != RC_JSON_ERROR, "JSON can be read");
    } while (token.type != RC_JSON_END);
    require(rc_str_find_byte(text, '\n', 0) == RC_STR_NPOS, "JSON is one line");
}

/* Checks a line of cells: quotes occur in pairs, and the line contains no line feed. */
static void check_csv(rc_str line)
{
    size_t quotes = 0;
    check_visible(line);
    for (size_t i = 0; i < line.len; i++) {
        quotes += line.ptr[i] == '"';
        require(line.ptr[i] != '\n' || i + 1 == line.len, "a row is one line");
    }
    require(quotes % 2 == 0, "quotes come in pairs");
}

typedef struct input {
    rc_str texts[TEXTS];
    uint8_t numbers[16];
} input;

static rc_record make(const input *in, rc_record_kind kind)
{
    rc_record record;
    uint64_t wide = 0;
    memcpy(&wide, in->numbers, sizeof(wide));
    rc_record_init(&record, kind);
    record.operation_id = in->texts[0];
    record.client = in->texts[1];
    record.route = in->texts[2];
    record.model = in->texts[3];
    record.target = in->texts[4];
    record.provider = in->texts[5];
    record.credential = in->texts[6];
    record.request_id = in->texts[7];
    record.text = in->texts[8];
    record.report_id = in->texts[9];
    record.report_json = in->texts[10];
    record.outcome = (rc_outcome)(in->numbers[0] % 5);
    record.code = (rc_code)(in->numbers[1] * 8 + in->numbers[2] % 16);
    record.error_class = (rc_error_class)(in->numbers[3] % 16);
    record.reason = (rc_reason)(in->numbers[4] % 100);
    record.status = in->numbers[5] * 3;
    record.attempt = in->numbers[6];
    record.at_ms = (int64_t)(wide % 100000) - 5;
    record.unix_ms = INT64_C(1794790900000) + record.at_ms;
    record.latency_ms = (int64_t)(wide >> 20 & 0xFFFFF) - 1;
    record.first_byte_ms = (int64_t)(wide >> 30 & 0xFFFF) - 1;
    record.wait_ms = wide >> 40;
    record.tokens_in = wide >> (in->numbers[7] % 64) & INT64_MAX;
    record.tokens_out = in->numbers[8];
    record.cost_usd_micro = wide >> (in->numbers[9] % 64) & INT64_MAX;
    record.flags = in->numbers[10] % 16;
    record.has_recovered = in->numbers[11] % 2 == 1;
    record.key = INT64_C(1794790900000) << RC_OPERATION_KEY_LOW_BITS | (in->numbers[12] * 3);
    return record;
}

static void check_text(const rc_audit *audit, const rc_record *operation, const rc_record *record)
{
    const rc_audit_timeline timeline = {
        .audit = (rc_audit *)audit, .operation = operation, .total_ms = 5000, .attempts = 2};
    rc_buf *out = &audit->cli->out;
    rc_buf text_out;
    rc_buf_init(&text_out, &audit->cli->alloc, OUTPUT_MAX);
    rc_audit_push_summary(&timeline, &text_out);
    rc_audit_push_event(&timeline, &text_out, record);
    rc_audit_push_detail(&timeline, &text_out, record);
    require(rc_str_find_byte(rc_buf_get(&text_out), '\n', 0) == RC_STR_NPOS, "a story is one line");
    rc_visible_push(out, rc_buf_get(&text_out), audit->style.has_utf8);
    check_visible(rc_buf_get(out));
    rc_buf_done(&text_out);
    rc_buf_reset(out);
}

static void check_row(const rc_audit *audit, const rc_record *operation)
{
    rc_grid grid;
    rc_buf *out = &audit->cli->out;
    int64_t day = 0;
    rc_grid_init(&grid, rc_audit_list_columns, RC_AUDIT_LIST_COLUMNS, &audit->style,
                 &audit->cli->alloc);
    rc_audit_list_row(audit, &grid, operation, &day);
    require(rc_grid_push(&grid, out) == RC_OK, "a row is shown");
    rc_grid_done(&grid);
    const rc_str text = rc_buf_get(out);
    check_visible(text);
    for (size_t at = 0; at < text.len;) {
        const size_t end = rc_str_find_byte(text, '\n', at);
        require(rc_visible_width(rc_str_slice(text, at, end), audit->style.has_utf8) <=
                    audit->style.width,
                "a row fits");
        at = end + 1;
    }
    rc_buf_reset(out);
}

static void check_machine(const rc_audit *audit, const rc_record *operation,
                          const rc_record *record, const input *in)
{
    rc_buf *out = &audit->cli->out;
    rc_json_writer w;
    rc_json_writer_init(&w, out, 0);
    rc_audit_json_operation(audit, &w, operation, true);
    check_json(rc_buf_get(out));
    rc_buf_reset(out);
    rc_json_writer_init(&w, out, 0);
    rc_audit_json_record(audit, &w, record, true);
    check_json(rc_buf_get(out));
    rc_buf_reset(out);
    for (size_t i = 0; i < TEXTS; i++)
        rc_csv_text(out, in->texts[i]);
    rc_csv_end(out);
    check_csv(rc_buf_get(out));
    rc_buf_reset(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {.numbers = {0}};
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_store_fault fault = {.kind = RC_STORE_NO_FAULT};
    rc_cli cli;
    if (size < sizeof(in.numbers))
        return 0;
    memcpy(in.numbers, data, sizeof(in.numbers));
    rc_str rest = rc_str_make((const char *)data + sizeof(in.numbers), size - sizeof(in.numbers));
    /* The texts are separated by a byte that occurs in none of them. */
    for (size_t i = 0; i < TEXTS; i++) {
        const size_t end = rc_str_find_byte(rest, '\xFE', 0);
        in.texts[i] = rc_str_slice(rest, 0, end);
        rest = end == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(rest, end + 1, rest.len);
        check_typed(in.texts[i]);
    }
    fake_reset("");
    rc_cli_init(&cli, &fake_calls, &alloc);
    rc_audit audit = {
        .cli = &cli,
        .view = RC_VIEW_INTERNAL,
        .fault = &fault,
        .style = {.width = 40u + in.numbers[13] % 120u,
                  .has_utf8 = in.numbers[14] % 2 == 0,
                  .now_unix_ms = INT64_C(1794790923456)},
    };
    const rc_record operation = make(&in, RC_RECORD_OUTCOME);
    const rc_record record = make(&in, (rc_record_kind)(in.numbers[15] % 12));
    check_text(&audit, &operation, &record);
    check_row(&audit, &operation);
    check_machine(&audit, &operation, &record, &in);
    require(fault.kind == RC_STORE_NO_FAULT, "there was memory");
    rc_cli_done(&cli);
    return 0;
}
