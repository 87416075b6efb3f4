/* rc_http1: a strict parser of one HTTP/1.1 message, request or response.
 *
 *             read_head            read_body
 *   HEAD ─────────────────► BODY ─────────────► DONE
 *     └──────── FAULT ◄──────┘
 *
 * The parser does no I/O, allocates no memory and reads no clock. A head or a complete chunk in the
 * usual form is parsed in one pass (http1_plain.c). llhttp parses all other heads and chunks. The
 * parser also rejects constructs that llhttp accepts but that two parsers might interpret
 * differently (RFC 9112, sections 2.2, 3.2, 5, 6, 11.2). A fault is final: no byte after it is
 * parsed as a message.
 *
 * The head stays in the caller's buffer. The parts of the head are stored as offsets, so the buffer
 * may move between calls. The buffer must contain the message from its first byte on. */
#ifndef RC_HTTP_HTTP1_H
#define RC_HTTP_HTTP1_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llhttp.h>

#include <recourse/str.h>

#include "base/str.h"
#include "http/http1_extension.h"
#include "http/http1_trailer.h"

#define RC_HTTP1_FIELDS_MAX 112
/* Number of header fields for which the parser itself has memory. */
#define RC_HTTP1_FIELDS_INLINE 32

/* The columns are the name of a fault, the status for the client, and the message. The status is
 * used only for faults in requests. */
#define RC_HTTP1_FAULTS(X)                                                                 \
    X(NONE, 0, "")                                                                         \
    X(SYNTAX, 400, "the message is not HTTP/1.1")                                          \
    X(LINE_END, 400, "a line of the head does not end in CR LF")                           \
    X(CONTROL, 400, "the head has a control character")                                    \
    X(FOLDED, 400, "a header continues over several lines")                                \
    X(HOST_MISSING, 400, "there is no Host header")                                        \
    X(HOST_INVALID, 400, "the Host header is not one host")                                \
    X(HOST_DIFFERS, 400, "the Host header differs from the host in the target")            \
    X(LENGTH_INVALID, 400, "Content-Length is not one number")                             \
    X(LENGTH_REPEATED, 400, "Content-Length occurs more than once")                        \
    X(LENGTH_AND_CODING, 400, "the message has both Content-Length and Transfer-Encoding") \
    X(CODING, 501, "Transfer-Encoding has a value other than chunked")                     \
    X(CODING_OF_1_0, 400, "Transfer-Encoding is not allowed in HTTP/1.0")                  \
    X(TARGET, 400, "the request's target is not a path")                                   \
    X(METHOD, 501, "the method is not supported")                                          \
    X(VERSION, 505, "the version is neither HTTP/1.1 nor HTTP/1.0")                        \
    X(UPGRADE, 502, "the protocol was switched")                                           \
    X(HEAD_TOO_LARGE, 431, "the head is too large")                                        \
    X(TARGET_TOO_LONG, 414, "the request's target is too long")                            \
    X(TOO_MANY_FIELDS, 431, "there are too many headers")                                  \
    X(CHUNK, 400, "the chunked body is damaged")                                           \
    X(CHUNK_EXTENSION, 400, "the extensions of the chunked body are too long")             \
    X(TRAILER, 400, "the trailer is malformed, or has a field that only a head may have")  \
    X(TRAILER_TOO_LARGE, 431, "the trailer is too large")                                  \
    X(TRUNCATED, 400, "the message ended too early")

typedef enum rc_http1_fault {
#define RC_HTTP1_ENUM(ID, status, text) RC_HTTP1_FAULT_##ID,
    RC_HTTP1_FAULTS(RC_HTTP1_ENUM)
#undef RC_HTTP1_ENUM
} rc_http1_fault;

/* rc_http1_fault_status and rc_http1_fault_text return the status and the static message of a fault
 * in RC_HTTP1_FAULTS. */
int rc_http1_fault_status(rc_http1_fault fault);
const char *rc_http1_fault_text(rc_http1_fault fault);

typedef enum rc_http1_kind {
    RC_HTTP1_REQUEST = 1,
    RC_HTTP1_RESPONSE = 2
} rc_http1_kind;

/* How the parser finds the end of the body. */
typedef enum rc_http1_framing {
    RC_HTTP1_NO_BODY = 0,
    RC_HTTP1_LENGTH = 1,
    RC_HTTP1_CHUNKED = 2,
    RC_HTTP1_UNTIL_CLOSE = 3 /* The body ends when the connection closes; responses only. */
} rc_http1_framing;

