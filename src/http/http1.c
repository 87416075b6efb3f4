/* The HTTP/1.1 parser: drives llhttp and adds the strict checks. Called by net/server, net/client,
 * the gateway's request code and the mock server. */
#include "http/http1.h"

#include <stddef.h>
#include <string.h>

#include "http/http1_head.h"
#include "http/http1_plain.h"

const rc_http1_limits rc_http1_limits_default = {
    .head_bytes = 64 << 10,
    .target_bytes = 8 << 10,
    .field_count = 100,
    .chunk_extension_bytes = 1 << 10,
    .trailer_bytes = 8 << 10,
};

static const struct {
    int status;
    const char *text;
} faults[] = {
#define ROW(ID, status, text) {status, text},
    RC_HTTP1_FAULTS(ROW)
#undef ROW
};

int rc_http1_fault_status(rc_http1_fault fault)
{
    return faults[fault].status;
}

const char *rc_http1_fault_text(rc_http1_fault fault)
{
    return faults[fault].text;
}

static rc_http1 *reader_of(const llhttp_t *parser)
{
    return parser->data;
}

/* Records the first fault and stops the parser. */
static int refuse(rc_http1 *reader, rc_http1_fault fault)
{
    if (reader->fault == RC_HTTP1_FAULT_NONE)
        reader->fault = fault;
    return HPE_USER;
}

/* Called by llhttp for a piece of the target. The pieces of a target are adjacent in the buffer. */
static int on_target(llhttp_t *parser, const char *at, size_t len)
{
    rc_http1 *reader = reader_of(parser);
    if (reader->target_len == 0)
        reader->target_at = (uint32_t)(at - reader->base);
    reader->target_len += (uint32_t)len;
    return reader->target_len > reader->limits->target_bytes
               ? refuse(reader, RC_HTTP1_FAULT_TARGET_TOO_LONG)
               : 0;
}

static int on_name(llhttp_t *parser, const char *at, size_t len)
{
    rc_http1 *reader = reader_of(parser);
    if (reader->is_head_done)
        return 0; /* A field of the trailer. */
    if (reader->is_value || reader->field_count == 0) {
        if (reader->field_count >= reader->limits->field_count ||
            reader->field_count >= reader->field_capacity)
            return refuse(reader, RC_HTTP1_FAULT_TOO_MANY_FIELDS);
        rc_http1_field *field = &reader->fields[reader->field_count++];
        *field = (rc_http1_field){.name_at = (uint32_t)(at - reader->base)};
        reader->is_value = false;
    }
    rc_http1_field *field = &reader->fields[reader->field_count - 1];
    if (len > (size_t)UINT16_MAX - field->name_len)
        return refuse(reader, RC_HTTP1_FAULT_HEAD_TOO_LARGE);
    field->name_len = (uint16_t)(field->name_len + len);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    rc_http1 *reader = reader_of(parser);
    if (reader->is_head_done)
        return 0; /* A field of the trailer. */
    rc_http1_field *field = &reader->fields[reader->field_count - 1];
    uint32_t from = (uint32_t)(at - reader->base);
    if (!reader->is_value) {
        uint32_t gap = from - field->name_at - field->name_len;
        if (gap > UINT16_MAX)
            return refuse(reader, RC_HTTP1_FAULT_HEAD_TOO_LARGE);
        field->gap = (uint16_t)gap;
    }
    reader->is_value = true;
    field->value_len = from + (uint32_t)len - rc_http1_value_at(field);
    return 0;
}

/* Marks the value as begun even if it is empty, because llhttp does not call on_value for an empty
 * value. */
static int on_value_end(llhttp_t *parser)
{
    reader_of(parser)->is_value = true;
    return 0;
}

/* Rejects control characters in a chunk extension, which llhttp accepts inside quoted strings, and
 * counts the bytes of the extensions. */
static int on_extension(llhttp_t *parser, const char *at, size_t len)
{
    rc_http1 *reader = reader_of(parser);
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)at[i] < 0x20 && at[i] != '\t') || at[i] == 0x7f)
            return refuse(reader, RC_HTTP1_FAULT_CHUNK);
    reader->extension_bytes += (uint32_t)len;
    return reader->extension_bytes > reader->limits->chunk_extension_bytes
               ? refuse(reader, RC_HTTP1_FAULT_CHUNK_EXTENSION)
               : 0;
}

static int on_head_end(llhttp_t *parser)
{
    rc_http1 *reader = reader_of(parser);
    reader->pending = RC_HTTP1_HEAD;
    reader->method = parser->method;
    reader->minor = parser->http_minor;
    reader->status = parser->status_code;
    /* An Upgrade request is ignored, so that the body is parsed as in any other message. */
    parser->upgrade = 0;
    if (rc_http1_has_no_body(reader))
        parser->flags |= F_SKIPBODY;
    return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    rc_http1 *reader = reader_of(parser);
    if (len == 0)
        return 0;
    reader->body = rc_str_make(at, len);
    reader->pending = RC_HTTP1_BODY;
    return 0;
}

