/* Any bytes, decoded both ways. A decoded report can be encoded, and the strict decoder reproduces
 * that text. */
#include <recourse/json.h>
#include <recourse/stdlib.h>

#include <stdint.h>

#define OUT_MAX (256u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        __builtin_trap();
}

static void check_views(const rc_report *report, rc_buf *buf)
{
    static const rc_view VIEWS[] = {RC_VIEW_USER, RC_VIEW_MODEL};
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof VIEWS / sizeof *VIEWS; i++) {
        const rc_report *again = NULL;
        rc_buf_reset(buf);
        require(rc_report_encode(report, VIEWS[i], buf) == RC_OK);
        require(rc_report_decode(rc_buf_get(buf), RC_DECODE_STRICT, &alloc, &again, NULL) == RC_OK);
        require(rc_report_detail(again).len == 0 && rc_report_raw(again).len == 0);
        require(rc_report_source_count(again) == 0 && !rc_report_cause(again));
        rc_report_free(again);
    }
}

static void check_round_trip(const rc_report *report)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf first;
    rc_buf second;
    rc_buf_init(&first, &alloc, OUT_MAX);
    rc_buf_init(&second, &alloc, OUT_MAX);
    const rc_report *again = NULL;
    require(rc_report_encode(report, RC_VIEW_INTERNAL, &first) == RC_OK);
    require(rc_report_decode(rc_buf_get(&first), RC_DECODE_STRICT, &alloc, &again, NULL) == RC_OK);
    require(rc_report_encode(again, RC_VIEW_INTERNAL, &second) == RC_OK);
    require(rc_str_eq(rc_buf_get(&first), rc_buf_get(&second)));
    check_views(report, &second);
    rc_report_free(again);
    rc_buf_done(&first);
    rc_buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_str text = rc_str_make((const char *)data, size);
    for (int mode = RC_DECODE_STRICT; mode <= RC_DECODE_TOLERANT; mode++) {
        const rc_report *report = NULL;
        rc_decode_info info;
        rc_status status = rc_report_decode(text, (rc_decode_mode)mode, &alloc, &report, &info);
        require((status == RC_OK) == (report != NULL));
        require(info.offset <= size && info.line >= 1 && info.column >= 1);
        if (report)
            check_round_trip(report);
        rc_report_free(report);
    }
    return 0;
}