typedef enum rc_http1_event {
    RC_HTTP1_MORE = 0, /* All bytes were used; more input is needed. */
    RC_HTTP1_HEAD = 1, /* The head is complete; rc_http1_find and the other getters may be
                        * called. */
    RC_HTTP1_BODY = 2, /* A piece of the body is in rc_http1.body. */
    RC_HTTP1_END = 3,  /* The message is complete. */
    RC_HTTP1_FAULT = 4 /* The message is malformed; the connection must be closed. */
} rc_http1_event;

/* Maximum numbers of bytes and of header fields. */
typedef struct rc_http1_limits {
    uint32_t head_bytes;
    uint32_t target_bytes;
    uint32_t field_count;           /* Must not exceed RC_HTTP1_FIELDS_MAX. */
    uint32_t chunk_extension_bytes; /* Maximum for one request, or for one chunk of a response. */
    uint32_t trailer_bytes;
} rc_http1_limits;

/* The default limits: head 64 KiB, target 8 KiB, 100 fields, chunk extensions 1 KiB, trailer 8
 * KiB. */
extern const rc_http1_limits rc_http1_limits_default;

/* A header field as offsets into the head. Each parser has many of them, so the struct is
 * compact. */
typedef struct rc_http1_field {
    uint32_t name_at;
    uint32_t value_len;
    uint16_t name_len;
    uint16_t gap; /* Number of bytes between name and value: colon and white space. */
} rc_http1_field;

static inline uint32_t rc_http1_value_at(const rc_http1_field *field)
{
    return field->name_at + field->name_len + field->gap;
}

/* The parser. The struct has pointers to its own members, so it must not be copied. */
typedef struct rc_http1 {
    const rc_http1_limits *limits;
    const char *base; /* Start of the bytes being read; valid only inside a call. */
    uint32_t read;    /* Bytes of the head read so far. */
    uint32_t head_bytes;
    uint32_t target_at; /* Offset of the request's path and query. */
    uint32_t target_len;
    uint32_t host_at; /* Offset of host and port. Used only if the target is a whole URL (host_len
                       * is not 0). */
    uint32_t host_len;
    uint32_t field_count;
    uint32_t extension_bytes;
    rc_http1_kind kind;
    rc_http1_fault fault;
    rc_http1_framing framing;
    rc_http1_event pending; /* The event that an llhttp callback has produced. */
    uint16_t status;        /* Status of a response. */
    uint8_t method;         /* Method of a request, an llhttp_method_t. */
    uint8_t minor;          /* Minor number of the HTTP version, 1.minor. */
    bool is_parsing;        /* llhttp reads this message, so `parser` is initialised. */
    bool is_head_done;
    bool is_whole;
    bool is_in_trailer; /* The last chunk has been read. */
    bool is_at_chunk;   /* llhttp is at the start of a chunk and has read no byte of it. */
    bool is_paused;     /* A callback of this file has paused llhttp. */
    bool is_value;      /* The value of the current header field has begun. */
    bool is_kept_alive; /* The head allows reuse of the connection. */
    bool is_bodiless;   /* The response has no body, because it responds to HEAD, even if its head
                         * declares a body. */
    uint64_t length;    /* Content-Length, if framing is RC_HTTP1_LENGTH. */
    rc_http1_extension extension; /* State of the current chunk's extensions. */
    rc_http1_trailer trailer;
    uint64_t left;          /* Number of bytes of `length` that have not arrived yet. */
    rc_str body;            /* The piece of the latest RC_HTTP1_BODY event; views the input. */
    rc_http1_field *fields; /* Points to inline_fields, or to the memory of rc_http1_restart. */
    uint32_t field_capacity;
    rc_http1_field inline_fields[RC_HTTP1_FIELDS_INLINE];
    llhttp_t parser;
} rc_http1;

/* Prepares the parser for a new message. limits: borrows as long as the parser is used. */
void rc_http1_init(rc_http1 *reader, rc_http1_kind kind, const rc_http1_limits *limits);

/* Declares that the message is a response to HEAD, which has no body. */
void rc_http1_set_bodiless(rc_http1 *reader);

/* A table of fields with space for the fields of the largest head. */
typedef struct rc_http1_table {
    rc_http1_field fields[RC_HTTP1_FIELDS_MAX];
} rc_http1_table;