/* Pauses before the trailer, so that check_trailer sees its bytes before llhttp does. */
static int on_chunk(llhttp_t *parser)
{
    reader_of(parser)->is_in_trailer = parser->content_length == 0;
    return parser->content_length == 0 ? HPE_PAUSED : 0;
}

/* Pauses after each chunk, so that one call of rc_http1_read_body returns one piece of the body. */
static int on_chunk_end(llhttp_t *parser)
{
    reader_of(parser)->is_at_chunk = !reader_of(parser)->is_in_trailer;
    reader_of(parser)->extension = (rc_http1_extension){.state = 0};
    return HPE_PAUSED;
}

static int on_end(llhttp_t *parser)
{
    rc_http1 *reader = reader_of(parser);
    if (reader->pending != RC_HTTP1_BODY)
        reader->pending = RC_HTTP1_END;
    reader->is_whole = true;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_target,
    .on_header_field = on_name,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_end,
    .on_chunk_extension_name = on_extension,
    .on_chunk_extension_value = on_extension,
    .on_headers_complete = on_head_end,
    .on_body = on_body,
    .on_chunk_header = on_chunk,
    .on_chunk_complete = on_chunk_end,
    .on_message_complete = on_end,
};

void rc_http1_init(rc_http1 *reader, rc_http1_kind kind, const rc_http1_limits *limits)
{
    /* The members from `fields` on are set here or when they are used. llhttp's state is
     * initialised when it is first needed. */
    memset(reader, 0, offsetof(rc_http1, fields));
    reader->kind = kind;
    reader->limits = limits;
    reader->fields = reader->inline_fields;
    reader->field_capacity = RC_HTTP1_FIELDS_INLINE;
}

bool rc_http1_needs_table(const rc_http1 *reader)
{
    return reader->fault == RC_HTTP1_FAULT_TOO_MANY_FIELDS &&
           reader->field_count == RC_HTTP1_FIELDS_INLINE &&
           reader->field_capacity == RC_HTTP1_FIELDS_INLINE &&
           reader->limits->field_count > RC_HTTP1_FIELDS_INLINE;
}

void rc_http1_restart(rc_http1 *reader, rc_http1_table *table)
{
    const bool is_bodiless = reader->is_bodiless;
    rc_http1_init(reader, reader->kind, reader->limits);
    reader->is_bodiless = is_bodiless;
    reader->fields = table->fields;
    reader->field_capacity = RC_HTTP1_FIELDS_MAX;
}

void rc_http1_set_bodiless(rc_http1 *reader)
{
    reader->is_bodiless = true;
}

static rc_http1_event fail(rc_http1 *reader, rc_http1_fault fault)
{
    refuse(reader, fault);
    return RC_HTTP1_FAULT;
}

/* Maps the errors of llhttp to faults. */
static const struct {
    llhttp_errno_t error;
    rc_http1_fault fault;
} refusals[] = {
    {HPE_INVALID_METHOD, RC_HTTP1_FAULT_METHOD},
    {HPE_INVALID_VERSION, RC_HTTP1_FAULT_VERSION},
    {HPE_INVALID_URL, RC_HTTP1_FAULT_TARGET},
    {HPE_INVALID_CONTENT_LENGTH, RC_HTTP1_FAULT_LENGTH_INVALID},
    {HPE_UNEXPECTED_CONTENT_LENGTH, RC_HTTP1_FAULT_LENGTH_AND_CODING},
    {HPE_INVALID_TRANSFER_ENCODING, RC_HTTP1_FAULT_CODING},
    {HPE_INVALID_CHUNK_SIZE, RC_HTTP1_FAULT_CHUNK},
};

static rc_http1_fault fault_of(const rc_http1 *reader)
{
    llhttp_errno_t error = llhttp_get_errno(&reader->parser);
    /* llhttp reports a second Content-Length with the same error. */
    if (error == HPE_UNEXPECTED_CONTENT_LENGTH && (reader->parser.flags & F_TRANSFER_ENCODING) == 0)
        return RC_HTTP1_FAULT_LENGTH_REPEATED;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (refusals[i].error == error)
            return refusals[i].fault;
    return reader->is_head_done ? RC_HTTP1_FAULT_CHUNK : RC_HTTP1_FAULT_SYNTAX;
}

/* Runs llhttp and returns the number of bytes used. If reader->is_paused is set afterwards, another
 * call may produce an event without further input. */
