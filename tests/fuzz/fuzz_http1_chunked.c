/* Chunked bodies of any bytes, in requests and responses: each accepted body is valid by the
 * standard, with the same bytes and end in any pieces, and a body that is refused in a response is
 * refused in a request. The first byte selects the kind and the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "http/http1.h"
#include "support/chunk_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUEST "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
#define RESPONSE "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static const rc_http1_limits limits = {
    .head_bytes = 512,
    .target_bytes = 64,
    .field_count = 8,
    .chunk_extension_bytes = 64,
    .trailer_bytes = 128,
};

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct outcome {
    rc_http1_event event;
    rc_http1_fault fault;
    size_t used;
    uint64_t body_len;
    uint64_t body_hash;
} outcome;

static outcome read_body(rc_http1_kind kind, rc_str body, size_t step)
{
    static rc_http1 reader;
    outcome got = {.event = RC_HTTP1_MORE, .body_hash = UINT64_C(0xcbf29ce484222325)};
    rc_http1_init(&reader, kind, &limits);
    check(rc_http1_read_head(&reader,
                             kind == RC_HTTP1_REQUEST ? RC_STR(REQUEST) : RC_STR(RESPONSE)) ==
          RC_HTTP1_HEAD);
    for (size_t len = 0; len < body.len && got.event == RC_HTTP1_MORE;) {
        len = body.len - len < step ? body.len : len + step;
        rc_str input = rc_str_make(body.ptr + got.used, len - got.used);
        while ((got.event = rc_http1_read_body(&reader, &input)) == RC_HTTP1_BODY) {
            got.body_hash = chunk_hash(got.body_hash, reader.body);
            got.body_len += reader.body.len;
        }
        got.used = (size_t)(input.ptr - body.ptr);
    }
    got.fault = reader.fault;
    return got;
}

static void compare(const outcome *got, const chunk_oracle *o, chunk_verdict verdict)
{
    if (got->event == RC_HTTP1_END)
        check(verdict == CHUNKS_WHOLE && got->used == o->at);
    else if (got->event == RC_HTTP1_MORE)
        check(verdict == CHUNKS_MORE);
    else /* for extensions and trailers the parser has ceilings and rules in addition to those of
          * the standard */
        check(verdict == CHUNKS_BAD || o->has_extension || o->has_trailer);
    if (got->event != RC_HTTP1_FAULT)
        check(got->body_len == o->body_len && got->body_hash == o->body_hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    rc_http1_kind kind = (data[0] & 1) != 0 ? RC_HTTP1_REQUEST : RC_HTTP1_RESPONSE;
    rc_str body = rc_str_make((const char *)data + 1, size - 1);
    chunk_oracle o;
    const chunk_verdict verdict = chunk_oracle_read(&o, body);
    const outcome whole = read_body(kind, body, body.len);
    compare(&whole, &o, verdict);
    const outcome pieces = read_body(kind, body, 1 + (data[0] >> 1) % 32);
    compare(&pieces, &o, verdict);
    check((pieces.event == RC_HTTP1_FAULT) == (whole.event == RC_HTTP1_FAULT));
    /* The ceilings of extensions differ: in a request the ceiling applies to the extensions of all
     * chunks together. */
    if (kind == RC_HTTP1_REQUEST && whole.event == RC_HTTP1_END) {
        const outcome other = read_body(RC_HTTP1_RESPONSE, body, body.len);
        check(other.event == RC_HTTP1_END || other.fault == RC_HTTP1_FAULT_CHUNK_EXTENSION);
    }
    return 0;
}