/* The next two functions are for heads with more than RC_HTTP1_FIELDS_INLINE fields.
 * rc_http1_needs_table returns whether rc_http1_read_head failed only for want of memory for the
 * fields. rc_http1_restart then gives the parser that memory; the head is read again from its first
 * byte. table: borrows until the fields are no longer read. */
bool rc_http1_needs_table(const rc_http1 *reader);
void rc_http1_restart(rc_http1 *reader, rc_http1_table *table);

/* Reads the head. `bytes` is the message from its first byte on, including the bytes of earlier
 * calls. Returns RC_HTTP1_MORE, RC_HTTP1_HEAD (reader->head_bytes is the head's length) or
 * RC_HTTP1_FAULT. bytes: borrows during the call. */
rc_http1_event rc_http1_read_head(rc_http1 *reader, rc_str bytes);

/* Reads the body and moves *input past the bytes used. Returns RC_HTTP1_BODY (reader->body is the
 * piece, a view of the input), RC_HTTP1_END, RC_HTTP1_MORE or RC_HTTP1_FAULT. */
rc_http1_event rc_http1_read_body(rc_http1 *reader, rc_str *input);

/* Must be called when the peer has closed the connection. Returns RC_HTTP1_END if the close ends
 * the message correctly, otherwise RC_HTTP1_FAULT. */
rc_http1_event rc_http1_close(rc_http1 *reader);

/* The next functions return parts of the head. head: the bytes that were passed to
 * rc_http1_read_head. The results view (point into) these bytes. */
static inline rc_str rc_http1_target(const rc_http1 *reader, const char *head)
{
    return rc_str_make(head + reader->target_at, reader->target_len);
}
static inline rc_str rc_http1_name(const rc_http1 *reader, const char *head, uint32_t index)
{
    return rc_str_make(head + reader->fields[index].name_at, reader->fields[index].name_len);
}
static inline rc_str rc_http1_value(const rc_http1 *reader, const char *head, uint32_t index)
{
    const rc_http1_field *field = &reader->fields[index];
    return rc_str_make(head + rc_http1_value_at(field), field->value_len);
}
/* Returns the request's host: the Host field, or the authority of a target that is a whole URL (RFC
 * 9112, section 3.2.2). Empty for an HTTP/1.0 request without both. The result views head. */
rc_str rc_http1_host(const rc_http1 *reader, const char *head);
/* Returns the static name of the method. */
rc_str rc_http1_method(const rc_http1 *reader);
static inline int rc_http1_status(const rc_http1 *reader)
{
    return reader->status;
}

/* Returns the value of the field with the lower-case name `name`, or the empty string if the head
 * has no such field or more than one. The result views head. */
rc_str rc_http1_find(const rc_http1 *reader, const char *head, rc_str name);

/* Returns the Content-Length, or UINT64_MAX if the head has none. */
uint64_t rc_http1_length(const rc_http1 *reader);

/* Returns whether another message may follow on the connection. The result is false if this message
 * is incomplete. */
bool rc_http1_is_reusable(const rc_http1 *reader);

/* Compares `len` bytes of `text` with `lower`, ignoring case. `lower` has only lower-case letters,
 * digits and dashes. The comparison sets bit 0x20 of each byte, which converts upper-case letters.
 * Setting this bit cannot turn another byte into a character of `lower`, because a parsed head has
 * no control characters. */
static inline bool rc_http1_is_same(const char *text, const char *lower, size_t len)
{
    const uint64_t small = UINT64_C(0x2020202020202020);
    if (len >= 8) {
        for (size_t i = 0; i + 8 < len; i += 8)
            if ((rc_bytes_8(text + i) | small) != rc_bytes_8(lower + i))
                return false;
        return (rc_bytes_8(text + len - 8) | small) == rc_bytes_8(lower + len - 8);
    }
    if (len >= 4)
        return (rc_bytes_4(text) | (uint32_t)small) == rc_bytes_4(lower) &&
               (rc_bytes_4(text + len - 4) | (uint32_t)small) == rc_bytes_4(lower + len - 4);
    for (size_t i = 0; i < len; i++)
        if ((text[i] | 0x20) != lower[i])
            return false;
    return true;
}

/* Compares a header's name with a lower-case name, ignoring case. */
static inline bool rc_http1_is_name(rc_str name, rc_str lower)
{
    return name.len == lower.len && rc_http1_is_same(name.ptr, lower.ptr, lower.len);
}

#endif