static size_t execute(rc_http1 *reader, const char *bytes, size_t len)
{
    reader->pending = RC_HTTP1_MORE;
    reader->is_paused = false;
    llhttp_errno_t result = llhttp_execute(&reader->parser, bytes, len);
    if (result == HPE_OK)
        return len;
    if (result != HPE_PAUSED) {
        refuse(reader, fault_of(reader));
        return 0;
    }
    size_t used = (size_t)(llhttp_get_error_pos(&reader->parser) - bytes);
    llhttp_resume(&reader->parser);
    reader->is_paused = true;
    return used;
}

static void begin_parsing(rc_http1 *reader, const llhttp_settings_t *with)
{
    llhttp_init(&reader->parser, reader->kind == RC_HTTP1_REQUEST ? HTTP_REQUEST : HTTP_RESPONSE,
                with);
    reader->parser.data = reader;
    reader->is_parsing = true;
}

/* Reads a complete plain head (http1_plain.c) in one pass. Returns false if llhttp must read the
 * head. */
static bool read_at_once(rc_http1 *reader, rc_str bytes)
{
    if (rc_http1_read_plain(reader, bytes)) {
        reader->is_head_done = true;
        reader->read = reader->head_bytes;
        return true;
    }
    reader->field_count = 0;
    reader->target_len = 0;
    reader->length = 0;
    begin_parsing(reader, &settings);
    return false;
}

rc_http1_event rc_http1_read_head(rc_http1 *reader, rc_str bytes)
{
    if (reader->fault != RC_HTTP1_FAULT_NONE)
        return RC_HTTP1_FAULT;
    if (reader->is_head_done || (!reader->is_parsing && read_at_once(reader, bytes)))
        return RC_HTTP1_HEAD;
    size_t len = bytes.len;
    if (len > reader->limits->head_bytes)
        len = reader->limits->head_bytes;
    reader->base = bytes.ptr;
    size_t used = execute(reader, bytes.ptr + reader->read, len - reader->read);
    reader->base = NULL;
    reader->read += (uint32_t)used;
    if (reader->fault != RC_HTTP1_FAULT_NONE)
        return RC_HTTP1_FAULT;
    if (reader->pending != RC_HTTP1_HEAD)
        return reader->read >= reader->limits->head_bytes
                   ? fail(reader, RC_HTTP1_FAULT_HEAD_TOO_LARGE)
                   : RC_HTTP1_MORE;
    reader->is_head_done = true;
    reader->head_bytes = reader->read;
    rc_http1_fault fault = rc_http1_check_head(reader, bytes.ptr);
    return fault == RC_HTTP1_FAULT_NONE ? RC_HTTP1_HEAD : fail(reader, fault);
}

/* Checks the trailer. *ret_len is the number of checked bytes, which llhttp may read. Returns false
 * after a fault. */
static bool check_trailer(rc_http1 *reader, rc_str input, size_t *ret_len)
{
    rc_http1_trailer_result is =
        rc_http1_trailer_push(&reader->trailer, input, reader->limits->trailer_bytes, ret_len);
    if (is == RC_HTTP1_TRAILER_BAD)
        refuse(reader, RC_HTTP1_FAULT_TRAILER);
    else if (is == RC_HTTP1_TRAILER_LARGE)
        refuse(reader, RC_HTTP1_FAULT_TRAILER_TOO_LARGE);
    return reader->fault == RC_HTTP1_FAULT_NONE;
}

/* Checks the extensions of a chunk and moves *input past them. *ret_len is the number of following
 * bytes that llhttp may read. Returns false after a fault. */
static bool skip_extensions(rc_http1 *reader, rc_str *input, uint32_t max_bytes, size_t *ret_len)
{
    rc_http1_extension_result is =
        rc_http1_extension_skip(&reader->extension, input, max_bytes, ret_len);
    if (is == RC_HTTP1_EXTENSION_BAD)
        refuse(reader, RC_HTTP1_FAULT_CHUNK);
    else if (is == RC_HTTP1_EXTENSION_LARGE)
        refuse(reader, RC_HTTP1_FAULT_CHUNK_EXTENSION);
    return reader->fault == RC_HTTP1_FAULT_NONE;
}

/* Checks the extensions of a request's chunk. llhttp reads these bytes, too (on_extension counts
 * them), but accepts extensions with an empty name or value, which other parsers may treat
 * differently. */
static bool check_extensions(rc_http1 *reader, rc_str input)
{
    size_t len = 0;
    bool is_good = true;
    for (; is_good && input.len > 0; input = rc_str_slice(input, len, input.len))
        is_good = skip_extensions(reader, &input, UINT32_MAX, &len);
    return is_good;
}

