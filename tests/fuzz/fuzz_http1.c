/* HTTP/1.1 messages of any bytes in any pieces: the reader stays within the bytes, the pieces do
 * not change the result, both readers of a head agree, and no byte after a fault is read. The
 * first byte selects the kind and the size of the pieces. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "http/http1.h"
#include "support/http1_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct outcome {
    rc_http1_fault fault;
    rc_http1_event event;
    size_t used;
    uint64_t body_len;
    uint64_t body_hash;
} outcome;

static const rc_http1_limits limits = {
    .head_bytes = 512,
    .target_bytes = 64,
    .field_count = 8,
    .chunk_extension_bytes = 32,
    .trailer_bytes = 64,
};

static void add_body(outcome *got, rc_str piece)
{
    check(piece.len > 0);
    for (size_t i = 0; i < piece.len; i++)
        got->body_hash = (got->body_hash ^ (unsigned char)piece.ptr[i]) * 0x100000001b3u;
    got->body_len += piece.len;
}

static void check_head(const rc_http1 *reader, rc_str bytes)
{
    check(reader->head_bytes <= bytes.len && reader->head_bytes <= limits.head_bytes);
    check(reader->field_count <= limits.field_count);
    if (reader->kind == RC_HTTP1_REQUEST) {
        check(reader->target_len > 0 && rc_http1_target(reader, bytes.ptr).ptr[0] == '/');
        check(reader->target_at + reader->target_len < reader->head_bytes);
        check(reader->host_at + reader->host_len < reader->head_bytes);
    }
    for (uint32_t i = 0; i < reader->field_count; i++) {
        const rc_http1_field *field = &reader->fields[i];
        check(field->name_len > 0 && field->name_at + field->name_len < reader->head_bytes);
        check(rc_http1_value_at(field) + field->value_len < reader->head_bytes);
        rc_str value = rc_http1_value(reader, bytes.ptr, i);
        for (size_t k = 0; k < value.len; k++)
            check(value.ptr[k] != '\r' && value.ptr[k] != '\n' && value.ptr[k] != '\0');
    }
}

static outcome read_all(rc_http1 *reader, rc_http1_kind kind, rc_str bytes, size_t step)
{
    static rc_http1_table table;
    outcome got = {.body_hash = 0xcbf29ce484222325u};
    size_t len = step < bytes.len ? step : bytes.len;
    rc_http1_init(reader, kind, &limits);
    rc_http1_restart(reader, &table);
    while ((got.event = rc_http1_read_head(reader, rc_str_make(bytes.ptr, len))) == RC_HTTP1_MORE &&
           len < bytes.len)
        len = bytes.len - len < step ? bytes.len : len + step;
    if (got.event == RC_HTTP1_HEAD)
        check_head(reader, bytes);
    got.used = reader->head_bytes;
    while (reader->is_head_done && got.event != RC_HTTP1_FAULT && got.event != RC_HTTP1_END) {
        rc_str input = rc_str_make(bytes.ptr + got.used, len - got.used);
        got.event = rc_http1_read_body(reader, &input);
        check(input.ptr >= bytes.ptr && input.ptr + input.len == bytes.ptr + len);
        got.used = (size_t)(input.ptr - bytes.ptr);
        if (got.event == RC_HTTP1_BODY)
            add_body(&got, reader->body);
        if (got.event == RC_HTTP1_MORE && len == bytes.len)
            break;
        if (got.event == RC_HTTP1_MORE)
            len = bytes.len - len < step ? bytes.len : len + step;
    }
    got.fault = reader->fault;
    return got;
}

/* Compares the two parsers of heads. A head that arrives at once may be parsed without llhttp; a
 * head whose first byte arrives alone is always parsed by llhttp. */
static void compare_ways(rc_http1_kind kind, rc_str bytes)
{
    static rc_http1 plain;
    static rc_http1 parsed;
    rc_http1_init(&plain, kind, &limits);
    rc_http1_init(&parsed, kind, &limits);
    rc_http1_event event = rc_http1_read_head(&plain, bytes);
    (void)rc_http1_read_head(&parsed, rc_str_make(bytes.ptr, bytes.len > 0));
    check(rc_http1_read_head(&parsed, bytes) == event);
    check(event != RC_HTTP1_HEAD || is_same_head(&plain, &parsed, bytes.ptr));
    check(event == RC_HTTP1_HEAD || plain.fault == parsed.fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rc_http1 reader;
    if (size < 1)
        return 0;
    rc_http1_kind kind = (data[0] & 1) != 0 ? RC_HTTP1_REQUEST : RC_HTTP1_RESPONSE;
    rc_str bytes = rc_str_make((const char *)data + 1, size - 1);
    compare_ways(kind, bytes);
    outcome whole = read_all(&reader, kind, bytes, bytes.len + 1);
    rc_http1_event closed = rc_http1_close(&reader);
    check(closed == RC_HTTP1_END || closed == RC_HTTP1_FAULT);
    check(whole.event != RC_HTTP1_FAULT || closed == RC_HTTP1_FAULT);

    outcome pieces = read_all(&reader, kind, bytes, 1 + (data[0] >> 1) % 32);
    check((pieces.fault == RC_HTTP1_FAULT_NONE) == (whole.fault == RC_HTTP1_FAULT_NONE));
    if (whole.fault != RC_HTTP1_FAULT_NONE) {
        rc_str more = RC_STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        check(rc_http1_read_head(&reader, more) == RC_HTTP1_FAULT);
        check(rc_http1_read_body(&reader, &more) == RC_HTTP1_FAULT);
        return 0;
    }
    check(pieces.event == whole.event || whole.event == RC_HTTP1_MORE ||
          pieces.event == RC_HTTP1_MORE);
    check(pieces.used == whole.used);
    check(pieces.body_len == whole.body_len && pieces.body_hash == whole.body_hash);
    return 0;
}