static bool read_extensions(rc_http1 *reader, rc_str *input, size_t *ret_len)
{
    if (reader->kind == RC_HTTP1_REQUEST)
        return check_extensions(reader, *input);
    return skip_extensions(reader, input, reader->limits->chunk_extension_bytes, ret_len);
}

static int on_stand_in_end(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

/* Starts llhttp for the chunks of a message whose head was read without llhttp. llhttp reads chunks
 * only after a head, so a fixed head of the same kind is passed to it first. */
static void begin_chunks(rc_http1 *reader)
{
    static const llhttp_settings_t silent = {.on_headers_complete = on_stand_in_end};
    bool is_request = reader->kind == RC_HTTP1_REQUEST;
    rc_str head = is_request ? RC_STR("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
                             : RC_STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    begin_parsing(reader, &silent);
    (void)execute(reader, head.ptr, head.len);
    reader->parser.settings = (void *)(uintptr_t)&settings;
}

static rc_http1_event read_chunks(rc_http1 *reader, rc_str *input)
{
    if (reader->is_at_chunk || !reader->is_parsing) {
        if (input->len == 0)
            return RC_HTTP1_MORE;
        if (rc_http1_read_plain_chunk(input, &reader->body))
            return RC_HTTP1_BODY;
    }
    if (!reader->is_parsing)
        begin_chunks(reader);
    /* Even without further input llhttp may report the end of the message. */
    do {
        const bool is_trailer = reader->is_in_trailer;
        size_t len = input->len;
        if (is_trailer && !check_trailer(reader, *input, &len))
            return RC_HTTP1_FAULT;
        reader->is_at_chunk = false;
        if (!is_trailer && !read_extensions(reader, input, &len))
            return RC_HTTP1_FAULT;
        size_t used = execute(reader, input->ptr, len);
        /* If llhttp and check_trailer disagree about the end of the trailer, another parser might
         * see a second message in these bytes. */
        if (is_trailer && used != len)
            refuse(reader, RC_HTTP1_FAULT_TRAILER);
        /* If the piece contains both body bytes and a fault, the body bytes are returned first, as
         * if the fault had arrived in a later read. */
        if (reader->fault != RC_HTTP1_FAULT_NONE)
            return reader->pending == RC_HTTP1_BODY ? RC_HTTP1_BODY : RC_HTTP1_FAULT;
        *input = rc_str_make(input->ptr + used, input->len - used);
    } while (reader->pending == RC_HTTP1_MORE && (input->len > 0 || reader->is_paused));
    return reader->pending;
}

rc_http1_event rc_http1_read_body(rc_http1 *reader, rc_str *input)
{
    if (reader->fault != RC_HTTP1_FAULT_NONE)
        return RC_HTTP1_FAULT;
    if (reader->is_whole)
        return RC_HTTP1_END;
    if (reader->framing == RC_HTTP1_CHUNKED)
        return read_chunks(reader, input);
    bool has_end = reader->framing != RC_HTTP1_UNTIL_CLOSE;
    uint64_t left = reader->framing == RC_HTTP1_LENGTH ? reader->left : 0;
    size_t len = has_end && left < input->len ? (size_t)left : input->len;
    reader->left = left - (has_end ? len : 0);
    reader->is_whole = has_end && left == len;
    if (len == 0)
        return reader->is_whole ? RC_HTTP1_END : RC_HTTP1_MORE;
    reader->body = rc_str_make(input->ptr, len);
    *input = rc_str_make(input->ptr + len, input->len - len);
    return RC_HTTP1_BODY;
}

rc_http1_event rc_http1_close(rc_http1 *reader)
{
    if (reader->fault != RC_HTTP1_FAULT_NONE)
        return RC_HTTP1_FAULT;
    if (reader->is_whole)
        return RC_HTTP1_END;
    if (!reader->is_head_done || reader->framing != RC_HTTP1_UNTIL_CLOSE)
        return fail(reader, RC_HTTP1_FAULT_TRUNCATED);
    reader->is_whole = true;
    return RC_HTTP1_END;
}

rc_str rc_http1_method(const rc_http1 *reader)
{
    if (reader->method == HTTP_POST)
        return RC_STR("POST");
    return rc_str_c(llhttp_method_name((llhttp_method_t)reader->method));
}

uint64_t rc_http1_length(const rc_http1 *reader)
{
    return reader->framing == RC_HTTP1_LENGTH ? reader->length : UINT64_MAX;
}

bool rc_http1_is_reusable(const rc_http1 *reader)
{
    return reader->is_whole && reader->is_kept_alive && reader->framing != RC_HTTP1_UNTIL_CLOSE &&
           reader->fault == RC_HTTP1_FAULT_NONE;
}
